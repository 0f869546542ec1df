//! Jumps: how far back the present strategy stays within the allowed loss of the best.
//!
//! Over the steps of a stage the strategy σ is followed, and the base is σ's own values. There a candidate gains
//! `D_t = Σ_i ρ_i^t Δ_i` by itself, and at most the span of E through its successors; the span shrinks by λ_0 with every step
//! back. So if
//!
//! ```text
//! D_t + λ_0^{b−t} · span(E_b) ≤ η/λ_0^t       for every candidate and every step t of [a, b)
//! ```
//!
//! no strategy gains more than η per step over σ, seen from step 0. Over an interval of steps every ρ_i^t lies between its
//! values at the ends, which bounds D_t. If this bound is too rough the interval is bisected, the later half first, down to
//! single steps. With two principals bisection is needed only to find the last step that fails.

use super::base::Base;
use super::horizon::StepWeights;
use super::walk::{Walk, WalkOptions};
use crate::answer::BoundsStage;
use crate::exponential_sum::DiscountRatios;
use crate::kernel::sweep::{PolicyRows, Span};
use crate::number::{Enclosure, UpperBound, quotient_down, sum_up};
use crate::parallel;
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

/// The part of the gap that all jumps together may lose.
const SHARE: f64 = 1.0 / 32.0;

impl<'m> Walk<'m> {
    /// Goes back over as many steps as the present decisions stay within the allowed loss. Returns whether it jumped.
    pub(super) fn try_to_jump(&mut self, horizon: u64, options: &WalkOptions) -> bool {
        let deviates = self.decisions != self.base.followed.strategy;
        if self.base.model.ranks.sum(deviates.into()) > 0 {
            self.rebase(options);
        }
        let landing = next_event(&self.base, &self.ratios, (self.first, self.step), self.span, horizon, options);
        let Some(StageStart { step: to, each }) = landing else {
            return false;
        };
        if self.step - to < SHORTEST {
            return false;
        }
        let length = self.step - to;
        let given_away = each * UpperBound::of(length as f64);
        if options.keep_stages {
            let values = self.is_new_base.then(|| self.base.values_in_doubles());
            self.stages.push(BoundsStage { from: to, until: self.step, values, each: each.get() });
            self.is_new_base = false;
        }
        let weights = self.ratios.weights(&to.into());
        let discount = Enclosure::from(&self.base.model.parts[0].discount).power(length);
        let left = Enclosure::new(self.span.least, self.span.greatest).times(discount);
        let middle = left.midpoint();
        self.gain.fill(middle);
        self.span = Span { least: middle, greatest: middle };
        let at_least = UpperBound::of(left.upper() - middle).max(UpperBound::of(left.lower() - middle));
        let off = at_least + UpperBound::of(left.width()).rounding();
        let now = StepWeights::of(&weights);
        let followed = (0..self.base.model.n()).map(|i| now.bound(i) * self.base.off(i)).sum::<UpperBound>();
        let shrunk = UpperBound::of(discount.upper());
        self.stake.above = shrunk * self.stake.above + off + followed + given_away;
        self.stake.below = shrunk * self.stake.below + off + followed;
        for gains in &mut self.gains {
            gains.jump(&self.base, length);
        }
        for gains in &mut self.member_gains {
            gains.jump(self.members.as_ref().expect("their gains are counted from a base"), length);
        }
        self.weights = weights;
        (self.step, self.weighed_from) = (to, to);
        self.n_jumps += 1;
        true
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
                *gain += weight * old.ahead_of(&base, state, i);
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

/// The longest stage from `first` on that ends at step `end` with gains of this span, if the effect of the span is negligible.
fn next_event(
    base: &Base,
    ratios: &DiscountRatios,
    (first, end): (u64, u64),
    span: Span,
    horizon: u64,
    options: &WalkOptions,
) -> Option<StageStart> {
    let discount = Enclosure::from(&base.model.parts[0].discount);
    let share = SHARE * options.allowed_gap;
    let each = share / horizon as f64;
    let width = UpperBound::of_difference(span.greatest, span.least);
    let shrunk = UpperBound::of(discount.power(end).upper());
    if (width * shrunk).get() > each {
        return None;
    }
    let question = Question { base, ratios, discount, each, width, end };
    // The last step that fails, among all candidates; one that is known to fail spares the others of its block the earlier steps.
    let own = base.advantages.map_blocks(|candidates| {
        let mut steps = HashMap::new();
        candidates.fold(first, |first, candidate| {
            question.last_failure(&mut steps, candidate, first, end).map_or(first, |fails| fails + 1)
        })
    });
    let to = base.model.ranks.greatest_of(own.into_iter().max().unwrap_or(first) as f64) as u64;
    Some(StageStart { step: to, each: UpperBound::of_quotient(each, discount.power(to).lower()) })
}

/// The test whether the strategy stays within the allowed loss on an interval of steps.
struct Question<'a> {
    base: &'a Base<'a>,
    ratios: &'a DiscountRatios,
    discount: Enclosure,
    each: f64,
    width: UpperBound,
    end: u64,
}

/// What is known of a step.
struct AtStep {
    weights: StepWeights,
    /// At most η/λ_0^t.
    allowed: f64,
    /// At least λ_0^{b−t} · span(E_b).
    leads: UpperBound,
}

impl Question<'_> {
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
            steps.entry(step).or_insert_with(|| {
                let to_the_step = UpperBound::of(self.discount.power(step).upper()).get();
                AtStep {
                    weights: StepWeights::of(&self.ratios.weights(&step.into())),
                    allowed: quotient_down(self.each, to_the_step),
                    leads: UpperBound::of(self.discount.power(self.end - step).upper()) * self.width,
                }
            });
        }
        let (early, late) = (&steps[&first], &steps[&last]);
        let advantages = &self.base.advantages;
        let rest = advantages.rest(candidate);
        let mut greatest = 0.0;
        let mut magnitude = UpperBound::ZERO;
        let mut off = UpperBound::ZERO;
        for i in 0..=rest.len() {
            let delta = if i == 0 { advantages.lead[candidate] } else { rest[i - 1] };
            let at = if delta > 0.0 { early } else { late };
            let term = delta * at.weights.nearest[i];
            greatest += term;
            magnitude = magnitude + UpperBound::of(term);
            off = off + early.weights.bound(i) * advantages.error[i] + at.weights.error[i] * UpperBound::of(delta);
        }
        let roundings = UpperBound::of_roundings(rest.len() as f64 + 4.0);
        let uncertain = off + roundings * magnitude + late.leads;
        sum_up(greatest, uncertain.get()) <= early.allowed
    }
}
