//! Weights that look random and are always the same.

/// One weight of 16 bits for each component. A prime ℓ that divides the common denominator is missing from that of the
/// weighted sum about once in ℓ times.
pub(super) struct RandomWeights(Vec<u16>);

impl RandomWeights {
    pub(super) fn new(n: usize, seed: u64) -> RandomWeights {
        let mut state = seed;
        let next = || {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed >> 48) as u16
        };
        RandomWeights(std::iter::repeat_with(next).take(n).collect())
    }

    /// The weights as numbers of either sign.
    pub(super) fn signed(&self) -> Vec<i64> {
        self.0.iter().map(|&weight| weight as i64 - (1 << 15)).collect()
    }

    /// log₂ of the largest sum of n weights.
    pub(super) fn log2_sum(n: usize) -> f64 {
        16.0 + (n.max(1) as f64).log2()
    }

    /// Σ u_i d_i, exact: below 2^(63 + 16 + 32).
    pub(super) fn combine(&self, digits: &[i64]) -> i128 {
        self.0.iter().zip(digits).map(|(&weight, &digit)| weight as i128 * digit as i128).sum()
    }
}
