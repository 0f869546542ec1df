//! The weights of steps for a principal, from its entry in a model file.
//!
//! Preferences that are exactly sums of powers in segments are read: a discount, a rate, β and δ, a survey, a schedule, a term of
//! office. Approximated ones (`gamma`, `hyperbolic`) are refused and left to `commonweal convert`, which writes the mixture that
//! the solver sees. So are undiscounted steps of a schedule.

use crate::Unreadable;
use crate::fraction::Fraction;
use crate::yaml::{Node, entries, fields, number, number_of};
use num_bigint::BigInt;
use num_traits::{One, Pow, Signed};

/// The most rates of a survey.
const MAX_RATES: usize = 1_000;
/// The latest step that an entry may name.
const MAX_STEP: u64 = (1 << 53) - 1;
/// The longest numerator or denominator of a weight, in bits: a little less than 10,000 digits, which the solver reads.
const MAX_WEIGHT_BITS: u64 = 33_000;

/// A sum of powers: Σ c λ^j over these parts (c, λ), of which no two have the same λ and no c is 0.
pub type Parts = Vec<(Fraction, Fraction)>;

/// A segment: j steps after `from` a step has the weight of the parts; the last segment holds for ever. No segment only continues
/// the one before it.
pub struct Segment {
    pub from: u64,
    pub parts: Parts,
}

/// The time preference and the weight that an entry states.
pub fn read(entry: &Node, name: &str) -> Result<(Vec<Segment>, Fraction), Unreadable> {
    if let Node::Scalar(_) = entry {
        return Ok((whole(plain(discount(entry, name)?)), Fraction::one()));
    }
    let keys = [
        "discount",
        "rate",
        "until",
        "beta",
        "delta",
        "survey",
        "schedule",
        "weight",
        "gamma",
        "hyperbolic",
        "hazard",
        "error",
    ];
    let [one, rate, until, beta, delta, survey, schedule, weight, others @ ..] = fields(entry, keys, name)?;
    if others.iter().any(Option::is_some) {
        return Err(Unreadable(format!("{name}: {CONVERT}")));
    }
    let segments = match (one, rate, beta, delta, survey, schedule) {
        (Some(node), None, None, None, None, None) => ending(discount(node, name)?, until, name)?,
        (None, Some(node), None, None, None, None) => ending(discount_of(&self::rate(node, name)?), until, name)?,
        (None, None, Some(beta), Some(delta), None, None) if until.is_none() => {
            whole(quasi_hyperbolic(number(beta, name)?, discount(delta, name)?, name)?)
        }
        (None, None, None, None, Some(Node::List(rates)), None) if until.is_none() => whole(mean(rates, name)?),
        (None, None, None, None, None, Some(schedule)) if until.is_none() => falling(schedule, name)?,
        _ => return Err(Unreadable(format!("{name}: expected one time preference"))),
    };
    Ok((segments, weight.map_or(Ok(Fraction::one()), |weight| number(weight, name))?))
}

const CONVERT: &str =
    "this time preference is not read here; convert it first: commonweal convert MODEL model.canonical";

fn whole(parts: Parts) -> Vec<Segment> {
    vec![Segment { from: 0, parts }]
}

/// One discount, of which nothing counts from some step on. The discount 0 counts one step anyway.
fn ending(discount: Fraction, until: Option<&Node>, name: &str) -> Result<Vec<Segment>, Unreadable> {
    let over = until.map(|node| step(node, name)).transpose()?;
    if over == Some(0) {
        return Err(Unreadable(format!("{name}: no step counts")));
    }
    let over = over.filter(|_| !discount.is_zero()).map(|from| Segment { from, parts: Vec::new() });
    Ok(whole(plain(discount)).into_iter().chain(over).collect())
}

fn step(node: &Node, name: &str) -> Result<u64, Unreadable> {
    let Node::Scalar(word) = node else { return Err(Unreadable(format!("{name}: expected a step"))) };
    step_of(word, name)
}

fn step_of(word: &str, name: &str) -> Result<u64, Unreadable> {
    let number = number_of(word, name)?;
    let whole = Some(number.numerator).filter(|_| number.denominator.is_one());
    let step = whole.and_then(|step| u64::try_from(step).ok()).filter(|step| *step <= MAX_STEP);
    step.ok_or_else(|| Unreadable(format!("{name}: `{word}` is not a step")))
}

/// A schedule of rates: that of step k leads from step k − 1 to step k.
fn falling(schedule: &Node, name: &str) -> Result<Vec<Segment>, Unreadable> {
    const GREEN_BOOK: [(u64, &str); 6] =
        [(0, "3.5%"), (31, "3%"), (76, "2.5%"), (126, "2%"), (201, "1.5%"), (301, "1%")];
    let rates: Vec<(u64, Fraction)> = match schedule {
        Node::Scalar(word) if word == "green-book" => {
            let read = |(from, rate): (u64, &str)| Ok((from, rate_of(rate, name)?));
            GREEN_BOOK.into_iter().map(read).collect::<Result<_, Unreadable>>()?
        }
        by_step => {
            let read = |(from, value): &(String, Node)| Ok((step_of(from, name)?, rate(value, name)?));
            entries(by_step, name)?.iter().map(read).collect::<Result<_, Unreadable>>()?
        }
    };
    let in_order = rates.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !in_order || rates.first().is_none_or(|(from, _)| *from > 1) {
        return Err(Unreadable(format!("{name}: {CONVERT}")));
    }
    let mut segments: Vec<Segment> = Vec::new();
    for (step, rate) in rates {
        let (from, discount) = (step.saturating_sub(1), discount_of(&rate));
        let Some(Segment { from: before, parts }) = segments.last() else {
            segments.extend(whole(plain(discount)));
            continue;
        };
        let (weight, last) = &parts[0];
        if *before == from {
            // Key 1: no step has the rate of key 0.
            segments = whole(plain(discount));
        } else if last.compare(&discount).is_ne() {
            let weight = later(weight, last, from - before).ok_or_else(|| Unreadable(format!("{name}: {CONVERT}")))?;
            segments.push(Segment { from, parts: vec![(weight, discount)] });
        }
    }
    Ok(segments)
}

/// The weight of a part some steps later, unless it is too long.
pub fn later(coefficient: &Fraction, discount: &Fraction, steps: u64) -> Option<Fraction> {
    let longest = |number: &Fraction| number.numerator.bits().max(number.denominator.bits());
    let is_short = |steps: &u32| {
        u64::from(*steps).saturating_mul(longest(discount)).saturating_add(longest(coefficient)) <= MAX_WEIGHT_BITS
    };
    let steps = u32::try_from(steps).ok().filter(is_short)?;
    let power = Fraction::new(Pow::pow(&discount.numerator, steps), Pow::pow(&discount.denominator, steps));
    Some(coefficient.times(&power).in_lowest_terms())
}

fn plain(discount: Fraction) -> Parts {
    vec![(Fraction::one(), discount)]
}

fn discount(node: &Node, name: &str) -> Result<Fraction, Unreadable> {
    let discount = number(node, name)?;
    if discount.numerator.is_negative() || discount.numerator >= discount.denominator {
        return Err(Unreadable(format!("{name}: a discount is within [0, 1)")));
    }
    Ok(discount)
}

/// A number, or a number of per cent.
fn rate(node: &Node, name: &str) -> Result<Fraction, Unreadable> {
    let Node::Scalar(word) = node else { return Err(Unreadable(format!("{name}: expected a rate"))) };
    rate_of(word, name)
}

fn rate_of(word: &str, name: &str) -> Result<Fraction, Unreadable> {
    let rate = match word.trim_end().strip_suffix('%') {
        Some(percent) => {
            number_of(percent, name)?.over(&Fraction::new(BigInt::from(100), BigInt::one())).in_lowest_terms()
        }
        None => number_of(word, name)?,
    };
    if !rate.numerator.is_positive() || rate.numerator > rate.denominator {
        return Err(Unreadable(format!("{name}: expected a rate above 0, at most 100%; otherwise {CONVERT}")));
    }
    Ok(rate)
}

/// 1/(1+r).
fn discount_of(rate: &Fraction) -> Fraction {
    Fraction::new(rate.denominator.clone(), &rate.denominator + &rate.numerator).in_lowest_terms()
}

/// β at δ, and 1 − β at 0, which counts at step 0 alone.
fn quasi_hyperbolic(beta: Fraction, delta: Fraction, name: &str) -> Result<Parts, Unreadable> {
    if beta.numerator.is_negative() || beta.numerator > beta.denominator {
        return Err(Unreadable(format!("{name}: a beta is within [0, 1]")));
    }
    let rest = Fraction::one().minus(&beta).in_lowest_terms();
    Ok(merged(vec![(beta, delta), (rest, Fraction::zero())]))
}

/// The mean of the discounts of these rates.
fn mean(rates: &[String], name: &str) -> Result<Parts, Unreadable> {
    if rates.is_empty() || rates.len() > MAX_RATES {
        return Err(Unreadable(format!("{name}: a survey has 1 to {MAX_RATES} rates")));
    }
    let share = Fraction::new(BigInt::one(), BigInt::from(rates.len()));
    let part = |rate: &String| Ok((share.clone(), discount_of(&rate_of(rate, name)?)));
    Ok(merged(rates.iter().map(part).collect::<Result<_, _>>()?))
}

/// The parts with equal discounts added up.
fn merged(parts: Parts) -> Parts {
    let mut merged: Parts = Vec::new();
    for (coefficient, discount) in parts {
        match merged.iter_mut().find(|(_, other)| other.compare(&discount).is_eq()) {
            Some((sum, _)) => *sum = sum.plus(&coefficient).in_lowest_terms(),
            None => merged.push((coefficient, discount)),
        }
    }
    merged.retain(|(coefficient, _)| !coefficient.is_zero());
    merged
}
