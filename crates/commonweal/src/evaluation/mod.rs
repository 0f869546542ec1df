//! What a given strategy is worth to each principal: exactly, or by simulation.

mod exact;

pub(crate) use exact::payoff_over_tail;
pub use exact::{EvaluateError, evaluate};
