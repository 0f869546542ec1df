//! Enclosures in doubles (§5): every sum and product is moved outward by one double.

use crate::enclosure::{Enclosure, Float};
use crate::fraction::Fraction;
use num_traits::{ToPrimitive, Zero};

/// A number known to lie between two doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub lo: f64,
    pub hi: f64,
}

impl Interval {
    pub const ZERO: Interval = Interval::point(0.0);

    pub const fn point(x: f64) -> Interval {
        Interval { lo: x, hi: x }
    }

    fn is_zero(self) -> bool {
        self.lo == 0.0 && self.hi == 0.0
    }

    /// The greatest double that is not above the fraction and the least that is not below it; `None` if one of them overflows.
    pub fn of(x: &Fraction) -> Option<Interval> {
        Some(Interval { lo: floor(x)?, hi: -floor(&x.negated())? })
    }

    /// An enclosure in doubles of a float enclosure.
    pub fn around(x: &Enclosure) -> Option<Interval> {
        let down = |x: &Float| {
            if !x.is_below_doubles() {
                floor(&x.to_fraction())
            } else if x.is_negative() {
                Some(-f64::from_bits(1))
            } else {
                Some(0.0)
            }
        };
        Some(Interval { lo: down(&x.lo)?, hi: -down(&x.hi.negated())? })
    }

    pub fn plus(self, other: Interval) -> Interval {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        Interval { lo: (self.lo + other.lo).next_down(), hi: (self.hi + other.hi).next_up() }
    }

    /// The product with a factor that is not negative.
    pub fn times(self, factor: Interval) -> Interval {
        if self.is_zero() || factor.is_zero() {
            return Interval::ZERO;
        }
        let low = if self.lo < 0.0 { factor.hi } else { factor.lo };
        let high = if self.hi < 0.0 { factor.lo } else { factor.hi };
        Interval { lo: (self.lo * low).next_down(), hi: (self.hi * high).next_up() }
    }

    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }
}

impl std::iter::Sum for Interval {
    fn sum<I: Iterator<Item = Interval>>(terms: I) -> Interval {
        terms.fold(Interval::ZERO, Interval::plus)
    }
}

/// The greatest double that is not above p/q.
fn floor(x: &Fraction) -> Option<f64> {
    let (p, q) = (&x.numerator, &x.denominator);
    if p.is_zero() {
        return Some(0.0);
    }
    let exponent = (i64::try_from(p.bits()).ok()? - i64::try_from(q.bits()).ok()? - 53).max(-1074);
    let (above, below) = if exponent >= 0 { (p.clone(), q << exponent) } else { (p << -exponent, q.clone()) };
    let mut mantissa = num_integer::Integer::div_floor(&above, &below);
    let mut exponent = exponent;
    // One bit too many, or two after a carry; halves are rounded down.
    while mantissa.bits() > 53 {
        mantissa >>= 1;
        exponent += 1;
    }
    let value = mantissa.to_f64()? * 2f64.powi((exponent / 2) as i32) * 2f64.powi((exponent - exponent / 2) as i32);
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::{One, Signed};

    fn of_double(x: f64) -> Fraction {
        Float::from(x).to_fraction()
    }

    #[test]
    fn a_fraction_lies_between_the_nearest_doubles() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            BigInt::from((seed >> 3) as i64) - BigInt::from(1i64 << 60)
        };
        for shift in [0u32, 40, 300, 1010, 1060, 1130] {
            for _ in 0..200 {
                let x = Fraction::new(random(), random().abs() + 1);
                let small = Fraction::new(x.numerator.clone(), &x.denominator << shift);
                let large = Fraction::new(&x.numerator << shift.min(950), x.denominator);
                for x in [small, large] {
                    let found = Interval::of(&x).expect("within the doubles");
                    assert!(of_double(found.lo).compare(&x).is_le(), "{x:?}");
                    assert!(of_double(found.hi).compare(&x).is_ge(), "{x:?}");
                    let exact = of_double(found.lo).compare(&x).is_eq();
                    assert_eq!(found.hi, if exact { found.lo } else { found.lo.next_up() }, "{x:?}");
                }
            }
        }
        assert_eq!(Interval::of(&Fraction::new(BigInt::one() << 1024, BigInt::one())), None);
        assert_eq!(Interval::of(&of_double(f64::MAX)), Some(Interval::point(f64::MAX)));
    }

    #[test]
    fn floats_too_small_for_doubles_lie_beside_zero() {
        use crate::enclosure::Precision;
        let tiny = Precision(64).power(&Precision(64).fraction(&Fraction::new(1.into(), 3.into())), 1_000);
        let least = f64::from_bits(1);
        // The exact fraction would not fit into memory.
        let tinier = Precision(64).power(&tiny, 1 << 80);
        assert_eq!(Interval::around(&tinier), Some(Interval { lo: 0.0, hi: least }));
        assert_eq!(Interval::around(&tiny), Some(Interval { lo: 0.0, hi: least }));
        let below = Enclosure { lo: tiny.hi.negated(), hi: tiny.lo.negated() };
        assert_eq!(Interval::around(&below), Some(Interval { lo: -least, hi: 0.0 }));
        // 2^-1100 is still turned into a fraction, 2^-1102 no longer is.
        for power in 1_070..1_110 {
            let small = Precision(64).power(&Precision(64).fraction(&Fraction::new(1.into(), 2.into())), power);
            let expected = if power <= 1_074 { 2f64.powi(-1_000) * 2f64.powi(1_000 - power as i32) } else { 0.0 };
            let found = Interval::around(&small).expect("a double");
            assert_eq!((found.lo, found.hi), (expected, if expected == 0.0 { least } else { expected }), "{power}");
        }
    }

    #[test]
    fn sums_and_products_are_moved_outward() {
        let third = Interval::of(&Fraction::new(1.into(), 3.into())).expect("a double");
        let minus = Interval { lo: -third.hi, hi: -third.lo };
        let sum = third.plus(third);
        assert!(sum.lo < 2.0 / 3.0 && sum.hi > 2.0 / 3.0);
        let product = minus.times(third);
        assert_eq!((product.lo, product.hi), ((-third.hi * third.hi).next_down(), (-third.lo * third.lo).next_up()));
        assert_eq!(third.plus(Interval::ZERO), third);
        assert_eq!(third.times(Interval::ZERO), Interval::ZERO);
        let from_zero = Interval { lo: 0.0, hi: 1.0 };
        assert_eq!(from_zero.plus(from_zero).hi, 2f64.next_up());
        assert_eq!(from_zero.times(from_zero).hi, 1f64.next_up());
        let mixed = Interval { lo: -1.0, hi: 2.0 }.times(Interval { lo: 3.0, hi: 4.0 });
        assert_eq!((mixed.lo, mixed.hi), ((-4f64).next_down(), 8f64.next_up()));
    }
}
