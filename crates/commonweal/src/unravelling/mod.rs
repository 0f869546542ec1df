//! Unravelling: what to do before the long-term strategy takes over.
//!
//! Against the long-term values V_i, one use of choice (s,a) at step j changes the welfare by
//! `D_j(s,a) = Σ_i λ_i^j Δ_i(s,a)` ([`Advantages`]). From the [`horizon`] on no choice changes it for the better, so
//! nothing is gained there; before it, backward induction finds what is ([`backward_induction`]).

pub mod advantage;
pub mod backward_induction;
mod exact_gains;
pub mod exponential_sum;
pub mod horizon;
mod tail_bound;
pub mod truncated;

pub use advantage::Advantages;
pub use exact_gains::ExactGains;
pub use tail_bound::tail_bound;
