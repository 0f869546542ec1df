//! Enclosures of one principal's payoffs under a strategy with stages.
//!
//! At the step where the last base comes into use, the principal's values are those of the base's strategy up to
//! λ^m C, with m the number of steps for which it is followed from there and C the greatest difference of two values. From that
//! step back to 0, `G_t(s) = Δ(s,σ_t(s)) + λ Σ_u P(u|s,σ_t(s)) G_{t+1}(u)` in enclosures. If λ^m is not small, the gain over
//! the base there is found in the same way from a stage after which later steps are negligible (`earlier`), or from the
//! long-term strategy.

mod earlier;
mod gains;
mod segments;
mod settled;

pub(super) use earlier::Earlier;
pub use gains::ExactGains;
pub(super) use segments::{Landed, Landing, enclosed_payoffs};
pub(super) use settled::{settled_values, without_leaving};

use super::base::Base;
use super::jump::distance;
use super::long_term::exact_advantage;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, IntegerRows, Mdp, StateId};
use crate::number::{Enclosure, ExactVector, Scaled};
use crate::parallel;
use crate::principals::Alone;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};
use std::sync::OnceLock;

/// The values of one principal's rewards at one discount under a strategy, from every start state, given their exact values
/// under the base.
pub(super) fn enclosed_payoff(
    followed: Followed,
    base: &Base,
    alone: &Alone,
    base_values: &ExactVector,
    earlier: Option<&Earlier>,
) -> Result<Vec<Enclosure>, StopReason> {
    let Followed { model, strategy, stop, .. } = followed;
    let discount = &alone.discount;
    let reward = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
    let radius = match &base.followed_for {
        None => Scaled::ZERO,
        Some(steps) => distance(discount, (0..model.n_choices()).map(|choice| reward(choice.into())), steps),
    };
    let mut gain = vec![Scaled::around_zero(radius); model.n_states()];
    if let Some(earlier) = earlier.filter(|earlier| earlier.matter(discount)) {
        let known = earlier.gain(model, strategy, alone, base_values, stop)?;
        gain.iter_mut().zip(known).for_each(|(gain, known)| *gain = gain.meet(known));
    }
    let gain = followed.gain(alone, base_values, Some(&base.strategy), gain, (&Step::ZERO, &base.from))?;
    let total = |index: usize| base_values.enclosure(index).plus(gain[index].to_doubles());
    Ok((0..model.n_states()).map(total).collect())
}

/// A strategy that is followed step by step, in enclosures.
#[derive(Clone, Copy)]
pub(super) struct Followed<'a> {
    pub model: &'a Mdp,
    pub rows: &'a IntegerRows,
    pub strategy: &'a CountingStrategy,
    pub stop: &'a StopSignal,
}

impl Followed<'_> {
    /// The gain over `values` of the steps of a span, given the gain at its end. `own` are choices without an advantage.
    fn gain(
        self,
        alone: &Alone,
        values: &ExactVector,
        own: Option<&[ChoiceId]>,
        gain: Vec<Scaled>,
        span: (&Step, &Step),
    ) -> Result<Vec<Scaled>, StopReason> {
        let Followed { model, rows, .. } = self;
        let reward = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
        let advantages: Vec<OnceLock<Scaled>> = (0..model.n_choices()).map(|_| OnceLock::new()).collect();
        let advantage = |state: StateId, choice: ChoiceId| {
            if own.is_some_and(|own| own[state.index()] == choice) {
                return Scaled::ZERO;
            }
            *advantages[choice.index()].get_or_init(|| {
                let (numerator, scale) =
                    exact_advantage(model, rows, state, choice, &alone.discount, reward(choice), values);
                Scaled::of_quotient(&numerator, &(scale * &values.denominator))
            })
        };
        self.carried(&DiscountedRows::of(model, &alone.discount), advantage, gain, span)
    }

    /// `G_t(s) = now(s,σ_t(s)) + rows G_{t+1}` over the steps of a span.
    fn carried(
        self,
        rows: &DiscountedRows,
        now: impl Fn(StateId, ChoiceId) -> Scaled + Sync,
        mut gain: Vec<Scaled>,
        (first, end): (&Step, &Step),
    ) -> Result<Vec<Scaled>, StopReason> {
        let mut step = end.clone();
        while step > *first {
            self.stop.check()?;
            step -= 1;
            gain = parallel::map(self.model.n_states(), |index| {
                let state = StateId::from(index);
                let choice = self.strategy.choice(state, &step);
                now(state, choice).plus(rows.expectation(self.model, choice, |target| gain[target.index()]))
            });
        }
        Ok(gain)
    }
}
