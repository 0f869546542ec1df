//! The questions beside `solve` and `evaluate`, asked of a [`Model`].

use crate::evaluation::{self, SimulateOptions, Simulation};
use crate::front::Model;
use crate::search::{self, Search, SearchOptions};
use crate::strategy::Strategy;

/// Estimates what `strategy` is worth from the start to each principal of `model`, from seeded random runs.
///
/// # Panics
/// If the confidence does not lie strictly between 0 and 1.
pub fn simulate(model: &Model, strategy: &Strategy, options: &SimulateOptions) -> Simulation {
    evaluation::simulate(&model.exact(), strategy, model.start(), options)
}

/// The best strategy that takes one action in each state for ever. NP-hard; bounds if `options` stop it.
pub fn positional(model: &Model, options: &SearchOptions) -> Search {
    search::positional(&model.exact(), options)
}

/// The best strategy that mixes actions in each state in the same way for ever. NP-hard; bounds if `options` stop it.
pub fn stationary(model: &Model, options: &SearchOptions) -> Search {
    search::stationary(&model.exact(), options)
}
