//! Faulty command lines, files that cannot be read, and files that cannot be written.

use crate::program::Folder;

#[test]
fn faulty_arguments_are_refused_with_what_is_wrong() {
    let folder = Folder::with_hotel();
    let cases: &[(&[&str], &[&str])] = &[
        (&["solve", "hotel.yaml", "--from", "s2"], &["--from", "no state `s2`", "did you mean `s"]),
        (&["solve", "hotel.yaml", "--from", "elsewhere"], &["no state `elsewhere`", "the states are `s0`, `s1`"]),
        (&["solve", "hotel.yaml", "--discount", "alcie=1/2"], &["no principal `alcie`", "did you mean `alice`?"]),
        (&["solve", "hotel.yaml", "--discount", "carol=1/2"], &["no principal `carol`", "`alice`, `bob`"]),
        (&["solve", "hotel.yaml", "--discount", "alice"], &["--discount", "`alice` is not NAME=VALUE"]),
        (&["solve", "hotel.yaml", "--discount", "alice="], &["--discount", "not a number"]),
        (&["solve", "hotel.yaml", "--discount", "alice=lots"], &["--discount", "`lots` is not a number"]),
        (&["solve", "hotel.yaml", "--discount", "alice=1/0"], &["--discount", "zero"]),
        (&["solve", "hotel.yaml", "--discount", "alice=1e999999999"], &["--discount", "digits"]),
        (&["solve", "hotel.yaml", "--discount", "alice=1"], &["--discount", "`alice`", "[0, 1)"]),
        (&["solve", "hotel.yaml", "--discount", "bob=-1/3"], &["--discount", "`bob`", "-1/3"]),
        (&["solve", "hotel.yaml", "--discounts", "1/2"], &["--discounts", "1 value", "2 principals"]),
        (&["solve", "hotel.yaml", "--discounts", "1/2,1/3,1/4"], &["--discounts", "3 values", "2 principals"]),
        (&["solve", "hotel.yaml", "--discounts", "1/2,x"], &["--discounts", "`x` is not a number"]),
        (&["solve", "hotel.yaml", "--discounts", "1/2,2"], &["--discounts", "`bob`", "[0, 1)"]),
        (&["solve", "hotel.yaml", "--discounts", "1/2,1/3", "--discount", "bob=0"], &["cannot be used with"]),
        (
            &["solve", "hotel.yaml", "--discount", "bob=1/2", "--discount", "bob=1/2"],
            &["--discount", "`bob` is given twice"],
        ),
        (&["solve", "hotel.yaml", "--gap", "-1"], &["--gap", "between 0 and 1"]),
        (&["solve", "hotel.yaml", "--gap", "1"], &["--gap", "between 0 and 1"]),
        (&["solve", "hotel.yaml", "--gap", "1e-9", "--exact"], &["cannot be used with"]),
        (&["evaluate", "hotel.yaml", "s.json", "--gap", "0"], &["--gap", "between 0 and 1"]),
        (&["stationary", "hotel.yaml", "--exact"], &["--exact", "irrational", "--gap G"]),
        (&["positional", "hotel.yaml", "--exact", "--method", "milp"], &["--exact", "leave --method out"]),
        (&["positional", "hotel.yaml", "--gap", "-1"], &["--gap", "not negative"]),
        (&["solve", "hotel.yaml", "--threads", "0"], &["--threads", "0"]),
        (&["solve", "hotel.yaml", "--threads", "many"], &["--threads", "many"]),
        (&["solve", "hotel.yaml", "--time-limit", "-1"], &["--time-limit", "neither negative"]),
        (&["solve", "hotel.yaml", "--time-limit", "x"], &["--time-limit", "90s, 5m, 2h"]),
        (&["solve", "hotel.yaml", "--time-limit", "nan"], &["--time-limit"]),
        (&["solve", "hotel.yaml", "--time-limit", "1e400"], &["--time-limit"]),
        (&["solve", "hotel.yaml", "--layer-limit", "-1"], &["-1"]),
        (&["solve", "hotel.yaml", "--no-exact"], &["--json"]),
        (&["solve", "hotel.yaml", "--frmo", "s0"], &["--frmo", "--from"]),
        (&["solve", "hotel.yaml", "second.yaml"], &["second.yaml"]),
        (&["solve"], &["MODEL"]),
        (&["slove", "hotel.yaml"], &["slove", "solve"]),
        (&["reproduce", "everything"], &["everything", "examples"]),
        (&["solve", "missing.yaml"], &["missing.yaml", "No such file"]),
        (&["solve", "."], &["folder"]),
        (&["solve", "hotel.txt"], &["hotel.txt"]),
        (&["evaluate", "hotel.yaml"], &["STRATEGY"]),
        (&["evaluate", "hotel.yaml", "missing.json"], &["missing.json"]),
        (&["convert", "hotel.yaml"], &["OUT"]),
        (&["convert", "hotel.yaml", "hotel.xml"], &["hotel.xml", ".yaml, .yml, .json, .drn, .drn.gz or .umb"]),
        (&["convert", "missing.yaml", "out.yaml"], &["missing.yaml"]),
        (&["convert", "hotel.yaml", "./hotel.yaml"], &["hotel.yaml", "the file that is read"]),
        (&["simulate", "hotel.yaml", "hotel.yaml", "--confidence", "1"], &["--confidence", "between 0 and 1"]),
        (&["simulate", "hotel.yaml", "hotel.yaml", "--confidence", "sure"], &["--confidence", "sure"]),
        (&["simulate", "hotel.yaml", "hotel.yaml", "--runs", "1"], &["--runs"]),
        (&["simulate", "hotel.yaml", "hotel.yaml", "--seed", "-1"], &["-1"]),
    ];
    for (args, words) in cases {
        folder.run(args).refused(words);
    }
    assert_eq!(folder.files(), ["hotel.yaml"]);
}

#[test]
fn a_file_with_an_unknown_ending_is_refused_and_a_missing_one_is_missing_first() {
    let folder = Folder::with_hotel();
    folder.write("hotel.txt", folder.read("hotel.yaml"));
    folder.write("hotel", folder.read("hotel.yaml"));
    folder.write("hotel.YAML", folder.read("hotel.yaml"));
    folder.write("hotel.drn", "@type: MDP");
    folder.run(&["solve", "hotel.txt"]).refused(&["hotel.txt", ".yaml, .yml, .json, .drn, .drn.gz or .umb"]);
    folder.run(&["solve", "hotel"]).refused(&[".yaml, .yml, .json, .drn, .drn.gz or .umb"]);
    folder.run(&["solve", "hotel.drn"]).refused(&["hotel.drn:1:1", "ends before its `@model`"]);
    folder.run(&["solve", "missing.txt"]).refused(&["No such file"]);
    folder.run(&["solve", "hotel.YAML"]).done();
}

#[test]
fn no_arguments_at_all_show_the_help() {
    let folder = Folder::new();
    let ran = folder.run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: commonweal"));
    let ran = folder.run(&["--help"]).done();
    assert!(ran.stdout.contains("Exit codes"));
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let folder = Folder::with_hotel();
    folder.run(&["solve", "hotel.yaml", "--strategy", "no/such/folder/s.json"]).refused(&["cannot write"]);
    folder.run(&["solve", "hotel.yaml", "--strategy", "-"]).refused(&["name a file"]);
    std::fs::create_dir(folder.path().join("taken")).unwrap();
    folder.run(&["solve", "hotel.yaml", "--strategy", "taken"]).refused(&["taken", "folder"]);
    folder.run(&["solve", "hotel.yaml", "--strategy", "."]).refused(&["folder"]);
    std::fs::create_dir(folder.path().join("taken.json")).unwrap();
    folder.run(&["convert", "hotel.yaml", "taken.json"]).refused(&["taken.json", "folder"]);
    assert_eq!(folder.files(), ["hotel.yaml", "taken", "taken.json"]);
    // A faulty model leaves existing files unchanged.
    folder.write("bad.yaml", "principals: 1\n");
    folder.write("out.json", "mine");
    folder.run(&["convert", "bad.yaml", "out.json"]).refused(&["bad.yaml:1:13"]);
    assert_eq!(folder.read("out.json"), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_behind_and_a_device_stays_a_device() {
    let folder = Folder::with_hotel();
    folder.run(&["solve", "hotel.yaml", "--strategy", "/dev/full"]).refused(&["cannot write /dev/full"]);
    folder.run(&["solve", "hotel.yaml", "--strategy", "/dev/null"]).done();
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    // A link stays a link.
    folder.write("real.json", "old");
    std::os::unix::fs::symlink("real.json", folder.path().join("link.json")).unwrap();
    folder.run(&["solve", "hotel.yaml", "--strategy", "link.json"]).done();
    assert!(std::fs::symlink_metadata(folder.path().join("link.json")).unwrap().is_symlink());
    assert!(folder.read("real.json").contains("commonweal-strategy/1"));
}
