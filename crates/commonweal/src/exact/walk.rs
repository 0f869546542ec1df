//! Backward induction over the steps before the horizon, jumping where nothing changes.
//!
//! From step H on the long-term strategy is optimal, so nothing is gained there; before it
//! `E_t(s) = max_a  Σ_i λ_i^t Δ_i(s,a) + Σ_u P(u|s,a) E_{t+1}(u)`, with `E_H = 0`. [Thm. 2]
//!
//! Divided by λ_0^t, so that nothing underflows, and in enclosures: `g_t = max_a Σ_i ρ_i^t Δ_i + λ_0 P g_{t+1}` with
//! ρ_i = λ_i/λ_0. A choice whose enclosure lies above all others is taken; where several overlap, exact gains judge.
//! Ties go to a long-term choice, then to the one listed first.
//!
//! The number of layers is not the cost. Where the last m layers took the same decisions σ, the values of every
//! principal are those of σ up to λ_i^m times a constant ([`Base::of_stage`]), so σ's own values become the new base and
//! the next step at which any choice can beat σ is found without walking ([`Events`]). Nothing happens in between: the
//! walk goes on from there. A walk that never finds a stage long enough is the plain one, layer by layer.
//!
//! Cost: a walked layer is O(principals · choices + transitions) in doubles; a jump is one exact linear solve per
//! principal and a few sums per choice. Nobody knows a polynomial bound on the number of stages.

use super::candidates::Candidates;
use super::discounted_rows::DiscountedRows;
use super::judge::ExactJudge;
use super::jump::{Events, StageEnd};
use super::plain_layer::{PlainAdvantages, PlainLayer};
use super::radius::radius;
use super::{Advantages, ExactGains};
use crate::answer::{Effort, ExactStage};
use crate::exact::long_term::{LongTerm, values_of};
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{Rational, Scaled};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::memory;
use crate::strategy::{Change, CountingStrategy, Step};
use std::cell::RefCell;
use std::collections::HashMap;

/// Everything that the induction reads.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The model, most patient principal first.
    pub model: &'a OrderedModel<'a>,
    /// Its transitions in integers.
    pub rows: &'a IntegerRows,
    /// The strategy after the horizon, and its values.
    pub long_term: &'a LongTerm,
    /// Δ against those values.
    pub advantages: &'a Advantages<'a>,
    /// ρ.
    pub ratios: &'a DiscountRatios,
    /// The least step from which the prefix test passes everywhere.
    pub horizon: &'a Step,
}

/// How the induction may go.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions {
    /// The most layers that are walked one by one.
    pub layer_limit: u64,
    /// The most stages that are jumped over, each from one event to the next.
    pub event_limit: u64,
    /// Whether stages are jumped over. Without jumps every layer before the horizon is walked.
    pub jumps: bool,
    /// Whether the values of every stage's strategy are kept, for a certificate.
    pub keep_stages: bool,
}

/// The optimal strategy with what it gains.
pub struct Unravelled<'a> {
    /// Deviations before the horizon, the long-term strategy after.
    pub strategy: CountingStrategy,
    /// Per start state, the first step from which the strategy stays within the long-term choices for ever.
    pub memory: Vec<Step>,
    /// What the values at step 0 are measured against.
    pub base: Base<'a>,
    /// What the welfare gains over the base, per start state.
    pub gain: Vec<Scaled>,
    /// Exact gains over the long-term strategy at step 0, most patient principal first, where they are affordable.
    pub exact_gains: Option<Vec<ExactGains<'a>>>,
    /// Whether exact gains could be followed all the way, however long they are.
    pub exact_is_affordable: bool,
    /// The stages that were jumped over, the latest first, if they were to be kept.
    pub stages: Vec<ExactStage>,
    /// How the walk went.
    pub effort: Effort,
}

/// A positional strategy whose values the induction measures against.
pub struct Base<'a> {
    /// One choice per state.
    pub strategy: Vec<ChoiceId>,
    /// Δ against the strategy's values; `None` stands for those of the long-term strategy.
    own: Option<Advantages<'a>>,
    /// The same advantages as plain doubles, where they are of ordinary size.
    plain: Option<PlainAdvantages>,
    /// From this step back the base is in use.
    pub from: Step,
    /// For how many steps from there the strategy is followed; `None` stands for ever.
    pub followed_for: Option<Step>,
}

/// The optimal decisions at every step before the horizon.
pub fn unravel<'a>(
    problem: Problem<'a>,
    options: &WalkOptions,
    stop: &StopSignal,
) -> Result<Unravelled<'a>, StopReason> {
    let mut walk = Walk::at_horizon(problem, options);
    walk.jump_to_first_event(stop)?;
    while !walk.step.is_zero() {
        stop.check()?;
        if !(options.jumps && walk.try_to_jump(stop)?) {
            walk.walk_a_layer(stop)?;
        }
    }
    walk.finish(stop)
}

/// How exactly the values at the end of a stage are known.
struct Landing {
    /// How far they are from those of the stage's decisions at most, in units of λ_0^step.
    radius: Scaled,
    /// Per state, whether they are exactly those.
    settled: Vec<bool>,
}

/// A shorter jump is not worth the precision that it costs.
const SHORTEST_JUMP: u64 = 16;

struct Walk<'a> {
    problem: Problem<'a>,
    options: WalkOptions,
    candidates: Candidates,
    /// λ_0 P.
    rows: DiscountedRows,
    judge: ExactJudge<'a>,
    /// Decisions are known from this step on.
    step: Step,
    base: Base<'a>,
    /// What the welfare from `step` on gains over the base, in units of λ_0^step.
    gain: Vec<Scaled>,
    /// Per state, latest step first: from this step on, up to the entry before, this choice. The last entry is still open:
    /// it holds from the present step on, and says 0 until an earlier choice is known to differ.
    changes: Vec<Vec<Change>>,
    memory: Vec<Step>,
    /// Whether one more layer of the same decisions would leave the memory as it is.
    memory_settled: bool,
    /// The decisions of the layers walked last, and for how many layers they have been the same.
    stage: Vec<ChoiceId>,
    stage_length: u64,
    /// The base of those decisions, if it has been computed.
    next_base: Option<Base<'a>>,
    /// The length at which a jump is tried next.
    next_try: u64,
    /// A stage shorter than this leaves the values too far from the stage's own.
    first_try: u64,
    weights: Option<crate::exponential_sum::Weights>,
    stages: Vec<ExactStage>,
    effort: Effort,
}

impl<'a> Walk<'a> {
    fn at_horizon(problem: Problem<'a>, options: &WalkOptions) -> Walk<'a> {
        let model = problem.model;
        let first_try = layers_until_settled(model);
        let tail = &problem.long_term.strategy;
        Walk {
            problem,
            options: *options,
            candidates: Candidates::of(model),
            rows: DiscountedRows::of(model.mdp(), model.discount(0)),
            judge: ExactJudge::new(problem),
            step: problem.horizon.clone(),
            base: Base::long_term(problem, problem.horizon.clone()),
            gain: vec![Scaled::ZERO; model.n_states()],
            changes: tail.iter().map(|&choice| vec![Change { from: Step::ZERO, choice }]).collect(),
            memory: vec![Step::ZERO; model.n_states()],
            memory_settled: false,
            stage: tail.clone(),
            stage_length: 0,
            next_base: None,
            next_try: first_try,
            first_try,
            weights: None,
            stages: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// Between the last step at which any deviation pays and the horizon there is nothing to gain.
    fn jump_to_first_event(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        let end = Landing { radius: Scaled::ZERO, settled: vec![true; self.problem.model.n_states()] };
        let target = self.next_event(self.base.advantages(self.problem.advantages), &end, stop)?;
        let memory = self.memory.clone();
        self.keep_stage(&target);
        self.land(target, end, memory);
        Ok(())
    }

    /// The step after the next one, going back, at which something may beat the stage's decisions; 0 if nothing does.
    fn next_event(&self, advantages: &Advantages, end: &Landing, stop: &StopSignal) -> Result<Step, StopReason> {
        let Problem { model, ratios, .. } = self.problem;
        let events = Events {
            model,
            candidates: &self.candidates,
            ratios,
            advantages,
            discount: Scaled::from(model.discount(0)),
            weights: RefCell::new(HashMap::new()),
        };
        let Landing { radius, settled } = end;
        let end = StageEnd { step: &self.step, strategy: &self.stage, radius: *radius, settled };
        Ok(events.last(&end, stop)?.map_or(Step::ZERO, |event| event + 1))
    }

    /// Takes down that a jump goes from the present step back to `from`. The base is the stage's already.
    fn keep_stage(&mut self, from: &Step) {
        if self.options.keep_stages && *from < self.step {
            let values = self.base.own.as_ref().map(|own| own.values().to_vec());
            self.stages.push(ExactStage { from: from.clone(), until: self.step.clone(), values });
        }
    }

    /// Goes back to `target` with the stage's decisions, where the memory is `memory`. The base is theirs already.
    fn land(&mut self, target: Step, end: Landing, memory: Vec<Step>) {
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

    /// One layer: the best choice of every state at the step before.
    fn walk_a_layer(&mut self, stop: &StopSignal) -> Result<(), StopReason> {
        if self.effort.n_layers == self.options.layer_limit {
            return Err(StopReason::LayerLimit);
        }
        let Problem { model, ratios, long_term, horizon, .. } = self.problem;
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
        // No expectation exceeds this, so most losing choices are dismissed without reading their rows.
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
            best_choice(candidates, likely, now, later, ceiling, &long_term.allowed)
        };
        let decided: Vec<Best> = parallel::map(model.n_states(), best);
        let mut decisions = Vec::with_capacity(decided.len());
        self.gain = decided.iter().map(|best| best.worth).collect();
        for (state, best) in model.states().zip(&decided) {
            decisions.push(match &best.contenders {
                Contenders::One(choice) => *choice,
                Contenders::Several(several) => match self.judge.best(state, &step, several, &self.changes, stop)? {
                    Some(choice) => {
                        self.effort.n_judged += 1;
                        choice
                    }
                    None => {
                        self.effort.n_undecided += 1;
                        by_tie_rule(several, &long_term.allowed)
                    }
                },
            });
        }
        let same = decisions == self.stage;
        if !(same && self.memory_settled) {
            let deviates = |choice: ChoiceId| !long_term.allowed[choice.index()];
            let memory = memory::before_layer(model.mdp(), &decisions, deviates, &step, &self.memory);
            self.memory_settled = memory == self.memory;
            self.memory = memory;
        }
        if same {
            self.stage_length = self.stage_length.saturating_add(1)
        } else {
            self.stage_length = 1;
            self.next_try = self.first_try;
            self.take_down(&decisions);
        }
        self.step = step;
        self.effort.n_layers += 1;
        self.weights = Some(weights);
        Ok(())
    }

    /// Takes down that `decisions` are taken at the step before the present one, and are those of a new stage.
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

    /// Makes the decisions of the last layers the base and goes back to the next event, if they have held for long enough
    /// and there is far to go. Says whether it went anywhere.
    fn try_to_jump(&mut self, stop: &StopSignal) -> Result<bool, StopReason> {
        let Problem { model, rows, .. } = self.problem;
        // A jump costs exact solves: worth it only if the walk would be longer.
        let worth_it = Step::from(self.first_try.max(8 * model.n_states() as u64).max(64));
        if self.stage_length < self.next_try || self.step <= worth_it {
            return Ok(false);
        }
        if self.next_base.as_ref().is_none_or(|base| base.strategy != self.stage) {
            let values = values_of(model, &self.stage, stop)?;
            let own = Advantages::over(model, rows, values, |choice| self.is_staged(choice));
            let plain = PlainAdvantages::of(model.mdp(), &own);
            let (strategy, from) = (self.stage.clone(), self.step.clone());
            self.next_base = Some(Base { strategy, own: Some(own), plain, from, followed_for: None });
        }
        let next_base = self.next_base.take().expect("just made");
        let followed_for = Step::from(self.stage_length);
        let radius = radius(model, self.problem.ratios, &self.step, &followed_for);
        let end = Landing { radius, settled: self.settled_states() };
        let target = self.next_event(next_base.advantages(self.problem.advantages), &end, stop)?;
        if &target + SHORTEST_JUMP > self.step {
            self.next_base = Some(next_base);
            self.next_try = self.stage_length.saturating_add(self.first_try.div_ceil(4));
            return Ok(false);
        }
        let length = &self.step - &target;
        let deviates = |choice: ChoiceId| !self.problem.long_term.allowed[choice.index()];
        let span = (&target, &self.step);
        let memory = memory::before_stage(model.mdp(), &self.stage, deviates, span, &self.memory, stop)?;
        self.base = Base { followed_for: Some(followed_for), ..next_base };
        self.stage_length = self.stage_length.saturating_add(u64::try_from(&length).unwrap_or(u64::MAX));
        self.next_try = self.stage_length.saturating_add(self.first_try);
        self.keep_stage(&target);
        self.land(target, end, memory);
        self.effort.n_jumps += 1;
        if self.effort.n_jumps > self.options.event_limit { Err(StopReason::EventLimit) } else { Ok(true) }
    }

    fn is_staged(&self, choice: ChoiceId) -> bool {
        self.stage[self.problem.model.state_of(choice).index()] == choice
    }

    /// States that gain nothing over the long-term strategy and never leave those that do not: their values under the
    /// stage's strategy are exactly the long-term ones.
    fn settled_states(&self) -> Vec<bool> {
        let Problem { model, long_term, .. } = self.problem;
        let strategy = &self.stage;
        let untouched = |index: usize| self.memory[index].is_zero() && long_term.allowed[strategy[index].index()];
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

    fn finish(mut self, stop: &StopSignal) -> Result<Unravelled<'a>, StopReason> {
        let exact_is_affordable = self.judge.is_affordable();
        let exact_gains = self.judge.gains_at_start(&self.changes, stop)?;
        self.changes.iter_mut().for_each(|changes| changes.reverse());
        Ok(Unravelled {
            strategy: CountingStrategy::from_changes(self.problem.model.mdp(), self.changes),
            memory: self.memory,
            base: self.base,
            gain: self.gain,
            exact_gains,
            exact_is_affordable,
            stages: self.stages,
            effort: self.effort,
        })
    }
}

impl<'a> Base<'a> {
    /// The long-term strategy, followed from step `from` for ever.
    pub fn long_term(problem: Problem<'a>, from: Step) -> Base<'a> {
        Base {
            strategy: problem.long_term.strategy.clone(),
            own: None,
            plain: PlainAdvantages::of(problem.model.mdp(), problem.advantages),
            from,
            followed_for: None,
        }
    }

    /// The advantages over the base, given those over the long-term strategy.
    pub fn advantages<'b>(&'b self, over_long_term: &'b Advantages<'a>) -> &'b Advantages<'a> {
        self.own.as_ref().unwrap_or(over_long_term)
    }
}

/// What the enclosures say of a state: the worth of its best choice, and which choices may be that one.
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
        // All equal, and known to be.
        several if equal => Contenders::One(by_tie_rule(several, is_long_term)),
        _ => Contenders::Several(contenders),
    };
    Best { worth: best, contenders }
}

/// A long-term choice if there is one, the first listed otherwise.
fn by_tie_rule(choices: &[ChoiceId], is_long_term: &[bool]) -> ChoiceId {
    choices.iter().copied().find(|choice| is_long_term[choice.index()]).unwrap_or(choices[0])
}

/// How many layers bring values so near to a stage's own that the distance is small beside what one step changes.
///
/// Going back one step changes the sums near a root by about the least 1 − λ_{i+1}/λ_i; the distance is brought to 2^-30
/// of that.
fn layers_until_settled(model: &OrderedModel) -> u64 {
    let ratio = |i: usize| Rational::ONE - model.discount(i + 1) / model.discount(i);
    let resolution = (0..model.n() - 1).map(ratio).min().unwrap_or(Rational::ONE);
    let bits = 40.0 - log2(&resolution);
    let layers = -bits / log2(model.discount(0));
    if layers.is_finite() { (layers.ceil() as u64).max(8) } else { 8 }
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
