//! Each principal's accrued payoff by number of steps, in doubles: for pictures.
//!
//! A principal with weights d(j) has accrued `Σ_{j<t} d(j) E[R_j]` after t steps, where R_j is its reward at step j
//! ([`trajectory`]).

use super::{WeightsByStep, trajectory};
use crate::model::{Mdp, Principal};
use crate::strategy::CountingStrategy;

/// Per principal of the file, before its weight, the accrued payoff after 0, 1, …, `n_steps` steps from the start state.
pub fn accrued(model: &Mdp<f64>, strategy: &CountingStrategy, n_steps: usize) -> Vec<Vec<f64>> {
    let trajectory = trajectory(model, strategy, n_steps);
    let of_principal = |(p, principal): (usize, &Principal)| {
        let mut got = vec![0.0];
        for (rewards, weight) in trajectory.rewards.iter().zip(WeightsByStep::of(principal)) {
            got.push(got[got.len() - 1] + weight * rewards[p]);
        }
        got
    };
    model.principals().iter().enumerate().map(of_principal).collect()
}
