//! What each principal has got after so many steps, in doubles: for pictures.
//!
//! With p_0 the start state and `p_{j+1} = p_j P_{σ_j}`, principal *i* has got `Σ_{j<t} λ_i^j Σ_s p_j(s) R_i(s, σ_j(s))`
//! after t steps. Cost: O(transitions + principals · states) a step. Nothing is proven of the rounding; every operation
//! adds a relative error of about 10^-16.

use crate::model::Mdp;
use crate::strategy::{CountingStrategy, Step};

/// Per principal of the file, before its weight, what it has got after 0, 1, …, `n_steps` steps from the start state.
pub fn accrued(model: &Mdp<f64>, strategy: &CountingStrategy, n_steps: usize) -> Vec<Vec<f64>> {
    let discounts: Vec<f64> = model.principals().iter().map(|principal| principal.discount.to_f64().value()).collect();
    let mut got = vec![vec![0.0]; discounts.len()];
    let mut weights = vec![1.0; discounts.len()];
    let mut likely = vec![0.0; model.n_states()];
    likely[model.start().index()] = 1.0;
    for step in 0..n_steps {
        let step = Step::from(step);
        let mut next = vec![0.0; model.n_states()];
        let mut rewards = vec![0.0; discounts.len()];
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
            got.push(so_far + weights[p] * rewards[p]);
            weights[p] *= discounts[p];
        }
        likely = next;
    }
    got
}
