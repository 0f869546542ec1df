//! What is printed: reports for people, JSON for programs.

pub mod compare;
pub mod json;
pub mod map;
pub mod names;
pub mod numbers;
pub mod pictures;
pub mod play;
pub mod search;
pub mod solution;
pub mod spacing;
pub mod sweep;
pub mod table;
pub mod timings;

/// Says something on standard error.
pub fn note(text: &str) {
    eprintln!("note: {}", names::message(text));
}
