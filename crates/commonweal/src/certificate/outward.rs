//! The doubles of §5: every sum and product is moved outward by one double, so that any program gets the same bits.
//!
//! [`Enclosure`](crate::number::Enclosure) is tighter, but a certificate must state what every checker computes.

use crate::number::{Rational, WideEnclosure, doubles_around, product_down, product_up, sum_down, sum_up};

/// The bits of powers before they become doubles.
const PRECISION: usize = 128;

/// A number between two doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outward {
    pub lower: f64,
    pub upper: f64,
}

impl Outward {
    pub const ZERO: Outward = Outward::point(0.0);

    pub const fn point(value: f64) -> Outward {
        Outward { lower: value, upper: value }
    }

    /// The doubles on either side of a fraction.
    pub fn of(value: &Rational) -> Outward {
        let (lower, upper) = doubles_around(value.numerator(), value.denominator());
        Outward { lower, upper }
    }

    /// The doubles around `base` to the power `exponent`, `base` not negative.
    pub fn power(base: &Rational, exponent: u64) -> Outward {
        if base.is_zero() && exponent > 0 {
            return Outward::ZERO;
        }
        let power = WideEnclosure::of(base, PRECISION).power(&exponent.into()).to_scaled().to_doubles();
        Outward { lower: power.lower(), upper: power.upper() }
    }

    /// The doubles around λ^t/μ^u, both discounts above 0.
    pub fn quotient_of_powers((discount, t): (&Rational, u64), (before, u): (&Rational, u64)) -> Outward {
        let power = |base: &Rational, exponent: u64| WideEnclosure::of(base, PRECISION).power(&exponent.into());
        let quotient = power(discount, t).times(&power(&(Rational::ONE / before), u)).to_scaled().to_doubles();
        Outward { lower: quotient.lower(), upper: quotient.upper() }
    }

    fn is_zero(self) -> bool {
        self.lower == 0.0 && self.upper == 0.0
    }

    pub fn plus(self, other: Outward) -> Outward {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other,
            (_, true) => self,
            _ => Outward { lower: sum_down(self.lower, other.lower), upper: sum_up(self.upper, other.upper) },
        }
    }

    /// The product with a factor that is not negative.
    pub fn times(self, factor: Outward) -> Outward {
        if self.is_zero() || factor.is_zero() {
            return Outward::ZERO;
        }
        let lower = product_down(self.lower, factor.lower).min(product_down(self.lower, factor.upper));
        Outward { lower, upper: product_up(self.upper, factor.lower).max(product_up(self.upper, factor.upper)) }
    }
}

impl std::ops::Mul for Outward {
    type Output = Outward;
    fn mul(self, factor: Outward) -> Outward {
        self.times(factor)
    }
}

impl std::iter::Sum for Outward {
    fn sum<I: Iterator<Item = Outward>>(terms: I) -> Outward {
        terms.fold(Outward::ZERO, Outward::plus)
    }
}
