//! Lotteries: one of several counting strategies, drawn once before the first step.

use super::CountingStrategy;
use crate::number::{Rational, sum};

/// Counting strategies with the probabilities of being drawn, which are positive and sum to exactly 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lottery {
    shares: Vec<(Rational, CountingStrategy)>,
}

impl Lottery {
    /// The lottery of these strategies.
    ///
    /// # Panics
    /// If a probability is not positive, they do not sum to 1, or two strategies are for different numbers of states.
    pub fn new(shares: Vec<(Rational, CountingStrategy)>) -> Lottery {
        assert!(shares.iter().all(|(share, _)| *share > Rational::ZERO), "probabilities are positive");
        assert!(sum(shares.iter().map(|(share, _)| share.clone())).is_one(), "a lottery sums to 1");
        let n_states = shares[0].1.n_states();
        assert!(shares.iter().all(|(_, strategy)| strategy.n_states() == n_states), "all are for one model");
        Lottery { shares }
    }

    /// The strategies with their probabilities; at least one.
    pub fn shares(&self) -> &[(Rational, CountingStrategy)] {
        &self.shares
    }
}
