//! Whether an answer has passed the checker, in words.

use super::table::wrapped;

/// Why bounds whose certificate nobody asked for have not.
pub const BOUNDS_UNCHECKED: &str = "`solve --certificate FILE` and `commonweal check` check bounds";

/// Whether an answer has passed the checker.
pub enum Checked {
    Yes,
    /// Yes, for the mixtures that approximate preferences.
    ForMixtures,
    /// Why not.
    No(String),
}

impl Checked {
    pub fn in_words(&self) -> String {
        match self {
            Checked::Yes => "\nChecked: an independent checker accepts this strategy as optimal.\n".to_owned(),
            Checked::ForMixtures => {
                "\nChecked: an independent checker accepts this strategy as optimal for the\nmixtures.\n".to_owned()
            }
            Checked::No(why) => format!("\n{}", wrapped(&format!("Not checked: {why}."), 2)),
        }
    }
}
