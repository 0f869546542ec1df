//! The output: text reports and JSON.

pub mod compare;
pub mod csv;
pub mod explain;
pub mod fair;
pub mod front;
pub mod map;
pub mod outlook;
pub mod page;
pub mod pictures;
pub mod search;
pub mod sweep;

pub use commonweal_terminal::report::*;
