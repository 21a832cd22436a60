//! Writes tables as CSV.

use std::path::Path;

use super::{FileError, write_whole};

/// Writes rows as CSV; the first row is the header. All rows must have the same length.
///
/// # Errors
/// When the file cannot be written; an existing file is then unchanged.
pub fn write_table<R, C>(path: &Path, rows: impl IntoIterator<Item = R>) -> Result<(), FileError>
where
    R: IntoIterator<Item = C>,
    C: AsRef<[u8]>,
{
    write_whole(path, |writer| {
        let mut writer = csv::Writer::from_writer(writer);
        rows.into_iter().try_for_each(|row| writer.write_record(row))?;
        writer.flush().map_err(csv::Error::from)
    })
}
