//! Best strategies of the simple classes: positional and stationary. [Thm. 1]
//!
//! Both problems are NP-hard. They are solved by branch and bound over boxes of action probabilities: [`relaxation`] bounds
//! what any strategy of a box earns, [`local`] finds good strategies, and [`branch_and_bound`] divides boxes until the two
//! meet. Positional strategies are boxes of whole actions and end with the exact optimum; stationary ones are divided until
//! the gap is as small as the caller asked for.
//! `docs/search.md` has the proofs.

mod action_box;
mod branch_and_bound;
mod claimed;
mod dense;
mod dominance;
mod doubles;
mod exact;
mod following;
mod local;
mod notes;
mod positional;
mod relaxation;
mod segments;
mod slope;
mod stationary;
#[cfg(test)]
mod tests;
mod values;
mod visit_range;

pub(crate) use branch_and_bound::not_begun;
pub use branch_and_bound::{Search, SearchOptions, SearchOutcome, ThresholdAnswer};
pub use claimed::claimed;
pub use doubles::Doubles;
pub use positional::positional;
pub(crate) use segments::Kind;
pub use stationary::stationary;
