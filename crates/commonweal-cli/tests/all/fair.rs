//! `fair` and `front`, as their users call them; lotteries in strategy files.

use crate::program::{Folder, paper};

#[test]
fn the_hotel_has_a_fair_lottery_that_can_be_evaluated_and_simulated() {
    let folder = Folder::with_hotel();
    let ran = folder.run(&[
        "fair",
        "hotel.yaml",
        "--rule",
        "max-min",
        "--over",
        "own-worst",
        "--json",
        "--strategy",
        "s.json",
    ]);
    let fair = ran.done().json();
    assert_eq!(fair["format"], "commonweal-fair/1");
    assert_eq!((&fair["rule"], &fair["status"], &fair["start"]), (&"max-min".into(), &"optimal".into(), &"s0".into()));
    assert_eq!(fair["value"]["exact"], "10/7");
    assert_eq!(fair["payoffs"]["alice"]["exact"], "73/7");
    assert_eq!(fair["over"], serde_json::json!({"alice": "9", "bob": "2"}));
    assert_eq!(fair["weights"], serde_json::json!({"alice": "5/7", "bob": "2/7"}));
    assert_eq!(fair["mix"][0]["probability"], "1/7");
    assert_eq!(fair["mix"][1]["decisions"]["s0"][1], serde_json::json!({"from": 1, "action": "b"}));
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json"]).done().json();
    assert_eq!(evaluation["states"]["s0"]["payoffs"]["alice"]["exact"], "73/7");
    assert_eq!(evaluation["states"]["s0"]["payoffs"]["bob"]["exact"], "24/7");
    let certified = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json", "--gap", "1e-9"]).done().json();
    let bob = &certified["states"]["s0"]["payoffs"]["bob"];
    assert!(bob["lower"].as_f64().unwrap() <= 24.0 / 7.0 && 24.0 / 7.0 <= bob["upper"].as_f64().unwrap());
    let simulated = folder.run(&["simulate", "hotel.yaml", "s.json", "--json", "--runs", "20000"]).done().json();
    let alice = &simulated["payoffs"]["alice"];
    assert!(alice["lower"].as_f64().unwrap() <= 73.0 / 7.0 && 73.0 / 7.0 <= alice["upper"].as_f64().unwrap());
    assert!(alice["upper"].as_f64().unwrap() - alice["lower"].as_f64().unwrap() > 1e-3, "it is left to chance");
}

#[test]
fn one_coin_at_one_decision_does_what_a_lottery_does() {
    let folder = Folder::with_hotel();
    let ask = ["fair", "hotel.yaml", "--rule", "welfare", "--at-least", "alice=10", "--coin", "decision"];
    let fair = folder.run(&[&ask[..], &["--json", "--strategy", "s.json"]].concat()).done().json();
    assert_eq!(fair["value"]["exact"], "169/12");
    assert_eq!(fair["coins"], serde_json::json!([{"state": "s0", "step": 1, "actions": {"b": "1/4", "a": "3/4"}}]));
    let evaluation = folder.run(&["evaluate", "hotel.yaml", "s.json", "--json"]).done().json();
    assert_eq!(evaluation["states"]["s0"]["payoffs"]["alice"]["exact"], "10");
    // The file is the one strategy, with its coin inside, and can be simulated too.
    let written: serde_json::Value = serde_json::from_str(&folder.read("s.json")).expect("a strategy");
    assert_eq!(written["coins"], fair["coins"]);
    assert_eq!(written["decisions"]["s0"], serde_json::json!([{"from": 0, "action": "a"}, {"from": 2, "action": "b"}]));
    assert!(written.get("lottery").is_none());
    let simulated = folder.run(&["simulate", "hotel.yaml", "s.json", "--json", "--runs", "20000"]).done().json();
    let bob = &simulated["payoffs"]["bob"];
    assert!(bob["lower"].as_f64().unwrap() <= 49.0 / 12.0 && 49.0 / 12.0 <= bob["upper"].as_f64().unwrap());
    let report = folder.run(&ask).done().stdout;
    assert!(report.contains("One coin, in s0 at step 1: b with 1/4, otherwise a."), "{report}");
}

#[test]
fn demands_that_cannot_be_met_say_by_how_much() {
    let folder = Folder::with_hotel();
    let ask = ["fair", "hotel.yaml", "--rule", "welfare", "--at-least", "alice=10", "--at-least", "bob=41/10"];
    let ran = folder.run(&ask);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("1/135 ≈ 0.007407 is missing"), "{ran:?}");
    let ran = folder.run(&[&ask[..], &["--json"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let fair = ran.json();
    assert_eq!((&fair["status"], &fair["value"]), (&"infeasible".into(), &serde_json::Value::Null));
    assert_eq!(fair["infeasible_by"]["exact"], "1/135");
    assert_eq!(fair["weights"], serde_json::json!({"alice": "5/9", "bob": "4/9"}));
}

/// The start first, then what can be met, as `solve` has it.
#[test]
fn a_fair_strategy_is_told_as_solve_tells_it() {
    let folder = Folder::with_hotel();
    let report = folder.run(&["fair", "hotel.yaml", "--rule", "max-min", "--over", "bob=2,alice=9"]).done().stdout;
    let (_, after) = report.split_once("What to do now, in s0: ").expect(&report);
    assert!(after.starts_with("b with 1/7, a with 6/7\n") || after.starts_with("a with 6/7, b with 1/7\n"), "{report}");
    // Who never rebuilds never sees the new hotel.
    let never = folder.run(&["fair", "hotel.yaml", "--rule", "max-min"]).done().stdout;
    assert!(
        never.contains("What to do now, in s0: a\n") && never.contains("  s0             0  always a\n"),
        "{never}"
    );
    assert!(!never.contains("  s1 ") && never.contains("1 state is never met"), "{never}");
    let waiting = folder.run(&["fair", "hotel.yaml", "--rule", "kalai-smorodinsky"]).done().stdout;
    assert!(waiting.contains("  s0             0  a for 1 step, then b\n"), "{waiting}");
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let folder = Folder::with_hotel();
    let refused = |more: &[&str], words: &[&str]| {
        folder.run(&[&["fair", "hotel.yaml"], more].concat()).refused(words);
    };
    refused(&["--rule", "gini:1"], &["1 weight for 2 principals"]);
    refused(&["--rule", "welfare", "--at-least", "bobby=3"], &["--at-least: there is no principal `bobby`", "`bob`"]);
    refused(&["--rule", "welfare", "--at-least", "bob"], &["`bob` is not NAME=VALUE"]);
    refused(&["--rule", "welfare", "--at-least", "bob=5", "--at-most", "bob=4"], &["at least 5 and at most 4"]);
    refused(&["--rule", "nash", "--over", "alice=9"], &["no number for `bob`", "alice=0,bob=0"]);
    refused(&["--rule", "nash", "--over", "alice=9,carol=1"], &["there is no principal `carol`"]);
    refused(&["--rule", "nash", "--over", "alice=11,bob=2"], &["no strategy gives `alice` more than 11"]);
    refused(&["--rule", "nash", "--over", "strategy:none.json"], &["none.json"]);
    for (rule, words) in [("alpha:1", "write `nash`"), ("maxmin", "did you mean `max-min`?"), ("gini", "gini:2/3,1/3")]
    {
        let ran = folder.run(&["fair", "hotel.yaml", "--rule", rule]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    folder.write("costs.yaml", "{principals: {p: 1/2}, states: {s: {a: {reward: -1, to: s}}}}");
    folder.run(&["fair", "costs.yaml", "--rule", "alpha:2"]).refused(&["the reference point `own-worst`"]);
}

#[test]
fn a_certified_answer_encloses_the_exact_one() {
    let folder = Folder::with_hotel();
    for (rule, value) in
        [("max-min", 4.5), ("kalai-smorodinsky", 2.0 / 3.0), ("gini:2/3,1/3", 497.0 / 81.0), ("nash", 20.0 / 9.0)]
    {
        let fair = folder.run(&["fair", "hotel.yaml", "--rule", rule, "--gap", "1e-6", "--json"]).done().json();
        assert_eq!((&fair["status"], &fair["engine"]), (&"within gap".into(), &"certified".into()), "{rule}");
        let (lower, upper) = (fair["value"]["lower"].as_f64().unwrap(), fair["value"]["upper"].as_f64().unwrap());
        assert!(lower <= value + 1e-9 && value <= upper && upper - lower <= 2e-5, "{rule}: {lower} {value} {upper}");
    }
}

#[test]
fn a_stopped_answer_has_bounds_and_its_own_exit_code() {
    let folder = Folder::with_hotel();
    let ran = folder.run(&["fair", "hotel.yaml", "--rule", "max-min", "--time-limit", "0", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    // No strategy is known yet; the rewards alone bound what the worst-off gets.
    let fair = ran.json();
    assert_eq!((&fair["status"], &fair["mix"]), (&"stopped".into(), &serde_json::json!([])));
    let (lower, upper) = (fair["value"]["lower"].as_f64().unwrap(), fair["value"]["upper"].as_f64().unwrap());
    assert!(-10.0 < lower && lower <= 4.5 && (4.5..20.0).contains(&upper), "{lower} {upper}");
}

#[test]
fn the_hotels_front_repeats_itself_for_ever() {
    let folder = Folder::with_hotel();
    let front = folder.run(&["front", "hotel.yaml", "--json", "--csv", "f.csv", "--out", "f.svg"]).done().json();
    assert_eq!(front["format"], "commonweal-front/1");
    assert_eq!(front["complete"], true);
    assert_eq!(front["principals"], serde_json::json!(["alice", "bob"]));
    let payoffs: Vec<[&str; 2]> = (front["vertices"].as_array().unwrap().iter())
        .map(|vertex| ["alice", "bob"].map(|name| vertex["payoffs"][name]["exact"].as_str().unwrap()))
        .collect();
    assert_eq!(payoffs, [["11", "2"], ["31/3", "11/3"], ["89/9", "38/9"], ["259/27", "119/27"], ["9", "9/2"]]);
    let edges: Vec<[&str; 2]> = (front["edges"].as_array().unwrap().iter())
        .map(|edge| ["alice", "bob"].map(|name| edge["weights"][name].as_str().unwrap()))
        .collect();
    // 5 : 2, 5 : 4, 5 : 8.
    assert_eq!(edges, [["5/7", "2/7"], ["5/9", "4/9"], ["5/13", "8/13"]]);
    let pattern = serde_json::json!({
        "first_edge": 2, "edges": 1, "principal": "alice", "ratio": "1/2",
        "factors": {"alice": "2/3", "bob": "1/3"}, "next": {"alice": "15/64", "bob": "1"}, "towards": 4,
    });
    assert_eq!(front["pattern"], pattern);
    assert_eq!(folder.read("f.csv").lines().count(), 6);
    assert!(folder.read("f.svg").contains("Kalai–Smorodinsky"));
    let report = folder.run(&["front", "hotel.yaml"]).done().stdout;
    assert!(report.contains("infinitely many vertices") && report.contains("5 : 2"), "{report}");
    // The other way round, the same.
    let turned = folder.run(&["front", "hotel.yaml", "--x", "bob", "--y", "alice", "--json"]).done().json();
    assert_eq!(turned["pattern"]["towards"], 0);
    assert_eq!(turned["vertices"][0]["payoffs"]["bob"]["exact"], "9/2");
    assert_eq!(turned["vertices"][4]["payoffs"]["alice"]["exact"], "11");
    assert_eq!(turned["pattern"]["first_edge"], 0);
}

#[test]
fn example_4_has_three_vertices() {
    let folder = Folder::new();
    folder.write("example-4.yaml", std::fs::read(paper("example-4.yaml")).expect("the example"));
    let front = folder.run(&["front", "example-4.yaml", "--json"]).done().json();
    assert_eq!((&front["complete"], &front["pattern"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(front["vertices"].as_array().map(Vec::len), Some(3));
}

#[test]
fn three_principals_have_a_front_to_a_gap() {
    let folder = Folder::new();
    folder.write(
        "three.yaml",
        "{principals: {p: 2/3, q: 1/2, r: 1/3}, states: {s: {a: {reward: {p: 3, q: 1}, to: s}, \
         b: {reward: {q: 2, r: 1}, to: t}}, t: {c: {reward: {r: 4}, to: t}, d: {reward: {p: 1, q: 3}, to: s}}}}",
    );
    let front = folder.run(&["front", "three.yaml", "--json", "--gap", "0.01", "--out", "f.svg"]).done().json();
    assert!(front["gap"].as_f64().unwrap() <= 0.01 * 9.0, "{front}");
    assert!(front["vertices"].as_array().unwrap().len() >= 3);
    let pair = folder.run(&["front", "three.yaml", "--x", "p", "--y", "r", "--json"]).done().json();
    assert_eq!((&pair["principals"], &pair["complete"]), (&serde_json::json!(["p", "r"]), &true.into()));
    folder.run(&["front", "three.yaml", "--x", "p", "--y", "p"]).refused(&["the same principal"]);
}

#[test]
fn a_fair_answer_has_a_certificate_that_check_accepts() {
    let folder = Folder::with_hotel();
    let ask = |more: &[&str]| {
        let common = ["fair", "hotel.yaml", "--quiet", "--certificate", "fair.cert", "--rule"];
        folder.run(&[&common[..], more].concat())
    };
    let accepted = |note: &str| {
        let checked = folder.run(&["check", "hotel.yaml", "fair.cert"]);
        assert_eq!((checked.code, checked.stdout.as_str()), (0, "accepted\n"), "{checked:?}");
        assert!(checked.stderr.contains(note), "{checked:?}");
        checked.stderr
    };
    ask(&["leximin", "--over", "own-worst"]).done();
    let says = accepted("no strategy that does is better by the rule stated");
    let figures = "\nPayoffs of the lottery from s0: alice 73/7 ≈ 10.428571, bob 24/7 ≈ 3.428571\n";
    assert!(says.ends_with(figures), "{says}");
    ask(&["welfare", "--at-least", "bob=9/2"]).done();
    accepted("no strategy that does is better");
    ask(&["nash", "--gap", "1e-9"]).done();
    accepted("at least the lower bound");
    assert_eq!(ask(&["welfare", "--at-least", "alice=10", "--at-least", "bob=41/10"]).code, 1);
    accepted("no strategy meets the demands");
    // A false value, and another model.
    ask(&["max-min", "--over", "own-worst"]).done();
    let certificate = folder.read("fair.cert");
    folder.write("false.cert", certificate.replacen("value 10/7 10/7", "value 11/7 11/7", 1));
    let checked = folder.run(&["check", "hotel.yaml", "false.cert"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.starts_with("refused: value: the lottery may be worth less"), "{checked:?}");
    let other = folder.run(&["check", "hotel.yaml", "fair.cert", "--discount", "bob=1/4"]);
    assert!(other.code == 1 && other.stdout.starts_with("refused: model: "), "{other:?}");
    // Nothing is proven, and nothing is written.
    let stopped =
        folder.run(&["fair", "hotel.yaml", "--rule", "nash", "--time-limit", "0", "--certificate", "no.cert"]);
    assert_eq!(stopped.code, 3, "{stopped:?}");
    assert!(stopped.stderr.contains("no certificate: the answer is not proven"), "{stopped:?}");
    assert!(!folder.path().join("no.cert").exists());
    // The answer is within the gap; its certificate alone is missing.
    let missing = folder
        .run(&["fair", "hotel.yaml", "--rule", "leximin", "--gap", "1e-6", "--certificate", "no.cert", "--json"])
        .done();
    assert_eq!(missing.json()["status"], "within gap");
    assert!(missing.stderr.contains("no certificate: in doubles the bounds of this answer are proven"), "{missing:?}");
    assert!(!folder.path().join("no.cert").exists());
    folder
        .run(&["fair", "hotel.yaml", "--rule", "nash", "--strategy", "same", "--certificate", "same"])
        .refused(&["--strategy and --certificate name the same file"]);
}

#[test]
fn a_comparison_says_what_fairness_costs() {
    let folder = Folder::with_hotel();
    let solution = folder.run(&["solve", "hotel.yaml", "--compare", "--json"]).done().json();
    let fair: Vec<&serde_json::Value> =
        solution["comparison"].as_array().unwrap().iter().filter(|one| one["strategy"] == "fair").collect();
    let rows: Vec<[&str; 3]> = fair
        .iter()
        .map(|one| {
            [&one["rule"], &one["welfare"]["exact"], &one["payoffs"]["bob"]["exact"]].map(|text| text.as_str().unwrap())
        })
        .collect();
    assert_eq!(rows, [["max-min", "27/2", "9/2"], ["kalai-smorodinsky", "14", "11/3"], ["nash", "14", "11/3"]]);
    let report = folder.run(&["solve", "hotel.yaml", "--compare"]).done().stdout;
    assert!(report.contains("The price of fairness, from s0"), "{report}");
    assert!(report.contains("fair: max-min                 13.5  0.611111"), "{report}");
}

/// 127/9 is the greatest welfare; the rules get 97/7 and 14 of it.
#[test]
fn the_price_of_fairness_is_the_welfare_that_is_lost() {
    let folder = Folder::with_hotel();
    let report = |rest: &[&str]| folder.run(&[&["fair", "hotel.yaml", "--rule"], rest].concat()).done().stdout;
    let max_min = report(&["max-min", "--over", "own-worst"]);
    assert!(max_min.contains("The price of fairness: the welfare is 16/63 below the greatest, 127/9."), "{max_min}");
    assert!(max_min.contains("73/7        +0.539683") && max_min.contains("24/7        −0.793651"), "{max_min}");
    let nash = report(&["nash"]);
    assert!(nash.contains("The price of fairness: the welfare is 1/9 below the greatest, 127/9."), "{nash}");
    let sum = report(&["welfare"]);
    assert!(sum.contains("The price of fairness: nothing. No lottery has a greater welfare."), "{sum}");
}

/// Each of nine principals owns one of nine tasks, and one task can be done: an equal lottery is fair by every rule.
#[test]
fn many_principals_have_fair_rows_too() {
    let folder = Folder::with_hotel();
    let principals: Vec<String> = (1..=9).map(|p| format!("p{p}: {p}/20")).collect();
    let tasks: Vec<String> = (1..=9).map(|p| format!("    t{p}: {{reward: {{p{p}: 9}}, to: end}}\n")).collect();
    let text = format!(
        "principals: {{{}}}\nstates:\n  begin:\n{}  end: {{rest: {{to: end}}}}\n",
        principals.join(", "),
        tasks.concat()
    );
    folder.write("nine.yaml", text);
    let solution = folder.run(&["solve", "nine.yaml", "--compare", "--json"]).done().json();
    let comparison = solution["comparison"].as_array().unwrap();
    let fair: Vec<&serde_json::Value> = comparison.iter().filter(|one| one["strategy"] == "fair").collect();
    assert_eq!(fair.len(), 3, "{comparison:?}");
    for row in fair {
        for p in 1..=9 {
            let payoff = &row["payoffs"][format!("p{p}")];
            let [lower, upper] = ["lower", "upper"].map(|end| payoff[end].as_f64().unwrap());
            assert!(lower > 1.0 - 1e-4 && upper < 1.0 + 1e-4, "{row}");
        }
    }
    let report = folder.run(&["solve", "nine.yaml", "--compare"]).done().stdout;
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
}

#[test]
fn a_front_that_is_cut_says_how_much_is_missing_and_what_helps() {
    let folder = Folder::with_hotel();
    // With equal discounts nothing repeats, and there are more vertices than are asked for.
    let states: String = (1..=12)
        .map(|k| {
            format!(
                "  s{k}: {{take: {{reward: {{p: {k}}}, to: s{0}}}, leave: {{reward: {{q: 5}}, to: s{0}}}}}\n",
                k + 1
            )
        })
        .collect();
    folder.write(
        "trades.yaml",
        format!("principals: {{p: 9/10, q: 9/10}}\nstates:\n{states}  s13: {{rest: {{to: s13}}}}\n"),
    );
    let ask = ["front", "trades.yaml", "--vertices", "5"];
    let ran = folder.run(&[&ask[..], &["--out", "f.svg"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.starts_with("Stopped: the limit on vertices was reached. --vertices N allows more"), "{ran:?}");
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it exceeds the lines between them by at most"), "{ran:?}");
    assert!(folder.read("f.svg").contains("the front lies inside this line"));
    let front = folder.run(&[&ask[..], &["--json"]].concat()).json();
    assert_eq!((&front["complete"], &front["status"]), (&false.into(), &"stopped".into()));
    let cut = front["gap"].as_f64().expect("a gap");
    let more = folder.run(&["front", "trades.yaml", "--vertices", "9", "--json"]).json();
    let whole = folder.run(&["front", "trades.yaml", "--json"]).done().json();
    assert!(0.0 < more["gap"].as_f64().unwrap() && more["gap"].as_f64().unwrap() <= cut, "{more}");
    assert_eq!((&whole["complete"], &whole["gap"]), (&true.into(), &serde_json::Value::Null));
}

#[test]
fn a_weight_can_be_swept_and_a_front_plotted() {
    let folder = Folder::with_hotel();
    let sweep =
        folder.run(&["sweep", "--changes", "hotel.yaml", "--vary", "bob.weight=0..2", "--steps", "4", "--json"]);
    let sweep = sweep.done().json();
    assert_eq!((&sweep["quantity"], &sweep["principal"]), (&"weight".into(), &"bob".into()));
    let points = sweep["points"].as_array().unwrap();
    let weights: Vec<&str> = points.iter().map(|point| point["weight"].as_str().unwrap()).collect();
    assert_eq!(weights, ["0", "1/2", "1", "3/2", "2"]);
    // Serving alice alone; the greatest sum of the file; and where waiting a year longer pays: 5 : 2^(k+1).
    assert_eq!(points[0]["welfare"]["exact"], "11");
    assert_eq!(points[2]["welfare"]["exact"], "127/9");
    let changes: Vec<&str> = (points.iter().flat_map(|point| point["changes"].as_array().unwrap()))
        .map(|change| change["at"].as_str().unwrap())
        .collect();
    assert_eq!(changes, ["2/5", "4/5", "8/5"]);
    let report =
        folder.run(&["sweep", "--changes", "hotel.yaml", "--vary", "bob.weight=-1..2", "--steps", "3"]).done().stdout;
    assert!(report.contains("Over the weight of bob") && report.contains("own weight, 1, has"), "{report}");
    folder.run(&["sweep", "hotel.yaml", "--vary", "bob.weight=2..1"]).refused(&["give the lesser weight first"]);
    folder.run(&["plot", "hotel.yaml", "--kind", "front", "--out", "front.svg"]).done();
    assert!(folder.read("front.svg").contains("Pareto front"));
    folder.write("one.yaml", "{principals: {p: 1/2}, states: {s: {a: {reward: 1, to: s}}}}");
    folder.run(&["plot", "one.yaml", "--kind", "front"]).refused(&["this model has one"]);
}

#[test]
fn fractions_can_be_left_out_and_times_asked_for() {
    let folder = Folder::with_hotel();
    for command in [&["fair", "hotel.yaml", "--rule", "nash"][..], &["front", "hotel.yaml"]] {
        let document = folder.run(&[command, &["--json", "--no-exact", "--timings"]].concat()).done().json();
        assert!(!document.to_string().contains("\"exact\":"), "{document}");
        assert!(document["timings"]["total"].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn coins_of_a_strategy_file_that_make_no_sense_are_refused() {
    let folder = Folder::with_hotel();
    let decisions = r#""decisions": {"s0": "a"}"#;
    let coin = r#"{"state": "s0", "step": 1, "actions": {"a": "3/4", "b": "1/4"}}"#;
    let many =
        (0..11).map(|step| coin.replace("\"step\": 1", &format!("\"step\": {step}"))).collect::<Vec<_>>().join(", ");
    for (rest, words) in [
        (format!(r#""coins": [{coin}]"#), "`coins` without `decisions`"),
        (format!(r#"{decisions}, "coins": [{coin}, {coin}]"#), "state `s0` has two coins at step 1"),
        (format!(r#"{decisions}, "coins": [{many}]"#), "more than 1024 outcomes"),
        (format!(r#"{decisions}, "coins": [{{"state": "s0", "step": 1}}]"#), "the coin has no `actions`"),
        (format!(r#"{decisions}, "coins": [{}]"#, coin.replace("1/4", "1/5")), "the mix sums to"),
        (format!(r#"{decisions}, "coins": [{}]"#, coin.replace("s0", "s9")), "the model has no state `s9`"),
        (format!(r#"{decisions}, "coins": [{}]"#, coin.replace("step", "stage")), "a coin has no key `stage`"),
    ] {
        folder.write("s.json", format!(r#"{{"format": "commonweal-strategy/1", {rest}}}"#));
        let ran = folder.run(&["evaluate", "hotel.yaml", "s.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
}

/// Bob's floor is his own best. The time preference of alice is a mixture, of which there are no fractions: doubles relax the floor, and say so.
#[test]
fn floors_without_slack_are_relaxed_in_doubles_and_the_report_says_so() {
    let folder = Folder::with_hotel();
    let text = folder.read("hotel.yaml").replace("alice: 2/3", "alice: {hyperbolic: 0.1, hazard: 10%}");
    folder.write("mixture.yaml", text);
    let ask = ["fair", "mixture.yaml", "--rule", "welfare", "--at-least", "bob=9/2", "--gap", "3e-6"];
    let report = folder.run(&ask).done().stdout;
    assert!(report.contains("The demands leave no slack") && !report.contains('∞'), "{report}");
    let fair = folder.run(&[&ask[..], &["--json"]].concat()).done().json();
    let relaxed: f64 =
        fair["relaxed_by"].as_str().map(|text| text.parse::<commonweal::Rational>().unwrap().to_f64()).unwrap();
    assert!(relaxed > 0.0 && relaxed < 1e-3, "{relaxed}");
    assert!(fair["payoffs"]["bob"]["lower"].as_f64().unwrap() >= 4.5 - relaxed - 1e-9, "{fair}");
    let width = fair["value"]["upper"].as_f64().unwrap() - fair["value"]["lower"].as_f64().unwrap();
    assert!((0.0..1e-3).contains(&width), "{fair}");
}

/// All keys of the objects in a document, but for names of the model.
fn keys_of(value: &serde_json::Value, names: &[&str], all: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                if !names.contains(&key.as_str()) && !all.contains(key) {
                    all.push(key.clone());
                }
                keys_of(value, names, all);
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| keys_of(value, names, all)),
        _ => {}
    }
}

/// The page of commands has every key of the two documents, and no other.
#[test]
fn the_keys_of_fair_and_front_are_those_of_the_page() {
    let folder = Folder::with_hotel();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let text = folder.read("hotel.yaml").replace("alice: 2/3", "alice: {hyperbolic: 0.1, hazard: 10%}");
    folder.write("mixture.yaml", text);
    let names = ["alice", "bob", "s0", "s1", "a", "b", "p0", "p1", "p2"];
    let asked: [(&str, Vec<Vec<&str>>); 2] = [
        (
            "commonweal-fair/1",
            vec![
                vec!["fair", "hotel.yaml", "--rule", "welfare", "--at-least", "alice=10", "--coin", "decision"],
                vec!["fair", "hotel.yaml", "--rule", "welfare", "--at-least", "alice=10", "--at-least", "bob=5"],
                vec!["fair", "hotel.yaml", "--rule", "leximin"],
                vec!["fair", "hotel.yaml", "--rule", "kalai-smorodinsky", "--over", "alice=11,bob=2"],
                vec!["fair", "hotel.yaml", "--rule", "max-min", "--weight", "bob=-1"],
                vec!["fair", "mixture.yaml", "--rule", "nash", "--at-least", "bob=9/2", "--gap", "1e-9"],
                vec!["fair", "mixture.yaml", "--rule", "kalai-smorodinsky", "--over", "alice=0,bob=9/2"],
                vec!["fair", "mixture.yaml", "--rule", "welfare", "--at-least", "bob=9/2", "--gap", "1e-6"],
            ],
        ),
        (
            "commonweal-front/1",
            vec![
                vec!["front", "hotel.yaml"],
                vec!["front", "hotel.yaml", "--vertices", "3"],
                vec!["front", "hotel.yaml", "--gap", "0.1"],
            ],
        ),
    ];
    for (format, runs) in asked {
        let section = page.split(&format!("### `{format}`")).nth(1).expect("a section").split("\n## ").next().unwrap();
        let mut found = Vec::new();
        for args in runs {
            let ran = folder.run(&[&args[..], &["--json", "--quiet"]].concat());
            // This reader takes no infinite bounds.
            let finite = ran.stdout.replace("1e999", "1e308");
            keys_of(&serde_json::from_str(&finite).expect("a document"), &names, &mut found);
        }
        found.retain(|key| key != "format");
        for key in &found {
            assert!(section.contains(&format!("`{key}`")), "{format}: `{key}` is not on the page");
        }
        let rows =
            section.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split(" |").next());
        for key in rows.flat_map(|cell| cell.split('`')).filter(|word| !word.trim_matches([',', ' ']).is_empty()) {
            assert!(found.iter().any(|own| own == key), "{format}: no answer has `{key}`; there are {found:?}");
        }
    }
}

/// Alice's own best is Bob's as well, and so one vertex of the front; what is best for everybody is marked in every chart, and a chart in which
/// nobody has to give way has no line.
#[test]
fn pictures_of_three_principals_mark_every_own_best_and_promise_no_line_that_is_a_point() {
    let folder = Folder::new();
    folder.write(
        "m.yaml",
        "principals: {alice: 1/2, bob: 1/3, carol: 1/4}
states:
  s: {x: {reward: {alice: 3, bob: 4, carol: 0}, to: s}, y: {reward: {alice: 1, bob: 1, carol: 5}, to: s}}
",
    );
    folder.run(&["front", "m.yaml", "--out", "m.svg"]).done();
    let picture = folder.read("m.svg");
    let count = |text: &str| picture.matches(text).count();
    // A name is in the legend and in a mark; all of them in each of the three charts.
    assert_eq!(count("best for alice, best for bob"), 6, "{picture}");
    assert_eq!(count("best for carol"), 6, "{picture}");
    assert_eq!(count("front if the others do not count"), 4, "{picture}");
}

/// A principal of whom doubles do not tell whether she can gain is named, with what helps.
#[test]
fn a_large_model_names_whom_doubles_leave_open() {
    let folder = Folder::new();
    let mut text = "principals: {alice: 2/3, bob: 1/3, carol: 1/2}
states:
  s0: {a: {reward: {alice: 3, bob: 3}, to: s0}, b: {reward: {alice: -1, bob: -1, carol: -1/2}, to: s1}}
  s1: {b: {reward: {alice: 6, bob: 6, carol: 1/2}, to: s1}}
"
    .to_owned();
    for state in 0..20_000 {
        text += &format!("  x{state}: {{a: {{reward: {}, to: s0}}}}\n", state % 97);
    }
    folder.write("large.yaml", &text);
    let ran = folder.run(&["fair", "large.yaml", "--rule", "nash", "--gap", "1e-6"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("whether carol can gain anything") && words.contains("--over NAME=V"), "{}", ran.stdout);
    let ran = folder.run(&["fair", "large.yaml", "--rule", "nash", "--gap", "1e-6", "--json"]);
    assert!(ran.stdout.contains("\"doubtful\": [\n    \"carol\"\n  ]"), "{}", ran.stdout);
}

#[test]
fn what_a_rule_or_a_coin_cannot_do_is_refused_with_what_helps() {
    let folder = Folder::with_hotel();
    for (rule, more, words) in [
        ("gini:0,0", &[][..], "gini:2/3,1/3"),
        ("max-min", &["--over", "own-worst", "--gap", "1e-6", "--coin", "decision"][..], "leave the gap out"),
    ] {
        let ran = folder.run(&[&["fair", "hotel.yaml", "--rule", rule][..], more].concat());
        ran.refused(&[words]);
    }
}

/// A search that a limit ends before it finds a strategy, or a coin, says what is known by then.
#[test]
fn what_is_stopped_at_once_has_bounds_and_no_strategy() {
    let folder = Folder::with_hotel();
    let ask = ["fair", "hotel.yaml", "--rule", "max-min", "--time-limit", "0.000001"];
    let ran = folder.run(&ask);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("No strategy was found in time") && !ran.stdout.contains('∞'), "{}", ran.stdout);
    assert!(!ran.stdout.contains("always"), "{}", ran.stdout);
    let ran = folder.run(&[&ask[..], &["--coin", "decision"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("the least that anybody gains is"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no coin at a decision was found: the time limit was reached"), "{}", ran.stderr);
    let ran = folder.run(&[&ask[..], &["--json", "--strategy", "s.json"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    let found = ran.json();
    assert_eq!(found["mix"], serde_json::json!([]));
    // Bob gets at least −1, and 6 once, or 3 for ever.
    assert!(found["value"]["lower"].as_f64().unwrap() >= -3.1 && found["value"]["upper"].as_f64().unwrap() <= 9.1);
    assert!(!folder.path().join("s.json").exists(), "no strategy");
}

/// Nobody asked for a gap: bounds as wide as the error of a mixture are the answer, and the report names it.
#[test]
fn smooth_rules_with_mixtures_are_done_with_the_width_that_they_have() {
    let folder = Folder::new();
    folder.write(
        "pref.yaml",
        "principals:
  minister: {discount: 9/10, until: 4}
  weitz: {gamma: {mean: 4%, sd: 3%}}
  fund: {rate: 3%}
states:
  plan:
    build: {reward: {minister: -2, weitz: -10, fund: 10}, to: done}
    wait: {reward: {minister: 1, weitz: 0.1}, to: plan}
  done: {use: {reward: {minister: 1, weitz: 1, fund: 0.2}, to: done}}
",
    );
    let ran = folder.run(&["fair", "pref.yaml", "--rule", "nash"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("of what `weitz` states") || words.contains("of what weitz states"), "{}", ran.stdout);
    assert!(words.contains("A smaller `error` tightens them."), "{}", ran.stdout);
    let ran = folder.run(&["fair", "pref.yaml", "--rule", "nash", "--gap", "1e-9"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("Stopped: the error of approximated time preferences"), "{}", ran.stdout);
}

#[test]
fn the_help_says_what_a_gap_is_relative_to() {
    let folder = Folder::with_hotel();
    for (command, words) in [("fair", "times the greatest payoff"), ("front", "Refine no edge")] {
        let help = folder.run(&[command, "--help"]).done().stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(words) && !help.contains("scale of the welfare"), "{help}");
    }
    let ran = folder.run(&["fair", "hotel.yaml", "--rule", "max-min", "--gap", "0"]);
    ran.refused(&["--help says what it is relative to"]);
}

/// Of a cost less is better: its weight is negative, in the table as in the JSON.
#[test]
fn weights_of_costs_have_their_sign() {
    let folder = Folder::new();
    folder.write(
        "cost.yaml",
        "principals: {owner: 1/2, payer: {discount: 1/3, weight: -1}}
states: {s: {build: {reward: {owner: 6, payer: 6}, to: s}, wait: {reward: {owner: 1}, to: s}}}
",
    );
    let ran = folder.run(&["front", "cost.yaml"]).done();
    assert!(ran.stdout.contains(" : −"), "{}", ran.stdout);
}

#[test]
fn a_name_that_shares_no_letter_is_not_suggested() {
    let folder = Folder::new();
    folder.write("two.yaml", "principals: {x: 1/2, y: 1/3}\nstates: {s: {a: {reward: 1, to: s}}}\n");
    let ran = folder.run(&["front", "two.yaml", "--x", "x", "--y", "q"]);
    ran.refused(&["there is no principal `q`", "the principals are"]);
}

/// The picture of two of three principals has the points of rules, too.
#[test]
fn the_front_of_two_of_three_has_the_points_of_rules() {
    let folder = Folder::new();
    folder.write(
        "three.yaml",
        "principals: {x: 1/2, y: 1/3, z: 2/3}
states: {s: {a: {reward: {x: 3, y: 1}, to: s}, b: {reward: {y: 3, z: 1}, to: s}, c: {reward: {x: 1, z: 4}, to: s}}}
",
    );
    folder.run(&["front", "three.yaml", "--x", "x", "--y", "y", "--out", "f.svg"]).done();
    let picture = folder.read("f.svg");
    assert!(picture.contains("max-min") && picture.contains("Nash"), "{}", &picture[..500]);
}

/// A floor that is a ceiling too leaves a face without weights of its own: the weights that prove the sum are those that come after it.
#[test]
fn a_floor_that_is_a_ceiling_has_weights_that_prove_the_sum() {
    let folder = Folder::with_hotel();
    let ask = ["fair", "hotel.yaml", "--rule", "welfare", "--at-least", "alice=10", "--at-most", "alice=10"];
    let fair = folder.run(&[&ask[..], &["--json", "--certificate", "c.cert"]].concat()).done().json();
    assert_eq!(fair["weights"], serde_json::json!({"alice": "5/4", "bob": "1"}));
    assert_eq!((&fair["value"]["exact"], fair.get("then")), (&"169/12".into(), None));
    assert!(folder.run(&["check", "hotel.yaml", "c.cert"]).done().stdout.starts_with("accepted"));
    let report = folder.run(&ask).done().stdout;
    assert!(report.contains("with the weights\n  alice 5/4, bob 1\n") && !report.contains("no weights"), "{report}");
    // What a demand costs whom.
    assert!(report.contains("gets  exactly  vs greatest sum\n"), "{report}");
    assert!(report.contains("10       10        +0.111111\n"), "{report}");
    let free = folder.run(&["fair", "hotel.yaml", "--rule", "welfare"]).done().stdout;
    assert!(!free.contains("vs greatest sum"), "{free}");
}

/// The choice of the first step is told for one strategy with coins as for a lottery.
#[test]
fn what_to_do_now_is_told_with_a_coin_at_a_decision() {
    let folder = Folder::with_hotel();
    let ask = |floor: &str| {
        let with = ["fair", "hotel.yaml", "--rule", "welfare", "--at-least", floor, "--coin", "decision"];
        folder.run(&with).done().stdout
    };
    assert!(ask("alice=10").contains("What to do now, in s0: a\n"), "{}", ask("alice=10"));
    let report = ask("alice=32/3");
    assert!(report.contains("What to do now, in s0: b with 1/2, a with 1/2\n"), "{report}");
    assert!(report.contains("One coin, in s0 at step 0: b with 1/2, otherwise a.\n"), "{report}");
}

/// A note says why there is no certificate and what helps, however quiet the program is to be. The exit code is that of the answer.
#[test]
fn a_certificate_that_an_answer_does_not_have_is_said_to_be_missing() {
    let folder = Folder::with_hotel();
    let elsewhere: String = (0..20_000).map(|k| format!("  x{k}: {{a: {{reward: 0, to: x{k}}}}}\n")).collect();
    folder.write("large.yaml", &(folder.read("hotel.yaml") + &elsewhere));
    let ask = |rule: &str| {
        folder.run(&["fair", "large.yaml", "--rule", rule, "--gap", "1e-3", "--certificate", "c.cert", "--quiet"])
    };
    let ran = ask("leximin");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("no certificate: in doubles"), "{ran:?}");
    assert!(ran.stderr.contains("an exact answer has one (--exact asks for it); nothing was written"), "{ran:?}");
    assert!(!folder.path().join("c.cert").exists() && ran.stdout.starts_with("Fairest by leximin"), "{ran:?}");
    assert_eq!(ask("max-min").code, 0);
    assert!(folder.path().join("c.cert").exists());
}

/// No strategy gives both as much as the reference point: a share below 0 is explained.
#[test]
fn a_reference_point_out_of_reach_is_explained() {
    let folder = Folder::with_hotel();
    for rule in ["kalai-smorodinsky", "max-min"] {
        let out_of_reach = ["fair", "hotel.yaml", "--rule", rule, "--over", "alice=10.9,bob=4.4"];
        let report = folder.run(&out_of_reach).done().stdout;
        assert!(report.contains("No lottery gives everybody as much as the reference point"), "{report}");
        assert!(!report.contains("that everybody gets is"), "{report}");
        let within_reach = ["fair", "hotel.yaml", "--rule", rule, "--over", "alice=10,bob=3"];
        assert!(!folder.run(&within_reach).done().stdout.contains("No lottery gives"), "{rule}");
    }
}

/// Chance decides where the run goes: the words of two strategies would be the same, and a sign between actions is explained.
#[test]
fn the_strategies_of_a_lottery_are_told_apart() {
    let folder = Folder::with_hotel();
    let family = ["generate", "random", "--states", "6", "--actions", "3", "--discounts", "0.9,0.7,0.5", "--seed", "3"];
    folder.write("m.yaml", &folder.run(&family).done().stdout);
    let report = folder.run(&["fair", "m.yaml", "--rule", "max-min"]).done().stdout;
    let drawn: Vec<&str> = report
        .lines()
        .filter_map(|line| line.strip_prefix("  with 0.")?.split_once(": "))
        .map(|(_, told)| told)
        .collect();
    assert!(drawn.len() > 1, "{report}");
    for (at, told) in drawn.iter().enumerate() {
        assert!(!drawn[..at].contains(told), "{report}");
    }
    assert!(report.contains("as strategy 1 before step"), "{report}");
    assert!(report.contains("(| stands between actions of which the state decides)"), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
}

/// Gains are counted from numbers that do not fit on one line: they are there all the same.
#[test]
fn long_reference_points_are_wrapped() {
    let folder = Folder::with_hotel();
    let family = ["generate", "random", "--states", "4", "--discounts", "0.9,0.8,0.7,0.6", "--seed", "3"];
    folder.write("m.yaml", &folder.run(&family).done().stdout);
    let report = folder.run(&["fair", "m.yaml", "--rule", "kalai-smorodinsky"]).done().stdout;
    let from = report.find("Gains are counted from the least that each could get: p0 ").expect("a reference point");
    assert!(report[from..].split("\n\n").next().expect("a paragraph").contains(", p3 "), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
}

/// Weights of a line that may be no edge stand in brackets.
#[test]
fn a_line_that_may_be_no_edge_is_marked() {
    let folder = Folder::with_hotel();
    let cut = folder.run(&["front", "hotel.yaml", "--vertices", "2"]);
    assert_eq!(cut.code, 3, "{cut:?}");
    assert!(cut.stdout.contains("(5 : 4)") && cut.stdout.contains("is an edge is open"), "{cut:?}");
    let whole = folder.run(&["front", "hotel.yaml"]).done().stdout;
    assert!(whole.contains("5 : 4") && !whole.contains("(5 : 4)"), "{whole}");
}
