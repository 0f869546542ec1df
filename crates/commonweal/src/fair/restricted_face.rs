//! A face of the payoff set with conditions, reduced until the conditions have a Slater point.
//!
//! Column generation needs a Slater point, which satisfies all conditions strictly. If there is none (`bob ≥ 9/2` in the hotel,
//! where Bob's greatest payoff is 9/2), the greatest slack is exactly 0, and the weights that prove it define a face: every point
//! that satisfies the conditions lies on it. The search continues there, with the tight conditions as equations.

use super::Weights;
use super::program::{Condition, Extra, Face, Program, Solved, Until};
use super::proof::{Argument, ProofStep};
use super::simplex::Sense;
use crate::number::Rational;
use crate::stop::StopReason;

/// A face and the conditions on it, each `a·x ≥ b` or `a·x = b`.
pub(super) struct RestrictedFace<'s, 'm> {
    pub face: Face<'s, 'm>,
    pub conditions: Vec<Condition>,
    /// The row of the proof for each condition; rows remain when redundant conditions are removed.
    pub rows: Vec<usize>,
    /// The number of rows of the proof so far.
    pub n_rows: usize,
    /// The steps that led to the face.
    pub steps: Vec<ProofStep>,
}

/// Whether the conditions can be satisfied.
pub(super) enum Feasibility {
    /// Strictly, on the face that is left.
    Yes,
    /// No; the best attempt, with the shortfall as minus its value.
    No(Solved),
    /// The bounds do not decide it.
    Unknown(Solved),
}

/// A weight vector with a single one.
pub(super) fn unit(n: usize, p: usize) -> Weights {
    (0..n).map(|q| if q == p { Rational::ONE } else { Rational::ZERO }).collect()
}

impl<'s, 'm> RestrictedFace<'s, 'm> {
    /// A face with demands, all of them open.
    pub fn new(face: Face<'s, 'm>, conditions: Vec<Condition>) -> RestrictedFace<'s, 'm> {
        let n_rows = conditions.len();
        RestrictedFace { face, conditions, rows: (0..n_rows).collect(), n_rows, steps: Vec::new() }
    }

    /// One multiplier for each row of the proof, from the duals of a program whose first conditions are the restricted's.
    pub fn row_multipliers(&self, duals: &[Rational]) -> Vec<Rational> {
        let mut multipliers = vec![Rational::ZERO; self.n_rows];
        self.rows.iter().zip(duals).for_each(|(&row, dual)| multipliers[row] = -dual);
        multipliers
    }

    /// The step of the proof that these weights and duals make.
    pub fn step(&self, argument: Argument, weights: &Weights, duals: &[Rational]) -> ProofStep {
        ProofStep { argument, weights: weights.clone(), rows: self.row_multipliers(duals) }
    }

    /// The proof of a program's upper bound: the steps to the face, and the bound on it.
    pub fn bound(&self, gains: Weights, solved: &Solved) -> Vec<ProofStep> {
        let last = self.step(Argument::Bound { gains }, &solved.weights, &solved.duals);
        self.steps.iter().cloned().chain([last]).collect()
    }

    /// Decides whether the conditions can be satisfied, and restricts to the smallest face on which they can.
    pub fn settle(&mut self) -> Result<Feasibility, StopReason> {
        loop {
            let is_open = |condition: &Condition| condition.sense == Sense::AtLeast;
            if !self.conditions.iter().any(is_open) {
                return Ok(Feasibility::Yes);
            }
            // The common slack.
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
            let step = self.step(Argument::Tight, &solved.weights, &solved.duals);
            self.tighten(step, &tight)?;
        }
    }

    /// Restricts to the face that is best by the weights of `step`, on which the conditions of these indices are tight. One of
    /// those that were open is redundant there.
    pub fn tighten(&mut self, step: ProofStep, tight: &[usize]) -> Result<(), StopReason> {
        let weights = step.weights.clone();
        self.steps.push(step);
        let most = self.face.best(&weights)?;
        self.face.restrict(weights, &most.most);
        self.face.add(most.point);
        let implied = tight.iter().copied().find(|&index| self.conditions[index].sense == Sense::AtLeast);
        for &index in tight {
            self.conditions[index].sense = Sense::Equal;
        }
        if let Some(index) = implied {
            self.conditions.remove(index);
            self.rows.remove(index);
        }
        self.end_of_range()
    }

    /// A single equation may hold only at an end of the face's range: then that end is the face.
    fn end_of_range(&mut self) -> Result<(), StopReason> {
        let equal: Vec<usize> =
            (0..self.conditions.len()).filter(|&index| self.conditions[index].sense == Sense::Equal).collect();
        let [index] = equal[..] else { return Ok(()) };
        let Condition { payoffs, bound, .. } = self.conditions[index].clone();
        let negative: Weights = payoffs.iter().map(|weight| -weight).collect();
        for (weights, end, multiplier) in
            [(payoffs, bound.clone(), Rational::ONE), (negative, -bound, Rational::NEG_ONE)]
        {
            let best = self.face.best(&weights)?;
            if best.most == end {
                let mut rows = vec![Rational::ZERO; self.n_rows];
                rows[self.rows[index]] = multiplier;
                self.steps.push(ProofStep { argument: Argument::Tight, weights: weights.clone(), rows });
                self.face.restrict(weights, &end);
                self.face.add(best.point);
                self.conditions.remove(index);
                self.rows.remove(index);
                return Ok(());
            }
            self.face.add(best.point);
        }
        Ok(())
    }
}
