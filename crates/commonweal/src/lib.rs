//! Welfare-optimal strategies for principals who discount the future differently.

pub mod model;
pub mod number;
pub mod principals;
pub mod strategy;
