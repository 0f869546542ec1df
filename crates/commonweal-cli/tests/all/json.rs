//! The keys and values of `solve --json`, which other programs rely on.

use crate::program::{Folder, paper};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn hotel_with(folder: &Folder, principals: &str) {
    let text = folder.read("hotel.yaml").replace("  alice: 2/3\n  bob: 1/3\n", principals);
    folder.write("other.yaml", text);
}

#[test]
fn the_keys_are_those_of_the_contract_in_its_order() {
    let folder = Folder::with_hotel();
    let ran = folder.run(&["solve", "hotel.yaml", "--json"]).done();
    assert_eq!(ran.stderr, "");
    let solution = ran.json();
    assert_eq!(
        keys(&solution),
        ["format", "engine", "checked", "principals", "start", "horizon", "long_term", "states"]
    );
    assert_eq!(keys(&solution["principals"][0]), ["name", "discount"]);
    assert_eq!(keys(&solution["states"]), ["s0", "s1"]);
    let state = &solution["states"]["s0"];
    let expected =
        ["welfare", "long_term_welfare", "payoffs", "long_term_payoffs", "own_best", "reachable", "met_from"];
    assert_eq!(keys(state), [&expected[..], &["long_term_actions", "memory", "decisions"]].concat());
    assert_eq!(keys(&state["payoffs"]), ["alice", "bob"]);
    for value in [&state["welfare"], &state["long_term_welfare"], &state["payoffs"]["bob"]] {
        assert_eq!(keys(value), ["exact", "lower", "upper", "value"]);
    }
    assert_eq!(keys(&state["decisions"][0]), ["from", "action"]);
}

#[test]
fn timings_are_the_last_keys_of_any_document() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    folder.write("f.cnf", "p cnf 1 1\n1 0\n");
    for args in [
        &["solve", "hotel.yaml"][..],
        &["solve", "hotel.yaml", "--gap", "1e-6"],
        &["positional", "hotel.yaml"],
        &["stationary", "hotel.yaml"],
        &["evaluate", "hotel.yaml", "mix.json"],
        &["evaluate", "hotel.yaml", "mix.json", "--gap", "1e-6"],
        &["simulate", "hotel.yaml", "mix.json"],
        &["sat", "f.cnf"],
    ] {
        let plain = folder.run(&[args, &["--json"]].concat()).done().json();
        let timed = folder.run(&[args, &["--json", "--timings"]].concat()).done().json();
        let expected = [keys(&plain), vec!["timings", "peak_memory_bytes"]].concat();
        assert_eq!(keys(&timed), expected, "{args:?}");
        let timings = &timed["timings"];
        assert_eq!(keys(timings), ["read", "long_term", "unravel", "check", "total"], "{args:?}");
        let seconds = |part: &str| timings[part].as_f64().unwrap();
        assert!(0.0 < seconds("read") && seconds("read") <= seconds("total"), "{timings}");
        let report = folder.run(&[args, &["--timings"]].concat()).done().stdout;
        assert!(report.contains("Time: ") && report.contains("(read "), "{report}");
    }
}

#[test]
fn threads_and_repetition_change_no_byte() {
    let folder = Folder::new();
    for model in ["hotel.yaml", "spaced-10.yaml", "three-sat.yaml"] {
        let model = paper(model);
        let model = model.to_str().unwrap();
        let one = folder.run(&["solve", model, "--json", "--threads", "1"]).done().stdout;
        let two = folder.run(&["solve", model, "--json", "--threads", "2"]).done().stdout;
        assert!(one == two, "{model}");
        assert!(two == folder.run(&["solve", model, "--json"]).done().stdout, "{model}");
    }
}

#[test]
fn merged_principals_are_listed_with_their_members_and_paid_apart() {
    let folder = Folder::with_hotel();
    hotel_with(&folder, "  carol: 1/3\n  alice: 2/3\n  bob: 1/3\n");
    let solution = folder.run(&["solve", "other.yaml", "--json"]).done().json();
    let expected = serde_json::json!([
        {"name": "alice", "discount": "2/3"},
        {"name": "carol+bob", "members": ["carol", "bob"], "discount": "1/3"}
    ]);
    assert_eq!(solution["principals"], expected);
    // With two impatient owners: 1 more year in the old hotel. Δ is −2/3 and 10/3, so D_2 = 2/27 and D_3 = −2/27.
    assert_eq!(solution["horizon"], 3);
    let state = &solution["states"]["s0"];
    assert_eq!(keys(&state["payoffs"]), ["carol", "alice", "bob"]);
    // a³b^ω: alice 259/27, the others 119/27 each.
    assert_eq!(state["payoffs"]["alice"]["exact"], "259/27");
    assert_eq!(state["payoffs"]["bob"]["exact"], "119/27");
    assert_eq!(state["payoffs"]["carol"]["exact"], "119/27");
    assert_eq!(state["welfare"]["exact"], "497/27");
}

#[test]
fn weights_count_in_the_welfare_and_not_in_the_payoffs() {
    let folder = Folder::with_hotel();
    hotel_with(&folder, "  alice: 2/3\n  bob: {discount: 1/3, weight: 2}\n");
    let solution = folder.run(&["solve", "other.yaml", "--json"]).done().json();
    // The same as two bobs.
    let state = &solution["states"]["s0"];
    assert_eq!(state["payoffs"]["bob"]["exact"], "119/27");
    assert_eq!(state["welfare"]["exact"], "497/27");
    let report = folder.run(&["solve", "other.yaml"]).done().stdout;
    assert!(report.contains("weight"), "{report}");
    let explained = folder.run(&["solve", "other.yaml", "--explain"]).done().stdout;
    assert!(explained.contains("and its values V, times the\n   weights:\n"), "{explained}");
}

#[test]
fn the_start_and_the_discounts_can_be_overridden() {
    let folder = Folder::with_hotel();
    let from = folder.run(&["solve", "hotel.yaml", "--json", "--from", "s1"]).done().json();
    assert_eq!(from["start"], "s1");
    assert!(folder.run(&["solve", "hotel.yaml", "--from", "s1"]).done().stdout.contains("from s1: 27\n"));
    let one = folder.run(&["solve", "hotel.yaml", "--json", "--discount", "bob=0.5"]).done().stdout;
    let all = folder.run(&["solve", "hotel.yaml", "--json", "--discounts", "2/3,1/2"]).done().stdout;
    assert_eq!(one, all);
    assert!(one.contains("\"discount\": \"1/2\""));
    // With a discount of 0 only the first step counts.
    let zero = folder.run(&["solve", "hotel.yaml", "--json", "--discount", "bob=0"]).done().json();
    assert_eq!(zero["states"]["s0"]["payoffs"]["bob"]["exact"], "3");
}

#[test]
fn a_limit_gives_bounds_and_exit_code_3() {
    let folder = Folder::with_hotel();
    for limit in [&["--layer-limit", "1"], &["--time-limit", "0"]] {
        let args = [&["solve", "hotel.yaml", "--json"], limit.as_slice()].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.code, 3, "{ran:#?}");
        let solution = ran.json();
        assert_eq!(solution["status"], "stopped");
        let welfare = &solution["states"]["s0"]["welfare"];
        assert!(welfare["exact"].is_null());
        let (lower, upper) = (welfare["lower"].as_f64().unwrap(), welfare["upper"].as_f64().unwrap());
        assert!(lower <= 127.0 / 9.0 && 127.0 / 9.0 <= upper && upper.is_finite(), "{lower} {upper}");
        let args = [&["solve", "hotel.yaml"], limit.as_slice()].concat();
        let report = folder.run(&args);
        assert_eq!(report.code, 3);
        assert!(report.stdout.starts_with("Stopped: "), "{report:#?}");
    }
}

#[test]
fn numbers_past_the_doubles_are_enclosed() {
    let folder = Folder::new();
    let model =
        "principals: {p: 1/2}\nstates:\n  s0: {a: {reward: 1e400, to: s0}}\n  s1: {a: {reward: -1e-400, to: s1}}\n";
    folder.write("huge.yaml", model);
    let text = folder.run(&["solve", "huge.yaml", "--json"]).done().stdout;
    // The bounds overflow: the lower one becomes the largest double, the upper one a number beyond it.
    assert!(text.contains("\"upper\": 1e999"), "{text}");
    assert!(text.contains("\"lower\": 1.7976931348623157e+308"), "{text}");
    assert!(!text.contains("-0.0"), "{text}");
    let report = folder.run(&["solve", "huge.yaml", "--all-states"]).done().stdout;
    assert!(report.contains("2e400") && report.contains("−2e-400"), "{report}");
}
