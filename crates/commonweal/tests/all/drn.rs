//! Reading DRN files, both Storm's and hand-written ones.

use commonweal::internals::io::{Discounts, Loaded, ReadError, ReadOptions, drn_overview, read_drn, write_drn};
use commonweal::internals::model::{Mdp, StateId};
use commonweal::internals::number::{ModelNumber, Rational, parse_rational};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

const MODEL: &str = "// Exported by storm
// Original model type: MDP
@type: MDP
@value_type: rational
@parameters

@reward_models
gold time\u{20}
@nr_states
3
@nr_choices
4
@model
state 0 [1, 2] init \"far away\"
//[x=0\t& !done]
\taction tick [1/3, 0]
\t\t1 : 1/3
\t\t2 : 2/3
\taction __NOLABEL__ [0, 1]
\t\t0 : 0.25
\t\t2 : 75e-2
state 1 \"not init\"
\taction tick [0, 0]
\t\t1 : 1

state 2 [0, 0] deadlock
\taction tick
\t\t2 : 1
";

fn fraction(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

fn load<N: ModelNumber>(text: &str) -> Result<Loaded<N>, ReadError> {
    read_drn(text.as_bytes(), &ReadOptions::new(Discounts::Unspecified))
}

fn read(text: &str) -> Mdp {
    load(text).unwrap_or_else(|error| panic!("{}", error.render("text"))).model
}

#[test]
fn state_and_action_rewards_add_up_and_numbers_are_exact() {
    let model = read(MODEL);
    assert_eq!((model.n_states(), model.n_choices(), model.n_transitions()), (3, 4, 6));
    assert_eq!(model.start(), StateId::from(0));
    assert_eq!(model.rewards(0.into()), [fraction("4/3"), fraction("2")]);
    assert_eq!(model.rewards(1.into()), [fraction("1"), fraction("3")]);
    assert_eq!(model.rewards(3.into()), [Rational::ZERO, Rational::ZERO]);
    assert_eq!(model.probabilities(1.into()), [fraction("1/4"), fraction("3/4")]);
    let names: Vec<&str> = model.principals().iter().map(|principal| principal.name.as_str()).collect();
    assert_eq!(names, ["gold", "time"]);
    assert_eq!((model.state_name(2.into()), model.action_name(1.into())), ("2".into(), "unnamed".into()));
    let doubles: Mdp<f64> = load(MODEL).unwrap().model;
    assert_eq!(doubles.rewards(0.into()), [1.0 + 1.0 / 3.0, 2.0]);
    assert_eq!(doubles.probabilities(0.into()), [1.0 / 3.0, 2.0 / 3.0]);
    let overview = drn_overview(MODEL.as_bytes()).unwrap();
    assert_eq!((overview.states, overview.choices, overview.transitions, overview.exact), (3, Some(4), None, true));
}

#[test]
fn an_action_without_a_name_stays_without_one_and_names_may_repeat() {
    let model = read(&MODEL.replace("__NOLABEL__", "tick"));
    let actions: Vec<_> = model.choices(0.into()).map(|choice| model.action_name(choice).into_owned()).collect();
    assert_eq!(actions, ["tick", "tick#2"]);
    let written = |text: &str| {
        let mut bytes = Vec::new();
        write_drn(&read(text), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    // The position makes the choice: both are written as `tick`.
    assert_eq!(written(&MODEL.replace("__NOLABEL__", "tick")).matches("action tick [").count(), 4);
    assert!(written(MODEL).contains("\taction __NOLABEL__ [1, 3]\n\t\t0 : 1/4\n"));
    assert!(
        written(MODEL).starts_with("@type: MDP\n@value_type: rational\n@parameters\n\n@reward_models\ngold time\n")
    );
}

#[test]
fn a_chain_needs_no_actions() {
    let text =
        "@type: DTMC\n@nr_states\n2\n@reward_models\nr\n@model\nstate 0 [1] init\n0 : 0.5\n1 : 0.5\nstate 1\n1 : 1\n";
    let model = read(text);
    assert_eq!((model.n_choices(), model.action_name(0.into())), (2, "0".into()));
    assert_eq!(model.rewards(0.into()), [Rational::ONE]);
}

#[test]
fn placeholders_stand_for_their_values() {
    let text = MODEL.replace("@reward_models", "@placeholders\n$third : 1/3\n$two thirds : 2/3\n@reward_models");
    let text = text.replace(": 1/3\n\t\t2", ": $third\n\t\t2").replace(": 2/3\n\taction", ": $two thirds\n\taction");
    assert_eq!(read(&text.replace("[1/3, 0]", "[$third, 0]")), read(MODEL));
}

#[test]
fn reward_structures_without_names_get_some() {
    let names = |line: &str| {
        let model = read(&MODEL.replace("gold time\u{20}\n", line));
        model.principals().iter().map(|principal| principal.name.clone()).collect::<Vec<_>>()
    };
    // Storm writes every name with a blank behind it, and of one structure the name may be empty.
    assert_eq!(names("time  \n"), ["time", "default"]);
    assert_eq!(names(" time \n"), ["default", "time"]);
    assert_eq!(names("\n"), ["rew0", "rew1"]);
    let one = "@type: MDP\n@reward_models\n \n@nr_states\n1\n@model\nstate 0 [2] init\n\taction a\n\t\t0 : 1\n";
    assert_eq!(read(one).principals()[0].name, "default");
}

#[test]
fn reward_structures_without_a_discount_are_left_out() {
    let half = fraction("1/2");
    let options = ReadOptions::new(Discounts::Named(vec![("time".into(), half.clone())]));
    let loaded: Loaded<Rational> = read_drn(MODEL.as_bytes(), &options).unwrap();
    assert_eq!((loaded.left_out, loaded.model.n_principals()), (vec!["gold".to_owned()], 1));
    assert_eq!(loaded.model.principals()[0].discount(), Some(&half));
    assert_eq!(loaded.model.rewards(1.into()), [fraction("3")]);
}

#[test]
fn another_state_to_start_in_may_be_named() {
    let mut options = ReadOptions::new(Discounts::Unspecified);
    options.start = Some("2".into());
    for text in [MODEL.to_owned(), MODEL.replace(" init ", " "), MODEL.replace("deadlock", "init")] {
        let loaded: Loaded<f64> = read_drn(text.as_bytes(), &options).unwrap();
        assert_eq!(loaded.model.start(), StateId::from(2));
    }
    for unknown in ["3", "02", "s0", ""] {
        options.start = Some(unknown.into());
        let error = read_drn::<f64>(MODEL.as_bytes(), &options).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no state `{unknown}`; the states are 0 to 2"));
    }
}

#[test]
fn blanks_and_line_ends_do_not_matter() {
    let expected = read(MODEL);
    assert_eq!(read(&MODEL.replace('\n', "\r\n")), expected);
    assert_eq!(read(&MODEL.replace('\t', "    ")), expected);
    assert_eq!(read(&MODEL.replace('\t', "")), expected);
    assert_eq!(read(MODEL.trim_end()), expected);
    assert_eq!(read(&MODEL.replace(" : ", ":")), expected);
    assert_eq!(read(&MODEL.replace("@nr_choices\n4\n", "")), expected);
}

#[test]
fn packed_files_are_read_as_they_are() {
    let pack = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let mut options = ReadOptions::new(Discounts::Unspecified);
    // In one piece, and in two that were packed one after the other.
    let (head, rest) = MODEL.split_at(200);
    for packed in [pack(MODEL), [pack(head), pack(rest)].concat()] {
        options.bytes = Some(packed.len() as u64);
        assert_eq!(read_drn::<Rational>(&packed[..], &options).unwrap().model, read(MODEL));
        // Half of a file is refused.
        assert!(read_drn::<Rational>(&packed[..packed.len() / 2], &options).is_err());
    }
    // 400 bytes can unpack to much, but not to a trillion states.
    let packed = pack(&MODEL.replace("@nr_states\n3", "@nr_states\n1000000000000"));
    options.bytes = Some(packed.len() as u64);
    let message = read_drn::<Rational>(&packed[..], &options).unwrap_err().to_string();
    assert!(message.contains("too short for them"), "{message}");
}

#[test]
fn a_line_without_an_end_takes_no_memory_without_an_end() {
    let text = format!("{MODEL}state 3 {}", "x".repeat(17 << 20));
    let message = load::<f64>(&text).unwrap_err().render("text");
    assert!(message.contains("longer than 16 MiB") && message.len() < 400, "{message}");
}
