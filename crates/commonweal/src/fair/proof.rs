//! The proof of a fair answer: the weights and multipliers that prove optimality.
//!
//! Demands are rows `a_r·x ≥ b_r`: floors, then ceilings, then the levels that leximin has fixed. A step has one multiplier y_r
//! per row and weights w with `w·x ≤ h` for all points x on the face of the steps before. Its argument says what follows;
//! `docs/formats/fair-certificate-v1.md` §5 has the proofs.

use super::Weights;
use crate::number::Rational;

/// A step of a proof.
#[derive(Debug, Clone)]
pub struct ProofStep {
    /// What follows from it.
    pub argument: Argument,
    /// w.
    pub weights: Weights,
    /// y, one per row that there is at this step.
    pub rows: Vec<Rational>,
}

/// What follows from a step.
#[derive(Debug, Clone)]
pub enum Argument {
    /// All points that meet the demands lie on the face that is best by the weights.
    Tight,
    /// For leximin: the principals that are not fixed yet cannot all gain more than this.
    Least {
        /// Their least gain.
        value: Rational,
        /// v: the weight of each principal's gain in the proof.
        gains: Weights,
    },
    /// The dual value is an upper bound by the rule.
    Bound {
        /// v: the weight of each principal's gain; all 0 if the demands are infeasible.
        gains: Weights,
    },
}
