//! Completions, manual pages, the examples in the help, and a threshold for `solve`.

use crate::program::Folder;

/// Every command, as the help lists them.
const COMMANDS: [&str; 18] = [
    "solve",
    "positional",
    "stationary",
    "fair",
    "front",
    "evaluate",
    "simulate",
    "check",
    "generate",
    "sat",
    "convert",
    "sweep",
    "plot",
    "map",
    "reproduce",
    "serve",
    "completions",
    "man",
];

#[test]
fn every_example_of_the_help_runs() {
    let folder = Folder::with_hotel();
    folder.write("formula.cnf", "p cnf 2 2\n1 2 0\n-1 2 0\n");
    folder.run(&["solve", "hotel.yaml", "--strategy", "strategy.json", "--certificate", "hotel.cert"]).done();
    folder.run(&["convert", "hotel.yaml", "hotel.drn", "--quiet"]).done();
    for command in COMMANDS {
        let help = folder.run(&[command, "--help"]).done().stdout;
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{command} has no example"));
        let examples: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("  commonweal ")).collect();
        assert!(!examples.is_empty(), "{help}");
        for example in examples {
            assert!(example.starts_with(command), "{example}");
            if command == "serve" {
                // The server does not end by itself; its own tests start it.
                continue;
            }
            folder.run(&example.split(' ').collect::<Vec<_>>()).done();
        }
    }
}

#[test]
fn shells_complete_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = folder.run(&["completions", shell]).done().stdout;
        for command in COMMANDS {
            assert!(text.contains(command), "{shell}: {command}");
        }
        assert!(text.contains("minimise"), "{shell}");
    }
    folder.run(&["completions", "tcsh"]).refused(&["tcsh"]);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = Folder::new();
    let page = folder.run(&["man"]).done().stdout;
    assert!(page.contains(".TH commonweal 1") && page.contains("solve"), "{page}");
    folder.write("taken", "");
    folder.run(&["man", "taken"]).refused(&["cannot create the folder", "taken"]);
    folder.run(&["man", "pages"]).done();
    assert!(folder.read("pages/commonweal.1").contains(".TH commonweal 1"));
    for command in COMMANDS {
        let page = folder.read(&format!("pages/commonweal-{command}.1"));
        assert!(page.contains(&format!(".TH commonweal-{command} 1")), "{page}");
    }
}

#[test]
fn a_threshold_is_answered_by_the_exit_code() {
    let folder = Folder::with_hotel();
    let ask = |threshold: &str, more: &[&str]| {
        let ran = folder.run(&[&["solve", "hotel.yaml", "--threshold", threshold], more].concat());
        (ran.code, ran.stdout.lines().next().unwrap_or_default().to_owned())
    };
    // The greatest welfare is 127/9.
    assert_eq!(ask("127/9", &[]), (0, "Yes: some strategy earns 127/9.".to_owned()));
    assert_eq!(ask("14.2", &[]), (1, "No: no strategy earns 14.2.".to_owned()));
    assert_eq!(ask("-5", &["--gap", "1e-6"]).0, 0);
    assert_eq!(ask("15", &["--gap", "1e-6"]).0, 1);
    assert_eq!(ask("127/9", &["--gap", "1e-6"]).0, 3);
    assert_eq!(ask("14.1", &["--layer-limit", "1"]).0, 3);
    assert_eq!(ask("13", &["--layer-limit", "1"]).0, 0);
    let json = folder.run(&["solve", "hotel.yaml", "--threshold", "14.2", "--json"]);
    assert_eq!((json.code, &json.json()["answer"]), (1, &"no".into()));
    assert_eq!(folder.run(&["solve", "hotel.yaml", "--json"]).done().json().get("answer"), None);
}
