//! Numbers as people read them.

use commonweal::number::{Enclosure, Natural, Rational, Value};

/// A fraction is shown in a text if it is no longer than this.
const SHORT_FRACTION: usize = 32;

/// The fraction if it is short, and the decimal if it is not a whole number: `127/9 = 14.111111…`.
pub fn exact_and_decimal(value: &Value) -> String {
    match &value.exact {
        Some(exact) => match short_fraction(exact) {
            Some(fraction) if exact.denominator().is_one() => fraction,
            Some(fraction) => {
                format!("{fraction} {} {}", if is_short_decimal(exact) { "=" } else { "≈" }, decimal(value))
            }
            None => format!("≈ {}", decimal(value)),
        },
        None => interval(&value.enclosure),
    }
}

/// The fraction, if a person would want to read it.
pub fn short_fraction(exact: &Rational) -> Option<String> {
    // Long before a fraction is written out, its size says that it is too long.
    let bits = dashu_bits(exact);
    (bits <= 4 * SHORT_FRACTION).then(|| exact.to_string()).filter(|text| text.len() <= SHORT_FRACTION)
}

/// Six digits after the point where they fit, more for small numbers; both ends where the number is not known so far.
pub fn decimal(value: &Value) -> String {
    let enclosure = &value.enclosure;
    let known = value.exact.is_some() || enclosure.width() <= enclosure.midpoint().abs() * 1e-9;
    match known {
        true if enclosure.upper() <= 0.0 && enclosure.lower() < 0.0 && enclosure.midpoint() == 0.0 => "-0".to_owned(),
        true => double(enclosure.midpoint()),
        false => interval(enclosure),
    }
}

/// `decimal` with its sign, also if it is positive.
pub fn signed(value: &Value) -> String {
    let text = decimal(value);
    match text.starts_with(['-', '[']) || text == "0" {
        true => text,
        false => format!("+{text}"),
    }
}

/// Both ends of an enclosure.
pub fn interval(enclosure: &Enclosure) -> String {
    let end = |x: f64| if x == 0.0 || (1e-5..1e15).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") };
    format!("[{}, {}]", end(enclosure.lower()), end(enclosure.upper()))
}

/// A number of steps with its thousands apart: `44,219,120`.
pub fn steps(count: &Natural) -> String {
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
pub fn counted(count: &Natural, one: &str, many: &str) -> String {
    format!("{} {}", steps(count), if count.is_one() { one } else { many })
}

/// A double in at most about twelve characters.
pub fn double(x: f64) -> String {
    let magnitude = x.abs();
    if x == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&magnitude) {
        let text = format!("{x:.6}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{x:.6e}")
    }
}

/// Whether the six decimals that are shown are the whole number.
fn is_short_decimal(exact: &Rational) -> bool {
    (exact * Rational::from(1_000_000)).denominator().is_one()
}

fn dashu_bits(exact: &Rational) -> usize {
    let (numerator, denominator) = (exact.numerator().clone(), exact.denominator());
    numerator.into_parts().1.to_le_bytes().len() * 8 + denominator.to_le_bytes().len() * 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use commonweal::number::parse_rational;

    #[test]
    fn numbers_read_well() {
        let shown = |text: &str| exact_and_decimal(&Value::from(parse_rational(text).unwrap()));
        assert_eq!(shown("127/9"), "127/9 ≈ 14.111111");
        assert_eq!(shown("13"), "13");
        assert_eq!(shown("-27/2"), "-27/2 = -13.5");
        assert_eq!(shown("1/3000000"), "1/3000000 ≈ 3.333333e-7");
        assert_eq!(steps(&Natural::from(44219120417242163736u128)), "44,219,120,417,242,163,736");
        assert_eq!(steps(&Natural::from(999u32)), "999");
    }
}
