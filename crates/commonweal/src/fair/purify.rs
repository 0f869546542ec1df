//! A lottery over several strategies as one strategy that randomises at a few decisions.
//!
//! Over the steps and states that its strategies reach, a lottery is a flow x(t, s, c) ≥ 0: the probability that the run is in s
//! at step t and takes c. Payoffs are linear in the flow. Shifting a unit of it from one choice of a decision to another, and
//! continuing as before, changes the payoffs by a vector g. If there are more shifts than dimensions, some combination of shifts
//! changes nothing. Following it until some part of the flow is 0 leaves fewer random decisions and the same payoffs. All points
//! of a lottery lie on one face, so with n principals at most n − 1 random decisions are left.
//!
//! A decision (t, s) occurs at most once in a run, so randomising there, or for all decisions at the start, is the same.
//!
//! After the last change of all strategies there is one more decision in each state: which tail to follow for ever.

use super::lexicographic::exact_payoffs;
use super::{Fair, Share};
use crate::exact::long_term::positional_value;
use crate::model::{ChoiceId, Mdp, Part, StateId};
use crate::number::{Rational, Value};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Coin, CountingStrategy, Step};

/// The most decisions that are considered, over all steps.
const MOST_DECISIONS: usize = 20_000;
/// The most strategies that result from all outcomes.
const MOST_STRATEGIES: usize = 64;

/// Why a lottery has no form with coins at decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCoin {
    /// It would take too many randomised decisions.
    #[error("it would take many coins; the coin `start` draws a strategy at the start")]
    SeveralStrategies,
    /// Payoffs are not known as fractions.
    #[error(
        "coins are placed in fractions, and these payoffs are known between bounds only; leave the gap out, or take the coin `start`"
    )]
    NotExact,
    /// The two strategies differ only in states that only one of them reaches.
    #[error("no single decision leads from one strategy to the other; the coin `start` draws one of them at the start")]
    NoDecision,
    /// A principal's time preference has several parts.
    #[error("a principal's time preference has several parts; the coin `start` draws a strategy at the start")]
    SeveralParts,
    /// Stopped on the way.
    #[error("stopped before the decision was found: {0}")]
    Stopped(StopReason),
}

/// The flow through one state at one step: the probability of each option, in a fixed order. An option is the index of a choice,
/// or after the last step the index of a tail.
type Decision = Vec<(usize, Rational)>;

struct Flow<'a> {
    mdp: &'a Mdp,
    /// The distinct tails, each with every principal's payoff in every state.
    tails: Vec<Tail>,
    /// Per step and state; after the last step the options are tails, before it choices.
    decisions: Vec<Vec<Decision>>,
    stop: &'a StopSignal,
}

struct Tail {
    choices: Vec<ChoiceId>,
    /// Per principal and state.
    worth: Vec<Vec<Rational>>,
}

/// The same payoffs from one strategy with a few random decisions, and these decisions.
pub(super) fn with_few_coins(fair: &Fair, mdp: &Mdp, stop: &StopSignal) -> Result<(Vec<Share>, Vec<Coin>), NoCoin> {
    let mut flow = Flow::of(fair, mdp, stop)?;
    while flow.shift()? {
        stop.check().map_err(NoCoin::Stopped)?;
    }
    flow.strategies()
}

impl<'a> Flow<'a> {
    fn of(fair: &Fair, mdp: &'a Mdp, stop: &'a StopSignal) -> Result<Flow<'a>, NoCoin> {
        let settled =
            fair.mix.iter().map(|share| share.strategy.settled_from()).max().expect("a lottery has a strategy");
        let n_steps = usize::try_from(u64::try_from(&settled).unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        if n_steps.saturating_add(1).saturating_mul(mdp.n_states()) > MOST_DECISIONS {
            return Err(NoCoin::Stopped(StopReason::LayerLimit));
        }
        let mut flow = Flow { mdp, tails: Vec::new(), decisions: Vec::new(), stop };
        flow.decisions = vec![vec![Vec::new(); mdp.n_states()]; n_steps + 1];
        for Share { probability, strategy, .. } in &fair.mix {
            let choices: Vec<ChoiceId> = mdp.states().map(|state| strategy.tail(state)).collect();
            let tail = match flow.tails.iter().position(|tail| tail.choices == choices) {
                Some(tail) => tail,
                None => {
                    flow.tails.push(Tail::of(mdp, choices, stop).map_err(NoCoin::Stopped)?);
                    flow.tails.len() - 1
                }
            };
            let mut here = vec![Rational::ZERO; mdp.n_states()];
            here[mdp.start().index()] = probability.clone();
            for step in 0..=n_steps {
                let now = Step::from(step);
                let mut next = vec![Rational::ZERO; mdp.n_states()];
                for (index, amount) in here.iter().enumerate().filter(|(_, amount)| !amount.is_zero()) {
                    let choice = strategy.choice(index.into(), &now);
                    let option = if step == n_steps { tail } else { choice.index() };
                    add(&mut flow.decisions[step][index], option, amount);
                    if step < n_steps {
                        spread(mdp, choice, amount, &mut next);
                    }
                }
                here = next;
            }
        }
        Ok(flow)
    }

    fn part(&self, p: usize) -> &Part {
        only_part(self.mdp, p)
    }

    fn last(&self) -> usize {
        self.decisions.len() - 1
    }

    /// Per step, principal and state that the flow reaches, the value from there on.
    fn worths(&self) -> Vec<Vec<Vec<Rational>>> {
        let n = self.mdp.n_principals();
        let mut worths: Vec<Vec<Vec<Rational>>> = Vec::new();
        for step in (0..self.decisions.len()).rev() {
            let mut here = vec![vec![Rational::ZERO; self.mdp.n_states()]; n];
            for (index, decision) in self.decisions[step].iter().enumerate().filter(|(_, own)| !own.is_empty()) {
                let total = total(decision);
                for (p, here) in here.iter_mut().enumerate() {
                    let worth = |(option, amount): &(usize, Rational)| {
                        amount * self.worth(step, index, *option, p, worths.last())
                    };
                    here[index] = crate::number::sum(decision.iter().map(worth)) / &total;
                }
            }
            worths.push(here);
        }
        worths.reverse();
        worths
    }

    /// The value of an option for a principal, seen from its step.
    fn worth(&self, step: usize, state: usize, option: usize, p: usize, next: Option<&Vec<Vec<Rational>>>) -> Rational {
        if step == self.last() {
            return self.tails[option].worth[p][state].clone();
        }
        let choice = ChoiceId::from(option);
        let part = self.part(p);
        let next = &next.expect("a step before the last")[p];
        let later = self.mdp.transitions(choice).map(|(target, probability)| probability * &next[target.index()]);
        &part.coefficient * &self.mdp.rewards(choice)[p] + &part.discount * crate::number::sum(later)
    }

    /// Follows a combination of shifts that changes no payoff until part of the flow is 0; false if there is none.
    fn shift(&mut self) -> Result<bool, NoCoin> {
        let worths = self.worths();
        let n = self.mdp.n_principals();
        // From the first option of a decision to each of the others.
        let mut shifts: Vec<(usize, usize, usize)> = Vec::new();
        let mut effects: Vec<Vec<Rational>> = Vec::new();
        'found: for (step, states) in self.decisions.iter().enumerate() {
            for (index, decision) in states.iter().enumerate() {
                for which in 1..decision.len() {
                    let effect = |p: usize| {
                        let of = |option| self.worth(step, index, option, p, worths.get(step + 1));
                        let part = self.part(p);
                        (of(decision[which].0) - of(decision[0].0)) * part.discount.pow(step as isize)
                    };
                    shifts.push((step, index, which));
                    effects.push((0..n).map(effect).collect());
                    if shifts.len() > n {
                        break 'found;
                    }
                }
            }
        }
        let Some(amounts) = dependency(&effects) else { return Ok(false) };
        let change = self.change(&shifts, &amounts);
        // The least distance in this direction at which some flow becomes 0.
        let mut way: Option<Rational> = None;
        for (step, states) in self.decisions.iter().enumerate() {
            for (index, decision) in states.iter().enumerate() {
                for ((_, amount), change) in decision.iter().zip(&change[step][index]) {
                    if *change < Rational::ZERO {
                        let here = amount / -change;
                        way = Some(way.map_or(here.clone(), |way| way.min(here)));
                    }
                }
            }
        }
        // A combination of shifts is not 0, so some flow decreases.
        let way = way.ok_or(NoCoin::NoDecision)?;
        for (states, changes) in self.decisions.iter_mut().zip(&change) {
            for (decision, changes) in states.iter_mut().zip(changes) {
                for ((_, amount), change) in decision.iter_mut().zip(changes) {
                    *amount += &way * change;
                }
                decision.retain(|(_, amount)| !amount.is_zero());
            }
        }
        Ok(true)
    }

    /// The change of the flow by these amounts.
    fn change(&self, shifts: &[(usize, usize, usize)], amounts: &[Rational]) -> Vec<Vec<Vec<Rational>>> {
        let mut change: Vec<Vec<Vec<Rational>>> = Vec::new();
        let mut here = vec![Rational::ZERO; self.mdp.n_states()];
        for (step, states) in self.decisions.iter().enumerate() {
            let mut next = vec![Rational::ZERO; self.mdp.n_states()];
            let mut at_step: Vec<Vec<Rational>> = Vec::new();
            for (index, decision) in states.iter().enumerate() {
                let total = total(decision);
                let mut own: Vec<Rational> =
                    decision.iter().map(|(_, amount)| &here[index] * amount / &total).collect();
                for (shift, amount) in
                    shifts.iter().zip(amounts).filter(|(shift, _)| (shift.0, shift.1) == (step, index))
                {
                    own[shift.2] += amount;
                    own[0] -= amount;
                }
                if step < self.last() {
                    for ((option, _), own) in decision.iter().zip(&own) {
                        spread(self.mdp, ChoiceId::from(*option), own, &mut next);
                    }
                }
                at_step.push(own);
            }
            change.push(at_step);
            here = next;
        }
        change
    }

    /// The strategies that result from all outcomes, and the random decisions.
    fn strategies(&self) -> Result<(Vec<Share>, Vec<Coin>), NoCoin> {
        let mut coins: Vec<(usize, usize)> = Vec::new();
        let mut count = 1usize;
        for (step, states) in self.decisions.iter().enumerate() {
            for (index, decision) in states.iter().enumerate().filter(|(_, decision)| decision.len() > 1) {
                coins.push((step, index));
                count = count.saturating_mul(decision.len());
            }
        }
        if count > MOST_STRATEGIES {
            return Err(NoCoin::SeveralStrategies);
        }
        let mut shares = Vec::new();
        for code in 0..count {
            let (mut rest, mut probability) = (code, Rational::ONE);
            let mut taken = vec![0; coins.len()];
            for (taken, &(step, index)) in taken.iter_mut().zip(&coins) {
                let decision = &self.decisions[step][index];
                *taken = rest % decision.len();
                rest /= decision.len();
                probability *= &decision[*taken].1 / total(decision);
            }
            let at = |step: usize, index: usize| {
                coins.iter().position(|coin| *coin == (step, index)).map_or(0, |k| taken[k])
            };
            let strategy = self.strategy(at)?;
            let payoffs = exact_payoffs(self.mdp, &strategy, self.stop).map_err(NoCoin::Stopped)?;
            shares.push(Share { probability, strategy, payoffs: payoffs.into_iter().map(Value::from).collect() });
        }
        let coin = |&(step, index): &(usize, usize)| {
            let decision = &self.decisions[step][index];
            let total = total(decision);
            let choice =
                |option: usize| if step == self.last() { self.tails[option].choices[index] } else { option.into() };
            let choices: Vec<(ChoiceId, Rational)> =
                decision.iter().map(|(option, amount)| (choice(*option), amount / &total)).collect();
            // Tails that differ only later are not a random decision here.
            let differ =
                choices.iter().enumerate().all(|(k, (one, _))| choices[..k].iter().all(|(other, _)| other != one));
            differ.then(|| Coin { state: index.into(), step: Step::from(step), choices }).ok_or(NoCoin::NoDecision)
        };
        Ok((shares, coins.iter().map(coin).collect::<Result<_, _>>()?))
    }

    /// The strategy that takes the option of that number at each decision.
    fn strategy(&self, taken: impl Fn(usize, usize) -> usize) -> Result<CountingStrategy, NoCoin> {
        let last = self.last();
        // The tail that each state follows, if it is reached after the last step.
        let mut tail: Vec<Option<ChoiceId>> = vec![None; self.mdp.n_states()];
        for (index, decision) in self.decisions[last].iter().enumerate().filter(|(_, decision)| !decision.is_empty()) {
            let own = &self.tails[decision[taken(last, index)].0].choices;
            let (mut seen, mut open) = (vec![false; tail.len()], vec![index]);
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                if tail[at].is_some_and(|other| other != own[at]) {
                    return Err(NoCoin::NoDecision);
                }
                tail[at] = Some(own[at]);
                open.extend(self.mdp.targets(own[at]).iter().map(|target| target.index()));
            }
        }
        let of_state = |state: StateId| {
            let index = state.index();
            let end = tail[index].unwrap_or(self.tails[0].choices[index]);
            let mut changes: Vec<Change> = Vec::new();
            for step in 0..=last {
                let decision = &self.decisions[step][index];
                let choice = match decision.get(taken(step, index)) {
                    Some((option, _)) if step < last => ChoiceId::from(*option),
                    _ => end,
                };
                if changes.last().is_none_or(|last| last.choice != choice) {
                    changes.push(Change { from: Step::from(step), choice });
                }
            }
            changes
        };
        Ok(CountingStrategy::from_changes(self.mdp, self.mdp.states().map(of_state).collect()))
    }
}

impl Tail {
    fn of(mdp: &Mdp, choices: Vec<ChoiceId>, stop: &StopSignal) -> Result<Tail, StopReason> {
        let worth = |p: usize| {
            let part = only_part(mdp, p);
            let values = positional_value(mdp, &choices, &part.discount, |choice| &mdp.rewards(choice)[p], stop)?;
            Ok((0..mdp.n_states()).map(|state| values.get(state) * &part.coefficient).collect())
        };
        let worth = (0..mdp.n_principals()).map(worth).collect::<Result<_, StopReason>>()?;
        Ok(Tail { choices, worth })
    }
}

/// The discount of a principal, who has one.
fn only_part(mdp: &Mdp, p: usize) -> &Part {
    &mdp.principals()[p].parts().expect("one segment, looked at before")[0]
}

fn add(decision: &mut Decision, option: usize, amount: &Rational) {
    match decision.iter_mut().find(|(other, _)| *other == option) {
        Some((_, sum)) => *sum += amount,
        None => decision.push((option, amount.clone())),
    }
}

fn total(decision: &Decision) -> Rational {
    crate::number::sum(decision.iter().map(|(_, amount)| amount.clone()))
}

fn spread(mdp: &Mdp, choice: ChoiceId, amount: &Rational, next: &mut [Rational]) {
    for (target, probability) in mdp.transitions(choice) {
        next[target.index()] += probability * amount;
    }
}

/// Numbers, not all 0, with which these vectors sum to 0; none if there are no such numbers.
fn dependency(vectors: &[Vec<Rational>]) -> Option<Vec<Rational>> {
    // Each vector with its combination; those before it in echelon form.
    let mut echelon: Vec<(usize, Vec<Rational>, Vec<Rational>)> = Vec::new();
    for (k, vector) in vectors.iter().enumerate() {
        let mut rest = vector.clone();
        let mut made = vec![Rational::ZERO; vectors.len()];
        made[k] = Rational::ONE;
        for (pivot, other, others) in &echelon {
            let factor = &rest[*pivot] / &other[*pivot];
            if !factor.is_zero() {
                rest.iter_mut().zip(other).for_each(|(own, other)| *own -= other * &factor);
                made.iter_mut().zip(others).for_each(|(own, other)| *own -= other * &factor);
            }
        }
        match rest.iter().position(|entry| !entry.is_zero()) {
            Some(pivot) => echelon.push((pivot, rest, made)),
            None => return Some(made),
        }
    }
    None
}
