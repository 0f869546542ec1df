//! Enclosures of one principal's payoffs over the segments of a model.
//!
//! Within a segment that ends, a part has the value `X_t = R + λ P X_{t+1}`, with 0 after the end. The value of the later
//! segments is carried back separately, undiscounted. Both are carried step by step over the whole segment unless it is long.
//! Then X differs, where a jump ended, from the value of the strategy that is followed for m steps by at most λ^m times the
//! greatest value of the steps after them, and the carried value lies between its least and its greatest entry.

use super::Followed;
use crate::exact::jump::{distance, hides_what_follows};
use crate::exact::long_term::positional_value;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, IntegerRows, Mdp, PrincipalId};
use crate::number::{Enclosure, ExactVector, Rational, Scaled};
use crate::principals::Alone;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};

/// The step of a segment from which it is walked back step by step, at least.
pub(in crate::exact) struct Landing {
    /// From this step back, if the steps after it are too many.
    pub from: Step,
    /// The step at which the segment ends; `None` means never.
    pub until: Option<u64>,
    /// Its first step.
    pub begins_at: u64,
    /// What is followed from `from` on; `None` if that is the end of the segment.
    pub landed: Option<Landed>,
}

/// A strategy that is followed after a landing.
pub(in crate::exact) struct Landed {
    /// One choice per state.
    pub strategy: Vec<ChoiceId>,
    /// For how many steps; `None` means for ever.
    pub followed_for: Option<Step>,
}

/// The transitions that a segment may take step by step: less than a second.
const WORK: u64 = 1 << 22;
/// The bits of weights.
const BITS: usize = 256;

impl Landing {
    /// The step at which the segment ends, if it can be walked back from there.
    fn short_end(&self, model: &Mdp) -> Option<u64> {
        let walked = |until: &u64| (until - self.begins_at).saturating_mul(model.n_transitions() as u64);
        self.until.filter(|until| self.landed.is_none() || walked(until) <= WORK)
    }
}

impl Landed {
    /// Whether the steps after these are negligible at this discount.
    fn hides_what_follows(&self, discount: &Rational) -> bool {
        self.followed_for.as_ref().is_none_or(|steps| hides_what_follows(discount, steps))
    }
}

/// A principal's payoff under `strategy` from every start state, given the landing of each segment, the latest first.
pub(in crate::exact) fn enclosed_payoffs(
    model: &Mdp,
    rows: &IntegerRows,
    strategy: &CountingStrategy,
    principal: PrincipalId,
    landings: &[Landing],
    stop: &StopSignal,
) -> Result<Vec<Enclosure>, StopReason> {
    let followed = Followed { model, rows, strategy, stop };
    let undiscounted = DiscountedRows::of(model, &Rational::ONE);
    // The value of all steps after the segment, as of step 0.
    let mut payoff = vec![Scaled::ZERO; model.n_states()];
    for landing in landings {
        let begins_at = Step::from(landing.begins_at);
        let end = landing.short_end(model).map(Step::from);
        if landing.until.is_some() && end.is_none() {
            payoff = vec![hull(&payoff); model.n_states()];
        }
        let span = (&begins_at, end.as_ref().unwrap_or(&landing.from));
        let mut total = followed.carried(&undiscounted, |_, _| Scaled::ZERO, payoff, span)?;
        let own = model.principals()[principal.index()].segment_at(landing.begins_at);
        for part in &own.parts {
            let alone = Alone { principal, discount: part.discount.clone() };
            let is_negligible = |landed: &&Landed| end.is_none() || landed.hides_what_follows(&part.discount);
            let worth = match landing.landed.as_ref().filter(is_negligible) {
                Some(landed) => worth_landed(followed, &alone, landing, landed)?,
                None => {
                    let nothing = ExactVector::zeros(model.n_states());
                    followed.gain(&alone, &nothing, None, vec![Scaled::ZERO; model.n_states()], span)?
                }
            };
            let weight = part.enclosed_after(landing.begins_at - own.from, BITS).to_scaled();
            total.iter_mut().zip(worth).for_each(|(total, worth)| *total = total.plus(worth.times(weight)));
        }
        payoff = total;
    }
    Ok(payoff.into_iter().map(Scaled::to_doubles).collect())
}

/// The value of one principal's rewards at one discount within a segment, as of its first step, from where a jump landed.
fn worth_landed(
    followed: Followed,
    alone: &Alone,
    landing: &Landing,
    landed: &Landed,
) -> Result<Vec<Scaled>, StopReason> {
    let model = followed.model;
    let reward = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
    let values = positional_value(model, &landed.strategy, &alone.discount, reward, followed.stop)?;
    let radius = match &landed.followed_for {
        None => Scaled::ZERO,
        Some(steps) => {
            let nothing = Rational::ZERO;
            // After the end of a segment there are no rewards: as if they were 0.
            let after = landing.until.map(|_| &nothing);
            let rewards = (0..model.n_choices()).map(|choice| reward(choice.into())).chain(after);
            distance(&alone.discount, rewards, steps)
        }
    };
    let gain = vec![Scaled::around_zero(radius); model.n_states()];
    let span = (&Step::from(landing.begins_at), &landing.from);
    let gain = followed.gain(alone, &values, Some(&landed.strategy), gain, span)?;
    let value = |(numerator, gain): (_, Scaled)| Scaled::of_quotient(numerator, &values.denominator).plus(gain);
    Ok(values.numerators.iter().zip(gain).map(value).collect())
}

/// Everything between the least and the greatest.
fn hull(values: &[Scaled]) -> Scaled {
    let greatest = values.iter().copied().reduce(Scaled::max).expect("a state");
    let least = -values.iter().map(|value| -*value).reduce(Scaled::max).expect("a state");
    least.join(greatest)
}
