//! What each principal would get if the agent served nobody else.

use crate::answer::{Answer, Claim, Method};
use crate::any_model::Model;
use crate::certified::SharedModel;
use crate::model::{Principal, StateId};
use crate::number::{Enclosure, Rational, Value};
use crate::solve::{DEFAULT_GAP, Options};
use crate::stop::StopSignal;
use crate::{certified, exact};
use std::cell::OnceCell;

/// What each principal of the file would get from the start if the agent served nobody else: the most, or the least for a
/// principal with a negative weight. Computed by the engine of `answer`: exactly, or between bounds, which are wide if `stop`
/// leaves no time.
///
/// ```
/// use commonweal::questions::own_best;
/// use commonweal::{Model, Options, StopSignal, solve};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let own = own_best(&hotel, &solve(&hotel, &Options::default()), &StopSignal::default());
/// assert_eq!(own[1].exact, Some("9/2".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn own_best(model: &Model, answer: &Answer, stop: &StopSignal) -> Vec<Value> {
    let (start, principals) = (model.start(), model.principals());
    if let Some(only) = best_of_the_only(principals, answer, start) {
        return vec![only];
    }
    let of_principal: Box<dyn Fn(usize) -> Value> = match (answer.method(), model.doubles()) {
        (Method::Certified { .. }, Ok(doubles)) => {
            let gap = gap_of(answer);
            let options = Options { stop: stop.clone(), simplify: answer.is_simplified, ..Options::default() };
            Box::new(move |p| {
                let welfare = certified::solve(&doubles.only(p.into()), gap, &options).welfare(start);
                if principals[p].direction().is_one() { welfare } else { welfare.negated() }
            })
        }
        _ => {
            let exact = model.exact();
            // Once for all principals: of a thousand, each by itself would take long after the stop.
            let any = OnceCell::new();
            Box::new(move |p| match stop.check().and_then(|()| exact::own_best(&exact, p.into(), stop)) {
                Ok(best) => best.payoffs.value(start.index()),
                Err(_) => any.get_or_init(|| exact::any_payoffs(&exact)).payoff(p.into(), start),
            })
        }
    };
    (0..principals.len()).map(|p| no_worse(&principals[p], of_principal(p), answer.payoff(p.into(), start))).collect()
}

/// The same for a model that ranks share; all of them ask. Only the rank that owns the start, whose number among its states is
/// `start`, gets the answer.
pub fn own_best_shared(shared: SharedModel, start: Option<StateId>, answer: &Answer, stop: &StopSignal) -> Vec<Value> {
    let principals = shared.model.principals();
    if let [single] = principals
        && !single.weight.is_zero()
    {
        return start.and_then(|start| best_of_the_only(principals, answer, start)).into_iter().collect();
    }
    let (gap, options) = (gap_of(answer), Options { stop: stop.clone(), ..Options::default() });
    let alone = (0..principals.len()).map(|p| {
        let model = shared.model.only(p.into());
        (p, certified::solve_shared(SharedModel { model: &model, ..shared }, gap, &options))
    });
    let of_principal = |(p, alone): (usize, Answer)| {
        let (principal, start) = (&principals[p], start?);
        let welfare = alone.welfare(start);
        let best = if principal.direction().is_one() { welfare } else { welfare.negated() };
        Some(no_worse(principal, best, answer.payoff(p.into(), start)))
    };
    alone.filter_map(of_principal).collect()
}

/// What the only principal gets from an answer: its own best.
fn best_of_the_only(principals: &[Principal], answer: &Answer, start: StateId) -> Option<Value> {
    let [single] = principals else { return None };
    if single.weight.is_zero() {
        return None;
    }
    let payoff = answer.payoff(0.into(), start);
    let unweighted = || answer.welfare_enclosure(start).times(Enclosure::from(&(Rational::ONE / &single.weight)));
    Some(if payoff.exact.is_some() { payoff } else { Value::from(unweighted()) })
}

/// The gap that a certified answer was asked for, or about that.
fn gap_of(answer: &Answer) -> f64 {
    if let Claim::Within { gap, .. } = answer.claim() { gap } else { DEFAULT_GAP }
}

/// A principal's own best, which is no worse than what an answer gives it.
fn no_worse(principal: &Principal, own: Value, given: Value) -> Value {
    let (lower, upper) = (own.enclosure.lower(), own.enclosure.upper());
    match &own.exact {
        Some(_) => own,
        None if principal.direction().is_one() => Enclosure::new(lower.max(given.enclosure.lower()), upper).into(),
        None => Enclosure::new(lower, upper.min(given.enclosure.upper())).into(),
    }
}
