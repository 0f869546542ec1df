//! The payoffs of a lottery (§4): each of its strategies is walked from its horizon back to the start, in fractions or in doubles.

use super::question::{Question, Rule};
use super::{fraction, of_double};
use crate::certificate::{layers, tail};
use crate::doubles::Interval;
use crate::fraction::Fraction;
use crate::model::Model;
use crate::principals::Principals;
use crate::text::{Lines, count, step};
use crate::values::Values;
use crate::work::Work;
use crate::{Stop, Unreadable, bounds, exact, refuse};
use num_traits::Signed;
use std::io::BufRead;

/// The latest horizon.
const MAX_HORIZON: u128 = 1 << 32;
/// The cost of an operation in doubles relative to one on a machine word.
const COST: u64 = 4;

/// Bounds on each principal's payoff from the lottery.
pub fn check<R: BufRead>(
    model: &Principals,
    question: &Question,
    lines: &mut Lines<R>,
    work: &mut Work,
) -> Result<Vec<[Fraction; 2]>, Stop> {
    let n_shares = lines.entry("lottery", |rest| count(rest).filter(|&n| n > 0), "a number of strategies")?;
    let mut payoffs = vec![[Fraction::zero(), Fraction::zero()]; model.n()];
    let mut total = Fraction::zero();
    for number in 0..n_shares {
        let positive = |rest: &str| fraction(rest).filter(|share| share.numerator.is_positive());
        let share = lines.entry("share", positive, "a positive fraction")?;
        total = total.plus(&share).in_lowest_terms();
        let is_exact = |rest: &str| ["exact", "doubles"].iter().position(|word| *word == rest);
        let is_exact = lines.entry("numbers", is_exact, "`exact` or `doubles`")? == 0;
        if !is_exact && matches!(question.rule, Rule::Leximin) {
            return Err(lines.fault("the lottery of leximin has exact numbers").into());
        }
        let terms = if is_exact {
            let of = |own: Fraction| [own.clone(), own];
            in_fractions(model, question.start, number, lines, work)?.into_iter().map(of).collect()
        } else {
            in_doubles(model, question.start, number, lines, work)?
        };
        for ((p, coefficient), [least, most]) in model.coefficients().zip(&terms) {
            let counts = coefficient.times(&share);
            let ends = if counts.numerator.is_negative() { [most, least] } else { [least, most] };
            for (sum, end) in payoffs[p].iter_mut().zip(ends) {
                *sum = sum.plus(&counts.times(end)).in_lowest_terms();
            }
        }
    }
    if total.compare(&Fraction::one()).is_ne() {
        return Err(lines.fault("the shares above do not sum to 1").into());
    }
    Ok(payoffs)
}

fn horizon<R: BufRead>(lines: &mut Lines<R>) -> Result<u128, Unreadable> {
    lines.entry("horizon", |rest| step(rest).filter(|&horizon| horizon <= MAX_HORIZON), "a step")
}

/// The layers from the horizon to the start, if there are any.
fn walk<R: BufRead>(
    model: &Model,
    lines: &mut Lines<R>,
    horizon: u128,
    decisions: &mut [usize],
    visit: impl FnMut(u128, &[usize]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if horizon == 0 {
        return Ok(());
    }
    lines.entry("layers", |rest| (rest == "0").then_some(()), "0")?;
    layers(model, lines, (0, horizon), decisions, visit)
}

/// The value of each term of a strategy from the start.
fn in_fractions<R: BufRead>(
    model: &Principals,
    start: usize,
    number: usize,
    lines: &mut Lines<R>,
    work: &mut Work,
) -> Result<Vec<Fraction>, Stop> {
    let by_term = &model.by_term;
    let horizon = horizon(lines)?;
    let mut decisions = tail(by_term, lines)?;
    let mut values = exact::read_values(by_term, lines)?;
    for (i, (p, _)) in model.coefficients().enumerate() {
        is_value_of(by_term, i, &values[i], &decisions, work, |state| {
            format!("share {number}, state {state}, principal {p}")
        })?;
    }
    walk(by_term, lines, horizon, &mut decisions, |_, decisions| {
        for (i, values) in values.iter_mut().enumerate() {
            *values = values.step_back(by_term, i, decisions, work)?;
        }
        Ok(())
    })?;
    Ok(values.iter().map(|values| values.of(start).in_lowest_terms()).collect())
}

/// Refuses values that are not those of the decisions to the i-th discount of a model.
pub fn is_value_of(
    model: &Model,
    i: usize,
    values: &Values,
    decisions: &[usize],
    work: &mut Work,
    place: impl Fn(usize) -> String,
) -> Result<(), Stop> {
    let rows = (model.n_transitions() + model.n_states()) as u64;
    work.spend(rows * (model.words + 4), values.words + model.words)?;
    for (state, &choice) in decisions.iter().enumerate() {
        let advantage = values.advantage(model, i, state, choice);
        if !advantage.is_zero() {
            let (place, found) = (place(state), advantage.shown());
            return refuse(format!("{place}: the values are not those of its choices; advantage {found}, not 0"));
        }
    }
    Ok(())
}

/// Bounds on the value of each term of a strategy from the start.
fn in_doubles<R: BufRead>(
    model: &Principals,
    start: usize,
    number: usize,
    lines: &mut Lines<R>,
    work: &mut Work,
) -> Result<Vec<[Fraction; 2]>, Stop> {
    let by_term = &model.by_term;
    let horizon = horizon(lines)?;
    let mut decisions = tail(by_term, lines)?;
    let values = bounds::read_values(by_term, lines)?;
    let rows = (by_term.n_transitions() + by_term.n_states()) as u64;
    let terms = model.coefficients().zip(values).enumerate();
    let mut walked = Vec::new();
    for (i, ((p, _), values)) in terms {
        work.spend(rows, COST)?;
        walked.push(Walked::after(by_term, i, format!("share {number}, principal {p}"), values, &decisions)?);
    }
    walk(by_term, lines, horizon, &mut decisions, |_, decisions| {
        for own in &mut walked {
            work.spend(rows, COST)?;
            own.layer(decisions)?;
        }
        Ok(())
    })?;
    walked.iter().map(|own| own.worth(start)).collect()
}

/// The state of a term: values, and the gain over them.
struct Walked<'m> {
    model: &'m Model,
    i: usize,
    place: String,
    values: Vec<f64>,
    discount: Interval,
    numbers: Vec<Interval>,
    gains: Vec<Interval>,
}

impl<'m> Walked<'m> {
    /// The term at the horizon.
    fn after(
        model: &'m Model,
        i: usize,
        place: String,
        values: Vec<f64>,
        decisions: &[usize],
    ) -> Result<Walked<'m>, Stop> {
        let beyond = || beyond(&place);
        let numbers =
            model.numbers.iter().map(|number| Interval::of(number).ok_or_else(beyond)).collect::<Result<_, _>>()?;
        let discount = Interval::of(&model.discounts[i]).ok_or_else(beyond)?;
        let lifetime = Fraction::one().over(&Fraction::one().minus(&model.discounts[i]));
        let lifetime = Interval::of(&lifetime).ok_or_else(beyond)?;
        let mut walked = Walked { model, i, place, values, discount, numbers, gains: Vec::new() };
        let (mut most, mut least) = (0.0, 0.0);
        for (state, &choice) in decisions.iter().enumerate() {
            let advantage = walked.advantage(state, choice)?;
            (most, least) = (f64::max(most, advantage.hi), f64::max(least, -advantage.lo));
        }
        let after = |drift: f64| Interval::point(drift).times(lifetime).hi;
        let gain = walked.finite(Interval { lo: -after(least), hi: after(most) })?;
        walked.gains = vec![gain; model.n_states()];
        Ok(walked)
    }

    fn layer(&mut self, decisions: &[usize]) -> Result<(), Stop> {
        let back = |(state, &choice): (usize, &usize)| {
            let later = self.expected(choice, |target| self.gains[target]).times(self.discount);
            self.finite(self.advantage(state, choice)?.plus(later))
        };
        self.gains = decisions.iter().enumerate().map(back).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn worth(&self, start: usize) -> Result<[Fraction; 2], Stop> {
        let worth = self.finite(Interval::point(self.values[start]).plus(self.gains[start]))?;
        Ok([worth.lo, worth.hi].map(of_double))
    }

    fn advantage(&self, state: usize, choice: usize) -> Result<Interval, Stop> {
        let later = self.expected(choice, |target| Interval::point(self.values[target])).times(self.discount);
        let now = self.numbers[self.model.rewards(choice)[self.i] as usize];
        self.finite(later.plus(now).plus(Interval::point(-self.values[state])))
    }

    fn expected(&self, choice: usize, of: impl Fn(usize) -> Interval) -> Interval {
        let (targets, probabilities) = self.model.row(choice);
        let terms = targets.iter().zip(probabilities);
        terms.map(|(&target, &p)| of(target as usize).times(self.numbers[p as usize])).sum::<Interval>()
    }

    fn finite(&self, interval: Interval) -> Result<Interval, Stop> {
        if interval.is_finite() { Ok(interval) } else { Err(beyond(&self.place)) }
    }
}

fn beyond(place: &str) -> Stop {
    Stop::Refused(format!("{place}: a number overflows a double; every result must be finite"))
}
