//! Comparisons, sweeps and maps that end: counted work limits each part of them, and what was cut says so.

use crate::program::Folder;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Every model of the repository.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = std::fs::read_dir(root).expect("the models").map(|entry| entry.expect("a folder").path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
}

fn number(number: &Value) -> f64 {
    number.as_f64().expect("a number")
}

/// What is known of a row: what its strategy earns at least, and what no strategy of its class exceeds.
fn bounds(row: &Value) -> (f64, f64) {
    let upper = if row["upper"].is_null() { &row["welfare"]["upper"] } else { &row["upper"] };
    (number(&row["welfare"]["lower"]), number(upper))
}

fn is_cut(row: &Value) -> bool {
    row["status"] == "stopped" && row["reason"] != "what is left is finer than doubles can tell"
}

#[test]
fn every_model_is_compared_and_no_row_knows_less_than_another() {
    let folder = Folder::new();
    let mut cut = 0;
    for file in models() {
        let name = file.to_str().expect("a path");
        let ran = folder.run(&["solve", name, "--compare", "--json", "--no-exact", "--quiet"]);
        let document = ran.json();
        let rows = document["comparison"].as_array().expect("a comparison");
        let all = |strategy: &'static str| rows.iter().filter(move |row| row["strategy"] == strategy);
        let of = |strategy: &'static str| all(strategy).next().map(bounds);
        let (counting, stationary, positional) =
            (of("counting").unwrap(), of("stationary").unwrap(), of("positional").unwrap());
        // A little for the rounding of decimals.
        let at_most = |a: f64, b: f64| assert!(a <= b + 1e-9 * b.abs().max(1.0), "{name}: {a} exceeds {b}\n{rows:#?}");
        at_most(positional.0, stationary.0);
        at_most(stationary.0, counting.0);
        at_most(positional.1, stationary.1);
        at_most(stationary.1, counting.1);
        for (lower, upper) in [counting, stationary, positional] {
            at_most(lower, upper);
        }
        // These do the same always.
        at_most(of("long-term").unwrap().0, positional.0);
        at_most(of("re-planned").unwrap().0, positional.0);
        if let Some(uncommitted) = of("no commitment") {
            at_most(uncommitted.0, stationary.0);
        }
        for row in all("best for principal").chain(all("fair")) {
            at_most(number(&row["welfare"]["lower"]), counting.1);
        }
        let is_cut = rows.iter().any(is_cut);
        assert_eq!(ran.code, if is_cut { 3 } else { 0 }, "{name}");
        cut += usize::from(is_cut);
    }
    assert!(cut > 0, "the fishery's searches are cut");
}

#[test]
fn a_comparison_that_is_cut_says_so_and_is_the_same_on_any_number_of_threads() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/case-studies/fishery.yaml");
    let folder = Folder::new();
    let run =
        |threads: &str| folder.run(&["solve", file.to_str().unwrap(), "--compare", "--quiet", "--threads", threads]);
    let ran = run("1");
    assert_eq!(ran.code, 3);
    for words in [
        "Stopped: the answer takes more work than is allowed.",
        "was cut; `stationary` goes on",
        "none earns more than",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    assert_eq!(ran.stdout, run("3").stdout);
    // The figures of the page.
    let json = folder.run(&["solve", file.to_str().unwrap(), "--compare", "--quiet", "--json"]).json();
    let row = |at: usize| bounds(&json["comparison"][at]);
    assert_eq!(json["comparison"][2]["strategy"], "positional");
    assert!(row(2).0 >= 91.5 && row(2).1 <= 93.3 && row(1).0 >= 91.6, "{:?} {:?}", row(1), row(2));
    assert!(ran.stdout.contains("3.776091  32.185185  58.198228") && ran.stdout.contains("4.110298"), "{}", ran.stdout);
}

#[test]
fn a_sweep_says_between_which_points_the_strategy_changes_and_where_if_asked() {
    let folder = Folder::with_hotel();
    let args = ["sweep", "hotel.yaml", "--vary", "bob=0.1..0.6", "--steps", "5"];
    let report = folder.run(&args).done().stdout;
    let told = "Changes of strategy, between neighbouring points
  from 0.1 to 0.2: A → B
  from 0.4 to 0.5: B → C
  (--changes locates them)
";
    assert!(report.ends_with(told), "{report}");
    let json = |more: &[&str]| folder.run(&[&args[..], &["--json"], more].concat()).done().json();
    let (rough, fine) = (json(&[]), json(&["--changes"]));
    assert_eq!((&rough["width"], &rough["points"][0]["changes"][0]["high"]), (&"1/10".into(), &"1/5".into()));
    // The points are the same; the changes lie inside of what was said, and one is found that lies between points of the same strategy before and after.
    let n = |sweep: &Value| (0..6).map(|at| sweep["points"][at]["changes"].as_array().unwrap().len()).sum::<usize>();
    assert_eq!((n(&rough), n(&fine)), (2, 3));
    for at in 0..6 {
        let [rough, fine] = [&rough, &fine].map(|sweep| {
            let mut point = sweep["points"][at].clone();
            point.as_object_mut().unwrap().remove("changes");
            point
        });
        assert_eq!(rough, fine);
    }
}

#[test]
fn a_sweep_across_equal_discounts_ends() {
    // Between 0.89 and 0.91 the discounts are equal, and changes without end meet there.
    let folder = Folder::new();
    let generated = [
        "generate",
        "random",
        "--states",
        "4",
        "--actions",
        "3",
        "--successors",
        "2",
        "--discounts",
        "0.9,0.8",
        "--seed",
        "3",
    ];
    folder.write("four.yaml", folder.run(&generated).done().stdout);
    let sweep = folder.run(&["sweep", "four.yaml", "--vary", "p1=0.7..0.95", "--steps", "20", "--json"]).done().json();
    let points = sweep["points"].as_array().unwrap();
    assert!(points.len() == 21 && points.iter().all(|point| point["strategy"].is_string()));
    // In doubles the same strategies earn the same, within the bounds.
    let gap = folder.run(&["sweep", "four.yaml", "--vary", "p1=0.7..0.95", "--steps", "20", "--json", "--gap", "1e-9"]);
    for (exact, within) in points.iter().zip(gap.json()["points"].as_array().unwrap()) {
        let [exact, within] = [exact, within].map(|point| point["welfare"].clone());
        assert!(!exact["exact"].is_null() && within["exact"].is_null());
        assert!(
            number(&within["lower"]) <= number(&exact["upper"]) && number(&exact["lower"]) <= number(&within["upper"])
        );
    }
}
