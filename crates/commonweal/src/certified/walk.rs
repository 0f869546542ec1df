//! Backward induction in doubles, from the tail to step 0.
//!
//! In units of λ_0^j, with the advantages of the base's own choices counted as 0 and their size as an error,
//!
//! ```text
//! E_H = 0,    E_j(s) = max( λ_0 P_τ E_{j+1},  max_a Σ_i ρ_i^j Δ_i(s,a) + λ_0 P_a E_{j+1} )
//! ```
//!
//! Let `above` bound any strategy's gain over E, and `below` the loss of these decisions against E. Both start as the bounds of
//! the tail and follow the same recursion, `x ← λ_0 x + error of the layer`, so two numbers accompany the one vector. No step
//! depends on whether two choices tie.
//!
//! A candidate whose advantage cannot outweigh the span of E is skipped after one comparison. At late steps that is nearly all
//! of them, and a layer costs one pass over the rows of the strategy. If nothing has changed for a while, the walk tries to
//! [`jump`](super::jump).

use super::advantage::Advantages;
use super::base::Base;
use super::horizon::{Stake, StepWeights};
use super::jump::SHORTEST;
use super::long_term::LongTerm;
use super::payoff::{Decided, Gains, blocks};
use super::rounded_model::RoundedModel;
use crate::answer::BoundsStage;
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::kernel::policy_iteration::pass_choices;
use crate::kernel::sweep::{CHUNK, PolicyRows, Span, WIDEST, expectation, lists, row_at, specialised, with_row_length};
use crate::model::{ChoiceId, StateId};
use crate::number::UpperBound;
use crate::parallel;
use crate::ranks::{Archive, Moment, Resumable};
use crate::solve::Limits;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step};
use std::hint::select_unpredictable;

/// What changes at a step, against the step after.
pub(super) struct LayerChanges {
    pub step: u64,
    /// The own states that take another choice than one step later, with that choice. Some rank has one.
    pub changes: Vec<(StateId, ChoiceId)>,
}

/// How to walk.
pub(super) struct WalkOptions<'a> {
    /// The absolute gap allowed for the welfare, of which jumps may lose a part.
    pub allowed_gap: f64,
    pub gap: f64,
    pub limits: Limits,
    pub jumps: bool,
    /// Whether to keep the stages for a certificate.
    pub keep_stages: bool,
    /// Whether the walk is long enough to be kept on its way.
    pub is_kept: bool,
    pub stop: &'a StopSignal,
}

/// The state of the walk.
pub(super) struct Walk<'m> {
    pub step: u64,
    /// The step at which the walk ends: 0, or the first one of a segment.
    pub first: u64,
    /// The base of gains.
    pub base: Base<'m>,
    /// The long-term strategy and its values, once the base is another one.
    pub long_term: Option<LongTerm>,
    /// The same for principals who share their discount with others, each alone.
    pub members: Option<Base<'m>>,
    /// The rows of the base's strategy.
    pub(super) rows: PolicyRows,
    /// The rows of the decisions, once they differ; only where all rows are of one length, and one may replace another.
    pub(super) rows_decided: Option<PolicyRows>,
    pub(super) ratios: DiscountRatios,
    pub(super) weights: Weights,
    /// The step from which on, backwards, each step's weights were computed from those of the step after.
    pub(super) weighed_from: u64,
    /// E at the step.
    pub gain: Vec<f64>,
    next: Vec<f64>,
    pub(super) span: Span,
    pub stake: Stake,
    pub decisions: Vec<ChoiceId>,
    pub changes: Vec<LayerChanges>,
    /// What each principal gains: of the base's principals, and of the members.
    pub gains: Vec<Box<dyn Gains>>,
    pub member_gains: Vec<Box<dyn Gains>>,
    /// Whether no layer has left the long-term strategy yet.
    quiet: bool,
    pub n_layers: u64,
    pub n_jumps: u64,
    /// The stages that were jumped over, the latest first, if they are to be kept.
    pub stages: Vec<BoundsStage>,
    /// Whether no stage so far has used the values of the base.
    pub(super) is_new_base: bool,
}

/// About what a layer takes for each transition, in nanoseconds. Measured: processor time of `solve --gap 1e-9` for 21,900 layers of 200
/// random states with 4 principals: 1.9.
const LAYER: u64 = 2;
/// Layers without a change before a jump is tried.
const CALM: u64 = 32;

impl<'m> Walk<'m> {
    /// At the beginning of the tail.
    pub fn new(base: Base<'m>, members: Option<Base<'m>>, horizon: u64, allowed_gap: f64) -> Walk<'m> {
        let model = base.model;
        // Every principal's payoff within the gap that the welfare is allowed.
        let tolerance = allowed_gap / 2.0;
        let ratios = DiscountRatios::between(&model.parts);
        let weights = ratios.weights(&horizon.into());
        Walk {
            step: horizon,
            first: 0,
            stake: Stake::at(model, &base.advantages, &StepWeights::of(&weights)),
            // If the tail begins at step 0 there is nothing to walk.
            rows: PolicyRows::of(&model.arrays, if horizon == 0 { &[] } else { &base.followed.strategy }),
            rows_decided: None,
            ratios,
            weights,
            weighed_from: horizon,
            gain: vec![0.0; model.n_values()],
            next: vec![0.0; model.n_values()],
            span: Span::NOTHING,
            decisions: base.followed.strategy.clone(),
            changes: Vec::new(),
            // The first part's gain is the total gain minus the others'.
            gains: blocks(&base, 1..model.n(), tolerance),
            member_gains: members.as_ref().map_or(Vec::new(), |own| blocks(own, 0..own.model.n(), tolerance)),
            quiet: true,
            n_layers: 0,
            n_jumps: 0,
            long_term: None,
            stages: Vec::new(),
            is_new_base: false,
            base,
            members,
        }
    }

    /// At the end of a segment, after which the welfare is known to lie within the spans of `after`, less the base's values
    /// at that step and in units of λ_0 to it. `decisions` are those of the step after. Gains of single parts are not computed.
    pub fn at_end(base: Base<'m>, end: u64, after: &[Span], decisions: Vec<ChoiceId>) -> Walk<'m> {
        let middle = |span: &Span| 0.5 * span.least + 0.5 * span.greatest;
        let mut gain: Vec<f64> = after.iter().map(middle).collect();
        let greatest = |ends: (UpperBound, UpperBound), (span, &gain): (&Span, &f64)| {
            let above = UpperBound::of_difference(span.greatest, gain);
            (ends.0.max(above), ends.1.max(UpperBound::of_difference(gain, span.least)))
        };
        let (above, below) = after.iter().zip(&gain).fold((UpperBound::ZERO, UpperBound::ZERO), greatest);
        let model = base.model;
        let (above, below) = (model.greatest_bound(above), model.greatest_bound(below));
        gain.resize(model.n_values(), 0.0);
        let mut walk = Walk::new(base, None, end, f64::INFINITY);
        walk.span = model.span(&gain, 1, 0);
        (walk.gain, walk.decisions, walk.stake) = (gain, decisions, Stake { above, below });
        walk.gains.clear();
        walk
    }

    /// The greatest |E| at the step.
    pub fn greatest_gain(&self) -> UpperBound {
        UpperBound::of(self.span.magnitude())
    }

    /// Decides every step back to the first.
    pub fn reach_the_present(&mut self, options: &WalkOptions) -> Result<(), StopReason> {
        let horizon = self.step;
        let ranks = self.base.model.ranks;
        let (mut calm, mut patience) = (0, CALM);
        // A base that a stop cut short is not one to go on from; a layer is decided as a whole.
        let mut is_whole = true;
        if options.is_kept {
            ranks.resume(Resumable::Walk, &mut |archive| self.pass(&mut [&mut calm, &mut patience], archive));
        }
        while self.step > self.first {
            let stopped = ranks.check(options.stop);
            if options.is_kept && ranks.keeps() && (stopped.is_ok() || is_whole) {
                let moment = if stopped.is_ok() { Moment::Step } else { Moment::Stop };
                ranks.keep(Resumable::Walk, moment, &mut |archive| self.pass(&mut [&mut calm, &mut patience], archive));
            }
            stopped?;
            options.stop.reach(Reached::Unravelling { step: self.step, horizon });
            if options.jumps && calm >= patience && self.step - self.first >= SHORTEST {
                if self.try_to_jump(horizon, options) {
                    patience = CALM;
                } else {
                    patience *= 2;
                }
                (calm, is_whole) = (0, false);
                continue;
            }
            if self.n_layers >= options.limits.layers {
                return Err(StopReason::LayerLimit);
            }
            calm = if self.layer() { 0 } else { calm + 1 };
            is_whole = true;
            options.stop.spend(LAYER * self.base.model.arrays.target.len() as u64);
        }
        if options.is_kept && ranks.keeps() && ranks.stop_reason(options.stop).is_none() {
            ranks.keep(Resumable::Walk, Moment::Done, &mut |archive| {
                self.pass(&mut [&mut calm, &mut patience], archive)
            });
        }
        Ok(())
    }

    /// To an archive, or back, with numbers of the caller's.
    fn pass(&mut self, callers: &mut [&mut u64], archive: &mut dyn Archive) {
        let model = self.base.model;
        archive.words(callers);
        let mut flags = [self.quiet, self.is_new_base, self.long_term.is_some()].map(u64::from);
        let [quiet, new_base, rebased] = &mut flags;
        let Walk { step, weighed_from, n_layers, n_jumps, .. } = self;
        let (from, to) = (*weighed_from, *step);
        archive.words(&mut [step, weighed_from, n_layers, n_jumps, quiet, new_base, rebased]);
        let is_other = (from, to) != (self.weighed_from, self.step);
        let [quiet, new_base, rebased] = flags.map(|flag| flag == 1);
        (self.quiet, self.is_new_base) = (quiet, new_base);
        let mut doubles = [self.span.least, self.span.greatest, self.stake.above.get(), self.stake.below.get()];
        archive.doubles(&mut doubles);
        let [least, greatest, above, below] = doubles;
        self.span = Span { least, greatest };
        self.stake = Stake { above: UpperBound::of(above), below: UpperBound::of(below) };
        pass_choices(archive, &mut self.decisions, model.arrays.first_choice);
        archive.values(&mut self.gain, model.n_states(), model.n_values());
        if rebased {
            self.long_term.get_or_insert_with(|| self.base.followed.clone()).pass(model, archive);
        }
        self.base.pass(archive);
        if let Some(members) = &mut self.members {
            members.pass(archive);
        }
        for gains in self.gains.iter_mut().chain(&mut self.member_gains) {
            gains.pass(model, archive);
        }
        self.pass_changes(archive);
        if is_other {
            self.weights = self.ratios.weights(&self.weighed_from.into());
            (self.step..self.weighed_from).for_each(|_| self.weights = self.ratios.step_back(&self.weights));
            self.base = Base::of(model, self.base.followed.clone());
            self.members = self.members.take().map(|own| Base::of(own.model, own.followed));
            self.rows = PolicyRows::of(&model.arrays, &self.base.followed.strategy);
            let differs = model.row_length > 0 && self.decisions != self.base.followed.strategy;
            self.rows_decided = differs.then(|| PolicyRows::of(&model.arrays, &self.decisions));
        }
    }

    fn pass_changes(&mut self, archive: &mut dyn Archive) {
        let first_choice = self.base.model.arrays.first_choice;
        let mut steps: Vec<u64> = self.changes.iter().map(|layer| layer.step).collect();
        archive.numbers(&mut steps);
        let record = |at: usize, &(state, choice): &(StateId, ChoiceId)| {
            let choice = choice.index() as u64 - u64::from(first_choice[state.index()]);
            (state.index() as u32, [at as u64, choice])
        };
        let layers = self.changes.iter().enumerate();
        let mut records = layers.flat_map(|(at, layer)| layer.changes.iter().map(move |one| record(at, one))).collect();
        archive.records(&mut records);
        self.changes = steps.into_iter().map(|step| LayerChanges { step, changes: Vec::new() }).collect();
        for (state, [at, choice]) in records {
            let choice = ChoiceId::at(first_choice[state as usize] + choice as u32);
            self.changes[at as usize].changes.push((StateId::at(state), choice));
        }
    }

    /// Decides the step before. Returns whether any state changes its choice there.
    fn layer(&mut self) -> bool {
        self.weights = self.ratios.step_back(&self.weights);
        self.step -= 1;
        let model = self.base.model;
        model.ranks.refresh(&mut self.gain, 1);
        let layer = Layer::at(&self.base, &StepWeights::of(&self.weights), self.span);
        let Found { span, changes, deviating } =
            layer.decide(&self.rows, &self.gain, &mut self.next, &mut self.decisions);
        std::mem::swap(&mut self.gain, &mut self.next);
        let error = layer.error(span);
        let discount = model.discount_bound(0);
        self.stake.above = discount * self.stake.above + error;
        self.stake.below = discount * self.stake.below + error;
        self.span = span;
        let rows_change = model.row_length > 0 && !changes.is_empty();
        if rows_change && !(self.gains.is_empty() && self.member_gains.is_empty()) {
            let rows = self.rows_decided.get_or_insert_with(|| self.rows.clone());
            changes.iter().for_each(|&(state, choice)| rows.replace(&model.arrays, state, choice));
        }
        let [n_changes, n_deviating] = [changes.len(), deviating.len()].map(|n_own| model.ranks.sum(n_own as u64));
        let decided = Decided {
            step: self.step,
            rows: self.rows_decided.as_ref().unwrap_or(&self.rows),
            rows_are_decided: model.row_length > 0,
            decisions: &self.decisions,
            deviating: &deviating,
            n_deviating,
            quiet: self.quiet,
        };
        for gains in &mut self.gains {
            gains.layer(&self.base, &decided);
        }
        for gains in &mut self.member_gains {
            gains.layer(self.members.as_ref().expect("their gains are counted from a base"), &decided);
        }
        let changed = n_changes > 0;
        self.quiet &= !changed;
        if changed {
            self.changes.push(LayerChanges { step: self.step, changes });
        }
        self.n_layers += 1;
        changed
    }
}

/// One layer's weights and errors.
struct Layer<'a> {
    model: &'a RoundedModel<'a>,
    advantages: &'a Advantages,
    strategy: &'a [ChoiceId],
    /// ρ_i^j of the parts that still count.
    weights: Vec<f64>,
    /// A candidate with a smaller Δ_0 loses.
    least_lead: f64,
    /// The error of a computed advantage, or the difference of the strategy's own advantage from 0.
    error: UpperBound,
    greatest_advantage: UpperBound,
    later: Span,
}

/// What a layer found.
struct Found {
    span: Span,
    changes: Vec<(StateId, ChoiceId)>,
    /// The states that leave the base's strategy.
    deviating: Vec<StateId>,
}

impl<'a> Layer<'a> {
    fn at(base: &'a Base, weights: &StepWeights, later: Span) -> Layer<'a> {
        let Base { model, followed, advantages } = base;
        let n = model.n();
        let magnitude = |i: usize| weights.bound(i) * advantages.greatest[i];
        let total: UpperBound = (0..n).map(magnitude).sum();
        let roundings = UpperBound::of_roundings(n as f64 + 2.0);
        let off = |i: usize| weights.bound(i) * advantages.error[i] + weights.error[i] * advantages.greatest[i];
        let mut error: UpperBound = (0..n).map(off).sum::<UpperBound>() + roundings * total;
        // A part whose weight is below the error is left out and added to the error.
        let mut counted = n;
        while counted > 1 && magnitude(counted - 1).get() < error.get() / (4 * n) as f64 {
            counted -= 1;
            error = error + magnitude(counted);
        }
        let own: UpperBound = (0..n).map(|i| weights.bound(i) * advantages.followed[i]).sum();
        let others: UpperBound = (1..n).map(magnitude).sum();
        let width = UpperBound::of_difference(later.greatest, later.least);
        let outweighed = others + error + model.discount_bound(0) * width;
        Layer {
            model,
            advantages,
            strategy: &followed.strategy,
            weights: weights.nearest[..counted].to_vec(),
            least_lead: -outweighed.get(),
            error: error.max(own),
            greatest_advantage: total,
            later,
        }
    }

    /// The error that the layer adds to E.
    fn error(&self, now: Span) -> UpperBound {
        let gains = UpperBound::of(self.later.magnitude()) + UpperBound::of(now.magnitude());
        self.error + self.model.rounding_of_row(self.greatest_advantage + gains)
    }

    fn decide(&self, rows: &PolicyRows, later: &[f64], next: &mut [f64], decisions: &mut [ChoiceId]) -> Found {
        let discount = self.model.discounts[0];
        let of_chunk = |index: usize, (next, decisions): (&mut [f64], &mut [ChoiceId])| {
            let first_state = index * CHUNK;
            if self.later == Span::NOTHING {
                next.fill(0.0);
            } else {
                rows.expectations_of(first_state, later.as_chunks::<1>().0, next.as_chunks_mut::<1>().0);
                next.iter_mut().for_each(|value| *value *= discount);
            }
            let mut chosen = self.strategy[first_state..first_state + next.len()].to_vec();
            let candidates = self.candidates(index);
            for (&candidate, worth) in candidates.iter().zip(self.worths(&candidates, later)) {
                let offset = self.advantages.state[candidate as usize].index() - first_state;
                let is_best = worth > next[offset];
                next[offset] = select_unpredictable(is_best, worth, next[offset]);
                chosen[offset] =
                    select_unpredictable(is_best, self.advantages.choice[candidate as usize], chosen[offset]);
            }
            let (mut changes, mut deviating) = (Vec::new(), Vec::new());
            for (offset, (decision, choice)) in decisions.iter_mut().zip(chosen).enumerate() {
                let state = StateId::at((first_state + offset) as u32);
                if choice != self.strategy[state.index()] {
                    deviating.push(state);
                }
                if *decision != choice {
                    *decision = choice;
                    changes.push((state, choice));
                }
            }
            Found { span: next.iter().fold(Span::EMPTY, |span, &x| span.with(x)), changes, deviating }
        };
        let chunks = next[..decisions.len()].chunks_mut(CHUNK).zip(decisions.chunks_mut(CHUNK));
        let parts: Vec<Found> = parallel::map_items(chunks, of_chunk);
        let own = parts.iter().fold(Span::EMPTY, |span, part| span.join(part.span));
        let [span] = Span::over(self.model.ranks, [own]);
        Found {
            span,
            changes: parts.iter().flat_map(|part| part.changes.iter().copied()).collect(),
            deviating: parts.iter().flat_map(|part| part.deviating.iter().copied()).collect(),
        }
    }

    /// The candidates of a chunk that could win given the span of E.
    fn candidates(&self, chunk: usize) -> Vec<u32> {
        let all = self.advantages.of_chunk(chunk);
        let mut candidates = vec![0; all.len()];
        let mut n_candidates = 0;
        // Branch-free: always written, and kept or not.
        for candidate in all {
            candidates[n_candidates] = candidate as u32;
            n_candidates += 1 - usize::from(self.advantages.lead[candidate] < self.least_lead);
        }
        candidates.truncate(n_candidates);
        candidates
    }

    /// `Σ_i ρ_i^j Δ_i + λ_0 P E` of some candidates.
    fn worths(&self, candidates: &[u32], later: &[f64]) -> Vec<f64> {
        let (rho_0, rho) = self.weights.split_first().expect("there is a part");
        let advantage = |candidate: u32, rho: &[f64], rest: &[f64]| {
            let lead = rho_0 * self.advantages.lead[candidate as usize];
            rho.iter().zip(rest).fold(lead, |sum, (weight, delta)| sum + weight * delta)
        };
        let rest = |candidate: u32| self.advantages.rest(candidate as usize);
        let mut worths: Vec<f64> = match rho.len() {
            others @ 1..=WIDEST => specialised!(others, |OTHERS| {
                let rho = rho.first_chunk::<OTHERS>().expect("one for each other part");
                let few = |&candidate: &u32| {
                    advantage(candidate, rho, rest(candidate).first_chunk::<OTHERS>().expect("one for each other part"))
                };
                candidates.iter().map(few).collect()
            }),
            _ => candidates.iter().map(|&candidate| advantage(candidate, rho, rest(candidate))).collect(),
        };
        let (rows, discount) = (&self.model.arrays, self.model.discounts[0]);
        with_row_length!(self.model.row_length, |LENGTH| {
            for (worth, &candidate) in worths.iter_mut().zip(candidates) {
                let (targets, probabilities) = row_at::<LENGTH>(rows, self.advantages.choice[candidate as usize]);
                *worth += discount * expectation(targets, probabilities, later);
            }
        });
        worths
    }
}

/// The decisions as a strategy: what the layers change to before the tail, and the tail.
pub(super) fn counting_strategy(tail: &[ChoiceId], layers: &[LayerChanges]) -> CountingStrategy {
    if layers.is_empty() {
        return CountingStrategy::positional(tail.iter().copied());
    }
    // The changes of each state in the order they were found, from the tail to the present: a counting sort.
    let mut end = vec![0u32; tail.len() + 1];
    for (state, _) in layers.iter().flat_map(|layer| &layer.changes) {
        end[state.index() + 1] += 1;
    }
    for state in 0..tail.len() {
        end[state + 1] += end[state];
    }
    let mut sorted = vec![(0, ChoiceId::at(0)); *end.last().expect("an end") as usize];
    let mut next = end.clone();
    for LayerChanges { step, changes } in layers {
        for &(state, choice) in changes {
            sorted[next[state.index()] as usize] = (*step, choice);
            next[state.index()] += 1;
        }
    }
    // In the present the state takes what it changed to last; what it changed from begins one step after the change.
    let of_state = |state: StateId| {
        let changes = &sorted[end[state.index()] as usize..end[state.index() + 1] as usize];
        let choice_after = move |index: usize| if index == 0 { tail[state.index()] } else { changes[index - 1].1 };
        let change = move |index: usize| {
            let from = if index == changes.len() { 0 } else { changes[index].0 + 1 };
            Change { from: Step::from(from), choice: choice_after(index) }
        };
        (0..=changes.len()).rev().map(change)
    };
    CountingStrategy::from_valid_changes(lists(tail.len(), of_state))
}
