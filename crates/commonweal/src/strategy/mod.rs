//! Strategies: what the agent does in each state, at each step.
//!
//! A [`CountingStrategy`] takes one choice per state and step; a positional one is a counting strategy without changes. A
//! [`Stationary`] strategy mixes choices by state. A [`Lottery`] draws a counting strategy once, at the start. A
//! [`Tossing`] strategy is a counting one with a few randomised decisions; it is evaluated as the lottery over their outcomes.

mod components;
mod counting;
mod lottery;
mod meetings;
pub(crate) mod memory;
mod recurrence;
mod stationary;
mod step;
mod tossing;

pub(crate) use components::components;
pub use counting::{Change, CountingStrategy};
pub use lottery::Lottery;
pub use meetings::{Meetings, Run};
pub(crate) use recurrence::Recurrence;
pub use stationary::Stationary;
pub use step::{Step, StepError};
pub use tossing::{Coin, Tossing};

use crate::model::{ChoiceId, StateId, Structure};

/// Why a strategy does not fit a model: it was made for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OtherModel {
    /// Another number of states.
    #[error("the strategy is for another model: it decides for {found} states, and this model has {expected}")]
    States {
        /// How many states it decides for.
        found: usize,
        /// How many the model has.
        expected: usize,
    },
    /// A choice that the state does not offer.
    #[error(
        "the strategy is for another model: in state number {} it takes choice number {}, which this state does not offer",
        state.index(), choice.index()
    )]
    Choice {
        /// The state.
        state: StateId,
        /// The choice.
        choice: ChoiceId,
    },
}

/// Checks that a strategy for `n_states` states takes choices of `model`, given those that it takes in each state.
fn check_choices<I: IntoIterator<Item = ChoiceId>>(
    model: &Structure,
    n_states: usize,
    taken: impl Fn(StateId) -> I,
) -> Result<(), OtherModel> {
    if n_states != model.n_states() {
        return Err(OtherModel::States { found: n_states, expected: model.n_states() });
    }
    for state in model.states() {
        let own = model.choice_range(state);
        if let Some(choice) = taken(state).into_iter().find(|choice| !own.contains(&choice.index())) {
            return Err(OtherModel::Choice { state, choice });
        }
    }
    Ok(())
}

impl Strategy {
    /// An error if the strategy does not decide for the states of `model`, by choices that they offer.
    pub fn check(&self, model: &Structure) -> Result<(), OtherModel> {
        match self {
            Strategy::Counting(counting) => counting.check(model),
            Strategy::Stationary(stationary) => stationary.check(model),
            Strategy::Lottery(lottery) => lottery.shares().iter().try_for_each(|(_, counting)| counting.check(model)),
        }
    }
}

/// Any strategy that this program evaluates or simulates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// One choice per state and step.
    Counting(CountingStrategy),
    /// One mix of choices per state, for ever.
    Stationary(Stationary),
    /// One of several counting strategies, drawn once at the start.
    Lottery(Lottery),
}

impl From<CountingStrategy> for Strategy {
    fn from(strategy: CountingStrategy) -> Strategy {
        Strategy::Counting(strategy)
    }
}

impl From<Lottery> for Strategy {
    fn from(strategy: Lottery) -> Strategy {
        Strategy::Lottery(strategy)
    }
}

impl From<Stationary> for Strategy {
    fn from(strategy: Stationary) -> Strategy {
        Strategy::Stationary(strategy)
    }
}
