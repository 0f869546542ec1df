//! A guess at the long-term strategy, in doubles.
//!
//! Lexicographic policy iteration with values by Gauss–Seidel sweeps. Nothing here is proven: ties are called within a
//! tolerance and sweeps are capped. A wrong guess costs the exact proof more steps and never a wrong answer.

use crate::kernel::rows::Rows;
use crate::kernel::sweep::expectation;
use crate::model::{ChoiceId, StateId};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};

/// Differences below this, relative to the largest value, count as ties.
const TIE: f64 = 1e-10;
/// Sweeps end when no value moves by more than this, relative to the largest one.
const SETTLED: f64 = 1e-14;
/// A policy is evaluated in at most this many sweeps.
const MAX_SWEEPS: usize = 2_000;
/// Policy iteration gives up guessing after this many improvements.
const MAX_IMPROVEMENTS: usize = 200;

/// A strategy that is probably the lexicographic optimum.
pub(super) fn lexicographic(model: &OrderedModel, stop: &StopSignal) -> Result<Vec<ChoiceId>, StopReason> {
    let mut allowed = vec![true; model.n_choices()];
    let mut strategy: Vec<ChoiceId> =
        model.states().map(|state| model.choices(state).next().expect("a state has a choice")).collect();
    let rows = Rows::of(model.mdp());
    for i in 0..model.n() {
        let reward: Vec<f64> = (0..model.n_choices()).map(|choice| model.rewards(choice.into())[i].to_f64()).collect();
        let single = Single { model, rows: &rows, reward, discount: model.discount(i).to_f64() };
        single.restrict(&mut allowed, &mut strategy, stop)?;
    }
    Ok(strategy)
}

/// The problem of one principal, in doubles.
struct Single<'a> {
    model: &'a OrderedModel<'a>,
    rows: &'a Rows,
    reward: Vec<f64>,
    discount: f64,
}

impl Single<'_> {
    /// Improves `strategy` within `allowed` until it seems optimal, then drops what is not.
    fn restrict(&self, allowed: &mut [bool], strategy: &mut [ChoiceId], stop: &StopSignal) -> Result<(), StopReason> {
        let mut values = vec![0.0; self.model.n_states()];
        for _ in 0..MAX_IMPROVEMENTS {
            stop.check()?;
            let scale = self.evaluate(strategy, &mut values);
            let mut improved = false;
            for state in self.model.states() {
                let own = self.worth(strategy[state.index()], &values);
                let (best, choice) = self.best(state, allowed, &values);
                if best > own + TIE * scale {
                    strategy[state.index()] = choice;
                    improved = true;
                }
            }
            if !improved {
                break;
            }
        }
        let scale = values.iter().fold(f64::MIN_POSITIVE, |scale, value| scale.max(value.abs()));
        for state in self.model.states() {
            let (best, _) = self.best(state, allowed, &values);
            for choice in self.model.choices(state) {
                // Past the range of doubles nothing compares, and nothing is dropped: the exact proof will.
                let worse = self.worth(choice, &values) < best - TIE * scale;
                allowed[choice.index()] &= !worse;
            }
            if !allowed[strategy[state.index()].index()] {
                strategy[state.index()] = self.best(state, allowed, &values).1;
            }
        }
        Ok(())
    }

    /// The best allowed choice of a state, the first of equals.
    fn best(&self, state: StateId, allowed: &[bool], values: &[f64]) -> (f64, ChoiceId) {
        let mut best: Option<(f64, ChoiceId)> = None;
        for choice in self.model.choices(state).filter(|choice| allowed[choice.index()]) {
            let worth = self.worth(choice, values);
            if best.is_none_or(|(greatest, _)| worth > greatest) {
                best = Some((worth, choice));
            }
        }
        best.expect("a state keeps an allowed choice")
    }

    /// Sweeps `values` towards those of `strategy`; returns their largest magnitude.
    ///
    /// Every fourth sweep takes all steps from the same values. If those steps lie in [a, b], the limit lies between
    /// λa/(1−λ) and λb/(1−λ) further on (MacQueen): where they are nearly alike, the middle of that is taken at once.
    fn evaluate(&self, strategy: &[ChoiceId], values: &mut [f64]) -> f64 {
        let mut scale = f64::MIN_POSITIVE;
        for sweep in 1..=MAX_SWEEPS {
            let mut moved: f64 = 0.0;
            if sweep % 4 == 0 {
                let steps: Vec<f64> = (0..values.len()).map(|s| self.worth(strategy[s], values) - values[s]).collect();
                let (least, most) = steps.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
                moved = least.abs().max(most.abs());
                let alike = most - least <= 0.1 * moved;
                let rest = if alike { (most + least) / 2.0 * self.discount / (1.0 - self.discount) } else { 0.0 };
                values.iter_mut().zip(steps).for_each(|(value, step)| *value += step + rest);
            } else {
                // Backwards: states are often listed before those that they lead to.
                for state in (0..values.len()).rev() {
                    let value = self.worth(strategy[state], values);
                    moved = moved.max((value - values[state]).abs());
                    values[state] = value;
                }
            }
            scale = values.iter().fold(f64::MIN_POSITIVE, |scale, value| scale.max(value.abs()));
            if moved.is_nan() || moved <= SETTLED * scale {
                break;
            }
        }
        scale
    }

    fn worth(&self, choice: ChoiceId, values: &[f64]) -> f64 {
        let (targets, probabilities) = self.rows.row(choice.index());
        self.reward[choice.index()] + self.discount * expectation(targets, probabilities, values)
    }
}
