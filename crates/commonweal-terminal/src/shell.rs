//! Command lines as a shell reads them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The command line as it was typed.
pub fn typed() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()).into_owned());
    let program = std::env::args_os().next().map(PathBuf::from);
    let name = program.as_deref().and_then(Path::file_stem).map_or("commonweal".into(), |name| name.to_string_lossy());
    std::iter::once(name.into_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word of a command line, in quotation marks if it needs them.
pub fn quoted(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-+./:@%,=".contains(c)) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''")).into()
    }
}

/// A number of a report as a command line takes it: with a hyphen for the minus sign.
pub fn typed_number(shown: &str) -> String {
    shown.replace('−', "-")
}
