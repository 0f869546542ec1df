//! Families of models, seeded: for benchmarks, experiments and tests.

mod large;
mod random;
mod spaced;

pub use large::{LargeFamily, Neighbourhood, StateByState};
pub use random::{RandomFamily, Seeded};
pub use spaced::spaced;
