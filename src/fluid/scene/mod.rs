//! Scenes: the initial contents of the tank and the camera, and how scene files are read and checked.

mod block;
mod check;
mod edits;
mod extra_fields;
pub(in crate::fluid) mod limits;
mod optional;
mod reading;
mod solid_fields;
mod solver_fields;
#[cfg(test)]
mod tests;
mod writing;

use std::path::{Path, PathBuf};

use glam::Vec3;
use serde::Deserialize;

pub use block::{Axis, Block, BlockShape, VelocityField};
pub use edits::SceneEdits;
pub(super) use optional::some;

use super::probes::ProbeScene;
use super::solids::SceneSolids;
use super::solvers::{Medium, Solver, SolverSettings};
use super::{Dimensions, Drain, Emitter, Material, PointFluid, Probe, ProbeColumn};
use crate::gpu::AdapterClass;

/// The initial contents of the tank, from a RON file in `assets/scenes` or from the user. Units are meters, seconds
/// and kilograms; y points up.
///
/// ```
/// use nearwater::fluid::Scene;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scene = Scene::load("dam_break")?;
/// println!("{}: a box from {} to {}", scene.title, scene.low, scene.high);
///
/// let text = Scene::text("dam_break")?.replace("gravity", "gravitation");
/// let refusal = Scene::parse("mine.ron", &text).expect_err("no such field");
/// assert!(refusal.to_string().contains("the nearest names are gravity"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
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
    /// Default number of particles, in place of the adapter's default.
    #[serde(default, deserialize_with = "some")]
    pub particles: Option<u32>,
    /// Blocks that are filled with fluid.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// Fluid whose particles are read from files, in addition to the blocks or instead of them.
    #[serde(default)]
    pub points: Vec<PointFluid>,
    /// Solids of all kinds. In the file, the list of each kind is a field beside the scene's own, as in
    /// `bodies: [...]`.
    #[serde(skip)]
    pub solids: SceneSolids,
    /// Discs that emit fluid from the reservoir.
    #[serde(default)]
    pub emitters: Vec<Emitter>,
    /// Boxes that return fluid to the reservoir.
    #[serde(default)]
    pub drains: Vec<Drain>,
    /// Volume of the fluid that is initially in the reservoir, from which emitters are fed, m³; in two dimensions m².
    #[serde(default)]
    pub reservoir: f32,
    /// Uniform gravity, m/s².
    pub gravity: Vec3,
    /// An acceleration towards a point, added to `gravity`; zero by default.
    #[serde(default)]
    pub central_gravity: CentralGravity,
    /// 3, or 2 for a layer of particles in the plane half-way through the box along z; the z of blocks is then
    /// ignored.
    #[serde(default)]
    pub dimensions: Dimensions,
    /// The material of the fluid.
    pub material: Material,
    /// The solver that moves the particles.
    #[serde(default)]
    pub solver: Solver,
    /// The settings of solvers. In the file, those of each solver form a group with its name beside the scene's own
    /// fields, as in `pbf: (substeps: 4)`; the running solver reads its own group.
    #[serde(skip)]
    pub solver_settings: SolverSettings,
    /// Quantities that are measured during the simulation.
    #[serde(default)]
    pub probes: Vec<Probe>,
    /// The initial camera; if omitted, it sees the whole box.
    #[serde(default = "SceneCamera::omitted")]
    pub camera: SceneCamera,
}

/// An acceleration towards a point that is proportional to the distance from it, as by a spring; fluid gathers there
/// in a ball.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CentralGravity {
    /// The point, m.
    pub center: Vec3,
    /// Acceleration divided by distance, 1/s²: the square of the angular frequency with which a single particle
    /// oscillates.
    pub strength: f32,
}

/// The initial camera of a scene.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneCamera {
    /// Position of the camera, m.
    pub eye: Vec3,
    /// Point that the camera looks at, m.
    pub target: Vec3,
    /// Vertical field of view, degrees.
    pub vertical_fov_degrees: f32,
}

impl SceneCamera {
    /// Vertical field of view of a camera that the scene does not determine, degrees.
    const USUAL_FOV: f32 = 40.0;

    /// Stands for a camera that a file does not contain until its box is known.
    fn omitted() -> Self {
        Self { vertical_fov_degrees: f32::NEG_INFINITY, ..Self::default() }
    }

    /// A camera that sees the whole box: from the front in two dimensions, and else also a little from the right and
    /// from above. It assumes a picture that is at least four thirds as wide as high.
    fn overview(low: Vec3, high: Vec3, dimensions: Dimensions) -> Self {
        const WIDTH_OVER_HEIGHT: f32 = 4.0 / 3.0;
        const MARGIN: f32 = 1.1;
        let (target, half) = (0.5 * (low + high), 0.5 * (high - low));
        let tangent = (0.5 * Self::USUAL_FOV.to_radians()).tan();
        let (direction, reach) = match dimensions {
            Dimensions::Two => (Vec3::Z, half.y.max(half.x / WIDTH_OVER_HEIGHT)),
            Dimensions::Three => (Vec3::new(0.4, 0.35, 1.0).normalize(), half.length()),
        };
        let eye =
            target + (MARGIN * reach / tangent + if dimensions == Dimensions::Two { 0.0 } else { reach }) * direction;
        Self { eye, target, vertical_fov_degrees: Self::USUAL_FOV }
    }
}

impl Scene {
    /// Default number of particles on an adapter of this class: the scene's own number, but on a software adapter at
    /// most the default of that class.
    pub fn usual_count(&self, class: AdapterClass) -> u32 {
        let usual = class.default_particle_count();
        let most = if class == AdapterClass::Software { usual } else { u32::MAX };
        self.particles.map_or(usual, |particles| particles.min(most))
    }

    /// The files of its particles, if the scene was read from `folder`.
    pub fn point_files(&self, folder: Option<&Path>) -> Vec<PathBuf> {
        folder.map_or_else(Vec::new, |folder| self.points.iter().map(|fluid| fluid.path(folder)).collect())
    }

    /// Whether it has particles besides those of cloths.
    pub(super) fn has_fluid(&self) -> bool {
        !(self.blocks.is_empty() && self.points.is_empty() && self.emitters.is_empty())
    }

    /// Support radius over particle spacing, as the solver defines it.
    pub fn radius_ratio(&self) -> f32 {
        (self.solver.radius_ratio)(Medium { material: &self.material, settings: &self.solver_settings })
    }

    /// The spacing of particles that are read from files, m, which then applies to all particles; `None` where there
    /// are no such files.
    pub fn points_spacing(&self) -> Option<f32> {
        self.points.first().map(|fluid| fluid.spacing)
    }

    /// The columns of the probes' readings.
    pub fn probe_columns(&self) -> Vec<ProbeColumn> {
        self.probes.iter().flat_map(|probe| probe.columns(self.dimensions)).collect()
    }

    /// The part of the scene that probes depend on.
    pub fn probe_scene(&self) -> ProbeScene {
        ProbeScene {
            dimensions: self.dimensions,
            low: self.low,
            high: self.high,
            gravity: self.gravity,
            center: self.central_gravity.center,
            central_strength: self.central_gravity.strength,
            rest_density: self.solver.is_fluid().then_some(self.material.rest_density),
            solid_counts: self.solids.counts().collect(),
            body_count: self.solids.kinds().map(|info| (info.measured)(self)).sum(),
        }
    }

    /// The box that limits the particles' positions: the scene's, or in two dimensions a slab around its middle plane
    /// that is thick enough for its faces to have no effect.
    pub(super) fn bounds(&self, support_radius: f32) -> (Vec3, Vec3) {
        match self.dimensions {
            Dimensions::Three => (self.low, self.high),
            Dimensions::Two => {
                let (plane, reach) = (self.plane(), 2.0 * support_radius);
                (self.low.with_z(plane - reach), self.high.with_z(plane + reach))
            }
        }
    }

    /// z of the plane with which solids are cut, m: in two dimensions that of the scene.
    pub(super) fn section(&self) -> Option<f32> {
        (self.dimensions == Dimensions::Two).then(|| self.plane())
    }

    /// z of the plane that a scene of two dimensions lies in, m.
    pub fn plane(&self) -> f32 {
        0.5 * (self.low.z + self.high.z)
    }
}
