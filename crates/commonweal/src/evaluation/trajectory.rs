//! The distribution of states by step under a strategy, and the weights of steps: in doubles, for pictures and tables.
//!
//! With p_0 the start state, `p_{j+1} = p_j P_{σ_j}`. Rounding errors are not bounded.

use crate::model::{Mdp, Principal, StateId};
use crate::strategy::{CountingStrategy, Step};

/// The weight of every step from 0 on, in doubles; of a preference that a mixture approximates, as it is stated.
#[derive(Debug, Clone)]
pub struct WeightsByStep<'p> {
    principal: &'p Principal,
    step: u64,
    /// The segment of the step, and the weight of each of its parts there.
    segment: usize,
    parts: Vec<(f64, f64)>,
}

impl<'p> WeightsByStep<'p> {
    /// The weights of a principal's steps, before its own weight.
    pub fn of(principal: &'p Principal) -> WeightsByStep<'p> {
        WeightsByStep { principal, step: 0, segment: 0, parts: in_doubles(principal, 0) }
    }
}

fn in_doubles(principal: &Principal, segment: usize) -> Vec<(f64, f64)> {
    let parts = &principal.segments()[segment].parts;
    parts.iter().map(|part| (part.coefficient.to_f64(), part.discount.to_f64())).collect()
}

impl Iterator for WeightsByStep<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let segments = self.principal.segments();
        if segments.get(self.segment + 1).is_some_and(|next| next.from == self.step) {
            self.segment += 1;
            self.parts = in_doubles(self.principal, self.segment);
        }
        let weight = self.parts.iter().map(|(counts, _)| counts).sum();
        self.parts.iter_mut().for_each(|(counts, discount)| *counts *= *discount);
        let stated = self.principal.approximation().and_then(|_| self.principal.preference().stated_weight(self.step));
        self.step += 1;
        Some(stated.unwrap_or(weight))
    }
}

/// At each step, the probability of every state and each principal's expected reward under a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// Per step, the probability of each state.
    pub states: Vec<Vec<f64>>,
    /// Per step, the expected reward of each principal of the file, neither discounted nor weighted.
    pub rewards: Vec<Vec<f64>>,
}

/// The first `n` steps of `strategy` from the start. Cost: O(transitions + principals · states) a step.
pub fn trajectory(model: &Mdp<f64>, strategy: &CountingStrategy, n: usize) -> Trajectory {
    let mut likely = vec![0.0; model.n_states()];
    likely[model.start().index()] = 1.0;
    let mut trajectory = Trajectory { states: Vec::with_capacity(n), rewards: Vec::with_capacity(n) };
    for step in 0..n {
        let step = Step::from(step);
        let mut next = vec![0.0; model.n_states()];
        let mut rewards = vec![0.0; model.n_principals()];
        for state in model.states().filter(|state: &StateId| likely[state.index()] > 0.0) {
            let choice = strategy.choice(state, &step);
            let share = likely[state.index()];
            rewards.iter_mut().zip(model.rewards(choice)).for_each(|(sum, reward)| *sum += share * reward);
            for (target, probability) in model.transitions(choice) {
                next[target.index()] += share * probability;
            }
        }
        trajectory.states.push(std::mem::replace(&mut likely, next));
        trajectory.rewards.push(rewards);
    }
    trajectory
}
