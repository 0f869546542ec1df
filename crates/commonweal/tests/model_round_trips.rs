//! What is written is read back as it was, whatever the names and the numbers; what is read never makes the reader panic.

use commonweal::{
    io::{read_model, read_model_bytes, write_json, write_yaml},
    model::{Model, ModelBuilder, Principal, StateId},
    number::{Rational, parse_rational},
};
use proptest::{collection::vec, prelude::*, sample::select, string::string_regex};

/// Names that YAML or JSON could take for something else.
const NASTY_NAMES: [&str; 60] = [
    "", " ", "  ", "~", "null", "Null", "no", "on", "y", "true", "False", "1", "01", "0x1F", "1e3", ".inf", "-", "--",
    "---", "...", "- a", "?", "? a", ":", "a:", "a: b", ":a", "a:b", "#", "a #b", "a#b", "<<", "=", "*a", "&a", "!a",
    "!!str a", "|", ">", "%a", "@a", "`a`", "{a", "a}", "[", "]", ",", "a, b", "\"", "'", "it's", "a\\b", "a\nb",
    "a\r\nb", "\ttab", "ä ö", "大堂", "🏨", "start", "to",
];
const NASTY_CHARACTERS: [char; 14] = [
    '\0',
    '\u{1}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{200b}',
    '\u{202e}',
    '\u{2028}',
    '\u{2029}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{feff}',
    '\u{ffff}',
    '\u{10ffff}',
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&NASTY_NAMES[..]).prop_map(str::to_owned),
        2 => string_regex("[a-z][a-z0-9_ .'-]{0,8}").unwrap(),
        1 => vec(select(&NASTY_CHARACTERS[..]), 1..4).prop_map(String::from_iter),
        2 => any::<String>(),
        1 => (900usize..5_000).prop_map(|length| "long ".repeat(length / 5)),
    ]
}

fn names(most: usize) -> impl Strategy<Value = Vec<String>> {
    vec(name(), 1..=most).prop_map(|mut names| {
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    })
}

fn number() -> impl Strategy<Value = Rational> {
    prop_oneof![
        3 => (-20i64..20, 1u64..20).prop_map(|(p, q)| Rational::from_parts(p.into(), q.into())),
        1 => any::<i64>().prop_map(Rational::from),
        1 => (any::<i128>(), 1..u128::MAX).prop_map(|(p, q)| Rational::from_parts(p.into(), q.into())),
        1 => (0usize..9_999, any::<bool>()).prop_map(|(zeros, inverse)| {
            let sign = if inverse { "-" } else { "" };
            parse_rational(&format!("1e{sign}{zeros}")).unwrap()
        }),
    ]
}

/// Positive numbers that sum to 1, from positive weights.
fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    weights.iter().map(|&weight| Rational::from_parts(weight.into(), total.into())).collect()
}

fn model() -> impl Strategy<Value = Model> {
    let discount = (0u64..1_000, 1u64..1_000).prop_map(|(p, q)| Rational::from_parts(p.into(), (p + q).into()));
    let nonzero = number().prop_map(|weight| if weight.is_zero() { Rational::ONE } else { weight });
    let choice = (vec(number(), 4), any::<bool>(), vec((any::<u32>(), 1u32..9), 1..20));
    let state = (names(4), vec(choice, 4));
    (names(4), vec((discount, nonzero), 4), names(6), vec(state, 6), any::<u32>()).prop_map(
        |(principals, parameters, states, choices, start)| {
            let principals = principals.into_iter().zip(parameters);
            let principals = principals.map(|(name, (discount, weight))| Principal { name, discount, weight });
            let principals: Vec<Principal> = principals.collect();
            let n_principals = principals.len();
            let mut builder = ModelBuilder::new(principals, states.iter().map(String::as_str)).unwrap();
            let n = states.len();
            builder.start(StateId::from(start as usize % n));
            for (state, (actions, choices)) in choices.into_iter().take(n).enumerate() {
                for (action, (mut rewards, same, targets)) in actions.iter().zip(choices) {
                    if same {
                        let first = rewards[0].clone();
                        rewards.fill(first);
                    }
                    rewards.truncate(n_principals);
                    let mut drawn: Vec<(usize, u32)> = Vec::new();
                    for (target, weight) in targets {
                        if drawn.iter().all(|&(other, _)| other != target as usize % n) {
                            drawn.push((target as usize % n, weight));
                        }
                    }
                    let probabilities = distribution(&drawn.iter().map(|&(_, weight)| weight).collect::<Vec<_>>());
                    let targets = drawn.iter().map(|&(target, _)| StateId::from(target)).zip(probabilities);
                    builder.choice(StateId::from(state), action, rewards, targets).unwrap();
                }
            }
            builder.finish().unwrap()
        },
    )
}

fn written(model: &Model, write: fn(&Model, &mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(model, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str) -> Model {
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
    let alice = Principal { name: "alice".into(), discount: Rational::ZERO, weight: Rational::ONE };
    let mut builder = ModelBuilder::new(vec![alice], ["s"]).unwrap();
    for action in ["tick", "tick", "tick#2", "tick"] {
        builder.choice(0.into(), action, [Rational::ONE], [(0.into(), Rational::ONE)]).unwrap();
    }
    let again = read(&written(&builder.finish().unwrap(), write_yaml));
    let names: Vec<_> = again.choices(0.into()).map(|choice| again.action_name(choice).into_owned()).collect();
    assert_eq!(names, ["tick", "tick#2", "tick#2'", "tick#3"]);
}
