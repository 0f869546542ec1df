//! Lifting in binary digits, with an approximate inverse in doubles.
//!
//! From r_0 = b, each step takes y ≈ A⁻¹ r in doubles, the digits d = round(2^α y), and the exact residual
//! `r ← 2^α r − A·d`. Then x = Σ_j d_j 2^(−s_j) + 2^(−s) A⁻¹ r with s_j = α_0 + … + α_j: what is left of x shrinks by α bits a step.
//!
//! The residual is summed in 128 bits, where it cannot overflow, and must come out no larger than a sound digit leaves it,
//! `|r_i| ≤ 2 Σ_j |a_ij|`. If it does not, the inverse is less accurate than assumed: the step is repeated with fewer bits.
//! After the first step y is what rounding left, about 1 at most, so α may be near 50. But the inverse's error is relative to
//! A⁻¹|r|, which grows like 1/(1 − λ), and costs up to that many bits of every step.
//!
//! Cost: one approximate solve and one product A·d for every α bits.

use super::euclid::Words;
use super::obstacle::Obstacle;
use super::random::RandomWeights;
use super::reconstruction::{Demand, Expansion, Prefix};
use super::rows::Rows;
use crate::number::{Integer, Natural};
use dashu_base::{BitTest, Sign};
use std::ops::Range;

/// Something that solves A·y = r approximately.
pub(super) trait ApproximateInverse: Sync {
    /// The bits of a digit that this inverse gets right, to begin with.
    const DIGIT_BITS: i32;

    /// y ≈ A⁻¹ r.
    fn apply(&mut self, residual: &[i64], solution: &mut [f64]) -> Result<(), Obstacle>;
}

/// The bits that are given up each time a residual is too large.
const RETREAT: i32 = 3;
/// With fewer bits a step than this, lifting modulo a prime is faster.
const FEWEST_BITS: i32 = 16;

pub(super) struct Dyadic<'a, I> {
    rows: &'a Rows<i64>,
    inverse: I,
    residual: Vec<i64>,
    /// 1 / Σ_j |a_ij|.
    inverse_magnitude: Vec<f64>,
    /// max_i |r_i| / Σ_j |a_ij|.
    residual_size: f64,
    digit_bits: i32,
    weights: RandomWeights,
    /// Bits gained by each step; their sum.
    widths: Vec<u32>,
    precision: usize,
    /// The digits of each step, as long as they may be needed.
    digits: Vec<Vec<i64>>,
    kept_bits: usize,
    /// The combination of each step's digits.
    combined: Vec<i128>,
    approximate: Vec<f64>,
}

impl<'a, I: ApproximateInverse> Dyadic<'a, I> {
    /// The precision that a system needs when it is lifted in this way.
    pub(super) fn demand(rows: &Rows<i64>) -> Demand {
        // What is left of x is below A⁻¹ of the largest residual; the combination adds up n of that.
        let error = rows.log2_inverse(|_, entries| (2.0 * magnitude(entries)).log2());
        Demand::new(rows, error + RandomWeights::log2_sum(rows.len()))
    }

    pub(super) fn new(rows: &'a Rows<i64>, inverse: I, demand: Demand) -> Dyadic<'a, I> {
        let mut lifting = Dyadic {
            rows,
            inverse,
            residual: rows.rhs().to_vec(),
            inverse_magnitude: rows.iter().map(|(_, entries)| 1.0 / magnitude(entries)).collect(),
            residual_size: 0.0,
            digit_bits: I::DIGIT_BITS,
            weights: RandomWeights::new(rows.len(), 0),
            widths: Vec::new(),
            precision: 0,
            digits: Vec::new(),
            kept_bits: demand.kept(),
            combined: Vec::new(),
            approximate: vec![0.0; rows.len()],
        };
        let sizes = lifting.residual.iter().zip(&lifting.inverse_magnitude);
        lifting.residual_size = sizes.map(|(&r, inverse)| r.unsigned_abs() as f64 * inverse).fold(0.0, f64::max);
        lifting
    }

    /// The bits that this step may gain: what a digit holds beyond ‖y‖.
    fn width(&self) -> i32 {
        let largest = self.approximate.iter().fold(0.0f64, |largest, y| largest.max(y.abs()));
        let exponent = if largest > 0.0 { largest.log2().ceil() as i32 } else { 0 };
        (self.digit_bits - exponent).clamp(0, I::DIGIT_BITS)
    }

    /// `2^width r − A·d` and its size, if that is no larger than a sound digit leaves it.
    fn next_residual(&self, digits: &[i64], width: u32) -> Option<(Vec<i64>, f64)> {
        // Right-hand sides may begin much larger than the residuals that follow; halving them is progress as well.
        let allowed = (self.residual_size / 2.0).max(2.0);
        let mut size = 0.0f64;
        let mut residual = Vec::with_capacity(digits.len());
        for (((columns, entries), &r), inverse) in self.rows.iter().zip(&self.residual).zip(&self.inverse_magnitude) {
            let mut sum = (r as i128) << width;
            for (&column, &entry) in columns.iter().zip(entries) {
                sum -= entry as i128 * digits[column as usize] as i128;
            }
            let next = i64::try_from(sum).ok()?;
            size = size.max(next.unsigned_abs() as f64 * inverse);
            residual.push(next);
        }
        (size <= allowed).then_some((residual, size))
    }
}

impl<I: ApproximateInverse> Expansion for Dyadic<'_, I> {
    type Prefix<'b>
        = DyadicPrefix<'b>
    where
        Self: 'b;

    fn advance(&mut self) -> Result<(), Obstacle> {
        self.inverse.apply(&self.residual, &mut self.approximate)?;
        loop {
            let width = self.width();
            if width < FEWEST_BITS && self.residual_size <= 2.0 {
                return Err(Obstacle::TooFewBits);
            }
            let scale = (width as f64).exp2();
            let digits: Vec<i64> = self.approximate.iter().map(|y| round(y * scale)).collect();
            if let Some((residual, size)) = self.next_residual(&digits, width as u32) {
                self.residual = residual;
                self.residual_size = size;
                self.combined.push(self.weights.combine(&digits));
                if self.precision < self.kept_bits {
                    self.digits.push(digits);
                }
                self.widths.push(width as u32);
                self.precision += width as usize;
                return Ok(());
            }
            if width == 0 {
                return Err(Obstacle::TooFewBits);
            }
            self.digit_bits -= RETREAT;
        }
    }

    fn precision(&self) -> usize {
        self.precision
    }

    fn combination(&self) -> (Words, Words) {
        let (low, _) = assemble(self.combined.iter().copied(), &self.widths);
        (power_of_two(self.precision), low)
    }

    fn prefix(&self, bits: usize) -> Option<DyadicPrefix<'_>> {
        let mut precision = 0;
        let steps = self.widths.iter().take(self.digits.len()).position(|&width| {
            precision += width as usize;
            precision >= bits
        })?;
        Some(DyadicPrefix { digits: &self.digits[..=steps], widths: &self.widths[..=steps], precision })
    }
}

/// All components rounded to multiples of 2^−precision.
pub(super) struct DyadicPrefix<'a> {
    digits: &'a [Vec<i64>],
    widths: &'a [u32],
    precision: usize,
}

impl Prefix for DyadicPrefix<'_> {
    fn components(&self, range: Range<usize>) -> Vec<Integer> {
        let component = |i: usize| {
            let (low, high) = assemble(self.digits.iter().map(|digits| digits[i] as i128), self.widths);
            (Integer::from(high) << self.precision) + Integer::from(Natural::from_words(&low))
        };
        range.map(component).collect()
    }

    fn split(&self, multiple: Integer) -> (Integer, usize) {
        let (sign, magnitude) = multiple.into_parts();
        let (low, mut numerator) = magnitude.split_bits(self.precision);
        let mut error = low;
        if error.bit_len() == self.precision {
            // More than half: the next numerator is nearer.
            error = (Natural::ONE << self.precision) - error;
            numerator += Natural::ONE;
        }
        (Integer::from_parts(sign, numerator), error.bit_len())
    }

    fn congruence(&self, multiple: Integer) -> (Words, Words) {
        let (sign, magnitude) = multiple.into_parts();
        let (mut low, _) = magnitude.split_bits(self.precision);
        if sign == Sign::Negative && !low.is_zero() {
            low = (Natural::ONE << self.precision) - low;
        }
        (power_of_two(self.precision), low.as_words().to_vec())
    }
}

/// `Σ_j d_j 2^(s − s_j)` as its lowest s bits and the signed rest, from digits that may overlap.
fn assemble(digits: impl DoubleEndedIterator<Item = i128>, widths: &[u32]) -> (Words, i128)
where
{
    let bits: usize = widths.iter().map(|&width| width as usize).sum();
    let mut words = Vec::with_capacity(bits / 64 + 1);
    let mut rest = 0i128;
    let (mut pending, mut n_pending) = (0u128, 0);
    for (digit, &width) in digits.rev().zip(widths.iter().rev()) {
        rest += digit;
        pending |= (rest as u128 & ((1 << width) - 1)) << n_pending;
        rest >>= width;
        n_pending += width;
        if n_pending >= 64 {
            words.push(pending as u64);
            pending >>= 64;
            n_pending -= 64;
        }
    }
    words.push(pending as u64);
    (words, rest)
}

/// The nearest integer, or the other adjacent one if `value` is not precise enough.
fn round(value: f64) -> i64 {
    (value + 0.5f64.copysign(value)) as i64
}

fn power_of_two(exponent: usize) -> Words {
    let mut words = vec![0; exponent / 64 + 1];
    words[exponent / 64] = 1 << (exponent % 64);
    words
}

fn magnitude(entries: &[i64]) -> f64 {
    entries.iter().map(|entry| entry.unsigned_abs()).sum::<u64>() as f64
}
