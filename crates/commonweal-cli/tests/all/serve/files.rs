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
