//! Documents on standard output.

use crate::args::RunArgs;
use crate::output;
use crate::report::timings::Spent;
use commonweal::documents::{Document, json_text};
use serde::Serialize;

/// Prints a document of numbers on standard output as [`print`] does, without their fractions if these are not wanted.
pub fn print_numbers(mut document: impl Document, run: &RunArgs, spent: Option<Spent>) -> anyhow::Result<()> {
    if run.no_exact {
        document.leave_fractions_out();
    }
    print(&document, spent)
}

/// Prints a document on standard output, indented, with a line end; with time and memory at its end, if asked for.
pub fn print(document: &impl Serialize, spent: Option<Spent>) -> anyhow::Result<()> {
    output::print(&json_text(document, spent.as_ref().map(Spent::document)))
}

/// Documents on standard output, one a line.
pub fn print_lines<D: Serialize>(documents: impl IntoIterator<Item = D>) -> anyhow::Result<()> {
    let mut lines = String::new();
    for document in documents {
        lines += &serde_json::to_string(&document)?;
        lines.push('\n');
    }
    output::print(&lines)
}
