//! Random models whose decisions change at planned steps, long after one another: what jumps are for.
//!
//! Rewards follow from planned values V and advantages Δ (`R = Δ + V − λPV`), and Δ from planned roots of
//! `Σᵢ Δᵢ λᵢ^t`: a choice of n principals may win and lose n − 1 times.

use super::evaluate::solve_linear;
use super::plain::{Choice, Plain, Q, Who, approximately, q};
use super::random::{Rng, name};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Small discounts, beside which a stage settles within a few layers: events, and jumps, within a hundred steps.
pub fn brief(seed: u64) -> Plain {
    let sets: [&[(i64, i64)]; 10] = [
        &[(1, 10), (9, 100)],
        &[(1, 20), (49, 1000)],
        &[(1, 8), (12, 100)],
        &[(1, 10), (95, 1000), (9, 100)],
        &[(1, 16), (6, 100), (0, 1)],
        &[(3, 20), (14, 100), (13, 100)],
        &[(1, 10), (9, 100), (8, 100), (7, 100)],
        &[(1, 10), (98, 1000), (96, 1000), (94, 1000), (92, 1000)],
        &[(3, 25), (11, 100), (1, 10), (9, 100), (8, 100), (7, 100)],
        &[(1, 5), (1, 16), (6, 100)],
    ];
    model(seed, &sets, (66, 150), 48)
}

/// Discounts a few hundredths apart: events within a few hundred steps.
pub fn short(seed: u64) -> Plain {
    let sets: [&[(i64, i64)]; 12] = [
        &[(1, 2), (49, 100)],
        &[(3, 10), (29, 100)],
        &[(1, 10), (9, 100)],
        &[(1, 2), (12, 25), (47, 100)],
        &[(1, 5), (19, 100), (18, 100), (17, 100)],
        &[(1, 4), (6, 25), (1, 5), (4, 25), (3, 20), (1, 10)],
        &[(3, 5), (3, 10), (29, 100)],
        &[(1, 3), (8, 25), (0, 1)],
        &[(1, 4), (6, 25), (23, 100), (11, 50), (21, 100)],
        &[(2, 5), (39, 100), (19, 50)],
        &[(1, 2), (1, 5), (49, 250)],
        &[(9, 10), (88, 100)],
    ];
    model(seed, &sets, (20, 280), BITS)
}

/// Discounts that are hard to tell apart: events after thousands of steps.
pub fn long(seed: u64) -> Plain {
    let sets: [&[(i64, i64)]; 8] = [
        &[(9, 10), (8999, 10000)],
        &[(95, 100), (949, 1000)],
        &[(1, 2), (4999, 10000)],
        &[(99, 100), (985, 1000)],
        &[(1, 2), (4999, 10000), (4998, 10000)],
        &[(1, 2), (4990, 10000), (4980, 10000), (4970, 10000)],
        &[(3, 10), (2999, 10000), (2990, 10000)],
        &[(2, 5), (1, 3), (3332, 10000)],
    ];
    model(seed, &sets, (150, 2200), BITS)
}

/// Roots from the first to the last of these steps, advantages of about this many bits.
fn model(seed: u64, sets: &[&[(i64, i64)]], (first, last): (i64, i64), bits: u64) -> Plain {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let discounts: Vec<Q> = rng.pick(sets).iter().map(|&(a, b)| q(a, b)).collect();
    let n = discounts.len();
    let n_states = 2 + rng.index(5);
    // A third has no ties by construction, a third a few, a third many.
    let ties = rng.index(3);
    let structure = rng.index(5);
    // The states from here on are never left, and nobody deviates in them.
    let settled_from = if rng.chance(3) { n_states - 1 - rng.index(n_states / 2) } else { n_states };
    let values: Vec<Vec<Q>> =
        (0..n).map(|_| (0..n_states).map(|_| q(rng.within(-6, 6), rng.within(1, 2))).collect()).collect();
    // A few steps that several choices share.
    let shared: Vec<i64> = (0..2).map(|_| rng.within(first, last)).collect();
    let long_probabilities = rng.chance(4);
    let mut states = Vec::new();
    for state in 0..n_states {
        let settled = state >= settled_from;
        let n_choices = if rng.chance(4) { 1 } else { 2 + rng.index(2) };
        let mut choices: Vec<Choice> = Vec::new();
        for position in 0..n_choices {
            let to = if settled {
                vec![(settled_from + rng.index(n_states - settled_from), Q::one())]
            } else {
                targets(rng, state, n_states, structure, long_probabilities)
            };
            let tied = position == 0 || rng.index(3) < ties && rng.chance(2) || settled && rng.chance(2);
            let advantages = match (tied, settled) {
                (true, _) => vec![Q::zero(); n],
                (false, true) => (0..n).map(|i| if i == 0 { -Q::one() } else { q(-rng.within(0, 3), 1) }).collect(),
                (false, false) => advantages(rng, &discounts, (first, last), &shared, bits),
            };
            let reward = |i: usize| {
                let next = to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &values[i][*target]);
                &advantages[i] + &values[i][state] - &discounts[i] * next
            };
            choices.push(Choice { name: String::new(), rewards: (0..n).map(reward).collect(), to });
        }
        rng.shuffle(&mut choices);
        states.push(choices);
    }
    let who = |discount: Q| Who { name: String::new(), discount, weight: Q::one() };
    let principals = discounts.into_iter().map(who).collect();
    let mut plain = Plain { principals, names: vec![String::new(); n_states], states };
    name(&mut plain);
    plain
}

fn targets(rng: &mut Rng, state: usize, n: usize, structure: usize, long: bool) -> Vec<(usize, Q)> {
    // Cycles of two and three states, absorbing states, chains towards the last state, anything.
    let cycle = |length: usize| {
        let start = state - state % length;
        let length = length.min(n - start);
        start + (state - start + 1) % length
    };
    let one = |rng: &mut Rng| match structure {
        0 => cycle(2),
        1 => cycle(3),
        2 if !rng.chance(3) => state,
        3 if !rng.chance(4) => (state + 1).min(n - 1),
        _ => rng.index(n),
    };
    let first = one(rng);
    // Cycles stay strict more often than not.
    let split = if structure < 2 { rng.chance(6) } else { rng.chance(2) };
    let second = if split { rng.index(n) } else { first };
    if first == second {
        return vec![(first, Q::one())];
    }
    let share = if long {
        Q::new(BigInt::from(rng.within(1, i64::MAX - 1)), BigInt::one() << 63)
    } else {
        q(rng.within(1, 5), 6)
    };
    vec![(first, share.clone()), (second, Q::one() - share)]
}

/// A loss first, wins at planned steps.
fn advantages(rng: &mut Rng, discounts: &[Q], (first, last): (i64, i64), shared: &[i64], bits: u64) -> Vec<Q> {
    let n = discounts.iter().filter(|discount| discount.is_positive()).count();
    let mut advantages = vec![Q::zero(); discounts.len()];
    // The principals who are not indifferent, most patient first.
    let skip = if n > 2 && rng.chance(3) { 1 + rng.index(n - 2) } else { 0 };
    let n_terms = if rng.chance(3) { 2 } else { 2 + rng.index(n - skip - 1) };
    let mut terms: Vec<usize> = (skip..n).collect();
    rng.shuffle(&mut terms);
    terms.truncate(n_terms);
    terms.sort();
    let ratio = &discounts[terms[0]] / &discounts[terms[n_terms - 1]];
    let last = last.min((200.0 / approximately(&ratio).log2()) as i64).max(first + n_terms as i64 + 1);
    let mut roots: Vec<i64> = Vec::new();
    while roots.len() < n_terms - 1 {
        let root = if rng.chance(4) { rng.pick(shared).min(last) } else { rng.within(first, last) };
        if roots.contains(&root) {
            roots.push((first..=last).find(|root| !roots.contains(root)).expect("more steps than roots"))
        } else {
            roots.push(root)
        }
    }
    let chosen: Vec<Q> = terms.iter().map(|&i| discounts[i].clone()).collect();
    let coefficients = with_roots(&chosen, &roots);
    let size = q(rng.within(1, 9), rng.within(1, 4));
    advantages[terms[0]] = -size.clone();
    // Off the roots as often as on them; on them is nearer to 0 than doubles can tell.
    let off = if rng.chance(2) { Q::one() } else { q(rng.within(90, 110), 100) };
    for (&i, coefficient) in terms.iter().zip(&coefficients).skip(1) {
        advantages[i] = short_form(&(coefficient * &size * &off), bits);
    }
    // A discount of 0 counts at step 0 only.
    if n < discounts.len() {
        advantages[n] = q(rng.within(-9, 9), 1);
    }
    advantages
}

/// Coefficients whose sum `Σᵢ cᵢ λᵢ^t` changes its sign at these steps, one fewer than discounts, and is negative after
/// the last: the first coefficient is −1.
pub fn with_roots(discounts: &[Q], roots: &[i64]) -> Vec<Q> {
    assert_eq!(roots.len() + 1, discounts.len(), "as many roots as an exponential sum can have");
    let power = |i: usize, root: i64| power(&(&discounts[i] / &discounts[0]), root as u64);
    let rows = roots.iter().map(|&root| (1..discounts.len()).map(|i| power(i, root)).collect()).collect();
    let mut coefficients = vec![-Q::one()];
    coefficients.extend(solve_linear(rows, vec![Q::one(); roots.len()]).iter().map(|x| short_form(x, BITS)));
    coefficients
}

/// x^n with a few hundred bits.
fn power(x: &Q, n: u64) -> Q {
    let (mut result, mut square, mut n) = (Q::one(), x.clone(), n);
    while n > 0 {
        if n & 1 == 1 {
            result = short_form(&(&result * &square), BITS);
        }
        square = short_form(&(&square * &square), BITS);
        n >>= 1;
    }
    result
}

/// Enough that a sum on its root is nearer to 0 than doubles can tell.
const BITS: u64 = 320;

/// The same number to this many bits, over a power of two.
fn short_form(x: &Q, bits: u64) -> Q {
    if x.is_zero() || x.denom().bits() + x.numer().bits() < bits {
        return x.clone();
    }
    let shift = (bits + x.denom().bits()).saturating_sub(x.numer().bits());
    Q::new((x.numer() << shift) / x.denom(), BigInt::one() << shift)
}
