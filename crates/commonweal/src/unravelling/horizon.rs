//! The horizon: the least step from which the prefix test proves that no deviation pays. [Lem. 2]
//!
//! At step j a choice passes if every prefix sum `Σ_{i≤k} λ_i^j Δ_i(s,a)` is at most 0. By Abel summation a choice that
//! passes at j passes at every later step, so its first step is found by doubling and bisection, and the horizon is
//! the latest of these. Choices are asked in turn, each only whether it passes at the horizon so far: nearly all do.
//! Cost: one sign per principal and choice, and O(log H) more for each choice that moves the horizon.

use super::{Advantages, exponential_sum::DiscountRatios};
use crate::model::{ChoiceId, StateId};
use crate::number::Enclosure;
use crate::principals::OrderedModel;
use std::cmp::Ordering;

/// The horizon, or `None` if it does not fit 64 bits.
pub fn horizon(model: &OrderedModel, advantages: &Advantages, ratios: &DiscountRatios) -> Option<u64> {
    let test = PrefixTest { advantages, ratios };
    let mut horizon = 0;
    let mut weights = ratios.weights(horizon);
    for state in model.states() {
        for choice in model.choices(state) {
            if test.passes(state, choice, horizon, &weights) {
                continue;
            }
            horizon = test.first_pass(state, choice, horizon)?;
            weights = ratios.weights(horizon);
        }
    }
    Some(horizon)
}

/// The first step at which one choice passes the prefix test, or `None` if it does not fit 64 bits.
pub fn first_passing_step(
    advantages: &Advantages,
    ratios: &DiscountRatios,
    state: StateId,
    choice: ChoiceId,
) -> Option<u64> {
    let test = PrefixTest { advantages, ratios };
    match test.passes(state, choice, 0, &ratios.weights(0)) {
        true => Some(0),
        false => test.first_pass(state, choice, 0),
    }
}

/// The prefix test of single choices.
struct PrefixTest<'a> {
    advantages: &'a Advantages<'a>,
    ratios: &'a DiscountRatios,
}

impl PrefixTest<'_> {
    fn passes(&self, state: StateId, choice: ChoiceId, step: u64, weights: &[Enclosure]) -> bool {
        let enclosures = self.advantages.of(choice);
        (0..enclosures.len()).all(|last| {
            // A prefix that ends with a loss is below the prefix before it, which passed.
            if enclosures[last].upper() <= 0.0 {
                return true;
            }
            let exact = |i| self.advantages.exact(state, choice, i);
            self.ratios.sign(weights, step, &enclosures[..=last], exact) != Ordering::Greater
        })
    }

    /// The first step after `fails` at which the choice passes.
    fn first_pass(&self, state: StateId, choice: ChoiceId, mut fails: u64) -> Option<u64> {
        let passes_at = |step| self.passes(state, choice, step, &self.ratios.weights(step));
        let mut stride = 1u64;
        let mut passes = loop {
            let step = fails.checked_add(stride)?;
            if passes_at(step) {
                break step;
            }
            fails = step;
            stride = stride.checked_mul(2)?;
        };
        while passes - fails > 1 {
            let middle = fails + (passes - fails) / 2;
            if passes_at(middle) { passes = middle } else { fails = middle }
        }
        Some(passes)
    }
}
