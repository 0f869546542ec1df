//! `generate`: families of models, and errors for faulty sizes.

use crate::program::{Folder, paper};
use serde_json::json;

#[test]
fn discounts_close_to_a_billionth_are_solved() {
    let folder = Folder::new();
    folder.run(&["generate", "spaced", "1000000000", "--out", "x.yaml"]).done();
    let report = folder.run(&["solve", "x.yaml"]).done().stdout;
    assert!(
        report.contains("\n  S1             1  move before step 44,219,120,417,242,163,736, then stay\n"),
        "{report}"
    );
    let solution = folder.run(&["solve", "x.yaml", "--json", "--quiet"]).done().json();
    // Past 2^53 − 1 a step is a string of digits.
    assert_eq!(solution["horizon"], "44219120417242163736");
    assert_eq!(solution["states"]["P0"]["memory"], "44219120417242163736");
    // A run that starts in S1 leaves it at once and never comes back.
    let s1 = &solution["states"]["S1"];
    assert_eq!(s1["memory"], 1);
    let decisions = json!([{"from": 0, "action": "move"}, {"from": "44219120417242163736", "action": "stay"}]);
    assert_eq!(s1["decisions"], decisions);
}

/// A plan with 256 changes in one state is read on a screen, and in the JSON as a whole; without time for it there are bounds.
#[test]
fn a_plan_that_changes_exponentially_often_does_not_flood_the_screen() {
    let folder = Folder::new();
    folder.run(&["generate", "parametric", "8", "--out", "x.yaml"]).done();
    let report = folder.run(&["solve", "x.yaml"]).done().stdout;
    assert!(report.contains("… 248\n                    more changes …"), "{report}");
    assert!(report.lines().count() < 80, "{report}");
    let solution = folder.run(&["solve", "x.yaml", "--json", "--quiet"]).done().json();
    assert_eq!(solution["states"]["u8"]["decisions"].as_array().unwrap().len(), 257);
    // Neither the format nor the length of the numbers changes the model.
    folder.run(&["convert", "x.yaml", "y.json"]).done();
    let converted = folder.run(&["solve", "y.json", "--json", "--quiet"]).done().json();
    assert_eq!(converted["states"], solution["states"]);
    folder.run(&["generate", "parametric", "60", "--out", "long.yaml"]).done();
    let stopped = folder.run(&["solve", "long.yaml", "--json", "--quiet", "--layer-limit", "1000"]);
    assert_eq!(stopped.code, 3, "{stopped:#?}");
    let stopped = stopped.json();
    let bound = |key: &str| stopped["states"]["wait"]["welfare"][key].as_f64().unwrap();
    assert!(stopped["status"] == "stopped" && bound("lower") < bound("upper"), "{stopped}");
}

#[test]
fn n_may_be_written_in_any_way_that_is_a_whole_number() {
    let folder = Folder::new();
    let digits = folder.run(&["generate", "spaced", "1000000000"]).done().stdout;
    for same in ["1e9", "1000000000.0", "2e9/2", "1_000_000_000"] {
        let ran = folder.run(&["generate", "spaced", same]);
        if same.contains('_') {
            ran.refused(&["<N>", "not a number"])
        } else {
            assert_eq!(ran.done().stdout, digits, "{same}")
        }
    }
    assert!(digits.contains("p0: 1000000000/1999999999\n"), "{digits}");
}

#[test]
fn the_papers_model_is_the_one_of_its_family() {
    let folder = Folder::new();
    folder.run(&["generate", "spaced", "10", "--out", "ten.json"]).done();
    let solve = |model: &str| folder.run(&["solve", model, "--json", "--all-states", "--quiet"]).done().json();
    let (ours, printed) = (solve("ten.json"), solve(paper("spaced-10.yaml").to_str().unwrap()));
    assert_eq!(ours["horizon"], printed["horizon"]);
    assert_eq!(ours["horizon"], 761);
    let welfare =
        |solution: &serde_json::Value| solution["states"][solution["start"].as_str().unwrap()]["welfare"].clone();
    assert_eq!(welfare(&ours), welfare(&printed));
}

#[test]
fn a_random_model_is_its_seeds_and_of_the_shape_asked_for() {
    let folder = Folder::new();
    let base = ["generate", "random", "--states", "4", "--discounts", "9/10,1/3,0"];
    let more = ["--actions", "3", "--successors", "2", "--max-denominator", "7", "--max-reward", "5"];
    let generate = |extra: &[&str]| folder.run(&[&base[..], &more[..], extra].concat()).done().stdout;
    assert_eq!(generate(&[]), generate(&["--seed", "1"]));
    assert_ne!(generate(&[]), generate(&["--seed", "2"]));
    assert_eq!(generate(&["--out", "model.json"]), "");
    let model: serde_json::Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let states = model["states"].as_object().unwrap();
    assert_eq!(states.len(), 4);
    assert_eq!(model["principals"].as_object().unwrap().len(), 3);
    for choice in states.values().flat_map(|state| state.as_object().unwrap().values()) {
        assert_eq!(choice["to"].as_object().unwrap().len(), 2, "{choice}");
    }
    assert!(states.values().all(|state| state.as_object().unwrap().len() == 3));
    folder.run(&["solve", "model.json"]).done();
    // The same model as YAML.
    folder.write("model.yaml", generate(&[]));
    let solve = |name: &str| folder.run(&["solve", name, "--json"]).done().stdout;
    assert_eq!(solve("model.yaml"), solve("model.json"));
    // Fewer states than the usual number of successors.
    let few = folder.run(&["generate", "random", "--states", "1", "--discounts", "1/2"]).done().stdout;
    assert!(few.contains("to: s0"), "{few}");
}

#[test]
fn faulty_families_are_refused_before_they_take_memory() {
    let folder = Folder::new();
    let spaced: &[(&[&str], &[&str])] = &[
        (&["1"], &["<N>", "at least 2"]),
        (&["0"], &["at least 2"]),
        (&["-5"], &["at least 2"]),
        (&["2.5"], &["whole number"]),
        (&["many"], &["`many` is not a number"]),
        (&["1e99999999"], &["digits"]),
        (&["1e9999"], &["9999 digits"]),
        (&["10", "--out", "x.xml"], &["x.xml", ".yaml, .yml, .json, .drn, .drn.gz or .umb"]),
        (&["10", "--out", "no/such/x.yaml"], &["cannot write", "no folder"]),
        (&[], &["N"]),
    ];
    for (args, words) in spaced {
        folder.run(&[&["generate", "spaced"], *args].concat()).refused(words);
    }
    for (n, words) in [("0", "1..=300"), ("-1", "-1"), ("301", "1..=300"), ("1.5", "1.5")] {
        folder.run(&["generate", "parametric", n]).refused(&["<N>", words]);
    }
    let random: &[(&[&str], &[&str])] = &[
        (&["--states", "0", "--discounts", "1/2"], &["--states", "0"]),
        (&["--states", "-1", "--discounts", "1/2"], &["-1"]),
        (&["--states", "5"], &["--discounts"]),
        (&["--discounts", "1/2"], &["--states"]),
        (&["--states", "5", "--discounts", "1/2,1"], &["--discounts", "`p1`", "[0, 1)"]),
        (&["--states", "5", "--discounts", "1/2,"], &["--discounts", "not a number"]),
        (&["--states", "5", "--discounts", "-1/2"], &["--discounts", "`p0`"]),
        (&["--states", "5", "--discounts", "1/2", "--actions", "0"], &["--actions"]),
        (&["--states", "5", "--discounts", "1/2", "--successors", "0"], &["--successors"]),
        (&["--states", "5", "--discounts", "1/2", "--successors", "6"], &["--successors", "at least 6 states"]),
        (&["--states", "5", "--discounts", "1/2", "--max-denominator", "4"], &["--max-denominator", "at least 5"]),
        (&["--states", "5", "--discounts", "1/2", "--max-reward", "18446744073709551615"], &["--max-reward"]),
        (&["--states", "18446744073709551615", "--discounts", "1/2"], &["at most 20000000"]),
        (&["--states", "1000000", "--actions", "1000000000000", "--discounts", "1/2"], &["at most 20000000"]),
        (
            &[
                "--states",
                "100000000",
                "--successors",
                "100000000",
                "--discounts",
                "1/2",
                "--max-denominator",
                "100000000",
            ],
            &["at most"],
        ),
        (&["--states", "5", "--discounts", "1/2", "--seed", "-1"], &["-1"]),
        (&["--states", "5", "--discounts", "1/2", "--out", "x"], &[".yaml, .yml, .json, .drn, .drn.gz or .umb"]),
    ];
    for (args, words) in random {
        folder.run(&[&["generate", "random"], *args].concat()).refused(words);
    }
    folder.run(&["generate", "rnadom"]).refused(&["rnadom", "random"]);
    assert!(folder.files().is_empty());
}

#[test]
fn no_family_says_anything_when_it_is_asked_to_be_quiet() {
    let folder = Folder::new();
    for family in [
        &["spaced", "10"][..],
        &["parametric", "3"],
        &["random", "--states", "3", "--discounts", "1/2"],
        &["uniform", "--states", "3", "--discounts", "1/2"],
    ] {
        let loud = folder.run(&[&["generate"], family, &["--out", "x.drn"]].concat()).done();
        assert!(loud.stderr.starts_with("note: "), "{loud:?}");
        assert_eq!(folder.run(&[&["generate"], family, &["--out", "x.drn", "--quiet"]].concat()).done().stderr, "");
    }
}
