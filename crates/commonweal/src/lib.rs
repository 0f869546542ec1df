//! Welfare-optimal strategies for principals who discount the future differently.

pub mod certificate;
pub mod certified;
pub mod evaluation;
pub mod exact;
pub mod explain;
pub mod exponential_sum;
pub mod families;
pub mod io;
mod kernel;
pub mod landscape;
pub mod linear_system;
pub mod model;
pub mod number;
mod parallel;
pub mod principals;
pub mod reductions;
pub mod search;
pub mod solve;
pub mod stop;
pub mod strategy;

pub use solve::{Answer, Claim, Engine, Options, Proof, ProofInDoubles, StageInDoubles, Timings};
pub use solve::{own_optimum, own_strategy, solve};
