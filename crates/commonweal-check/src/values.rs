//! Exact values of the decisions for one principal in every state.
//!
//! Fractions over a common denominator, so that sums need no greatest common divisors. `Y(s) = R(σ(s)) + λ Σ_u P(u|σ(s)) Y(u)` goes one step
//! back under decisions σ; the denominator grows by what does not cancel, which is nothing where Y is the value of σ.

use crate::Stop;
use crate::fraction::{Fraction, lcm};
use crate::model::Model;
use crate::work::{Work, words};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::ops::Range;

/// V(s) = numerators[s] / denominator.
#[derive(Clone)]
pub struct Values {
    numerators: Vec<BigInt>,
    denominator: BigInt,
    /// The machine words of the longest number.
    pub words: u64,
}

impl Values {
    pub fn new(numerators: Vec<BigInt>, denominator: BigInt) -> Values {
        let words = numerators.iter().map(words).fold(words(&denominator), u64::max);
        Values { numerators, denominator, words }
    }

    /// Some of the numbers, over the same denominator.
    pub fn part(&self, range: Range<usize>) -> Values {
        Values { numerators: self.numerators[range].to_vec(), denominator: self.denominator.clone(), words: self.words }
    }

    pub fn of(&self, state: usize) -> Fraction {
        Fraction::new(self.numerators[state].clone(), self.denominator.clone())
    }

    /// Σ_u P(u|c) V(u) less the value of a state in `other`, which has the same denominator.
    pub fn expected_less(&self, model: &Model, choice: usize, other: &Values, state: usize) -> Fraction {
        let common = &model.row_denominator[choice];
        let numerator = model.dot(choice, &self.numerators) - common * &other.numerators[state];
        Fraction::new(numerator, common * &self.denominator)
    }

    /// R_i(c) + λ_i Σ_u P(u|c) V(u), as a numerator over the denominator of the values times the second number.
    fn ahead(&self, model: &Model, i: usize, choice: usize) -> (BigInt, BigInt) {
        let (reward, discount) = (model.reward(choice, i), &model.discounts[i]);
        let below = &discount.denominator * &model.row_denominator[choice];
        let common = lcm(&below, &reward.denominator);
        let later = model.dot(choice, &self.numerators) * &discount.numerator * (&common / below);
        let now = &reward.numerator * (&common / &reward.denominator) * &self.denominator;
        (now + later, common)
    }

    /// Principal i's value of choice c now and these values afterwards.
    pub fn worth(&self, model: &Model, i: usize, choice: usize) -> Fraction {
        let (numerator, common) = self.ahead(model, i, choice);
        Fraction::new(numerator, common * &self.denominator)
    }

    /// Δ_i(c).
    pub fn advantage(&self, model: &Model, i: usize, state: usize, choice: usize) -> Fraction {
        let (numerator, common) = self.ahead(model, i, choice);
        Fraction::new(numerator - &common * &self.numerators[state], common * &self.denominator)
    }

    /// Principal i's values of the decisions now and these values afterwards.
    pub fn step_back(&self, model: &Model, i: usize, decisions: &[usize], work: &mut Work) -> Result<Values, Stop> {
        work.spend((model.n_transitions() + model.n_states()) as u64 * (model.words + 4), self.words + model.words)?;
        let mut growth = BigInt::one();
        let mut quotients = Vec::with_capacity(decisions.len());
        for &choice in decisions {
            let (numerator, common) = self.ahead(model, i, choice);
            // One division by a short number, not two: the numerator is long.
            let (quotient, rest) = numerator.div_rem(&common);
            let shared = rest.gcd(&common);
            let common = common / &shared;
            let numerator = if rest.is_zero() { quotient } else { quotient * &common + rest / shared };
            work.spend(words(&growth), 2 * model.words + 1)?;
            growth = lcm(&growth, &common);
            quotients.push((numerator, common));
        }
        let n_words = (self.words + words(&growth)).saturating_mul(decisions.len() as u64);
        work.hold(n_words)?;
        work.spend(n_words, words(&growth))?;
        let numerators = quotients.into_iter().map(|(numerator, common)| numerator * (&growth / common)).collect();
        Ok(Values::new(numerators, growth * &self.denominator))
    }
}
