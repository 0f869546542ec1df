//! Upper bounds in doubles, for error terms: sums and products round up.

use super::directed::{UNIT_ROUNDOFF, product_up, sum_up};
use super::{Enclosure, Rational};
use std::ops::{Add, Mul};

/// A double that is an upper bound on a non-negative number. Sums and products of bounds are bounds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct UpperBound(f64);

impl UpperBound {
    /// Exactly 0.
    pub const ZERO: UpperBound = UpperBound(0.0);
    /// More than the absolute error of a few hundred operations whose results are subnormal.
    pub const UNDERFLOW: UpperBound = UpperBound(f64::MIN_POSITIVE);

    /// A bound of the magnitude of `x`; infinite if `x` is NaN.
    pub fn of(x: f64) -> UpperBound {
        if x.is_nan() { UpperBound(f64::INFINITY) } else { UpperBound(x.abs()) }
    }

    /// A bound of the magnitude of an exact number.
    pub fn of_exact(number: &Rational) -> UpperBound {
        let enclosure = Enclosure::from(number);
        UpperBound(enclosure.lower().abs().max(enclosure.upper().abs()))
    }

    /// A bound of a number that is not negative and of which `x` is the nearest double.
    pub fn of_nearest(x: f64) -> UpperBound {
        UpperBound::of(x.next_up())
    }

    /// A bound of 1 over a positive number of which `x` is the nearest double.
    pub fn of_inverse(x: f64) -> UpperBound {
        // A subnormal double is not precise enough for the inverse.
        if x >= f64::MIN_POSITIVE {
            UpperBound::of((1.0 / x.next_down()).next_up())
        } else {
            UpperBound::of(f64::INFINITY)
        }
    }

    /// A bound of how far two numbers are apart whose nearest doubles are these, the greater one first.
    pub fn of_difference(greatest: f64, least: f64) -> UpperBound {
        UpperBound::of(greatest.next_up() - least.next_down())
    }

    /// A bound of the quotient of two doubles.
    pub fn of_quotient(dividend: f64, divisor: f64) -> UpperBound {
        UpperBound::of((dividend / divisor).next_up())
    }

    /// The relative error of `count` roundings, relative to the largest intermediate result.
    pub fn of_roundings(count: f64) -> UpperBound {
        UpperBound::of(count) * UpperBound(UNIT_ROUNDOFF)
    }

    /// The error of a single rounding of a number of this magnitude.
    pub fn rounding(self) -> UpperBound {
        UpperBound(UNIT_ROUNDOFF) * self
    }

    /// A bound of the numbers that this is a bound of the [`rounding`](Self::rounding) of.
    pub fn rounded(self) -> UpperBound {
        self * UpperBound(1.0 / UNIT_ROUNDOFF)
    }

    /// The double.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The larger of two bounds.
    pub fn max(self, other: UpperBound) -> UpperBound {
        UpperBound(self.0.max(other.0))
    }
}

impl Add for UpperBound {
    type Output = UpperBound;
    fn add(self, other: UpperBound) -> UpperBound {
        if self.0 == 0.0 || other.0 == 0.0 { UpperBound(self.0 + other.0) } else { UpperBound(sum_up(self.0, other.0)) }
    }
}

impl Mul for UpperBound {
    type Output = UpperBound;
    fn mul(self, other: UpperBound) -> UpperBound {
        if self.0 == 0.0 || other.0 == 0.0 { UpperBound::ZERO } else { UpperBound(product_up(self.0, other.0)) }
    }
}

impl std::iter::Sum for UpperBound {
    fn sum<I: Iterator<Item = UpperBound>>(bounds: I) -> UpperBound {
        bounds.fold(UpperBound::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_and_products_are_never_below_the_exact_ones(a in 0.0f64..1e200, b in 0.0f64..1e100, tiny in 0.0f64..1e-300) {
            let exact = |x: f64| Rational::try_from(x).unwrap();
            for (x, y) in [(a, b), (a, tiny), (tiny, tiny), (b, b)] {
                let (sum, product) = (UpperBound::of(x) + UpperBound::of(y), UpperBound::of(x) * UpperBound::of(y));
                prop_assert!(exact(sum.get()) >= exact(x) + exact(y));
                prop_assert!(exact(product.get()) >= exact(x) * exact(y));
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_bounded_by_infinity() {
        assert_eq!(UpperBound::of(f64::NAN).get(), f64::INFINITY);
        assert_eq!((UpperBound::ZERO * UpperBound::of(f64::INFINITY)).get(), 0.0);
    }
}
