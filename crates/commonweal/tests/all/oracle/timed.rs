//! Models whose steps count what a list says: backward induction with every step's own weights.
//!
//! From the step on from which all preferences are sums of powers the [`reference`](mod@super::reference) solves the model in
//! which every part is a principal of its own. Before it, `W_j(s) = max_a Σ_p w_p d_p(j) R_p(s,a) + Σ_t P(t|s,a) W_{j+1}(t)`,
//! one step after the other, in fractions. Knows nothing of segments but what a step counts for.

use super::plain::{Choice, Plain, Q, Who, to_solver};
use super::random::{self, Rng};
use super::{Reference, q};
use commonweal::internals::model::{Mdp, ModelBuilder};
use commonweal::preferences::{Part, Segment};
use commonweal::structure::Principal;
use num_traits::{One, Zero};

/// From a step on, until the next entry: coefficients with their discounts.
pub type Preference = Vec<(u64, Vec<(Q, Q)>)>;

/// A model whose discounts count for nothing, and what steps count for.
#[derive(Debug, Clone)]
pub struct Timed {
    pub plain: Plain,
    pub preferences: Vec<Preference>,
}

/// What is right. Choices are positions within their state.
pub struct Truth {
    pub horizon: u64,
    pub welfare: Vec<Q>,
    /// Per principal and state.
    pub payoffs: Vec<Vec<Q>>,
    pub memory: Vec<u64>,
    /// The decisions before the horizon, per step and state; the first of `long_term` after it.
    pub layers: Vec<Vec<usize>>,
    pub long_term: Vec<Vec<usize>>,
}

impl Truth {
    pub fn decision(&self, step: usize, state: usize) -> usize {
        self.layers.get(step).map_or(self.long_term[state][0], |layer| layer[state])
    }
}

impl Timed {
    /// A small model of a seed: one to four segments a principal, discounts that they share, terms of office.
    pub fn random(seed: u64) -> Timed {
        let mut rng = Rng::new(seed ^ 0x5e67);
        let plain = if rng.chance(2) { random::tiny(seed) } else { random::model(seed) };
        let preferences = plain.principals.iter().map(|_| preference(&mut rng)).collect();
        Timed { plain, preferences }
    }

    /// What step `step` counts for to principal `p`, before its weight.
    pub fn counts(&self, p: usize, step: u64) -> Q {
        let (from, parts) = self.preferences[p].iter().rev().find(|(from, _)| *from <= step).expect("from step 0 on");
        let after = u32::try_from(step - from).expect("a few steps");
        parts.iter().fold(Q::zero(), |sum, (c, discount)| sum + c * power(discount, after))
    }

    /// The step from which on all preferences stay as they are.
    pub fn last_segment(&self) -> u64 {
        self.preferences.iter().map(|own| own.last().expect("a segment").0).max().expect("a principal")
    }

    pub fn model(&self) -> Mdp {
        let part = |(c, discount): &(Q, Q)| Part { coefficient: to_solver(c), discount: to_solver(discount) };
        let principal = |(who, own): (&Who, &Preference)| {
            let segment =
                |(from, parts): &(u64, Vec<(Q, Q)>)| Segment { from: *from, parts: parts.iter().map(part).collect() };
            let segments = own.iter().map(segment).collect();
            Principal::with_segments(who.name.clone(), segments).expect("segments").weighted(to_solver(&who.weight))
        };
        let principals = self.plain.principals.iter().zip(&self.preferences).map(principal).collect();
        let names = self.plain.names.iter().map(String::as_str);
        let mut builder = ModelBuilder::new(principals, names).expect("a valid model");
        for (state, choices) in self.plain.states.iter().enumerate() {
            for Choice { name, rewards, to } in choices {
                let to = to.iter().map(|(target, p)| ((*target).into(), to_solver(p)));
                builder.choice(state.into(), name, rewards.iter().map(to_solver), to).expect("a valid model");
            }
        }
        builder.finish().expect("a valid model")
    }

    /// What is right, unless the horizon is more than `limit` steps after the last segment began.
    pub fn solve(&self, limit: usize) -> Option<Truth> {
        let plain = &self.plain;
        let begins = self.last_segment();
        // Every part that counts in the end is a principal of its own.
        let mut owners = Vec::new();
        let mut principals = Vec::new();
        for (p, own) in self.preferences.iter().enumerate() {
            let (from, parts) = own.last().expect("a segment");
            let after = u32::try_from(begins - from).expect("a few steps");
            for (c, discount) in parts {
                owners.push((p, c * power(discount, after)));
                let weight = &plain.principals[p].weight * c * power(discount, after);
                principals.push(Who { name: format!("part{}", owners.len()), discount: discount.clone(), weight });
            }
        }
        if owners.is_empty() {
            owners.push((0, Q::zero()));
            principals.push(Who { name: "nobody".into(), discount: q(1, 2), weight: Q::zero() });
        }
        let in_the_end = |choice: &Choice| Choice {
            rewards: owners.iter().map(|(p, _)| choice.rewards[*p].clone()).collect(),
            ..choice.clone()
        };
        let states = plain.states.iter().map(|choices| choices.iter().map(in_the_end).collect()).collect();
        let tail = Reference::solve(&Plain { principals, states, names: plain.names.clone() }, limit)?;
        let n = plain.states.len();
        let payoff = |p: usize| {
            let own = owners.iter().zip(&tail.payoffs).filter(|((owner, _), _)| *owner == p);
            let add = |sum: Vec<Q>, ((_, c), payoffs): (&(usize, Q), &Vec<Q>)| {
                sum.iter().zip(payoffs).map(|(sum, payoff)| sum + c * payoff).collect()
            };
            own.fold(vec![Q::zero(); n], add)
        };
        let mut payoffs: Vec<Vec<Q>> = (0..plain.principals.len()).map(payoff).collect();
        let mut welfare = tail.welfare.clone();
        let late = |step: &usize| if *step == 0 { 0 } else { *step as u64 + begins };
        let mut memory: Vec<u64> = tail.memory.iter().map(late).collect();
        let mut layers = tail.layers.clone();
        for step in (0..begins).rev() {
            let counts: Vec<Q> = (0..plain.principals.len()).map(|p| self.counts(p, step)).collect();
            let expected = |choice: &Choice, later: &[Q]| {
                choice.to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &later[*target])
            };
            let worth = |choice: &Choice| {
                let now = plain.principals.iter().zip(&counts).zip(&choice.rewards);
                now.fold(expected(choice, &welfare), |sum, ((who, counts), reward)| sum + &who.weight * counts * reward)
            };
            let decide = |state: usize| {
                let worths: Vec<Q> = plain.states[state].iter().map(worth).collect();
                let best = worths.iter().max().expect("a choice").clone();
                let ties: Vec<usize> = (0..worths.len()).filter(|&choice| worths[choice] == best).collect();
                let long_term = ties.iter().find(|choice| tail.long_term[state].contains(choice));
                (*long_term.unwrap_or(&ties[0]), best)
            };
            let (layer, best): (Vec<usize>, Vec<Q>) = (0..n).map(decide).unzip();
            let taken = |state: usize| &plain.states[state][layer[state]];
            payoffs = (payoffs.iter().zip(&counts).enumerate())
                .map(|(p, (later, counts))| {
                    let of_state = |state| expected(taken(state), later) + counts * &taken(state).rewards[p];
                    (0..n).map(of_state).collect()
                })
                .collect();
            let remembers = |state: usize| {
                let later = taken(state).to.iter().map(|(target, _)| memory[*target]).max().expect("a successor");
                if tail.long_term[state].contains(&layer[state]) { later } else { later.max(step + 1) }
            };
            memory = (0..n).map(remembers).collect();
            layers.insert(0, layer);
            welfare = best;
        }
        let horizon = tail.horizon as u64 + begins;
        Some(Truth { horizon, welfare, payoffs, memory, layers, long_term: tail.long_term })
    }
}

fn power(x: &Q, exponent: u32) -> Q {
    (0..exponent).fold(Q::one(), |power, _| power * x)
}

fn preference(rng: &mut Rng) -> Preference {
    let discounts = [q(9, 10), q(3, 4), q(2, 3), q(1, 2), q(1, 3), q(0, 1)];
    let coefficients = [q(1, 1), q(1, 1), q(7, 10), q(-1, 2), q(2, 1)];
    let mut from = 0;
    let mut segments = Vec::new();
    for _ in 0..1 + rng.index(4) {
        let mut chosen = discounts.to_vec();
        rng.shuffle(&mut chosen);
        let n_parts = if from == 0 { 1 + rng.index(2) } else { rng.pick(&[0, 1, 1, 2]) };
        let parts = chosen.into_iter().take(n_parts).map(|discount| (rng.pick(&coefficients), discount)).collect();
        segments.push((from, parts));
        from += 1 + rng.index(6) as u64;
    }
    without_repetitions(segments)
}

/// The same without the entries that only go on with what the one before says: a horizon counts from the last that does not.
fn without_repetitions(segments: Preference) -> Preference {
    let mut told: Preference = Vec::new();
    for (from, parts) in segments {
        let goes_on = told.last().is_some_and(|(before, said)| {
            let after = u32::try_from(from - before).expect("a few steps");
            let later = said.iter().map(|(c, discount)| (c * power(discount, after), discount.clone()));
            let mut later: Vec<(Q, Q)> = later.filter(|(c, _)| !c.is_zero()).collect();
            let mut own = parts.clone();
            [&mut later, &mut own].into_iter().for_each(|parts| parts.sort_by(|a, b| a.1.cmp(&b.1)));
            later == own
        });
        if !goes_on {
            told.push((from, parts));
        }
    }
    told
}
