//! `commonweal reproduce`: its numbers against committed ones, and its handling of the files of an earlier run.
//!
//! The committed numbers are those of `--quick --untimed` with seed 1; `UPDATE_EXPECT=1` rewrites them. Times are not tested.

use crate::program::Folder;
use std::path::{Path, PathBuf};

const NUMBERS: [&str; 5] = ["--untimed", "--python", "none", "--out", "out"];

fn expected() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reproduced")
}

fn with_numbers<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["reproduce"], args, &NUMBERS].concat()
}

#[test]
fn all_of_it_gives_the_committed_numbers() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let folder = Folder::new();
    let ran = folder.run(&with_numbers(&["all", "--quick", "--json"])).done();
    let mut files = vec![("claims.json".to_owned(), ran.stdout.clone())];
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder.path().join("out")).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries.iter().filter(|path| path.extension().is_some_and(|ending| ending == "csv")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The first line names the version, which may change without the numbers.
        let text = std::fs::read_to_string(path).unwrap();
        files.push((name, without_last_digits(text.split_once('\n').expect("a first line").1)));
    }
    assert!(files.len() >= 11, "{} tables", files.len() - 1);
    for (name, found) in files {
        let path = expected().join(&name);
        if update {
            std::fs::create_dir_all(expected()).unwrap();
            std::fs::write(&path, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == expected, "{name} differs from tests/reproduced; if it is right, run with UPDATE_EXPECT=1");
    }
    let json = ran.json();
    assert_eq!((&json["differ"], &json["checks_differ"]), (&0.into(), &0.into()));
    // Our own checks are not claims of the paper.
    let all: Vec<serde_json::Value> = json["examples"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|example| example["claims"].as_array().unwrap().clone())
        .collect();
    let checks = all.iter().filter(|claim| claim["check"] == true).count();
    assert!(checks > 0 && json["checks"] == checks && json["claims"] == all.len() - checks);
    let verdicts = ["agree", "misprints", "open", "differ"].map(|key| json[key].as_u64().unwrap());
    assert_eq!(verdicts.iter().sum::<u64>(), json["claims"].as_u64().unwrap());
    // A power of 1.37 ± 0.16 is not linear growth.
    let work = all.iter().find(|claim| claim["id"] == "rq1/work").unwrap();
    assert_eq!(work["verdict"], "open", "{work}");
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    for part in ["<svg", "prefers-color-scheme: dark", "id=\"rq1\"", "id=\"hardness\"", "misprint", "Seed"] {
        assert!(page.contains(part), "{part}");
    }
    // The page refers to no other file.
    for outside in ["<script", "src=", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The table with proven bounds cut to four places: how near they are to each other is up to the engine that proves them.
/// Rows that the exact engine solved, which then say whether both engines agree, stay as they are.
fn without_last_digits(table: &str) -> String {
    let columns: Vec<&str> = table.lines().next().expect("a line of columns").split(',').collect();
    let Some(agree) = columns.iter().position(|column| *column == "engines_agree") else { return table.to_owned() };
    let cut = |row: &str| {
        let mut fields: Vec<String> = row.split(',').map(str::to_owned).collect();
        if fields[agree].is_empty() {
            for (field, _) in fields.iter_mut().zip(&columns).filter(|(_, column)| column.starts_with("welfare_")) {
                *field = format!("{:.4}", field.parse::<f64>().expect("a bound"));
            }
        }
        fields.join(",") + "\n"
    };
    table.lines().map(cut).collect()
}

/// Figures that were computed with other software; no update changes them.
#[test]
fn the_committed_numbers_hold_what_others_found() {
    let read = |name: &str| std::fs::read_to_string(expected().join(name)).expect("committed numbers");
    let spacing = read("spacing.csv");
    for row in ["\n10,761,761,", "\n100,120324,120324,", "\n1000,16595388,16595388,"] {
        assert!(spacing.contains(row), "{row}");
    }
    assert!(spacing.contains("\n1000000000,44219120417242163736,44219120417242163736,"));
    // 127/9 and 20 − 2√10.
    assert!(read("figure-1-payoffs.csv").contains("\n2,9.88888888888889,4.222222222222222,14.11111111111111\n"));
    let coin = read("figure-1-coin.csv");
    let best =
        coin.lines().skip(1).map(|row| row.split_once(',').unwrap().1.parse::<f64>().unwrap()).fold(0.0, f64::max);
    let optimum = 20.0 - 2.0 * 10f64.sqrt();
    assert!(best < optimum && best > optimum - 1e-3, "{best}");
}

#[test]
fn a_run_that_was_cut_off_is_taken_up_and_ends_the_same() {
    let folder = Folder::new();
    let whole = folder.run(&with_numbers(&["spacing"])).done().stdout;
    let (table, page) = (folder.read("out/spacing.csv"), folder.read("out/report.html"));
    let lines: Vec<&str> = table.lines().collect();
    let [half, broken] = [lines[..5].join("\n") + "\n", lines[..6].join("\n") + "\n1000"];
    for left in [half, broken, String::new(), "something else\n".to_owned()] {
        folder.write("out/spacing.csv", &left);
        assert_eq!(folder.run(&with_numbers(&["spacing"])).done().stdout, whole);
        assert_eq!(folder.read("out/spacing.csv"), table, "{left}");
        assert_eq!(folder.read("out/report.html"), page, "{left}");
    }
    // Another seed gives another experiment.
    folder.run(&with_numbers(&["hardness", "--quick"])).done();
    let first = folder.read("out/hardness-sat.csv");
    folder.run(&with_numbers(&["hardness", "--quick", "--seed", "2"])).done();
    assert_ne!(folder.read("out/hardness-sat.csv"), first);
}

#[test]
fn a_figure_that_does_not_agree_is_exit_code_1() {
    let folder = Folder::new();
    folder.run(&with_numbers(&["spacing"])).done();
    let table = folder.read("out/spacing.csv");
    for (right, wrong) in [("\n10,761,", "\n10,762,"), ("accepted", "refused")] {
        assert!(table.contains(right));
        folder.write("out/spacing.csv", table.replacen(right, wrong, 1));
        let ran = folder.run(&with_numbers(&["spacing"]));
        assert_eq!(ran.code, 1, "{ran:#?}");
        assert!(ran.stdout.contains("  DIFFERS  "), "{ran:#?}");
        let totals: Vec<&str> = ran.stdout.lines().rev().take(2).collect();
        assert!(totals.iter().any(|line| line.ends_with("1 DIFFERS")), "{ran:#?}");
        // The page has the same verdict as the terminal.
        assert!(folder.read("out/report.html").contains("<span class=\"chip DIFFERS\">DIFFERS</span>"));
    }
}

#[test]
fn without_numpy_the_baseline_is_left_out_and_the_cure_is_named() {
    let folder = Folder::new();
    for python in ["no-such-python", "false"] {
        let ran = folder.run(&["reproduce", "rq3", "--quick", "--untimed", "--python", python]).done();
        for word in ["the baseline is not run", "numpy", "--python", "scripts/reproduce"] {
            assert!(ran.stderr.contains(word), "{word}: {ran:#?}");
        }
        assert!(!ran.stdout.contains("baseline"), "{ran:#?}");
    }
    assert!(folder.files().is_empty(), "without --out nothing is written");
}

#[test]
fn a_folder_that_cannot_be_is_refused() {
    let folder = Folder::new();
    folder.write("file", "");
    folder.run(&["reproduce", "spacing", "--out", "file"]).refused(&["cannot create the folder file"]);
    folder.run(&["reproduce", "spacing", "--out", "file/below"]).refused(&["cannot create the folder file/below"]);
    folder.run(&["reproduce", "rq4"]).refused(&["rq4", "rq3"]);
    folder.run(&["reproduce", "rq3", "--seed", "one"]).refused(&["--seed"]);
    assert_eq!(folder.files(), ["file"]);
}

#[test]
fn a_run_out_of_time_says_so_and_the_next_one_goes_on() {
    let folder = Folder::new();
    let ran = folder.run(&with_numbers(&["figure-1", "--quick", "--time-limit", "0"]));
    assert!(ran.code == 3 && ran.stdout.starts_with("Stopped: the time limit was reached.\n"), "{ran:?}");
    let json = folder.run(&with_numbers(&["figure-1", "--quick", "--time-limit", "0", "--json"])).json();
    assert_eq!(json["status"], "stopped");
    folder.run(&with_numbers(&["figure-1", "--quick", "--threads", "1"])).done();
}
