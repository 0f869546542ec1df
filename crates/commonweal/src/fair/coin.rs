//! A lottery over two strategies as one strategy that randomises at one decision. (More strategies: `purify`.)
//!
//! Both strategies are optimal for the weights that prove the lottery, so their decisions are optimal at every state and step
//! that they reach. Where they differ, decisions are switched from the first to the second one at a time, earliest step first.
//! Every intermediate strategy is optimal for the weights too, so its payoffs lie on the edge between the two. They go from one
//! end of the edge to the other, so some switch passes the lottery's payoffs, and randomising at that decision reaches them
//! exactly.
//!
//! A state that only one of the two reaches at a step takes that strategy's decision.

use super::lexicographic::exact_payoffs;
use super::purify::{NoCoin, with_few_coins};
use super::{Fair, Share};
use crate::model::{Mdp, StateId};
use crate::number::{Rational, Value, sum};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Coin, CountingStrategy, Step, Tossing};

/// The number of steps considered after both strategies have settled: if they differ for ever, later switches matter less and less.
const STEPS_AFTER: u64 = 512;
/// The most steps that are considered.
const MOST_STEPS: u64 = 100_000;

impl Fair {
    /// The same payoffs from one strategy that randomises at a few decisions, and that strategy; without coins if no lottery is needed.
    /// The mix is then over the strategies that result from all outcomes, which differ only in these decisions.
    pub(crate) fn with_coins(self, mdp: &Mdp, stop: &StopSignal) -> Result<(Fair, Tossing), NoCoin> {
        match &self.mix[..] {
            [only] => {
                let strategy = only.strategy.clone();
                return Ok((self, Tossing { strategy, coins: Vec::new() }));
            }
            [first, second] => {
                let two = [first.clone(), second.clone()];
                let found = self.clone().with_one_coin(two, mdp, stop);
                match found.and_then(|(fair, coin)| fair.tossing(mdp, coin.into_iter().collect())) {
                    Err(NoCoin::NoDecision | NoCoin::Stopped(StopReason::LayerLimit)) => {}
                    found => return found,
                }
            }
            _ => {}
        }
        if self.payoffs.iter().any(|payoff| payoff.exact.is_none()) {
            return Err(NoCoin::NotExact);
        }
        if mdp.principals().iter().any(|principal| principal.parts().is_none_or(|parts| parts.len() > 1)) {
            return Err(NoCoin::SeveralParts);
        }
        let (mix, coins) = with_few_coins(&self, mdp, stop)?;
        let mixed = |p: usize| {
            sum(mix.iter().map(|share| &share.probability * share.payoffs[p].exact.clone().expect("just evaluated")))
        };
        if (0..self.payoffs.len()).any(|p| self.payoffs[p].exact.as_ref() != Some(&mixed(p))) {
            return Err(NoCoin::NoDecision);
        }
        Fair { mix, ..self }.tossing(mdp, coins)
    }

    /// With one strategy whose coins have the mix as their outcomes.
    fn tossing(self, mdp: &Mdp, coins: Vec<Coin>) -> Result<(Fair, Tossing), NoCoin> {
        let outcomes: Vec<&CountingStrategy> = self.mix.iter().map(|share| &share.strategy).collect();
        let tossing = Tossing::of(mdp, &outcomes, coins).ok_or(NoCoin::NoDecision)?;
        Ok((self, tossing))
    }

    /// The same for two strategies: one randomised decision.
    fn with_one_coin(
        self,
        [first, second]: [Share; 2],
        mdp: &Mdp,
        stop: &StopSignal,
    ) -> Result<(Fair, Option<Coin>), NoCoin> {
        let path = Path::between(mdp, &first.strategy, &second.strategy);
        let exact =
            |values: &[Value]| values.iter().map(|value| value.exact.clone()).collect::<Option<Vec<Rational>>>();
        let goal = exact(&self.payoffs).ok_or(NoCoin::NotExact)?;
        let ends = [exact(&first.payoffs).ok_or(NoCoin::NotExact)?, exact(&second.payoffs).ok_or(NoCoin::NotExact)?];
        // The position on the edge, by the payoff of a principal for whom the ends differ.
        let p = (0..goal.len()).find(|&p| ends[0][p] != ends[1][p]).ok_or(NoCoin::NotExact)?;
        let along = |payoffs: &[Rational]| (&payoffs[p] - &ends[0][p]) / (&ends[1][p] - &ends[0][p]);
        let target = along(&goal);
        let payoffs_at =
            |switched: usize| exact_payoffs(mdp, &path.strategy(mdp, switched), stop).map_err(NoCoin::Stopped);
        if path.switches.is_empty() {
            return Err(NoCoin::NoDecision);
        }
        let (mut before, mut after) = (0, path.switches.len());
        if along(&payoffs_at(after)?) < target {
            // The strategies differ for ever, and the last switch considered does not reach the lottery's payoffs.
            return Err(NoCoin::Stopped(StopReason::LayerLimit));
        }
        while after - before > 1 {
            stop.check().map_err(NoCoin::Stopped)?;
            let middle = (before + after) / 2;
            if along(&payoffs_at(middle)?) <= target { before = middle } else { after = middle }
        }
        let (step, state) = path.switches[before];
        let two = [before, after].map(|switched| path.strategy(mdp, switched));
        let payoffs = [payoffs_at(before)?, payoffs_at(after)?];
        let reached = [along(&payoffs[0]), along(&payoffs[1])];
        let later = if reached[0] == reached[1] {
            Rational::ZERO
        } else {
            (&target - &reached[0]) / (&reached[1] - &reached[0])
        };
        let shares = [Rational::ONE - &later, later];
        let mixed = |p: usize| &payoffs[0][p] * &shares[0] + &payoffs[1][p] * &shares[1];
        if (0..goal.len()).any(|p| mixed(p) != goal[p]) {
            return Err(NoCoin::NoDecision);
        }
        let step = Step::from(step);
        let choices = [0, 1].map(|k| (two[k].choice(state, &step), shares[k].clone())).to_vec();
        let mut mix = Vec::new();
        for ((strategy, own), probability) in two.into_iter().zip(payoffs).zip(shares) {
            if !probability.is_zero() {
                mix.push(Share { probability, strategy, payoffs: own.into_iter().map(Value::from).collect() });
            }
        }
        let coin = (mix.len() > 1).then_some(Coin { state, step, choices });
        Ok((Fair { mix, ..self }, coin))
    }
}

/// Two strategies, the states that each reaches, and those that both reach and in which they differ.
struct Path<'s> {
    strategies: [&'s CountingStrategy; 2],
    /// Per step, the states that each reaches.
    reached: Vec<[Vec<bool>; 2]>,
    /// In increasing steps.
    switches: Vec<(u64, StateId)>,
}

impl<'s> Path<'s> {
    fn between(mdp: &Mdp, first: &'s CountingStrategy, second: &'s CountingStrategy) -> Path<'s> {
        let strategies = [first, second];
        let settled = strategies.map(|own| u64::try_from(&own.settled_from()).unwrap_or(u64::MAX));
        let end = settled[0].max(settled[1]).saturating_add(STEPS_AFTER).min(MOST_STEPS);
        let differ_for_ever = mdp.states().any(|state| first.tail(state) != second.tail(state));
        let end = if differ_for_ever { end } else { settled[0].max(settled[1]).min(MOST_STEPS) };
        let mut at = [vec![false; mdp.n_states()], vec![false; mdp.n_states()]];
        at.iter_mut().for_each(|at| at[mdp.start().index()] = true);
        let (mut reached, mut switches) = (Vec::new(), Vec::new());
        for step in 0..end {
            let now = Step::from(step);
            for state in mdp.states().filter(|state| at[0][state.index()] && at[1][state.index()]) {
                if first.choice(state, &now) != second.choice(state, &now) {
                    switches.push((step, state));
                }
            }
            let next = [0, 1].map(|k| {
                let mut next = vec![false; mdp.n_states()];
                for state in mdp.states().filter(|state| at[k][state.index()]) {
                    for target in mdp.targets(strategies[k].choice(state, &now)) {
                        next[target.index()] = true;
                    }
                }
                next
            });
            reached.push(std::mem::replace(&mut at, next));
        }
        Path { strategies, reached, switches }
    }

    /// The strategy in which this many decisions are switched.
    fn strategy(&self, mdp: &Mdp, switched: usize) -> CountingStrategy {
        let of_state = |state: StateId| {
            let mut changes: Vec<Change> = Vec::new();
            for (step, reached) in self.reached.iter().enumerate() {
                let now = Step::from(step);
                let both = reached[0][state.index()] && reached[1][state.index()];
                let turned = self.switches.partition_point(|switch| *switch < (step as u64, state)) < switched;
                let takes_second = if both { turned } else { reached[1][state.index()] };
                let choice = self.strategies[usize::from(takes_second)].choice(state, &now);
                if changes.last().is_none_or(|last| last.choice != choice) {
                    changes.push(Change { from: now, choice });
                }
            }
            // After the last step considered: the second strategy once all decisions are switched, the first otherwise.
            let tail = self.strategies[usize::from(switched == self.switches.len())];
            let end = Step::from(self.reached.len());
            let rest = tail.changes(state).iter().filter(|change| change.from > end).cloned();
            let at_end = Change { from: end.clone(), choice: tail.choice(state, &end) };
            for change in [at_end].into_iter().chain(rest) {
                if changes.last().is_none_or(|last| last.choice != change.choice) {
                    changes.push(change);
                }
            }
            changes
        };
        CountingStrategy::from_changes(mdp, mdp.states().map(of_state).collect())
    }
}
