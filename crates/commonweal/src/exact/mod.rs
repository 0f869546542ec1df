//! The exact engine: everything in fractions, guessed in doubles and proven.
//!
//! Against the long-term values V_i, one use of choice (s,a) at step t changes the welfare by
//! `D_t(s,a) = Σ_i λ_i^t Δ_i(s,a)` ([`Advantages`]). From the [`horizon`] on no choice changes it for the better, so
//! nothing is gained there; before it, backward induction finds what is ([`walk`]), and jumps over the stages in which
//! nothing changes ([`jump`]).

pub mod advantage;
mod candidates;
pub(crate) mod discounted_rows;
mod gains;
mod guess;
pub mod horizon;
mod judge;
mod jump;
pub mod long_term;
mod payoff;
mod plain_layer;
pub(crate) mod radius;
mod tail_bound;
pub mod truncated;
pub mod walk;

pub use advantage::Advantages;
pub use gains::ExactGains;
pub use payoff::enclosed_payoff;
