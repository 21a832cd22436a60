//! What `docs/ADDING_A_SEARCH.md` promises: a search is its Rust file, its shaders of the same stem, and one line in the
//! registry.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use nearwater::search::SEARCHES;

fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source").flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, into) } else { into.push(path) }
    }
}

/// Whether code names a search: its module, its shader or its name as a text.
fn names(code: &str, search: &str) -> bool {
    [format!("mod {search};"), format!("{search}::"), format!("/{search}.wgsl"), format!("\"{search}\"")]
        .iter()
        .any(|mention| code.contains(mention))
}

#[test]
fn nothing_but_its_own_files_and_the_registry_names_a_search() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "shaders"] {
        files_below(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "only {} files were read", files.len());
    for search in SEARCHES {
        let naming: BTreeSet<String> = files
            .iter()
            .filter(|file| names(&code_of(file), search.name))
            .map(|file| file.strip_prefix(root).expect("a file below the root").display().to_string())
            .collect();
        let own = |file: &String| {
            let stem = Path::new(file).file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with(search.name));
            let is_registry = file == "src/search/mod.rs";
            let is_test = file.ends_with("/tests.rs");
            // The papers' tables name the searches that the papers timed.
            let is_papers_table = file == "src/bench/paper.rs";
            stem || is_registry || is_papers_table || is_test
        };
        let foreign: Vec<_> = naming.iter().filter(|file| !own(file)).collect();
        assert!(foreign.is_empty(), "{} is named in {foreign:?}", search.name);
        for file in [format!("src/search/{}.rs", search.name), format!("shaders/search/{}.wgsl", search.name)] {
            assert!(root.join(&file).is_file(), "{file} is missing");
        }
    }
}

/// A file without its comments and tests, which may speak of any search.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("text");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_mention_is_told_from_a_word() {
    assert!(names("&green::INFO", "green") && names("search_named(\"green\")", "green"));
    assert!(!names("let [red, green, blue] = map;", "green"));
}
