//! Refuses outputs that would overwrite each other or an input.

use std::fs;
use std::path::{Path, PathBuf};

use super::CommandError;

/// A file that a command reads or writes.
pub struct NamedFile<'a> {
    /// The option that names it, or what it is, as in "--save" or "the scene".
    pub what: &'a str,
    pub path: &'a Path,
}

impl<'a> NamedFile<'a> {
    /// Those of the options that were given.
    pub fn given<const COUNT: usize>(options: [(&'a str, Option<&'a Path>); COUNT]) -> Vec<Self> {
        options.into_iter().filter_map(|(what, path)| Some(Self { what, path: path? })).collect()
    }
}

/// Refuses two outputs, or an input and an output, that are the same file. Targets that are no regular files, such as
/// `/dev/null`, may be named several times.
///
/// # Errors
/// When two of them are the same file.
pub fn refuse_same_files(inputs: &[NamedFile<'_>], outputs: &[NamedFile<'_>]) -> Result<(), CommandError> {
    for (number, output) in outputs.iter().enumerate() {
        let mut others = inputs.iter().chain(&outputs[..number]);
        if let Some(other) = others.find(|other| are_same(other.path, output.path)) {
            return Err(CommandError::SameFile {
                one: other.what.to_owned(),
                other: output.what.to_owned(),
                file: output.path.display().to_string(),
            });
        }
    }
    Ok(())
}

fn are_same(one: &Path, other: &Path) -> bool {
    let is_other_kind = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
    if is_other_kind(one) || is_other_kind(other) {
        return false;
    }
    place(one) == place(other) || has_same_node(one, other)
}

/// The path with all symbolic links resolved, also of a file that does not exist yet.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        folder.join(path.file_name().unwrap_or_default())
    })
}

/// Whether two names are hard links to one file.
#[cfg(unix)]
fn has_same_node(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let node = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    node(one).is_some() && node(one) == node(other)
}

#[cfg(not(unix))]
fn has_same_node(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{NamedFile, refuse_same_files};

    #[test]
    fn a_file_is_recognized_behind_dots_links_and_other_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("water"), "").expect("it can be written");
        fs::create_dir(at("sub")).expect("a folder");
        fs::hard_link(at("water"), at("hard")).expect("links can be made");
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("water"), at("soft")).expect("links can be made");
        let input = NamedFile { what: "--load", path: &at("water") };
        let inputs = [input];
        for name in ["water", "sub/../water", "hard", "soft"] {
            let path = at(name);
            let error = refuse_same_files(&inputs, &[NamedFile { what: "--save", path: &path }]).expect_err(name);
            let told = error.to_string();
            assert!(told.contains("--load") && told.contains("--save") && told.contains(name), "{told}");
        }
        let (new, again) = (at("new"), at("sub/../new"));
        let outputs = [NamedFile { what: "--png", path: &new }, NamedFile { what: "--save", path: &again }];
        refuse_same_files(&[], &outputs).expect_err("one name for two outputs that do not exist yet");
        refuse_same_files(&inputs, &outputs[..1]).expect("they are different files");
        let null = || NamedFile { what: "--png", path: Path::new("/dev/null") };
        refuse_same_files(&[], &[null(), null()]).expect("a device keeps nothing");
    }
}
