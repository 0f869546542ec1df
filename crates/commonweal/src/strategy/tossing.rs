//! Counting strategies with randomised decisions.
//!
//! A run comes to a step once, so every coin is tossed at most once, and what the coins show can as well be drawn at the start: the strategy
//! gives each principal what the lottery over all outcomes gives.

use super::{Change, CountingStrategy, Lottery, Step};
use crate::model::{ChoiceId, StateId, Structure};
use crate::number::Rational;

/// A randomised decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coin {
    /// The state.
    pub state: StateId,
    /// The step.
    pub step: Step,
    /// The choices, two or more, with their probabilities.
    pub choices: Vec<(ChoiceId, Rational)>,
}

/// A counting strategy that tosses coins at some decisions, all of them different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tossing {
    /// What it does at all other decisions.
    pub strategy: CountingStrategy,
    /// The randomised decisions.
    pub coins: Vec<Coin>,
}

impl Tossing {
    /// The most outcomes of all coins together.
    pub const MOST_OUTCOMES: usize = 1_024;

    /// The strategy whose coins have these outcomes. `None` if two of them differ where no coin is, in a state that both come to at one step.
    pub(crate) fn of(model: &Structure, outcomes: &[&CountingStrategy], coins: Vec<Coin>) -> Option<Tossing> {
        let settled = outcomes.iter().map(|outcome| outcome.settled_from());
        let end = settled.chain(coins.iter().map(|coin| &coin.step + 1)).max()?;
        let end = u64::try_from(&end).ok()?;
        let mut at: Vec<Vec<bool>> = vec![vec![false; model.n_states()]; outcomes.len()];
        at.iter_mut().for_each(|at| at[model.start().index()] = true);
        let mut changes: Vec<Vec<Change>> = vec![Vec::new(); model.n_states()];
        for step in 0..=end {
            let now = Step::from(step);
            let next: Vec<Vec<bool>> = outcomes.iter().zip(&at).map(|(own, at)| after(model, own, at, &now)).collect();
            if step == end {
                // From here on all that is reached at any time.
                for (own, at) in outcomes.iter().zip(&mut at) {
                    close(model, own, at);
                }
            }
            for state in model.states() {
                let reached = outcomes.iter().zip(&at).filter(|(_, at)| at[state.index()]);
                let mut taken: Vec<ChoiceId> = reached.map(|(own, _)| own.choice(state, &now)).collect();
                taken.dedup();
                let coin = coins.iter().find(|coin| coin.state == state && coin.step == now);
                if taken.len() > 1 && coin.is_none() {
                    return None;
                }
                let own = &mut changes[state.index()];
                let choice = taken.first().copied().unwrap_or_else(|| outcomes[0].choice(state, &now));
                // What a coin decides needs no change of its own.
                if own.is_empty() || (coin.is_none() && own.last().is_some_and(|last| last.choice != choice)) {
                    own.push(Change { from: now.clone(), choice });
                }
            }
            at = next;
        }
        Some(Tossing { strategy: CountingStrategy::from_changes(model, changes), coins })
    }

    /// The lottery over all outcomes; `None` if there are too many.
    pub fn lottery(&self, model: &Structure) -> Option<Lottery> {
        let mut outcomes = vec![(Rational::ONE, self.strategy.clone())];
        for coin in &self.coins {
            if outcomes.len() * coin.choices.len() > Tossing::MOST_OUTCOMES {
                return None;
            }
            let tossed = |(share, strategy): &(Rational, CountingStrategy)| {
                let side = |(choice, probability): &(ChoiceId, Rational)| {
                    (share * probability, strategy.with_choice_at(model, coin.state, &coin.step, *choice))
                };
                coin.choices.iter().map(side).collect::<Vec<_>>()
            };
            outcomes = outcomes.iter().flat_map(tossed).collect();
        }
        Some(Lottery::new(outcomes))
    }
}

/// The states that a strategy comes to one step later.
fn after(model: &Structure, strategy: &CountingStrategy, at: &[bool], now: &Step) -> Vec<bool> {
    let mut next = vec![false; at.len()];
    for state in model.states().filter(|state| at[state.index()]) {
        for target in model.targets(strategy.choice(state, now)) {
            next[target.index()] = true;
        }
    }
    next
}

/// Adds all states that the tail of a strategy comes to.
fn close(model: &Structure, strategy: &CountingStrategy, at: &mut [bool]) {
    let mut open: Vec<StateId> = model.states().filter(|state| at[state.index()]).collect();
    while let Some(state) = open.pop() {
        for target in model.targets(strategy.tail(state)) {
            if !std::mem::replace(&mut at[target.index()], true) {
                open.push(*target);
            }
        }
    }
}
