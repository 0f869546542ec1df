//! Long numbers to the base of a prime: digits put together, and remainders modulo a power.
//!
//! Cost: digits are put together by halves, log(length) products of the result's length; a remainder takes two products.

use crate::number::{Integer, Natural, product};
use dashu_base::{BitTest, Sign};

/// Powers of p with which digits are put together by halves.
pub(super) struct Powers {
    prime: u64,
    /// p^(LEAF·2^k).
    powers: Vec<Integer>,
}

impl Powers {
    /// Runs of this many digits are put together one by one.
    const LEAF: usize = 16;

    /// The powers that `n_digits` digits need.
    pub(super) fn new(prime: u64, n_digits: usize) -> Powers {
        let mut powers = vec![Integer::from(prime).pow(Self::LEAF)];
        while Self::LEAF << powers.len() <= n_digits {
            let last = powers.last().expect("there is one to begin with");
            powers.push(product(last, last));
        }
        Powers { prime, powers }
    }

    /// `Σ_j d_j p^j`.
    pub(super) fn assemble(&self, digits: &[i64]) -> Integer {
        if digits.len() <= Self::LEAF {
            return digits.iter().rev().fold(Integer::ZERO, |sum, &digit| sum * self.prime + digit);
        }
        let level = (digits.len().div_ceil(Self::LEAF)).next_power_of_two().ilog2() as usize - 1;
        let (low, high) = digits.split_at(Self::LEAF << level);
        self.assemble(low) + product(&self.assemble(high), &self.powers[level])
    }

    /// p^exponent.
    pub(super) fn power(&self, exponent: usize) -> Natural {
        let leaf = Integer::from(self.prime).pow(exponent % Self::LEAF);
        let leaves = exponent / Self::LEAF;
        let set = (0..self.powers.len()).filter(|&level| leaves >> level & 1 == 1);
        set.fold(leaf, |power, level| product(&power, &self.powers[level])).into_parts().1
    }
}

/// A modulus with its reciprocal, so that remainders take two products (Barrett) and never a long division, which the big
/// number library builds on products that are wrong beyond 4,000 words.
pub(super) struct Modulus {
    value: Natural,
    bits: usize,
    /// ⌊4^bits / value⌋.
    reciprocal: Integer,
}

impl Modulus {
    pub(super) fn new(value: Natural) -> Modulus {
        let bits = value.bit_len();
        Modulus { reciprocal: Integer::from(reciprocal(&value, bits)), value, bits }
    }

    pub(super) fn value(&self) -> &Natural {
        &self.value
    }

    /// The remainder in [0, modulus) of a number of at most twice the modulus's length.
    pub(super) fn remainder(&self, number: Integer) -> Natural {
        let (sign, magnitude) = number.into_parts();
        let quotient = product(&Integer::from(&magnitude >> (self.bits - 1)), &self.reciprocal) >> (self.bits + 1);
        let below = product(&quotient, &Integer::from(self.value.clone())).into_parts().1;
        // Barrett's quotient is at most 2 too small.
        let mut remainder = magnitude - below;
        while remainder >= self.value {
            remainder -= &self.value;
        }
        if sign == Sign::Negative && !remainder.is_zero() { &self.value - remainder } else { remainder }
    }

    /// The remainder in (−modulus/2, modulus/2).
    pub(super) fn symmetric_remainder(&self, number: Integer) -> Integer {
        let remainder = self.remainder(number);
        if &remainder << 1 > self.value { -Integer::from(&self.value - remainder) } else { Integer::from(remainder) }
    }
}

/// ⌊4^bits / value⌋ for a value of `bits` bits. From the reciprocal R of the leading half, `R + R (4^bits − value·R) / 4^bits` is
/// right to a few units (Newton), and the rest is counted off.
fn reciprocal(value: &Natural, bits: usize) -> Natural {
    /// Quotients of numbers up to this length involve no product that is too long for the big number library.
    const SHORT: usize = 64 * 1_500;
    if bits <= SHORT {
        return (Natural::ONE << (2 * bits)) / value;
    }
    let half = bits / 2 + 4;
    let rough = Integer::from(reciprocal(&(value >> (bits - half)), half)) << (bits - half);
    let value = Integer::from(value.clone());
    let whole = Integer::ONE << (2 * bits);
    let error = &whole - product(&value, &rough);
    let mut refined = &rough + (product(&rough, &error) >> (2 * bits));
    let mut rest = whole - product(&value, &refined);
    while rest < Integer::ZERO {
        rest += &value;
        refined -= Integer::ONE;
    }
    while rest >= value {
        rest -= &value;
        refined += Integer::ONE;
    }
    refined.into_parts().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIME: u64 = (1 << 61) - 1;

    fn plain_power(exponent: usize) -> Integer {
        (0..exponent).fold(Integer::ONE, |power, _| power * PRIME)
    }

    proptest! {
        #[test]
        fn digits_are_put_together_as_horner_would(digits in prop::collection::vec(any::<i64>(), 0..200)) {
            let powers = Powers::new(PRIME, digits.len());
            let plain = digits.iter().rev().fold(Integer::ZERO, |sum, &digit| sum * PRIME + digit);
            prop_assert_eq!(powers.assemble(&digits), plain);
            prop_assert_eq!(Integer::from(powers.power(digits.len())), plain_power(digits.len()));
        }

        #[test]
        fn remainders_are_those_of_long_division(words in prop::collection::vec(any::<u64>(), 0..40), negative in any::<bool>()) {
            let modulus = Modulus::new(plain_power(21).into_parts().1);
            let number = Natural::from_words(&words) % (modulus.value() * modulus.value());
            let number = if negative { -Integer::from(number) } else { Integer::from(number) };
            use dashu_base::RemEuclid;
            let expected = (&number).rem_euclid(Integer::from(modulus.value().clone()));
            prop_assert_eq!(Integer::from(modulus.remainder(number.clone())), Integer::from(expected.clone()));
            let symmetric = modulus.symmetric_remainder(number);
            prop_assert!((&symmetric << 1).into_parts().1 <= *modulus.value());
            prop_assert!(symmetric == Integer::from(expected.clone()) || symmetric + modulus.value() == Integer::from(expected));
        }
    }

    #[test]
    fn every_power_up_to_the_number_of_digits_is_at_hand() {
        for exponent in 0..=130 {
            assert_eq!(Integer::from(Powers::new(PRIME, exponent).power(exponent)), plain_power(exponent));
        }
    }

    #[test]
    fn long_reciprocals_are_exact() {
        let value = Powers::new(PRIME, 5_000).power(5_000);
        let bits = value.bit_len();
        let found = Integer::from(reciprocal(&value, bits));
        let rest = (Integer::ONE << (2 * bits)) - product(&found, &Integer::from(value.clone()));
        assert!(rest >= Integer::ZERO && rest < Integer::from(value));
    }
}
