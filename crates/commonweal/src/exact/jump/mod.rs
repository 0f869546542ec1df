//! Jumps over the steps at which nothing changes.
//!
//! Where the last m layers took the same decisions σ, the values of every principal are those of σ up to λ_i^m times a
//! constant (`radius`). So σ's own values become the new [`Base`], and the next step at which any choice can beat σ is
//! found without walking (`Events`). A jump costs one exact linear solve per principal and a few sums per choice.

mod events;
mod radius;

pub(super) use radius::distance;
pub(crate) use radius::farthest;

use super::Advantages;
use super::base::Base;
use super::long_term::values_of;
use super::memory;
use super::walk::{Problem, Walk};
use crate::answer::ExactStage;
use crate::model::ChoiceId;
use crate::number::{Rational, Scaled};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use events::{Events, StageEnd};
use radius::radius;

/// A shorter jump is not worth the precision that it costs.
const SHORTEST: u64 = 16;

impl Walk<'_> {
    /// Between the last step at which any deviation pays and the horizon there is nothing to gain.
    pub(super) fn jump_to_first_event(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        if self.problem.span.terminal.is_some() {
            return Ok(());
        }
        let end = StageEnd { radius: Scaled::ZERO, settled: vec![true; self.problem.model.n_states()] };
        let target = self.next_event(self.base.advantages(self.problem.advantages), &end, stop)?;
        let memory = self.memory.clone();
        self.keep_stage(&target);
        self.judge.nothing_gained_from(&target);
        self.land(target, end, memory);
        Ok(())
    }

    /// The step after the next one, going back, at which something may beat the stage's decisions; the first if nothing does.
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

    /// Goes back to `target` with the stage's decisions, where the memory is `memory`. The base is theirs already.
    fn land(&mut self, target: Step, end: StageEnd, memory: Vec<Step>) {
        let model = self.problem.model;
        let length = &self.step - &target;
        let shrunk = end.radius.times(Scaled::from(model.discount(0)).power(length.as_natural()));
        let around = Scaled::around_zero(shrunk.upper());
        self.gain = end.settled.iter().map(|&settled| if settled { Scaled::ZERO } else { around }).collect();
        self.memory = memory;
        self.base.from = target.clone();
        if let Some(followed_for) = &mut self.base.followed_for {
            *followed_for += length;
        }
        self.memory_settled = false;
        self.step = target;
    }

    /// Makes the decisions of the last layers the base and goes back to the next event, if they have held for long enough
    /// and there is far to go. Says whether it went anywhere.
    pub(super) fn try_to_jump(&mut self, stop: &StopSignal) -> Result<bool, StopReason> {
        let Problem { model, rows, horizon, span, .. } = self.problem;
        // A jump costs exact solves: worth it only if the walk would be longer.
        let worth_it = Step::from(self.first_try.max(8 * model.n_states() as u64).max(64));
        if self.stage_length < self.next_try || &self.step - span.first <= worth_it {
            return Ok(false);
        }
        if self.next_base.as_ref().is_none_or(|base| base.strategy != self.stage) {
            let values = values_of(model, &self.stage, stop)?;
            self.next_base = Some(Base::of_strategy(model, rows, &self.stage, values, self.step.clone()));
        }
        let next_base = self.next_base.take().expect("just made");
        let followed_for = Step::from(self.stage_length);
        let after = span.terminal.map_or(Scaled::ZERO, |end| end.seen_from(model, &(horizon - &self.step)));
        let radius = radius(model, self.problem.ratios, &self.step, &followed_for).plus(after).upper();
        let end = StageEnd { radius, settled: self.settled_states() };
        let target = self.next_event(next_base.advantages(self.problem.advantages), &end, stop)?;
        if &target + SHORTEST > self.step {
            self.next_base = Some(next_base);
            self.next_try = self.stage_length.saturating_add(self.first_try.div_ceil(4));
            return Ok(false);
        }
        let length = &self.step - &target;
        let deviates = |choice: ChoiceId| !span.allowed[choice.index()];
        let steps = (&target, &self.step);
        let memory = memory::before_stage(model.mdp(), &self.stage, deviates, steps, &self.memory, stop)?;
        self.base = Base { followed_for: Some(followed_for), ..next_base };
        self.stage_length = self.stage_length.saturating_add(u64::try_from(&length).unwrap_or(u64::MAX));
        self.next_try = self.stage_length.saturating_add(self.first_try);
        self.keep_stage(&target);
        self.land(target, end, memory);
        self.effort.n_jumps += 1;
        if self.effort.n_jumps > self.options.event_limit { Err(StopReason::EventLimit) } else { Ok(true) }
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

/// How many layers bring values so near to a stage's own that the distance is small beside what one step changes.
///
/// Going back one step changes the sums near a root by about the least 1 − λ_{i+1}/λ_i; the distance is brought to 2^-30
/// of that.
pub(super) fn layers_until_settled(model: &OrderedModel) -> u64 {
    let ratio = |i: usize| Rational::ONE - model.discount(i + 1) / model.discount(i);
    let resolution = (0..model.n() - 1).map(ratio).min().unwrap_or(Rational::ONE);
    layers_for_bits(model, 40.0 - log2(&resolution))
}

/// How many layers make what comes after them count for less than 2^-bits, and a few at least.
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
