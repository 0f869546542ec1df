//! Plain text within the width of a terminal: tables and wrapped lines.

use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The columns that a report may fill.
pub const WIDTH: usize = 80;

/// Rows under a header, columns two spaces apart, indented by two: the first column to the left, the others to the right.
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

/// A table that may be wider than the terminal: as many tables below each other as it takes, each with the first `keys`
/// columns, without the rows that have nothing else in it.
pub fn in_blocks(header: &[&str], rows: &[Vec<String>], keys: usize) -> String {
    let part = |columns: &[usize]| {
        let header: Vec<&str> = columns.iter().map(|&column| header[column]).collect();
        let of_row =
            |row: &Vec<String>| columns.iter().filter_map(|&column| row.get(column).cloned()).collect::<Vec<String>>();
        let says_something = |row: &Vec<String>| row.len() <= keys || row[keys..].iter().any(|cell| !cell.is_empty());
        table(&header, &rows.iter().map(of_row).filter(says_something).collect::<Vec<_>>())
    };
    let mut blocks = Vec::new();
    let mut columns: Vec<usize> = (0..keys).collect();
    for column in keys..header.len() {
        columns.push(column);
        if width(&part(&columns)) > WIDTH && columns.len() > keys + 1 {
            columns.pop();
            blocks.push(part(&columns));
            columns.truncate(keys);
            columns.push(column);
        }
    }
    blocks.push(part(&columns));
    blocks.join("\n")
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

/// A line, broken between words where it would be wider than the terminal; what follows is indented.
pub fn wrapped(line: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for (index, word) in line.split(' ').enumerate() {
        // A word that fills a line by itself is not broken, and no line is left empty before it.
        let is_begun = text.lines().next_back().is_some_and(|line| !line.trim().is_empty());
        if is_begun && used + 1 + word.width() > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        } else if index > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += word.width();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("  a few words", 4), "  a few words\n");
        let long = wrapped(&format!("  {}end", "word ".repeat(30)), 4);
        assert!(width(&long) <= WIDTH && long.lines().skip(1).all(|line| line.len() - line.trim_start().len() == 4));
        // Nothing breaks a word.
        assert_eq!(wrapped(&"x".repeat(100), 2).trim_end().len(), 100);
    }

    #[test]
    fn a_wide_table_is_broken_between_columns() {
        let header: Vec<String> = (0..12).map(|column| format!("column {column}")).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let rows = vec![(0..12).map(|column| format!("cell {column}")).collect::<Vec<_>>()];
        let text = in_blocks(&header, &rows, 1);
        assert!(width(&text) <= WIDTH, "{text}");
        assert_eq!(text.matches("column 0").count(), 2);
        assert!((0..12).all(|column| text.contains(&format!("cell {column}"))));
        // A row with nothing to say in a block is left out there.
        let mut total = vec![String::new(); 12];
        (total[0], total[11]) = ("sum".to_owned(), "7".to_owned());
        let text = in_blocks(&header, &[rows, vec![total]].concat(), 1);
        assert_eq!(text.matches("sum").count(), 1, "{text}");
    }
}
