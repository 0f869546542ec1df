//! Doubles next to a quotient of integers, below and above.

use super::{Integer, Natural};
use dashu_base::{BitTest, Sign};

/// The greatest double that is at most `numerator / denominator`; `-∞` below every finite double.
pub fn quotient_to_f64_down(numerator: &Integer, denominator: &Natural) -> f64 {
    match numerator.sign() {
        Sign::Positive => magnitude(numerator, denominator, false),
        Sign::Negative => -magnitude(numerator, denominator, true),
    }
}

/// The least double that is at least `numerator / denominator`; `+∞` above every finite double.
pub fn quotient_to_f64_up(numerator: &Integer, denominator: &Natural) -> f64 {
    match numerator.sign() {
        Sign::Positive => magnitude(numerator, denominator, true),
        Sign::Negative => -magnitude(numerator, denominator, false),
    }
}

/// |numerator| / denominator, rounded towards 0, or away from it if `up`.
fn magnitude(numerator: &Integer, denominator: &Natural, up: bool) -> f64 {
    let (_, numerator) = numerator.clone().into_parts();
    if numerator.is_zero() {
        return 0.0;
    }
    // A quotient of 64 or 65 bits; `sticky` says whether anything was cut off below it.
    let shift = numerator.bit_len() as i64 - denominator.bit_len() as i64 - 64;
    let (dividend, divisor) = match shift >= 0 {
        true => (numerator, denominator << shift as usize),
        false => (numerator << (-shift) as usize, denominator.clone()),
    };
    let quotient = &dividend / &divisor;
    let mut sticky = &quotient * &divisor != dividend;
    let mut bits = u128::try_from(&quotient).expect("a quotient of at most 65 bits");
    let mut exponent = shift;
    // Keep 53 bits, fewer where the result is subnormal.
    let top = 128 - i64::from(bits.leading_zeros()) + exponent;
    let lowest = (top - 53).max(-1074);
    let drop = lowest - exponent;
    if drop >= 128 {
        sticky = true;
        bits = 0;
    } else {
        sticky |= bits & ((1u128 << drop) - 1) != 0;
        bits >>= drop;
    }
    exponent = lowest;
    if sticky && up {
        bits += 1;
    }
    // 2^exponent in two steps, so that a subnormal result is not lost on the way.
    if top > 1025 {
        return if up { f64::INFINITY } else { f64::MAX };
    }
    let half = exponent / 2;
    let value = bits as f64 * power_of_two(half) * power_of_two(exponent - half);
    match value.is_infinite() && !up {
        true => f64::MAX,
        false => value,
    }
}

fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Rational;
    use proptest::prelude::*;

    /// Checked in exact arithmetic: on the right side, and the next double is on the other.
    fn assert_tight(numerator: Integer, denominator: Natural) {
        let exact = Rational::from_parts(numerator.clone(), denominator.clone());
        let below = quotient_to_f64_down(&numerator, &denominator);
        let above = quotient_to_f64_up(&numerator, &denominator);
        let at_most = |x: f64| x == f64::NEG_INFINITY || (x.is_finite() && Rational::try_from(x).unwrap() <= exact);
        let at_least = |x: f64| x == f64::INFINITY || (x.is_finite() && Rational::try_from(x).unwrap() >= exact);
        assert!(at_most(below) && (!at_most(below.next_up()) || below == above.max(below)), "{exact} {below:e}");
        assert!(at_least(above), "{exact} {above:e}");
        assert!(below == above || below.next_up() == above, "{exact}: {below:e} {above:e}");
    }

    #[test]
    fn the_extremes_are_tight() {
        let power = |k: usize| Natural::ONE << k;
        for sign in [Integer::ONE, Integer::NEG_ONE] {
            assert_tight(sign.clone(), power(1074));
            assert_tight(sign.clone(), power(1075));
            assert_tight(sign.clone(), power(4000));
            assert_tight(&sign * Integer::from(3), power(1075));
            assert_tight(&sign * Integer::from(power(1024) - Natural::ONE), Natural::ONE);
            assert_tight(&sign * Integer::from(power(1024) - power(970)), Natural::ONE);
            assert_tight(&sign * Integer::from(power(1024)), Natural::ONE);
            assert_tight(&sign * Integer::from(power(5000)), Natural::from(3u8));
        }
        assert_eq!(quotient_to_f64_down(&Integer::ZERO, &Natural::from(7u8)), 0.0);
        assert_eq!(quotient_to_f64_down(&Integer::from(127), &Natural::from(9u8)), 14.11111111111111);
        assert_eq!(quotient_to_f64_up(&Integer::from(127), &Natural::from(9u8)), 14.111111111111112);
    }

    proptest! {
        #[test]
        fn any_quotient_is_tight(n in any::<i128>(), d in 1u128.., up in 0usize..1200, down in 0usize..1200) {
            assert_tight(Integer::from(n) << up, Natural::from(d) << down);
        }
    }
}
