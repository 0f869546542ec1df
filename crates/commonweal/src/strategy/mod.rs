//! Strategies: what the agent does in each state, at each step.
//!
//! A [`CountingStrategy`] looks at the state and the step and takes one choice; a positional one is a counting strategy
//! that never changes its mind. A [`Stationary`] one mixes choices by state alone.

mod counting;
pub(crate) mod memory;
mod stationary;

pub use counting::{Change, CountingStrategy};
pub use stationary::Stationary;

use crate::number::Natural;

/// A position in time, from 0. Horizons of close discounts do not fit machine words.
pub type Step = Natural;

/// Any strategy that this program evaluates or simulates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// One choice per state and step.
    Counting(CountingStrategy),
    /// One mix of choices per state, for ever.
    Stationary(Stationary),
}
