//! Confidence intervals for the mean of bounded numbers that hold for every distribution and any number of runs.
//!
//! Let `X` lie in `[0, 1]` with mean μ and let `m` be the mean of `n` independent draws, `v` their sample variance.
//!
//! - Chernoff and Hoeffding: `P(n · kl(m, μ) ≥ t and m < μ) ≤ e^-t`, the same for `m > μ`, where `kl` is the relative entropy
//!   of two Bernoulli distributions (Hoeffding 1963, Theorem 1). It is tight for rare events: without a single win, μ is at most
//!   about `t / n`.
//! - Maurer and Pontil (2009, Theorem 4): `μ ≤ m + √(2 v ln(2/δ) / n) + 7 ln(2/δ) / (3 (n − 1))` except with probability δ, and
//!   the same below. It is tight if the variance is small relative to the range.
//!
//! Each gets half of the error probability, on both sides, and the interval is the intersection. Neither needs many runs.

use super::tally::Moments;
use crate::number::UNIT_ROUNDOFF;

/// More than the square root of 2^-1074, the absolute error of a square that underflows.
const LOST: f64 = 1e-161;

/// A confidence interval for the mean of numbers between `least` and `greatest`, from `runs` of them, with an error probability
/// of at most `doubt`. `size` bounds the numbers' absolute values, `n_updates` the number of successive updates of the mean.
pub(super) fn interval(
    moments: &Moments,
    runs: u64,
    [least, greatest]: [f64; 2],
    doubt: f64,
    (size, n_updates): (f64, u64),
) -> [f64; 2] {
    let range = greatest - least;
    if runs == 0 || !range.is_finite() || !moments.mean.is_finite() {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    if range <= 0.0 {
        return [least, greatest];
    }
    let n = runs as f64;
    // The rounding error of the mean, and of a square root.
    let rounding = 16.0 * UNIT_ROUNDOFF * (1.0 + n_updates as f64 * size / range);
    let mean = (moments.mean - least) / range;
    let mut ends = entropy_ends(mean - rounding, mean + rounding, (4.0 / doubt).ln() / n);
    if runs > 1 {
        let log = (8.0 / doubt).ln();
        let deviation = (moments.standard_error(runs) * n.sqrt() + LOST) / range + rounding;
        let half = deviation * (2.0 * log / n).sqrt() + 7.0 * log / (3.0 * (n - 1.0)) + rounding;
        ends = [ends[0].max(mean - half), ends[1].min(mean + half)];
    }
    let outward = 4.0 * UNIT_ROUNDOFF * size;
    [(least + range * ends[0] - outward).max(least), (least + range * ends[1] + outward).min(greatest)]
}

/// The least and the greatest μ with `kl(m, μ) ≤ bound`, or a little beyond, for every `m` between the two given.
fn entropy_ends(low: f64, high: f64, bound: f64) -> [f64; 2] {
    /// A generous bound on the rounding error of a relative entropy.
    const SLACK: f64 = 1e-14;
    let bound = bound + SLACK;
    let (low, high) = (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
    [1.0 - entropy_end(1.0 - low, bound), entropy_end(high, bound)]
}

/// A number that is at least the greatest μ ≥ m with `kl(m, μ) ≤ bound`.
fn entropy_end(m: f64, bound: f64) -> f64 {
    let kl = |q: f64| {
        let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
        term(m, q) + term(1.0 - m, 1.0 - q)
    };
    let (mut inside, mut outside) = (m, 1.0);
    // Each round halves the bracket; doubles have no more bits.
    for _ in 0..80 {
        let middle = inside + (outside - inside) / 2.0;
        if kl(middle) <= bound {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a win in n tries, kl(0, μ) = −ln(1 − μ).
    #[test]
    fn nothing_seen_is_little_and_not_nothing() {
        for n in [1u64, 3, 1000, 1_000_000] {
            let bound = 5.0 / n as f64;
            let [low, high] = entropy_ends(0.0, 0.0, bound);
            let expected = -(-bound).exp_m1();
            assert!(low <= 0.0 && high >= expected && high <= expected * (1.0 + 1e-6) + 1e-12, "{n} {low} {high}");
            let [low, high] = entropy_ends(1.0, 1.0, bound);
            assert!(high >= 1.0 && (1.0 - low) >= expected && (1.0 - low) <= expected * (1.0 + 1e-6) + 1e-12);
        }
    }

    /// Pinsker: kl(m, μ) ≥ 2 (m − μ)², so it is never wider than Hoeffding's interval.
    #[test]
    fn the_entropy_is_never_wider_than_hoeffding() {
        for m in [0.0, 1e-9, 0.01, 0.3, 0.5, 0.9, 1.0] {
            for bound in [1e-10, 1e-5, 0.01, 0.5, 3.0] {
                let [low, high] = entropy_ends(m, m, bound);
                let half = (bound / 2.0).sqrt() + 1e-6;
                assert!(low <= m && m <= high && high <= m + half && low >= m - half, "{m} {bound}: {low} {high}");
            }
        }
    }
}
