//! Enclosures: pairs of binary floats of any precision, rounded outward (§5).

use crate::fraction::{Fraction, shown_float};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

/// m·2^e. Zero is 0·2^0.
#[derive(Debug, Clone)]
pub struct Float {
    m: BigInt,
    e: i128,
}

/// The side to which a number is rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Down,
    Up,
}

/// A number known to lie between two floats.
#[derive(Debug, Clone)]
pub struct Enclosure {
    pub lo: Float,
    pub hi: Float,
}

/// How many bits a float keeps.
#[derive(Clone, Copy)]
pub struct Precision(pub u64);

impl Float {
    pub fn zero() -> Float {
        Float { m: BigInt::zero(), e: 0 }
    }

    pub fn one() -> Float {
        Float { m: BigInt::one(), e: 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.m.is_zero()
    }

    pub fn is_positive(&self) -> bool {
        self.m.is_positive()
    }

    pub fn is_negative(&self) -> bool {
        self.m.is_negative()
    }

    pub fn negated(&self) -> Float {
        Float { m: -&self.m, e: self.e }
    }

    /// The least power of 2 above the absolute value, as an exponent.
    fn top(&self) -> i128 {
        self.e + i128::from(self.m.bits())
    }

    pub fn compare(&self, other: &Float) -> Ordering {
        let signs = self.m.signum().cmp(&other.m.signum());
        if signs.is_ne() || self.is_zero() {
            return signs;
        }
        let by_top = self.top().cmp(&other.top());
        let by_top = if self.is_negative() { by_top.reverse() } else { by_top };
        by_top.then_with(|| {
            // With equal tops the exponents differ by no more than the mantissas' lengths.
            let low = self.e.min(other.e);
            (&self.m << (self.e - low)).cmp(&(&other.m << (other.e - low)))
        })
    }

    /// The fraction that the float is, where its exponent is moderate.
    pub fn to_fraction(&self) -> Fraction {
        if self.e >= 0 {
            Fraction::new(&self.m << self.e, BigInt::one())
        } else {
            Fraction::new(self.m.clone(), BigInt::one() << -self.e)
        }
    }

    /// Whether the float is below the least positive double.
    pub fn is_below_doubles(&self) -> bool {
        self.top() < -1100
    }

    pub fn shown(&self) -> String {
        shown_float(&self.m, self.e)
    }
}

impl From<f64> for Float {
    /// The number that a finite double is.
    fn from(x: f64) -> Float {
        let (biased, low) = ((x.to_bits() >> 52) & 0x7ff, x.to_bits() & ((1 << 52) - 1));
        let (mantissa, e) = if biased == 0 { (low, -1074) } else { (low | 1 << 52, i128::from(biased) - 1075) };
        if mantissa == 0 {
            return Float::zero();
        }
        Float { m: if x.is_sign_negative() { -BigInt::from(mantissa) } else { mantissa.into() }, e }
    }
}

impl Enclosure {
    pub fn zero() -> Enclosure {
        Enclosure { lo: Float::zero(), hi: Float::zero() }
    }

    pub fn one() -> Enclosure {
        Enclosure { lo: Float::one(), hi: Float::one() }
    }

    pub fn negated(&self) -> Enclosure {
        Enclosure { lo: self.hi.negated(), hi: self.lo.negated() }
    }

    /// The number times 2^exponent.
    pub fn shifted(self, exponent: i128) -> Enclosure {
        let shift = |end: Float| if end.is_zero() { end } else { Float { e: end.e + exponent, ..end } };
        Enclosure { lo: shift(self.lo), hi: shift(self.hi) }
    }

    pub fn is_zero(&self) -> bool {
        self.lo.is_zero() && self.hi.is_zero()
    }
}

impl Precision {
    fn round(self, m: BigInt, e: i128, side: Side) -> Float {
        let bits = m.bits();
        if bits <= self.0 {
            return if bits == 0 { Float::zero() } else { Float { m, e } };
        }
        let excess = bits - self.0;
        // Shifts round down; up is down of the negative.
        let m = match side {
            Side::Down => m >> excess,
            Side::Up => -((-m) >> excess),
        };
        Float { m, e: e + i128::from(excess) }
    }

    fn add(self, x: &Float, y: &Float, side: Side) -> Float {
        if x.is_zero() || y.is_zero() {
            return if x.is_zero() { y.clone() } else { x.clone() };
        }
        let (large, small) = if x.top() >= y.top() { (x, y) } else { (y, x) };
        let floor = large.top() - 2 * i128::from(self.0);
        let replaced;
        let small = if small.top() < floor {
            let m = match (side, small.is_negative()) {
                (Side::Down, true) => -BigInt::one(),
                (Side::Up, false) => BigInt::one(),
                (Side::Down, false) | (Side::Up, true) => return large.clone(),
            };
            replaced = Float { m, e: floor };
            &replaced
        } else {
            small
        };
        let low = large.e.min(small.e);
        self.round((&large.m << (large.e - low)) + (&small.m << (small.e - low)), low, side)
    }

    fn multiply(self, x: &Float, y: &Float, side: Side) -> Float {
        self.round(&x.m * &y.m, x.e + y.e, side)
    }

    /// x + y rounded up.
    pub fn add_up(self, x: &Float, y: &Float) -> Float {
        self.add(x, y, Side::Up)
    }

    pub fn sum(self, x: &Enclosure, y: &Enclosure) -> Enclosure {
        Enclosure { lo: self.add(&x.lo, &y.lo, Side::Down), hi: self.add(&x.hi, &y.hi, Side::Up) }
    }

    /// x times a factor whose ends are not negative. The end of the factor that counts depends on the sign of x.
    pub fn scale(self, factor: &Enclosure, x: &Enclosure) -> Enclosure {
        let low = if x.lo.is_negative() { &factor.hi } else { &factor.lo };
        let high = if x.hi.is_negative() { &factor.lo } else { &factor.hi };
        Enclosure { lo: self.multiply(low, &x.lo, Side::Down), hi: self.multiply(high, &x.hi, Side::Up) }
    }

    /// The sum of products of factors, whose ends are not negative, and numbers.
    pub fn sum_of<'e>(self, terms: impl Iterator<Item = (&'e Enclosure, &'e Enclosure)>) -> Enclosure {
        terms.fold(Enclosure::zero(), |sum, (factor, x)| self.sum(&sum, &self.scale(factor, x)))
    }

    pub fn fraction(self, x: &Fraction) -> Enclosure {
        let (p, q) = (&x.numerator, &x.denominator);
        if p.is_zero() {
            return Enclosure::zero();
        }
        let e = i128::from(p.bits()) - i128::from(q.bits()) - i128::from(self.0);
        let (above, below) = if e >= 0 { (p.clone(), q << e) } else { (p << -e, q.clone()) };
        let (floor, remainder) = num_integer::Integer::div_mod_floor(&above, &below);
        let ceiling = if remainder.is_zero() { floor.clone() } else { &floor + 1 };
        Enclosure { lo: self.round(floor, e, Side::Down), hi: self.round(ceiling, e, Side::Up) }
    }

    /// x to the power t, for an x that is not negative.
    pub fn power(self, x: &Enclosure, t: u128) -> Enclosure {
        debug_assert!(x.lo.m.sign() != Sign::Minus);
        let mut result = Enclosure::one();
        for digit in (0..u128::BITS - t.leading_zeros()).rev() {
            result = self.scale(&result, &result);
            if t >> digit & 1 == 1 {
                result = self.scale(&result, x);
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(p: i64, q: i64) -> Fraction {
        Fraction::new(p.into(), q.into())
    }

    /// Every operation on random fractions: the exact result lies within, and the ends are as near as the bits allow.
    #[test]
    fn results_are_enclosed_and_tight() {
        let precision = Precision(64);
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) as i64 % 2001) - 1000
        };
        for _ in 0..2000 {
            let (x, y) = (fraction(random(), random().abs() + 1), fraction(random(), random().abs() + 1));
            let factor = fraction(random().abs(), 1001);
            let (a, b, f) = (precision.fraction(&x), precision.fraction(&y), precision.fraction(&factor));
            for (found, exact) in [(precision.sum(&a, &b), x.plus(&y)), (precision.scale(&f, &a), x.times(&factor))] {
                assert!(found.lo.to_fraction().compare(&exact).is_le(), "{exact:?}");
                assert!(found.hi.to_fraction().compare(&exact).is_ge(), "{exact:?}");
                let width = found.hi.to_fraction().minus(&found.lo.to_fraction());
                assert!(width.compare(&Fraction::new(1.into(), BigInt::one() << 40)).is_le(), "{found:?}");
            }
        }
    }

    #[test]
    fn large_and_small_fractions_keep_all_their_bits() {
        let three = num_traits::Pow::pow(BigInt::from(3), 100u32);
        for x in [Fraction::new(1.into(), three.clone()), Fraction::new(three << 9, 7.into())] {
            let found = Precision(64).fraction(&x);
            let (lo, hi) = (found.lo.to_fraction(), found.hi.to_fraction());
            assert!(lo.compare(&x).is_lt() && hi.compare(&x).is_gt(), "{x:?}");
            assert!(
                hi.minus(&lo).times(&Fraction::new(BigInt::one() << 63, BigInt::one())).compare(&hi).is_le(),
                "{x:?}"
            );
        }
    }

    #[test]
    fn a_power_is_enclosed() {
        let precision = Precision(64);
        let x = fraction(2, 3);
        let found = precision.power(&precision.fraction(&x), 101);
        let exact = (0..101).fold(Fraction::one(), |power, _| power.times(&x));
        assert!(found.lo.to_fraction().compare(&exact).is_lt() && found.hi.to_fraction().compare(&exact).is_gt());
        assert!(
            found.hi.to_fraction().minus(&found.lo.to_fraction()).compare(&exact.times(&fraction(1, 1 << 50))).is_lt()
        );
        assert!(precision.power(&precision.fraction(&x), 0).lo.compare(&Float::one()).is_eq());
    }

    #[test]
    fn what_is_far_too_small_to_add_still_counts_on_its_side() {
        let precision = Precision(64);
        let tiny = precision.power(&precision.fraction(&fraction(1, 2)), 1 << 90);
        let one = Enclosure::one();
        let more = precision.sum(&one, &tiny);
        assert!(more.lo.compare(&Float::one()).is_eq() && more.hi.compare(&Float::one()).is_gt());
        let minus = Enclosure { lo: tiny.hi.negated(), hi: tiny.lo.negated() };
        let less = precision.sum(&one, &minus);
        assert!(less.lo.compare(&Float::one()).is_lt() && less.hi.compare(&Float::one()).is_eq());
    }

    #[test]
    fn only_the_point_zero_is_zero() {
        let (zero, one) = (Float::zero(), Float::one());
        let of = |lo: &Float, hi: &Float| Enclosure { lo: lo.clone(), hi: hi.clone() };
        assert!(of(&zero, &zero).is_zero() && !of(&zero, &one).is_zero() && !of(&one.negated(), &zero).is_zero());
    }

    #[test]
    fn a_double_is_the_number_that_it_is() {
        let of = |x: f64| Float::from(x).to_fraction();
        assert_eq!(of(-0.375).shown(), "-3/8");
        assert_eq!(of(6.0).shown(), "6");
        assert_eq!(of(0.0).shown(), "0");
        assert_eq!((of(5e-324).numerator, of(5e-324).denominator), (BigInt::one(), BigInt::one() << 1074));
        assert_eq!(of(f64::MAX).numerator, (BigInt::one() << 1024) - (BigInt::one() << 971));
    }

    #[test]
    fn floats_are_ordered_as_numbers() {
        let of = |m: i64, e: i128| Float { m: m.into(), e };
        assert!(of(-8, 0).compare(&of(-1, 3)).is_eq());
        assert!(of(-9, 0).compare(&of(-1, 3)).is_lt());
        assert!(of(-1, 70).compare(&of(-1, 3)).is_lt() && of(1, 70).compare(&of(1, 3)).is_gt());
        assert!(of(7, 0).compare(&of(1, 3)).is_lt() && of(0, 0).compare(&of(-1, -900)).is_gt());
        assert!(of(0, 0).compare(&of(1, -900)).is_lt());
        // The same top, and different exponents.
        assert!(of(7, 0).compare(&of(13, -1)).is_gt() && of(13, -1).compare(&of(7, 0)).is_lt());
    }
}
