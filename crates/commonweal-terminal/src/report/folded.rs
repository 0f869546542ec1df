//! Messages on standard error, broken into lines that fit a terminal.

use super::table::WIDTH;
use unicode_width::UnicodeWidthStr;

/// The words that messages begin with; lines that continue them are indented as far.
const BEGINNINGS: [&str; 4] = ["error: ", "help: ", "note: ", "warning: "];

/// The text with long lines broken between words, but not inside of backquotes or quotation marks. An excerpt of a file and a
/// command line to copy keep their lines.
pub fn folded(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn line(line: &str) -> String {
    if line.width() <= WIDTH || is_excerpt(line) || line.trim_start().starts_with("commonweal ") {
        return line.to_owned();
    }
    let own = line.len() - line.trim_start().len();
    let indent = BEGINNINGS.iter().find(|word| line.starts_with(**word)).map_or(own.max(2), |word| word.len());
    let mut text = " ".repeat(own);
    let mut used = own;
    for (at, word) in words(line).into_iter().enumerate() {
        if at > 0 && used + 1 + word.width() > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        } else if at > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += word.width();
    }
    text
}

/// `12 | principals: …`, or the line with carets below it.
fn is_excerpt(line: &str) -> bool {
    line.split_once(" | ").is_some_and(|(before, _)| before.chars().all(|c| c.is_ascii_digit() || c == ' '))
}

/// The words between spaces. What stands between backquotes is one word if it is short.
fn words(line: &str) -> Vec<&str> {
    const LONGEST: usize = 50;
    let line = line.trim_start();
    let mut words = Vec::new();
    let (mut start, mut quoted_from) = (0, None);
    for (at, c) in line.char_indices() {
        match (c, quoted_from) {
            ('`', None) => quoted_from = line[at + 1..].find('`').filter(|length| *length <= LONGEST).map(|_| at),
            ('`', Some(_)) => quoted_from = None,
            (' ', None) => {
                words.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_broken_between_words() {
        let long = format!("error: {}`{{rate: 3%, until: 30}}` at last\nhelp: short", "some words ".repeat(6));
        let text = folded(&long);
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(text.contains("\n       `{rate: 3%, until: 30}` at last\nhelp: short"), "{text}");
        let excerpt = format!("12 | {}", "x y ".repeat(30));
        assert_eq!(folded(&excerpt), excerpt);
        // A lone backquote does not glue the rest together.
        assert!(folded(&format!("error: ` {}", "word ".repeat(40))).lines().all(|line| line.width() <= WIDTH));
    }
}
