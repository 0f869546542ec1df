//! `positional`, `stationary`, `sat`, `generate sat|reachability` and `solve --compare` on the command line.

use crate::program::Folder;

#[test]
fn the_best_positional_strategy_of_the_hotel_is_found_with_its_exact_worth() {
    let folder = Folder::with_hotel();
    let search = folder.run(&["positional", "hotel.yaml", "--json", "--strategy", "s.json"]).done().json();
    assert_eq!(search["format"], "commonweal-search/1");
    assert_eq!((&search["start"], &search["status"]), (&"s0".into(), &"optimal".into()));
    assert_eq!(search["exact"], "27/2");
    assert_eq!((&search["lower"], &search["upper"]), (&13.5.into(), &13.5.into()));
    assert!(search["nodes"].is_u64());
    assert_eq!(search["strategy"]["decisions"]["s0"][0]["action"], "a");
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json"]).done().json();
    assert_eq!(evaluation["states"]["s0"]["welfare"]["exact"], "27/2");
    let report = folder.run(&["positional", "hotel.yaml"]).done().stdout;
    assert!(report.starts_with("Best positional welfare from s0: 27/2 = 13.5\n"), "{report}");
}

#[test]
fn the_best_mix_of_the_hotel_is_found_between_bounds() {
    let folder = Folder::with_hotel();
    let search = folder.run(&["stationary", "hotel.yaml", "--json", "--strategy", "mix.json"]).done().json();
    assert_eq!(search["status"], "within gap");
    let (lower, upper) = (search["lower"].as_f64().unwrap(), search["upper"].as_f64().unwrap());
    // 20 − 2√10 = 13.67544467966324…
    assert!(13.675443 < lower && lower <= 13.67544467966325 && 13.675444679663 < upper && upper < 13.675446);
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "mix.json", "--json"]).done().json();
    assert_eq!(evaluation["states"]["s0"]["welfare"]["exact"], search["exact"]);
}

#[test]
fn a_threshold_is_answered_by_the_exit_code() {
    let folder = Folder::with_hotel();
    let ask = |class: &str, more: &[&str]| {
        let ran = folder.run(&[&[class, "hotel.yaml", "--json", "--threshold"], more].concat());
        (ran.code, ran.json()["answer"].as_str().map(str::to_owned))
    };
    let answer = |code: i32, text: &str| (code, Some(text.to_owned()));
    assert_eq!(ask("positional", &["27/2"]), answer(0, "yes"));
    assert_eq!(ask("positional", &["13.5000000000000000000000001"]), answer(1, "no"));
    assert_eq!(ask("stationary", &["41/3"]), answer(0, "yes"));
    assert_eq!(ask("stationary", &["13.68"]), answer(1, "no"));
    // Local search finds the strategy without a node; the proof of the upper bound needs nodes.
    assert_eq!(ask("stationary", &["13.675", "--node-limit", "0"]), answer(0, "yes"));
    assert_eq!(ask("stationary", &["13.676", "--node-limit", "0"]), answer(3, "unknown"));
}

#[test]
fn a_decided_threshold_says_how_far_the_search_came() {
    let folder = Folder::with_hotel();
    let status = |args: &[&str]| {
        let search = folder.run(&[args, &["hotel.yaml", "--json"]].concat()).json();
        (search["status"].as_str().unwrap().to_owned(), search["reason"].as_str().map(str::to_owned))
    };
    // The root's relaxation, the optimum over all strategies, refutes 15; the best strategy was not searched for.
    let (status_15, reason) = status(&["positional", "--threshold", "15"]);
    assert_eq!((status_15.as_str(), reason.as_deref()), ("stopped", Some("the threshold is decided")));
    // With a gap as wide as the welfare, the first bounds are close enough.
    assert_eq!(status(&["positional", "--threshold", "1", "--gap", "1"]), ("within gap".to_owned(), None));
    assert_eq!(status(&["positional", "--exact"]), ("optimal".to_owned(), None));
}

#[test]
fn a_search_that_is_stopped_gives_bounds_and_exit_code_3() {
    let folder = Folder::with_hotel();
    for class in ["positional", "stationary"] {
        for limit in [["--node-limit", "0"], ["--time-limit", "0"]] {
            let ran = folder.run(&[class, "hotel.yaml", "--json", limit[0], limit[1]]);
            assert_eq!(ran.code, 3, "{class} {limit:?}");
            let search = ran.json();
            assert_eq!(search["status"], "stopped");
            assert!(search["lower"].as_f64().unwrap() <= 13.6755 && search["upper"].as_f64().unwrap() >= 13.675);
            let report = folder.run(&[class, "hotel.yaml", limit[0], limit[1]]);
            assert!(report.stdout.starts_with("Stopped: "), "{}", report.stdout);
        }
    }
}

#[test]
fn the_mixed_integer_program_finds_the_same_and_claims_no_proof() {
    let folder = Folder::with_hotel();
    let search = folder.run(&["positional", "hotel.yaml", "--method", "milp", "--json"]).done().json();
    assert_eq!((&search["exact"], &search["status"]), (&"27/2".into(), &"claimed".into()));
    // A gap as wide as the welfare is met by any strategy, and the status is the same.
    let wide = folder.run(&["positional", "hotel.yaml", "--method", "milp", "--gap", "0.9", "--json"]).done().json();
    assert_eq!((&wide["status"], wide["upper"].as_f64().unwrap() >= 13.5), (&"claimed".into(), true));
    let refused = folder.run(&["positional", "hotel.yaml", "--method", "milp", "--threshold", "1"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
}

#[test]
fn a_comparison_says_what_simplicity_costs() {
    let folder = Folder::with_hotel();
    let solution = folder.run(&["solve", "hotel.yaml", "--compare", "--json"]).done().json();
    let welfare = |index: usize| solution["comparison"][index]["welfare"]["exact"].as_str().unwrap();
    let strategy = |index: usize| solution["comparison"][index]["strategy"].as_str().unwrap();
    assert_eq!((strategy(0), welfare(0)), ("counting", "127/9"));
    assert_eq!((strategy(1), strategy(2), welfare(2)), ("stationary", "positional", "27/2"));
    assert_eq!((strategy(3), welfare(3)), ("long-term", "13"));
    // Rebuilding at once is best for alice, never for bob.
    assert_eq!(solution["comparison"][6]["payoffs"]["alice"]["exact"], "11");
    assert_eq!(solution["comparison"][7]["payoffs"]["bob"]["exact"], "9/2");
    let report = folder.run(&["solve", "hotel.yaml", "--compare"]).done().stdout;
    assert!(report.contains("The price of simplicity, from s0"), "{report}");
}

const FORMULA: &str = "c two variables\np cnf 2 3\n1 2 0\n-1 2 0\n1 -2 0\n%\n0\n";

#[test]
fn a_formula_is_decided_in_the_words_of_sat_solvers() {
    let folder = Folder::new();
    folder.write("yes.cnf", FORMULA);
    folder.write("no.cnf", FORMULA.replace("2 3", "2 4").replace('%', "-1 -2 0\n%"));
    for rewards in ["same", "zero-sum"] {
        let yes = folder.run(&["sat", "yes.cnf", "--rewards", rewards]).done();
        assert!(yes.stdout.ends_with("s SATISFIABLE\nv 1 2 0\n"), "{}", yes.stdout);
        let no = folder.run(&["sat", "no.cnf", "--rewards", rewards]);
        assert_eq!(no.code, 1);
        assert!(no.stdout.ends_with("s UNSATISFIABLE\n"), "{}", no.stdout);
        let unknown = folder.run(&["sat", "no.cnf", "--node-limit", "0"]);
        assert_eq!(unknown.code, 3);
        assert!(unknown.stdout.ends_with("s UNKNOWN\n"), "{}", unknown.stdout);
    }
    let bad = folder.write("bad.cnf", "p cnf 2 1\n1 3 0\n");
    let refused = folder.run(&["sat", bad.to_str().unwrap()]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains(":2:3: there is no variable 3"), "{}", refused.stderr);
}

#[test]
fn the_model_of_a_formula_carries_its_threshold() {
    let folder = Folder::new();
    folder.write("f.cnf", FORMULA);
    let ran = folder.run(&["generate", "sat", "f.cnf", "--rewards", "zero-sum", "--out", "f.yaml"]).done();
    // (3 · 3/64 + 2 · 1/16) / 5
    assert_eq!(ran.stderr, "threshold: 17/320\n");
    assert!(folder.read("f.yaml").contains("# threshold: 17/320\n"));
    assert_eq!(folder.run(&["positional", "f.yaml", "--threshold", "17/320"]).code, 0);
    assert_eq!(folder.run(&["positional", "f.yaml", "--threshold", "1701/32000"]).code, 1);
}

#[test]
fn a_game_becomes_a_model_whose_welfare_says_who_wins() {
    let folder = Folder::new();
    folder.write("safe.txt", "or a: b\nand b: a t\ntarget t\n");
    folder.write("lost.txt", "or a: b t\nand b: a t\ntarget t\n");
    for rewards in ["single", "zero-sum"] {
        for (game, wins) in [("safe", true), ("lost", false)] {
            let file = format!("{game}.txt");
            let args = ["generate", "reachability", &file, "--rewards", rewards, "--out", "g.yaml"];
            let note = folder.run(&args).done().stderr;
            assert_eq!(note.starts_with("the safety player wins"), wins, "{note}");
            let solution = folder.run(&["solve", "g.yaml", "--json"]).done().json();
            assert_eq!(solution["states"]["a"]["welfare"]["exact"] == "0", wins);
        }
    }
}

/// An approximated preference widens the bounds; what is said of them, the exit code and the cure agree with each other.
#[test]
fn a_gap_below_the_error_of_a_preference_is_missed_and_the_cure_reaches_it() {
    let folder = Folder::with_hotel();
    let entry = |error: &str| format!("alice={{gamma: {{mean: 40%, sd: 20%}}, error: {error}}}");
    for class in ["positional", "stationary"] {
        let run = |error: &str, more: &[&str]| {
            folder.run(&[&[class, "hotel.yaml", "--discount", &entry(error)], more].concat())
        };
        let missed = run("1e-3", &["--gap", "1e-6"]);
        assert_eq!(missed.code, 3, "{}", missed.stdout);
        assert!(missed.stdout.starts_with("Stopped: the error of approximated time preferences"), "{}", missed.stdout);
        let text = missed.stdout.replace("\n  ", " ");
        let (_, cure) = text.split_once("For the gap, write `error: ").expect("a cure");
        let error = cure.split('`').next().unwrap();
        let json = run("1e-3", &["--gap", "1e-6", "--json"]).json();
        assert_eq!(json["status"], "stopped");
        let reached = run(error, &["--gap", "1e-6", "--json"]).done().json();
        assert_eq!((&reached["status"], &reached["reason"]), (&"within gap".into(), &serde_json::Value::Null));
        let width = reached["upper"].as_f64().unwrap() - reached["lower"].as_f64().unwrap();
        assert!(0.0 < width && width <= 1e-6 * reached["upper"].as_f64().unwrap(), "{width}");
        // Without a gap there is none to miss.
        let plain = run("1e-3", &[]).done().stdout.replace("\n  ", " ");
        assert!(plain.contains("A smaller `error` tightens them."), "{plain}");
    }
    // The solver in doubles claims a bound for the mixture, and its strategy's welfare has the error too.
    let alice = entry("1e-3");
    let claimed = ["positional", "hotel.yaml", "--discount", &alice, "--method", "milp", "--json"];
    let claimed = folder.run(&claimed).done().json();
    let proven = folder.run(&["positional", "hotel.yaml", "--discount", &alice, "--json"]).done().json();
    assert_eq!(claimed["lower"], proven["lower"]);
    assert!(claimed["exact"].is_null());
}
