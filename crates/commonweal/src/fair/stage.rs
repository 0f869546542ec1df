//! A face of the payoff set with what must hold on it, made smaller until no condition touches its border.
//!
//! Column generation needs a point that satisfies all conditions with room to spare. Where there is none (`bob ≥ 9/2` in the
//! hotel, whose greatest payoff is 9/2), the most that can be spared is exactly 0, and the weights that prove it define a face:
//! every point that satisfies the conditions lies on it. So it goes on there, and what was tight is tight for ever.

use super::payoff_set::Weights;
use super::program::{Condition, Extra, Face, Program, Solved, Until};
use super::simplex::Sense;
use crate::number::Rational;
use crate::stop::StopReason;

/// A face and the conditions on it, each `a·x ≥ b` or `a·x = b`.
pub(super) struct Stage<'s, 'm> {
    pub face: Face<'s, 'm>,
    pub conditions: Vec<Condition>,
}

/// Whether the conditions can be satisfied.
pub(super) enum Feasibility {
    /// With room to spare on the face that is left.
    Yes,
    /// No; the best try, with the shortfall as minus its value.
    No(Solved),
    /// The bounds do not tell.
    Unknown(Solved),
}

/// A weight vector with a single one.
pub(super) fn unit(n: usize, p: usize) -> Weights {
    (0..n).map(|q| if q == p { Rational::ONE } else { Rational::ZERO }).collect()
}

impl Stage<'_, '_> {
    /// Finds whether the conditions can be satisfied, and leaves the smallest face on which they all can.
    pub fn settle(&mut self) -> Result<Feasibility, StopReason> {
        loop {
            let is_open = |condition: &Condition| condition.sense == Sense::AtLeast;
            if !self.conditions.iter().any(is_open) {
                return Ok(Feasibility::Yes);
            }
            // What can be spared at all of them.
            let spared = |condition: &Condition| {
                let mut condition = condition.clone();
                condition.extras.extend(is_open(&condition).then_some((0, Rational::NEG_ONE)));
                condition
            };
            let program = Program {
                objective: vec![Rational::ZERO; self.face.set.n()],
                extras: vec![Extra { objective: Rational::ONE, free: true }],
                conditions: self.conditions.iter().map(spared).collect(),
            };
            let solved = self.face.solve(&program, &Until::Positive)?;
            if solved.value > Rational::ZERO {
                return Ok(Feasibility::Yes);
            }
            if solved.upper < Rational::ZERO {
                return Ok(Feasibility::No(solved));
            }
            if !solved.is_optimal() || self.face.set.gap().is_some() {
                return Ok(Feasibility::Unknown(solved));
            }
            let tight = |index: &usize| !solved.duals[*index].is_zero();
            let tight: Vec<usize> = (0..self.conditions.len()).filter(tight).collect();
            self.tighten(solved.weights, &tight)?;
        }
    }

    /// Goes on to the face that is best by `weights`, on which the conditions of these indices are tight. One of those that were
    /// open follows from the others there.
    pub fn tighten(&mut self, weights: Weights, tight: &[usize]) -> Result<(), StopReason> {
        let most = self.face.best(&weights)?;
        self.face.restrict(weights, &most.most);
        self.face.add(most.point);
        let implied = tight.iter().copied().find(|&index| self.conditions[index].sense == Sense::AtLeast);
        for &index in tight {
            self.conditions[index].sense = Sense::Equal;
        }
        if let Some(index) = implied {
            self.conditions.remove(index);
        }
        self.end_of_range()
    }

    /// A single equation may hold at an end of what the face offers only: then that end is the face.
    fn end_of_range(&mut self) -> Result<(), StopReason> {
        let equal: Vec<usize> =
            (0..self.conditions.len()).filter(|&index| self.conditions[index].sense == Sense::Equal).collect();
        let [index] = equal[..] else { return Ok(()) };
        let Condition { payoffs, bound, .. } = self.conditions[index].clone();
        let negative: Weights = payoffs.iter().map(|weight| -weight).collect();
        for (weights, end) in [(payoffs, bound.clone()), (negative, -bound)] {
            let best = self.face.best(&weights)?;
            if best.most == end {
                self.face.restrict(weights, &end);
                self.face.add(best.point);
                self.conditions.remove(index);
                return Ok(());
            }
            self.face.add(best.point);
        }
        Ok(())
    }
}
