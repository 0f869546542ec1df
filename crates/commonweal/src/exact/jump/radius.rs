//! The radius: an upper bound on the difference between the values at a step and those of a strategy that is followed from
//! there for some steps.
//!
//! Two values of part i differ by at most `C_i = (max R_i − min R_i)/(1 − λ_i)`. After m steps of the same decisions
//! this still holds, and seen from the first of these steps it is `λ_i^m C_i`. In units of λ_0^b, with b that first step, the
//! welfare differs by at most `r = Σ_i ρ_i^b λ_i^m C_i`. Cost: one pass over the rewards.

use crate::exponential_sum::{DiscountRatios, reward_range};
use crate::number::{Rational, Scaled};
use crate::principals::OrderedModel;
use crate::strategy::Step;
use std::cmp::Ordering;

/// r for a strategy that is followed for `followed_for` steps from `step` on, as a point that is at least r.
pub(super) fn radius(model: &OrderedModel, ratios: &DiscountRatios, step: &Step, followed_for: &Step) -> Scaled {
    let weights = ratios.weights(step);
    let of_part = |i: usize| farthest(model, i, followed_for).times(weights.scaled[i]);
    (0..model.n()).map(of_part).fold(Scaled::ZERO, Scaled::plus).upper()
}

/// `λ_i^m C_i`, as a point that is at least that; with m = 0, the greatest difference of two values of part i.
pub(crate) fn farthest(model: &OrderedModel, i: usize, followed_for: &Step) -> Scaled {
    let rewards = (0..model.n_choices()).map(|choice| &model.rewards(choice.into())[i]);
    distance(model.discount(i), rewards, followed_for)
}

/// `λ^m C` for one part with these rewards, as a point that is at least that.
pub(crate) fn distance<'r>(
    discount: &Rational,
    rewards: impl Iterator<Item = &'r Rational> + Clone,
    followed_for: &Step,
) -> Scaled {
    let [least, greatest] = reward_range(discount, rewards);
    Scaled::from(&(greatest - least)).times(Scaled::from(discount).power(followed_for.as_natural())).upper()
}

/// Whether a value is negligible this many steps before it is earned.
pub(crate) fn hides_what_follows(discount: &Rational, followed_for: &Step) -> bool {
    const BITS: isize = 60;
    let left = Scaled::from(discount).power(followed_for.as_natural());
    let little = Scaled::from(&Rational::from(2).pow(-BITS));
    matches!(left.compare(&little), Some(Ordering::Less))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use crate::principals::order;

    /// What parts with these discounts lose, in units of λ_0^step, if `stay` is followed for ever and not only for m
    /// steps: 3 and 5 at every step from then on. Summed up step by step, until the rest is below 2^-200 of it.
    fn lost(discounts: &[Rational], step: u32, m: u32) -> Rational {
        let power = |x: &Rational, n: u32| (0..n).fold(Rational::ONE, |power, _| power * x);
        let of_part = |(i, discount): (usize, &Rational)| {
            let reward = Rational::from([3, 5][i]);
            let mut payoff = Rational::ZERO;
            for later in m..m + 400 {
                payoff += power(discount, later) * &reward;
            }
            payoff * power(&(discount / &discounts[0]), step)
        };
        discounts.iter().enumerate().map(of_part).fold(Rational::ZERO, |sum, lost| sum + lost)
    }

    #[test]
    fn the_radius_is_what_the_time_after_a_stage_can_change_at_most() {
        let text = "principals: {p: 1/2, q: 2/5}\nstates: {s: {stay: {reward: {p: -1, q: 2}, to: s}, \
                    earn: {reward: {p: 2, q: 7}, to: s}}}\n";
        let model = read_model(text).expect("a model");
        let model = order(&model);
        let discounts = [0, 1].map(|i| model.discount(i).clone());
        for (step, m) in [(0, 0), (0, 1), (1, 0), (3, 7), (40, 16), (9, 100)] {
            let radius = radius(&model, &DiscountRatios::of(&model), &step.into(), &m.into());
            let lost = lost(&discounts, step, m);
            // At least the loss, and above it only by rounding errors: a part in 2^40.
            let above = &lost * Rational::from_quotient((1 << 40) + 1, 1 << 40);
            let at_least = radius.plus(-Scaled::from(&lost)).sign();
            assert_ne!(at_least, Some(std::cmp::Ordering::Less), "step {step}, {m} steps: {radius:?}");
            assert!(!radius.may_reach(&Scaled::from(&above)), "step {step}, {m} steps: {radius:?}");
        }
    }
}
