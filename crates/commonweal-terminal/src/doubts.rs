//! Warnings of time preferences that are read as they are written, but may not be meant.

use crate::report::{note, say};
use commonweal::Model;
use commonweal::text::doubts;

/// Warns of preferences that may not be meant, with both readings in figures.
pub fn say_doubts(model: &Model) {
    for doubt in doubts(model.principals(), model.structure().about().step()) {
        if doubt.is_warning { say(&format!("warning: {}", doubt.text)) } else { note(&doubt.text) }
    }
}
