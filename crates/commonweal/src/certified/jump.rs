//! How far back the present strategy stays near enough to the best.
//!
//! Over the steps of a stage the strategy σ is followed, and the values are its own. There a candidate gains
//! `D_t = Σ_i ρ_i^t Δ_i` by itself, and at most the span of E by where it leads, which shrinks by λ_0 with every step back.
//! So if
//!
//! ```text
//! D_t + λ_0^{b−t} · span(E_b) ≤ η/λ_0^t       for every candidate and every step t of [a, b)
//! ```
//!
//! nobody gains more than η a step over σ, seen from step 0. Over an interval of steps every ρ_i^t lies between its ends,
//! which bounds D_t at once; where that is too rough the interval is cut in two, the later half first, down to single
//! steps. With two principals nothing needs a cut but to find the last step that fails.

use super::base::Base;
use super::horizon::StepWeights;
use super::walk::WalkOptions;
use crate::exponential_sum::DiscountRatios;
use crate::kernel::sweep::Span;
use crate::number::{Enclosure, UpperBound};
use rayon::prelude::*;
use std::collections::HashMap;

/// A stage that the strategy may be followed through.
pub(super) struct Leap {
    /// Its first step.
    pub to: u64,
    /// What it may give away to the best at each of its steps, in units of λ_0^to.
    pub a_step: UpperBound,
}

/// The part of the gap that all jumps together may give away.
const SHARE: f64 = 1.0 / 32.0;

/// Candidates that are looked at one after the other, so that a failure of one spares the others the earlier steps. Fixed,
/// so that the answer does not depend on the number of threads.
const CANDIDATES: usize = 4096;

/// The longest stage that ends at step `end` with gains of this span, if what the span leaves uncertain is negligible.
pub(super) fn leap(
    base: &Base,
    ratios: &DiscountRatios,
    end: u64,
    span: Span,
    horizon: u64,
    options: &WalkOptions,
) -> Option<Leap> {
    let discount = Enclosure::from(&base.model.parts[0].discount);
    let share = SHARE * options.allowed_gap;
    let a_step = share / horizon as f64;
    let width = UpperBound::of(span.greatest.next_up() - span.least.next_down());
    let shrunk = UpperBound::of(discount.power(end).upper());
    if (width * shrunk).get() > a_step {
        return None;
    }
    let stage = Stage { base, ratios, discount, a_step, width, end };
    // The last step that fails, among all candidates; one that is known to fail spares the others the earlier steps.
    let chunks = base.advantages.n_candidates().div_ceil(CANDIDATES);
    let of_chunk = |index: usize| {
        let candidates = index * CANDIDATES..((index + 1) * CANDIDATES).min(base.advantages.n_candidates());
        let mut steps = HashMap::new();
        candidates.fold(0, |first, candidate| {
            stage.last_failure(&mut steps, candidate, first, end).map_or(first, |fails| fails + 1)
        })
    };
    let to = (0..chunks).into_par_iter().map(of_chunk).max().unwrap_or(0);
    Some(Leap { to, a_step: UpperBound::of((a_step / discount.power(to).lower()).next_up()) })
}

struct Stage<'a> {
    base: &'a Base<'a>,
    ratios: &'a DiscountRatios,
    discount: Enclosure,
    a_step: f64,
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

impl Stage<'_> {
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

    /// Whether the candidate passes at every step from `first` to `last`, as far as their ends tell.
    fn passes(&self, steps: &mut HashMap<u64, AtStep>, candidate: usize, first: u64, last: u64) -> bool {
        for step in [first, last] {
            steps.entry(step).or_insert_with(|| {
                let to_the_step = UpperBound::of(self.discount.power(step).upper()).get();
                AtStep {
                    weights: StepWeights::of(&self.ratios.weights(&step.into())),
                    allowed: (self.a_step / to_the_step).next_down(),
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
        let roundings = UpperBound::of(rest.len() as f64 + 4.0) * UpperBound::ROUNDING;
        let uncertain = off + roundings * magnitude + late.leads;
        (greatest + uncertain.get()).next_up() <= early.allowed
    }
}
