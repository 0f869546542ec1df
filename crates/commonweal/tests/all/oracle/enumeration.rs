//! Every counting strategy of a tiny model, evaluated one by one.
//!
//! All decision tables for the first steps, times all positional tails. Principals' values are carried separately and
//! added up at the very end, so that neither Bellman's principle nor the telescoping sum is taken for granted.

use super::evaluate::{common_denominator, over, positional, probability_denominator};
use super::plain::{Plain, Q};
use num_bigint::BigInt;
use num_integer::Integer;

/// The greatest welfare of each state over all strategies that settle after `steps` steps, unless there are more than
/// `budget` of them.
pub fn best(plain: &Plain, steps: usize, budget: usize) -> Option<Vec<Q>> {
    let n_policies = plain.states.iter().try_fold(1usize, |product, choices| product.checked_mul(choices.len()))?;
    n_policies.checked_pow(u32::try_from(steps + 1).ok()?).filter(|&all| all <= budget)?;
    let policies = all_policies(plain);
    let tails: Vec<Vec<Vec<Q>>> = policies.iter().map(|policy| tail_values(plain, policy)).collect();
    let integers = Integers::of(plain, &tails);
    let mut best = vec![None; plain.states.len()];
    for tail in &tails {
        let values = tail.iter().map(|row| row.iter().map(|value| over(value, &integers.scale)).collect()).collect();
        integers.precede(&policies, values, &integers.scale, steps, &mut best);
    }
    let scale = &integers.scale * integers.growth.pow(steps as u32);
    best.into_iter().map(|value| value.map(|value| Q::new(value, scale.clone()))).collect()
}

/// What each principal's weighted rewards are worth if a choice per state is held for ever.
fn tail_values(plain: &Plain, policy: &[usize]) -> Vec<Vec<Q>> {
    let of_principal = |i: usize| {
        let who = &plain.principals[i];
        let reward = |state: usize, choice: usize| &plain.states[state][choice].rewards[i] * &who.weight;
        positional(plain, policy, &who.discount, reward)
    };
    (0..plain.principals.len()).map(of_principal).collect()
}

/// The model in integers: values of strategies that settle after k steps are integers over `scale · growth^k`.
struct Integers {
    scale: BigInt,
    /// The common denominator of discounts, times that of probabilities.
    growth: BigInt,
    discounts: Vec<BigInt>,
    choices: Vec<Vec<IntegerChoice>>,
}

struct IntegerChoice {
    /// Weighted, over `scale`.
    rewards: Vec<BigInt>,
    to: Vec<(usize, BigInt)>,
}

impl Integers {
    fn of(plain: &Plain, tails: &[Vec<Vec<Q>>]) -> Integers {
        let weighted = |state: usize, choice: usize| {
            plain.principals.iter().zip(&plain.states[state][choice].rewards).map(|(who, reward)| &who.weight * reward)
        };
        let in_rewards = common_denominator(plain.choices().flat_map(|(state, choice)| weighted(state, choice)));
        let scale = common_denominator(tails.iter().flatten().flatten().cloned()).lcm(&in_rewards);
        let in_discounts = common_denominator(plain.principals.iter().map(|who| who.discount.clone()));
        let in_probabilities = probability_denominator(plain);
        let integer_choice = |state: usize, choice: usize| {
            let to = plain.states[state][choice].to.iter();
            IntegerChoice {
                rewards: weighted(state, choice).map(|reward| over(&reward, &scale)).collect(),
                to: to.map(|(target, p)| (*target, over(p, &in_probabilities))).collect(),
            }
        };
        let of_state =
            |state: usize| (0..plain.states[state].len()).map(|choice| integer_choice(state, choice)).collect();
        let choices = (0..plain.states.len()).map(of_state).collect();
        let discounts = plain.principals.iter().map(|who| over(&who.discount, &in_discounts)).collect();
        Integers { growth: in_discounts * in_probabilities, scale, discounts, choices }
    }

    /// All ways to spend `steps` more steps before `values`, which are per principal and state.
    fn precede(
        &self,
        policies: &[Vec<usize>],
        values: Vec<Vec<BigInt>>,
        scale: &BigInt,
        steps: usize,
        best: &mut [Option<BigInt>],
    ) {
        if steps == 0 {
            for (state, best) in best.iter_mut().enumerate() {
                let welfare: BigInt = values.iter().map(|row| &row[state]).sum();
                if best.as_ref().is_none_or(|best| welfare > *best) {
                    *best = Some(welfare);
                }
            }
            return;
        }
        let factor = scale / &self.scale * &self.growth;
        for policy in policies {
            let value = |i: usize, state: usize| {
                let choice = &self.choices[state][policy[state]];
                let next: BigInt = choice.to.iter().map(|(target, p)| p * &values[i][*target]).sum();
                &choice.rewards[i] * &factor + &self.discounts[i] * next
            };
            let row = |i: usize| (0..self.choices.len()).map(|state| value(i, state)).collect();
            let earlier = (0..values.len()).map(row).collect();
            self.precede(policies, earlier, &(scale * &self.growth), steps - 1, best);
        }
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
