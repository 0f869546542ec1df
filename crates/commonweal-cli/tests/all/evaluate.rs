//! `evaluate` with the certified engine.

use crate::program::Folder;
use serde_json::Value;

const HOTEL_OPTIMUM: &str = r#"{"format": "commonweal-strategy/1", "decisions": {"s0": [{"from": 0, "action": "a"}, {"from": 2, "action": "b"}]}}"#;
/// The same action for longer than the discounts matter.
const STAY_LONG: &str = r#"{"format": "commonweal-strategy/1", "decisions": {"s0": [{"from": 0, "action": "a"}, {"from": 1000000000, "action": "b"}]}}"#;

fn bounds(value: &Value) -> (f64, f64) {
    assert!(value["exact"].is_null(), "{value}");
    (value["lower"].as_f64().unwrap(), value["upper"].as_f64().unwrap())
}

#[test]
fn a_gap_asks_for_bounds_in_doubles() {
    let folder = Folder::with_hotel();
    folder.write("s.json", HOTEL_OPTIMUM);
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json", "--gap", "1e-9"]).done().json();
    let keys: Vec<&String> = evaluation.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["format", "engine", "scale", "start", "states"]);
    assert_eq!(evaluation["engine"], "certified");
    // From s1, which earns the most: alice 18 and bob 9.
    assert!((evaluation["scale"].as_f64().unwrap() - 27.0).abs() < 1e-6, "{evaluation}");
    let s0 = &evaluation["states"]["s0"];
    for (value, exact) in
        [(&s0["welfare"], 127.0 / 9.0), (&s0["payoffs"]["alice"], 89.0 / 9.0), (&s0["payoffs"]["bob"], 38.0 / 9.0)]
    {
        let (lower, upper) = bounds(value);
        assert!(lower <= exact && exact <= upper && upper - lower <= 27e-9, "{value}");
    }
    let report = folder.run(&["evaluate", "hotel.yaml", "s.json", "--gap", "1e-9"]).done().stdout;
    assert!(
        report.starts_with("Welfare from s0: at least 14.1111111, at most 14.1111112.\nProven in doubles"),
        "{report}"
    );
    assert!(report.contains("\nThe scale, which --gap is relative to: 27\n"), "{report}");
}

#[test]
fn a_mix_is_evaluated_in_doubles_too() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "mix.json", "--json", "--gap", "1e-9"]).done().json();
    let (lower, upper) = bounds(&evaluation["states"]["s0"]["welfare"]);
    assert!(lower <= 41.0 / 3.0 && 41.0 / 3.0 <= upper && upper - lower <= 27e-9);
}

#[test]
fn a_change_too_late_for_fractions_is_evaluated_in_doubles_unless_fractions_are_asked_for() {
    let folder = Folder::with_hotel();
    folder.write("s.json", STAY_LONG);
    let ran = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json"]).done();
    assert!(ran.stderr.contains("step 1,000,000,000") && ran.stderr.contains("in doubles"), "{}", ran.stderr);
    let (lower, upper) = bounds(&ran.json()["states"]["s0"]["welfare"]);
    // 3 per step for ever, up to what comes after a billion steps: 9 + 9/2.
    assert!(lower <= 13.5 && 13.5 <= upper && upper - lower < 1e-7, "{lower} {upper}");
    folder.run(&["evaluate", "hotel.yaml", "s.json", "--exact"]).refused(&[
        "s.json",
        "step 1,000,000,000",
        "leave --exact out",
    ]);
}

#[test]
fn what_solve_finds_in_a_large_model_is_what_evaluate_says() {
    let folder = Folder::new();
    let states = ["--states", "20000", "--discounts", "0.99,0.9,0.5"];
    folder.run(&[&["generate", "band", "--out", "m.umb"], &states[..]].concat()).done();
    let discounts = ["--discounts", "0.99,0.9,0.5", "--json"];
    let solution = folder.run(&[&["solve", "m.umb", "--strategy", "s.json"], &discounts[..]].concat()).done().json();
    let ran = folder.run(&[&["evaluate", "m.umb", "s.json", "--gap", "1e-10"], &discounts[..]].concat()).done();
    assert_eq!(ran.stderr, "");
    let evaluation = ran.json();
    assert_eq!((&solution["engine"], &evaluation["engine"]), (&"certified".into(), &"certified".into()));
    let picked = folder.run(&[&["evaluate", "m.umb", "s.json"], &discounts[..]].concat()).done();
    assert_eq!(picked.json()["engine"], "certified");
    assert!(picked.stderr.contains("20,000 states are many"), "{}", picked.stderr);
    let scale = evaluation["scale"].as_f64().unwrap();
    for name in ["p0", "p1", "p2"] {
        let (solved, evaluated) =
            (bounds(&solution["states"]["0"]["payoffs"][name]), bounds(&evaluation["states"]["0"]["payoffs"][name]));
        assert!(solved.0 <= evaluated.1 && evaluated.0 <= solved.1, "{name}: {solved:?} and {evaluated:?} are apart");
        assert!(evaluated.1 - evaluated.0 <= 1e-10 * scale, "{name}: {evaluated:?}");
    }
}

#[test]
fn an_evaluation_in_doubles_that_is_stopped_gives_the_bounds_of_any_strategy() {
    let folder = Folder::with_hotel();
    folder.write("s.json", HOTEL_OPTIMUM);
    let args = ["evaluate", "hotel.yaml", "s.json", "--gap", "1e-9", "--time-limit", "0"];
    let ran = folder.run(&[&args[..], &["--json"]].concat());
    assert_eq!(ran.code, 3);
    let evaluation = ran.json();
    assert_eq!(evaluation["status"], "stopped");
    let (lower, upper) = bounds(&evaluation["states"]["s0"]["payoffs"]["alice"]);
    // Between −1 and 6 for ever.
    assert!(lower <= 9.0 && upper >= 11.0 && lower > -3.001 && upper < 18.001, "{lower} {upper}");
    assert!(
        folder
            .run(&args)
            .stdout
            .starts_with("Stopped: the time limit was reached. These bounds hold for any strategy.\n")
    );
}
