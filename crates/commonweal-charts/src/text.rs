//! Text in a picture: escaping for XML, an upper bound on its width, and line breaks.

use unicode_width::UnicodeWidthChar;

/// The text as XML, on one line.
pub(super) fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The text on one line. Characters that XML does not allow, and bidirectional marks, are written as escapes.
pub(super) fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => written.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                written.extend(c.escape_unicode());
            }
            c if c.is_control() => written.extend(c.escape_default()),
            c => written.push(c),
        }
    }
    written
}

/// About the width of a text in the widest of the usual sans-serif fonts: a browser's text is hardly ever wider.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let of_character = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '—' => 1.0,
        'A'..='Z' | '−' | '+' | '=' | '≈' | '≤' | '≥' | '<' | '>' | '×' | '→' | '~' => 0.84,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.42,
        '\u{0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' => 0.64,
        // As many columns as a terminal gives it, of what a Latin letter takes.
        c => 0.5 * c.width().unwrap_or(2).max(1) as f64 + if c.width() == Some(1) { 0.3 } else { 0.0 },
    };
    size * text.chars().map(of_character).sum::<f64>()
}

/// The text in lines that are no wider than `room`, broken between words, or within one that is too long.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer, size) <= room {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && width(&format!("{line}{c}"), size) > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_xml_forbids_gets_through() {
        assert_eq!(escaped("a<b> & \"c\"\n\u{1b}[0m"), "a&lt;b&gt; &amp; &quot;c&quot; \\u{1b}[0m");
        assert_eq!(escaped("\u{0}\u{202e}x\u{ffff}"), "\\u{0}\\u{202e}x\\u{ffff}");
    }

    #[test]
    fn no_line_is_wider_than_its_room_and_no_letter_is_lost() {
        let text = "a few words and one_that_is_far_too_long_to_fit_on_any_line_at_all 宿宿宿宿宿宿宿宿宿宿";
        let lines = wrapped(text, 10.0, 80.0);
        assert!(lines.len() > 4 && lines.iter().all(|line| width(line, 10.0) <= 80.0));
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(letters(&lines.concat()), letters(text));
        assert!(wrapped("  \n ", 10.0, 80.0).is_empty());
    }
}
