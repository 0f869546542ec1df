//! The long-term strategy.

pub mod linear_system;
