//! The rows of an exact model in doubles, each probability the nearest one, for guesses and searches.
//!
//! The states, choices and targets are the model's own; only the numbers are copied. There are three other representations of P,
//! each for its own use: a model in doubles lends its arrays ([`Arrays`](crate::model::Arrays));
//! [`PolicyRows`](super::sweep::PolicyRows) has one choice per state, without gaps; and
//! [`DiscountedRows`](super::discounted_rows::DiscountedRows) holds λP, rounded once from the exact product.

use crate::model::{Arrays, ChoiceId, Mdp, StateId, Structure};
use std::ops::Range;
use std::sync::Arc;

/// P(t|s,a). 8 bytes per transition in addition to the model.
#[derive(Debug)]
pub(crate) struct Rows {
    structure: Arc<Structure>,
    probability: Vec<f64>,
}

impl Rows {
    pub fn of(model: &Mdp) -> Rows {
        let choices = (0..model.n_choices()).map(ChoiceId::from);
        let probability = choices.flat_map(|choice| model.probabilities(choice)).map(|p| p.to_f64()).collect();
        Rows { structure: model.shared_structure(), probability }
    }

    /// The flat arrays, without rewards.
    pub fn arrays(&self) -> Arrays<'_, f64> {
        self.structure.arrays(&self.probability, &[])
    }

    /// The positions of a state's choices.
    pub fn choices(&self, state: StateId) -> Range<usize> {
        self.structure.choice_range(state)
    }

    /// The targets and the probabilities of a choice.
    #[inline]
    pub fn row(&self, choice: ChoiceId) -> (&[StateId], &[f64]) {
        let range = self.structure.transition_range(choice);
        (self.structure.targets(choice), &self.probability[range])
    }
}

/// `Σ_{t≠s} p(t) v(t)` and p(s): the row of a state s as a Gauss–Seidel step needs it, which solves it for v(s).
#[inline(always)]
pub(crate) fn leaving(state: StateId, targets: &[StateId], probabilities: &[f64], values: &[f64]) -> (f64, f64) {
    let (mut later, mut stays) = (0.0, 0.0);
    for (target, p) in targets.iter().zip(probabilities) {
        if *target == state { stays = *p } else { later += p * values[target.index()] }
    }
    (later, stays)
}
