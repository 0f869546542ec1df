//! Rates as people write them: `3%`, `0.03`, `3/100`.

use super::{NumberError, Rational, parse_rational};

/// The exact value of a rate: a number, or a number of per cent.
pub fn parse_rate(text: &str) -> Result<Rational, NumberError> {
    match text.trim_end().strip_suffix('%') {
        Some(percent) => Ok(parse_rational(percent)? / Rational::from(100)),
        None => parse_rational(text),
    }
}

/// The rate in per cent where that is a short decimal, otherwise as the fraction that it is. [`parse_rate`] reads it again.
pub fn rate_text(rate: &Rational) -> String {
    match short_decimal(&(rate * Rational::from(100))) {
        Some(percent) => format!("{percent}%"),
        None => rate.to_string(),
    }
}

/// The number as a decimal where that is exact and short, otherwise as the fraction that it is.
pub fn decimal_or_fraction(number: &Rational) -> String {
    short_decimal(number).unwrap_or_else(|| number.to_string())
}

/// The number as a decimal, if it has at most eight digits behind the point.
fn short_decimal(number: &Rational) -> Option<String> {
    const PLACES: isize = 8;
    const LONGEST: usize = 24;
    let places = (0..=PLACES).find(|&places| (number * Rational::from(10).pow(places)).is_whole())? as usize;
    let digits = (number * Rational::from(10).pow(places as isize)).to_string();
    if digits.len() > LONGEST {
        return None;
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", &*digits), |digits| ("-", digits));
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, behind) = padded.split_at(padded.len() - places);
    Some(if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{behind}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_or_per_cent() {
        for (text, fraction, shown) in [
            ("3%", "3/100", "3%"),
            ("3.5 %", "7/200", "3.5%"),
            ("0.014", "7/500", "1.4%"),
            ("1/30", "1/30", "1/30"),
            ("1/3%", "1/300", "1/300"),
            ("-0.5%", "-1/200", "-0.5%"),
            ("100%", "1", "100%"),
            ("0.00000001%", "1/10000000000", "0.00000001%"),
        ] {
            let rate = parse_rate(text).unwrap();
            assert_eq!((rate.to_string().as_str(), rate_text(&rate).as_str()), (fraction, shown), "{text}");
            assert_eq!(parse_rate(shown), Ok(rate));
        }
        for text in ["%", "3%%", "%3", "3 percent", "3‰"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
        assert_eq!(decimal_or_fraction(&Rational::from_quotient(-1, 8)), "-0.125");
    }
}
