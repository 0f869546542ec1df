//! What a stage's decisions mix the gains to (§6 (f)): h_0, …, h_{d−1} with P_σ h_k = h_{k+1}, around and around.

use crate::enclosure::Enclosure;
use crate::exact::{Checker, read_vector};
use crate::model::Model;
use crate::text::{Lines, count, integer};
use crate::values::Values;
use crate::{Stop, Unreadable, refuse};
use num_traits::ToPrimitive;
use std::io::BufRead;

/// The longest period.
pub const MAX_PERIOD: usize = 1000;
/// The greatest exponent, and minus the least.
const MAX_EXPONENT: i128 = 1 << 96;

/// h_k(s) = phases[k].of(s) · 2^exponent.
pub struct Harmonic {
    phases: Vec<Values>,
    exponent: i128,
}

impl Harmonic {
    /// Reads `harmonic D E` and what follows.
    pub fn read<R: BufRead>(model: &Model, lines: &mut Lines<R>) -> Result<Harmonic, Unreadable> {
        let head = |rest: &str| {
            let (period, exponent) = rest.split_once(' ')?;
            let period = count(period).filter(|period| (1..=MAX_PERIOD).contains(period))?;
            let exponent = integer(exponent)?.to_i128().filter(|exponent| exponent.abs() <= MAX_EXPONENT)?;
            Some((period, exponent))
        };
        let (period, exponent) = lines.entry("harmonic", head, "a period and an exponent")?;
        let n_states = model.n_states();
        let all = read_vector(period * n_states, lines)?;
        let phases = (0..period).map(|k| all.part(k * n_states..(k + 1) * n_states)).collect();
        Ok(Harmonic { phases, exponent })
    }

    /// P_c h_k − h_{k+1} of every choice, phases side by side. It must be 0 for the decisions, in fractions.
    pub fn drifts(&self, checker: &mut Checker, place: &str) -> Result<Vec<Enclosure>, Stop> {
        let (model, period) = (checker.model, self.phases.len());
        let each = checker.precision.0 / 64 + model.words + 5;
        let length = self.phases.iter().map(|phase| phase.words).max().expect("a phase") + model.words;
        let count = (period * (model.n_transitions() + model.n_choices())) as u64;
        checker.work.spend(count.saturating_mul(each), length)?;
        let mut drifts = Vec::with_capacity(period * model.n_choices());
        for (state, &decision) in checker.decisions.iter().enumerate() {
            for choice in model.choices(state) {
                for (k, phase) in self.phases.iter().enumerate() {
                    let next = &self.phases[(k + 1) % period];
                    let drift = phase.expected_less(model, choice, next, state);
                    let enclosed = checker.precision.fraction(&drift);
                    if choice == decision && !enclosed.is_zero() {
                        let claim = "its choice does not keep the harmonic numbers";
                        return refuse(format!(
                            "{place}, state {state}, phase {k}: {claim}; drift {}, not 0",
                            drift.shown()
                        ));
                    }
                    drifts.push(enclosed.shifted(self.exponent));
                }
            }
        }
        Ok(drifts)
    }

    /// d.
    pub fn period(&self) -> usize {
        self.phases.len()
    }

    /// h_k of a state, k taken modulo d.
    pub fn value(&self, checker: &Checker, k: u128, state: usize) -> Enclosure {
        let phase = &self.phases[(k % self.phases.len() as u128) as usize];
        checker.precision.fraction(&phase.of(state)).shifted(self.exponent)
    }
}
