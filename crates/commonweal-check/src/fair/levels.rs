//! Levels (§6): the lexicographic optimum by several weights, in fractions.

use super::lottery::is_value_of;
use super::question::Question;
use crate::certificate::{layers, tail};
use crate::exact::{read_values, words_of};
use crate::fraction::Fraction;
use crate::model::Model;
use crate::principals::Principals;
use crate::text::{Lines, step};
use crate::values::Values;
use crate::work::Work;
use crate::{Stop, refuse};
use num_traits::Signed;
use std::cmp::Ordering;
use std::io::BufRead;

/// The latest horizon.
const MAX_HORIZON: u128 = 1 << 32;

/// A level: the model for its weights, and the payoffs of the decisions at each discount.
struct Level {
    model: Model,
    values: Vec<Values>,
    /// The bits of all discounts together.
    bits: u128,
}

/// The upper bound on each step's face.
pub fn check<R: BufRead>(
    model: &Principals,
    question: &Question,
    weights: &[Vec<Fraction>],
    lines: &mut Lines<R>,
    work: &mut Work,
) -> Result<Vec<Fraction>, Stop> {
    lines.word("levels")?;
    let horizon = lines.entry("horizon", |rest| step(rest).filter(|&horizon| horizon <= MAX_HORIZON), "a step")?;
    let mut decisions = tail(&model.by_term, lines)?;
    let mut levels = Vec::new();
    for (k, weights) in weights.iter().enumerate() {
        let (segments, _) = model.weighted(weights)?;
        let model = segments.into_iter().next().expect("one segment");
        let values = read_values(&model, lines)?;
        if horizon == 0 && model.discounts.iter().any(Fraction::is_zero) {
            return Err(lines.fault("a discount of 0 needs a horizon of at least 1, above").into());
        }
        for (i, values) in values.iter().enumerate() {
            is_value_of(&model, i, values, &decisions, work, |state| {
                format!("level {k}, state {state}, discount {i}")
            })?;
        }
        let bits = |discount: &Fraction| u128::from(discount.numerator.bits() + discount.denominator.bits());
        let bits = model.discounts.iter().map(bits).sum();
        levels.push(Level { model, values, bits });
    }
    after_horizon(&levels, horizon, &decisions, work)?;
    if horizon > 0 {
        lines.entry("layers", |rest| (rest == "0").then_some(()), "0")?;
        layers(&model.by_term, lines, (0, horizon), &mut decisions, |t, decisions| {
            layer(&mut levels, t, decisions, work)
        })?;
    }
    let total = |level: &Level| {
        let values = level.values.iter().map(|values| values.of(question.start));
        values.fold(Fraction::zero(), |sum, own| sum.plus(&own).in_lowest_terms())
    };
    Ok(levels.iter().map(total).collect())
}

/// λ^t of each level, also 0^0 = 1.
fn powers(levels: &[Level], t: u128, work: &mut Work) -> Result<Vec<Vec<Fraction>>, Stop> {
    let of_level = |level: &Level| {
        let cost = length(t, level.bits) + 1;
        work.spend(cost, cost)?;
        let power = |discount: &Fraction| super::power(discount, i64::try_from(t).expect("a horizon is at most 2^32"));
        Ok(level.model.discounts.iter().map(power).collect())
    };
    levels.iter().map(of_level).collect()
}

/// At and after the horizon every choice loses at the first level that separates it from the tail's.
fn after_horizon(levels: &[Level], horizon: u128, tail: &[usize], work: &mut Work) -> Result<(), Stop> {
    let all = powers(levels, horizon, work)?;
    let structure = &levels[0].model;
    for state in 0..tail.len() {
        for (number, choice) in structure.choices(state).enumerate() {
            for (k, (level, powers)) in levels.iter().zip(&all).enumerate() {
                let model = &level.model;
                let n = model.n() as u64;
                let long = length(horizon, level.bits) + words_of(&level.values) + n * model.words + 1;
                work.spend(n * (model.words + 4), long)?;
                let lasting = (0..model.n()).filter(|&i| !model.discounts[i].is_zero());
                let advantages: Vec<Fraction> =
                    lasting.map(|i| level.values[i].advantage(model, i, state, choice).times(&powers[i])).collect();
                if advantages.iter().all(Fraction::is_zero) {
                    continue;
                }
                let (mut sum, mut greatest) = (Fraction::zero(), Fraction::zero());
                for advantage in &advantages {
                    sum = sum.plus(advantage).in_lowest_terms();
                    greatest = if sum.compare(&greatest).is_gt() { sum.clone() } else { greatest };
                }
                if greatest.numerator.is_positive() || !sum.numerator.is_negative() {
                    let place = format!("level {k}, horizon {horizon}, state {state}, choice {number}");
                    return refuse(format!("{place}: the choice may pay at or after the horizon; sum {}", sum.shown()));
                }
                break;
            }
        }
    }
    Ok(())
}

/// The machine words of the powers of a step.
fn length(t: u128, bits: u128) -> u64 {
    u64::try_from(t.saturating_mul(bits) / 64).unwrap_or(u64::MAX / 4)
}

/// One step back: no choice is better at the first level that separates it from the decision.
fn layer(levels: &mut [Level], t: u128, decisions: &[usize], work: &mut Work) -> Result<(), Stop> {
    let all = powers(levels, t, work)?;
    for (state, &decision) in decisions.iter().enumerate() {
        let mut own: Vec<Option<Fraction>> = vec![None; levels.len()];
        for choice in levels[0].model.choices(state).filter(|&choice| choice != decision) {
            if levels.iter().all(|level| level.model.same(choice, decision)) {
                continue;
            }
            for (k, (level, powers)) in levels.iter().zip(&all).enumerate() {
                let mut worth = |choice: usize| {
                    let cost = length(t, level.bits).saturating_add(words_of(&level.values) + level.model.words + 1);
                    work.spend(cost, cost)?;
                    let term = |i: usize| level.values[i].worth(&level.model, i, choice).times(&powers[i]);
                    let terms = (0..level.model.n()).map(term);
                    Ok::<Fraction, Stop>(terms.fold(Fraction::zero(), |sum, term| sum.plus(&term).in_lowest_terms()))
                };
                if own[k].is_none() {
                    own[k] = Some(worth(decision)?);
                }
                let (found, stated) = (worth(choice)?, own[k].as_ref().expect("just found"));
                match found.compare(stated) {
                    Ordering::Less => break,
                    Ordering::Equal => {}
                    Ordering::Greater => {
                        let (found, stated) = (found.shown(), stated.shown());
                        let claim = level.model.rivalry(state, choice, decision);
                        return refuse(format!(
                            "level {k}, step {t}, state {state}: {claim}; worth {found} against {stated}"
                        ));
                    }
                }
            }
        }
    }
    for level in levels {
        let Level { model, values, .. } = level;
        for (i, values) in values.iter_mut().enumerate() {
            *values = values.step_back(model, i, decisions, work)?;
        }
    }
    Ok(())
}
