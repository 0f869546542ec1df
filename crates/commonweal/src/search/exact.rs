//! Exact computations of a search: the welfare of a strategy, and the relaxation if doubles cannot decide a comparison.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use crate::evaluation::evaluate;
use crate::exact::solve;
use crate::exponential_sum::reward_range;
use crate::model::{ChoiceId, Mdp, ModelBuilder, StateId};
use crate::number::{Enclosure, Rational};
use crate::principals::OrderedModel;
use crate::solve::Options;
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Stationary, Strategy};
use std::cmp::Ordering;

/// The part of `model` that strategies within `allowed` reach from the start, and no other choice.
fn restricted(model: &Mdp, doubles: &Doubles, allowed: impl Fn(usize) -> bool + Copy) -> (Mdp, Vec<u32>) {
    let reach = doubles.reachable(allowed);
    let position = doubles.positions(&reach);
    let mut builder =
        ModelBuilder::numbered(model.principals().to_vec(), reach.len()).expect("a part of a valid model");
    builder.start(StateId::from(position[doubles.start]));
    for &state in &reach {
        for choice in doubles.choices(state as usize).filter(|&choice| allowed(choice)).map(ChoiceId::from) {
            let to = model.transitions(choice).map(|(t, p)| (StateId::from(position[t.index()]), p.clone()));
            let from = StateId::from(position[state as usize]);
            let rewards = model.rewards(choice).iter().cloned();
            builder.choice(from, &model.action_name(choice), rewards, to).expect("a part of a valid model");
        }
    }
    (builder.finish().expect("a part of a valid model"), reach)
}

/// Bounds on the welfare of every strategy: each principal's least and greatest reward for ever.
pub(super) fn welfare_range(model: &OrderedModel) -> [Rational; 2] {
    let of_principal = |i: usize| {
        let rewards = (0..model.n_choices()).map(|choice| &model.rewards(ChoiceId::from(choice))[i]);
        reward_range(model.discount(i), rewards)
    };
    let both = |[least, greatest]: [Rational; 2], [a, b]: [Rational; 2]| [least + a, greatest + b];
    (0..model.n()).map(of_principal).fold([Rational::ZERO, Rational::ZERO], both)
}

/// What a positional strategy earns from the start, given as one choice per state; `None` if stopped.
pub(super) fn positional_welfare(
    model: &Mdp,
    doubles: &Doubles,
    chosen: &[ChoiceId],
    stop: &StopSignal,
) -> Option<Rational> {
    let takes = |choice: usize| chosen[model.state_of(ChoiceId::from(choice)).index()].index() == choice;
    let (part, _) = restricted(model, doubles, takes);
    let only = part.states().map(|state| part.choices(state).next().expect("a state has a choice"));
    let strategy = Strategy::Counting(CountingStrategy::positional(only));
    welfare_of(&part, &strategy, stop)
}

/// What a stationary strategy earns from the start; `None` if stopped.
pub(super) fn stationary_welfare(
    model: &Mdp,
    doubles: &Doubles,
    mix: &[Vec<(ChoiceId, Rational)>],
    stop: &StopSignal,
) -> Option<Rational> {
    let mut share = vec![None; model.n_choices()];
    for (choice, probability) in mix.iter().flatten() {
        share[choice.index()] = Some(probability);
    }
    let (part, reach) = restricted(model, doubles, |choice| share[choice].is_some());
    let of_state = |(index, &state): (usize, &u32)| {
        let shares = doubles.choices(state as usize).filter_map(|choice| share[choice]);
        part.choices(StateId::from(index)).zip(shares.cloned()).collect()
    };
    let strategy = Stationary::new(&part, reach.iter().enumerate().map(of_state).collect());
    welfare_of(&part, &Strategy::Stationary(strategy), stop)
}

/// A strategy of the part of a model that it reaches, evaluated exactly; `None` if stopped.
fn welfare_of(part: &Mdp, strategy: &Strategy, stop: &StopSignal) -> Option<Rational> {
    /// What an entry of a system in fractions takes, in about nanoseconds.
    const ENTRY: u64 = 500;
    let n_parts: usize = part.principals().iter().flat_map(|own| own.segments()).map(|own| own.parts.len()).sum();
    stop.spend(ENTRY * (n_parts * part.n_states() * part.n_states()) as u64);
    evaluate(part, strategy, stop).ok()?.welfare(part.start()).exact
}

/// The comparison of the relaxation of a box of pure choices with a number, if it is decided.
pub(super) fn compare_relaxation(
    model: &Mdp,
    doubles: &Doubles,
    within: &ActionBox,
    number: &Rational,
    stop: &StopSignal,
) -> Option<Ordering> {
    const LAYERS: u64 = 20_000;
    /// A comparison that takes more work than this is left open.
    const MOST: u64 = 1_000_000_000;
    let (part, _) = restricted(model, doubles, |choice| within.allows(choice));
    // Of its own, so that a comparison does not depend on those beside it.
    let own = stop.for_part().with_budget(MOST, MOST);
    let options = Options { layer_limit: LAYERS, stop: own, ..Options::default() };
    let welfare = solve(&part, &options).welfare(part.start());
    stop.spend(options.stop.spent());
    match welfare.exact {
        Some(exact) => Some(exact.cmp(number)),
        None => welfare.enclosure.compare(&Enclosure::from(number)),
    }
}
