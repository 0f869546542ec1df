//! The output: text reports and JSON.

pub mod compare;
pub mod csv;
pub mod explain;
pub mod fair;
pub mod folded;
pub mod front;
pub mod map;
pub mod mixtures;
pub mod names;
pub mod outlook;
pub mod page;
pub mod payoffs;
pub mod pictures;
pub mod search;
pub mod solution;
pub mod spacing;
pub mod strategy;
pub mod sweep;
pub mod table;
pub mod timings;

use commonweal::structure::Structure;
pub use commonweal::text::numbers;
use std::io::Write;
use unicode_width::UnicodeWidthStr;

/// The heading of a report: the model's name and description.
pub fn about(model: &Structure) -> String {
    let about = model.about();
    let mut text = String::new();
    for said in about.name.iter().chain(&about.description) {
        text.push_str(&filled(&names::message(said.trim())));
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Whether no line of a text is wider than a terminal.
pub fn fits(text: &str) -> bool {
    table::width(text) <= table::WIDTH
}

/// Prints a message on standard error; a closed stream is ignored.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", folded::folded(text));
}

/// Prints a note on standard error.
pub fn note(text: &str) {
    say(&format!("note: {}", names::message(text)));
}

/// A text in lines that fit the width, where its words do.
fn filled(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > table::WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.join("\n")
}
