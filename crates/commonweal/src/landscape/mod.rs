//! How the best strategy depends on the discounts: along a line, where one discount varies, and over a plane of two.
//!
//! At every fraction asked, the model is solved exactly. What is compared is a strategy's [`Play`] from the start state, so
//! that decisions which are never met make no difference. Between two discounts with different plays, bisection over
//! fractions closes in on where the play changes; how far is stated with each change.

mod line;
mod plane;
mod play;
mod survey;

pub use line::{Bracket, Change, changes};
pub use plane::{Plane, PlaneOptions, Spot, plane};
pub use play::{Play, Turn};
pub use survey::{Label, Survey, UNKNOWN};
