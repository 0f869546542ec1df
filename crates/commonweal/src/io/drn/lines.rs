//! The lines of a text file as bytes, in place in the read buffer.

use super::super::{ReadError, parse_error::line_fault};
use memchr::memchr;
use std::io::Read;
use std::ops::Range;

/// The longest line that is read, in bytes.
const LONGEST: usize = 1 << 24;
/// The bytes that are read at once, unless a line is longer.
const CHUNK: usize = 1 << 18;

/// The lines of a file, one after the other.
pub(super) struct Lines<R> {
    input: R,
    /// Holds what has been read up to `end`: the last line, and from `next` on what comes after it.
    buffer: Vec<u8>,
    end: usize,
    next: usize,
    last: Range<usize>,
    number: usize,
}

/// A line of a file without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub number: usize,
    pub bytes: &'a [u8],
}

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, buffer: vec![0; CHUNK], end: 0, next: 0, last: 0..0, number: 0 }
    }

    /// The next line; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        let mut searched = self.next;
        let end = loop {
            if let Some(at) = memchr(b'\n', &self.buffer[searched..self.end]) {
                break searched + at;
            }
            let unfinished = self.end - self.next;
            if unfinished >= LONGEST {
                self.number += 1;
                self.last = self.next..self.next + 100;
                let message = format!("this line is longer than {} MiB", LONGEST >> 20);
                return Err(self.last().fault(&[], message, "break it up"));
            }
            if !self.read_more()? {
                // At the end the last line stays, for messages about what is missing after it.
                if unfinished == 0 {
                    return Ok(None);
                }
                break self.end;
            }
            searched = self.next + unfinished;
        };
        let line = &self.buffer[self.next..end];
        self.last = self.next..end - usize::from(line.ends_with(b"\r"));
        self.next = self.end.min(end + 1);
        self.number += 1;
        Ok(Some(self.last()))
    }

    /// Reads on. The last line, and what there is of the next, are moved to the front for it. False at the end of the file.
    fn read_more(&mut self) -> Result<bool, ReadError> {
        let shift = self.last.start;
        self.buffer.copy_within(shift..self.end, 0);
        self.last = 0..self.last.len();
        self.next -= shift;
        self.end -= shift;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(n) => {
                    self.end += n;
                    return Ok(n > 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The line that was read last; an empty one before the first.
    pub fn last(&self) -> Line<'_> {
        Line { number: self.number.max(1), bytes: &self.buffer[self.last.clone()] }
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
