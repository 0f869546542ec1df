//! Backward induction over the steps before the horizon.
//!
//! From step H on the long-term strategy is optimal, so nothing is gained there; before it
//! `E_j(s) = max_a  Σ_i λ_i^j Δ_i(s,a) + Σ_t P(t|s,a) E_{j+1}(t)`, with `E_H = 0`. [Thm. 2]
//!
//! Divided by λ_0^j, so that nothing underflows, and in enclosures: `g_j = max_a Σ_i ρ_i^j Δ_i + λ_0 P g_{j+1}` with
//! ρ_i = λ_i/λ_0. A choice whose enclosure lies above all others is taken; where several overlap, exact gains judge.
//! Ties go to a long-term choice, then to the one listed first. Cost: O(H · (principals · choices + transitions)) in
//! doubles; exact layers only as far as a judgement needs them.

use super::{Advantages, ExactGains, exponential_sum::DiscountRatios};
use crate::long_term::LongTerm;
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{Enclosure, Integer, Natural, product};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step};

/// The optimal strategy with what it gains.
pub struct Unravelled<'a> {
    /// Deviations before the horizon, the long-term strategy after.
    pub strategy: CountingStrategy,
    /// E_0: what the welfare gains over the long-term strategy, per start state.
    pub gain: Vec<Enclosure>,
    /// Per start state, the first step from which the strategy stays within the long-term choices for ever.
    pub memory: Vec<Step>,
    /// G_i at step 0, most patient principal first.
    pub gains: Vec<ExactGains<'a>>,
    /// How many comparisons the enclosures left to exact arithmetic.
    pub n_judged: u64,
}

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
}

/// The optimal decisions at every step before `horizon`.
pub fn unravel<'a>(problem: Problem<'a>, horizon: u64, stop: &StopSignal) -> Result<Unravelled<'a>, StopReason> {
    let model = problem.model;
    let candidates = Candidates::of(model);
    let transitions = EnclosedRows::discounted(model, 0);
    let mut layers = Layers::at_horizon(problem, horizon);
    let mut gain = vec![Enclosure::ZERO; model.n_states()];
    let mut n_judged = 0;
    for step in (0..horizon).rev() {
        stop.check()?;
        let weights = problem.ratios.weights(step);
        let worth = |choice: ChoiceId| -> Enclosure {
            let advantages = problem.advantages.of(choice).iter().zip(&weights);
            let now = advantages.fold(Enclosure::ZERO, |sum, (advantage, weight)| sum.plus(advantage.times(*weight)));
            now.plus(transitions.expectation(model, choice, |target| gain[target.index()]))
        };
        let best =
            |state: StateId| best_choice(candidates.of_state(state), worth, |c| problem.advantages.is_long_term(c));
        let decided: Vec<Best> = parallel::map(model.n_states(), |index| best(index.into()));
        let mut decisions = Vec::with_capacity(decided.len());
        let mut next_gain = Vec::with_capacity(decided.len());
        for (state, best) in model.states().zip(decided) {
            next_gain.push(best.worth);
            decisions.push(match best.contenders.as_slice() {
                [single] => *single,
                several => {
                    n_judged += 1;
                    layers.judge(state, step, several)
                }
            });
        }
        gain = next_gain;
        layers.decide(step, decisions);
    }
    let (gains, changes, memory) = layers.finish();
    let strategy = CountingStrategy::from_changes(model, changes);
    Ok(Unravelled { strategy, gain, memory, gains, n_judged })
}

/// A state's choices without repetitions: a choice with the same row and rewards as an earlier one never wins a tie
/// against it, and would otherwise cost an exact judgement at every layer.
struct Candidates {
    first: Vec<usize>,
    choices: Vec<ChoiceId>,
}

impl Candidates {
    fn of(model: &OrderedModel) -> Candidates {
        let mut candidates = Candidates { first: vec![0], choices: Vec::with_capacity(model.n_choices()) };
        let same = |a: ChoiceId, b: ChoiceId| {
            model.ordered_rewards(a) == model.ordered_rewards(b)
                && model.targets(a) == model.targets(b)
                && model.probabilities(a) == model.probabilities(b)
        };
        for state in model.states() {
            let start = candidates.choices.len();
            for choice in model.choices(state) {
                if !candidates.choices[start..].iter().any(|&earlier| same(earlier, choice)) {
                    candidates.choices.push(choice);
                }
            }
            candidates.first.push(candidates.choices.len());
        }
        candidates
    }

    fn of_state(&self, state: StateId) -> &[ChoiceId] {
        &self.choices[self.first[state.index()]..self.first[state.index() + 1]]
    }
}

/// λ P in enclosures, for one discount λ.
pub(super) struct EnclosedRows {
    first: Vec<usize>,
    discounted: Vec<Enclosure>,
}

impl EnclosedRows {
    pub(super) fn discounted(model: &OrderedModel, i: usize) -> EnclosedRows {
        let mut rows = EnclosedRows { first: vec![0], discounted: Vec::with_capacity(model.n_transitions()) };
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let discounted = model.probabilities(choice).iter().map(|p| Enclosure::from(&(p * model.discount(i))));
            rows.discounted.extend(discounted);
            rows.first.push(rows.discounted.len());
        }
        rows
    }

    pub(super) fn expectation(
        &self,
        model: &OrderedModel,
        choice: ChoiceId,
        gain: impl Fn(StateId) -> Enclosure,
    ) -> Enclosure {
        let probabilities = &self.discounted[self.first[choice.index()]..self.first[choice.index() + 1]];
        let targets = model.targets(choice).iter().zip(probabilities);
        targets.fold(Enclosure::ZERO, |sum, (target, p)| sum.plus(p.times(gain(*target))))
    }
}

/// What the enclosures say of a state: the worth of its best choice, and which choices may be that one.
struct Best {
    worth: Enclosure,
    contenders: Vec<ChoiceId>,
}

fn best_choice(
    choices: &[ChoiceId],
    worth: impl Fn(ChoiceId) -> Enclosure,
    is_long_term: impl Fn(ChoiceId) -> bool,
) -> Best {
    let worths: Vec<Enclosure> = choices.iter().map(|&choice| worth(choice)).collect();
    let lower = worths.iter().map(Enclosure::lower).fold(f64::NEG_INFINITY, f64::max);
    let upper = worths.iter().map(Enclosure::upper).fold(f64::NEG_INFINITY, f64::max);
    let best = Enclosure::new(lower, upper);
    let may_win = choices.iter().zip(&worths).filter(|(_, worth)| worth.upper() >= lower);
    let mut contenders: Vec<ChoiceId> = may_win.map(|(&choice, _)| choice).collect();
    if contenders.len() > 1 && best.is_point() {
        // All equal, and known to be: the tie rule decides.
        let winner = contenders.iter().copied().find(|&choice| is_long_term(choice)).unwrap_or(contenders[0]);
        contenders = vec![winner];
    }
    Best { worth: best, contenders }
}

/// The layers decided so far, from the horizon backwards.
struct Layers<'a> {
    problem: Problem<'a>,
    horizon: u64,
    /// Per state, latest step first: from this step on, up to the entry before, this choice.
    changes: Vec<Vec<(u64, ChoiceId)>>,
    /// Per state, the step after the last deviation that can still follow.
    memory: Vec<u64>,
    gains: Vec<ExactGains<'a>>,
    /// The layer that `gains` stand at; they follow the decisions only when somebody asks.
    gains_at: u64,
}

impl<'a> Layers<'a> {
    fn at_horizon(problem: Problem<'a>, horizon: u64) -> Layers<'a> {
        let model = problem.model;
        let gains = (0..model.n()).map(|i| {
            let reward = move |choice| &model.ordered_rewards(choice)[i];
            ExactGains::none(model, problem.rows, model.discount(i), reward, &problem.long_term.values[i])
        });
        Layers {
            problem,
            horizon,
            changes: problem.long_term.strategy.iter().map(|&choice| vec![(horizon, choice)]).collect(),
            memory: vec![0; model.n_states()],
            gains: gains.collect(),
            gains_at: horizon,
        }
    }

    /// Takes down the decisions of `step`, the step before the ones decided so far.
    fn decide(&mut self, step: u64, decisions: Vec<ChoiceId>) {
        let later = std::mem::take(&mut self.memory);
        let memory = self.problem.model.states().map(|state| {
            let choice = decisions[state.index()];
            let own = if self.problem.advantages.is_long_term(choice) { 0 } else { step + 1 };
            let targets = self.problem.model.targets(choice).iter();
            targets.map(|target| later[target.index()]).fold(own, u64::max)
        });
        self.memory = memory.collect();
        for (changes, choice) in self.changes.iter_mut().zip(decisions) {
            match changes.last_mut() {
                Some((from, latest)) if *latest == choice => *from = step,
                _ => changes.push((step, choice)),
            }
        }
    }

    /// The best of `contenders` at `step` in exact arithmetic; ties go to a long-term choice, then to the first.
    fn judge(&mut self, state: StateId, step: u64, contenders: &[ChoiceId]) -> ChoiceId {
        self.catch_up(step + 1);
        let factors = self.factors(step);
        // The worth of a choice times what all choices share, as a fraction with a small denominator.
        let worth = |choice: ChoiceId| -> (Integer, Natural) {
            let parts: Vec<_> = self.gains.iter().map(|gains| gains.worth(state, choice)).collect();
            let common = parts.iter().fold(Natural::ONE, |lcm, (_, d)| crate::model::least_common_multiple(&lcm, d));
            let scaled = parts.iter().zip(&factors).map(|((numerator, denominator), factor)| {
                product(numerator, factor) * Integer::from(&common / denominator)
            });
            (scaled.fold(Integer::ZERO, |sum, part| sum + part), common)
        };
        let mut best = contenders[0];
        let mut greatest = worth(best);
        for &choice in &contenders[1..] {
            let challenger = worth(choice);
            let left = &challenger.0 * Integer::from(greatest.1.clone());
            let right = &greatest.0 * Integer::from(challenger.1.clone());
            let is_long_term = |choice| self.problem.advantages.is_long_term(choice);
            if left > right || (left == right && is_long_term(choice) && !is_long_term(best)) {
                (best, greatest) = (choice, challenger);
            }
        }
        best
    }

    /// λ_i^step over the denominator of the i-th principal's gains, all times one number that clears the fractions.
    fn factors(&self, step: u64) -> Vec<Integer> {
        let power = usize::try_from(step).expect("layers are counted in memory");
        let model = self.problem.model;
        let below: Vec<Integer> = (0..model.n())
            .map(|i| {
                let discount = Integer::from(model.discount(i).denominator().pow(power));
                product(&discount, &self.gains[i].denominator())
            })
            .collect();
        let factor = |i: usize| {
            let others = below.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, below)| below);
            others
                .fold(model.discount(i).numerator().pow(power), |product_so_far, below| product(&product_so_far, below))
        };
        (0..model.n()).map(factor).collect()
    }

    /// Brings the exact gains to `step`.
    fn catch_up(&mut self, step: u64) {
        while self.gains_at > step {
            self.gains_at -= 1;
            let at = self.gains_at;
            let decision = |changes: &Vec<(u64, ChoiceId)>| {
                // Latest first: the first entry that starts at or before the step.
                changes[changes.partition_point(|(from, _)| *from > at)].1
            };
            let decisions: Vec<ChoiceId> = self.changes.iter().map(decision).collect();
            self.gains.iter_mut().for_each(|gains| gains.step_back(&decisions));
        }
    }

    fn finish(mut self) -> (Vec<ExactGains<'a>>, Vec<Vec<Change>>, Vec<Step>) {
        if self.horizon > 0 {
            self.catch_up(0);
        }
        let forwards = |changes: Vec<(u64, ChoiceId)>| {
            let mut list: Vec<Change> =
                changes.into_iter().rev().map(|(from, choice)| Change { from: Step::from(from), choice }).collect();
            list[0].from = Step::ZERO;
            list
        };
        let changes = self.changes.into_iter().map(forwards).collect();
        (self.gains, changes, self.memory.into_iter().map(Step::from).collect())
    }
}
