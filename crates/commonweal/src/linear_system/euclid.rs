//! Rational reconstruction: the half-extended Euclidean algorithm, with Lehmer's steps on words.
//!
//! From (M, x) the remainders r_j fall and the cofactors q_j with `q_j·x ≡ ±r_j (mod M)` grow, |q_{j+1}|·r_j ≈ M. The first
//! remainder of at most `remainder_bits` bits comes with the least multiplier q that brings x that close to a multiple of
//! M: the denominator of a fraction, whether x is its image modulo M or M times its value, rounded.
//!
//! Cost: quadratic, 31 bits for each pass over the words; 26 ms for 160,000 bits.

use crate::number::{Natural, product};
use dashu_base::DivRem;

/// A number as words, least significant first, without leading zeros.
pub(super) type Words = Vec<u64>;

/// A small multiple of x that is nearly a multiple of M.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SmallMultiple {
    /// q, positive.
    pub(super) multiplier: Words,
    /// |q·x − (the nearest multiple of M)|.
    pub(super) remainder: Words,
}

/// The least q > 0 of the Euclidean algorithm for which q·x lies within `remainder_bits` bits of a multiple of `modulus`.
/// `0 ≤ x < modulus`.
pub(super) fn small_multiple(modulus: Words, x: Words, remainder_bits: usize) -> SmallMultiple {
    let (mut larger, mut smaller) = (modulus, x);
    trim(&mut larger);
    trim(&mut smaller);
    let (mut larger_cofactor, mut smaller_cofactor): (Words, Words) = (vec![], vec![1]);
    while bit_length(&smaller) > remainder_bits {
        let to_go = bit_length(&smaller) - remainder_bits;
        match LehmerStep::from_leading_bits(&larger, &smaller, to_go) {
            Some(step) => {
                step.apply_to_remainders(&mut larger, &mut smaller);
                step.apply_to_cofactors(&mut larger_cofactor, &mut smaller_cofactor);
            }
            None => {
                let (quotient, rest) = divide(&larger, &smaller);
                let added = product(&quotient.into(), &Natural::from_words(&smaller_cofactor).into()).into_parts().1;
                let grown = Natural::from_words(&larger_cofactor) + added;
                larger = std::mem::replace(&mut smaller, rest.as_words().to_vec());
                larger_cofactor = std::mem::replace(&mut smaller_cofactor, grown.as_words().to_vec());
            }
        }
    }
    SmallMultiple { multiplier: smaller_cofactor, remainder: smaller }
}

/// Quotient and remainder of numbers of any length. If divisor and quotient are both long, dashu's division uses the products
/// that [`product`] avoids, so the quotient is computed piece by piece.
fn divide(dividend: &[u64], divisor: &[u64]) -> (Natural, Natural) {
    const PIECE: usize = 2_000;
    let divisor = Natural::from_words(divisor);
    if dividend.len() <= PIECE {
        return Natural::from_words(dividend).div_rem(&divisor);
    }
    // A rest below the divisor, with one piece appended, has a quotient of one piece.
    dividend.rchunks(PIECE).fold((Natural::ZERO, Natural::ZERO), |(quotient, rest), piece| {
        let appended = |high: Natural, low: Natural| (high << (64 * piece.len())) + low;
        let (next, rest) = appended(rest, Natural::from_words(piece)).div_rem(&divisor);
        (appended(quotient, next), rest)
    })
}

pub(super) fn bit_length(words: &[u64]) -> usize {
    words.last().map_or(0, |top| words.len() * 64 - top.leading_zeros() as usize)
}

fn trim(words: &mut Words) {
    while words.last() == Some(&0) {
        words.pop();
    }
}

/// Several steps of the algorithm at once: (larger, smaller) ← (a·larger + b·smaller, c·larger + d·smaller). In each row
/// one coefficient is positive and the other not, and all stay below 2^31.
struct LehmerStep {
    a: i64,
    b: i64,
    c: i64,
    d: i64,
}

impl LehmerStep {
    /// As many quotients as the leading 62 bits decide (Knuth's algorithm L), up to the first remainder that is
    /// `to_go` bits shorter; `None` if they decide none.
    fn from_leading_bits(larger: &[u64], smaller: &[u64], to_go: usize) -> Option<LehmerStep> {
        // Coefficients below 2^k leave the new larger number at most k + 2 bits shorter than the old smaller one, so that
        // only the last remainder can pass the end.
        let most = 1i64 << to_go.saturating_sub(3).min(31);
        let drop = bit_length(larger).saturating_sub(62);
        let (mut x, mut y) = (bits_from(larger, drop), bits_from(smaller, drop));
        let (mut a, mut b, mut c, mut d) = (1i64, 0i64, 0i64, 1i64);
        while y + c > 0 && y + d > 0 {
            let quotient = (x + a) / (y + c);
            // Quotients beyond 2^31 leave the coefficients' range at once, so the products below cannot overflow.
            if quotient >= 1 << 31 || quotient != (x + b) / (y + d) {
                break;
            }
            let (next_c, next_d) = (a - quotient * c, b - quotient * d);
            if next_c.abs() >= most || next_d.abs() >= most {
                break;
            }
            (x, y) = (y, x - quotient * y);
            (a, b, c, d) = (c, d, next_c, next_d);
        }
        (b != 0).then_some(LehmerStep { a, b, c, d })
    }

    fn apply_to_remainders(&self, larger: &mut Words, smaller: &mut Words) {
        smaller.resize(larger.len(), 0);
        let (mut carry_larger, mut carry_smaller) = (0i128, 0i128);
        for (x, y) in larger.iter_mut().zip(smaller.iter_mut()) {
            let (u, v) = (*x as i128, *y as i128);
            carry_larger += self.a as i128 * u + self.b as i128 * v;
            carry_smaller += self.c as i128 * u + self.d as i128 * v;
            (*x, *y) = (carry_larger as u64, carry_smaller as u64);
            carry_larger >>= 64;
            carry_smaller >>= 64;
        }
        debug_assert!(carry_larger == 0 && carry_smaller == 0, "remainders are not negative");
        trim(larger);
        trim(smaller);
    }

    /// The cofactors' signs alternate, so that in magnitudes every term is added.
    fn apply_to_cofactors(&self, larger: &mut Words, smaller: &mut Words) {
        let length = larger.len().max(smaller.len()) + 1;
        larger.resize(length, 0);
        smaller.resize(length, 0);
        let [a, b, c, d] = [self.a, self.b, self.c, self.d].map(|coefficient| coefficient.unsigned_abs() as u128);
        let (mut carry_larger, mut carry_smaller) = (0u128, 0u128);
        for (x, y) in larger.iter_mut().zip(smaller.iter_mut()) {
            let (u, v) = (*x as u128, *y as u128);
            carry_larger += a * u + b * v;
            carry_smaller += c * u + d * v;
            (*x, *y) = (carry_larger as u64, carry_smaller as u64);
            carry_larger >>= 64;
            carry_smaller >>= 64;
        }
        trim(larger);
        trim(smaller);
    }
}

/// The number without its lowest `drop` bits, which leaves at most 62.
fn bits_from(words: &[u64], drop: usize) -> i64 {
    let word = |k: usize| words.get(k).copied().unwrap_or(0) as u128;
    let pair = word(drop / 64) | word(drop / 64 + 1) << 64;
    (pair >> (drop % 64)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, one quotient at a time.
    fn plain(modulus: &Natural, x: &Natural, remainder_bits: usize) -> (Natural, Natural) {
        use dashu_base::BitTest;
        let (mut larger, mut smaller) = (modulus.clone(), x.clone());
        let (mut larger_cofactor, mut smaller_cofactor) = (Natural::ZERO, Natural::ONE);
        while smaller.bit_len() > remainder_bits {
            let (quotient, rest) = (&larger).div_rem(&smaller);
            let grown = &larger_cofactor + quotient * &smaller_cofactor;
            larger = std::mem::replace(&mut smaller, rest);
            larger_cofactor = std::mem::replace(&mut smaller_cofactor, grown);
        }
        (smaller_cofactor, smaller)
    }

    fn words() -> impl Strategy<Value = Words> {
        let word = prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), Just(1)];
        prop::collection::vec(word, 1..40)
    }

    #[test]
    fn long_divisions_are_exact() {
        let word = |k: usize| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let dividend: Words = (0..9_000).map(word).collect();
        let divisor: Words = (0..4_500).map(|k| if k % 7 < 3 { u64::MAX } else { word(k) }).collect();
        let (quotient, rest) = divide(&dividend, &divisor);
        assert!(rest < Natural::from_words(&divisor));
        let whole = product(&quotient.into(), &Natural::from_words(&divisor).into()) + rest;
        assert_eq!(whole, Natural::from_words(&dividend).into());
    }

    proptest! {
        #[test]
        fn lehmer_stops_where_the_plain_algorithm_stops(modulus in words(), x in words(), share in 0.0..1.0f64) {
            let modulus = Natural::from_words(&modulus) + Natural::from(2u8);
            let x = Natural::from_words(&x) % &modulus;
            let bits = (bit_length(modulus.as_words()) as f64 * share) as usize;
            let fast = small_multiple(modulus.as_words().to_vec(), x.as_words().to_vec(), bits);
            let (multiplier, remainder) = plain(&modulus, &x, bits);
            prop_assert_eq!(fast.multiplier, multiplier.as_words());
            prop_assert_eq!(fast.remainder, remainder.as_words());
        }

        #[test]
        fn a_rounded_fraction_gives_its_denominator(numerator in any::<u64>(), denominator in 1u64.., extra in 3usize..200) {
            use dashu_base::Gcd;
            let precision = 2 * 64 + extra;
            let scaled = (Natural::from(numerator % denominator) << precision) / Natural::from(denominator);
            let modulus = Natural::ONE << precision;
            let found = small_multiple(modulus.as_words().to_vec(), scaled.as_words().to_vec(), precision / 2);
            let shared = Natural::from(numerator % denominator).gcd(Natural::from(denominator));
            prop_assert_eq!(Natural::from_words(&found.multiplier), Natural::from(denominator) / shared);
        }
    }
}
