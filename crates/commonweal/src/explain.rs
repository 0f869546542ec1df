//! The steps of a solution, as the paper's worked examples give them. [W1–W4]
//!
//! Computed anew and in plain fractions: this is for models that a person reads, not for speed.

use crate::Solution;
use crate::long_term::{self, LongTerm};
use crate::model::{ChoiceId, IntegerRows, Model, StateId};
use crate::number::{Rational, sum};
use crate::principals::{self, OrderedModel};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use crate::unravelling::Advantages;
use crate::unravelling::exponential_sum::DiscountRatios;
use crate::unravelling::horizon::first_passing_step;
use std::cmp::Ordering;

/// Why the strategy is what it is.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// V_i per state, most patient principal first.
    pub values: Vec<Vec<Rational>>,
    /// Every choice outside the long-term strategy.
    pub deviations: Vec<Deviation>,
    /// The layers before the horizon in which somebody deviates or gains, last first; as many as were asked for.
    pub layers: Vec<Layer>,
}

/// A choice that the long-term strategy does not take.
#[derive(Debug, Clone)]
pub struct Deviation {
    /// Where.
    pub state: StateId,
    /// What.
    pub choice: ChoiceId,
    /// Δ_i, most patient principal first.
    pub advantages: Vec<Rational>,
    /// The steps at which it pays by itself, D_j > 0: the first, and the one after the last.
    pub pays: Option<(u64, u64)>,
    /// The first step at which the prefix test passes: it pays from there on never again.
    pub settled_from: u64,
}

/// What is done and gained at one step.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The step.
    pub step: u64,
    /// Per state with a gain: its choice, D_j of that choice, and E_j.
    pub gains: Vec<(StateId, ChoiceId, Rational, Rational)>,
}

/// Explains `solution`, with at most `n_layers` layers, the ones just before the horizon.
pub fn explain(
    model: &Model,
    solution: &Solution,
    n_layers: u64,
    stop: &StopSignal,
) -> Result<Explanation, StopReason> {
    let ordered = principals::order(model);
    let rows = IntegerRows::of(model);
    let long_term = long_term::solve(&ordered, &rows, stop)?;
    let advantages = Advantages::over(&ordered, &rows, &long_term);
    let ratios = DiscountRatios::of(&ordered);
    let values = model.states().map(|s| long_term.values.iter().map(|v| v.get(s.index())).collect()).collect();
    let mut deviations = Vec::new();
    for state in model.states() {
        for choice in model.choices(state).filter(|&choice| !advantages.is_long_term(choice)) {
            stop.check()?;
            let settled_from = first_passing_step(&advantages, &ratios, state, choice).unwrap_or(u64::MAX);
            deviations.push(Deviation {
                state,
                choice,
                advantages: exact_advantages(&ordered, &advantages, state, choice),
                pays: paying_steps(&advantages, &ratios, state, choice, settled_from),
                settled_from,
            });
        }
    }
    let layers = layers(&ordered, &long_term, &advantages, solution, n_layers, stop)?;
    Ok(Explanation { values, deviations, layers })
}

fn exact_advantages(model: &OrderedModel, advantages: &Advantages, state: StateId, choice: ChoiceId) -> Vec<Rational> {
    let exact = |i| {
        let (numerator, denominator) = advantages.exact(state, choice, i);
        Rational::from_parts(numerator, denominator)
    };
    (0..model.n()).map(exact).collect()
}

/// The first step with D_j > 0, and the step after the last one. Looks at no more than a few thousand steps one by one.
fn paying_steps(
    advantages: &Advantages,
    ratios: &DiscountRatios,
    state: StateId,
    choice: ChoiceId,
    settled_from: u64,
) -> Option<(u64, u64)> {
    const LOOKED_AT: u64 = 10_000;
    let pays = |step: u64| {
        let sign =
            ratios.sign(&ratios.weights(step), step, advantages.of(choice), |i| advantages.exact(state, choice, i));
        sign == Ordering::Greater
    };
    let last = (settled_from.saturating_sub(LOOKED_AT)..settled_from).rev().find(|&step| pays(step))?;
    let first = (0..=last.min(LOOKED_AT)).find(|&step| pays(step)).unwrap_or(last);
    Some((first, last + 1))
}

fn layers(
    model: &OrderedModel,
    long_term: &LongTerm,
    advantages: &Advantages,
    solution: &Solution,
    n_layers: u64,
    stop: &StopSignal,
) -> Result<Vec<Layer>, StopReason> {
    let horizon = u64::try_from(solution.horizon()).unwrap_or(u64::MAX);
    let mut gain = vec![Rational::ZERO; model.n_states()];
    let mut layers = Vec::new();
    for step in (horizon.saturating_sub(n_layers)..horizon).rev() {
        stop.check()?;
        let weights: Vec<Rational> = (0..model.n()).map(|i| model.discount(i).pow(step as isize)).collect();
        let mut gains = Vec::new();
        let mut next = Vec::with_capacity(gain.len());
        for state in model.states() {
            let choice = solution.strategy().choice(state, &Step::from(step));
            let now = match long_term.allowed[choice.index()] {
                true => Rational::ZERO,
                false => {
                    let advantages = exact_advantages(model, advantages, state, choice);
                    sum(advantages.iter().zip(&weights).map(|(advantage, weight)| advantage * weight))
                }
            };
            let later = sum(model.transitions(choice).map(|(target, p)| p * &gain[target.index()]));
            let total = &now + later;
            if !total.is_zero() {
                gains.push((state, choice, now, total.clone()));
            }
            next.push(total);
        }
        gain = next;
        layers.push(Layer { step, gains });
    }
    Ok(layers)
}
