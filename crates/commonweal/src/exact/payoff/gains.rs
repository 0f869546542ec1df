//! Exact gains of one part under the decisions made so far, layer by layer.
//!
//! Against values V with advantages Δ, following decisions σ_j before the tail gains the part
//!
//! ```text
//! G_j(s) = Δ(s, σ_j(s)) + λ Σ_t P(t|s,σ_j(s)) G_{j+1}(t),      G_H = 0,
//! ```
//!
//! for *any* V (telescoping); if V is the tail's own value, `V + G_0` is the strategy's. Each layer has one common denominator
//! and integer numerators: canonical fractions would spend their time in greatest common divisors. The gain of a state whose
//! choice has no advantage and whose successors have no gain is exactly 0 and costs nothing.

use crate::exact::long_term::exact_advantage;
use crate::model::{ChoiceId, IntegerRows, Mdp, StateId, least_common_multiple};
use crate::number::{ExactVector, Integer, Natural, Rational, product};
use crate::parallel;
use dashu_base::{BitTest, Gcd};
use std::sync::OnceLock;

/// The gains of one part at the layer reached so far: `G(s) = numerators[s] / (scale · d)`, with d the
/// denominator of the values.
pub struct ExactGains<'a> {
    model: &'a Mdp,
    rows: &'a IntegerRows,
    discount: &'a Rational,
    reward: Box<dyn Fn(ChoiceId) -> &'a Rational + Send + Sync + 'a>,
    values: &'a ExactVector,
    /// Δ times `d · q·b·D`, with that last factor, computed on first use.
    advantages: Vec<OnceLock<(Integer, Natural)>>,
    numerators: Vec<Integer>,
    scale: Natural,
}

impl<'a> ExactGains<'a> {
    /// The gains at the horizon: none.
    pub fn none(
        model: &'a Mdp,
        rows: &'a IntegerRows,
        discount: &'a Rational,
        reward: impl Fn(ChoiceId) -> &'a Rational + Send + Sync + 'a,
        values: &'a ExactVector,
    ) -> ExactGains<'a> {
        ExactGains {
            model,
            rows,
            discount,
            reward: Box::new(reward),
            values,
            advantages: (0..model.n_choices()).map(|_| OnceLock::new()).collect(),
            numerators: vec![Integer::ZERO; model.n_states()],
            scale: Natural::ONE,
        }
    }

    /// Begins with these gains in place of none.
    pub(crate) fn begin_with(&mut self, gains: &ExactVector) {
        let denominator = Integer::from(self.values.denominator.clone());
        self.numerators = gains.numerators.iter().map(|gain| product(gain, &denominator)).collect();
        self.scale = gains.denominator.clone();
    }

    /// The words of 64 bits of all gains, about.
    pub(crate) fn words(&self) -> u64 {
        (self.model.n_states() * (self.scale.bit_len() / 64 + 1)) as u64
    }

    /// One step back in time: from G_{j+1} to G_j under these choices, one per state.
    pub fn step_back(&mut self, decisions: &[ChoiceId]) {
        // The new scale is a multiple of scale · bD where a successor has a gain, and of q·bD where the choice has an
        // advantage.
        let mut growth = Natural::ONE;
        let mut of_advantages = Natural::ONE;
        for (state, &choice) in self.model.states().zip(decisions) {
            if self.successor_gains(choice) {
                growth = least_common_multiple(&growth, &(self.discount.denominator() * self.rows.denominator(choice)));
            }
            let (advantage, denominator) = self.advantage(state, choice);
            if !advantage.is_zero() {
                of_advantages = least_common_multiple(&of_advantages, denominator);
            }
        }
        let natural_product =
            |a: &Natural, b: &Natural| product(&Integer::from(a.clone()), &Integer::from(b.clone())).into_parts().1;
        let grown = natural_product(&growth, &self.scale);
        let missing = &of_advantages / (&grown % &of_advantages).gcd(&of_advantages);
        let factor = natural_product(&growth, &missing);
        let scale = natural_product(&grown, &missing);
        let this = &*self;
        let numerators = parallel::map(this.model.n_states(), |index| {
            let choice = decisions[index];
            let mut gain = Integer::ZERO;
            if this.successor_gains(choice) {
                let below = this.discount.denominator() * this.rows.denominator(choice);
                let expected = this.rows.dot(this.model, choice, &this.numerators);
                gain = product(&expected, &(this.discount.numerator() * Integer::from(&factor / below)));
            }
            let (advantage, denominator) = this.advantage(StateId::from(index), choice);
            if !advantage.is_zero() {
                gain += product(advantage, &Integer::from(&scale / denominator));
            }
            gain
        });
        self.numerators = numerators;
        self.scale = scale;
    }

    /// Δ + λ Σ P G, the worth of a choice at the step before: the first number over the second times
    /// [`denominator`](Self::denominator).
    pub(crate) fn worth(&self, state: StateId, choice: ChoiceId) -> (Integer, Natural) {
        let (advantage, denominator) = self.advantage(state, choice);
        let below = self.discount.denominator() * self.rows.denominator(choice);
        let expected = self.rows.dot(self.model, choice, &self.numerators) * self.discount.numerator();
        // `denominator` is q·bD, so q brings the expected gain to it.
        let sum =
            product(advantage, &Integer::from(self.scale.clone())) + expected * Integer::from(denominator / below);
        (sum, denominator.clone())
    }

    /// `scale · d`: the denominator of this layer's gains.
    pub(crate) fn denominator(&self) -> Integer {
        product(&Integer::from(self.scale.clone()), &Integer::from(self.values.denominator.clone()))
    }

    /// V + G: what the part expects from here on.
    pub fn total(&self) -> ExactVector {
        let scale = Integer::from(self.scale.clone());
        let total = |index: usize| product(&self.values.numerators[index], &scale) + &self.numerators[index];
        ExactVector {
            numerators: parallel::map(self.numerators.len(), total),
            denominator: self.denominator().into_parts().1,
        }
    }

    fn successor_gains(&self, choice: ChoiceId) -> bool {
        self.model.targets(choice).iter().any(|target| !self.numerators[target.index()].is_zero())
            && !self.discount.is_zero()
    }

    fn advantage(&self, state: StateId, choice: ChoiceId) -> &(Integer, Natural) {
        self.advantages[choice.index()].get_or_init(|| {
            let reward = (self.reward)(choice);
            exact_advantage(self.model, self.rows, state, choice, self.discount, reward, self.values)
        })
    }
}
