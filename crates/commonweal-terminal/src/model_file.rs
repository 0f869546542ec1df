//! Model files that the command line names, and the errors of those that are refused.

use crate::report::{note, numbers::counted};
use crate::shell::typed;
use anyhow::anyhow;
use commonweal::files::{DiscountError, ModelFile, ParseError, ReadError, ReadNotes, text_file};
use std::path::Path;

/// The file at this place, or standard input for `-`.
pub fn open(path: &Path) -> anyhow::Result<ModelFile> {
    let file = if path.as_os_str() == "-" {
        ModelFile::from_reader("standard input", std::io::stdin().lock())
    } else {
        ModelFile::open(path)
    };
    file.map_err(|error| anyhow!("{error}"))
}

/// Reports what was changed or left out in a file, unless `quiet`.
pub fn say_notes(notes: &ReadNotes, quiet: bool) {
    let ReadNotes { left_out, divided, .. } = notes;
    if !quiet && !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|name| format!("`{name}`")).collect();
        note(&format!("left out, because no discount was given: {}", names.join(", ")));
    }
    if !quiet && divided.rows > 0 {
        let rows = counted(&divided.rows.into(), "row", "rows");
        let (was, it) = if divided.rows == 1 { ("was", "it") } else { ("were", "them") };
        let largest = divided.largest;
        note(&format!(
            "{rows} of decimals {was} scaled to sum to 1 (largest error {largest:.1e});\n      --strict refuses {it}"
        ));
    }
}

/// The error of a file, with the option that helps if there is one.
pub fn refused(file: &ModelFile, error: &ReadError) -> anyhow::Error {
    let rendered = error.render(file.name());
    let rendered = rendered.trim_end();
    match error {
        ReadError::Discounts(DiscountError::Missing { structures }) => {
            let example = structures.iter().take(3).zip(["0.9", "0.99", "0.5"]);
            let example: Vec<String> = example.map(|(name, value)| format!("--discount {name}={value}")).collect();
            let rate = structures.first().map_or_else(String::new, |name| {
                format!("; --rate {name}=3% gives a rate per step, and --discount takes any entry in braces")
            });
            anyhow!("{rendered}\nhelp: every principal needs one, for example: {} {}{rate}", typed(), example.join(" "))
        }
        ReadError::Discounts(DiscountError::NoRewards) => {
            anyhow!("{rendered}\nhelp: every reward structure is a principal; write the file with rewards")
        }
        ReadError::Discounts(_) => anyhow!("{rendered}\nhelp: see --discount NAME=VALUE and --discounts V,V,…"),
        ReadError::Start { .. } => anyhow!("{rendered}\nhelp: say where to start, for example: --from 0"),
        ReadError::UnknownStart { .. } => anyhow!("--from: {rendered}"),
        ReadError::Input(error) if error.kind() != std::io::ErrorKind::PermissionDenied => {
            anyhow!("{rendered}\nhelp: the file may have been cut off or damaged on its way; get it again")
        }
        _ => anyhow!("{rendered}"),
    }
}

/// The contents of a text file.
pub fn file(path: &Path) -> anyhow::Result<Vec<u8>> {
    text_file(path).map_err(|error| anyhow!("{error}"))
}

/// An error in a text file, with its place.
pub fn located(error: ParseError, path: &Path, bytes: &[u8]) -> anyhow::Error {
    let text = String::from_utf8_lossy(bytes);
    anyhow!("{}", error.render(&path.display().to_string(), &text).trim_end().to_owned())
}
