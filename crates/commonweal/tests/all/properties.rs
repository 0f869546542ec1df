//! Tests of the solver on thousands of random small models.

use crate::oracle;
use crate::oracle::answer::{Figure, ask_with};
use crate::oracle::plain::{from_double, from_solver, to_solver};
use crate::oracle::random::Rng;
use crate::oracle::{Answer, Plain, Q, Reference, ask, on_models, on_random_models, q, random, verdict};
use commonweal::Options;
use commonweal::internals::evaluation::{Payoffs, evaluate};
use commonweal::internals::exact::own_best;
use commonweal::internals::model::{ChoiceId, PrincipalId};
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::{Change, CountingStrategy, Stationary, Step, Strategy};
use commonweal::limits::Limits;
use num_traits::Zero;

/// Models whose horizon is longer than this are left out: the reference goes step by step.
const LONGEST: usize = 600;
/// How many strategies the enumeration may look at.
const BUDGET: usize = 1024;

#[test]
fn every_answer_is_that_of_the_papers_algorithm_ties_included() {
    let mut judged = 0;
    on_random_models(0..3000, |plain| {
        let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
        judged += 1;
        verdict::agrees_with_reference(&ask(plain)?, &reference)
    });
    assert!(judged > 2800, "only {judged} models were judged");
}

#[test]
fn numbers_beyond_doubles_are_exact_all_the_same() {
    let mut judged = 0;
    on_models(40_000..40_600, random::extreme, |plain| {
        let Some(reference) = Reference::solve(plain, 40) else { return Ok(()) };
        judged += 1;
        verdict::agrees_with_reference(&ask(plain)?, &reference)
    });
    assert!(judged > 300, "only {judged} models were judged");
}

#[test]
fn a_dozen_or_two_states_are_solved_like_a_few() {
    let mut judged = 0;
    on_models(41_000..41_060, random::larger, |plain| {
        let Some(reference) = Reference::solve(plain, 150) else { return Ok(()) };
        judged += 1;
        verdict::agrees_with_reference(&ask(plain)?, &reference)
    });
    assert!(judged > 40, "only {judged} models were judged");
}

/// Ten thousand models, every check, and a summary of all that is wrong in place of the first thing.
#[test]
#[ignore = "takes minutes; worth running after every change to the engine"]
fn a_long_search_finds_nothing() {
    let mut complaints: Vec<String> = Vec::new();
    let first: u64 = std::env::var("SEARCH_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    for seed in first..first + 10_000 {
        let make = [random::model, random::tiny, random::extreme, random::model, random::larger][match seed % 100 {
            0 => 4,
            rest => rest as usize % 4,
        }];
        let outcome = std::panic::catch_unwind(|| {
            on_models(seed..seed + 1, make, |plain| {
                let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
                let answer = ask(plain)?;
                verdict::agrees_with_reference(&answer, &reference)?;
                verdict::fits_itself(plain, &answer)
            });
        });
        if let Err(panic) = outcome {
            complaints.push(panic.downcast_ref::<String>().cloned().unwrap_or_default());
        }
    }
    assert!(complaints.is_empty(), "{} failures\n{}", complaints.len(), complaints.join("\n\n"));
}

#[test]
fn the_statements_of_an_answer_fit_each_other() {
    on_random_models(3000..4000, |plain| verdict::fits_itself(plain, &ask(plain)?));
}

#[test]
fn no_strategy_whatever_earns_more_than_the_welfare() {
    on_random_models(4000..4700, |plain| verdict::lies_within_truncation(plain, &ask(plain)?));
}

#[test]
fn the_welfare_is_the_best_of_all_counting_strategies_one_by_one() {
    let mut counted = 0;
    on_models(5000..6600, random::tiny, |plain| {
        counted += usize::from(verdict::is_best_of_all(plain, &ask(plain)?, BUDGET)?);
        Ok(())
    });
    assert!(counted > 250, "only {counted} models could be enumerated");
}

/// Found by the tests above and made small.
#[test]
fn models_that_once_failed_are_solved() {
    let models = [
        // A panic while guessing the long-term strategy: no choice of a state looked good enough to keep.
        Plain::parse("999/1009", &["s0 a0 -1 -> s1", "s0 a1 0 -> s1:1/2 s0:1/2", "s1 a2 0 -> s2", "s2 a0 0 -> s0"]),
        // The same: a reward within the range of doubles whose perpetuity is not.
        Plain::parse("999999999/1000000000", &[&format!("s0 a0 4{} -> s0", "0".repeat(299))]),
    ];
    for plain in models {
        let reference = Reference::solve(&plain, LONGEST).expect("a short horizon");
        let answer = ask(&plain).expect("an exact answer");
        assert_eq!(verdict::agrees_with_reference(&answer, &reference), Ok(()), "{plain}");
    }
}

#[test]
fn the_long_term_choices_are_the_lexicographic_optimum_of_all_positional_strategies() {
    let mut counted = 0;
    on_random_models(7000..8000, |plain| {
        counted += usize::from(verdict::long_term_is_lexicographic(plain, &ask(plain)?, 64)?);
        Ok(())
    });
    assert!(counted > 800, "only {counted} models could be enumerated");
}

/// Stopped early, an answer gives bounds that hold, and a strategy that is worth the lower one.
#[test]
fn an_answer_that_stopped_early_still_bounds_the_welfare() {
    let mut stopped = 0;
    on_random_models(8000..8500, |plain| {
        let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
        let raised = StopSignal::default();
        raised.raise();
        let nothing = Options { stop: raised, ..Options::default() };
        let half = Options { limits: Limits::of_layers(reference.horizon as u64 / 2), ..Options::default() };
        let one = Options { limits: Limits::of_layers(1), ..Options::default() };
        for options in [half, one, nothing] {
            let answer = ask_with(plain, &options);
            stopped += usize::from(!answer.proven_optimal);
            let earned = oracle::evaluate::payoffs(plain, &answer.layers(), &answer.tail());
            let earned = oracle::evaluate::weighted(plain, &earned);
            for (state, figure) in answer.welfare.iter().enumerate() {
                let (Figure { lower, upper, .. }, best) = (figure, &reference.welfare[state]);
                let below = *lower == f64::NEG_INFINITY || from_double(*lower) <= earned[state];
                let above = *upper == f64::INFINITY || *best <= from_double(*upper);
                if !below || !above {
                    return Err(format!(
                        "with at most {} layers state {state} has welfare {best}, the strategy earns {}, but the bounds are {figure:?}",
                        options.limits.layers, earned[state]
                    ));
                }
            }
        }
        Ok(())
    });
    assert!(stopped > 500, "only {stopped} answers were stopped");
}

#[test]
fn what_a_strategy_earns_is_what_a_second_evaluation_says() {
    let equal = |plain: &Plain, said: &Payoffs, right: &[Vec<Q>]| {
        let welfare = oracle::evaluate::weighted(plain, right);
        for state in 0..plain.states.len() {
            for (principal, right) in right.iter().enumerate() {
                let figure = Figure::from(said.payoff(principal.into(), state.into()));
                verdict::same(&figure, &right[state], || format!("payoff of principal {principal} from {state}"))?;
            }
            let figure = Figure::from(said.welfare(state.into()));
            verdict::same(&figure, &welfare[state], || format!("welfare from {state}"))?;
        }
        Ok(())
    };
    on_random_models(8500..9000, |plain| {
        let model = plain.model();
        let mut rng = Rng::new(plain.to_string().len() as u64);
        let choice = |state: usize, choice: usize| ChoiceId::from(plain.first_choice(state) + choice);
        let last = rng.index(30);
        let layers: Vec<Vec<usize>> =
            (0..=last).map(|_| plain.states.iter().map(|choices| rng.index(choices.len())).collect()).collect();
        // Long stretches without a change, then one change after the other.
        let from: Vec<usize> = (0..=last).map(|step| step + if step > last / 2 { 100 } else { 0 }).collect();
        let changes = |state: usize| {
            let change = |(layer, from): (&Vec<usize>, &usize)| Change {
                from: Step::from(*from),
                choice: choice(state, layer[state]),
            };
            layers.iter().zip(&from).map(change).collect()
        };
        let strategy = CountingStrategy::from_changes(&model, (0..plain.states.len()).map(changes).collect());
        let at = |step: usize| layers[from.partition_point(|&from| from <= step) - 1].clone();
        let every_step: Vec<Vec<usize>> = (0..from[last]).map(at).collect();
        let right = oracle::evaluate::payoffs(plain, &every_step, &layers[last]);
        let said = evaluate(&model, &Strategy::Counting(strategy), &StopSignal::default());
        equal(plain, &said.map_err(|error| error.to_string())?, &right)?;

        let mix: Vec<Vec<Q>> = plain
            .states
            .iter()
            .map(|choices| {
                let shares: Vec<i64> = choices.iter().map(|_| rng.within(0, 5)).collect();
                let total = shares.iter().sum::<i64>();
                let share = |(position, share): (usize, &i64)| match total {
                    0 => q(i64::from(position == 0), 1),
                    _ => q(*share, total),
                };
                shares.iter().enumerate().map(share).collect()
            })
            .collect();
        let positive = |state: usize| {
            let shares = mix[state].iter().enumerate().filter(|(_, share)| !share.is_zero());
            shares.map(|(position, share)| (choice(state, position), to_solver(share))).collect()
        };
        let stationary = Stationary::new(&model, (0..plain.states.len()).map(positive).collect());
        let reward = |i: usize| move |state: usize, choice: usize| plain.states[state][choice].rewards[i].clone();
        let right: Vec<Vec<Q>> = (0..plain.principals.len())
            .map(|i| oracle::evaluate::stationary(plain, &mix, &plain.principals[i].discount, reward(i)))
            .collect();
        let said = evaluate(&model, &Strategy::Stationary(stationary), &StopSignal::default());
        equal(plain, &said.map_err(|error| error.to_string())?, &right)
    });
}

#[test]
fn alone_a_principal_gets_the_optimum_of_a_model_of_its_own() {
    on_random_models(9000..9500, |plain| {
        for principal in 0..plain.principals.len() {
            let mut alone = plain.clone();
            alone.principals = vec![plain.principals[principal].clone()];
            alone.principals[0].weight = q(1, 1);
            // A principal with a negative weight is best off with the least: the most of what it does not get.
            let direction = if plain.principals[principal].weight.is_negative() { q(-1, 1) } else { q(1, 1) };
            for choice in alone.states.iter_mut().flatten() {
                choice.rewards = vec![choice.rewards[principal].clone() * &direction];
            }
            let right = Reference::solve(&alone, 0).expect("one principal needs no memory").welfare;
            let right: Vec<Q> = right.into_iter().map(|most| most * &direction).collect();
            let said = own_best(&plain.model(), PrincipalId::from(principal), &StopSignal::default());
            let said = said.map_err(|reason| reason.to_string())?.payoffs;
            let exact = |state: usize| said.value(state).exact.expect("one discount");
            let said: Vec<Q> = (0..plain.states.len()).map(|state| from_solver(&exact(state))).collect();
            if said != right {
                return Err(format!("alone, principal {principal} gets {right:?}, not {said:?}"));
            }
        }
        Ok(())
    });
}

/// The independent oracles agree with each other.
#[test]
fn the_yardsticks_agree_with_each_other() {
    let mut counted = 0;
    on_random_models(10_000..10_300, |plain| {
        let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
        let answer = Answer::of_reference(&reference);
        verdict::fits_itself(plain, &answer)?;
        verdict::lies_within_truncation(plain, &answer)?;
        verdict::long_term_is_lexicographic(plain, &answer, 64)?;
        Ok(())
    });
    on_models(10_300..10_700, random::tiny, |plain| {
        let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
        counted += usize::from(verdict::is_best_of_all(plain, &Answer::of_reference(&reference), BUDGET)?);
        Ok(())
    });
    assert!(counted > 80, "only {counted} models could be enumerated");
}

/// A right answer with one false claim is refused, for every kind of claim: otherwise the other tests would be void.
#[test]
fn a_single_false_claim_is_refused() {
    let mut refused = [0; 8];
    for seed in 20_000..20_200 {
        let plain = random::model(seed);
        let Some(reference) = Reference::solve(&plain, 60) else { continue };
        let right = Answer::of_reference(&reference);
        assert_eq!(verdict::agrees_with_reference(&right, &reference), Ok(()), "seed {seed}");
        let state = seed as usize % plain.states.len();
        let shift = |figure: &mut Figure| {
            let exact = figure.exact.take().expect("an exact answer") + q(1, 1_000_000_007) * q(1, 1_000_000_009);
            *figure = Figure::of(&exact);
        };
        let falsehoods: [&dyn Fn(&mut Answer); 8] = [
            &|answer| answer.horizon += 1,
            &|answer| answer.memory[state] += 1,
            &|answer| shift(&mut answer.welfare[state]),
            &|answer| shift(&mut answer.long_term_welfare[state]),
            &|answer| shift(&mut answer.payoffs[0][state]),
            &|answer| {
                if plain.states[state].len() > 1 {
                    answer.changes[state][0].1 = (answer.changes[state][0].1 + 1) % plain.states[state].len();
                }
            },
            &|answer| {
                if right.long_term[state].len() > 1 {
                    answer.long_term[state].pop();
                }
            },
            &|answer| answer.welfare[state].upper = answer.welfare[state].upper.next_up().next_up(),
        ];
        for (kind, falsify) in falsehoods.into_iter().enumerate() {
            let mut answer = right.clone();
            falsify(&mut answer);
            if answer != right {
                refused[kind] += 1;
                assert!(verdict::agrees_with_reference(&answer, &reference).is_err(), "seed {seed}, falsehood {kind}");
                let notices_payoffs = matches!(kind, 2..=4 | 7);
                assert!(!notices_payoffs || verdict::fits_itself(&plain, &answer).is_err(), "seed {seed}, {kind}");
            }
        }
    }
    assert!(refused.iter().all(|&n| n > 20), "hardly tried: {refused:?}");
}

/// The random models contain the features that the tests above are about.
#[test]
fn the_random_models_have_ties_long_horizons_and_merged_principals() {
    let (mut ties, mut longer_than_30, mut longer_than_100, mut deviating, mut merged, mut zero) = (0, 0, 0, 0, 0, 0);
    let (mut detours, mut prefix_matters) = (0, 0);
    for seed in 0..600 {
        let plain = random::model(seed);
        let Some(reference) = Reference::solve(&plain, LONGEST) else { continue };
        ties += usize::from(reference.long_term.iter().any(|choices| choices.len() > 1));
        longer_than_30 += usize::from(reference.horizon > 30);
        longer_than_100 += usize::from(reference.horizon > 100);
        deviating += usize::from(reference.memory.iter().any(|&memory| memory > 0));
        let mut discounts: Vec<_> = plain.principals.iter().map(|who| &who.discount).collect();
        discounts.sort();
        zero += usize::from(*discounts[0] == q(0, 1));
        discounts.dedup();
        merged += usize::from(discounts.len() < plain.principals.len());
        let settled = Answer::of_reference(&reference).settled_from();
        prefix_matters += usize::from(settled < reference.horizon);
        let detour = |step: usize, state: usize| {
            let decision = reference.decision(step, state);
            decision != reference.long_term[state][0] && reference.long_term[state].contains(&decision)
        };
        detours +=
            usize::from((0..reference.horizon).any(|step| (0..plain.states.len()).any(|state| detour(step, state))));
    }
    let counts = [ties, longer_than_30, longer_than_100, deviating, merged, zero, detours, prefix_matters];
    let floors = [150, 60, 10, 200, 100, 60, 10, 8];
    assert!(counts.iter().zip(floors).all(|(&count, floor)| count >= floor), "{counts:?} against {floors:?}");
}

#[test]
fn a_model_reads_back_as_it_was_built() {
    for seed in 0..200 {
        let plain = random::model(seed);
        assert_eq!(Plain::of(&plain.model()), plain, "seed {seed}");
        let text = plain.to_string();
        let lines: Vec<&str> =
            text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\",")).collect();
        let principals = text.split('"').nth(1).expect("principals come first");
        assert_eq!(Plain::parse(principals, &lines), plain, "seed {seed}");
    }
}
