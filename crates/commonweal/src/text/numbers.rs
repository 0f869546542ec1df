//! Numbers as people read them.

use crate::number::{Rational, Value, parse_rational};
use crate::strategy::Step;

/// A fraction is shown in a text if it is no longer than this.
const SHORT_FRACTION: usize = 32;

/// The fraction if it is short, and the decimal if it is not a whole number: `127/9 ≈ 14.111111`.
pub fn exact_and_decimal(value: &Value) -> String {
    match &value.exact {
        Some(exact) => match short_fraction(exact) {
            Some(fraction) if exact.is_whole() => fraction,
            Some(fraction) => {
                let sign = if is_short_decimal(exact) { "=" } else { "≈" };
                format!("{fraction} {sign} {}", decimal(exact))
            }
            None => format!("≈ {}", decimal(exact)),
        },
        None if is_narrow(value) => format!("≈ {}", double(value.enclosure.midpoint())),
        None => interval(value),
    }
}

/// The fraction, if a person would want to read it.
pub fn short_fraction(exact: &Rational) -> Option<String> {
    fraction_within(exact, SHORT_FRACTION)
}

/// The fraction, if it is no wider than that.
pub fn fraction_within(exact: &Rational, width: usize) -> Option<String> {
    // Long before a fraction is written out, its size says that it is too long.
    (exact.bits() <= 4 * width + 16).then(|| exact.to_string()).filter(|text| text.len() <= width)
}

/// The fraction if it is short enough for a column, the decimal otherwise.
pub fn fraction_or_decimal(exact: &Rational) -> String {
    const COLUMN: usize = 12;
    fraction_within(exact, COLUMN).unwrap_or_else(|| decimal(exact))
}

/// A discount in a column: the fraction if it is short, and never 1, however close to it.
pub fn discount(exact: &Rational) -> String {
    // Close discounts differ late: a decimal that ends is shown whole.
    const LONGEST: u32 = 15;
    let in_units = exact * Rational::from(10u64.pow(LONGEST));
    if short_fraction(exact).is_none_or(|fraction| fraction.len() > 11) && in_units.is_whole() {
        let digits = format!("{:0>15}", in_units.to_string());
        return format!("0.{}", digits.trim_end_matches('0'));
    }
    if let Some(fraction) = fraction_within(exact, 24) {
        return fraction;
    }
    let shown = fraction_or_decimal(exact);
    if shown == "1" { format!("1 - {}", decimal(&(Rational::ONE - exact))) } else { shown }
}

/// The number that the table shows: the decimal of an exact one, both ends of another.
pub fn in_column(value: &Value) -> String {
    match &value.exact {
        Some(exact) => decimal(exact),
        None if is_narrow(value) => double(value.enclosure.midpoint()),
        None if agreed(value).is_some() => agreed(value).expect("some digits are"),
        // What is left of two large numbers: a few digits are known.
        None if value.enclosure.width() <= 1e-3 * value.enclosure.midpoint().abs() => {
            format!("{:.2e}", value.enclosure.midpoint())
        }
        None => interval(value),
    }
}

/// As many digits after the point, six at most, as both ends agree on; `None` if they agree on fewer than two.
fn agreed(value: &Value) -> Option<String> {
    let (lower, upper) = (value.enclosure.lower(), value.enclosure.upper());
    let rounded = |x: f64, digits: usize| format!("{x:.digits$}");
    let digits = (2..=6).rev().find(|&digits| rounded(lower, digits) == rounded(upper, digits))?;
    let ordinary = (1e-1..1e9).contains(&lower.abs()) && (1e-1..1e9).contains(&upper.abs());
    ordinary.then(|| rounded(lower, digits).trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// Whether the digits that are shown are the same at both ends.
fn is_narrow(value: &Value) -> bool {
    value.enclosure.width() <= 1e-9 * value.enclosure.midpoint().abs()
}

/// Six digits after the point where they say something, seven digits and a power of ten where they do not.
pub fn decimal(exact: &Rational) -> String {
    let nearest = exact.to_f64();
    let in_range = exact.is_zero() || (1e-300..1e300).contains(&nearest.abs());
    if in_range { double(nearest) } else { scientific(exact) }
}

/// `decimal` with its sign, also if it is positive.
pub fn signed(value: &Value) -> String {
    let around_zero = value.enclosure.lower() <= 0.0 && value.enclosure.upper() >= 0.0;
    if value.exact.is_none() && around_zero && value.enclosure.width() < 1e-9 {
        return "≈ 0".to_owned();
    }
    let text = in_column(value);
    if value.enclosure.upper() > 0.0 && value.enclosure.lower() >= 0.0 && text != "0" {
        format!("+{text}")
    } else {
        text
    }
}

/// Both ends of an enclosure, rounded outward.
pub fn interval(value: &Value) -> String {
    format!("[{}, {}]", at_least(value.enclosure.lower()), at_most(value.enclosure.upper()))
}

/// A lower bound with nine digits, rounded down.
pub fn at_least(x: f64) -> String {
    bound(x, -1)
}

/// An upper bound with nine digits, rounded up.
pub fn at_most(x: f64) -> String {
    bound(x, 1)
}

fn bound(x: f64, outward: i64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    let parsed = |text: &str| -> f64 { text.parse().expect("a number that was just written") };
    let nearest = format!("{x:.8e}");
    let mut shown = parsed(&nearest);
    if (outward < 0 && shown > x) || (outward > 0 && shown < x) {
        // One unit of the ninth digit further out.
        let (mantissa, power) = nearest.split_once('e').expect("an exponent");
        let digits: i64 = mantissa.replace('.', "").parse().expect("nine digits");
        let power: i32 = power.parse().expect("an exponent");
        shown = parsed(&format!("{}e{}", digits + outward, power - 8));
    }
    if shown == 0.0 || (1e-4..1e9).contains(&shown.abs()) {
        // Never a negative zero.
        format!("{}", shown + 0.0)
    } else {
        format!("{shown:e}")
    }
}

/// A double in at most about twelve characters.
pub fn double(x: f64) -> String {
    let magnitude = x.abs();
    if x.is_nan() {
        "?".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "∞" } else { "-∞" }.to_owned()
    } else if x == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&magnitude) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        trim_mantissa(&format!("{x:.6e}"))
    }
}

/// `1.5e-400`: seven digits of a number that no double holds.
fn scientific(exact: &Rational) -> String {
    const DIGITS: isize = 7;
    let magnitude = exact.clone().abs();
    let text = magnitude.to_string();
    let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
    // The quotient has one digit more or less than this power of ten says.
    let mut power = numerator.len() as isize - denominator.len() as isize;
    let mantissa = |power: isize| {
        let in_units = &magnitude * Rational::from(10).pow(DIGITS - 1 - power);
        (in_units + Rational::from_quotient(1, 2)).floor()
    };
    let mut digits = mantissa(power).to_string();
    if (digits.len() as isize) < DIGITS {
        power -= 1;
        digits = mantissa(power).to_string();
    }
    if digits.len() as isize > DIGITS {
        power += 1;
    }
    let negative = if *exact < Rational::ZERO { "-" } else { "" };
    trim_mantissa(&format!("{negative}{}.{}e{power}", &digits[..1], &digits[1..DIGITS as usize]))
}

/// `1.500000e9` without the zeros that say nothing.
fn trim_mantissa(text: &str) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of steps with its thousands apart: `44,219,120`.
pub fn steps(count: &Step) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 step`, `2 steps`.
pub fn counted(count: &Step, one: &str, many: &str) -> String {
    format!("{} {}", steps(count), if count.is_one() { one } else { many })
}

/// Whether the six decimals that are shown are the whole number.
fn is_short_decimal(exact: &Rational) -> bool {
    (exact * Rational::from(1_000_000)).is_whole() && parse_rational(&decimal(exact)).is_ok_and(|shown| shown == *exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn numbers_read_well() {
        let shown = |text: &str| exact_and_decimal(&Value::from(number(text)));
        assert_eq!(shown("127/9"), "127/9 ≈ 14.111111");
        assert_eq!(shown("13"), "13");
        assert_eq!(shown("-0"), "0");
        assert_eq!(shown("-27/2"), "-27/2 = -13.5");
        assert_eq!(shown("1/3000000"), "1/3000000 ≈ 3.333333e-7");
        assert_eq!(shown("123456789012.5"), "246913578025/2 ≈ 1.234568e11");
        assert_eq!(steps(&"44219120417242163736".parse().unwrap()), "44,219,120,417,242,163,736");
        assert_eq!(steps(&Step::from(999u32)), "999");
    }

    #[test]
    fn numbers_past_the_doubles_keep_their_size_and_sign() {
        assert_eq!(decimal(&number("1.5e-400")), "1.5e-400");
        assert_eq!(decimal(&number("-1e-400")), "-1e-400");
        assert_eq!(decimal(&number("2e5000")), "2e5000");
        assert_eq!(decimal(&(number("2e500") / number("3"))), "6.666667e499");
        assert_eq!(decimal(&number("9.99999999e400")), "1e401");
        assert_eq!(signed(&Value::from(number("1e-400"))), "+1e-400");
        assert_eq!(signed(&Value::from(number("0"))), "0");
    }

    #[test]
    fn a_discount_is_never_shown_as_1() {
        assert_eq!(discount(&number("2/3")), "2/3");
        assert_eq!(discount(&number("999999/1000000")), "0.999999");
        assert_eq!(discount(&number("99999999999999999/100000000000000000")), "1 - 1e-17");
        assert_eq!(double(f64::INFINITY), "∞");
    }

    #[test]
    fn bounds_are_rounded_outward_and_stay_short() {
        assert_eq!(
            (at_least(14.111111111111109), at_most(14.111111111111112)),
            ("14.1111111".into(), "14.1111112".into())
        );
        assert_eq!((at_least(-5e-324), at_most(0.0)), ("-5e-324".into(), "0".into()));
        assert_eq!((at_least(f64::NEG_INFINITY), at_most(f64::INFINITY)), ("-∞".into(), "∞".into()));
        assert_eq!((at_least(-0.0), at_least(27.0), at_most(27.5)), ("0".into(), "27".into(), "27.5".into()));
        let mut x = 1.2345e-310_f64;
        while x < 1e300 {
            for y in [x, -x] {
                let (below, above): (f64, f64) = (at_least(y).parse().unwrap(), at_most(y).parse().unwrap());
                assert!(below <= y && y <= above, "{y:e}: {below:e} {above:e}");
            }
            x *= 1.7320508e3;
        }
    }
}
