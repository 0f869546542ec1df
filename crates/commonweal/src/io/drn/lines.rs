//! The lines of a text file as bytes, each looked at once.

use super::super::{ReadError, parse_error::line_fault};
use std::io::{BufRead, Read};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 1 << 24;

/// The lines of a file, one after the other in the same memory.
pub(super) struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    number: usize,
}

/// A line of a file without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub number: usize,
    pub bytes: &'a [u8],
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, bytes: Vec::new(), number: 0 }
    }

    /// The next line; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        // At the end the last line stays, for messages about what is missing after it.
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.bytes.clear();
        self.number += 1;
        (&mut self.input).take(LONGEST).read_until(b'\n', &mut self.bytes)?;
        if self.bytes.len() as u64 == LONGEST {
            self.bytes.truncate(100);
            let message = format!("this line is longer than {} MiB", LONGEST >> 20);
            return Err(self.last().fault(&[], message, "break it up"));
        }
        if self.bytes.pop_if(|last| *last == b'\n').is_some() {
            self.bytes.pop_if(|last| *last == b'\r');
        }
        Ok(Some(self.last()))
    }

    /// The line that was read last; an empty one before the first.
    pub fn last(&self) -> Line<'_> {
        Line { number: self.number.max(1), bytes: &self.bytes }
    }
}

impl<'a> Line<'a> {
    /// The line without the blanks around it.
    pub fn trimmed(self) -> &'a [u8] {
        self.bytes.trim_ascii()
    }

    /// An error about a part of this line.
    pub fn fault(self, part: &[u8], message: impl AsRef<str>, help: impl AsRef<str>) -> ReadError {
        line_fault(self.number, self.bytes, part, message.as_ref(), help.as_ref()).into()
    }

    /// An error about the whole line.
    pub fn fault_here(self, message: impl AsRef<str>, help: impl AsRef<str>) -> ReadError {
        self.fault(self.trimmed(), message, help)
    }

    /// A part of this line as text.
    pub fn text(self, part: &'a [u8]) -> Result<&'a str, ReadError> {
        std::str::from_utf8(part).map_err(|_| self.fault(part, "this is not UTF-8", "save the file as UTF-8"))
    }
}

/// A copy of a line, for errors that show later.
#[derive(Default)]
pub(super) struct KeptLine {
    number: usize,
    bytes: Vec<u8>,
}

impl KeptLine {
    pub fn keep(&mut self, line: Line) {
        self.number = line.number;
        self.bytes.clear();
        self.bytes.extend_from_slice(line.bytes);
    }

    pub fn line(&self) -> Line<'_> {
        Line { number: self.number, bytes: &self.bytes }
    }
}
