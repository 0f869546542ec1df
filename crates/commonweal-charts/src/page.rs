//! The frame of an HTML page with pictures: one self-contained file, without scripts, in the reader's light or dark scheme.

use std::fmt::Write;

/// The style sheet of a page.
const STYLE: &str = include_str!("page.css");

/// Text as HTML.
pub fn escaped(text: &str) -> String {
    super::text::escaped(text)
}

/// The beginning of a page, up to its body.
pub fn begin(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(title)
    )
}

/// Numbers with what they count, large, side by side. Both are HTML.
pub fn tiles(tiles: &[(String, &str)]) -> String {
    let mut html = String::from("<ul class=\"tiles\">\n");
    for (number, what) in tiles {
        let _ = writeln!(html, "<li><strong>{number}</strong><span>{what}</span></li>");
    }
    html + "</ul>\n"
}

/// Pictures, each one `<svg>` element, beside each other where there is room.
pub fn figures<'s>(pictures: impl IntoIterator<Item = &'s str>) -> String {
    let figures: String = pictures.into_iter().map(|svg| format!("<figure>\n{svg}</figure>\n")).collect();
    if figures.is_empty() { figures } else { format!("<div class=\"figures\">\n{figures}</div>\n") }
}

/// A table of plain text. In the class `numbers` all columns but the first are right-aligned.
pub fn table(class: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = cells("th", &mut header.iter().copied());
    let body: String = rows.iter().map(|row| cells("td", &mut row.iter().map(String::as_str))).collect();
    format!(
        "<div class=\"scroll\"><table class=\"{class}\">\n<thead>{head}</thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )
}
