//! Models: what is read, and what is refused with a reason. Nothing here may panic, whatever the bytes.

use commonweal_check::{WORK, canonical_form, check, hash};
use num_bigint::BigUint;

const HOTEL: &str = include_str!("../models/hotel.yaml");

fn form(model: &str) -> Result<String, String> {
    let bytes = canonical_form(model.as_bytes()).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(bytes.into_owned()).expect("ASCII"))
}

#[test]
fn every_notation_of_a_model_is_the_same_model() {
    let expected = "commonweal-model 1\ndiscounts 2/3 1/3\nstates 2\nchoices 2\n3 3 > 0 1\n-1 -1 > 1 1\nchoices 1\n6 6 > 1 1\nend\n";
    assert_eq!(form(HOTEL).as_deref(), Ok(expected));
    let same = [
        // JSON
        r#"{"start": "s0", "principals": {"alice": "2/3", "bob": {"discount": "1/3", "weight": 1}},
            "states": {"s0": {"a": {"reward": 3, "to": "s0"}, "b": {"reward": -1, "to": {"s1": 1}}},
                       "s1": {"b": {"to": "s1", "reward": {"bob": 6.0, "alice": "6"}}}}}"#,
        // Block style, comments, quotes, other orders of principals and keys
        "# a hotel\nstates:   # two\n  's0':\n    a:\n      to: s0\n      reward: 3e0\n    \"b\":\n      reward:\n        \
         alice: -1.0 # each\n        bob: -1\n      to:\n        s1: 1/1\n  s1: {b: {reward: 6, to: s1}}\n\n\
         principals:\n  bob: 2/6\n  alice: {discount: 4/6}\n",
        // Windows line ends, a byte order mark, weights, merged principals, escapes
        "\u{feff}principals: {x: {discount: 2/3, weight: 1/2}, y: {discount: 0.2e1/3, weight: 0.5}, \"\\u0062\": -1/-3}\r\n\
         states:\r\n  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: \"s\\u0031\"}}\r\n  s1: {b: {reward: 6, to: s1,},}\r\n",
    ];
    for model in same {
        assert_eq!(form(model).as_deref(), Ok(expected), "{model}");
    }
    assert_eq!(form(expected).as_deref(), Ok(expected));
    assert_eq!(hash(expected.as_bytes()), "f651d55cb83457e81fb61faa59129c369ccee32b56b57bcef432883b73884550");
}

#[test]
fn names_are_any_words() {
    let model = "principals: {no: 1/2}\nstates:\n  s 0: {'it''s': {to: on}, a:b: {to: s 0}}\n  on: {\"q\\\"\\\\\\n\": {to: 1}}\n  1: {x#y: {to: on}}\n";
    let expected = "commonweal-model 1\ndiscounts 1/2\nstates 3\nchoices 2\n0 > 1 1\n0 > 0 1\nchoices 1\n0 > 2 1\nchoices 1\n0 > 1 1\nend\n";
    assert_eq!(form(model).as_deref(), Ok(expected));
    let model =
        r#"{principals: {p: 1/2}, states: {"\t\r\n\/\"\\": {a: {to: "\u0009\u000d\u000a\u002F\u0022\u005c"}}}}"#;
    let expected = "commonweal-model 1\ndiscounts 1/2\nstates 1\nchoices 1\n0 > 0 1\nend\n";
    assert_eq!(form(model).as_deref(), Ok(expected));
}

/// Characters, not bytes; quotes and spaces before the colon count.
#[test]
fn a_key_has_at_most_so_many_characters() {
    let in_braces = |key: &str| {
        form(&format!("{{principals: {{p: 1/2}}, states: {{{key}: {{a: {{to: s}}}}, s: {{a: {{to: s}}}}}}}}"))
    };
    let on_a_line = |key: &str| {
        form(&format!("principals: {{p: 1/2}}\nstates:\n  {key}: {{a: {{to: s}}}}\n  s: {{a: {{to: s}}}}\n"))
    };
    for letter in ["k", "é"] {
        let plain = |length: usize| letter.repeat(length);
        let quoted = |length: usize| format!("'{}'", letter.repeat(length - 2));
        let spaced = |length: usize| format!("{} ", letter.repeat(length - 1));
        for key in [plain(1 << 16), quoted(1 << 16)] {
            assert!(in_braces(&key).is_ok() && on_a_line(&key).is_ok());
        }
        assert!(in_braces(&spaced(1 << 16)).is_ok());
        for key in [plain((1 << 16) + 1), quoted((1 << 16) + 1)] {
            let too_long =
                |read: Result<String, String>| read.is_err_and(|why| why.contains("longer than 2^16 characters"));
            assert!(too_long(in_braces(&key)) && too_long(on_a_line(&key)) && too_long(in_braces(&format!("{key} "))));
        }
        assert!(in_braces(&spaced((1 << 16) + 1)).is_err());
    }
    // Values have no such limit.
    let long = "n".repeat(1 << 17);
    let error = form(&format!("start: {long}\nprincipals: {{p: 1/2}}\nstates: {{s: {{a: {{to: s}}}}}}\n"))
        .expect_err("no such state");
    assert!(error.contains("there is no state"), "{error}");
}

/// A principal with weight 0 has no discount in the canonical form, unless it is the only one.
#[test]
fn who_has_weight_0_is_not_counted() {
    let hotel = form(HOTEL).expect("a model");
    let with = |principals: &str| form(&HOTEL.replacen("alice: 2/3, bob: 1/3", principals, 1)).expect("a model");
    let carol = |discount: &str| with(&format!("carol: {{discount: {discount}, weight: 0}}, bob: 1/3, alice: 2/3"));
    assert_eq!(["3/4", "2/3", "1/2", "1/3", "0"].map(carol), [0; 5].map(|_| hotel.clone()));
    let alone = with("bob: {discount: 1/3, weight: 0/7}, alice: {discount: 2/3, weight: -0}");
    let zeros = hotel.replace("3 3 >", "0 0 >").replace("-1 -1 >", "0 0 >").replace("6 6 >", "0 0 >");
    assert_eq!(alone, zeros);
}

#[test]
fn characters_of_every_script_are_read() {
    let model = "# \u{a0}\u{d7ff}\u{e000}\u{fefe}\u{ff00}\u{fffd}\u{10000}\u{10ffff}\t~\nprincipals: {p: 1/2}\nstates: {宿🏨: {\u{a0}: {to: '宿🏨'}}}\n";
    assert!(form(model).is_ok(), "{:?}", form(model));
}

#[test]
fn long_numbers_are_written_in_hexadecimal() {
    let model = "principals: {p: 1/2}\nstates: {s: {a: {reward: 36893488147419103232/3, to: s}}}\n";
    assert!(form(model).expect("a model").contains("\n0x20000000000000000/3 > 0 1\n"));
}

/// The canonical form of a reward that a model writes in this way.
fn reward(written: &str) -> Option<String> {
    let model = format!("principals: {{p: 1/2}}\nstates: {{s: {{a: {{reward: {written}, to: s}}}}}}\n");
    let form = form(&model).ok()?;
    Some(form.lines().nth(4).expect("a choice").strip_suffix(" > 0 1").expect("a row").to_owned())
}

#[test]
fn numbers_are_read_in_every_notation_up_to_their_limits() {
    let power_of_ten = |exponent: u32| num_traits::Pow::pow(BigUint::from(10u32), exponent);
    let ten_to_9_999 = format!("0x{}", power_of_ten(9_999).to_str_radix(16));
    let all_nines = BigUint::parse_bytes("9".repeat(10_000).as_bytes(), 10).expect("digits");
    for (written, expected) in [
        (".5", "1/2".to_owned()),
        ("5.", "5".to_owned()),
        ("-0.50", "-1/2".to_owned()),
        ("+2e+1", "20".to_owned()),
        ("25E-1", "5/2".to_owned()),
        ("1e0000000001", "10".to_owned()),
        ("0e2147483648", "0".to_owned()),
        ("0e-99999999999999999999", "0".to_owned()),
        ("1e9999", ten_to_9_999.clone()),
        ("-1e-9999", format!("-1/{ten_to_9_999}")),
        ("1e10000/1e1", ten_to_9_999.clone()),
        ("1e-10000/1e-10000", "1".to_owned()),
        (&"9".repeat(10_000), format!("0x{}", all_nines.to_str_radix(16))),
    ] {
        assert_eq!(reward(written), Some(expected), "{written}");
    }
    let digits = "1".repeat(10_001);
    let point = format!("{}.1", "1".repeat(10_000));
    for written in [
        "1e10000",
        "-1e10000",
        "1e-10000",
        "1e10001/1e10001",
        "1e-10001/1e-10001",
        "1e4294967296",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        &digits,
        &point,
        "9".repeat(30_000).as_str(),
    ] {
        assert_eq!(reward(written), None, "{written}");
    }
    for written in [
        ".", "e1", "1e", "1e+", "1e-", "1e+-1", "1e-+1", "1e1.0", "1e1_0", "1_0", "0x10", "1/0", "1/2/3", "--1", "+-1",
        "inf",
    ] {
        assert_eq!(reward(written), None, "{written}");
    }
}

/// 2^a/3^b has a + 1 and ⌊b log₂ 3⌋ + 1 bits.
#[test]
fn the_sum_of_rewards_has_at_most_so_many_bits() {
    let power = |base: u32, exponent: u32| num_traits::Pow::pow(BigUint::from(base), exponent);
    let below = power(3, 20_900);
    let written = |bits: u64| {
        let above = power(2, u32::try_from(bits - below.bits() - 1).expect("a short power"));
        assert_eq!(above.bits() + below.bits(), bits);
        format!("{above}/{below}")
    };
    assert!(reward(&written(1 << 16)).is_some());
    assert_eq!([(1 << 16) + 1, (1 << 16) + 2].map(|bits| reward(&written(bits))), [None, None]);
}

#[test]
fn mappings_in_each_other_have_a_limit_in_every_style() {
    let nested = |n_blocks: usize, n_flows: usize, between: &str| {
        let blocks: Vec<String> = (0..n_blocks).map(|level| format!("{}a:", " ".repeat(level))).collect();
        let flows = format!("{}1{}", "{a: ".repeat(n_flows), "}".repeat(n_flows));
        form(&format!("{}{between}{flows}", blocks.join("\n"))).expect_err("no model")
    };
    let on_a_new_line = format!("\n{}", " ".repeat(8));
    for n_blocks in 0..=7 {
        for between in [" ", on_a_new_line.as_str()] {
            let error = nested(n_blocks, 7 - n_blocks, between);
            // Below seven blocks, a number on a line of its own begins an eighth.
            let expected = if n_blocks == 7 && between != " " { "nested too deeply" } else { "unknown key `a`" };
            assert!(error.contains(expected), "{n_blocks}: {error}");
            let error = nested(n_blocks, 8 - n_blocks, between);
            assert!(error.contains("nested too deeply"), "{n_blocks}: {error}");
        }
    }
    assert!(nested(8, 0, " ").contains("nested too deeply"));
}

#[test]
fn a_complaint_names_line_and_column() {
    let error = form("principals: {p: 1/2}\nstates:\n  s: \t{a: {to: s}}\n").expect_err("a tab");
    assert!(error.starts_with("model: line 3, column 6: a tab; "), "{error}");
    let error = form("principals: {p: 1/2}\n[]: 1").expect_err("a sequence");
    assert!(error.starts_with("model: line 2, column 1: not a plain or quoted word; "), "{error}");
}

#[test]
fn what_the_subset_does_not_hold_is_left_to_convert() {
    let hotel = |from: &str, to: &str| {
        let changed = HOTEL.replacen(from, to, 1);
        assert_ne!(changed, HOTEL, "{from}");
        changed
    };
    let cases = [
        (hotel("alice: 2/3", "alice: &x 2/3"), "not a plain or quoted word"),
        (hotel("alice: 2/3", "alice: *x"), "not a plain or quoted word"),
        (hotel("alice: 2/3", "alice: !!str 2/3"), "not a plain or quoted word"),
        (hotel("start: s0", "start: |\n  s0"), "not a plain or quoted word"),
        (hotel("start: s0", "--- \nstart: s0"), "not a plain or quoted word"),
        (hotel("start: s0", "? start\n: s0"), "not a plain or quoted word"),
        (hotel("start: s0", "start: [s0]"), "start: expected a state"),
        (hotel("start: s0", "start: - s0"), "not a plain or quoted word"),
        (hotel("start: s0", "start: -"), "not a plain or quoted word"),
        (hotel("start: s0", "start: ?"), "not a plain or quoted word"),
        (hotel("start: s0", "start: : s0"), "not a plain or quoted word"),
        (hotel("start: s0", "start: s\u{7}0"), "U+0007, which has no place in YAML"),
        (hotel("start: s0", "..."), "not a plain or quoted word"),
        (hotel("to: s0}", ": s0}"), "not a plain or quoted word"),
        (hotel("start: s0", "start: \"s0\"# not a comment"), "not at the place of an entry"),
        (hotel("to: s0}", "to: \"s0\"# not a comment\n}"), "expected `,` or `}`"),
        (format!("{HOTEL}\r"), "a carriage return without a line feed"),
        (hotel("reward: 3, to", "reward: 3,\r to"), "a carriage return without a line feed"),
        (hotel("# The", "# The\r"), "line 1, column 6: a carriage return without a line feed"),
        (hotel("# The", "# \u{85}The"), "line 1, column 3: U+0085, a line's end in some YAML"),
        (hotel("# The", "# \u{2028}The"), "U+2028, a line's end in some YAML"),
        (hotel("# The", "# \u{2029}The"), "U+2029, a line's end in some YAML"),
        (hotel("# The", "# \u{7f}The"), "U+007F, which has no place in YAML"),
        (hotel("# The", "# \u{9f}The"), "U+009F, which has no place in YAML"),
        (hotel("# The", "# \u{b}The"), "U+000B, which has no place in YAML"),
        (hotel("# The", "# \u{feff}The"), "U+FEFF, which has no place in YAML"),
        (hotel("# The", "# \u{fffe}The"), "U+FFFE, which has no place in YAML"),
        (hotel("start: s0", "start: 's\u{2028}0'"), "line 2, column 10: U+2028"),
        (hotel("  s1:", "  <<: {a: {to: s0}}\n  s1:"), "a merge key"),
        (hotel("to: s0}", "to: {<<: 1}}"), "a merge key"),
        (hotel("start: s0", "\"start\":s0"), "expected a space behind the colon"),
        (hotel("start: s0", "'start' : s0"), "expected a key and `:`"),
        (hotel("to: s0}", "to:{s0: 1}}"), "expected a space behind the colon"),
        (hotel("to: s0}", "\"to\" :s0}"), "expected a space behind the colon"),
        (hotel("to: s0}", "to\n : s0}"), "expected a key and `:`"),
        (hotel("to: s0}", "'to'\n : s0}"), "expected a key and `:`"),
        (hotel("{alice: 2/3, bob: 1/3}", "\n{alice: 2/3, bob: 1/3}"), "a value is missing"),
        (hotel("{reward: 3, to: s0}\n    b", "\n      {reward: 3, to: s0\n   }b"), "not at the place of an entry"),
        (hotel("{reward: 3, to: s0}\n    b", "\n      {reward: 3, to: s0\n }b"), "not at the place of an entry"),
        (hotel("  s0:\n", "\ts0:\n"), "a tab"),
        (hotel("start: s0", "start: \"s0"), "does not end on its line"),
        (hotel("start: s0", "start: 's0"), "does not end on its line"),
        (hotel("start: s0", "start: \"s0\n \""), "does not end on its line"),
        (hotel("start: s0", "start: 's0\n '"), "does not end on its line"),
        (hotel("start: s0", "start: \"\\x41\""), "an escape"),
        (hotel("start: s0", "start: \"\\u+041\""), "an escape"),
        (hotel("start: s0", "start:"), "expected a mapping"),
        (hotel("start: s0", "start: s0 s1: x"), "not at the place of an entry"),
        (hotel("start: s0", "start: s0\n   again: s0"), "not at the place of an entry"),
        (hotel("  s1:\n", " s1:\n"), "not at the place of an entry"),
        (hotel("to: s0}", "to: s0"), "expected `,` or `}`"),
        (hotel("{alice: 2/3, bob: 1/3}", "{alice: 2/3, bob: 1/3}}"), "not at the place of an entry"),
        (hotel("{reward: 3, to: s0}", "{reward: {a: {b: {c: {d: {e: 1}}}}}}"), "nested too deeply"),
        (String::new(), "the file is empty"),
        ("# nothing\n".to_owned(), "the file is empty"),
        ("a: b\n}".to_owned(), "not a plain or quoted word"),
        ("a:\nb: 1".to_owned(), "a value is missing"),
        ("a:".to_owned(), "not a plain or quoted word"),
        ("{a: 1} b".to_owned(), "not part of the model"),
    ];
    for (model, expected) in cases {
        let error = form(&model).expect_err(&model);
        // An empty `start` takes what follows as its value, which the next reader refuses.
        assert!(error.contains(expected) || expected == "expected a mapping", "{error}\n{model}");
    }
}

#[test]
fn files_of_other_tools_are_sent_to_convert() {
    let archive = [&b"index.json"[..], &[0; 502]].concat();
    for model in [&b"\x1f\x8b\x08"[..], b"// Exported by storm\n@type: MDP\n", b"\n@type: MDP\n", &archive, b"a: \xff"]
    {
        let error = canonical_form(model).expect_err("no model").to_string();
        assert!(error.contains("convert it first: commonweal convert MODEL model.canonical"), "{error}");
    }
}

#[test]
fn what_is_no_model_is_refused() {
    let hotel = |from: &str, to: &str| HOTEL.replacen(from, to, 1);
    let cases = [
        (hotel("start: s0", "start: s9"), "there is no state `s9`"),
        (hotel("start: s0", "start: {s0: 1}"), "start: expected a state"),
        (hotel("start: s0", "begin: s0"), "unknown key `begin`"),
        (hotel("principals", "people"), "unknown key `people`"),
        ("start: s\nstates: {s: {a: {to: s}}}\n".to_owned(), "there are no `principals`"),
        ("principals: {p: 1/2}\n".to_owned(), "there are no `states`"),
        (hotel("bob: 1/3", "alice: 1/3"), "`alice` stands there twice"),
        (hotel("  s1:", "  s0:"), "`s0` stands there twice"),
        (hotel("reward: 3, to: s0", "reward: 3"), "`to` is missing"),
        (hotel("to: s0}", "to: s2}"), "there is no state `s2`"),
        (hotel("to: s0}", "to: {s0: x}}"), "`x` is not a number"),
        (hotel("reward: 3", "reward: {carol: 3}"), "there is no principal `carol`"),
        (hotel("reward: 3", "prize: 3"), "unknown key `prize`"),
        (hotel("2/3", "2/0"), "`2/0` is not a number"),
        (hotel("2/3", "{weight: 2}"), "alice: expected one time preference"),
        (hotel("2/3", "{discount: 1, weight: 0}"), "alice: a discount is within [0, 1)"),
        (hotel("2/3", "{discount: -1/9, weight: 0}"), "alice: a discount is within [0, 1)"),
        (hotel("2/3", "{discount: {a: 1}}"), "expected a number"),
        (hotel("reward: 3", "reward: 1e10001"), "is not a number"),
        (hotel("reward: 3", "reward: 1e99999999999"), "is not a number"),
        (hotel("reward: 3", "reward: ."), "is not a number"),
        (hotel("reward: 3", "reward: 1_000"), "is not a number"),
        (hotel("reward: 3", "reward: 1e"), "is not a number"),
        (hotel("reward: 3", "reward: --1"), "is not a number"),
        ("principals: x\nstates: {s: {a: {to: s}}}\n".to_owned(), "principals: expected a mapping"),
        (hotel("reward: 3", &format!("reward: {}", "1".repeat(10_001))), "is not a number"),
    ];
    for (model, expected) in cases {
        let error = form(&model).expect_err(&model);
        assert!(error.contains(expected), "{error}\n{model}");
    }
    // Well-formed YAML that is not a valid model: the reader of the canonical form refuses it.
    for (from, to, expected) in [
        ("2/3", "1", "within [0, 1)"),
        ("2/3", "-1/3", "within [0, 1)"),
        ("to: s0}", "to: {s0: 1/2}}", "sum 1"),
        ("to: s0}", "to: {s0: 2, s1: -1}}", "sum 1"),
        ("{reward: 6, to: s1}", "{reward: 6, to: {}}", "sum 1"),
    ] {
        let error = check(hotel(from, to).as_bytes(), &b""[..], WORK).expect_err(to).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_canonical_form_is_read_to_the_letter() {
    let good = form(HOTEL).expect("a model");
    let cases = [
        ("discounts 2/3 1/3", "discounts 1/3 2/3"),
        ("discounts 2/3 1/3", "discounts 2/3 2/3"),
        ("discounts 2/3 1/3", "discounts 4/6 1/3"),
        ("discounts 2/3 1/3", "discounts 2/3 -1/3"),
        ("discounts 2/3 1/3", "discounts 1 1/3"),
        ("discounts 2/3 1/3", "discounts"),
        ("discounts 2/3 1/3", "discounts 2/3  1/3"),
        ("states 2", "states 3"),
        ("states 2", "states 1"),
        ("states 2\nchoices 2\n3 3 > 0 1\n-1 -1 > 1 1\nchoices 1\n6 6 > 1 1\n", "states 0\n"),
        ("choices 1\n6 6 > 1 1", "choices 0"),
        ("choices 2", "choices 3"),
        ("choices 2", "choices 02"),
        ("3 3 > 0 1", "3 3 > 0 1/2"),
        ("3 3 > 0 1", "3 3 > 0 1/2 0 1/2"),
        ("3 3 > 0 1", "3 3 > 1 1/2 0 1/2"),
        ("3 3 > 0 1", "3 3 > 0 2/4 1 1/2"),
        ("3 3 > 0 1", "3 3 > 0 3/2 1 -1/2"),
        ("3 3 > 0 1", "3 3 > 0 0 1 1"),
        ("3 3 > 0 1", "3 3 > 2 1"),
        ("3 3 > 0 1", "3 3 > 0"),
        ("3 3 > 0 1", "3 > 0 1"),
        ("3 3 > 0 1", "3 3 3 > 0 1"),
        ("3 3 > 0 1", "3 3 0 1"),
        ("3 3 > 0 1", "3 3.0 > 0 1"),
        ("3 3 > 0 1", "3 3/1 > 0 1"),
        ("3 3 > 0 1", " 3 3 > 0 1"),
        ("end\n", ""),
        ("end\n", "end"),
        ("end\n", "end\n\n"),
    ];
    for (from, to) in cases {
        let model = good.replacen(from, to, 1);
        assert_ne!(model, good, "{from}");
        let error = check(model.as_bytes(), &b"nothing"[..], WORK).expect_err(&model).to_string();
        assert!(error.starts_with("model: "), "{error}\n{model}");
    }
    let error = check(good.as_bytes(), &b"nothing\n"[..], WORK).expect_err("no certificate").to_string();
    assert!(error.starts_with("certificate: line 1: expected"), "{error}");
    // Sums with a common denominator that is too long are not computed.
    let denominators = |count: u32| (0..count).map(|k| format!("{k} 1/{}", 2 * k + 3)).collect::<Vec<_>>().join(" ");
    let model = good.replacen("3 3 > 0 1", &format!("3 3 > {}", denominators(100_000)), 1).replacen(
        "states 2",
        "states 200000",
        1,
    );
    assert!(check(model.as_bytes(), &b""[..], WORK).is_err());
}

#[test]
fn segments_of_a_canonical_form_are_read_to_the_letter() {
    let good = "commonweal-model 1\nrewards 1\nsegment 0 0\npart 1/2 1\npart 0 1\nsegment 3 2\npart 2/3 1/8\n\
                states 1\nchoices 1\n1 > 0 1\nend\n";
    let refusal = |model: &str| check(model.as_bytes(), &b"nothing\n"[..], WORK).expect_err(model).to_string();
    assert!(refusal(good).starts_with("certificate: "), "{}", refusal(good));
    let order = "the segments do not begin one after the other";
    for (from, to, expected) in [
        ("segment 3 2", "segment 0 0", order),
        ("segment 0 0", "segment 1 1", order),
        ("segment 0 0", "segment 0 1", order),
        ("segment 3 2", "segment 3 4", order),
        ("segment 3 2", "segment 3", "expected `segment` and two steps"),
        ("segment 3 2\npart 2/3 1/8\n", "", "there are two segments at least"),
        ("part 1/2 1\npart 0 1", "part 0 1", "the first part of a segment has a discount above 0"),
        ("part 2/3 1/8", "part 2/3", "a discount and a number for each reward"),
        ("part 2/3 1/8", "part 2/3 1/8 1", "a discount and a number for each reward"),
        ("part 1/2 1\npart 0 1", "part 0 1\npart 1/2 1", "discounts"),
        ("part 2/3 1/8", "part 1 1/8", "discounts"),
        ("part 2/3 1/8\n", "", ""),
    ] {
        let error = refusal(&good.replacen(from, to, 1));
        assert!(error.starts_with("model: ") && error.contains(expected), "{to}: {error}");
    }
}

/// Probabilities 1/(5q) and (q − 1)/(5q) for five numbers q without common factors: a sum of 1 over 5 times all of them. One is a power of 2, so
/// that the length is what the test wants.
#[test]
fn the_common_denominator_of_a_row_has_a_limit() {
    let power = |base: u32, exponent: u32| num_traits::Pow::pow(BigUint::from(base), exponent);
    let others = [power(3, 41_342), power(7, 23_342), power(17, 16_031), power(13, 69)];
    let of_others = others.iter().fold(BigUint::from(5u32), |product, q| product * q);
    let fraction = |p: BigUint, q: &BigUint| format!("0x{}/0x{}", p.to_str_radix(16), q.to_str_radix(16));
    let written = |p: &BigUint, q: &BigUint| {
        if p.bits() <= 64 { format!("{p}/0x{}", q.to_str_radix(16)) } else { fraction(p.clone(), q) }
    };
    let verdict = |bits: u64| {
        let two = power(2, u32::try_from(bits - of_others.bits()).expect("a short power"));
        let mut words = Vec::new();
        for q in others.iter().chain([&two]) {
            let (below, one) = (q * 5u32, BigUint::from(1u32));
            for p in [one.clone(), q - one] {
                assert!(num_integer::Integer::gcd(&p, &below) == BigUint::from(1u32), "in lowest terms");
                words.push(format!("{} {}", words.len(), written(&p, &below)));
            }
        }
        let end = "choices 1\n0 > 0 1\n".repeat(9);
        let text =
            format!("commonweal-model 1\ndiscounts 1/2\nstates 10\nchoices 1\n0 > {}\n{end}end\n", words.join(" "));
        check(text.as_bytes(), &b"nothing\n"[..], WORK).expect_err("no certificate").to_string()
    };
    assert!(verdict(1 << 18).starts_with("certificate: "), "{}", &verdict(1 << 18)[..60]);
    assert!(verdict((1 << 18) + 1).starts_with("model: line 5: "), "{}", &verdict((1 << 18) + 1)[..60]);
}

/// Every model and certificate of the folders, damaged in a thousand ways: no panic, and no damage that changes the claim
/// is accepted.
#[test]
fn damaged_files_do_not_break_the_checker() {
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for name in [
        "hotel--exact",
        "hotel--bounds",
        "spaced--stages",
        "first-step--bounds",
        "plan--exact",
        "plan--bounds",
        "ties--exact",
        "returns--stages",
    ] {
        let certificate = std::fs::read(folder.join(format!("accepted/{name}.cert"))).expect("a certificate");
        let model = name.split("--").next().expect("a model");
        let model = std::fs::read(folder.join(format!("models/{model}.yaml"))).expect("a model");
        for round in 0..300 {
            let (mut model, mut certificate) = (model.clone(), certificate.clone());
            let damaged = if round % 4 == 0 { &mut model } else { &mut certificate };
            for _ in 0..=random(3) {
                let (at, other) = (random(damaged.len()), random(damaged.len()));
                match random(5) {
                    0 => damaged[at] = random(256) as u8,
                    1 => damaged.truncate(at.max(1)),
                    2 => damaged.insert(at, b"0123456789 \n-/x{}:#"[random(19)]),
                    3 => _ = damaged.remove(at),
                    _ => damaged.swap(at, other),
                }
                if damaged.is_empty() {
                    damaged.push(b'\n');
                }
            }
            // A small limit on the work: nothing may hang either.
            let _ = check(&model, certificate.as_slice(), 50_000_000);
        }
    }
}
