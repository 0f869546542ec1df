//! Sums of products in plain doubles, with one error term for the whole sum.
//!
//! The fast path of the induction: numbers that are far from overflow and underflow are stored as three arrays (lower end,
//! upper end, magnitude), and soundness costs one more sum. With u = 2^-53, a sum of k products of two factors that are each
//! within a relative error of 2u has an error below (k + 6) u times the sum of magnitudes. Every error term below is at least
//! twice that, which covers its own rounding, and has a floor for underflow.

use super::directed::UNIT_ROUNDOFF;
use super::{Enclosure, Scaled};

/// More than the absolute error of a product that underflows.
const FLOOR: f64 = 1e-290;
/// A product with a smaller weight may underflow and lose its relative precision.
pub const LEAST_WEIGHT: f64 = 1e-150;

/// The sum of `numbers[i] · weights[i]`, of which both are within one unit in the last place, and a bound on its error.
pub fn plain_sum(numbers: &[f64], weights: &[f64]) -> (f64, f64) {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for (number, weight) in numbers.iter().zip(weights) {
        let term = number * weight;
        sum += term;
        magnitude += term.abs();
    }
    (sum, 2.0 * (numbers.len() as f64 + 6.0) * UNIT_ROUNDOFF * magnitude + FLOOR)
}

/// Enclosures far from overflow and underflow, one per state, by ends.
#[derive(Debug, Default)]
pub struct PlainVector {
    lower: Vec<f64>,
    upper: Vec<f64>,
    magnitude: Vec<f64>,
}

impl PlainVector {
    /// The same numbers, if each is 0 or far from overflow and underflow.
    pub fn of(numbers: &[Scaled]) -> Option<PlainVector> {
        let mut plain = PlainVector {
            lower: Vec::with_capacity(numbers.len()),
            upper: Vec::with_capacity(numbers.len()),
            magnitude: Vec::with_capacity(numbers.len()),
        };
        for number in numbers {
            let enclosure = number.as_plain()?;
            plain.lower.push(enclosure.lower());
            plain.upper.push(enclosure.upper());
            plain.magnitude.push(enclosure.lower().abs().max(enclosure.upper().abs()));
        }
        Some(plain)
    }

    /// `Σ_k weights[k] · self[indices[k]]` for weights that are at least [`LEAST_WEIGHT`] and within one unit in the last place.
    /// Exactly 0 where all these numbers are.
    pub fn dot(&self, weights: &[f64], indices: impl Iterator<Item = usize>) -> Enclosure {
        let (mut lower, mut upper, mut magnitude) = (0.0, 0.0, 0.0);
        let mut all_zero = true;
        for (weight, index) in weights.iter().zip(indices) {
            all_zero &= self.magnitude[index] == 0.0;
            lower += weight * self.lower[index];
            upper += weight * self.upper[index];
            magnitude += weight * self.magnitude[index];
        }
        if all_zero {
            return Enclosure::ZERO;
        }
        let error = 2.0 * (weights.len() as f64 + 6.0) * UNIT_ROUNDOFF * magnitude + FLOOR;
        Enclosure::new(lower - error, upper + error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Integer, Natural, Rational, sum};
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1u64.., 0usize..150, 0usize..150)
            .prop_map(|(n, d, up, down)| Rational::from_parts(Integer::from(n) << up, Natural::from(d) << down))
    }

    fn inside(low: f64, high: f64, exact: &Rational) -> bool {
        let exact = Enclosure::from(exact);
        low <= exact.lower() && exact.upper() <= high
    }

    proptest! {
        #[test]
        fn the_exact_sums_lie_inside(terms in prop::collection::vec((0u32.., 1u32.., rational()), 1..9)) {
            let weights: Vec<Rational> = terms.iter().map(|(a, b, _)| Rational::from_parts((*a).into(), (*b).into())).collect();
            let exact = sum(weights.iter().zip(&terms).map(|(weight, (_, _, x))| weight * x));
            let lower_end = |x: &Rational| Enclosure::from(x).lower();
            let weights: Vec<f64> = weights.iter().map(lower_end).collect();
            let numbers: Vec<f64> = terms.iter().map(|(_, _, x)| lower_end(x)).collect();
            let (value, error) = plain_sum(&numbers, &weights);
            prop_assert!(inside(value - error, value + error, &exact));
            let scaled: Vec<Scaled> = terms.iter().map(|(_, _, x)| Scaled::from(x)).collect();
            let dot = PlainVector::of(&scaled).unwrap().dot(&weights, 0..terms.len());
            prop_assert!(inside(dot.lower(), dot.upper(), &exact));
        }
    }
}
