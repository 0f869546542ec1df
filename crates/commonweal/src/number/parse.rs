//! Exact numbers from text: integers, decimals, decimals with an exponent, and fractions.

use super::{Integer, Natural, Rational};
use std::borrow::Cow;

/// The most digits that a number may have when written out in full. The limit keeps `1e999999999` from exhausting memory.
const MAX_DIGITS: usize = 10_000;
/// The same in bits.
pub(crate) const LONGEST_BITS: usize = 33_219;

/// Why a text is not a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a number.
    #[error("`{0}` is not a number; write an integer, a decimal such as 0.25 or 1e-3, or a fraction such as 2/3")]
    Malformed(String),
    /// A fraction whose denominator is 0.
    #[error("`{0}` divides by zero")]
    ZeroDenominator(String),
    /// Written out in full the number has more digits than this program reads.
    #[error("`{0}` has more than {MAX_DIGITS} digits when written out")]
    TooLong(String),
}

/// The exact value of `text`: `3`, `-0.1`, `1e-3`, `2/3`. A decimal is read as the fraction that it writes, so `0.1` is 1/10.
///
/// ```
/// use commonweal::internals::number::{parse_rational, Rational};
/// assert_eq!(parse_rational("0.1")?, parse_rational("1/10")?);
/// assert_eq!(parse_rational("-2.5e1")?, Rational::from(-25));
/// # Ok::<(), commonweal::internals::number::NumberError>(())
/// ```
pub fn parse_rational(text: &str) -> Result<Rational, NumberError> {
    let trimmed = text.trim();
    let value = match trimmed.split_once('/') {
        None => decimal(trimmed)?,
        Some((numerator, denominator)) => {
            let numerator = decimal(numerator.trim_end())?;
            let denominator = decimal(denominator.trim_start())?;
            if denominator.is_zero() {
                return Err(NumberError::ZeroDenominator(shown(trimmed)));
            }
            numerator / denominator
        }
    };
    if is_long(value.numerator().as_sign_words().1) || is_long(value.denominator().as_words()) {
        Err(NumberError::TooLong(shown(trimmed)))
    } else {
        Ok(value)
    }
}

/// Whether an integer has more than `MAX_DIGITS` digits. Every number that is read can then be written and read again.
fn is_long(words: &[dashu_int::Word]) -> bool {
    /// No number of fewer words has that many digits.
    const MANY_WORDS: usize = MAX_DIGITS * 3 / dashu_int::Word::BITS as usize;
    words.len() >= MANY_WORDS && Natural::from_words(words) >= Natural::from(10u8).pow(MAX_DIGITS)
}

fn decimal(text: &str) -> Result<Rational, NumberError> {
    let malformed = || NumberError::Malformed(shown(text));
    let too_long = || NumberError::TooLong(shown(text));
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        None => (unsigned, 0),
        Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..]).ok_or_else(malformed)?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits_only(whole) || !digits_only(fraction) {
        return Err(malformed());
    }
    if whole.len() + fraction.len() > MAX_DIGITS {
        return Err(too_long());
    }
    let digits: Cow<str> = if fraction.is_empty() { whole.into() } else { [whole, fraction].concat().into() };
    let magnitude = match digits.parse::<u64>() {
        Ok(small) => Natural::from(small),
        Err(_) => Natural::from_str_radix(&digits, 10).map_err(|_| malformed())?,
    };
    let magnitude = Integer::from(magnitude);
    if magnitude.is_zero() {
        return Ok(Rational::ZERO);
    }
    let power = exponent - fraction.len() as i64;
    if power == 0 {
        return Ok(Rational::from_integer(if negative { -magnitude } else { magnitude }));
    }
    if power.unsigned_abs() as usize > MAX_DIGITS {
        return Err(too_long());
    }
    let ten_to_power = Natural::from(10u8).pow(power.unsigned_abs() as usize);
    let value = if power >= 0 {
        Rational::from_integer(magnitude * Integer::from(ten_to_power))
    } else {
        Rational::from_parts(magnitude, ten_to_power)
    };
    Ok(if negative { -value } else { value })
}

/// The exponent, saturated if it does not fit; `None` if it is not an integer.
fn exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX).min(1 << 40);
    Some(if negative { -magnitude } else { magnitude })
}

/// The text as an error message can show it: the beginning of a long one.
fn shown(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: u64) -> Rational {
        Rational::from_quotient(numerator, denominator)
    }

    #[test]
    fn every_form_is_read_exactly() {
        for (text, expected) in [
            ("3", fraction(3, 1)),
            ("-0", fraction(0, 1)),
            ("+7", fraction(7, 1)),
            ("0.1", fraction(1, 10)),
            (".5", fraction(1, 2)),
            ("5.", fraction(5, 1)),
            ("1e-3", fraction(1, 1000)),
            ("-2.5E+1", fraction(-25, 1)),
            ("2/3", fraction(2, 3)),
            ("-4 / 6", fraction(-2, 3)),
            ("0.5/0.25", fraction(2, 1)),
            ("1/-2", fraction(-1, 2)),
            ("0e999999999999999999999", fraction(0, 1)),
        ] {
            assert_eq!(parse_rational(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_longest_numbers_are_read_as_they_are_written() {
        for text in ["9".repeat(10_000), format!("-1{}", "0".repeat(9_999)), format!("1/{}7", "3".repeat(9_999))] {
            assert_eq!(parse_rational(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "-", ".", "e5", "1e", "1e+", "0x10", "1_000", "1,5", "nan", "inf", "1/2/3", "1 2", "½", "--1"]
        {
            assert!(matches!(parse_rational(text), Err(NumberError::Malformed(_))), "{text}");
        }
        assert!(matches!(parse_rational("1/0"), Err(NumberError::ZeroDenominator(_))));
        let long = ["1e10000", "1e-10000", "12e9999", "1e6000/1e-6000", &"9".repeat(10_001)];
        for text in ["1e999999999", "1e-999999999", "1e99999999999999999999"].into_iter().chain(long) {
            assert!(matches!(parse_rational(text), Err(NumberError::TooLong(_))), "{text}");
        }
    }
}
