//! Gains that the chain of a strategy has mixed, but not to one constant.
//!
//! A strategy σ carries a gain E along: k steps back it is λ_0^k P_σ^k E. Where σ never leaves any of several classes of states,
//! or goes round in one, P_σ^k E does not tend to a constant, but to vectors h_k with
//!
//! ```text
//! P_σ h_k = h_{k+1},      h_{k+d} = h_k        (d = 1: h is harmonic)
//! ```
//!
//! A gain that has been carried along for a while is such a vector itself, up to a small *defect*. So h_0 is the gain at hand, less its
//! middle, and h_1, … are what σ's rows make of it, until they come back. Nothing is asked of σ's graph, and no equation
//! is solved: any vectors will do, because the defect is measured, and a stage of L steps loses at most L times the defect.
//! Cost: d passes over σ's rows, d numbers a state.

use super::super::rounded_model::RoundedModel;
use crate::kernel::sweep::{PolicyRows, Span, expectation};
use crate::model::{ChoiceId, StateId};
use crate::number::UpperBound;
use crate::parallel;

/// The longest period that is looked for: the least common multiple of 2 to 6, and of 8, 3 and 5.
const LONGEST: u64 = 120;
/// The most numbers that the vectors of a model may have.
const MOST_NUMBERS: u64 = 1 << 24;

/// h_0, …, h_{d−1}, and how far they are from the equations.
pub(super) struct Harmonic {
    /// What was taken out of the gain before: its middle.
    pub level: f64,
    /// With room for ghosts.
    pub phases: Vec<Vec<f64>>,
    /// How far a computed row of these vectors may be from the true one.
    pub rounding: UpperBound,
    /// The greatest |P_σ h_{d−1} − h_0|, as computed.
    pub closing: UpperBound,
    /// The greatest |h_0|.
    pub greatest: UpperBound,
}

impl Harmonic {
    /// The vectors of this gain with a defect that is `allowed`, of the least period.
    pub fn of(model: &RoundedModel, rows: &PolicyRows, gain: &[f64], span: Span, allowed: f64) -> Option<Harmonic> {
        let level = span.middle();
        let first: Vec<f64> = parallel::map_many(gain.len(), |state| gain[state] - level);
        let greatest = UpperBound::of(model.span(&first, 1, 0).magnitude());
        let rounding = model.rounding_of_row(greatest + greatest);
        if rounding.get() > allowed {
            return None;
        }
        let n_states = model.ranks.sum(model.n_states() as u64);
        let longest = LONGEST.min(MOST_NUMBERS / n_states).max(1);
        let mut phases = vec![first];
        for _ in 0..longest {
            let next = {
                let last = phases.last_mut().expect("the first one");
                model.ranks.refresh(last, 1);
                let mut next = vec![0.0; last.len()];
                rows.sweep(last.as_chunks::<1>().0, next.as_chunks_mut::<1>().0, |_, expected| expected);
                next
            };
            let closing =
                UpperBound::of(model.greatest(|state| (next[state.index()] - phases[0][state.index()]).abs()));
            if (closing + rounding).get() <= allowed {
                return Some(Harmonic { level, phases, rounding, closing, greatest });
            }
            phases.push(next);
        }
        None
    }

    pub fn period(&self) -> usize {
        self.phases.len()
    }

    /// h_k.
    pub fn phase(&self, k: u64) -> &[f64] {
        &self.phases[(k % self.phases.len() as u64) as usize]
    }

    /// An upper bound on |P_σ h_k − h_{k+1}|.
    pub fn defect(&self) -> UpperBound {
        // The difference of two doubles is rounded as well, which `rounding` covers.
        self.closing + self.rounding
    }

    /// `P_a h_k − h_{k+1}` at `state` for every k, as computed.
    pub fn drifts(&self, model: &RoundedModel, state: StateId, choice: ChoiceId) -> impl Iterator<Item = f64> {
        let row = model.arrays.row(choice);
        let (targets, probabilities) = (&model.arrays.target[row.clone()], &model.arrays.probability[row]);
        let following = self.phases.iter().cycle().skip(1);
        let drift =
            move |(now, next): (&Vec<f64>, &Vec<f64>)| expectation(targets, probabilities, now) - next[state.index()];
        self.phases.iter().zip(following).map(drift)
    }
}
