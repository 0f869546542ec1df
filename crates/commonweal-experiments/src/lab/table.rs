//! Tables that are written row by row, so that an interrupted run can be continued.
//!
//! `NAME.csv` begins with a line that identifies the run (program version, seed, sizes); then come the names of the columns and
//! the rows. A row is appended when it is known. A later run with the same first lines skips existing rows; an incomplete last
//! line is dropped. Any other file of that name is replaced.

use super::archive::Archive;
use crate::error::Error;
use commonweal::StopSignal;
use std::rc::Rc;

pub struct Table {
    pub name: &'static str,
    pub columns: Vec<&'static str>,
    /// The rows that are known, in the order in which they were asked for.
    pub rows: Vec<Vec<String>>,
    head: String,
    /// The rows of an earlier run.
    left: Vec<Vec<String>>,
    archive: Option<Rc<dyn Archive>>,
    stop: StopSignal,
}

impl Table {
    /// The table of that name, with the rows that an earlier run left in the archive.
    pub fn open(
        archive: Option<Rc<dyn Archive>>,
        name: &'static str,
        made_by: &str,
        columns: Vec<&'static str>,
        stop: StopSignal,
    ) -> Result<Table, Error> {
        let head = format!("# {made_by}\n{}\n", columns.join(","));
        let mut table = Table { name, columns, rows: Vec::new(), head, left: Vec::new(), archive, stop };
        if let Some(archive) = &table.archive {
            let old = archive.read(&table.file()).unwrap_or_default();
            table.left = table.rows_of(&String::from_utf8_lossy(&old));
            // Rewrites the file with the valid rows: this drops an incomplete line, and any other file.
            table.write(&table.left)?;
        }
        Ok(table)
    }

    fn file(&self) -> String {
        format!("{}.csv", self.name)
    }

    /// Replaces the file by one with these rows.
    fn write(&self, rows: &[Vec<String>]) -> Result<(), Error> {
        let write = |archive: &Rc<dyn Archive>| archive.write(&self.file(), &self.text(rows));
        self.archive.as_ref().map_or(Ok(()), write).map_err(Error::Archive)
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

    /// Adds the row whose first columns are `key`: that of an earlier run, or else the one that `rest` computes, unless the stop
    /// signal is raised.
    pub fn row(&mut self, key: &[String], rest: impl FnOnce() -> Result<Vec<String>, Error>) -> Result<(), Error> {
        let row = match self.left.iter().find(|row| row.starts_with(key)) {
            Some(row) => row.clone(),
            None => {
                self.stop.check()?;
                let row: Vec<String> = key.iter().cloned().chain(rest()?).collect();
                assert_eq!(row.len(), self.columns.len(), "a field for each column of {}", self.name);
                if let Some(archive) = &self.archive {
                    archive.append(&self.file(), &(row.join(",") + "\n")).map_err(Error::Archive)?;
                }
                row
            }
        };
        self.rows.push(row);
        Ok(())
    }

    /// Puts the rows in order: those of earlier runs may have been written in another.
    pub fn finish(&self) -> Result<(), Error> {
        self.write(&self.rows)
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
    use super::super::archive::ArchiveError;
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    const COLUMNS: [&str; 2] = ["n", "square"];

    /// An archive in memory.
    #[derive(Default)]
    struct Shelf(RefCell<BTreeMap<String, String>>);

    impl Archive for Shelf {
        fn read(&self, name: &str) -> Option<Vec<u8>> {
            self.0.borrow().get(name).map(|text| text.clone().into_bytes())
        }

        fn write(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
            self.0.borrow_mut().insert(name.to_owned(), text.to_owned());
            Ok(())
        }

        fn append(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
            self.0.borrow_mut().get_mut(name).ok_or("no such name")?.push_str(text);
            Ok(())
        }
    }

    impl Shelf {
        fn open(self: &Rc<Shelf>, made_by: &str) -> Table {
            Table::open(Some(self.clone()), "squares", made_by, COLUMNS.to_vec(), StopSignal::default()).unwrap()
        }

        /// The table of squares up to 4, and for how many of them a computation was needed.
        fn squares(self: &Rc<Shelf>, made_by: &str) -> (String, usize) {
            let mut computed = 0;
            let mut table = self.open(made_by);
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

        fn text(&self) -> String {
            self.0.borrow()["squares.csv"].clone()
        }
    }

    #[test]
    fn what_is_there_is_not_computed_again_and_the_file_is_the_same() {
        let shelf = Rc::new(Shelf::default());
        let whole = shelf.squares("seed 1");
        assert_eq!(whole, ("# seed 1\nn,square\n1,1\n2,4\n3,9\n4,16\n".to_owned(), 4));
        assert_eq!(shelf.squares("seed 1"), (whole.0.clone(), 0));
        // Half a line, a line in the wrong place, one too short and one cut inside a number.
        for (left, computed) in [
            ("# seed 1\nn,square\n1,1\n2,4\n3", 2),
            ("# seed 1\nn,square\n3,9\n1,1\n", 2),
            ("# seed 1\nn,square\n1\n2,4\n", 3),
            ("# seed 1\nn,square\n1,1\n2,4\n3,9\n4,1", 1),
            ("# seed 1\nn,squ", 4),
            ("", 4),
        ] {
            shelf.write("squares.csv", left).unwrap();
            assert_eq!(shelf.squares("seed 1"), (whole.0.clone(), computed), "{left:?}");
        }
    }

    #[test]
    fn another_seed_begins_anew() {
        let shelf = Rc::new(Shelf::default());
        shelf.squares("seed 1");
        assert_eq!(shelf.squares("seed 2").1, 4);
        assert!(shelf.text().starts_with("# seed 2\n"));
    }

    #[test]
    fn rows_are_kept_before_the_end() {
        let shelf = Rc::new(Shelf::default());
        let mut table = shelf.open("seed 1");
        table.row(&["1".to_owned()], || Ok(vec!["1".to_owned()])).unwrap();
        assert_eq!(shelf.text(), "# seed 1\nn,square\n1,1\n");
    }
}
