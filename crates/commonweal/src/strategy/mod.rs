//! Strategies: what the agent does in each state, at each step.
//!
//! A [`CountingStrategy`] looks at the state and the step and takes one choice; a positional one is a counting strategy
//! that never changes its mind. A [`Stationary`] one mixes choices by state alone.

mod counting;
pub(crate) mod memory;
mod stationary;
mod step;

pub use counting::{Change, CountingStrategy};
pub use stationary::Stationary;
pub use step::{Step, StepError};

/// Any strategy that this program evaluates or simulates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// One choice per state and step.
    Counting(CountingStrategy),
    /// One mix of choices per state, for ever.
    Stationary(Stationary),
}

impl From<CountingStrategy> for Strategy {
    fn from(strategy: CountingStrategy) -> Strategy {
        Strategy::Counting(strategy)
    }
}

impl From<Stationary> for Strategy {
    fn from(strategy: Stationary) -> Strategy {
        Strategy::Stationary(strategy)
    }
}
