//! Strategies that a user writes: with a default, played, and their first runs written to a file.

use crate::program::Folder;

const DAM: &str = "principals: {town: 9/10, 'farms, all': 1/2}
states:
  wet: {low: {reward: {town: 1}, to: {wet: 1/2, dry: 1/2}}, high: {reward: {town: 2}, to: dry}}
  dry: {low: {reward: {town: 0.5}, to: {wet: 1/2, dry: 1/2}}, high: {to: dry}}
  flood: {run: {to: wet}, hide: {to: flood}}
";

fn strategy(decisions: &str) -> String {
    format!("{{\"format\": \"commonweal-strategy/1\", \"decisions\": {decisions}}}")
}

#[test]
fn a_default_says_what_every_other_state_does() {
    let folder = Folder::new();
    folder.write("dam.yaml", DAM);
    folder.write("default.json", strategy("{\"*\": \"low\", \"flood\": \"run\"}"));
    folder.write("full.json", strategy("{\"wet\": \"low\", \"dry\": \"low\", \"flood\": \"run\"}"));
    for command in ["evaluate", "simulate"] {
        let of = |name: &str| folder.run(&[command, "dam.yaml", name]).done().stdout;
        assert_eq!(of("default.json"), of("full.json"));
    }
    folder.write("none.json", strategy("{}"));
    folder.run(&["evaluate", "dam.yaml", "none.json"]).refused(&[
        "the strategy does not say what to do in 3 states: `wet`, `dry`, `flood`",
        "help: add what they do, or a default for all states that are not named: \"*\": \"ACTION\"",
    ]);
    folder.write("low.json", strategy("{\"*\": \"low\"}"));
    folder
        .run(&["simulate", "dam.yaml", "low.json"])
        .refused(&["does not say what to do in state `flood`", "the default `*`"]);
}

#[test]
fn the_first_runs_are_written_step_by_step() {
    let folder = Folder::new();
    folder.write("dam.yaml", DAM);
    folder.write("s.json", strategy("{\"*\": \"low\", \"flood\": \"run\"}"));
    let play = |more: &[&str]| {
        let args = ["simulate", "dam.yaml", "s.json", "--runs", "500", "--paths", "paths.csv"];
        folder.run(&[&args[..], more].concat()).done();
        folder.read("paths.csv")
    };
    let paths = play(&["--path-runs", "300", "--path-steps", "40"]);
    let mut lines = paths.lines();
    assert_eq!(lines.next(), Some("run,step,state,action,reward of town,\"reward of farms, all\""));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 300 * 40);
    let mut wet = 0;
    for (at, row) in rows.iter().enumerate() {
        assert_eq!((row[0], row[1]), (&*(at / 40 + 1).to_string(), &*(at % 40).to_string()));
        let reward = if row[2] == "wet" { "1" } else { "0.5" };
        assert_eq!((row[3], row[4], row[5]), ("low", reward, "0"));
        assert!(row[1] != "0" || row[2] == "wet");
        wet += usize::from(row[1] != "0" && row[2] == "wet");
    }
    // Half of 11,700 draws, give or take six standard deviations.
    assert!((5850 - 325..5850 + 325).contains(&wet), "{wet}");
    assert_eq!(play(&["--path-runs", "300", "--path-steps", "40"]), paths);
    assert_ne!(play(&["--path-runs", "300", "--path-steps", "40", "--seed", "2"]), paths);
    assert_eq!(play(&[]).lines().count(), 1 + 10 * 100);
    folder.run(&["simulate", "dam.yaml", "s.json", "--paths", "dam.yaml"]).refused(&["it is the file that is read"]);
}

#[test]
fn a_given_strategy_is_drawn_beside_the_optimal_one() {
    let folder = Folder::with_hotel();
    folder.write("now.json", strategy("{\"s0\": \"b\", \"s1\": \"b\"}"));
    let plot = |more: &[&str]| folder.run(&[&["plot", "hotel.yaml", "--strategy", "now.json"][..], more].concat());
    // Rebuilding at once is worth 13, and the optimal strategy 127/9: 10/9 less, of which Alice has 10/9 more and Bob 20/9 less.
    let payoffs = plot(&["--kind", "payoffs"]).done().stdout;
    assert!(payoffs.contains("In the end the welfare is 13, and that of the optimal strategy 127/9"), "{payoffs}");
    assert!(payoffs.contains("alice, optimal strategy"));
    let gains = plot(&["--kind", "gains"]).done().stdout;
    for label in ["than under the optimal strategy", "+1.111111", "−2.222222", "−1.111111"] {
        assert!(gains.contains(label), "{label}: {gains}");
    }
    // The optimal strategy waits, the given one does not.
    let timeline = |svg: String| svg.contains(">a<");
    assert!(!timeline(plot(&["--kind", "timeline"]).done().stdout));
    assert!(timeline(folder.run(&["plot", "hotel.yaml", "--kind", "timeline"]).done().stdout));
    // The one that solve writes is the optimal one.
    folder.run(&["solve", "hotel.yaml", "--strategy", "best.json", "--quiet"]).done();
    let best = folder.run(&["plot", "hotel.yaml", "--strategy", "best.json", "--kind", "payoffs"]).done().stdout;
    assert!(
        best.contains("In the end the welfare is 127/9 ≈ 14.111111, and that of the optimal strategy 127/9"),
        "{best}"
    );
    plot(&["--gap", "1e-6", "--out", "own.png"]).done();
    folder.write("mixed.json", "{\"format\": \"commonweal-strategy/1\", \"mix\": {\"s0\": {\"a\": \"1/2\", \"b\": \"1/2\"}, \"s1\": {\"b\": \"1\"}}}");
    folder.run(&["plot", "hotel.yaml", "--strategy", "mixed.json"]).refused(&[
        "mixed.json",
        "a randomised strategy cannot be drawn",
        "evaluate",
    ]);
    folder.run(&["plot", "hotel.yaml", "--strategy", "absent.json"]).refused(&["absent.json"]);
    folder.run(&["plot", "hotel.yaml", "--strategy", "now.json", "--out", "now.json"]).refused(&["now.json"]);
}
