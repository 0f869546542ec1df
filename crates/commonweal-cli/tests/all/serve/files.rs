//! The files that the page offers for download are those that the program writes.

use super::serving::{HOTEL, PATIENT, Serving};
use crate::program::Folder;
use serde_json::json;

#[test]
fn strategy_certificate_and_table_are_those_of_the_program() {
    let server = Serving::new(&PATIENT);
    let folder = Folder::new();
    folder.write("hotel.yaml", HOTEL);
    let args = ["solve", "hotel.yaml", "--strategy", "s.json", "--certificate", "c.cert", "--csv", "t.csv", "--quiet"];
    folder.run(&args).done();
    let body = json!({"model": HOTEL});
    for (path, file) in [("/api/strategy", "s.json"), ("/api/certificate", "c.cert"), ("/api/csv", "t.csv")] {
        let answer = server.post(path, &body);
        assert_eq!((answer.status, answer.text()), (200, folder.read(file).as_str()), "{path}");
    }
    folder.write("downloaded.cert", server.post("/api/certificate", &body).body);
    let checked = folder.run(&["check", "hotel.yaml", "downloaded.cert"]).done();
    assert!(checked.stdout.starts_with("accepted"), "{checked:?}");
}

#[test]
fn a_model_with_the_sliders_in_it_is_solved_like_the_model_with_the_sliders() {
    let server = Serving::new(&PATIENT);
    let changed = json!({"model": HOTEL, "discounts": {"bob": "0.48"}, "weights": {"alice": "3/2"}, "from": "s0"});
    let written = server.post("/api/model", &changed);
    assert_eq!((written.status, written.header("content-type")), (200, Some("text/yaml; charset=utf-8")));
    let again = server.post("/api/solve", &json!({"model": written.text()}));
    assert_eq!(again.text(), server.post("/api/solve", &changed).text());
}

#[test]
fn pictures_come_as_svg_png_and_pdf() {
    let server = Serving::new(&PATIENT);
    for kind in ["timeline", "payoffs", "gains", "map", "front"] {
        for (ending, media, beginning) in [
            ("svg", "image/svg+xml", &b"<svg "[..]),
            ("png", "image/png", b"\x89PNG"),
            ("pdf", "application/pdf", b"%PDF"),
        ] {
            let mut body = json!({"model": HOTEL, "kind": kind, "ending": ending});
            if matches!(kind, "map" | "front") {
                body["x"] = json!("alice");
                body["y"] = json!("bob");
            }
            if kind == "map" {
                body["resolution"] = json!(2);
            }
            let answer = server.post("/api/picture", &body);
            assert_eq!((answer.status, answer.header("content-type")), (200, Some(media)), "{kind} {ending}");
            assert!(answer.body.starts_with(beginning), "{kind} {ending}");
        }
    }
    let none = server.post("/api/picture", &json!({"model": HOTEL, "kind": "graph"}));
    none.refused(400, "`kind` must be");
}

#[test]
fn the_report_is_the_programs_page() {
    let server = Serving::new(&PATIENT);
    let page = server.post("/api/report", &json!({"model": HOTEL, "name": "The <hotel>"}));
    assert_eq!(page.status, 200);
    assert!(page.text().starts_with("<!DOCTYPE html>") && page.text().contains("127/9"));
    assert!(page.text().contains("The &lt;hotel&gt;") && !page.text().contains("<hotel>"));
}

#[test]
fn map_front_and_fair_are_the_documents_of_the_program() {
    let server = Serving::new(&PATIENT);
    let folder = Folder::new();
    folder.write("hotel.yaml", HOTEL);
    let map = server.post("/api/map", &json!({"model": HOTEL, "x": "alice", "y": "bob", "resolution": 3})).json();
    assert_eq!(map["format"], "commonweal-map/1");
    let shares: f64 = map["regions"].as_array().expect("regions").iter().filter_map(|one| one["share"].as_f64()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let words: Vec<&str> =
        map["drawn"].as_array().expect("drawn").iter().filter_map(|one| one["words"].as_str()).collect();
    assert!(words.contains(&"a twice, then b for ever"), "{words:?}");
    let front = server.post("/api/front", &json!({"model": HOTEL}));
    let printed = folder.run(&["front", "hotel.yaml", "--json"]).done();
    assert_eq!((front.status, front.json()), (200, printed.json()));
    let fair = server.post("/api/fair", &json!({"model": HOTEL, "rule": "max-min", "over": "own-worst"}));
    let printed = folder.run(&["fair", "hotel.yaml", "--rule", "max-min", "--over", "own-worst", "--json"]).done();
    assert_eq!((fair.status, fair.json()), (200, printed.json()));
    let body = json!({"model": HOTEL, "rule": "welfare", "at_least": {"alice": 10}});
    assert_eq!(server.post("/api/fair", &body).json()["value"]["exact"], "169/12");
    server.post("/api/fair", &json!({"model": HOTEL, "rule": "fairest"})).refused(422, "is not a rule");
    server.post("/api/map", &json!({"model": HOTEL, "x": "bob", "y": "bob"})).refused(422, "the same principal");
    server
        .post("/api/fair", &json!({"model": HOTEL, "rule": "nash", "over": "strategy:/etc/passwd"}))
        .refused(422, "command line");
}

#[test]
fn the_view_has_all_that_the_page_draws() {
    let server = Serving::new(&PATIENT);
    let view = server.post("/api/view", &json!({"model": HOTEL})).json();
    assert_eq!(view["format"], "commonweal-view/1");
    let runs = &view["timeline"]["rows"][0]["runs"];
    assert_eq!(runs, &json!([{"from": 0, "action": "a"}, {"from": 2, "action": "b"}, {"from": 3, "action": null}]));
    // After all steps, the accumulated payoffs are those of the answer.
    let alice = view["accrued"]["plan"]["alice"].as_array().expect("a curve");
    let (last, gets) = (alice.last().and_then(|last| last.as_f64()).expect("a double"), 89.0 / 9.0);
    assert!(last < gets && gets - last < 0.2, "{last}");
    assert_eq!(view["model"]["states"][0]["actions"][1]["to"], json!([[1, "1", 1.0]]));
}

#[test]
fn a_map_goes_over_rates_and_over_the_range_that_is_asked_for() {
    let server = Serving::new(&PATIENT);
    let asked = |path: &str, more: serde_json::Value| {
        let mut body = json!({"model": HOTEL, "x": "alice.rate", "y": "bob.rate", "resolution": 3});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        server.post(path, &body)
    };
    let map = asked("/api/map", json!({"least": "1/10", "greatest": 1})).json();
    assert_eq!(
        (&map["x"]["quantity"], &map["x"]["from"], &map["x"]["to"]),
        (&json!("rate"), &json!("1/10"), &json!("1"))
    );
    for path in ["/api/map", "/api/sketch"] {
        let drawn = asked(path, json!({"least": "1/10", "greatest": 1})).json()["drawn"].clone();
        let places = drawn.as_array().expect("regions").iter().flat_map(|region| {
            let rings = region["outline"].as_array().expect("rings").clone();
            rings.into_iter().flat_map(|ring| ring.as_array().expect("points").clone())
        });
        let ends: Vec<f64> = places.map(|place| place[0].as_f64().expect("a rate")).collect();
        let (least, greatest) = (ends.iter().copied().fold(9.0, f64::min), ends.iter().copied().fold(0.0, f64::max));
        assert!((least - 0.1).abs() < 1e-12 && (greatest - 1.0).abs() < 1e-12, "{path}: {least} to {greatest}");
        asked(path, json!({"y": "bob"})).refused(422, "one axis is a rate");
        asked(path, json!({"least": "1/2", "greatest": "1/3"})).refused(422, "no range");
        asked(path, json!({"greatest": 2})).refused(422, "no range");
        asked(path, json!({"x": "alice.weight", "y": "bob"})).refused(422, "there is no principal `alice.weight`");
    }
    // By hand for both at a rate of 1, which is a discount of 1/2: a for ever is worth 6 to each, b −1 + 1/2 · 12 = 5.
    let sketch = asked("/api/sketch", json!({"least": "99/100", "greatest": 1})).json();
    assert_eq!(sketch["drawn"].as_array().map(Vec::len), Some(1), "{sketch}");
    let at_a_half =
        server.post("/api/view", &json!({"model": HOTEL, "discounts": {"alice": "1/2", "bob": "1/2"}})).json();
    assert_eq!(at_a_half["timeline"]["rows"][0]["runs"][0]["action"], "a");
    assert_eq!(sketch["drawn"][0]["words"], "a for ever");
}

#[test]
fn a_front_ends_at_the_vertices_that_are_asked_for() {
    let server = Serving::new(&PATIENT);
    let asked = |most: u64| server.post("/api/front", &json!({"model": HOTEL, "vertices": most})).json();
    let (few, all) = (asked(3), asked(400));
    assert!(few["vertices"].as_array().expect("vertices").len() <= 4, "{few}");
    assert_eq!(few["complete"], false);
    assert!(all["vertices"].as_array().expect("vertices").len() > 4, "{all}");
}

#[test]
fn each_number_of_a_time_preference_can_be_changed() {
    let server = Serving::new(&PATIENT);
    let model = |preference: &str| HOTEL.replace("alice: 2/3", &format!("alice: {preference}"));
    let welfare = |body: &serde_json::Value| server.post("/api/solve", body).json()["states"]["s0"]["welfare"].clone();
    let cases = [
        ("{rate: 3%}", "{rate: 5%}", json!({"rate": "5/100"})),
        ("{discount: 1/2, until: 9}", "{discount: 1/2, until: 5}", json!({"until": 5})),
        ("{beta: 0.7, delta: 0.9}", "{beta: 0.5, delta: 0.8}", json!({"beta": "0.5", "delta": "0.8"})),
        ("{schedule: {0: 3%, 9: 2%}}", "{schedule: {0: 3%, 9: 1%}}", json!({"from 9": 0.01})),
        ("{survey: [1%, 2%]}", "{survey: [1%, 4%]}", json!({"rate 2": "0.04"})),
        ("{gamma: {mean: 40%, sd: 10%}}", "{gamma: {mean: 40%, sd: 20%}}", json!({"sd": "0.2"})),
        ("{hyperbolic: 0.5, hazard: 30%}", "{hyperbolic: 0.2, hazard: 30%}", json!({"k": "0.2"})),
    ];
    for (before, after, change) in cases {
        let written = welfare(&json!({"model": model(after)}));
        assert!(written["lower"].is_number(), "{after}: {written}");
        assert_eq!(welfare(&json!({"model": model(before), "parameters": {"alice": change}})), written, "{before}");
        assert_ne!(welfare(&json!({"model": model(before)})), written, "{before}");
    }
    let refused = |parameters: serde_json::Value, said: &str| {
        server.post("/api/view", &json!({"model": HOTEL, "parameters": parameters})).refused(422, said);
    };
    refused(json!({"alice": {"mean": "1/2"}}), "has no parameter `mean`");
    refused(json!({"carol": {"discount": "1/2"}}), "there is no principal `carol`");
    refused(json!({"alice": {"discount": 2}}), "`parameters`: ");
    server.post("/api/view", &json!({"model": HOTEL, "parameters": {"alice": 1}})).refused(400, "`parameters`");
}
