use super::*;
use crate::exact::solve;
use crate::families::{RandomFamily, Seeded};
use crate::io::read_model;
use crate::solve::Options;
use std::collections::{BTreeMap, BTreeSet};

fn classes_of(model: &Mdp, alternatives: Alternatives) -> Vec<usize> {
    let labels = labels((0..model.n_choices()).map(|choice| model.rewards(choice.into())));
    let classes = Classes::of(model, &labels, alternatives, &StopSignal::default()).expect("fractions are exact");
    classes.class_of.iter().map(|&class| classes.first[class as usize].index()).collect()
}

fn classes(text: &str) -> Vec<usize> {
    classes_of(&read_model(text).expect("a model"), Alternatives::Listed)
}

#[test]
fn twins_are_alike_and_their_chances_add_up() {
    let text = "principals: {p: 1/2, q: 1/3}\nstates:\n  hub: {left: {to: {one: 1/2, two: 1/2}}, right: {to: two}}\n  \
                one: {go: {reward: 1, to: {hub: 1/3, one: 2/3}}}\n  two: {go: {reward: 1, to: {hub: 1/3, one: 1/3, two: 1/3}}}\n";
    assert_eq!(classes(text), [0, 1, 1]);
}

/// Each state of a chain with one reward at its end is separated by its distance from the end. A chain of 30,000 states is fast
/// only if the largest part of a split block is not used as a splitter again.
#[test]
fn a_chain_is_told_apart_from_its_end() {
    let n = 30_000;
    let states = (0..n).map(|s| format!("  s{s}: {{go: {{to: s{}}}}}\n", s + 1)).collect::<String>();
    let text = format!("principals: {{p: 1/2}}\nstates:\n{states}  s{n}: {{go: {{reward: 1, to: s{n}}}}}\n");
    assert_eq!(classes(&text), (0..=n).collect::<Vec<_>>());
}

#[test]
fn the_order_of_choices_matters_only_where_ties_are_to_be_decided_alike() {
    let text = "principals: {p: 1/2}\nstates:\n  s: {a: {reward: 1, to: s}, b: {to: t}}\n  t: {b: {to: s}, a: {reward: 1, to: t}}\n";
    let model = read_model(text).expect("a model");
    assert_eq!(classes_of(&model, Alternatives::Listed), [0, 1]);
    assert_eq!(classes_of(&model, Alternatives::Any), [0, 0]);
}

#[test]
fn doubles_are_added_up_exactly_or_not_at_all() {
    for (double, is_exact) in
        [(1.0, true), (0.1, true), (2f64.powi(-68), true), (2f64.powi(-69), false), (5e-324, false)]
    {
        let sum = Chance::exactly(&double);
        assert_eq!(sum.is_some(), is_exact, "{double}");
        if let Some(sum) = sum {
            let exact = Rational::try_from(double).expect("finite") * Rational::from(2).pow(FIXED_BITS as isize);
            assert_eq!(exact, Rational::from_parts(sum.into(), 1u32.into()), "{double}");
        }
    }
}

fn family(seed: u64) -> RandomFamily {
    RandomFamily {
        n_states: 3 + seed as usize % 12,
        n_actions: 1 + seed as usize % 3,
        n_successors: 1 + seed as usize % 2,
        discounts: vec![Rational::from_quotient(2, 3), Rational::from_quotient(3, 5)],
        max_denominator: 2,
        max_reward: u64::from(seed.is_multiple_of(5)),
        seed,
    }
}

/// Against a naive refinement of all states in every round.
#[test]
fn classes_are_those_of_plain_refinement() {
    let mut coarse = 0;
    for seed in 0..400 {
        let model = family(seed).model().expect("a model");
        for alternatives in [Alternatives::Listed, Alternatives::Any] {
            let mut plain = vec![0usize; model.n_states()];
            loop {
                let sign = |state: StateId| {
                    let of_choice = |choice| {
                        let mut row = BTreeMap::new();
                        for (target, p) in model.transitions(choice) {
                            *row.entry(plain[target.index()]).or_insert(Rational::ZERO) += p;
                        }
                        (model.rewards(choice).to_vec(), row.into_iter().collect::<Vec<_>>())
                    };
                    let mut listed: Vec<_> = model.choices(state).map(of_choice).collect();
                    if alternatives == Alternatives::Any {
                        listed = listed.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
                    }
                    (plain[state.index()], listed)
                };
                let signs: Vec<_> = model.states().map(sign).collect();
                let next: Vec<usize> =
                    signs.iter().map(|sign| signs.iter().position(|s| s == sign).expect("itself")).collect();
                if next == plain {
                    break;
                }
                plain = next;
            }
            let said = classes_of(&model, alternatives);
            assert_eq!(said, plain, "seed {seed}, {alternatives:?}");
            coarse += usize::from((0..said.len()).any(|s| said[s] != s));
        }
    }
    assert!(coarse > 100, "only {coarse} models have states that are alike");
}

/// The model with every state doubled: each choice leads to one copy or the other of each successor, or to both by halves.
fn doubled(model: &Mdp, seed: u64) -> Mdp {
    let mut random = Seeded::new(seed);
    let names: Vec<String> = (0..2 * model.n_states()).map(|state| format!("s{state}")).collect();
    let principals = model.principals().to_vec();
    let mut builder = crate::model::ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("names");
    for state in 0..2 * model.n_states() {
        for choice in model.choices(StateId::from(state / 2)) {
            let mut row: Vec<(StateId, Rational)> = Vec::new();
            for (target, chance) in model.transitions(choice) {
                let copy = |which: usize| StateId::from(2 * target.index() + which);
                match random.below(3) {
                    2 => row.extend([0, 1].map(|which| (copy(which), chance / Rational::from(2)))),
                    which => row.push((copy(which as usize), chance.clone())),
                }
            }
            let name = format!("a{}", choice.index());
            builder.choice(StateId::from(state), &name, model.rewards(choice).to_vec(), row).expect("a choice");
        }
    }
    builder.finish().expect("a model")
}

/// The lifted answer of the quotient is that of the walk over all states, decision by decision.
#[test]
fn a_doubled_model_has_the_answer_of_the_model_in_both_copies() {
    let mut counted = 0;
    for seed in 0..150 {
        let model = RandomFamily { max_reward: 4, max_denominator: 6, ..family(seed) }.model().expect("a model");
        let doubled = doubled(&model, seed);
        let options = Options { keep_proof: true, ..Options::default() };
        let lifted = solve(&doubled, &options);
        let n_classes = lifted.n_up_to_symmetry().expect("copies are alike");
        assert!(n_classes <= model.n_states(), "seed {seed}");
        let plain = crate::exact::solve_plainly(&doubled, &options);
        assert_eq!(plain.n_up_to_symmetry(), None);
        assert_eq!(lifted.claim(), plain.claim(), "seed {seed}");
        assert_eq!(lifted.horizon(), plain.horizon(), "seed {seed}");
        assert_eq!(lifted.strategy(), plain.strategy(), "seed {seed}");
        for state in doubled.states() {
            assert_eq!(lifted.welfare(state), plain.welfare(state), "seed {seed}");
            assert_eq!(lifted.memory(state), plain.memory(state), "seed {seed}");
            assert_eq!(lifted.long_term_choices(state), plain.long_term_choices(state), "seed {seed}");
            for principal in (0..doubled.n_principals()).map(crate::model::PrincipalId::from) {
                assert_eq!(lifted.payoff(principal, state), plain.payoff(principal, state), "seed {seed}");
                let own = |answer: &crate::Answer| answer.long_term_payoff(principal, state);
                assert_eq!(own(&lifted), own(&plain), "seed {seed}");
            }
        }
        counted += usize::from(!lifted.horizon().is_zero());
    }
    assert!(counted > 50, "only {counted} models have a horizon");
}

/// In doubles, the bounds of the quotient's answer contain the exact welfare of every state of the model.
#[test]
fn bounds_of_a_doubled_model_hold_what_is_earned_in_both_copies() {
    for seed in 0..100 {
        let model = RandomFamily { max_reward: 4, max_denominator: 6, ..family(seed) }.model().expect("a model");
        let doubled = doubled(&model, seed);
        let exact = crate::exact::solve_plainly(&doubled, &Options::default());
        let doubles = doubled.to_doubles().expect("doubles");
        let bounds = crate::certified::solve(&doubles, 1e-9, &Options::default());
        assert!(bounds.n_up_to_symmetry().is_some_and(|n| n <= model.n_states()), "seed {seed}");
        for state in doubled.states() {
            let (bounds, exact) = (bounds.welfare_enclosure(state), exact.welfare_enclosure(state));
            assert!(bounds.lower() <= exact.upper() && exact.lower() <= bounds.upper(), "seed {seed}: {bounds:?}");
        }
    }
}

#[test]
fn a_raised_signal_ends_the_search_for_equivalent_states() {
    let n = 5_000;
    let states = (0..n).map(|s| format!("  s{s}: {{go: {{to: s{}}}}}\n", s + 1)).collect::<String>();
    let end = format!("  s{n}: {{stay: {{reward: 1, to: s{n}}}}}\n  twin: {{stay: {{reward: 1, to: s{n}}}}}\n");
    let model = read_model(&format!("principals: {{p: 1/2}}\nstates:\n{states}{end}")).expect("a model");
    assert!(Quotient::of(&model, &StopSignal::default()).is_some());
    assert!(Quotient::of(&model, &StopSignal::after_polls(1)).is_none());
    let doubles = model.to_doubles().expect("doubles");
    let stop = StopSignal::after_polls(1);
    assert!(Quotient::of_doubles(&doubles, &stop).is_none());
    assert!(stop.polls_left() < 0, "it was polled, and ended");
}
