//! The two kinds of numbers that a matrix is factored over: doubles, and residues modulo a prime.
//!
//! Residues live modulo p = 2^61 − C. Since 2^61 ≡ C, a product is brought back below 2^62 by folding its high part on
//! its low part twice, without a division; up to 32 products are added up before they are folded.

/// What elimination and triangular solves need of a number.
pub(super) trait Field: Copy + Send + Sync {
    const ZERO: Self;

    /// 1 / self, or `None` for 0.
    fn inverse(self) -> Option<Self>;
    fn times(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;

    /// `self − Σ_k x[k] · y[k]`.
    fn minus_dot(self, x: &[Self], y: &[Self]) -> Self;

    /// `self − Σ_k entries[k] · x[columns[k]]`.
    fn minus_sparse_dot(self, entries: &[Self], columns: &[u32], x: &[Self]) -> Self;
}

impl Field for f64 {
    const ZERO: f64 = 0.0;

    fn inverse(self) -> Option<f64> {
        (self != 0.0).then(|| 1.0 / self)
    }

    #[inline]
    fn times(self, other: f64) -> f64 {
        self * other
    }

    #[inline]
    fn minus(self, other: f64) -> f64 {
        self - other
    }

    #[inline]
    fn minus_dot(self, x: &[f64], y: &[f64]) -> f64 {
        // Independent partial sums: addition is not associative, so the compiler may not split one sum by itself.
        const LANES: usize = 16;
        let mut partial = [0.0; LANES];
        let (x_chunks, y_chunks) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
        let rest: f64 = x_chunks.remainder().iter().zip(y_chunks.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in x_chunks.zip(y_chunks) {
            for lane in 0..LANES {
                partial[lane] += a[lane] * b[lane];
            }
        }
        self - (partial.iter().sum::<f64>() + rest)
    }

    #[inline]
    fn minus_sparse_dot(self, entries: &[f64], columns: &[u32], x: &[f64]) -> f64 {
        self - entries.iter().zip(columns).map(|(entry, &column)| entry * x[column as usize]).sum::<f64>()
    }
}

/// A residue modulo the prime 2^61 − C, below that prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Residue<const C: u64>(u64);

impl<const C: u64> Residue<C> {
    /// The prime, p = 2^61 − C.
    pub(super) const PRIME: u64 = (1 << 61) - C;

    /// As many products of residues as 128 bits hold beside one more residue.
    const FOLDED_AT_ONCE: usize = 32;

    /// The residue of an unsigned number.
    pub(super) fn new(value: u64) -> Self {
        Residue(value % Self::PRIME)
    }

    /// The representative in (−p/2, p/2).
    #[inline]
    pub(super) fn symmetric(self) -> i64 {
        if self.0 > Self::PRIME / 2 { self.0 as i64 - Self::PRIME as i64 } else { self.0 as i64 }
    }

    /// The residue of a number below 2^127. With C below 2^10 the first fold leaves fewer than 2^77 and the second
    /// fewer than 2^61 + 2^26, which is below 2p.
    #[inline]
    fn fold(value: u128) -> Self {
        const LOW: u64 = (1 << 61) - 1;
        let once = (value as u64 & LOW) as u128 + (value >> 61) * C as u128;
        let twice = (once as u64 & LOW) + (once >> 61) as u64 * C;
        Residue(if twice >= Self::PRIME { twice - Self::PRIME } else { twice })
    }

    /// The sum of products, where `products` are those of at most 32 pairs at a time.
    #[inline]
    fn sum_folded(chunks: impl Iterator<Item = u128>) -> Self {
        chunks.fold(Self::ZERO, |sum, products| Self::fold(sum.0 as u128 + products))
    }
}

impl<const C: u64> From<i64> for Residue<C> {
    #[inline]
    fn from(value: i64) -> Self {
        Residue(value.rem_euclid(Self::PRIME as i64) as u64)
    }
}

impl<const C: u64> Field for Residue<C> {
    const ZERO: Self = Residue(0);

    /// a^(p−2), by Fermat.
    fn inverse(self) -> Option<Self> {
        if self.0 == 0 {
            return None;
        }
        let (mut power, mut square, mut exponent) = (Residue(1), self, Self::PRIME - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            exponent >>= 1;
        }
        Some(power)
    }

    #[inline]
    fn times(self, other: Self) -> Self {
        Self::fold(self.0 as u128 * other.0 as u128)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        Residue(if self.0 >= other.0 { self.0 - other.0 } else { self.0 + Self::PRIME - other.0 })
    }

    #[inline]
    fn minus_dot(self, x: &[Self], y: &[Self]) -> Self {
        let chunks = x.chunks(Self::FOLDED_AT_ONCE).zip(y.chunks(Self::FOLDED_AT_ONCE));
        let products = chunks.map(|(x, y)| x.iter().zip(y).map(|(a, b)| a.0 as u128 * b.0 as u128).sum());
        self.minus(Self::sum_folded(products))
    }

    #[inline]
    fn minus_sparse_dot(self, entries: &[Self], columns: &[u32], x: &[Self]) -> Self {
        let chunks = entries.chunks(Self::FOLDED_AT_ONCE).zip(columns.chunks(Self::FOLDED_AT_ONCE));
        let products = chunks.map(|(entries, columns)| {
            entries.iter().zip(columns).map(|(entry, &column)| entry.0 as u128 * x[column as usize].0 as u128).sum()
        });
        self.minus(Self::sum_folded(products))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_system::padic::PRIME_OFFSETS;
    use proptest::prelude::*;

    fn power_modulo(base: u64, mut exponent: u64, modulus: u64) -> u64 {
        let (mut power, mut square) = (1u128, base as u128);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power * square % modulus as u128;
            }
            square = square * square % modulus as u128;
            exponent >>= 1;
        }
        power as u64
    }

    /// Miller and Rabin's test, which these bases make exact for 64-bit numbers.
    fn is_prime(n: u64) -> bool {
        let twos = (n - 1).trailing_zeros();
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].iter().all(|&base| {
            let mut x = power_modulo(base, (n - 1) >> twos, n);
            x == 1
                || (0..twos).any(|_| {
                    let is_minus_one = x == n - 1;
                    x = (x as u128 * x as u128 % n as u128) as u64;
                    is_minus_one
                })
        })
    }

    #[test]
    fn every_modulus_is_prime() {
        for offset in PRIME_OFFSETS {
            assert!(is_prime((1 << 61) - offset), "2^61 - {offset}");
        }
    }

    fn check_against_wide_arithmetic<const C: u64>(a: &[u64], b: &[u64], start: u64) {
        let p = Residue::<C>::PRIME as u128;
        let x: Vec<_> = a.iter().map(|&v| Residue::<C>::new(v)).collect();
        let y: Vec<_> = b.iter().map(|&v| Residue::<C>::new(v)).collect();
        let dot = a.iter().zip(b).fold(0, |sum, (&a, &b)| (sum + a as u128 % p * (b as u128 % p)) % p);
        let expected = ((start as u128 % p + p - dot) % p) as u64;
        let columns: Vec<u32> = (0..b.len() as u32).collect();
        assert_eq!(Residue::<C>::new(start).minus_dot(&x, &y).0, expected);
        assert_eq!(Residue::<C>::new(start).minus_sparse_dot(&x, &columns, &y).0, expected);
        for value in x.into_iter().filter(|value| value.0 != 0) {
            assert_eq!(value.times(value.inverse().unwrap()).0, 1);
            assert_eq!(Residue::<C>::from(value.symmetric()), value);
        }
    }

    proptest! {
        #[test]
        fn residues_agree_with_wide_arithmetic(
            pairs in prop::collection::vec((any::<u64>(), any::<u64>()), 0..100),
            start in any::<u64>(),
        ) {
            let (a, b): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
            check_against_wide_arithmetic::<1>(&a, &b, start);
            check_against_wide_arithmetic::<45>(&a, &b, start);
        }

        #[test]
        fn the_largest_residues_do_not_overflow(length in 0usize..200) {
            let largest = vec![Residue::<45>::PRIME - 1; length];
            check_against_wide_arithmetic::<45>(&largest, &largest, 0);
            let largest = vec![Residue::<1>::PRIME - 1; length];
            check_against_wide_arithmetic::<1>(&largest, &largest, 0);
        }
    }
}
