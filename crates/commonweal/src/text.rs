//! Names and numbers as printed text, and numbers as people write them.
//!
//! A name is any text. A name with a newline or an escape sequence must not break a table or control the terminal.

mod doubts;
pub mod numbers;

pub use crate::model::nearest;
use crate::model::{StateId, Structure};
pub use crate::number::{decimal_or_fraction, parse_rate, rate_text};
pub use doubts::{Doubt, doubts};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The widest name in a table.
const WIDEST: usize = 24;

/// The name on one line, with control characters as escapes: `a\nb`.
pub fn shown_name(name: &str) -> String {
    if name.is_empty() { "\"\"".to_owned() } else { name.chars().map(visible).collect() }
}

/// The name for a column: a long one keeps its beginning and its end.
pub fn name_in_column(name: &str) -> String {
    name_within(name, WIDEST)
}

/// Whether the name is too long for a column.
pub fn is_long_name(name: &str) -> bool {
    shown_name(name).width() > WIDEST
}

/// The name in at most this many columns.
pub fn name_within(name: &str, widest: usize) -> String {
    let name = shown_name(name);
    if name.width() <= widest {
        return name;
    }
    let fits = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        let within = |c: &char| {
            used += c.width().unwrap_or(0);
            used <= room
        };
        characters.take_while(within).collect::<Vec<char>>()
    };
    let head = fits(&mut name.chars(), (widest - 1) / 2);
    let tail = fits(&mut name.chars().rev(), widest / 2);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// A state's name in a column. Of a long one that lists the values of variables, `col=0 & c1=2 & …`, those are left out that are
/// the same in the start state. A name that is still too long is cut and followed by the state's number, so that no two states
/// look the same.
pub fn state_in_column(model: &Structure, state: StateId) -> String {
    state_within(model, state, 40)
}

/// The same for a narrow column.
pub fn state_in_brief(model: &Structure, state: StateId) -> String {
    state_within(model, state, 24)
}

fn state_within(model: &Structure, state: StateId, widest: usize) -> String {
    let (name, start) = (model.state_name(state), model.state_name(model.start()));
    let (own, at_start): (Vec<&str>, Vec<&str>) = (name.split(" & ").collect(), start.split(" & ").collect());
    let is_list = own.len() > 1 && own.len() == at_start.len() && state != model.start();
    let (label, widest) = if is_list && is_long_name(&name) {
        let differ = own.iter().zip(&at_start).filter(|(own, at_start)| own != at_start).map(|(own, _)| *own);
        (format!("{AS_AT_START}{}", differ.collect::<Vec<_>>().join(" & ")), widest)
    } else {
        (name.into_owned(), 24)
    };
    let whole = name_within(&label, usize::MAX);
    if whole.width() <= widest {
        return whole;
    }
    let number = format!(" {NUMBER}{}", state.index());
    name_within(&label, widest.saturating_sub(number.width())) + &number
}

/// Whether a state's name in a column was cut, so that its number stands behind it.
pub fn is_numbered(label: &str) -> bool {
    let number = label.rsplit_once(NUMBER).filter(|(name, _)| name.contains('…'));
    number.is_some_and(|(_, number)| number.parse::<usize>().is_ok())
}

/// What precedes the number of a state in place of its name.
const NUMBER: char = '#';

/// The abbreviation for variables with the values of the start state.
pub const AS_AT_START: &str = "… & ";

/// A message on one or more lines, with other control characters as escapes.
pub fn shown_message(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c.to_string() } else { visible(c) }).collect()
}

fn visible(c: char) -> String {
    match c {
        // Bidirectional and invisible marks.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
            c.escape_unicode().to_string()
        }
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_upon_gets_through() {
        assert_eq!(shown_name("plain name"), "plain name");
        assert_eq!(shown_name("a\nb\t\u{1b}[31m\u{7f}"), "a\\nb\\t\\u{1b}[31m\\u{7f}");
        assert_eq!(shown_name("\u{202e}gnp"), "\\u{202e}gnp");
        assert_eq!(shown_name(""), "\"\"");
        assert_eq!(shown_message("one\ntwo\r"), "one\ntwo\\r");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(name_in_column(&"x".repeat(24)), "x".repeat(24));
        let name = format!("department-of-{}-17", "x".repeat(50));
        assert_eq!(name_in_column(&name), "department-…xxxxxxxxx-17");
        assert!(name_in_column(&"宿".repeat(40)).width() <= WIDEST);
    }
}
