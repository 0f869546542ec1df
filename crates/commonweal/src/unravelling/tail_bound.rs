//! What can be gained from a step on, at most. (Prefix test with slack.)
//!
//! Let `C_k(s,a) = Σ_{p≤k} ρ_p^H Δ_p(s,a)` and κ_k ≥ 0 an upper bound of C_k over all choices. By Abel summation
//! `D_t ≤ Σ_{k<n−1} (λ_k^{t−H} − λ_{k+1}^{t−H}) κ_k + λ_{n−1}^{t−H} κ_{n−1}` for every t ≥ H, in units of λ_0^H, so from
//! H on at most `T(κ) = Σ_{k<n−1} κ_k (1/(1−λ_k) − 1/(1−λ_{k+1})) + κ_{n−1}/(1−λ_{n−1})` is gained. With κ = 0 this is the
//! stopping rule of the horizon.

use super::{Advantages, exponential_sum::DiscountRatios};
use crate::model::ChoiceId;
use crate::number::{Enclosure, Rational};
use crate::principals::OrderedModel;

/// An upper bound of what any strategy gains from `step` on, in units of λ_0^step.
pub fn tail_bound(model: &OrderedModel, advantages: &Advantages, ratios: &DiscountRatios, step: u64) -> f64 {
    let weights = ratios.weights(step);
    let mut slack = vec![0.0f64; model.n()];
    for choice in (0..model.n_choices()).map(ChoiceId::from) {
        let mut prefix = Enclosure::ZERO;
        for ((slack, advantage), weight) in slack.iter_mut().zip(advantages.of(choice)).zip(&weights) {
            prefix = prefix.plus(advantage.times(*weight));
            *slack = slack.max(prefix.upper());
        }
    }
    let lifetime = |i: usize| Rational::ONE / (Rational::ONE - model.discount(i));
    let bound = (0..model.n()).map(|k| {
        let weight = match k + 1 < model.n() {
            true => lifetime(k) - lifetime(k + 1),
            false => lifetime(k),
        };
        Enclosure::new(slack[k], slack[k]).times(Enclosure::from(&weight))
    });
    bound.fold(Enclosure::ZERO, Enclosure::plus).upper()
}
