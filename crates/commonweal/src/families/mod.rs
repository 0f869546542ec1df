//! Families of models, seeded: for benchmarks, experiments and tests.

mod random;
mod spaced;

pub use random::{RandomFamily, Seeded};
pub use spaced::spaced;
