//! Jumps over the steps at which nothing changes.
//!
//! Where the last layers took the same decisions σ, σ's own values become the new [`Base`]. What is gained over them at the
//! present step is known, and on the way back only carried along (`stage_end`): once it hardly differs from state to state,
//! because σ's chain has mixed it or because it is discounted (`radius`), the next step at which any choice can beat σ is
//! found without walking (`Events`). A jump costs one exact linear solve per principal and a few sums per choice.

mod events;
mod radius;
mod stage_end;

pub(super) use radius::distance;
pub(crate) use radius::farthest;
pub(super) use stage_end::StageEnd;

use super::Advantages;
use super::base::Base;
use super::long_term::values_of;
use super::memory;
use super::walk::{Problem, Walk};
use crate::answer::ExactStage;
use crate::model::ChoiceId;
use crate::number::{ExactVector, Integer, Rational, Scaled};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use events::Events;
use radius::radius;
use std::cmp::Ordering;

/// A shorter jump is not worth the precision that it costs.
const SHORTEST: u64 = 16;
/// About what an exact solve takes for each pair of states, in nanoseconds. The bench `exact` measures it: 32, 35 and 41 at 1,000, 3,000
/// and 10,000 states.
const SOLVE: u64 = 40;

impl Walk<'_> {
    /// Jumps from the horizon to the last step at which any deviation pays: nothing is gained in between.
    pub(super) fn jump_to_first_event(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        if self.problem.span.terminal.is_some() {
            return Ok(());
        }
        let end = StageEnd::without_gains(self.problem.model.n_states());
        let target = self.next_event(self.base.advantages(self.problem.advantages), &end, stop)?;
        let memory = self.memory.clone();
        self.keep_stage(&target);
        self.judge.nothing_gained_from(&target);
        self.first_event = target.clone();
        self.land(target, end, memory);
        Ok(())
    }

    /// The step after the next event, going back; the first step if there is none.
    fn next_event(&self, advantages: &Advantages, end: &StageEnd, stop: &StopSignal) -> Result<Step, StopReason> {
        let Problem { model, ratios, span, .. } = self.problem;
        let events = Events::among(model, &self.candidates, ratios, advantages);
        let last = events.last(&self.stage, (span.first, &self.step), end, stop)?;
        Ok(last.map_or_else(|| span.first.clone(), |event| event + 1))
    }

    /// Takes down that a jump goes from the present step back to `from`. The base is the stage's already.
    fn keep_stage(&mut self, from: &Step) {
        if self.options.keep_stages && *from < self.step {
            let values = self.base.own.as_ref().map(|own| own.values().to_vec());
            self.stages.push(ExactStage { from: from.clone(), until: self.step.clone(), values });
        }
    }

    /// Goes back to `target` with the stage's decisions, where the memory is `memory`. The base is already theirs.
    fn land(&mut self, target: Step, end: StageEnd, memory: Vec<Step>) {
        let model = self.problem.model;
        let length = &self.step - &target;
        let shrunk = Scaled::from(model.discount(0)).power(length.as_natural());
        self.gain = model.states().map(|state| end.at_the_beginning(state, shrunk)).collect();
        self.common = self.common.times(shrunk);
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
        let Problem { model, rows, horizon, span, .. } = self.problem;
        // A jump costs exact solves: worth it only if the walk would be longer.
        let worth_it = if self.options.early { first_look(model) } else { first_look(model).max(self.first_try) };
        if self.stage_length < self.next_try || &self.step - span.first <= Step::from(worth_it) {
            return Ok(false);
        }
        if self.next_base.as_ref().is_none_or(|base| base.strategy != self.stage) {
            let values = values_of(model, &self.stage, stop)?;
            stop.spend(SOLVE * (model.n() * model.n_states() * model.n_states()) as u64);
            self.next_base = Some(Base::of_strategy(model, rows, &self.stage, values, self.step.clone()));
        }
        let next_base = self.next_base.take().expect("just made");
        let followed_for = Step::from(self.stage_length);
        let after = span.terminal.map_or(Scaled::ZERO, |end| end.seen_from(model, &(horizon - &self.step)));
        let radius = radius(model, self.problem.ratios, &self.step, &followed_for).plus(after).upper();
        let is_discounted = self.stage_length >= self.first_try;
        // Once later steps are negligible by discounting, the radius is tighter than the bound of the common part.
        let common = if is_discounted { Scaled::ZERO } else { self.common };
        let end = StageEnd::of(model, &self.stage, &self.gains_over(&next_base, radius, common));
        let target = if is_discounted || self.is_mixed(&end, &next_base) {
            self.next_event(next_base.advantages(self.problem.advantages), &end, stop)?
        } else {
            self.step.clone()
        };
        if &target + SHORTEST > self.step {
            self.next_base = Some(next_base);
            let more = if is_discounted { self.first_try.div_ceil(4) } else { self.stage_length };
            self.next_try = self.stage_length.saturating_add(more);
            return Ok(false);
        }
        self.pass(&next_base, &target, &followed_for);
        let length = &self.step - &target;
        let deviates = |choice: ChoiceId| !span.allowed[choice.index()];
        let steps = (&target, &self.step);
        let memory = memory::before_stage(model.mdp(), &self.stage, deviates, steps, &self.memory, stop)?;
        self.base = Base { followed_for: Some(followed_for), ..next_base };
        self.stage_length = self.stage_length.saturating_add(u64::try_from(&length).unwrap_or(u64::MAX));
        self.next_try = self.stage_length.saturating_add(self.look_after());
        self.keep_stage(&target);
        self.common = common;
        self.land(target, end, memory);
        self.effort.n_jumps += 1;
        if self.effort.n_jumps > self.options.event_limit { Err(StopReason::EventLimit) } else { Ok(true) }
    }

    /// The gain over `next`, the base of the stage's decisions, at the present step, less `common`. With `common` it is at most
    /// `radius`.
    fn gains_over(&self, next: &Base, radius: Scaled, common: Scaled) -> Vec<Scaled> {
        let Problem { model, ratios, advantages, .. } = self.problem;
        let weights = ratios.weights(&self.step);
        let (old, new) = (self.base.advantages(advantages).values(), next.advantages(advantages).values());
        let around = Scaled::around_zero(radius);
        let settled = self.settled_states();
        let of_state = |state: usize| {
            if settled[state] {
                return -common;
            }
            let ahead = |i: usize| difference(&old[i], &new[i], state).times(weights.scaled[i]);
            let gain = (0..model.n()).map(ahead).fold(self.gain[state], Scaled::plus);
            if common.is_zero() { gain.plus(self.common).meet(around) } else { gain }
        };
        parallel::map(model.n_states(), of_state)
    }

    /// Whether the gains at the end of a stage differ by so little that no comparison is likely to hang on it: by a small
    /// part of what one step changes.
    fn is_mixed(&self, end: &StageEnd, next: &Base) -> bool {
        const PART: i32 = -12;
        let Problem { model, ratios, advantages, .. } = self.problem;
        let weights = ratios.weights(&self.step);
        let advantages = next.advantages(advantages);
        let size = |choice: usize| {
            let terms = advantages.of(choice.into()).iter().zip(&weights.scaled);
            terms.map(|(advantage, weight)| advantage.max(-*advantage).times(*weight)).fold(Scaled::ZERO, Scaled::plus)
        };
        let greatest = (0..model.n_choices()).map(size).fold(Scaled::ZERO, Scaled::max);
        let a_step = greatest.times(Scaled::from(&resolution(model)));
        let allowed = a_step.times(Scaled::from(&Rational::from(2).pow(PART as isize)));
        matches!(end.width().compare(&allowed.lower()), Some(Ordering::Less | Ordering::Equal))
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
        let Problem { model, long_term, span, .. } = self.problem;
        let strategy = &self.stage;
        let nothing_after = span.terminal.is_none();
        let untouched =
            |index: usize| nothing_after && self.memory[index].is_zero() && long_term.allowed[strategy[index].index()];
        let mut settled: Vec<bool> = (0..model.n_states()).map(untouched).collect();
        loop {
            let leaves = |s: usize| model.targets(strategy[s]).iter().any(|target| !settled[target.index()]);
            let leaving: Vec<usize> = (0..settled.len()).filter(|&s| settled[s] && leaves(s)).collect();
            if leaving.is_empty() {
                return settled;
            }
            leaving.into_iter().for_each(|s| settled[s] = false);
        }
    }
}

/// V_i(s) − W_i(s), of the exact difference.
fn difference(one: &ExactVector, other: &ExactVector, state: usize) -> Scaled {
    let (a, b) = (&one.numerators[state], &other.numerators[state]);
    let across = a * Integer::from(other.denominator.clone()) - b * Integer::from(one.denominator.clone());
    Scaled::of_quotient(&across, &(&one.denominator * &other.denominator))
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
        const BITS: isize = 60;
        let left = Scaled::from(discount).power(self.followed_for.as_natural());
        let little = Scaled::from(&Rational::from(2).pow(-BITS));
        matches!(left.compare(&little), Some(Ordering::Less))
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
