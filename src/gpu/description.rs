//! The documentation of a shader's storage buffers: the comment above each declaration in the source.

use super::{GpuError, ShaderLibrary, ShaderVariant};

/// A storage buffer as a shader file declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The shader file, as a path below `shaders/`.
    pub file: String,
    /// The variable's name.
    pub name: String,
    /// `@group` and `@binding`.
    pub place: [u32; 2],
    /// The comment above the declaration, in one line, without its phrase about the length; empty where there is none.
    pub description: String,
    /// The comment's phrase after `len =`, for example `cell_count + 1`.
    pub length: Option<String>,
}

impl ShaderLibrary {
    /// The storage buffers that a variant declares, those of the files that it imports included.
    ///
    /// # Errors
    /// When a file is missing.
    pub fn declarations(&self, variant: &ShaderVariant) -> Result<Vec<Declaration>, GpuError> {
        let mut found = Vec::new();
        let sources = self.sources();
        for file in sources.files_of(variant)? {
            let is_defined = |name: &str| variant.definitions.contains_key(name);
            found.extend(declarations(file, &sources.text_of(variant, file)?, is_defined));
        }
        Ok(found)
    }
}

/// The storage buffers that a shader's text declares, where `is_defined` decides which branches `#ifdef` selects.
///
/// A declaration directly below another one and without a comment of its own shares the comment of that one.
pub fn declarations(file: &str, text: &str, is_defined: impl Fn(&str) -> bool) -> Vec<Declaration> {
    let mut found: Vec<Declaration> = Vec::new();
    // Whether the branch of each enclosing condition is compiled.
    let mut branches: Vec<bool> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut follows_declaration = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("#ifdef ") {
            branches.push(is_defined(name.trim()));
        } else if let Some(name) = line.strip_prefix("#ifndef ") {
            branches.push(!is_defined(name.trim()));
        } else if line.starts_with("#else") {
            branches.iter_mut().last().into_iter().for_each(|branch| *branch = !*branch);
        } else if line.starts_with("#endif") {
            branches.pop();
        } else if branches.contains(&false) {
            // The branch is not compiled, so its comments and declarations do not count.
        } else if let Some(text) = line.strip_prefix("//") {
            if follows_declaration {
                comment.clear();
                follows_declaration = false;
            }
            comment.push(text.trim());
        } else if let Some((place, name)) = storage_variable(line) {
            let (description, length) = parts(&comment.join(" "));
            found.push(Declaration { file: file.to_owned(), name: name.to_owned(), place, description, length });
            follows_declaration = true;
        } else {
            comment.clear();
            follows_declaration = false;
        }
    }
    found
}

/// Group, binding and name of a line such as `@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;`.
fn storage_variable(line: &str) -> Option<([u32; 2], &str)> {
    // Most lines are none, and end here.
    if !line.starts_with('@') {
        return None;
    }
    let number = |attribute: &str| line.split(attribute).nth(1)?.split(')').next()?.trim().parse().ok();
    let place = [number("@group(")?, number("@binding(")?];
    let declared = line.split("var<storage").nth(1)?.split_once('>')?.1;
    Some((place, declared.split(':').next()?.trim()))
}

/// A comment's description and its length phrase.
fn parts(comment: &str) -> (String, Option<String>) {
    let Some((before, after)) = comment.split_once("len =") else {
        return (comment.to_owned(), None);
    };
    // A period inside a name, as in `cloths.count`, does not end the phrase.
    let ends = [after.find(", "), after.find("; "), after.find(". ")];
    let end = ends.into_iter().flatten().min().unwrap_or(after.trim_end_matches('.').len());
    let rest = after[end..].trim_start_matches([',', ';', '.', ' ']);
    let before = before.trim_end().trim_end_matches([';', ',']);
    let mut description = before.trim_end_matches('.').to_owned();
    if !description.is_empty() && !rest.is_empty() {
        description.push_str("; ");
    }
    description.push_str(rest.trim_end_matches('.'));
    if !description.is_empty() {
        description.push('.');
    }
    (description, Some(after[..end].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_above_the_declarations_that_are_compiled() {
        let text = "
// The file's head.

// Cells; len = cell_count + 1, the last particle_count.
@group(0) @binding(7) var<storage, read_write> starts: array<u32>;
// Both kinds, in N. len = cloths.count.
#ifdef WIDE
@group(1) @binding(2) var<storage, read> wide: array<vec4<u32>>;
#else
@group(1) @binding(2) var<storage, read> narrow: array<u32>;
@group(1) @binding(3) var<storage, read> second: array<u32>;
#endif
@group(0) @binding(0) var<uniform> grid: Grid;
@group(1) @binding(4) var<storage> bare: array<u32>;
";
        let summary = |wide: bool| {
            let found = declarations("a.wgsl", text, |name| wide && name == "WIDE");
            found.into_iter().map(|d| (d.name, d.place, d.description, d.length)).collect::<Vec<_>>()
        };
        let entry = |name: &str, place, description: &str, length: Option<&str>| {
            (name.to_owned(), place, description.to_owned(), length.map(str::to_owned))
        };
        let starts = entry("starts", [0, 7], "Cells; the last particle_count.", Some("cell_count + 1"));
        let both = |name, place| entry(name, place, "Both kinds, in N.", Some("cloths.count"));
        let bare = entry("bare", [1, 4], "", None);
        assert_eq!(summary(true), [starts.clone(), both("wide", [1, 2]), bare.clone()]);
        assert_eq!(summary(false), [starts, both("narrow", [1, 2]), both("second", [1, 3]), bare]);
    }

    /// The laboratory shows these comments beside the buffers.
    #[test]
    fn every_storage_buffer_of_a_step_has_a_comment_with_a_length() {
        let library = ShaderLibrary::embedded();
        let mut count = 0;
        let mut failures = Vec::new();
        // The renderer and the instruments of the laboratory are not part of a step.
        let is_of_steps = |file: &&str| !file.starts_with("render/") && !file.starts_with("laboratory/");
        for file in ShaderLibrary::files().into_iter().filter(is_of_steps) {
            let text = library.source(file).expect("an embedded file");
            let found: Vec<Declaration> = [true, false]
                .into_iter()
                .flat_map(|is_defined| declarations(file, &text, move |_| is_defined))
                .collect();
            for (place, name) in text.lines().filter_map(storage_variable) {
                let same = |declared: &&Declaration| declared.place == place && declared.name == name;
                assert!(found.iter().any(|declared| same(&declared)), "{file}: {name} is in no branch that is tested");
            }
            for declaration in found {
                count += 1;
                if declaration.length.is_none() || declaration.description.len() < 12 {
                    failures.push(format!("{file}: {} \"{}\"", declaration.name, declaration.description));
                }
            }
        }
        assert!(count > 100, "only {count} declarations");
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
