//! Advantages: what one use of a choice changes against given values. [Eq. 4]
//!
//! `Δ_i(s,a) = R_i(s,a) + λ_i Σ_t P(t|s,a) V_i(t) − V_i(s)`
//!
//! The values are those of a positional strategy, the *base*: the long-term strategy at first, the strategy of a stage
//! later. Each advantage is computed exactly once and kept as an enclosure; the exact number is computed again if an enclosure
//! cannot decide a comparison. Cost: one exact pass over the rows per part; 24 bytes per choice and part.

use crate::exact::long_term::exact_advantage;
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{ExactVector, Integer, Natural, Rational, Scaled};
use crate::parallel;
use crate::principals::OrderedModel;
use std::borrow::Cow;
use std::ops::Range;

/// Δ of every choice and part, against the values of a base.
#[derive(Debug)]
pub struct Advantages<'a> {
    model: &'a OrderedModel<'a>,
    rows: &'a IntegerRows,
    values: Cow<'a, [ExactVector]>,
    /// A choice's advantages side by side, most patient part first.
    enclosures: Vec<Scaled>,
}

impl<'a> Advantages<'a> {
    /// The advantages over `values`, one vector per part, given which choices are known to have none.
    pub fn over(
        model: &'a OrderedModel,
        rows: &'a IntegerRows,
        values: impl Into<Cow<'a, [ExactVector]>>,
        has_none: impl Fn(ChoiceId) -> bool + Sync,
    ) -> Advantages<'a> {
        let mut advantages = Advantages { model, rows, values: values.into(), enclosures: Vec::new() };
        let of_state = |state: StateId| {
            let (advantages, has_none) = (&advantages, &has_none);
            let of_choice = move |choice: ChoiceId| {
                let none = has_none(choice);
                (0..model.n()).map(move |i| {
                    if none {
                        Scaled::ZERO
                    } else {
                        let (numerator, denominator) = advantages.quotient(state, choice, i);
                        Scaled::of_quotient(&numerator, &denominator)
                    }
                })
            };
            model.choices(state).flat_map(of_choice)
        };
        advantages.enclosures = parallel::flat_map(model.n_states(), |index| of_state(index.into()));
        advantages
    }

    /// The values of the base, most patient part first.
    pub fn values(&self) -> &[ExactVector] {
        &self.values
    }

    /// Enclosures of Δ_i(s,a), most patient part first. An enclosure is the point 0 if and only if the advantage is exactly 0.
    pub fn of(&self, choice: ChoiceId) -> &[Scaled] {
        let n = self.model.n();
        &self.enclosures[choice.index() * n..(choice.index() + 1) * n]
    }

    /// Δ_i(s,a) in lowest terms.
    pub fn exact(&self, state: StateId, choice: ChoiceId, i: usize) -> Rational {
        let (numerator, denominator) = self.quotient(state, choice, i);
        Rational::from_parts(numerator, denominator)
    }

    /// Δ_i(s,a) as a quotient of integers, not in lowest terms.
    pub(crate) fn quotient(&self, state: StateId, choice: ChoiceId, i: usize) -> (Integer, Natural) {
        let values = &self.values[i];
        let reward = &self.model.rewards(choice)[i];
        let discount = self.model.discount(i);
        let (numerator, scale) = exact_advantage(self.model.mdp(), self.rows, state, choice, discount, reward, values);
        (numerator, scale * &values.denominator)
    }

    /// `Σ_i ρ_i^t Δ_i(s,a)` over the parts in `range`, with a small relative error despite cancellation.
    pub fn sum(
        &self,
        ratios: &DiscountRatios,
        weights: &Weights,
        state: StateId,
        choice: ChoiceId,
        range: Range<usize>,
    ) -> Scaled {
        ratios.sum(weights, range, self.of(choice), |i| self.quotient(state, choice, i))
    }
}
