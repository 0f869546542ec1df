//! Backward induction over the steps before the horizon, jumping where nothing changes.
//!
//! From step H on the long-term strategy is optimal, so nothing is gained there; before it
//! `E_t(s) = max_a  Σ_i λ_i^t Δ_i(s,a) + Σ_u P(u|s,a) E_{t+1}(u)`, with `E_H = 0`. [Thm. 2]
//!
//! Divided by λ_0^t, so that nothing underflows, and in enclosures: `g_t = max_a Σ_i ρ_i^t Δ_i + λ_0 P g_{t+1}` with
//! ρ_i = λ_i/λ_0. A choice whose enclosure lies above all others is taken; where several overlap, the `judge` decides.
//! Ties go to a long-term choice, then to the one listed first.
//!
//! If the same decisions have held for a while, the walk tries to [`jump`](super::jump) over the steps at which they continue
//! to hold. Without long stages the walk goes layer by layer.
//!
//! Cost: a walked layer is O(parts · choices + transitions) in doubles. No polynomial bound on the number of stages is
//! known.

mod alike;
mod candidates;
mod judge;
mod plain_layer;
pub mod truncated;

pub(super) use alike::Alike;
pub(super) use candidates::Candidates;
pub(super) use plain_layer::PlainAdvantages;

use super::base::Base;
use super::jump::{Passed, first_look, layers_until_settled};
use super::long_term::LongTerm;
use super::{Advantages, ExactGains, memory};
use crate::answer::{Effort, ExactStage};
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{ExactVector, Scaled, WideEnclosure};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::solve::Limits;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step};
use judge::{Contest, Judge, Judged};
use plain_layer::PlainLayer;

/// Layers after which gains are centred again.
const RECENTRED: u64 = 16;

/// Everything that the induction reads.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The model, most patient part first.
    pub model: &'a OrderedModel<'a>,
    /// Its transitions in integers.
    pub rows: &'a IntegerRows,
    /// The strategy after the horizon, and its values.
    pub long_term: &'a LongTerm,
    /// Δ against those values.
    pub advantages: &'a Advantages<'a>,
    /// ρ.
    pub ratios: &'a DiscountRatios,
    /// Where the induction begins: the least step from which the prefix test passes everywhere, or the end of a segment.
    pub horizon: &'a Step,
    /// The steps of the induction, and the gain after them.
    pub extent: Extent<'a>,
}

/// The steps that an induction is about: all of them, or those of a segment of the model.
#[derive(Clone, Copy)]
pub struct Extent<'a> {
    /// The step at which the induction ends.
    pub first: &'a Step,
    /// The gain from the horizon on; `None` if it is 0.
    pub terminal: Option<&'a Terminal>,
    /// Per choice, whether the long-term strategy of the whole model allows it.
    pub allowed: &'a [bool],
    /// The model by which states are equivalent at all steps: with segments, one part per principal.
    pub whole: &'a OrderedModel<'a>,
}

/// The gain from the end of a segment on, over the segment's values, in units of λ_0^end.
#[derive(Debug)]
pub struct Terminal {
    /// Per state.
    pub gain: Vec<Scaled>,
    /// An upper bound on all gains and losses.
    pub greatest: Scaled,
    /// The same in fractions, where they are affordable.
    pub exact: Option<ExactVector>,
    /// Per state, the first step from which the strategy stays within the long-term choices for ever.
    pub memory: Vec<Step>,
}

impl Terminal {
    /// The greatest gain, seen from `steps` steps before the end: an upper bound, as a point.
    pub(super) fn seen_from(&self, model: &OrderedModel, steps: &Step) -> Scaled {
        self.greatest.times(Scaled::from(model.discount(0)).power(steps.as_natural())).upper()
    }

    /// The gains as wide enclosures.
    fn in_bits(&self, bits: usize) -> Vec<WideEnclosure> {
        match &self.exact {
            Some(exact) => {
                let entry = |numerator| WideEnclosure::of_quotient(numerator, &exact.denominator, bits);
                exact.numerators.iter().map(entry).collect()
            }
            None => self.gain.iter().map(|gain| WideEnclosure::of_scaled(gain, bits)).collect(),
        }
    }
}

/// Options of the induction.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions {
    /// How far it goes.
    pub limits: Limits,
    /// Whether stages are jumped over. Without jumps every layer before the horizon is walked.
    pub jumps: bool,
    /// Whether a stage may be jumped over before discounting makes the later steps negligible; payoffs then depend on these too.
    pub early: bool,
    /// Whether the values of every stage's strategy are kept, for a certificate.
    pub keep_stages: bool,
}

/// The optimal strategy with what it gains.
pub struct Unravelled<'a> {
    /// Deviations before the horizon, the long-term strategy after.
    pub strategy: CountingStrategy,
    /// Per start state, the first step from which the strategy stays within the long-term choices for ever.
    pub memory: Vec<Step>,
    /// The base at step 0.
    pub base: Base<'a>,
    /// What the welfare gains over the base, per start state.
    pub gain: Vec<Scaled>,
    /// The stages jumped over that the payoffs at step 0 depend on, the latest first; the last one's strategy is the base.
    pub passed: Vec<Passed>,
    /// The step from which on nothing is gained.
    pub first_event: Step,
    /// Exact gains over the long-term strategy at step 0, most patient part first, where they are affordable.
    pub exact_gains: Option<Vec<ExactGains<'a>>>,
    /// Whether exact gains could be followed all the way, however long they are.
    pub exact_is_affordable: bool,
    /// About how many bits they grow per layer.
    pub bits_a_layer: u64,
    /// Whether there are ties that only exact gains can prove.
    pub has_ties: bool,
    /// The stages that were jumped over, the latest first, if they were to be kept.
    pub stages: Vec<ExactStage>,
    /// The work done.
    pub effort: Effort,
}

/// The optimal decisions at every step before the horizon.
pub fn unravel<'a>(
    problem: Problem<'a>,
    options: &WalkOptions,
    stop: &StopSignal,
) -> Result<Unravelled<'a>, StopReason> {
    let mut walk = Walk::at_horizon(problem, options);
    walk.jump_to_first_event(stop)?;
    while walk.step > *problem.extent.first {
        stop.check()?;
        if !(options.jumps && walk.try_to_jump(stop)?) {
            walk.walk_a_layer(stop)?;
        }
    }
    walk.finish(stop)
}

/// About what a layer takes for each transition and each advantage, in nanoseconds. Measured: processor time of `solve --exact` at two
/// layer limits, 10,000 layers of 1,000 random states with 2 principals: 15.3; 40,000 layers of 200 states with 4 principals: 15.9.
const LAYER: u64 = 15;

/// The state of the walk.
pub(super) struct Walk<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) options: WalkOptions,
    pub(super) candidates: Candidates,
    /// λ_0 P.
    rows: DiscountedRows,
    pub(super) judge: Judge<'a>,
    /// Decisions are known from this step on.
    pub(super) step: Step,
    pub(super) base: Base<'a>,
    /// The gain of the welfare from `step` on over the base, in units of λ_0^step, less the common part of all states.
    pub(super) gain: Vec<Scaled>,
    /// The common part. It is stored separately so that it costs the gains no precision.
    pub(super) common: Scaled,
    /// Per state, latest step first: from this step on, up to the entry before, this choice. The last entry is still open:
    /// it holds from the present step on, and says 0 until an earlier choice is known to differ.
    pub(super) changes: Vec<Vec<Change>>,
    pub(super) memory: Vec<Step>,
    /// Whether one more layer of the same decisions would leave the memory as it is.
    pub(super) memory_settled: bool,
    /// The decisions of the layers walked last, and for how many layers they have been the same.
    pub(super) stage: Vec<ChoiceId>,
    pub(super) stage_length: u64,
    /// The base of those decisions, if it has been computed.
    pub(super) next_base: Option<Base<'a>>,
    /// The length at which a jump is tried next.
    pub(super) next_try: u64,
    /// A stage shorter than this leaves the values too far from the stage's own.
    pub(super) first_try: u64,
    weights: Option<Weights>,
    pub(super) stages: Vec<ExactStage>,
    /// The stages jumped over that the payoffs at step 0 depend on, the latest first.
    pub(super) passed: Vec<Passed>,
    /// The step from which on nothing is gained.
    pub(super) first_event: Step,
    pub(super) effort: Effort,
}

impl<'a> Walk<'a> {
    fn at_horizon(problem: Problem<'a>, options: &WalkOptions) -> Walk<'a> {
        let model = problem.model;
        let first_try = layers_until_settled(model);
        let tail = &problem.long_term.strategy;
        let alike = Alike::of(problem.extent.whole);
        let gain = problem.extent.terminal.map_or_else(|| vec![Scaled::ZERO; model.n_states()], |end| end.gain.clone());
        Walk {
            problem,
            options: *options,
            candidates: Candidates::of(problem.extent.whole, &alike),
            rows: DiscountedRows::of(model.mdp(), model.discount(0)),
            judge: Judge::new(problem, alike),
            step: problem.horizon.clone(),
            base: Base::long_term(problem, problem.horizon.clone()),
            gain,
            common: Scaled::ZERO,
            changes: tail.iter().map(|&choice| vec![Change { from: Step::ZERO, choice }]).collect(),
            memory: problem
                .extent
                .terminal
                .map_or_else(|| vec![Step::ZERO; model.n_states()], |end| end.memory.clone()),
            memory_settled: false,
            stage: tail.clone(),
            stage_length: 0,
            next_base: None,
            next_try: if options.early { first_look(model).min(first_try) } else { first_try },
            first_try,
            weights: None,
            stages: Vec::new(),
            passed: Vec::new(),
            first_event: problem.horizon.clone(),
            effort: Effort::default(),
        }
    }

    /// One layer: the best choice of every state at the step before.
    fn walk_a_layer(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        if self.effort.n_layers == self.options.limits.layers {
            return Err(StopReason::LayerLimit);
        }
        let Problem { model, ratios, horizon, extent, .. } = self.problem;
        if let (Ok(step), Ok(horizon)) = (u64::try_from(&self.step), u64::try_from(horizon)) {
            stop.reach(Reached::Unravelling { step, horizon });
        }
        let step = &self.step - 1;
        let weights = match self.weights.take() {
            Some(weights) if weights.step == self.step => ratios.step_back(&weights),
            _ => ratios.weights(&step),
        };
        let advantages = self.base.advantages(self.problem.advantages);
        let gain = &self.gain;
        // An upper bound on all expectations, so most losing choices are dismissed without reading their rows.
        let ceiling = gain.iter().copied().fold(gain[0], Scaled::max).upper().times(Scaled::from(model.discount(0)));
        let ceiling = ceiling.max(Scaled::ZERO);
        let plain = self.base.plain.as_ref();
        let plain = plain.and_then(|plain| PlainLayer::new(model.mdp(), plain, &self.rows, &weights, gain, ceiling));
        let best = |index: usize| {
            let state = StateId::from(index);
            let (candidates, likely) = (self.candidates.of_state(state), self.stage[index]);
            if let Some(worth) = plain.as_ref().and_then(|plain| plain.worth_if_best(candidates, likely)) {
                return Best { worth, contenders: Contenders::One(likely) };
            }
            let now = |choice| advantages.sum(ratios, &weights, state, choice, 0..model.n());
            let later = |choice| self.rows.expectation(model.mdp(), choice, |target| gain[target.index()]);
            best_choice(candidates, likely, now, later, ceiling, extent.allowed)
        };
        let decided: Vec<Best> = parallel::map(model.n_states(), best);
        let mut decisions = Vec::with_capacity(decided.len());
        for (state, best) in model.states().zip(&decided) {
            let several = match &best.contenders {
                Contenders::One(choice) => {
                    decisions.push(*choice);
                    continue;
                }
                Contenders::Several(several) => several,
            };
            let (step, changes, weights) = (&step, &self.changes, &weights);
            let contest = Contest { state, step, contenders: several, changes, advantages, gain, weights };
            decisions.push(match self.judge.best(&contest, stop)? {
                Judged::Best(choice) => {
                    self.effort.n_judged += 1;
                    choice
                }
                Judged::Undecided(choice) => {
                    self.effort.n_undecided += 1;
                    choice
                }
            });
        }
        self.gain = decided.iter().map(|best| best.worth).collect();
        self.common = self.common.times(Scaled::from(model.discount(0)));
        if self.effort.n_layers.is_multiple_of(RECENTRED) {
            self.recentre();
        }
        let same = decisions == self.stage;
        if !(same && self.memory_settled) {
            let deviates = |choice: ChoiceId| !extent.allowed[choice.index()];
            let memory = memory::before_layer(model.mdp(), &decisions, deviates, &step, &self.memory);
            self.memory_settled = memory == self.memory;
            self.memory = memory;
        }
        if same {
            self.stage_length = self.stage_length.saturating_add(1)
        } else {
            self.stage_length = 1;
            self.next_try = self.look_after();
            self.take_down(&decisions);
        }
        stop.spend(LAYER * (model.n_transitions() + model.n() * model.n_choices()) as u64);
        self.step = step;
        self.effort.n_layers += 1;
        self.weights = Some(weights);
        Ok(())
    }

    /// Moves the common part of all gains to `common`, unless some gain is exactly 0.
    fn recentre(&mut self) {
        if self.gain.iter().any(Scaled::is_zero) {
            return;
        }
        let greatest = self.gain.iter().copied().reduce(Scaled::max).expect("a model has a state");
        let least = -self.gain.iter().map(|gain| -*gain).reduce(Scaled::max).expect("a model has a state");
        let middle = least.through(greatest).middle();
        self.gain.iter_mut().for_each(|gain| *gain = gain.plus(-middle));
        self.common = self.common.plus(middle);
    }

    /// Records that `decisions` are taken at the step before the present one, and begin a new stage.
    fn take_down(&mut self, decisions: &[ChoiceId]) {
        for (changes, &choice) in self.changes.iter_mut().zip(decisions) {
            let open = changes.last_mut().expect("a state has an open entry");
            if open.choice != choice {
                open.from = self.step.clone();
                changes.push(Change { from: Step::ZERO, choice });
            }
        }
        self.stage.copy_from_slice(decisions);
    }

    fn finish(mut self, stop: &StopSignal) -> Result<Unravelled<'a>, StopReason> {
        let (exact_is_affordable, bits_a_layer) = (self.judge.is_affordable(), self.judge.bits_a_layer());
        let has_ties = self.judge.found_a_tie || self.candidates.left_out_unlike_rows;
        let exact_gains = self.judge.gains_at_start(&self.changes, stop)?;
        self.changes.iter_mut().for_each(|changes| changes.reverse());
        Ok(Unravelled {
            strategy: CountingStrategy::from_changes(self.problem.model.mdp(), self.changes),
            memory: self.memory,
            base: self.base,
            gain: self.gain.into_iter().map(|gain| gain.plus(self.common)).collect(),
            passed: self.passed,
            first_event: self.first_event,
            exact_gains,
            exact_is_affordable,
            bits_a_layer,
            has_ties,
            stages: self.stages,
            effort: self.effort,
        })
    }
}

/// The value of a state's best choice, and the choices that may be the best according to the enclosures.
struct Best {
    worth: Scaled,
    contenders: Contenders,
}

/// Nearly always there is only one, and then nothing is allocated.
enum Contenders {
    One(ChoiceId),
    Several(Vec<ChoiceId>),
}

fn best_choice(
    choices: &[ChoiceId],
    likely: ChoiceId,
    now: impl Fn(ChoiceId) -> Scaled,
    later: impl Fn(ChoiceId) -> Scaled,
    ceiling: Scaled,
    is_long_term: &[bool],
) -> Best {
    let first = if choices.contains(&likely) { likely } else { choices[0] };
    let of_first = now(first).plus(later(first));
    let mut best = of_first;
    // The others that may reach the best so far.
    let mut others: Vec<(ChoiceId, Scaled)> = Vec::new();
    for &choice in choices.iter().filter(|&&choice| choice != first) {
        let at_once = now(choice);
        if !at_once.plus(ceiling).may_reach(&best) {
            continue;
        }
        let worth = at_once.plus(later(choice));
        if worth.may_reach(&best) {
            best = best.max(worth);
            others.push((choice, worth));
        }
    }
    if others.is_empty() {
        return Best { worth: best, contenders: Contenders::One(first) };
    }
    others.push((first, of_first));
    others.retain(|(_, worth)| worth.may_reach(&best));
    let equal = others.iter().all(|(_, worth)| worth.is_point() && worth == &others[0].1);
    let mut contenders: Vec<ChoiceId> = others.into_iter().map(|(choice, _)| choice).collect();
    contenders.sort_unstable();
    let contenders = match contenders.as_slice() {
        [single] => Contenders::One(*single),
        // All are proven to be equal.
        several if equal => Contenders::One(by_tie_rule(several, is_long_term)),
        _ => Contenders::Several(contenders),
    };
    Best { worth: best, contenders }
}

/// A long-term choice if there is one, the first listed otherwise.
fn by_tie_rule(choices: &[ChoiceId], is_long_term: &[bool]) -> ChoiceId {
    choices.iter().copied().find(|choice| is_long_term[choice.index()]).unwrap_or(choices[0])
}
