//! What is printed: reports for people, JSON for programs.

pub mod compare;
pub mod csv;
pub mod json;
pub mod map;
pub mod names;
pub mod payoffs;
pub mod pictures;
pub mod search;
pub mod solution;
pub mod spacing;
pub mod strategy;
pub mod sweep;
pub mod table;
pub mod timings;

pub use commonweal::internals::text::numbers;
use std::io::Write;

/// Says something on standard error, if anybody listens.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says something that is good to know.
pub fn note(text: &str) {
    say(&format!("note: {}", names::message(text)));
}
