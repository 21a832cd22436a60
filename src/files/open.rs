//! Opens an input file after checking its kind and size.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::Path;

use super::FileError;
use super::input::plain_reason;

/// An opened file, its size and its first bytes.
pub(super) struct OpenedFile {
    /// The file, positioned at its first byte.
    pub file: File,
    /// Size of the file.
    pub bytes: u64,
    /// The first bytes of the file, padded with zeros where it is shorter.
    pub begin: [u8; 6],
}

/// Opens a regular file that is neither empty nor larger than `most_bytes`. For the error messages, `give` names the
/// expected kinds of file and `leave_out` the entries of which a larger file has too many.
pub(super) fn open(path: &Path, most_bytes: u64, (give, leave_out): (&str, &str)) -> Result<OpenedFile, FileError> {
    let fail = |reason: String| FileError::read(path, reason);
    let about = fs::metadata(path).map_err(|error| fail(plain_reason(&error)))?;
    if !about.is_file() {
        return Err(fail(format!("it is not a file; give {give}")));
    }
    let bytes = about.len();
    if bytes == 0 {
        return Err(fail("it is empty".to_owned()));
    }
    if bytes > most_bytes {
        return Err(fail(format!(
            "it has {bytes} bytes, but at most {most_bytes} can be read; leave out some {leave_out}"
        )));
    }
    let mut file = File::open(path).map_err(|error| fail(plain_reason(&error)))?;
    let mut begin = Vec::new();
    let mut first = (&mut file).take(6);
    first.read_to_end(&mut begin).map_err(|error| fail(plain_reason(&error)))?;
    file.rewind().map_err(|error| fail(plain_reason(&error)))?;
    begin.resize(6, 0);
    Ok(OpenedFile { file, bytes, begin: std::array::from_fn(|place| begin[place]) })
}
