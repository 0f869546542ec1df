//! The Markov chain of a strategy in flat arrays: the places it can reach, its decisions there, and their outcomes.

use super::PathStep;
use super::patience::Patience;
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::{Enclosure, Natural, Rational, UNIT_ROUNDOFF};
use crate::stop::{Pace, StopSignal};
use crate::strategy::{CountingStrategy, Stationary, Strategy};
use std::collections::BTreeMap;

/// The states that can be reached from the start ("places", numbered in the order they are found) with their decisions.
pub(super) struct Chain {
    n_parts: usize,
    /// Place → state.
    states: Vec<StateId>,
    /// Row of rewards → the choice that pays them.
    choices: Vec<ChoiceId>,
    /// Place → its first decision, in increasing steps.
    first_decision: Vec<usize>,
    decisions: Vec<Decision>,
    outcomes: Vec<Outcome>,
    /// Rows of rewards, one number per part of a principal.
    rewards: Vec<f64>,
    /// Per part, a double that is at least the absolute value of each of its rewards.
    greatest_rewards: Vec<f64>,
    most_outcomes: usize,
    /// The places in which a run may start: drawn 64-bit numbers below the first number mean this one.
    starts: Vec<(u64, u32)>,
}

/// From this step on, one of these outcomes.
pub(super) struct Decision {
    from: u64,
    first_outcome: usize,
    n_outcomes: usize,
    /// Whether the one outcome is the same place again, at every later step.
    pub(super) for_ever: bool,
}

/// A choice taken and the place it leads to.
pub(super) struct Outcome {
    /// Drawn 64-bit numbers below this one, and not below that of the outcome before, mean this outcome.
    below: u64,
    row: u32,
    pub(super) target: u32,
}

impl Chain {
    /// What can be reached from `start`, with the rewards of the principals in this order, one for each part.
    pub(super) fn new(model: &Mdp, strategy: &Strategy, start: StateId, order: &[usize]) -> Chain {
        let chain = Chain {
            n_parts: order.len(),
            states: Vec::new(),
            choices: Vec::new(),
            first_decision: vec![0],
            decisions: Vec::new(),
            outcomes: Vec::new(),
            rewards: Vec::new(),
            greatest_rewards: vec![0.0; order.len()],
            most_outcomes: 0,
            starts: Vec::new(),
        };
        // Each strategy of a lottery has its own places.
        let certain = Rational::ONE;
        let drawn: Vec<(&Rational, Followed)> = match strategy {
            Strategy::Lottery(lottery) => {
                lottery.shares().iter().map(|(share, own)| (share, Followed::Counting(own))).collect()
            }
            Strategy::Counting(own) => vec![(&certain, Followed::Counting(own))],
            Strategy::Stationary(own) => vec![(&certain, Followed::Stationary(own))],
        };
        let place_of = vec![UNSEEN; model.n_states() * drawn.len()];
        let mut builder = ChainBuilder { model, order, chain, states: Vec::new(), place_of, copy: 0 };
        let mut below = 0u64;
        for (copy, (share, _)) in drawn.iter().enumerate() {
            builder.copy = copy;
            below = below.saturating_add(of_all_numbers(share));
            let place = builder.place(start);
            builder.chain.starts.push((below, place));
        }
        let mut place = 0;
        while let Some(&(copy, state)) = builder.states.get(place) {
            builder.copy = copy;
            builder.decide(&drawn[copy].1, state);
            place += 1;
        }
        if drawn.len() > 1 {
            // The draw at the start also has rounded probabilities.
            builder.chain.most_outcomes += drawn.len();
        }
        let states = builder.states.iter().map(|&(_, state)| state).collect();
        Chain { states, ..builder.chain }
    }

    /// The step of a path in a place with this outcome.
    pub(super) fn taken(&self, place: u32, outcome: &Outcome) -> PathStep {
        PathStep { state: self.states[place as usize], choice: self.choices[outcome.row as usize] }
    }

    /// The place in which every run starts, if it is not random.
    pub(super) fn only_start(&self) -> Option<u32> {
        if let [(_, place)] = self.starts[..] { Some(place) } else { None }
    }

    /// The place in which a run starts that has drawn this number.
    pub(super) fn start(&self, number: u64) -> u32 {
        // The last one takes the probability left over by rounding.
        let but_last = &self.starts[..self.starts.len() - 1];
        self.starts[but_last.partition_point(|(below, _)| *below <= number)].1
    }

    /// What is decided in `place` at `step`.
    pub(super) fn decision(&self, place: u32, step: u64) -> &Decision {
        let place = place as usize;
        let decisions = &self.decisions[self.first_decision[place]..self.first_decision[place + 1]];
        match decisions {
            [.., last] if last.from <= step => last,
            _ => &decisions[decisions.partition_point(|decision| decision.from <= step) - 1],
        }
    }

    /// What may follow a decision; at least one outcome.
    pub(super) fn outcomes(&self, decision: &Decision) -> &[Outcome] {
        &self.outcomes[decision.first_outcome..decision.first_outcome + decision.n_outcomes]
    }

    /// The reward of each part.
    pub(super) fn rewards(&self, outcome: &Outcome) -> &[f64] {
        let first = outcome.row as usize * self.n_parts;
        &self.rewards[first..first + self.n_parts]
    }

    /// Per part, a double that is at least the absolute value of every reward of a run.
    pub(super) fn greatest_rewards(&self) -> &[f64] {
        &self.greatest_rewards
    }

    /// A range that contains the value of every infinite run for a part.
    ///
    /// The greatest is the fixed point of `U(s) = max r + λ U(t)` over all outcomes of all decisions in `s`. Iterated from
    /// `max |R| / (1 − λ)` it stays above that point, so the iteration may end at any time, also when stopped; the least likewise.
    pub(super) fn range(&self, slot: usize, own: &Patience, stop: &StopSignal) -> [f64; 2] {
        /// The most outcomes that are visited, for all parts.
        const WORK: u64 = 1 << 25;
        /// The relative change of the bound at which the iteration ends.
        const STILL: f64 = 1e-6;
        if let Some(total) = own.thinned {
            // A run may end at any of several steps, so that nothing may count, or everything.
            let rewards = || self.rewards.iter().skip(slot).step_by(self.n_parts);
            let outward = 8.0 * UNIT_ROUNDOFF * own.most;
            let least = rewards().copied().fold(0.0, f64::min) * total;
            let greatest = rewards().copied().fold(0.0, f64::max) * total;
            return [least - outward, greatest + outward];
        }
        if own.window.is_some() {
            // The value is at least the least and at most the greatest reward at each of the steps that count.
            let rewards = || self.rewards.iter().skip(slot).step_by(self.n_parts);
            let outward = 8.0 * UNIT_ROUNDOFF * own.most;
            let least = rewards().copied().fold(f64::INFINITY, f64::min) * own.total;
            let greatest = rewards().copied().fold(f64::NEG_INFINITY, f64::max) * own.total;
            return [least - outward, greatest + outward];
        }
        let n_places = self.first_decision.len() - 1;
        let reward = |outcome: &Outcome| self.rewards[outcome.row as usize * self.n_parts + slot];
        let rounds = (WORK / (self.outcomes.len() * self.n_parts) as u64).clamp(1, own.length);
        let mut pace = Pace::of(stop);
        // The rounding error of all rounds.
        let rounding = 8.0 * UNIT_ROUNDOFF * own.most * (rounds as f64 + 1.0);
        let mut end = |direction: f64| {
            let mut bound = vec![own.most; n_places];
            for _ in 0..rounds {
                let mut moved = 0.0f64;
                for place in 0..n_places {
                    let decisions = &self.decisions[self.first_decision[place]..self.first_decision[place + 1]];
                    let worth = |decision: &Decision| {
                        let outcomes = self.outcomes(decision).iter();
                        let each = outcomes.map(|outcome| {
                            let reward = direction * reward(outcome);
                            if decision.for_ever {
                                reward * own.for_ever
                            } else {
                                reward + own.discount * bound[outcome.target as usize]
                            }
                        });
                        each.fold(f64::NEG_INFINITY, f64::max)
                    };
                    let best = decisions.iter().map(worth).fold(f64::NEG_INFINITY, f64::max).min(bound[place]);
                    moved = moved.max(bound[place] - best);
                    bound[place] = best;
                }
                if moved <= STILL * own.most || pace.stops_after(self.outcomes.len()) {
                    break;
                }
            }
            let from_starts = self.starts.iter().map(|&(_, place)| bound[place as usize]);
            direction * (from_starts.fold(f64::NEG_INFINITY, f64::max) + rounding)
        };
        [end(-1.0), end(1.0)]
    }

    /// The most outcomes of a decision.
    pub(super) fn most_outcomes(&self) -> usize {
        self.most_outcomes
    }
}

/// The outcome that a number drawn evenly from all 64-bit numbers means.
pub(super) fn draw(outcomes: &[Outcome], number: u64) -> &Outcome {
    // The last outcome takes the probability left over by rounding.
    let but_last = &outcomes[..outcomes.len() - 1];
    &outcomes[but_last.partition_point(|outcome| outcome.below <= number)]
}

const UNSEEN: u32 = u32::MAX;

/// What a run follows once it is drawn.
enum Followed<'s> {
    Counting(&'s CountingStrategy),
    Stationary(&'s Stationary),
}

struct ChainBuilder<'m> {
    model: &'m Mdp,
    order: &'m [usize],
    chain: Chain,
    /// Place → which strategy is followed, and the state.
    states: Vec<(usize, StateId)>,
    /// State → place, for each strategy.
    place_of: Vec<u32>,
    /// The strategy whose places are looked at.
    copy: usize,
}

impl ChainBuilder<'_> {
    /// Adds the decisions of the next place, which is `state`.
    fn decide(&mut self, strategy: &Followed, state: StateId) {
        match strategy {
            Followed::Stationary(stationary) => {
                let mix = stationary.mix(state).iter().map(|(choice, share)| (*choice, share));
                let (first_outcome, n_outcomes) = self.lottery(mix);
                self.chain.decisions.push(Decision { from: 0, first_outcome, n_outcomes, for_ever: false });
            }
            Followed::Counting(counting) => {
                let mut lotteries = BTreeMap::new();
                for change in counting.changes(state) {
                    let (first_outcome, n_outcomes) = *lotteries
                        .entry(change.choice)
                        .or_insert_with(|| self.lottery([(change.choice, &Rational::ONE)].into_iter()));
                    // A step beyond 64 bits is never reached.
                    let from = u64::try_from(&change.from).unwrap_or(u64::MAX);
                    self.chain.decisions.push(Decision { from, first_outcome, n_outcomes, for_ever: false });
                }
            }
        }
        let place = self.chain.first_decision.len() - 1;
        let last = self.chain.decisions.last_mut().expect("a strategy decides in every state");
        let again = |outcome: &Outcome| outcome.target as usize == place;
        last.for_ever = last.n_outcomes == 1 && again(&self.chain.outcomes[last.first_outcome]);
        self.chain.first_decision.push(self.chain.decisions.len());
    }

    /// Adds the outcomes of a mix of choices: where they begin, and how many there are.
    fn lottery<'r>(&mut self, mix: impl Iterator<Item = (ChoiceId, &'r Rational)>) -> (usize, usize) {
        let first = self.chain.outcomes.len();
        let mut below = 0u64;
        for (choice, share) in mix {
            let row = self.reward_row(choice);
            for (target, probability) in self.model.transitions(choice) {
                below = below.saturating_add(of_all_numbers(&(probability * share)));
                let target = self.place(target);
                self.chain.outcomes.push(Outcome { below, row, target });
            }
        }
        let n_outcomes = self.chain.outcomes.len() - first;
        self.chain.most_outcomes = self.chain.most_outcomes.max(n_outcomes);
        (first, n_outcomes)
    }

    fn reward_row(&mut self, choice: ChoiceId) -> u32 {
        let row = self.chain.choices.len();
        self.chain.choices.push(choice);
        let rewards = self.model.rewards(choice);
        for (slot, &p) in self.order.iter().enumerate() {
            let reward = Enclosure::from(&rewards[p]);
            let greatest = &mut self.chain.greatest_rewards[slot];
            *greatest = greatest.max(-reward.lower()).max(reward.upper());
            self.chain.rewards.push(reward.midpoint());
        }
        u32::try_from(row).expect("no more rows than choices")
    }

    fn place(&mut self, state: StateId) -> u32 {
        let place = &mut self.place_of[self.copy * self.model.n_states() + state.index()];
        if *place == UNSEEN {
            *place = u32::try_from(self.states.len()).expect("no more places than states");
            self.states.push((self.copy, state));
        }
        *place
    }
}

/// This probability times 2^64, rounded down; 2^64 − 1 for probability 1.
fn of_all_numbers(probability: &Rational) -> u64 {
    let (numerator, denominator) = (probability.numerator(), probability.denominator());
    let scaled: Natural = numerator.clone().into_parts().1 << 64;
    u64::try_from(&(scaled / denominator)).unwrap_or(u64::MAX)
}
