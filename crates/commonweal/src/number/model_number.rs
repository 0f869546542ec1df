//! The numbers that a model's arrays hold: exact fractions, or doubles next to them.
//!
//! A model in doubles represents one in exact numbers, its *true* model. Let a unit be u = 2^-53 times a number, or 2^-1074 if
//! that is more, and k the number of successors of a choice. Each of its probabilities is within k + 3 units of the true one,
//! and the true ones sum to exactly 1. Proof:
//!
//! - A row of doubles may be built as it is if its sum is within (k + 1) u of 1 as [`row_sum`](ModelNumber::row_sum) finds it,
//!   which is within (k + 2) u, and a little more, of what it is. Its true row is this one divided by its sum.
//! - A row that a file writes is rounded to doubles first, one unit each. If these sum to 1 within (k − 1) u they stay, and the
//!   true row, which is the written one divided by its sum, is within (k − 1) + 3 units. Otherwise they are divided by their
//!   sum: one unit for each, two for the sum, one for the quotient. A row of one successor is 1 and has no error.

use super::{NumberError, Rational, UNIT_ROUNDOFF, parse_rational};
use std::fmt::{Debug, Display};

/// The least positive double.
const LEAST: f64 = f64::from_bits(1);
/// Integers up to this are doubles.
const LARGEST_INTEGER: u64 = 1 << 53;
/// The longest denominator, in bits, over which the probabilities of one choice are added up.
const MAX_SUM_BITS: usize = 200_000;
/// A row of decimals whose sum is this near to 1 was computed in floating point; one that is further off is an error.
const FURTHEST: f64 = 1e-9;

/// The rows with rounding errors, whose sums were near 1 but not 1, and which were divided by their sums.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Divided {
    /// How many there were.
    pub rows: usize,
    /// The largest difference of a sum from 1.
    pub largest: f64,
}

impl Divided {
    /// Counts a row whose sum was this far from 1.
    pub(crate) fn count(&mut self, distance: f64) {
        self.rows += 1;
        self.largest = self.largest.max(distance);
    }
}

/// A number of a model: [`Rational`] for the exact engine, `f64` for the certified one.
pub trait ModelNumber: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// Nothing.
    const ZERO: Self;
    /// Certainty.
    const ONE: Self;

    /// Whether the number is greater than 0.
    fn is_probability(&self) -> bool;

    /// Whether the number is finite and not NaN.
    fn is_number(&self) -> bool;

    /// Whether it is NaN.
    fn is_nan(&self) -> bool;

    /// The reward that a text writes: the number itself, or the double nearest to it, which may be infinite.
    fn parse_reward(text: &str) -> Result<Self, NumberError>;

    /// The probability that a text writes: the number itself, or the double nearest to it. One above 0 stays above 0.
    fn parse_probability(text: &str) -> Result<Self, NumberError>;

    /// The representation of an exact reward: itself, or the nearest double, which may be infinite.
    fn from_reward(exact: Rational) -> Self;

    /// The representation of an exact probability: itself, or the nearest double. A probability above 0 stays above 0.
    fn from_probability(exact: Rational) -> Self;

    /// The quotient of two integers, or the double nearest to it; the denominator is not 0.
    fn from_quotient(numerator: i64, denominator: u64) -> Self;

    /// The value of a double; `None` for NaN and infinities.
    fn from_double(double: f64) -> Option<Self>;

    /// The exact value; `None` for NaN and infinities.
    fn to_exact(&self) -> Option<Rational>;

    /// The sum of two rewards; of doubles, rounded.
    fn plus(&self, other: &Self) -> Self;

    /// The quotient by a positive number; of doubles, rounded.
    fn divided_by(&self, divisor: &Self) -> Self;

    /// The sum of positive numbers; of doubles, within about one u. `None` if the exact sum is too long to be found.
    fn row_sum(row: &[Self]) -> Option<Self>;

    /// The difference of the sum of a row from 1; 0 if the row, read from a file, need not be scaled.
    fn distance_from_one(sum: &Self, row_length: usize) -> f64;

    /// Whether the sum of a row of decimals differs from 1 only by rounding errors: within 10^-9.
    fn is_near_one(sum: &Self) -> bool;

    /// Whether numbers, all positive, may be built as a row of probabilities. If not, what they sum to.
    fn check_row(row: &[Self]) -> Result<(), String>;

    /// Divides positive numbers by their sum, if they are not a valid row but differ from one only by rounding errors; returns the
    /// difference of the sum from 1. Fractions are never scaled.
    fn scale_row(row: &mut [Self]) -> Option<f64>;
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

    fn is_nan(&self) -> bool {
        false
    }

    fn parse_reward(text: &str) -> Result<Rational, NumberError> {
        parse_rational(text)
    }

    fn parse_probability(text: &str) -> Result<Rational, NumberError> {
        parse_rational(text)
    }

    fn from_reward(exact: Rational) -> Rational {
        exact
    }

    fn from_probability(exact: Rational) -> Rational {
        exact
    }

    fn from_quotient(numerator: i64, denominator: u64) -> Rational {
        Rational::from_quotient(numerator, denominator)
    }

    fn from_double(double: f64) -> Option<Rational> {
        Rational::try_from(double).ok()
    }

    fn to_exact(&self) -> Option<Rational> {
        Some(self.clone())
    }

    fn plus(&self, other: &Rational) -> Rational {
        self + other
    }

    fn divided_by(&self, divisor: &Rational) -> Rational {
        self / divisor
    }

    fn row_sum(row: &[Rational]) -> Option<Rational> {
        row.iter().try_fold(Rational::ZERO, |sum, probability| {
            let bits = sum.denominator_bits() + probability.denominator_bits();
            (bits <= MAX_SUM_BITS).then(|| sum + probability)
        })
    }

    fn distance_from_one(sum: &Rational, _: usize) -> f64 {
        f64::from_probability((sum - Rational::ONE).abs())
    }

    fn is_near_one(sum: &Rational) -> bool {
        (sum - Rational::ONE).abs() <= Rational::from_quotient(1, 1_000_000_000)
    }

    fn check_row(row: &[Rational]) -> Result<(), String> {
        let sum = row.iter().fold(Rational::ZERO, |sum, probability| sum + probability);
        if sum.is_one() { Ok(()) } else { Err(sum.to_string()) }
    }

    fn scale_row(_: &mut [Rational]) -> Option<f64> {
        None
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

    fn is_nan(&self) -> bool {
        f64::is_nan(*self)
    }

    fn parse_reward(text: &str) -> Result<f64, NumberError> {
        if let Some(double) = quick_double(text) {
            return Ok(double);
        }
        parse_rational(text).map(f64::from_reward)
    }

    fn parse_probability(text: &str) -> Result<f64, NumberError> {
        match quick_double(text) {
            Some(double) if double != 0.0 => Ok(double),
            _ => parse_rational(text).map(f64::from_probability),
        }
    }

    fn from_reward(exact: Rational) -> f64 {
        exact.to_f64()
    }

    fn from_probability(exact: Rational) -> f64 {
        match exact.to_f64() {
            0.0 if exact.is_probability() => LEAST,
            double => double,
        }
    }

    fn from_quotient(numerator: i64, denominator: u64) -> f64 {
        if numerator.unsigned_abs() <= LARGEST_INTEGER && denominator <= LARGEST_INTEGER {
            // The quotient of two doubles is rounded once.
            numerator as f64 / denominator as f64
        } else {
            f64::from_reward(Rational::from_quotient(numerator, denominator))
        }
    }

    fn from_double(double: f64) -> Option<f64> {
        double.is_finite().then_some(double)
    }

    fn to_exact(&self) -> Option<Rational> {
        Rational::try_from(*self).ok()
    }

    fn plus(&self, other: &f64) -> f64 {
        self + other
    }

    fn divided_by(&self, divisor: &f64) -> f64 {
        self / divisor
    }

    /// Neumaier's sum: the rounding errors of the additions are summed separately.
    fn row_sum(row: &[f64]) -> Option<f64> {
        let (mut sum, mut lost) = (0.0f64, 0.0f64);
        for &number in row {
            let next = sum + number;
            lost += if sum >= number { (sum - next) + number } else { (number - next) + sum };
            sum = next;
        }
        // The correction of an infinite sum is NaN.
        Some(if sum.is_finite() { sum + lost } else { sum })
    }

    fn distance_from_one(sum: &f64, row_length: usize) -> f64 {
        let distance = (sum - 1.0).abs();
        if distance <= (row_length as f64 - 1.0) * UNIT_ROUNDOFF { 0.0 } else { distance }
    }

    fn is_near_one(sum: &f64) -> bool {
        // The double below 1 + 10^-9 may be further from 1 than that, by less than it is itself rounded.
        (sum - 1.0).abs() <= FURTHEST + f64::EPSILON
    }

    fn check_row(row: &[f64]) -> Result<(), String> {
        let sum = f64::row_sum(row).unwrap_or(f64::NAN);
        let allowed = (row.len() as f64 + 1.0) * UNIT_ROUNDOFF;
        if (sum - 1.0).abs() <= allowed { Ok(()) } else { Err(sum.to_string()) }
    }

    fn scale_row(row: &mut [f64]) -> Option<f64> {
        if f64::check_row(row).is_ok() {
            return None;
        }
        let sum = f64::row_sum(row).filter(f64::is_near_one)?;
        row.iter_mut().for_each(|entry| *entry /= sum);
        Some((sum - 1.0).abs())
    }
}

/// The double nearest to a decimal or to a fraction of small integers. `None` if the text may be something else.
fn quick_double(text: &str) -> Option<f64> {
    match text.parse::<f64>() {
        // A double that is not finite is an overflow, or a word such as `nan`.
        Ok(double) => double.is_finite().then_some(double),
        Err(_) => {
            let (numerator, denominator) = text.split_once('/')?;
            let denominator = denominator.parse().ok().filter(|&denominator| denominator != 0)?;
            Some(f64::from_quotient(numerator.parse().ok()?, denominator))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn doubles_are_read_from_the_same_texts_as_fractions() {
        let long = format!("1{}/3{}", "0".repeat(400), "0".repeat(400));
        for text in [
            "3",
            "-0.5",
            "+.25",
            "5.",
            "1e-3",
            "2/3",
            "-2/3",
            "+2/3",
            "0.5/0.25",
            " 1 / 3 ",
            "9007199254740993/2",
            &long,
        ] {
            let exact = Rational::parse_reward(text).unwrap();
            assert_eq!(f64::parse_reward(text), Ok(f64::from_reward(exact)), "{text}");
        }
        for text in ["", "nan", "inf", "-infinity", "1/0", "1/2/3", "0x1", "1e99999", "one", "1_0", "1/-"] {
            assert_eq!(f64::parse_reward(text).unwrap_err(), Rational::parse_reward(text).unwrap_err(), "{text}");
            assert!(f64::parse_probability(text).is_err(), "{text}");
        }
        assert_eq!(f64::parse_reward("1e400"), Ok(f64::INFINITY));
    }

    #[test]
    fn what_is_above_zero_stays_above_zero_as_a_probability() {
        assert_eq!(f64::parse_probability("1e-400"), Ok(LEAST));
        assert_eq!(f64::parse_reward("1e-400"), Ok(0.0));
        assert_eq!(f64::parse_probability("0.000"), Ok(0.0));
        assert!(!f64::parse_probability("-1e-400").unwrap().is_probability());
    }

    proptest! {
        #[test]
        fn a_quotient_is_rounded_once(numerator in any::<i64>(), denominator in 1u64..) {
            let exact = Rational::from_quotient(numerator, denominator);
            prop_assert_eq!(f64::from_quotient(numerator, denominator), f64::from_reward(exact));
        }

        /// Within u of the exact sum, and a little more.
        #[test]
        fn the_sum_of_a_row_is_nearly_exact(row in proptest::collection::vec(0.0f64..1.0, 1..2000)) {
            let sum = f64::row_sum(&row).unwrap().to_exact().unwrap();
            let exact = row.iter().fold(Rational::ZERO, |sum, entry| sum + entry.to_exact().unwrap());
            let error = (sum - &exact).abs();
            prop_assert!(error <= exact * Rational::from_quotient(1001, 1000) * UNIT_ROUNDOFF.to_exact().unwrap());
        }
    }
}
