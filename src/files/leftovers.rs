//! Temporary files of unfinished writes. The process that writes one holds a lock on it, which the system releases
//! when the process ends in whatever way; a temporary file without a lock is therefore left over and can be deleted.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;

use tempfile::NamedTempFile;

/// The end of the names of temporary files.
pub(super) const SUFFIX: &str = ".part";
/// Number of random letters in their names, which [`tempfile`] adds.
const RANDOM: usize = 6;

/// The beginning of the name of a temporary file for a file of this name.
pub(super) fn prefix(name: &OsStr) -> String {
    format!(".{}.", name.to_string_lossy())
}

/// Marks a new temporary file as being written; `false` if another process has just deleted it as a leftover.
pub(super) fn claim(temporary: &NamedTempFile) -> bool {
    match temporary.as_file().try_lock() {
        Ok(()) => temporary.path().exists(),
        Err(TryLockError::WouldBlock) => false,
        // A file system without locks, on which nothing is deleted either.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Deletes the temporary files in a folder that no process writes any more, for files whose names `is_ours` accepts.
/// What cannot be deleted stays.
pub(super) fn delete_leftovers(folder: &Path, is_ours: impl Fn(&str) -> bool) {
    // On other systems a lock keeps other programs from writing, so that none is taken there.
    if cfg!(not(unix)) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if target_of(&name.to_string_lossy()).is_some_and(&is_ours)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            let unlocked = |file: &File| file.try_lock().is_ok();
            if OpenOptions::new().write(true).open(entry.path()).is_ok_and(|file| unlocked(&file)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The name of the file for which a temporary file of this name was made.
fn target_of(name: &str) -> Option<&str> {
    let (target, random) = name.strip_prefix('.')?.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let is_random = random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_random.then_some(target)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::{claim, delete_leftovers, target_of};

    #[test]
    fn only_leftovers_of_ended_processes_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in [".water.state.aB3dE9.part", ".other.aB3dE9.part", "water.state", ".water.state.part", "a.part"] {
            fs::write(at(name), "half").expect("it can be written");
        }
        let mut builder = tempfile::Builder::new();
        let written = builder.prefix(".water.state.").suffix(".part").tempfile_in(folder.path()).expect("a file");
        assert!(claim(&written));
        delete_leftovers(folder.path(), |name| name == "water.state");
        assert!(written.path().exists(), "a file that is being written was deleted");
        assert!(!at(".water.state.aB3dE9.part").exists(), "a leftover is still there");
        for name in [".other.aB3dE9.part", "water.state", ".water.state.part", "a.part"] {
            assert!(at(name).exists(), "{name} is no leftover of this file");
        }
    }

    #[test]
    fn names_of_temporary_files_are_recognized() {
        assert_eq!(target_of(".water.png.abcXY9.part"), Some("water.png"));
        for name in
            [".water.part", "water.abcXY9.part", ".water.abcXY9.tmp", ".water.abc-Y9.part", ".water.abcXY90.part"]
        {
            assert_eq!(target_of(name), None, "{name}");
        }
    }
}
