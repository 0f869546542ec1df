//! A model's own description: its name, its summary, and its word for a step.

use crate::program::Folder;

const HOTEL: &str = "name: The hotel
description: \"Rebuild now, later or never: each owner earns 3 a year as it is, pays 1 once, and earns 6 a year from then on.\"
step: year
start: s0
principals:
  alice: 2/3
  bob: 1/3
states:
  s0:
    a: {reward: 3, to: s0}
    b: {reward: -1, to: s1}
  s1:
    b: {reward: 6, to: s1}
";

#[test]
fn reports_show_what_the_model_says_of_itself_and_count_in_its_steps() {
    let folder = Folder::new();
    folder.write("hotel.yaml", HOTEL);
    let report = folder.run(&["solve", "hotel.yaml"]).done().stdout;
    let beginning = "The hotel
Rebuild now, later or never: each owner earns 3 a year as it is, pays 1 once,
and earns 6 a year from then on.

Optimal welfare from s0: 127/9";
    assert!(report.starts_with(beginning), "{report}");
    assert!(report.contains("  s0             0  a for 2 years, then b\n"), "{report}");
    let stopped = folder.run(&["solve", "hotel.yaml", "--layer-limit", "1"]).stdout;
    assert!(stopped.contains("Its tail begins at year 1.\n"), "{stopped}");
    folder.write("strategy.json", "{\"format\": \"commonweal-strategy/1\", \"decisions\": {\"s0\": \"a\"}}");
    for command in [&["positional", "hotel.yaml"][..], &["evaluate", "hotel.yaml", "strategy.json"]] {
        let report = folder.run(command).done().stdout;
        assert!(report.starts_with("The hotel\nRebuild now"), "{report}");
    }
    folder.write("mix.json", "{\"format\": \"commonweal-strategy/1\", \"mix\": {\"s0\": {\"a\": 0.5, \"b\": 0.5}}}");
    let simulated = folder.run(&["simulate", "hotel.yaml", "mix.json", "--runs", "2"]).done().stdout;
    assert!(simulated.starts_with("The hotel\n") && simulated.contains("Runs are cut after 69 years"), "{simulated}");
}

#[test]
fn conversions_keep_what_the_model_says_of_itself() {
    let folder = Folder::new();
    folder.write("hotel.yaml", HOTEL);
    assert_eq!(folder.run(&["convert", "hotel.yaml", "-"]).done().stdout, HOTEL);
    folder.run(&["convert", "hotel.yaml", "hotel.json"]).done();
    assert_eq!(folder.run(&["convert", "hotel.json", "-"]).done().stdout, HOTEL);
    // The description is not part of the mathematics: certificates are the same.
    folder.run(&["convert", "hotel.yaml", "hotel.canonical"]).done();
    let (_, without) = HOTEL.split_once("step: year\n").unwrap();
    folder.write("nameless.yaml", without);
    folder.run(&["convert", "nameless.yaml", "nameless.canonical"]).done();
    assert_eq!(folder.read("hotel.canonical"), folder.read("nameless.canonical"));
}
