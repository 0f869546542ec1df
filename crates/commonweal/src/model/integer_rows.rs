//! The transition rows in integers: `P(t | s, a) = weight / denominator`, one denominator per choice.

use super::{ChoiceId, Mdp};
use crate::number::{Integer, Natural, Rational, product};
use dashu_base::Gcd;

/// Every choice's probabilities over their least common denominator. 24 bytes a transition and a choice.
#[derive(Debug)]
pub struct IntegerRows {
    weight: Vec<Integer>,
    denominator: Vec<Natural>,
}

impl IntegerRows {
    /// The rows of `model`.
    pub fn of(model: &Mdp<Rational>) -> IntegerRows {
        let mut rows = IntegerRows {
            weight: Vec::with_capacity(model.n_transitions()),
            denominator: Vec::with_capacity(model.n_choices()),
        };
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let probabilities = model.probabilities(choice);
            let common = probabilities.iter().fold(Natural::ONE, |lcm, p| least_common_multiple(&lcm, p.denominator()));
            let scaled = |p: &Rational| p.numerator() * Integer::from(&common / p.denominator());
            rows.weight.extend(probabilities.iter().map(scaled));
            rows.denominator.push(common);
        }
        rows
    }

    /// `Σ_t P(t | choice) · numerators[t]`, times the choice's denominator.
    pub(crate) fn dot(&self, model: &Mdp, choice: ChoiceId, numerators: &[Integer]) -> Integer {
        let weights = &self.weight[model.transition_range(choice)];
        let mut sum = Integer::ZERO;
        for (target, weight) in model.targets(choice).iter().zip(weights) {
            let numerator = &numerators[target.index()];
            if !numerator.is_zero() {
                sum += product(numerator, weight);
            }
        }
        sum
    }

    /// The common denominator of a choice's probabilities.
    pub(crate) fn denominator(&self, choice: ChoiceId) -> &Natural {
        &self.denominator[choice.index()]
    }
}

/// The least common multiple of two positive integers.
pub(crate) fn least_common_multiple(a: &Natural, b: &Natural) -> Natural {
    if a == b {
        return a.clone();
    }
    a / a.gcd(b) * b
}
