//! Lines and the numbers on them (§2).

use crate::Unreadable;
use crate::fraction::Fraction;
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};
use std::io::{BufRead, Read};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1 << 26;
/// The latest step.
const MAX_STEP: u128 = 1 << 96;
/// The longest numerator or denominator of a model, in bits.
const MAX_MODEL_BITS: u64 = 1 << 16;
/// The most states, choices or layers.
const MAX_COUNT: u64 = 1 << 32;

/// A file, line by line; one line is held.
pub struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    /// The file at its first line.
    pub fn new(input: R) -> Result<Lines<R>, Unreadable> {
        let mut lines = Lines { input, line: Vec::new(), number: 0, ended: false };
        lines.advance()?;
        Ok(lines)
    }

    /// The present line without its end; empty after the last one.
    pub fn line(&self) -> &str {
        // `advance` lets ASCII through and nothing else.
        std::str::from_utf8(&self.line).unwrap_or_default()
    }

    /// Goes to the next line.
    pub fn advance(&mut self) -> Result<(), Unreadable> {
        self.line.clear();
        self.number += 1;
        if self.ended {
            return Err(self.fault("the file ends here, before the line `end`"));
        }
        let limited = &mut (&mut self.input).take(MAX_LINE + 1);
        limited.read_until(b'\n', &mut self.line).map_err(|error| Unreadable(error.to_string()))?;
        self.ended = self.line.is_empty();
        match self.line.pop() {
            None => Ok(()),
            Some(b'\n') if self.line.iter().all(|&byte| (b' '..=b'~').contains(&byte)) => Ok(()),
            Some(b'\n') => Err(self.fault("a character that is not printable ASCII")),
            Some(_) if self.line.len() as u64 >= MAX_LINE => Err(self.fault("longer than 2^26 bytes")),
            Some(_) => Err(self.fault("the file ends in the middle of a line")),
        }
    }

    /// The present line, which must be `read` by this function; goes to the next one.
    pub fn take<T>(&mut self, read: impl FnOnce(&str) -> Option<T>, expected: &str) -> Result<T, Unreadable> {
        match read(self.line()) {
            Some(value) => {
                self.advance()?;
                Ok(value)
            }
            None => Err(self.fault(&format!("expected {expected}"))),
        }
    }

    /// The rest of a line that begins with `keyword` and a space, read as a whole.
    pub fn entry<T>(
        &mut self,
        keyword: &str,
        read: impl FnOnce(&str) -> Option<T>,
        what: &str,
    ) -> Result<T, Unreadable> {
        let rest = |line: &str| read(line.strip_prefix(keyword)?.strip_prefix(' ')?);
        self.take(rest, &format!("`{keyword}` and {what}"))
    }

    /// Goes past a line that is this word.
    pub fn word(&mut self, word: &str) -> Result<(), Unreadable> {
        self.take(|line| (line == word).then_some(()), &format!("`{word}`"))
    }

    /// Makes sure that `end` is the last line.
    pub fn end(mut self) -> Result<(), Unreadable> {
        self.word("end")?;
        if self.ended { Ok(()) } else { Err(self.fault("the file goes on after `end`")) }
    }

    /// An error about the present line.
    pub fn fault(&self, why: &str) -> Unreadable {
        const SHOWN: usize = 60;
        // Bytes that are not ASCII are not shown.
        let shown: String =
            self.line.iter().take(SHOWN).map(|&byte| if byte.is_ascii_graphic() { byte.into() } else { ' ' }).collect();
        let shown = if self.line.len() > SHOWN { shown + "…" } else { shown };
        Unreadable(format!("line {}: {why}: `{shown}`", self.number))
    }
}

/// Two words.
pub fn pair(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(_, second)| !second.contains(' '))
}

/// A step: at most 2^96.
pub fn step(word: &str) -> Option<u128> {
    // `parse` would take a sign and leading zeros.
    let plain = word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
    word.parse().ok().filter(|&step| plain && step <= MAX_STEP)
}

/// A count or position: at most 2^32.
pub fn count(word: &str) -> Option<usize> {
    let count = u64::try_from(step(word)?).ok().filter(|&count| count <= MAX_COUNT)?;
    usize::try_from(count).ok()
}

/// An integer: decimal below 2^64, hexadecimal from there on.
pub fn integer(word: &str) -> Option<BigInt> {
    let (negative, magnitude) = word.strip_prefix('-').map_or((false, word), |magnitude| (true, magnitude));
    let value = match magnitude.strip_prefix("0x") {
        None => {
            let small: u64 = step(magnitude)?.try_into().ok()?;
            BigInt::from(small)
        }
        Some(digits) => {
            let lower = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            let large = digits.len() > 16 && !digits.starts_with('0');
            (lower && large).then(|| BigInt::parse_bytes(digits.as_bytes(), 16))??
        }
    };
    if !negative {
        return Some(value);
    }
    (!value.is_zero()).then(|| -value)
}

/// A fraction as certificates write it: an integer, or `p/q` with q > 0.
pub fn fraction(word: &str) -> Option<Fraction> {
    match word.split_once('/') {
        None => Some(Fraction::new(integer(word)?, BigInt::one())),
        Some((numerator, denominator)) => {
            let (numerator, denominator) = (integer(numerator)?, integer(denominator)?);
            denominator.is_positive().then(|| Fraction::new(numerator, denominator))
        }
    }
}

/// A fraction as the model form writes it: also in lowest terms, and without a denominator of 1.
pub fn canonical_fraction(word: &str) -> Option<Fraction> {
    let fraction = fraction(word)?;
    if fraction.numerator.bits().max(fraction.denominator.bits()) > MAX_MODEL_BITS {
        return None;
    }
    let whole = !word.contains('/');
    let lowest = || !fraction.denominator.is_one() && fraction.numerator.gcd(&fraction.denominator).is_one();
    (whole || lowest()).then_some(fraction)
}

/// The text of an integer.
pub fn integer_text(value: &BigInt) -> String {
    if value.bits() <= 64 {
        value.to_string()
    } else {
        format!("{}0x{}", if value.is_negative() { "-" } else { "" }, value.magnitude().to_str_radix(16))
    }
}

/// A double in hexadecimal notation.
pub fn double(word: &str) -> Option<f64> {
    let (negative, magnitude) = word.strip_prefix('-').map_or((false, word), |magnitude| (true, magnitude));
    let (mantissa, exponent) = magnitude.strip_prefix("0x")?.split_once('p')?;
    let (leading, digits) = match mantissa.split_once('.') {
        None => (mantissa, ""),
        Some((_, "")) => return None,
        Some(parts) => parts,
    };
    let lower = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !lower || digits.len() > 13 {
        return None;
    }
    let fraction = u64::from_str_radix(&format!("{digits:0<13}"), 16).ok()?;
    let (below, power) = match (exponent.strip_prefix('-'), exponent.strip_prefix('+')) {
        (Some(digits), _) => (true, digits),
        (_, Some(digits)) => (false, digits),
        _ => return None,
    };
    let power = i64::try_from(count(power)?).ok()?;
    let exponent = if below { -power } else { power };
    let biased = match leading {
        "1" if (-1022..=1023).contains(&exponent) => (exponent + 1023) as u64,
        "0" if exponent == -1022 && fraction != 0 => 0,
        "0" if word == "0x0p+0" => 0,
        _ => return None,
    };
    Some(f64::from_bits(u64::from(negative) << 63 | biased << 52 | fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_at_most_so_many_bytes() {
        let line = |length: usize| Lines::new([vec![b'a'; length], vec![b'\n']].concat().as_slice()).map(|_| ());
        assert_eq!(line(1 << 26), Ok(()));
        assert!(line((1 << 26) + 1).is_err_and(|error| error.0.contains("longer than 2^26 bytes")));
    }

    #[test]
    fn a_message_shows_sixty_bytes_of_a_line() {
        let complaint = |length: usize| {
            let text = [vec![b'a'; length], vec![b'\n']].concat();
            Lines::new(text.as_slice()).expect("a line").fault("too wide").0
        };
        assert_eq!(complaint(60), format!("line 1: too wide: `{}`", "a".repeat(60)));
        assert_eq!(complaint(61), format!("line 1: too wide: `{}…`", "a".repeat(60)));
    }

    #[test]
    fn steps_and_counts_have_limits_and_one_spelling() {
        assert_eq!([step("0"), step("10")], [Some(0), Some(10)]);
        assert_eq!(step("79228162514264337593543950336"), Some(1 << 96));
        assert_eq!(count("4294967296"), Some(1 << 32));
        assert_eq!(count("4294967297"), None);
        let beyond_u128 = "1".repeat(100);
        for wrong in ["79228162514264337593543950337", &beyond_u128, "", "00", "01", "+1", "-1", "1 ", "1a"] {
            assert_eq!((step(wrong), count(wrong)), (None, None), "{wrong}");
        }
    }

    #[test]
    fn an_integer_has_one_spelling() {
        let large = BigInt::from(1u128 << 64);
        assert_eq!(integer("18446744073709551615"), Some(&large - 1));
        assert_eq!(integer("0x10000000000000000"), Some(large.clone()));
        assert_eq!(integer("-0x10000000000000000"), Some(-&large));
        for wrong in ["18446744073709551616", "0x1", "0xffffffffffffffff", "0x010000000000000000", "-0", "+1", "01", ""]
        {
            assert_eq!(integer(wrong), None, "{wrong}");
        }
        for value in [BigInt::from(-7), large.clone(), -large, BigInt::from(u64::MAX)] {
            assert_eq!(integer(&integer_text(&value)), Some(value));
        }
    }

    #[test]
    fn a_double_is_read_bit_for_bit() {
        assert_eq!(double("0x1.8p+1"), Some(3.0));
        assert_eq!(double("-0x1.0000000000000p+0"), Some(-1.0));
        assert_eq!(double("0x1p-1022"), Some(f64::MIN_POSITIVE));
        assert_eq!(double("0x0.0000000000001p-1022"), Some(5e-324));
        assert_eq!(double("0x1.fffffffffffffp+1023"), Some(f64::MAX));
        assert_eq!(double("0x1.999999999999ap-4"), Some(0.1));
        for wrong in ["0x1p+1024", "0x1p0", "0x2p+0", "-0x0p+0", "0x1.p+0", "0x1.00000000000000p+0", "1.5", "0x1.8P+1"]
        {
            assert_eq!(double(wrong), None, "{wrong}");
        }
        for wrong in ["0x0.0p-1022", "0x0.8p-1021", "0x1.Ap+0", "0x1p+01", "inf", "nan", "0x0p+1"] {
            assert_eq!(double(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_model_form_wants_lowest_terms() {
        assert!(canonical_fraction("2/4").is_none() && fraction("2/4").is_some());
        assert!(canonical_fraction("4/1").is_none() && canonical_fraction("0/3").is_none());
        assert!(canonical_fraction("-2/3").is_some() && canonical_fraction("2/-3").is_none());
    }

    /// 2^65535 is the shortest number of 2^16 bits; 3 has no factor in common with it and its neighbours in the test.
    #[test]
    fn the_numbers_of_a_model_have_at_most_so_many_bits() {
        let digits = |bits: usize| format!("0x{}{}", 1 << ((bits - 1) % 4), "0".repeat((bits - 1) / 4));
        let is_read = |bits: usize| {
            let number = digits(bits);
            let words = [number.clone(), format!("-{number}"), format!("{number}/3"), format!("3/{number}")];
            words.map(|word| canonical_fraction(&word).is_some())
        };
        assert_eq!([is_read(65_535), is_read(65_536)], [[true; 4]; 2]);
        assert_eq!([is_read(65_537), is_read(65_540), is_read(1 << 18)], [[false; 4]; 3]);
    }
}
