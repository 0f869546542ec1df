//! Intervals of doubles that contain an exact number.

use super::{Integer, Natural, Rational, doubles_around};
use std::cmp::Ordering;

/// Two doubles with a number between them: `lower ≤ x ≤ upper`. Either end may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    lower: f64,
    upper: f64,
}

impl Enclosure {
    /// Exactly 0.
    pub const ZERO: Enclosure = Enclosure { lower: 0.0, upper: 0.0 };
    /// Exactly 1.
    pub const ONE: Enclosure = Enclosure { lower: 1.0, upper: 1.0 };

    /// The numbers from `lower` to `upper`, or all numbers if either is NaN or `lower > upper`.
    pub fn new(lower: f64, upper: f64) -> Enclosure {
        if lower <= upper {
            Enclosure { lower, upper }
        } else {
            Enclosure { lower: f64::NEG_INFINITY, upper: f64::INFINITY }
        }
    }

    /// The tightest enclosure of `numerator / denominator`.
    pub(crate) fn of_quotient(numerator: &Integer, denominator: &Natural) -> Enclosure {
        let (lower, upper) = doubles_around(numerator, denominator);
        Enclosure { lower, upper }
    }

    /// A double that is at most the number.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// A double that is at least the number.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// A double inside, near the middle.
    pub fn midpoint(&self) -> f64 {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            // Half of the least positive double underflows.
            (true, true) if self.lower == self.upper => self.lower,
            (true, true) => self.lower / 2.0 + self.upper / 2.0,
            (true, false) => self.lower,
            (false, true) => self.upper,
            (false, false) => 0.0,
        }
    }

    /// How far apart the ends are, rounded up.
    pub fn width(&self) -> f64 {
        if self.is_point() { 0.0 } else { (self.upper - self.lower).next_up() }
    }

    /// Whether the number is known exactly.
    pub fn is_point(&self) -> bool {
        self.lower == self.upper && self.lower.is_finite()
    }

    /// The comparison of this number with `other`, if the two enclosures decide it.
    pub fn compare(&self, other: &Enclosure) -> Option<Ordering> {
        if self.upper < other.lower {
            Some(Ordering::Less)
        } else if self.lower > other.upper {
            Some(Ordering::Greater)
        } else if self.is_point() && self == other {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    /// The enclosure with both ends moved to the next double outward.
    pub(crate) fn outward(self) -> Enclosure {
        Enclosure::new(self.lower().next_down(), self.upper().next_up())
    }

    /// The sign of the number, if the enclosure decides it.
    pub fn sign(&self) -> Option<Ordering> {
        self.compare(&Enclosure::ZERO)
    }

    /// An enclosure of the sum of the two numbers.
    pub fn plus(self, other: Enclosure) -> Enclosure {
        if self == Enclosure::ZERO {
            return other;
        }
        if other == Enclosure::ZERO {
            return self;
        }
        Enclosure::new((self.lower + other.lower).next_down(), (self.upper + other.upper).next_up())
    }

    /// An enclosure of all numbers within `margin` of the number.
    pub fn widened(self, margin: f64) -> Enclosure {
        if margin == 0.0 { self } else { self.plus(Enclosure::new(-margin, margin)) }
    }

    /// An enclosure of the product of the two numbers.
    pub fn times(self, other: Enclosure) -> Enclosure {
        if self == Enclosure::ZERO || other == Enclosure::ZERO {
            return Enclosure::ZERO;
        }
        if self == Enclosure::ONE {
            return other;
        }
        if other == Enclosure::ONE {
            return self;
        }
        let ends =
            [self.lower * other.lower, self.lower * other.upper, self.upper * other.lower, self.upper * other.upper];
        if ends.iter().any(|end| end.is_nan()) {
            return Enclosure::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let lower = ends.iter().copied().fold(f64::INFINITY, f64::min).next_down();
        let upper = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max).next_up();
        let product = Enclosure::new(lower, upper);
        // Outward rounding may cross 0 although the sign of the product is known.
        if (self.lower >= 0.0 && other.lower >= 0.0) || (self.upper <= 0.0 && other.upper <= 0.0) {
            Enclosure::new(product.lower.max(0.0), product.upper)
        } else {
            product
        }
    }

    /// An enclosure of the quotient of the two numbers: all numbers if the divisor may be 0.
    pub fn over(self, divisor: Enclosure) -> Enclosure {
        if divisor.lower <= 0.0 && divisor.upper >= 0.0 {
            return Enclosure::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let inverse = Enclosure::new((1.0 / divisor.upper).next_down(), (1.0 / divisor.lower).next_up());
        self.times(inverse)
    }

    /// The power of a number that is known to be at least 0.
    pub fn power(self, mut exponent: u64) -> Enclosure {
        debug_assert!(self.lower >= 0.0, "powers are of discounts and their ratios");
        let (mut result, mut square) = (Enclosure::ONE, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(square);
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.times(square);
            }
        }
        result
    }
}

impl From<&Rational> for Enclosure {
    fn from(value: &Rational) -> Enclosure {
        Enclosure::of_quotient(value.numerator(), value.denominator())
    }
}

impl std::ops::Neg for Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        Enclosure { lower: -self.upper, upper: -self.lower }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1u64.., 0usize..200, 0usize..200)
            .prop_map(|(n, d, up, down)| Rational::from_parts(Integer::from(n) << up, Natural::from(d) << down))
    }

    fn contains(enclosure: Enclosure, exact: &Rational) -> bool {
        let tight = Enclosure::from(exact);
        enclosure.lower <= tight.lower && tight.upper <= enclosure.upper
    }

    proptest! {
        #[test]
        fn sums_products_and_powers_contain_the_exact_result(a in rational(), b in rational(), k in 0u64..9) {
            let (x, y) = (Enclosure::from(&a), Enclosure::from(&b));
            prop_assert!(contains(x.plus(y), &(&a + &b)));
            prop_assert!(contains(x.times(y), &(&a * &b)));
            prop_assert!(contains(-x, &-&a));
            prop_assert!(b.is_zero() || contains(x.over(y), &(&a / &b)));
            prop_assert!(contains(Enclosure::from(&a.clone().abs()).power(k), &a.clone().abs().pow(k as isize)));
            if let Some(order) = x.compare(&y) {
                prop_assert_eq!(order, a.cmp(&b));
            }
        }
    }

    #[test]
    fn infinite_ends_stay_sound() {
        let huge = Enclosure::new(f64::MAX, f64::INFINITY);
        assert_eq!(huge.plus(-huge), Enclosure::new(f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(huge.times(Enclosure::ZERO), Enclosure::ZERO);
        assert_eq!(huge.times(Enclosure::new(-1.0, 1.0)).sign(), None);
    }
}
