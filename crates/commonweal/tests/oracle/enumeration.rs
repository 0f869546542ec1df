//! Every counting strategy of a tiny model, evaluated one by one.
//!
//! All decision tables for the first steps, times all positional tails. Principals' values are carried separately and
//! added up at the very end, so that neither Bellman's principle nor the telescoping sum is taken for granted.

use super::evaluate::{positional, weighted};
use super::plain::{Plain, Q};
use num_traits::Zero;

/// The greatest welfare of each state over all strategies that settle after `steps` steps, unless there are more than
/// `budget` of them.
pub fn best(plain: &Plain, steps: usize, budget: usize) -> Option<Vec<Q>> {
    let n_policies = plain.states.iter().try_fold(1usize, |product, choices| product.checked_mul(choices.len()))?;
    n_policies.checked_pow(u32::try_from(steps + 1).ok()?).filter(|&all| all <= budget)?;
    let policies = all_policies(plain);
    let mut best = vec![None; plain.states.len()];
    for tail in &policies {
        let values = (0..plain.principals.len())
            .map(|i| {
                let reward = |state: usize, choice: usize| plain.states[state][choice].rewards[i].clone();
                positional(plain, tail, &plain.principals[i].discount, reward)
            })
            .collect();
        precede(plain, &policies, values, steps, &mut best);
    }
    best.into_iter().collect()
}

fn precede(plain: &Plain, policies: &[Vec<usize>], values: Vec<Vec<Q>>, steps: usize, best: &mut [Option<Q>]) {
    if steps == 0 {
        for (best, welfare) in best.iter_mut().zip(weighted(plain, &values)) {
            if best.as_ref().is_none_or(|best| welfare > *best) {
                *best = Some(welfare);
            }
        }
        return;
    }
    for policy in policies {
        let value = |i: usize, state: usize| {
            let choice = &plain.states[state][policy[state]];
            let next = choice.to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &values[i][*target]);
            &choice.rewards[i] + &plain.principals[i].discount * next
        };
        let earlier = (0..values.len()).map(|i| (0..plain.states.len()).map(|state| value(i, state)).collect());
        precede(plain, policies, earlier.collect(), steps - 1, best);
    }
}

/// One choice per state, in every combination.
pub fn all_policies(plain: &Plain) -> Vec<Vec<usize>> {
    plain.states.iter().fold(vec![Vec::new()], |policies, choices| {
        let extend = |policy: &Vec<usize>| {
            let policy = policy.clone();
            (0..choices.len()).map(move |choice| [policy.clone(), vec![choice]].concat())
        };
        policies.iter().flat_map(extend).collect()
    })
}
