//! Each principal's payoff under a given strategy: exactly, or by simulation.

mod accrual;
mod exact;
mod payoffs;
mod simulation;
mod trajectory;

pub use accrual::accrued;
pub use exact::{EvaluateError, evaluate};
pub(crate) use exact::{affordable_steps, payoff_over_tail, steps_to_walk};
pub use payoffs::Payoffs;
pub(crate) use payoffs::error_factor;
pub use simulation::{Estimate, PathStep, SimulateOptions, Simulation, sample_paths, simulate};
pub use trajectory::{Trajectory, WeightsByStep, trajectory};
