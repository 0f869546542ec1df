//! Unravelling: what to do before the long-term strategy takes over.
//!
//! Against the long-term values V_i, one use of choice (s,a) at step t changes the welfare by
//! `D_t(s,a) = Σ_i λ_i^t Δ_i(s,a)` ([`Advantages`]). From the [`horizon`] on no choice changes it for the better, so
//! nothing is gained there; before it, backward induction finds what is ([`backward_induction`]), and jumps over the
//! stages in which nothing changes.

pub mod advantage;
pub mod backward_induction;
mod candidates;
pub(crate) mod discounted_rows;
mod enclosed_payoff;
mod events;
mod exact_gains;
mod exact_judge;
pub mod exponential_sum;
pub mod horizon;
pub(crate) mod memory;
mod plain_layer;
pub(crate) mod radius;
mod tail_bound;
pub mod truncated;

pub use advantage::Advantages;
pub use enclosed_payoff::enclosed_payoff;
pub use exact_gains::ExactGains;
