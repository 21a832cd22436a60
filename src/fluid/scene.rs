use std::path::Path;

use glam::Vec3;
use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer};

use super::bodies::{Body, MOST_BODIES};
use super::cloths::MOST_CLOTHS;
use super::flow::MOST;
use super::probe::first_fault;
use super::{
    Boundary, Cloth, Density, Dimensions, Drain, Emitter, Material, Pbf, PointFluid, Probe, ProbeColumn, Repulsion,
    SceneError, Solver,
};
use crate::gpu::{AdapterClass, nearest_names};

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
    /// Particles that it starts with where nobody asks for another count, in place of the adapter's usual number.
    #[serde(default, deserialize_with = "some")]
    pub particles: Option<u32>,
    /// What is filled with fluid.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// Fluid whose particles are read from files, besides the blocks or instead of them.
    #[serde(default)]
    pub points: Vec<PointFluid>,
    /// Solids that it flows around. Fluid that they take the room of is left out.
    #[serde(default)]
    pub boundaries: Vec<Boundary>,
    /// Solids that water moves, and walls that move as they are told. Fluid that they take the room of at the start is
    /// left out.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// Cloths that water moves and that hold it up; also without any water.
    #[serde(default)]
    pub cloths: Vec<Cloth>,
    /// Where water is poured in from the reservoir.
    #[serde(default)]
    pub emitters: Vec<Emitter>,
    /// Where it goes back to it.
    #[serde(default)]
    pub drains: Vec<Drain>,
    /// Water that emitters may pour besides what is in the box at the start, m³; in two dimensions m².
    #[serde(default)]
    pub reservoir: f32,
    /// m/s²; zero is none.
    pub gravity: Vec3,
    /// A pull towards a point, added to `gravity`; none where it is left out.
    #[serde(default)]
    pub central_gravity: CentralGravity,
    /// 3 for space. 2 for a layer of particles in the plane half-way through the box's z: the blocks' z then says
    /// nothing.
    #[serde(default)]
    pub dimensions: Dimensions,
    /// What the fluid is like.
    pub material: Material,
    /// Which equations move it.
    #[serde(default)]
    pub solver: Solver,
    /// The settings of PBF, used where `solver` is that.
    #[serde(default)]
    pub pbf: Pbf,
    /// What particles that repel each other are told, used where `solver` is that.
    #[serde(default)]
    pub repulsion: Repulsion,
    /// What is read off the water while it moves.
    #[serde(default)]
    pub probes: Vec<Probe>,
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

/// A pull towards a point that grows with the distance from it, as of a spring: water gathers there in a ball.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CentralGravity {
    /// Where it pulls to, m.
    pub center: Vec3,
    /// Acceleration over distance, 1/s²: the square of the circular frequency that a particle alone swings with.
    pub strength: f32,
}

/// From where a scene is seen first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
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
    /// Particles to start with on such an adapter where nobody asks for a count: the scene's own number, but on software
    /// no more than usual there.
    pub fn usual_count(&self, class: AdapterClass) -> u32 {
        let usual = class.default_particle_count();
        let most = if class == AdapterClass::Software { usual } else { u32::MAX };
        self.particles.map_or(usual, |particles| particles.min(most))
    }

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

    /// Reads a scene out of RON; `file` names it in messages, and its stem becomes the scene's name. Its meshes are
    /// the program's own.
    ///
    /// # Errors
    /// When the text is not RON or a value in it makes no sense.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        Self::parse_in(None, file, text)
    }

    /// As [`Scene::parse`], with meshes from `folder` too.
    fn parse_in(folder: Option<&Path>, file: &str, text: &str) -> Result<Self, SceneError> {
        let mut scene: Self = ron::from_str(text).map_err(|error| {
            let at = error.span.end;
            let reason = match &error.code {
                ron::Error::NoSuchStructField { expected, found, .. } => {
                    let nearest = nearest_names(found, expected.iter().copied()).join(", ");
                    format!("there is no such field; the nearest names are {nearest}")
                }
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
        let beside = folder.or_else(|| Path::new(file).parent()).unwrap_or(Path::new(""));
        for (index, fluid) in scene.points.iter_mut().enumerate() {
            fluid.read(beside).map_err(|error| SceneError::Value {
                file: file.to_owned(),
                field: format!("points[{index}]"),
                reason: error.to_string(),
            })?;
        }
        for (index, body) in scene.bodies.iter_mut().enumerate() {
            body.load(folder).map_err(|error| SceneError::Value {
                file: file.to_owned(),
                field: format!("bodies[{index}].shape"),
                reason: error.to_string(),
            })?;
        }
        scene.check(file)?;
        scene.check_points(file)?;
        for (boundary, solid) in scene.boundaries.iter_mut().enumerate() {
            solid.load(folder).map_err(|error| SceneError::Mesh { file: file.to_owned(), boundary, error })?;
        }
        Ok(scene)
    }

    /// Refuses particles from files that no simulation could start with; as [`Scene::check`], which leaves them out
    /// since they are many.
    pub(super) fn check_points(&self, file: &str) -> Result<(), SceneError> {
        let spacing = self.points_spacing().unwrap_or_default();
        let other = |fluid: &PointFluid| fluid.spacing.to_bits() != spacing.to_bits();
        let fault = |fluid: &PointFluid| {
            fluid.fault(self).or_else(|| {
                let reason =
                    || format!("the spacing is {}, and {spacing} in points[0]; give all the same", fluid.spacing);
                other(fluid).then(reason)
            })
        };
        let found = self.points.iter().enumerate().find_map(|(index, fluid)| Some((index, fault(fluid)?)));
        found.map_or(Ok(()), |(index, reason)| {
            Err(SceneError::Value { file: file.to_owned(), field: format!("points[{index}]"), reason })
        })
    }

    /// Refuses values that no simulation could run with; `file` names the scene in messages.
    pub(super) fn check(&self, file: &str) -> Result<(), SceneError> {
        let refuse = |field: String, reason: &str| {
            Err(SceneError::Value { file: file.to_owned(), field, reason: reason.to_owned() })
        };
        if !upright(self.low, self.high) {
            return refuse("high".into(), "the box must be finite, and higher than its low corner along each axis");
        }
        if self.particles == Some(0) {
            return refuse("particles".into(), "must be at least 1");
        }
        if self.blocks.is_empty() && self.points.is_empty() && self.emitters.is_empty() && self.cloths.is_empty() {
            let reason = "there is no fluid; add a block, points from a file, or an emitter, or a cloth";
            return refuse("blocks".into(), reason);
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
            let overlaps = |other: &Block| {
                let along = block.low.cmplt(other.high) & other.low.cmplt(block.high);
                along.x && along.y && (along.z || self.dimensions == Dimensions::Two)
            };
            if self.blocks[..index].iter().any(overlaps) {
                return refuse(field, "the block overlaps one before it; move them apart or join them");
            }
        }
        for (index, boundary) in self.boundaries.iter().enumerate() {
            if let Some((field, reason)) = boundary.fault() {
                return refuse(format!("boundaries[{index}].{field}"), reason);
            }
        }
        if self.bodies.len() > MOST_BODIES {
            let most =
                format!("has {} entries, and at most {MOST_BODIES} are moved; leave some out", self.bodies.len());
            return refuse("bodies".into(), &most);
        }
        for (index, body) in self.bodies.iter().enumerate() {
            if let Some((field, reason)) = body.fault(self) {
                return refuse(format!("bodies[{index}].{field}"), reason);
            }
        }
        if self.cloths.len() > MOST_CLOTHS {
            return refuse("cloths".into(), &format!("has more than {MOST_CLOTHS} entries; leave some out"));
        }
        for (index, cloth) in self.cloths.iter().enumerate() {
            if let Some((field, reason)) = cloth.fault(self) {
                return refuse(format!("cloths[{index}].{field}"), &reason);
            }
        }
        self.check_flow(&refuse)?;
        if !self.gravity.is_finite() {
            return refuse("gravity".into(), "must be finite, in m/s²");
        }
        if !self.central_gravity.center.is_finite() {
            return refuse("central_gravity.center".into(), "must be finite, in m");
        }
        if self.dimensions == Dimensions::Two {
            let leaves_plane = |velocity: Vec3| velocity.z != 0.0;
            if leaves_plane(self.gravity) {
                return refuse("gravity".into(), "must have no z in a scene of 2 dimensions");
            }
            if !self.boundaries.is_empty() {
                return refuse("boundaries".into(), "need a scene of 3 dimensions; leave them out of one of 2");
            }
            if !self.bodies.is_empty() {
                return refuse("bodies".into(), "need a scene of 3 dimensions; leave them out of one of 2");
            }
            if !self.cloths.is_empty() {
                return refuse("cloths".into(), "need a scene of 3 dimensions; leave them out of one of 2");
            }
            if let Some(index) = self.blocks.iter().position(|block| leaves_plane(block.velocity)) {
                let field = format!("blocks[{index}].velocity");
                return refuse(field, "must have no z in a scene of 2 dimensions");
            }
        }
        self.check_ranges(&refuse)?;
        if let Some((index, fault)) = first_fault(self) {
            return refuse(format!("probes[{index}]"), fault);
        }
        let camera = &self.camera;
        if !(camera.eye.is_finite() && camera.target.is_finite() && camera.eye != camera.target) {
            return refuse("camera.eye".into(), "eye and target must be finite and two different points");
        }
        Ok(())
    }

    /// Refuses emitters and drains that could not work.
    fn check_flow(&self, refuse: &dyn Fn(String, &str) -> Result<(), SceneError>) -> Result<(), SceneError> {
        let most = format!("has more than {MOST} entries; leave some out");
        if self.emitters.len() > MOST {
            return refuse("emitters".into(), &most);
        }
        if self.drains.len() > MOST {
            return refuse("drains".into(), &most);
        }
        if !(0.0..=1e9).contains(&self.reservoir) {
            return refuse("reservoir".into(), "must be from 0 to 1e9 m³");
        }
        if !self.emitters.is_empty() && self.reservoir == 0.0 {
            return refuse("reservoir".into(), "is empty; give emitters some m³ to pour");
        }
        for (index, emitter) in self.emitters.iter().enumerate() {
            let refuse = |field: &str, reason: &str| refuse(format!("emitters[{index}].{field}"), reason);
            let is_in_box = emitter.center.cmpge(self.low).all() && emitter.center.cmple(self.high).all();
            if !is_in_box {
                return refuse("center", "must lie in the box");
            }
            if !(emitter.radius.is_finite() && emitter.radius > 0.0) {
                return refuse("radius", "must be positive and finite, in m");
            }
            if !(emitter.velocity.is_finite() && emitter.velocity.try_normalize().is_some()) {
                return refuse("velocity", "must be finite and not zero, in m/s");
            }
            if self.dimensions == Dimensions::Two && emitter.velocity.z != 0.0 {
                return refuse("velocity", "must have no z in a scene of 2 dimensions");
            }
        }
        let fault = self.drains.iter().position(|drain| !upright(drain.low, drain.high));
        fault.map_or(Ok(()), |index| {
            let reason = "the drain must be finite, and higher than its low corner along each axis";
            refuse(format!("drains[{index}].high"), reason)
        })
    }

    /// Refuses every number that lies outside what it can mean.
    fn check_ranges(&self, refuse: &dyn Fn(String, &str) -> Result<(), SceneError>) -> Result<(), SceneError> {
        let (material, pbf, repulsion) = (&self.material, &self.pbf, &self.repulsion);
        let most_iterations = Pbf::MOST_ITERATIONS as f32;
        let diffusion = match material.density {
            Density::Summation => 0.0,
            Density::Continuity { diffusion } => diffusion,
        };
        let ranges = [
            ("material.rest_density", material.rest_density, 1e-3, 1e6, "kg/m³"),
            ("material.sound_speed_factor", material.sound_speed_factor, 5.0, 100.0, "times the water's speed"),
            ("material.viscosity", material.viscosity, 0.0, 10.0, "without unit"),
            ("material.kinematic_viscosity", material.kinematic_viscosity, 0.0, 1e4, "m²/s"),
            ("material.xsph", material.xsph, 0.0, 1.0, "without unit"),
            ("material.surface_tension", material.surface_tension, 0.0, 1e6, "N/m"),
            ("material.radius_ratio", material.radius_ratio, 1.5, 4.0, "spacings"),
            ("material.density.diffusion", diffusion, 0.0, 1.0, "without unit"),
            ("central_gravity.strength", self.central_gravity.strength, 0.0, 1e6, "1/s²"),
            ("pbf.frame", pbf.frame, 1e-5, 0.1, "s"),
            ("pbf.substeps", pbf.substeps as f32, 0.0, 64.0, "steps a frame"),
            ("pbf.iterations", pbf.iterations as f32, 1.0, most_iterations, "corrections a step"),
            ("pbf.relaxation", pbf.relaxation, 0.0, 1e3, "without unit"),
            ("pbf.tensile", pbf.tensile, 0.0, 1.0, "without unit"),
            ("pbf.tensile_distance", pbf.tensile_distance, 0.0, 0.9, "support radii"),
            ("pbf.tensile_power", pbf.tensile_power, 1.0, 8.0, "without unit"),
            ("pbf.vorticity", pbf.vorticity, 0.0, 100.0, "m/s"),
            ("repulsion.mass", repulsion.mass, 1e-9, 1e6, "kg"),
            ("repulsion.stiffness", repulsion.stiffness, 0.0, 1e9, "N/m"),
            ("repulsion.damping", repulsion.damping, 0.0, 1e6, "kg/s"),
            ("repulsion.radius_ratio", repulsion.radius_ratio, 0.5, 4.0, "spacings"),
            ("repulsion.time_step", repulsion.time_step, 1e-6, 0.1, "s"),
            ("camera.vertical_fov_degrees", self.camera.vertical_fov_degrees, 1.0, 170.0, "degrees"),
        ];
        for (field, value, least, most, unit) in ranges {
            if !(least..=most).contains(&value) {
                return refuse(field.into(), &format!("is {value}, and must be from {least} to {most} {unit}"));
            }
        }
        if self.solver == Solver::Wcsph && material.density != Density::Summation && material.xsph > 0.0 {
            let reason =
                "must be 0 with a density by continuity, which XSPH's drift would take it from; or choose Summation";
            return refuse("material.xsph".into(), reason);
        }
        let fault = repulsion.fault().filter(|_| self.solver == Solver::Repulsion);
        fault.map_or(Ok(()), |(field, reason)| refuse(format!("repulsion.{field}"), &reason))
    }

    /// Whether it has particles besides those of cloths.
    pub(super) fn has_fluid(&self) -> bool {
        !(self.blocks.is_empty() && self.points.is_empty() && self.emitters.is_empty())
    }

    /// Support radius over particle spacing: the material's, or that of particles that repel each other.
    pub fn radius_ratio(&self) -> f32 {
        if self.solver.is_fluid() { self.material.radius_ratio } else { self.repulsion.radius_ratio }
    }

    /// The spacing of particles that are read from files, m, which is then that of all; `None` without any.
    pub fn points_spacing(&self) -> Option<f32> {
        self.points.first().map(|fluid| fluid.spacing)
    }

    /// The columns that the probes fill.
    pub fn probe_columns(&self) -> Vec<ProbeColumn> {
        self.probes.iter().flat_map(|probe| probe.columns(self.dimensions)).collect()
    }

    /// The box that particles live in: the scene's, or in two dimensions a slab around its middle plane that is too
    /// thick for its faces to be felt.
    pub(super) fn bounds(&self, support_radius: f32) -> (Vec3, Vec3) {
        match self.dimensions {
            Dimensions::Three => (self.low, self.high),
            Dimensions::Two => {
                let (plane, reach) = (self.plane(), 2.0 * support_radius);
                (self.low.with_z(plane - reach), self.high.with_z(plane + reach))
            }
        }
    }

    /// z of the plane that a scene of two dimensions lies in, m.
    pub(super) fn plane(&self) -> f32 {
        0.5 * (self.low.z + self.high.z)
    }
}

/// A value that may be left out, written without `Some`.
pub(super) fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
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
    use super::{CentralGravity, Scene};
    use crate::fluid::{Dimensions, Material, Pbf, SceneError, Solver};

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
    fn a_misspelt_field_brings_the_nearest() {
        let sentence = error(("viscosity: 0", "xshp: 0.1, viscosity: 0")).to_string();
        assert!(sentence.contains("field xshp") && sentence.contains("nearest names are xsph"), "{sentence}");
        let sentence = error(("camera: (", "pbf: (iteration: 3),\n    camera: (")).to_string();
        assert!(sentence.contains("field iteration") && sentence.contains("iterations"), "{sentence}");
    }

    #[test]
    fn what_is_left_out_of_a_scene_is_plain_water_in_space() {
        let scene = Scene::parse("mine.ron", GOOD).expect("a good scene");
        assert_eq!((scene.solver, scene.dimensions), (Solver::Wcsph, Dimensions::Three));
        assert_eq!((scene.pbf, scene.central_gravity), (Pbf::default(), CentralGravity::default()));
        let plain = Material { kinematic_viscosity: 0.0, xsph: 0.0, surface_tension: 0.0, ..scene.material.clone() };
        assert_eq!(scene.material, plain);
    }

    #[test]
    fn every_setting_is_read_and_refused_where_it_makes_no_sense() {
        let more = "
    dimensions: 2,
    solver: Pbf,
    central_gravity: (center: (0.0, 1.0, 0.0), strength: 4.0),
    pbf: (frame: 0.02, substeps: 4, iterations: 6, relaxation: 0.1, tensile: 0.0, vorticity: 0.1),
    camera: (";
        let text = GOOD.replacen("\n    camera: (", more, 1).replacen("radius_ratio", "xsph: 0.1, radius_ratio", 1);
        let scene = Scene::parse("mine.ron", &text).expect("a good scene");
        assert_eq!((scene.solver, scene.dimensions), (Solver::Pbf, Dimensions::Two));
        let expected = Pbf {
            frame: 0.02,
            substeps: 4,
            iterations: 6,
            relaxation: 0.1,
            tensile: 0.0,
            vorticity: 0.1,
            // What a group leaves out is its default.
            ..Pbf::default()
        };
        assert_eq!(scene.pbf, expected);
        assert_eq!(scene.material, Material { xsph: 0.1, ..scene.material.clone() });
        let refused = [
            ("dimensions: 2", "dimensions: 4", "must be 2 or 3"),
            ("iterations: 6", "iterations: 0", "pbf.iterations"),
            ("iterations: 6", "iterations: 17", "from 1 to 16"),
            ("frame: 0.02", "frame: NaN", "pbf.frame"),
            ("xsph: 0.1", "xsph: -0.1", "material.xsph"),
            ("strength: 4.0", "strength: -1.0", "central_gravity.strength"),
            ("solver: Pbf", "solver: Pfb", "solver"),
            ("(0.0, -9.81, 0.0)", "(0.0, -9.81, 1.0)", "no z in a scene of 2 dimensions"),
        ];
        for (from, to, name) in refused {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            let sentence = Scene::parse("mine.ron", &wrong).expect_err("a refusal").to_string();
            assert!(sentence.starts_with("mine.ron") && sentence.contains(name), "{to}: {sentence}");
        }
    }

    #[test]
    fn fluid_outside_the_box_is_refused_with_both() {
        let error = error(("high: (-1.0, 4.0, 1.5)", "high: (-1.0, 7.0, 1.5)"));
        assert!(matches!(error, SceneError::OutsideBox { block: 0, .. }), "{error}");
        assert!(error.to_string().contains("blocks[0]") && error.to_string().contains("[5, 6, 1.5]"), "{error}");
    }

    #[test]
    fn emitters_and_drains_that_could_not_work_are_refused() {
        let poured = "reservoir: 1.0, emitters: [(center: (0.0, 5.0, 0.0), radius: 0.5, velocity: (0.0, -1.0, 0.0))],
            drains: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity";
        let text = GOOD.replacen("gravity", poured, 1);
        let scene = Scene::parse("mine.ron", &text).expect("a good scene");
        assert_eq!((scene.emitters.len(), scene.drains.len()), (1, 1));
        for (from, to, expected) in [
            ("reservoir: 1.0", "reservoir: 0.0", "field reservoir: is empty"),
            ("reservoir: 1.0", "reservoir: -1.0", "field reservoir: must be"),
            ("(0.0, 5.0, 0.0)", "(0.0, 7.0, 0.0)", "field emitters[0].center"),
            ("radius: 0.5", "radius: 0.0", "field emitters[0].radius"),
            ("(0.0, -1.0, 0.0)", "(0.0, 0.0, 0.0)", "field emitters[0].velocity"),
            ("high: (1.0, 1.0, 1.0)", "high: (1.0, 0.0, 1.0)", "field drains[0].high"),
        ] {
            let sentence = Scene::parse("mine.ron", &text.replacen(from, to, 1)).expect_err(expected).to_string();
            assert!(sentence.contains(expected), "{sentence}");
        }
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
