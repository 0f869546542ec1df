//! Gains that a chain has mixed, but not to one constant.
//!
//! A strategy σ carries a gain g along: k steps back it is λ_0^k P_σ^k g. Where σ never leaves any of several classes of
//! states, or goes round in one, P_σ^k g does not tend to a constant. It tends to h_k, one number for each phase of each
//! class, in the order in which σ goes through the phases, and on all other states the mean of what it comes to:
//!
//! ```text
//! P_σ h_k = h_{k+1},      h_{k+d} = h_k        (d = 1: h is harmonic)
//! ```
//!
//! Any h with these equations may be taken out of the gain: P_σ^k g = h_k + P_σ^k (g − h_0). It is found in fractions, so
//! that the equations hold exactly however long a stage is. Cost: one exact linear solve over the states that are left,
//! d times as many unknowns.

use crate::linear_system::{self, IntegerSystem};
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{ExactVector, Integer, Natural, Rational, Scaled, WideEnclosure};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Recurrence;
use std::cmp::Ordering;

/// The most unknowns for which equations are solved.
const MOST_UNKNOWNS: usize = 5_000;
/// The longest period.
const LONGEST: usize = 120;
/// What is smaller than the greatest number by this many bits counts as 0.
const NEGLIGIBLE: i128 = 2_000;

/// h_0, …, h_{d−1}.
#[derive(Debug, Clone)]
pub(in crate::exact) struct Harmonic {
    n_states: usize,
    /// All states of h_0 first, then those of h_1, …; times 2^-exponent.
    values: ExactVector,
    exponent: i128,
}

impl Harmonic {
    /// What the strategy mixes `gains` to; `None` if that is a constant, if the gains of one phase still differ by more than
    /// `allowed`, or if it is too much work.
    pub fn of(
        model: &OrderedModel,
        strategy: &[ChoiceId],
        gains: &[WideEnclosure],
        allowed: Option<Scaled>,
        stop: &StopSignal,
    ) -> Result<Option<Harmonic>, StopReason> {
        let recurrence = Recurrence::of(gains.len(), |state| model.targets(strategy[state.index()]));
        let n_left = recurrence.phase.iter().filter(|phase| phase.is_none()).count();
        let Some(period) = recurrence.period.filter(|&period| period <= LONGEST && period * n_left <= MOST_UNKNOWNS)
        else {
            return Ok(None);
        };
        if recurrence.next.len() == 1 {
            return Ok(None);
        }
        let mut hulls: Vec<Option<WideEnclosure>> = vec![None; recurrence.next.len()];
        for (phase, gain) in recurrence.phase.iter().zip(gains) {
            if let Some(hull) = phase.map(|phase| &mut hulls[phase]) {
                *hull = Some(hull.as_ref().map_or_else(|| gain.clone(), |hull| hull.join(gain)));
            }
        }
        let hulls: Vec<WideEnclosure> = hulls.into_iter().map(|hull| hull.expect("a phase has a state")).collect();
        let is_narrow = |hull: &WideEnclosure, allowed: &Scaled| {
            matches!(hull.width().compare(allowed), Some(Ordering::Less | Ordering::Equal))
        };
        if allowed.is_some_and(|allowed| !hulls.iter().all(|hull| is_narrow(hull, &allowed))) {
            return Ok(None);
        }
        let middles: Vec<(Integer, i128)> = hulls.iter().map(WideEnclosure::middle).collect();
        let exponents = middles.iter().filter(|(middle, _)| !middle.is_zero()).map(|(_, exponent)| *exponent);
        let Some(exponent) = exponents.max() else {
            return Ok(None);
        };
        let constant = |(middle, own): &(Integer, i128)| match exponent - own {
            less @ 0..=NEGLIGIBLE => Rational::from_parts(middle.clone(), Natural::ONE << less as usize),
            _ => Rational::ZERO,
        };
        let constants: Vec<Rational> = middles.iter().map(constant).collect();
        let values = extended(model, strategy, &recurrence, period, &constants, stop)?;
        Ok(Some(Harmonic { n_states: gains.len(), values, exponent }))
    }

    /// d.
    pub fn period(&self) -> usize {
        self.values.len() / self.n_states
    }

    /// All states of h_0 first, then those of h_1, …; to be taken times 2^exponent.
    pub fn into_parts(self) -> (ExactVector, i128) {
        (self.values, self.exponent)
    }

    /// h_k of a state, in enclosures of this many bits.
    pub fn value(&self, k: usize, state: StateId, bits: usize) -> WideEnclosure {
        let numerator = &self.values.numerators[k * self.n_states + state.index()];
        WideEnclosure::of_quotient(numerator, &self.values.denominator, bits).shifted_by(self.exponent)
    }

    /// P_c h_k − h_{k+1} for a choice c and all k: what it leads to more than the strategy does. Exactly 0 is the point 0.
    pub fn drift(&self, model: &OrderedModel, rows: &IntegerRows, choice: ChoiceId) -> Vec<Scaled> {
        let period = self.period();
        let state = model.state_of(choice).index();
        let denominator = Integer::from(rows.denominator(choice).clone());
        let of_phase = |k: usize| {
            let expected = rows.dot(model.mdp(), choice, &self.values.numerators[k * self.n_states..]);
            let own = &self.values.numerators[(k + 1) % period * self.n_states + state] * &denominator;
            let denominator = denominator.clone().into_parts().1 * &self.values.denominator;
            Scaled::of_quotient(&(expected - own), &denominator).shifted_by(self.exponent)
        };
        (0..period).map(of_phase).collect()
    }

    /// The drift of every choice, side by side.
    pub fn drifts(&self, model: &OrderedModel, rows: &IntegerRows) -> Vec<Scaled> {
        parallel::flat_map(model.n_choices(), |choice| self.drift(model, rows, choice.into()).into_iter())
    }
}

/// The numbers of the phases, and on states that are left the means of what the strategy comes to.
fn extended(
    model: &OrderedModel,
    strategy: &[ChoiceId],
    recurrence: &Recurrence,
    period: usize,
    constants: &[Rational],
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    // constants_at[k][phase]: where one that begins in the phase is after k steps.
    let mut constants_at = vec![constants.to_vec()];
    for k in 1..period {
        constants_at.push(recurrence.next.iter().map(|&next| constants_at[k - 1][next].clone()).collect());
    }
    let left: Vec<usize> = (0..strategy.len()).filter(|&state| recurrence.phase[state].is_none()).collect();
    let mut place = vec![0; strategy.len()];
    left.iter().enumerate().for_each(|(index, &state)| place[state] = index);
    let mut system = IntegerSystem::new(left.len() * period);
    for k in 0..period {
        // h_k(s) = Σ_u P(u|s) h_{k−1}(u).
        let before = (k + period - 1) % period;
        for &state in &left {
            let choice = strategy[state];
            let row = || model.targets(choice).iter().zip(model.mdp().probabilities(choice));
            let known = row().filter_map(|(target, p)| {
                recurrence.phase[target.index()].map(|phase| p * &constants_at[before][phase])
            });
            let known = known.fold(Rational::ZERO, |sum, term| sum + term);
            let open = row().filter(|(target, _)| recurrence.phase[target.index()].is_none());
            let open = open.map(|(target, p)| (before * left.len() + place[target.index()], p));
            system.push_state(system.n_rows(), &Rational::ONE, open, &known);
        }
    }
    let solved = if left.is_empty() {
        ExactVector::zeros(0)
    } else {
        linear_system::solve(&system, &|| stop.reason().is_some())
            .ok_or_else(|| stop.reason().expect("an exact solve ends unless it is stopped"))?
    };
    let constants: Vec<Rational> = constants_at.into_iter().flatten().collect();
    let constants = ExactVector::of(&constants);
    let common = crate::model::least_common_multiple(&constants.denominator, &solved.denominator);
    let [of_constants, of_solved] = [&constants, &solved].map(|vector| Integer::from(&common / &vector.denominator));
    let n_phases = recurrence.next.len();
    let numerator = |index: usize| {
        let (k, state) = (index / strategy.len(), index % strategy.len());
        match recurrence.phase[state] {
            Some(phase) => &constants.numerators[k * n_phases + phase] * &of_constants,
            None => &solved.numerators[k * left.len() + place[state]] * &of_solved,
        }
    };
    Ok(ExactVector { numerators: (0..period * strategy.len()).map(numerator).collect(), denominator: common })
}
