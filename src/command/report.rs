//! What a verification or a soak reports while it runs: lines on the terminal and, on request, in a file, which has
//! every line as soon as it is known, so that a run that is killed leaves what it found.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use crate::command::CommandError;
use crate::command::progress::progress_bar;

/// The lines of a run, which several threads may add to.
pub struct Report {
    file: Option<(String, Mutex<File>)>,
    progress: ProgressBar,
}

impl Report {
    /// Begins a report, also in a file if there is one; an existing file is replaced.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn open(file: Option<&Path>) -> Result<Self, CommandError> {
        let create = |path: &Path| {
            let name = path.display().to_string();
            match File::create(path) {
                Ok(file) => Ok((name, Mutex::new(file))),
                Err(error) => Err(CommandError::Report { file: name, reason: error.to_string() }),
            }
        };
        Ok(Self { file: file.map(create).transpose()?, progress: ProgressBar::hidden() })
    }

    /// Shows a progress bar of `length` steps below the lines.
    pub fn begin(&mut self, length: u64) {
        self.progress = progress_bar(length, "{pos}/{len} {msg}");
    }

    /// Shows what is being done.
    pub fn show(&self, what: &str) {
        self.progress.set_message(what.to_owned());
    }

    /// Counts a step as done.
    pub fn advance(&self) {
        self.progress.inc(1);
    }

    /// Removes the progress bar.
    pub fn end(&self) {
        self.progress.finish_and_clear();
    }

    /// Prints a line and adds it to the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn say(&self, line: &str) -> Result<(), CommandError> {
        self.progress.suspend(|| outln!("{line}"));
        if let Some((name, file)) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            // One call for each line: a file has no buffer, so that the line is there even if the process is killed.
            file.write_all(format!("{line}\n").as_bytes())
                .map_err(|error| CommandError::Report { file: name.clone(), reason: error.to_string() })?;
        }
        Ok(())
    }
}
