//! Takes the place of `points.rs` in a library without the cargo feature `export`.

use std::path::Path;

use super::{FileError, Points};

/// Refuses to read points, because this build contains no readers of point files.
///
/// # Errors
/// Always; the message names the cargo feature that is missing.
pub fn read_points(path: &Path) -> Result<Points, FileError> {
    Err(FileError::read(path, "this build reads no point files; build it with the cargo feature `export`"))
}
