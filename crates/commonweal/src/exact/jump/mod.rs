//! Jumps over the steps at which nothing changes.
//!
//! Where the last layers took the same decisions σ, σ's own values become the new [`Base`]. What is gained over them at the
//! present step is known, and on the way back only carried along (`stage_end`): once it hardly differs from state to state,
//! or from class to class of states that σ never leaves (`harmonic`), because σ's chain has mixed it, or once it is
//! discounted (`radius`), the next step at which any choice can beat σ is found without walking (`Events`). A jump costs one exact
//! linear solve per part, a few sums per choice, and the layers since the last one again in many bits.

mod events;
mod harmonic;
mod radius;
mod stage_end;

pub(super) use harmonic::Harmonic;
pub(crate) use radius::farthest;
pub(super) use radius::{distance, hides_what_follows};
pub(super) use stage_end::StageEnd;

use super::Advantages;
use super::base::Base;
use super::long_term::values_of;
use super::memory;
use super::payoff::without_leaving;
use super::walk::{Problem, Walk};
use crate::answer::ExactStage;
use crate::exponential_sum::Weights;
use crate::model::{ChoiceId, StateId};
use crate::number::{ExactVector, Integer, Natural, Rational, Scaled, WideEnclosure};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Recurrence, Step};
use dashu_base::BitTest;
use events::Events;
use radius::radius;
use std::cmp::Ordering;

/// The bits in which gains are carried to the end of a stage and over it: fewer than certificates have, so that a checker can show what was
/// decided with them.
pub(super) const BITS: usize = 192;
/// Gains may differ by this part of what one step changes, as a power of two: comparisons that depend on it are too rare to occur.
const LITTLE: isize = -32;
/// The same where many bits are not worth while, or not affordable. Comparisons that depend on it occur, and are decided by other means.
const MUCH: isize = -12;
/// If discounting alone settles a stage after fewer layers than this, gains are not followed in many bits.
const LONG: u64 = 5_000;
/// A shorter jump is not worth the precision that it costs.
const SHORTEST: u64 = 16;
/// About what an exact solve takes for each pair of states, in nanoseconds. The bench `exact` measures it: 32, 35 and 41 at 1,000, 3,000
/// and 10,000 states.
const SOLVE: u64 = 40;

impl Walk<'_> {
    /// Jumps from the horizon to the last step at which any deviation pays: nothing is gained in between.
    pub(super) fn jump_to_first_event(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        if self.problem.extent.terminal.is_some() {
            return Ok(());
        }
        let end = StageEnd::without_gains(self.problem.model.n_states(), BITS);
        let target = self.next_event(self.base.advantages(self.problem.advantages), &end, stop)?;
        let memory = self.memory.clone();
        self.keep_stage(&target, None);
        self.judge.nothing_gained_from(&target);
        self.first_event = target.clone();
        self.land(target, end, Scaled::ZERO, memory);
        Ok(())
    }

    /// The step after the next event, going back; the first step if there is none.
    fn next_event(&self, advantages: &Advantages, end: &StageEnd, stop: &StopSignal) -> Result<Step, StopReason> {
        let Problem { model, ratios, extent, .. } = self.problem;
        let events = Events::among(model, &self.candidates, ratios, advantages, extent.allowed);
        let last = events.last(&self.stage, (extent.first, &self.step), end, stop)?;
        Ok(last.map_or_else(|| extent.first.clone(), |event| event + 1))
    }

    /// Records a jump from the present step back to `from`. The base is already the stage's.
    fn keep_stage(&mut self, from: &Step, harmonic: Option<&Harmonic>) {
        if self.options.keep_stages && *from < self.step {
            let values = self.base.own.as_ref().map(|own| own.values().to_vec());
            let harmonic = harmonic.cloned().map(Harmonic::into_parts);
            self.stages.push(ExactStage { from: from.clone(), until: self.step.clone(), values, harmonic });
        }
    }

    /// Goes back to `target` with the stage's decisions, where the memory is `memory`. The base is already theirs; `common` is the part
    /// of all gains that `end` does not contain.
    fn land(&mut self, target: Step, end: StageEnd, common: Scaled, memory: Vec<Step>) {
        let Problem { model, ratios, long_term, .. } = self.problem;
        let length = &self.step - &target;
        let shrunk = power_of(model.discount(0), &length, BITS);
        let gains: Vec<WideEnclosure> =
            model.states().map(|state| end.at_the_beginning(state, &length, &shrunk)).collect();
        self.common = common.times(shrunk.to_scaled());
        // What all gains have in common would cost doubles the precision of their differences.
        let hull = gains.iter().skip(1).fold(gains[0].clone(), |hull, gain| hull.join(gain));
        let middle = if gains.iter().any(WideEnclosure::is_zero) { Scaled::ZERO } else { hull.to_scaled().middle() };
        let less = WideEnclosure::of_scaled(&-middle, BITS);
        self.gain = gains.iter().map(|gain| gain.plus(&less).to_scaled()).collect();
        self.common = self.common.plus(middle);
        let weights = ratios.weights_with(&target, BITS);
        let shared = WideEnclosure::of_scaled(&common, BITS).times(&shrunk);
        let over_long_term = |(state, gain): (usize, &WideEnclosure)| {
            let gain = gain.plus(&shared);
            match &self.base.own {
                Some(own) => ahead(own.values(), &long_term.values, state.into(), &weights).plus(&gain),
                None => gain,
            }
        };
        self.judge.landed(&target, gains.iter().enumerate().map(over_long_term).collect());
        self.memory = memory;
        self.base.from = target.clone();
        if let Some(followed_for) = &mut self.base.followed_for {
            *followed_for += length;
        }
        self.memory_settled = false;
        self.step = target;
    }

    /// Makes the decisions of the last layers the base and goes back to the next event, if they have held for long enough and the
    /// event is far enough. Returns whether it jumped.
    pub(super) fn try_to_jump(&mut self, stop: &StopSignal) -> Result<bool, StopReason> {
        let Problem { model, rows, horizon, extent, .. } = self.problem;
        // A jump costs exact solves: worth it only if the walk would be longer.
        let worth_it = if self.options.early { first_look(model) } else { first_look(model).max(self.first_try) };
        if self.stage_length < self.next_try || &self.step - extent.first <= Step::from(worth_it) {
            return Ok(false);
        }
        if self.next_base.as_ref().is_none_or(|base| base.strategy != self.stage) {
            let values = values_of(model, &self.stage, stop)?;
            stop.spend(SOLVE * (model.n() * model.n_states() * model.n_states()) as u64);
            self.next_base = Some(Base::of_strategy(model, rows, &self.stage, values, self.step.clone()));
        }
        let next_base = self.next_base.take().expect("just made");
        let followed_for = Step::from(self.stage_length);
        let after = extent.terminal.map_or(Scaled::ZERO, |end| end.seen_from(model, &(horizon - &self.step)));
        let radius = radius(model, self.problem.ratios, &self.step, &followed_for).plus(after).upper();
        let is_discounted = self.stage_length >= self.first_try;
        // Once later steps are negligible by discounting, the radius is tighter than the bound of the common part.
        let mut common = if is_discounted { Scaled::ZERO } else { self.common };
        let in_doubles = self.gains_over(&next_base, radius, common);
        let enclosed: Vec<_> = in_doubles.iter().map(|gain| WideEnclosure::of_scaled(gain, BITS)).collect();
        let mut end = Some(StageEnd::of(model, &self.stage, &enclosed));
        let a_step = self.change_of_a_step(&next_base);
        if !is_discounted && !end.as_ref().is_some_and(|end| end.is_within(part(a_step, LITTLE))) {
            if self.first_try < LONG || !self.judge.is_near(&self.step) {
                end = end.filter(|end| end.is_within(part(a_step, MUCH)));
            } else if self.may_be_mixed(&in_doubles, part(a_step, LITTLE)) {
                common = Scaled::ZERO;
                let gains = self.precise_gains(&next_base, stop)?;
                end = self.mixed(&gains, part(a_step, LITTLE), stop)?;
            } else {
                end = None;
            }
        }
        let target = match &end {
            Some(end) => self.next_event(next_base.advantages(self.problem.advantages), end, stop)?,
            None => self.step.clone(),
        };
        let Some(end) = end.filter(|_| &target + SHORTEST <= self.step) else {
            self.next_base = Some(next_base);
            let more = if is_discounted { self.first_try.div_ceil(4) } else { self.stage_length };
            self.next_try = self.stage_length.saturating_add(more);
            return Ok(false);
        };
        self.pass(&next_base, &target, &followed_for);
        let length = &self.step - &target;
        let deviates = |choice: ChoiceId| !extent.allowed[choice.index()];
        let steps = (&target, &self.step);
        let memory = memory::before_stage(model.mdp(), &self.stage, deviates, steps, &self.memory, stop)?;
        self.base = Base { followed_for: Some(followed_for), ..next_base };
        self.stage_length = self.stage_length.saturating_add(u64::try_from(&length).unwrap_or(u64::MAX));
        self.next_try = self.stage_length.saturating_add(self.look_after());
        self.keep_stage(&target, end.harmonic());
        self.land(target, end, common, memory);
        self.effort.n_jumps += 1;
        if self.effort.n_jumps > self.options.limits.events { Err(StopReason::EventLimit) } else { Ok(true) }
    }

    /// The gain over `next`, the base of the stage's decisions, at the present step, less `common`. With `common` it is at most
    /// `radius`.
    fn gains_over(&self, next: &Base, radius: Scaled, common: Scaled) -> Vec<Scaled> {
        let Problem { model, ratios, advantages, .. } = self.problem;
        let weights = ratios.weights(&self.step);
        let (old, new) = (self.base.advantages(advantages).values(), next.advantages(advantages).values());
        let around = Scaled::around_zero(radius);
        let settled = self.settled_states();
        let of_state = |state: StateId| {
            if settled[state.index()] {
                return -common;
            }
            let ahead = |i: usize| difference(&old[i], &new[i], state).times(weights.scaled[i]);
            let gain = (0..model.n()).map(ahead).fold(self.gain[state.index()], Scaled::plus);
            if common.is_zero() { gain.plus(self.common).meet(around) } else { gain }
        };
        parallel::map(model.n_states(), |state| of_state(state.into()))
    }

    /// The same in many bits, carried back from where the walk landed last, which is near. Settled states gain exactly 0.
    fn precise_gains(&mut self, next: &Base, stop: &StopSignal) -> Result<Vec<WideEnclosure>, StopReason> {
        let Problem { model, ratios, advantages, long_term, .. } = self.problem;
        let settled = self.settled_states();
        let gains = self.judge.gains(&self.step, &self.changes, stop)?;
        let weights = ratios.weights_with(&self.step, BITS);
        let values = next.advantages(advantages).values();
        let of_state = |state: StateId| {
            if settled[state.index()] {
                WideEnclosure::zero(BITS)
            } else {
                gains[state.index()].plus(&ahead(&long_term.values, values, state, &weights))
            }
        };
        Ok(parallel::map(model.n_states(), |state| of_state(state.into())))
    }

    /// About how much one step changes in the greatest d_t over `next`: a point.
    fn change_of_a_step(&self, next: &Base) -> Scaled {
        let Problem { model, ratios, advantages, .. } = self.problem;
        let weights = ratios.weights(&self.step);
        let advantages = next.advantages(advantages);
        let size = |choice: ChoiceId| {
            let terms = advantages.of(choice).iter().zip(&weights.scaled);
            terms.map(|(advantage, weight)| advantage.max(-*advantage).times(*weight)).fold(Scaled::ZERO, Scaled::plus)
        };
        let greatest = (0..model.n_choices()).map(ChoiceId::from).map(size).fold(Scaled::ZERO, Scaled::max);
        greatest.times(Scaled::from(&resolution(model))).lower()
    }

    /// Whether the gains of each phase may differ by no more than `allowed`, as far as doubles can tell.
    fn may_be_mixed(&self, gains: &[Scaled], allowed: Scaled) -> bool {
        let model = self.problem.model;
        let recurrence = Recurrence::of(gains.len(), |state| model.targets(self.stage[state.index()]));
        let mut hulls: Vec<Option<(Scaled, Scaled)>> = vec![None; recurrence.next.len()];
        for (phase, gain) in recurrence.phase.iter().zip(gains) {
            if let Some(hull) = phase.map(|phase| &mut hulls[phase]) {
                let (lower, upper) = (gain.lower(), gain.upper());
                let (greatest, least) = hull.unwrap_or((lower, -upper));
                *hull = Some((greatest.max(lower), least.max(-upper)));
            }
        }
        let differs =
            |(greatest, least): &(Scaled, Scaled)| greatest.plus(*least).compare(&allowed) == Some(Ordering::Greater);
        !hulls.iter().flatten().any(differs)
    }

    /// The end of a stage whose gains differ by no more than `allowed`: as they are, or class by class.
    fn mixed(
        &self,
        gains: &[WideEnclosure],
        allowed: Scaled,
        stop: &StopSignal,
    ) -> Result<Option<StageEnd>, StopReason> {
        let Problem { model, rows, .. } = self.problem;
        let end = StageEnd::of(model, &self.stage, gains);
        if end.is_within(allowed) {
            return Ok(Some(end));
        }
        let harmonic = Harmonic::of(model, &self.stage, gains, Some(allowed), stop)?;
        let end = harmonic.map(|harmonic| StageEnd::without(model, rows, &self.stage, gains, harmonic));
        Ok(end.filter(|end| end.is_within(allowed)))
    }

    /// After how many layers of a stage a jump is looked for.
    pub(super) fn look_after(&self) -> u64 {
        if self.options.early { first_look(self.problem.model).min(self.first_try) } else { self.first_try }
    }

    /// Records what the payoffs need of the jump back to `target`.
    fn pass(&mut self, base: &Base, target: &Step, followed_for: &Step) {
        let values = base.advantages(self.problem.advantages).values().iter();
        let enclosed = |vector: &ExactVector| {
            (0..vector.len()).map(|state| Scaled::of_quotient(&vector.numerators[state], &vector.denominator)).collect()
        };
        let passed = Passed {
            until: self.step.clone(),
            from: target.clone(),
            followed_for: followed_for + &(&self.step - target),
            values: values.map(enclosed).collect(),
        };
        if passed.hides_what_follows(self.problem.model.discount(0)) {
            self.passed.clear();
        }
        self.passed.push(passed);
    }

    /// States that gain nothing over the long-term strategy and never leave those that do not: their values under the
    /// stage's strategy are exactly the long-term ones.
    fn settled_states(&self) -> Vec<bool> {
        let Problem { model, long_term, extent, .. } = self.problem;
        let strategy = &self.stage;
        let nothing_after = extent.terminal.is_none();
        let untouched = |(memory, choice): (&Step, &ChoiceId)| {
            nothing_after && memory.is_zero() && long_term.allowed[choice.index()]
        };
        let untouched = self.memory.iter().zip(strategy).map(untouched).collect();
        without_leaving(model.mdp(), untouched, |state| std::iter::once(strategy[state.index()]))
    }
}

/// 2^part of a number: a point that is no greater.
fn part(of: Scaled, part: isize) -> Scaled {
    of.times(Scaled::from(&Rational::from(2).pow(part))).lower()
}

/// λ^n, known to about this many bits however large n is.
pub(super) fn power_of(discount: &Rational, steps: &Step, bits: usize) -> WideEnclosure {
    // Squaring doubles the relative error, so a power loses about as many bits as its exponent has.
    let precision = bits + 2 * steps.as_natural().bit_len();
    WideEnclosure::of(discount, precision).power(steps.as_natural())
}

/// `Σ_i ρ_i^t (V_i(s) − W_i(s))`: by how much the welfare under V is ahead of that under W. Equal values leave the point 0.
fn ahead(one: &[ExactVector], other: &[ExactVector], state: StateId, weights: &Weights) -> WideEnclosure {
    let term = |(i, (one, other)): (usize, (&ExactVector, &ExactVector))| {
        let (numerator, denominator) = exact_difference(one, other, state);
        WideEnclosure::of_quotient(&numerator, &denominator, BITS).times(weights.wide(i))
    };
    one.iter().zip(other).enumerate().map(term).fold(WideEnclosure::zero(BITS), |sum, term| sum.plus(&term))
}

/// V_i(s) − W_i(s), enclosed.
fn difference(one: &ExactVector, other: &ExactVector, state: StateId) -> Scaled {
    let (numerator, denominator) = exact_difference(one, other, state);
    Scaled::of_quotient(&numerator, &denominator)
}

fn exact_difference(one: &ExactVector, other: &ExactVector, state: StateId) -> (Integer, Natural) {
    let (a, b) = (&one.numerators[state.index()], &other.numerators[state.index()]);
    let across = a * Integer::from(other.denominator.clone()) - b * Integer::from(one.denominator.clone());
    (across, &one.denominator * &other.denominator)
}

/// A stage that was jumped over, as the payoffs see it.
pub struct Passed {
    /// The step that the jump began at, and the one where it landed.
    pub(super) until: Step,
    pub(super) from: Step,
    /// For how many steps the stage's strategy is followed from where it landed.
    pub(super) followed_for: Step,
    /// What the strategy is worth to each part.
    pub(super) values: Vec<Vec<Scaled>>,
}

impl Passed {
    /// Whether the steps after the stage are negligible at its first step, at this discount.
    pub(super) fn hides_what_follows(&self, discount: &Rational) -> bool {
        hides_what_follows(discount, &self.followed_for)
    }
}

/// Layers of a stage before a jump is looked for: an exact solve costs about as much as eight layers for each state.
pub(super) fn first_look(model: &OrderedModel) -> u64 {
    const LEAST: u64 = 64;
    LEAST.max(8 * model.n_states() as u64)
}

/// The least part by which a weight changes from one step to the next.
fn resolution(model: &OrderedModel) -> Rational {
    let ratio = |i: usize| Rational::ONE - model.discount(i + 1) / model.discount(i);
    (0..model.n() - 1).map(ratio).min().unwrap_or(Rational::ONE)
}

/// The number of layers after which the values are so close to the stage's own that the distance is small compared with what
/// one step changes.
///
/// Going back one step changes the sums near a root by about the least 1 − λ_{i+1}/λ_i; the distance is brought to 2^-30
/// of that.
pub(super) fn layers_until_settled(model: &OrderedModel) -> u64 {
    layers_for_bits(model, 40.0 - log2(&resolution(model)))
}

/// The number of layers after which later steps count for less than 2^-bits; at least a few.
pub(super) fn layers_for_bits(model: &OrderedModel, bits: f64) -> u64 {
    const LEAST: u64 = 8;
    let layers = -bits / log2(model.discount(0));
    if layers.is_finite() { (layers.ceil() as u64).max(LEAST) } else { LEAST }
}

/// log₂ of a positive number, roughly; minus infinity for 0.
fn log2(x: &Rational) -> f64 {
    let near_one = Rational::ONE - x;
    if near_one > Rational::ZERO && near_one < Rational::from_quotient(1, 1000) {
        return -near_one.to_f64() / std::f64::consts::LN_2;
    }
    if x.is_zero() {
        f64::NEG_INFINITY
    } else if x.to_f64() > 0.0 {
        x.to_f64().log2()
    } else {
        x.magnitude() as f64
    }
}
