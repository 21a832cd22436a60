//! Tables that are printed while a command runs and written as CSV at its end.

use std::path::{Path, PathBuf};

use nearwater::files::{check_writable, write_table};

use super::CommandError;

/// A table that is printed as Markdown row by row, and written as CSV if a file was named.
pub struct Table {
    file: Option<PathBuf>,
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
        Ok(Self { file: csv.map(Path::to_owned), rows: vec![header] })
    }

    /// Prints a row and stores it for the file.
    pub fn add(&mut self, row: &[String]) {
        outln!("| {} |", row.join(" | "));
        self.rows.push(row.to_owned());
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
