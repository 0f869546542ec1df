//! `sweep`, `map` and `plot`: against the hotel's closed form, across threads and shards, and as XML.
//!
//! In the hotel, waiting k steps and then investing is worth `(3 − 4λ^k + 7λ^(k+1)) / (1 − λ)` to a principal with discount
//! λ. Waiting once more changes that by `λ^k (4 − 7λ)`, so that the best k is the first at which
//! `α^k (7α − 4) + β^k (7β − 4)` is not negative, and waiting for ever is best if neither discount exceeds 4/7.

use crate::program::{Folder, paper};
use commonweal::internals::number::{Rational, parse_rational};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

fn number(text: &Value) -> Rational {
    parse_rational(text.as_str().expect("a number as text")).expect("a number")
}

/// What is gained by not waiting once more after k steps.
fn urge(k: usize, discounts: &[&Rational]) -> Rational {
    let term = |discount: &&Rational| discount.pow(k as isize) * (Rational::from(7) * *discount - Rational::from(4));
    discounts.iter().map(term).fold(Rational::ZERO, |sum, term| sum + term)
}

fn waiting_for_ever(discounts: &[&Rational]) -> bool {
    let limit = Rational::from_quotient(4, 7);
    discounts.iter().all(|&discount| *discount <= limit)
}

fn best_words(discounts: &[&Rational]) -> String {
    if waiting_for_ever(discounts) {
        return "a for ever".to_owned();
    }
    let k = (0..).find(|&k| urge(k, discounts) >= Rational::ZERO).expect("waiting ends");
    words(k)
}

fn words(k: usize) -> String {
    match k {
        0 => "b for ever".to_owned(),
        1 => "a once, then b for ever".to_owned(),
        2 => "a twice, then b for ever".to_owned(),
        _ => format!("a {k} times, then b for ever"),
    }
}

/// How often the strategy waits; `None` means for ever.
fn waited(words: &str) -> Option<usize> {
    match words {
        "a for ever" => None,
        "b for ever" => Some(0),
        "a once, then b for ever" => Some(1),
        "a twice, then b for ever" => Some(2),
        _ => Some(words.split(' ').nth(1).and_then(|count| count.parse().ok()).expect("a count")),
    }
}

/// Checks by the closed form alone that the best strategy changes between two points as a document says.
fn check_change(change: &Value, low: &[&Rational], high: &[&Rational]) {
    let (before, after) = (change["before"].as_str().unwrap(), change["after"].as_str().unwrap());
    assert_eq!(best_words(low), before, "{change}");
    if change["crowded"].as_bool().unwrap() {
        assert_ne!(best_words(high), before, "{change}")
    } else {
        assert_eq!(best_words(high), after, "{change}")
    }
    if let (Some(k), Some(l)) = (waited(before), waited(after))
        && k.abs_diff(l) == 1
    {
        // The root of the exponential equation lies between the two.
        let k = k.min(l);
        assert_ne!(urge(k, low) >= Rational::ZERO, urge(k, high) >= Rational::ZERO, "{change}");
    }
}

#[test]
fn a_sweep_of_the_hotel_agrees_with_its_closed_form() {
    let folder = Folder::with_hotel();
    let json = folder
        .run(&["sweep", "--changes", "hotel.yaml", "--vary", "alice=0..0.95", "--steps", "19", "--json"])
        .done()
        .json();
    let bob = parse_rational("1/3").unwrap();
    let width = number(&json["width"]);
    let mut exact = Vec::new();
    for (index, point) in json["points"].as_array().unwrap().iter().enumerate() {
        let alice = number(&point["discount"]);
        assert_eq!(alice, parse_rational(&format!("{index}/20")).unwrap());
        assert_eq!(point["strategy"], best_words(&[&alice, &bob]));
        for change in point["changes"].as_array().unwrap() {
            let (low, high) = (number(&change["low"]), number(&change["high"]));
            assert_eq!(&high - &low, width);
            check_change(change, &[&low, &bob], &[&high, &bob]);
            exact.extend(change["at"].as_str().map(str::to_owned));
        }
    }
    assert_eq!(width, parse_rational("1/20").unwrap() / Rational::from(1u64 << 40));
    // 7α − 4 = 5/3 at the change from waiting once to investing at once.
    assert_eq!(exact, ["17/21"]);
}

#[test]
fn the_map_of_the_hotel_has_its_boundaries_where_the_closed_form_has_them() {
    let folder = Folder::with_hotel();
    let args = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "8"];
    let json = folder.run(&[&args[..], &["--json", "--out", "map.svg"]].concat()).done().json();
    let located = json["located"].as_array().unwrap();
    let mut joined = std::collections::BTreeSet::new();
    for change in located {
        let place = |end: &str| [0, 1].map(|axis| number(&change[end][axis]));
        let (low, high) = (place("low"), place("high"));
        check_change(change, &low.each_ref(), &high.each_ref());
        joined.insert((waited(change["before"].as_str().unwrap()), waited(change["after"].as_str().unwrap())));
    }
    assert!(located.len() > 100);
    // More patience shortens the wait in the end; at first, that of the less patient of the two lengthens it.
    assert!((0..4).all(|k| joined.contains(&(Some(k + 1), Some(k)))), "{joined:?}");
    assert!((1..3).all(|k| joined.contains(&(Some(k), Some(k + 1)))), "{joined:?}");
    assert!(!joined.contains(&(Some(0), Some(1))), "who invests at once still does with more patience");
    let share = |words: String| {
        let regions = json["regions"].as_array().unwrap();
        regions.iter().find(|region| region["strategy"] == words).map(|region| region["share"].as_f64().unwrap())
    };
    // Waiting for ever takes a square of side 4/7; investing at once lies above α + β = 8/7, whose corners are cut off at 1.
    let side: f64 = 0.999;
    let for_ever = (4.0 / 7.0 / side).powi(2);
    assert!((share("a for ever".to_owned()).unwrap() - for_ever).abs() < 1e-3);
    let at_once = (2.0 * side - 8.0 / 7.0).powi(2) / 2.0 / side.powi(2);
    assert!((share(words(0)).unwrap() - at_once).abs() < 1e-3, "{:?} {at_once}", share(words(0)));
    let total: f64 = json["regions"].as_array().unwrap().iter().map(|region| region["share"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let svg = folder.read("map.svg");
    well_formed(&svg);
    assert!(svg.contains("a twice, then b for ever"));
}

#[test]
fn threads_change_no_byte() {
    let folder = Folder::with_hotel();
    let runs = ["1", "3"].map(|threads| {
        let (map, sweep) = (format!("map-{threads}.svg"), format!("sweep-{threads}.svg"));
        let common = ["--threads", threads, "--json", "--out"];
        let args = ["map", "hotel.yaml", "--x", "bob", "--y", "alice", "--resolution", "6", "--x-range", "0..1/2"];
        let drawn = folder.run(&[&args[..], &common, &[&map]].concat()).done().stdout;
        let args = ["sweep", "--changes", "hotel.yaml", "--vary", "bob=0..0.9", "--steps", "30"];
        let swept = folder.run(&[&args[..], &common, &[&sweep]].concat()).done().stdout;
        (drawn, swept, folder.read(&map), folder.read(&sweep))
    });
    assert!(runs[0] == runs[1]);
    well_formed(&runs[0].2);
    well_formed(&runs[0].3);
}

#[test]
fn shards_together_are_the_whole() {
    let folder = Folder::with_hotel();
    let commands: [&[&str]; 2] = [
        &["sweep", "--changes", "hotel.yaml", "--vary", "alice=1/2..0.9", "--steps", "10"],
        &["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "3"],
    ];
    for command in commands {
        let lines = |shard: &str| -> Vec<(u64, String)> {
            let ran = folder.run(&[command, &["--shard", shard]].concat()).done();
            let index = |line: &str| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64().unwrap();
            ran.stdout.lines().map(|line| (index(line), line.to_owned())).collect()
        };
        let mut parts: Vec<_> = ["1/3", "2/3", "3/3"].iter().flat_map(|shard| lines(shard)).collect();
        parts.sort();
        assert_eq!(parts, lines("1/1"), "{command:?}");
        assert!(parts.iter().any(|(_, line)| line.contains("\"crowded\"")), "some changes are among them");
    }
}

#[test]
fn equal_discounts_and_discounts_of_0_have_their_place_on_a_map() {
    let folder = Folder::with_hotel();
    let args = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--x-range", "0..1/2", "--y-range", "0..1/2"];
    let text = folder.run(&[&args[..], &["--resolution", "4"]].concat()).done().stdout;
    assert!(text.contains("at least 99.9") && text.contains(" %  a for ever"), "{text}");
    let at = |discount: &str| {
        folder.run(&["sweep", "--changes", "hotel.yaml", "--vary", &format!("bob={discount}..{discount}")]).done()
    };
    assert!(at("2/3").stdout.contains("b for ever") && at("0").stdout.contains("none found"));
}

/// At q = 1/5 the two principals are one, and infinitely many strategies are best on the way there.
const CROWDED: &str = "
principals: {p: 1/5, q: 1/2}
states:
  s0:
    a0: {reward: {p: 6, q: 1}, to: s1}
    a1: {reward: {p: 6, q: -3}, to: s1}
    a2: {reward: {p: -6}, to: s0}
  s1:
    a0: {reward: {p: -2, q: 5}, to: s0}
    a1: {reward: {p: -1, q: -6}, to: s0}
    a2: {reward: {p: 4, q: 2}, to: s1}
";

#[test]
fn a_sweep_past_infinitely_many_changes_ends_and_says_that_they_crowd() {
    let folder = Folder::with_hotel();
    folder.write("crowded.yaml", CROWDED);
    let ran =
        folder.run(&["sweep", "--changes", "crowded.yaml", "--vary", "q=0.05..0.35", "--steps", "3", "--json"]).done();
    let changes = |point: &Value| point["changes"].as_array().unwrap().clone();
    let changes: Vec<Value> = ran.json()["points"].as_array().unwrap().iter().flat_map(changes).collect();
    assert!(changes.len() > 10 && changes.iter().any(|change| change["crowded"] == true), "{changes:?}");
}

/// The lines of a report, none of which is wider than a terminal.
fn narrow(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let widest = lines.iter().max_by_key(|line| line.width()).expect("a line");
    assert!(widest.width() <= 80, "{} columns: {widest}", widest.width());
    lines
}

#[test]
fn a_sweep_names_strategies_by_letters_in_80_columns_and_says_what_it_leaves_out() {
    let folder = Folder::with_hotel();
    folder.write("crowded.yaml", CROWDED);
    let ran = folder.run(&["sweep", "--changes", "crowded.yaml", "--vary", "q=0.05..0.95", "--steps", "40"]).done();
    let lines = narrow(&ran.stdout);
    for line in [
        "  A  a0 once, then a2 for ever",
        "  Y  as A before step 2; first differs then: a0 in s1 in place of a2",
        "  The model's own discount, 0.5, has Y.",
        "  at ≈ 0.200000000000: A → B *",
        "  at 2/3 ≈ 0.666667: Y → Z",
        "  *: with others between the two",
    ] {
        assert!(lines.contains(&line), "{line}: {}", ran.stdout);
    }
    let left_out = lines.iter().find(|line| line.contains(" more between ≈ ")).expect("a line on what is left out");
    assert!(left_out.starts_with("  … 33 more") && left_out.contains("--json"), "{left_out}");
    assert!(lines.len() < 90, "{} lines", lines.len());
}

/// A model's own value may lie between two points, and its strategy be none of those that a report names.
#[test]
fn sweeps_and_maps_say_what_is_best_under_the_models_own_preferences() {
    let folder = Folder::with_hotel();
    let sweep = ["sweep", "hotel.yaml", "--vary", "bob=0.1..0.55", "--steps", "1"];
    let report = folder.run(&sweep).done().stdout;
    assert!(
        report.contains("  The model's own discount, 1/3, has none of these: a twice, then b for ever."),
        "{report}"
    );
    let outside = folder.run(&["sweep", "hotel.yaml", "--vary", "bob=0.4..0.6", "--steps", "2"]).done().stdout;
    assert!(!outside.contains("The model's own"), "{outside}");
    let map = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "6"];
    let report = folder.run(&map).stdout;
    let line = report.lines().find(|line| line.contains("The model itself, at (2/3, 1/3), lies in ")).expect(&report);
    let letter = line.trim_end_matches('.').rsplit(' ').next().unwrap();
    let row = report.lines().find(|line| line.trim_start().starts_with(letter)).expect(&report);
    assert!(row.contains("a twice, then b"), "{report}");
}

/// 2/5 among thirds is no decimal.
#[test]
fn the_points_of_a_sweep_are_in_one_format() {
    let folder = Folder::with_hotel();
    let ran = folder.run(&["sweep", "hotel.yaml", "--vary", "bob=1/3..2/3", "--steps", "5"]).done();
    let rows = ran.stdout.lines().skip_while(|line| !line.starts_with("  bob")).skip(1).take(6);
    let places: Vec<&str> = rows.filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(places, ["1/3", "2/5", "7/15", "8/15", "3/5", "2/3"], "{}", ran.stdout);
}

#[test]
fn a_sweep_says_what_every_principal_gets_however_many_they_are() {
    let folder = Folder::new();
    for (discounts, n) in [("0.9,0.5,0.3", 3), ("0.9,0.8,0.7,0.6,0.5,0.4,0.3,0.2,0.1", 9)] {
        let args = ["generate", "random", "--states", "4", "--discounts", discounts, "--out", "model.yaml"];
        folder.run(&args).done();
        let ran = folder.run(&["sweep", "--changes", "model.yaml", "--vary", "p1=0.4..0.6", "--steps", "2"]).done();
        let lines = narrow(&ran.stdout);
        for p in 0..n {
            let header = format!(" to p{p}");
            assert!(lines.iter().any(|line| line.contains(&header)), "{header}: {}", ran.stdout);
        }
    }
    let many: Vec<String> = (1..=60).map(|i| format!("0.{i:02}")).collect();
    folder.run(&["generate", "random", "--states", "2", "--discounts", &many.join(","), "--out", "many.yaml"]).done();
    let ran = folder.run(&["sweep", "--changes", "many.yaml", "--vary", "p0=0.01..0.012", "--steps", "1"]).done();
    assert!(narrow(&ran.stdout).iter().any(|line| line.contains("more principals; --csv and --json have them all")));
}

#[test]
fn a_sweep_is_drawn_with_its_jumps_and_the_models_own_discount() {
    let folder = Folder::with_hotel();
    folder
        .run(&["sweep", "--changes", "hotel.yaml", "--vary", "bob=0..0.95", "--steps", "20", "--out", "s.svg"])
        .done();
    let svg = folder.read("s.svg");
    assert!(svg.contains(">the model</text>"));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let lines =
        document.descendants().filter(|node| node.attribute("class").is_some_and(|class| class.ends_with("-line")));
    // Two payoffs with four pieces each, as the strategy changes three times; the welfare and that of the long-term strategy, which
    // stays the same, are whole; and four samples in the legend.
    assert_eq!(lines.count(), 14);
    folder
        .run(&["sweep", "--changes", "hotel.yaml", "--vary", "bob=0.5..0.9", "--steps", "2", "--out", "s.svg"])
        .done();
    assert!(!folder.read("s.svg").contains(">the model</text>"), "it lies elsewhere");
}

#[test]
fn a_map_names_strategies_by_letters_in_80_columns() {
    let folder = Folder::with_hotel();
    let args = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "8", "--out", "map.svg"];
    let ran = folder.run(&args).done();
    let lines = narrow(&ran.stdout);
    assert!(
        lines.iter().any(|line| line.starts_with("  C  ") && line.ends_with(" %  a once, then b for ever")),
        "{}",
        ran.stdout
    );
    let svg = folder.read("map.svg");
    for text in [">C: a once, then b for ever</text>", ">C</text>", "other strategies</text>", ">the model</text>"] {
        assert!(svg.contains(text), "{text}");
    }
}

/// How often the hotel waits, by the closed form: the first k with α^k (7α − 4) + β^k (7β − 4) ≥ 0; never where neither exceeds 4/7.
fn waits(alpha: f64, beta: f64) -> Option<u32> {
    let patience = alpha.max(beta);
    if patience <= 4.0 / 7.0 {
        return None;
    }
    let urge = |k: u32| {
        let term = |own: f64| (own / patience).powi(k as i32) * (7.0 * own - 4.0);
        term(alpha) + term(beta)
    };
    Some((0..200).find(|&k| urge(k) >= 0.0).unwrap_or(200))
}

/// Every share that `map` prints holds the share by the closed form, at the middles of nine million cells; also where boundaries that
/// are not separated make the polygons of the map wrong by more than the last digit.
#[test]
fn the_shares_of_a_map_are_those_of_the_closed_form() {
    const FINE: u32 = 3_000;
    /// In per cent: what the middles of the cells may be off, times the length of the boundaries.
    const OFF: f64 = 0.01;
    let folder = Folder::with_hotel();
    for ([x, y], arguments) in [
        ([[0.0, 0.999], [0.0, 0.999]], &[][..]),
        ([[0.65, 0.95], [0.0, 0.5]], &["--x-range", "0.65..0.95", "--y-range", "0..0.5", "--resolution", "8"]),
        ([[0.55, 0.6], [0.55, 0.6]], &["--x-range", "0.55..0.6", "--y-range", "0.55..0.6", "--resolution", "16"]),
    ] {
        let mut counts = std::collections::HashMap::new();
        let place = |[from, to]: [f64; 2], at: u32| from + (f64::from(at) + 0.5) / f64::from(FINE) * (to - from);
        for column in 0..FINE {
            for row in 0..FINE {
                *counts.entry(waits(place(x, column), place(y, row))).or_insert(0u32) += 1;
            }
        }
        let args = [&["map", "hotel.yaml", "--x", "alice", "--y", "bob"], arguments].concat();
        let ran = folder.run(&args).done();
        let lines = narrow(&ran.stdout);
        assert!(ran.stdout.contains(" random places: "), "{}", ran.stdout);
        let (mut n_tight, mut shown) = (0, 0);
        for line in &lines {
            let Some((share, words)) = line.get(4..).and_then(|row| row.split_once(" %  ")) else { continue };
            let waits = match words.trim_end_matches(", then b for ever") {
                "a for ever" => None,
                "b for ever" => Some(0),
                "a once" => Some(1),
                "a twice" => Some(2),
                words => match words.strip_prefix("a ").and_then(|rest| rest.strip_suffix(" times")) {
                    Some(times) => Some(times.parse().unwrap()),
                    None => continue,
                },
            };
            if waits.is_some_and(|k| k >= 200) {
                continue;
            }
            let expected = 100.0 * f64::from(counts.get(&waits).copied().unwrap_or(0)) / f64::from(FINE * FINE);
            let number = |text: &str| text.trim().parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
            let (least, most) = match share.trim().strip_prefix("at most ") {
                Some(most) => (0.0, number(most)),
                None => {
                    let (center, off) = share.split_once('±').unwrap_or_else(|| panic!("{line}"));
                    let (center, off) = (number(center), number(off));
                    n_tight += usize::from(off <= 0.5);
                    (center - off, center + off)
                }
            };
            shown += 1;
            assert!(least - OFF <= expected && expected <= most + OFF, "{line}, but {expected} %");
        }
        assert!(shown >= 3 && n_tight >= 2, "{}", ran.stdout);
    }
}

/// Infinitely many bands of the hotel meet in the point (4/7, 4/7).
#[test]
fn the_first_map_of_a_user_is_no_failure() {
    let folder = Folder::with_hotel();
    let args = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--out", "map.svg"];
    let ran = folder.run(&args).done();
    narrow(&ran.stdout);
    assert!(ran.stdout.starts_with("Best strategies from s0"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" of the map, where boundaries meet, regions thinner than a cell"), "{}", ran.stdout);
    let svg = folder.read("map.svg");
    assert!(!svg.contains("topped") && svg.contains("or more other"), "{svg}");
    // Bands are whole: the largest nine are one piece or two mirrored ones, but for pieces that are smaller than a pixel.
    let document = roxmltree::Document::parse(&svg).unwrap();
    let paths = document.descendants().filter_map(|node| node.attribute("d"));
    let regions: Vec<&str> = paths.filter(|path| path.ends_with('Z') && path.len() > 200).collect();
    assert!(regions.len() >= 9, "{}", regions.len());
    for region in regions {
        let rings = region.split('Z').filter(|ring| area(ring).abs() > 0.25).count();
        assert!((1..=2).contains(&rings), "{rings} pieces: {region}");
    }
}

/// The area of a polygon `M1 2L3 4…`.
fn area(ring: &str) -> f64 {
    let points: Vec<(f64, f64)> = ring
        .split(['M', 'L'])
        .filter_map(|point| {
            let (x, y) = point.trim().split_once(' ')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        })
        .collect();
    let pairs = (0..points.len()).map(|at| (points[at], points[(at + 1) % points.len()]));
    pairs.map(|((x0, y0), (x1, y1))| x0 * y1 - x1 * y0).sum::<f64>() / 2.0
}

#[test]
fn a_timeline_keeps_the_models_order_and_shows_only_what_can_happen() {
    let folder = Folder::with_hotel();
    let example = std::fs::read_to_string(paper("example-4.yaml")).unwrap();
    folder.write("example.yaml", example);
    let svg = folder.run(&["plot", "example.yaml", "--kind", "timeline"]).done().stdout;
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    let states: Vec<&str> = texts.iter().copied().filter(|text| text.len() == 2 && text.starts_with('s')).collect();
    assert_eq!(states, ["s0", "s1", "s2", "s3", "s4"], "the model's order, though s4 is met before s1");
    let bars = document.descendants().filter(|node| {
        node.attribute("class").is_some_and(|class| class.ends_with("-fill")) && node.attribute("height") == Some("20")
    });
    // Each state is met once, the last for ever.
    assert_eq!(bars.count(), 5, "{svg}");
    let hotel = folder.run(&["plot", "hotel.yaml", "--kind", "timeline"]).done().stdout;
    assert_eq!(hotel.matches("stroke-dasharray").count(), 2, "one step of change, and the axis that goes on for ever");
}

#[test]
fn what_is_stopped_says_so_and_a_sweep_shows_no_number_that_it_does_not_know() {
    let folder = Folder::with_hotel();
    let sweep =
        ["sweep", "hotel.yaml", "--vary", "bob=0..0.9", "--time-limit", "0", "--csv", "s.csv", "--out", "s.svg"];
    let ran = folder.run(&sweep);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.starts_with("Stopped: ") && ran.stdout.contains("none found before the stop"), "{ran:?}");
    assert_eq!(folder.read("s.csv").lines().count(), 1, "a header alone");
    assert!(folder.read("s.svg").contains("were not solved"));
    let json = folder.run(&[&sweep[..6], &["--json"]].concat()).json();
    assert_eq!(json["status"], "stopped");
    let map = ["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "4", "--time-limit", "0"];
    let ran = folder.run(&map);
    assert!(ran.code == 3 && ran.stdout.starts_with("Stopped: "), "{ran:?}");
    assert_eq!(folder.run(&[&map[..], &["--json"]].concat()).json()["status"], "stopped");
    let plot = folder.run(&["plot", "hotel.yaml", "--time-limit", "0", "--out", "p.svg"]);
    assert!(plot.code == 3 && plot.stderr.starts_with("note: the time limit was reached"), "{plot:?}");
    well_formed(&folder.read("p.svg"));
}

#[test]
fn a_picture_is_not_written_under_a_name_that_promises_another_kind() {
    let folder = Folder::with_hotel();
    for command in [
        &["plot", "hotel.yaml", "--out", "p.gif"][..],
        &["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--out", "p.gif"],
        &["sweep", "hotel.yaml", "--vary", "bob=0..0.9", "--out", "p.gif"],
    ] {
        folder.run(command).refused(&["p.gif", "pictures are SVG, PNG or PDF", "help: name it p.svg"]);
    }
}

#[test]
fn the_ending_of_its_name_chooses_the_kind_of_a_picture() {
    let folder = Folder::with_hotel();
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    for name in ["p.png", "p.PNG"] {
        folder.run(&["plot", "hotel.yaml", "-o", name]).done();
        assert!(bytes(name).starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    }
    folder.run(&["plot", "hotel.yaml", "-o", "p.pdf"]).done();
    assert!(bytes("p.pdf").starts_with(b"%PDF-1.5\n") && bytes("p.pdf").ends_with(b"%%EOF\n"));
    let first = [bytes("p.png"), bytes("p.pdf")];
    folder.run(&["plot", "hotel.yaml", "-o", "p.png", "--threads", "1"]).done();
    folder.run(&["plot", "hotel.yaml", "-o", "p.pdf", "--threads", "1"]).done();
    assert!([bytes("p.png"), bytes("p.pdf")] == first, "the same input gives the same bytes");
    folder.run(&["sweep", "hotel.yaml", "--vary", "bob=0..0.9", "--steps", "3", "-o", "s.png"]).done();
    assert!(bytes("s.png").starts_with(b"\x89PNG"));
    folder.run(&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "2", "-o", "m.pdf"]).done();
    assert!(bytes("m.pdf").starts_with(b"%PDF"));
    // Characters that the embedded font lacks are reported.
    folder.write("inn.yaml", "principals: {p: 1/2}\nstates:\n  宿屋:\n    go: {reward: 1, to: 宿屋}\n");
    let ran = folder.run(&["plot", "inn.yaml", "-o", "inn.png"]).done();
    assert!(ran.stderr.contains("the font of PNG and PDF has no 宿屋"), "{ran:?}");
    assert_eq!(folder.run(&["plot", "inn.yaml", "-o", "inn.svg"]).done().stderr, "");
}

#[test]
fn a_report_is_one_page_with_pictures_tables_and_how_it_is_found() {
    let folder = Folder::with_hotel();
    let ran = folder.run(&["solve", "hotel.yaml", "--compare", "--report", "hotel.html"]).done();
    assert!(ran.stdout.contains("127/9"), "the report on the terminal is there all the same");
    let page = folder.read("hotel.html");
    for part in [
        "<h1>hotel.yaml</h1>",
        "Optimal welfare from s0: 127/9 ≈ 14.111111.",
        "<td>alice</td><td>2/3</td><td>9.888889</td><td>89/9</td><td>11</td><td>11</td>",
        "Who gains, and who pays",
        "What to do from s0, step by step",
        "What has been earned by when",
        "<td>s0</td><td>a at steps 0 to 1, b at step 2</td>",
        "<td>s1</td><td>b from step 3 on</td>",
        "<td>best positional</td><td>13.5</td><td>0.611111</td>",
        "<h3>2. Deviations</h3>",
        "From step 2 on no deviation pays",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<svg ").count(), 3);
    // The file refers to no other file.
    for outside in ["<script", "src=", "@import", "<link", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Names are escaped.
    folder.write("odd.yaml", "principals: {'<b>': 1/2}\nstates:\n  '</td>':\n    '&': {reward: 1, to: '</td>'}\n");
    folder.run(&["solve", "odd.yaml", "--report", "odd.html", "--json"]).done();
    let page = folder.read("odd.html");
    assert!(page.contains("&lt;b&gt;") && page.contains("&lt;/td&gt;") && !page.contains("<b>"));
    folder.run(&["generate", "random", "--states", "60", "--discounts", "0.9,0.5", "-o", "random.yaml"]).done();
    folder.run(&["solve", "random.yaml", "--gap", "1e-6", "--report", "random.html"]).done();
    let page = folder.read("random.html");
    assert!(page.contains("proven in doubles") && !page.contains("<th>exactly</th>"), "{page}");
    assert!(folder.read("hotel.html").contains("<th>exactly</th>"));
    folder.run(&["solve", "hotel.yaml", "--report", "hotel.yaml"]).refused(&["the file that is read"]);
    folder
        .run(&["solve", "hotel.yaml", "--report", "x", "--strategy", "x"])
        .refused(&["--strategy and --report name the same file"]);
}

#[test]
fn every_picture_of_a_solution_is_drawn_and_is_xml() {
    let folder = Folder::with_hotel();
    folder.run(&["plot", "hotel.yaml", "--out", "all.svg"]).done();
    let svg = folder.read("all.svg");
    well_formed(&svg);
    for text in ["What to do from s0", "What has been earned by when", "Who gains, and who pays", "+2.222222", "127/9"]
    {
        assert!(svg.contains(text), "{text}");
    }
    for kind in ["timeline", "payoffs", "gains"] {
        let printed = folder.run(&["plot", "hotel.yaml", "--kind", kind]).done().stdout;
        well_formed(&printed);
    }
    // A horizon of twenty digits, names that are markup, chance, and doubles.
    folder.run(&["generate", "spaced", "1e9", "--out", "spaced.yaml"]).done();
    folder.write(
        "odd.yaml",
        "principals: {'<a & \"b\">': 1/2, c: 0}\nstates:\n  '</svg>':\n    '&': {reward: 1, to: '</svg>'}\n",
    );
    folder.run(&["generate", "random", "--states", "60", "--discounts", "0.9,0.5", "--out", "random.yaml"]).done();
    for model in ["spaced.yaml", "odd.yaml", "random.yaml"] {
        well_formed(&folder.run(&["plot", model, "--quiet"]).done().stdout);
    }
    let certified = folder.run(&["plot", "random.yaml", "--gap", "1e-6"]).done().stdout;
    well_formed(&certified);
    assert!(certified.contains("Payoffs are known to within"));
}

#[test]
fn faulty_pictures_are_refused_and_nothing_is_written() {
    let folder = Folder::with_hotel();
    let sweep = |vary: &'static str| ["sweep", "hotel.yaml", "--out", "x.svg", "--vary", vary];
    for (vary, words) in [
        ("alcie=0..0.5", &["--vary", "no principal `alcie`", "did you mean `alice`?"][..]),
        ("alice", &["--vary", "`alice` is not PRINCIPAL=FROM..TO"]),
        ("alice=0.5", &["--vary", "`0.5` is not FROM..TO"]),
        ("alice=0..1", &["--vary", "1 is not a discount", "below 1"]),
        ("alice=-0.1..0.5", &["--vary", "-1/10 is not a discount"]),
        ("alice=0.6..0.5", &["--vary", "3/5 is greater than 1/2"]),
        ("alice=a..b", &["--vary", "`a` is not a number"]),
    ] {
        folder.run(&sweep(vary)).refused(words);
    }
    let cases: &[(&[&str], &[&str])] = &[
        (&["sweep", "hotel.yaml"], &["--vary"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--steps", "0"], &["--steps"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--shard", "0/3"], &["--shard", "1 to N"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--shard", "4/3"], &["--shard", "1 to N"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--shard", "1/3", "--json"], &["cannot be used with"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--out", "no/x.svg"], &["no/x.svg", "there is no folder"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--csv", "x", "--out", "x"], &["the same file"]),
        (&["map", "hotel.yaml", "--x", "alice"], &["--y"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "alice"], &["the same principal"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "carol"], &["--y", "no principal `carol`", "`alice`, `bob`"]),
        (&["map", "hotel.yaml", "--x", "alice=0.3..0.95", "--y", "bob"], &["write --x alice --x-range 0.3..0.95"]),
        (&["map", "hotel.yaml", "--x", "carol=0..0.5", "--y", "bob"], &["--x", "no principal `carol=0..0.5`"]),
        (
            &["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--x-range", "0..1"],
            &["--x-range", "1 is not a discount"],
        ),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--y-range", "0..0"], &["--y-range", "single discount"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--resolution", "0"], &["--resolution"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--shard", "2/1"], &["--shard"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--out", "no/x.svg"], &["there is no folder"]),
        (&["plot", "hotel.yaml", "--kind", "pie"], &["pie", "timeline"]),
        (&["plot", "hotel.yaml", "--json"], &["--json", "solve --json"]),
        (&["plot", "hotel.yaml", "--out", "."], &["folder"]),
        (&["plot", "hotel.yaml", "--out", "./hotel.yaml"], &["hotel.yaml", "the file that is read"]),
        (&["sweep", "hotel.yaml", "--vary", "bob=0..0.5", "--csv", "hotel.yaml"], &["the file that is read"]),
        (&["map", "hotel.yaml", "--x", "alice", "--y", "bob", "--out", "hotel.yaml"], &["the file that is read"]),
        (&["solve", "hotel.yaml", "--strategy", "hotel.yaml"], &["hotel.yaml", "the file that is read"]),
        (&["positional", "hotel.yaml", "--strategy", "hotel.yaml"], &["hotel.yaml", "the file that is read"]),
        (&["plot", "missing.yaml", "--out", "x.svg"], &["missing.yaml"]),
    ];
    for (args, words) in cases {
        folder.run(args).refused(words);
    }
    assert_eq!(folder.files(), ["hotel.yaml"]);
}

fn well_formed(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let pictures = document.descendants().filter(|node| node.attribute("role") == Some("img"));
    for picture in pictures {
        let children: Vec<&str> =
            picture.children().filter(|node| node.is_element()).map(|node| node.tag_name().name()).take(3).collect();
        assert_eq!(children, ["title", "desc", "style"]);
    }
}

/// Pounds and life-years: what is drawn on one axis is what the welfare adds up.
#[test]
fn payoffs_with_weights_of_different_sizes_are_drawn_in_the_units_of_the_welfare() {
    let folder = Folder::with_hotel();
    let hotel = folder.read("hotel.yaml");
    let weighted = hotel.replace("alice: 2/3", "alice: {discount: 2/3, weight: 2}");
    folder.write("weighted.yaml", weighted.replace("bob: 1/3", "bob: {discount: 1/3, weight: 3}"));
    let in_units = "multiplied by their weights";
    let sweep = |vary: &str| {
        folder.run(&["sweep", "weighted.yaml", "--vary", vary, "--steps", "2", "--out", "sweep.svg"]).done();
        folder.read("sweep.svg")
    };
    let plot = |file: &str, kind: &str| folder.run(&["plot", file, "--kind", kind]).done().stdout;
    let pictures = ["gains", "payoffs", "rewards"].map(|kind| plot("weighted.yaml", kind));
    for svg in pictures.into_iter().chain([sweep("bob.rate=10%..90%")]) {
        assert!(svg.contains("alice × 2") && svg.contains("bob × 3") && svg.contains(in_units), "{svg}");
    }
    // The strategy is that of the hotel: alice loses 10/9 against the long-term one, bob wins 20/9, and the welfare 40/9.
    let gains = plot("weighted.yaml", "gains");
    assert!(
        gains.contains("alice × 2: −2.222222, −2.222222; bob × 3: +6.666667, −0.833333; welfare: +4.444444."),
        "{gains}"
    );
    // A weight that varies is no unit, and weights of one size need none.
    assert!(!sweep("bob.weight=1..2").contains(in_units));
    assert!(!plot("hotel.yaml", "gains").contains(in_units));
}

/// The pictures of the case studies are those that the program draws.
#[test]
fn the_pictures_of_the_case_studies_are_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let folder = Folder::new();
    for (picture, model, kinds) in [
        ("abatement-rates", "abatement", &["--kind", "rates"][..]),
        ("green-book-rates", "green-book-investment", &["--kind", "rates"]),
        ("two-rates-in-health-care", "two-rates-in-health-care", &[]),
        ("fishery", "fishery", &["--kind", "rewards", "--kind", "states"]),
    ] {
        let model = format!("{root}models/case-studies/{model}.yaml");
        let drawn = folder.run(&[&["plot", model.as_str(), "--quiet"], kinds].concat()).done().stdout;
        let kept = std::fs::read_to_string(format!("{root}docs/case-studies/{picture}.svg")).unwrap();
        assert!(drawn.trim_end() == kept.trim_end(), "{picture}.svg is drawn otherwise now");
    }
}

/// One step of building after 75 years is seen on the logarithmic axis; curves go on beyond the last change of the plan, however late; and a
/// cost is drawn as a cost.
#[test]
fn pictures_show_the_decisive_step_late_changes_and_costs() {
    let folder = Folder::new();
    let states = "states:\n  idea: {wait: {to: idea}, build: {reward: -1, to: built}}\n  built: {run: {reward: 0.028, to: built}}\n";
    folder.write("late.yaml", format!("principals: {{fund: {{schedule: green-book}}}}\n{states}"));
    let svg = folder.run(&["plot", "late.yaml", "--kind", "timeline"]).done().stdout;
    assert!(svg.contains("logarithmic"), "{svg}");
    // The rectangle of `build` is the second colour's only one.
    let widths = widths_of_bars(&svg);
    assert!(widths.len() == 3 && widths.iter().all(|width| *width >= 10.0), "{widths:?}");
    // The plan changes at step 450: until then an investment for 1 % a step does not pay.
    let late = "principals: {fund: {schedule: {0: 4%, 450: 1%}}}\n";
    folder.write("later.yaml", format!("{late}{states}"));
    let solution = folder.run(&["solve", "later.yaml", "--json"]).done().json();
    let built = solution["states"]["idea"]["decisions"][1]["from"].as_u64().unwrap();
    assert!((440..=450).contains(&built), "{solution}");
    let svg = folder.run(&["plot", "later.yaml", "--kind", "states"]).done().stdout;
    assert!(svg.contains(">400</text>") && svg.contains(">500</text>") || svg.contains(">450</text>"), "{svg}");
    folder.write(
        "cost.yaml",
        "principals: {spending: {rate: 3%, weight: -1}, health: {rate: 2%, weight: 100}}\nstates: {s: {a: {reward: {spending: 5, health: 1}, to: s}, b: {to: s}}}\n",
    );
    let svg = folder.run(&["plot", "cost.yaml"]).done().stdout;
    assert!(svg.contains("spending (cost)") && svg.contains("health × 100") && !svg.contains("−1<"), "{svg}");
}

/// The widths of the round rectangles that a timeline has for bars.
fn widths_of_bars(svg: &str) -> Vec<f64> {
    let bars = svg.lines().filter(|line| line.contains("<rect") && line.contains("height=\"20\""));
    let width = |line: &str| line.split_once("width=\"").and_then(|(_, rest)| rest.split_once('"')?.0.parse().ok());
    bars.filter_map(width).collect()
}

/// With long waits there are hundreds of changes. Locating them ends after a fixed amount of work, and each lies where it is said to: the plans
/// on its two sides differ.
#[test]
fn locating_hundreds_of_changes_ends_with_what_was_found() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/case-studies/two-rates-in-health-care.yaml");
    let folder = Folder::new();
    let args = ["sweep", model, "--vary", "health.rate=0.5%..3.4%", "--changes", "--json", "--quiet"];
    let sweep = folder.run(&args).done().json();
    let points = sweep["points"].as_array().unwrap();
    let changes: Vec<&Value> = points.iter().flat_map(|point| point["changes"].as_array().unwrap()).collect();
    assert!(changes.len() > 200, "{}", changes.len());
    // To 2^-40 of the distance of points, 0.029 %, if there were no limit.
    let (width, finest) =
        (number(&sweep["width"]), Rational::from_quotient(29, 100_000) * Rational::from_quotient(1, 1 << 40));
    assert!(width > finest && width < Rational::from_quotient(1, 10_000), "{width}");
    for change in changes.iter().step_by(60) {
        assert!(number(&change["high"]) - number(&change["low"]) <= width);
        let plan = |end: &str| {
            let rate = format!("health={}", change[end].as_str().unwrap());
            let solution = folder.run(&["solve", model, "--rate", &rate, "--json", "--quiet"]).done().json();
            solution["states"]["C"]["decisions"].clone()
        };
        assert_ne!(plan("low"), plan("high"), "{change}");
    }
}

/// Between two points with different strategies nothing says what anybody gets: payoffs have a gap there, and none where every change is
/// located. The welfare is continuous.
#[test]
fn a_sweep_draws_no_payoff_where_a_change_is_not_located() {
    let folder = Folder::with_hotel();
    let drawn = |more: &[&str]| {
        let ask = ["sweep", "hotel.yaml", "--vary", "alice=0.6..0.9", "--steps", "3", "--out", "sweep.svg"];
        folder.run(&[&ask[..], more].concat()).done();
        folder.read("sweep.svg")
    };
    let (open, located) = (drawn(&[]), drawn(&["--changes"]));
    let not_drawn = "payoffs jump and are not drawn";
    assert!(open.contains("The strategy changes between 2 pairs of neighbouring points"), "{open}");
    assert!(open.contains(not_drawn) && !located.contains(not_drawn), "{located}");
    // A payoff has 4 points, of which the middle two alone are joined; if changes are located, pieces reach up to each of them.
    let pieces = |svg: &str| {
        let strokes =
            svg.lines().filter(|line| line.contains("<path") && !line.contains("axis") && !line.contains("grid"));
        strokes.map(|line| line.matches('M').count()).collect::<Vec<_>>()
    };
    assert_ne!(pieces(&open), pieces(&located), "{open}");
}
