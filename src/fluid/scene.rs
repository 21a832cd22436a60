use std::path::Path;

use glam::Vec3;
use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::SceneError;
use crate::gpu::nearest_names;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/scenes");

/// What is in the tank at the start: a RON file in `assets/scenes`, or anybody's own. Metres, seconds, kilograms; y is
/// up.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// Name on screen.
    pub title: String,
    /// One sentence for the panel and `--help`.
    pub description: String,
    /// Lowest corner of the box, m.
    pub low: Vec3,
    /// Highest corner of the box, m.
    pub high: Vec3,
    /// What is filled with fluid.
    pub blocks: Vec<Block>,
    /// m/s².
    pub gravity: Vec3,
    /// What the fluid is like.
    pub material: Material,
    /// From where it is seen first.
    pub camera: SceneCamera,
}

/// An upright block of fluid.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
    /// At the start, m/s.
    #[serde(default)]
    pub velocity: Vec3,
}

/// What a fluid is like.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// kg/m³.
    pub rest_density: f32,
    /// Speed of sound over the speed the water is expected to reach. Larger is stiffer and slower.
    pub sound_speed_factor: f32,
    /// α of Monaghan's artificial viscosity; dimensionless.
    pub viscosity: f32,
    /// Support radius over particle spacing.
    pub radius_ratio: f32,
}

/// From where a scene is seen first.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneCamera {
    /// Where the camera is, m.
    pub eye: Vec3,
    /// What it looks at, m.
    pub target: Vec3,
    /// Opening angle from the lowest to the highest line of the picture.
    pub vertical_fov_degrees: f32,
}

impl Scene {
    /// The scenes in the program, by name, sorted.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = EMBEDDED
            .files()
            .filter(|file| is_scene(file.path()))
            .filter_map(|file| file.path().file_stem()?.to_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// A scene of the program by its name, or any file whose path ends in `.ron`.
    ///
    /// # Errors
    /// When there is no such scene, the file cannot be read or is not RON, or a value in it makes no sense.
    pub fn load(name_or_path: &str) -> Result<Self, SceneError> {
        let path = Path::new(name_or_path);
        if is_scene(path) {
            let text = std::fs::read_to_string(path)
                .map_err(|error| SceneError::Unreadable { file: name_or_path.to_owned(), reason: error.to_string() })?;
            return Self::parse(name_or_path, &text);
        }
        let file = format!("{name_or_path}.ron");
        let text =
            EMBEDDED.get_file(&file).and_then(|file| file.contents_utf8()).ok_or_else(|| SceneError::Unknown {
                name: name_or_path.to_owned(),
                nearest: nearest_names(name_or_path, Self::names()).join(", "),
            })?;
        Self::parse(&file, text)
    }

    /// Reads a scene out of RON; `file` names it in messages, and its stem becomes the scene's name.
    ///
    /// # Errors
    /// When the text is not RON or a value in it makes no sense.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        let mut scene: Self = ron::from_str(text).map_err(|error| {
            let at = error.span.end;
            let reason = error.code.to_string();
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
        scene.check(file)?;
        Ok(scene)
    }

    /// Refuses values that no simulation could run with; `file` names the scene in messages.
    pub(super) fn check(&self, file: &str) -> Result<(), SceneError> {
        let refuse = |field: String, reason: &str| {
            Err(SceneError::Value { file: file.to_owned(), field, reason: reason.to_owned() })
        };
        if !upright(self.low, self.high) {
            return refuse("high".into(), "the box must be finite, and higher than its low corner along each axis");
        }
        if self.blocks.is_empty() {
            return refuse("blocks".into(), "there is no fluid; add at least one block");
        }
        for (index, block) in self.blocks.iter().enumerate() {
            let field = format!("blocks[{index}]");
            if !upright(block.low, block.high) {
                return refuse(field, "the block must be finite, and higher than its low corner along each axis");
            }
            if !block.velocity.is_finite() {
                return refuse(format!("{field}.velocity"), "must be finite, in m/s");
            }
            if block.low.cmplt(self.low).any() || block.high.cmpgt(self.high).any() {
                return Err(SceneError::OutsideBox {
                    file: file.to_owned(),
                    block: index,
                    low: block.low,
                    high: block.high,
                    box_low: self.low,
                    box_high: self.high,
                });
            }
            let overlaps = |other: &Block| (block.low.cmplt(other.high) & other.low.cmplt(block.high)).all();
            if self.blocks[..index].iter().any(overlaps) {
                return refuse(field, "the block overlaps one before it; move them apart or join them");
            }
        }
        if !self.gravity.is_finite() {
            return refuse("gravity".into(), "must be finite, in m/s²");
        }
        let material = &self.material;
        let ranges = [
            ("material.rest_density", material.rest_density, 1e-3, 1e6, "kg/m³"),
            ("material.sound_speed_factor", material.sound_speed_factor, 5.0, 100.0, "times the water's speed"),
            ("material.viscosity", material.viscosity, 0.0, 10.0, "without unit"),
            ("material.radius_ratio", material.radius_ratio, 1.5, 4.0, "spacings"),
            ("camera.vertical_fov_degrees", self.camera.vertical_fov_degrees, 1.0, 170.0, "degrees"),
        ];
        for (field, value, least, most, unit) in ranges {
            if !(least..=most).contains(&value) {
                return refuse(field.into(), &format!("is {value}, and must be from {least} to {most} {unit}"));
            }
        }
        let camera = &self.camera;
        if !(camera.eye.is_finite() && camera.target.is_finite() && camera.eye != camera.target) {
            return refuse("camera.eye".into(), "eye and target must be finite and two different points");
        }
        Ok(())
    }
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"))
}

fn upright(low: Vec3, high: Vec3) -> bool {
    low.is_finite() && high.is_finite() && low.cmplt(high).all()
}

/// The last name with a colon behind it up to a place in RON text: the field that was being read there.
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

#[cfg(test)]
mod tests {
    use super::Scene;
    use crate::fluid::SceneError;

    const GOOD: &str = "\
// A comment: with a colon.
(
    title: \"Test\",
    description: \"A block.\",
    low: (-5.0, 0.0, -1.5),
    high: (5.0, 6.0, 1.5),
    blocks: [
        (low: (-5.0, 0.0, -1.5), high: (-1.0, 4.0, 1.5)),
    ],
    gravity: (0.0, -9.81, 0.0), // Down: a long way.
    material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.08,
        radius_ratio: 2.2),
    camera: (
        eye: (5.5, 5.5, 11.0),
        target: (0.0, 1.4, 0.0),
        vertical_fov_degrees: 40.0,
    ),
)
";

    fn error(edit: (&str, &str)) -> SceneError {
        let text = GOOD.replacen(edit.0, edit.1, 1);
        assert_ne!(text, GOOD, "the edit {edit:?} changes nothing");
        Scene::parse("mine.ron", &text).expect_err("the edit spoils the scene")
    }

    fn line_of(text: &str) -> usize {
        1 + GOOD.lines().position(|line| line.contains(text)).expect("the scene has that line")
    }

    /// The error names file, line and field, in its fields and in its sentence.
    fn assert_syntax(edit: (&str, &str), expected_line: usize, expected_field: &str) {
        let error = error(edit);
        let SceneError::Syntax { file, line, field, .. } = &error else { panic!("{edit:?}: {error}") };
        assert_eq!((file.as_str(), *line, field.as_str()), ("mine.ron", expected_line, expected_field), "{error}");
        let sentence = error.to_string();
        assert!(sentence.starts_with(&format!("mine.ron, line {expected_line}, column ")), "{sentence}");
        assert!(sentence.contains(&format!("field {expected_field}")), "{sentence}");
    }

    #[test]
    fn errors_in_ron_name_file_line_and_field() {
        assert_syntax(("rest_density: 1000.0", "rest_density: water"), line_of("rest_density: 1"), "rest_density");
        assert_syntax(("gravity: (0.0, -9.81, 0.0)", "gravity: (0.0, -9.81)"), line_of("gravity: (0.0, -9"), "gravity");
        assert_syntax(("viscosity: 0.08", "viscosity: \"thick\""), line_of("viscosity: 0"), "viscosity");
    }

    #[test]
    fn misspelt_and_missing_fields_are_named() {
        assert_syntax(("viscosity: 0", "viscocity: 0"), line_of("viscosity: 0"), "viscocity");
        assert_syntax(("gravity: (0.0, -9.81, 0.0),", ""), GOOD.lines().count(), "gravity");
    }

    #[test]
    fn values_that_make_no_sense_are_refused_by_name() {
        let refused = [
            (("high: (5.0, 6.0, 1.5)", "high: (-5.0, 6.0, 1.5)"), "field high"),
            (("rest_density: 1000.0", "rest_density: 0.0"), "material.rest_density"),
            (("radius_ratio: 2.2", "radius_ratio: 20.0"), "material.radius_ratio"),
            (("vertical_fov_degrees: 40.0", "vertical_fov_degrees: 0.0"), "camera.vertical_fov_degrees"),
            (("eye: (5.5, 5.5, 11.0)", "eye: (inf, 5.5, 11.0)"), "camera.eye"),
            (("blocks: [", "blocks: [(low: (-2.0, 0.0, 0.0), high: (0.0, 1.0, 1.0)),"), "blocks[1]"),
        ];
        for (edit, name) in refused {
            let sentence = error(edit).to_string();
            assert!(sentence.contains(name) && sentence.starts_with("mine.ron"), "{sentence}");
        }
    }

    #[test]
    fn fluid_outside_the_box_is_refused_with_both() {
        let error = error(("high: (-1.0, 4.0, 1.5)", "high: (-1.0, 7.0, 1.5)"));
        assert!(matches!(error, SceneError::OutsideBox { block: 0, .. }), "{error}");
        assert!(error.to_string().contains("blocks[0]") && error.to_string().contains("[5, 6, 1.5]"), "{error}");
    }

    #[test]
    fn a_scene_without_fluid_is_refused() {
        let from = GOOD.find("        (low:").expect("the scene has a block");
        let to = from + GOOD[from..].find('\n').expect("more lines follow");
        let error = Scene::parse("mine.ron", &format!("{}{}", &GOOD[..from], &GOOD[to..])).expect_err("no fluid");
        assert!(error.to_string().contains("field blocks: there is no fluid"), "{error}");
    }

    #[test]
    fn an_unknown_name_brings_the_nearest_and_a_lost_file_its_path() {
        let unknown = Scene::load("dambreak").expect_err("no such scene").to_string();
        assert!(unknown.contains("the nearest names are dam_break"), "{unknown}");
        let lost = Scene::load("/nowhere/mine.ron").expect_err("no such file").to_string();
        assert!(lost.contains("/nowhere/mine.ron"), "{lost}");
    }
}
