//! Positions in time, and numbers of steps between them.

use crate::number::{Integer, Natural, Rational, nearest_double};
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::str::FromStr;

/// A position in time, from 0, or a number of steps. Horizons of close discounts do not fit machine words.
///
/// ```
/// use commonweal::Step;
///
/// let horizon: Step = "44219120417242163736".parse()?;
/// let last = &horizon - 1;
/// assert_eq!(last.to_string(), "44219120417242163735");
/// assert!(last > Step::from(u64::MAX) && u64::try_from(&last).is_err());
/// assert_eq!(u64::try_from(&(horizon - last)), Ok(1));
/// # Ok::<(), commonweal::strategies::StepError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(Natural);

/// Why a text or a number is not a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The text has something else than digits.
    #[error("`{0}` is not a step; a step is a whole number from 0")]
    Malformed(String),
    /// The step does not fit the machine integer that was asked for.
    #[error("the step does not fit a machine integer")]
    TooLarge,
}

impl Step {
    /// The first step.
    pub const ZERO: Step = Step(Natural::ZERO);
    /// The step after the first, or one step.
    pub const ONE: Step = Step(Natural::ONE);

    /// The step of that number, whose bytes come least significant first.
    pub fn from_le_bytes(bytes: &[u8]) -> Step {
        Step(Natural::from_le_bytes(bytes))
    }

    /// The step's number with the least significant byte first.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        self.0.to_le_bytes().into()
    }

    /// Whether this is the first step.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is one step.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.0.is_one()
    }

    /// The nearest double, ties to even; infinite past the largest finite double.
    pub fn to_f64(&self) -> f64 {
        nearest_double(&Integer::from(self.0.clone()), &Natural::ONE)
    }

    /// Half of it, rounded down.
    #[inline]
    pub(crate) fn half(self) -> Step {
        Step(self.0 >> 1)
    }

    /// What is left after as many whole periods as it holds.
    #[inline]
    pub(crate) fn modulo(&self, period: usize) -> usize {
        let left = &self.0 % Natural::from(period);
        usize::try_from(&left).expect("less than a machine integer")
    }

    #[inline]
    pub(crate) fn as_natural(&self) -> &Natural {
        &self.0
    }
}

macro_rules! machine_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Step {
            #[inline]
            fn from(step: $integer) -> Step {
                Step(Natural::from(step))
            }
        }

        impl TryFrom<&Step> for $integer {
            type Error = StepError;

            #[inline]
            fn try_from(step: &Step) -> Result<$integer, StepError> {
                <$integer>::try_from(&step.0).map_err(|_| StepError::TooLarge)
            }
        }
    )*};
}
machine_integers!(u8, u16, u32, u64, usize);

impl From<&Step> for Rational {
    fn from(step: &Step) -> Rational {
        Rational::from_integer(step.0.clone().into())
    }
}

/// Reads digits and nothing else.
impl FromStr for Step {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Step, StepError> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let natural = digits.then(|| Natural::from_str_radix(text, 10).ok()).flatten();
        natural.map(Step).ok_or_else(|| StepError::Malformed(text.to_owned()))
    }
}

impl Display for Step {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.0, formatter)
    }
}

impl Debug for Step {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        Debug::fmt(&self.0, formatter)
    }
}

/// An operator with steps, owned and borrowed, and with a `u64`; and its assignment. A negative difference panics.
macro_rules! operator {
    ($operator:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        operator!($operator, $method, Step, Step, |a, b| a.0.$method(b.0));
        operator!($operator, $method, Step, &Step, |a, b| a.0.$method(&b.0));
        operator!($operator, $method, &Step, Step, |a, b| (&a.0).$method(b.0));
        operator!($operator, $method, &Step, &Step, |a, b| (&a.0).$method(&b.0));
        operator!($operator, $method, Step, u64, |a, b| a.0.$method(b));
        operator!($operator, $method, &Step, u64, |a, b| (&a.0).$method(b));

        impl $assign<Step> for Step {
            #[inline]
            fn $assign_method(&mut self, other: Step) {
                self.0.$assign_method(other.0)
            }
        }

        impl $assign<&Step> for Step {
            #[inline]
            fn $assign_method(&mut self, other: &Step) {
                self.0.$assign_method(&other.0)
            }
        }

        impl $assign<u64> for Step {
            #[inline]
            fn $assign_method(&mut self, other: u64) {
                self.0.$assign_method(other)
            }
        }
    };
    ($operator:ident, $method:ident, $left:ty, $right:ty, |$a:ident, $b:ident| $result:expr) => {
        impl $operator<$right> for $left {
            type Output = Step;

            #[inline]
            fn $method(self, other: $right) -> Step {
                let ($a, $b) = (self, other);
                Step($result)
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_and_written_in_digits() {
        for text in ["0", "761", "44219120417242163736"] {
            assert_eq!(text.parse::<Step>().unwrap().to_string(), text);
        }
        for text in ["", "-1", "+1", "1.0", "1e3", "1_000", " 1"] {
            assert!(text.parse::<Step>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_step_past_machine_words_says_so() {
        let step = Step::from(u64::MAX) + 1;
        assert_eq!(u64::try_from(&step), Err(StepError::TooLarge));
        assert_eq!(u64::try_from(&(&step - 1)), Ok(u64::MAX));
        assert_eq!(step.to_f64(), 2f64.powi(64));
        assert_eq!(Step::from_le_bytes(&step.to_le_bytes()), step);
        assert_eq!(Rational::from(&step).to_string(), "18446744073709551616");
    }
}
