//! Where a model file is wrong, what is wrong there, and how to mend it.

use unicode_width::UnicodeWidthChar;

/// The widest excerpt of a source line that is shown.
const EXCERPT_WIDTH: usize = 88;
/// The most characters of a name or number that a message repeats.
const SHOWN: usize = 40;

/// Why a text is not a model, and where.
///
/// ```
/// use commonweal::io::read_model;
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
    /// How many characters of that line are meant; at least 1.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl ParseError {
    /// The error as a person reads it: `file:line:column: message`, the line of `text` with carets under the thing that
    /// is meant, and the help. Plain text; no line of the excerpt is wider than 100 columns, and no control character
    /// gets through.
    ///
    /// Of a file that is not UTF-8, give `String::from_utf8_lossy` of its bytes.
    pub fn render(&self, file: &str, text: &str) -> String {
        let mut out = format!("{}:{}:{}: {}\n", printable(file), self.line, self.column, self.message);
        if let Some(source) = lines(text).nth(self.line - 1) {
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

    /// The stretch from the start of this one to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end.max(self.end) }
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
        ParseError { line, column, length, message: self.message, help: self.help }
    }
}

/// The line and the column, both from 1, of a byte of the text. A byte-order mark is in no column.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..floor_char_boundary(text, offset)];
    let (mut line, mut line_start) = (1, 0);
    let bytes = before.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n')) {
            line += 1;
            line_start = at + 1;
        }
    }
    let in_line = before[line_start..].strip_prefix('\u{feff}').unwrap_or(&before[line_start..]);
    (line, in_line.chars().count() + 1)
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The lines of a text as YAML counts them: each ends with `\n`, `\r\n` or `\r`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// The part of a line around the characters that are meant, how far in they begin, and how wide they are.
fn excerpt(source: &str, first: usize, length: usize) -> (String, usize, usize) {
    let characters: Vec<char> = source.chars().map(visible).collect();
    let width = |range: &[char]| range.iter().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    let first = first.min(characters.len());
    let last = (first + length).min(characters.len());
    let cut_to = |start: usize, end: usize| characters[start..end].iter().collect::<String>();
    if width(&characters) <= EXCERPT_WIDTH {
        let meant = width(&characters[first..last]).max(1);
        return (cut_to(0, characters.len()), width(&characters[..first]), meant);
    }
    // A third of the room goes before the thing that is meant, the rest to it and to what follows.
    let mut start = first;
    while start > 0 && width(&characters[start - 1..first]) <= EXCERPT_WIDTH / 3 {
        start -= 1;
    }
    let mut end = start;
    while end < characters.len() && width(&characters[start..=end]) <= EXCERPT_WIDTH {
        end += 1;
    }
    let (head, tail) = (if start > 0 { "…" } else { "" }, if end < characters.len() { "…" } else { "" });
    let indent = head.chars().count() + width(&characters[start..first]);
    let meant = width(&characters[first..last.min(end)]).max(1);
    (format!("{head}{}{tail}", cut_to(start, end)), indent, meant)
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

/// The character, or a stand-in for one that a terminal would act upon instead of showing it.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        // Marks that reorder the text around them, or are not seen at all.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}
