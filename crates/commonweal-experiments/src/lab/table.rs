//! Tables that are written row by row and taken up again where they were left.
//!
//! `DIR/NAME.csv` begins with a line that says what made it (program version, seed, sizes); then come the names of the
//! columns and the rows. A row is appended when it is known. A later run with the same first lines skips the rows that are
//! there; a last line that was cut off is dropped. Any other file of that name is replaced.

use crate::output::write_whole;
use anyhow::Context;
use commonweal::internals::stop::{StopReason, StopSignal};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub struct Table {
    pub name: &'static str,
    pub columns: Vec<&'static str>,
    /// The rows that are known, in the order in which they were asked for.
    pub rows: Vec<Vec<String>>,
    head: String,
    /// What an earlier run left.
    left: Vec<Vec<String>>,
    file: Option<(PathBuf, File)>,
    stop: StopSignal,
}

/// A row was to be computed when something stopped it.
#[derive(Debug)]
pub struct Stopped(pub StopReason);

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stopped {}

impl Table {
    /// The table of that name in a folder, with what an earlier run left of it; without a folder, in memory.
    pub fn open(
        folder: Option<&Path>,
        name: &'static str,
        made_by: &str,
        columns: Vec<&'static str>,
        stop: StopSignal,
    ) -> anyhow::Result<Table> {
        let head = format!("# {made_by}\n{}\n", columns.join(","));
        let mut table = Table { name, columns, rows: Vec::new(), head, left: Vec::new(), file: None, stop };
        let Some(folder) = folder else { return Ok(table) };
        let path = folder.join(format!("{name}.csv"));
        let cannot = || format!("cannot write {}", path.display());
        let old = std::fs::read(&path).unwrap_or_default();
        table.left = table.rows_of(&String::from_utf8_lossy(&old));
        // Begin the file anew with what is kept: this drops a line that was cut off, and any other file.
        write_whole(&path, |out| out.write_all(table.text(&table.left).as_bytes()))?;
        let file = OpenOptions::new().append(true).open(&path).with_context(cannot)?;
        table.file = Some((path, file));
        Ok(table)
    }

    /// The whole rows of a text, if it begins as this table does.
    fn rows_of(&self, text: &str) -> Vec<Vec<String>> {
        let Some(body) = text.strip_prefix(&self.head) else { return Vec::new() };
        let whole = body.rfind('\n').map_or("", |end| &body[..end]);
        let rows = whole.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        rows.filter(|row| row.len() == self.columns.len()).collect()
    }

    fn text(&self, rows: &[Vec<String>]) -> String {
        let lines = rows.iter().map(|row| row.join(",") + "\n");
        self.head.clone() + &lines.collect::<String>()
    }

    /// Adds the row whose first columns are `key`: that of an earlier run, or else the one that `rest` computes, unless it is
    /// time to stop.
    pub fn row(&mut self, key: &[String], rest: impl FnOnce() -> anyhow::Result<Vec<String>>) -> anyhow::Result<()> {
        let row = match self.left.iter().find(|row| row.starts_with(key)) {
            Some(row) => row.clone(),
            None => {
                self.stop.check().map_err(Stopped)?;
                let row: Vec<String> = key.iter().cloned().chain(rest()?).collect();
                assert_eq!(row.len(), self.columns.len(), "a field for each column of {}", self.name);
                if let Some((path, file)) = &mut self.file {
                    let line = row.join(",") + "\n";
                    file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
                }
                row
            }
        };
        self.rows.push(row);
        Ok(())
    }

    /// Puts the rows in order: those of earlier runs may have been written in another.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        match self.file.take() {
            Some((path, file)) => {
                drop(file);
                write_whole(&path, |out| out.write_all(self.text(&self.rows).as_bytes()))
            }
            None => Ok(()),
        }
    }

    fn position(&self, column: &str) -> usize {
        self.columns.iter().position(|name| *name == column).expect("a column of the table")
    }

    /// The fields of a column.
    pub fn texts(&self, column: &str) -> impl Iterator<Item = &str> {
        let position = self.position(column);
        self.rows.iter().map(move |row| row[position].as_str())
    }

    /// The numbers of a column; what is empty is `None`.
    pub fn numbers(&self, column: &str) -> Vec<Option<f64>> {
        self.texts(column).map(|text| text.parse().ok()).collect()
    }

    /// The sums of some columns against another, where there is a number in each.
    pub fn points(&self, x: &str, y: &[&str]) -> Vec<(f64, f64)> {
        let y: Vec<_> = y.iter().map(|column| self.numbers(column)).collect();
        let sum = |row: usize| y.iter().map(|column| column[row]).sum::<Option<f64>>();
        self.numbers(x).into_iter().enumerate().filter_map(|(row, x)| Some((x?, sum(row)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 2] = ["n", "square"];

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("commonweal-table-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        /// The table of squares up to 4, and for how many of them a computation was needed.
        fn squares(&self, made_by: &str) -> (String, usize) {
            let mut computed = 0;
            let mut table =
                Table::open(Some(&self.0), "squares", made_by, COLUMNS.to_vec(), StopSignal::default()).unwrap();
            for n in 1..=4 {
                let square = || {
                    computed += 1;
                    Ok(vec![(n * n).to_string()])
                };
                table.row(&[n.to_string()], square).unwrap();
            }
            table.finish().unwrap();
            (self.text(), computed)
        }

        fn path(&self) -> PathBuf {
            self.0.join("squares.csv")
        }

        fn text(&self) -> String {
            std::fs::read_to_string(self.path()).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_there_is_not_computed_again_and_the_file_is_the_same() {
        let folder = Folder::new("resumed");
        let whole = folder.squares("seed 1");
        assert_eq!(whole, ("# seed 1\nn,square\n1,1\n2,4\n3,9\n4,16\n".to_owned(), 4));
        assert_eq!(folder.squares("seed 1"), (whole.0.clone(), 0));
        // Half a line, a line in the wrong place, one too short and one cut inside a number.
        for (left, computed) in [
            ("# seed 1\nn,square\n1,1\n2,4\n3", 2),
            ("# seed 1\nn,square\n3,9\n1,1\n", 2),
            ("# seed 1\nn,square\n1\n2,4\n", 3),
            ("# seed 1\nn,square\n1,1\n2,4\n3,9\n4,1", 1),
            ("# seed 1\nn,squ", 4),
            ("", 4),
        ] {
            std::fs::write(folder.path(), left).unwrap();
            assert_eq!(folder.squares("seed 1"), (whole.0.clone(), computed), "{left:?}");
        }
    }

    #[test]
    fn another_seed_begins_anew() {
        let folder = Folder::new("anew");
        folder.squares("seed 1");
        assert_eq!(folder.squares("seed 2").1, 4);
        assert!(folder.text().starts_with("# seed 2\n"));
    }

    #[test]
    fn rows_are_on_disk_before_the_end() {
        let folder = Folder::new("early");
        let mut table =
            Table::open(Some(&folder.0), "squares", "seed 1", COLUMNS.to_vec(), StopSignal::default()).unwrap();
        table.row(&["1".to_owned()], || Ok(vec!["1".to_owned()])).unwrap();
        assert_eq!(folder.text(), "# seed 1\nn,square\n1,1\n");
    }
}
