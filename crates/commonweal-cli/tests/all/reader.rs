//! The output of `solve`, `evaluate` and the searches: reports, JSON and CSV.

use crate::program::{Folder, Ran, paper};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

fn fits(ran: &Ran) {
    for line in ran.stdout.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
}

/// Alice and Bob prefer different actions, which give the same welfare.
const GIFT: &str = "
principals: {alice: 1/2, bob: 1/2}
states:
  s: {keep: {reward: {alice: 1}, to: t}, give: {reward: {bob: 1}, to: t}}
  t: {rest: {to: t}}
";

#[test]
fn example_2_shows_no_deviation_where_none_is_met() {
    let report = Folder::new().run(&["solve", paper("example-2.yaml").to_str().unwrap()]).done().stdout;
    let expected = "\
Optimal welfare from s0: 132600/6601 ≈ 20.087865
What to do now, in s0: b
The long-term strategy earns it: from s0, no deviation pays.

  principal  discount       gets      exactly  vs long-term  vs own best
  p0              0.9  19.565217       450/23             0            0
  p1              0.3   0.522648      150/287             0    −3.017383
  welfare              20.087865  132600/6601             0

Strategy from s0
  state  from step  action
  s0             0  always b
  s3             1  always f
  … 2 states are never met; --all-states shows all of them.
Memory 0: it is the long-term strategy, and need not count.
Horizon 2: from that step on no deviation pays, in any state.

Checked: an independent checker accepts this strategy as optimal.
";
    assert_eq!(report, expected);
}

/// A ring of 45 states: the start comes first, and unreachable states come last.
#[test]
fn the_start_comes_first_and_the_rest_is_told_in_one_line() {
    let folder = Folder::new();
    let mut model = String::from("start: s40\nprincipals: {p: 1/2, q: 1/3}\nstates:\n");
    for state in 0..45 {
        // From s40 the run goes on to s44 and then round from s3 on; it never reaches s0 to s2.
        let next = if state == 44 { 3 } else { state + 1 };
        model += &format!("  s{state}: {{go: {{reward: 1, to: s{next}}}, rest: {{to: s{state}}}}}\n");
    }
    folder.write("ring.yaml", model);
    let report = folder.run(&["solve", "ring.yaml"]).done().stdout;
    assert!(report.contains("\nWhat to do now, in s40: go\n"), "{report}");
    let strategy = report.split("Strategy from s40\n").nth(1).unwrap();
    let lines: Vec<&str> = strategy.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "  state  from step  action",
            "  s40            0  always go",
            "  s41            1  always go",
            "  s42            2  always go"
        ]
    );
    assert_eq!(lines[6], "  s3             5  always go");
    assert_eq!(lines[31], "  … 12 more states are met later, and 3 states are never met; --all-states shows");
    assert_eq!(lines[32], "    all of them.");
    let every = folder.run(&["solve", "ring.yaml", "--all-states"]).done().stdout;
    assert!(every.contains("\n  s2         never  always go\n"), "{every}");
}

#[test]
fn a_state_is_shown_at_the_steps_at_which_it_is_met() {
    let report = Folder::new().run(&["solve", paper("three-sat.yaml").to_str().unwrap()]).done().stdout;
    // Reached from step 2 on only, and at step 3 for the last time.
    assert!(report.contains("\n  x              2  bot before step 3, then top\n"), "{report}");
    assert!(report.contains("\n  not x          3  always top\n"), "{report}");
    let memory = "Memory 3: it counts 3 steps, then follows the long-term strategy for ever.\n  Another strategy is as good and need not count; `commonweal positional` finds\n  it.\n";
    assert!(report.contains(memory), "{report}");
    let hotel = Folder::new().run(&["solve", paper("hotel.yaml").to_str().unwrap()]).done().stdout;
    assert!(hotel.contains("\nMemory 2: it counts 2 steps, then follows the long-term strategy for ever.\nHorizon 2:"));
}

#[test]
fn an_optimum_that_is_not_the_only_one_says_what_another_gives() {
    let folder = Folder::new();
    folder.write("gift.yaml", GIFT);
    let report = folder.run(&["solve", "gift.yaml"]).done().stdout;
    assert!(
        report.contains("\nNot the only optimum: another strategy of the same welfare gives alice 0, bob 1.\n"),
        "{report}"
    );
    let json = folder.run(&["solve", "gift.yaml", "--json"]).done().json();
    assert_eq!(json["other_payoffs"]["bob"]["exact"], "1");
    assert_eq!(json["needs_counting"], false);
    let hotel = folder.run(&["solve", paper("hotel.yaml").to_str().unwrap(), "--json"]).done().json();
    assert_eq!((hotel.get("other_payoffs"), hotel.get("needs_counting")), (None, None));
}

#[test]
fn tables_fit_eighty_columns_whatever_the_names_and_however_many_principals() {
    let folder = Folder::new();
    let discounts: Vec<String> = (1..=15).map(|k| format!("0.{:02}", 5 * k + 3)).collect();
    folder
        .run(&["generate", "random", "--states", "6", "--discounts", &discounts.join(","), "--out", "many.yaml"])
        .done();
    // With fifteen principals a fair rule may take more than its counted work.
    let compared = folder.run(&["solve", "many.yaml", "--compare", "--explain"]);
    assert!(matches!(compared.code, 0 | 3), "{compared:?}");
    fits(&compared);
    // Every principal's payoff under every class, and under its own best strategy.
    assert!(
        compared.stdout.contains("\n  principal    counting  stationary  positional   long-term    own best\n"),
        "{}",
        compared.stdout
    );
    let rows = compared.stdout.lines().filter(|line| line.starts_with("  p14 ")).count();
    assert!(rows >= 2, "{}", compared.stdout);
    assert!(compared.stdout.contains("3 less patient principals; --json has all of them"));
    let mut wide = String::from("principals: {p: 1/2, q: 1/3}\nstates:\n  s:\n");
    for action in 0..9 {
        wide += &format!(
            "    an action with a rather long name, number {action}: {{reward: {{p: {}, q: {}}}, to: s}}\n",
            action * action,
            100 - 7 * action
        );
    }
    folder.write("wide.yaml", wide);
    for command in ["solve", "positional", "stationary"] {
        fits(&folder.run(&[command, "wide.yaml"]).done());
    }
}

#[test]
fn what_is_next_to_nothing_is_said_so_and_not_written_out() {
    let spaced = paper("spaced-10.yaml");
    let report = Folder::new().run(&["solve", spaced.to_str().unwrap(), "--explain", "--compare"]).done();
    fits(&report);
    let text = &report.stdout;
    assert!(text.contains("  p1            11/21  1.490323     +1.490323          ≈ 0\n"), "{text}");
    assert!(text.contains("  best positional         2.204608      ≈ 0  0.714286  1.490323\n"), "{text}");
    assert!(text.contains("  At steps 736 to 760 it is negligible, below 10^-12 of the welfare.\n"), "{text}");
    assert!(!text.contains("e-2") && !text.contains("e-4"), "{text}");
}

#[test]
fn a_comparison_that_runs_out_of_time_keeps_its_rows_and_says_so() {
    let folder = Folder::with_hotel();
    let stopped = folder.run(&["solve", "hotel.yaml", "--compare", "--time-limit", "0"]);
    assert_eq!(stopped.code, 3, "{stopped:#?}");
    assert!(
        stopped
            .stdout
            .contains("\nStopped: the time limit was reached. What is not known lies between the bounds\n  shown.\n")
    );
    for row in
        ["best of all (counting)", "best stationary", "best positional", "long-term", "best for alice", "best for bob"]
    {
        assert!(stopped.stdout.contains(&format!("\n  {row} ")), "{row}: {}", stopped.stdout);
    }
    let json = folder.run(&["solve", "hotel.yaml", "--compare", "--time-limit", "0", "--json"]);
    assert_eq!(json.code, 3);
    let json = json.json();
    let rows = json["comparison"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    for row in rows {
        assert_eq!(row["status"], "stopped");
        assert_eq!(row["payoffs"].as_object().unwrap().len(), 2);
    }
}

/// `value` is a double between the others, wherever there are `lower` and `upper`.
fn check_numbers(json: &Value, seen: &mut usize, with_fractions: bool) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| check_numbers(item, seen, with_fractions)),
        Value::Object(map) => {
            if let (Some(lower), Some(upper)) = (map.get("lower"), map.get("upper")) {
                let value = map.get("value").unwrap_or_else(|| panic!("no value in {map:?}")).as_f64().unwrap();
                assert!(lower.as_f64().unwrap() <= value && value <= upper.as_f64().unwrap(), "{map:?}");
                assert_eq!(map.contains_key("exact"), with_fractions, "{map:?}");
                *seen += 1;
            }
            map.values().for_each(|value| check_numbers(value, seen, with_fractions));
        }
        _ => {}
    }
}

#[test]
fn every_number_of_every_document_has_a_value() {
    let folder = Folder::with_hotel();
    folder.run(&["solve", "hotel.yaml", "--strategy", "s.json"]).done();
    let commands: [&[&str]; 8] = [
        &["solve", "hotel.yaml", "--compare", "--explain"],
        &["solve", "hotel.yaml", "--gap", "1e-9"],
        &["solve", "hotel.yaml", "--layer-limit", "1"],
        &["evaluate", "hotel.yaml", "s.json"],
        &["simulate", "hotel.yaml", "s.json", "--runs", "10"],
        &["positional", "hotel.yaml"],
        &["stationary", "hotel.yaml"],
        &["sweep", "hotel.yaml", "--vary", "bob=0.2..0.4", "--steps", "2"],
    ];
    for command in commands {
        for (options, with_fractions) in [(&["--json"][..], true), (&["--json", "--no-exact"], false)] {
            let mut seen = 0;
            check_numbers(&folder.run(&[command, options].concat()).json(), &mut seen, with_fractions);
            assert!(seen > 0, "{command:?}");
        }
    }
    folder.run(&["solve", "hotel.yaml", "--no-exact"]).refused(&["--json"]);
}

#[test]
fn the_hotel_says_what_each_would_get_alone_and_in_the_long_term() {
    let folder = Folder::with_hotel();
    let json = folder.run(&["solve", "hotel.yaml", "--json"]).done().json();
    let start = &json["states"]["s0"];
    // Alone, Alice would rebuild at once and Bob never.
    assert_eq!(
        (&start["own_best"]["alice"]["exact"], &start["own_best"]["bob"]["exact"]),
        (&json!("11"), &json!("9/2"))
    );
    assert_eq!(start["long_term_payoffs"]["bob"]["exact"], "2");
    assert_eq!(start["welfare"]["value"], 127.0 / 9.0);
    assert_eq!((&start["reachable"], &start["met_from"]), (&json!(true), &json!(0)));
    assert_eq!(json["states"]["s1"]["met_from"], 3);
    assert!(json["states"]["s1"].get("own_best").is_none());
    let inside = |number: &Value, truth: f64| {
        number["lower"].as_f64().unwrap() <= truth && truth <= number["upper"].as_f64().unwrap()
    };
    for options in [&["--gap", "1e-9"][..], &["--time-limit", "0"]] {
        let json = folder.run(&[&["solve", "hotel.yaml", "--json"], options].concat()).json();
        let own = &json["states"]["s0"]["own_best"];
        assert!(inside(&own["alice"], 11.0) && inside(&own["bob"], 4.5), "{own}");
    }
    let narrow = folder.run(&["solve", "hotel.yaml", "--json", "--gap", "1e-9"]).done().json();
    let own = &narrow["states"]["s0"]["own_best"]["bob"];
    assert!(own["upper"].as_f64().unwrap() - own["lower"].as_f64().unwrap() < 1e-6);
}

/// The best for a principal with costs is the least cost.
#[test]
fn own_best_is_the_least_for_a_negative_weight() {
    let folder = Folder::new();
    let text = "
principals: {gold: 1/2, attacks: {discount: 1/2, weight: -1}}
states:
  home: {stay: {to: home}, dig: {reward: {gold: 5, attacks: 1}, to: home}}
  island: {swim: {to: home}}
";
    folder.write("dig.yaml", text);
    for options in [&[][..], &["--gap", "1e-9"]] {
        let json = folder.run(&[&["solve", "dig.yaml", "--json"], options].concat()).done().json();
        let home = &json["states"]["home"];
        assert!((home["payoffs"]["attacks"]["value"].as_f64().unwrap() - 2.0).abs() < 1e-6);
        assert!(home["own_best"]["attacks"]["value"].as_f64().unwrap().abs() < 1e-6, "{home}");
        assert!((home["own_best"]["gold"]["value"].as_f64().unwrap() - 10.0).abs() < 1e-6);
        // Nothing leads to the island.
        assert_eq!(json["states"]["island"]["reachable"], false);
        assert_eq!(json["states"]["island"]["met_from"], Value::Null);
    }
}

#[test]
fn an_explanation_is_for_programs_too() {
    let folder = Folder::with_hotel();
    let json = folder.run(&["solve", "hotel.yaml", "--explain", "--json"]).done().json();
    let explanation = &json["explanation"];
    assert_eq!(explanation["values"]["s0"]["alice"]["exact"], "11");
    let deviation = &explanation["deviations"][0];
    assert_eq!((&deviation["state"], &deviation["action"]), (&json!("s0"), &json!("a")));
    assert_eq!(deviation["advantages"]["bob"]["exact"], "5/3");
    assert_eq!((&deviation["pays_from"], &deviation["pays_until"]), (&json!(0), &json!(2)));
    assert_eq!(explanation["layers"][0]["gains"][0]["total"]["exact"], "1/9");
    assert_eq!(explanation["changes"][0]["better_for"], json!(["alice"]));
    assert_eq!(explanation["changes"][0]["worse_for"], json!(["bob"]));
}

#[test]
fn tables_go_to_comma_separated_values() {
    let folder = Folder::with_hotel();
    folder.run(&["solve", "hotel.yaml", "--csv", "who.csv", "--strategy", "s.json"]).done();
    let expected = "\
strategy,state,quantity,principal,discount,weight,value,lower,upper,exact
counting,s0,payoff,alice,2/3,1,9.88888888888889,9.888888888888888,9.88888888888889,89/9
counting,s0,payoff,bob,1/3,1,4.222222222222222,4.222222222222221,4.222222222222222,38/9
counting,s0,welfare,,,,14.11111111111111,14.11111111111111,14.111111111111112,127/9
long-term,s0,payoff,alice,2/3,1,11,11,11,11
long-term,s0,payoff,bob,1/3,1,2,2,2,2
long-term,s0,welfare,,,,13,13,13,13
best for alice,s0,payoff,alice,2/3,1,11,11,11,11
best for bob,s0,payoff,bob,1/3,1,4.5,4.5,4.5,9/2
";
    assert_eq!(folder.read("who.csv"), expected);
    folder.run(&["solve", "hotel.yaml", "--compare", "--csv", "compared.csv"]).done();
    let compared = folder.read("compared.csv");
    assert_eq!(compared.lines().count(), 1 + 11 * 3);
    assert!(compared.contains("\npositional,s0,welfare,,,,13.5,13.5,13.5,27/2\n"), "{compared}");
    assert!(compared.contains("\nbest for bob,s0,payoff,alice,2/3,1,9,9,9,9\n"), "{compared}");
    folder.run(&["evaluate", "hotel.yaml", "s.json", "--all-states", "--csv", "worth.csv"]).done();
    let worth = folder.read("worth.csv");
    assert!(worth.contains("\ngiven,s1,payoff,alice,2/3,1,18,18,18,18\n"), "{worth}");
    folder.run(&["solve", "hotel.yaml", "--csv", "x", "--strategy", "x"]).refused(&["--strategy and --csv"]);
    folder.run(&["solve", "hotel.yaml", "--csv", "hotel.yaml"]).refused(&["it is the file that is read"]);
    // A short decimal stays one: the double nearest to 11/100 is read back from 0.11.
    folder.write("cent.yaml", "principals: {p: 0}\nstates: {s: {a: {reward: 0.11, to: s}}}\n");
    folder.run(&["solve", "cent.yaml", "--csv", "cent.csv"]).done();
    assert!(folder.read("cent.csv").contains("counting,s,welfare,,,,0.11,0.10999999999999999,0.11,11/100\n"));
    folder.run(&["sweep", "cent.yaml", "--vary", "p=0.1..0.11", "--steps", "1", "--csv", "sweep.csv"]).done();
    assert!(folder.read("sweep.csv").contains(",11/100,0.11,"), "{}", folder.read("sweep.csv"));
}

/// D_0 = 2, D_1 = −1.25 and D_2 > 0: a deviation that pays, does not, and pays again.
#[test]
fn a_deviation_that_pays_off_and_on_is_not_said_to_pay_throughout() {
    let folder = Folder::new();
    let text = "principals: {p0: 19/20, p1: 4/5, p2: 2/5, p3: 1/20}
states:
  a: {x: {to: a}, y: {reward: {p0: -1, p1: 5, p2: -12, p3: 10}, to: a}}
";
    folder.write("gap.yaml", text);
    let explained = folder.run(&["solve", "gap.yaml", "--explain"]).done().stdout;
    assert!(explained.contains("some of steps 0 to 9"), "{explained}");
    folder.write("none.yaml", text.replace("p2: -12", "p2: -1"));
    let explained = folder.run(&["solve", "none.yaml", "--explain"]).done().stdout;
    assert!(explained.contains("  steps 0 to 9"), "{explained}");
}

/// Everybody's rewards cancel: 10/3 − 10/3. What doubles leave of it are bounds around 0, and the report says no more than that.
#[test]
fn bounds_around_nothing_are_told_as_nothing_within_rounding() {
    let folder = Folder::new();
    let same = "reward: {a: 1/3, b: -2/3}";
    folder.write(
        "zero.yaml",
        format!(
            "principals: {{a: 0.9, b: 0.8}}\nstates:\n  s: {{x: {{{same}, to: s}}, y: {{{same}, to: {{s: 1/2, t: 1/2}}}}}}\n  t: {{x: {{{same}, to: t}}}}\n"
        ),
    );
    folder.run(&["solve", "zero.yaml", "--exact", "--strategy", "zero.json", "--quiet"]).done();
    for command in [
        &["solve", "zero.yaml", "--gap", "1e-9", "--all-states"][..],
        &["solve", "zero.yaml", "--gap", "1e-9", "--compare"],
        &["evaluate", "zero.yaml", "zero.json", "--gap", "1e-9"],
        &["fair", "zero.yaml", "--rule", "welfare", "--gap", "1e-6"],
        &["fair", "zero.yaml", "--rule", "max-min", "--gap", "1e-6"],
    ] {
        let ran = folder.run(command).done();
        fits(&ran);
        assert!(ran.stdout.contains("0 ± "), "{command:?}: {}", ran.stdout);
        for noise in ["e-14", "e-13", "e-15"] {
            for (at, _) in ran.stdout.match_indices(noise) {
                let digit = ran.stdout[..at].chars().next_back().unwrap();
                let before = ran.stdout[..at - 1].trim_end_matches(' ');
                assert!(digit.is_ascii_digit(), "{}", ran.stdout);
                let is_told = ["±", "−", "+"].iter().any(|sign| before.ends_with(&format!("0 {sign}")));
                assert!(is_told, "{command:?}: {}", ran.stdout);
            }
        }
    }
}

/// The tail is assumed to be the long-term strategy, and it is not: fractions find another one.
#[test]
fn a_strategy_that_follows_an_assumed_tail_is_not_called_the_long_term_one() {
    let folder = Folder::new();
    let family = ["generate", "random", "--states", "8", "--actions", "2", "--successors", "1", "--seed", "67"];
    let model = folder.run(&[&family[..], &["--discounts", "0.9,0.8,0.7,0.6,0.5,0.4,0.3"]].concat()).done().stdout;
    folder.write("random.yaml", model);
    let report = folder.run(&["solve", "random.yaml", "--gap", "1e-1"]).done().stdout;
    assert!(report.contains("Memory 0: it is the strategy of the tail, and need not count."), "{report}");
    assert!(report.contains("assumed and not\n  proven to be the long-term one"), "{report}");
    let row = report.lines().find(|line| line.trim_start().starts_with("welfare ")).unwrap();
    assert!(row.ends_with("  0"), "the tail gains nothing over itself: {report}");
}

/// In the end `stay` and `go` tie, because nothing counts then; before the end `go` is better. The strategy deviates from nothing, and what it
/// gains comes from the choice among ties.
#[test]
fn what_ties_in_the_end_gain_is_not_called_deviating() {
    let folder = Folder::new();
    folder.write(
        "ends.yaml",
        "principals: {pm: {discount: 1/2, until: 2}}\nstates:\n  s: {stay: {to: s}, go: {reward: 2, to: t}}\n  t: {rest: {to: t}}\n",
    );
    let report = folder.run(&["solve", "ends.yaml"]).done().stdout;
    let told = "The long-term strategy earns 0; the best of the choices that tie in the end gains 2.";
    assert!(report.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{report}");
    assert!(report.contains("Memory 0: it takes long-term actions from the start"), "{report}");
}

/// With segments the bounds on two payoffs do not tell that the strategies are the same one; the strategy itself does.
#[test]
fn the_long_term_strategy_in_segments_gains_nothing_over_itself() {
    let folder = Folder::new();
    folder.write(
        "one.yaml",
        "principals: {a: {discount: 0.9, until: 7}, b: 0.8}\nstates:\n  s: {go: {reward: 1/3, to: t}, rest: {to: s}}\n  t: {go: {reward: 1/7, to: s}, rest: {to: t}}\n",
    );
    let report = folder.run(&["solve", "one.yaml", "--gap", "1e-9"]).done().stdout;
    for name in ["a ", "b ", "welfare "] {
        let row = report.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(row.ends_with("  0"), "{report}");
    }
    assert!(report.contains("Memory 0: it is the long-term strategy, and need not count."), "{report}");
}

#[test]
fn bounds_that_are_one_number_are_not_a_size_apart() {
    let folder = Folder::new();
    folder.write(
        "nothing.yaml",
        "principals: {g: {gamma: {mean: 4%, sd: 3%}, error: 1e-3}}\nstates: {s: {a: {to: s}}}\n",
    );
    let report = folder.run(&["solve", "nothing.yaml"]).done().stdout;
    assert!(report.contains("The bounds are the same number.") && !report.contains("apart"), "{report}");
    let json = folder.run(&["solve", "nothing.yaml", "--json"]).done().json();
    assert_eq!(json["states"]["s"]["welfare"]["upper"], 0.0, "{json}");
}

/// What can be chosen but ties for ever is no deviation, and still a choice; the items are numbered in order.
#[test]
fn other_choices_that_tie_are_not_said_to_be_missing() {
    let folder = Folder::new();
    let numbers = |text: &str| -> Vec<usize> {
        let items = text.lines().filter_map(|line| line.split_once(". "));
        items.filter_map(|(number, _)| number.parse().ok()).collect()
    };
    for (states, told) in [
        (
            "s: {a: {reward: 1, to: s}, b: {reward: 1, to: s}}",
            "There is nothing to deviate to: the long-term strategy may take every choice.",
        ),
        ("s: {a: {reward: 1, to: s}}", "There is no other choice: nothing to deviate to."),
        (
            "s: {a: {reward: 1, to: s}}\n  t: {a: {to: s}, b: {to: t}}",
            "In the states that can be reached there is no other choice: nothing to deviate to.",
        ),
    ] {
        for entry in ["1/2", "{discount: 1/2, until: 3}"] {
            folder.write("ties.yaml", format!("principals: {{p: {entry}, q: 1/3}}\nstates:\n  {states}\n"));
            let text = folder.run(&["solve", "ties.yaml", "--explain"]).done().stdout;
            assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{text}");
            let numbers = numbers(&text);
            assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{text}");
        }
    }
}
