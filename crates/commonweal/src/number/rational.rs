//! The exact fraction of models, strategies and answers.

use super::{Integer, Natural, NumberError, nearest_double, parse_rational};
use dashu_base::{Abs, BitTest};
use dashu_ratio::RBig;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// An exact fraction in lowest terms, of any length.
///
/// Parsing is exact: `0.1` is one tenth, not the nearest double. Sums, products and quotients are exact.
/// [`to_f64`](Rational::to_f64) rounds once, to the nearest double.
///
/// ```
/// use commonweal::Rational;
///
/// let tenth: Rational = "0.1".parse()?;
/// let third = Rational::from_quotient(1, 3);
/// assert_eq!((&tenth + &third).to_string(), "13/30");
/// assert_eq!(&tenth + &tenth + &tenth, "3/10".parse()?);
/// assert!(third > "0.333333333333333333333333333333".parse()?);
///
/// // A discount of 1 − 10^-20 is not 1, although no double lies between them.
/// let patient = Rational::ONE - Rational::from(10).pow(-20);
/// assert!(patient < Rational::ONE && patient.to_f64() == 1.0);
/// # Ok::<(), commonweal::numbers::NumberError>(())
/// ```
///
/// [`Display`] writes the numerator, and the denominator after a slash unless it is 1; [`FromStr`] reads that, and decimals.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational(RBig::ZERO);
    /// 1.
    pub const ONE: Rational = Rational(RBig::ONE);
    /// −1.
    pub const NEG_ONE: Rational = Rational(RBig::NEG_ONE);

    /// `numerator / denominator`, in lowest terms.
    ///
    /// # Panics
    /// If the denominator is 0.
    #[inline]
    pub fn from_quotient(numerator: i64, denominator: u64) -> Rational {
        Rational::from_parts(numerator.into(), denominator.into())
    }

    /// The quotient of two integers of any length, in lowest terms. Bytes come least significant first; the numerator is in
    /// two's complement, the denominator is not signed. `None` if the denominator is 0.
    pub fn from_le_bytes(numerator: &[u8], denominator: &[u8]) -> Option<Rational> {
        let denominator = Natural::from_le_bytes(denominator);
        (!denominator.is_zero()).then(|| Rational::from_parts(Integer::from_le_bytes(numerator), denominator))
    }

    /// The numerator in two's complement and the denominator, both with the least significant byte first.
    pub fn to_le_bytes(&self) -> (Vec<u8>, Vec<u8>) {
        (self.numerator().to_le_bytes().into(), self.denominator().to_le_bytes().into())
    }

    /// The fraction with the least denominator in the open interval between two numbers that differ.
    pub fn simplest_between(lower: Rational, upper: Rational) -> Rational {
        Rational(RBig::simplest_in(lower.0, upper.0))
    }

    /// Whether the number is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether the number is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.0.is_one()
    }

    /// Whether the denominator is 1.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.0.is_int()
    }

    /// The length of the numerator in bits.
    #[inline]
    pub fn numerator_bits(&self) -> usize {
        self.numerator().bit_len()
    }

    /// The length of the denominator in bits.
    #[inline]
    pub fn denominator_bits(&self) -> usize {
        self.denominator().bit_len()
    }

    /// The length of the numerator plus that of the denominator, in bits.
    #[inline]
    pub fn bits(&self) -> usize {
        self.numerator_bits() + self.denominator_bits()
    }

    /// The absolute value.
    #[inline]
    pub fn abs(self) -> Rational {
        Rational(self.0.abs())
    }

    /// The greatest whole number that is not greater.
    pub fn floor(&self) -> Rational {
        Rational::from_integer(self.0.floor())
    }

    /// The least whole number that is not less.
    pub fn ceil(&self) -> Rational {
        Rational::from_integer(self.0.ceil())
    }

    /// The number to the power `exponent`.
    ///
    /// # Panics
    /// If the number is 0 and the exponent is negative.
    pub fn pow(&self, exponent: isize) -> Rational {
        Rational(self.0.pow(exponent))
    }

    /// The nearest double, ties to even; infinite past the largest finite double.
    pub fn to_f64(&self) -> f64 {
        nearest_double(self.numerator(), self.denominator())
    }

    /// `numerator / denominator`, in lowest terms; the denominator is not 0.
    #[inline]
    pub(crate) fn from_parts(numerator: Integer, denominator: Natural) -> Rational {
        Rational(RBig::from_parts(numerator, denominator))
    }

    /// A whole number.
    #[inline]
    pub(crate) fn from_integer(integer: Integer) -> Rational {
        Rational(RBig::from(integer))
    }

    #[inline]
    pub(crate) fn numerator(&self) -> &Integer {
        self.0.numerator()
    }

    #[inline]
    pub(crate) fn denominator(&self) -> &Natural {
        self.0.denominator()
    }

    /// The k with |x| between 2^(k−1) and 2^(k+1); x is not 0.
    #[inline]
    pub(crate) fn magnitude(&self) -> isize {
        self.numerator_bits() as isize - self.denominator_bits() as isize
    }
}

macro_rules! from_machine_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Rational {
            #[inline]
            fn from(integer: $integer) -> Rational {
                Rational(RBig::from(integer))
            }
        }
    )*};
}
from_machine_integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

/// The exact value of a double; an error if it is infinite or NaN.
impl TryFrom<f64> for Rational {
    type Error = NumberError;

    fn try_from(double: f64) -> Result<Rational, NumberError> {
        RBig::try_from(double).map(Rational).map_err(|_| NumberError::Malformed(double.to_string()))
    }
}

impl FromStr for Rational {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Rational, NumberError> {
        parse_rational(text)
    }
}

impl Display for Rational {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.0, formatter)
    }
}

impl Debug for Rational {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        Debug::fmt(&self.0, formatter)
    }
}

impl Neg for Rational {
    type Output = Rational;

    #[inline]
    fn neg(self) -> Rational {
        Rational(-self.0)
    }
}

impl Neg for &Rational {
    type Output = Rational;

    #[inline]
    fn neg(self) -> Rational {
        Rational(-&self.0)
    }
}

/// An operator for owned and borrowed operands, and its assignment.
macro_rules! operator {
    ($operator:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl $operator<Rational> for Rational {
            type Output = Rational;

            #[inline]
            fn $method(self, other: Rational) -> Rational {
                Rational(self.0.$method(other.0))
            }
        }

        impl $operator<&Rational> for Rational {
            type Output = Rational;

            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                Rational(self.0.$method(&other.0))
            }
        }

        impl $operator<Rational> for &Rational {
            type Output = Rational;

            #[inline]
            fn $method(self, other: Rational) -> Rational {
                Rational((&self.0).$method(other.0))
            }
        }

        impl $operator<&Rational> for &Rational {
            type Output = Rational;

            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                Rational((&self.0).$method(&other.0))
            }
        }

        impl $assign<Rational> for Rational {
            #[inline]
            fn $assign_method(&mut self, other: Rational) {
                self.0.$assign_method(other.0)
            }
        }

        impl $assign<&Rational> for Rational {
            #[inline]
            fn $assign_method(&mut self, other: &Rational) {
                self.0.$assign_method(&other.0)
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);
operator!(Mul, mul, MulAssign, mul_assign);
operator!(Div, div, DivAssign, div_assign);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fraction_is_written_in_lowest_terms() {
        for (numerator, denominator, text) in [(6, 4, "3/2"), (-6, 3, "-2"), (0, 7, "0"), (-1, 3, "-1/3")] {
            let number = Rational::from_quotient(numerator, denominator);
            assert_eq!(number.to_string(), text);
            assert_eq!(text.parse(), Ok(number));
        }
    }

    #[test]
    fn whole_numbers_lie_around_a_fraction() {
        for (text, floor, ceil) in [("7/2", 3, 4), ("-7/2", -4, -3), ("5", 5, 5), ("-1/9", -1, 0)] {
            let number: Rational = text.parse().unwrap();
            assert_eq!((number.floor(), number.ceil()), (Rational::from(floor), Rational::from(ceil)), "{text}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_exact_value() {
        for double in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Rational::try_from(double).is_err());
        }
        assert_eq!(Rational::try_from(-0.0), Ok(Rational::ZERO));
        assert_eq!(Rational::try_from(0.75), Ok(Rational::from_quotient(3, 4)));
    }

    proptest! {
        #[test]
        fn bytes_and_texts_lead_back(numerator in any::<i64>(), denominator in 1u64.., power in 0isize..40) {
            let number = Rational::from_quotient(numerator, denominator).pow(power);
            let (above, below) = number.to_le_bytes();
            prop_assert_eq!(Rational::from_le_bytes(&above, &below), Some(number.clone()));
            prop_assert_eq!(number.to_string().parse(), Ok(number));
        }

        #[test]
        fn a_double_is_its_own_nearest_double(double in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            prop_assert_eq!(Rational::try_from(double).unwrap().to_f64(), double);
        }
    }
}
