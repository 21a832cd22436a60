//! File format of saved states: a description in RON and named arrays of bytes, little endian, followed by a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 16 | `nearwater state` and a line feed |
//! | 4 | version of this format |
//! | 8 + n | version of the program: length, text |
//! | 8 + n | description: length, RON |
//! | 4 | number of arrays |
//! | 8 + n, 8 + n | for each array, its name and its bytes: length, content |
//! | 8 | FNV-1a hash of everything before it |

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{FileError, write_whole};

const MAGIC: &[u8; 16] = b"nearwater state\n";
/// Version of this format, which must be increased with every change of what is written.
const FORMAT: u32 = 4;
/// Number of bytes at the beginning that contain the versions.
const BEGINNING: u64 = 256;
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// FNV-1a hash of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Hash of an empty sequence of bytes.
    pub const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Hash of the bytes hashed so far, followed by `bytes`.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// The hash as a number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A description, and the named arrays that it describes.
pub type Described<D> = (D, Vec<(String, Vec<u8>)>);

/// Writes a description and the arrays it describes.
///
/// # Errors
/// When the file cannot be written; an existing file is then unchanged.
pub fn write(path: &Path, description: &impl Serialize, arrays: &[(&str, &[u8])]) -> Result<(), FileError> {
    let description = ron::to_string(description).map_err(|error| FileError::write(path, error))?;
    write_whole(path, |writer| {
        let mut out = Hashing { writer, hash: Fingerprint::EMPTY };
        out.write_all(MAGIC)?;
        out.write_all(&FORMAT.to_le_bytes())?;
        out.block(PROGRAM.as_bytes())?;
        out.block(description.as_bytes())?;
        out.write_all(&(arrays.len() as u32).to_le_bytes())?;
        for (name, bytes) in arrays {
            out.block(name.as_bytes())?;
            out.block(bytes)?;
        }
        let hash = out.hash.number();
        out.write_all(&hash.to_le_bytes())
    })
}

/// Reads a description and the arrays that follow it.
///
/// # Errors
/// When the file cannot be read, is not a saved state, is damaged, or was written by another version.
pub fn read<D: DeserializeOwned>(path: &Path) -> Result<Described<D>, FileError> {
    let fail = |reason: &dyn std::fmt::Display| FileError::read(path, reason);
    // Opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(|error| fail(&error))?.is_file() {
        return Err(fail(&"it is not a regular file; name a file that --save wrote"));
    }
    let mut file = File::open(path).map_err(|error| fail(&error))?;
    // The beginning is checked before the rest is read, which may be far larger than the memory.
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    if !bytes.starts_with(MAGIC) {
        return Err(fail(&"it is not a saved state of Nearwater; name a file that --save wrote"));
    }
    let damaged = || fail(&"it is damaged or truncated; save the state again");
    let mut rest = Cursor(&bytes[MAGIC.len()..]);
    let format = rest.number().ok_or_else(damaged)?;
    let saved_by = rest.text().filter(|name| !name.chars().any(char::is_control)).ok_or_else(damaged)?;
    if format != FORMAT || saved_by != PROGRAM {
        return Err(fail(&format_args!(
            "Nearwater {saved_by} saved it in format {format}, but this is Nearwater {PROGRAM} with format {FORMAT}; \
             open it with the version that saved it"
        )));
    }
    let begun = bytes.len() - rest.0.len();
    file.read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    let mut rest = Cursor(&bytes[begun..]);
    let (content, hash) = bytes.split_at(bytes.len().saturating_sub(8));
    if Fingerprint::EMPTY.with(content).number().to_le_bytes() != *hash {
        return Err(damaged());
    }
    let description = ron::from_str(rest.text().ok_or_else(damaged)?).map_err(|error| fail(&error))?;
    let count = rest.number().ok_or_else(damaged)?;
    let array = |_| Some((rest.text()?.to_owned(), rest.block()?.to_owned()));
    let arrays = (0..count).map(array).collect::<Option<Vec<_>>>().ok_or_else(damaged)?;
    Ok((description, arrays))
}

/// A writer that hashes the bytes it passes on.
struct Hashing<W> {
    writer: W,
    hash: Fingerprint,
}

impl<W: Write> Hashing<W> {
    fn block(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.write_all(bytes)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.hash = self.hash.with(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The bytes that are still to be read. Its functions return `None` when too few are left.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let count = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        self.take(usize::try_from(count).ok()?)
    }

    fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.block()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FORMAT, MAGIC, read, write};

    fn error(bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("water.state");
        fs::write(&file, bytes).expect("it can be written");
        let sentence = read::<u64>(&file).expect_err("a refusal").to_string();
        assert!(sentence.starts_with("cannot read") && sentence.contains("water.state"), "{sentence}");
        sentence
    }

    fn good() -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("water.state");
        write(&file, &7_u64, &[("one", &[1, 2, 3]), ("none", &[])]).expect("it can be written");
        let (description, arrays) = read::<u64>(&file).expect("it was written here");
        assert_eq!(description, 7);
        assert_eq!(arrays, [("one".to_owned(), vec![1, 2, 3]), ("none".to_owned(), Vec::new())]);
        fs::read(&file).expect("it is there")
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_detected() {
        let good = good();
        for end in 0..good.len() {
            let sentence = error(&good[..end]);
            assert!(
                sentence.contains(if end < MAGIC.len() { "not a saved state" } else { "damaged" }),
                "{end}: {sentence}"
            );
        }
        for place in 0..good.len() {
            let mut wrong = good.clone();
            wrong[place] ^= 0x20;
            error(&wrong);
        }
        error(&[good.as_slice(), b"more"].concat());
    }

    #[test]
    fn a_state_of_another_version_is_rejected_with_both_versions() {
        let mut other = good();
        other[MAGIC.len()] = 9;
        let sentence = error(&other);
        assert!(sentence.contains("format 9") && sentence.contains(&format!("format {FORMAT}")), "{sentence}");
        let mut other = good();
        let place = MAGIC.len() + 12;
        other[place..place + 5].copy_from_slice(b"9.8.7");
        assert!(error(&other).contains("Nearwater 9.8.7 saved it"), "{}", error(&other));
    }

    #[test]
    fn a_missing_file_and_a_file_of_another_kind_are_reported() {
        let lost = read::<u64>(std::path::Path::new("/nowhere/water.state")).expect_err("no file").to_string();
        assert!(lost.contains("/nowhere/water.state"), "{lost}");
        assert!(error(b"solid teapot of other making").contains("not a saved state of Nearwater"));
    }
}
