use std::fmt::Display;
use std::path::Path;

use thiserror::Error;

/// Why a file could not be written or read. Each message names the file and the mend.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum FileError {
    /// The file could not be written. Whatever it held before, it still holds.
    #[error("cannot write {file}: {reason}")]
    Write {
        /// Its path.
        file: String,
        /// The system's or a library's words.
        reason: String,
    },
    /// The file could not be read.
    #[error("cannot read {file}: {reason}")]
    Read {
        /// Its path.
        file: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
}

impl FileError {
    pub(super) fn write(file: &Path, reason: impl Display) -> Self {
        Self::Write { file: file.display().to_string(), reason: reason.to_string() }
    }

    pub(super) fn read(file: &Path, reason: impl Display) -> Self {
        Self::Read { file: file.display().to_string(), reason: reason.to_string() }
    }
}
