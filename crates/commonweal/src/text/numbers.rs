//! Numbers as printed text.

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

/// The fraction, if it is short enough to read.
pub fn short_fraction(exact: &Rational) -> Option<String> {
    fraction_within(exact, SHORT_FRACTION)
}

/// The fraction, if it is no wider than that.
pub fn fraction_within(exact: &Rational, width: usize) -> Option<String> {
    // The size in bits rejects long fractions before they are written out.
    let text = (exact.bits() <= 4 * width + 16).then(|| exact.to_string()).filter(|text| text.len() <= width);
    text.map(with_true_minus)
}

/// The text of a number with a minus sign in place of a hyphen before it. Exponents keep theirs: `−3.5e-10`.
fn with_true_minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(magnitude) => format!("−{magnitude}"),
        None => text,
    }
}

/// The fraction if it is short enough for a column, the decimal otherwise.
pub fn fraction_or_decimal(exact: &Rational) -> String {
    const COLUMN: usize = 12;
    fraction_within(exact, COLUMN).unwrap_or_else(|| decimal(exact))
}

/// A number as people would write it: a short decimal if it is one, or else the fraction.
pub fn as_stated(exact: &Rational) -> String {
    let text = decimal(exact);
    let digits = text.replace('−', "-");
    if digits.parse::<Rational>().is_ok_and(|shown| shown == *exact) { text } else { fraction_or_decimal(exact) }
}

/// A discount by itself, in the one format that fits it ([`discounts`]).
pub fn discount(exact: &Rational) -> String {
    discounts([exact]).remove(0)
}

/// Discounts in a column, all in one format: decimals if they end, or fractions if they are short, or else rounded decimals
/// with as many digits as distinguish them from each other, from 0 and from 1.
pub fn discounts<'r>(exact: impl IntoIterator<Item = &'r Rational>) -> Vec<String> {
    const WIDEST_FRACTION: usize = 24;
    let exact: Vec<&Rational> = exact.into_iter().collect();
    let whole = exact.iter().map(|discount| ending_decimal(discount)).collect::<Option<Vec<String>>>();
    let fractions = || exact.iter().map(|discount| fraction_within(discount, WIDEST_FRACTION)).collect();
    whole.or_else(fractions).unwrap_or_else(|| rounded_discounts(&exact))
}

/// The same, always rounded: what fits where fractions do not.
pub fn rounded_discounts(exact: &[&Rational]) -> Vec<String> {
    const FEWEST: usize = 6;
    const MOST: usize = 30;
    let mut distinct = exact.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let rounded = |discount: &Rational, digits: usize| {
        let in_units = discount * Rational::from(10).pow(digits as isize) + Rational::from_quotient(1, 2);
        let units = in_units.floor().to_string();
        format!("{units:0>digits$}")
    };
    let tells = |digits: &usize| {
        let shown: Vec<String> = distinct.iter().map(|discount| rounded(discount, *digits)).collect();
        let is_none = |text: &String| text.bytes().all(|digit| digit == b'0');
        let apart = shown.windows(2).all(|pair| pair[0] != pair[1]);
        let inside = shown
            .iter()
            .zip(&distinct)
            .all(|(text, discount)| text.len() == *digits && (is_none(text) == discount.is_zero()));
        apart && inside
    };
    let digits = (FEWEST..=MOST).find(tells).unwrap_or(MOST);
    let text = |discount: &&Rational| match rounded(discount, digits) {
        _ if discount.is_zero() => "0".to_owned(),
        _ if ending_decimal(discount).is_some_and(|all| all.len() <= digits + 2) => {
            ending_decimal(discount).expect("it ends")
        }
        text if text.len() > digits => format!("≈ 1 − {}", decimal(&(Rational::ONE - *discount))),
        text => format!("≈ 0.{text}"),
    };
    exact.iter().map(text).collect()
}

/// All digits of a number from 0 to 1 that is a decimal of at most 15 digits.
fn ending_decimal(exact: &Rational) -> Option<String> {
    const LONGEST: u32 = 15;
    let in_units = exact * Rational::from(10u64.pow(LONGEST));
    if !in_units.is_whole() {
        return None;
    }
    let digits = format!("{:0>15}", in_units.to_string());
    let digits = digits.trim_end_matches('0');
    Some(if digits.is_empty() { "0".to_owned() } else { format!("0.{digits}") })
}

/// The number that the table shows: the decimal of an exact one; of another one the digits that are known, or both ends.
pub fn in_column(value: &Value) -> String {
    match &value.exact {
        Some(exact) => decimal(exact),
        None if is_narrow(value) => double(value.enclosure.midpoint()),
        None => known_digits(value).unwrap_or_else(|| interval(value)),
    }
}

/// The middle between the ends with the fewest digits, three at least, that lie between the ends; `None` if these are more than a
/// thousandth apart. Ends that are nearer to each other than the last digit of any column may lie on one side of it.
fn known_digits(value: &Value) -> Option<String> {
    const MOST: i32 = 6;
    let (lower, upper, middle) = (value.enclosure.lower(), value.enclosure.upper(), value.enclosure.midpoint());
    if value.enclosure.width() > 1e-3 * middle.abs() {
        return None;
    }
    // Digits before the point are all written, known or not.
    let greatest = if value.enclosure.width() < 1.0 { 1e9 } else { 1e6 };
    let is_ordinary = (1e-3..greatest).contains(&middle.abs());
    let fewest = if is_ordinary { (2 - middle.abs().log10().floor() as i32).max(0) } else { 2 };
    let most = MOST.max(fewest);
    let text = |digits: i32| {
        let digits = digits as usize;
        if is_ordinary { format!("{middle:.digits$}") } else { format!("{middle:.digits$e}") }
    };
    let is_between = |text: &String| text.parse::<f64>().is_ok_and(|shown| lower <= shown && shown <= upper);
    let shown = (fewest..=most).map(text).find(is_between).unwrap_or_else(|| text(most));
    let has_zeros = is_ordinary && shown.contains('.');
    let shown = if has_zeros { shown.trim_end_matches('0').trim_end_matches('.').to_owned() } else { shown };
    Some(with_true_minus(shown))
}

/// Whether the digits that are shown are the same at both ends.
fn is_narrow(value: &Value) -> bool {
    value.enclosure.width() <= 1e-9 * value.enclosure.midpoint().abs()
}

/// Six digits after the point if they are significant, seven digits and a power of ten otherwise.
pub fn decimal(exact: &Rational) -> String {
    let nearest = exact.to_f64();
    let in_range = exact.is_zero() || (1e-300..1e300).contains(&nearest.abs());
    if in_range { double(nearest) } else { scientific(exact) }
}

/// `decimal` with its sign, also if it is positive.
pub fn signed(value: &Value) -> String {
    if value.exact.is_none()
        && let Some(text) = zero_within(value)
    {
        return text;
    }
    let text = in_column(value);
    if value.enclosure.upper() > 0.0 && value.enclosure.lower() >= 0.0 && text != "0" {
        format!("+{text}")
    } else {
        text
    }
}

/// Both ends of an enclosure, rounded outward; `0 ± 2e-17` if it has nothing but 0 and what rounding leaves of it.
pub fn interval(value: &Value) -> String {
    let (lower, upper) = (value.enclosure.lower(), value.enclosure.upper());
    match zero_within(value) {
        Some(text) => text,
        None => {
            let [least, most] = ends(lower, upper);
            format!("[{least}, {most}]")
        }
    }
}

/// `0 ± 2e-17`, of an enclosure of 0 that is no wider than rounding errors are.
pub fn zero_within(value: &Value) -> Option<String> {
    let (lower, upper) = (value.enclosure.lower(), value.enclosure.upper());
    let radius = upper.max(-lower);
    (lower <= 0.0 && 0.0 <= upper && 0.0 < radius && radius < ROUNDING).then(|| format!("0 ± {}", one_digit_up(radius)))
}

/// A lower and an upper bound. One on the far side of 0 by no more than rounding errors is written as `0 − 2e-14`, or `0 + 2e-14`.
pub fn ends(lower: f64, upper: f64) -> [String; 2] {
    let is_rounding = |end: f64| lower <= 0.0 && 0.0 <= upper && end != 0.0 && end.abs() < ROUNDING;
    [
        if is_rounding(lower) { format!("0 − {}", one_digit_up(-lower)) } else { at_least(lower) },
        if is_rounding(upper) { format!("0 + {}", one_digit_up(upper)) } else { at_most(upper) },
    ]
}

/// Bounds around 0 that are smaller than this come from rounding, and no reader needs their digits.
const ROUNDING: f64 = 1e-9;

/// A positive number with one digit, rounded up.
fn one_digit_up(x: f64) -> String {
    /// No reward is as small.
    const LEAST: f64 = 1e-290;
    let x = x.max(LEAST);
    let nearest = format!("{x:.0e}");
    let (digit, power) = nearest.split_once('e').expect("an exponent");
    let is_below = nearest.parse::<f64>().is_ok_and(|shown| shown < x);
    let digit: u32 = digit.parse::<u32>().expect("a digit") + u32::from(is_below);
    let power: i32 = power.parse().expect("an exponent");
    if digit == 10 { format!("1e{}", power + 1) } else { format!("{digit}e{power}") }
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
    /// Bounds smaller than this are shown as `≈ 0`; no reward is as small.
    const NEXT_TO_NOTHING: f64 = 1e-290;
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    if x != 0.0 && x.abs() < NEXT_TO_NOTHING {
        return "≈ 0".to_owned();
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
        with_true_minus(format!("{}", shown + 0.0))
    } else {
        with_true_minus(format!("{shown:e}"))
    }
}

/// A double in at most about twelve characters.
pub fn double(x: f64) -> String {
    let magnitude = x.abs();
    if x.is_nan() {
        "?".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "∞" } else { "−∞" }.to_owned()
    } else if x == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&magnitude) {
        let text = format!("{x:.6}");
        with_true_minus(text.trim_end_matches('0').trim_end_matches('.').to_owned())
    } else {
        with_true_minus(trim_mantissa(&format!("{x:.6e}")))
    }
}

/// `1.5e-400`: seven digits of a number that overflows or underflows a double.
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
    let negative = if *exact < Rational::ZERO { "−" } else { "" };
    trim_mantissa(&format!("{negative}{}.{}e{power}", &digits[..1], &digits[1..DIGITS as usize]))
}

/// `1.500000e9` without trailing zeros.
fn trim_mantissa(text: &str) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of steps with thousands separators: `44,219,120`.
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

/// Whether the decimal that is shown is the number itself, not rounded.
pub fn is_short_decimal(exact: &Rational) -> bool {
    let shown = || parse_rational(&decimal(exact).replace('−', "-"));
    (exact * Rational::from(1_000_000)).is_whole() && shown().is_ok_and(|shown| shown == *exact)
}

/// Larger numbers do not make others negligible.
pub const LARGE: f64 = 1e6;

/// `≈ 0`, for a number that is not 0 but negligible relative to the scale; also for such bounds around 0. Beside numbers above
/// [`LARGE`] it must be below the last decimal that tables show: a payoff of 5 is never nothing.
pub fn near_zero(value: &Value, scale: f64) -> Option<String> {
    /// Twelve digits are more than any table shows.
    const NOTHING: f64 = 1e-12;
    let scale = scale.min(LARGE);
    let magnitude = value.enclosure.lower().abs().max(value.enclosure.upper().abs());
    let is_zero = value.exact.as_ref().is_some_and(Rational::is_zero) || magnitude == 0.0;
    (!is_zero && magnitude <= NOTHING * scale).then(|| "≈ 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Enclosure;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn numbers_read_well() {
        let shown = |text: &str| exact_and_decimal(&Value::from(number(text)));
        assert_eq!(shown("127/9"), "127/9 ≈ 14.111111");
        assert_eq!(shown("13"), "13");
        assert_eq!(shown("-0"), "0");
        assert_eq!(shown("-27/2"), "−27/2 = −13.5");
        assert_eq!(shown("1/3000000"), "1/3000000 ≈ 3.333333e-7");
        assert_eq!(shown("123456789012.5"), "246913578025/2 ≈ 1.234568e11");
        assert_eq!(steps(&"44219120417242163736".parse().unwrap()), "44,219,120,417,242,163,736");
        assert_eq!(steps(&Step::from(999u32)), "999");
    }

    #[test]
    fn numbers_past_the_doubles_keep_their_size_and_sign() {
        assert_eq!(decimal(&number("1.5e-400")), "1.5e-400");
        assert_eq!(decimal(&number("-1e-400")), "−1e-400");
        assert_eq!(decimal(&number("2e5000")), "2e5000");
        assert_eq!(decimal(&(number("2e500") / number("3"))), "6.666667e499");
        assert_eq!(decimal(&number("9.99999999e400")), "1e401");
        assert_eq!(signed(&Value::from(number("1e-400"))), "+1e-400");
        assert_eq!(signed(&Value::from(number("0"))), "0");
    }

    #[test]
    fn discounts_of_one_column_have_one_format() {
        let shown = |texts: &[&str]| discounts(&texts.iter().map(|text| number(text)).collect::<Vec<_>>());
        assert_eq!(shown(&["2/3", "1/3"]), ["2/3", "1/3"]);
        assert_eq!(shown(&["0.99", "9/10", "0"]), ["0.99", "0.9", "0"]);
        assert_eq!(shown(&["0.99", "2/3"]), ["99/100", "2/3"]);
        let close = "123456789012345678901/370370367037037036704";
        assert_eq!(shown(&[close, "1/2"]), ["≈ 0.333333", "0.5"]);
        let nearly_alike = shown(&[close, "1/3"]);
        assert!(nearly_alike[0] != nearly_alike[1] && nearly_alike[0].starts_with("≈ 0.333333"), "{nearly_alike:?}");
    }

    #[test]
    fn a_discount_is_never_shown_as_1() {
        assert_eq!(discount(&number("2/3")), "2/3");
        assert_eq!(discount(&number("999999/1000000")), "0.999999");
        assert_eq!(discount(&number("99999999999999999/100000000000000000")), "≈ 0.99999999999999999");
        let close = Rational::ONE - number("1e-100");
        assert_eq!(discount(&close), "≈ 1 − 1e-100");
        assert_eq!(double(f64::INFINITY), "∞");
    }

    #[test]
    fn what_says_nothing_beside_the_rest_is_nearly_0() {
        let near = |text: &str, scale| near_zero(&Value::from(number(text)), scale);
        assert_eq!(near("-9e-443", 1.5).as_deref(), Some("≈ 0"));
        assert_eq!(near("0", 1.5), None);
        assert_eq!(near("1e-9", 1.5), None);
        assert_eq!(near("1e-9", 1e9).as_deref(), Some("≈ 0"));
        assert_eq!(near("5", 1e13), None);
        assert_eq!(near("-0.00001", 1e300), None);
        assert_eq!(near_zero(&Value::from(Enclosure::new(-5e-324, 1e-20)), 1.0).as_deref(), Some("≈ 0"));
        assert_eq!(near_zero(&Value::from(Enclosure::new(-1.0, 1.0)), 1.0), None);
    }

    #[test]
    fn bounds_are_rounded_outward_and_stay_short() {
        assert_eq!(
            (at_least(14.111111111111109), at_most(14.111111111111112)),
            ("14.1111111".into(), "14.1111112".into())
        );
        assert_eq!((at_least(-5e-324), at_most(0.0)), ("≈ 0".into(), "0".into()));
        assert_eq!((at_least(f64::NEG_INFINITY), at_most(f64::INFINITY)), ("−∞".into(), "∞".into()));
        assert_eq!((at_least(-0.0), at_least(27.0), at_most(27.5)), ("0".into(), "27".into(), "27.5".into()));
        let mut x = 1.2345e-290_f64;
        while x < 1e300 {
            for y in [x, -x] {
                let parsed = |text: String| text.replace('−', "-").parse::<f64>().unwrap();
                let (below, above) = (parsed(at_least(y)), parsed(at_most(y)));
                assert!(below <= y && y <= above, "{y:e}: {below:e} {above:e}");
            }
            x *= 1.7320508e3;
        }
    }
}
