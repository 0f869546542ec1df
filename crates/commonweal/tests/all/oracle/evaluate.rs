//! What a given strategy is worth: elimination in fractions for what holds for ever, integers over one denominator for
//! the steps before it.

use super::plain::{Choice, Plain, Q};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

/// The solution of a regular system, by Gauss and Jordan without fractions (Bareiss): rows are brought to integers, and each
/// division by the pivot before is exact.
pub fn solve_linear(rows: Vec<Vec<Q>>, right: Vec<Q>) -> Vec<Q> {
    let n = rows.len();
    let whole = |(mut row, right): (Vec<Q>, Q)| -> Vec<BigInt> {
        row.push(right);
        let common = common_denominator(row.iter().cloned());
        row.iter().map(|entry| over(entry, &common)).collect()
    };
    let mut rows: Vec<Vec<BigInt>> = rows.into_iter().zip(right).map(whole).collect();
    let mut before = BigInt::one();
    for column in 0..n {
        let pivot = (column..n).find(|&row| !rows[row][column].is_zero()).expect("I - λP is regular");
        rows.swap(column, pivot);
        let pivot_row = rows[column].clone();
        for row in rows.iter_mut().enumerate().filter(|(row, _)| *row != column).map(|(_, row)| row) {
            let factor = row[column].clone();
            for (entry, above) in row.iter_mut().zip(&pivot_row) {
                *entry = (&pivot_row[column] * &*entry - &factor * above) / &before;
            }
        }
        before = pivot_row[column].clone();
    }
    rows.into_iter().map(|mut row| Q::new(row.pop().expect("the right side"), before.clone())).collect()
}

/// What a mix of choices per state, held for ever, is worth at this discount.
pub fn stationary(plain: &Plain, mix: &[Vec<Q>], discount: &Q, reward: impl Fn(usize, usize) -> Q) -> Vec<Q> {
    let n = plain.states.len();
    let (mut rows, mut right) = (vec![vec![Q::zero(); n]; n], vec![Q::zero(); n]);
    for state in 0..n {
        rows[state][state] += Q::one();
        for (choice, share) in mix[state].iter().enumerate().filter(|(_, share)| !share.is_zero()) {
            right[state] += share * reward(state, choice);
            for (target, p) in &plain.states[state][choice].to {
                rows[state][*target] -= share * discount * p;
            }
        }
    }
    solve_linear(rows, right)
}

/// What one choice per state, held for ever, is worth at this discount.
pub fn positional(plain: &Plain, decision: &[usize], discount: &Q, reward: impl Fn(usize, usize) -> Q) -> Vec<Q> {
    let share = |state: usize, choice: usize| if choice == decision[state] { Q::one() } else { Q::zero() };
    let pure = |state: usize| (0..plain.states[state].len()).map(move |choice| share(state, choice));
    let mix: Vec<Vec<Q>> = (0..plain.states.len()).map(|state| pure(state).collect()).collect();
    stationary(plain, &mix, discount, reward)
}

/// What each principal gets, before weights: `layers` step by step, then `tail` for ever.
pub fn payoffs(plain: &Plain, layers: &[Vec<usize>], tail: &[usize]) -> Vec<Vec<Q>> {
    (0..plain.principals.len()).map(|principal| payoff(plain, layers, tail, principal)).collect()
}

fn payoff(plain: &Plain, layers: &[Vec<usize>], tail: &[usize], principal: usize) -> Vec<Q> {
    let reward = |state: usize, choice: usize| plain.states[state][choice].rewards[principal].clone();
    let discount = &plain.principals[principal].discount;
    let last = positional(plain, tail, discount, reward);
    let reward_denominator = common_denominator(plain.choices().map(|(state, choice)| reward(state, choice)));
    let probability_denominator = probability_denominator(plain);
    let mut denominator = common_denominator(last.iter().cloned()).lcm(&reward_denominator);
    let mut values: Vec<BigInt> = last.iter().map(|value| over(value, &denominator)).collect();
    let whole = |choice: &Choice| {
        let to = choice.to.iter().map(|(target, p)| (*target, over(p, &probability_denominator)));
        (over(&choice.rewards[principal], &denominator), to.collect::<Vec<_>>())
    };
    let choices: Vec<Vec<_>> = plain.states.iter().map(|choices| choices.iter().map(whole).collect()).collect();
    let growth = discount.denom() * &probability_denominator;
    let mut grown = BigInt::one();
    for layer in layers.iter().rev() {
        grown *= &growth;
        let value = |state: usize| {
            let (reward, to) = &choices[state][layer[state]];
            let expected: BigInt = to.iter().map(|(target, p)| p * &values[*target]).sum();
            reward * &grown + discount.numer() * expected
        };
        values = (0..values.len()).map(value).collect();
    }
    denominator *= grown;
    values.into_iter().map(|value| Q::new(value, denominator.clone())).collect()
}

/// The weighted sum over principals, per state.
pub fn weighted(plain: &Plain, payoffs: &[Vec<Q>]) -> Vec<Q> {
    let of_state = |state: usize| {
        plain.principals.iter().zip(payoffs).fold(Q::zero(), |sum, (who, payoff)| sum + &who.weight * &payoff[state])
    };
    (0..plain.states.len()).map(of_state).collect()
}

/// The least common multiple of the denominators.
pub fn common_denominator(numbers: impl IntoIterator<Item = Q>) -> BigInt {
    numbers.into_iter().fold(BigInt::one(), |common, number| common.lcm(number.denom()))
}

/// A denominator that all probabilities share.
pub fn probability_denominator(plain: &Plain) -> BigInt {
    let all = plain.choices().flat_map(|(state, choice)| plain.states[state][choice].to.iter());
    common_denominator(all.map(|(_, p)| p.clone()))
}

/// The numerator of `number` over a denominator that it divides into.
pub fn over(number: &Q, denominator: &BigInt) -> BigInt {
    let (factor, rest) = denominator.div_rem(number.denom());
    assert!(rest.is_zero(), "the denominator is a multiple");
    factor * number.numer()
}
