//! Rows and sweeps in doubles.

pub(crate) mod chain;
pub(crate) mod sweep;
