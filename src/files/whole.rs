//! Writes files atomically: the content goes to a temporary file that replaces the target once it is complete.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::FileError;
use super::leftovers::{SUFFIX, claim, delete_leftovers, prefix};

/// Size of the write buffer, bytes.
const BUFFER_BYTES: usize = 1 << 20;

/// The writer for a file's content. Each call writes all bytes or fails. The first failure is remembered, so that the
/// file is discarded even when a library ignored the error.
pub struct WholeWriter {
    inner: BufWriter<File>,
    failure: Option<io::Error>,
}

impl WholeWriter {
    fn new(file: File) -> Self {
        Self { inner: BufWriter::with_capacity(BUFFER_BYTES, file), failure: None }
    }

    fn noting<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            let again = || error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
            self.failure.get_or_insert_with(again);
        })
    }

    /// Flushes all bytes to the disk.
    ///
    /// # Errors
    /// The first failure of this writer, of the flush or of the synchronization.
    fn finish(mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        flushed?;
        match self.inner.get_ref().sync_all() {
            // Pipes and terminals cannot be synchronized and need not be.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }
}

impl Write for WholeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write_all(bytes);
        self.noting(written)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.noting(flushed)
    }
}

/// For formats whose beginning is only known at the end. A pipe or a terminal cannot go back and fails.
impl Seek for WholeWriter {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let sought = self.inner.seek(place);
        self.noting(sought)
    }
}

/// Writes a file's content to a temporary file and moves it to `path` once all of it is on the disk. When anything
/// fails, an existing file of that name is unchanged. The permissions of an existing file are kept. A pipe, a terminal
/// or another target that is not a regular file is written to directly.
///
/// # Errors
/// When the folder does not exist or is not writable, the disk is full, or `write` fails.
pub fn write_whole<E: Display>(
    path: &Path,
    write: impl FnOnce(&mut WholeWriter) -> Result<(), E>,
) -> Result<(), FileError> {
    let fail = |error: &dyn Display| FileError::write(path, error);
    let written_by = |mut writer: WholeWriter| {
        let written = write(&mut writer);
        // The operating system's message says more than what a library made of it.
        match (writer.failure.take(), written) {
            (Some(failure), _) => Err(fail(&failure)),
            (None, Err(error)) => Err(fail(&error)),
            (None, Ok(())) => writer.finish().map_err(|error| fail(&error)),
        }
    };
    match place_of(path)? {
        Place::Device(target) => {
            let file = OpenOptions::new().write(true).open(target).map_err(|error| fail(&error))?;
            written_by(WholeWriter::new(file))
        }
        Place::Regular { target, temporary } => {
            let file = temporary.as_file().try_clone().map_err(|error| fail(&error))?;
            written_by(WholeWriter::new(file))?;
            replace(path, &target, temporary)
        }
    }
}

/// As [`write_whole`], for content that another program writes: `write` is given the path of the temporary file.
///
/// # Errors
/// As [`write_whole`], and when `path` is a pipe, a terminal or another target that is not a regular file.
pub fn write_whole_at<E: Display>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), FileError> {
    match place_of(path)? {
        Place::Device(_) => Err(FileError::write(path, "it is not a regular file; name another one")),
        Place::Regular { target, temporary } => {
            write(temporary.path()).map_err(|error| FileError::write(path, error))?;
            temporary.as_file().sync_all().map_err(|error| FileError::write(path, error))?;
            replace(path, &target, temporary)
        }
    }
}

/// Moves a complete temporary file to its target.
fn replace(path: &Path, target: &Path, temporary: NamedTempFile) -> Result<(), FileError> {
    if let Ok(old) = fs::metadata(target) {
        fs::set_permissions(temporary.path(), old.permissions()).map_err(|error| FileError::write(path, error))?;
    }
    temporary.persist(target).map_err(|error| FileError::write(path, error.error))?;
    Ok(())
}

/// Creates a folder if it does not exist; its parent must exist.
///
/// # Errors
/// When the folder cannot be created.
pub fn make_folder(folder: &Path) -> Result<(), FileError> {
    if folder.is_dir() {
        return Ok(());
    }
    if folder.exists() {
        return Err(FileError::write(folder, "it is a file; give the name of a folder"));
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
        let reason = format_args!("there is no folder {}; create it first", parent.display());
        return Err(FileError::write(folder, reason));
    }
    fs::create_dir(folder).map_err(|error| FileError::write(folder, error))
}

/// Creates the folder of a file that the program keeps for itself, with all folders above it.
///
/// # Errors
/// The folder and why it cannot be created.
pub fn make_folder_of(file: &Path) -> Result<(), String> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Checks that [`write_whole`] could write a file, so that a long computation is not started in vain. Also deletes
/// temporary files that processes which were killed while they wrote that file have left behind.
///
/// # Errors
/// When the file's folder does not exist or is not writable, or the path is that of a folder.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    match place_of(path)? {
        Place::Device(_) => {}
        Place::Regular { target, .. } => {
            let name = target.file_name().unwrap_or_default().to_string_lossy();
            delete_leftovers(folder_of(&target), |of| of == name);
        }
    }
    Ok(())
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a file's content is written.
enum Place {
    /// Directly into a target that is not a regular file.
    Device(PathBuf),
    /// Into a temporary file in the folder of the target.
    Regular {
        /// The file to replace, with symbolic links resolved.
        target: PathBuf,
        /// The temporary file, which is deleted when this value is dropped.
        temporary: NamedTempFile,
    },
}

fn place_of(path: &Path) -> Result<Place, FileError> {
    let fail = |reason: &dyn Display| FileError::write(path, reason);
    if path.file_name().is_none() {
        return Err(fail(&"the path does not end in the name of a file; add one"));
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(old) if old.is_dir() => return Err(fail(&"it is a folder; give the name of a file")),
        Ok(old) if !old.is_file() => return Ok(Place::Device(target)),
        Ok(old) if old.permissions().readonly() => {
            return Err(fail(&"it is write-protected; name another file or change its permissions"));
        }
        _ => {}
    }
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(fail(&format_args!("there is no folder {}; create it first", folder.display())));
    }
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(target.file_name().unwrap_or_default());
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The mode of any newly created file, before the user's umask is applied.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let temporary = builder.tempfile_in(folder).map_err(|error| fail(&error))?;
        // On other systems a lock keeps the programs from writing that are given the path of the temporary file.
        if cfg!(not(unix)) || claim(&temporary) {
            return Ok(Place::Regular { target, temporary });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{self, Write as _};
    use std::path::Path;

    use super::{check_writable, write_whole};

    /// Sorted names of the entries of a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_once_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("water.csv");
        for text in ["first, and longer", "second"] {
            write_whole(&file, |writer| writer.write_all(text.as_bytes())).expect("it can be written");
            assert_eq!(fs::read_to_string(&file).expect("it is there"), text);
        }
        assert_eq!(names(folder.path()), ["water.csv"]);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("water.csv");
        fs::write(&file, "good").expect("it can be written");
        let error = write_whole(&file, |writer| {
            writer.write_all(b"half of it")?;
            Err(io::Error::other("the device was lost"))
        })
        .expect_err("the writer failed");
        assert!(error.to_string().ends_with("water.csv: the device was lost"), "{error}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "good");
        assert_eq!(names(folder.path()), ["water.csv"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_reported_even_when_the_writer_ignored_the_error() {
        let full = Path::new("/dev/full");
        let big = vec![0_u8; 3 << 20];
        // As a library that ignores the result of a write.
        let error = write_whole(full, |writer| {
            let _ = writer.write_all(&big);
            Ok::<_, io::Error>(())
        });
        // Few enough bytes to be flushed only at the end.
        let late = write_whole(full, |writer| writer.write_all(b"water"));
        for error in [error, late] {
            let error = error.expect_err("the disk is full").to_string();
            assert!(error.starts_with("cannot write /dev/full: No space left on device"), "{error}");
        }
    }

    #[test]
    fn a_missing_folder_and_the_path_of_a_folder_are_rejected_beforehand() {
        let folder = tempfile::tempdir().expect("a folder");
        let lost = check_writable(&folder.path().join("no/water.csv")).expect_err("no such folder").to_string();
        assert!(lost.contains("no/water.csv") && lost.contains("there is no folder"), "{lost}");
        let taken = check_writable(folder.path()).expect_err("that is a folder").to_string();
        assert!(taken.contains("it is a folder"), "{taken}");
        check_writable(&folder.path().join("water.csv")).expect("it can be written");
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    #[cfg(unix)]
    fn symbolic_links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("water.csv"), folder.path().join("link.csv"));
        fs::write(&file, "old").expect("it can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        std::os::unix::fs::symlink(&file, &link).expect("links can be made");
        write_whole(&link, |writer| writer.write_all(b"new")).expect("it can be written");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o640);
    }
}
