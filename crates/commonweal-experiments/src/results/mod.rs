//! The paper's results, one file for each figure, example or experiment.
//!
//! A file states the paper's side, computes ours, and returns both: an example with its claims, or a section with claims,
//! tables and pictures.

pub mod figure_1;
pub mod figure_2;
pub mod hardness;
pub mod introduction;
pub mod rq1;
pub mod rq2;
pub mod rq3;
pub mod spacing;
pub mod spacing_example;
pub mod worked_examples;
