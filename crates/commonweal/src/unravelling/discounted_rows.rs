//! λ P in doubles, for expectations of enclosures.

use crate::model::{ChoiceId, Model, StateId};
use crate::number::{LEAST_WEIGHT, Rational, Scaled};
use std::collections::HashMap;

/// λ P(t|s,a), each the nearest double. 8 bytes a transition.
#[derive(Debug)]
pub(crate) struct DiscountedRows {
    first: Vec<usize>,
    weights: Vec<f64>,
    /// The rows with a weight so small that a double beside it says little: enclosures in its place.
    tiny: HashMap<ChoiceId, Vec<Scaled>>,
}

impl DiscountedRows {
    pub(crate) fn of(model: &Model, discount: &Rational) -> DiscountedRows {
        let weights = Vec::with_capacity(model.n_transitions());
        let mut rows = DiscountedRows { first: vec![0], weights, tiny: HashMap::new() };
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let exact = || model.probabilities(choice).iter().map(|probability| probability * discount);
            rows.weights.extend(exact().map(|weight| weight.to_f64().value()));
            rows.first.push(rows.weights.len());
            let is_tiny = |&weight: &f64| weight < LEAST_WEIGHT && !discount.is_zero();
            if rows.of_choice(choice).iter().any(is_tiny) {
                rows.tiny.insert(choice, exact().map(|weight| Scaled::from(&weight)).collect());
            }
        }
        rows
    }

    /// Whether plain doubles serve for every row.
    pub(crate) fn are_ordinary(&self) -> bool {
        self.tiny.is_empty()
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
        if let Some(weights) = self.tiny.get(&choice) {
            let terms = weights.iter().zip(model.targets(choice)).map(|(weight, &target)| weight.times(of(target)));
            return terms.fold(Scaled::ZERO, Scaled::plus);
        }
        Scaled::dot(self.of_choice(choice), model.targets(choice).iter().map(|&target| of(target)))
    }
}
