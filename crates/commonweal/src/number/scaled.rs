//! Enclosures with an exponent of their own.
//!
//! Weights such as (λ_1/λ_0)^t at t = 10^6 underflow in doubles, but the signs of sums with them still matter. A [`Scaled`] is
//! an [`Enclosure`] times a power of two: it has the precision and nearly the speed of doubles, and does not underflow.
//! Enclosures with equal exponents, the common case, are added and multiplied directly.

use super::directed::UNIT_ROUNDOFF;
use super::rounding::power_of_two;
use super::{Enclosure, Integer, Natural, Rational};
use dashu_base::BitTest;
use std::cmp::Ordering;

/// `enclosure · 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    mantissa: Enclosure,
    exponent: i128,
}

/// Mantissas are normalised to about 1 when they leave 2^-RANGE … 2^RANGE.
const RANGE: i32 = 300;
/// The greatest exponent: beyond it a number is rounded outward to 0 or infinity.
pub(super) const FARTHEST: i128 = 1 << 120;

impl Scaled {
    /// Exactly 0.
    pub const ZERO: Scaled = Scaled { mantissa: Enclosure::ZERO, exponent: 0 };
    /// Exactly 1.
    pub const ONE: Scaled = Scaled { mantissa: Enclosure::ONE, exponent: 0 };

    /// `mantissa · 2^exponent`.
    pub fn new(mantissa: Enclosure, exponent: i128) -> Scaled {
        Scaled { mantissa, exponent }.normalised()
    }

    /// The tightest enclosure of `numerator / denominator`, however large or small.
    pub(crate) fn of_quotient(numerator: &Integer, denominator: &Natural) -> Scaled {
        let exponent = numerator.bit_len() as i128 - denominator.bit_len() as i128;
        if exponent.unsigned_abs() < RANGE as u128 {
            return Scaled { mantissa: Enclosure::of_quotient(numerator, denominator), exponent: 0 };
        }
        let mantissa = if exponent >= 0 {
            Enclosure::of_quotient(numerator, &(denominator << exponent as usize))
        } else {
            Enclosure::of_quotient(&(numerator << (-exponent) as usize), denominator)
        };
        Scaled::new(mantissa, exponent)
    }

    /// The numbers from `-radius` to `radius`.
    pub fn around_zero(radius: Scaled) -> Scaled {
        let upper = radius.mantissa.upper();
        Scaled { mantissa: Enclosure::new(-upper, upper), exponent: radius.exponent }
    }

    /// The upper end, which is finite, as a fraction times a power of two.
    pub(crate) fn upper_end(self) -> (Rational, i128) {
        (Rational::try_from(self.mantissa.upper()).expect("a finite end"), self.exponent)
    }

    /// Both ends, which are finite, as fractions times a power of two.
    pub(super) fn ends(self) -> ([Rational; 2], i128) {
        let exact = |end: f64| Rational::try_from(end).expect("a finite end");
        ([exact(self.mantissa.lower()), exact(self.mantissa.upper())], self.exponent)
    }

    /// The enclosure in doubles; ends that overflow are infinite, ends that underflow are rounded outward.
    pub fn to_doubles(self) -> Enclosure {
        if self.exponent == 0 { self.mantissa } else { shifted(self.mantissa, self.exponent) }
    }

    /// The numbers from `lower` to `upper`, far from overflow and underflow.
    pub fn plain(lower: f64, upper: f64) -> Scaled {
        Scaled { mantissa: Enclosure::new(lower, upper), exponent: 0 }.normalised()
    }

    /// The enclosure itself, if the number is 0 or far from overflow and underflow.
    pub fn as_plain(&self) -> Option<&Enclosure> {
        let magnitude = self.mantissa.lower().abs().max(self.mantissa.upper().abs());
        // Products of a few of these neither overflow nor underflow.
        let ordinary = magnitude == 0.0 || (1e-120..1e120).contains(&magnitude);
        (ordinary && (self.exponent == 0 || magnitude == 0.0)).then_some(&self.mantissa)
    }

    /// Whether the number is known exactly.
    pub fn is_point(&self) -> bool {
        self.mantissa.is_point()
    }

    /// Whether the number is known to be 0.
    pub fn is_zero(&self) -> bool {
        self.mantissa == Enclosure::ZERO
    }

    /// Whether the sign is known and the width is at most `part` of the number.
    pub fn is_tight(&self, part: f64) -> bool {
        let (lower, upper) = (self.mantissa.lower(), self.mantissa.upper());
        self.is_point() || (self.sign().is_some() && self.mantissa.width() <= part * lower.abs().max(upper.abs()))
    }

    /// The sign of the number, if the enclosure decides it.
    pub fn sign(&self) -> Option<Ordering> {
        self.mantissa.sign()
    }

    /// The comparison of this number with `other`, if the two enclosures decide it.
    pub fn compare(&self, other: &Scaled) -> Option<Ordering> {
        if self.exponent == other.exponent { self.mantissa.compare(&other.mantissa) } else { self.plus(-*other).sign() }
    }

    /// An upper bound of the number, as a point.
    pub fn upper(self) -> Scaled {
        let upper = self.mantissa.upper();
        Scaled { mantissa: Enclosure::new(upper, upper), exponent: self.exponent }
    }

    /// A lower bound of the number, as a point.
    pub fn lower(self) -> Scaled {
        let lower = self.mantissa.lower();
        Scaled { mantissa: Enclosure::new(lower, lower), exponent: self.exponent }
    }

    /// A point near the middle.
    pub fn middle(self) -> Scaled {
        let middle = self.mantissa.midpoint();
        Scaled { mantissa: Enclosure::new(middle, middle), exponent: self.exponent }
    }

    /// Everything from the lower end of this enclosure to the upper end of `other`.
    pub fn through(self, other: Scaled) -> Scaled {
        let (a, b) = aligned(self, other);
        Scaled { mantissa: Enclosure::new(a.mantissa.lower(), b.mantissa.upper()), exponent: a.exponent }.normalised()
    }

    /// The numbers that are in both enclosures, which are of one number.
    pub fn meet(self, other: Scaled) -> Scaled {
        let (a, b) = aligned(self, other);
        let lower = a.mantissa.lower().max(b.mantissa.lower());
        let mantissa = Enclosure::new(lower, a.mantissa.upper().min(b.mantissa.upper()));
        Scaled { mantissa, exponent: a.exponent }.normalised()
    }

    /// Everything from the greater of the lower ends to the greater of the upper ends: the maximum of the two numbers.
    pub fn max(self, other: Scaled) -> Scaled {
        let (a, b) = aligned(self, other);
        let mantissa =
            Enclosure::new(a.mantissa.lower().max(b.mantissa.lower()), a.mantissa.upper().max(b.mantissa.upper()));
        Scaled { mantissa, exponent: a.exponent }.normalised()
    }

    /// Everything from the lesser of the lower ends to the greater of the upper ends.
    pub(crate) fn join(self, other: Scaled) -> Scaled {
        let (a, b) = aligned(self, other);
        let mantissa =
            Enclosure::new(a.mantissa.lower().min(b.mantissa.lower()), a.mantissa.upper().max(b.mantissa.upper()));
        Scaled { mantissa, exponent: a.exponent }.normalised()
    }

    /// Whether the number may be at least `other`.
    pub fn may_reach(&self, other: &Scaled) -> bool {
        if self.exponent == other.exponent {
            self.mantissa.upper() >= other.mantissa.lower()
        } else {
            self.compare(other) != Some(Ordering::Less)
        }
    }

    /// An enclosure of the sum.
    pub fn plus(self, other: Scaled) -> Scaled {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (a, b) = aligned(self, other);
        Scaled { mantissa: a.mantissa.plus(b.mantissa), exponent: a.exponent }.normalised()
    }

    /// An enclosure of the product.
    pub fn times(self, other: Scaled) -> Scaled {
        Scaled { mantissa: self.mantissa.times(other.mantissa), exponent: self.exponent + other.exponent }.normalised()
    }

    /// The number times 2^exponent.
    pub(crate) fn shifted_by(self, exponent: i128) -> Scaled {
        if exponent == 0 { self } else { Scaled::new(self.mantissa, self.exponent + exponent) }
    }

    /// A number from 0 to 1, raised to a power.
    pub(crate) fn power(self, exponent: &Natural) -> Scaled {
        let mut result = Scaled::ONE;
        for bit in (0..exponent.bit_len()).rev() {
            result = result.times(result);
            if exponent.bit(bit) {
                result = result.times(self);
            }
        }
        result
    }

    /// `Σ_k weights[k] · values[k]` for exact weights that are at least 0 and of which `weights` are the nearest doubles.
    ///
    /// If all exponents agree, both ends are summed in plain doubles and one error term covers every rounding: with
    /// u = 2^-53 and k terms, a term carries at most the rounding of its weight, of its product and of k sums, so the
    /// error is below (k + 4) u Σ |weight · value|. Products that underflow lose less than the smallest normal double.
    pub fn dot(weights: &[f64], values: impl Iterator<Item = Scaled> + Clone) -> Scaled {
        let (mut lower, mut upper, mut magnitude) = (0.0, 0.0, 0.0);
        let mut exponent = None;
        for (&weight, value) in weights.iter().zip(values.clone()) {
            if value.is_zero() {
                continue;
            }
            if *exponent.get_or_insert(value.exponent) != value.exponent {
                return Scaled::dot_of_any(weights, values);
            }
            let (low, high) = (value.mantissa.lower(), value.mantissa.upper());
            lower += weight * low;
            upper += weight * high;
            magnitude += weight * low.abs().max(high.abs());
        }
        let Some(exponent) = exponent else { return Scaled::ZERO };
        let terms = weights.len() as f64;
        // Twice the bound, which covers the rounding of the bound itself.
        let error = 2.0 * (terms + 4.0) * UNIT_ROUNDOFF * magnitude + (terms + 1.0) * f64::MIN_POSITIVE;
        Scaled { mantissa: Enclosure::new((lower - error).next_down(), (upper + error).next_up()), exponent }
            .normalised()
    }

    fn dot_of_any(weights: &[f64], values: impl Iterator<Item = Scaled>) -> Scaled {
        let term = |(&weight, value): (&f64, Scaled)| {
            let weight = Enclosure::new(weight.next_down().max(0.0), weight.next_up());
            Scaled { mantissa: weight, exponent: 0 }.times(value)
        };
        weights.iter().zip(values).map(term).fold(Scaled::ZERO, Scaled::plus)
    }

    /// The same number with exponent 0 if it is far from overflow and underflow, with a mantissa of about 1 otherwise.
    fn normalised(self) -> Scaled {
        const LEAST: f64 = power_of_two(-(RANGE as i64));
        const GREATEST: f64 = power_of_two(RANGE as i64);
        let magnitude = self.mantissa.lower().abs().max(self.mantissa.upper().abs());
        if self.exponent == 0 && (LEAST..=GREATEST).contains(&magnitude) {
            return self;
        }
        if magnitude == 0.0 {
            return Scaled::ZERO;
        }
        if !magnitude.is_finite() {
            return self;
        }
        let top = i128::from(magnitude.to_bits() >> 52) - 1023;
        if (top + self.exponent).unsigned_abs() < RANGE as u128 {
            Scaled { mantissa: shifted(self.mantissa, self.exponent), exponent: 0 }
        } else {
            Scaled { mantissa: shifted(self.mantissa, -top), exponent: self.exponent + top }.within_reach()
        }
    }

    /// The same number with an exponent that will not overflow.
    fn within_reach(self) -> Scaled {
        let (lower, upper) = (self.mantissa.lower(), self.mantissa.upper());
        if self.exponent < -FARTHEST {
            Scaled { mantissa: Enclosure::new(lower.min(0.0), upper.max(0.0)), exponent: -FARTHEST }
        } else if self.exponent > FARTHEST {
            let lower = if lower < 0.0 { f64::NEG_INFINITY } else { lower };
            let upper = if upper > 0.0 { f64::INFINITY } else { upper };
            Scaled { mantissa: Enclosure::new(lower, upper), exponent: FARTHEST }
        } else {
            self
        }
    }
}

impl From<&Rational> for Scaled {
    fn from(value: &Rational) -> Scaled {
        Scaled::of_quotient(value.numerator(), value.denominator())
    }
}

impl std::ops::Mul for Scaled {
    type Output = Scaled;
    fn mul(self, other: Scaled) -> Scaled {
        self.times(other)
    }
}

impl std::iter::Sum for Scaled {
    fn sum<I: Iterator<Item = Scaled>>(terms: I) -> Scaled {
        terms.fold(Scaled::ZERO, Scaled::plus)
    }
}

impl std::ops::Neg for Scaled {
    type Output = Scaled;
    fn neg(self) -> Scaled {
        Scaled { mantissa: -self.mantissa, exponent: self.exponent }
    }
}

/// The same two numbers with one exponent, the greater of theirs; 0 takes that of the other.
fn aligned(a: Scaled, b: Scaled) -> (Scaled, Scaled) {
    if a.exponent == b.exponent || b.is_zero() {
        return (a, Scaled { exponent: a.exponent, ..b });
    }
    if a.is_zero() || a.exponent < b.exponent {
        let (b, a) = if a.is_zero() {
            (b, Scaled { exponent: b.exponent, ..a })
        } else {
            (b, Scaled { mantissa: shifted(a.mantissa, a.exponent - b.exponent), exponent: b.exponent })
        };
        return (a, b);
    }
    (a, Scaled { mantissa: shifted(b.mantissa, b.exponent - a.exponent), exponent: a.exponent })
}

/// `enclosure · 2^shift`, rounded outward if it overflows or underflows.
fn shifted(enclosure: Enclosure, shift: i128) -> Enclosure {
    let end = |x: f64| {
        let mut rest = shift.clamp(-4_000, 4_000) as i32;
        let mut x = x;
        while rest != 0 {
            let step = rest.clamp(-1_000, 1_000);
            x *= power_of_two(step.into());
            rest -= step;
        }
        x
    };
    let (lower, upper) = (end(enclosure.lower()), end(enclosure.upper()));
    // Multiplying by a power of two is exact unless the result is subnormal or infinite.
    let inexact =
        |x: f64, from: f64| from != 0.0 && (x.abs() < f64::MIN_POSITIVE || (x.is_infinite() && from.is_finite()));
    let lower = if inexact(lower, enclosure.lower()) { lower.next_down() } else { lower };
    let upper = if inexact(upper, enclosure.upper()) { upper.next_up() } else { upper };
    // Rounding outward must not lose a sign.
    let lower = if enclosure.lower() >= 0.0 { lower.max(0.0) } else { lower };
    let upper = if enclosure.upper() <= 0.0 { upper.min(0.0) } else { upper };
    Enclosure::new(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::sum;
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1u64.., 0usize..3000, 0usize..3000)
            .prop_map(|(n, d, up, down)| Rational::from_parts(Integer::from(n) << up, Natural::from(d) << down))
    }

    fn contains(scaled: Scaled, exact: &Rational) -> bool {
        let end = |x: f64| {
            let x = Rational::try_from(x).unwrap();
            if scaled.exponent >= 0 {
                x * Rational::from_integer(Integer::ONE << scaled.exponent as usize)
            } else {
                x / Rational::from_integer(Integer::ONE << (-scaled.exponent) as usize)
            }
        };
        end(scaled.mantissa.lower()) <= *exact && *exact <= end(scaled.mantissa.upper())
    }

    proptest! {
        #[test]
        fn every_operation_contains_the_exact_result(a in rational(), b in rational(), k in 0u32..6) {
            let (x, y) = (Scaled::from(&a), Scaled::from(&b));
            prop_assert!(contains(x, &a) && x.is_tight(1e-15));
            prop_assert!(contains(x.plus(y), &(&a + &b)));
            prop_assert!(contains(x.times(y), &(&a * &b)));
            prop_assert!(contains(x.max(y), &a.clone().max(b.clone())));
            prop_assert!(contains(Scaled::from(&a.clone().abs()).power(&Natural::from(k)), &a.clone().abs().pow(k as isize)));
            prop_assert_eq!(x.sign(), Some(a.cmp(&Rational::ZERO)));
            if let Some(order) = x.compare(&y) {
                prop_assert_eq!(order, a.cmp(&b));
            }
            let (doubles, tight) = (x.to_doubles(), Enclosure::from(&a));
            prop_assert!(doubles.lower() <= tight.lower() && tight.upper() <= doubles.upper());
        }

        #[test]
        fn inner_products_contain_the_exact_result(
            terms in prop::collection::vec((0u32.., 1u32.., any::<i64>(), 1u64.., 0usize..2, 0usize..1100, 0usize..80), 1..9),
        ) {
            let exact: Vec<(Rational, Rational)> = terms.iter().map(|&(a, b, n, d, far, down, up)| (
                Rational::from_parts(a.into(), b.into()),
                Rational::from_parts(Integer::from(n) << up, Natural::from(d) << (far * down)),
            )).collect();
            let weights: Vec<f64> = exact.iter().map(|(weight, _)| weight.to_f64()).collect();
            let enclosed = Scaled::dot(&weights, exact.iter().map(|(_, value)| Scaled::from(value)));
            prop_assert!(contains(enclosed, &sum(exact.iter().map(|(weight, value)| weight * value))));
        }
    }
}
