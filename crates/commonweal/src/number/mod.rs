//! Numbers: exact ones, and enclosures of them.
//!
//! This is the only module that rounds. Every result of a solver is a [`Rational`], an [`Enclosure`] in doubles, or a
//! [`WideEnclosure`] with as many bits as a comparison needs. A comparison of enclosures may be undecided (`None`): the caller
//! then refines or goes exact, and never guesses.

mod directed;
mod enclosure;
mod exact_vector;
mod irrational;
mod mixture;
mod model_number;
mod parse;
mod plain;
mod product;
mod rate;
mod rational;
mod rounding;
mod rounding_budget;
mod scaled;
mod upper_bound;
mod value;
mod wide;

pub(crate) use directed::{UNIT_ROUNDOFF, product_down, product_up, quotient_down, quotient_up, sum_down, sum_up};
pub use enclosure::Enclosure;
pub use exact_vector::ExactVector;
pub(crate) use irrational::{logarithm, real_power, rounded_down};
pub use mixture::{FallingWeight, MOST_NODES, Mixture};
pub use model_number::{Divided, ModelNumber};
pub(crate) use parse::LONGEST_BITS;
pub use parse::{NumberError, parse_rational};
pub use plain::{LEAST_WEIGHT, PlainVector, plain_sum};
pub(crate) use product::{power, product};
pub use rate::{decimal_or_fraction, parse_rate, rate_text};
pub use rational::Rational;
pub(crate) use rounding::{doubles_around, nearest_double};
pub use rounding_budget::RoundingBudget;
pub(crate) use rounding_budget::enough_for_sum;
pub use scaled::Scaled;
pub use upper_bound::UpperBound;
pub(crate) use value::CommonDenominator;
pub use value::{Value, Values, weighted_enclosure};
pub use wide::WideEnclosure;

/// An exact integer. Private: kernels use the arithmetic of its crate directly, and no public name exposes it.
pub(crate) type Integer = dashu_int::IBig;
/// An exact integer that is not negative.
pub(crate) type Natural = dashu_int::UBig;

/// The sum of exact numbers.
pub fn sum(numbers: impl IntoIterator<Item = Rational>) -> Rational {
    numbers.into_iter().fold(Rational::ZERO, |sum, number| sum + number)
}
