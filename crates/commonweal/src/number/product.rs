//! Products of integers of any size.
//!
//! dashu-int 0.6.2 drops a carry in its number-theoretic transform, which it takes once the smaller operand is longer
//! than 4,000 words. Cutting the smaller operand into pieces below that length never reaches the transform.

use super::Integer;

/// Pieces of this many bits stay well below dashu's transform threshold of 4,000 words.
pub(super) const PIECE_BITS: usize = 64 * 3_000;

/// `a · b`, exact for operands of any length.
pub(crate) fn product(a: &Integer, b: &Integer) -> Integer {
    use dashu_base::BitTest;
    let (long, short) = if a.bit_len() >= b.bit_len() { (a, b) } else { (b, a) };
    if short.bit_len() <= PIECE_BITS {
        return long * short;
    }
    let (sign, mut rest) = short.clone().into_parts();
    let mut sum = Integer::ZERO;
    let mut shift = 0;
    while !rest.is_zero() {
        let (low, high) = rest.split_bits(PIECE_BITS);
        sum += (long * Integer::from(low)) << shift;
        shift += PIECE_BITS;
        rest = high;
    }
    sum * sign
}

/// `base^exponent`, exact for results of any length.
pub(crate) fn power(base: &Integer, exponent: usize) -> Integer {
    let mut result = Integer::ONE;
    for bit in (0..usize::BITS - exponent.leading_zeros()).rev() {
        result = product(&result, &result);
        if exponent >> bit & 1 == 1 {
            result = product(&result, base);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn in_other_library(x: &Integer) -> BigInt {
        BigInt::from_signed_bytes_le(&x.to_le_bytes())
    }

    #[test]
    fn powers_are_repeated_products() {
        for (base, exponent) in [(3, 0), (3, 1), (-7, 5), (10, 40_000), (-3, 400_001), (i64::MAX, 12_000)] {
            let expected = in_other_library(&Integer::from(base)).pow(exponent as u32);
            assert_eq!(in_other_library(&power(&Integer::from(base), exponent)), expected);
        }
    }

    /// Factors with extreme words: the transform often computes their products wrongly.
    #[test]
    fn products_for_which_the_transform_drops_a_carry_agree_with_a_second_library() {
        use rand_xoshiro::rand_core::{Rng, SeedableRng};
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        let mut edges = |n: usize| {
            let words = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63];
            let words: Vec<u64> = (0..n).map(|_| words[(rng.next_u64() % 5) as usize]).collect();
            Integer::from(dashu_int::UBig::from_words(&words))
        };
        for (a, b) in
            [(4_100, 4_100), (8_698, 11_677), (8_904, 4_037), (14_811, 9_581), (10_642, 5_755), (13_599, 5_065)]
        {
            let (a, b) = (edges(a), -edges(b));
            assert_eq!(in_other_library(&product(&a, &b)), in_other_library(&a) * in_other_library(&b));
            // Squares, as in powers.
            assert_eq!(in_other_library(&power(&a, 2)), in_other_library(&a) * in_other_library(&a));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn long_products_agree_with_a_second_library(
            a in prop::collection::vec(any::<u64>(), 3_000..12_000),
            b in prop::collection::vec(prop::sample::select(vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 63]), 3_000..12_000),
            negative in any::<bool>(),
        ) {
            let a = Integer::from(dashu_int::UBig::from_words(&a));
            let mut b = Integer::from(dashu_int::UBig::from_words(&b));
            if negative {
                b = -b;
            }
            prop_assert_eq!(in_other_library(&product(&a, &b)), in_other_library(&a) * in_other_library(&b));
        }
    }
}
