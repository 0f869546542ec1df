//! The paper's reductions: NP-hardness of simple strategies, and P-hardness of the optimum.
//!
//! [`three_sat`] turns a formula into a model whose best positional (or stationary) strategy reaches a threshold if and only
//! if the formula is satisfiable. [`reachability_game`] turns an alternating graph into a model whose welfare is 0 if and
//! only if the safety player wins.

pub mod reachability_game;
pub mod three_sat;
