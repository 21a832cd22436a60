//! Tables that are printed and written as CSV row by row, so that a run that is interrupted leaves what it has
//! measured.

use std::path::{Path, PathBuf};

use nearwater::files::{check_writable, write_table};

use super::CommandError;

/// A table that is printed as Markdown row by row, and written as CSV if a file was named.
pub struct Table {
    file: Option<PathBuf>,
    /// Whether the file can be replaced after every row. A pipe gets the whole table at the end.
    is_replaced: bool,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Starts a table and prints its header.
    ///
    /// # Errors
    /// When the CSV file could not be written.
    pub fn new(columns: &[&str], csv: Option<&Path>) -> Result<Self, CommandError> {
        csv.map(check_writable).transpose()?;
        outln!("| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        let header = columns.iter().map(|&column| column.to_owned()).collect();
        let is_replaced = csv.is_some_and(|file| !file.exists() || file.is_file());
        Ok(Self { file: csv.map(Path::to_owned), is_replaced, rows: vec![header] })
    }

    /// Prints a row and writes the table so far into the file, which is complete at any time.
    pub fn add(&mut self, row: &[String]) {
        outln!("| {} |", row.join(" | "));
        self.rows.push(row.to_owned());
        if let Some(file) = self.file.as_ref().filter(|_| self.is_replaced) {
            // A failure must not end the measurement; `finish` tries again and reports it.
            let _ = write_table(file, &self.rows);
        }
    }

    /// Writes the CSV file, if one was named.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), CommandError> {
        let Some(file) = self.file else { return Ok(()) };
        Ok(write_table(&file, &self.rows)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Table;

    #[test]
    fn every_row_is_in_the_file_as_soon_as_it_was_added() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("times.csv");
        fs::write(&file, "an older table").expect("it can be written");
        let mut table = Table::new(&["search", "ms"], Some(&file)).expect("it can be written");
        let text = || fs::read_to_string(&file).expect("it is there");
        assert_eq!(text(), "an older table", "there is nothing to replace it yet");
        table.add(&["green".to_owned(), "1.5".to_owned()]);
        assert_eq!(text(), "search,ms\ngreen,1.5\n");
        table.add(&["claws".to_owned(), "1.2".to_owned()]);
        // As when the run is interrupted.
        drop(table);
        assert_eq!(text(), "search,ms\ngreen,1.5\nclaws,1.2\n");
    }
}
