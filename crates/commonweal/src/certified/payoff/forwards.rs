//! Payoffs from the start state alone, by following the distribution of the state forwards.
//!
//! With μ_j the distribution at step j under the decisions, telescoping says of part i and any values V_i that its payoff is
//!
//! ```text
//! V_i(s_0) + Σ_j λ_i^j Σ_s μ_j(s) Δ_i(s, σ_j(s))
//! ```
//!
//! The strategy's own choices have advantages near 0, which the error of V_i covers. So only the states that deviate count. Where
//! [`Gains`](super::Gains) carry two numbers a state back for every two parts, this carries one number a state for all parts, and
//! begins with a few states only.
//!
//! Masses are not negative, so their rounding errors are relative. A mass at step j is a sum of products of j probabilities. A step
//! adds to the relative error the roundings of a probability, of a product, and of a sum over the predecessors. States that are
//! never left are not counted in the latter: nothing deviates there, and no mass comes from there.

use crate::certified::base::Base;
use crate::certified::rounded_model::RoundedModel;
use crate::certified::walk::LayerChanges;
use crate::kernel::sweep::CHUNK;
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, UpperBound};
use crate::parallel;
use crate::stop::{StopReason, StopSignal};
use std::ops::Range;

/// What is left out of a step's sums counts for less than this share of the tolerance.
const SHARE: f64 = 0.25;
/// More steps are not followed.
const MOST_STEPS: u64 = 1_024;
/// The pieces in which a large model's masses are carried on. The same for any number of threads.
const PIECES: usize = 4;
/// A model with fewer states is one piece.
const FEW_STATES: usize = 1 << 14;

/// How the distribution will be followed.
#[derive(Clone, Copy)]
pub(in crate::certified) struct Forwards {
    /// Each part's payoff is to be known within about this.
    tolerance: f64,
    /// The roundings that a step adds to the relative error of a mass.
    roundings: f64,
    /// The first step of the tail.
    horizon: u64,
}

impl Forwards {
    /// If it takes fewer passes over the rows than going back from `horizon` with `n_passes`, and is as precise.
    pub fn if_cheaper(bases: &[&Base], horizon: u64, n_passes: u64, tolerance: f64) -> Option<Forwards> {
        let model = bases[0].model;
        if horizon > MOST_STEPS || horizon >= n_passes || model.ranks.most_together().is_some() {
            return None;
        }
        let roundings = model.roundings.of_probabilities + (most_predecessors(model) + PIECES + 16) as f64;
        let forwards = Forwards { tolerance, roundings, horizon };
        let off = |base: &Base, i: usize| (forwards.of_masses(horizon) * base.at_most(i)).get();
        let is_precise = bases.iter().all(|base| (0..base.model.n()).all(|i| off(base, i) <= SHARE * tolerance));
        is_precise.then_some(forwards)
    }

    /// The relative error of a mass at this step.
    fn of_masses(self, step: u64) -> UpperBound {
        UpperBound::of_roundings(2.0 * self.roundings) * UpperBound::of(step as f64)
    }

    /// What each part of each base gets from the model's start under the decisions that `layers` lead back to from the tail, which the
    /// bases follow.
    pub fn payoffs(
        self,
        bases: &[&Base],
        layers: &[LayerChanges],
        stop: &StopSignal,
    ) -> Result<Vec<Vec<Enclosure>>, StopReason> {
        let (model, tail) = (bases[0].model, &bases[0].followed.strategy);
        let start = model.model.start();
        let sums = bases.iter().map(|base| Sum::all(base, self.horizon, SHARE * self.tolerance));
        let mut sums: Vec<Vec<Sum>> = sums.collect();
        let end = sums.iter().flatten().map(|sum| sum.end).max().unwrap_or(0);
        let mut undone = Undone::of(tail, layers);
        let mut deviating = undone.deviating(tail);
        let mut masses = Masses::at(model, start);
        for step in 0..end {
            stop.check()?;
            if undone.go_to(step) {
                deviating = undone.deviating(tail);
            }
            for (base, sums) in bases.iter().zip(&mut sums) {
                add(base, sums, &masses.now, &deviating, &undone.decisions, step);
            }
            if step + 1 < end {
                masses.go_on(model, &undone.decisions);
            }
        }
        let of_base = |(base, sums): (&&Base, Vec<Sum>)| {
            let of_part = |(i, sum): (usize, Sum)| {
                let off = self.error(base, i, &sum);
                base.enclosed_value(start, i).plus(Enclosure::new(sum.total, sum.total)).widened(off.get())
            };
            sums.into_iter().enumerate().map(of_part).collect()
        };
        Ok(bases.iter().zip(sums).map(of_base).collect())
    }

    fn error(self, base: &Base, i: usize, sum: &Sum) -> UpperBound {
        let Sum { end, size, off_by_weights, .. } = *sum;
        let size = UpperBound::of(size) * UpperBound::of(2.0);
        let skipped = if end < self.horizon {
            base.at_most(i) * UpperBound::of(base.model.power(i, end).upper())
        } else {
            UpperBound::ZERO
        };
        // A sum over states is one over chunks, each one over its states.
        let n_chunks = base.model.n_states() / CHUNK + 1;
        let of_sums = UpperBound::of_roundings(2.0 * (CHUNK as f64 + n_chunks as f64 + end as f64 + 8.0)) * size;
        let n_products = end as f64 * base.model.arrays.target.len() as f64;
        let of_underflow = UpperBound::of(n_products) * UpperBound::UNDERFLOW * base.at_most(i);
        base.off(i)
            + skipped
            + self.of_masses(end) * size
            + of_sums
            + off_by_weights
            + of_underflow
            + UpperBound::UNDERFLOW
    }
}

/// The greatest number of rows that lead to one state, of states that can be left.
fn most_predecessors(model: &RoundedModel) -> usize {
    let rows = &model.arrays;
    let n_choices = rows.first_transition.len() - 1;
    let piece = n_choices.div_ceil(PIECES).max(1);
    let of_piece = |k: usize| {
        let mut counts = vec![0u32; model.n_states()];
        let [begin, end] = [k, k + 1].map(|k| rows.first_transition[(k * piece).min(n_choices)] as usize);
        rows.target[begin..end].iter().for_each(|target| counts[target.index()] += 1);
        counts
    };
    let counts = parallel::map_each(PIECES, of_piece);
    let is_left = |state: StateId| {
        rows.choices(state).any(|choice| rows.target[rows.row(choice)].iter().any(|&target| target != state))
    };
    let of_state = |state: usize| {
        let count = counts.iter().map(|counts| counts[state]).sum::<u32>();
        if is_left(state.into()) { f64::from(count) } else { 0.0 }
    };
    parallel::greatest(model.n_states(), of_state) as usize
}

/// What a part has got beyond its values.
struct Sum {
    /// The first step that does not matter.
    end: u64,
    total: f64,
    /// The sum of the terms' magnitudes.
    size: f64,
    /// An upper bound on what the rounding of the steps' weights changes.
    off_by_weights: UpperBound,
}

impl Sum {
    fn all(base: &Base, horizon: u64, tolerance: f64) -> Vec<Sum> {
        let of_part = |i: usize| {
            let end = super::matters_until(base.at_most(i).get(), base.model.discounts[i], tolerance).min(horizon);
            Sum { end, total: 0.0, size: 0.0, off_by_weights: UpperBound::ZERO }
        };
        (0..base.model.n()).map(of_part).collect()
    }
}

/// Adds what the deviating states gain at a step.
fn add(base: &Base, sums: &mut [Sum], masses: &[f64], deviating: &[StateId], decisions: &[ChoiceId], step: u64) {
    let strategy = &base.followed.strategy;
    let n = sums.iter().rposition(|sum| step < sum.end).map_or(0, |last| last + 1);
    if n == 0 {
        return;
    }
    let of_chunk = |_, states: &[StateId]| {
        let mut found = vec![[0.0; 2]; n];
        for &state in states {
            let mass = masses[state.index()];
            if mass == 0.0 {
                continue;
            }
            let (choice, followed) = (decisions[state.index()], strategy[state.index()]);
            for (i, [sum, size]) in found.iter_mut().enumerate() {
                let term = mass * base.advantages.get(state, choice, followed, i);
                *sum += term;
                *size += term.abs();
            }
        }
        found
    };
    let found = parallel::map_items(deviating.chunks(CHUNK), of_chunk);
    for (i, own) in sums[..n].iter_mut().enumerate().filter(|(_, sum)| step < sum.end) {
        let weight = base.model.power(i, step);
        let [sum, size] = found.iter().fold([0.0; 2], |[sum, size], chunk| [sum + chunk[i][0], size + chunk[i][1]]);
        own.total += weight.midpoint() * sum;
        own.size += weight.midpoint() * size;
        own.off_by_weights = own.off_by_weights + UpperBound::of(weight.width()) * UpperBound::of(2.0 * size);
    }
}

/// The distribution of the state at a step.
struct Masses {
    now: Vec<f64>,
    /// What each piece of the states passes on.
    passed: Vec<Vec<f64>>,
}

impl Masses {
    fn at(model: &RoundedModel, start: StateId) -> Masses {
        let n_states = model.n_states();
        let mut now = vec![0.0; n_states];
        now[start.index()] = 1.0;
        let n_pieces = if n_states < FEW_STATES { 1 } else { PIECES };
        Masses { now, passed: vec![vec![0.0; n_states]; n_pieces] }
    }

    /// Goes on by a step.
    fn go_on(&mut self, model: &RoundedModel, decisions: &[ChoiceId]) {
        let Masses { now, passed } = self;
        let (rows, piece) = (&model.arrays, now.len().div_ceil(passed.len()));
        parallel::for_each(passed.iter_mut(), |k, passed| {
            passed.fill(0.0);
            let own = (k * piece).min(now.len())..((k + 1) * piece).min(now.len());
            for (&mass, &choice) in now[own.clone()].iter().zip(&decisions[own]).filter(|(mass, _)| **mass > 0.0) {
                let row = rows.row(choice);
                for (target, p) in rows.target[row.clone()].iter().zip(&rows.probability[row]) {
                    passed[target.index()] += mass * p;
                }
            }
        });
        parallel::update(now, |state, mass| *mass = passed.iter().map(|passed| passed[state]).sum());
    }
}

/// The decisions of one step after the other.
struct Undone {
    decisions: Vec<ChoiceId>,
    /// The first step of other decisions, and the states that have others from there on; the earliest last.
    later: Vec<(u64, Vec<(StateId, ChoiceId)>)>,
}

impl Undone {
    fn of(tail: &[ChoiceId], layers: &[LayerChanges]) -> Undone {
        let mut decisions = tail.to_vec();
        let of_layer = |layer: &LayerChanges| {
            let back = |&(state, choice): &(StateId, ChoiceId)| {
                (state, std::mem::replace(&mut decisions[state.index()], choice))
            };
            (layer.step + 1, layer.changes.iter().map(back).collect())
        };
        let later = layers.iter().map(of_layer).collect();
        Undone { decisions, later }
    }

    /// Whether anything changes at `step`, which is one after the step before.
    fn go_to(&mut self, step: u64) -> bool {
        match self.later.pop_if(|(from, _)| *from == step) {
            Some((_, changes)) => {
                changes.into_iter().for_each(|(state, choice)| self.decisions[state.index()] = choice);
                true
            }
            None => false,
        }
    }

    fn deviating(&self, tail: &[ChoiceId]) -> Vec<StateId> {
        let deviates = |state: &usize| self.decisions[*state] != tail[*state];
        let of_block = |block: Range<usize>| block.filter(deviates).map(StateId::from).collect::<Vec<_>>();
        parallel::map_blocks(tail.len(), of_block).concat()
    }
}
