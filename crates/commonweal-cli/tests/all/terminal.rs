//! Terminal output: widths, unusual names, closed pipes.

use crate::program::{Folder, Ran, paper};
use std::io::Read;
use std::process::{Command, Stdio};
use unicode_width::UnicodeWidthStr;

fn fits(ran: &Ran, width: usize) {
    for line in ran.stdout.lines().chain(ran.printed_errors.lines()) {
        assert!(line.width() <= width, "{} columns: {line}", line.width());
        assert!(!line.chars().any(|c| c.is_control()), "{line:?}");
    }
}

#[test]
fn reports_fit_eighty_columns() {
    let folder = Folder::new();
    for name in ["hotel", "example-2", "example-3", "example-4", "spaced-10", "three-sat"] {
        let model = paper(&format!("{name}.yaml"));
        let model = model.to_str().unwrap();
        fits(&folder.run(&["solve", model, "--explain", "--timings"]).done(), 80);
        fits(&folder.run(&["solve", model, "--all-states", "--strategy", "s.json"]).done(), 80);
        fits(&folder.run(&["solve", model, "--time-limit", "0"]), 80);
        fits(&folder.run(&["evaluate", model, "s.json"]).done(), 80);
        fits(&folder.run(&["simulate", model, "s.json", "--runs", "100"]).done(), 80);
    }
    let hotel = paper("hotel.yaml");
    for search in ["positional", "stationary"] {
        fits(&folder.run(&[search, hotel.to_str().unwrap()]).done(), 80);
    }
    folder.run(&["generate", "spaced", "1e9", "--out", "close.yaml"]).done();
    fits(&folder.run(&["solve", "close.yaml"]).done(), 80);
    fits(&folder.run(&["reproduce", "examples"]).done(), 80);
}

#[test]
fn reports_of_seven_principals_fit_eighty_columns() {
    let folder = Folder::new();
    let discounts = "0.9,0.8,0.7,0.6,0.5,0.4,0.3";
    let arguments = ["--states", "20", "--actions", "4", "--successors", "1", "--seed", "20", "--discounts", discounts];
    folder.run(&[&["generate", "random", "--out", "seven.yaml"], &arguments[..]].concat()).done();
    fits(&folder.run(&["fair", "seven.yaml", "--rule", "nash"]).done(), 80);
    fits(&folder.run(&["fair", "seven.yaml", "--rule", "leximin"]).done(), 80);
    fits(&folder.run(&["sweep", "seven.yaml", "--vary", "p0=0.85..0.95", "--time-limit", "0"]), 80);
}

#[test]
fn fronts_and_lotteries_of_long_names_fit_eighty_columns() {
    let folder = Folder::new();
    let names =
        ["the society", "the industry", "people who fish", "the board of tourism", "those after us", "the minister"];
    let principal = |(at, name): (usize, &&str)| format!("  {name}: 0.9{}\n", 5 - at);
    let principals: String = names.iter().enumerate().map(principal).collect();
    let reward = |gains: [i64; 6]| {
        let each: Vec<String> = names.iter().zip(gains).map(|(name, gain)| format!("{name}: {gain}")).collect();
        format!("{{{}}}", each.join(", "))
    };
    let [first, second, third] =
        [[7, -3, 1, -2, 5, 1], [-12_345_678, 7, 0, 1, -1, 98_765_432], [1, 2, -9, 30_000_001, 2, -5]].map(reward);
    let states = format!(
        "states:\n  here:\n    first: {{reward: {first}, to: there}}\n    second: {{reward: {second}, to: here}}\n    \
         third: {{reward: {third}, to: {{here: 1/3, there: 2/3}}}}\n  there:\n    first: {{reward: {second}, to: here}}\n    \
         second: {{reward: {third}, to: there}}\n"
    );
    folder.write("six.yaml", format!("principals:\n{principals}{states}"));
    fits(&folder.run(&["front", "six.yaml"]), 80);
    fits(&folder.run(&["front", "six.yaml", "--gap", "1e-3"]), 80);
    for axes in [["the board of tourism", "people who fish"], ["those after us", "the minister"]] {
        fits(&folder.run(&["front", "six.yaml", "--x", axes[0], "--y", axes[1]]), 80);
    }
    for rule in ["max-min", "kalai-smorodinsky"] {
        fits(&folder.run(&["fair", "six.yaml", "--rule", rule]), 80);
    }
}

#[test]
fn help_that_nobody_asked_for_is_broken_into_lines_once() {
    let folder = Folder::new();
    for command in [&[][..], &["generate"]] {
        let ran = folder.run(command);
        assert_eq!((ran.code, &*ran.stdout), (2, ""));
        let asked = folder.run(&[command, &["-h"]].concat()).done().stdout;
        assert_eq!(ran.printed_errors.trim_end(), asked.trim_end());
    }
}

#[test]
fn errors_of_arguments_fit_eighty_columns() {
    let folder = Folder::with_hotel();
    let cases: [&[&str]; 5] = [
        &["fair", "hotel.yaml", "--rule", "nope"],
        &["solve", "hotel.yaml", "--time-limit", "for as long as it takes"],
        &["solve", "hotel.yaml", "--frmo", "s0"],
        &["convert", "hotel.yaml"],
        &["plot", "hotel.yaml", "--kind", "pie"],
    ];
    for case in cases {
        let ran = folder.run(case);
        assert_eq!(ran.code, 2, "{ran:?}");
        fits(&ran, 80);
    }
}

#[test]
fn odd_names_break_neither_the_table_nor_the_terminal() {
    let folder = Folder::new();
    let text = r#"
principals:
  "two\nlines": 2/3
  "\e[31mred\a": {discount: 123456789012345678901/987654321098765432109, weight: 0.000000000001}
  a principal whose name goes on and on and on for far too long to be of any use: 1/2
  "": 0
  宿宿宿宿宿宿宿宿宿宿宿宿宿宿宿宿宿: 1/5
states:
  "s\r\n0":
    "stay\t\u202e": {reward: 3, to: "s\r\n0"}
    leave: {reward: -1, to: "\x1b]0;title\x07"}
  "\x1b]0;title\x07":
    stay: {reward: 6, to: "\x1b]0;title\x07"}
"#;
    folder.write("odd.yaml", text);
    fits(&folder.run(&["solve", "odd.yaml", "--all-states", "--strategy", "s.json"]).done(), 80);
    fits(&folder.run(&["solve", "odd.yaml", "--explain", "--compare", "--quiet"]).done(), 80);
    fits(&folder.run(&["evaluate", "odd.yaml", "s.json"]).done(), 80);
    fits(&folder.run(&["simulate", "odd.yaml", "s.json"]).done(), 80);
    folder.run(&["solve", "odd.yaml", "--from", "\u{1b}[2J"]).refused(&["\\u{1b}[2J"]);
    folder.run(&["solve", "odd.yaml", "--discount", "red=2"]).refused(&["red"]);
    folder.run(&["solve", "\u{1b}[2J.yaml"]).refused(&["\\u{1b}[2J.yaml"]);
    // The strategy's names are the model's own.
    let json = folder.run(&["evaluate", "odd.yaml", "s.json", "--json"]).done().json();
    assert_eq!(json["start"], "s\r\n0");
}

#[test]
fn one_principal_alone_has_a_report_too() {
    let folder = Folder::new();
    folder.write("one.yaml", "principals: {p: 0.5}\nstates: {s: {a: {reward: -1, to: s}, b: {to: s}}}\n");
    let report = folder.run(&["solve", "one.yaml"]).done().stdout;
    let expected = "\
Optimal welfare from s: 0
What to do now, in s: b
The long-term strategy earns it: from s, no deviation pays.

  principal  discount  gets  vs long-term
  p               0.5     0             0
  welfare                 0             0

Strategy from s
  state  from step  action
  s              0  always b
Memory 0: it is the long-term strategy, and need not count.
Horizon 0: no deviation pays, in any state.

Checked: an independent checker accepts this strategy as optimal.
";
    assert_eq!(report, expected);
}

#[test]
fn a_model_may_come_through_a_pipe() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
    let hotel = std::fs::File::open(paper("hotel.yaml")).unwrap();
    let output = program.args(["solve", "-"]).stdin(hotel).output().unwrap();
    let ran = Ran::new(&["solve", "-"], output).done();
    assert!(ran.stdout.starts_with("Optimal welfare from s0: 127/9"));
    let empty = Command::new(env!("CARGO_BIN_EXE_commonweal")).args(["solve", "-"]).stdin(Stdio::null()).output();
    Ran::new(&["solve", "-"], empty.unwrap()).refused(&["standard input:1:1"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    // Larger than a pipe's buffer, so that the program writes to the closed pipe.
    let folder = Folder::new();
    let mut model = String::from("principals: {p: 1/2, q: 1/3}\nstates:\n");
    for state in 0..3000 {
        model += &format!("  s{state}: {{a: {{reward: {state}, to: s{state}}}}}\n");
    }
    let path = folder.write("large.yaml", model);
    for args in [&["solve", "--json"][..], &["solve", "--all-states"]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
        let mut child = program.args(args).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0u8; 1];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
