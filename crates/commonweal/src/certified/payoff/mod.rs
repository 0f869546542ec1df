//! Each part's gain under the decisions, over the values of the base.
//!
//! `G_j(s) = Δ(s,σ_j(s)) + λ P_σ G_{j+1}`, for several parts at once, beginning with the last step that matters to one of
//! them: all later steps are worth at most max|Δ|/(1−λ), which is negligible seen from step 0. If only the start state's payoffs are
//! asked for, [`Forwards`] may be cheaper.

mod evaluation;
mod forwards;
mod segments;

pub(super) use evaluation::evaluate_shared;
pub use evaluation::{Evaluation, evaluate};
pub(super) use forwards::Forwards;

use super::advantage::candidate;
use super::base::Base;
use super::rounded_model::RoundedModel;
use crate::kernel::sweep::{CHUNK, PolicyRows, Span, Spans, expectations, spans_of_chunks};
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, UpperBound};
use crate::parallel;
use crate::ranks::Archive;
use std::ops::Range;

/// A layer, as it was decided.
pub(super) struct Decided<'a> {
    pub step: u64,
    /// The rows of the decisions, or of the base's strategy.
    pub rows: &'a PolicyRows,
    pub rows_are_decided: bool,
    pub decisions: &'a [ChoiceId],
    /// The own states that leave the base's strategy, in order.
    pub deviating: &'a [StateId],
    /// How many there are in all.
    pub n_deviating: u64,
    /// Whether no later layer left it.
    pub quiet: bool,
}

/// Gains of some parts that follow the decisions, layer by layer.
pub(super) trait Gains: Sync {
    /// Goes back by one layer.
    fn layer(&mut self, base: &Base, layer: &Decided);
    /// Changes the base.
    fn rebase(&mut self, old: &Base, new: &Base);
    /// Goes back over `length` steps at once, in which the base's strategy is followed. Its chain has mixed the gains, or all of them
    /// are near one constant.
    fn jump(&mut self, base: &Base, length: u64, mixing: Option<Mixing>);
    /// What such a jump to step `to` by mixing adds to the error of a gain at most, seen from step 0.
    fn lost_by_mixing(&self, base: &Base, length: u64, to: u64, mixing: Mixing) -> f64;
    /// To an archive, or back.
    fn pass(&mut self, model: &RoundedModel, archive: &mut dyn Archive);
    /// The first step that matters to none of them, at the tolerance asked for.
    fn end(&self) -> u64;
    /// How many parts these are.
    fn width(&self) -> usize;
    /// The gain of one of them from `state`, at the step reached.
    fn gain(&self, state: StateId, i: usize) -> f64;
    /// The greatest gain or loss of one of them, and the error bound of gains.
    fn magnitude_and_error(&self, base: &Base, i: usize) -> (UpperBound, UpperBound);
}

/// The gains of some parts of a base, each to be known within about `tolerance`, side by side as far as they fit.
pub(super) fn blocks(base: &Base, parts: Range<usize>, tolerance: f64) -> Vec<Box<dyn Gains>> {
    let of = |begin: usize| -> Box<dyn Gains> {
        match parts.end - begin {
            1 => Box::new(Block::<1>::new(base, begin, tolerance)),
            _ => Box::new(Block::<2>::new(base, begin, tolerance)),
        }
    };
    // Two at a time: all parts of a block need as many layers as the most patient of them.
    parts.clone().step_by(2).map(of).collect()
}

/// The gains of K parts from `begin` on.
struct Block<const K: usize> {
    begin: usize,
    /// The first step that matters to none of them.
    end: u64,
    started: bool,
    /// Whether a layer that was skipped left the base's strategy.
    deviated: bool,
    gains: Vec<[f64; K]>,
    next: Vec<[f64; K]>,
    spans: [Span; K],
    errors: [UpperBound; K],
}

impl<const K: usize> Block<K> {
    fn new(base: &Base, begin: usize, tolerance: f64) -> Block<K> {
        let matters = |i| matters_until(base.at_most(i).get(), base.model.discounts[i], tolerance);
        Block {
            begin,
            end: (begin..begin + K).map(matters).max().unwrap_or(0),
            started: false,
            deviated: false,
            gains: Vec::new(),
            next: Vec::new(),
            spans: [Span::NOTHING; K],
            errors: [UpperBound::ZERO; K],
        }
    }

    fn start(&mut self, base: &Base, quiet: bool) {
        let of = |i: usize| if quiet { base.off(i) } else { base.at_most(i) };
        self.errors = std::array::from_fn(|i| of(self.begin + i));
        let n_values = base.model.n_values();
        (self.gains, self.next) = (vec![[0.0; K]; n_values], vec![[0.0; K]; n_values]);
        self.started = true;
    }
}

/// The rows of a strategy whose chain has mixed the gains, and the number of steps after which they come back.
#[derive(Clone, Copy)]
pub(super) struct Mixing<'a> {
    pub rows: &'a PolicyRows,
    pub period: u64,
}

impl<const K: usize> Block<K> {
    /// About P_σ^length of the gains, without discount, and upper bounds on its errors. Whole periods are left out: each of them changes
    /// a gain by no more than the first one does.
    fn mixed(&self, base: &Base, length: u64, mixing: Mixing) -> (Vec<[f64; K]>, [UpperBound; K]) {
        let Mixing { rows, period } = mixing;
        let model = base.model;
        // Rows have the sum 1, so that a constant may be left out, with its roundings.
        let levels: [f64; K] = self.spans.map(Span::middle);
        let shifted = |state: usize| std::array::from_fn(|i| self.gains[state][i] - levels[i]);
        let mut carried: Vec<[f64; K]> = parallel::map_many(self.gains.len(), shifted);
        let mut next = vec![[0.0; K]; carried.len()];
        let mut go_back = |gains: &mut Vec<[f64; K]>| {
            model.ranks.refresh(gains.as_flattened_mut(), K);
            rows.sweep(gains, &mut next, |_, expected| expected);
            std::mem::swap(gains, &mut next);
        };
        (0..length % period).for_each(|_| go_back(&mut carried));
        let mut later = carried.clone();
        (0..period).for_each(|_| go_back(&mut later));
        let lost = std::array::from_fn(|i| {
            let rounding = model.rounding_of_row(UpperBound::of(self.spans[i].width()));
            let moved =
                UpperBound::of(model.greatest(|state| (later[state.index()][i] - carried[state.index()][i]).abs()));
            let steps = |steps: u64| UpperBound::of(steps as f64);
            let each = moved + (steps(period) + UpperBound::of(1.0)) * rounding;
            steps(length / period) * each
                + (steps(length % period) + UpperBound::of(2.0)) * rounding
                + UpperBound::of_roundings(2.0) * UpperBound::of(self.spans[i].magnitude())
        });
        parallel::update(&mut carried, |_, gains| *gains = std::array::from_fn(|i| gains[i] + levels[i]));
        (carried, lost)
    }
}

impl<const K: usize> Gains for Block<K> {
    fn layer(&mut self, base: &Base, layer: &Decided) {
        let quiet = layer.quiet && layer.n_deviating == 0;
        if !self.started && (layer.step >= self.end || quiet) {
            self.deviated |= !quiet;
            return;
        }
        if !self.started {
            self.start(base, layer.quiet);
        }
        let (begin, model, advantages) = (self.begin, base.model, &base.advantages);
        let rows = &model.arrays;
        let discounts: [f64; K] = std::array::from_fn(|i| model.discounts[begin + i]);
        model.ranks.refresh(self.gains.as_flattened_mut(), K);
        let gains = &self.gains;
        let of_chunk = |index: usize, next: &mut [[f64; K]]| {
            let first_state = index * CHUNK;
            layer.rows.expectations_of(first_state, gains, next);
            next.iter_mut().for_each(|next| *next = std::array::from_fn(|i| discounts[i] * next[i]));
            let deviating = layer.deviating.partition_point(|state| state.index() < first_state);
            for &state in &layer.deviating[deviating..] {
                let Some(next) = next.get_mut(state.index() - first_state) else { break };
                let choice = layer.decisions[state.index()];
                if !layer.rows_are_decided {
                    let row = rows.row(choice);
                    let expected = expectations(&rows.target[row.clone()], &rows.probability[row], gains);
                    *next = std::array::from_fn(|i| discounts[i] * expected[i]);
                }
                let now = advantages.some::<K>(candidate(state, choice, base.followed.strategy[state.index()]), begin);
                *next = std::array::from_fn(|i| now[i] + next[i]);
            }
            next.iter().fold(Spans::EMPTY, |spans, next| spans.with(*next))
        };
        let own = spans_of_chunks(&mut self.next[..model.n_states()], &of_chunk);
        let found = Span::over(model.ranks, own);
        for (i, found) in found.iter().enumerate() {
            let own = begin + i;
            let off = advantages.error[own].max(advantages.followed[own]);
            let magnitude = advantages.greatest[own]
                + UpperBound::of(self.spans[i].magnitude())
                + UpperBound::of(found.magnitude());
            self.errors[i] = model.discount_bound(own) * self.errors[i] + off + model.rounding_of_row(magnitude);
        }
        self.spans = found;
        std::mem::swap(&mut self.gains, &mut self.next);
    }

    fn rebase(&mut self, old: &Base, new: &Base) {
        if !self.started {
            // The skipped layers are not bounded at this step.
            self.start(old, !self.deviated);
        }
        let begin = self.begin;
        parallel::update(&mut self.gains[..new.model.n_states()], |state, gains| {
            for (i, gain) in gains.iter_mut().enumerate() {
                *gain += old.ahead_of(new, state.into(), begin + i);
            }
        });
        for i in 0..K {
            let span = new.model.span(self.gains.as_flattened(), K, i);
            let magnitude = UpperBound::of(span.magnitude()) + UpperBound::of(self.spans[i].magnitude());
            self.errors[i] = self.errors[i] + old.ahead_error(new, begin + i) + magnitude.rounding();
            self.spans[i] = span;
        }
    }

    fn jump(&mut self, base: &Base, length: u64, mixing: Option<Mixing>) {
        if !self.started && !self.deviated {
            return;
        }
        if !self.started {
            self.start(base, false);
        }
        let mixed = mixing.map(|mixing| self.mixed(base, length, mixing));
        for i in 0..K {
            let own = self.begin + i;
            let discount = base.model.power(own, length);
            let off = match &mixed {
                Some((carried, lost)) => {
                    let factor = discount.midpoint();
                    parallel::update(&mut self.gains, |state, gains| gains[i] = factor * carried[state][i]);
                    let magnitude = UpperBound::of(self.spans[i].magnitude());
                    self.spans[i] = base.model.span(self.gains.as_flattened(), K, i);
                    let roundings = UpperBound::of_roundings(4.0) * magnitude + UpperBound::UNDERFLOW;
                    UpperBound::of(discount.upper()) * lost[i]
                        + UpperBound::of(discount.width()) * magnitude
                        + roundings
                }
                None => {
                    // After the jump the gains are between the least and the greatest of them, discounted.
                    let left = Enclosure::new(self.spans[i].least, self.spans[i].greatest).times(discount);
                    let middle = left.midpoint();
                    parallel::update(&mut self.gains, |_, gains| gains[i] = middle);
                    self.spans[i] = Span { least: middle, greatest: middle };
                    let off = UpperBound::of(left.upper() - middle).max(UpperBound::of(left.lower() - middle));
                    off + UpperBound::of(left.width()).rounding()
                }
            };
            self.errors[i] = UpperBound::of(discount.upper()) * self.errors[i] + off + base.off_over(own, length);
        }
    }

    fn lost_by_mixing(&self, base: &Base, length: u64, to: u64, mixing: Mixing) -> f64 {
        if !self.started {
            return 0.0;
        }
        let (_, lost) = self.mixed(base, length, mixing);
        let seen = |i: usize| lost[i].get() * base.model.power(self.begin + i, to + length).upper();
        (0..K).map(seen).fold(0.0, f64::max)
    }

    fn pass(&mut self, model: &RoundedModel, archive: &mut dyn Archive) {
        let mut flags = [self.started, self.deviated].map(u64::from);
        let [started, deviated] = &mut flags;
        archive.words(&mut [&mut self.end, started, deviated]);
        [self.started, self.deviated] = flags.map(|flag| flag == 1);
        for (span, error) in self.spans.iter_mut().zip(&mut self.errors) {
            let mut doubles = [span.least, span.greatest, error.get()];
            archive.doubles(&mut doubles);
            (*span, *error) = (Span { least: doubles[0], greatest: doubles[1] }, UpperBound::of(doubles[2]));
        }
        if self.started {
            self.gains.resize(model.n_values(), [0.0; K]);
            self.next.resize(model.n_values(), [0.0; K]);
            let mut values = std::mem::take(&mut self.gains).into_flattened();
            archive.values(&mut values, model.n_states(), model.n_values());
            self.gains = values.as_chunks::<K>().0.to_vec();
        }
    }

    fn end(&self) -> u64 {
        self.end
    }

    fn width(&self) -> usize {
        K
    }

    fn gain(&self, state: StateId, i: usize) -> f64 {
        if self.started { self.gains[state.index()][i] } else { 0.0 }
    }

    fn magnitude_and_error(&self, base: &Base, i: usize) -> (UpperBound, UpperBound) {
        let error = match (self.started, self.deviated) {
            (true, _) => self.errors[i],
            (false, true) => base.at_most(self.begin + i),
            (false, false) => base.off(self.begin + i),
        };
        (UpperBound::of(self.spans[i].magnitude()), error)
    }
}

/// The first step at which a value of at most `forever` is worth at most `tolerance`, seen from step 0.
fn matters_until(forever: f64, discount: f64, tolerance: f64) -> u64 {
    let steps = (tolerance / forever).ln() / discount.ln();
    // Infinite or NaN if nothing is at stake, for a discount of 0, or for infinite values.
    if steps.is_finite() {
        steps.ceil().max(1.0) as u64
    } else if discount == 0.0 {
        1
    } else {
        u64::MAX
    }
}
