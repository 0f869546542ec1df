//! Numbers in binary: doubles, integers, and fractions of integers of any size, the low byte first.

use crate::number::{ModelNumber, Rational};

/// The longest fraction that is read, in bits: 15,000 digits above and below the line.
const LONGEST: u64 = 100_000;

/// What a number of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    Double,
    /// 64 bits with a sign.
    Int,
    /// 64 bits without a sign.
    Uint,
    /// A numerator with a sign and a denominator without, each of this many bytes.
    Rational(usize),
}

/// What a number is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Probability,
    Reward,
}

impl NumberType {
    /// The type of this name and size in bits; `None` if such numbers are not read.
    pub fn new(name: &str, bits: Option<u64>) -> Option<NumberType> {
        match (name, bits) {
            ("double", None | Some(64)) => Some(NumberType::Double),
            ("int", None | Some(64)) => Some(NumberType::Int),
            ("uint", None | Some(64)) => Some(NumberType::Uint),
            ("rational", None) => Some(NumberType::Rational(8)),
            ("rational", Some(bits)) if bits > 0 && bits.is_multiple_of(16) && bits <= LONGEST => {
                Some(NumberType::Rational((bits / 16) as usize))
            }
            _ => None,
        }
    }

    /// The bytes that a number takes.
    pub fn size(self) -> usize {
        match self {
            NumberType::Double | NumberType::Int | NumberType::Uint => 8,
            NumberType::Rational(half) => 2 * half,
        }
    }

    /// The number in these bytes, as many as its type has; `None` if they do not encode a number.
    pub fn decode<N: ModelNumber>(self, bytes: &[u8], purpose: Purpose) -> Option<N> {
        let exact = |exact: Rational| match purpose {
            Purpose::Probability => N::from_probability(exact),
            Purpose::Reward => N::from_reward(exact),
        };
        let word = |bytes: &[u8]| bytes.try_into().expect("eight bytes");
        match self {
            NumberType::Double => N::from_double(f64::from_le_bytes(word(bytes))),
            NumberType::Int => Some(exact(i64::from_le_bytes(word(bytes)).into())),
            NumberType::Uint => Some(exact(u64::from_le_bytes(word(bytes)).into())),
            NumberType::Rational(8) => {
                let numerator = i64::from_le_bytes(word(&bytes[..8]));
                let denominator = u64::from_le_bytes(word(&bytes[8..]));
                (denominator != 0).then(|| N::from_quotient(numerator, denominator))
            }
            NumberType::Rational(half) => Rational::from_le_bytes(&bytes[..half], &bytes[half..]).map(exact),
        }
    }
}

/// The bytes that a numerator and a denominator each need: 8, or a multiple of it.
pub(super) fn half_size(number: &Rational) -> usize {
    let (numerator, denominator) = (number.numerator().to_le_bytes(), number.denominator().to_le_bytes());
    numerator.len().max(denominator.len()).next_multiple_of(8).max(8)
}

/// Adds the fraction to the bytes, its numerator and denominator in `half` bytes each.
pub(super) fn encode(number: &Rational, half: usize, bytes: &mut Vec<u8>) {
    let end = bytes.len() + half;
    bytes.extend_from_slice(&number.numerator().to_le_bytes());
    bytes.resize(end, if *number < Rational::ZERO { 0xff } else { 0 });
    bytes.extend_from_slice(&number.denominator().to_le_bytes());
    bytes.resize(end + half, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    #[test]
    fn fractions_of_any_size_come_back_as_they_were() {
        let long = format!("-{}/{}1", "7".repeat(100), "3".repeat(60));
        let edges = ["9223372036854775807/18446744073709551615", "-9223372036854775808", "9223372036854775808"];
        for text in ["0", "1", "-1", "2/3", "-2/3", "-255/256", "128", "-128", &long].into_iter().chain(edges) {
            let number = parse_rational(text).unwrap();
            let least = half_size(&number);
            for half in [least, least + 8, least + 24] {
                let mut bytes = vec![9];
                encode(&number, half, &mut bytes);
                assert_eq!(bytes.len(), 1 + 2 * half, "{text}");
                let number_type = NumberType::new("rational", Some(16 * half as u64)).unwrap();
                assert_eq!(number_type.decode(&bytes[1..], Purpose::Reward), Some(number.clone()), "{text}");
                let nearest = f64::from_reward(number.clone());
                assert_eq!(number_type.decode(&bytes[1..], Purpose::Reward), Some(nearest), "{text}");
            }
        }
        // The signed half of the greatest 64-bit numerator has no room for a sign.
        assert_eq!(
            ["9223372036854775807", "9223372036854775808", "-9223372036854775808"]
                .map(|text| half_size(&parse_rational(text).unwrap())),
            [8, 16, 8]
        );
    }

    #[test]
    fn what_is_no_number_is_none() {
        assert_eq!(NumberType::Double.decode::<f64>(&f64::NAN.to_le_bytes(), Purpose::Reward), None);
        assert_eq!(NumberType::Double.decode::<Rational>(&f64::INFINITY.to_le_bytes(), Purpose::Reward), None);
        assert_eq!(NumberType::Rational(8).decode::<f64>(&[0; 16], Purpose::Reward), None);
        assert_eq!(NumberType::Rational(3).decode::<Rational>(&[1, 0, 0, 0, 0, 0], Purpose::Reward), None);
        assert_eq!(NumberType::Int.decode::<f64>(&(-3i64).to_le_bytes(), Purpose::Reward), Some(-3.0));
        for (name, bits) in [
            ("rational", Some(1 << 20)),
            ("double", Some(32)),
            ("rational", Some(0)),
            ("rational", Some(24)),
            ("bool", None),
            ("double-interval", None),
        ] {
            assert_eq!(NumberType::new(name, bits), None, "{name} {bits:?}");
        }
    }
}
