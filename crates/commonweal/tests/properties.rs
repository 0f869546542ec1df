//! Attempts to refute the solver on thousands of random small models.

mod oracle;

use oracle::answer::Figure;
use oracle::{Answer, Plain, Reference, ask, on_random_models, q, random, verdict};

/// Models whose horizon is longer than this are left out: the reference goes step by step.
const LONGEST: usize = 600;
/// How many strategies the enumeration may look at.
const BUDGET: usize = 300;

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
    on_random_models(5000..6500, |plain| {
        counted += usize::from(verdict::is_best_of_all(plain, &ask(plain)?, BUDGET)?);
        Ok(())
    });
    assert!(counted > 500, "only {counted} models could be enumerated");
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

/// The yardsticks are worth something only if they agree where none of them knows of the others.
#[test]
fn the_yardsticks_agree_with_each_other() {
    let mut counted = 0;
    on_random_models(10_000..10_300, |plain| {
        let Some(reference) = Reference::solve(plain, LONGEST) else { return Ok(()) };
        let answer = Answer::of_reference(&reference);
        verdict::fits_itself(plain, &answer)?;
        verdict::lies_within_truncation(plain, &answer)?;
        verdict::long_term_is_lexicographic(plain, &answer, 64)?;
        counted += usize::from(verdict::is_best_of_all(plain, &answer, BUDGET)?);
        Ok(())
    });
    assert!(counted > 100, "only {counted} models could be enumerated");
}

/// A right answer with one false claim is refused, whatever the claim: otherwise the other tests prove nothing.
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

/// What the tests above are about does occur in the models that they draw.
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
    let floors = [150, 40, 10, 150, 100, 60, 5, 20];
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
