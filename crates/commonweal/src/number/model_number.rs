//! The numbers that a model's arrays hold: exact fractions, or doubles next to them.
//!
//! A model in doubles stands for one in exact numbers, its *true* model. With u = 2^-53 and k the number of successors
//! of a choice, each of its k probabilities is within k + 3 units u of the true one, relatively (below the normal doubles:
//! within 2^-1074 of it), and the true ones sum to exactly 1. So a row of doubles whose sum is within (k + 3) u of 1 is
//! valid: dividing it by its sum gives true probabilities that are near enough.

use super::{Rational, nearest_double};
use std::fmt::{Debug, Display};

/// u: what rounding to the nearest double changes at most, relatively.
const UNIT: f64 = f64::EPSILON / 2.0;
/// The least positive double.
const LEAST: f64 = f64::from_bits(1);

/// A number of a model: [`Rational`] for the exact engine, `f64` for the certified one.
pub trait ModelNumber: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// Nothing.
    const ZERO: Self;
    /// Certainty.
    const ONE: Self;

    /// Whether the number is greater than 0.
    fn is_probability(&self) -> bool;

    /// Whether the number is one: not infinite, and not the result of no computation.
    fn is_number(&self) -> bool;

    /// `None` if the numbers, all positive, are a row of probabilities; otherwise what they sum to.
    fn wrong_sum(row: &[Self]) -> Option<String>;
}

impl ModelNumber for Rational {
    const ZERO: Rational = Rational::ZERO;
    const ONE: Rational = Rational::ONE;

    fn is_probability(&self) -> bool {
        *self > Rational::ZERO
    }

    fn is_number(&self) -> bool {
        true
    }

    fn wrong_sum(row: &[Rational]) -> Option<String> {
        let sum = row.iter().fold(Rational::ZERO, |sum, probability| sum + probability);
        (!sum.is_one()).then(|| sum.to_string())
    }
}

impl ModelNumber for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn is_probability(&self) -> bool {
        *self > 0.0
    }

    fn is_number(&self) -> bool {
        self.is_finite()
    }

    fn wrong_sum(row: &[f64]) -> Option<String> {
        let sum = compensated_sum(row);
        // The sum itself is within 2 u: the true one is within (k + 3) u of 1.
        let allowed = (row.len() as f64 + 1.0) * UNIT;
        ((sum - 1.0).abs() > allowed || sum.is_nan()).then(|| sum.to_string())
    }
}

/// The sum of numbers, none of which is negative, within 2 u of itself for fewer than 2^26 of them (Neumaier).
fn compensated_sum(numbers: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for &number in numbers {
        let next = sum + number;
        lost += if sum >= number { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The double that stands for a probability: the nearest one, or the least positive one where that is 0.
pub fn probability_as_double(probability: &Rational) -> f64 {
    match nearest_double(probability.numerator(), probability.denominator()) {
        0.0 => LEAST,
        double => double,
    }
}

/// The double nearest to a reward; infinite where that is out of range.
pub fn reward_as_double(reward: &Rational) -> f64 {
    nearest_double(reward.numerator(), reward.denominator())
}
