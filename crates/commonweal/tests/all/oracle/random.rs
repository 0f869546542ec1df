//! Random small models, from a seed. A third or more have exact ties or near ties by construction.

use super::plain::{Choice, Plain, Q, Who, q};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// SplitMix64: one number after the other, the same on every machine.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// An integer from `low` to `high`, both included.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub fn index(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.next().is_multiple_of(one_in)
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())].clone()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// The model of a seed.
pub fn model(seed: u64) -> Plain {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let (sizes, kind) = (sizes(rng), rng.index(8));
    let mut plain = match seed % 3 {
        0 => unplanned(rng, sizes, kind),
        1 => planned(rng, sizes, kind, false),
        _ => planned(rng, sizes, kind, true),
    };
    if rng.chance(4) {
        duplicate_choice(rng, &mut plain);
    }
    if rng.chance(8) && plain.states.len() <= 2 {
        mirror(&mut plain);
    }
    if rng.chance(8) {
        add_unreachable_state(rng, &mut plain);
    }
    if rng.chance(6) && plain.principals.len() < 6 {
        split_principal(rng, &mut plain);
    }
    if rng.chance(10) {
        silence_principal(rng, &mut plain);
    }
    // The order in the file must not matter to the merging and sorting of principals, but is what breaks ties between
    // choices: shuffle both.
    for choices in &mut plain.states {
        rng.shuffle(choices);
    }
    shuffle_principals(rng, &mut plain);
    name(&mut plain);
    plain
}

/// A model so small, with discounts so far apart, that its strategies can be counted.
pub fn tiny(seed: u64) -> Plain {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let (sizes, kind) = ((rng.pick(&[1, 2, 2, 2]), 2, rng.pick(&[2, 2, 3])), rng.pick(&[0, 2, 4]));
    let mut plain = match seed % 3 {
        0 => unplanned(rng, sizes, kind),
        1 => planned(rng, sizes, kind, false),
        _ => planned(rng, sizes, kind, true),
    };
    for choices in &mut plain.states {
        rng.shuffle(choices);
    }
    shuffle_principals(rng, &mut plain);
    name(&mut plain);
    plain
}

/// Numbers that doubles cannot hold or tell apart: discounts that round to 1 or vanish, rewards past the largest double
/// and below the smallest, probabilities that are all but 0.
pub fn extreme(seed: u64) -> Plain {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let power = |exponent: u32| Q::from(BigInt::from(10).pow(exponent));
    let all_but_one = Q::one() - Q::one() / power(rng.pick(&[9, 17, 30]));
    // Only one discount near 1: two would be close, and the horizon long.
    let others = [q(1, 2), q(1, 3), q(0, 1), Q::one() / power(20), Q::one() / power(400), q(7, 10)];
    let n = rng.index(3) + 1;
    let mut discounts: Vec<Q> = (0..n).map(|_| rng.pick(&others)).collect();
    if rng.chance(2) {
        discounts[0] = all_but_one;
    }
    let (n_states, transitions) = (rng.index(4) + 1, rng.index(4));
    let large = rng.pick(&[0, 15, 40, 320]);
    let reward = |rng: &mut Rng| {
        let digit = q(rng.within(-2, 2), 1);
        match rng.index(4) {
            0 => digit * power(large),
            1 => digit / power(large),
            2 => digit + power(large),
            _ => digit,
        }
    };
    let choice = |rng: &mut Rng| Choice {
        name: String::new(),
        rewards: (0..n).map(|_| reward(rng)).collect(),
        to: distribution(rng, n_states, transitions),
    };
    let states = (0..n_states).map(|_| (0..n_offered(rng, 3)).map(|_| choice(rng)).collect()).collect();
    let who = |discount| Who { name: String::new(), discount, weight: Q::one() };
    let principals = discounts.into_iter().map(who).collect();
    let mut plain = Plain { principals, names: vec![String::new(); n_states], states };
    name(&mut plain);
    plain
}

/// More states than can be overlooked, for what depends on size.
pub fn larger(seed: u64) -> Plain {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let (sizes, kind) = ((8 + rng.index(18), 3, rng.pick(&[1, 2, 3])), rng.pick(&[0, 2, 4, 5]));
    let mut plain = match seed % 3 {
        0 => unplanned(rng, sizes, kind),
        1 => planned(rng, sizes, kind, false),
        _ => planned(rng, sizes, kind, true),
    };
    for choices in &mut plain.states {
        rng.shuffle(choices);
    }
    name(&mut plain);
    plain
}

/// Discounts of one kind; may repeat.
fn discounts(rng: &mut Rng, n: usize, kind: usize) -> Vec<Q> {
    let close = rng.within(5, 12);
    let one = |rng: &mut Rng| match kind {
        0 | 1 => q(rng.within(0, 9), 10),
        2 => {
            let denominator = rng.within(2, 12);
            q(rng.within(0, denominator - 1), denominator)
        }
        // A few hundredths apart: long horizons.
        3 | 6 | 7 => q(close * 8 - rng.within(0, 4), 100),
        4 => rng.pick(&[q(1, 2), q(1, 3), q(2, 3), q(1, 1000), q(999, 1009), q(0, 1)]),
        _ => rng.pick(&[q(95, 100), q(90, 100), q(85, 100), q(1, 10), q(3, 10)]),
    };
    (0..n).map(|_| one(rng)).collect()
}

fn weight(rng: &mut Rng) -> Q {
    if rng.chance(3) { rng.pick(&[q(-1, 1), q(2, 1), q(1, 2), q(-3, 2), q(1, 3), q(7, 5)]) } else { Q::one() }
}

fn sizes(rng: &mut Rng) -> (usize, usize, usize) {
    (rng.pick(&[1, 2, 2, 2, 3, 3, 4, 5]), rng.pick(&[2, 2, 2, 3]), rng.pick(&[1, 2, 2, 2, 3, 3, 4, 6]))
}

/// Most states offer a choice.
fn n_offered(rng: &mut Rng, most: usize) -> usize {
    if rng.chance(4) { 1 } else { 2 + rng.index(most - 1) }
}

fn distribution(rng: &mut Rng, n_states: usize, kind: usize) -> Vec<(usize, Q)> {
    let mut targets: Vec<usize> = (0..n_states).collect();
    rng.shuffle(&mut targets);
    targets.truncate(if kind == 0 { 1 } else { rng.index(3) + 1 });
    if kind == 3 && targets.len() == 2 {
        // One way out that is hardly ever taken.
        let rare = Q::new(BigInt::one(), BigInt::from(10).pow(20u32));
        return vec![(targets[0], Q::one() - &rare), (targets[1], rare)];
    }
    let shares: Vec<i64> = targets.iter().map(|_| rng.within(1, 6)).collect();
    let total = shares.iter().sum();
    targets.into_iter().zip(shares).map(|(target, share)| (target, q(share, total))).collect()
}

/// Rewards drawn without a plan.
fn unplanned(rng: &mut Rng, (n_states, n_choices, n): (usize, usize, usize), kind: usize) -> Plain {
    let discounts = discounts(rng, n, kind);
    let (kind, transitions) = (rng.index(6), rng.index(4));
    let reward = |rng: &mut Rng| match kind {
        0 | 1 => q(rng.within(-5, 5), 1),
        2 => q(rng.within(-9, 9), rng.within(1, 4)),
        // Few distinct rewards tie often.
        3 => q(rng.within(0, 1), 1),
        // Differences that a double cannot see.
        4 => Q::from(BigInt::from(10).pow(24u32)) + q(rng.within(-3, 3), 1),
        _ => Q::new(rng.within(-5, 5).into(), BigInt::from(10).pow(22u32)) * q(1, rng.within(1, 3)),
    };
    let shared = rng.chance(3);
    let states = (0..n_states)
        .map(|_| {
            (0..n_offered(rng, n_choices))
                .map(|_| {
                    let rewards = if shared { vec![reward(rng); n] } else { (0..n).map(|_| reward(rng)).collect() };
                    Choice { name: String::new(), rewards, to: distribution(rng, n_states, transitions) }
                })
                .collect()
        })
        .collect();
    let who = |discount| Who { name: String::new(), discount, weight: weight(rng) };
    Plain { principals: discounts.into_iter().map(who).collect(), names: vec![String::new(); n_states], states }
}

/// Rewards drawn so that given values V and advantages Δ come out: `R = Δ + V - λPV`. The first choice of every state is
/// long-term; the others lose for the first principal who is not indifferent, so V is the lexicographic optimum.
fn planned(rng: &mut Rng, sizes: (usize, usize, usize), kind: usize, knife_edge: bool) -> Plain {
    let (n_states, n_choices, n) = sizes;
    let mut distinct = discounts(rng, n, kind);
    distinct.sort_by(|a, b| b.cmp(a));
    distinct.dedup();
    let weights: Vec<Q> = distinct.iter().map(|_| weight(rng)).collect();
    let values: Vec<Vec<Q>> =
        distinct.iter().map(|_| (0..n_states).map(|_| q(rng.within(-6, 6), rng.within(1, 2))).collect()).collect();
    let transitions = rng.index(4);
    let states = (0..n_states)
        .map(|state| {
            (0..n_offered(rng, n_choices))
                .map(|position| {
                    let to = distribution(rng, n_states, transitions);
                    let advantages = match (position, knife_edge) {
                        (0, _) => vec![Q::zero(); distinct.len()],
                        (_, true) => knife_edge_advantages(rng, &distinct),
                        (_, false) => advantages(rng, distinct.len()),
                    };
                    let reward = |i: usize| {
                        let next = to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &values[i][*target]);
                        (&advantages[i] + &values[i][state] - &distinct[i] * next) / &weights[i]
                    };
                    Choice { name: String::new(), rewards: (0..distinct.len()).map(reward).collect(), to }
                })
                .collect()
        })
        .collect();
    let principals = distinct.iter().zip(&weights);
    let who =
        |(discount, weight): (&Q, &Q)| Who { name: String::new(), discount: discount.clone(), weight: weight.clone() };
    Plain { principals: principals.map(who).collect(), names: vec![String::new(); n_states], states }
}

/// Zeros, then a loss, then anything.
fn advantages(rng: &mut Rng, n: usize) -> Vec<Q> {
    let anywhere = rng.index(n + 1);
    let zeros = rng.pick(&[0, 0, 1, anywhere, n]);
    let any = |rng: &mut Rng, i: usize| match i.cmp(&zeros) {
        std::cmp::Ordering::Less => Q::zero(),
        std::cmp::Ordering::Equal => q(-rng.within(1, 4), rng.within(1, 8)),
        std::cmp::Ordering::Greater => q(rng.within(-4, 20), rng.within(1, 3)),
    };
    (0..n).map(|i| any(rng, i)).collect()
}

/// A loss and a later principal's win that cancel at one step exactly, or all but exactly.
fn knife_edge_advantages(rng: &mut Rng, discounts: &[Q]) -> Vec<Q> {
    let n = discounts.len();
    let mut advantages = vec![Q::zero(); n];
    if n < 2 {
        return advantages;
    }
    let loser = rng.index(n - 1);
    let winner = loser + 1 + rng.index(n - loser - 1);
    let step = rng.pick(&[0u32, 1, 2, 3, 5, 8, 13, 34, 89]);
    let size = q(rng.within(1, 3), 1);
    advantages[loser] = -(discounts[winner].pow(step) * &size);
    advantages[winner] = discounts[loser].pow(step) * &size;
    if winner + 1 < n && rng.chance(2) && !advantages[loser].is_zero() {
        // The full sum stays below 0 although a prefix does not.
        let outweighs = &advantages[winner] * q(rng.within(1, 3), 1);
        advantages[n - 1] -= outweighs;
    }
    if advantages[loser].is_zero() {
        // A discount of 0 cancels nothing past step 0; without a loss nobody may win.
        advantages[winner] = -advantages[winner].abs();
    } else if rng.chance(3) {
        // Off the edge by less than a double can tell.
        let tiny = Q::new(rng.pick(&[1, -1]).into(), BigInt::from(10).pow(26u32));
        let nudge = &advantages[loser] * tiny;
        advantages[winner] += nudge;
    }
    advantages
}

/// The same choice twice, perhaps with a difference that is never felt.
fn duplicate_choice(rng: &mut Rng, plain: &mut Plain) {
    let state = rng.index(plain.states.len());
    let copy = rng.pick(&plain.states[state]);
    plain.states[state].push(copy);
}

/// Every state twice; half of the ways lead to the twins.
fn mirror(plain: &mut Plain) {
    let n = plain.states.len();
    let mut twins = plain.states.clone();
    for choice in plain.states.iter_mut().flatten() {
        let both = |(target, p): &(usize, Q)| [(*target, p * q(1, 2)), (*target + n, p * q(1, 2))];
        choice.to = choice.to.iter().flat_map(both).collect();
    }
    for choice in twins.iter_mut().flatten() {
        choice.to.iter_mut().for_each(|(target, _)| *target += n);
    }
    plain.states.extend(twins);
    plain.names.extend(vec![String::new(); n]);
}

fn add_unreachable_state(rng: &mut Rng, plain: &mut Plain) {
    let copied = rng.pick(&plain.states);
    plain.states.push(copied);
    plain.names.push(String::new());
}

/// One principal becomes two with the same discount, whose weighted rewards add up to the old ones.
fn split_principal(rng: &mut Rng, plain: &mut Plain) {
    let principal = rng.index(plain.principals.len());
    let old = plain.principals[principal].clone();
    let (first, second) = (weight(rng), weight(rng));
    plain.principals[principal].weight = first.clone();
    plain.principals.push(Who { weight: second.clone(), ..old.clone() });
    for choice in plain.states.iter_mut().flatten() {
        let whole = &choice.rewards[principal] * &old.weight;
        let part = q(rng.within(-3, 3), 1);
        choice.rewards.push((whole - &part * &first) / &second);
        choice.rewards[principal] = part;
    }
}

fn silence_principal(rng: &mut Rng, plain: &mut Plain) {
    let principal = rng.index(plain.principals.len());
    plain.states.iter_mut().flatten().for_each(|choice| choice.rewards[principal] = Q::zero());
}

fn shuffle_principals(rng: &mut Rng, plain: &mut Plain) {
    let mut order: Vec<usize> = (0..plain.principals.len()).collect();
    rng.shuffle(&mut order);
    plain.principals = order.iter().map(|&i| plain.principals[i].clone()).collect();
    for choice in plain.states.iter_mut().flatten() {
        choice.rewards = order.iter().map(|&i| choice.rewards[i].clone()).collect();
    }
}

/// Fresh names all over.
pub fn name(plain: &mut Plain) {
    for (index, who) in plain.principals.iter_mut().enumerate() {
        who.name = format!("p{index}");
    }
    for (index, name) in plain.names.iter_mut().enumerate() {
        *name = format!("s{index}");
    }
    for choices in &mut plain.states {
        for (index, choice) in choices.iter_mut().enumerate() {
            choice.name = format!("a{index}");
        }
    }
}
