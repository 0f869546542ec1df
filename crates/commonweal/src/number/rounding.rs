//! Rounding a quotient of integers to doubles: down, up, to nearest.

use super::{Integer, Natural};
use dashu_base::{BitTest, DivRem, Sign};
use std::cmp::Ordering;

/// The greatest double at most, and the least double at least, `numerator / denominator`. They are equal where the
/// quotient is a double. Past the largest finite double the outer end is infinite.
pub(crate) fn doubles_around(numerator: &Integer, denominator: &Natural) -> (f64, f64) {
    let (inner, outer) = magnitudes_around(numerator, denominator);
    match numerator.sign() {
        Sign::Positive => (inner, outer),
        Sign::Negative => (-outer, -inner),
    }
}

/// The double nearest to `numerator / denominator`, ties to even; infinite past the largest finite double.
pub(crate) fn nearest_double(numerator: &Integer, denominator: &Natural) -> f64 {
    let Some(Cut { kept, exponent, rest }) = cut(numerator, denominator) else { return 0.0 };
    let up = match rest {
        Rest::Nothing | Rest::BelowHalf => false,
        Rest::Half => kept & 1 == 1,
        Rest::AboveHalf => true,
    };
    let magnitude = scaled(kept + u128::from(up), exponent);
    if numerator.sign() == Sign::Negative { -magnitude } else { magnitude }
}

/// |numerator| / denominator rounded towards 0 and away from it.
fn magnitudes_around(numerator: &Integer, denominator: &Natural) -> (f64, f64) {
    let Some(Cut { kept, exponent, rest }) = cut(numerator, denominator) else { return (0.0, 0.0) };
    let more = u128::from(!matches!(rest, Rest::Nothing));
    (scaled(kept, exponent).min(f64::MAX), scaled(kept + more, exponent))
}

/// A magnitude as `kept · 2^exponent` and the remainder, in units of 2^exponent.
struct Cut {
    /// 53 bits, fewer where the result is subnormal.
    kept: u128,
    exponent: i64,
    rest: Rest,
}

enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

/// |numerator| / denominator, cut to the bits of a double; `None` if it is 0.
fn cut(numerator: &Integer, denominator: &Natural) -> Option<Cut> {
    let (_, numerator) = numerator.clone().into_parts();
    if numerator.is_zero() {
        return None;
    }
    // A quotient of 64 or 65 bits, and a remainder.
    let shift = numerator.bit_len() as i64 - denominator.bit_len() as i64 - 64;
    let (dividend, divisor) = if shift >= 0 {
        (numerator, denominator << shift as usize)
    } else {
        (numerator << (-shift) as usize, denominator.clone())
    };
    let (quotient, remainder) = dividend.div_rem(&divisor);
    let bits = u128::try_from(&quotient).expect("a quotient of at most 65 bits");
    // Keep 53 bits, fewer where the result is subnormal.
    let top = 128 - i64::from(bits.leading_zeros()) + shift;
    let exponent = (top - 53).max(-1074);
    let drop = exponent - shift;
    // At least 11 bits are dropped. Past 127 of them not even half a unit is left.
    let (kept, dropped, half) = if drop >= 128 {
        (0, bits, u128::MAX)
    } else {
        (bits >> drop, bits & ((1u128 << drop) - 1), 1u128 << (drop - 1))
    };
    let rest = match (dropped.cmp(&half), remainder.is_zero()) {
        (Ordering::Less, true) if dropped == 0 => Rest::Nothing,
        (Ordering::Less, _) => Rest::BelowHalf,
        (Ordering::Equal, true) => Rest::Half,
        (Ordering::Equal, false) | (Ordering::Greater, _) => Rest::AboveHalf,
    };
    Some(Cut { kept, exponent, rest })
}

/// `mantissa · 2^exponent` for a mantissa of at most 53 bits, or a power of two just above.
fn scaled(mantissa: u128, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    if exponent > 1024 {
        return f64::INFINITY;
    }
    // In two steps, because 2^exponent itself may underflow.
    let half = exponent / 2;
    mantissa as f64 * power_of_two(half) * power_of_two(exponent - half)
}

/// 2^exponent, for an exponent of a normal double.
pub(super) const fn power_of_two(exponent: i64) -> f64 {
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
        let nearest = nearest_double(&numerator, &denominator);
        assert!(nearest == below || nearest == above);
        if below < above && below.is_finite() && above.is_finite() {
            let [low, high] = [below, above].map(|x| Rational::try_from(x).unwrap());
            let expected = match (&exact - low).cmp(&(high - &exact)) {
                Ordering::Less => below,
                Ordering::Greater => above,
                Ordering::Equal if below.to_bits() & 1 == 0 => below,
                Ordering::Equal => above,
            };
            assert_eq!(nearest, expected, "{exact}");
        }
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

    #[test]
    fn the_nearest_double_is_the_one_that_parsing_gives() {
        let nearest = |text: &str| {
            let exact = crate::number::parse_rational(text).unwrap();
            nearest_double(exact.numerator(), exact.denominator())
        };
        let huge = "1.7976931348623157e308";
        let ties = ["9007199254740993", "9007199254740995", "1.7976931348623158079e308", "1.797693134862315808e308"];
        let small = ["4.94065645841246544177e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400"];
        for text in ["0.1", "-0.3", "1e-5", "2.2250738585072011e-308", huge, "1e400", "-1e400"]
            .iter()
            .chain(&ties)
            .chain(&small)
        {
            assert_eq!(nearest(text).to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_as_parsing_rounds_them(mantissa in any::<i64>(), exponent in -345i32..310) {
            let text = format!("{mantissa}e{exponent}");
            let exact = crate::number::parse_rational(&text).unwrap();
            let nearest = nearest_double(exact.numerator(), exact.denominator());
            prop_assert_eq!(nearest, text.parse::<f64>().unwrap());
        }

        #[test]
        fn any_quotient_is_tight(n in any::<i128>(), d in 1u128.., up in 0usize..1200, down in 0usize..1200) {
            assert_tight(Integer::from(n) << up, Natural::from(d) << down);
        }
    }
}
