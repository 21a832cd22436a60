//! Errors of reading and writing files.

use std::fmt::Display;
use std::path::Path;

use thiserror::Error;

use super::input::plain_reason;

/// Why a file could not be written or read. Each message names the file and what to do about it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum FileError {
    /// The file could not be written. An existing file of that name is unchanged.
    #[error("cannot write {file}: {reason}")]
    Write {
        /// Its path.
        file: String,
        /// The message of the operating system or of a library.
        reason: String,
    },
    /// The file could not be read.
    #[error("cannot read {file}: {reason}")]
    Read {
        /// Its path.
        file: String,
        /// What is wrong with the file, and how to correct it.
        reason: String,
    },
}

impl FileError {
    pub(super) fn write(file: &Path, reason: impl Display) -> Self {
        Self::Write { file: file.display().to_string(), reason: plain_reason(&reason) }
    }

    pub(super) fn read(file: &Path, reason: impl Display) -> Self {
        Self::Read { file: file.display().to_string(), reason: plain_reason(&reason) }
    }
}
