//! What is written as DRN or UMB is read back as it was, exactly and in doubles; doubles are as near to the exact numbers as
//! they promise to be; and nothing that is read makes a reader panic.

use crate::strategies::model;
use commonweal::answers::DEFAULT_GAP;
use commonweal::internals::Numbers;
use commonweal::internals::families::{LargeFamily, Neighbourhood, Seeded};
use commonweal::internals::io::{
    Discounts, Loaded, ReadError, ReadOptions, drn_reward_names, read_drn, read_model_bytes, read_umb, write_drn,
    write_umb, write_yaml,
};
use commonweal::internals::model::{ChoiceId, Mdp};
use commonweal::internals::number::{ModelNumber, Rational, parse_rational};
use commonweal::structure::{ModelArrays, NameTable, Principal, StateId};
use commonweal::{Engine, Model};
use proptest::prelude::*;

fn choices<N>(model: &Mdp<N>) -> impl Iterator<Item = ChoiceId> + use<N> {
    (0..model.n_choices()).map(ChoiceId::from)
}

fn options(model: &Mdp<impl ModelNumber>, bytes: &[u8]) -> ReadOptions {
    let discounts = model.principals().iter().map(|principal| principal.patience().clone());
    let mut options = ReadOptions::new(Discounts::InOrder(discounts.collect()));
    options.bytes = Some(bytes.len() as u64);
    options
}

fn through_drn<N: commonweal::internals::io::DrnNumber>(model: &Mdp<N>) -> Mdp<N> {
    let mut bytes = Vec::new();
    write_drn(model, &mut bytes).unwrap();
    let loaded: Loaded<N> = read_drn(&bytes[..], &options(model, &bytes))
        .unwrap_or_else(|error| panic!("{}\n{}", error.render("written"), String::from_utf8_lossy(&bytes)));
    assert!(loaded.left_out.is_empty() && loaded.divided.rows == 0);
    loaded.model
}

fn through_umb<N: commonweal::internals::io::UmbNumber>(model: &Mdp<N>) -> Mdp<N> {
    let mut bytes = Vec::new();
    write_umb(model, &mut bytes).unwrap();
    let loaded: Loaded<N> =
        read_umb(&bytes[..], &options(model, &bytes)).unwrap_or_else(|error| panic!("{}", error.render("written")));
    assert!(loaded.left_out.is_empty() && loaded.divided.rows == 0);
    loaded.model
}

/// Checks that two models are the same but for the names of states.
fn assert_same_arrays<N: ModelNumber>(one: &Mdp<N>, other: &Mdp<N>) {
    assert_eq!((one.n_states(), one.n_choices(), one.start()), (other.n_states(), other.n_choices(), other.start()));
    for state in one.states() {
        assert!(one.choices(state).eq(other.choices(state)));
    }
    for choice in choices(one) {
        assert_eq!(one.targets(choice), other.targets(choice));
        assert_eq!(one.probabilities(choice), other.probabilities(choice));
        assert_eq!(one.rewards(choice), other.rewards(choice));
    }
    let numbers = |model: &Mdp<N>| {
        let principals = model.principals().iter().map(|p| (p.patience().clone(), p.weight.clone()));
        principals.collect::<Vec<_>>()
    };
    assert_eq!(numbers(one), numbers(other));
}

/// A random model without weights, whose numbers are short enough to be read.
fn weightless() -> impl Strategy<Value = Mdp> {
    let is_short = |number: &Rational| number.numerator_bits().max(number.denominator_bits()) < 33_000;
    model().prop_map(Mdp::with_weights_in_rewards).prop_filter("numbers of more than 10,000 digits", move |model| {
        choices(model).all(|choice| model.rewards(choice).iter().all(is_short))
    })
}

proptest! {
    #[test]
    fn exact_models_come_back_from_drn(model in weightless()) {
        let back = through_drn(&model);
        assert_same_arrays(&model, &back);
        let names: Vec<_> = back.principals().iter().map(|principal| principal.name.clone()).collect();
        prop_assert_eq!(names, drn_reward_names(model.principals()));
        for choice in choices(&model) {
            let name = model.action_label(choice);
            let is_word = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
            prop_assert!(!is_word || back.action_label(choice) == name, "{name}");
        }
    }

    #[test]
    fn exact_models_come_back_from_umb_with_their_names(model in weightless()) {
        let back = through_umb(&model);
        assert_same_arrays(&model, &back);
        prop_assert_eq!(model.principals(), back.principals());
        for choice in choices(&model) {
            let name = model.action_label(choice);
            prop_assert_eq!(back.action_label(choice), if name.is_empty() { "unnamed".into() } else { name });
        }
    }

    #[test]
    fn a_model_goes_round_through_all_formats(model in weightless()) {
        let mut yaml = Vec::new();
        write_yaml(&through_umb(&through_drn(&model)), &mut yaml).unwrap();
        assert_same_arrays(&model, &read_model_bytes(&yaml).unwrap());
    }

    #[test]
    fn doubles_come_back_as_the_doubles_they_are(model in weightless()) {
        let Ok(doubles) = model.to_doubles() else { return Ok(()) };
        assert_same_arrays(&doubles, &through_drn(&doubles));
        assert_same_arrays(&doubles, &through_umb(&doubles));
    }

    #[test]
    fn fractions_are_rounded_as_they_are_read(model in weightless()) {
        let Ok(doubles) = model.to_doubles() else { return Ok(()) };
        let (mut drn, mut umb) = (Vec::new(), Vec::new());
        write_drn(&model, &mut drn).unwrap();
        write_umb(&model, &mut umb).unwrap();
        assert_same_arrays(&doubles, &read_drn(&drn[..], &options(&model, &drn)).unwrap().model);
        assert_same_arrays(&doubles, &read_umb(&umb[..], &options(&model, &umb)).unwrap().model);
    }
}

#[test]
fn large_models_in_doubles_come_back_bit_by_bit() {
    for (neighbourhood, seed) in [(Neighbourhood::Uniform, 3), (Neighbourhood::Band, 4)] {
        let discounts = ["0.9", "1/3", "0"].map(|text| parse_rational(text).unwrap()).to_vec();
        let family = LargeFamily { neighbourhood, n_states: 500, n_actions: 3, n_successors: 5, discounts, seed };
        let model = family.model().unwrap();
        assert_eq!(through_drn(&model), model);
        assert_eq!(through_umb(&model), model);
        assert_eq!(through_drn(&model.to_fractions()), model.to_fractions());
        assert_eq!(model.to_fractions().to_doubles().unwrap(), model);
    }
}

/// A row as another tool might write it: rounded to some digits, with zeros and with targets that repeat.
fn rounded_row() -> impl Strategy<Value = (Vec<(usize, u32)>, usize)> {
    (
        proptest::collection::vec(
            (0usize..40, prop_oneof![1 => Just(0u32), 3 => 1u32..9, 6 => 1u32..1_000_000]),
            1..60,
        ),
        9usize..20,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    /// The promise of a model in doubles: every probability is within k + 3 units of the true one.
    #[test]
    fn doubles_are_as_near_to_the_true_probabilities_as_they_promise((row, digits) in rounded_row()) {
        let total: u64 = row.iter().map(|&(_, weight)| u64::from(weight)).sum();
        prop_assume!(total > 0);
        let mut drn = String::from("@type: MDP\n@reward_models\np\n@nr_states\n40\n@model\n");
        for state in 0..40 {
            drn += &format!("state {state}{}\n\taction go [0]\n", if state == 0 { " init" } else { "" });
            for &(target, weight) in &row {
                drn += &format!("\t\t{target} : {:.digits$}\n", f64::from(weight) / total as f64);
            }
        }
        let read_options = ReadOptions::new(Discounts::Unspecified);
        let exact: Result<Loaded<Rational>, ReadError> = read_drn(drn.as_bytes(), &read_options);
        let doubles: Result<Loaded<f64>, ReadError> = read_drn(drn.as_bytes(), &read_options);
        // A row of very small numbers may lose them all to its digits.
        let (Ok(exact), Ok(doubles)) = (exact, doubles) else { return Ok(()) };
        let (exact, doubles) = (exact.model, doubles.model);
        prop_assert_eq!(exact.targets(0.into()), doubles.targets(0.into()));
        let k = exact.targets(0.into()).len();
        let unit = Rational::from_quotient(k as i64 + 3, 1 << 53);
        for (p, q) in doubles.probabilities(0.into()).iter().zip(exact.probabilities(0.into())) {
            let error = Rational::try_from(*p).unwrap() - q;
            let allowed = q * &unit;
            prop_assert!(error <= allowed && -error <= allowed, "{p:e} {q}");
        }
    }
}

#[test]
fn rows_that_were_rounded_are_divided_and_counted() {
    let drn = "@type: MDP\n@value_type: double\n@reward_models\np\n@nr_states\n2\n@model
state 0 init\n\taction go [1]\n\t\t0 : 0.3333333333\n\t\t1 : 0.3333333333\n\t\t1 : 0.3333333333
state 1\n\taction stay [1]\n\t\t1 : 1\n";
    let read_options = ReadOptions::new(Discounts::Unspecified);
    let exact: Loaded<Rational> = read_drn(drn.as_bytes(), &read_options).unwrap();
    let third = parse_rational("1/3").unwrap();
    assert_eq!(exact.model.probabilities(0.into()), [third.clone(), third * Rational::from(2)]);
    assert_eq!((exact.divided.rows, exact.divided.largest), (1, 1e-10));
    let doubles: Loaded<f64> = read_drn(drn.as_bytes(), &read_options).unwrap();
    assert_eq!(doubles.model.probabilities(0.into()), [1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(doubles.divided.rows, 1);
    // One rule: within 10^-9 of 1, decimals only, and not if the reader is strict.
    let with = |row: &str| drn.replace("0 : 0.3333333333\n\t\t1 : 0.3333333333\n\t\t1 : 0.3333333333", row);
    let near = [with("0 : 0.5\n\t\t1 : 0.499999999"), with("0 : 0.5\n\t\t1 : 0.500000001"), drn.to_owned()];
    let far = [
        with("0 : 0.5\n\t\t1 : 0.4999999989"),
        with("0 : 0.5\n\t\t1 : 0.5000000011"),
        with("0 : 1/2\n\t\t1 : 0.4999999999"),
        with("0 : 1/3\n\t\t1 : 1/3\n\t\t1 : 3333333333/10000000000"),
    ];
    let strict = read_options.clone().strict(true);
    for text in &near {
        assert_eq!(read_drn::<Rational>(text.as_bytes(), &read_options).unwrap().divided.rows, 1, "{text}");
        assert_eq!(read_drn::<f64>(text.as_bytes(), &read_options).unwrap().divided.rows, 1, "{text}");
    }
    for (text, options) in near.iter().map(|text| (text, &strict)).chain(far.iter().map(|text| (text, &read_options))) {
        assert!(read_drn::<Rational>(text.as_bytes(), options).is_err(), "{text}");
        assert!(read_drn::<f64>(text.as_bytes(), options).is_err(), "{text}");
    }
}

/// Arrays that a program fills follow the same rule: doubles are scaled, fractions are not.
#[test]
fn rows_of_arrays_that_were_rounded_are_divided_and_counted() {
    fn arrays<N: Clone>(row: [N; 3], one: [N; 3]) -> ModelArrays<N> {
        let mut action_names = NameTable::default();
        action_names.intern("go");
        let [a, b, reward] = one;
        ModelArrays {
            start: 0.into(),
            principals: vec![Principal::new("p", Rational::ZERO).unwrap()],
            state_names: NameTable::numbered(3),
            action_names,
            action: vec![0, 0, 0],
            first_choice: vec![0, 1, 2, 3],
            first_transition: vec![0, 3, 4, 5],
            target: [0, 1, 2, 1, 2].map(StateId::from).to_vec(),
            probability: row.into_iter().chain([a, b]).collect(),
            reward: vec![reward; 3],
        }
    }
    let of = |row: [f64; 3]| Model::from_doubles(arrays(row, [1.0; 3]), Engine::Within(DEFAULT_GAP));
    let model = of([0.333_333_333_3; 3]).unwrap();
    assert_eq!(model.notes().divided.rows, 1);
    assert_eq!(model.doubles().unwrap().probabilities(0.into()), [1.0 / 3.0; 3]);
    assert_eq!(model.exact().probabilities(0.into()), [(); 3].map(|()| Rational::from_quotient(1, 3)));
    let model = of([1.0 / 3.0; 3]).unwrap();
    assert_eq!(model.notes().divided.rows, 0);
    assert!(of([0.333_333_33; 3]).is_err() && of([1.0, 1e-12, -1e-12]).is_err() && of([f64::NAN; 3]).is_err());
    let one = || [(); 3].map(|()| Rational::ONE);
    let fractions = [(); 3].map(|()| Rational::from_quotient(3_333_333_333, 10_000_000_000));
    assert!(Model::from_arrays(arrays(fractions, one())).is_err());
    let thirds = [(); 3].map(|()| Rational::from_quotient(1, 3));
    assert!(Model::from_arrays(arrays(thirds, one())).is_ok());
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let discounts = vec![Rational::ZERO; 2];
    let family = LargeFamily {
        neighbourhood: Neighbourhood::Band,
        n_states: 6,
        n_actions: 2,
        n_successors: 3,
        discounts,
        seed: 1,
    };
    let model = family.model().unwrap();
    let exact = model.to_fractions();
    let mut files = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    write_drn(&model, &mut files[0]).unwrap();
    write_umb(&model, &mut files[1]).unwrap();
    write_drn(&exact, &mut files[2]).unwrap();
    write_umb(&exact, &mut files[3]).unwrap();
    let mut random = Seeded::new(5);
    let read = |bytes: &[u8]| {
        let mut options = ReadOptions::new(Discounts::Unspecified);
        options.bytes = Some(bytes.len() as u64);
        let _ = read_drn::<f64>(bytes, &options).map_err(|error| error.render("file"));
        let _ = read_drn::<Rational>(bytes, &options).map_err(|error| error.render("file"));
        let _ = read_umb::<f64>(bytes, &options).map_err(|error| error.render("file"));
        let _ = read_umb::<Rational>(bytes, &options).map_err(|error| error.render("file"));
    };
    for file in &files {
        for end in (0..file.len()).step_by(61) {
            read(&file[..end]);
        }
        for _ in 0..4_000 {
            let mut damaged = file.clone();
            for _ in 0..1 + random.below(4) {
                // Half of the damage goes to where the sizes are.
                let end = if random.below(2) == 0 { 2_000.min(file.len()) } else { file.len() };
                let at = random.below(end as u64) as usize;
                damaged[at] = match random.below(3) {
                    0 => damaged[at] ^ (1 << random.below(8)),
                    1 => b"0123456789-./:[]@ \n"[random.below(19) as usize],
                    _ => random.below(256) as u8,
                };
            }
            read(&damaged);
        }
    }
}

/// Every model in the folder that `COMMONWEAL_MODELS` names, exactly and in doubles, through both formats.
#[test]
#[ignore = "needs a folder of models: COMMONWEAL_MODELS=FOLDER"]
fn real_models_go_through_both_formats() {
    let Some(folder) = std::env::var_os("COMMONWEAL_MODELS") else {
        println!("COMMONWEAL_MODELS names no folder: nothing is checked");
        return;
    };
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(name.ends_with(".drn") || name.ends_with(".drn.gz") || name.ends_with(".umb")) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let mut read_options = ReadOptions::new(Discounts::Unspecified);
        read_options.bytes = Some(bytes.len() as u64);
        let (exact, doubles): (Result<Loaded<Rational>, _>, Result<Loaded<f64>, _>) = if name.ends_with(".umb") {
            (read_umb(&bytes[..], &read_options), read_umb(&bytes[..], &read_options))
        } else {
            (read_drn(&bytes[..], &read_options), read_drn(&bytes[..], &read_options))
        };
        let exact = exact.unwrap_or_else(|error| panic!("{}", error.render(&name)));
        let doubles = doubles.unwrap_or_else(|error| panic!("{}", error.render(&name)));
        println!("{name}: {} states, {:?}", exact.model.n_states(), exact.divided);
        if exact.divided.rows == 0 {
            assert_same_arrays(&exact.model.to_doubles().unwrap(), &doubles.model);
        }
        assert_eq!(through_umb(&doubles.model), doubles.model);
        assert_eq!(through_drn(&doubles.model), doubles.model);
        assert_eq!(through_umb(&exact.model), exact.model);
        assert_eq!(through_drn(&exact.model), exact.model);
        n_files += 1;
    }
    assert!(n_files > 0, "the folder has no models");
}
