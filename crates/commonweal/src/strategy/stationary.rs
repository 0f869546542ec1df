//! Stationary strategies: a fixed mix of choices per state.

use super::{OtherModel, check_choices};
use crate::model::{ChoiceId, Structure};
use crate::number::{Rational, sum};

/// Per state, the choices taken with a positive probability; the probabilities sum to exactly 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stationary {
    mix: Vec<Vec<(ChoiceId, Rational)>>,
}

impl Stationary {
    /// A strategy from each state's mix.
    ///
    /// # Panics
    /// If a probability is not positive, a mix does not sum to 1, or takes another state's choice.
    pub fn new(model: &Structure, mix: Vec<Vec<(ChoiceId, Rational)>>) -> Stationary {
        assert_eq!(mix.len(), model.n_states(), "one mix per state");
        for (state, parts) in model.states().zip(&mix) {
            assert!(parts.iter().all(|(choice, _)| model.state_of(*choice) == state), "a state takes its own choices");
            assert!(parts.iter().all(|(_, probability)| *probability > Rational::ZERO), "probabilities are positive");
            assert!(sum(parts.iter().map(|(_, probability)| probability.clone())).is_one(), "a mix sums to 1");
        }
        Stationary { mix }
    }

    /// An error if the strategy does not decide for the states of `model`, by choices that they offer.
    pub fn check(&self, model: &Structure) -> Result<(), OtherModel> {
        check_choices(model, self.mix.len(), |state| self.mix(state).iter().map(|(choice, _)| *choice))
    }

    /// The choices of a state with their probabilities.
    pub fn mix(&self, state: crate::model::StateId) -> &[(ChoiceId, Rational)] {
        &self.mix[state.index()]
    }
}
