//! Doubles that are at least a number: for error terms, whose sums and products round up.

use std::ops::{Add, Mul};

/// A double that is at least a certain number, which is not negative. Sums and products of bounds are bounds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct UpperBound(f64);

impl UpperBound {
    /// Exactly 0.
    pub const ZERO: UpperBound = UpperBound(0.0);
    /// The relative error of one operation in doubles, 2^-53.
    pub const ROUNDING: UpperBound = UpperBound(f64::EPSILON / 2.0);
    /// More than the absolute error of a few hundred operations whose results are too small for full precision.
    pub const UNDERFLOW: UpperBound = UpperBound(f64::MIN_POSITIVE);

    /// A bound of the magnitude of `x`; of nothing, if `x` is not a number.
    pub fn of(x: f64) -> UpperBound {
        if x.is_nan() { UpperBound(f64::INFINITY) } else { UpperBound(x.abs()) }
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
        if self.0 == 0.0 || other.0 == 0.0 {
            UpperBound(self.0 + other.0)
        } else {
            UpperBound((self.0 + other.0).next_up())
        }
    }
}

impl Mul for UpperBound {
    type Output = UpperBound;
    fn mul(self, other: UpperBound) -> UpperBound {
        if self.0 == 0.0 || other.0 == 0.0 { UpperBound::ZERO } else { UpperBound((self.0 * other.0).next_up()) }
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
    use crate::number::Rational;
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
