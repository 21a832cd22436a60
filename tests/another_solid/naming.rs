//! Tests that a kind of solid is named only in its own folder and in the registry, apart from a few listed files.

use std::fs;

use crate::sources::{Source, sources};
use nearwater::fluid::solids::{SOLIDS, SolidInfo};

const REGISTRY: &str = "src/fluid/solids/mod.rs";

/// Other files that name a kind, and why they do.
const JUSTIFIED: [(&str, &str); 8] = [
    ("src/fluid/mod.rs", "exports the types of scenes, which callers write into scenes"),
    ("src/app/toss.rs", "a user's action: dropping, shooting and dragging bodies"),
    ("src/app/hands/block.rs", "a user's action: drawing a block"),
    ("src/app/solids/book.rs", "meshes of an app are bodies"),
    ("src/app/solids/driver.rs", "meshes of an app are bodies"),
    ("src/lammps/places.rs", "fixed boundaries are filled with particles for a program that has no other boundaries"),
    ("src/lammps/refusal.rs", "tells what another program does not have"),
    ("src/validation/buoyancy.rs", "a validation case about floating bodies"),
];

/// The type that scenes list for a kind, from its line in the registry, as in `bodies::Body`.
fn scene_type(registry: &str, info: &SolidInfo) -> String {
    let start = format!("{}::", info.name);
    let lines = registry.split("registry! {").nth(1).expect("the registry").lines();
    let found = lines.map(str::trim).find_map(|line| line.strip_prefix(&start)?.strip_suffix(','));
    found.unwrap_or_else(|| panic!("no line of the registry begins with {start}")).to_owned()
}

/// Whether text has a word, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

/// Whether the code of a file names a kind: its module, its shaders, or the type that scenes list, by an import or a
/// path. In the fluid, also the kind's name or field as a string.
fn names(Source { path, code }: &Source, info: &SolidInfo, type_name: &str) -> bool {
    let name = info.name;
    let mentions = [format!("mod {name};"), format!("{name}::"), format!("fluid/{name}/")];
    let quoted = [format!("\"{name}\""), format!("\"{}\"", info.field)];
    // A cargo feature may have the name of a kind.
    let without_features = code.replace(&format!("feature = \"{name}\""), "");
    let imports = || code.split(';').filter_map(|statement| Some(&statement[statement.find("use ")?..]));
    mentions.iter().any(|mention| code.contains(mention))
        || (path.starts_with("src/fluid/") && quoted.iter().any(|text| without_features.contains(text)))
        || imports().any(|import| has_word(import, type_name))
        || code.match_indices("fluid::").any(|(at, start)| {
            let rest = &code[at + start.len()..];
            rest.strip_prefix(type_name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
}

#[test]
fn a_kind_is_named_only_in_its_own_folders_and_the_registry() {
    let sources = sources(&["src", "shaders"]);
    let registry = &sources.iter().find(|source| source.path == REGISTRY).expect("the registry").code;
    let mut unneeded: Vec<_> = JUSTIFIED.iter().map(|(path, _)| *path).collect();
    for info in SOLIDS {
        let type_name = scene_type(registry, info);
        let own = [format!("src/fluid/solids/{}/", info.name), format!("shaders/fluid/{}/", info.name)];
        assert!(sources.iter().any(|source| source.path.starts_with(&own[0])), "{} is missing", own[0]);
        let is_own = |path: &str| own.iter().any(|folder| path.starts_with(folder)) || path == REGISTRY;
        let foreign = sources.iter().filter(|source| !is_own(&source.path) && !source.path.ends_with("/tests.rs"));
        let mut foreign: Vec<_> =
            foreign.filter(|source| names(source, info, &type_name)).map(|source| source.path.as_str()).collect();
        unneeded.retain(|path| !foreign.contains(path));
        foreign.retain(|path| JUSTIFIED.iter().all(|(justified, _)| justified != path));
        assert!(foreign.is_empty(), "{} is named in {foreign:#?}", info.name);
    }
    assert!(unneeded.is_empty(), "{unneeded:?} name no kind and need not be listed");
}

/// The registry and the folders must agree, since the test above only knows the kinds of the registry.
#[test]
fn every_folder_of_a_kind_is_in_the_registry() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/fluid/solids");
    for entry in fs::read_dir(folder).expect("the folder of solids").flatten() {
        let name = entry.file_name().into_string().expect("text");
        let is_kind = entry.path().join("kind.rs").is_file();
        assert_eq!(is_kind, SOLIDS.iter().any(|info| info.name == name), "{name}");
    }
}

#[test]
fn mentions_of_a_kind_are_distinguished_from_other_words() {
    let info = SOLIDS[1];
    assert_eq!(info.name, "bodies", "the examples below are of bodies");
    let is_named = |path: &str, code: &str| names(&Source { path: path.into(), code: code.into() }, info, "Body");
    let inside = "src/fluid/scene/mod.rs";
    assert!(is_named(inside, "use super::{Body, Boundary};") && is_named(inside, "use super::solids::bodies::Bodies;"));
    assert!(is_named(inside, "let list: &[crate::fluid::Body] = &[];") && is_named(inside, "state.get(\"bodies\")"));
    assert!(!is_named(inside, "use super::BodyState;\nmatch kind { ArgumentKind::Body => 1 };"));
    assert!(!is_named("src/render/solids.rs", "gpu.storage(\"bodies\", 1)"));
}
