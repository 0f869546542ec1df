//! The formats of model files, detected by their first bytes.

use super::compression::{Plain, plain};
use super::{Discounts, ReadOptions};
use std::io::{BufRead, Read};
use std::path::Path;

/// A format of model files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML, and so JSON.
    Yaml,
    /// Storm's explicit format.
    Drn,
    /// Unified Markov Binary.
    Umb,
}

impl Format {
    /// The format that the ending of a file's name stands for.
    pub fn of_ending(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "yaml" | "yml" | "json" => Some(Format::Yaml),
            "drn" => Some(Format::Drn),
            "umb" => Some(Format::Umb),
            "gz" | "xz" => Format::of_ending(&path.with_extension("")).filter(|format| *format != Format::Yaml),
            _ => None,
        }
    }

    /// The format of a file, if it is certain; `None` if it may be YAML or no model file.
    pub fn of_contents(input: impl BufRead) -> Option<Format> {
        /// Enough for the first block of an archive, and for the comments before the first line.
        const LOOK: u64 = 1 << 12;
        /// The offset of the magic bytes of a tar archive.
        const MARK: usize = 257;
        let Plain { input, .. } = plain(input, &ReadOptions::new(Discounts::Unspecified)).ok()?;
        let mut beginning = Vec::new();
        input.take(LOOK).read_to_end(&mut beginning).ok()?;
        // A text may have this word at that offset, but it has no zero bytes.
        if beginning.get(MARK..).is_some_and(|rest| rest.starts_with(b"ustar")) && beginning.contains(&0) {
            return Some(Format::Umb);
        }
        let mut lines = beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"//"));
        first.filter(|line| line.starts_with(b"@")).map(|_| Format::Drn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_beginning() {
        let of = |text: &str| Format::of_contents(text.as_bytes());
        assert_eq!(of("@type: MDP\n"), Some(Format::Drn));
        assert_eq!(of("// Exported by storm\n\n  @type: MDP\n"), Some(Format::Drn));
        assert_eq!(of("principals: {a: 1/2}\n"), None);
        assert_eq!(of(""), None);
        assert_eq!(of(&format!("#{}ustar", " ".repeat(256))), None);
        assert_eq!(of(&format!("index.json{}ustar\0", "\0".repeat(247))), Some(Format::Umb));
        assert_eq!(Format::of_contents(&b"\x1f\x8b\x08 no gzip"[..]), None);
    }
}
