//! Doubles next to a quotient of integers, below and above.

use super::{Integer, Natural};
use dashu_base::{BitTest, DivRem, Sign};

/// The greatest double at most, and the least double at least, `numerator / denominator`. They are equal where the
/// quotient is a double. Past the largest finite double the outer end is infinite.
pub fn doubles_around(numerator: &Integer, denominator: &Natural) -> (f64, f64) {
    let (inner, outer) = magnitudes_around(numerator, denominator);
    match numerator.sign() {
        Sign::Positive => (inner, outer),
        Sign::Negative => (-outer, -inner),
    }
}

/// |numerator| / denominator rounded towards 0 and away from it.
fn magnitudes_around(numerator: &Integer, denominator: &Natural) -> (f64, f64) {
    let (_, numerator) = numerator.clone().into_parts();
    if numerator.is_zero() {
        return (0.0, 0.0);
    }
    // A quotient of 64 or 65 bits; `cut` says whether anything was cut off below it.
    let shift = numerator.bit_len() as i64 - denominator.bit_len() as i64 - 64;
    let (dividend, divisor) = match shift >= 0 {
        true => (numerator, denominator << shift as usize),
        false => (numerator << (-shift) as usize, denominator.clone()),
    };
    let (quotient, remainder) = dividend.div_rem(&divisor);
    let bits = u128::try_from(&quotient).expect("a quotient of at most 65 bits");
    // Keep 53 bits, fewer where the result is subnormal.
    let top = 128 - i64::from(bits.leading_zeros()) + shift;
    let exponent = (top - 53).max(-1074);
    let drop = exponent - shift;
    let (kept, dropped) = match drop >= 128 {
        true => (0, bits),
        false => (bits >> drop, bits & ((1u128 << drop) - 1)),
    };
    let cut = dropped != 0 || !remainder.is_zero();
    (scaled(kept, exponent).min(f64::MAX), scaled(kept + u128::from(cut), exponent))
}

/// `mantissa · 2^exponent` for a mantissa of at most 53 bits, or a power of two just above.
fn scaled(mantissa: u128, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    if exponent > 1024 {
        return f64::INFINITY;
    }
    // In two steps, so that a subnormal result is not lost on the way.
    let half = exponent / 2;
    mantissa as f64 * power_of_two(half) * power_of_two(exponent - half)
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
        let (below, above) = doubles_around(&numerator, &denominator);
        let at_most = |x: f64| x == f64::NEG_INFINITY || (x.is_finite() && Rational::try_from(x).unwrap() <= exact);
        let at_least = |x: f64| x == f64::INFINITY || (x.is_finite() && Rational::try_from(x).unwrap() >= exact);
        assert!(at_most(below), "{exact} {below:e}");
        assert!(at_least(above), "{exact} {above:e}");
        assert!(below == above && at_most(above) || below.next_up() == above, "{exact}: {below:e} {above:e}");
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
        assert_eq!(doubles_around(&Integer::ZERO, &Natural::from(7u8)), (0.0, 0.0));
        assert_eq!(doubles_around(&Integer::from(127), &Natural::from(9u8)), (14.11111111111111, 14.111111111111112));
    }

    proptest! {
        #[test]
        fn any_quotient_is_tight(n in any::<i128>(), d in 1u128.., up in 0usize..1200, down in 0usize..1200) {
            assert_tight(Integer::from(n) << up, Natural::from(d) << down);
        }
    }
}
