//! What an economist met: readings that may not be meant, cures, and reports of rates and costs.

use crate::program::Folder;
use unicode_width::UnicodeWidthStr;

const CARE: &str = "step: year
principals:
  health: {rate: 1.5%, weight: 30000}
  costs: {rate: 3.5%, weight: -1}
states:
  ill: {treat: {reward: {health: 1, costs: 9000}, to: {ill: 1/2, dead: 1/2}}, wait: {reward: {health: 1/2}, to: {ill: 1/3, dead: 2/3}}}
  dead: {rest: {to: dead}}
";

/// A model of one principal with this entry, who can take 1 once and then gets nothing.
fn one(entry: &str) -> String {
    format!("step: year\nprincipals:\n  me: {entry}\nstates:\n  s: {{a: {{reward: 1, to: s}}, b: {{to: s}}}}\n")
}

fn folder() -> Folder {
    let folder = Folder::with_hotel();
    folder.write("care.yaml", CARE);
    folder
}

#[test]
fn rates_written_as_discounts_are_doubted_one_by_one() {
    let folder = folder();
    folder.write("mixed.yaml", CARE.replace("health: {rate: 1.5%", "health: {discount: 0.015"));
    let ran = folder.run(&["solve", "mixed.yaml"]).done();
    let warning = "warning: the discount of `health` may be a rate. With the discount 0.015 a reward one year later counts \
                   1.5% of one now. If a rate was meant, write `{rate: 1.5%}`: then it counts 98.5%.";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    assert!(!ran.stderr.contains("`costs`"), "{}", ran.stderr);
    // Beside kinds, the number says what it is.
    assert!(ran.stdout.contains("  discount 3/200  "), "{}", ran.stdout);
    let beside = folder.run(&["solve", "hotel.yaml", "--discount", "alice=0.014"]).done();
    assert!(beside.stderr.contains("the discount of `alice` may be a rate"), "{}", beside.stderr);
    // Models in which small discounts are meant.
    for meant in [
        ["alice=2/3", "bob=1/3"],
        ["alice=0.9", "bob=0.25"],
        ["alice=0.88", "bob=0.15"],
        ["alice=0.9", "bob=1/12"],
        ["alice=0.9", "bob=0"],
    ] {
        let ran = folder.run(&["solve", "hotel.yaml", "--discount", meant[0], "--discount", meant[1]]).done();
        assert_eq!(ran.stderr, "", "{meant:?}");
    }
    let quiet = folder.run(&["solve", "mixed.yaml", "--quiet"]).done();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn discount_factors_written_as_rates_are_doubted() {
    let folder = folder();
    for (entry, said) in [
        (
            "{rate: 1}",
            "the rate of `me` is 100%: a reward one year later counts 50.0% of one now. If 1% was meant, write `rate: 1%`: then it counts 99.0%.",
        ),
        (
            "{rate: 0.97}",
            "counts 50.8% of one now. If a discount factor was meant, write `discount: 0.97`: then it counts 97.0%.",
        ),
        (
            "{schedule: {0: 0.97, 30: 0.98}}",
            "the first rate in the schedule of `me` is 97%: a reward one year later counts 50.8% of one now. If a discount factor was meant, write `3/97`: then it counts 97.0%.",
        ),
        ("{survey: [0.99, 0.98]}", "a rate in the survey of `me` is 99%"),
        ("{gamma: {mean: 0.95, sd: 0.1}}", "the mean rate of `me` is 95%"),
    ] {
        folder.write("one.yaml", one(entry));
        let ran = folder.run(&["solve", "one.yaml"]).done();
        assert!(ran.stderr.contains("note: ") && ran.stderr.contains(said), "{entry}: {}", ran.stderr);
    }
    for entry in ["{rate: 49%}", "{schedule: {0: 3%, 30: 100%}}", "{survey: [1%, 20%]}"] {
        folder.write("one.yaml", one(entry));
        assert_eq!(folder.run(&["solve", "one.yaml"]).done().stderr, "", "{entry}");
    }
}

#[test]
fn entries_that_are_refused_say_what_to_write() {
    let folder = folder();
    for (entry, place, help) in [
        ("{beta: 0.7, delta: 5%}", "3:26", "a delta is a discount; for a rate of 5% write `delta: 100/105`"),
        ("{beta: 0.7, delta: 95%}", "3:26", "write `delta: 0.95`, or for a rate of 95% `delta: 100/195`"),
        ("{beta: 0.7, rate: 3%}", "3:19", "write `delta: 100/103` in place of `rate: 3%`: δ is 1/(1 + r)"),
        ("{beta: 0.7, discount: 0.95}", "3:19", "write `delta: 0.95` in place of `discount`"),
        ("{discount_rate: 3%}", "3:8", "write `rate`, such as `rate: 3%`"),
        ("{discount rate: 3%}", "3:8", "write `rate`, such as `rate: 3%`"),
        ("{quasi-hyperbolic: 0.7}", "3:8", "write `beta` and `delta`, such as `beta: 0.7, delta: 0.95`"),
        ("green-book", "3:7", "write `{schedule: green-book}`"),
        ("{rate: 3%, until: 4 years}", "3:25", "write 4, the number of steps"),
        ("{schedule: {ten: 3%}}", "3:19", "write a whole number of steps that is not negative, such as 4"),
        ("{rate: \"3,5%\"}", "3:14", "write `3.5%`, with a point"),
        ("{rate: 3,5%}", "3:16", "write decimals with a point, such as 3.5%: a comma ends the entry"),
        ("{hyperbolic: 1, hazard: 1%, error: 0}", "3:42", "an error lies between 1e-12 and 0.1"),
        ("{hazard: 1%}", "3:8", "add one, such as `hyperbolic: 0.1`"),
        ("{gamma: {mean: 4, sd: 1%}}", "3:15", "did you mean `mean: 4%`"),
        ("{schedule: {0: 3}}", "3:22", "did you mean `3%`"),
        ("{gamma: {mean: 3%, sd: 2.9%}}", "3:15", "write a greater error"),
        ("{schedule: green-book, until: 30}", "3:30", "or let the schedule end in a high rate, such as `30: 100%`"),
        ("{beta: 0.7, delta: 0.95, until: 30}", "3:32", "it goes with `discount` or `rate`; take it away"),
        ("{rate: 0%}", "3:14", "or say how many steps count, such as `until: 30`"),
        ("1", "3:7", "a discount of 1 needs an end, such as `until: 30`"),
        ("{rate: 0%, until: 1001}", "3:25", "give them a small rate"),
    ] {
        folder.write("one.yaml", one(entry));
        let ran = folder.run(&["solve", "one.yaml"]);
        ran.refused(&[help]);
        assert!(ran.stderr.contains(&format!("one.yaml:{place}: ")), "{entry}: {}", ran.stderr);
        assert!(!ran.stderr.contains("0e0"), "{}", ran.stderr);
        assert!(ran.printed_errors.lines().all(|line| line.width() <= 80), "{}", ran.printed_errors);
    }
}

#[test]
fn arguments_that_are_refused_say_what_to_write() {
    let folder = folder();
    for (args, help) in [
        (["solve", "--discount", "health=green-book"], "write --discount 'NAME={schedule: green-book}'"),
        (["solve", "--discount", "health={beta: 0.7}"], "principal `health` has a `beta` and no `delta`"),
        (["solve", "--rate", "health=1.5"], "did you mean --rate health=1.5%, which is the discount 0.985222?"),
        (["solve", "--rate", "health=1,5%"], "write --rate health=1.5%, with a point"),
        (["sweep", "--vary", "health.delta=0.1..0.2"], "write health.rate, health.discount or health.weight"),
        (["solve", "--outlook", "50"], "write --outlook=50"),
        (["solve", "--report", "page.pdf"], "--report: the page is HTML; name it page.html"),
    ] {
        let ran = folder.run(&[&[args[0], "care.yaml"], &args[1..]].concat());
        ran.refused(&[help]);
    }
    assert!(!folder.files().contains(&"page.pdf".to_owned()));
    // The weight −1 is what --minimise means; a weight of another size is not lost without a word.
    let ran = folder.run(&["solve", "care.yaml", "--minimise", "health"]).done();
    let note = "--minimise gives `health` the weight −1 in place of 30000; --weight health=-30000 keeps its size";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert_eq!(folder.run(&["solve", "hotel.yaml", "--minimise", "bob"]).done().stderr, "");
}

#[test]
fn steps_that_end_need_no_discount() {
    let folder = folder();
    let welfare = |entry: &str| {
        folder.write("one.yaml", one(entry));
        let solution = folder.run(&["solve", "one.yaml", "--json", "--quiet"]).done().json();
        solution["states"]["s"]["welfare"]["exact"].as_str().unwrap().to_owned()
    };
    assert_eq!(welfare("{rate: 0%, until: 30}"), "30");
    assert_eq!(welfare("{discount: 1, until: 30, weight: 2}"), "60");
    assert_eq!(welfare("{rate: 100%, until: 2}"), "3/2");
    // The hotel for two terms: 3 for waiting, −1 and then 6 a step for investing, over four steps.
    let hotel = ["solve", "hotel.yaml", "--json", "--discount", "alice={discount: 1, until: 4}", "--discount", "bob=0"];
    let solution = folder.run(&hotel).done().json();
    // alice: −1 + 6 + 6 + 6 beats 3 + 3 + 3 + 3; bob counts step 0 alone, 3 or −1. Investing at step 1: 3 − 1 + 6 + 6 + 3.
    assert_eq!(solution["states"]["s0"]["welfare"]["exact"], "17");
    folder.run(&["solve", "one.yaml", "--certificate", "one.cert", "--quiet"]).done();
    folder.run(&["check", "one.yaml", "one.cert"]).done();
    // What is written is read again.
    folder.write("one.yaml", one("{rate: 0%, until: 30}"));
    folder.run(&["convert", "one.yaml", "again.yaml"]).done();
    assert!(folder.read("again.yaml").contains("{rate: 0%, until: 30}"), "{}", folder.read("again.yaml"));
}

/// After the term nothing counts, so every action is a long-term action: saving at once earns more than spending for ever, and the
/// report must not say that it is the same. In year 40, −10 + 3·(1 − v^40)/(1 − v)·v against 2·(1 − v^40)/(1 − v), with v = 1/1.03.
#[test]
fn where_nothing_counts_in_the_end_the_long_term_strategy_is_not_said_to_earn_what_another_does() {
    let folder = folder();
    let term = "step: year\nprincipals:\n  pm: {rate: 3%, until: 40}\nstates:\n  a: {spend: {reward: 2, to: a}, save: {reward: -10, to: b}}\n  b: {live: {reward: 3, to: b}}\n";
    folder.write("term.yaml", term);
    let text = folder.run(&["solve", "term.yaml", "--compare", "--explain"]).done().stdout;
    let v: f64 = 1.0 / 1.03;
    let years = |n: i32| (1.0 - v.powi(n)) / (1.0 - v);
    let (saved, spent) = (-10.0 + 3.0 * v * years(39), 2.0 * years(40));
    assert!(text.contains(&format!("The long-term strategy earns {spent:.5}")), "{text}");
    assert!(text.contains(&format!("{saved:.6}")) && text.contains(&format!("+{:.6}", saved - spent)), "{text}");
    assert!(!text.contains("it is the long-term strategy") && !text.contains("\"\""), "{text}");
    assert!(text.contains("From year 40 on nothing counts any more"), "{text}");
    // The curve of what is earned goes on to the end of the term.
    folder.run(&["plot", "term.yaml", "--kind", "payoffs", "--out", "payoffs.svg"]).done();
    let picture = folder.read("payoffs.svg");
    assert!(picture.contains(">40<"), "{picture}");
}

/// A reward of 1 for ever under gamma-distributed rates with mean μ and sd σ is worth Σ_j (1 + jσ²/μ)^−(μ/σ)², which 10^7 terms and an
/// integral on either side enclose.
#[test]
fn an_explanation_includes_the_error_of_a_mixture() {
    let folder = folder();
    let (mean, sd): (f64, f64) = (0.1, 0.05);
    folder.write("gamma.yaml", one("{gamma: {mean: 10%, sd: 5%}, error: 1e-2}"));
    let (s, a) = (sd * sd / mean, (mean / sd).powi(2));
    let n = 10_000_000;
    let sum: f64 = (0..n).rev().map(|j| (1.0 + f64::from(j) * s).powf(-a)).sum();
    let tail = |from: f64| (1.0 + from * s).powf(1.0 - a) / (s * (a - 1.0));
    let truth = [sum + tail(f64::from(n)), sum + tail(f64::from(n) - 1.0)];
    let explanation =
        &folder.run(&["solve", "gamma.yaml", "--explain", "--json", "--quiet"]).done().json()["explanation"];
    let value = &explanation["values"]["s"]["me"];
    let bound = |key: &str| value[key].as_f64().unwrap();
    assert!(bound("lower") <= truth[0] && truth[1] <= bound("upper"), "{value} {truth:?}");
    assert!(bound("upper") - bound("lower") < 2e-2 * bound("upper") && value["exact"].is_null(), "{value}");
    let never = &explanation["deviations"][0]["advantages"]["me"];
    assert!(never["lower"].as_f64().unwrap() <= -1.0 && -1.0 <= never["upper"].as_f64().unwrap(), "{never}");
}

/// A thousandth of the weights' sum is more than a step sooner or later is worth: it is not known for whom that is better, and only for the
/// principal without a mixture that it is worse.
#[test]
fn what_the_error_of_a_mixture_leaves_open_is_not_told() {
    let folder = folder();
    let states = "states:\n  idea: {wait: {reward: {near: 1}, to: idea}, build: {reward: -1, to: built}}\n  built: {run: {reward: {far: 1/9}, to: built}}\n";
    for (error, better) in [("1e-3", "not known"), ("1e-9", "far")] {
        let principals =
            format!("principals: {{far: {{gamma: {{mean: 4%, sd: 3%}}, error: {error}}}, near: {{rate: 30%}}}}\n");
        folder.write("wait.yaml", principals + states);
        let text = folder.run(&["solve", "wait.yaml", "--exact", "--explain"]).done().stdout;
        let row = text.lines().find(|line| line.contains("  13     idea  wait  build  ")).unwrap();
        let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, ["13", "idea", "wait", "build", better, "near"], "{text}");
    }
}

/// A mixture beside hundreds of segments has weights of more bits than the format allows.
#[test]
fn a_certificate_that_no_checker_reads_is_not_written() {
    let folder = folder();
    folder.write(
        "long.yaml",
        "principals: {p: {schedule: green-book}, q: {gamma: {mean: 4%, sd: 3.9%}, error: 1e-3}}\nstates: {s: {a: {reward: 1, to: s}, b: {reward: {p: 3}, to: s}}}\n",
    );
    let ran = folder.run(&["solve", "long.yaml", "--certificate", "long.cert"]);
    assert!(ran.code != 0 && !folder.files().contains(&"long.cert".to_owned()), "{}", ran.stdout);
    assert!(ran.stderr.replace("\n", " ").contains("more than 2^16 bits"), "{}", ran.stderr);
    // The report says the same, and not that the model is large.
    let text = folder.run(&["solve", "long.yaml"]).done().stdout;
    assert!(text.contains("Not checked") && text.contains("more than 2^16 bits"), "{text}");
    assert!(!text.contains("is large") && !text.contains("proves it"), "{text}");
}

#[test]
fn explanations_number_what_they_have() {
    let folder = folder();
    for (file, entry) in [("until.yaml", "{rate: 3%, until: 4}"), ("schedule.yaml", "{schedule: {0: 3%, 5: 2%}}")] {
        folder.write(file, CARE.replace("{rate: 3.5%, weight: -1}", entry));
        let text = folder.run(&["solve", file, "--explain"]).done().stdout;
        assert!(!text.contains("too far away"), "{text}");
        let numbers: Vec<usize> = text
            .lines()
            .filter_map(|line| line.split_once(". "))
            .filter_map(|(number, _)| number.parse().ok())
            .collect();
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{text}");
        assert!(numbers.len() >= 4, "{text}");
    }
}

#[test]
fn mixtures_are_told_apart_from_what_is_stated() {
    let folder = folder();
    folder.write(
        "gamma.yaml",
        one("{gamma: {mean: 4%, sd: 3%}, error: 1e-4}").replace("b: {to: s}}", "b: {to: t}}\n  t: {c: {to: t}}"),
    );
    let text = folder.run(&["solve", "gamma.yaml", "--certificate", "gamma.cert"]).done().stdout;
    // The strategy is the long-term one, so nothing is gained or lost.
    assert!(text.contains("Memory 0"), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("me ")).unwrap();
    assert!(row.ends_with("  0"), "{text}");
    assert!(text.contains("of what `me` states") && text.contains("A smaller `error`"), "{text}");
    let checked = folder.run(&["check", "gamma.yaml", "gamma.cert"]).done();
    assert!(checked.stderr.contains("for the mixtures that approximate time preferences"), "{}", checked.stderr);
    assert!(checked.printed_errors.lines().all(|line| line.width() <= 80), "{}", checked.printed_errors);
    let words = checked.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("How near these are to the entries of the file is not checked"), "{words}");
    let says = folder.run(&["check", "gamma.yaml", "gamma.cert", "--json"]).done().json();
    assert!(says.to_string().contains("for the mixtures"), "{says}");
    let bounds = folder.run(&["solve", "gamma.yaml", "--gap", "1e-2"]).done().stdout;
    assert!(bounds.contains("Proven in doubles") && !bounds.contains("--exact gives fractions"), "{bounds}");
}

/// So many states with so many discounts are solved in doubles: every question has an answer, and none blames an option that was not given.
#[test]
fn larger_mixtures_are_compared_explained_swept_and_evaluated() {
    const STATES: usize = 40;
    let folder = folder();
    let state = |s: usize| {
        let (next, far) = ((s + 1) % STATES, (s + 5) % STATES);
        let (now, later) = (s * 7 % 5, s * 3 % 4);
        format!(
            "  s{s}: {{a: {{reward: {{g: {now}, p: 1}}, to: s{next}}}, b: {{reward: {{p: {later}}}, to: {{s{far}: 1/2, s{s}: 1/2}}}}}}\n"
        )
    };
    let states: String = (0..STATES).map(state).collect();
    folder.write(
        "m.yaml",
        format!("principals: {{g: {{gamma: {{mean: 40%, sd: 20%}}}}, p: {{rate: 3%}}}}\nstates:\n{states}"),
    );
    let solved = folder.run(&["solve", "m.yaml", "--strategy", "s.json", "--json"]).done().json();
    assert_eq!(solved["engine"], "certified");
    let evaluated = folder.run(&["evaluate", "m.yaml", "s.json"]).done();
    assert!(evaluated.stdout.contains("Evaluated for a mixture of"), "{}", evaluated.stdout);
    let missed = folder.run(&["evaluate", "m.yaml", "s.json", "--gap", "1e-9"]);
    assert_eq!(missed.code, 3, "{missed:#?}");
    assert!(missed.stdout.contains("the error of approximated time preferences"), "{}", missed.stdout);
    assert!(!missed.stdout.contains("doubles cannot"), "{}", missed.stdout);
    let compared = folder.run(&["solve", "m.yaml", "--compare"]);
    assert!(matches!(compared.code, 0 | 3) && compared.stdout.contains("re-planned every step"), "{compared:#?}");
    assert!(compared.stdout.contains("What commitment is worth"), "{}", compared.stdout);
    let explained = folder.run(&["solve", "m.yaml", "--explain"]).done();
    assert!(explained.stdout.contains("3. Horizon"), "{}", explained.stdout);
    assert!(explained.stdout.contains("Proven in doubles"), "{}", explained.stdout);
    let swept = folder.run(&["sweep", "m.yaml", "--vary", "p.rate=1%..7%", "--steps", "3", "--json"]).done().json();
    let refused = folder.run(&["solve", "m.yaml", "--explain", "--gap", "1e-3"]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    assert!(refused.printed_errors.contains("leave --gap out"), "{}", refused.printed_errors);
    // The sweep passes through the model's own rate.
    let at_three = &swept["points"][1]["welfare"];
    let own = &solved["states"]["s0"]["welfare"];
    let bound = |value: &serde_json::Value, end: &str| value[end].as_f64().unwrap();
    assert!(
        bound(at_three, "lower") <= bound(own, "upper") && bound(own, "lower") <= bound(at_three, "upper"),
        "{swept}"
    );
}

#[test]
fn a_gap_that_a_mixture_misses_is_not_said_to_be_reached_and_the_error_for_it_is_named() {
    let folder = folder();
    let stated = |error: &str| one(&format!("{{gamma: {{mean: 4%, sd: 3%}}, error: {error}}}"));
    folder.write("wide.yaml", stated("1e-4"));
    let wide = folder.run(&["solve", "wide.yaml", "--gap", "1e-6"]);
    assert_eq!(wide.code, 3, "{wide:#?}");
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = joined(&wide.stdout);
    assert!(text.contains("Stopped: the error of approximated time preferences, which the bounds include"), "{text}");
    let advice = text.split("For the gap, write `error: ").nth(1).and_then(|rest| rest.split('`').next());
    let document = folder.run(&["solve", "wide.yaml", "--gap", "1e-6", "--json"]);
    assert_eq!((document.code, &document.json()["status"]), (3, &"stopped".into()));
    folder.write("narrow.yaml", stated(advice.expect("an error to write")));
    let narrow = folder.run(&["solve", "narrow.yaml", "--gap", "1e-6", "--json"]).done().json();
    assert!(narrow["status"].is_null(), "{narrow}");
    let welfare = |end: &str| narrow["states"]["s"]["welfare"][end].as_f64().unwrap();
    assert!(welfare("upper") - welfare("lower") <= 1e-6 * narrow["scale"].as_f64().unwrap_or(100.0), "{narrow}");
    // What no error can reach is said to be out of reach.
    let out_of_reach = folder.run(&["solve", "wide.yaml", "--gap", "1e-13"]);
    assert!(joined(&out_of_reach.stdout).contains("the least is 1e-12"), "{out_of_reach:#?}");
}

#[test]
fn rates_are_drawn_with_what_is_left_out() {
    let folder = folder();
    let many: Vec<String> = (1..=9).map(|p| format!("p{p}: {{rate: {p}%}}")).collect();
    folder.write(
        "many.yaml",
        format!("principals: {{{}}}\nstates: {{s: {{a: {{reward: 1, to: s}}}}}}\n", many.join(", ")),
    );
    let drawn = |file: &str, kind: &str| {
        folder.run(&["plot", file, "--kind", kind, "--out", "plot.svg"]).done();
        folder.read("plot.svg")
    };
    for kind in ["rates", "rewards"] {
        assert!(drawn("many.yaml", kind).contains("The first 7 of 9 principals are drawn."), "{kind}");
        assert!(drawn("care.yaml", kind).contains("costs (cost)"), "{kind}");
    }
    folder.write("biased.yaml", CARE.replace("{rate: 1.5%,", "{beta: 0.5, delta: 0.98,"));
    let svg = drawn("biased.yaml", "rates");
    assert!(svg.contains("Beyond the axis, at year 0: all together") && svg.contains("health 104.08 %"), "{svg}");
    assert!(!drawn("care.yaml", "rates").contains("Beyond the axis"));
}

#[test]
fn sweeps_say_what_they_replace_and_speak_of_rates() {
    let folder = folder();
    folder.write("biased.yaml", CARE.replace("{rate: 1.5%,", "{beta: 0.7, delta: 0.98,"));
    let sweep = folder.run(&["sweep", "biased.yaml", "--vary", "health.rate=1%..4%", "--steps", "3"]).done();
    assert!(
        sweep.stderr.contains("`health` states β 0.7, δ 0.98; a constant rate takes its place here"),
        "{}",
        sweep.stderr
    );
    let by_weight = folder.run(&["sweep", "biased.yaml", "--vary", "health.weight=1..4", "--steps", "3"]).done();
    assert_eq!(by_weight.stderr, "");
    let map = ["map", "biased.yaml", "--x", "health.rate", "--y", "costs.rate", "--resolution", "1"];
    assert!(folder.run(&map).done().stderr.contains("`health` states"));
    // Three steps are four points.
    let document =
        folder.run(&["sweep", "care.yaml", "--vary", "health.rate=1%..4%", "--steps", "3", "--json"]).done().json();
    assert_eq!(document["points"].as_array().map(Vec::len), Some(4));
    let vary =
        ["sweep", "hotel.yaml", "--vary", "alice.rate=10%..90%", "--steps", "2", "--changes", "--out", "sweep.svg"];
    let text = folder.run(&vary).done().stdout;
    let changes: Vec<&str> = text.lines().filter(|line| line.starts_with("  at ")).collect();
    assert!(!changes.is_empty() && changes.iter().all(|line| line.contains('%')), "{text}");
    let svg = folder.read("sweep.svg");
    assert!(svg.contains("rate of alice, %") && svg.contains(">80<"), "{svg}");
    let map =
        ["map", "hotel.yaml", "--x", "alice.rate", "--y", "bob.rate", "--y-range", "50%..100%", "--resolution", "2"];
    let map = [&map[..], &["--out", "map.svg"]].concat();
    folder.run(&map).done();
    assert!(folder.read("map.svg").contains("rate of alice, %"));
    // A picture outlives the message that it was stopped.
    assert!(!folder.read("map.svg").contains("incomplete"));
    let stopped = folder.run(&[&map[..], &["--time-limit", "0"]].concat());
    assert_eq!(stopped.code, 3);
    assert!(
        stopped.stdout.contains("≈ 100 %") && folder.read("map.svg").contains("The map is incomplete."),
        "{stopped:?}"
    );
}

#[test]
fn the_page_has_what_was_asked_for() {
    let folder = folder();
    folder.run(&["solve", "care.yaml", "--outlook", "--compare", "--report", "page.html"]).done();
    let page = folder.read("page.html");
    for part in ["The outlook", "annuity, a year", "half-life, years", "social rate", "30000", "ommitment is worth"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("What simplicity costs") && !page.contains("simplicity and fairness"));
    assert!(page.contains("memory, in years") && !page.contains("at step 0"));
    // A preference in parts is explained in the words of `--explain`, below the title of the section.
    folder.write("care-now.yaml", CARE.replace("{rate: 3.5%, weight: -1}", "{beta: 0.7, delta: 0.96, weight: -1}"));
    folder.run(&["solve", "care-now.yaml", "--report", "page.html"]).done();
    let page = folder.read("page.html");
    assert!(
        page.contains(">1. Long-term strategy")
            && page.contains("\n2. Deviations")
            && page.matches("How it is found").count() == 1,
        "{page}"
    );
    let text = folder.run(&["solve", "care.yaml", "--compare"]).done().stdout;
    assert!(text.contains("The price of fairness is left out: its rules are not compared with costs."), "{text}");
}

#[test]
fn long_names_do_not_widen_reports() {
    let folder = folder();
    let name = "a state with a long name that says what it stands for";
    let model = std::fs::read_to_string(crate::program::paper("hotel.yaml")).unwrap().replace("s0", name);
    folder.write("long.yaml", model);
    folder.run(&["solve", "long.yaml", "--strategy", "strategy.json"]).done();
    for args in [
        &["solve", "long.yaml", "--compare"][..],
        &["simulate", "long.yaml", "strategy.json", "--runs", "10"],
        &["fair", "long.yaml", "--rule", "max-min"],
        &["fair", "long.yaml", "--rule", "welfare", "--at-least", "alice=10", "--coin", "decision"],
        &["sweep", "long.yaml", "--vary", "bob=0.1..0.6", "--steps", "2"],
        &["map", "long.yaml", "--x", "alice.rate", "--y", "bob.rate", "--resolution", "1"],
        &["front", "long.yaml"],
    ] {
        let text = folder.run(args).done().stdout;
        assert!(text.lines().all(|line| line.width() <= 80), "{args:?}: {text}");
    }
}

/// A mixture is one principal, with one column, and values of the last segment say as of when they are.
#[test]
fn an_explanation_of_mixtures_and_segments_is_short() {
    let folder = folder();
    let states = "states:\n  s0: {wait: {to: s0}, build: {reward: -1, to: s1}}\n  s1: {go: {reward: 0.032, to: s1}}\n";
    let gamma = "principals:\n  gov: {rate: 3%}\n  g: {gamma: {mean: 4%, sd: 3%}}\n";
    folder.write("mixed.yaml", format!("{gamma}{states}"));
    let ran = folder.run(&["solve", "mixed.yaml", "--explain"]).done();
    assert!(
        ran.stdout.contains("V(gov)") && ran.stdout.contains("V(g)") && ran.stdout.contains("Δ(g)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.lines().count() < 75 && !ran.stdout.contains("less patient principals"), "{}", ran.stdout);
    folder.write("green.yaml", format!("principals:\n  fund: {{schedule: green-book}}\n{states}"));
    let ran = folder.run(&["solve", "green.yaml", "--explain"]).done();
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("and its values V in a run that is there at step 300, seen from step 0"), "{text}");
    assert!(text.contains("what one use at step 300 changes"), "{text}");
    assert!(ran.stdout.lines().all(|line| line.width() <= 80), "{}", ran.stdout);
}

/// `--discounts` gives another discount and keeps the end, as `--discount` does.
#[test]
fn an_end_is_kept_whichever_option_states_the_discount() {
    let folder = folder();
    folder.write("ends.yaml", one("{discount: 0.9, until: 5}"));
    let [one, all] = [["--discount", "me=0.8"], ["--discounts", "0.8"]]
        .map(|given| folder.run(&[&["solve", "ends.yaml"][..], &given].concat()).done().stdout);
    assert_eq!(one, all);
    assert!(all.contains("until 5"), "{all}");
}

/// One note for all discounts that are close.
#[test]
fn close_discounts_are_noted_once() {
    let folder = folder();
    let entries: String = (0..40).map(|i| format!("  p{i}: 0.{}\n", 9990 - i)).collect();
    let states = "states:\n  s: {a: {reward: {p0: 1}, to: s}, b: {reward: {p39: 2}, to: t}}\n  t: {c: {reward: {p0: 0.999}, to: s}}\n";
    folder.write("close.yaml", format!("principals:\n{entries}{states}"));
    let ran = folder.run(&["solve", "close.yaml"]).done();
    assert_eq!(ran.stderr.matches("note: the discounts of").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("38 other pairs are close as well"), "{}", ran.stderr);
}

/// The gamma weights (1 + j/44.4…)^(−16/9) add up to 57.6461902, by the Hurwitz zeta function. A rough mixture adds up to 56.85: the checker
/// accepts the certificate for it, and what it says of the welfare includes the error; so does the outlook.
#[test]
fn what_is_said_of_a_rough_mixture_includes_its_error() {
    let folder = folder();
    folder.write("rough.yaml", one("{gamma: {mean: 4%, sd: 3%}, error: 0.1}").replace(", b: {to: s}", ""));
    folder.run(&["solve", "rough.yaml", "--certificate", "rough.cert"]).done();
    let checked = folder.run(&["check", "rough.yaml", "rough.cert", "--json"]).done();
    let document: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
    let welfare = &document["welfare"];
    assert!(welfare["exact"].is_null(), "{welfare}");
    let [lower, upper] = ["lower", "upper"].map(|end| welfare[end].as_f64().unwrap());
    assert!(lower <= 57.6461902 && 57.6461902 <= upper, "{welfare}");
    let outlook = folder.run(&["solve", "rough.yaml", "--outlook"]).done().stdout;
    // Of the stated weights: d(0)/d(1) − 1 = 1.0225^(16/9) − 1 = 0.0403494.
    assert!(outlook.contains("  0           4.03%  "), "{outlook}");
    assert!(!outlook.contains("56.84"), "{outlook}");
}
