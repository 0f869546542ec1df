//! Exact fractions, reduced to lowest terms only on request.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A numerator over a positive denominator.
#[derive(Debug, Clone)]
pub struct Fraction {
    pub numerator: BigInt,
    pub denominator: BigInt,
}

impl Fraction {
    pub fn new(numerator: BigInt, denominator: BigInt) -> Fraction {
        Fraction { numerator, denominator }
    }

    pub fn zero() -> Fraction {
        Fraction::new(BigInt::zero(), BigInt::one())
    }

    pub fn one() -> Fraction {
        Fraction::new(BigInt::one(), BigInt::one())
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub fn plus(&self, other: &Fraction) -> Fraction {
        if self.denominator == other.denominator {
            return Fraction::new(&self.numerator + &other.numerator, self.denominator.clone());
        }
        Fraction::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }

    pub fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&other.negated())
    }

    pub fn negated(&self) -> Fraction {
        Fraction::new(-&self.numerator, self.denominator.clone())
    }

    pub fn times(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    /// `self / other`, which is positive.
    pub fn over(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    pub fn compare(&self, other: &Fraction) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    pub fn in_lowest_terms(self) -> Fraction {
        let common = self.numerator.gcd(&self.denominator);
        Fraction::new(self.numerator / &common, self.denominator / common)
    }

    /// The number as a message shows it: exactly if it is short.
    pub fn shown(&self) -> String {
        const SHORT: u64 = 120;
        if self.numerator.bits() + self.denominator.bits() > SHORT {
            return approximate(&self.numerator, &self.denominator);
        }
        self.clone().in_lowest_terms().written()
    }

    /// The numerator, and the denominator unless it is 1.
    pub fn written(&self) -> String {
        if self.denominator.is_one() {
            self.numerator.to_string()
        } else {
            format!("{}/{}", self.numerator, self.denominator)
        }
    }
}

/// The least common multiple of two positive integers, the second of which may be far shorter. (A greatest common divisor
/// by shifts and subtractions alone would take time in proportion to both lengths.)
pub fn lcm(large: &BigInt, small: &BigInt) -> BigInt {
    let rest = large % small;
    if rest.is_zero() { large.clone() } else { large * (small / rest.gcd(small)) }
}

/// A quotient to a few digits, for people.
fn approximate(numerator: &BigInt, denominator: &BigInt) -> String {
    let shift = numerator.bits() as i64 - denominator.bits() as i64 - 60;
    let quotient = if shift >= 0 { numerator / (denominator << shift) } else { (numerator << -shift) / denominator };
    shown_float(&quotient, i128::from(shift))
}

/// m·2^e to a few digits, for people.
pub fn shown_float(m: &BigInt, e: i128) -> String {
    let excess = m.bits().saturating_sub(60);
    let (small, exponent) = ((m >> excess).to_f64().unwrap_or(0.0), e.saturating_add(i128::from(excess)));
    match i32::try_from(exponent) {
        Ok(exponent) if (-900..=900).contains(&exponent) => format!("≈ {:e}", small * 2f64.powi(exponent)),
        _ => format!("≈ {}2^{}", if m.is_negative() { "-" } else { "" }, e + i128::from(m.bits()) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_least_common_multiple_is_the_least() {
        let of = |large: u32, small: u32| lcm(&large.into(), &small.into());
        assert_eq!([of(6, 4), of(12, 4), of(4, 6), of(5, 7)], [12, 12, 12, 35].map(BigInt::from));
    }

    #[test]
    fn long_numbers_are_shown_to_a_few_digits() {
        let ten = |power: u32| num_traits::Pow::pow(BigInt::from(10), power);
        // 60 bits each, and one more.
        let long: BigInt = BigInt::one() << 60;
        let (exact, even): (BigInt, BigInt) = (&long - 1, BigInt::one() << 59);
        assert_eq!(Fraction::new(exact.clone(), even.clone()).shown(), format!("{exact}/{even}"));
        assert!(Fraction::new(long, even).shown().starts_with("≈ 2e0"));
        for (fraction, expected) in [
            (Fraction::new(ten(40), 3.into()), 1e40f64 / 3.0),
            (Fraction::new((-7).into(), ten(40)), -7e-40),
            (Fraction::new(ten(40), ten(39) * 7), 10.0 / 7.0),
        ] {
            let shown = fraction.shown();
            let found: f64 = shown.trim_start_matches("≈ ").parse().expect("a number");
            assert!((expected.next_down()..=expected.next_up()).contains(&found), "{shown}");
        }
    }

    #[test]
    fn floats_beyond_the_doubles_are_shown_as_powers() {
        let shown = |m: i64, e: i128| shown_float(&m.into(), e);
        assert_eq!(
            [shown(3, 1), shown(-3, -1), shown(1, 900)],
            ["≈ 6e0", "≈ -1.5e0", &format!("≈ {:e}", 2f64.powi(900))]
        );
        assert_eq!(
            [shown(1, 901), shown(-5, -901), shown(1, 1 << 90)],
            ["≈ 2^901", "≈ -2^-899", &format!("≈ 2^{}", 1u128 << 90)]
        );
        assert_eq!(shown_float(&(BigInt::from(3) << 998), 2), "≈ 2^1001");
    }

    #[test]
    fn arithmetic_is_that_of_fractions() {
        let half = Fraction::new(1.into(), 2.into());
        let third = Fraction::new((-1).into(), 3.into());
        assert_eq!(half.plus(&third).shown(), "1/6");
        assert_eq!(half.minus(&third).shown(), "5/6");
        assert_eq!(half.times(&third).shown(), "-1/6");
        assert_eq!(third.over(&half).shown(), "-2/3");
        assert_eq!(third.compare(&half), Ordering::Less);
    }
}
