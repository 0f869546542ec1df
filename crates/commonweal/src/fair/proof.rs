//! The proof of a fair answer: by which weights and multipliers nothing better is possible.
//!
//! Demands are rows `a_r·x ≥ b_r`: floors, then ceilings, then what leximin has settled. A step has one multiplier y_r per row and weights w, of
//! which no point on the face of the steps before has more than h. What follows from it is its argument;
//! `docs/formats/fair-certificate-v1.md` §5 has the proofs.

use super::payoff_set::Weights;
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
    /// Whatever meets the demands lies on the face that is best by the weights.
    Tight,
    /// Of leximin: those who are not settled yet cannot all gain more than this.
    Least {
        /// What they gain at least, and at most.
        value: Rational,
        /// v: what each principal's gain counts for in that.
        gains: Weights,
    },
    /// No value by the rule is greater than its dual says.
    Bound {
        /// v: what each principal's gain counts for; all 0 where the demands cannot be met.
        gains: Weights,
    },
}
