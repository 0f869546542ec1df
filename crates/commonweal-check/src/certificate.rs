//! Reading a certificate (§4): its head, its tail, its layers. What the claims mean is in [`exact`] and [`bounds`].

use crate::fraction::Fraction;
use crate::model::Model;
use crate::text::{Lines, count, double, pair, step};
use crate::work::Work;
use crate::{Meaning, Stop, Unreadable, bounds, exact, refuse};
use std::io::BufRead;

/// The welfare of a state that a certificate states, and that was verified.
#[derive(Debug)]
pub enum Welfare {
    Exact(Fraction),
    Between(f64, f64),
}

/// Reads and checks a certificate for the model with these segments and this hash. Returns also the welfare of the state `of`, if
/// there is one.
pub fn check(
    segments: &[Model],
    hash: &str,
    mut lines: Lines<impl BufRead>,
    work: Work,
    of: usize,
) -> Result<(Meaning, Option<Welfare>), Stop> {
    lines.word(HEADER)?;
    is_for(hash, &mut lines)?;
    let kind = |rest: &str| ["exact", "bounds"].iter().position(|kind| *kind == rest);
    match lines.entry("kind", kind, "`exact` or `bounds`")? {
        0 => exact::check(segments, lines, work, of).map(|welfare| (Meaning::Optimal, welfare)),
        _ => bounds::check(segments, lines, work, of).map(|welfare| (Meaning::Bounds, welfare)),
    }
}

/// The first line.
pub const HEADER: &str = "commonweal-certificate 1";

/// Refuses a certificate that is for a model with another hash.
pub fn is_for(hash: &str, lines: &mut Lines<impl BufRead>) -> Result<(), Stop> {
    let digits = |rest: &str| rest.len() == 64 && rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let stated = lines.entry("model", |rest| digits(rest).then(|| rest.to_owned()), "64 hexadecimal digits")?;
    if stated != hash {
        return refuse(format!("model: the certificate is for another one; stated {stated}, found {hash}"));
    }
    Ok(())
}

/// The tail: one choice per state.
pub fn tail(model: &Model, lines: &mut Lines<impl BufRead>) -> Result<Vec<usize>, Unreadable> {
    lines.word("tail")?;
    let mut decisions = Vec::with_capacity(model.n_states());
    let mut last = None;
    while decisions.len() < model.n_states() {
        let left = model.n_states() - decisions.len();
        let run = |line: &str| {
            let (length, choice) = pair(line)?;
            let (length, choice) = (count(length)?, count(choice)?);
            ((1..=left).contains(&length) && last != Some(choice)).then_some((length, choice))
        };
        let (length, choice) = lines.take(run, "a number of states that are left, and a choice that differs")?;
        last = Some(choice);
        for state in decisions.len()..decisions.len() + length {
            let choice = choice_of(model, state, choice).ok_or_else(|| {
                lines.fault(&format!("state {state} has no choice {choice}, which the line before gives it"))
            })?;
            decisions.push(choice);
        }
    }
    Ok(decisions)
}

/// A step of a segment before `until`, both counted from the segment's origin.
pub fn earlier(model: &Model, word: &str, until: u128) -> Option<u128> {
    step(word).filter(|&from| model.from <= from && from - model.origin < until).map(|from| from - model.origin)
}

/// How many steps after the origin of the last segment the horizon is, which is not before that segment.
pub fn after_origin(model: &Model, horizon: u128, lines: &Lines<impl BufRead>) -> Result<u128, Unreadable> {
    if horizon < model.from {
        return Err(lines.fault("the horizon, on the line before, is before the last segment"));
    }
    Ok(horizon - model.origin)
}

/// Goes back from step `until` over the layers of a section, its first line read already: `visit` is called at every
/// step with the decisions there. Steps are counted from the segment's origin.
pub fn layers<R: BufRead>(
    model: &Model,
    lines: &mut Lines<R>,
    (from, until): (u128, u128),
    decisions: &mut [usize],
    mut visit: impl FnMut(u128, &[usize]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut next = change(model, lines, from, until)?;
    for t in (from..until).rev() {
        if next == Some(t) {
            lines.advance()?;
            // The least state that may come next; there is at least one.
            let mut least = 0;
            while least == 0 || lines.line().starts_with(|c: char| c.is_ascii_digit()) {
                let entry = |line: &str| {
                    let (state, choice) = pair(line)?;
                    let state = count(state).filter(|state| (least..model.n_states()).contains(state))?;
                    let choice = choice_of(model, state, count(choice)?)?;
                    (decisions[state] != choice).then_some((state, choice))
                };
                let (state, choice) = lines.take(entry, "a later state and a choice that it did not have")?;
                decisions[state] = choice;
                least = state + 1;
            }
            next = change(model, lines, from, t)?;
        }
        visit(t, decisions)?;
    }
    Ok(())
}

/// The two numbers of a line `between L U`.
pub fn between<R: BufRead>(lines: &mut Lines<R>) -> Result<(f64, f64), Unreadable> {
    let bounds = |rest: &str| pair(rest).and_then(|(lower, upper)| Some((double(lower)?, double(upper)?)));
    lines.entry("between", bounds, "two doubles")
}

/// The step of the line `at T`, if the present line is one.
fn change<R: BufRead>(model: &Model, lines: &Lines<R>, from: u128, before: u128) -> Result<Option<u128>, Unreadable> {
    let Some(rest) = lines.line().strip_prefix("at ") else { return Ok(None) };
    match step(rest).and_then(|t| t.checked_sub(model.origin)).filter(|t| (from..before).contains(t)) {
        Some(t) => Ok(Some(t)),
        None => Err(lines.fault("expected a step within the section, before those above")),
    }
}

/// The choice of a state that has this number within it.
fn choice_of(model: &Model, state: usize, number: usize) -> Option<usize> {
    let choices = model.choices(state);
    choices.start.checked_add(number).filter(|choice| choices.contains(choice))
}
