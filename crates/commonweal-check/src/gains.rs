//! What each principal gains under the decisions, exactly.
//!
//! `G_i(s) = Δ_i(s,σ_t(s)) + λ_i Σ_u P(u|s,σ_t(s)) G_i(u)`, G from the step after; one common denominator per principal and
//! layer. A state with nothing to gain costs nothing. Numbers grow by a fixed number of bits per layer.

use crate::Stop;
use crate::fraction::{Fraction, lcm};
use crate::model::Model;
use crate::work::Work;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

/// The most machine words that the gains of all states may take together: 2 GiB.
const MAX_WORDS: u64 = 1 << 28;

/// The most bits by which a layer may lengthen the gains.
const MAX_GROWTH_BITS: u64 = 1 << 18;

/// Values of one principal over a common denominator: V(s) = numerators[s] / denominator.
pub struct Values {
    pub numerators: Vec<BigInt>,
    pub denominator: BigInt,
}

impl Values {
    pub fn of(&self, state: usize) -> Fraction {
        Fraction::new(self.numerators[state].clone(), self.denominator.clone())
    }

    /// The machine words of the longest number.
    pub fn words(&self) -> u64 {
        let longest = self.numerators.iter().map(BigInt::bits).max().unwrap_or(0);
        longest.max(self.denominator.bits()) / 64 + 1
    }

    /// Δ_i(c) over the denominator of the values, as a numerator and what is left of the denominator.
    pub fn advantage(&self, model: &Model, i: usize, state: usize, choice: usize) -> (BigInt, BigInt) {
        let (reward, discount) = (model.reward(choice, i), &model.discounts[i]);
        let below = &discount.denominator * &model.row_denominator[choice];
        let common = lcm(&below, &reward.denominator);
        let later = model.dot(choice, &self.numerators) * &discount.numerator * (&common / below);
        let now = &reward.numerator * (&common / &reward.denominator) * &self.denominator;
        (now + later - &common * &self.numerators[state], common)
    }

    /// Δ_i(c).
    pub fn exact_advantage(&self, model: &Model, i: usize, state: usize, choice: usize) -> Fraction {
        let (numerator, common) = self.advantage(model, i, state, choice);
        Fraction::new(numerator, common * &self.denominator)
    }
}

/// The gains of one principal: G(s) = numerators[s] / (scale · d), d being the denominator of the values.
struct PrincipalGains {
    numerators: Vec<BigInt>,
    scale: BigInt,
    /// Δ of each state's decision, as [`Values::advantage`] gives it.
    own: Vec<(BigInt, BigInt)>,
}

/// The gains of all principals.
pub struct Gains(Vec<PrincipalGains>);

impl Gains {
    /// No gains, and decisions without an advantage.
    pub fn none(model: &Model) -> Gains {
        let none = || PrincipalGains {
            numerators: vec![BigInt::zero(); model.n_states()],
            scale: BigInt::one(),
            own: vec![(BigInt::zero(), BigInt::one()); model.n_states()],
        };
        Gains((0..model.n()).map(|_| none()).collect())
    }

    /// Whether nobody gains anything anywhere.
    pub fn are_none(&self) -> bool {
        self.0.iter().all(|gains| gains.numerators.iter().all(BigInt::is_zero))
    }

    /// Takes down that these states have other decisions.
    pub fn decide(&mut self, model: &Model, values: &[Values], decisions: &[usize], changed: &[usize]) {
        for (i, (gains, values)) in self.0.iter_mut().zip(values).enumerate() {
            changed.iter().for_each(|&s| gains.own[s] = values.advantage(model, i, s, decisions[s]));
        }
    }

    /// One step back under the decisions.
    pub fn step_back(
        &mut self,
        model: &Model,
        values: &[Values],
        decisions: &[usize],
        work: &mut Work,
    ) -> Result<(), Stop> {
        for (i, (gains, values)) in self.0.iter_mut().zip(values).enumerate() {
            let words = gains.scale.bits() / 64 + values.words() + 1;
            if words.saturating_mul(model.n_states() as u64) > MAX_WORDS {
                return Err(Stop::Unreadable("its exact gains would not fit in memory".to_owned()));
            }
            work.spend((model.n_transitions() + model.n_states()) as u64, words)?;
            gains.step_back(model, &model.discounts[i], decisions)?;
        }
        Ok(())
    }

    /// x_i(c): what principal i gains by choice c now and the decisions later.
    pub fn worth(&self, model: &Model, values: &[Values], i: usize, state: usize, choice: usize) -> Fraction {
        let (gains, discount, values) = (&self.0[i], &model.discounts[i], &values[i]);
        let later = Fraction::new(
            model.dot(choice, &gains.numerators) * &discount.numerator,
            &discount.denominator * &model.row_denominator[choice] * &gains.scale * &values.denominator,
        );
        values.exact_advantage(model, i, state, choice).plus(&later)
    }

    /// The machine words of the longest number.
    pub fn words(&self) -> u64 {
        self.0.iter().map(|gains| gains.scale.bits() / 64 + 1).max().unwrap_or(1)
    }

    /// What principal i gets in all: V_i(s) + G_i(s).
    pub fn total(&self, values: &[Values], i: usize, state: usize) -> Fraction {
        let (gains, values) = (&self.0[i], &values[i]);
        let numerator = &values.numerators[state] * &gains.scale + &gains.numerators[state];
        Fraction::new(numerator, &gains.scale * &values.denominator)
    }
}

impl PrincipalGains {
    fn step_back(&mut self, model: &Model, discount: &Fraction, decisions: &[usize]) -> Result<(), Stop> {
        // The new scale is a multiple of the old one times a row's denominator where a successor has a gain, and of an
        // advantage's denominator where there is one.
        let (mut growth, mut of_advantages) = (BigInt::one(), BigInt::one());
        let later: Vec<BigInt> = decisions.iter().map(|&choice| model.dot(choice, &self.numerators)).collect();
        for (&choice, (expected, (advantage, denominator))) in decisions.iter().zip(later.iter().zip(&self.own)) {
            if !expected.is_zero() {
                growth = lcm(&growth, &(&discount.denominator * &model.row_denominator[choice]));
            }
            if !advantage.is_zero() {
                of_advantages = lcm(&of_advantages, denominator);
            }
            if growth.bits().max(of_advantages.bits()) > MAX_GROWTH_BITS {
                return Err(Stop::Unreadable("the denominators of its gains grow too fast".to_owned()));
            }
        }
        let grown = &growth * &self.scale;
        let missing = &of_advantages / (&grown % &of_advantages).gcd(&of_advantages);
        let (factor, scale) = (&growth * &missing, grown * missing);
        let of_state = |((&choice, expected), (advantage, denominator)): ((&usize, BigInt), &(BigInt, BigInt))| {
            let mut gain = BigInt::zero();
            if !expected.is_zero() {
                let below = &discount.denominator * &model.row_denominator[choice];
                gain += expected * (&discount.numerator * (&factor / below));
            }
            if !advantage.is_zero() {
                gain += advantage * (&scale / denominator);
            }
            gain
        };
        self.numerators = decisions.iter().zip(later).zip(&self.own).map(of_state).collect();
        self.scale = scale;
        Ok(())
    }
}
