//! Errors of the YAML parser, in the terms of the model file.

use super::parse_error::{Fault, Span};
use granit_parser::{ErrorKind, ScanError};

/// The parser's error with a help for common mistakes.
pub(super) fn syntax_fault(error: &ScanError, text: &str) -> Fault {
    let marked = error.marker().byte_offset().unwrap_or_default();
    let at = cause(error.kind(), text, marked).unwrap_or(marked);
    let span = Span::new(at, at);
    let fault = |message: &str, help: &str| Fault::new(span, message, help);
    match error.kind() {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::InvalidBlockEntryWhitespace
        | ErrorKind::InvalidMappingValueWhitespace => {
            fault("a tab cannot indent a line in YAML", "replace the tab by spaces")
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            fault("a quoted text is not closed", "close the quote on the line where it opens")
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            fault("something follows a quoted text", "put the whole name in quotes, or a comma between two entries")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            let close = if *open == '[' { ']' } else { '}' };
            fault(&format!("this `{open}` is not closed"), &format!("add the `{close}`"))
        }
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            fault("the file ends inside a `{`", "add the `}`")
        }
        ErrorKind::UnexpectedEofFlowSequence => fault("the file ends inside a `[`", "add the `]`"),
        ErrorKind::ExpectedFlowMappingSeparator => {
            fault("a `,` or a `}` is missing before this", "separate entries with commas, and close the map with `}`")
        }
        ErrorKind::ExpectedFlowSequenceSeparator => {
            fault("a `,` or a `]` is missing before this", "separate entries with commas, and close the list with `]`")
        }
        ErrorKind::MisplacedFlowCollectionEnd => fault("this bracket closes nothing", "remove it, or open it earlier"),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            fault(&format!("this `{open}` is closed by a `{close}`"), "close each bracket with its own kind")
        }
        ErrorKind::RecursionLimitExceeded => {
            fault("maps and lists are nested too deep here", "a model needs no more than six levels")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => fault(
            "a second `key:` is not allowed here",
            "put it on its own line, in line with its neighbours; put a name with a colon in quotes",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey | ErrorKind::ExpectedBlockMappingKey => fault(
            "a `key:` is missing, or not in line with the keys above",
            "write `name: value`, indented like its neighbours",
        ),
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockSequenceEntry => {
            fault("this line is not in line with its neighbours", "indent it by as many spaces as they are")
        }
        ErrorKind::ExpectedDocumentStart | ErrorKind::InvalidDocumentEnd => {
            fault("the model has ended, yet something follows", "indent it to where it belongs, or remove it")
        }
        ErrorKind::UnexpectedCharacter { character: character @ ('@' | '`' | '%') } => {
            fault(&format!("nothing can begin with `{character}` in YAML"), "put the name in quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            let code = *character as u32;
            let help = format!("remove it, or write it as \"\\u{code:04x}\", in double quotes");
            fault(&format!("the character U+{code:04X} is not allowed here"), &help)
        }
        ErrorKind::UnknownQuotedScalarEscape => {
            fault("a `\\` begins no known escape here", "write `\\\\` for a backslash, or use single quotes")
        }
        _ => fault(&format!("not valid YAML: {}", error.kind()), "see the YAML 1.2 specification, or quote the text"),
    }
}

/// Where the cause lies, if not where the parser stopped.
fn cause(kind: &ErrorKind, text: &str, marked: usize) -> Option<usize> {
    let before = text.get(..marked)?;
    match kind {
        ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            before.ends_with('\t').then(|| before.trim_end_matches('\t').len())
        }
        // The quote that was never closed is the last one before; an apostrophe inside a word is not a quote.
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar
            if !text[marked..].starts_with(['"', '\'']) =>
        {
            let opens = |&(at, _): &(usize, &str)| !before[..at].ends_with(char::is_alphanumeric);
            before.rmatch_indices(['"', '\'']).find(opens).map(|(at, _)| at)
        }
        _ => None,
    }
}
