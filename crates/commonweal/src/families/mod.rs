//! Families of models, seeded: for benchmarks, experiments and tests.

mod large;
mod parametric;
mod random;
mod spaced;

pub use large::{LargeFamily, Neighbourhood, StateByState};
pub use parametric::parametric;
pub use random::{RandomFamily, Seeded};
pub use spaced::spaced;
