//! The paper's algorithm, word for word and slowly.
//!
//! Algorithm 1 by policy iteration in canonical fractions; the horizon by its definition, one step after the other; the
//! layers before it by backward induction, one after the other; memory by forward reachability from every state.

use super::evaluate::{common_denominator, over, payoffs, positional, probability_denominator, weighted};
use super::plain::{Choice, Plain, Q};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All that an exact answer states. Choices are positions within their state.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub horizon: usize,
    pub welfare: Vec<Q>,
    pub long_term_welfare: Vec<Q>,
    /// Per principal of the file and state.
    pub payoffs: Vec<Vec<Q>>,
    pub memory: Vec<usize>,
    /// The choices that the long-term strategy allows, per state.
    pub long_term: Vec<Vec<usize>>,
    /// The decisions before the horizon, per step and state.
    pub layers: Vec<Vec<usize>>,
}

impl Reference {
    /// The answer, unless its horizon is past `limit`.
    pub fn solve(plain: &Plain, limit: usize) -> Option<Reference> {
        let ordered = Ordered::of(plain);
        let (long_term, values) = long_term(plain, &ordered);
        let unravelling = Unravelling::of(plain, &ordered, &values);
        let horizon = unravelling.horizon(limit)?;
        let (layers, gain) = unravelling.layers(plain, horizon, &long_term);
        let tail: Vec<usize> = long_term.iter().map(|allowed| allowed[0]).collect();
        let payoffs = payoffs(plain, &layers, &tail);
        let long_term_welfare: Vec<Q> = (0..plain.states.len())
            .map(|state| values.iter().fold(Q::zero(), |sum, value| sum + &value[state]))
            .collect();
        let welfare: Vec<Q> = long_term_welfare.iter().zip(&gain).map(|(value, gain)| value + gain).collect();
        // The algorithm must keep its own promise: its strategy earns what the telescoping sum says.
        assert_eq!(welfare, weighted(plain, &payoffs), "the reference contradicts itself on {plain}");
        let memory = (0..plain.states.len()).map(|start| memory(plain, start, &layers, &long_term)).collect();
        Some(Reference { horizon, welfare, long_term_welfare, payoffs, memory, long_term, layers })
    }

    /// The decision at a step, before or after the horizon.
    pub fn decision(&self, step: usize, state: usize) -> usize {
        self.layers.get(step).map_or(self.long_term[state][0], |layer| layer[state])
    }
}

/// Equal discounts merged, decreasing patience, weights inside the rewards.
pub struct Ordered {
    pub discounts: Vec<Q>,
    /// Per state, choice and ordered principal.
    pub rewards: Vec<Vec<Vec<Q>>>,
}

impl Ordered {
    pub fn of(plain: &Plain) -> Ordered {
        let mut discounts: Vec<Q> = plain.principals.iter().map(|who| who.discount.clone()).collect();
        discounts.sort_by(|a, b| b.cmp(a));
        discounts.dedup();
        let merged = |rewards: &[Q], discount: &Q| {
            let members = plain.principals.iter().zip(rewards).filter(|(who, _)| who.discount == *discount);
            members.fold(Q::zero(), |sum, (who, reward)| sum + &who.weight * reward)
        };
        let of_choice = |rewards: &[Q]| discounts.iter().map(|discount| merged(rewards, discount)).collect::<Vec<Q>>();
        let rewards =
            plain.states.iter().map(|choices| choices.iter().map(|choice| of_choice(&choice.rewards)).collect());
        Ordered { rewards: rewards.collect(), discounts }
    }
}

/// Algorithm 1: the choices allowed in the end, and every principal's values.
pub fn long_term(plain: &Plain, ordered: &Ordered) -> (Vec<Vec<usize>>, Vec<Vec<Q>>) {
    let mut allowed: Vec<Vec<usize>> = plain.states.iter().map(|choices| (0..choices.len()).collect()).collect();
    let mut all_values = Vec::new();
    for principal in 0..ordered.discounts.len() {
        let mut policy: Vec<usize> = allowed.iter().map(|choices| choices[0]).collect();
        let values = loop {
            let reward = |state: usize, choice: usize| ordered.rewards[state][choice][principal].clone();
            let values = positional(plain, &policy, &ordered.discounts[principal], reward);
            let mut improved = false;
            for (state, choices) in allowed.iter().enumerate() {
                let mut best = values[state].clone();
                for &choice in choices {
                    let value = one_step(plain, ordered, principal, state, choice, &values);
                    if value > best {
                        (best, policy[state], improved) = (value, choice, true);
                    }
                }
            }
            if !improved {
                break values;
            }
        };
        for (state, choices) in allowed.iter_mut().enumerate() {
            choices.retain(|&choice| one_step(plain, ordered, principal, state, choice, &values) == values[state]);
        }
        all_values.push(values);
    }
    (allowed, all_values)
}

fn one_step(plain: &Plain, ordered: &Ordered, principal: usize, state: usize, choice: usize, values: &[Q]) -> Q {
    let next = plain.states[state][choice].to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &values[*target]);
    &ordered.rewards[state][choice][principal] + &ordered.discounts[principal] * next
}

/// Δ and λ in integers: `Δᵢ(s, a) = advantage / advantage_denominator`, `λᵢ = numerator / discount_denominator`.
pub struct Unravelling {
    pub advantage: Vec<Vec<Vec<BigInt>>>,
    pub advantage_denominator: BigInt,
    discount: Vec<BigInt>,
    discount_denominator: BigInt,
}

impl Unravelling {
    pub fn of(plain: &Plain, ordered: &Ordered, values: &[Vec<Q>]) -> Unravelling {
        let difference = |principal: usize, state: usize, choice: usize| {
            one_step(plain, ordered, principal, state, choice, &values[principal]) - &values[principal][state]
        };
        let of_choice = |state: usize, choice: usize| -> Vec<Q> {
            (0..values.len()).map(|principal| difference(principal, state, choice)).collect()
        };
        let of_state = |state: usize| (0..plain.states[state].len()).map(|choice| of_choice(state, choice)).collect();
        let fractions: Vec<Vec<Vec<Q>>> = (0..plain.states.len()).map(of_state).collect();
        let advantage_denominator = common_denominator(fractions.iter().flatten().flatten().cloned());
        let whole = |all: &Vec<Q>| all.iter().map(|fraction| over(fraction, &advantage_denominator)).collect();
        let advantage = fractions.iter().map(|choices| choices.iter().map(whole).collect()).collect();
        let discount_denominator = common_denominator(ordered.discounts.iter().cloned());
        let discount = ordered.discounts.iter().map(|discount| over(discount, &discount_denominator)).collect();
        Unravelling { advantage, advantage_denominator, discount, discount_denominator }
    }

    /// The least step at which every prefix sum of every choice is at most 0.
    pub fn horizon(&self, limit: usize) -> Option<usize> {
        let mut powers = vec![BigInt::one(); self.discount.len()];
        for step in 0..=limit {
            if self.passes(&powers) {
                return Some(step);
            }
            for (power, discount) in powers.iter_mut().zip(&self.discount) {
                *power *= discount;
            }
        }
        None
    }

    /// Whether the prefix test holds at a step, however far away.
    pub fn passes_at(&self, step: u32) -> bool {
        let powers: Vec<BigInt> = self.discount.iter().map(|discount| discount.pow(step)).collect();
        self.passes(&powers)
    }

    fn passes(&self, powers: &[BigInt]) -> bool {
        self.advantage.iter().flatten().all(|advantages| {
            let mut prefix = BigInt::zero();
            powers.iter().zip(advantages).all(|(power, advantage)| {
                prefix += power * advantage;
                !prefix.is_positive()
            })
        })
    }

    /// The decisions at the steps before the horizon, and what they gain from step 0 on.
    ///
    /// With λ = p/q, Δ = c/L and probabilities n/r, the gain at step j is an integer over `L q^(H-1) r^(H-1-j)`.
    fn layers(&self, plain: &Plain, horizon: usize, long_term: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<Q>) {
        let n = plain.states.len();
        if horizon == 0 {
            return (Vec::new(), vec![Q::zero(); n]);
        }
        let r = probability_denominator(plain);
        let mut gain = vec![BigInt::zero(); n];
        let mut layers = Vec::new();
        let mut scale = BigInt::one();
        let mut all_powers = vec![vec![BigInt::one(); self.discount.len()]];
        for step in 1..horizon {
            all_powers.push(all_powers[step - 1].iter().zip(&self.discount).map(|(power, p)| power * p).collect());
        }
        let row = |choice: &Choice| choice.to.iter().map(|(target, p)| (*target, over(p, &r))).collect();
        let rows: Vec<Vec<Vec<_>>> = plain.states.iter().map(|choices| choices.iter().map(row).collect()).collect();
        for powers in all_powers.iter().rev() {
            let value = |state: usize, choice: usize| -> BigInt {
                let now: BigInt = powers.iter().zip(&self.advantage[state][choice]).map(|(p, c)| p * c).sum();
                let next = rows[state][choice].iter().map(|(target, p)| p * &gain[*target]);
                now * &scale + next.sum::<BigInt>()
            };
            let (mut layer, mut new_gain) = (Vec::new(), Vec::new());
            for (state, allowed) in long_term.iter().enumerate() {
                let values: Vec<BigInt> = (0..plain.states[state].len()).map(|choice| value(state, choice)).collect();
                let best = values.iter().max().expect("a state has a choice");
                let ties = |choice: &usize| values[*choice] == *best;
                let decision = allowed.iter().copied().find(ties).or((0..values.len()).find(ties));
                layer.push(decision.expect("the best is attained"));
                new_gain.push(best.clone());
            }
            gain = new_gain;
            layers.push(layer);
            scale = scale * &self.discount_denominator * &r;
        }
        layers.reverse();
        let last = horizon as u32 - 1;
        let denominator = &self.advantage_denominator * self.discount_denominator.pow(last) * r.pow(last);
        (layers, gain.into_iter().map(|gain| Q::new(gain, denominator.clone())).collect())
    }
}

/// The first step from which all that is reached from `start` follows the long-term strategy.
fn memory(plain: &Plain, start: usize, layers: &[Vec<usize>], long_term: &[Vec<usize>]) -> usize {
    let mut reached = vec![false; plain.states.len()];
    reached[start] = true;
    let (mut outside, mut other) = (0, 0);
    for (step, layer) in layers.iter().enumerate() {
        let mut next = vec![false; reached.len()];
        for state in (0..reached.len()).filter(|&state| reached[state]) {
            if !long_term[state].contains(&layer[state]) {
                outside = step + 1;
            }
            if long_term[state][0] != layer[state] {
                other = step + 1;
            }
            for (target, _) in &plain.states[state][layer[state]].to {
                next[*target] = true;
            }
        }
        reached = next;
    }
    // Another long-term choice is taken only for a gain that a deviation makes later, so the two readings of "is the
    // long-term strategy" (any allowed choice, or the one held for ever) name the same step.
    assert_eq!(outside, other, "the two readings of memory differ on {plain}");
    outside
}
