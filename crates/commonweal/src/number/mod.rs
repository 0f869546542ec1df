//! Numbers: exact ones, and enclosures of them.
//!
//! This is the only place that rounds. Everything a solver says about a model is either a [`Rational`], or an
//! [`Enclosure`] in doubles, or a [`WideEnclosure`] with as many bits as a question needs. A comparison of enclosures
//! may be undecided, and says so: `None` means refine or go exact, never guess.

mod enclosure;
mod exact_vector;
mod model_number;
mod parse;
mod plain;
mod product;
mod rounding;
mod rounding_budget;
mod scaled;
mod upper_bound;
mod value;
mod wide;

pub use enclosure::Enclosure;
pub use exact_vector::ExactVector;
pub use model_number::ModelNumber;
pub use parse::{NumberError, parse_rational};
pub use plain::{LEAST_WEIGHT, PlainVector, plain_sum};
pub use product::{power, product};
pub use rounding::{doubles_around, nearest_double};
pub use rounding_budget::RoundingBudget;
pub use scaled::Scaled;
pub use upper_bound::UpperBound;
pub use value::{Value, Values, weighted_enclosure, weighted_quotient};
pub use wide::WideEnclosure;

/// An exact fraction in lowest terms.
pub type Rational = dashu_ratio::RBig;
/// An exact integer.
pub type Integer = dashu_int::IBig;
/// An exact integer that is not negative.
pub type Natural = dashu_int::UBig;

/// The sum of exact numbers.
pub fn sum(numbers: impl IntoIterator<Item = Rational>) -> Rational {
    numbers.into_iter().fold(Rational::ZERO, |sum, number| sum + number)
}
