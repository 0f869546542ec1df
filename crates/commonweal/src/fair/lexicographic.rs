//! The lexicographically best strategy by several objectives, in fractions.
//!
//! A level is a vector of weights. With an infinitely small ε the levels are one objective, `w⁰ + ε w¹ + ε² w² + …`, and
//! backward induction over vectors of numbers, compared one after the other, is exact:
//!
//! ```text
//! after step H   the long-term strategy, found by serving the parts of level 0 first, most patient first, then those of level 1, …
//! H              past the horizon of level 0 only choices with no advantage tie there; among these level 1 has a horizon, …
//! before         at each step the choice whose values are lexicographically greatest
//! ```
//!
//! There are no jumps: this is for vertices at which the plain engine has ties. A part with discount 0 counts only at step 0,
//! and does not take part in the long-term strategy.

use super::Weights;
use crate::evaluation::{EvaluateError, evaluate};
use crate::exact::horizon::horizon;
use crate::exact::long_term::{self, LongTerm};
use crate::exact::{Advantages, ExactGains};
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, Mdp, Principal, StateId};
use crate::number::{Integer, Natural, Rational, Scaled, sum};
use crate::parallel;
use crate::principals::{OrderedPart, order_by, parts_weighted};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step, Strategy};
use std::cmp::Ordering;

/// The most steps that are walked.
const MOST_STEPS: u64 = 200_000;

/// The work of one term of a layer, in about nanoseconds: a product of short fractions, and more for each word of a long one.
const TERM: u64 = 300;
const WORD: u64 = 4;

/// A strategy, and what it gives each principal of the file from the start.
pub(crate) struct Found {
    pub strategy: CountingStrategy,
    pub payoffs: Vec<Rational>,
    /// The step from which every choice loses at the first level that separates it from the tail's.
    pub horizon: u64,
}

/// The best strategy by these levels, in turn.
pub(crate) fn solve(
    mdp: &Mdp,
    rows: &IntegerRows,
    levels: &[&Weights],
    stop: &StopSignal,
) -> Result<Found, StopReason> {
    let begins = mdp.principals().iter().map(|principal| principal.last().from).max().unwrap_or(0);
    if begins > 0 {
        return before_last_segment(mdp, rows, levels, begins, stop);
    }
    let all: Vec<Vec<OrderedPart>> = levels
        .iter()
        .map(|weights| parts_weighted(mdp.principals(), weights))
        .filter(|level| !level.is_empty())
        .collect();
    let lasting =
        |level: &Vec<OrderedPart>| level.iter().filter(|part| !part.discount.is_zero()).cloned().collect::<Vec<_>>();
    let lasting: Vec<Vec<OrderedPart>> = all.iter().map(lasting).collect();
    // The parts that count only at step 0, per level.
    let at_once: Vec<Option<OrderedPart>> =
        all.iter().map(|level| level.iter().find(|part| part.discount.is_zero()).cloned()).collect();
    let long_term = long_term(mdp, rows, &lasting, stop)?;
    let mut last = u64::from(at_once.iter().any(Option::is_some));
    let mut tied = vec![true; mdp.n_choices()];
    let mut first = 0;
    for level in lasting.iter().filter(|level| !level.is_empty()) {
        let model = order_by(mdp, level.clone(), stop)?;
        let values = &long_term.values[first..first + level.len()];
        let advantages = {
            let none = |choice: ChoiceId| !tied[choice.index()] || long_term.allowed[choice.index()];
            Advantages::over(&model, rows, values, none)
        };
        let found = horizon(&model, &advantages, &DiscountRatios::of(&model), stop)?;
        // At the horizon itself a choice with advantages may tie; past it none does.
        last = last.max(u64::try_from(&found).map_err(|_| StopReason::LayerLimit)?.saturating_add(1));
        for choice in (0..mdp.n_choices()).map(ChoiceId::from).filter(|choice| !long_term.allowed[choice.index()]) {
            tied[choice.index()] &= advantages.of(choice).iter().all(Scaled::is_zero);
        }
        first += level.len();
    }
    if last > MOST_STEPS {
        return Err(StopReason::LayerLimit);
    }
    let parts: Vec<OrderedPart> = lasting.iter().flatten().cloned().collect();
    let model = order_by(mdp, parts.clone(), stop)?;
    let gains = (0..parts.len()).map(|i| {
        let model = &model;
        let reward = move |choice| &model.rewards(choice)[i];
        ExactGains::none(mdp, rows, &parts[i].discount, reward, &long_term.values[i])
    });
    let mut gains: Vec<ExactGains> = gains.collect();
    let mut restricted = long_term.strategy.clone();
    let mut changes: Vec<Vec<Change>> =
        restricted.iter().map(|&choice| vec![Change { from: Step::ZERO, choice }]).collect();
    let mut powers: Vec<Rational> =
        parts.iter().map(|part| part.discount.pow(isize::try_from(last).expect("few steps"))).collect();
    // A power and the gains after it have about as many bits together at every step.
    let words = powers.iter().map(|power| power.bits() as u64 / 64).max().unwrap_or(0);
    for step in (0..last).rev() {
        stop.check()?;
        powers.iter_mut().zip(&parts).for_each(|(power, part)| *power /= &part.discount);
        let layer = Layer { mdp, lasting: &lasting, at_once: &at_once, gains: &gains, powers: &powers, step };
        let decide = |index: usize| layer.best(StateId::from(index), &long_term.allowed);
        let decisions = parallel::map(mdp.n_states(), decide);
        for ((changes, &choice), held) in changes.iter_mut().zip(&decisions).zip(&restricted) {
            if choice != *held {
                changes.last_mut().expect("an open entry").from = Step::from(step + 1);
                changes.push(Change { from: Step::ZERO, choice });
            }
        }
        gains.iter_mut().for_each(|gains| gains.step_back(&decisions));
        let terms = (parts.len() * (mdp.n_transitions() + mdp.n_choices())) as u64;
        stop.spend(terms * (TERM + WORD * words));
        restricted = decisions;
    }
    changes.iter_mut().for_each(|changes| changes.reverse());
    let strategy = CountingStrategy::from_changes(mdp, changes);
    let payoffs = exact_payoffs(mdp, &strategy, stop)?;
    Ok(Found { strategy, payoffs, horizon: last })
}

/// The same for time preferences with segments: from the last one on it is the ordinary problem; before it, backward induction
/// in fractions with each step's own weights.
fn before_last_segment(
    mdp: &Mdp,
    rows: &IntegerRows,
    levels: &[&Weights],
    begins: u64,
    stop: &StopSignal,
) -> Result<Found, StopReason> {
    /// The most steps that fractions are walked over.
    const MOST: u64 = 5_000;
    if begins > MOST {
        return Err(StopReason::LayerLimit);
    }
    let later = mdp.as_of(begins);
    let counted: Vec<Weights> = levels
        .iter()
        .map(|weights| {
            let counts = |(weight, principal): (&Rational, &Principal)| {
                if principal.is_over_by(begins) { Rational::ZERO } else { weight.clone() }
            };
            weights.iter().zip(mdp.principals()).map(counts).collect()
        })
        .collect();
    let telling: Vec<&Weights> = counted.iter().filter(|weights| weights.iter().any(|w| !w.is_zero())).collect();
    let Found { strategy: tail, horizon, .. } = solve(&later, rows, &telling, stop)?;
    let horizon = horizon + begins;
    let from_there = evaluate(&later, &Strategy::Counting(tail.clone()), stop).map_err(EvaluateError::stop_reason)?;
    let parts = telling.iter().flat_map(|weights| parts_weighted(later.principals(), weights)).collect::<Vec<_>>();
    let lasting = parts.into_iter().filter(|part| !part.discount.is_zero()).collect();
    let allowed = long_term(&later, rows, &[lasting], stop)?.allowed;
    // Per level and state, the value of the steps from the present one on.
    let level_worth = |counted: &Weights, state: StateId| {
        let own = counted.iter().enumerate().filter(|(_, weight)| !weight.is_zero());
        own.fold(Rational::ZERO, |sum, (p, weight)| {
            sum + weight * from_there.payoff(p.into(), state).exact.expect("an exact evaluation")
        })
    };
    let mut worth: Vec<Vec<Rational>> =
        counted.iter().map(|counted| mdp.states().map(|state| level_worth(counted, state)).collect()).collect();
    let mut changes: Vec<Vec<Change>> = mdp
        .states()
        .map(|state| {
            let later = tail.changes(state).iter();
            later.map(|change| Change { from: &change.from + begins, choice: change.choice }).rev().collect()
        })
        .collect();
    for step in (0..begins).rev() {
        stop.check()?;
        let counts: Vec<Rational> = mdp.principals().iter().map(|principal| principal.step_weight(step)).collect();
        let of_choice = |choice: ChoiceId| -> Vec<Rational> {
            let of_level = |(weights, later): (&&Weights, &Vec<Rational>)| {
                let now = weights.iter().zip(&counts).zip(mdp.rewards(choice));
                let now = now.map(|((weight, counts), reward)| weight * counts * reward);
                let later = mdp.transitions(choice).map(|(target, chance)| chance * &later[target.index()]);
                now.chain(later).fold(Rational::ZERO, |sum, term| sum + term)
            };
            levels.iter().zip(&worth).map(of_level).collect()
        };
        let decide = |index: usize| {
            let worths: Vec<(ChoiceId, Vec<Rational>)> =
                mdp.choices(StateId::from(index)).map(|choice| (choice, of_choice(choice))).collect();
            let best = worths.iter().map(|(_, worth)| worth).max().expect("a state has a choice").clone();
            let ties = || worths.iter().filter(|(_, worth)| *worth == best).map(|(choice, _)| *choice);
            let choice = ties().find(|choice| allowed[choice.index()]).or_else(|| ties().next());
            (choice.expect("the best is among them"), best)
        };
        let layer = parallel::map(mdp.n_states(), decide);
        // Sums of fractions without a common denominator: their length counts twice.
        let words = worth.iter().flatten().map(|worth| worth.bits() as u64 / 64).max().unwrap_or(0);
        let terms = levels.len() * (mdp.n_transitions() + mdp.n_principals() * mdp.n_choices());
        stop.spend(terms as u64 * (TERM + WORD * words * words));
        for (index, (choice, best)) in layer.into_iter().enumerate() {
            best.into_iter().zip(&mut worth).for_each(|(best, level)| level[index] = best);
            let changes = &mut changes[index];
            match changes.last_mut() {
                Some(latest) if latest.choice == choice => latest.from = Step::from(step),
                _ => changes.push(Change { from: Step::from(step), choice }),
            }
        }
    }
    changes.iter_mut().for_each(|changes| changes.reverse());
    let strategy = CountingStrategy::from_changes(mdp, changes);
    let payoffs = exact_payoffs(mdp, &strategy, stop)?;
    Ok(Found { strategy, payoffs, horizon })
}

/// Each principal's exact payoff from the start under a strategy without late changes.
pub(super) fn exact_payoffs(
    mdp: &Mdp,
    strategy: &CountingStrategy,
    stop: &StopSignal,
) -> Result<Vec<Rational>, StopReason> {
    let payoffs = evaluate(mdp, &Strategy::Counting(strategy.clone()), stop).map_err(EvaluateError::stop_reason)?;
    let of = |p: usize| payoffs.payoff(p.into(), mdp.start()).exact.expect("an exact evaluation");
    Ok((0..mdp.n_principals()).map(of).collect())
}

fn long_term(
    mdp: &Mdp,
    rows: &IntegerRows,
    lasting: &[Vec<OrderedPart>],
    stop: &StopSignal,
) -> Result<LongTerm, StopReason> {
    let parts: Vec<OrderedPart> = lasting.iter().flatten().cloned().collect();
    if !parts.is_empty() {
        return long_term::solve(&order_by(mdp, parts, stop)?, rows, stop);
    }
    // All discounts are 0: only step 0 counts.
    let first = |state| mdp.choices(state).next().expect("a state has a choice");
    let strategy = mdp.states().map(first).collect();
    Ok(LongTerm { values: Vec::new(), allowed: vec![true; mdp.n_choices()], strategy })
}

/// One step, with the gains of the steps after it.
struct Layer<'a, 'g> {
    mdp: &'a Mdp,
    lasting: &'a [Vec<OrderedPart>],
    at_once: &'a [Option<OrderedPart>],
    /// Per part of all levels, one after the other.
    gains: &'a [ExactGains<'g>],
    /// λ^step, likewise.
    powers: &'a [Rational],
    step: u64,
}

impl Layer<'_, '_> {
    /// The choice whose values are lexicographically greatest; ties go to a long-term choice, then to the first listed.
    fn best(&self, state: StateId, is_long_term: &[bool]) -> ChoiceId {
        let mut tied: Vec<ChoiceId> = self.mdp.choices(state).collect();
        let mut first = 0;
        for (level, at_once) in self.lasting.iter().zip(self.at_once) {
            if tied.len() > 1 {
                tied = self.greatest(state, tied, first..first + level.len(), at_once.as_ref());
            }
            first += level.len();
        }
        tied.iter().copied().find(|choice| is_long_term[choice.index()]).unwrap_or(tied[0])
    }

    fn greatest(
        &self,
        state: StateId,
        choices: Vec<ChoiceId>,
        parts: std::ops::Range<usize>,
        at_once: Option<&OrderedPart>,
    ) -> Vec<ChoiceId> {
        let quotients = |choice: ChoiceId| {
            let quotient = |i: usize| {
                let (numerator, denominator) = self.gains[i].worth(state, choice);
                (numerator, denominator * self.gains[i].denominator().into_parts().1)
            };
            parts.clone().map(quotient).collect::<Vec<_>>()
        };
        let now = |choice: ChoiceId| {
            let part = at_once.filter(|_| self.step == 0)?;
            let rewards = self.mdp.rewards(choice);
            Some(sum(part.terms.iter().map(|(p, counts)| &rewards[p.index()] * counts)))
        };
        let worths: Vec<_> = choices.iter().map(|&choice| (choice, quotients(choice), now(choice))).collect();
        // Enclosures dismiss most of them; the rest is compared in fractions.
        let enclosure = |(_, quotients, now): &(ChoiceId, Vec<(Integer, Natural)>, Option<Rational>)| {
            let lasting = quotients.iter().zip(&self.powers[parts.clone()]);
            let lasting = lasting.map(|((above, below), power)| Scaled::of_quotient(above, below).times(power.into()));
            lasting.fold(now.as_ref().map_or(Scaled::ZERO, Scaled::from), Scaled::plus)
        };
        let enclosures: Vec<Scaled> = worths.iter().map(enclosure).collect();
        let most = enclosures.iter().copied().reduce(Scaled::max).expect("a choice");
        let mut near = worths.into_iter().zip(enclosures).filter(|(_, one)| one.may_reach(&most)).map(|(one, _)| one);
        let exact = |(_, quotients, now): &(ChoiceId, Vec<(Integer, Natural)>, Option<Rational>)| {
            let lasting = quotients.iter().zip(&self.powers[parts.clone()]);
            let lasting =
                lasting.map(|((above, below), power)| Rational::from_parts(above.clone(), below.clone()) * power);
            sum(lasting.chain(now.clone()))
        };
        let first = near.next().expect("the greatest reaches itself");
        let Some(second) = near.next() else { return vec![first.0] };
        let mut greatest = exact(&first);
        let mut best = vec![first.0];
        for other in [second].into_iter().chain(near) {
            let worth = exact(&other);
            match worth.cmp(&greatest) {
                Ordering::Less => {}
                Ordering::Equal => best.push(other.0),
                Ordering::Greater => (best, greatest) = (vec![other.0], worth),
            }
        }
        best
    }
}
