//! Writes edits into the text of a scene file, which keeps its comments and everything that was not edited.

use std::ops::Range;
use std::path::Path;

use super::reading::EMBEDDED;
use super::{Scene, SceneEdits};
use crate::fluid::{Density, MATERIAL_SETTINGS, SceneError, every_setting};
use crate::search::same_value;

impl Scene {
    /// The text of a scene of the program, or of a file.
    ///
    /// # Errors
    /// When there is no such scene, or the file cannot be read.
    pub fn text(name_or_path: &str) -> Result<String, SceneError> {
        if let Some(file) = EMBEDDED.get_file(format!("{name_or_path}.ron")) {
            return Ok(file.contents_utf8().unwrap_or_default().to_owned());
        }
        Self::file_text(name_or_path)
    }

    /// The text of a scene file with edits written into it, and with a number of particles if one is given. The result
    /// is read back and compared before it is returned; `file` is where it will be written, because a scene finds files
    /// of particles and meshes beside itself.
    ///
    /// # Errors
    /// When the text is not that of this scene, or cannot be read at the new place.
    pub fn edited_text(
        &self,
        text: &str,
        edits: &SceneEdits,
        particles: Option<u32>,
        file: &Path,
    ) -> Result<String, SceneError> {
        let mut wanted = edits.applied_to(self);
        wanted.particles = particles.or(self.particles);
        let mut changes: Vec<(Vec<&str>, String)> = Vec::new();
        if wanted.particles != self.particles
            && let Some(particles) = particles
        {
            changes.push((vec!["particles"], particles.to_string()));
        }
        if wanted.solver != self.solver {
            changes.push((vec!["solver"], wanted.solver.scene_name.to_owned()));
        }
        for setting in &MATERIAL_SETTINGS {
            let value = setting.value(&wanted.material);
            if !same_value(value, setting.value(&self.material)) {
                changes.push((vec!["material", setting.name], format!("{value:?}")));
            }
        }
        if wanted.material.density != self.material.density {
            let density = match wanted.material.density {
                Density::Summation => "Summation".to_owned(),
                Density::Continuity { diffusion } => format!("Continuity(diffusion: {diffusion:?})"),
            };
            changes.push((vec!["material", "density"], density));
        }
        for setting in every_setting() {
            let value = wanted.solver_settings.chosen(setting);
            if value != self.solver_settings.chosen(setting)
                && let Some(value) = value
            {
                changes.push((vec![setting.solver, setting.name], setting.written(value)));
            }
        }
        let edited = changes.iter().fold(text.to_owned(), |text, (path, value)| with_field(&text, path, value));
        let shown = file.to_string_lossy();
        let mut read = Self::parse_in(file.parent(), &shown, &edited)?;
        read.name.clone_from(&wanted.name);
        if read == wanted { Ok(edited) } else { Err(SceneError::Changed { scene: self.name.clone() }) }
    }
}

/// A field of a struct in RON text.
struct Field {
    name: String,
    value: Range<usize>,
}

/// The text of a struct with the field at `path` set to `value`; a field that is missing is added at the end.
fn with_field(text: &str, path: &[&str], value: &str) -> String {
    let [name, inner @ ..] = path else { return text.to_owned() };
    let (fields, end) = fields_of(text);
    if let Some(Field { value: place, .. }) = fields.iter().find(|field| field.name == *name) {
        let old = &text[place.clone()];
        let new = if inner.is_empty() { value.to_owned() } else { with_field(old, inner, value) };
        return format!("{}{new}{}", &text[..place.start], &text[place.end..]);
    }
    let new = if inner.is_empty() { value.to_owned() } else { with_field("()", inner, value) };
    let Some(last) = fields.last() else {
        return format!("{}{name}: {new}{}", &text[..end], &text[end..]);
    };
    // As far indented as the last field.
    let line = text[..last.value.start].rfind('\n').map_or(0, |at| at + 1);
    let indent: String = text[line..].chars().take_while(|c| *c == ' ').collect();
    let separator = if text[..last.value.start].contains('\n') { format!("\n{indent}") } else { " ".to_owned() };
    let (before, after) = text.split_at(last.value.end);
    let after = after.strip_prefix(',').unwrap_or(after);
    format!("{before},{separator}{name}: {new},{after}")
}

/// The fields of the struct that begins at the first parenthesis outside comments, and the position of the parenthesis
/// that closes it.
fn fields_of(text: &str) -> (Vec<Field>, usize) {
    let mut fields = Vec::new();
    let mut depth = 0;
    // Where the current field began, and where its last character that is neither space nor comment ended.
    let (mut begin, mut last) = (None::<usize>, 0);
    let mut skipped_until = 0;
    for (at, character) in text.char_indices() {
        if at < skipped_until {
            continue;
        }
        let rest = &text[at..];
        let comment = comment_length(rest);
        if comment > 0 {
            skipped_until = at + comment;
            continue;
        }
        let closes = matches!(character, ')' | ']' | '}');
        if depth == 1 && (closes || character == ',') {
            fields.extend(begin.take().and_then(|begin| field(text, begin..last)));
            if closes {
                return (fields, at);
            }
            continue;
        }
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        let length = if character == '"' { string_length(rest) } else { character.len_utf8() };
        let is_first = depth == 1 && character == '(' && begin.is_none() && fields.is_empty() && last == 0;
        if is_first {
            last = at + 1;
        } else if depth > 0 && !character.is_whitespace() {
            begin.get_or_insert(at);
            last = at + length;
        }
        skipped_until = at + length;
    }
    (fields, text.len())
}

/// A field whose text, as in `name: value`, is in this range; the name may be followed by comments.
fn field(text: &str, range: Range<usize>) -> Option<Field> {
    let content = &text[range.clone()];
    let name: String = content.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut at = name.len();
    let mut is_after_colon = false;
    while let Some(character) = content[at..].chars().next() {
        let comment = comment_length(&content[at..]);
        if comment > 0 {
            at += comment;
        } else if character == ':' && !is_after_colon {
            is_after_colon = true;
            at += 1;
        } else if character.is_whitespace() {
            at += character.len_utf8();
        } else {
            break;
        }
    }
    is_after_colon.then(|| Field { name, value: range.start + at..range.end })
}

/// Length of the comment at the beginning of the text, bytes; 0 if there is none.
fn comment_length(text: &str) -> usize {
    if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if text.starts_with("/*") {
        text.find("*/").map_or(text.len(), |end| end + 2)
    } else {
        0
    }
}

/// Length of the quoted string at the beginning of the text, bytes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::{Material, Solver};

    #[test]
    fn fields_are_replaced_or_added_and_comments_stay() {
        let text = "// A ( scene, with: a comment.\n(\n    title: \"a, (b) \\\" c\", // say: it\n    pbf: (\n        \
                    // How many, at most.\n        substeps: 2 /* (two) */,\n    ),\n    last: [(1, 2), (3, 4)]\n)\n";
        let changed = with_field(text, &["pbf", "substeps"], "7");
        assert_eq!(changed, text.replace("substeps: 2", "substeps: 7"));
        let changed = with_field(text, &["title"], "\"x\"");
        assert_eq!(changed, text.replace("\"a, (b) \\\" c\"", "\"x\""));
        let added = with_field(&with_field(text, &["pbf", "tensile"], "0.5"), &["solver"], "Pbf");
        for part in ["substeps: 2,\n        tensile: 0.5, /* (two) */", "(3, 4)],\n    solver: Pbf,\n)", "// say: it"] {
            assert!(added.contains(part), "{part:?} is not in\n{added}");
        }
        assert_eq!(with_field("()", &["a", "b"], "1"), "(a: (b: 1))");
        assert_eq!(with_field("(a: 1)", &["b"], "2"), "(a: 1, b: 2,)");
    }

    #[test]
    fn every_scene_with_every_edit_is_read_as_it_is_written() {
        for name in Scene::names() {
            let scene = Scene::load(name).expect("an embedded scene");
            let text = Scene::text(name).expect("its text");
            let place = Path::new("elsewhere.ron");
            let same = scene.edited_text(&text, &SceneEdits::default(), None, place);
            assert_eq!(same.expect("no edits"), text, "{name}");
            for solver in Solver::all() {
                let material =
                    Material { viscosity: 0.123_456_79, kinematic_viscosity: 1e-6, ..scene.material.clone() };
                let mut edits = SceneEdits { solver: Some(solver), material: Some(material), ..SceneEdits::default() };
                for setting in every_setting().filter(|setting| [solver.name, "foam"].contains(&setting.solver)) {
                    edits.solver_settings.set(setting, setting.default);
                }
                match scene.edited_text(&text, &edits, Some(12_345), place) {
                    Ok(edited) => {
                        let read = Scene::parse(name, &edited).expect("a scene");
                        assert_eq!(read.solver, solver, "{name}");
                        assert_eq!(read.particles, Some(12_345));
                        assert_eq!(read.material.viscosity.to_bits(), 0.123_456_79_f32.to_bits());
                    }
                    // Some scenes cannot run with every solver, and are refused like a file that says so.
                    Err(error) => assert!(!matches!(error, SceneError::Changed { .. }), "{name}: {error}"),
                }
            }
        }
    }

    #[test]
    fn the_text_of_another_scene_is_refused() {
        let scene = Scene::load("drop").expect("a scene");
        let other = Scene::text("dam_break").expect("its text");
        let refused = scene.edited_text(&other, &SceneEdits::default(), None, Path::new("a.ron")).expect_err("refused");
        assert!(matches!(refused, SceneError::Changed { .. }) && refused.to_string().contains("drop"), "{refused}");
    }
}
