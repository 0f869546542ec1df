//! Lifting modulo powers of a prime p near 2^61, after Dixon.
//!
//! From r_0 = b, each step takes the digits `d ≡ A⁻¹ r (mod p)`, each in (−p/2, p/2), and `r ← (r − A·d) / p`, which is exact. Then
//! x ≡ Σ_j d_j p^j. There is no rounding and no tuning: entries of any size, any discount. Residuals stay below
//! Σ_j |a_ij|, so they fit the type of the entries.
//!
//! Cost: one solve modulo p and one product A·d for every 61 bits.

use super::elimination::Factors;
use super::euclid::Words;
use super::field::Residue;
use super::obstacle::Obstacle;
use super::prime_powers::{Modulus, Powers};
use super::random::RandomWeights;
use super::reconstruction::{Demand, Expansion, Prefix, lift};
use super::rows::{Entry, ExactDivisor, Rows};
use crate::number::{ExactVector, Integer};
use dashu_base::BitTest;
use std::ops::Range;

/// The primes 2^61 − C that are tried in turn. A random determinant is practically never divisible by all of them.
pub(super) const PRIME_OFFSETS: [u64; 3] = [1, 31, 45];

/// The solution, by lifting modulo the first prime that suits the system.
pub(super) fn solve<E: Entry>(rows: &Rows<E>, stop: &(dyn Fn() -> bool + Sync)) -> Result<ExactVector, Obstacle> {
    let attempts = [
        solve_modulo::<{ PRIME_OFFSETS[0] }, E>,
        solve_modulo::<{ PRIME_OFFSETS[1] }, E>,
        solve_modulo::<{ PRIME_OFFSETS[2] }, E>,
    ];
    let mut results = attempts.iter().map(|attempt| attempt(rows, stop));
    results.find(|result| matches!(result, Ok(_) | Err(Obstacle::Stopped))).unwrap_or(Err(Obstacle::Unverified))
}

pub(super) fn solve_modulo<const C: u64, E: Entry>(
    rows: &Rows<E>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<ExactVector, Obstacle> {
    let factors = Factors::of(rows.off_diagonals(|entry| entry.residue::<C>()), f64::INFINITY, stop)?;
    // Numerators are below den · ‖x‖, and the combination adds up n of them.
    let value = rows.log2_inverse(|row, _| rows.rhs()[row].log2());
    let demand = Demand::new(rows, value + RandomWeights::log2_sum(rows.len()));
    lift(Padic::new(rows, factors, demand), rows, demand, stop)
}

struct Padic<'a, E, const C: u64> {
    rows: &'a Rows<E>,
    factors: Factors<Residue<C>>,
    residual: Vec<E>,
    divisor: ExactDivisor,
    weights: RandomWeights,
    digits: Vec<Vec<i64>>,
    kept_steps: usize,
    combined: Vec<i128>,
    solution: Vec<Residue<C>>,
}

impl<'a, E: Entry, const C: u64> Padic<'a, E, C> {
    fn new(rows: &'a Rows<E>, factors: Factors<Residue<C>>, demand: Demand) -> Self {
        Padic {
            rows,
            factors,
            residual: rows.rhs().to_vec(),
            divisor: ExactDivisor::new(Residue::<C>::PRIME),
            // Another prime has other weights, in case these lose too large a factor.
            weights: RandomWeights::new(rows.len(), C),
            digits: Vec::new(),
            kept_steps: demand.kept() / 60 + 1,
            combined: Vec::new(),
            solution: vec![Residue::new(0); rows.len()],
        }
    }
}

impl<E: Entry, const C: u64> Expansion for Padic<'_, E, C> {
    type Prefix<'b>
        = PadicPrefix<'b>
    where
        Self: 'b;

    fn advance(&mut self) -> Result<(), Obstacle> {
        let residual = &mut self.residual;
        self.factors.solve(|row| residual[row].residue(), &mut self.solution);
        let digits: Vec<i64> = self.solution.iter().map(|digit| digit.symmetric()).collect();
        for ((columns, entries), residual) in self.rows.iter().zip(residual) {
            let terms = columns.iter().zip(entries);
            let rest =
                terms.fold(residual.clone(), |sum, (&column, entry)| sum.minus_product(entry, digits[column as usize]));
            *residual = rest.divided_exactly(&self.divisor);
        }
        self.combined.push(self.weights.combine(&digits));
        if self.digits.len() < self.kept_steps {
            self.digits.push(digits);
        }
        Ok(())
    }

    /// p exceeds 2^60.9, and 60 bits a step are promised.
    fn precision(&self) -> usize {
        60 * self.combined.len()
    }

    fn combination(&self) -> (Words, Words) {
        let prime = Residue::<C>::PRIME as i128;
        let mut carry = 0;
        let digits: Vec<i64> = self
            .combined
            .iter()
            .map(|&digit| {
                let sum = digit + carry;
                carry = sum.div_euclid(prime);
                sum.rem_euclid(prime) as i64
            })
            .collect();
        let powers = Powers::new(Residue::<C>::PRIME, digits.len());
        let (_, value) = powers.assemble(&digits).into_parts();
        (powers.power(digits.len()).as_words().to_vec(), value.as_words().to_vec())
    }

    fn prefix(&self, bits: usize) -> Option<PadicPrefix<'_>> {
        let n_steps = bits.div_ceil(60).max(1);
        let digits = self.digits.get(..n_steps)?;
        let powers = Powers::new(Residue::<C>::PRIME, n_steps);
        let modulus = Modulus::new(powers.power(n_steps));
        Some(PadicPrefix { digits, powers, modulus })
    }
}

/// All components modulo p^k.
struct PadicPrefix<'a> {
    digits: &'a [Vec<i64>],
    powers: Powers,
    modulus: Modulus,
}

impl Prefix for PadicPrefix<'_> {
    fn components(&self, range: Range<usize>) -> Vec<Integer> {
        let component = |i: usize| {
            let digits: Vec<i64> = self.digits.iter().map(|digits| digits[i]).collect();
            self.powers.assemble(&digits)
        };
        range.map(component).collect()
    }

    fn split(&self, multiple: Integer) -> (Integer, usize) {
        let numerator = self.modulus.symmetric_remainder(multiple);
        let bits = numerator.bit_len();
        (numerator, bits)
    }

    fn congruence(&self, multiple: Integer) -> (Words, Words) {
        let remainder = self.modulus.remainder(multiple);
        (self.modulus.value().as_words().to_vec(), remainder.as_words().to_vec())
    }
}
