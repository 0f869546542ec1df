//! Time preferences as people state them: what is said of them is true, and an explanation never makes an answer worse.

use crate::program::Folder;

/// Schedules beside mixtures: in fractions neither ends within minutes, in doubles both take a moment.
const MIXED: &str = "principals:
  p0: {rate: 53.7%, weight: 2}
  p1: {schedule: green-book, weight: 1/3}
  p2: {gamma: {mean: 77/100, sd: 77/200}, error: 1e-8}
  p3: {gamma: {mean: 23/50, sd: 23/250}, error: 1e-8}
states:
  s0:
    a0: {reward: {p0: -3, p1: 4, p2: 0, p3: 1}, to: {s0: 5/12, s1: 5/12, s2: 1/6}}
    a1: {reward: {p0: 4, p1: 2, p2: -3, p3: -4}, to: {s2: 1}}
    a2: {reward: {p0: 1, p1: -3, p2: -1, p3: -4}, to: {s0: 1/2, s1: 1/2}}
  s1:
    a0: {reward: {p0: 0, p1: -1, p2: 4, p3: 0}, to: {s1: 1}}
    a1: {reward: {p0: -1, p1: 3, p2: -2, p3: -1}, to: {s0: 1/2, s2: 1/2}}
  s2:
    a0: {reward: {p0: 4, p1: -4, p2: 0, p3: -1}, to: {s1: 1}}
";
const HYPERBOLIC: &str = "principals:
  p0: {hyperbolic: 11/100, hazard: 4%, error: 1e-4}
  p1: {schedule: {6: 6.6%, 7: 0.199, 12: 19.7%}, weight: -5/2}
  p2: {hyperbolic: 183/100, hazard: 0.29, weight: 1/3}
  p3: {hyperbolic: 43/50, hazard: 4%, error: 1e-4, weight: -5/2}
states:
  s0:
    a0: {reward: {p0: -8/7, p1: -18/7, p2: 0, p3: 23}, to: {s0: 1/3, s1: 1/4, s2: 5/12}}
    a1: {reward: {p0: -16/7, p1: 12/7, p2: -23/3, p3: -9/5}, to: {s1: 2/3, s2: 1/3}}
  s1:
    a0: {reward: {p0: -5, p1: -1, p2: -8/7, p3: -4/5}, to: {s0: 1}}
    a1: {reward: {p0: -15/7, p1: -13/3, p2: 9, p3: 17/10}, to: {s0: 1}}
  s2:
    a0: {reward: {p0: -14/3, p1: -11/7, p2: -29, p3: -10/3}, to: {s1: 1}}
    a1: {reward: {p0: 18, p1: -25, p2: -1/7, p3: 1/2}, to: {s1: 1}}
";

/// One principal, who builds once for ever or waits.
fn investment(entry: &str) -> String {
    format!(
        "step: year\nprincipals:\n  fund: {entry}\nstates:\n  idea: {{wait: {{to: idea}}, build: {{reward: -1, to: built}}}}\n  \
         built: {{run: {{reward: 0.032, to: built}}}}\n"
    )
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn an_explanation_leaves_the_answer_as_it_is() {
    let folder = Folder::new();
    for (name, model) in [("mixed.yaml", MIXED), ("hyperbolic.yaml", HYPERBOLIC)] {
        folder.write(name, model);
        let plain = folder.run(&["solve", name, "--quiet", "--json"]).done().json();
        let explained = folder.run(&["solve", name, "--quiet", "--json", "--explain"]).done().json();
        for key in ["engine", "states", "checked", "horizon", "status"] {
            assert_eq!(plain[key], explained[key], "{name}: {key}");
        }
        assert!(explained["explanation"]["deviations"].as_array().is_some_and(|all| !all.is_empty()), "{explained}");
        let text = words(&folder.run(&["solve", name, "--quiet", "--explain"]).done().stdout);
        assert!(text.contains("How it is found") && text.contains("3. Horizon: from step"), "{text}");
        assert!(text.contains("which is proven in doubles, begins at step"), "{text}");
    }
}

#[test]
fn a_certificate_that_a_time_limit_prevents_is_told_in_a_note() {
    let folder = Folder::new();
    folder.write("mixed.yaml", MIXED);
    // Fractions do not end within the limit, and the bounds are those of a short look in doubles.
    let ran = folder.run(&["solve", "mixed.yaml", "--exact", "--certificate", "y.cert", "--time-limit", "0.5"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stdout.contains("the time limit was reached") && ran.stdout.contains("at most"), "{}", ran.stdout);
    assert!(words(&ran.stderr).contains("note: no certificate: the solve was stopped"), "{}", ran.stderr);
    assert!(!folder.files().contains(&"y.cert".to_owned()));
}

/// The error of the mixture exceeds the gap by default, and the discounts of its nodes are too near 1 for doubles to reach that gap.
#[test]
fn an_evaluation_without_a_gap_is_done_and_one_with_a_gap_names_the_error() {
    let folder = Folder::new();
    let model = "principals:
  p0: {schedule: {2: 56.3%, 4: 0.122, 12: 26.4%}}
  p1: {hyperbolic: 41/50, hazard: 0.23, error: 1e-8}
  p2: {survey: [57.4%, 0.073], weight: 0}
states:
  s0:
    a0: {reward: {p0: 0, p1: -1, p2: 0}, to: {s1: 1}}
    a1: {reward: {p0: 0, p1: -1, p2: 1}, to: {s2: 1}}
  s1:
    a0: {reward: {p0: 0, p1: 1, p2: 0}, to: {s2: 1}}
    a1: {reward: {p0: 0, p1: 1, p2: 0}, to: {s1: 1}}
  s2:
    a0: {reward: {p0: -1, p1: 0, p2: 0}, to: {s0: 1/4, s1: 3/4}}
";
    folder.write("m.yaml", model);
    folder.run(&["solve", "m.yaml", "--strategy", "s.json", "--quiet"]).done();
    let text = words(&folder.run(&["evaluate", "m.yaml", "s.json", "--quiet"]).done().stdout);
    assert!(text.contains("Evaluated for a mixture of") && !text.contains("Stopped"), "{text}");
    let missed = folder.run(&["evaluate", "m.yaml", "s.json", "--quiet", "--gap", "1e-9"]);
    assert_eq!(missed.code, 3, "{missed:#?}");
    let text = words(&missed.stdout);
    assert!(text.contains("For the gap, write `error: 1e-") && !text.contains("doubles cannot"), "{text}");
}

/// The weight at step 1 is (1 + sd²/mean)^(−mean²/sd²), and e^(−mean) without a spread.
#[test]
fn what_is_said_of_gamma_is_what_it_counts() {
    let folder = Folder::new();
    for (mean, sd) in [(0.6_f64, 0.1_f64), (0.77, 0.385), (1.0, 0.2)] {
        let counts = (1.0 + sd * sd / mean).powf(-(mean / sd).powi(2));
        folder.write("g.yaml", investment(&format!("{{gamma: {{mean: {mean}, sd: {sd}}}}}")));
        let said = words(&folder.run(&["solve", "g.yaml"]).done().stderr);
        assert!(said.contains(&format!("one year later counts {:.1}% of one now", 100.0 * counts)), "{said}");
        let factor = format!("write `discount: {mean}` in place of `gamma`: then it counts {:.1}%", 100.0 * mean);
        assert_eq!(said.contains(&factor), mean < 1.0, "{said}");
    }
    folder.write("g.yaml", investment("{gamma: {mean: 4%, sd: 0}}"));
    let refused = words(&folder.run(&["solve", "g.yaml"]).stderr);
    let (rate, discount) = (0.04_f64.exp_m1(), (-0.04_f64).exp());
    assert!(refused.contains(&format!("`rate: {:.4}%`, the discount {discount:.6}", 100.0 * rate)), "{refused}");
    folder.write("g.yaml", investment("{gamma: {mean: 4, sd: 3}}"));
    let refused = words(&folder.run(&["solve", "g.yaml"]).stderr);
    assert!(refused.contains("did you mean `mean: 4%`") && !refused.contains("discount"), "{refused}");
}

#[test]
fn small_discounts_are_doubted_for_all_who_have_them() {
    let folder = Folder::new();
    let model = |one: &str, other: &str| {
        format!("step: year\nprincipals:\n  stern: {one}\n  nord: {other}\nstates:\n  s: {{a: {{reward: 1, to: s}}}}\n")
    };
    folder.write("two.yaml", model("0.014", "0.045"));
    let said = words(&folder.run(&["solve", "two.yaml"]).done().stderr);
    assert!(said.contains("every discount is below 0.3. With the discount 0.045 "), "{said}");
    assert!(said.contains("The same holds for 0.014 of `stern` (`{rate: 1.4%}`)."), "{said}");
    folder.write("two.yaml", model("{beta: 0.7, delta: 0.2}", "1/5"));
    let said = words(&folder.run(&["solve", "two.yaml"]).done().stderr);
    assert!(said.contains("every discount is below 0.3. With the delta 0.2 "), "{said}");
    assert!(said.contains("write `delta: 5/6`") && said.contains("0.2 of `nord` (`{rate: 20%}`)"), "{said}");
    folder.write("two.yaml", model("{beta: 0.7, delta: 0.2}", "{rate: 3%}"));
    assert_eq!(folder.run(&["solve", "two.yaml"]).done().stderr, "");
}

#[test]
fn errors_of_entries_say_what_is_there() {
    let folder = Folder::new();
    for (entry, said) in [
        ("{gamma: {mean: 4%, sd: 3%}, error: 2}", "the error is 2 "),
        ("{schedule: {0: 3%, 0: 4%}}", "step 0 is there twice"),
        ("{schedule: {5: 3%, 0: 4%}}", "step 0 comes after step 5"),
    ] {
        folder.write("m.yaml", investment(entry));
        let ran = folder.run(&["solve", "m.yaml"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(words(&ran.stderr).contains(said), "{entry}: {}", ran.stderr);
    }
}

/// V of the last segment, for a run that is there at year 300, counts as it does seen from year 0: 0.032 a year from then on.
#[test]
fn values_of_the_last_segment_say_where_they_stand() {
    let folder = Folder::new();
    folder.write("green.yaml", investment("{schedule: green-book}"));
    let explanation = &folder.run(&["solve", "green.yaml", "--explain", "--json"]).done().json()["explanation"];
    assert_eq!(explanation["at_step"], 300);
    let falls = [(1.035_f64, 30), (1.03, 45), (1.025, 50), (1.02, 75), (1.015, 100)];
    let counts: f64 = falls.iter().map(|(growth, years)| growth.powi(-years)).product();
    let value = explanation["values"]["built"]["fund"]["value"].as_f64().unwrap();
    assert!((value / (0.032 * counts * 1.01 / 0.01) - 1.0).abs() < 1e-9, "{value} {counts}");
    let text = words(&folder.run(&["solve", "green.yaml", "--explain"]).done().stdout);
    assert!(text.contains("V in a run that is there at year 300, seen from year 0"), "{text}");
    folder.write("plain.yaml", investment("3/4"));
    assert_eq!(folder.run(&["solve", "plain.yaml", "--explain", "--json"]).done().json()["explanation"]["at_step"], 0);
}

/// The intervals of doubles around nothing have exponents near 10^-300.
#[test]
fn an_annuity_of_nothing_is_shown_as_the_payoff_is() {
    let folder = Folder::new();
    let principals = "principals: {a: {gamma: {mean: 13%, sd: 4%}}, b: {rate: 5%}, c: {schedule: green-book}}";
    let s = "s: {x: {reward: {b: 1}, to: {s: 1/2, t: 1/2}}, y: {reward: {c: 1}, to: t}}";
    let t = "t: {x: {reward: {b: 2, c: 1}, to: {s: 1/3, t: 2/3}}, y: {reward: {c: -1, b: 3}, to: s}}";
    folder.write("m.yaml", format!("{principals}\nstates:\n  {s}\n  {t}\n"));
    for more in [&[][..], &["--outlook"]] {
        let text = folder.run(&[&["solve", "m.yaml", "--gap", "1e-3", "--quiet"], more].concat()).done().stdout;
        let own: Vec<&str> = text.lines().filter(|line| line.starts_with("  a ")).collect();
        assert!(own.iter().all(|line| line.contains("≈ 0") && !line.contains('[')), "{text}");
    }
}

#[test]
fn pictures_say_what_they_leave_out() {
    let folder = Folder::new();
    let drawn = |file: &str, kind: &str| {
        folder.run(&["plot", file, "--kind", kind, "--out", "plot.svg", "--quiet"]).done();
        words(&folder.read("plot.svg"))
    };
    folder.write("far.yaml", investment("{gamma: {mean: 4%, sd: 3%}}"));
    assert!(drawn("far.yaml", "payoffs").contains("The picture ends at year"));
    folder.write("near.yaml", "principals: {p: 0.9}\nstates: {s: {a: {reward: 1, to: s}}}\n");
    assert!(!drawn("near.yaml", "payoffs").contains("The picture ends"));
    let term = "principals:\n  fund: {rate: 0.4%}\n  minister: {rate: 0.3%, until: 48, weight: 2}\n";
    folder.write("term.yaml", format!("step: month\n{term}states:\n  s: {{a: {{reward: 1, to: s}}}}\n"));
    // The sum of the weights at month 48 over that at month 47: two of three are gone.
    let before = 2.0 * 1.003_f64.powi(-47) + 1.004_f64.powi(-47);
    let rate = before / 1.004_f64.powi(-48) - 1.0;
    let beyond = format!("Beyond the axis, at month 47: all together {} %", (1e4 * rate).round() / 100.0);
    let picture = drawn("term.yaml", "rates");
    assert!(picture.contains(&beyond), "{beyond}: {picture}");
}
