//! Time preferences in segments: what holds before the last one.
//!
//! In each segment V, Δ and D_j are those of the model whose steps count for ever as they do there: a deviation *pays by
//! itself* at the steps of the segment with D_j > 0. What comes after the segment may tell against it, so that the changes of
//! choice are judged by what follows them. To principal p a choice a at step t is worth
//!
//! ```text
//! d_p(t) R_p(s,a) + Σ_u P(u|s,a) W_p(u)
//! ```
//!
//! with W_p what p gets from step t + 1 on under the strategy: an exact evaluation for each step at which a choice changes.

use super::turns::{Turn, unjudged};
use super::{Deviation, exact_advantages, names, pays_throughout, sum_at};
use crate::Answer;
use crate::evaluation::evaluate;
use crate::exact::Advantages;
use crate::exact::long_term;
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, Mdp, Principal, StateId};
use crate::number::{Enclosure, Rational, Value, sum};
use crate::principals::{OrderedSegment, order_by};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Meetings, Step, Strategy};
use std::cmp::Ordering;

/// A segment that others follow.
#[derive(Debug, Clone)]
pub struct EarlierSegment {
    /// Its first step.
    pub from: u64,
    /// The first step of the next one.
    pub until: u64,
    /// Who has each of its distinct discounts, the greatest first.
    pub names: Vec<String>,
    /// Per state, the choices that would be best in the long term if its weights held for ever.
    pub long_term: Vec<Vec<ChoiceId>>,
    /// V_i of these per state, weights of the segment's origin included.
    pub values: Vec<Vec<Rational>>,
    /// Every other choice in states that can be reached, and at which steps of the segment it pays.
    pub deviations: Vec<Deviation>,
}

/// What holds in a segment that ends at step `until`.
pub(super) fn earlier(
    model: &Mdp,
    rows: &IntegerRows,
    segment: &OrderedSegment,
    until: u64,
    reached: &[StateId],
    stop: &StopSignal,
) -> Result<EarlierSegment, StopReason> {
    let ordered = order_by(model, segment.parts.clone());
    let found = long_term::solve(&ordered, rows, stop)?;
    let is_allowed = |choice: ChoiceId| found.allowed[choice.index()];
    let advantages = Advantages::over(&ordered, rows, &found.values[..], is_allowed);
    let ratios = DiscountRatios::of(&ordered);
    let steps = segment.local(segment.from)..segment.local(until);
    let mut deviations = Vec::new();
    for &state in reached {
        for choice in model.choices(state).filter(|choice| !is_allowed(*choice)) {
            stop.check()?;
            let pays = |step: u64| sum_at(&advantages, &ratios, state, choice, &step.into()) == Some(Ordering::Greater);
            let global = |step: u64| Step::from(step) + segment.origin;
            let exact = exact_advantages(&ordered, &advantages, state, choice);
            let ends = ends(steps.clone(), pays);
            let local = ends.map(|(first, last)| (Step::from(first), Step::from(last + 1)));
            let at = |step: &Step| u64::try_from(step).is_ok_and(pays);
            deviations.push(Deviation {
                state,
                choice,
                pays_throughout: local.is_some_and(|local| pays_throughout(&exact, &local, at)),
                advantages: exact,
                pays: ends.map(|(first, last)| (global(first), global(last) + 1)),
                settled_from: Step::from(until),
            });
        }
    }
    let allowed = |state: StateId| model.choices(state).filter(|choice| is_allowed(*choice)).collect();
    Ok(EarlierSegment {
        from: segment.from,
        until,
        names: names(&ordered),
        long_term: model.states().map(allowed).collect(),
        values: model.states().map(|s| found.values.iter().map(|v| v.get(s.index())).collect()).collect(),
        deviations,
    })
}

/// The first and the last step that pays, as far as a few thousand steps at either end show.
fn ends(steps: std::ops::Range<u64>, pays: impl Fn(u64) -> bool) -> Option<(u64, u64)> {
    const LOOKED_AT: usize = 2_000;
    let first = steps.clone().take(LOOKED_AT).find(|step| pays(*step));
    let last = steps.rev().take(LOOKED_AT).find(|step| pays(*step));
    first.or(last).zip(last.or(first))
}

/// Every change of choice, the latest first; with the interest of each principal of the file in the first `n_judged`.
pub(super) fn turns(
    model: &Mdp,
    solution: &Answer,
    meetings: &Meetings,
    n_judged: usize,
    stop: &StopSignal,
) -> Result<Vec<Turn>, StopReason> {
    /// Powers of the discounts are formed as fractions: not of later steps.
    const FARTHEST: u64 = 10_000;
    let mut turns = unjudged(model.n_principals(), solution, meetings);
    let mut known: Option<(u64, Vec<Vec<Value>>)> = None;
    for turn in turns.iter_mut().take(n_judged) {
        stop.check()?;
        let Some(step) = u64::try_from(&turn.step).ok().filter(|step| *step <= FARTHEST) else { continue };
        if known.as_ref().is_none_or(|(other, _)| *other != step) {
            let Some(to_come) = payoffs_after(model, solution.strategy(), step, stop) else { continue };
            known = Some((step, to_come));
        }
        let (_, to_come) = known.as_ref().expect("just computed");
        turn.better = (0..model.n_principals()).map(|p| compared(model, turn, step, p, &to_come[p])).collect();
    }
    Ok(turns)
}

/// What each principal gets from every state after a step under a strategy, before its weight; `None` if that takes too long.
fn payoffs_after(model: &Mdp, strategy: &CountingStrategy, step: u64, stop: &StopSignal) -> Option<Vec<Vec<Value>>> {
    let begin = Step::from(step + 1);
    let from_there = |state: StateId| {
        let first = Change { from: Step::ZERO, choice: strategy.choice(state, &begin) };
        let later = strategy.changes(state).iter().filter(|change| change.from > begin);
        let shifted = later.map(|change| Change { from: &change.from - &begin, choice: change.choice });
        [first].into_iter().chain(shifted).collect()
    };
    let shifted = CountingStrategy::from_changes(model, model.states().map(from_there).collect());
    let later: Vec<Option<Principal>> = model.principals().iter().map(|own| own.later(step + 1)).collect();
    // A principal that no longer counts gets nothing.
    let filled = later.iter().zip(model.principals()).map(|(later, own)| later.clone().unwrap_or_else(|| own.clone()));
    let moved = model.clone().with_principals(filled.collect());
    let payoffs = evaluate(&moved, &Strategy::Counting(shifted), stop).ok()?;
    let of_principal = |p: usize| {
        let payoff = |state: StateId| match &later[p] {
            Some(_) => payoffs.payoff(p.into(), state),
            None => Value::from(Rational::ZERO),
        };
        model.states().map(payoff).collect()
    };
    Some((0..model.n_principals()).map(of_principal).collect())
}

/// How the new choice compares with the old one for a principal, in its own direction; `None` if that is not known.
fn compared(model: &Mdp, turn: &Turn, step: u64, p: usize, to_come: &[Value]) -> Option<Ordering> {
    let own = &model.principals()[p];
    let now = |choice: ChoiceId| own.step_weight(step) * &model.rewards(choice)[p];
    let exact = |choice: ChoiceId| -> Option<Rational> {
        let ahead = model.transitions(choice).map(|(t, share)| Some(share * to_come[t.index()].exact.as_ref()?));
        Some(now(choice) + sum(ahead.collect::<Option<Vec<Rational>>>()?))
    };
    let enclosed = |choice: ChoiceId| {
        let ahead = model.transitions(choice).map(|(t, p)| Enclosure::from(p).times(to_come[t.index()].enclosure));
        ahead.fold(Enclosure::from(&now(choice)), Enclosure::plus)
    };
    let ordering = match (exact(turn.after), exact(turn.before)) {
        (Some(after), Some(before)) => Some(after.cmp(&before)),
        _ => enclosed(turn.after).compare(&enclosed(turn.before)),
    };
    ordering.map(|ordering| if own.is_cost() { ordering.reverse() } else { ordering })
}
