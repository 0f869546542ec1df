//! Tables in plain text: the first column to the left, the others to the right.

use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The columns that a report may fill.
pub const WIDTH: usize = 80;

/// Rows under a header, columns two spaces apart, indented by two.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([header[column].width()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::from("  ");
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            match column {
                0 => write!(line, "{cell}{padding}"),
                _ => write!(line, "  {padding}{cell}"),
            }
            .expect("writing to a string");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A list of names with words behind them, one below the other, broken so that no line is too wide.
pub fn listed(entries: impl Iterator<Item = (String, String)>) -> String {
    let entries: Vec<(String, String)> = entries.collect();
    let indent = 4 + entries.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, words) in &entries {
        let mut line = format!("  {name}{}", " ".repeat(indent - 2 - name.width()));
        let mut is_empty = true;
        for word in words.split(' ') {
            if !is_empty && line.width() + 1 + word.width() > WIDTH {
                text += &line;
                text.push('\n');
                line = " ".repeat(indent);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line += word;
            is_empty = false;
        }
        text += &line;
        text.push('\n');
    }
    text
}

/// The columns that the widest line of a text fills.
pub fn width(text: &str) -> usize {
    text.lines().map(|line| line.width()).max().unwrap_or(0)
}
