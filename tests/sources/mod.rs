//! Reads the program's own source, for tests of what names what.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root of the repository, and its text without comment lines and unit tests, which
/// may speak of anything.
pub struct Source {
    pub path: String,
    pub code: String,
}

/// Every file below these folders of the repository.
pub fn sources(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in folders {
        files_below(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "only {} files were read", files.len());
    let path = |file: &Path| file.strip_prefix(root).expect("a file below the root").display().to_string();
    files.iter().map(|file| Source { path: path(file), code: code_of(file) }).collect()
}

fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source").flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, into) } else { into.push(path) }
    }
}

fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("text");
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}
