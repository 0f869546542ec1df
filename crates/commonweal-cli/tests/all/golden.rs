//! The paper's models with their answers: `NAME.yaml` beside `NAME.expected.json`, the document of
//! `solve --json --all-states`. `UPDATE_EXPECT=1` rewrites the answers, but not the figures at the end of this file.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/paper")
}

fn models() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the paper's models");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    models.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    models.sort();
    models
}

fn solve(model: &Path) -> String {
    let solve = Command::new(env!("CARGO_BIN_EXE_commonweal"))
        .args(["solve", "--json", "--all-states", "--quiet"])
        .arg(model)
        .output()
        .expect("the program runs");
    assert!(solve.status.success(), "{}: {}", model.display(), String::from_utf8_lossy(&solve.stderr));
    String::from_utf8(solve.stdout).expect("UTF-8")
}

#[test]
fn every_model_of_the_paper_has_its_expected_answer() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let models = models();
    assert!(models.len() >= 7, "the paper's models are there");
    for model in models {
        let path = model.with_extension("expected.json");
        let found = solve(&model);
        if update {
            std::fs::write(&path, &found).expect("the answer can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{} differs from {}; if the new answer is right, run the test with UPDATE_EXPECT=1",
            model.display(),
            path.display()
        );
    }
}

/// Figures that were computed by hand or with other software; no update changes them.
#[test]
fn the_answers_are_those_that_others_found() {
    // Model, welfare from the start, horizon, memory from the start.
    let known = [
        ("hotel", "127/9", 2, 2),
        ("example-2", "132600/6601", 2, 0),
        ("example-2-with-1.04", "155896/6601", 1, 0),
        ("example-3", "24125173/22500", 1, 0),
        ("example-4", "1247718809/10200000", 1, 1),
        ("three-sat", "271/62500", 3, 3),
    ];
    for (name, welfare, horizon, memory) in known {
        let answer = read(name);
        let state = &answer["states"][answer["start"].as_str().expect("a start")];
        assert_eq!(state["welfare"]["exact"], welfare, "{name}");
        assert_eq!(answer["horizon"], horizon, "{name}");
        assert_eq!(state["memory"], memory, "{name}");
    }
    let spaced = read("spaced-10");
    assert_eq!(spaced["horizon"], 761);
    assert_eq!(spaced["states"]["P0"]["memory"], 761);
    let decisions = &spaced["states"]["S1"]["decisions"];
    assert_eq!(decisions[0]["action"], "move");
    assert_eq!((&decisions[1]["from"], &decisions[1]["action"]), (&761.into(), &"stay".into()));
    // Leaving S1 at once is worth 2 and 4 + 2/n.
    assert_eq!(spaced["states"]["S1"]["welfare"]["exact"], "31/5");
}

#[test]
fn the_hotel_answers_in_full() {
    let hotel = read("hotel");
    let expected = serde_json::json!({
        "format": "commonweal-solution/1",
        "engine": "exact",
        "checked": true,
        "principals": [{"name": "alice", "discount": "2/3"}, {"name": "bob", "discount": "1/3"}],
        "start": "s0",
        "horizon": 2,
        "long_term": "proven",
        "states": {
            "s0": {
                "welfare": {"exact": "127/9", "lower": 14.11111111111111, "upper": 14.111111111111112, "value": 14.11111111111111},
                "long_term_welfare": {"exact": "13", "lower": 13.0, "upper": 13.0, "value": 13.0},
                "payoffs": {
                    "alice": {"exact": "89/9", "lower": 9.888888888888888, "upper": 9.88888888888889, "value": 9.88888888888889},
                    "bob": {"exact": "38/9", "lower": 4.222222222222221, "upper": 4.222222222222222, "value": 4.222222222222222}
                },
                "long_term_payoffs": {
                    "alice": {"exact": "11", "lower": 11.0, "upper": 11.0, "value": 11.0},
                    "bob": {"exact": "2", "lower": 2.0, "upper": 2.0, "value": 2.0}
                },
                "own_best": {
                    "alice": {"exact": "11", "lower": 11.0, "upper": 11.0, "value": 11.0},
                    "bob": {"exact": "9/2", "lower": 4.5, "upper": 4.5, "value": 4.5}
                },
                "reachable": true,
                "met_from": 0,
                "long_term_actions": ["b"],
                "memory": 2,
                "decisions": [{"from": 0, "action": "a"}, {"from": 2, "action": "b"}]
            },
            "s1": {
                "welfare": {"exact": "27", "lower": 27.0, "upper": 27.0, "value": 27.0},
                "long_term_welfare": {"exact": "27", "lower": 27.0, "upper": 27.0, "value": 27.0},
                "payoffs": {
                    "alice": {"exact": "18", "lower": 18.0, "upper": 18.0, "value": 18.0},
                    "bob": {"exact": "9", "lower": 9.0, "upper": 9.0, "value": 9.0}
                },
                "reachable": true,
                "met_from": 3,
                "long_term_actions": ["b"],
                "memory": 0,
                "decisions": [{"from": 0, "action": "b"}]
            }
        }
    });
    assert_eq!(hotel, expected);
}

fn read(name: &str) -> serde_json::Value {
    serde_json::from_str(&solve(&folder().join(format!("{name}.yaml")))).expect("JSON")
}
