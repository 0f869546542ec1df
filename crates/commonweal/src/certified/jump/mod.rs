//! Jumps: how far back the present strategy stays within the allowed loss of the best.
//!
//! Over the steps of a stage [a, b) the strategy σ is followed, and the base is σ's own values. Let h_0, h_1, … be vectors with
//! P_σ h_k = h_{k+1} up to a defect ([`Harmonic`]), and k = b − t − 1 the steps that are left of the stage after step t. By telescoping with
//! λ_0^{b−t} h_{b−t} as one more value, of discount 1 and without rewards, a candidate gains
//!
//! ```text
//! D_t + λ_0^{b−t} · drift_k,      D_t = Σ_i ρ_i^t Δ_i,      drift_k = P_a h_k − h_{k+1}
//! ```
//!
//! at step t, and what is left at the end of the stage is E_b − h_0, here one constant. If that sum is at most η/λ_0^t + ζ for every candidate and step of
//! the stage, no strategy gains more than η + ζ λ_0^t per step over σ, seen from step 0. If all E_b nearly agree, h is that
//! constant: then the drift is at most the span of E_b.
//!
//! Over an interval of steps every ρ_i^t lies between its values at the ends, which bounds the sum. If this bound is too rough the interval is bisected,
//! the later half first, down to single steps. With two parts bisection is needed only to find the last step that fails.

mod harmonic;

use self::harmonic::Harmonic;
use super::base::Base;
use super::horizon::StepWeights;
use super::payoff::{Gains, Mixing};
use super::walk::{Walk, WalkOptions};
use crate::answer::BoundsStage;
use crate::exponential_sum::DiscountRatios;
use crate::kernel::sweep::{PolicyRows, Span};
use crate::number::{Enclosure, UpperBound, quotient_down, sum_down, sum_up};
use crate::parallel;
use crate::stop::StopSignal;
use std::collections::HashMap;

/// The end of a jump, and its allowed loss.
struct StageStart {
    /// The first step of the stage.
    step: u64,
    /// The allowed loss against the best at each step of the stage, in units of λ_0^step.
    each: UpperBound,
}

/// A jump over fewer steps costs more than it saves.
pub(super) const SHORTEST: u64 = 256;
/// Harmonic vectors are looked for if more steps are left.
const LONG: u64 = 2_048;

/// The part of the gap that all jumps together may lose by candidates, in either of two ways.
const SHARE: f64 = 1.0 / 32.0;
/// The same by the defects of harmonic vectors.
const SHARE_OF_DEFECTS: f64 = 1.0 / 8.0;

impl<'m> Walk<'m> {
    /// Goes back over as many steps as the present decisions stay within the allowed loss. Returns whether it jumped.
    pub(super) fn try_to_jump(&mut self, horizon: u64, options: &WalkOptions) -> bool {
        let deviates = self.decisions != self.base.followed.strategy;
        if self.base.model.ranks.sum(deviates.into()) > 0 {
            self.rebase(options);
        }
        self.jump_if_all_gains_agree(horizon, options) || self.jump_by_mixing(horizon, options)
    }

    /// Jumps if the differences of the gains are negligible.
    fn jump_if_all_gains_agree(&mut self, horizon: u64, options: &WalkOptions) -> bool {
        let model = self.base.model;
        let each = SHARE * options.allowed_gap / horizon as f64;
        let width = UpperBound::of_difference(self.span.greatest, self.span.least);
        let shrunk = UpperBound::of(model.power(0, self.step).upper());
        if (width * shrunk).get() > each {
            return false;
        }
        let loss = Loss { each, patient: 0.0 };
        let start = self.next_event(loss, options.stop, |_, _, _| width.get());
        let length = self.step - start.step;
        if length < SHORTEST {
            return false;
        }
        let discount = model.power(0, length);
        let left = Enclosure::new(self.span.least, self.span.greatest).times(discount);
        let middle = left.midpoint();
        self.gain.fill(middle);
        self.span = Span { least: middle, greatest: middle };
        let at_least = UpperBound::of(left.upper() - middle).max(UpperBound::of(left.lower() - middle));
        let off = at_least + UpperBound::of(left.width()).rounding();
        self.land(start, options, loss, off, None);
        true
    }

    /// Jumps if the strategy's chain has mixed the gains, to whatever they tend to.
    fn jump_by_mixing(&mut self, horizon: u64, options: &WalkOptions) -> bool {
        let model = self.base.model;
        if self.step - self.first < LONG {
            return false;
        }
        let share = SHARE * options.allowed_gap;
        // Seen from step 0, all steps together lose at most a share of each.
        let loss = Loss { each: share / horizon as f64, patient: share * model.impatience[0] };
        let share = SHARE_OF_DEFECTS * options.allowed_gap;
        let late = share / horizon as f64 / model.power(0, self.step).upper();
        let allowed = late.max(share * model.impatience[0]);
        let Some(harmonic) = Harmonic::of(model, &self.rows, &self.gain, self.span, allowed) else {
            return false;
        };
        let (end, period) = (self.step, harmonic.period());
        // Less the defect, which counts for every choice; its rounding takes off that of the drift.
        let closing = harmonic.closing.get();
        let advantages = &self.base.advantages;
        let of_block = |candidates: std::ops::Range<usize>| {
            let of = |candidate: usize| {
                let (state, choice) = (advantages.state[candidate], advantages.choice[candidate]);
                harmonic.drifts(model, state, choice).map(move |drift| drift - closing)
            };
            candidates.flat_map(of).collect::<Vec<f64>>()
        };
        let drifts: Vec<f64> = advantages.map_blocks(of_block).concat();
        let start = self.next_event(loss, options.stop, |candidate, first, last| {
            let own = &drifts[candidate * period..(candidate + 1) * period];
            // At step t, end − t − 1 steps are left.
            let (fewest, most) = (end - 1 - last, end - 1 - first);
            let left = fewest..=most.min(fewest + period as u64 - 1);
            left.map(|k| own[(k % period as u64) as usize]).fold(f64::NEG_INFINITY, f64::max)
        });
        let length = end - start.step;
        if length < SHORTEST {
            return false;
        }
        let mixing = Mixing { rows: &self.rows, period: period as u64 };
        let tolerated =
            |gains: &dyn Gains, base: &Base| gains.lost_by_mixing(base, length, start.step, mixing) <= share;
        let are_payoffs_known = self.gains.iter().all(|gains| tolerated(&**gains, &self.base))
            && self.members.iter().all(|base| self.member_gains.iter().all(|gains| tolerated(&**gains, base)));
        if !are_payoffs_known {
            return false;
        }
        let discount = model.power(0, length);
        let (factor, phase) = (discount.midpoint(), harmonic.phase(length));
        parallel::update(&mut self.gain, |state, gain| *gain = factor * (harmonic.level + phase[state]));
        let magnitude = UpperBound::of(harmonic.level) + harmonic.greatest + harmonic.defect();
        let steps = UpperBound::of(length as f64) * UpperBound::of(discount.upper());
        let off = UpperBound::of(discount.width()) * magnitude
            + UpperBound::of_roundings(8.0) * magnitude
            + UpperBound::UNDERFLOW
            + steps * harmonic.defect();
        self.span = model.span(&self.gain, 1, 0);
        self.land(start, options, loss, off, Some(harmonic));
        true
    }

    /// Arrives at the beginning of a stage, whose gains are there, up to `off`.
    fn land(
        &mut self,
        start: StageStart,
        options: &WalkOptions,
        loss: Loss,
        off: UpperBound,
        harmonic: Option<Harmonic>,
    ) {
        let StageStart { step: to, each } = start;
        let model = self.base.model;
        let length = self.step - to;
        let steps = UpperBound::of(length as f64);
        let patient = UpperBound::of(loss.patient)
            * if steps.get() < model.lifetime_bound(0).get() { steps } else { model.lifetime_bound(0) };
        let given_away = each * steps + patient;
        let mixing = harmonic.as_ref().map(|harmonic| harmonic.period() as u64);
        if options.keep_stages {
            let values = self.is_new_base.then(|| self.base.values_in_doubles());
            let harmonic = harmonic.map(|harmonic| harmonic.phases);
            let stage =
                BoundsStage { from: to, until: self.step, values, each: each.get(), patient: loss.patient, harmonic };
            self.stages.push(stage);
            self.is_new_base = false;
        }
        let weights = self.ratios.weights(&to.into());
        let now = StepWeights::of(&weights);
        let followed = (0..model.n()).map(|i| now.bound(i) * self.base.off_over(i, length)).sum::<UpperBound>();
        let shrunk = UpperBound::of(model.power(0, length).upper());
        self.stake.above = shrunk * self.stake.above + off + followed + given_away;
        self.stake.below = shrunk * self.stake.below + off + followed;
        let mixing = mixing.map(|period| Mixing { rows: &self.rows, period });
        for gains in &mut self.gains {
            gains.jump(&self.base, length, mixing);
        }
        for gains in &mut self.member_gains {
            gains.jump(self.members.as_ref().expect("their gains are counted from a base"), length, mixing);
        }
        self.weights = weights;
        (self.step, self.weighed_from) = (to, to);
        self.n_jumps += 1;
    }

    /// Makes the present decisions the base of gains.
    fn rebase(&mut self, options: &WalkOptions) {
        let new = |old: &Base<'m>| Base::of_strategy(old.model, &self.decisions, options.gap, options.stop);
        let base = new(&self.base);
        let weights = StepWeights::of(&self.weights);
        let old = &self.base;
        let n = base.model.n();
        parallel::update(&mut self.gain[..old.model.n_states()], |state, gain| {
            for (i, weight) in weights.nearest.iter().enumerate() {
                *gain += weight * old.ahead_of(&base, state.into(), i);
            }
        });
        let ahead = |i: usize| {
            let error = old.ahead_error(&base, i);
            // The error is a few units in the last place of the terms, so it also bounds their magnitude.
            let magnitude = error.rounded();
            let roundings = UpperBound::of_roundings(n as f64 + 4.0);
            weights.bound(i) * error + weights.error[i] * magnitude + roundings * weights.bound(i) * magnitude
        };
        let span = base.model.span(&self.gain, 1, 0);
        let roundings = UpperBound::of_roundings(n as f64 + 1.0);
        let magnitude = UpperBound::of(span.magnitude()) + UpperBound::of(self.span.magnitude());
        let off = (0..n).map(ahead).sum::<UpperBound>() + roundings * magnitude;
        self.stake.above = self.stake.above + off;
        self.stake.below = self.stake.below + off;
        self.span = span;
        for gains in &mut self.gains {
            gains.rebase(old, &base);
        }
        if let Some(old) = &self.members {
            let members = new(old);
            for gains in &mut self.member_gains {
                gains.rebase(old, &members);
            }
            self.members = Some(members);
        }
        self.rows = PolicyRows::of(&base.model.arrays, &self.decisions);
        self.rows_decided = None;
        let old = std::mem::replace(&mut self.base, base);
        self.long_term.get_or_insert(old.followed);
        self.is_new_base = true;
    }
}

/// The loss against the best that is allowed at a step: `each` as seen from step 0, and `patient` as seen from the step.
#[derive(Clone, Copy)]
struct Loss {
    each: f64,
    patient: f64,
}

impl Walk<'_> {
    /// The longest stage that ends now, where `drift` bounds the drift of a candidate at the steps from a first to a last one; none after a
    /// stop.
    fn next_event(&self, loss: Loss, stop: &StopSignal, drift: impl Fn(usize, u64, u64) -> f64 + Sync) -> StageStart {
        let (base, first, end) = (&self.base, self.first, self.step);
        let test = Test { base, ratios: &self.ratios, loss, drift, end, stop };
        // The last step that fails, among all candidates; one that is known to fail spares the others of its block the earlier steps.
        let own = base.advantages.map_blocks(|candidates| {
            let mut steps = HashMap::new();
            candidates.fold(first, |first, candidate| {
                test.last_failure(&mut steps, candidate, first, end).map_or(first, |fails| fails + 1)
            })
        });
        let to = base.model.ranks.greatest_of(own.into_iter().max().unwrap_or(first) as f64) as u64;
        StageStart { step: to, each: UpperBound::of_quotient(loss.each, base.model.power(0, to).lower()) }
    }
}

/// The test whether the strategy stays within the allowed loss on an interval of steps.
struct Test<'a, D> {
    base: &'a Base<'a>,
    ratios: &'a DiscountRatios,
    loss: Loss,
    drift: D,
    end: u64,
    stop: &'a StopSignal,
}

/// What is known of a step.
struct AtStep {
    weights: StepWeights,
    /// At most η/λ_0^t + ζ.
    allowed: f64,
    /// λ_0^{b−t}.
    to_the_end: Enclosure,
}

impl<D: Fn(usize, u64, u64) -> f64> Test<'_, D> {
    /// A step in [from, end) at or after which the candidate passes; `None` if it passes at all of them.
    fn last_failure(&self, steps: &mut HashMap<u64, AtStep>, candidate: usize, from: u64, end: u64) -> Option<u64> {
        if from >= end || self.passes(steps, candidate, from, end - 1) {
            return None;
        }
        if end - from == 1 {
            return Some(from);
        }
        let middle = from + (end - from) / 2;
        self.last_failure(steps, candidate, middle, end).or_else(|| self.last_failure(steps, candidate, from, middle))
    }

    /// Whether the bound from both ends proves that the candidate passes at every step from `first` to `last`.
    fn passes(&self, steps: &mut HashMap<u64, AtStep>, candidate: usize, first: u64, last: u64) -> bool {
        for step in [first, last] {
            // The weights of many parts take a while.
            if !steps.contains_key(&step) && self.stop.reason().is_some() {
                return false;
            }
            steps.entry(step).or_insert_with(|| {
                let model = self.base.model;
                let to_the_step = model.power(0, step).upper();
                AtStep {
                    weights: StepWeights::of(&self.ratios.weights(&step.into())),
                    allowed: sum_down(quotient_down(self.loss.each, to_the_step), self.loss.patient),
                    to_the_end: model.power(0, self.end - step),
                }
            });
        }
        let (early, late) = (&steps[&first], &steps[&last]);
        let advantages = &self.base.advantages;
        let rest = advantages.rest(candidate);
        // What the drift is worth falls going back.
        let drift = (self.drift)(candidate, first, last);
        let term = drift * if drift > 0.0 { late.to_the_end.upper() } else { early.to_the_end.lower() };
        let mut greatest = term;
        let mut magnitude = UpperBound::of(term);
        let mut off = UpperBound::ZERO;
        for i in 0..=rest.len() {
            let delta = if i == 0 { advantages.lead[candidate] } else { rest[i - 1] };
            let at = if delta > 0.0 { early } else { late };
            let term = delta * at.weights.nearest[i];
            greatest += term;
            magnitude = magnitude + UpperBound::of(term);
            off = off + early.weights.bound(i) * advantages.error[i] + at.weights.error[i] * UpperBound::of(delta);
        }
        let roundings = UpperBound::of_roundings(rest.len() as f64 + 6.0);
        let uncertain = off + roundings * magnitude;
        sum_up(greatest, uncertain.get()) <= early.allowed
    }
}
