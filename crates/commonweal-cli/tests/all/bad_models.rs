//! Faulty models: each is refused with its place, its line and a caret.

use crate::program::Folder;

/// A model with `what` in place of one of its parts.
fn model(principals: &str, action: &str) -> String {
    format!("principals: {principals}\nstates:\n  s0:\n    a: {action}\n    b: {{to: s1}}\n  s1:\n    c: {{to: s1}}\n")
}

#[test]
fn a_faulty_model_is_refused_with_its_place_the_line_and_a_caret() {
    let good = "{alice: 2/3, bob: 1/3}";
    let to_s0 = "{to: s0}";
    let cases: Vec<(&str, String, (usize, usize), &str)> = vec![
        ("a target that is no state", model(good, "{to: s9}"), (4, 13), "no state `s9`"),
        (
            "a state without actions",
            "principals: {p: 0}\nstates: {s0: {}}\n".into(),
            (2, 10),
            "state `s0` has no action",
        ),
        ("a discount of 1", model("{alice: 1}", to_s0), (1, 21), "1"),
        ("a discount above 1", model("{alice: 3/2}", to_s0), (1, 21), "3/2"),
        ("a negative discount", model("{alice: -0.1}", to_s0), (1, 21), "-0.1"),
        ("a discount that is not a number", model("{alice: patient}", to_s0), (1, 21), "patient"),
        ("a weight that is not a number", model("{alice: {discount: 1/2, weight: much}}", to_s0), (1, 45), "much"),
        ("no discount", model("{alice: {weight: 1}}", to_s0), (1, 14), "no `discount`"),
        ("two principals of one name", model("{alice: 1/2, alice: 1/3}", to_s0), (1, 26), "twice"),
        ("probabilities that sum to 9/10", model(good, "{to: {s0: 0.5, s1: 0.4}}"), (4, 13), "9/10"),
        ("a negative probability", model(good, "{to: {s0: 1.5, s1: -0.5}}"), (4, 27), "-1/2"),
        ("a probability of 0", model(good, "{to: {s0: 1, s1: 0}}"), (4, 25), "not positive"),
        ("a target twice", model(good, "{to: {s0: 1/2, s0: 1/2}}"), (4, 23), "twice"),
        ("no target", model(good, "{reward: 3}"), (4, 5), "no `to`"),
        ("a reward for nobody", model(good, "{reward: {carol: 3}, to: s0}"), (4, 18), "carol"),
        ("a reward that is not a number", model(good, "{reward: much, to: s0}"), (4, 17), "much"),
        ("a division by zero", model(good, "{reward: 1/0, to: s0}"), (4, 17), "zero"),
        ("a number with too many digits", model(good, "{reward: 1e999999999, to: s0}"), (4, 17), "1e999999999"),
        ("an unknown key of an action", model(good, "{rewrad: 3, to: s0}"), (4, 9), "did you mean `reward`?"),
        ("an unknown key of a model", format!("{}extra: 1\n", model(good, to_s0)), (8, 1), "extra"),
        ("a start that is no state", format!("start: s7\n{}", model(good, to_s0)), (1, 8), "s7"),
        ("an action twice", model(good, "{to: s0}\n    a: {to: s1}"), (5, 5), "twice, first on line 4"),
        ("no principals", "states: {s0: {a: {to: s0}}}\n".into(), (1, 1), "principals"),
        ("no states", "principals: {p: 1/2}\n".into(), (1, 1), "states"),
        ("a list for a model", "- one\n- two\n".into(), (1, 1), "map"),
        ("an empty file", String::new(), (1, 1), "empty"),
        ("a comment and nothing else", "# nothing\n".into(), (1, 1), "only comments"),
        ("an open bracket", "principals: {p: 1/2\n".into(), (1, 13), "not closed"),
        ("a tab for indentation", "principals:\n\tp: 1/2\n".into(), (2, 1), "tab"),
        ("an unknown alias", "principals: *nobody\n".into(), (1, 13), "nobody"),
    ];
    let folder = Folder::new();
    for (what, text, (line, column), words) in &cases {
        folder.write("bad.yaml", text);
        let place = format!("error: bad.yaml:{line}:{column}: ");
        let ran = folder.run(&["solve", "bad.yaml"]);
        let source = text.lines().nth(line - 1).unwrap_or("").trim_end();
        let mut expected = vec![place.as_str(), *words];
        let shown = format!("{line} | {source}");
        if !source.is_empty() && !source.contains('\t') {
            expected.extend([shown.as_str(), "^"]);
        }
        println!("{what}");
        ran.refused(&expected);
    }
    assert!(cases.len() >= 30);
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_at_their_place() {
    let folder = Folder::new();
    folder.write("latin1.yaml", b"principals: {p: 1/2}\nstates: {caf\xe9: {a: {to: s0}}}\n");
    folder.run(&["solve", "latin1.yaml"]).refused(&["latin1.yaml:2:13: ", "UTF-8", "0xe9", "^"]);
}

#[test]
fn neither_aliases_nor_brackets_take_the_program_down() {
    let folder = Folder::new();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=12 {
        let inner = format!("*a{}, ", level - 1).repeat(9);
        bomb += &format!("a{level}: &a{level} [{inner}*a{}]\n", level - 1);
    }
    folder.write("bomb.yaml", bomb);
    folder.run(&["solve", "bomb.yaml"]).refused(&["bomb.yaml:"]);
    // The same inside a place that is read.
    let aliased =
        "principals: &p {p: 1/2}\nstates:\n  s0: &s {a: {to: &t {s0: 1/2, s1: 1/2}}, b: {to: *t}}\n  s1: *s\n";
    folder.write("aliased.yaml", aliased);
    folder.run(&["solve", "aliased.yaml"]).done();
    folder.write("deep.yaml", "[".repeat(100_000));
    folder.run(&["solve", "deep.yaml"]).refused(&["deep.yaml:1:"]);
    folder.write("deep.json", "{\"a\":".repeat(100_000));
    folder.run(&["solve", "deep.json"]).refused(&["deep.json:1:"]);
}

#[test]
fn control_characters_in_a_model_do_not_reach_the_terminal() {
    let folder = Folder::new();
    folder.write("escape.yaml", "principals: {p: 1/2}\nstates: {s0: {a: {to: \"\\e[31mred\"}}}\n");
    folder.run(&["solve", "escape.yaml"]).refused(&["escape.yaml:2:"]);
}
