//! Enclosures of one principal's payoffs under a strategy with stages.
//!
//! At the step where the last base comes into use, the principal's values are those of the base's strategy up to
//! λ^m C, with m the number of steps for which it is followed from there and C how far apart two values can be. From that
//! step back to 0, `G_t(s) = Δ(s,σ_t(s)) + λ Σ_u P(u|s,σ_t(s)) G_{t+1}(u)` in enclosures. Where λ^m is not small, what is gained
//! over the base there is found by going back in the same way from a stage that hides all that follows (`earlier`), or from
//! the long-term strategy.

mod earlier;
mod gains;
mod settled;

pub(super) use earlier::Earlier;
pub use gains::ExactGains;
pub(super) use settled::settled_values;

use super::base::Base;
use super::jump::distance;
use super::long_term::exact_advantage;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, IntegerRows, Mdp, StateId};
use crate::number::{Enclosure, ExactVector, Scaled};
use crate::parallel;
use crate::principals::Alone;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::CountingStrategy;
use std::sync::OnceLock;

/// What the rewards of one principal are worth at one discount under `strategy`, from every start state, given their exact
/// values under the base.
pub(super) fn enclosed_payoff(
    model: &Mdp,
    rows: &IntegerRows,
    strategy: &CountingStrategy,
    base: &Base,
    alone: &Alone,
    base_values: &ExactVector,
    earlier: Option<&Earlier>,
    stop: &StopSignal,
) -> Result<Vec<Enclosure>, StopReason> {
    let discount = &alone.discount;
    let reward = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
    let discounted = DiscountedRows::of(model, discount);
    let advantages: Vec<OnceLock<Scaled>> = (0..model.n_choices()).map(|_| OnceLock::new()).collect();
    let advantage = |state: StateId, choice: ChoiceId| {
        if base.strategy[state.index()] == choice {
            return Scaled::ZERO;
        }
        *advantages[choice.index()].get_or_init(|| {
            let (numerator, scale) = exact_advantage(model, rows, state, choice, discount, reward(choice), base_values);
            Scaled::of_quotient(&numerator, &(scale * &base_values.denominator))
        })
    };
    let radius = match &base.followed_for {
        None => Scaled::ZERO,
        Some(steps) => distance(discount, (0..model.n_choices()).map(|choice| reward(choice.into())), steps),
    };
    let mut gain = vec![Scaled::around_zero(radius); model.n_states()];
    if let Some(earlier) = earlier.filter(|earlier| earlier.matter(discount)) {
        let known = earlier.gain(model, strategy, alone, base_values, stop)?;
        gain.iter_mut().zip(known).for_each(|(gain, known)| *gain = gain.meet(known));
    }
    let mut step = base.from.clone();
    while !step.is_zero() {
        stop.check()?;
        step -= 1;
        gain = parallel::map(model.n_states(), |index| {
            let state = StateId::from(index);
            let choice = strategy.choice(state, &step);
            advantage(state, choice).plus(discounted.expectation(model, choice, |target| gain[target.index()]))
        });
    }
    let total = |index: usize| base_values.enclosure(index).plus(gain[index].to_doubles());
    Ok((0..model.n_states()).map(total).collect())
}
