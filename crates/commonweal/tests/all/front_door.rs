//! The front door: refusals and their messages.

use commonweal::answers::NoCertificate;
use commonweal::documents::{self, Document};
use commonweal::files::{Discounts, Form, ReadOptions};
use commonweal::limits::StopReason;
use commonweal::questions::{
    EvaluateError, Grid, PayoffSet, SearchOptions, SearchOutcome, Shard, SimulateOptions, evaluate, front_engine,
    front_gap, own_best, positional, simulate, stationary, strategy_map, sweep,
};
use commonweal::strategies::{Change, CountingStrategy, OtherModel, Stationary};
use commonweal::structure::{ModelArrays, ModelError, NameTable, Principal};
use commonweal::{Claim, Engine, Model, Options, Rational, Step, StopSignal, Strategy, solve};

const HOTEL: &str = "principals: {alice: 2/3, bob: 1/3}
states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}
";

fn hotel() -> Model {
    Model::from_yaml(HOTEL).expect("a model")
}

/// Three states, each with one choice.
fn line() -> Model {
    let text = "principals: {p: 1/2}\nstates: {x: {go: {to: y}}, y: {go: {to: z}}, z: {stay: {reward: 1, to: z}}}\n";
    Model::from_yaml(text).expect("a model")
}

/// Two states as the hotel has, the second with both choices.
fn turned() -> Model {
    let text = "principals: {p: 1/2}\nstates: {x: {go: {to: y}}, y: {go: {to: x}, stay: {to: y}}}\n";
    Model::from_yaml(text).expect("a model")
}

#[test]
fn a_strategy_for_another_model_is_refused() {
    let options = Options { keep_proof: true, ..Options::default() };
    for (other, error) in [
        (line(), OtherModel::States { found: 3, expected: 2 }),
        (turned(), OtherModel::Choice { state: 1.into(), choice: 1.into() }),
    ] {
        let answer = solve(&other, &options);
        let counting = Strategy::from(answer.strategy().clone());
        let mix = |state| vec![(answer.strategy().tail(state), Rational::ONE)];
        let stationary = Stationary::new(other.structure(), other.structure().states().map(mix).collect());
        for strategy in [counting, stationary.into()] {
            for engine in [Engine::Auto, Engine::Exact, Engine::Within(1e-6)] {
                let refused = evaluate(&hotel(), &strategy, &Options { engine, ..Options::default() }).unwrap_err();
                assert_eq!(refused, EvaluateError::OtherModel(error));
            }
            assert_eq!(simulate(&hotel(), &strategy, &SimulateOptions::default()).unwrap_err(), error);
        }
        assert_eq!(answer.certificate(&hotel()).unwrap_err(), NoCertificate::OtherModel(error));
        assert!(answer.certificate(&other).is_ok());
    }
    let said = OtherModel::States { found: 3, expected: 2 }.to_string();
    assert_eq!(said, "the strategy is for another model: it decides for 3 states, and this model has 2");
}

/// What a model is made of makes the same model again, and so does each form in which it is written.
#[test]
fn a_model_survives_its_arrays_and_its_forms() {
    let text = "principals: {alice: {discount: 2/3, weight: 3}, bob: 1/3}
states: {s0: {a: {reward: {bob: 1/4}, to: {s1: 1/4, s0: 0.75}}, b: {to: s1}}, s1: {b: {reward: -6, to: s1}}}";
    let model = Model::from_yaml(text).expect("a model");
    let arrays = model.to_arrays();
    assert_eq!(arrays.rewards(0.into()), [Rational::ZERO, Rational::from_quotient(1, 4)]);
    let to: Vec<_> = arrays.transitions(0.into()).map(|(state, chance)| (state.index(), chance.to_f64())).collect();
    assert_eq!(to, [(1, 0.25), (0, 0.75)]);
    let same = |other: Model| assert_eq!(other.canonical(), model.canonical());
    same(Model::from_arrays(arrays).expect("the same model"));
    same(Model::from_doubles(model.to_doubles().expect("small rewards"), Engine::Exact).expect("the same model"));
    let written = |model: &Model, form| {
        let mut bytes = Vec::new();
        model.write(form, &mut bytes).expect("memory takes every byte");
        bytes
    };
    assert_eq!(written(&model, Form::Yaml), model.to_yaml().expect("a text").into_bytes());
    assert_eq!(written(&model, Form::Canonical), model.canonical());
    for form in [Form::Yaml, Form::Json] {
        same(Model::from_bytes(written(&model, form), &ReadOptions::default(), Engine::Auto).expect("a model"));
    }
    // DRN and UMB hold no discounts and no weights.
    let plain = model.clone().with_weights_in_rewards();
    assert_eq!(
        solve(&plain, &Options::default()).welfare(0.into()),
        solve(&model, &Options::default()).welfare(0.into())
    );
    let discounts = Discounts::InOrder(vec![Rational::from_quotient(2, 3), Rational::from_quotient(1, 3)]);
    for form in [Form::Drn, Form::Umb] {
        for engine in [Engine::Exact, Engine::Within(1e-9)] {
            let read = |bytes| Model::from_bytes(bytes, &ReadOptions::new(discounts.clone()), engine).expect("a model");
            let once = read(written(&plain, form));
            assert_eq!((once.canonical(), once.is_exact()), (plain.canonical(), engine == Engine::Exact));
            // In doubles too, the file has the numbers that are inside.
            assert_eq!(read(written(&once, form)).canonical(), plain.canonical());
        }
    }
}

/// Six states that doubles cannot tell apart at 0.99999999, in a file of thousands: the answer is that of the six alone.
#[test]
fn a_file_with_thousands_of_states_is_handed_over_to_fractions_where_doubles_cannot_reach_the_gap() {
    let six = "principals: {p: 0.99999999, q: 0.999}
states:
  s0: {a: {reward: {q: 1}, to: {s0: 2/3, s1: 1/3}}, b: {reward: {p: 0.001}, to: {s1: 1/3, s2: 2/3}}}
  s1: {a: {reward: {q: 2}, to: {s0: 1/3, s2: 2/3}}, b: {reward: {p: 0.0005}, to: {s1: 2/3, g: 1/3}}}
  s2: {a: {reward: {q: -1}, to: {s2: 1/3, s0: 2/3}}, b: {reward: {q: 3}, to: {h: 1/3, s0: 2/3}}}
  g: {a: {reward: {p: 1}, to: end}}
  h: {a: {reward: {p: -1}, to: end}}
  end: {rest: {to: end}}
";
    let exactly = |text: &str| {
        let answer = solve(&Model::from_yaml(text).expect("a model"), &Options::default());
        (answer.claim(), answer.welfare(0.into()).exact)
    };
    let (claim, expected) = exactly(six);
    assert_eq!(claim, Claim::Optimal);
    let others: String =
        (0..10_000).map(|s| format!("  u{s}: {{a: {{reward: {{q: {}}}, to: end}}}}\n", s % 7)).collect();
    let many = Model::from_yaml(&(six.to_owned() + &others)).expect("a model");
    assert_eq!(Engine::Auto.suited_to(&many), Engine::Within(1e-9), "as many as that begin in doubles");
    let ratio = Rational::from_quotient;
    let discounts = Discounts::InOrder(vec![ratio(99_999_999, 100_000_000), ratio(999, 1_000)]);
    for form in [Form::Drn, Form::Umb] {
        let mut file = Vec::new();
        many.write(form, &mut file).expect("memory takes every byte");
        let read = Model::from_bytes(file, &ReadOptions::new(discounts.clone()), Engine::Auto).expect("a model");
        for engine in [Engine::Auto, Engine::Within(1e-9)] {
            let answer = solve(&read, &Options { engine, ..Options::default() });
            assert_eq!((answer.claim(), answer.welfare(read.start()).exact), (Claim::Optimal, expected.clone()));
        }
    }
}

/// A gap is that of the front; fractions find its points unless the model is large.
#[test]
fn the_gap_of_a_front_is_that_of_the_engine_only_for_a_large_model() {
    let ring = |n: usize| {
        let states: Vec<String> = (0..n).map(|s| format!("s{s}: {{a: {{reward: 1, to: s{}}}}}", (s + 1) % n)).collect();
        let text = format!("principals: {{p: 1/2, q: 1/3, r: 1/4}}\nstates: {{{}}}", states.join(", "));
        Model::from_yaml(&text).expect("a ring")
    };
    for (n, engine) in [(200, Engine::Auto), (201, Engine::Within(0.25))] {
        assert_eq!(front_engine(&ring(n), Engine::Auto, Some(0.25)), engine);
        assert_eq!(front_engine(&ring(n), Engine::Exact, None), Engine::Exact);
    }
    let (model, two) = (ring(3), Some([0.into(), 1.into()]));
    let gap = |engine, axes, asked| {
        let options = Options { engine, ..Options::default() };
        front_gap(&PayoffSet::new(&model, &options), axes, asked).to_f64()
    };
    assert_eq!((gap(Engine::Exact, two, None), gap(Engine::Exact, None, None)), (0.0, 1e-3));
    assert_eq!((gap(Engine::Within(1e-6), two, None), gap(Engine::Exact, two, Some(0.5))), (1e-6, 0.5));
}

/// A gap of 0 or less is beyond the precision of doubles, and one above 1 counts as 1: no gap makes an answer wrong.
#[test]
fn gaps_that_make_no_sense_still_give_true_bounds() {
    let exact: Rational = "127/9".parse().expect("a number");
    for gap in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY, 2.0, f64::INFINITY] {
        let options = Options { engine: Engine::Within(gap), threads: Some(0), ..Options::default() };
        let answer = solve(&hotel(), &options);
        let welfare = answer.welfare_enclosure(hotel().start());
        assert!(welfare.lower() <= exact.to_f64() && exact.to_f64() <= welfare.upper(), "{gap}: {welfare:?}");
        match answer.claim() {
            // Doubles cannot reach it; fractions can, in a model as small as this.
            Claim::Optimal => assert!(answer.is_handed_over() && (gap.is_nan() || gap <= 0.0), "{gap}"),
            Claim::Within { gap: kept, .. } => assert!(kept == 1.0 && gap > 1.0, "{gap}: {kept}"),
            claim => panic!("{gap}: {claim}"),
        }
    }
}

#[test]
fn errors_of_reading_name_the_file_and_the_cure() {
    let folder = std::env::temp_dir().join(format!("commonweal-front-door-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("wrong.yaml");
    std::fs::write(&path, "principals: {p: 1/2}\nstates: {s0: {stay: {to: s1}}}\n").expect("a file");
    let error = Model::read(&path).unwrap_err().to_string();
    let _ = std::fs::remove_dir_all(&folder);
    let expected = format!(
        "{}:2:26: there is no state `s1`\n2 | states: {{s0: {{stay: {{to: s1}}}}}}\n  |                          ^^\n\
         help: did you mean `s0`?",
        path.display()
    );
    assert_eq!(error, expected);
    let error = Model::from_bytes(b"states: 1\n".to_vec(), &ReadOptions::default(), Engine::Auto).unwrap_err();
    assert!(error.to_string().starts_with("the model:1:"), "{error}");
    assert!(error.to_string().contains("help: "), "{error}");
}

#[test]
fn a_strategy_in_short_form_is_a_document_too() {
    let text = r#"{"format": "commonweal-strategy/1", "decisions": {"s0": "b"}}"#;
    let document = documents::Strategy::from_json(text).expect("a document");
    let Strategy::Counting(strategy) = document.resolve(hotel().structure()).expect("a strategy") else {
        panic!("decisions count steps")
    };
    assert_eq!(strategy, CountingStrategy::positional([1.into(), 2.into()]));
    assert!(documents::Strategy::from_json(r#"{"format": "commonweal-strategy/1", "decisions": {"s0": 1}}"#).is_err());
}

/// What Alice gets if the hotel is rebuilt at once, and Bob if it never is.
#[test]
fn own_best_is_what_each_would_get_alone() {
    let answer = solve(&hotel(), &Options::default());
    let best = own_best(&hotel(), &answer, &StopSignal::default());
    assert_eq!(best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["11", "9/2"]);
    // Stopped, it says what is known: no less than the answer gives, no more than the greatest reward for ever.
    let stop = StopSignal::default();
    stop.raise();
    let bounds = own_best(&hotel(), &answer, &stop);
    assert_eq!((bounds[1].enclosure.lower(), bounds[1].enclosure.upper()), (4.222222222222221, 9.0));
}

/// A walk in fractions takes time with the square of the steps: past what takes seconds, doubles answer.
#[test]
fn late_changes_are_evaluated_in_doubles_before_fractions_take_minutes() {
    let model = hotel();
    let waiting = |steps: u64| {
        let first = Change { from: Step::ZERO, choice: 0.into() };
        let then = Change { from: Step::from(steps), choice: 1.into() };
        let other = Change { from: Step::ZERO, choice: 2.into() };
        Strategy::from(CountingStrategy::from_changes(model.structure(), vec![vec![first, then], vec![other]]))
    };
    let options = Options::default();
    let soon = evaluate(&model, &waiting(2), &options).expect("a strategy of the model");
    assert_eq!(soon.welfare(model.start()).exact, Some("127/9".parse().expect("a number")));
    assert!(soon.not_exact.is_none());
    let late = evaluate(&model, &waiting(900_000), &options).expect("a strategy of the model");
    assert!(matches!(late.not_exact, Some(EvaluateError::TooManySteps { limit, .. }) if limit < 900_000));
    // Nearly for ever at 3 a step: 3/(1 − 2/3) + 3/(1 − 1/3).
    let (welfare, expected) = (late.welfare(model.start()), 13.5);
    assert!(welfare.enclosure.lower() <= expected && expected <= welfare.enclosure.upper());
    assert!(welfare.enclosure.width() <= 1e-7);
}

/// Two ways to what are twins but for a choice that is never made: they tie at every step, nothing but fractions of 120,000 layers
/// shows it, and the exact engine would spend long on more and more bits. Doubles do not care.
#[test]
fn an_engine_that_turns_out_to_be_long_is_left_for_the_other() {
    let twins = Model::from_yaml(
        "principals: {p: 100/199, q: 101/201}
states:
  hub: {left: {to: {one: 1/2, hub: 1/2}}, right: {to: {two: 1/2, hub: 1/2}}}
  one: {stay: {reward: {p: 1}, to: one}, move: {reward: 2, to: end}}
  two: {stay: {reward: {p: 1}, to: two}, move: {reward: 2, to: end}, never: {reward: -100, to: two}}
  end: {stay: {reward: {q: 2}, to: end}}
",
    )
    .expect("a model");
    let on = |engine: Engine, threads: usize| {
        solve(&twins, &Options { engine, threads: Some(threads), ..Options::default() })
    };
    let (answer, again) = (on(Engine::Auto, 1), on(Engine::Auto, 2));
    assert!(answer.is_handed_over(), "{}", answer.claim());
    assert!(answer.claim().is_within() && answer.scale().is_some());
    assert!(!hotel_answer().is_handed_over());
    // Whatever the number of threads, it is handed over at the same place.
    for state in twins.structure().states() {
        assert_eq!(answer.welfare(state), again.welfare(state));
    }
    assert_eq!(answer.strategy(), again.strategy());
    // An engine that is asked for stays.
    let within = on(Engine::Within(1e-9), 1);
    assert!(!within.is_handed_over());
    assert_eq!(within.welfare(twins.start()), answer.welfare(twins.start()));
}

fn hotel_answer() -> commonweal::Answer {
    solve(&hotel(), &Options::default())
}

/// Two states; the first has one choice with this row, the second a self-loop.
fn arrays(row: [f64; 2], reward: f64) -> ModelArrays<f64> {
    ModelArrays {
        start: 0.into(),
        principals: vec![Principal::new("p", Rational::from_quotient(1, 2)).expect("a discount")],
        state_names: NameTable::numbered(2),
        action_names: NameTable::numbered(1),
        action: vec![0, 0],
        first_choice: vec![0, 1, 2],
        first_transition: vec![0, 2, 3],
        target: vec![0.into(), 1.into(), 1.into()],
        probability: vec![row[0], row[1], 1.0],
        reward: vec![reward, 0.0],
    }
}

#[test]
fn doubles_are_decimals_where_fractions_answer() {
    let welfare = |row, reward, engine| {
        let model = Model::from_doubles(arrays(row, reward), engine)?;
        let answer = solve(&model, &Options { engine, ..Options::default() });
        Ok::<_, ModelError>((answer.welfare(model.start()), model.notes().divided.rows))
    };
    // V = r + 1/2 · p · V.
    let third = 1.0 / 3.0;
    for (row, reward, expected, scaled) in [
        ([0.1, 0.9], 0.3, "6/19", 0),
        ([0.5, 0.5], -1e-7, "-1/7500000", 0),
        // 0.3333333333333333 and 0.6666666666666666 sum to less than 1, and are scaled to a third and two.
        ([third, 2.0 * third], 1e22, "12000000000000000000000", 1),
    ] {
        let (value, rows) = welfare(row, reward, Engine::Auto).expect("a model");
        assert_eq!((value.to_string().as_str(), rows), (expected, scaled), "{row:?}");
        let (bounds, _) = welfare(row, reward, Engine::Within(1e-9)).expect("a model");
        let ends = [bounds.enclosure.lower(), bounds.enclosure.upper()].map(|end| Rational::try_from(end).ok());
        assert!(bounds.exact.is_none() && ends[0] <= value.exact && value.exact <= ends[1], "{row:?}: {bounds}");
    }
    for engine in [Engine::Auto, Engine::Exact, Engine::Within(1e-6)] {
        for (row, says) in [
            ([f64::NAN, 1.0], "the probability of `0` is NaN"),
            ([1.5, -0.5], "the probability of `1` is -"),
            ([f64::INFINITY, 1.0], "probabilities sum to inf"),
            ([0.5, 0.4], "probabilities sum to "),
        ] {
            let refused = welfare(row, 0.0, engine).expect_err("no model").to_string();
            assert!(refused.starts_with("state `0`, action `0`: ") && refused.contains(says), "{refused}");
        }
        let refused = welfare([0.5, 0.5], f64::NAN, engine).expect_err("no model").to_string();
        assert!(refused.contains("the reward of `p` is NaN"), "{refused}");
    }
}

/// A ring of states in doubles: to stay earns 1, to go on earns 0 for the first principal and 2 for the second.
fn large_ring() -> Model {
    const N: usize = 20_000;
    let principals = ["p", "q"].map(|name| Principal::new(name, "0.9".parse().expect("a number")).expect("a discount"));
    let arrays = ModelArrays {
        start: 0.into(),
        principals: principals.to_vec(),
        state_names: NameTable::numbered(N),
        action_names: NameTable::numbered(2),
        action: [0, 1].repeat(N),
        first_choice: (0..=N as u32).map(|state| 2 * state).collect(),
        first_transition: (0..=2 * N as u32).collect(),
        target: (0..N).flat_map(|state| [state.into(), ((state + 1) % N).into()]).collect(),
        probability: vec![1.0; 2 * N],
        reward: [1.0, 1.0, 0.0, 2.0].repeat(N),
    };
    Model::from_doubles(arrays, Engine::Within(1e-6)).expect("a model")
}

/// A question that is stopped before doubles have become fractions has the bounds that the rewards give: 0 to 30 for the welfare.
#[test]
fn what_is_stopped_on_the_way_to_fractions_has_bounds() {
    let (model, stop) = (large_ring(), StopSignal::default());
    stop.raise();
    let options = SearchOptions { stop: stop.clone(), ..SearchOptions::default() };
    for found in [positional(&model, &options), stationary(&model, &options)] {
        assert_eq!(found.outcome, SearchOutcome::Stopped(StopReason::Interrupted));
        let worth = evaluate(&model, &found.strategy, &Options::default()).unwrap().welfare(model.start()).enclosure;
        let bounds = found.welfare.enclosure;
        assert!(bounds.lower() <= worth.lower() && worth.upper() <= bounds.upper() && found.upper >= 20.0);
        assert!(bounds.lower() >= -1e-6 && bounds.upper() <= 30.0 + 1e-6, "{bounds:?}");
    }
    let first = CountingStrategy::positional(model.structure().states().map(|s| (2 * s.index()).into()));
    let runs = SimulateOptions { stop: stop.clone(), ..SimulateOptions::default() };
    let simulation = simulate(&model, &first.into(), &runs).unwrap();
    assert_eq!((simulation.runs, simulation.stopped), (0, Some(StopReason::Interrupted)));
    assert!(simulation.welfare.lower <= 20.0 && 20.0 <= simulation.welfare.upper && simulation.welfare.upper < 31.0);
    let asked = Options { stop: stop.clone(), ..Options::default() };
    let grid = Grid::new("0.1".parse().unwrap(), "0.9".parse().unwrap(), 4);
    let swept = sweep(&model, 0.into(), grid.clone(), Shard::WHOLE, &asked);
    assert_eq!((swept.points.len(), swept.stopped), (0, Some(StopReason::Interrupted)));
    let map = strategy_map(&model, [0.into(), 1.into()], [grid.clone(), grid], &asked);
    assert_eq!((map.plays.len(), map.stopped), (0, Some(StopReason::Interrupted)));
    let exactly = Options { engine: Engine::Exact, ..asked };
    assert_eq!(solve(&model, &exactly).claim(), Claim::Stopped(StopReason::Interrupted));
    let mut text = Vec::new();
    let refused = model.write_unless(Form::Yaml, &mut text, &stop).unwrap_err();
    assert_eq!((refused.to_string().as_str(), text.len()), ("interrupted", 0));
    assert!(model.in_fractions(&StopSignal::default()).unwrap().is_exact());
}
