//! What each principal has got after each number of steps, in doubles: for pictures.
//!
//! With p_0 the start state and `p_{j+1} = p_j P_{σ_j}`, a principal for whom step j counts d(j) has got
//! `Σ_{j<t} d(j) Σ_s p_j(s) R(s, σ_j(s))` after t steps. Cost: O(transitions + principals · states) a step. Nothing is proven of the rounding; every operation
//! adds a relative error of about 10^-16.

use crate::model::{Mdp, Segment};
use crate::number::Rational;
use crate::strategy::{CountingStrategy, Step};

/// Per principal of the file, before its weight, what it has got after 0, 1, …, `n_steps` steps from the start state.
pub fn accrued(model: &Mdp<f64>, strategy: &CountingStrategy, n_steps: usize) -> Vec<Vec<f64>> {
    let nearest = |number: &Rational| number.to_f64();
    // Per principal, of each part of the present segment: what it counts for at the present step, and its discount.
    let parts = |segment: &Segment| -> Vec<(f64, f64)> {
        segment.parts.iter().map(|part| (nearest(&part.coefficient), nearest(&part.discount))).collect()
    };
    let mut weights: Vec<Vec<(f64, f64)>> = vec![Vec::new(); model.n_principals()];
    let mut got = vec![vec![0.0]; weights.len()];
    let mut likely = vec![0.0; model.n_states()];
    likely[model.start().index()] = 1.0;
    for step in 0..n_steps {
        for (weights, principal) in weights.iter_mut().zip(model.principals()) {
            let segment = principal.segment_at(step as u64);
            if segment.from == step as u64 {
                *weights = parts(segment);
            }
        }
        let step = Step::from(step);
        let mut next = vec![0.0; model.n_states()];
        let mut rewards = vec![0.0; weights.len()];
        for state in model.states().filter(|state| likely[state.index()] > 0.0) {
            let choice = strategy.choice(state, &step);
            let share = likely[state.index()];
            for (sum, reward) in rewards.iter_mut().zip(model.rewards(choice)) {
                *sum += share * reward;
            }
            for (target, probability) in model.transitions(choice) {
                next[target.index()] += share * probability;
            }
        }
        for (p, got) in got.iter_mut().enumerate() {
            let so_far = got[got.len() - 1];
            got.push(so_far + weights[p].iter().map(|(weight, _)| weight * rewards[p]).sum::<f64>());
            weights[p].iter_mut().for_each(|(weight, discount)| *weight *= *discount);
        }
        likely = next;
    }
    got
}
