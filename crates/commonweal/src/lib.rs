//! Welfare-optimal strategies for principals who discount the future differently.

pub mod long_term;
pub mod model;
pub mod number;
