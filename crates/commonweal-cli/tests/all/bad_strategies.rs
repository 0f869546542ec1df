//! Strategy files that are not strategies for the model.

use crate::program::Folder;

#[test]
fn a_faulty_strategy_is_refused_with_its_place() {
    let folder = Folder::with_hotel();
    let format = r#""format": "commonweal-strategy/1""#;
    let cases = [
        (r#"{FORMAT, "decisions": {"s2": "a"}}"#, "no state `s2`"),
        (r#"{FORMAT, "decisions": {"s0": "c"}}"#, "c"),
        (r#"{FORMAT, "decisions": {"s0": [{"from": 1, "action": "a"}]}}"#, "0"),
        (r#"{FORMAT, "decisions": {"s0": [{"from": 0, "action": "a"}, {"from": 0, "action": "b"}]}}"#, ""),
        (r#"{FORMAT, "decisions": {"s0": [{"from": 0.5, "action": "a"}]}}"#, "not a step"),
        (r#"{FORMAT, "decisions": {"s0": []}}"#, ""),
        (r#"{FORMAT, "decisions": {"s1": "b"}}"#, "s0"),
        (r#"{FORMAT, "mix": {"s0": {"a": "1/2", "b": "1/3"}}}"#, "5/6"),
        (r#"{FORMAT, "mix": {"s0": {"a": "3/2", "b": "-1/2"}}}"#, "negative"),
        (r#"{FORMAT, "mix": {"s0": {"x": 1}}}"#, "x"),
        (r#"{FORMAT}"#, "neither"),
        (r#"{FORMAT, "mix": {}, "decisions": {}}"#, "both"),
        (r#"{"decisions": {"s0": "a"}}"#, "no `format`"),
        (r#"{"format": "commonweal-strategy/2", "decisions": {"s0": "a"}}"#, "commonweal-strategy/2"),
        (r#"{"format": "commonweal-solution/1"}"#, "this is a solution, not a strategy"),
        (r#"[1, 2]"#, "map"),
        (r#"{"format": "#, ""),
    ];
    for (text, words) in cases {
        folder.write("bad.json", text.replace("FORMAT", format));
        for command in ["evaluate", "simulate"] {
            folder.run(&[command, "hotel.yaml", "bad.json"]).refused(&["error: bad.json:1:", "\n1 | ", "^", words]);
        }
    }
}

#[test]
fn a_solution_or_a_model_is_not_a_strategy() {
    let folder = Folder::with_hotel();
    let solution = folder.run(&["solve", "hotel.yaml", "--json"]).done().stdout;
    folder.write("solution.json", solution);
    folder.run(&["evaluate", "hotel.yaml", "solution.json"]).refused(&["solution.json:2:", "a solution", "--strategy"]);
    folder.run(&["evaluate", "hotel.yaml", "hotel.yaml"]).refused(&["hotel.yaml:", "no key"]);
    folder.write("empty.json", "");
    folder.run(&["evaluate", "hotel.yaml", "empty.json"]).refused(&["empty.json:1:1", "help: a strategy is"]);
    folder.run(&["evaluate", "hotel.yaml", "."]).refused(&["folder"]);
}

#[test]
fn a_strategy_that_changes_too_late_for_fractions_is_sent_to_doubles_and_to_the_simulation() {
    let folder = Folder::with_hotel();
    let late = r#"{"format": "commonweal-strategy/1",
        "decisions": {"s0": [{"from": 0, "action": "a"}, {"from": "99999999999999999999", "action": "b"}]}}"#;
    folder.write("late.json", late);
    let exact = folder.run(&["evaluate", "hotel.yaml", "late.json", "--exact"]);
    exact.refused(&["99,999,999,999,999,999,999", "leave --exact out"]);
    let holds = |welfare: &serde_json::Value| {
        assert!(welfare["lower"].as_f64().unwrap() <= 13.5 && welfare["upper"].as_f64().unwrap() >= 13.5);
        assert!(welfare["exact"].is_null());
    };
    holds(&folder.run(&["evaluate", "hotel.yaml", "late.json", "--json"]).done().json()["states"]["s0"]["welfare"]);
    holds(&folder.run(&["simulate", "hotel.yaml", "late.json", "--json"]).done().json()["welfare"]);
}
