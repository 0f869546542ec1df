//! The solver's reader and the checker's on everything that YAML allows: one small file for each feature, with what becomes
//! of it. A file has one meaning: the checker sees the solver's model, or it refuses the file and says how to convert it.

use crate::bodies::{self, Reading};
use Outcome::{Another, Convert, ConvertAnother, Hotel, Refused};
use commonweal::internals::io::{Divided, load_model};
use num_bigint::BigUint;
use std::io::Write;

const HOTEL: &str = include_str!("../../../commonweal-check/tests/models/hotel.yaml");
const CANONICAL: &str =
    "commonweal-model 1\ndiscounts 2/3 1/3\nstates 2\nchoices 2\n3 3 > 0 1\n-1 -1 > 1 1\nchoices 1\n6 6 > 1 1\nend\n";

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Both readers see the hotel.
    Hotel,
    /// Both readers see the same model, which is not the hotel.
    Another,
    /// The solver sees the hotel; the checker refuses the file.
    Convert,
    /// The solver sees a model that is not the hotel; the checker refuses the file.
    ConvertAnother,
    /// Both readers refuse the file.
    Refused,
}

/// The hotel with one thing written in another way.
fn hotel(from: &str, to: &str) -> String {
    let changed = HOTEL.replacen(from, to, 1);
    assert!(changed != HOTEL || from == to, "{from} is not there");
    changed
}

/// A model of one state whose one action leads to it.
fn with_reward(reward: &str) -> String {
    format!("principals: {{p: 1/2}}\nstates: {{s: {{a: {{reward: {reward}, to: s}}}}}}\n")
}

fn with_reward_below(reward: &str) -> String {
    format!("principals: {{p: 1/2}}\nstates:\n  s:\n    a:\n      reward: {reward}\n      to: s\n")
}

/// The hotel with its second state under another name, in block style and in flow style.
fn with_name(name: &str) -> [String; 2] {
    let block = HOTEL.replace("to: s1}", &format!("to: {name}}}")).replace("  s1:", &format!("  {name}:"));
    let flow = format!(
        "{{principals: {{alice: 2/3, bob: 1/3}}, states: {{s0: {{a: {{reward: 3, to: s0}}, b: {{reward: -1, to: {{{name}: 1}}}}}}, {name}: {{b: {{reward: 6, to: {name}}}}}}}}}"
    );
    [block, flow]
}

fn line_ends() -> Vec<(String, Outcome)> {
    let hidden = |end: &str| {
        hotel("    b: {reward: -1", &format!("    # a note{end}    c: {{reward: 100, to: s0}}\n    b: {{reward: -1"))
    };
    vec![
        (HOTEL.replace('\n', "\r\n"), Hotel),
        (HOTEL.replacen('\n', "\r\n", 3), Hotel),
        (HOTEL.trim_end().to_owned(), Hotel),
        (HOTEL.replace('\n', "\n\n\r\n"), Hotel),
        (HOTEL.replace('\n', "\r"), Convert),
        (HOTEL.replace('\n', "\r\r\n"), Convert),
        (HOTEL.replace('\n', "\n\r"), Convert),
        (format!("{HOTEL}\r"), Convert),
        (hidden("\n"), Another),
        (hidden("\r\n"), Another),
        (hidden("\r"), ConvertAnother),
        (hidden("\u{85}"), Convert),
        (hidden("\u{2028}"), Convert),
        (hidden("\u{2029}"), Convert),
        (hidden("\u{b}"), Refused),
        (hidden("\u{c}"), Refused),
        (hidden("\u{1c}"), Refused),
        (hidden("\\n"), Hotel),
        (hotel("reward: 3,", "reward: 3,\r"), Convert),
        (hotel("reward: 3,", "reward: 3,\u{85}"), Refused),
        (hotel("reward: 3,", "reward: 3,\u{2028}"), Refused),
        (hotel("start: s0\n", "start: s0\u{85}"), Refused),
        (hotel("start: s0\n", "start: s0\u{2028}\n"), Refused),
    ]
}

fn other_characters() -> Vec<(String, Outcome)> {
    let mut cases = vec![
        (format!("\u{feff}{HOTEL}"), Hotel),
        (format!("\u{feff}\u{feff}{HOTEL}"), Convert),
        (format!("\n\u{feff}{HOTEL}"), Convert),
        (hotel("# The", "# \u{feff}The"), Convert),
        (hotel("start: s0", "start: \u{feff}s0"), Refused),
        (hotel("start: s0", "start: \"\u{feff}s0\""), Refused),
        (hotel("# The", "#\tThe"), Hotel),
        (hotel("start: s0", "start:\ts0"), Convert),
        (hotel("start: s0", "start: s0\t"), Convert),
        (hotel("start: s0", "start: s0\t# first"), Convert),
        (hotel("start: s0", "start: s\t0"), Refused),
        (hotel("start: s0", "\tstart: s0"), Refused),
        (hotel("  s0:\n", "\ts0:\n"), Refused),
        (hotel("{reward: 3, to", "{reward: 3,\tto"), Convert),
        (hotel("states:", "\t\nstates:"), Convert),
        (hotel("start: s0", "start: \"s\t0\""), Refused),
        (format!("{HOTEL}\0"), Refused),
        (format!("{HOTEL}\0junk: {{"), Refused),
        (hotel("# The", "# \0The"), Refused),
        (hotel("start: s0", "start: s0\0"), Refused),
        (hotel("# The", "# \u{7f}The"), Refused),
        (hotel("# The", "# \u{fffe}The"), Refused),
        (hotel("# The", "# \u{a0}The \u{1f3e8} hôtel\u{200b}"), Hotel),
        (hotel("start: s0", "start:\u{a0}s0"), Refused),
        (hotel("start: s0", "start: \u{a0}s0"), Refused),
    ];
    for name in ["é", "e\u{301}", "宿", "🏨", "a\u{a0}b", "\u{200b}", "s\u{ad}1", "\u{fffd}", "\u{10ffff}"] {
        cases.extend(with_name(name).map(|text| (text, Hotel)));
    }
    for name in ["s\u{85}1", "s\u{2028}1", "s\u{2029}1", "s\u{feff}1", "?"] {
        cases.extend(with_name(name).map(|text| (text, Convert)));
    }
    for name in ["s\u{7f}1", "s\u{1}1", "s\u{80}1", "s\u{ffff}1", "s\u{0}1"] {
        cases.extend(with_name(name).map(|text| (text, Refused)));
    }
    cases
}

fn names() -> Vec<(String, Outcome)> {
    let mut cases = Vec::new();
    let same = [
        "no", "on", "1", "01", "1.0", "~", "null", "s 1", "s  1", "s1#", "a:b", "-s", "?s", ":s", "s'1", "s\"1", "a&b",
        "s|1", "s@", "=", "s-", "<<s",
    ];
    for name in same {
        cases.extend(with_name(name).map(|text| (text, Hotel)));
    }
    let quoted = [
        "'s1'",
        "\"s1\"",
        "''",
        "\"\"",
        "' '",
        "'it''s'",
        "\"it's\"",
        "'\"'",
        "\"\\\"\"",
        "'<<'",
        "\"<<\"",
        "'---'",
        "'# s'",
        "'a: b'",
        "'{'",
        "\"\\\\\"",
        "\"\\/\"",
        "\"\\n\\t\\r\"",
        "\"\\u0041\"",
        "\"\\u00e9\"",
    ];
    for name in quoted {
        cases.extend(with_name(name).map(|text| (text, Hotel)));
    }
    let escapes = [
        "\\0",
        "\\a",
        "\\b",
        "\\v",
        "\\f",
        "\\e",
        "\\ ",
        "\\N",
        "\\_",
        "\\L",
        "\\P",
        "\\x41",
        "\\U00000041",
        "\\ud83d\\ude00",
        "\\\t",
    ];
    for escape in escapes {
        cases.extend(with_name(&format!("\"{escape}\"")).map(|text| (text, Convert)));
    }
    let wrong = [
        "\"\\q\"",
        "\"\\u12\"",
        "\"\\u+041\"",
        "\"\\ud83d\"",
        "\"\\U00110000\"",
        "\"s",
        "'s",
        "\"s\"1",
        "'s'1",
        "@s",
        "`s",
        "%s",
        "*s",
        "&s",
        "!s",
        "|",
        ">",
        "- s",
        "? s",
        "<<",
        "-",
        ":",
        "[s]",
        "{s}",
        "#s",
    ];
    for name in wrong {
        cases.extend(with_name(name).map(|text| (text, Refused)));
    }
    // One name in two notations is one name; two names that look alike are two.
    cases.extend([
        (hotel("to: s1}\n  s1", "to: \"s\\u0031\"}\n  's1'"), Hotel),
        (hotel("  s1:\n", "  s0: {b: {to: s0}}\n  s1:\n"), Refused),
        (hotel("  s1:\n", "  \"s0\": {b: {to: s0}}\n  s1:\n"), Refused),
        (hotel("  s1:\n", "  \"\\u00730\": {b: {to: s0}}\n  s1:\n"), Refused),
        (hotel("to: s1}", "to: S1}"), Refused),
        (hotel("to: s1}\n  s1", "to: \u{e9}}\n  e\u{301}"), Refused),
        (hotel("start: s0", "\"start\": s0"), Hotel),
        (hotel("start: s0", "'start': 's0'"), Hotel),
        (hotel("start: s0", "\"st\\u0061rt\": s0"), Hotel),
        (hotel("start: s0", "\"start\" : s0"), Convert),
        (hotel("start: s0", "start : s0"), Convert),
        (hotel("start: s0", "\"start\":s0"), Refused),
        (hotel("start: s0", "start:s0"), Refused),
        (hotel("alice: 2/3", "\"alice\":2/3"), Hotel),
        (hotel("alice: 2/3", "\"alice\" :2/3"), Convert),
        (hotel("alice: 2/3", "\"alice\" : 2/3"), Hotel),
        (hotel("alice: 2/3", "alice : 2/3"), Hotel),
        (hotel("alice: 2/3", "alice :2/3"), Refused),
        (hotel("alice: 2/3", "alice:2/3"), Refused),
    ]);
    let long = |length: usize| with_name(&"s".repeat(length));
    cases.extend(long(1 << 16).map(|text| (text, Hotel)));
    cases.extend(long((1 << 16) + 1).map(|text| (text, Refused)));
    let quoted = |length: usize| with_name(&format!("'{}'", "é".repeat(length - 2)));
    cases.extend(quoted(1 << 16).map(|text| (text, Hotel)));
    cases.extend(quoted((1 << 16) + 1).map(|text| (text, Refused)));
    cases
}

fn syntax() -> Vec<(String, Outcome)> {
    vec![
        // Tags
        (hotel("start: s0", "start: !!str s0"), Convert),
        (hotel("start: s0", "start: ! s0"), Convert),
        (hotel("start: s0", "start: !<tag:yaml.org,2002:str> s0"), Convert),
        (hotel("start: s0", "!!str start: s0"), Convert),
        (hotel("start: s0", "start: !!seq s0"), Refused),
        (hotel("start: s0", "start: !mine s0"), Refused),
        (hotel("states:", "states: !!map"), Convert),
        (hotel("reward: 3", "reward: !!int 3"), Convert),
        (hotel("reward: 3", "reward: !!binary Mw=="), Refused),
        // Anchors and aliases
        (hotel("start: s0", "start: &a s0"), Convert),
        (hotel("  s1:\n    b: {reward: 6, to: s1}", "  &a s1:\n    b: {reward: 6, to: *a }"), Convert),
        (hotel("start: s0", "start: *a"), Refused),
        (hotel("    b: {reward: -1, to: s1}", "    b: &b {reward: -1, to: s1}\n    c: *b"), ConvertAnother),
        (hotel("{reward: -1, to: s1}", "{<<: {reward: -1}, to: s1}"), Refused),
        (hotel("  s1:\n", "  <<: {b: {to: s0}}\n  s1:\n"), Refused),
        (hotel("  s1:\n", "  '<<': {b: {to: s0}}\n  s1:\n"), Another),
        // Documents and directives
        (format!("---\n{HOTEL}"), Convert),
        (format!("--- # one\n{HOTEL}"), Convert),
        (format!("{HOTEL}...\n"), Convert),
        (format!("{HOTEL}---\n"), Refused),
        (format!("{HOTEL}---\n{HOTEL}"), Refused),
        (format!("{HOTEL}...\nmore: 1\n"), Refused),
        (format!("{HOTEL}...\n# the end\n"), Convert),
        (format!("%YAML 1.2\n---\n{HOTEL}"), Convert),
        (format!("%YAML 1.1\n---\n{HOTEL}"), Convert),
        (format!("%TAG ! tag:example.com,2000:\n---\n{HOTEL}"), Convert),
        (format!("%YAML 1.2\n{HOTEL}"), Refused),
        (hotel("start: s0", "---: s0"), Refused),
        (hotel("start: s0", "--- s0"), Refused),
        (hotel("{alice: 2/3, bob: 1/3}", "{alice: 2/3,\n---\n bob: 1/3}"), Refused),
        // Sequences and keys of other kinds
        (hotel("start: s0", "start: [s0]"), Refused),
        (hotel("start: s0", "start: - s0"), Refused),
        (hotel("start: s0", "start:\n  - s0"), Refused),
        (hotel("start: s0", "? start\n: s0"), Convert),
        (hotel("start: s0", "[start]: s0"), Refused),
        (hotel("start: s0", "{start: s0}: s0"), Refused),
        (hotel("{alice: 2/3, bob: 1/3}", "{? alice : 2/3, bob: 1/3}"), Convert),
        (hotel("{alice: 2/3, bob: 1/3}", "[alice: 2/3, bob: 1/3]"), Refused),
        // Scalars over several lines
        (hotel("start: s0", "start:\n  s0"), Convert),
        (hotel("start: s0", "start:\n  \"s0\""), Convert),
        (hotel("start: s0", "start: |-\n  s0"), Convert),
        (hotel("start: s0", "start: |\n  s0"), Refused),
        (hotel("start: s0", "start: >-\n  s0"), Convert),
        (hotel("start: s0", "start: \"s\\\n  0\""), Convert),
        (hotel("start: s0", "start: \"s\n  0\""), Refused),
        (hotel("start: s0", "start: 's0\n  '"), Refused),
        (hotel("start: s0", "start: s0\n  # a note"), Hotel),
        (hotel("start: s0", "start: s\n  0"), Refused),
        (hotel("start: s0", "start:"), Refused),
        (hotel("start: s0", "start: # s0"), Refused),
        (hotel("start: s0", "start"), Refused),
        (hotel("start: s0", "start: s0: s1"), Refused),
        (hotel("start: s0", "start: s0 # a # b: {"), Hotel),
        (hotel("start: s0", "start: s0# not a note"), Refused),
        (hotel("start: s0", "start: 's0'# not a note"), Refused),
        (hotel("start: s0", "start: 's0' # a note"), Hotel),
        (hotel("start: s0", "start: s0\n#s1"), Hotel),
        // Braces
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0,}"), Hotel),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0 , }"), Hotel),
        (hotel("reward: 3, to: s0}", "reward: 3,, to: s0}"), Refused),
        (hotel("{reward: 3, to: s0}", "{, reward: 3, to: s0}"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3 to: s0}"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0}}"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0} x"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0}# x"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0} # x"), Hotel),
        (hotel("reward: 3, to: s0}", "reward: 3,#x\n      to: s0}"), Refused),
        (hotel("reward: 3, to: s0}", "reward: 3, #x\n      to: s0}"), Hotel),
        (hotel("reward: 3, to: s0}", "reward: 3, to: s0#x}"), Refused),
        (hotel("{reward: 3, to: s0}", "{\n      reward: 3,\n      to: s0\n    }"), Hotel),
        (hotel("{reward: 3, to: s0}", "{\n      reward: 3,\n      to: s0\n      }"), Hotel),
        (hotel("{reward: 3, to: s0}", "{reward:\n      3, to\n      : s0}"), Convert),
        (hotel("{reward: 3, to: s0}", "{reward: 3, to: {s0: 1}}"), Hotel),
        (hotel("{reward: 3, to: s0}", "{reward: 3, to:{s0: 1}}"), Refused),
        (hotel("{reward: 3, to: s0}", "{reward: 3, \"to\":{s0: 1}}"), Hotel),
        (hotel("{reward: 3, to: s0}", "{reward: 3, to: {s0}}"), Refused),
        (hotel("{alice: 2/3, bob: 1/3}", "{alice: 2/3,\nbob: 1/3}"), Hotel),
        (hotel("{alice: 2/3, bob: 1/3}", "{\n  alice: 2/3,\n  bob: 1/3\n}"), Hotel),
        (hotel("{alice: 2/3, bob: 1/3}", "\n  {alice: 2/3,\n bob: 1/3}"), Hotel),
        (hotel("{alice: 2/3, bob: 1/3}", "\n{alice: 2/3, bob: 1/3}"), Refused),
        (hotel("{alice: 2/3, bob: 1/3}", "\n alice: 2/3\n bob: 1/3"), Hotel),
        (hotel("{alice: 2/3, bob: 1/3}", "\nalice: 2/3\nbob: 1/3"), Refused),
        (hotel("    a: {reward: 3, to: s0}\n", "    a:\n      {reward: 3, to: s0\n   }"), Refused),
        // Indentation
        (HOTEL.replace("\n    ", "\n  "), Refused),
        (HOTEL.replace("\n    ", "\n   "), Hotel),
        (hotel("  s1:\n", " s1:\n"), Refused),
        (hotel("  s1:\n", "   s1:\n"), Refused),
        (hotel("    b: {reward: -1", "     b: {reward: -1"), Refused),
        (hotel("    b: {reward: 6", "          b: {reward: 6"), Hotel),
        // Nothing
        (String::new(), Refused),
        ("# nothing\n".to_owned(), Refused),
        ("---\n".to_owned(), Refused),
        ("{}".to_owned(), Refused),
        ("[]".to_owned(), Refused),
        ("hotel".to_owned(), Refused),
    ]
}

/// Rows whose sum is not 1. Those that floating point has rounded are scaled by both readers, by the same rule.
fn rows_off_one() -> Vec<(String, Outcome)> {
    let row = |row: &str| {
        format!(
            "{{principals: {{p: 1/2}}, states: {{s: {{a: {{to: {{{row}}}}}}}, t: {{a: {{to: t}}}}, u: {{a: {{to: u}}}}}}}}"
        )
    };
    let long = "3".repeat(9_999);
    vec![
        (row("s: 0.3333333333333333, t: 0.3333333333333333, u: 0.3333333333333333"), Another),
        (row("s: 0.1, t: 0.2, u: 0.7000000000000001"), Another),
        (row("s: 0.1, t: 0.2, u: 0.7"), Another),
        (row("s: 0.99999999999999999"), Another),
        (row("s: 1e-12, t: 1"), Another),
        (row(&format!("s: 0.{long}, t: 0.{long}, u: 0.{long}")), Another),
        (row("s: 0.5, t: 0.499999999"), Another),
        (row("s: 0.5, t: 0.500000001"), Another),
        (row("s: 0.5, t: '0.500000001'"), Another),
        (row("s: 0.5, t: 0.4999999989999999999"), Refused),
        (row("s: 0.5, t: 0.5000000010000000001"), Refused),
        (row("s: 0.5, t: 0.49999999"), Refused),
        (row("s: 1/2, t: 0.5"), Another),
        (row("s: 1/2, t: 0.4999999999"), Refused),
        (row("s: 5/10, t: 4999999999/10000000000"), Refused),
        (row("s: 0.5, t: 0.4999999999/1"), Refused),
        (row("s: 0.5, t: \"0.4999999999\\u002f1\""), Refused),
        (row("s: 1, t: 1e-12, u: -1e-13"), Refused),
        (row("s: 1, t: 0, u: 1e-12"), Refused),
    ]
}

#[test]
fn a_row_of_decimals_that_was_rounded_is_divided_by_its_sum() {
    let text = "principals: {p: 1/2}\nstates:\n  s: {a: {to: {s: 0.3333333333333333, t: 0.3333333333333333, u: 0.3333333333333333}}}\n  t: {a: {to: {t: 0.25, u: 0.750000001}}}\n  u: {a: {to: u}}\n";
    let expected = "commonweal-model 1\ndiscounts 1/2\nstates 3\nchoices 1\n0 > 0 1/3 1 1/3 2 1/3\nchoices 1\n0 > 1 250000000/1000000001 2 750000001/1000000001\nchoices 1\n0 > 2 1\nend\n";
    assert_eq!(bodies::readers(text.as_bytes()), Reading::Same(expected.to_owned()));
    let loaded = load_model(text, false).unwrap();
    assert_eq!(loaded.divided, Divided { rows: 2, largest: 1e-9 });
    let refused = load_model(text, true).unwrap_err();
    assert_eq!((refused.line, refused.column), (3, 15));
    assert!(refused.message.ends_with("sum to 9999999999999999/10000000000000000, not 1"), "{refused}");
    // What is exact is not touched, strict or not.
    let exact = text.replace("0.3333333333333333", "1/3").replace("0.750000001", "0.75");
    assert_eq!(load_model(&exact, true).unwrap().divided, Divided::default());
}

fn models() -> Vec<(String, Outcome)> {
    let one = |model: &str| format!("{{principals: {{p: 1/2, q: 1/3}}, states: {{s: {model}, t: {{a: {{to: t}}}}}}}}");
    vec![
        // The same model in another order; who is not named gets nothing
        (hotel("start: s0\n", ""), Hotel),
        (hotel("start: s0", "start: s1"), Hotel),
        (hotel("{alice: 2/3, bob: 1/3}", "{bob: 1/3, alice: {weight: 1, discount: 2/3}}"), Hotel),
        (hotel("bob: 1/3", "bob: 1/3, carol: {discount: 4/6, weight: -1}"), Another),
        (hotel("bob: 1/3", "bob: 1/3, carol: {discount: 1/2, weight: 0}"), Hotel),
        (hotel("alice: 2/3", "carol: {discount: 1/3, weight: 0}, alice: 2/3"), Hotel),
        (hotel("alice: 2/3", "alice: {discount: 2/3, weight: 0}"), Another),
        (
            hotel("{alice: 2/3, bob: 1/3}", "{alice: {discount: 2/3, weight: 0}, bob: {discount: 1/3, weight: -0}}"),
            Another,
        ),
        (one("{a: {to: {t: 1/2, s: 0.5}, reward: {q: 1}}}"), Another),
        (one("{a: {to: {t: 1}, reward: {}}}"), Another),
        // What a model says of itself changes nothing
        (hotel("start: s0", "start: s0\nname: a hotel"), Hotel),
        (hotel("start: s0", "start: s0\ndescription: 'a hotel: wait, or rebuild?'"), Hotel),
        (hotel("start: s0", "start: s0\ndescription: a hotel: wait, or rebuild?"), Refused),
        (hotel("start: s0", "start: s0\ndescription: >\n  a hotel:\n  wait, or rebuild?\n"), Convert),
        (hotel("start: s0", "start: s0\nstep: year"), Hotel),
        (hotel("start: s0", "start: s0\nstep: ~"), Hotel),
        (hotel("start: s0", "start: s0\nstep: 1"), Hotel),
        (hotel("start: s0", "start: s0\nstep:"), Refused),
        (hotel("start: s0", "start: s0\nname: ''"), Hotel),
        (hotel("start: s0", "start: s0\nname: {hotel: 1}"), Refused),
        (hotel("start: s0", "start: s0\nname: [hotel]"), Refused),
        (hotel("start: s0", "start: s0\nstep: year\nstep: year"), Refused),
        (hotel("start: s0", "start: s0\nsteps: year"), Refused),
        // Keys that the format does not have, or not yet
        (hotel("start: s0", "Start: s0"), Refused),
        (hotel("start: s0", "start: s0\nstart: s0"), Refused),
        (hotel("start: s0", "start: s0\n\"start\": s0"), Refused),
        (hotel("alice: 2/3", "alice: {rate: 0.5}"), Hotel),
        (hotel("alice: 2/3", "alice: {discount: 2/3, until: 4}"), Another),
        (hotel("alice: 2/3", "alice: {discount: 2/3, until: 4}, carol: {rate: 50%, until: 2}"), Another),
        (hotel("alice: 2/3, bob: 1/3", "alice: {discount: 0, until: 4}, bob: {schedule: {0: 50%, 3: 20%}}"), Another),
        (
            hotel("alice: 2/3, bob: 1/3", "alice: {schedule: green-book}, bob: {discount: 0.9, until: 7, weight: 2}"),
            Another,
        ),
        (hotel("alice: 2/3", "alice: {discount: 2/3, discount: 2/3}"), Refused),
        (hotel("alice: 2/3", "alice: {weight: 1}"), Refused),
        (hotel("alice: 2/3", "alice: 2/3, alice: 2/3"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, reward: 3, to: s0"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: ~"), Refused),
        (hotel("reward: 3, to: s0", "reward: ~, to: s0"), Refused),
        (hotel("reward: 3, to: s0", "reward: {carol: 3}, to: s0"), Refused),
        (hotel("reward: 3, to: s0", "reward: {bob: 3, bob: 3}, to: s0"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {}"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {s0: 1/2}"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {s0: 1, s1: 0}"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {s0: 2, s1: -1}"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {s0: 1/2, s0: 1/2}"), Refused),
        (hotel("reward: 3, to: s0", "reward: 3, to: {s0: 1/2, s2: 1/2}"), Refused),
        (hotel("alice: 2/3", "alice: 1"), Refused),
        (hotel("alice: 2/3", "alice: -1/3"), Refused),
        (hotel("alice: 2/3", "alice: 2/3, carol: {discount: 1, weight: 0}"), Refused),
        (hotel("alice: 2/3", "alice: 2/3, carol: {discount: -1/9, weight: 0}"), Refused),
        (hotel("alice: 2/3", "alice: 0"), Another),
        (hotel("{alice: 2/3, bob: 1/3}", "{}"), Refused),
        (hotel("start: s0", "start: s2"), Refused),
        (one("{}"), Refused),
        (one("null"), Refused),
        (one("~"), Refused),
        (one("{a: {}}"), Refused),
        (one("{a: s}"), Refused),
        (one("{a: {to: s}, a: {to: t}}"), Refused),
        ("principals: {p: 1/2}\nstates: {}\n".to_owned(), Refused),
        ("principals: {p: 1/2}\n".to_owned(), Refused),
        ("states: {s: {a: {to: s}}}\n".to_owned(), Refused),
        ("states: {s: {a: {to: s, reward: {p: 3}}}}\nprincipals: {p: 1/2}\n".to_owned(), Another),
        (CANONICAL.replace("end\n", ""), Refused),
    ]
}

fn numbers() -> Vec<(String, Outcome)> {
    let mut cases = Vec::new();
    let nines = "9".repeat(10_000);
    let read = [
        "3",
        "+3",
        "-3",
        "-0",
        "007",
        "3.0",
        "3.",
        ".5",
        "-.5",
        "+.5",
        "3e0",
        "3E2",
        "3e+2",
        "3e-2",
        "3.5e1",
        "3e007",
        "0e1",
        "0e99999999999999999999",
        "-0e-99999999999999999999",
        "0.0e10001",
        "2/3",
        "-2/3",
        "2/-3",
        "-2/-3",
        "+2/+3",
        "2 / 3",
        "2/ 3",
        "2 /3",
        "4/6",
        "0/7",
        "0.5/0.25",
        "1e2/1e2",
        "1e9999",
        "1e-9999",
        "-1e-9999",
        "1e10000/1e10000",
        "1e10000/10",
        "1e10000/1e1",
        "36893488147419103232/3",
        "'3'",
        "\"3\"",
        "\" 3 \"",
        "\"\\n3\\t\"",
        "'2/3'",
        "\"2\\u002f3\"",
        "\"\u{a0}3\"",
        "\u{a0}3",
        &nines,
    ];
    for number in read {
        cases.extend([with_reward(number), with_reward_below(number)].map(|text| (text, Another)));
    }
    let (one_more, point) = ("1".repeat(10_001), format!("{}.1", "1".repeat(10_000)));
    let refused = [
        "",
        "~",
        "null",
        "\"\"",
        "' '",
        ".",
        "-",
        "+",
        "e1",
        ".e1",
        "1e",
        "1e+",
        "1e-",
        "1e1.0",
        "1e 1",
        "1 e1",
        "1 0",
        "- 1",
        "--1",
        "+-1",
        "1/0",
        "1/",
        "/1",
        "1//2",
        "1/2/3",
        "1_000",
        "1e1_0",
        "0x10",
        "0o7",
        "0b1",
        "1:30",
        ".inf",
        "-.Inf",
        ".nan",
        "inf",
        "nan",
        "true",
        "50%",
        "1.2.3",
        "½",
        "٣",
        "３",
        "−1",
        "1e10000",
        "1e-10000",
        "12e9999",
        "1e10001/1",
        "1e6000/1e-6000",
        "1e99999999999999999999",
        "1'000",
        "$1",
        "3 to",
        "#3",
        "[3]",
        "2/3 3",
        "2\\/3",
        "'3'3",
        "\"3\"\"",
        &one_more,
        &point,
    ];
    for number in refused {
        cases.extend([with_reward(number), with_reward_below(number)].map(|text| (text, Refused)));
    }
    // A comma ends a number in braces, and is part of it elsewhere.
    cases.extend([(with_reward("1,5"), Refused), (with_reward_below("1,5"), Refused)]);
    for (tag, outcome) in
        [("!!int", ConvertAnother), ("!!float", ConvertAnother), ("!!str", ConvertAnother), ("!!timestamp", Refused)]
    {
        cases.push((with_reward_below(&format!("{tag} 3")), outcome));
    }
    for (discount, outcome) in [
        ("0", Another),
        ("0.999", Another),
        ("2/2", Refused),
        ("1e-9999", Another),
        ("-1e-9999", Refused),
        ("4/6", Hotel),
        ("'2/3'", Hotel),
    ] {
        cases.push((hotel("2/3", discount), outcome));
    }
    cases
}

/// Rows whose least common denominator has this many bits: eight pairs 1/(8q) and (q−1)/(8q), as pairs, whose sums are short, or
/// all first halves before the second ones.
fn rows() -> Vec<(String, Outcome)> {
    let power = |base: u32, exponent: u32| BigUint::from(base).pow(exponent);
    let odd = [(3, 20_669), (7, 11_669), (11, 9_469), (13, 8_853), (17, 8_014), (19, 7_711), (23, 7_242)];
    let odd: Vec<BigUint> = odd.map(|(base, exponent)| power(base, exponent)).to_vec();
    let product: BigUint = odd.iter().product();
    let case = |bits: u64, in_pairs: bool| {
        let two = power(2, u32::try_from(bits - product.bits() - 3).expect("a short power"));
        assert_eq!((&product * &two * 8u32).bits(), bits);
        let halves = |numerator: fn(&BigUint) -> BigUint| {
            odd.iter().chain([&two]).map(|q| format!("{}/{}", numerator(q), q * 8u32)).collect::<Vec<_>>()
        };
        let (first, second) = (halves(|_| BigUint::from(1u32)), halves(|q| q - 1u32));
        let row: Vec<String> = if in_pairs {
            first.into_iter().zip(second).flat_map(|(first, second)| [first, second]).collect()
        } else {
            first.into_iter().chain(second).collect()
        };
        let entries = |value: &dyn Fn(usize) -> String| {
            (0..row.len()).map(|k| format!("s{k}: {}", value(k))).collect::<Vec<_>>().join(", ")
        };
        let start = format!("{{a: {{to: {{{}}}}}}}", entries(&|k| row[k].clone()));
        let states = entries(&|k| if k == 0 { start.clone() } else { "{a: {to: s0}}".to_owned() });
        format!("{{principals: {{p: 1/2}}, states: {{{states}}}}}")
    };
    let most = 1 << 18;
    vec![
        (case(most, true), Another),
        (case(most, false), Another),
        (case(most + 1, true), Refused),
        (case(most + 1, false), Refused),
    ]
}

/// The hotel with another entry for bob.
fn with_entry(entry: &str) -> String {
    hotel("{alice: 2/3, bob: 1/3}", &format!("\n  alice: 2/3\n  bob: {entry}"))
}

fn preferences() -> Vec<(String, Outcome)> {
    let of = |entries: &[&str], outcome: Outcome| -> Vec<(String, Outcome)> {
        entries.iter().map(|entry| (with_entry(entry), outcome)).collect()
    };
    let mut cases = Vec::new();
    cases.extend(of(&["{discount: 1/3}", "{beta: 1, delta: 1/3}", "{\"delta\": 1/3, \"beta\": 1.0}"], Hotel));
    cases.extend(of(
        &[
            "{rate: 3%}",
            "{rate: 0.03}",
            "{rate: '3 %'}",
            "{rate: 100%}",
            "{rate: 3%, weight: 0}",
            "{beta: 0.7, delta: 0.95}",
            "{beta: 0, delta: 0.95}",
            "{beta: 0.7, delta: 0}",
            "{survey: [1%, 2%, 2%, 3.5%]}",
            "{survey: [1%, 2%,], weight: -2}",
            "{survey: [ 1 % ,\n      2%]}",
            "{survey: [\"1%\"]}",
            "{survey: [\"1\\u0025\", 2%]}",
            "\n    survey: [1%]\n    weight: 2",
            "\n    rate: 3%",
            "{schedule: green-book}",
            "{schedule: {0: 3%, 31: 2%}}",
            "{schedule: {1: 3%}, weight: 0}",
            "{schedule: {0: 3%, 1: 4%}}",
            "{schedule: {0: 3%, 5: 3%}}",
            "{schedule: {0: 3%, 5: 3%, 9: 2%, 1e1: 1%}}",
            "{rate: 3%, until: 4}",
            "{discount: 1/3, until: 4}",
            "{discount: 0, until: 3}",
        ],
        Another,
    ));
    cases.extend(of(
        &[
            "{gamma: {mean: 40%, sd: 20%}, error: 1e-2}",
            "{hyperbolic: 1, hazard: 20%, error: 1e-2}",
            "\n    survey:\n    - 1%\n    - 2%",
            "{survey: [&a 1%, *a]}",
            "{schedule: {5: 3%}}",
            "{schedule: {0: 3%, 5: 0%, 7: 1%}}",
        ],
        ConvertAnother,
    ));
    cases.extend(of(
        &[
            "3%",
            "{discount: 3%}",
            "{rate: 0}",
            "{rate: 101%}",
            "{rate: 3%%}",
            "{rate: -3%}",
            "{rate: %3}",
            "{rate: 3%, discount: 1/3}",
            "{rate: 3%, beta: 1, delta: 1/3}",
            "{beta: 1}",
            "{delta: 1/3}",
            "{beta: 2, delta: 1/3}",
            "{beta: -1, delta: 1/3}",
            "{beta: 1, delta: 1}",
            "{survey: []}",
            "{survey: 3%}",
            "{survey: [[3%]]}",
            "{survey: [{a: 3%}]}",
            "{survey: [3%, 0]}",
            "{survey: [3%,, 4%]}",
            "{survey: [3%}",
            "{survey: [3%], until: 4}",
            "{until: 4}",
            "{rate: 3%, until: 0}",
            "{rate: 3%, until: 1.5}",
            "{rate: 3%, until: -1}",
            "{rate: 3%, error: 1e-6}",
            "{rate: [3%]}",
            "{weight: 1}",
            "{rate: 3%, hazard: 1%}",
            "{hyperbolic: 1}",
            "{gamma: {mean: 4%, sd: 5%}}",
            "{schedule: red-book}",
            "{schedule: {}}",
            "{schedule: {5: 3%, 4: 2%}}",
            "{schedule: {5: 3%, 5: 2%}}",
            "{schedule: {0.5: 3%}}",
            "{schedule: [3%]}",
            "[1/3]",
        ],
        Refused,
    ));
    cases
}

/// Every case with a name.
fn table() -> Vec<(String, String, Outcome)> {
    let groups = [
        ("line end", line_ends()),
        ("character", other_characters()),
        ("name", names()),
        ("syntax", syntax()),
        ("model", models()),
        ("number", numbers()),
        ("row", rows()),
        ("row off one", rows_off_one()),
        ("preference", preferences()),
    ];
    let numbered = |(group, cases): (&'static str, Vec<(String, Outcome)>)| {
        cases.into_iter().enumerate().map(move |(number, (text, outcome))| (format!("{group} {number}"), text, outcome))
    };
    groups.into_iter().flat_map(numbered).collect()
}

fn outcome(reading: &Reading) -> Outcome {
    match reading {
        Reading::Same(form) if form == CANONICAL => Hotel,
        Reading::Same(_) => Another,
        Reading::OnlySolver(form) if form == CANONICAL => Convert,
        Reading::OnlySolver(_) => ConvertAnother,
        Reading::Neither => Refused,
        Reading::OnlyChecker => panic!("a canonical form"),
    }
}

#[test]
fn solver_and_checker_see_one_model_in_every_file() {
    let mut wrong = Vec::new();
    for (name, text, expected) in table() {
        let shown: String = text.chars().take(400).collect();
        match std::panic::catch_unwind(|| outcome(&bodies::readers(text.as_bytes()))) {
            Ok(found) if found == expected => {}
            Ok(found) => wrong.push(format!("{name}: {found:?}, not {expected:?}: {shown:?}")),
            Err(_) => wrong.push(format!("{name}: the readers differ: {shown:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Writes files for the checker in Python to the path in `CASES`, a line for each: its bytes in hexadecimal, and its hash if
/// the checker in Rust reads it as a canonical form, or ? and the hash of what the solver reads. First the table, then the canonical forms
/// of its models, then `DAMAGED` of these with some bytes or words changed; `SEED` tells which.
#[test]
#[ignore = "writes cases for scripts/compare-checkers"]
fn cases_for_the_other_checker() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name}: a number")))
    };
    let path = std::env::var("CASES").expect("CASES: where to write");
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).expect("a file for the cases"));
    let mut write = |bytes: &[u8]| {
        let hash = match bodies::readers(bytes) {
            Reading::OnlyChecker => commonweal_check::hash(bytes),
            Reading::Same(form) | Reading::OnlySolver(form) => format!("?{}", commonweal_check::hash(form.as_bytes())),
            _ => "-".to_owned(),
        };
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(out, "{digits} {hash}").expect("room for the cases");
    };
    let mut forms = Vec::new();
    for (_, text, _) in table() {
        write(text.as_bytes());
        if let Reading::Same(form) | Reading::OnlySolver(form) = bodies::readers(text.as_bytes()) {
            forms.push(form);
        }
    }
    forms.sort();
    forms.dedup();
    forms.iter().for_each(|form| write(form.as_bytes()));
    forms.retain(|form| form.len() < 1_000);
    let mut seed = number("SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    for _ in 0..number("DAMAGED", 20_000) {
        let mut bytes = forms[random(forms.len())].clone().into_bytes();
        for _ in 0..=random(3) {
            damage(&mut bytes, &mut random);
        }
        write(&bytes);
    }
}

/// Changes one thing in a canonical form.
fn damage(bytes: &mut Vec<u8>, random: &mut impl FnMut(usize) -> usize) {
    const WORDS: [&str; 34] = [
        "0",
        "1",
        "2",
        "-1",
        "-0",
        "+1",
        "01",
        "1/2",
        "2/4",
        "1/1",
        "0/1",
        "-1/3",
        "1/-3",
        "1/0",
        "1/",
        "/2",
        "1.5",
        "1e1",
        "0x10000000000000000",
        "-0x10000000000000000",
        "0x1",
        "0xffffffffffffffff",
        "18446744073709551615",
        "18446744073709551616",
        "1/18446744073709551617",
        "4294967296",
        "4294967297",
        "99999999999999999999999999999999",
        ">",
        "end",
        "states",
        "choices",
        "discounts",
        "",
    ];
    const PIECES: [&str; 16] =
        [" ", "  ", "\n", "\r\n", "\r", "\t", "\0", "é", "\u{85}", "\u{feff}", "end\n", " > ", "0", "-", "/", "x"];
    let at = random(bytes.len().max(1)).min(bytes.len());
    let is_apart = |byte: &u8| matches!(byte, b' ' | b'\n');
    match random(6) {
        0 if !bytes.is_empty() => bytes[at] = random(256) as u8,
        1 if !bytes.is_empty() => _ = bytes.remove(at),
        2 => _ = bytes.splice(at..at, PIECES[random(PIECES.len())].bytes()),
        3 => {
            // A whole word becomes another.
            let start = bytes[..at].iter().rposition(is_apart).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(is_apart).map_or(bytes.len(), |length| at + length);
            bytes.splice(start..end, WORDS[random(WORDS.len())].bytes());
        }
        4 => {
            // A line comes again, or goes.
            let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length + 1);
            let line = bytes[start..end].to_vec();
            let times = [0, 2][random(2)];
            bytes.splice(start..end, line.repeat(times));
        }
        _ => bytes.truncate(bytes.len() - random(8).min(bytes.len())),
    }
}
