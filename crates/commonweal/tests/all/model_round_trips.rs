//! Round trips of written models with arbitrary names and numbers; the reader never panics.

use crate::strategies::model;
use commonweal::internals::io::{read_model, read_model_bytes, write_json, write_yaml};
use commonweal::internals::model::{Mdp, ModelBuilder, Principal};
use commonweal::internals::number::Rational;
use proptest::{collection::vec, prelude::*, sample::select};

fn written(model: &Mdp, write: fn(&Mdp, &mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(model, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str) -> Mdp {
    read_model(text).unwrap_or_else(|error| panic!("{}\n{text}", error.render("written", text)))
}

proptest! {
    #[test]
    fn yaml_is_read_as_it_was_written(model in model()) {
        let text = written(&model, write_yaml);
        prop_assert_eq!(&read(&text), &model, "{}", text);
        prop_assert_eq!(written(&read(&text), write_yaml), text);
    }

    #[test]
    fn json_is_read_as_it_was_written(model in model()) {
        let text = written(&model, write_json);
        serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON");
        prop_assert_eq!(&read(&text), &model, "{}", text);
    }

    #[test]
    fn json_on_one_line_is_read_too(model in model()) {
        let text: String = written(&model, write_json).lines().map(str::trim_start).collect();
        prop_assert_eq!(&read(&text), &model, "{}", text);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        check_error(&bytes);
    }

    #[test]
    fn no_yaml_like_text_makes_the_reader_panic(parts in vec(select(&FRAGMENTS[..]), 0..60)) {
        check_error(parts.concat().as_bytes());
    }

    #[test]
    fn no_mutated_model_makes_the_reader_panic(
        model in model(),
        json in any::<bool>(),
        edits in vec((any::<prop::sample::Index>(), 0usize..6, select(&FRAGMENTS[..])), 1..6),
    ) {
        let mut text = written(&model, if json { write_json } else { write_yaml }).into_bytes();
        for (at, removed, fragment) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, fragment.bytes());
        }
        check_error(&text);
    }
}

const FRAGMENTS: [&str; 47] = [
    "principals",
    "states",
    "start",
    "reward",
    "to",
    "discount",
    "weight",
    "alice",
    "s0",
    "stay",
    ": ",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\t",
    "- ",
    "? ",
    "&a ",
    "*a",
    "!!str ",
    "!x ",
    "<<",
    "\"",
    "'",
    "\\",
    "#",
    " #",
    "|",
    ">-",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "~",
    "1/2",
    "0.5",
    "1e9999",
    "-1",
    "1/0",
    "\u{feff}",
    "\0",
];

/// Reads, and checks that an error has a place in the text and a message that a terminal can show.
fn check_error(bytes: &[u8]) {
    let Err(error) = read_model_bytes(bytes) else { return };
    let text = String::from_utf8_lossy(bytes);
    let rendered = error.render("file", &text);
    assert!(error.line >= 1 && error.column >= 1 && error.length >= 1, "{error:?}");
    assert!(error.help.is_some(), "{rendered}");
    assert!(rendered.lines().count() >= 3, "{error:?} has no line in {text:?}");
    assert!(!rendered.replace('\n', "").contains(char::is_control), "{rendered:?}");
}

#[test]
fn the_writer_keeps_to_the_style_of_the_format() {
    let text = "\
start: s1
principals:
  alice: 2/3
  bob: {discount: 1/3, weight: -2}
states:
  s0:
    a: {reward: 3, to: s0}
    \"no\": {reward: {bob: -1/2}, to: {s1: 1/2, s0: 1/2}}
  s1:
    not a: {to: s1}
    wide:
      reward: 1000000000000000000000
      to:
        a rather long name of a state: 1/3
        another rather long name of a state: 1/6
        s0: 1/6
        s1: 1/3
    half as wide:
      reward: {alice: -12345678901234567890/1001, bob: 12345678901234567890/1001}
      to: {a rather long name of a state: 1/2, another rather long name of a state: 1/2}
  a rather long name of a state:
    12: {to: s0}
  another rather long name of a state:
    \"012\": {to: \"a: b\"}
  \"a: b\":
    go: {to: C1'}
  C1':
    go: {to: s0}
";
    assert_eq!(written(&read(text), write_yaml), text);
    let json = written(&read(text), write_json);
    assert!(json.contains(r#"    "no": {"reward": {"bob": "-1/2"}, "to": {"s1": "1/2", "s0": "1/2"}}"#), "{json}");
    assert!(
        json.contains(r#""reward": "1000000000000000000000""#) && json.contains(r#""a": {"reward": 3, "to": "s0"}"#)
    );
}

#[test]
fn repeated_action_names_stay_apart() {
    let alice = Principal::new("alice", Rational::ZERO).unwrap();
    let mut builder = ModelBuilder::new(vec![alice], ["s"]).unwrap();
    for action in ["tick", "tick", "tick#2", "tick"] {
        builder.choice(0.into(), action, [Rational::ONE], [(0.into(), Rational::ONE)]).unwrap();
    }
    let model = builder.finish().unwrap();
    let names = |model: &Mdp| -> Vec<String> {
        model.choices(0.into()).map(|choice| model.action_name(choice).into_owned()).collect()
    };
    assert_eq!(names(&model), ["tick", "tick#3", "tick#2", "tick#4"]);
    assert_eq!(names(&read(&written(&model, write_yaml))), names(&model));
    for choice in model.choices(0.into()) {
        assert_eq!(model.find_choice(0.into(), &model.action_name(choice)), Some(choice));
    }
}
