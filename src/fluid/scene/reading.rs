//! Finds and reads scenes: embedded ones by name, and any RON file by its path.

use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer};

use super::extra_fields::WithFields;
use super::solid_fields::{SolidFields, list_names};
use super::solver_fields::{Groups, group_names};
use super::{Scene, SceneCamera};
use crate::files::read_text;
use crate::fluid::SceneError;
use crate::fluid::solids::LEFT_OUT;
use crate::gpu::nearest_names;

/// Largest size of a scene file, bytes: a thousand times that of the largest scene of the program.
const LARGEST_FILE: u64 = 8 << 20;

pub(super) static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/scenes");

impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut extra = (Groups::default(), SolidFields::default());
        let mut scene = Self::deserialize(WithFields { inner: deserializer, extra: &mut extra })?;
        (scene.solver_settings, scene.solids) = (extra.0.settings, extra.1.solids);
        Ok(scene)
    }
}

impl Scene {
    /// The sorted names of the scenes that are embedded in the program.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = EMBEDDED
            .files()
            .filter(|file| is_scene(file.path()))
            .filter_map(|file| file.path().file_stem()?.to_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// Loads a scene of the program by its name, or any file whose path ends in `.ron`.
    ///
    /// # Errors
    /// When there is no such scene, the file cannot be read or is not RON, or a value in it is invalid.
    pub fn load(name_or_path: &str) -> Result<Self, SceneError> {
        let path = Path::new(name_or_path);
        if is_scene(path) {
            let text = Self::file_text(name_or_path)?;
            return Self::parse_in(path.parent(), name_or_path, &text);
        }
        let file = format!("{name_or_path}.ron");
        let text =
            EMBEDDED.get_file(&file).and_then(|file| file.contents_utf8()).ok_or_else(|| SceneError::Unknown {
                name: name_or_path.to_owned(),
                nearest: nearest_names(name_or_path, Self::names()).join(", "),
            })?;
        Self::parse(&file, text)
    }

    /// The text of a scene file.
    pub(super) fn file_text(path: &str) -> Result<String, SceneError> {
        read_text(Path::new(path), LARGEST_FILE)
            .map_err(|reason| SceneError::Unreadable { file: path.to_owned(), reason })
    }

    /// Reads a scene from RON text; `file` names it in messages, and its stem becomes the scene's name. The scene may
    /// only use meshes of the program.
    ///
    /// # Errors
    /// When the text is not RON or a value in it is invalid.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        Self::parse_in(None, file, text)
    }

    /// As [`Scene::parse`], but the scene may also use meshes in `folder`.
    pub(super) fn parse_in(folder: Option<&Path>, file: &str, text: &str) -> Result<Self, SceneError> {
        let mut scene: Self = ron::from_str(text).map_err(|error| {
            let at = error.span.end;
            let reason = match &error.code {
                ron::Error::NoSuchStructField { expected, found, .. } => {
                    let of_scene = expected.contains(&"material");
                    let left_out = LEFT_OUT.iter().find(|(field, _)| of_scene && field == found);
                    let extra = list_names().chain(group_names()).filter(|_| of_scene);
                    let nearest = nearest_names(found, expected.iter().copied().chain(extra)).join(", ");
                    left_out.map_or_else(
                        || format!("there is no such field; the nearest names are {nearest}"),
                        |(_, feature)| format!("this build lacks it; build it with the cargo feature `{feature}`"),
                    )
                }
                // The entries of lists and the structures in them have no name in the file.
                ron::Error::ExpectedDifferentStructName { expected, found } => format!(
                    "`{found}` stands where the fields of a {} are expected; write them in parentheses without a name",
                    expected.to_lowercase()
                ),
                code => code.to_string(),
            };
            let field = match error.code {
                ron::Error::NoSuchStructField { found, .. } => found,
                ron::Error::MissingStructField { field, .. } | ron::Error::DuplicateStructField { field, .. } => {
                    field.to_owned()
                }
                _ => field_at(text, at.line, at.col).unwrap_or_else(|| "(none yet)".to_owned()),
            };
            SceneError::Syntax { file: file.to_owned(), line: at.line, column: at.col, field, reason }
        })?;
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
        stem.unwrap_or(file).clone_into(&mut scene.name);
        if scene.camera == SceneCamera::omitted() {
            scene.camera = SceneCamera::overview(scene.low, scene.high, scene.dimensions);
        }
        let beside = folder.or_else(|| Path::new(file).parent()).unwrap_or(Path::new(""));
        for (index, fluid) in scene.points.iter_mut().enumerate() {
            fluid.read(beside).map_err(|error| SceneError::Value {
                file: file.to_owned(),
                field: format!("points[{index}]"),
                reason: error.to_string(),
            })?;
        }
        let kinds: Vec<_> = scene.solids.kinds().collect();
        kinds.into_iter().try_for_each(|info| (info.load)(&mut scene, file, folder))?;
        scene.check(file)?;
        scene.check_points(file)?;
        Ok(scene)
    }
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"))
}

/// The last name followed by a colon before a position in RON text, which is the field that was being read there.
fn field_at(text: &str, line: usize, column: usize) -> Option<String> {
    let mut field = None;
    for (number, content) in (1..=line).zip(text.lines()) {
        let code = content.split("//").next().unwrap_or_default();
        let end = if number == line { column.saturating_sub(1) } else { usize::MAX };
        let read: String = code.chars().take(end).collect();
        for before_colon in read.split(':').rev().skip(1).collect::<Vec<_>>().into_iter().rev() {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let before_colon = before_colon.trim_end();
            let name = before_colon.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
            if !name.is_empty() {
                field = Some(name.to_owned());
            }
        }
    }
    field
}
