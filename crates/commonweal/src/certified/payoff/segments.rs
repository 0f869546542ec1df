//! The payoff of a principal whose time preference has segments, in doubles with proven bounds.
//!
//! From its last segment on the preference is a sum of powers, and what the strategy does from there on is evaluated like any
//! strategy. Before it one step after the other, `Y_j(s) = d(j) R(s,σ_j(s)) + P_σ Y_{j+1}`, with the step's own weight d(j).
//! Rows are not discounted, so errors add up and do not grow. Negligible late steps are skipped: they are worth at most the sum
//! of their weights times the greatest reward, which is added to the error.

use super::evaluation::{Evaluated, MAX_LAYERS, Payoff};
use crate::certified::rounded_model::{RoundedModel, SharedModel};
use crate::certified::{is_narrow, range_from, within};
use crate::exponential_sum::weights_from;
use crate::kernel::sweep::expectation;
use crate::model::{Part, Principal, PrincipalId, Segment, StateId};
use crate::number::{Enclosure, Rational, UpperBound, Values, WideEnclosure};
use crate::parallel;
use crate::principals::Alone;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step};

impl Evaluated<'_> {
    /// What a principal whose preference has segments gets.
    pub(super) fn payoff_in_segments(
        &self,
        principal: PrincipalId,
        gap: f64,
        stop: &StopSignal,
    ) -> Result<Payoff, StopReason> {
        let SharedModel { model, ranks } = self.shared;
        let own = &model.principals()[principal.index()];
        let alone = Alone { principal, discount: Rational::ZERO };
        let as_in_file = RoundedModel::alone(self.shared, std::slice::from_ref(&alone));
        let rounded = match self.mixed {
            None => &as_in_file,
            Some(mixed) => {
                &RoundedModel::alone(SharedModel::whole(mixed), std::slice::from_ref(&alone)).mixed_from(&as_in_file)
            }
        };
        let (n_states, n_values) = (model.n_states(), as_in_file.n_values());
        let begins = own.last().from;
        // All steps after this one are worth less than an eighth of the gap times the greatest possible value.
        let matters = matters_until(own, gap / 8.0).min(MAX_LAYERS);
        let (mut payoff, mut error, end, mut stopped) = if matters <= begins || own.last().parts.is_empty() {
            let end = matters.min(begins);
            let rest = range_from(&as_in_file, principal, end);
            let rest = UpperBound::of(rest.lower()).max(UpperBound::of(rest.upper()));
            (vec![0.0; n_states], rest, end, None)
        } else {
            let later = later(self.strategy, begins);
            let from_there = Evaluated { shared: self.shared, mixed: self.mixed, strategy: &later };
            let Payoff { values, stopped, .. } = from_there.payoff_of_parts(principal, &own.last().parts, gap, stop)?;
            let (payoff, error) = centered(&values, &as_in_file);
            (payoff, error, begins, stopped)
        };
        let mut weights = WeightsBackwards::before(own, end);
        for step in (0..end).rev() {
            ranks.check(stop)?;
            stop.reach(Reached::Unravelling { step, horizon: end });
            let weight = weights.step_back();
            payoff.resize(n_values, 0.0);
            ranks.refresh(&mut payoff, 1);
            let largest = rounded.span(&payoff, 1, 0).magnitude();
            let now = Step::from(step);
            payoff = parallel::map_many(n_states, |state| {
                let choice = self.strategy.choice(StateId::from(state), &now);
                let row = rounded.arrays.row(choice);
                let (targets, chances) = (&rounded.arrays.target[row.clone()], &rounded.arrays.probability[row]);
                weight.midpoint() * rounded.reward[choice.index()] + expectation(targets, chances, &payoff)
            });
            let counts = UpperBound::of(weight.lower()).max(UpperBound::of(weight.upper()));
            let magnitude = counts * rounded.greatest_reward(0) + UpperBound::of(largest);
            let of_weight = UpperBound::of(weight.width()) * rounded.greatest_reward(0);
            error = error + rounded.rounding_of_row(magnitude) + of_weight + counts * rounded.reward_error(0);
        }
        let values = Values::Near { centers: payoff, below: error.get(), above: error.get() };
        let size = |value: Enclosure| value.lower().abs().max(value.upper().abs());
        let scale = rounded.greatest_met(|state| size(values.enclosure(state.index())));
        if stopped.is_none() && !is_narrow(2.0 * error.get(), gap, scale) {
            stopped = Some(if matters == MAX_LAYERS { StopReason::LayerLimit } else { StopReason::Precision });
        }
        let values = match stopped {
            None => values,
            // Wide intervals may be wider than the bounds from the rewards alone.
            Some(_) => within(&values, n_states, range_from(&as_in_file, principal, 0)),
        };
        Ok(Payoff { values, scale, range: 0.0, stopped })
    }
}

/// The midpoints of some values, and the greatest half-width.
fn centered(values: &Values, model: &RoundedModel) -> (Vec<f64>, UpperBound) {
    let n = model.n_states();
    let centers = parallel::map_many(n, |state| values.enclosure(state).midpoint());
    let far = |state: usize| {
        let (value, center) = (values.enclosure(state), centers[state]);
        UpperBound::of_difference(value.upper(), center).max(UpperBound::of_difference(center, value.lower()))
    };
    let error = (0..n).map(far).fold(UpperBound::ZERO, UpperBound::max);
    (centers, model.greatest_bound(error))
}

/// What a strategy does from `step` on, as if it began there.
fn later(strategy: &CountingStrategy, step: u64) -> CountingStrategy {
    let begins = Step::from(step);
    let of_state = |state: StateId| {
        let first = Change { from: Step::ZERO, choice: strategy.choice(state, &begins) };
        let others = strategy.changes(state).iter().filter(|change| change.from > begins);
        let others = others.map(|change| Change { from: &change.from - &begins, choice: change.choice });
        std::iter::once(first).chain(others).collect::<Vec<_>>()
    };
    CountingStrategy::from_valid_changes((0..strategy.n_states()).map(StateId::from).map(of_state).collect())
}

/// About the first step from which on all steps together count for `share` of what all steps do.
fn matters_until(principal: &Principal, share: f64) -> u64 {
    let rest = |step: u64| {
        let size = |weight: Enclosure| weight.lower().abs().max(weight.upper().abs());
        weights_from(principal, step).map(size).sum::<f64>()
    };
    let allowed = share * rest(0);
    let mut step = 1u64;
    while rest(step) > allowed && step < u64::MAX / 2 {
        step *= 2;
    }
    step
}

/// The weights of the steps before some step, one after the other.
struct WeightsBackwards<'p> {
    principal: &'p Principal,
    step: u64,
    segment: &'p Segment,
    /// For each part with a discount above 0: its weight at the step reached, and the inverse of its discount.
    parts: Vec<(WideEnclosure, WideEnclosure)>,
}

/// With one rounding per step, the relative error after the greatest number of steps is still far below that of a double.
const BITS: usize = 192;

impl<'p> WeightsBackwards<'p> {
    /// Before `step`, which is not after the last segment's first.
    fn before(principal: &'p Principal, step: u64) -> WeightsBackwards<'p> {
        let mut weights = WeightsBackwards { principal, step, segment: principal.last(), parts: Vec::new() };
        if step > 0 {
            weights.enter(principal.segment_at(step - 1));
        }
        weights
    }

    /// Begins with the step after the last one of `segment`.
    fn enter(&mut self, segment: &'p Segment) {
        let after = Step::from(self.step - segment.from);
        let lasting = segment.parts.iter().filter(|part| !part.discount.is_zero());
        let of_part = |part: &Part| {
            let power = WideEnclosure::of(&part.discount, BITS).power(after.as_natural());
            let inverse = WideEnclosure::of(&(Rational::ONE / &part.discount), BITS);
            (power.times(&WideEnclosure::of(&part.coefficient, BITS)), inverse)
        };
        self.parts = lasting.map(of_part).collect();
        self.segment = segment;
    }

    /// The weight of the step before.
    fn step_back(&mut self) -> Enclosure {
        if self.step == self.segment.from {
            self.enter(self.principal.segment_at(self.step - 1));
        }
        self.step -= 1;
        for (weight, inverse) in &mut self.parts {
            *weight = weight.times(inverse);
        }
        let at_once = if self.step == self.segment.from {
            let once = self.segment.parts.iter().filter(|part| part.discount.is_zero());
            once.map(|part| Enclosure::from(&part.coefficient)).fold(Enclosure::ZERO, Enclosure::plus)
        } else {
            Enclosure::ZERO
        };
        self.parts.iter().map(|(weight, _)| weight.to_scaled().to_doubles()).fold(at_once, Enclosure::plus)
    }
}
