//! λ P in doubles, for expectations of enclosures.

use crate::model::{ChoiceId, Model, StateId};
use crate::number::{Rational, Scaled};

/// λ P(t|s,a), each the nearest double. 8 bytes a transition.
#[derive(Debug)]
pub(crate) struct DiscountedRows {
    first: Vec<usize>,
    weights: Vec<f64>,
}

impl DiscountedRows {
    pub(crate) fn of(model: &Model, discount: &Rational) -> DiscountedRows {
        let mut rows = DiscountedRows { first: vec![0], weights: Vec::with_capacity(model.n_transitions()) };
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let nearest = |probability: &Rational| (probability * discount).to_f64().value();
            rows.weights.extend(model.probabilities(choice).iter().map(nearest));
            rows.first.push(rows.weights.len());
        }
        rows
    }

    /// λ P(·|s,a), beside the choice's targets.
    pub(crate) fn of_choice(&self, choice: ChoiceId) -> &[f64] {
        &self.weights[self.first[choice.index()]..self.first[choice.index() + 1]]
    }

    /// `λ Σ_t P(t|s,a) of(t)`.
    pub(crate) fn expectation(
        &self,
        model: &Model,
        choice: ChoiceId,
        of: impl Fn(StateId) -> Scaled + Clone,
    ) -> Scaled {
        Scaled::dot(self.of_choice(choice), model.targets(choice).iter().map(|&target| of(target)))
    }
}
