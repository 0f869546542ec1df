//! `evaluate`, `simulate`, `check`, `convert` and `reproduce`, and their use together.

use crate::program::{Folder, paper};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

#[test]
fn the_strategy_that_solve_writes_earns_what_solve_says() {
    let folder = Folder::new();
    for name in ["hotel", "example-2", "example-3", "example-4", "spaced-10", "three-sat"] {
        let model = paper(&format!("{name}.yaml"));
        let model = model.to_str().unwrap();
        let solution = folder.run(&["solve", model, "--json", "--strategy", "s.json"]).done().json();
        let evaluation = folder.run(&["evaluate", model, "s.json", "--json"]).done().json();
        assert_eq!(evaluation["format"], "commonweal-evaluation/1");
        assert_eq!(evaluation["start"], solution["start"]);
        for (state, solved) in solution["states"].as_object().unwrap() {
            let evaluated = &evaluation["states"][state];
            assert_eq!(evaluated["welfare"], solved["welfare"], "{name} {state}");
            assert_eq!(evaluated["payoffs"], solved["payoffs"], "{name} {state}");
        }
    }
}

#[test]
fn a_mixed_strategy_is_evaluated_exactly() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "mix.json", "--json"]).done().json();
    assert_eq!(evaluation["states"]["s0"]["welfare"]["exact"], "41/3");
    let report = folder.run(&["evaluate", "hotel.yaml", "mix.json"]).done().stdout;
    assert!(report.starts_with("Welfare from s0: 41/3 ≈ 13.666667\n"), "{report}");
}

#[test]
fn an_evaluation_that_is_stopped_gives_the_bounds_of_any_strategy() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let ran = folder.run(&["evaluate", "hotel.yaml", "mix.json", "--json", "--time-limit", "0"]);
    assert_eq!(ran.code, 3);
    let evaluation = ran.json();
    assert_eq!(evaluation["status"], "stopped");
    // Between −1 and 6 for ever.
    let alice = &evaluation["states"]["s0"]["payoffs"]["alice"];
    assert_eq!((&alice["lower"], &alice["upper"]), (&(-3.0).into(), &18.0.into()));
    let report = folder.run(&["evaluate", "hotel.yaml", "mix.json", "--time-limit", "0"]);
    assert_eq!(report.code, 3);
    assert!(report.stdout.starts_with("Stopped: the time limit was reached."), "{report:#?}");
}

#[test]
fn a_simulation_is_seeded_and_its_intervals_hold_the_exact_payoffs() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let simulate = |more: &[&str]| {
        let args = [&["simulate", "hotel.yaml", "mix.json", "--json", "--runs", "3000"], more].concat();
        folder.run(&args).done()
    };
    let one = simulate(&["--confidence", "0.9999", "--threads", "1"]);
    let two = simulate(&["--confidence", "0.9999", "--threads", "2"]);
    assert_eq!(one.stdout, two.stdout);
    assert_ne!(one.stdout, simulate(&["--seed", "2"]).stdout);
    let simulation = one.json();
    let keys: Vec<&String> = simulation.as_object().unwrap().keys().collect();
    let expected = ["format", "start", "runs", "seed", "confidence", "steps", "welfare", "payoffs", "truncation"];
    assert_eq!(keys, expected);
    assert_eq!(simulation["format"], "commonweal-simulation/1");
    assert_eq!(simulation["welfare"]["exact"], "41/3");
    for (estimate, exact) in [
        (&simulation["welfare"], 41.0 / 3.0),
        (&simulation["payoffs"]["alice"], 10.0),
        (&simulation["payoffs"]["bob"], 11.0 / 3.0),
    ] {
        let (lower, upper) = (estimate["lower"].as_f64().unwrap(), estimate["upper"].as_f64().unwrap());
        assert!(lower < exact && exact < upper && upper - lower < 0.5, "{estimate}");
    }
    let report = folder.run(&["simulate", "hotel.yaml", "mix.json"]).done();
    assert_eq!(report.stderr, "", "no progress but to a terminal");
    assert!(report.stdout.contains("10,000 runs from s0, seed 1"), "{report:#?}");
}

#[test]
fn a_simulation_that_is_stopped_gives_what_it_has_and_exit_code_3() {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let long = ["simulate", "hotel.yaml", "mix.json", "--runs", "1000000000000", "--time-limit", "0.3"];
    let ran = folder.run(&[&long[..], &["--json"]].concat());
    assert_eq!(ran.code, 3);
    let simulation = ran.json();
    assert_eq!(simulation["status"], "stopped");
    let runs = simulation["runs"].as_u64().unwrap();
    assert!(runs < 1_000_000_000_000, "{runs}");
    let none = folder.run(&["simulate", "hotel.yaml", "mix.json", "--time-limit", "0"]);
    assert_eq!(none.code, 3);
    assert!(none.stdout.starts_with("Stopped: "), "{none:#?}");
}

#[test]
fn a_model_survives_conversion_to_json_and_back() {
    let folder = Folder::new();
    for name in ["hotel", "example-2-with-1.04", "spaced-10", "three-sat"] {
        let model = paper(&format!("{name}.yaml"));
        let model = model.to_str().unwrap();
        folder.run(&["convert", model, "first.yaml"]).done();
        assert_eq!(folder.run(&["convert", "first.yaml", "model.json"]).done().stdout, "");
        serde_json::from_str::<serde_json::Value>(&folder.read("model.json")).expect("JSON");
        folder.run(&["convert", "model.json", "second.yaml"]).done();
        assert_eq!(folder.read("first.yaml"), folder.read("second.yaml"), "{name}");
        let printed = folder.run(&["convert", "model.json", "-"]).done().stdout;
        assert_eq!(printed, folder.read("first.yaml"), "{name}");
        let before = folder.run(&["solve", model, "--json"]).done().stdout;
        assert_eq!(folder.run(&["solve", "model.json", "--json"]).done().stdout, before, "{name}");
    }
}

#[test]
fn the_paper_is_reproduced_but_for_its_misprints() {
    let folder = Folder::new();
    let report = folder.run(&["reproduce", "examples"]).done().stdout;
    let last = report.lines().last().unwrap();
    assert!(last.contains(" claims of the paper: ") && last.ends_with("misprints"), "{last}");
    let json = folder.run(&["reproduce", "--json"]).done().json();
    assert_eq!(json["format"], "commonweal-reproduction/1");
    assert_eq!(json["differ"], 0);
    let claims = json["examples"].as_array().unwrap().iter().flat_map(|example| example["claims"].as_array().unwrap());
    // Exact figures that were computed with other software.
    for (id, exact, verdict) in [
        ("hotel/mix", "729/55", "misprint"),
        ("1/welfare", "127/9", "misprint"),
        ("2/welfare", "155896/6601", "agrees"),
        ("2-drawn/welfare", "132600/6601", "misprint"),
        ("3/welfare", "24125173/22500", "misprint"),
        ("4/gain", "936559/200000", "misprint"),
        ("4/welfare", "1247718809/10200000", "agrees"),
        ("4/kappa", "horizon 1, memory 1", "misprint"),
        ("spacing/kappa-10", "horizon 761", "misprint"),
        ("spacing/kappa-100", "horizon 120324", "agrees"),
        ("spacing/kappa-1000", "horizon 16595388", "misprint"),
        ("sat/short-bot", "113/43125", "agrees"),
        ("sat/long-top", "13049/2156250", "agrees"),
    ] {
        let claim = claims.clone().find(|claim| claim["id"] == id).unwrap_or_else(|| panic!("no claim {id}"));
        assert_eq!((&claim["exact"], &claim["verdict"]), (&exact.into(), &verdict.into()), "{id}");
    }
}

#[test]
fn a_certificate_is_checked_from_a_file_or_from_standard_input() {
    let folder = Folder::new();
    let hotel = paper("hotel.yaml");
    let hotel = hotel.to_str().expect("UTF-8");
    folder.run(&["solve", hotel, "--certificate", "hotel.cert"]).done();
    // Standard output has the verdict alone; standard error says what it proves.
    let says = |arguments: &[&str], figures: &str| {
        let checked = folder.run(&[&["check", hotel], arguments].concat()).done();
        assert_eq!(checked.stdout, "accepted\n");
        assert!(checked.stderr.ends_with(figures), "{arguments:?}: {}", checked.stderr);
    };
    says(&["hotel.cert"], "\nWelfare of alice and bob from s0: 127/9 ≈ 14.111111\n");
    says(&["hotel.cert", "--from", "s1"], "\nWelfare of alice and bob from s1: 27\n");
    assert_eq!(folder.run(&["check", hotel, "hotel.cert", "--quiet"]).done().stderr, "");
    // Who does not count is not named.
    folder.run(&["solve", hotel, "--certificate", "bob.cert", "--weight", "alice=0"]).done();
    says(&["bob.cert", "--weight", "alice=0"], "\nWelfare of bob from s0: 9/2 = 4.5\n");
    // Bounds: those that the certificate states.
    folder.run(&["solve", hotel, "--gap", "1e-6", "--certificate", "bounds.cert"]).done();
    let bounds = "at least 14.1111111 with this strategy; no strategy earns more than 14.1111112.\n";
    says(&["bounds.cert"], &format!("\nWelfare of alice and bob from s0: {bounds}"));
    let check = |certificate: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
        let mut child = program.args(["check", hotel, "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = child.as_mut().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(certificate.as_bytes()).expect("the program reads");
        let mut said = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
        (child.wait().expect("it ends").code(), said)
    };
    let certificate = folder.read("hotel.cert");
    assert_eq!(check(&certificate), (Some(0), "accepted\n".to_owned()));
    let (code, said) = check(&certificate.replace("exact 127/9", "exact 128/9"));
    assert!(code == Some(1) && said.starts_with("refused: welfare, state 0: "), "{said}");
    folder.run(&["check", "-", "-"]).refused(&["cannot both be standard input"]);
    folder.write("empty.cert", "");
    folder.run(&["check", hotel, "empty.cert"]).refused(&["empty.cert: the file is empty", "help: "]);
}

/// A carriage return ends a line in YAML: `c` is an action, not part of the comment.
#[test]
fn a_certificate_is_for_the_model_that_was_solved_wherever_a_line_ends() {
    let folder = Folder::with_hotel();
    let hotel = folder.read("hotel.yaml");
    let hidden = hotel.replacen("    b: {", "    # a note\r    c: {reward: 100, to: s0}\n    b: {", 1);
    assert_ne!(hidden, hotel);
    folder.write("hidden.yaml", hidden);
    folder.run(&["solve", "hotel.yaml", "--certificate", "hotel.cert"]).done();
    let solved = folder.run(&["solve", "hidden.yaml", "--json", "--certificate", "hidden.cert"]).done();
    assert_eq!(solved.json()["states"]["s0"]["welfare"]["exact"], "450");
    folder.run(&["convert", "hidden.yaml", "hidden.canonical"]).done();
    // The command, and the separate checker on the file itself and on its canonical form.
    let command = |certificate: &str| folder.run(&["check", "hidden.yaml", certificate]).code;
    assert_eq!((command("hotel.cert"), command("hidden.cert")), (1, 0));
    let check = |model: &str, certificate: &str| {
        let (model, certificate) = (folder.read(model), folder.read(certificate));
        commonweal_check::check(model.as_bytes(), certificate.as_bytes(), commonweal_check::WORK)
            .map(|verdict| verdict.to_string())
    };
    for certificate in ["hotel.cert", "hidden.cert"] {
        let error = check("hidden.yaml", certificate).expect_err("two readings").to_string();
        assert!(error.contains("a carriage return without a line feed"), "{error}");
        assert!(error.contains("commonweal convert MODEL model.canonical"), "{error}");
    }
    let refused = check("hidden.canonical", "hotel.cert").expect("a verdict");
    assert!(refused.starts_with("refused: model: the certificate is for another one"), "{refused}");
    assert_eq!(check("hidden.canonical", "hidden.cert").as_deref(), Ok("accepted"));
}

/// The forms that `convert` writes for checkers are checked as they are; they have no names, so none are told.
#[test]
fn a_certificate_is_checked_against_the_form_that_was_converted() {
    let folder = Folder::new();
    let hotel = paper("hotel.yaml");
    let hotel = hotel.to_str().expect("UTF-8");
    for form in ["hotel.canonical", "hotel.principals"] {
        folder.run(&["convert", hotel, form]).done();
    }
    folder.run(&["solve", hotel, "--certificate", "hotel.cert"]).done();
    folder.run(&["fair", hotel, "--rule", "max-min", "--certificate", "fair.cert"]).done();
    for (form, certificate) in [("hotel.canonical", "hotel.cert"), ("hotel.principals", "fair.cert")] {
        let checked = folder.run(&["check", form, certificate]).done();
        assert_eq!(checked.stdout, "accepted\n");
        assert!(!checked.stderr.contains("from"), "{}", checked.stderr);
        folder.run(&["check", form, certificate, "--discount", "bob=1/2"]).refused(&[form, "commonweal convert"]);
    }
    folder.run(&["check", "hotel.canonical", "fair.cert"]).refused(&["model.principals"]);
    folder.run(&["check", "hotel.principals", "hotel.cert"]).refused(&["model.canonical"]);
    folder.run(&["check", "none.canonical", "hotel.cert"]).refused(&["cannot read none.canonical"]);
    folder.write("other.canonical", folder.read("hotel.canonical").replace("6 6", "6 7"));
    let other = folder.run(&["check", "other.canonical", "hotel.cert"]);
    assert!(other.code == 1 && other.stdout.contains("for another one"), "{} {}", other.code, other.stdout);
}

#[test]
fn a_verdict_is_told_in_json_and_a_check_that_is_stopped_has_none() {
    let folder = Folder::with_hotel();
    folder.run(&["solve", "hotel.yaml", "--certificate", "hotel.cert"]).done();
    let check = ["check", "hotel.yaml", "hotel.cert", "--json"];
    let json = folder.run(&[&check[..], &["--timings"]].concat()).done().json();
    assert_eq!((&json["format"], &json["verdict"]), (&"commonweal-check/1".into(), &"accepted".into()));
    assert!(json["timings"]["check"].as_f64().unwrap() > 0.0, "{json}");
    assert_eq!((&json["start"], &json["welfare"]["exact"]), (&"s0".into(), &"127/9".into()));
    let refused = folder.run(&[&check[..], &["--discount", "bob=1/2"]].concat());
    assert_eq!((refused.code, &refused.json()["verdict"]), (1, &"refused".into()));
    // Seconds of arithmetic on long floats.
    folder.run(&["generate", "spaced", "1000", "--out", "close.yaml"]).done();
    folder.run(&["solve", "close.yaml", "--certificate", "close.cert"]).done();
    folder.write("long.cert", folder.read("close.cert").replace("precision 256", "precision 65536"));
    let ran = folder.run(&["check", "close.yaml", "long.cert", "--time-limit", "0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "stopped: the time limit was reached\n"), "{ran:?}");
}
