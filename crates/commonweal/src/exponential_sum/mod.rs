//! Exponential sums `Σ_i c_i λ_i^t`: their signs, and enclosures with a small relative error despite cancellation.
//!
//! Only ratios to the greatest discount matter for a sign: with ρ_i = λ_i/λ_0 the sum `Σ_i c_i ρ_i^t` neither overflows
//! nor loses its leading term. Doubles decide nearly every sign. An undecided sign is computed with 128 bits, then with twice as
//! many each time; once the exact sum is no longer than that, it is computed exactly. Powers use repeated squaring: a sign
//! costs O(n log t) products.

mod tail;

pub(crate) use tail::{TailFactors, lifetime, range_from, reward_range, step_weights, weights_from};

use crate::number::{Integer, Natural, Rational, Scaled, WideEnclosure, power, product};
use crate::principals::{OrderedModel, OrderedPart};
use crate::strategy::Step;
use dashu_base::BitTest;
use std::ops::Range;

/// An enclosure narrower than this part of the number it encloses needs no more bits.
const TIGHT: f64 = 1e-6;

/// The ratios ρ_i = λ_i/λ_0, most patient part first.
#[derive(Debug)]
pub struct DiscountRatios {
    exact: Vec<Rational>,
}

/// The weights ρ_i^t of one step, with enough bits that they stay precise to doubles over any number of steps back.
#[derive(Debug, Clone)]
pub struct Weights {
    /// The step t.
    pub step: Step,
    /// ρ_i^t, most patient part first.
    pub scaled: Vec<Scaled>,
    wide: Vec<WideEnclosure>,
}

impl Weights {
    /// ρ_i^t with as many bits as were asked for.
    pub(crate) fn wide(&self, i: usize) -> &WideEnclosure {
        &self.wide[i]
    }
}

impl DiscountRatios {
    /// The ratios of a model's discounts.
    pub fn of(model: &OrderedModel) -> DiscountRatios {
        DiscountRatios::between(model.parts())
    }

    /// The ratios of these discounts to the first one, which is the greatest.
    pub fn between(parts: &[OrderedPart]) -> DiscountRatios {
        let ratio = |i: usize| match i {
            0 => Rational::ONE,
            _ => &parts[i].discount / &parts[0].discount,
        };
        DiscountRatios { exact: (0..parts.len()).map(ratio).collect() }
    }

    /// ρ_i^step for every part. A discount of 0 counts the present step only: 0^0 = 1.
    pub fn weights(&self, step: &Step) -> Weights {
        self.weights_with(step, 128)
    }

    /// The same, known to about this many bits.
    pub(crate) fn weights_with(&self, step: &Step, bits: usize) -> Weights {
        // Squaring doubles the relative error, so a power loses about as many bits as its exponent has.
        let precision = bits + 2 * step.as_natural().bit_len();
        let wide: Vec<_> =
            self.exact.iter().map(|ratio| WideEnclosure::of(ratio, precision).power(step.as_natural())).collect();
        Weights { step: step.clone(), scaled: wide.iter().map(WideEnclosure::to_scaled).collect(), wide }
    }

    /// The weights of the step before; the step is not 0.
    pub fn step_back(&self, weights: &Weights) -> Weights {
        let step = &weights.step - 1;
        // Each step adds a rounding: after 2^32 steps the powers are computed anew.
        if (step.as_natural() & Natural::from(u32::MAX)).is_zero() {
            let precision = weights.wide.iter().map(WideEnclosure::precision).min().unwrap_or(0);
            return self.weights_with(&step, precision.saturating_sub(2 * weights.step.as_natural().bit_len()));
        }
        let earlier = |(weight, ratio): (&WideEnclosure, &Rational)| {
            if ratio.is_zero() {
                // Step 0 is formed anew above; at every other one the power is 0.
                return weight.clone();
            }
            let precision = weight.precision();
            weight.times(&WideEnclosure::of_quotient(
                &Integer::from(ratio.denominator().clone()),
                &ratio.numerator().clone().into_parts().1,
                precision,
            ))
        };
        let wide: Vec<_> = weights.wide.iter().zip(&self.exact).map(earlier).collect();
        Weights { step, scaled: wide.iter().map(WideEnclosure::to_scaled).collect(), wide }
    }

    /// `Σ_i c_i ρ_i^t` over the parts in `range`, where `enclosures` and `exact` give the same coefficients:
    /// an enclosure with a small relative error, or the point 0. Its sign is known unless the sum is too close to 0 for any
    /// affordable precision.
    pub(crate) fn sum(
        &self,
        weights: &Weights,
        range: Range<usize>,
        enclosures: &[Scaled],
        exact: impl Fn(usize) -> (Integer, Natural),
    ) -> Scaled {
        let terms = range.clone().map(|i| enclosures[i].times(weights.scaled[i]));
        let sum = terms.fold(Scaled::ZERO, Scaled::plus);
        if sum.is_tight(TIGHT) {
            return sum;
        }
        let coefficients: Vec<(Integer, Natural)> = range.clone().map(exact).collect();
        // The weights are stored with more bits than doubles have.
        let sum = wide_sum(&coefficients, &weights.wide[range.clone()]).to_scaled();
        if sum.is_tight(TIGHT) {
            return sum;
        }
        let ratios = &self.exact[range];
        let exact_bits = exact_bits(&coefficients, ratios, &weights.step);
        let mut precision = 256;
        while precision < exact_bits {
            let bits = precision + 2 * weights.step.as_natural().bit_len();
            let powers: Vec<_> =
                ratios.iter().map(|ratio| WideEnclosure::of(ratio, bits).power(weights.step.as_natural())).collect();
            let sum = wide_sum(&coefficients, &powers).to_scaled();
            if sum.is_tight(TIGHT) || precision > MAX_PRECISION {
                return sum;
            }
            precision *= 2;
        }
        exact_sum(&coefficients, ratios, &weights.step)
    }
}

/// Beyond this many bits an undecided sum is given up, unless it can be computed exactly with fewer.
const MAX_PRECISION: usize = 1 << 20;

fn wide_sum(coefficients: &[(Integer, Natural)], powers: &[WideEnclosure]) -> WideEnclosure {
    let term = |((numerator, denominator), power): (&(Integer, Natural), &WideEnclosure)| {
        WideEnclosure::of_quotient(numerator, denominator, power.precision()).times(power)
    };
    let mut terms = coefficients.iter().zip(powers).map(term);
    let first = terms.next().expect("a sum over at least one principal");
    terms.fold(first, |sum, term| sum.plus(&term))
}

/// About how many bits the exact sum has over a common denominator.
fn exact_bits(coefficients: &[(Integer, Natural)], ratios: &[Rational], step: &Step) -> usize {
    let Ok(step) = usize::try_from(step) else { return usize::MAX };
    let of_coefficient = |(n, d): &(Integer, Natural)| n.bit_len() + d.bit_len();
    let coefficients: usize = coefficients.iter().map(of_coefficient).sum();
    ratios.iter().map(Rational::bits).fold(coefficients, |bits, ratio| bits.saturating_add(ratio.saturating_mul(step)))
}

fn exact_sum(coefficients: &[(Integer, Natural)], ratios: &[Rational], step: &Step) -> Scaled {
    let exponent = usize::try_from(step).expect("an exact sum is formed only where its length is affordable");
    let (mut sum, mut common) = (Integer::ZERO, Integer::ONE);
    for ((numerator, denominator), ratio) in coefficients.iter().zip(ratios) {
        let term = product(numerator, &power(ratio.numerator(), exponent));
        let below =
            product(&Integer::from(denominator.clone()), &power(&Integer::from(ratio.denominator().clone()), exponent));
        sum = product(&sum, &below) + product(&term, &common);
        common = product(&common, &below);
    }
    Scaled::of_quotient(&sum, &common.into_parts().1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(discounts: &[(u64, u64)]) -> DiscountRatios {
        let ratio = |&(numerator, denominator): &(u64, u64)| Rational::from(numerator) / Rational::from(denominator);
        DiscountRatios { exact: discounts.iter().map(ratio).collect() }
    }

    /// One product a step is enough for the others: powers that are formed anew at every step take a hundred times as long.
    #[test]
    fn a_discount_of_zero_changes_no_other_weight_and_counts_at_step_0_only() {
        let (with, without) = (ratios(&[(1, 1), (2, 3), (0, 1)]), ratios(&[(1, 1), (2, 3)]));
        let from = Step::from(20u64);
        let (mut one, mut other) = (with.weights(&from), without.weights(&from));
        while !one.step.is_zero() {
            (one, other) = (with.step_back(&one), without.step_back(&other));
            assert_eq!(one.wide[..2], other.wide[..], "step {:?}", one.step);
            let expected = if one.step.is_zero() { WideEnclosure::one(128) } else { WideEnclosure::zero(128) };
            assert_eq!(one.wide[2].to_scaled(), expected.to_scaled(), "step {:?}", one.step);
        }
    }
}
