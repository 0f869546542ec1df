//! Models of other tools: `.drn`, `.drn.gz` and `.umb`, from outside.

use crate::program::Folder;
use std::io::Write;
use std::process::{Command, Stdio};

/// The hotel, with a third reward structure that is not used.
const HOTEL: &str = "@type: MDP
@value_type: rational
@reward_models
alice bob cleaner
@nr_states
2
@nr_choices
3
@model
state 0 init
\taction a [3, 3, 1]
\t\t0 : 1
\taction b [-1, -1, 5]
\t\t1 : 1
state 1
\taction b [6, 6, 0]
\t\t1 : 1
";
const DISCOUNTS: [&str; 4] = ["--discount", "alice=2/3", "--discount", "bob=1/3"];

fn with_hotel() -> Folder {
    let folder = Folder::new();
    folder.write("hotel.drn", HOTEL);
    folder
}

#[test]
fn the_hotel_is_the_same_in_every_format() {
    let folder = with_hotel();
    for target in ["hotel.umb", "again.drn", "packed.drn.gz", "packed.umb.gz"] {
        let ran = folder.run(&["convert", "hotel.drn", target]).done();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "nothing is lost between these formats");
    }
    for file in ["hotel.drn", "hotel.umb", "again.drn", "packed.drn.gz", "packed.umb.gz"] {
        let ran = folder.run(&[&["solve", file, "--json"][..], &DISCOUNTS].concat()).done();
        assert_eq!(ran.json()["states"]["0"]["welfare"]["exact"], "127/9", "{file}");
        assert_eq!(ran.stderr, "note: left out, because no discount was given: `cleaner`\n", "{file}");
        let quiet = folder.run(&[&["solve", file, "--json", "--quiet"][..], &DISCOUNTS].concat()).done();
        assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (ran.stdout.as_str(), ""));
        let in_order = folder.run(&["solve", file, "--json", "--discounts", "2/3,1/3,0"]).done();
        assert_eq!((&*in_order.stderr, &in_order.json()["horizon"]), ("", &2.into()), "{file}");
    }
    folder.run(&[&["convert", "packed.umb.gz", "hotel.yaml"][..], &DISCOUNTS].concat()).done();
    let expected = "start: 0\nprincipals:\n  alice: 2/3\n  bob: 1/3\nstates:\n  0:\n    a: {reward: 3, to: 0}\n    \
                    b: {reward: -1, to: 1}\n  1:\n    b: {reward: 6, to: 1}\n";
    assert_eq!(folder.read("hotel.yaml"), expected);
}

#[test]
fn a_strategy_for_a_drn_model_is_evaluated_and_simulated() {
    let folder = with_hotel();
    let run = |args: &[&str]| folder.run(&[args, &DISCOUNTS, &["--quiet"]].concat()).done().stdout;
    run(&["solve", "hotel.drn", "--strategy", "s.json"]);
    assert!(run(&["evaluate", "hotel.drn", "s.json"]).starts_with("Welfare from 0: 127/9"));
    assert!(run(&["simulate", "hotel.drn", "s.json", "--runs", "10"]).starts_with("10 runs from 0"));
    for from in ["1", "#1"] {
        assert!(run(&["solve", "hotel.drn", "--from", from]).starts_with("Optimal welfare from 1: 27\n"));
    }
}

/// The number that a report shows behind a name that it cuts is one that `--from` takes, whatever the format.
#[test]
fn the_number_behind_a_name_that_is_cut_names_the_state() {
    let folder = Folder::new();
    let long = "a name that is far too long for any column of a table and is therefore cut";
    folder.write("long.yaml", format!("principals: {{p: 1/2}}\nstates:\n  s: {{go: {{to: {long}}}}}\n  {long}: {{stay: {{reward: 1, to: {long}}}}}\n"));
    folder.run(&["convert", "long.yaml", "long.drn"]).done();
    for file in ["long.yaml", "long.drn"] {
        let discount: &[&str] = if file == "long.yaml" { &[] } else { &["--discounts", "1/2"] };
        let solve = |args: &[&str]| folder.run(&[&["solve", file], discount, args].concat());
        let report = solve(&[]).done().stdout;
        assert!(report.contains(" #1 ") && report.contains("--from '#7' takes it"), "{file}: {report}");
        assert!(solve(&["--from", "#1"]).done().stdout.contains("a name that is far"), "{file}");
        solve(&["--from", "#2"]).refused(&["--from", "there is no state `#2`"]);
    }
}

#[test]
fn discounts_that_are_missing_or_do_not_fit_are_asked_for_by_name() {
    let folder = with_hotel();
    folder.run(&["convert", "hotel.drn", "hotel.umb"]).done();
    for file in ["hotel.drn", "hotel.umb"] {
        let solve = |args: &[&str]| folder.run(&[&["solve", file], args].concat());
        let example =
            format!("commonweal solve {file} --discount alice=0.9 --discount bob=0.99 --discount cleaner=0.5");
        solve(&[]).refused(&["no discounts; the reward structures are `alice`, `bob`, `cleaner`", &example]);
        solve(&["--discount", "alcie=1/2"]).refused(&["no reward structure `alcie`; did you mean `alice`?"]);
        solve(&["--discounts", "1/2,1/3"]).refused(&["2 discounts for 3 reward structures", "`cleaner`"]);
        solve(&["--discount", "alice=1"]).refused(&["`alice`", "[0, 1)"]);
        solve(&["--discount", "alice"]).refused(&["--discount: `alice` is not NAME=VALUE"]);
        solve(&["--discount", "alice=x"]).refused(&["--discount", "`x` is not a number"]);
        solve(&["--discounts", "1/2,1/3,1/4", "--from", "2"])
            .refused(&["--from", "no state `2`; the states are 0 to 1"]);
    }
    folder
        .run(&["convert", "hotel.drn", "-"])
        .refused(&["no discounts", "commonweal convert hotel.drn - --discount alice=0.9"]);
    folder
        .run(&["evaluate", "hotel.drn", "the strategy.json"])
        .refused(&["commonweal evaluate hotel.drn 'the strategy.json' --discount"]);
    let kept = folder.run(&["convert", "hotel.drn", "bob.umb", "--discount", "bob=1/2"]).done().stderr;
    assert!(kept.starts_with("note: the discounts only choose which rewards are kept"), "{kept}");
    folder.write("nowhere.drn", HOTEL.replace(" init", ""));
    folder.run(&["convert", "nowhere.drn", "x.umb"]).refused(&["nowhere.drn: no state is initial", "--from 0"]);
    folder.run(&["convert", "nowhere.drn", "x.umb", "--from", "1"]).done();
    folder.run(&["solve", "x.umb", "--discounts", "1/2,1/2,1/2"]).done();
}

#[test]
fn what_a_format_does_not_hold_is_said_with_the_options_that_give_it_back() {
    let folder = Folder::new();
    let yaml = "principals: {the owner: {discount: 2/3, weight: 3/2}, bob: 1/3}\n\
                states:\n  s0: {stay put: {reward: {the owner: 2, bob: 1/7}, to: s0}}\n";
    folder.write("model.yaml", yaml);
    let ran = folder.run(&["convert", "model.yaml", "out.drn"]).done();
    let expected = "note: the names of states become comments: `s0` is state 0 in the file\n\
                    note: the weight of `the owner`, 3/2, is multiplied into the rewards\n\
                    note: the principal `the owner` is called `the_owner` in the file\n\
                    note: the file holds no discounts; solve it with\n      \
                    commonweal solve out.drn --discount the_owner=2/3 --discount bob=1/3\n";
    assert_eq!(ran.stderr, expected);
    let drn = folder.read("out.drn");
    assert!(drn.ends_with("@model\nstate 0 init\n//s0\n\taction stay_put [3, 1/7]\n\t\t0 : 1\n"), "{drn}");
    assert_eq!(folder.run(&["convert", "model.yaml", "out.umb", "--quiet"]).done().stderr, "");
    let ran = folder.run(&["convert", "model.yaml", "out.umb"]).done();
    assert!(
        ran.stderr.starts_with("note: the names of states are lost: `s0` is state 0 in the file\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.ends_with("solve out.umb --discount 'the owner'=2/3 --discount bob=1/3\n"), "{}", ran.stderr);
    // The welfare is the same, and the options that were shown give it.
    let welfare = |args: &[&str]| {
        let solution = folder.run(&[&["solve"], args, &["--json"]].concat()).done().json();
        solution["states"].as_object().unwrap().values().next().unwrap()["welfare"].clone()
    };
    let expected = welfare(&["model.yaml"]);
    assert_eq!(welfare(&["out.drn", "--discount", "the_owner=2/3", "--discount", "bob=1/3"]), expected);
    assert_eq!(welfare(&["out.umb", "--discount", "the owner=2/3", "--discount", "bob=1/3"]), expected);
}

#[test]
fn states_are_called_what_the_comments_of_a_drn_file_say() {
    let folder = Folder::with_hotel();
    folder.run(&["convert", "hotel.yaml", "hotel.drn", "--quiet"]).done();
    let solution = folder.run(&[&["solve", "hotel.drn", "--json"][..], &DISCOUNTS].concat()).done().json();
    assert_eq!(solution["states"].as_object().unwrap().keys().collect::<Vec<_>>(), ["s0", "s1"]);
    // As Storm writes valuations; two states may have the same one, and a state may have none.
    let storm = HOTEL
        .replace("state 0 init\n", "state 0 init\n//[col=0\t& c1=2]\n")
        .replace("state 1\n", "state 1\n//[col=0\t& c1=2]\n//another comment\n");
    folder.write("storm.drn", storm);
    let run = |args: &[&str]| folder.run(&[args, &DISCOUNTS, &["--quiet"]].concat()).done().stdout;
    let report = run(&["solve", "storm.drn"]);
    let strategy = "  col=0 & c1=2            0  a for 2 steps, then b\n  col=0 & c1=2#2          3  always b\n";
    assert!(report.contains(strategy), "{report}");
    for from in ["col=0 & c1=2#2", "1"] {
        assert!(run(&["solve", "storm.drn", "--from", from]).starts_with("Optimal welfare from col=0 & c1=2#2: 27\n"));
    }
    run(&["solve", "storm.drn", "--strategy", "s.json"]);
    assert!(run(&["evaluate", "storm.drn", "s.json"]).starts_with("Welfare from col=0 & c1=2: 127/9"));
}

#[test]
fn rows_that_were_rounded_are_counted_on_standard_error() {
    let folder = Folder::new();
    let row = "\t\t0 : 0.3333333333\n\t\t1 : 0.6666666666\n";
    let text = format!(
        "@type: MDP\n@value_type: double\n@reward_models\np\n@nr_states\n2\n@model\nstate 0 init\n\taction a [1]\n{row}state 1\n\taction a [0]\n{row}"
    );
    folder.write("rounded.drn", text);
    let ran = folder.run(&["solve", "rounded.drn", "--discounts", "1/2", "--json"]).done();
    assert_eq!(
        ran.stderr,
        "note: 2 rows of decimals were scaled to sum to 1 (largest error 1.0e-10); --strict refuses them\n"
    );
    folder.run(&["solve", "rounded.drn", "--discounts", "1/2", "--strict"]).refused(&["the probabilities sum to"]);
    // The same rows in YAML, which the separate checker reads by the same rule.
    let row = "to: {\"0\": 0.3333333333, \"1\": 0.6666666666}";
    folder.write(
        "rounded.yaml",
        format!("principals: {{p: 1/2}}\nstates:\n  0: {{a: {{reward: 1, {row}}}}}\n  1: {{a: {{{row}}}}}\n"),
    );
    let yaml = folder.run(&["solve", "rounded.yaml", "--json", "--certificate", "rounded.cert"]).done();
    assert_eq!((&yaml.stderr, yaml.json()["states"]["0"]["welfare"]["exact"].as_str()), (&ran.stderr, Some("4/3")));
    folder.run(&["solve", "rounded.yaml", "--strict"]).refused(&[
        "rounded.yaml:3:26: state `0`, action `a`: the probabilities sum to 9999999999/10000000000, not 1",
        "help: strict reading refuses rows with rounding errors; otherwise this row is scaled to 1",
    ]);
    // Divided by the sum, a third is 0.3333333333/0.9999999999, which is a third.
    assert_eq!(ran.json()["states"]["0"]["welfare"]["exact"], "4/3");
    // Doubles stay doubles where the other format has them too.
    folder.run(&["convert", "rounded.drn", "rounded.umb", "--quiet"]).done();
    folder.run(&["convert", "rounded.umb", "back.drn"]).done();
    assert!(folder.read("back.drn").contains("@value_type: double"));
    assert!(folder.read("back.drn").contains("\t\t0 : 0.3333333333333333\n\t\t1 : 0.6666666666666666\n"));
}

#[test]
fn a_format_is_told_by_its_contents_where_the_ending_says_nothing() {
    let folder = with_hotel();
    folder.run(&["convert", "hotel.drn", "hotel.umb"]).done();
    for (from, to) in [("hotel.drn", "one.txt"), ("hotel.umb", "two")] {
        std::fs::copy(folder.path().join(from), folder.path().join(to)).unwrap();
        folder.run(&["solve", to, "--discounts", "2/3,1/3,0"]).done();
        // And on standard input.
        let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"))
            .args(["solve", "-", "--json", "--discounts", "2/3,1/3,0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        program.stdin.take().unwrap().write_all(&std::fs::read(folder.path().join(from)).unwrap()).unwrap();
        let output = program.wait_with_output().unwrap();
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("commonweal-solution/1"));
    }
}

#[test]
fn damaged_files_are_refused_with_one_message() {
    let folder = with_hotel();
    folder.run(&["convert", "hotel.drn", "hotel.umb"]).done();
    folder.write("short.drn", HOTEL.split("\taction b [6").next().unwrap());
    folder
        .run(&["solve", "short.drn", "--discounts", "0,0,0"])
        .refused(&["short.drn:15:1: state 1 has no action", "15 | state 1"]);
    folder.write("wrong.drn", HOTEL.replace("1 : 1", "7 : 1"));
    folder
        .run(&["solve", "wrong.drn", "--discounts", "0,0,0"])
        .refused(&["wrong.drn:14:3: there is no state `7`", "^"]);
    let umb = std::fs::read(folder.path().join("hotel.umb")).unwrap();
    folder.write("short.umb", &umb[..umb.len() / 2]);
    folder
        .run(&["solve", "short.umb", "--discounts", "0,0,0"])
        .refused(&["short.umb: the archive ends in the middle of a file"]);
    folder.write("text.umb", HOTEL);
    folder
        .run(&["solve", "text.umb", "--discounts", "0,0,0"])
        .refused(&["text.umb: this is a DRN file", "ends with .drn"]);
    folder.write("archive.drn", &umb);
    folder.run(&["solve", "archive.drn", "--discounts", "0,0,0"]).refused(&["this is a UMB file", "ends with .umb"]);
    for empty in ["empty.umb", "empty.drn", "empty.drn.gz"] {
        folder.write(empty, "");
        folder.run(&["solve", empty, "--discounts", "0,0,0"]).refused(&[empty, "the file is empty", "help: "]);
    }
    folder.run(&["convert", "hotel.drn", "hotel.drn.gz"]).done();
    let packed = std::fs::read(folder.path().join("hotel.drn.gz")).unwrap();
    folder.write("cut.drn.gz", &packed[..packed.len() - 20]);
    folder
        .run(&["solve", "cut.drn.gz", "--discounts", "0,0,0"])
        .refused(&["cut.drn.gz: cannot be read", "get it again"]);
    folder.write("broken.drn.gz", b"\x1f\x8b\x08\x00junk junk junk junk");
    folder.run(&["solve", "broken.drn.gz", "--discounts", "0,0,0"]).refused(&["broken.drn.gz: cannot be read"]);
    folder.write("claims.drn", HOTEL.replace("@nr_states\n2", "@nr_states\n1000000000000"));
    folder.run(&["solve", "claims.drn", "--discounts", "0,0,0"]).refused(&["claims.drn:6:1", "too short for them"]);
    folder.run(&["convert", "hotel.drn", "out.umb.xz"]).refused(&["out.umb.xz", "this program writes"]);
    folder.run(&["convert", "hotel.drn", "out.yaml.gz"]).refused(&["out.yaml.gz", "this program writes"]);
}

#[test]
fn large_families_are_written_in_doubles_and_are_their_seeds() {
    let folder = Folder::new();
    let base = ["--states", "50", "--discounts", "9/10,1/3"];
    for family in ["uniform", "band"] {
        let generate = |more: &[&str]| folder.run(&[&["generate", family], &base[..], more].concat()).done();
        let ran = generate(&["--out", "one.umb"]);
        assert!(ran.stderr.ends_with("solve one.umb --discount p0=9/10 --discount p1=1/3\n"), "{}", ran.stderr);
        generate(&["--out", "two.drn"]);
        generate(&["--out", "three.json"]);
        generate(&["--out", "other.umb", "--seed", "2"]);
        let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_ne!(bytes("one.umb"), bytes("other.umb"));
        // JSON holds the doubles as the fractions that they are.
        let solve = |args: &[&str]| folder.run(&[&["solve"], args, &["--json"]].concat()).done().stdout;
        let expected = solve(&["three.json"]);
        assert_eq!(solve(&["one.umb", "--discounts", "9/10,1/3"]), expected);
        // Decimals of doubles are read exactly as decimals, but between files they stay the doubles that they are.
        folder.run(&["convert", "two.drn", "again.umb"]).done();
        assert_eq!(bytes("one.umb"), bytes("again.umb"));
    }
    let refused = |args: &[&str], words: &[&str]| folder.run(&[&["generate"], args].concat()).refused(words);
    refused(&["band", "--states", "100", "--discounts", "0", "--successors", "42"], &["--successors", "41"]);
    refused(&["uniform", "--states", "10000000", "--discounts", "0"], &["at most 20000000"]);
    refused(&["uniform", "--states", "1000000000", "--discounts", "0", "--out", "x.umb"], &["at most 500000000"]);
    refused(&["uniform", "--states", "5", "--discounts", "1"], &["--discounts", "`p0`"]);
    refused(&["uniform", "--states", "0", "--discounts", "0"], &["--states"]);
}

/// What varies needs no discount of its own beside its range; the others do.
#[test]
fn a_reward_structure_that_varies_needs_no_discount() {
    let folder = with_hotel();
    let both = ["--discount", "alice=2/3", "--discount", "bob=1/2"];
    for varied in ["bob=0.1..0.9", "bob.rate=1%..50%", "bob.discount=0.1..0.9"] {
        let stated = folder
            .run(&[&["sweep", "hotel.drn", "--vary", varied, "--steps", "3", "--json"][..], &both].concat())
            .done();
        let left = folder
            .run(&[&["sweep", "hotel.drn", "--vary", varied, "--steps", "3", "--json"][..], &both[..2]].concat())
            .done();
        assert_eq!(left.stdout, stated.stdout, "{varied}");
    }
    let map = ["map", "hotel.drn", "--x", "alice", "--y", "bob", "--resolution", "2", "--json"];
    assert_eq!(folder.run(&map).done().stdout, folder.run(&[&map[..], &both].concat()).done().stdout);
    let unknown = folder.run(&["sweep", "hotel.drn", "--vary", "bobb=0.1..0.9", "--discount", "alice=2/3"]);
    unknown.refused(&["no reward structure `bobb`; did you mean `bob`?"]);
}
