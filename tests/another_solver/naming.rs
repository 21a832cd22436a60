//! Tests that a solver is named only in its own folders and in the registry.

use std::path::Path;

use nearwater::fluid::{SOLVERS, SolverInfo};

use crate::sources::sources;

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

/// Other files that name a solver, and why they do.
const JUSTIFIED: [(&str, &str); 5] = [
    ("src/lammps/refusal.rs", "the other program has one solver only"),
    ("src/lammps/script.rs", "explains the numbers of that solver"),
    ("src/validation/corners.rs", "compares the modes of a solver"),
    ("src/verification/kernels/repelled.rs", "a force of solids has the name of a solver"),
    ("src/verification/kernels/water.rs", "lists the kinds of water whose properties are measured"),
];

#[test]
fn a_solver_is_named_only_in_its_own_folders_and_the_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(&["src", "shaders"]);
    for solver in SOLVERS {
        let own = [format!("src/fluid/solvers/{}/", solver.name), format!("shaders/fluid/{}/", solver.name)];
        for folder in &own {
            assert!(root.join(folder).is_dir(), "{folder} is missing");
        }
        let mut foreign = Vec::new();
        for source in &sources {
            let path = source.path.as_str();
            let is_test = path.ends_with("/tests.rs");
            if own.iter().any(|folder| path.starts_with(folder))
                || path == "src/fluid/solvers/mod.rs"
                || is_test
                || JUSTIFIED.iter().any(|(justified, _)| *justified == path)
            {
                continue;
            }
            foreign.extend(source.code.lines().filter(|line| names(line, solver)).map(|line| (path, line)));
        }
        assert!(foreign.is_empty(), "{} is named in {foreign:#?}", solver.name);
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
