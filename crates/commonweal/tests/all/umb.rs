//! UMB archives: valid ones are read, and invalid ones are refused with a message.

use crate::archive::{Archive, doubles, header, words};
use commonweal::internals::io::{Discounts, ReadError, ReadOptions, read_model, read_umb, umb_overview, write_umb};
use commonweal::internals::model::{Mdp, StateId};
use commonweal::internals::number::{ModelNumber, Rational, parse_rational};

const HOTEL: &str = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: {s0: 1/3, s1: 2/3}}, b: {reward: {alice: -1}, to: s1}}
  s1: {b: {reward: 6, to: s1}}
";
const PROBABILITIES: &str = "branch-to-probability.bin";
const ALICE: &str = "annotations/rewards/alice/choices/values.bin";

fn read<N: ModelNumber>(bytes: &[u8]) -> Result<Mdp<N>, ReadError> {
    let mut options = ReadOptions::new(Discounts::Unspecified);
    options.bytes = Some(bytes.len() as u64);
    read_umb(bytes, &options).map(|loaded| loaded.model)
}

fn exact() -> Archive {
    let mut bytes = Vec::new();
    write_umb(&read_model(HOTEL).unwrap(), &mut bytes).unwrap();
    Archive::unpack(&bytes)
}

fn in_doubles() -> Archive {
    let mut bytes = Vec::new();
    write_umb(&read_model(HOTEL).unwrap().to_doubles().unwrap(), &mut bytes).unwrap();
    Archive::unpack(&bytes)
}

fn fraction(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

#[test]
fn an_archive_holds_the_arrays_of_the_model() {
    let mut archive = exact();
    assert_eq!(archive.0[0].0, "index.json");
    assert_eq!(*archive.file("state-to-choices.bin"), words(&[0, 2, 3]));
    assert_eq!(*archive.file("choice-to-branches.bin"), words(&[0, 2, 3, 4]));
    assert_eq!(*archive.file("branch-to-target.bin"), words(&[0, 1, 1, 1]));
    assert_eq!(*archive.file(PROBABILITIES), words(&[1, 3, 2, 3, 1, 1, 1, 1]));
    assert_eq!(*archive.file("state-is-initial.bin"), words(&[1]));
    assert_eq!(*archive.file("actions/choices/values.bin"), [0u32, 1, 1].map(u32::to_le_bytes).concat());
    assert_eq!(*archive.file("actions/choices/strings.bin"), b"ab");
    assert_eq!(*archive.file(ALICE), words(&[3, 1, (-1i64) as u64, 1, 6, 1]));
    assert_eq!(*in_doubles().file(ALICE), doubles(&[3.0, -1.0, 6.0]));
    assert_eq!(*in_doubles().file(PROBABILITIES), doubles(&[1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]));
    let overview = umb_overview(&exact().pack()[..]).unwrap();
    assert_eq!((overview.states, overview.choices, overview.transitions, overview.exact), (2, Some(3), Some(4), true));
    assert!(!umb_overview(&in_doubles().pack()[..]).unwrap().exact);
}

#[test]
fn what_may_be_left_out_is_filled_in() {
    // A chain of two states: one choice each, one branch each.
    let mut archive = in_doubles();
    archive.edit("\"#players\": 1", "\"#players\": 0");
    archive.edit("\"#choices\": 3", "\"#choices\": 2");
    archive.edit("\"#branches\": 4", "\"#branches\": 2");
    archive.edit("\"#choice-actions\": 2", "\"#choice-actions\": 0");
    archive.remove("state-to-choices.bin");
    archive.remove("choice-to-branches.bin");
    archive.0.retain(|(name, _)| !name.starts_with("actions/"));
    *archive.file("branch-to-target.bin") = words(&[1, 0]);
    *archive.file(PROBABILITIES) = doubles(&[1.0, 1.0]);
    *archive.file("annotations/rewards/bob/choices/values.bin") = doubles(&[5.0, 7.0]);
    archive.edit("\"choices\"\n        ]", "\"states\", \"choices\"\n        ]");
    archive.remove(ALICE);
    archive.0.push(("annotations/rewards/alice/states/values.bin".into(), doubles(&[1.0, 2.0])));
    let model: Mdp<f64> = read(&archive.pack()).unwrap();
    assert_eq!((model.n_states(), model.n_choices(), model.n_transitions()), (2, 2, 2));
    assert_eq!((model.targets(0.into()), model.targets(1.into())), (&[StateId::from(1)][..], &[StateId::from(0)][..]));
    // Alice's rewards of choices are absent, which makes them 0.
    assert_eq!((model.rewards(0.into()), model.rewards(1.into())), (&[1.0, 5.0][..], &[2.0, 7.0][..]));
    assert_eq!(model.action_name(1.into()), "0");
    // Without probabilities every branch is certain.
    archive.remove(PROBABILITIES);
    let index = String::from_utf8(archive.file("index.json").clone()).unwrap();
    let mut index: serde_json::Value = serde_json::from_str(&index).unwrap();
    index["transition-system"].as_object_mut().unwrap().remove("branch-probability-type");
    *archive.file("index.json") = index.to_string().into_bytes();
    assert_eq!(read::<f64>(&archive.pack()).unwrap(), model);
}

#[test]
fn rewards_of_states_choices_and_branches_add_up() {
    let mut archive = in_doubles();
    archive.edit("\"choices\"\n        ]", "\"states\", \"choices\", \"branches\"\n        ]");
    archive.0.push(("annotations/rewards/alice/states/values.bin".into(), doubles(&[10.0, 20.0])));
    archive.0.push(("annotations/rewards/alice/branches/values.bin".into(), doubles(&[3.0, 6.0, 0.5, 0.0])));
    *archive.file(PROBABILITIES) = doubles(&[0.25, 0.75, 1.0, 1.0]);
    let model: Mdp = read(&archive.pack()).unwrap();
    // 3 + 10 + 3/4 + 18/4, then −1 + 10 + 1/2, then 6 + 20.
    let expected = [fraction("18.25"), fraction("9.5"), fraction("26")];
    let alice: Vec<Rational> = (0..3).map(|choice| model.rewards(choice.into())[0].clone()).collect();
    assert_eq!(alice, expected);
    let model: Mdp<f64> = read(&archive.pack()).unwrap();
    assert_eq!([0, 1, 2].map(|choice: usize| model.rewards(choice.into())[0]), [18.25, 9.5, 26.0]);
}

#[test]
fn an_expected_reward_is_rounded_once() {
    // Thirds as fractions, rewards as doubles: 1/3 · 0.1 + 2/3 · 0.7, exactly, and then the nearest double.
    let mut archive = exact();
    archive.edit("\"choices\"\n        ]", "\"branches\"\n        ]");
    archive.edit("\"rational\",\n          \"size\": 128", "\"double\",\n          \"size\": 64");
    archive.remove(ALICE);
    archive.0.push(("annotations/rewards/alice/branches/values.bin".into(), doubles(&[0.1, 0.7, 0.0, 0.0])));
    let exact: Mdp = read(&archive.pack()).unwrap();
    let double = |x: f64| Rational::try_from(x).unwrap();
    let expected = fraction("1/3") * double(0.1) + fraction("2/3") * double(0.7);
    assert_eq!(exact.rewards(0.into())[0], expected);
    let model: Mdp<f64> = read(&archive.pack()).unwrap();
    assert_eq!(model.rewards(0.into())[0], exact.to_doubles().unwrap().rewards(0.into())[0]);
}

#[test]
fn branches_to_one_state_are_one_transition() {
    let mut archive = in_doubles();
    *archive.file("branch-to-target.bin") = words(&[1, 1, 1, 1]);
    *archive.file(PROBABILITIES) = doubles(&[0.1, 0.9, 1.0, 1.0]);
    let model: Mdp<f64> = read(&archive.pack()).unwrap();
    assert_eq!((model.n_transitions(), model.probabilities(0.into())), (3, &[1.0][..]));
    assert_eq!(model.targets(2.into()), [StateId::from(1)]);
    // A probability of 0 is no transition.
    *archive.file(PROBABILITIES) = doubles(&[0.0, 1.0, 1.0, 1.0]);
    *archive.file("branch-to-target.bin") = words(&[0, 1, 1, 1]);
    let model: Mdp = read(&archive.pack()).unwrap();
    assert_eq!((model.n_transitions(), model.targets(0.into())), (3, &[StateId::from(1)][..]));
}

#[test]
fn the_order_and_the_names_of_files_do_not_matter() {
    let expected: Mdp = read(&exact().pack()).unwrap();
    let mut archive = exact();
    archive.0.reverse();
    assert_eq!(read::<Rational>(&archive.pack()).unwrap(), expected);
    // Names with a dot and a slash before them, in a folder that has an entry of its own, and under an attribute.
    let mut bytes = header("actions/", 0, b'5');
    for (index, (name, contents)) in exact().0.iter().enumerate() {
        match index % 3 {
            0 => bytes.extend(header(&format!("./{name}"), contents.len(), b'0')),
            1 => {
                let record = format!("path={name}\n");
                let record = format!("{} {record}", record.len() + 3);
                bytes.extend(header("attributes", record.len(), b'x'));
                bytes.extend(record.as_bytes());
                bytes.resize(bytes.len().next_multiple_of(512), 0);
                bytes.extend(header("short", contents.len(), b'0'));
            }
            _ => {
                bytes.extend(header("long", name.len() + 1, b'L'));
                bytes.extend(name.as_bytes());
                bytes.resize(bytes.len().next_multiple_of(512).max(bytes.len() + 1).next_multiple_of(512), 0);
                bytes.extend(header("short", contents.len(), 0));
            }
        }
        bytes.extend(contents);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    assert_eq!(read::<Rational>(&bytes).unwrap(), expected);
}

#[test]
fn fractions_and_integers_of_other_sizes_are_read() {
    let mut archive = exact();
    archive.edit("\"rational\",\n          \"size\": 128", "\"rational\",\n          \"size\": 16");
    *archive.file(ALICE) = vec![3, 1, 0xff, 2, 0x80, 0xff];
    let model: Mdp = read(&archive.pack()).unwrap();
    let alice = |model: &Mdp| [0, 1, 2].map(|choice: usize| model.rewards(choice.into())[0].clone());
    assert_eq!(alice(&model), [fraction("3"), fraction("-1/2"), fraction("-128/255")]);
    archive.edit("\"rational\",\n          \"size\": 16", "\"int\",\n          \"size\": 64");
    *archive.file(ALICE) = words(&[3, u64::MAX, 1 << 63]);
    let model: Mdp = read(&archive.pack()).unwrap();
    assert_eq!(alice(&model), [fraction("3"), fraction("-1"), fraction("-9223372036854775808")]);
}

/// An archive with one thing wrong, and words of the message.
type Case = (fn(&mut Archive), &'static [&'static str]);

#[test]
fn every_bad_archive_gets_a_message_that_names_the_file_in_it() {
    let cases: &[Case] = &[
        (|a| a.0.clear(), &["the archive has no `index.json`"]),
        (|a| a.remove("index.json"), &["the archive has no `index.json`"]),
        (|a| *a.file("index.json") = b"{".to_vec(), &["index.json: ", "line 1"]),
        (|a| *a.file("index.json") = b"[]".to_vec(), &["index.json: "]),
        (|a| *a.file("index.json") = vec![0xff; 9], &["index.json: "]),
        (|a| *a.file("index.json") = "[".repeat(100_000).into(), &["index.json: "]),
        (|a| a.edit("\"#states\": 2,", ""), &["index.json: ", "#states"]),
        (|a| a.edit("\"#states\": 2", "\"#states\": -2"), &["index.json: "]),
        (|a| a.edit("\"#states\": 2", "\"#states\": 0"), &["index.json: ", "no states"]),
        (|a| a.edit("\"#states\": 2", "\"#states\": 1000000000000"), &["1000000000000 states"]),
        (|a| a.edit("\"#states\": 2", "\"#states\": 3"), &["state-to-choices.bin: ", "24 bytes, not 32"]),
        (|a| a.edit("\"#states\": 2", "\"#states\": 4"), &["index.json: ", "3 choices are too few for 4 states"]),
        (|a| a.edit("\"#branches\": 4", "\"#branches\": 2"), &["2 branches are too few for 3 choices"]),
        (|a| a.edit("\"#branches\": 4", "\"#branches\": 4000000000"), &["choice-to-branches.bin: ", "4000000000"]),
        (|a| a.edit("\"format-version\": 1", "\"format-version\": 2"), &["version 2", "reads version 1"]),
        (|a| a.edit("\"discrete\"", "\"stochastic\""), &["time is `stochastic`", "`discrete`"]),
        (|a| a.edit("\"#players\": 1", "\"#players\": 2"), &["game of 2 players"]),
        (|a| a.edit("\"#observations\": 0", "\"#observations\": 5"), &["does not see the state"]),
        (|a| a.edit("\"rational\"", "\"rational-interval\""), &["the type of", "`rational-interval` of 128 bits"]),
        (|a| a.edit("\"size\": 128", "\"size\": 24"), &["of 24 bits", "multiple of 16"]),
        (|a| a.edit("\"alias\": \"bob\"", "\"alias\": \"alice\""), &["two reward structures called `alice`"]),
        (|a| a.edit("\"choices\"\n        ]", "\"players\"\n        ]"), &["`alice` belongs to `players`"]),
        (|a| a.edit("\"alias\": \"bob\"", "\"probability-type\": {\"type\": \"double\"}"), &["`bob` is random"]),
        (|a| a.remove("state-to-choices.bin"), &["the archive has no `state-to-choices.bin`"]),
        (|a| a.remove("choice-to-branches.bin"), &["the archive has no `choice-to-branches.bin`"]),
        (|a| a.remove("branch-to-target.bin"), &["the archive has no `branch-to-target.bin`"]),
        (|a| a.remove(PROBABILITIES), &["the archive has no `branch-to-probability.bin`"]),
        (|a| a.remove("actions/choices/strings.bin"), &["the archive has no `actions/choices/strings.bin`"]),
        (|a| a.remove(ALICE), &["annotations/rewards/alice: ", "`alice` has no values"]),
        (|a| a.remove("state-is-initial.bin"), &["no state is initial"]),
        (|a| *a.file("state-is-initial.bin") = words(&[3]), &["2 states are initial"]),
        (|a| *a.file("state-is-initial.bin") = words(&[1, 0]), &["state-is-initial.bin: ", "16 bytes, not the 8"]),
        (|a| *a.file("state-to-choices.bin") = words(&[0, 0, 3]), &["state 0 has no choice"]),
        (|a| *a.file("state-to-choices.bin") = words(&[1, 2, 3]), &["the first offset is 1, not 0"]),
        (|a| *a.file("state-to-choices.bin") = words(&[0, 4, 3]), &["offset 1 is 4"]),
        (|a| *a.file("choice-to-branches.bin") = words(&[0, 3, 2, 4]), &["offset 2 is 2, below the one before it, 3"]),
        (|a| *a.file("choice-to-branches.bin") = words(&[0, 1, 2, 3]), &["offset 3 is 3, where the last should be 4"]),
        (
            |a| *a.file("choice-to-branches.bin") = words(&[0, 2, 2, 4]),
            &["state 0, choice 1 (`b`): there is no transition"],
        ),
        (|a| *a.file("branch-to-target.bin") = words(&[0, 1, 2, 1]), &["entry 2 is 2, but there are only 2 states"]),
        (|a| *a.file("branch-to-target.bin") = words(&[0, u64::MAX, 1, 1]), &["entry 1 is 18446744073709551615"]),
        (|a| *a.file(PROBABILITIES) = words(&[1, 3, 2, 0, 1, 1, 1, 1]), &["entry 1 is not a number"]),
        (
            |a| *a.file(PROBABILITIES) = words(&[1, 3, 1, 3, 1, 1, 1, 1]),
            &["choice 0 (`a`): the probabilities sum to 2/3, not 1"],
        ),
        (|a| *a.file(PROBABILITIES) = words(&[4, 3, u64::MAX, 3, 1, 1, 1, 1]), &["a probability is negative"]),
        (|a| *a.file(PROBABILITIES) = words(&[1, 3]), &["16 bytes, not 64: 4 entries of 16"]),
        (|a| *a.file(ALICE) = words(&[1, 1]), &["annotations/rewards/alice/choices/values.bin: ", "16 bytes, not 48"]),
        (|a| *a.file("actions/choices/values.bin") = vec![9; 12], &["there are only 2 actions"]),
        (|a| *a.file("actions/choices/string-mapping.bin") = words(&[0, 1, 9]), &["string-mapping.bin: ", "action 1"]),
        (|a| *a.file("actions/choices/string-mapping.bin") = words(&[0, 2, 1]), &["action 1 is not in `strings.bin`"]),
        (
            |a| *a.file("actions/choices/strings.bin") = vec![0xff, b'b'],
            &["action 0 is not in `strings.bin`, or not UTF-8"],
        ),
        (|a| a.0.push(("branch-to-target.bin".into(), words(&[0, 1, 1, 1]))), &["the archive has this file twice"]),
    ];
    for (case, (spoil, expected)) in cases.iter().enumerate() {
        let mut archive = exact();
        spoil(&mut archive);
        let error = read::<Rational>(&archive.pack()).expect_err(&format!("case {case}: {expected:?}"));
        let rendered = error.render("model.umb");
        assert!(rendered.starts_with("model.umb: "), "{rendered}");
        for words in *expected {
            assert!(rendered.contains(words), "case {case}: no `{words}` in {rendered}");
        }
        let in_doubles = read::<f64>(&archive.pack()).expect_err("refused in doubles too").render("model.umb");
        assert!(in_doubles == rendered || rendered.contains("sum to"), "{in_doubles}{rendered}");
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut archive = in_doubles();
        *archive.file(PROBABILITIES) = doubles(&[0.5, bad, 1.0, 1.0]);
        let message = read::<f64>(&archive.pack()).unwrap_err().to_string();
        assert_eq!(message, "branch-to-probability.bin: entry 1 is not a number");
        let mut archive = in_doubles();
        *archive.file(ALICE) = doubles(&[0.5, 1.0, bad]);
        assert!(read::<Rational>(&archive.pack()).unwrap_err().to_string().ends_with("entry 2 is not a number"));
    }
}

#[test]
fn what_is_no_archive_is_refused() {
    let message = |bytes: &[u8]| read::<f64>(bytes).unwrap_err().to_string();
    assert!(message(b"").contains("ends in the middle"));
    assert!(message(&[7; 2000]).contains("not a tar archive"));
    assert!(message(b"@type: MDP\n").contains("ends in the middle"));
    assert!(
        message(b"\x1f\x8b\x08\0").contains("cannot be read")
            || message(b"\x1f\x8b\x08\0").contains("ends in the middle")
    );
    assert!(message(b"\xfd7zXZ\0junk junk junk").contains("cannot be read"));
    let whole = exact().pack();
    assert!(message(&whole[..700]).contains("ends in the middle"));
    // Cut between two files, it looks whole but for its end.
    assert!((0..whole.len() - 1024).step_by(512).all(|end| message(&whole[..end]).contains("ends in the middle")));
    // A name of a gigabyte takes no memory.
    assert!(message(&header("name", 1 << 30, b'L')).contains("not a tar archive"));
}

/// The hotel, whose states have these variables and these packed values.
fn with_valuations(classes: &str, values: &[u8]) -> Archive {
    let mut archive = exact();
    let mut index: serde_json::Value = serde_json::from_slice(archive.file("index.json")).unwrap();
    let classes: serde_json::Value = serde_json::from_str(classes).unwrap();
    index["valuations"] = serde_json::json!({"states": {"unique": true, "classes": classes}});
    *archive.file("index.json") = index.to_string().into_bytes();
    archive.0.push(("valuations/states/valuations.bin".into(), values.to_vec()));
    archive
}

fn names(archive: &Archive) -> [String; 2] {
    let model: Mdp = read(&archive.pack()).unwrap();
    [0, 1].map(|state: usize| model.state_name(state.into()).into_owned())
}

/// The example of the format's specification: 88 bits with a gap, an optional variable and a text.
const PACKED: &str = r#"[{"variables": [
    {"name": "v0", "type": {"type": "bool", "size": 2}}, {"name": "v1", "type": {"type": "uint", "size": 6}, "is-optional": true},
    {"padding": 5}, {"name": "v2", "type": {"type": "string", "size": 64}}, {"name": "v3", "type": {"type": "bool", "size": 3}},
    {"padding": 7}]}]"#;

#[test]
fn the_variables_of_a_state_are_its_name() {
    // Worked out by hand from the bits: first, then the same without the optional value and with another text. The flag of an
    // optional value comes before it, as the specification's text and umbi have it; its example has it after.
    let first = [0b01101101, 0b01000001, 0, 0, 0, 0, 0, 0, 0, 0b01000000, 0];
    let second = [0b01101000, 0b10000000, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut archive = with_valuations(PACKED, &[first, second].concat());
    archive.0.push(("valuations/states/string-mapping.bin".into(), words(&[0, 3, 5, 6])));
    archive.0.push(("valuations/states/strings.bin".into(), b"xyzabc".to_vec()));
    assert_eq!(names(&archive), ["v0 & v1=45 & v2=ab & v3", "!v0 & v2=c & !v3"]);
    // The same files, the index last.
    archive.0.rotate_left(1);
    assert_eq!(names(&archive), ["v0 & v1=45 & v2=ab & v3", "!v0 & v2=c & !v3"]);
    // Signs and offsets: the bytes 184 and −16897 as the specification has them, and the extremes.
    let signed = r#"[{"variables": [{"name": "u", "type": {"type": "uint", "size": 8}, "offset": -128},
        {"name": "i", "type": {"type": "int", "size": 16}}]}]"#;
    let values = [0b10111000, 0b11111111, 0b10111101, 0, 0, 0b10000000];
    assert_eq!(names(&with_valuations(signed, &values)), ["u=56 & i=-16897", "u=-128 & i=-32768"]);
    // Two classes of states, of other lengths.
    let classes = r#"[{"variables": [{"name": "x", "type": {"type": "double"}}]},
        {"variables": [{"name": "y", "type": {"type": "int", "size": 64}, "offset": 1}, {"padding": 8}]}]"#;
    let values = [&[0; 9][..], &1.5f64.to_le_bytes()].concat();
    let mut archive = with_valuations(classes, &values);
    archive.0.push(("valuations/states/valuation-to-class.bin".into(), [1u32, 0].map(u32::to_le_bytes).concat()));
    assert_eq!(names(&archive), ["y=1", "x=1.5"]);
    // States with equal names are distinguished, and one can start by name or by number.
    let one_bit = r#"[{"variables": [{"name": "b", "type": {"type": "bool"}}, {"padding": 7}]}]"#;
    let archive = with_valuations(one_bit, &[1, 0xff]);
    assert_eq!(names(&archive), ["b", "b#2"]);
    for start in ["b#2", "1"] {
        let options = ReadOptions::new(Discounts::Unspecified).from(Some(start));
        assert_eq!(read_umb::<f64>(&archive.pack()[..], &options).unwrap().model.start(), 1.into());
    }
}

#[test]
fn variables_without_a_short_text_leave_states_their_numbers() {
    for r#type in [r#"{"type": "rational"}"#, r#"{"type": "uint", "size": 128}"#] {
        let classes = format!(r#"[{{"variables": [{{"name": "x", "type": {type}}}]}}]"#);
        assert_eq!(names(&with_valuations(&classes, &[0; 32])), ["0", "1"]);
    }
    let mut archive = with_valuations(PACKED, &[]);
    archive.remove("valuations/states/valuations.bin");
    assert_eq!(names(&archive), ["0", "1"]);
}

#[test]
fn valuations_that_do_not_fit_are_refused() {
    let byte = r#"[{"variables": [{"name": "x", "type": {"type": "uint", "size": 8}}]}]"#;
    let refused = |archive: Archive, words: &str| {
        let error = read::<f64>(&archive.pack()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(with_valuations(byte, &[1]), "valuations/states/valuations.bin: the file has 1 bytes and ends in state 1");
    refused(with_valuations(byte, &[1, 2, 3]), "the file has 1 bytes more than its 2 states need");
    refused(with_valuations(&byte.replace("8", "7"), &[1, 2]), "class 0 have 7 bits");
    refused(with_valuations(&byte.replace("\"name\": \"x\",", ""), &[1, 2]), "lacks its name or its type");
    refused(with_valuations(&byte.replace("8", "0"), &[1, 2]), "`x` has a uint of 0 bits");
    refused(
        with_valuations(&byte.replace("8}}]", "8}}, {\"padding\": 1152921504606846976}]"), &[1, 2]),
        "ends in state 0",
    );
    let mut archive = with_valuations(byte, &[1, 2]);
    archive.0.push(("valuations/states/valuation-to-class.bin".into(), [0u32, 1].map(u32::to_le_bytes).concat()));
    refused(archive, "state 1 is of class 1, but there are only 1");
    refused(with_valuations(PACKED, &[0; 22]), "text 0 is not in `valuations/states/strings.bin`");
}
