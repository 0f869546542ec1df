//! Time preferences in segments: what holds before the last one.
//!
//! A deviation *pays by itself* at step t if it earns more welfare to take it once there, and the long-term strategy τ
//! otherwise, than to follow τ. To principal p it is then worth
//!
//! ```text
//! d_p(t) (R_p(s,a) − R_p(s,τ)) + Σ_u (P(u|s,a) − P(u|s,τ)) W_p(u)
//! ```
//!
//! more, as of step 0, with W_p what p gets from step t + 1 on under τ: one backward induction over all steps before the last
//! segment, in enclosures of many bits, because large values may cancel. The changes of choice are judged by what follows them in the plan: the same with W_p of the plan,
//! by an exact evaluation for each step at which a choice changes. Where a preference is approximated by a mixture, a difference of two
//! payoffs is known up to twice the error of one; when a deviation pays is told for the mixtures.

use super::BITS;
use super::turns::{ChangeOfChoice, unjudged};
use crate::answer::Answer;
use crate::evaluation::evaluate;
use crate::model::{ChoiceId, Mdp, Principal, PrincipalId, StateId};
use crate::number::{Enclosure, Rational, Scaled, Value, WideEnclosure, sum};
use crate::principals::OrderedSegment;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Meetings, Step, Strategy};
use std::cmp::Ordering;

/// Powers of the discounts are formed as fractions: not of later steps.
const FARTHEST: u64 = 10_000;

/// A segment that others follow.
#[derive(Debug, Clone)]
pub struct EarlierSegment {
    /// Its first step.
    pub from: u64,
    /// The first step of the next one.
    pub until: u64,
    /// Every choice that the long-term strategy does not take, in states that can be reached; `None` if the steps are too many to
    /// look at.
    pub deviations: Option<Vec<EarlierDeviation>>,
}

/// A choice that the long-term strategy does not take, before the last segment.
#[derive(Debug, Clone)]
pub struct EarlierDeviation {
    /// Where.
    pub state: StateId,
    /// What.
    pub choice: ChoiceId,
    /// The steps of the segment at which it pays by itself: the first, and the one after the last. Where preferences are approximated by
    /// mixtures, these are the steps at which it pays for the mixtures.
    pub pays: Option<(u64, u64)>,
    /// Whether it pays at every step between these.
    pub pays_throughout: bool,
    /// What one use of it changes for each principal as of step 0, weights included: at the first step at which it pays, or the first of the
    /// segment. The error of mixtures is included.
    pub changes: Vec<Enclosure>,
}

impl EarlierDeviation {
    fn new(state: StateId, choice: ChoiceId) -> EarlierDeviation {
        EarlierDeviation { state, choice, pays: None, pays_throughout: true, changes: Vec::new() }
    }

    /// Adds a step, the latest first, given how far mixtures may put off what each principal gains.
    fn at(&mut self, step: u64, changes: &[WideEnclosure], errors: &[f64]) {
        let total = changes.iter().fold(WideEnclosure::zero(BITS), |sum, change| sum.plus(change));
        let pays = total.sign() == Some(Ordering::Greater);
        if pays {
            self.pays_throughout &= self.pays.is_none_or(|(first, _)| first == step + 1);
            self.pays = Some((step, self.pays.map_or(step + 1, |(_, end)| end)));
        }
        if pays || self.pays.is_none() {
            let told = changes.iter().map(|change| change.to_scaled().to_doubles());
            self.changes = told.zip(errors).map(|(change, &error)| change.widened(error)).collect();
        }
    }
}

/// What holds in the segments before the last one, which begins at step `last`; the latest first. `values_work` is what the values of a
/// strategy take.
pub(super) fn earlier(
    model: &Mdp,
    solution: &Answer,
    segments: &[OrderedSegment],
    [last, values_work]: [u64; 2],
    reached: &[StateId],
    stop: &StopSignal,
) -> Result<Vec<EarlierSegment>, StopReason> {
    /// Products: about a second.
    const MOST_WORK: u64 = 2_000_000;
    let until = |k: usize| segments.get(k + 1).map_or(last, |next| next.from);
    let work = last.saturating_mul((model.n_transitions() * model.n_principals()) as u64);
    let long_term = LongTerm::of(model, solution);
    let to_come = || payoffs_from(model, &long_term.strategy, [last, values_work], stop);
    let Some(to_come) = (work <= MOST_WORK).then(to_come).transpose()?.flatten() else {
        let untold = |k: usize| EarlierSegment { from: segments[k].from, until: until(k), deviations: None };
        return Ok((0..segments.len()).rev().map(untold).collect());
    };
    let wide = |exact: &Rational| WideEnclosure::of(exact, BITS);
    let known = |value: &Value| match &value.exact {
        Some(exact) => wide(exact),
        None => WideEnclosure::of_scaled(&Scaled::new(value.enclosure, 0), BITS),
    };
    let mut worth: Vec<Vec<WideEnclosure>> = to_come.iter().map(|values| values.iter().map(known).collect()).collect();
    let rewards: Vec<Vec<WideEnclosure>> =
        (0..model.n_choices()).map(|choice| model.rewards(choice.into()).iter().map(wide).collect()).collect();
    let weights: Vec<WideEnclosure> = model.principals().iter().map(|own| wide(&own.weight)).collect();
    let errors = differences_off(model);
    let weighted = |(error, own): (f64, &Principal)| {
        Enclosure::new(0.0, error).times(Enclosure::from(&own.weight.clone().abs())).upper()
    };
    let errors: Vec<f64> = errors.into_iter().zip(model.principals()).map(weighted).collect();
    let rows: Vec<Vec<(StateId, WideEnclosure)>> = (0..model.n_choices())
        .map(|choice| model.transitions(choice.into()).map(|(target, share)| (target, wide(share))).collect())
        .collect();
    let others = |state: &StateId| {
        let taken = long_term.choices[state.index()];
        let other = move |choice: &ChoiceId| *choice != taken;
        model.choices(*state).filter(other).map(|choice| EarlierDeviation::new(*state, choice)).collect::<Vec<_>>()
    };
    let mut told = Vec::with_capacity(segments.len());
    for (k, segment) in segments.iter().enumerate().rev() {
        let mut deviations: Vec<EarlierDeviation> = reached.iter().flat_map(others).collect();
        for step in (segment.from..until(k)).rev() {
            stop.without_budget().check()?;
            let counts: Vec<WideEnclosure> = model.principals().iter().map(|own| step_weight(own, step)).collect();
            let worth_of = |choice: ChoiceId, p: usize| {
                let now = counts[p].times(&rewards[choice.index()][p]);
                let row = rows[choice.index()].iter();
                row.fold(now, |sum, (target, share)| sum.plus(&share.times(&worth[p][target.index()])))
            };
            let taken: Vec<Vec<WideEnclosure>> = (0..model.n_principals())
                .map(|p| long_term.choices.iter().map(|&choice| worth_of(choice, p)).collect())
                .collect();
            for deviation in &mut deviations {
                let change = |p: usize| {
                    let more = worth_of(deviation.choice, p).plus(&taken[p][deviation.state.index()].negated());
                    more.times(&weights[p])
                };
                deviation.at(step, &(0..model.n_principals()).map(change).collect::<Vec<_>>(), &errors);
            }
            worth = taken;
        }
        told.push(EarlierSegment { from: segment.from, until: until(k), deviations: Some(deviations) });
    }
    Ok(told)
}

/// Per principal, how far mixtures may put off a difference of two payoffs, before its weight.
fn differences_off(model: &Mdp) -> Vec<f64> {
    let margins = model.margins().unwrap_or_else(|| vec![0.0; model.n_principals()]);
    margins.into_iter().map(|margin| 2.0 * margin).collect()
}

/// What a step counts for to a principal, or to the mixture that stands for it, before its weight.
fn step_weight(principal: &Principal, step: u64) -> WideEnclosure {
    let segment = principal.segment_at(step);
    let parts = segment.parts.iter().map(|part| part.enclosed_after(step - segment.from, BITS));
    parts.fold(WideEnclosure::zero(BITS), |sum, own| sum.plus(&own))
}

/// What the strategy that is followed in the end is worth to each principal by itself, weights included, seen from step 0.
pub(super) struct SingleValues<'m> {
    model: &'m Mdp,
    long_term: LongTerm,
    /// The step at which values and changes are told.
    step: u64,
    /// Per principal and state, before the weight: from that step on, and from the next one on.
    here: Vec<Vec<Value>>,
    after: Vec<Vec<Value>>,
    /// Per principal, how far a mixture may put a payoff off, before its weight.
    margins: Vec<f64>,
}

impl<'m> SingleValues<'m> {
    /// As of `step`; `None` if that takes too long. `values_work` is what the values of a strategy take.
    pub fn of(
        model: &'m Mdp,
        solution: &Answer,
        [step, values_work]: [u64; 2],
        stop: &StopSignal,
    ) -> Result<Option<SingleValues<'m>>, StopReason> {
        if step > FARTHEST {
            return Ok(None);
        }
        let long_term = LongTerm::of(model, solution);
        let from = |step: u64| payoffs_from(model, &long_term.strategy, [step, values_work], stop);
        let (Some(here), Some(after)) = (from(step)?, from(step + 1)?) else { return Ok(None) };
        let margins = model.margins().unwrap_or_else(|| vec![0.0; model.n_principals()]);
        Ok(Some(SingleValues { model, long_term, step, here, after, margins }))
    }

    /// V of one principal.
    pub fn value(&self, p: PrincipalId, state: StateId) -> Value {
        let value = self.here[p.index()][state.index()].clone();
        self.weighted(p, widened(value, self.margins[p.index()]))
    }

    /// Δ of one principal: what one use of another choice changes.
    pub fn change(&self, p: PrincipalId, state: StateId, choice: ChoiceId) -> Value {
        let taken = self.long_term.choices[state.index()];
        let more = difference(self.model, self.step, p.index(), &self.after[p.index()], [choice, taken]);
        self.weighted(p, widened(more, 2.0 * self.margins[p.index()]))
    }

    fn weighted(&self, p: PrincipalId, value: Value) -> Value {
        let weight = &self.model.principals()[p.index()].weight;
        match &value.exact {
            Some(exact) => Value::from(exact * weight),
            None => Value::from(value.enclosure.times(Enclosure::from(weight))),
        }
    }
}

/// The value with what a mixture may put it off by.
fn widened(value: Value, margin: f64) -> Value {
    if margin == 0.0 { value } else { Value::from(value.enclosure.widened(margin)) }
}

/// By how much the first of two choices is better than the other for a principal of the file, as of step 0 and before its weight, given what
/// comes after.
fn difference(model: &Mdp, step: u64, p: usize, to_come: &[Value], choices: [ChoiceId; 2]) -> Value {
    let now = |choice: ChoiceId| model.principals()[p].step_weight(step) * &model.rewards(choice)[p];
    let exact = |choice: ChoiceId| -> Option<Rational> {
        let ahead = model.transitions(choice).map(|(t, share)| Some(share * to_come[t.index()].exact.as_ref()?));
        Some(now(choice) + sum(ahead.collect::<Option<Vec<Rational>>>()?))
    };
    let enclosed = |choice: ChoiceId| {
        let ahead = model.transitions(choice).map(|(t, p)| Enclosure::from(p).times(to_come[t.index()].enclosure));
        ahead.fold(Enclosure::from(&now(choice)), Enclosure::plus)
    };
    match choices.map(exact) {
        [Some(one), Some(other)] => Value::from(one - other),
        _ => Value::from(enclosed(choices[0]).plus(-enclosed(choices[1]))),
    }
}

/// The strategy that is followed in the end.
struct LongTerm {
    choices: Vec<ChoiceId>,
    strategy: CountingStrategy,
}

impl LongTerm {
    fn of(model: &Mdp, solution: &Answer) -> LongTerm {
        let choices: Vec<ChoiceId> = model.states().map(|state| solution.strategy().tail(state)).collect();
        LongTerm { strategy: CountingStrategy::positional(choices.iter().copied()), choices }
    }
}

/// Every change of choice, the latest first; with the interest of each principal of the file in the first `n_judged`, as long as there
/// is work left.
pub(super) fn turns(
    model: &Mdp,
    solution: &Answer,
    meetings: &Meetings,
    [n_judged, values_work]: [u64; 2],
    stop: &StopSignal,
) -> Result<Vec<ChangeOfChoice>, StopReason> {
    let mut turns = unjudged(model.n_principals(), solution, meetings);
    let errors = differences_off(model);
    let mut known: Option<(u64, Vec<Vec<Value>>)> = None;
    for turn in turns.iter_mut().take(n_judged as usize) {
        let Some(step) = u64::try_from(&turn.step).ok().filter(|step| *step <= FARTHEST) else { continue };
        if known.as_ref().is_none_or(|(other, _)| *other != step) {
            let to_come = payoffs_from(model, solution.strategy(), [step + 1, values_work], stop)?;
            let Some(to_come) = to_come else { continue };
            known = Some((step, to_come));
        }
        let (_, to_come) = known.as_ref().expect("just computed");
        let better = |p: usize| compared(model, turn, step, p, &to_come[p], errors[p]);
        turn.better = (0..model.n_principals()).map(better).collect();
    }
    Ok(turns)
}

/// What each principal gets from every state from a step on under a strategy, before its weight; `None` if that takes too long.
fn payoffs_from(
    model: &Mdp,
    strategy: &CountingStrategy,
    [step, values_work]: [u64; 2],
    stop: &StopSignal,
) -> Result<Option<Vec<Vec<Value>>>, StopReason> {
    stop.without_budget().check()?;
    if stop.left() < values_work {
        return Ok(None);
    }
    stop.spend(values_work);
    let begin = Step::from(step);
    let from_there = |state: StateId| {
        let first = Change { from: Step::ZERO, choice: strategy.choice(state, &begin) };
        let later = strategy.changes(state).iter().filter(|change| change.from > begin);
        let shifted = later.map(|change| Change { from: &change.from - &begin, choice: change.choice });
        [first].into_iter().chain(shifted).collect()
    };
    let shifted = CountingStrategy::from_changes(model, model.states().map(from_there).collect());
    let later: Vec<Option<Principal>> = model.principals().iter().map(|own| own.later(step)).collect();
    // A principal that no longer counts gets nothing.
    let filled = later.iter().zip(model.principals()).map(|(later, own)| later.clone().unwrap_or_else(|| own.clone()));
    let moved = model.clone().with_principals(filled.collect());
    let payoffs = match evaluate(&moved, &Strategy::Counting(shifted), stop) {
        Ok(payoffs) => payoffs,
        Err(_) => return stop.without_budget().check().map(|()| None),
    };
    let of_principal = |p: usize| {
        let payoff = |state: StateId| match &later[p] {
            Some(_) => payoffs.payoff(p.into(), state),
            None => Value::from(Rational::ZERO),
        };
        model.states().map(payoff).collect()
    };
    Ok(Some((0..model.n_principals()).map(of_principal).collect()))
}

/// How the new choice compares with the old one for a principal, in its own direction, given how far its mixture may put the difference
/// off; `None` if that is not known.
fn compared(
    model: &Mdp,
    turn: &ChangeOfChoice,
    step: u64,
    p: usize,
    to_come: &[Value],
    error: f64,
) -> Option<Ordering> {
    let better = difference(model, step, p, to_come, [turn.after, turn.before]);
    let ordering = match &better.exact {
        Some(exact) if error == 0.0 => Some(exact.cmp(&Rational::ZERO)),
        _ => better.enclosure.widened(error).sign(),
    };
    let own = &model.principals()[p];
    ordering.map(|ordering| if own.is_cost() { ordering.reverse() } else { ordering })
}
