//! Time preferences on the command line: rates, entries in braces, contradictions, and an economist's questions.

use crate::program::Folder;

const FUND: &str = "step: year
principals: {fund: {rate: 25%}, heirs: {survey: [1%, 4%], weight: 2}}
states:
  save: {wait: {to: save}, spend: {reward: {fund: 5, heirs: -1}, to: spent}}
  spent: {live: {reward: {heirs: 1/10}, to: spent}}
";

fn folder() -> Folder {
    let folder = Folder::with_hotel();
    folder.write("fund.yaml", FUND);
    folder
}

#[test]
fn a_rate_is_the_discount_that_it_is() {
    let folder = folder();
    let welfare = |args: &[&str]| {
        let solution = folder.run(&[&["solve", "--json", "--quiet"], args].concat()).done().json();
        let start = solution["start"].as_str().unwrap().to_owned();
        solution["states"][&start]["welfare"]["exact"].as_str().unwrap().to_owned()
    };
    let by_discount = welfare(&["hotel.yaml", "--discount", "alice=4/5", "--discount", "bob=1/2"]);
    assert_eq!(by_discount, welfare(&["hotel.yaml", "--rate", "alice=25%", "--rate", "bob=100%"]));
    assert_eq!(by_discount, welfare(&["hotel.yaml", "--rate", "alice=1/4", "--discount", "bob={rate: 1}"]));
    // The same for files of other tools, which have no time preferences.
    folder.run(&["convert", "hotel.yaml", "hotel.drn", "--quiet"]).done();
    folder.run(&["convert", "hotel.yaml", "hotel.umb", "--quiet"]).done();
    for file in ["hotel.drn", "hotel.umb"] {
        assert_eq!(by_discount, welfare(&[file, "--rate", "alice=25%", "--discount", "bob=1/2"]));
        let survey = welfare(&[file, "--discount", "alice={survey: [25%, 100%]}", "--discount", "bob=0"]);
        assert_eq!(
            survey,
            welfare(&["hotel.yaml", "--discount", "alice={survey: [25%, 100%]}", "--discount", "bob=0"])
        );
    }
}

#[test]
fn entries_are_kept_and_shown_as_they_are_stated() {
    let folder = folder();
    folder.run(&["convert", "fund.yaml", "again.yaml"]).done();
    folder.run(&["convert", "again.yaml", "again.json"]).done();
    assert!(folder.read("again.yaml").contains("fund: {rate: 25%}\n"));
    assert!(folder.read("again.json").contains(r#""heirs": {"survey": ["1%", "4%"], "weight": 2}"#));
    let solve = |file: &str| folder.run(&["solve", file, "--json"]).done().stdout;
    assert_eq!(solve("fund.yaml"), solve("again.json"));
    let solution = folder.run(&["solve", "fund.yaml", "--json"]).done().json();
    let of = |name: &str| {
        let all = solution["principals"].as_array().unwrap();
        all.iter().find(|principal| principal["name"] == name).unwrap().clone()
    };
    assert_eq!(of("fund")["preference"], serde_json::json!({"rate": "25%"}));
    assert_eq!(of("fund")["discount"], "4/5");
    assert_eq!(of("heirs")["preference"], serde_json::json!({"survey": ["1%", "4%"]}));
    let text = folder.run(&["solve", "fund.yaml"]).done().stdout;
    assert!(text.contains("rate 25%") && text.contains("survey of 2") && text.contains("annuity"), "{text}");
    // Preferences that a format cannot hold can be given again on the command line.
    let said = folder.run(&["convert", "fund.yaml", "fund.drn"]).done().stderr;
    assert!(said.contains("--rate fund=25% --discount 'heirs={survey: [1%, 4%]}'"), "{said}");
}

#[test]
fn a_mixture_says_how_near_it_is() {
    let folder = folder();
    let args = ["solve", "hotel.yaml", "--discount", "alice={gamma: {mean: 40%, sd: 20%}, error: 1e-4}", "--json"];
    let solution = folder.run(&args).done().json();
    let alice = &solution["principals"][0];
    let (nodes, error) = (alice["approximation"]["nodes"].as_u64(), alice["approximation"]["error"].as_f64());
    assert!(nodes.is_some_and(|nodes| (10..40).contains(&nodes)) && error.is_some_and(|error| error <= 1e-4));
    let welfare = &solution["states"]["s0"]["welfare"];
    assert!(welfare["exact"].is_null());
    let width = welfare["upper"].as_f64().unwrap() - welfare["lower"].as_f64().unwrap();
    // The greatest reward is 6, and the weights sum to less than 4.
    assert!(width > 0.0 && width < 2.0 * 1e-4 * 6.0 * 4.0, "{width}");
    let text = folder.run(&args[..4]).done().stdout;
    assert!(text.contains("Optimal for a mixture of") && text.contains("as optimal for the\nmixtures"), "{text}");
    let fair = ["fair", "hotel.yaml", "--rule", "max-min", args[2], args[3]];
    let refused = folder.run(&[&fair[..], &["--certificate", "fair.cert"]].concat());
    assert!(
        refused.code == 2 && refused.stderr.contains("is approximated by a mixture of discounts"),
        "{}",
        refused.stderr
    );
    // Its certificate is about the mixture, which the canonical form has.
    folder.write("gamma.yaml", "principals: {p: {gamma: {mean: 40%, sd: 20%}, error: 1e-2}}\nstates: {s: {a: {reward: 1, to: s}, b: {to: s}}}\n");
    folder.run(&["solve", "gamma.yaml", "--certificate", "gamma.cert", "--quiet"]).done();
    folder.run(&["convert", "gamma.yaml", "gamma.canonical"]).done();
    assert_eq!(folder.run(&["check", "gamma.yaml", "gamma.cert"]).done().stdout.lines().next(), Some("accepted"));
    // Of the mixture, not of the preference that it stands for.
    let document = folder.run(&["solve", "gamma.yaml", "--json"]).done().json();
    assert_eq!((&document["checked"], &document["checked_for_mixtures"]), (&false.into(), &true.into()));
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_to_write() {
    let folder = folder();
    let cases: &[(&[&str], &str)] = &[
        (&["--discount", "bob=3%"], "--discount: a discount is not a percentage; write --rate NAME=3%"),
        (&["--discount", "bob=1.03"], "did you mean `rate: 3%`, the discount 0.970874?"),
        (&["--rate", "bob=3"], "did you mean --rate bob=3%, which is the discount 0.970874?"),
        (&["--rate", "bob=0"], "the rate is 0: the sum over all steps would be infinite"),
        (&["--rate", "bob=x"], "--rate"),
        (&["--rate", "bob=3%", "--discount", "bob=1/2"], "`bob` has a --discount already"),
        (&["--rate", "bob"], "--rate: `bob` is not NAME=VALUE, such as fund=3%"),
        (&["--rate", "bop=3%"], "did you mean `bob`?"),
        (&["--discount", "bob={rate: 3%, weight: 2}"], "a weight is not a time preference"),
        (&["--discount", "bob={hyperbolic: 1}"], "has a `hyperbolic` and no `hazard`"),
        (&["--discount", "bob={gamma: {mean: 3%, sd: 4%}}"], "is not below the mean"),
    ];
    for (args, expected) in cases {
        let ran = folder.run(&[&["solve", "hotel.yaml"], *args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
    // A rate given as a discount makes the principals short-sighted; the warning shows both figures.
    let stern = folder.run(&["solve", "hotel.yaml", "--discounts", "0.014,0.03"]).done();
    assert!(
        stern.stderr.contains("counts 3.0% of one now") && stern.stderr.contains("then it counts 97.1%"),
        "{}",
        stern.stderr
    );
    assert!(!folder.run(&["solve", "hotel.yaml", "--discounts", "0.25,0.5"]).done().stderr.contains("warning"));
    assert!(
        !folder.run(&["solve", "hotel.yaml", "--discounts", "0.014,0.03", "--quiet"]).done().stderr.contains("warning")
    );
}

#[test]
fn sweeps_and_maps_go_over_rates() {
    let folder = folder();
    let sweep = ["sweep", "--changes", "hotel.yaml", "--vary", "bob.rate=50%..100%", "--steps", "2"];
    let text = folder.run(&sweep).done().stdout;
    assert!(text.starts_with("Over the rate of bob") && text.contains("\n  75%"), "{text}");
    let document = folder.run(&[&sweep[..], &["--json"]].concat()).done().json();
    assert_eq!(document["quantity"], "rate");
    let points = document["points"].as_array().unwrap();
    assert_eq!((&points[1]["rate"], &points[1]["discount"]), (&"3/4".into(), &"4/7".into()));
    // The same points as discounts.
    for point in points {
        let discount = format!("bob={}", point["discount"].as_str().unwrap());
        let solution = folder.run(&["solve", "hotel.yaml", "--discount", &discount, "--json"]).done().json();
        assert_eq!(solution["states"]["s0"]["welfare"], point["welfare"]);
    }
    let csv = folder.run(&[&sweep[..], &["--csv", "sweep.csv", "--out", "sweep.svg"]].concat()).done();
    assert!(csv.code == 0 && folder.read("sweep.csv").starts_with("index,rate,rate_decimal,"));
    assert!(folder.read("sweep.svg").contains("rate of bob"));
    let map =
        ["map", "hotel.yaml", "--x", "alice.rate", "--y", "bob.rate", "--y-range", "50%..100%", "--resolution", "2"];
    let text = folder.run(&[&map[..], &["--out", "map.svg"]].concat()).done().stdout;
    assert!(text.contains("rate of alice from 0.1% to 20%, rate of bob from 50% to\n  100%"), "{text}");
    for (vary, expected) in [
        ("bob.rate=0%..5%", "0% is not a rate"),
        ("bob.rate=7%..5%", "give the lesser rate first"),
        ("bob=1%..5%", "write NAME.rate in place of NAME"),
        ("bop.rate=1%..5%", "did you mean `bob`?"),
    ] {
        let ran = folder.run(&["sweep", "hotel.yaml", "--vary", vary]);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{vary}: {}", ran.stderr);
    }
}

#[test]
fn the_outlook_has_what_an_economist_looks_at() {
    let folder = folder();
    let text = folder.run(&["solve", "fund.yaml", "--outlook"]).done().stdout;
    assert!(
        text.contains("annuity, a year") && text.contains("half-life, years") && text.contains("social rate"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // Of a few years every one.
    let text = folder.run(&["solve", "fund.yaml", "--outlook=5"]).done().stdout;
    let years = text.lines().skip_while(|line| !line.starts_with("  year  ")).skip(1);
    let years: Vec<&str> = years.map_while(|line| line.split_whitespace().next()).take(6).collect();
    assert_eq!(years[..5], ["0", "1", "2", "3", "4"], "{text}");
    assert!(years[5].starts_with('('), "{text}");
    let outlook = &folder.run(&["solve", "fund.yaml", "--outlook=3", "--json"]).done().json()["outlook"];
    assert_eq!(outlook["step"], "year");
    // The fund spends at once: 5, of weights that sum to 5.
    let fund = &outlook["principals"]["fund"];
    assert_eq!((&fund["annuity"]["exact"], &fund["total_weight"]["exact"]), (&"1".into(), &"5".into()));
    assert_eq!(fund["half_life"], 4);
    let steps = outlook["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    assert_eq!((&steps[0]["rewards"]["fund"], &steps[1]["states"]["spent"]), (&5.0.into(), &1.0.into()));
    // D(0) = 1 + 2 and D(1) = 4/5 + 1/1.01 + 1/1.04.
    let rate = steps[0]["social_rate"].as_f64().unwrap();
    assert!((rate - (3.0 / (0.8 + 1.0 / 1.01 + 1.0 / 1.04) - 1.0)).abs() < 1e-12, "{rate}");
    folder.run(&["solve", "fund.yaml", "--outlook=3", "--csv", "outlook.csv"]).done();
    let csv = folder.read("outlook.csv");
    assert!(
        csv.starts_with("step,quantity,name,value\n,annuity,fund,1\n") && csv.contains("\n1,probability,spent,1\n"),
        "{csv}"
    );
    for kind in ["rates", "states", "rewards"] {
        folder.run(&["plot", "fund.yaml", "--kind", kind, "--out", "plot.svg"]).done();
        assert!(folder.read("plot.svg").contains("year"), "{kind}");
    }
}

/// What waiting `k` steps and then investing gives in the hotel, if step j counts `weight(j)`; `None` waits for ever.
fn hotel_payoff(k: Option<usize>, weight: &dyn Fn(usize) -> f64) -> f64 {
    const MANY: usize = 2_000_000;
    let reward = |j: usize| match k {
        Some(k) if j > k => 6.0,
        Some(k) if j == k => -1.0,
        _ => 3.0,
    };
    // The small ones first.
    (0..MANY).rev().map(|j| reward(j) * weight(j)).sum()
}

#[test]
fn fair_rules_and_fronts_know_how_near_mixtures_are() {
    // Weights of the entries themselves: gamma with mean 40 % and sd 20 % is (1 + j/10)^-4, hyperbolic with a hazard (4/5)^j/(1 + j).
    let gamma = |j: usize| (1.0 + 0.1 * j as f64).powi(-4);
    let hyperbolic = |j: usize| 0.8f64.powi(j as i32) / (1.0 + j as f64);
    let folder = folder();
    let entries = ["alice={gamma: {mean: 40%, sd: 20%}, error: 1e-6}", "bob={hyperbolic: 1, hazard: 20%, error: 1e-6}"];
    let run = |command: &[&str]| {
        let args = [command, &["--discount", entries[0], "--discount", entries[1], "--json", "--quiet"]].concat();
        folder.run(&args).done().json()
    };
    let waits: Vec<Option<usize>> = (0..60).map(Some).chain([None]).collect();
    let points: Vec<[f64; 2]> =
        waits.iter().map(|&k| [hotel_payoff(k, &gamma), hotel_payoff(k, &hyperbolic)]).collect();
    // The least that anybody gets, over all lotteries of two: on a segment it is greatest at an end or where both get the same.
    let mut best = f64::NEG_INFINITY;
    for a in &points {
        for b in &points {
            let (left, right) = (a[0] - a[1], b[0] - b[1]);
            let share = if left == right { 0.0 } else { (left / (left - right)).clamp(0.0, 1.0) };
            best = best.max((a[0] + share * (b[0] - a[0])).min(a[1] + share * (b[1] - a[1]))).max(a[0].min(a[1]));
        }
    }
    let fair = run(&["fair", "hotel.yaml", "--rule", "max-min"]);
    let (lower, upper) = (fair["value"]["lower"].as_f64().unwrap(), fair["value"]["upper"].as_f64().unwrap());
    assert!(fair["value"]["exact"].is_null() && fair["status"] == "within gap", "{fair:#}");
    assert!(lower <= best && best <= upper && upper - lower < 1e-3, "{lower} {best} {upper}");
    assert!(upper - lower > 1e-9, "the error of the mixtures is in it");
    // No vertex of the front lies beyond what can be had, and the ends are everybody's best.
    let front = run(&["front", "hotel.yaml"]);
    let vertices = front["vertices"].as_array().unwrap();
    for (p, name) in ["alice", "bob"].into_iter().enumerate() {
        let most = points.iter().map(|point| point[p]).fold(f64::NEG_INFINITY, f64::max);
        let bound = |end: &str, vertex: &serde_json::Value| vertex["payoffs"][name][end].as_f64().unwrap();
        assert!(vertices.iter().all(|vertex| bound("lower", vertex) <= most));
        assert!(vertices.iter().any(|vertex| bound("upper", vertex) >= most - 1e-4), "{name}: {most} {front:#}");
    }
}

/// Gamma with mean 40 % and sd 20 %: step j counts (1 + j/10)^-4.
const GAMMA: &str = "alice={gamma: {mean: 40%, sd: 20%}, error: 1e-4}";

/// A model that is read in doubles because of its size, and a mixture whose error is far wider than the default gap: nobody asked for
/// a gap, so nothing is missed.
#[test]
fn a_default_solve_of_a_mixture_in_doubles_is_done() {
    const STATES: usize = 40_000;
    let folder = folder();
    // A run earns 1 at every step, in whatever state.
    let mut ring = format!(
        "@type: MDP\n@parameters\n\n@reward_models\nalice\n@nr_states\n{STATES}\n@nr_choices\n{STATES}\n@model\n"
    );
    for state in 0..STATES {
        let (label, next) = (if state == 0 { " init" } else { "" }, (state + 1) % STATES);
        ring.push_str(&format!("state {state}{label}\n\taction go [1]\n\t\t{next} : 1\n"));
    }
    folder.write("ring.drn", &ring);
    let truth: f64 = (0..10_000_000).rev().map(|j| (1.0 + 0.1 * f64::from(j)).powi(-4)).sum();
    let text = folder.run(&["solve", "ring.drn", "--discount", GAMMA]).done().stdout;
    assert!(!text.contains("Stopped") && text.contains("\nThe bounds are "), "{text}");
    let solution = folder.run(&["solve", "ring.drn", "--discount", GAMMA, "--json", "--quiet"]).done().json();
    let welfare = &solution["states"]["0"]["welfare"];
    let (lower, upper) = (welfare["lower"].as_f64().unwrap(), welfare["upper"].as_f64().unwrap());
    assert!(lower <= truth && truth <= upper && upper - lower > 1e-9 * truth, "{lower} {truth} {upper}");
    assert!(solution["status"].is_null(), "{solution}");
    // Who asks for a gap is told what to write, and that is enough.
    let asked = |error: &str| {
        let gamma = GAMMA.replace("1e-4", error);
        folder.run(&["solve", "ring.drn", "--discount", &gamma, "--gap", "1e-6"])
    };
    let missed = asked("1e-4");
    assert_eq!(missed.code, 3, "{}", missed.stdout);
    asked(named_error(&missed.stdout)).done();
}

/// The error that a report says to write.
fn named_error(report: &str) -> &str {
    let (_, after) = report.split_once("write `error: ").unwrap_or_else(|| panic!("{report}"));
    after.split_once('`').unwrap().0
}

#[test]
fn an_evaluation_that_misses_its_gap_names_the_error_that_reaches_it() {
    let folder = folder();
    folder.write(
        "wait.json",
        r#"{"format": "commonweal-strategy/1", "decisions": {"s0": [{"from": 0, "action": "a"}]}}"#,
    );
    let asked = |error: &str| {
        let gamma = GAMMA.replace("1e-4", error);
        folder.run(&["evaluate", "hotel.yaml", "wait.json", "--discount", &gamma, "--gap", "1e-7"])
    };
    let missed = asked("1e-4");
    assert_eq!(missed.code, 3, "{}", missed.stdout);
    asked(named_error(&missed.stdout)).done();
}

/// Staying for ever gives 3 at every step, investing at once 6 at every step but the first.
#[test]
fn searches_show_what_each_principal_gets_if_one_is_a_mixture() {
    let folder = folder();
    let gamma = |j: usize| (1.0 + 0.1 * j as f64).powi(-4);
    let bob = |j: usize| (1.0f64 / 3.0).powi(j as i32);
    for command in ["positional", "stationary"] {
        let args = [command, "hotel.yaml", "--discount", GAMMA, "--quiet"];
        let text = folder.run(&args).done().stdout;
        let shown = |name: &str| text.lines().any(|line| line.trim_start().starts_with(name));
        assert!(shown("alice  ") && shown("bob  ") && shown("welfare  ") && text.contains("gets"), "{text}");
        let found = folder.run(&[&args[..], &["--json"]].concat()).done().json();
        let invested = hotel_payoff(Some(0), &gamma) + hotel_payoff(Some(0), &bob);
        let stayed = hotel_payoff(None, &gamma) + hotel_payoff(None, &bob);
        assert!(invested > stayed, "the best one invests at once, or nearly");
        let bounds = |name: &str| {
            let payoff = &found["payoffs"][name];
            (payoff["lower"].as_f64().unwrap(), payoff["upper"].as_f64().unwrap())
        };
        let (lower, upper) = bounds("alice");
        if command == "positional" {
            let truth = hotel_payoff(Some(0), &gamma);
            assert!(lower <= truth && truth <= upper, "{lower} {truth} {upper}");
        }
        // The error of the mixture, at most 1e-4 of the weights, is in it: the greatest reward is 6, and the weights sum to less than 4.
        assert!(upper - lower > 1e-9 && upper - lower < 2.0 * 1e-4 * 6.0 * 4.0, "{lower} {upper}");
        let (low_bob, high_bob) = bounds("bob");
        let (welfare_low, welfare_high) = (found["lower"].as_f64().unwrap(), found["upper"].as_f64().unwrap());
        assert!(lower + low_bob <= welfare_high && upper + high_bob >= welfare_low, "{found}");
    }
}

/// A survey of many and a mixture are one column each, whose values are what these principals get under the long-term strategy, and a
/// change is better for principals, not for parts of them.
#[test]
fn an_explanation_has_one_column_for_each_entry() {
    let folder = folder();
    folder.write(
        "wait.yaml",
        "principals: {far: {gamma: {mean: 4%, sd: 3%}}, mid: {survey: [1%, 2%, 3%, 4%, 5%, 6%, 7%, 8%, 9%, 10%, 11%, 12%, 13%]}, \
         near: {rate: 30%}}\nstates:\n  idea: {wait: {reward: {near: 1}, to: idea}, build: {reward: -1, to: built}}\n  \
         built: {run: {reward: {far: 1/9, mid: 1/20}, to: built}}\n",
    );
    let text = folder.run(&["solve", "wait.yaml", "--explain", "--quiet"]).done().stdout;
    assert!(text.contains("V(far)") && text.contains("V(mid)") && text.contains("V(near)"), "{text}");
    assert!(text.contains("Δ(far)") && !text.contains(", the sum") && !text.contains("summed"), "{text}");
    let changes = text.lines().skip_while(|line| !line.contains("Changes, the latest first"));
    let changes = changes.collect::<Vec<_>>().join("\n");
    assert!(changes.contains("far  mid, near") && !changes.contains(" of "), "{text}");
    let solution = folder.run(&["solve", "wait.yaml", "--explain", "--json", "--quiet"]).done().json();
    let explanation = &solution["explanation"];
    let names: Vec<&String> = explanation["values"]["idea"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["far", "mid", "near"]);
    for name in names {
        // The mixture's own value, whose error the payoff includes.
        let (value, payoff) =
            (&explanation["values"]["idea"][name], &solution["states"]["idea"]["long_term_payoffs"][name]);
        let end = |number: &serde_json::Value, end: &str| number[end].as_f64().unwrap();
        assert!(end(value, "lower") <= end(payoff, "upper") && end(payoff, "lower") <= end(value, "upper"), "{name}");
    }
}

/// Small things that users met: what a range of rates in per cent means, an end too late, files without discounts, steps of several months,
/// small rates, and a column without numbers.
#[test]
fn messages_and_reports_know_what_is_meant() {
    let folder = folder();
    for (range, cure) in [("1..7", "did you mean 1%..7%?"), ("0.5..3", "did you mean 0.5%..3%?")] {
        let ran = folder.run(&["sweep", "fund.yaml", "--vary", &format!("fund.rate={range}")]);
        assert!(ran.code == 2 && ran.stderr.contains(cure), "{}", ran.stderr);
    }
    folder.write("late.yaml", FUND.replace("rate: 25%", "rate: 25%, until: 1e30"));
    let ran = folder.run(&["solve", "late.yaml"]);
    assert!(ran.code == 2 && ran.stderr.contains("the until of principal `fund` is too late"), "{}", ran.stderr);
    assert!(ran.stderr.contains("write at most "), "{}", ran.stderr);
    folder.run(&["convert", "hotel.yaml", "hotel.drn", "--quiet"]).done();
    let ran = folder.run(&["solve", "hotel.drn"]);
    assert!(ran.code == 2 && ran.stderr.contains("--rate alice=3%"), "{}", ran.stderr);
    let months =
        FUND.replace("step: year", "step: 3 months").replace("25%", "0.3%").replace("[1%, 4%]", "[0.1%, 0.2%]");
    folder.write("months.yaml", months);
    let text = folder.run(&["solve", "months.yaml", "--outlook"]).done().stdout;
    assert!(text.contains("annuity, every 3 months") && !text.contains("monthses"), "{text}");
    // D(0) = 3, D(1) = 1/1.003 + 1/1.001 + 1/1.002: 3/D(1) − 1 = 0.19997 %.
    assert!(text.contains("  0.2%  ") || text.contains("  0.1999%  "), "{text}");
    let step_20 = text.lines().find(|line| line.starts_with("  20 ")).unwrap();
    let weight = |j: i32| 1.003f64.powi(-j) + 1.001f64.powi(-j) + 1.002f64.powi(-j);
    let rate = 100.0 * (weight(20) / weight(21) - 1.0);
    assert!(step_20.contains(&format!(" {rate:.4}%")), "{step_20} {rate}");
    folder.write(
        "g.yaml",
        "principals: {p: {gamma: {mean: 40%, sd: 20%}}}\nstates: {s: {a: {reward: 1, to: {s: 1/2, t: 1/2}}}, t: {a: {to: s}}}\n",
    );
    folder.run(&["solve", "g.yaml", "--strategy", "g.json"]).done();
    let text = folder.run(&["simulate", "g.yaml", "g.json", "--runs", "100"]).done().stdout;
    assert!(text.contains("mean") && !text.contains("exactly"), "{text}");
}

/// The page of the fishery says what not counting years costs, with and without lots.
#[test]
fn the_fishery_costs_what_its_page_says_without_counting() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let model = format!("{root}models/case-studies/fishery.yaml");
    let ran = Folder::new().run(&["solve", &model, "--compare", "--json", "--quiet"]);
    let solution: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let best = solution["states"]["18"]["welfare"]["value"].as_f64().unwrap();
    let bounds = |name: &str| {
        let rows = solution["comparison"].as_array().unwrap();
        let row = rows.iter().find(|row| row["strategy"] == name).unwrap_or_else(|| panic!("{rows:?}"));
        (row["welfare"]["lower"].as_f64().unwrap(), row["upper"].as_f64().unwrap())
    };
    let (positional, stationary) = (bounds("positional"), bounds("stationary"));
    assert!(positional.0 >= 91.6 && positional.1 <= 93.2, "{positional:?}");
    assert!(stationary.0 >= 91.6 && stationary.1 <= 94.0, "{stationary:?}");
    assert!(best - positional.1 >= 0.9 && best - positional.0 <= 2.6 && best - stationary.1 >= 0.1);
    let page = std::fs::read_to_string(format!("{root}docs/case-studies/fishery.md")).unwrap();
    let said = "costs between 0.9 and 2.6 if nothing is drawn by lot, and between 0.1 and 2.6 otherwise";
    assert!(page.contains(said), "the page says it");
}
