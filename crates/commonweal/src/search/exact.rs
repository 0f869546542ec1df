//! Exact computations of a search: the welfare of a strategy, and the relaxation if doubles cannot decide a comparison.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use super::relaxation::Relaxer;
use crate::evaluation::evaluate;
use crate::exact::solve;
use crate::exponential_sum::{lifetime, reward_range};
use crate::model::{ChoiceId, Mdp, ModelBuilder, StateId};
use crate::number::{Enclosure, Rational, Value};
use crate::principals::{OrderedModel, OrderedPart};
use crate::solve::{Limits, Options};
use crate::stop::{FRACTION, Pace, StopSignal};
use crate::strategy::{CountingStrategy, Stationary, Strategy};
use std::cmp::Ordering;

/// The part of `model` that strategies within `allowed` reach from the start, and no other choice; `None` if stopped.
fn restricted(
    model: &Mdp,
    doubles: &Doubles,
    allowed: impl Fn(ChoiceId) -> bool + Copy,
    stop: &StopSignal,
) -> Option<(Mdp, Vec<StateId>)> {
    let mut pace = Pace::of(stop);
    let reach = doubles.reachable(allowed);
    let position = doubles.positions(&reach);
    let mut builder =
        ModelBuilder::numbered(model.principals().to_vec(), reach.len()).expect("a part of a valid model");
    builder.start(StateId::from(position[doubles.start.index()]));
    for &state in &reach {
        if pace.stops_after(FRACTION * doubles.n_terms(state)) {
            return None;
        }
        for choice in doubles.choices(state).filter(|&choice| allowed(choice)) {
            let to = model.transitions(choice).map(|(t, p)| (StateId::from(position[t.index()]), p.clone()));
            let from = StateId::from(position[state.index()]);
            let rewards = model.rewards(choice).iter().cloned();
            builder.choice(from, &model.action_name(choice), rewards, to).expect("a part of a valid model");
        }
    }
    Some((builder.finish().expect("a part of a valid model"), reach))
}

/// Bounds on the welfare of every strategy that takes these choices: each part's least and greatest reward for ever.
pub(super) fn welfare_range(model: &OrderedModel, choices: &[ChoiceId]) -> [Rational; 2] {
    let mdp = model.mdp();
    let choices = || choices.iter().copied();
    let extremes = |p: usize| reward_range(&Rational::ZERO, choices().map(move |choice| &mdp.rewards(choice)[p]));
    let own: Vec<[Rational; 2]> = (0..mdp.n_principals()).map(extremes).collect();
    let of_part = |(i, part): (usize, &OrderedPart)| match part.terms.as_slice() {
        // A mixture has dozens of such parts, whose rewards are multiples of each other.
        [(p, factor)] => {
            let [a, b] = own[p.index()].clone().map(|reward| reward * factor * lifetime(&part.discount));
            if a <= b { [a, b] } else { [b, a] }
        }
        _ => reward_range(&part.discount, choices().map(|choice| &model.rewards(choice)[i])),
    };
    let both = |[least, greatest]: [Rational; 2], [a, b]: [Rational; 2]| [least + a, greatest + b];
    model.parts().iter().enumerate().map(of_part).fold([Rational::ZERO, Rational::ZERO], both)
}

/// The welfare that no strategy of a box exceeds because of the rewards alone, in the units of [`Doubles`].
pub(super) fn greatest_welfare(model: &OrderedModel, doubles: &Doubles, within: &ActionBox) -> f64 {
    let [_, greatest] = welfare_range(model, &doubles.met(|choice| within.allows(choice)));
    -doubles.scaled_below(&-greatest)
}

/// A lower bound on the welfare of a mix of whole choices with about these values, without an exact evaluation.
pub(super) fn least_welfare(ordered: &OrderedModel, relaxer: &Relaxer, mix: &[f64], values: &[f64]) -> Rational {
    let takes = |choice: ChoiceId| mix[choice.index()] > 0.0;
    let [least, _] = welfare_range(ordered, &relaxer.model.met(takes));
    let own = Rational::try_from(relaxer.at_least(mix, values)).map(|scaled| scaled * relaxer.model.unit());
    own.map_or(least.clone(), |own| own.max(least))
}

/// What a positional strategy earns from the start, given as one choice per state; `None` if stopped.
pub(super) fn positional_welfare(
    model: &Mdp,
    doubles: &Doubles,
    chosen: &[ChoiceId],
    stop: &StopSignal,
) -> Option<Rational> {
    let takes = |choice: ChoiceId| chosen[model.state_of(choice).index()] == choice;
    let (part, _) = restricted(model, doubles, takes, stop)?;
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
    let (part, reach) = restricted(model, doubles, |choice| share[choice.index()].is_some(), stop)?;
    let of_state = |(index, &state): (usize, &StateId)| {
        let shares = doubles.choices(state).filter_map(|choice| share[choice.index()]);
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

/// Whether the relaxation of a box of pure choices is proven to earn no more than this.
pub(super) fn earns_at_most(
    model: &Mdp,
    doubles: &Doubles,
    within: &ActionBox,
    welfare: &Rational,
    stop: &StopSignal,
) -> bool {
    matches!(compare_relaxation(model, doubles, within, welfare, stop), Some(Ordering::Less | Ordering::Equal))
}

/// The comparison of the relaxation of a box of pure choices with a number, if it is decided.
pub(super) fn compare_relaxation(
    model: &Mdp,
    doubles: &Doubles,
    within: &ActionBox,
    number: &Rational,
    stop: &StopSignal,
) -> Option<Ordering> {
    let welfare = relaxation(model, doubles, within, stop)?;
    match welfare.exact {
        Some(exact) => Some(exact.cmp(number)),
        None => welfare.enclosure.compare(&Enclosure::from(number)),
    }
}

/// What the relaxation of a box of pure choices earns, in fractions if that is affordable; `None` if stopped.
pub(super) fn relaxation(model: &Mdp, doubles: &Doubles, within: &ActionBox, stop: &StopSignal) -> Option<Value> {
    const LAYERS: u64 = 20_000;
    /// A solve that takes more work than this is left with bounds.
    const MOST: u64 = 1_000_000_000;
    let (part, _) = restricted(model, doubles, |choice| within.allows(choice), stop)?;
    // Of its own, so that a comparison does not depend on those beside it.
    let own = stop.for_part().with_budget(MOST, MOST);
    let options = Options { limits: Limits::of_layers(LAYERS), stop: own, ..Options::default() };
    let welfare = solve(&part, &options).welfare(part.start());
    stop.spend(options.stop.spent());
    Some(welfare)
}
