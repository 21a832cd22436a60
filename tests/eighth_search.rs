//! Verifies the statement of `docs/ADDING_A_SEARCH.md` that a search consists of its Rust file, its shaders of the same
//! stem, and one line in the registry.

mod sources;

use std::collections::BTreeSet;
use std::path::Path;

use nearwater::search::SEARCHES;

/// Whether code names a search: its module, its shader or its name as a string.
fn names(code: &str, search: &str) -> bool {
    [format!("mod {search};"), format!("{search}::"), format!("/{search}.wgsl"), format!("\"{search}\"")]
        .iter()
        .any(|mention| code.contains(mention))
}

#[test]
fn only_its_own_files_and_the_registry_name_a_search() {
    let sources = sources::sources(&["src", "shaders"]);
    for search in SEARCHES {
        let own = |file: &str| {
            let stem = Path::new(file).file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with(search.name));
            let is_registry = file == "src/search/mod.rs";
            let is_test = file.ends_with("/tests.rs");
            // The papers' tables name the searches that the papers measured.
            let is_papers_table = file == "src/bench/paper.rs";
            // Pair kernels are compared with a search for each way of visiting pairs.
            let is_visiting = file == "src/verification/kernels/visiting.rs";
            stem || is_registry || is_papers_table || is_visiting || is_test
        };
        let naming = sources.iter().filter(|source| names(&source.code, search.name)).map(|source| &*source.path);
        let foreign: BTreeSet<_> = naming.filter(|file| !own(file)).collect();
        assert!(foreign.is_empty(), "{} is named in {foreign:?}", search.name);
        for file in [format!("src/search/{}.rs", search.name), format!("shaders/search/{}.wgsl", search.name)] {
            assert!(sources.iter().any(|source| source.path == file), "{file} is missing");
        }
    }
}

#[test]
fn names_of_searches_are_distinguished_from_ordinary_words() {
    assert!(names("&green::INFO", "green") && names("search_named(\"green\")", "green"));
    assert!(!names("let [red, green, blue] = map;", "green"));
}
