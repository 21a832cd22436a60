//! Tests that a solver or a kind of solid is named only in its own folders and in the registry.

use std::fs;
use std::path::{Path, PathBuf};

use nearwater::fluid::{SOLVERS, SolverInfo};

fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source").flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, into) } else { into.push(path) }
    }
}

/// Whether a line of code names a solver: its module, its shaders, or one of its names as a word in a string.
fn names(code: &str, solver: &SolverInfo) -> bool {
    let (name, scene_name, title) = (solver.name, solver.scene_name, solver.title);
    let quoted = |word: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        code.split('"').skip(1).step_by(2).any(|text| text.split(|c: char| !is_part(c)).any(|found| found == word))
    };
    let mentions = [format!("mod {name};"), format!("{name}::"), format!("/{name}/"), format!("Solver::{scene_name}")];
    mentions.iter().any(|mention| code.contains(mention)) || quoted(name) || quoted(scene_name) || quoted(title)
}

/// The lines of a file without its comments and tests, which may mention any solver.
fn code_of(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("text");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(str::to_owned).collect()
}

/// Every source file and shader.
fn source(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["src", "shaders"] {
        files_below(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "only {} files were read", files.len());
    files
}

#[test]
fn a_solver_is_named_only_in_its_own_folders_and_the_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = source(root);
    for solver in SOLVERS {
        let own = [format!("src/fluid/solvers/{}/", solver.name), format!("shaders/fluid/{}/", solver.name)];
        for folder in &own {
            assert!(root.join(folder).is_dir(), "{folder} is missing");
        }
        let mut foreign = Vec::new();
        for file in &files {
            let path = file.strip_prefix(root).expect("a file below the root").display().to_string();
            let is_test = path.ends_with("/tests.rs");
            if own.iter().any(|folder| path.starts_with(folder)) || path == "src/fluid/solvers/mod.rs" || is_test {
                continue;
            }
            foreign
                .extend(code_of(file).into_iter().filter(|line| names(line, solver)).map(|line| (path.clone(), line)));
        }
        assert!(foreign.is_empty(), "{} is named in {foreign:#?}", solver.name);
    }
}

/// Files that may name a kind of solid besides its own folder: the registry, the exports of the library, and the
/// saved state, which recreates added bodies before it restores them.
const KNOWING: [&str; 3] = ["src/fluid/solids/mod.rs", "src/fluid/mod.rs", "src/fluid/saved_state.rs"];

#[test]
fn a_kind_of_solid_is_named_only_in_its_own_folder_and_the_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut kinds = Vec::new();
    for entry in fs::read_dir(root.join("src/fluid/solids")).expect("the folder of solids").flatten() {
        if entry.path().join("kind.rs").is_file() {
            kinds.push(entry.file_name().into_string().expect("text"));
        }
    }
    assert!(kinds.len() >= 3, "{kinds:?}");
    let files = source(root);
    for kind in kinds {
        let own = [format!("src/fluid/solids/{kind}/"), format!("shaders/fluid/{kind}/")];
        let mentions = [format!("mod {kind};"), format!("{kind}::"), format!("fluid/{kind}/")];
        let mut foreign = Vec::new();
        for file in &files {
            let path = file.strip_prefix(root).expect("a file below the root").display().to_string();
            let is_test = path.ends_with("/tests.rs");
            if own.iter().any(|folder| path.starts_with(folder)) || KNOWING.contains(&path.as_str()) || is_test {
                continue;
            }
            let names = |line: &String| mentions.iter().any(|mention| line.contains(mention));
            foreign.extend(code_of(file).into_iter().filter(names).map(|line| (path.clone(), line)));
        }
        assert!(foreign.is_empty(), "{kind} is named in {foreign:#?}");
    }
}

#[test]
fn mentions_of_a_solver_are_distinguished_from_other_words() {
    let solver = SOLVERS[1];
    let name = solver.name;
    assert!(names(&format!("&{name}::INFO"), solver) && names(&format!("== \"{name}\""), solver));
    assert!(names(&format!("\"give it another step, or {}\"", solver.title), solver));
    assert!(!names("let masses = problem.masses();", solver));
}
