//! Which states a strategy can be in at which steps, from one start state.
//!
//! With `R_0 = {start}`, R_{t+1} holds the successors of the choices that are taken in R_t. Between two steps at which any
//! choice changes, one map takes R_t to R_{t+1}: the sets become periodic, and whole periods are skipped. After the last change
//! a graph search finds the rest. Cost: O(transitions) for each step until the sets repeat. If that is too much, every step from
//! the first possible one on counts as reached.

use super::{Change, CountingStrategy, Step};
use crate::model::{StateId, Structure};

/// The states that a strategy can reach from a start state, and at which steps.
#[derive(Debug, Clone)]
pub struct Meetings {
    /// In order of the first step at which they can be reached; at the same step in the model's order.
    order: Vec<StateId>,
    /// Per state, the changes that hold at a step at which it can be reached, each with the first such step.
    met: Vec<Vec<(u32, Step)>>,
    is_exact: bool,
}

/// A choice of a state at steps at which it can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The first such step.
    pub from: Step,
    /// The step at which the choice changes; `None` if it never does.
    pub until: Option<Step>,
    /// The choice.
    pub choice: crate::model::ChoiceId,
}

/// The most transitions that are followed step by step.
const BUDGET: usize = 10_000_000;

impl Meetings {
    /// The states that `strategy` can reach from `start`.
    pub fn of(model: &Structure, strategy: &CountingStrategy, start: StateId) -> Meetings {
        Meetings::within(model, strategy, start, BUDGET)
    }

    fn within(model: &Structure, strategy: &CountingStrategy, start: StateId, budget: usize) -> Meetings {
        let mut exploration = Exploration::new(model, strategy, start, budget);
        let is_exact = exploration.follow();
        let mut meetings = exploration.meetings;
        meetings.is_exact = is_exact;
        if is_exact { meetings } else { at_any_step(model, strategy, start) }
    }

    /// The states that can be reached, in order of the first step at which they can; at the same step in the model's order.
    pub fn states(&self) -> &[StateId] {
        &self.order
    }

    /// The first step at which `state` can be met.
    pub fn first(&self, state: StateId) -> Option<&Step> {
        self.met[state.index()].first().map(|(_, step)| step)
    }

    /// Whether `state` can be reached at `step`; true also if that is not known.
    pub fn may_be_at(&self, strategy: &CountingStrategy, state: StateId, step: &Step) -> bool {
        let holding = strategy.changes(state).partition_point(|change| change.from <= *step) - 1;
        self.met[state.index()].iter().any(|(index, first)| *index as usize == holding && first <= step)
    }

    /// Whether the steps are exact. If not, every step from the first possible one on counts as reached.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// What `state` does under the same strategy at the steps at which it can be met.
    pub fn runs(&self, strategy: &CountingStrategy, state: StateId) -> Vec<Run> {
        let changes = strategy.changes(state);
        let mut runs: Vec<Run> = Vec::new();
        for (index, first) in &self.met[state.index()] {
            let index = *index as usize;
            let until = changes.get(index + 1).map(|next| next.from.clone());
            match runs.last_mut() {
                Some(run) if run.choice == changes[index].choice => run.until = until,
                _ => runs.push(Run { from: first.clone(), until, choice: changes[index].choice }),
            }
        }
        runs
    }

    /// The changes of `state` that hold at steps at which it can be met; neighbours differ.
    pub(crate) fn changes<'s>(&self, strategy: &'s CountingStrategy, state: StateId) -> Vec<&'s Change> {
        let changes = strategy.changes(state);
        let mut met: Vec<&Change> =
            self.met[state.index()].iter().map(|(index, _)| &changes[*index as usize]).collect();
        met.dedup_by_key(|change| change.choice);
        met
    }

    /// Whether each state takes the same choice at all steps at which it is met: then the strategy does what a positional
    /// one does.
    pub fn is_positional(&self, strategy: &CountingStrategy) -> bool {
        self.order.iter().all(|&state| self.runs(strategy, state).len() == 1)
    }

    fn none(n_states: usize) -> Meetings {
        Meetings { order: Vec::new(), met: vec![Vec::new(); n_states], is_exact: true }
    }

    fn meet(&mut self, state: StateId, change: usize, step: &Step) {
        let met = &mut self.met[state.index()];
        if met.is_empty() {
            self.order.push(state);
        }
        if met.last().is_none_or(|(last, _)| *last as usize != change) {
            met.push((change as u32, step.clone()));
        }
    }
}

struct Exploration<'a> {
    model: &'a Structure,
    strategy: &'a CountingStrategy,
    meetings: Meetings,
    budget: usize,
    step: Step,
    /// The states in which the run can be at `step`, in the model's order.
    here: Vec<StateId>,
    /// The last time at which a state was put on a list.
    listed: Vec<u32>,
    time: u32,
}

impl<'a> Exploration<'a> {
    fn new(model: &'a Structure, strategy: &'a CountingStrategy, start: StateId, budget: usize) -> Exploration<'a> {
        Exploration {
            model,
            strategy,
            meetings: Meetings::none(model.n_states()),
            budget,
            step: Step::ZERO,
            here: vec![start],
            listed: vec![0; model.n_states()],
            time: 0,
        }
    }

    /// Follows the strategy for ever; whether the budget was enough.
    fn follow(&mut self) -> bool {
        let changes = |state| self.strategy.changes(state).iter().skip(1);
        let mut ends: Vec<Step> = self.model.states().flat_map(changes).map(|change| change.from.clone()).collect();
        ends.sort_unstable();
        ends.dedup();
        ends.into_iter().all(|end| self.follow_until(&end).is_some()) && self.follow_for_ever().is_some()
    }

    /// Up to a step before which no choice changes; `None` if that takes too long.
    fn follow_until(&mut self, end: &Step) -> Option<()> {
        // Brent's search for a cycle: the sets are compared with one that is replaced at powers of two.
        let (mut kept, mut since, mut power) = (self.here.clone(), 0u64, 1u64);
        while self.step < *end {
            self.here = self.meet_and_go_on()?;
            self.step += 1;
            since += 1;
            if self.here == kept {
                // Whole periods reach nothing new.
                let left = (end - &self.step).as_natural() % since;
                self.step = end - left;
                for _ in 0..left {
                    self.here = self.meet_and_go_on()?;
                    self.step += 1;
                }
            } else if since == power {
                (kept, since, power) = (self.here.clone(), 0, 2 * power);
            }
        }
        Some(())
    }

    /// From the last change on: each state is looked at when it is met first.
    fn follow_for_ever(&mut self) -> Option<()> {
        let mut seen = vec![false; self.model.n_states()];
        self.here.iter().for_each(|state| seen[state.index()] = true);
        while !self.here.is_empty() {
            let mut next = self.meet_and_go_on()?;
            next.retain(|state| !std::mem::replace(&mut seen[state.index()], true));
            self.here = next;
            self.step += 1;
        }
        Some(())
    }

    /// Records the states reached now, and returns the states at the next step.
    fn meet_and_go_on(&mut self) -> Option<Vec<StateId>> {
        self.time = self.time.checked_add(1)?;
        let mut next = Vec::new();
        for &state in &self.here {
            let (index, change) = holding(self.strategy.changes(state), &self.step);
            self.meetings.meet(state, index, &self.step);
            let targets = self.model.targets(change.choice);
            self.budget = self.budget.checked_sub(targets.len())?;
            for &target in targets {
                if std::mem::replace(&mut self.listed[target.index()], self.time) != self.time {
                    next.push(target);
                }
            }
        }
        next.sort_unstable();
        Some(next)
    }
}

fn holding<'c>(changes: &'c [Change], step: &Step) -> (usize, &'c Change) {
    let index = changes.partition_point(|change| change.from <= *step) - 1;
    (index, &changes[index])
}

/// An over-approximation: each state can be reached at every step from the first one on at which any sequence of its choices
/// leads to it.
fn at_any_step(model: &Structure, strategy: &CountingStrategy, start: StateId) -> Meetings {
    let mut meetings = Meetings { is_exact: false, ..Meetings::none(model.n_states()) };
    let mut seen = vec![false; model.n_states()];
    let (mut here, mut step) = (vec![start], Step::ZERO);
    seen[start.index()] = true;
    while !here.is_empty() {
        let mut next = Vec::new();
        for &state in &here {
            let changes = strategy.changes(state);
            let (now, _) = holding(changes, &step);
            meetings.meet(state, now, &step);
            for (index, change) in changes.iter().enumerate().skip(now) {
                if index > now {
                    meetings.meet(state, index, &change.from);
                }
                for &target in model.targets(change.choice) {
                    if !std::mem::replace(&mut seen[target.index()], true) {
                        next.push(target);
                    }
                }
            }
        }
        next.sort_unstable();
        here = next;
        step += 1;
    }
    meetings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChoiceId, Mdp, ModelBuilder, Principal};
    use crate::number::Rational;
    use std::collections::BTreeSet;

    fn random_model(random: &mut impl FnMut(usize) -> usize, n: usize) -> Mdp {
        let principal = Principal::new("p", Rational::from_quotient(1, 2)).unwrap();
        let mut builder = ModelBuilder::numbered(vec![principal], n).unwrap();
        for state in 0..n {
            for action in ["a", "b"] {
                let (one, other) = (random(n), random(n));
                let row = if one == other {
                    vec![(one.into(), Rational::ONE)]
                } else {
                    vec![(one.into(), Rational::from_quotient(1, 2)), (other.into(), Rational::from_quotient(1, 2))]
                };
                // Mostly certain: sets that come round are then seldom all states.
                let row = if random(4) > 0 { vec![(one.into(), Rational::ONE)] } else { row };
                builder.choice(state.into(), action, [Rational::ZERO], row).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    fn random_strategy(random: &mut impl FnMut(usize) -> usize, model: &Mdp, last: usize) -> CountingStrategy {
        let mut list = |state: usize| {
            let steps: BTreeSet<usize> = (0..random(4)).map(|_| 1 + random(last)).collect();
            let first = random(2);
            let change = |(k, step): (usize, usize)| Change {
                from: Step::from(step),
                choice: ChoiceId::from(2 * state + (first + k) % 2),
            };
            std::iter::once(0).chain(steps).enumerate().map(change).collect::<Vec<_>>()
        };
        CountingStrategy::from_changes(model, (0..model.n_states()).map(&mut list).collect())
    }

    /// The definition: set by set, far past the last change.
    fn sets(model: &Mdp, strategy: &CountingStrategy, n_steps: usize) -> Vec<BTreeSet<StateId>> {
        let mut sets = vec![BTreeSet::from([model.start()])];
        for step in 0..n_steps {
            let step = Step::from(step);
            let choices = sets.last().unwrap().iter().map(|&state| strategy.choice(state, &step));
            sets.push(choices.flat_map(|choice| model.targets(choice).iter().copied()).collect());
        }
        sets
    }

    #[test]
    fn what_is_met_is_what_following_every_step_meets() {
        let mut seed = 5u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for round in 0..400 {
            let n = 2 + random(7);
            let model = random_model(&mut random, n);
            let strategy = random_strategy(&mut random, &model, 120);
            let meetings = Meetings::of(&model, &strategy, model.start());
            assert!(meetings.is_exact());
            let sets = sets(&model, &strategy, 400);
            let mut order: Vec<StateId> = Vec::new();
            sets.iter().flatten().for_each(|&state| {
                if !order.contains(&state) {
                    order.push(state)
                }
            });
            assert_eq!(meetings.states(), order, "round {round}");
            for state in model.states() {
                let mut runs: Vec<Run> = Vec::new();
                for (step, _) in sets.iter().enumerate().filter(|(_, set)| set.contains(&state)) {
                    let (index, change) = holding(strategy.changes(state), &Step::from(step));
                    let until = strategy.changes(state).get(index + 1).map(|next| next.from.clone());
                    match runs.last_mut() {
                        Some(run) if run.choice == change.choice => run.until = until,
                        _ => runs.push(Run { from: step.into(), until, choice: change.choice }),
                    }
                }
                assert_eq!(meetings.runs(&strategy, state), runs, "round {round}");
            }
            // Without a budget the result is an over-approximation.
            let coarse = Meetings::within(&model, &strategy, model.start(), 0);
            assert!(!coarse.is_exact());
            for (step, set) in sets.iter().enumerate() {
                assert!(set.iter().all(|&state| coarse.may_be_at(&strategy, state, &step.into())), "round {round}");
                assert!(set.iter().all(|&state| meetings.may_be_at(&strategy, state, &step.into())), "round {round}");
            }
        }
    }

    #[test]
    fn rounds_without_number_are_passed_over() {
        let mut random = |_: usize| 0;
        let model = random_model(&mut random, 3);
        let far: Step = "1000000000000000000000000000000".parse().unwrap();
        let list = |state: usize| {
            let change = |from: &Step, k: usize| Change { from: from.clone(), choice: (2 * state + k).into() };
            vec![change(&Step::ZERO, 0), change(&far, 1)]
        };
        let strategy = CountingStrategy::from_changes(&model, (0..3).map(list).collect());
        let meetings = Meetings::of(&model, &strategy, model.start());
        assert!(meetings.is_exact());
        assert_eq!(meetings.runs(&strategy, 0.into()).len(), 2);
        assert_eq!(meetings.states(), [StateId::from(0)]);
    }
}
