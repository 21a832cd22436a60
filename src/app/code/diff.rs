//! The difference of edited shaders from their originals, and the patch that contains it.

use std::collections::BTreeMap;
use std::sync::Arc;

use similar::TextDiff;

use crate::gpu::ShaderLibrary;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The difference of one file in the unified format, with paths as `git apply` and `patch -p1` read them in the program's
/// repository; empty if the texts are equal.
pub fn patch_of(file: &str, original: &str, edited: &str) -> String {
    let difference = TextDiff::from_lines(original, edited);
    let (before, after) = (format!("a/shaders/{file}"), format!("b/shaders/{file}"));
    difference.unified_diff().context_radius(CONTEXT).header(&before, &after).to_string()
}

/// The differences of all edited files.
///
/// # Errors
/// When the original of a file cannot be read, or no text differs from its original; the message says so.
pub fn patch(library: &ShaderLibrary, edited: &BTreeMap<String, Arc<str>>) -> Result<String, String> {
    let mut whole = String::new();
    for (file, text) in edited {
        let original = library.original(file).map_err(|error| error.to_string())?;
        whole.push_str(&patch_of(file, &original, text));
    }
    if whole.is_empty() {
        Err("no shader differs from its original, so there is no patch to export".to_owned())
    } else {
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Applies a patch with a program to the originals and returns the files' texts.
    fn applied(program: &[&str], patch: &str, files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let library = ShaderLibrary::embedded();
        for file in files {
            let path = folder.path().join("shaders").join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is writable");
            std::fs::write(path, library.original(file).expect("an embedded file")).expect("the folder is writable");
        }
        std::fs::write(folder.path().join("edits.patch"), patch).expect("the folder is writable");
        let outcome = Command::new(program[0]).args(&program[1..]).current_dir(folder.path()).output();
        let outcome = outcome.unwrap_or_else(|error| panic!("{} is needed for this test: {error}", program[0]));
        assert!(outcome.status.success(), "{program:?}: {}", String::from_utf8_lossy(&outcome.stderr));
        let read = |file: &&str| std::fs::read_to_string(folder.path().join("shaders").join(file));
        files.iter().map(read).collect::<Result<_, _>>().expect("the files are there")
    }

    #[test]
    fn git_applies_the_patch_of_several_files() {
        let library = ShaderLibrary::embedded();
        let files = ["common/grid.wgsl", "search/green.wgsl"];
        let mut edited = BTreeMap::new();
        for (place, file) in files.into_iter().enumerate() {
            let mut lines: Vec<String> =
                library.original(file).expect("an embedded file").lines().map(str::to_owned).collect();
            lines.remove(4);
            lines.insert(20, format!("// a new line with ä, {place}"));
            // The last line of the second file has no end, which the format has to say.
            let text = lines.join("\n") + if place == 0 { "\n" } else { "" };
            edited.insert(file.to_owned(), Arc::from(text));
        }
        let patch = patch(&library, &edited).expect("something differs");
        assert!(patch.starts_with("--- a/shaders/common/grid.wgsl\n+++ b/shaders/common/grid.wgsl\n@@"), "{patch}");
        let wanted: Vec<_> = files.iter().map(|file| edited[*file].to_string()).collect();
        assert_eq!(applied(&["git", "apply", "edits.patch"], &patch, &files), wanted);
        if Command::new("patch").arg("--version").output().is_ok() {
            assert_eq!(applied(&["patch", "-p1", "-i", "edits.patch"], &patch, &files), wanted);
        }
    }

    #[test]
    fn without_a_difference_there_is_no_patch() {
        let library = ShaderLibrary::embedded();
        let original = library.original("common/grid.wgsl").expect("an embedded file");
        let same = BTreeMap::from([("common/grid.wgsl".to_owned(), Arc::from(original))]);
        assert!(patch(&library, &same).is_err_and(|words| words.contains("no patch")));
    }
}
