//! Errors in a model file: the place, the problem, and the cure.

use unicode_width::UnicodeWidthChar;

/// The widest excerpt of a source line that is shown.
const EXCERPT_WIDTH: usize = 68;
/// The most characters of a name or number that a message repeats.
const SHOWN: usize = 40;

/// Why a text is not a model, and where.
///
/// ```
/// use commonweal::internals::io::read_model;
/// let text = "principals: {alice: 2/3}\nstates: {s0: {stay: {to: s1}}}\n";
/// let error = read_model(text).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 26));
/// assert_eq!(error.render("hotel.yaml", text), "\
/// hotel.yaml:2:26: there is no state `s1`
/// 2 | states: {s0: {stay: {to: s1}}}
///   |                          ^^
/// help: did you mean `s0`?
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The number of wrong characters of that line; at least 1.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// The line itself, of a file that was read line by line and is no longer in memory.
    pub line_text: Option<String>,
}

impl ParseError {
    /// The error as text: `file:line:column: message`, the line of `text` with carets under the wrong characters, and the help. No
    /// line of the excerpt is wider than 80 columns, and control characters are replaced.
    ///
    /// For a file that is not UTF-8, pass `String::from_utf8_lossy` of its bytes. An error with `line_text` needs no text.
    pub fn render(&self, file: &str, text: &str) -> String {
        let mut out = format!("{}:{}:{}: {}\n", printable(file), self.line, self.column, self.message);
        if let Some(source) = self.line_text.as_deref().or_else(|| line_of(text, self.line)) {
            let (excerpt, indent, width) = excerpt(source, self.column - 1, self.length);
            let number = self.line.to_string();
            let gutter = " ".repeat(number.len());
            out += format!("{number} | {excerpt}").trim_end();
            out += &format!("\n{gutter} | {}{}\n", " ".repeat(indent), "^".repeat(width));
        }
        if let Some(help) = &self.help {
            out += &format!("help: {help}\n");
        }
        out
    }

    /// The same error with its line of these bytes.
    pub fn with_line_of(mut self, bytes: &[u8]) -> ParseError {
        if self.line_text.is_none() {
            self.line_text = line_of(&String::from_utf8_lossy(bytes), self.line).map(str::to_owned);
        }
        self
    }
}

/// A stretch of the file, in bytes. Files are below 4 GiB, and a large model has many of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// An error while the text is still being read: its place is not yet counted in lines.
#[derive(Debug)]
pub(super) struct Fault {
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault { span, message: message.into(), help: Some(help.into()) }
    }

    /// The same error with its place counted in lines and characters.
    pub fn locate(self, text: &str) -> ParseError {
        let (line, column) = line_and_column(text, self.span.start as usize);
        let start = floor_char_boundary(text, self.span.start as usize);
        let meant = &text[start..floor_char_boundary(text, self.span.end as usize).max(start)];
        let length = meant.chars().take_while(|c| !matches!(c, '\n' | '\r')).count().max(1);
        let (message, help) = (printable(&self.message), self.help.map(|help| printable(&help)));
        ParseError { line, column, length, message, help, line_text: None }
    }
}

/// An error in one line of a file that is read line by line: `part` is the wrong piece of `line`.
pub(super) fn line_fault(number: usize, line: &[u8], part: &[u8], message: &str, help: &str) -> ParseError {
    let start = (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len());
    let end = (start + part.len()).min(line.len());
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    ParseError {
        line: number,
        column: characters(&line[..start]) + 1,
        length: characters(&line[start..end]).max(1),
        message: printable(message),
        help: Some(printable(help)),
        line_text: Some(String::from_utf8_lossy(line).into_owned()),
    }
}

/// The line and the column, both from 1, of a byte of the text. A byte-order mark is in no column.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let offset = floor_char_boundary(text, offset);
    let (line, start) = line_starts(text).take_while(|&start| start <= offset).enumerate().last().unwrap_or_default();
    let before = &text[start..offset];
    (line + 1, before.strip_prefix('\u{feff}').unwrap_or(before).chars().count() + 1)
}

/// A line of the text, counted from 1, without its end.
fn line_of(text: &str, line: usize) -> Option<&str> {
    let line = text.get(line_starts(text).nth(line - 1)?..)?;
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    line.split(['\n', '\r']).next()
}

/// Where each line begins. As in YAML, a line ends with `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends = move |&at: &usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1))
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The part of a line around the wrong characters, their offset in it, and their width.
fn excerpt(source: &str, first: usize, length: usize) -> (String, usize, usize) {
    // A line may be as long as the file: only the part near the error is read.
    let skipped = first.saturating_sub(EXCERPT_WIDTH);
    let mut rest = source.chars().skip(skipped);
    let near: Vec<char> = rest.by_ref().take(3 * EXCERPT_WIDTH).map(visible).collect();
    let more = rest.next().is_some();
    let is_whole = skipped == 0 && !more && width(&near) <= EXCERPT_WIDTH;
    let first = (first - skipped).min(near.len());
    let last = (first + length).min(near.len());
    let (mut start, mut end) = (0, near.len());
    if !is_whole {
        // A third of the width is for the text before the error, the rest for the error and the text after it.
        start = first;
        while start > 0 && width(&near[start - 1..first]) <= EXCERPT_WIDTH / 3 {
            start -= 1;
        }
        end = start;
        while end < near.len() && width(&near[start..=end]) <= EXCERPT_WIDTH {
            end += 1;
        }
    }
    let head = if start + skipped > 0 { "…" } else { "" };
    let tail = if more || end < near.len() { "…" } else { "" };
    let indent = head.chars().count() + width(&near[start..first]);
    let meant = width(&near[first..last.min(end)]).max(1);
    (format!("{head}{}{tail}", near[start..end].iter().collect::<String>()), indent, meant)
}

/// How many columns of a terminal the characters take.
fn width(characters: &[char]) -> usize {
    characters.iter().map(|character| character.width().unwrap_or(0)).sum()
}

/// A name or number as a message shows it: in backquotes, the beginning of a long one.
pub(super) fn shown(text: &str) -> String {
    let beginning: String = printable(&text.chars().take(SHOWN).collect::<String>());
    let rest = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("`{beginning}{rest}`")
}

fn printable(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// The character, or a replacement for a control character.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        // Bidirectional and invisible marks.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_yaml() {
        let text = "\u{feff}a\r\nbö\rc\n\nd\r";
        let places: Vec<_> = text.char_indices().map(|(at, _)| line_and_column(text, at)).collect();
        let expected = [(1, 1), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (5, 1), (5, 2)];
        assert_eq!(places, expected);
        assert_eq!(line_and_column(text, text.len()), (6, 1));
        let lines: Vec<_> = (1..8).map(|line| line_of(text, line)).collect();
        assert_eq!(lines, [Some("a"), Some("bö"), Some("c"), Some(""), Some("d"), Some(""), None]);
    }

    #[test]
    fn an_excerpt_keeps_what_is_meant_in_sight() {
        for length in [1, 10, 200] {
            for first in [0, 1, 40, 150, 299] {
                let source: String =
                    (0..300).map(|at| if at >= first && at < first + length { '大' } else { 'a' }).collect();
                let (excerpt, indent, carets) = excerpt(&source, first, length);
                let shown = width(&excerpt.chars().collect::<Vec<_>>());
                assert!(shown <= EXCERPT_WIDTH + 2 && indent + carets <= shown, "{first} {length}: {excerpt}");
                let mut columns = excerpt.chars().flat_map(|c| std::iter::repeat_n(c, c.width().unwrap_or(0)));
                assert!(columns.by_ref().take(indent).all(|c| c != '大') && columns.take(carets).all(|c| c == '大'));
            }
        }
    }
}
