use std::path::Path;

use super::{FileError, write_whole};

/// Writes rows as CSV, the first of them the header. All rows are of one length.
///
/// # Errors
/// When the file cannot be written; an older one stays as it was.
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
