use std::fs::File;
use std::path::{Path, PathBuf};

use super::CommandError;

/// A table printed as Markdown row by row, and written as CSV too where a file was named.
pub struct Table {
    file: Option<(csv::Writer<File>, PathBuf)>,
}

impl Table {
    /// Prints the header.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn new(columns: &[&str], csv: Option<&Path>) -> Result<Self, CommandError> {
        let file = csv
            .map(|path| {
                let fail = |error| CommandError::write(path, error);
                let mut writer = csv::Writer::from_path(path).map_err(fail)?;
                writer.write_record(columns).map_err(fail)?;
                Ok::<_, CommandError>((writer, path.to_owned()))
            })
            .transpose()?;
        println!("| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        Ok(Self { file })
    }

    /// Prints and writes a row.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, row: &[String]) -> Result<(), CommandError> {
        println!("| {} |", row.join(" | "));
        match &mut self.file {
            Some((writer, path)) => writer.write_record(row).map_err(|error| CommandError::write(path, error)),
            None => Ok(()),
        }
    }

    /// Makes sure that the file is whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), CommandError> {
        match self.file {
            Some((mut writer, path)) => writer.flush().map_err(|error| CommandError::write(&path, error)),
            None => Ok(()),
        }
    }
}
