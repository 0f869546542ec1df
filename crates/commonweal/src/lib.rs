//! Welfare-optimal strategies for principals who discount the future differently.

pub mod io;
pub mod model;
pub mod number;
