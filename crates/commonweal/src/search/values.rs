//! Approximately the lexicographic optimum inside a box, most patient part first, in doubles.
//!
//! Policy iteration over mixes: every state orders its choices by the most patient part's value, ties by the next
//! one's, and fills the box in that order. Nothing here is trusted: the relaxation holds for any values.

use super::action_box::ActionBox;
use super::dense;
use super::doubles::Doubles;
use crate::kernel::gauss_seidel::sweep_in_place;
use crate::model::{ChoiceId, StateId};
use crate::stop::{Pace, StopSignal};

/// Differences below this, relative to the largest value, count as ties.
const TIE: f64 = 1e-11;
/// Sweeps end when no value moves by more than this, relative to the largest one.
const SETTLED: f64 = 1e-14;
/// Sweeps that are tried before a small system is solved by elimination.
const FEW_SWEEPS: usize = 12;
/// The most sweeps of a larger system.
const MANY_SWEEPS: usize = 2_000;
/// Systems up to this size are solved by elimination.
const SMALL: usize = 160;
const MOST_IMPROVEMENTS: usize = 60;
/// Sweeps of a large system between improvements that are not the last ones: values that are near tell most choices apart.
const PART_OF_SWEEPS: usize = 20;

/// Values, part after part, and the mix whose values they are. Stopped, they are as good as they are by then.
pub(super) fn lexicographic_values(
    model: &Doubles,
    within: &ActionBox,
    reach: &[StateId],
    near: Option<(&[f64], &[f64])>,
    stop: &StopSignal,
) -> (Vec<f64>, Vec<f64>) {
    let pace = &mut Pace::of(stop);
    let (mut values, mut mix) = match near {
        Some((values, mix)) => (values.to_vec(), mix.to_vec()),
        None => (vec![0.0; model.n * model.n_states], vec![0.0; model.n_choices]),
    };
    for &state in reach {
        let span = model.span(state);
        match near {
            Some(_) => within.project(span, &mut mix),
            None => within.fill(span, &model.choices(state).collect::<Vec<_>>(), &mut mix),
        }
    }
    let a_sweep = n_terms(model, reach);
    let rounds: &[usize] = if reach.len() > SMALL { &[PART_OF_SWEEPS, MANY_SWEEPS] } else { &[FEW_SWEEPS] };
    'rounds: for &sweeps in rounds {
        evaluate_within(sweeps, model, reach, &mix, &mut values, pace);
        for _ in 0..MOST_IMPROVEMENTS {
            if pace.stops_after(a_sweep) {
                break 'rounds;
            }
            if !improve(model, within, reach, &values, &mut mix) {
                break;
            }
            evaluate_within(sweeps, model, reach, &mix, &mut values, pace);
        }
    }
    (values, mix)
}

/// About the values of a mix to every part, from values that are near. Stopped, they are as good as they are by then.
pub(super) fn evaluate(model: &Doubles, reach: &[StateId], mix: &[f64], values: &mut [f64], pace: &mut Pace) {
    let sweeps = if reach.len() <= SMALL { FEW_SWEEPS } else { MANY_SWEEPS };
    evaluate_within(sweeps, model, reach, mix, values, pace);
}

fn evaluate_within(
    sweeps: usize,
    model: &Doubles,
    reach: &[StateId],
    mix: &[f64],
    values: &mut [f64],
    pace: &mut Pace,
) {
    let a_sweep = n_terms(model, reach);
    for i in 0..model.n {
        let values = &mut values[i * model.n_states..(i + 1) * model.n_states];
        let settled = (0..sweeps).any(|_| pace.stops_after(a_sweep) || sweep(model, reach, mix, i, values));
        if !settled && reach.len() <= SMALL {
            dense::solve_values(model, reach, mix, i, values);
            values.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        }
    }
}

/// The products of one look at these states.
fn n_terms(model: &Doubles, reach: &[StateId]) -> usize {
    reach.iter().map(|&state| model.n_terms(state)).sum()
}

/// One Gauss–Seidel sweep, backwards, because states are often listed before their successors. Returns whether it has converged.
fn sweep(model: &Doubles, reach: &[StateId], mix: &[f64], i: usize, values: &mut [f64]) -> bool {
    let discount = model.discount[i];
    let solved = |state: StateId, values: &[f64]| {
        let (mut now, mut stays) = (0.0, 0.0);
        for choice in model.choices(state).filter(|&choice| mix[choice.index()] > 0.0) {
            let (later, own) = model.leaving(state, choice, values);
            stays += mix[choice.index()] * own;
            now += mix[choice.index()] * (model.rewards(choice)[i] + discount * later);
        }
        // A discount that rounds to 1 divides by 0. Any finite value will do; NaN will not.
        Some(now / (1.0 - discount * stays)).filter(|value| value.is_finite()).unwrap_or(0.0)
    };
    let backwards = reach.iter().rev().map(|&state| (state.index(), state));
    sweep_in_place(backwards, values, solved).is_settled(SETTLED)
}

/// Improves the mix of every state that has a better one. Returns whether any changed.
fn improve(model: &Doubles, within: &ActionBox, reach: &[StateId], values: &[f64], mix: &mut [f64]) -> bool {
    let scale: Vec<f64> = (0..model.n)
        .map(|i| {
            let values = &values[i * model.n_states..(i + 1) * model.n_states];
            // Choices that are never taken do not count for the scale.
            let taken = |&state: &StateId| {
                model.choices(state).map(|choice| mix[choice.index()] * model.rewards(choice)[i].abs()).sum::<f64>()
            };
            reach.iter().map(|state| values[state.index()].abs().max(taken(state))).fold(0.0, f64::max)
        })
        .collect();
    let mut improved = false;
    let mut worth = Vec::new();
    let mut new_mix = vec![0.0; model.n_choices];
    for &state in reach {
        let (choices, span) = (model.choices(state), model.span(state));
        if choices.len() < 2 {
            continue;
        }
        worth.clear();
        for choice in choices.clone() {
            for i in 0..model.n {
                let values = &values[i * model.n_states..(i + 1) * model.n_states];
                worth.push(model.rewards(choice)[i] + model.discount[i] * model.expected(choice, values));
            }
        }
        let of = |choice: ChoiceId, i: usize| worth[(choice.index() - span.start) * model.n + i];
        // The sign of the difference for the first part for which the two differ.
        let prefers = |difference: &dyn Fn(usize) -> f64| {
            (0..model.n)
                .map(|i| (difference(i), TIE * scale[i]))
                .find(|(d, tie)| d.abs() > *tie)
                .map_or(0.0, |(d, _)| d)
        };
        let mut left: Vec<ChoiceId> = choices.clone().filter(|&choice| within.allows(choice)).collect();
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let mut first = 0;
            for position in 1..left.len() {
                if prefers(&|i| of(left[position], i) - of(left[first], i)) > 0.0 {
                    first = position;
                }
            }
            order.push(left.remove(first));
        }
        within.fill(span.clone(), &order, &mut new_mix);
        let gain = |i: usize| {
            choices.clone().map(|choice| (new_mix[choice.index()] - mix[choice.index()]) * of(choice, i)).sum()
        };
        if prefers(&gain) > 0.0 {
            mix[span.clone()].copy_from_slice(&new_mix[span]);
            improved = true;
        }
    }
    improved
}
