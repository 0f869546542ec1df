//! Values that are short fractions although the horizon is long.
//!
//! Against the long-term values V_i a part gains nothing from a state if no choice that is ever taken there, or in any state
//! reached from it, has an advantage for it: from such a *settled* state it gets exactly V_i, at every step. The value of a
//! state from which all runs settle within a few steps is a short sum.

use crate::exact::walk::Problem;
use crate::model::{ChoiceId, StateId, Structure};
use crate::number::{LONGEST_BITS, Rational};
use crate::strategy::{CountingStrategy, Step};

/// The least number of steps within which a run may settle.
const STEPS: u64 = 256;
/// The products that more steps may take, over all parts: less than a second.
const WORK: usize = 1_000_000;

/// The payoff of part i under `strategy` from each state, if it is known to be a short fraction.
pub(in crate::exact) fn settled_values(
    problem: Problem,
    strategy: &CountingStrategy,
    i: usize,
) -> Vec<Option<Rational>> {
    let Problem { model, long_term, .. } = problem;
    let settled = settled_states(problem, strategy, i);
    let in_the_end = |index: usize| settled[index].then(|| long_term.values[i].get(index)).filter(is_short);
    let base: Vec<Option<Rational>> = (0..model.n_states()).map(in_the_end).collect();
    let mut values = base.clone();
    for step in (0..steps_to_settle(problem, i)).rev().map(Step::from) {
        let of_state = |index: usize| {
            if settled[index] {
                return base[index].clone();
            }
            let choice = strategy.choice(StateId::from(index), &step);
            let later = model.transitions(choice).try_fold(Rational::ZERO, |sum, (target, chance)| {
                values[target.index()].as_ref().map(|value| sum + chance * value)
            });
            later.map(|later| &model.rewards(choice)[i] + model.discount(i) * later).filter(is_short)
        };
        values = (0..model.n_states()).map(of_state).collect();
    }
    values
}

/// The number of steps that keep a fraction short (it grows by a discount at each step) and are cheap.
fn steps_to_settle(problem: Problem, i: usize) -> u64 {
    let model = problem.model;
    let short = LONGEST_BITS / model.discount(i).bits().max(1);
    let quick = WORK / (model.n() * model.n_transitions());
    STEPS.max(short.min(quick) as u64)
}

fn is_short(value: &Rational) -> bool {
    value.bits() <= LONGEST_BITS
}

/// Per state, whether no choice that is ever taken from it on has an advantage for part i.
fn settled_states(problem: Problem, strategy: &CountingStrategy, i: usize) -> Vec<bool> {
    let Problem { model, advantages, .. } = problem;
    let taken = |state: StateId| strategy.changes(state).iter().map(|change| change.choice);
    let has_none = |choice: ChoiceId| advantages.of(choice)[i].is_zero();
    without_leaving(model.mdp(), model.mdp().states().map(|state| taken(state).all(has_none)).collect(), taken)
}

/// The greatest part of `states` that no choice taken in it leaves.
pub(in crate::exact) fn without_leaving<I: Iterator<Item = ChoiceId>>(
    model: &Structure,
    mut states: Vec<bool>,
    taken: impl Fn(StateId) -> I,
) -> Vec<bool> {
    loop {
        let leaves = |choice: ChoiceId| model.targets(choice).iter().any(|target| !states[target.index()]);
        let leaving: Vec<StateId> =
            model.states().filter(|&state| states[state.index()] && taken(state).any(leaves)).collect();
        if leaving.is_empty() {
            return states;
        }
        leaving.into_iter().for_each(|state| states[state.index()] = false);
    }
}
