//! The contract of a kind of solid: everything that the rest of the program needs of it, so that nothing outside its
//! folder names it.
//!
//! Solids act on the fluid through particles that take part in the search like the fluid's own. [`SolidInfo`]
//! describes a kind independently of a device; [`Sampled`] are its particles at one spacing, also without a device;
//! and [`Solid`] owns its buffers on the device, makes its passes before the search sorts and after the step, and
//! shows and saves its current state.

use std::any::Any;
use std::fmt;
use std::path::Path;

use glam::{DVec3, Vec3};

use super::obstacle::Obstacle;
use super::saved_arrays::SavedArrays;
use super::views::{BodyState, RigidView, SolidView};
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::fluid::smoothing_kernel::SmoothingKernel;
use crate::fluid::solvers::Limits;
use crate::fluid::step_part::StepPart;
use crate::fluid::{FluidError, SceneError};
use crate::gpu::Gpu;

/// Initial position, m, and velocity, m/s.
pub type Start = (Vec3, Vec3);

/// Input for sampling solids.
#[derive(Clone, Copy)]
pub struct SampleInput<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Spacing of the fluid's lattice, m.
    pub spacing: f32,
    /// The kinds before this one, which this kind must not overlap.
    pub earlier: &'a [SampledKind],
}

/// A kind with its particles.
pub type SampledKind = (&'static SolidInfo, Box<dyn Sampled>);

/// The particles of a kind of solid, without a device.
pub trait Sampled: Any + Send + Sync {
    /// Initial position and velocity of each particle, in a reproducible order.
    fn starts(&self) -> Vec<Start>;

    /// Number of particles.
    fn count(&self) -> usize;

    /// Whether no fluid may start at a position, because a solid is there or too near.
    fn takes(&self, place: DVec3) -> bool {
        let _ = place;
        false
    }

    /// Whether a position lies in a solid.
    fn is_inside(&self, place: DVec3) -> bool {
        let _ = place;
        false
    }

    /// The range of the particles of one solid among those of the kind; empty where it was taken out, `None` where
    /// there is no such solid.
    fn range_of(&self, number: usize) -> Option<std::ops::Range<usize>> {
        let _ = number;
        None
    }

    /// Takes out the particles of one solid, whose number stays reserved, and returns their range among those of the
    /// kind; `None` where that is impossible.
    fn take_out(&mut self, number: usize) -> Option<std::ops::Range<usize>> {
        let _ = number;
        None
    }

    /// Puts the particles back that were taken out, and returns their range among those of the kind.
    fn put_back(&mut self, number: usize) -> Option<std::ops::Range<usize>> {
        let _ = number;
        None
    }

    /// The negative weight of each particle (see boundaries.wgsl).
    fn weights(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32>;

    /// The share of the rest density that water at rest around the solid gives to each particle, for solvers that
    /// give particles of solids a pressure of their own; 0 for particles that mirror the pressure of the water, as
    /// those of single layers do.
    fn water_shares(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let _ = (kernel, scene, resolution);
        vec![0.0; self.count()]
    }

    /// How much the solid of each particle gives way to pressure, for solvers that move solids with the water
    /// (`solids/bodies/mod.rs`), 1/m; 0 for solids whose motion does not depend on it within a step.
    fn mobilities(&self, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let _ = (scene, resolution);
        vec![0.0; self.count()]
    }

    /// Number of parking places beside the box (`flow.rs`) for particles that move out of it. Where they are outside,
    /// they must be parked: a search assigns all particles outside to the outermost cells of its grid, and tests each
    /// of them against all others there.
    fn parking_count(&self) -> u32 {
        0
    }
}

/// Input for the creation of a kind's buffers.
#[derive(Clone, Copy)]
pub struct SolidInput<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// The scene with its edits.
    pub scene: &'a Scene,
    /// Its resolution.
    pub resolution: &'a Resolution,
    /// The kind's particles.
    pub samples: &'a dyn Sampled,
    /// Number of particles of solids before the first of this kind.
    pub first: usize,
    /// The first parking place of the kind; the others of [`Sampled::parking_count`] follow.
    pub first_parking: u32,
}

/// Scene, walls, resolution and time of a step.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The scene with its edits.
    pub scene: &'a Scene,
    /// Its resolution.
    pub resolution: &'a Resolution,
    /// Time at the start of the step, s.
    pub time: f64,
    /// Lowest and highest corner of the box, m, whose walls may have been moved inward from those of the scene.
    pub walls: [Vec3; 2],
}

impl StepContext<'_> {
    /// Length of the step, s.
    pub fn time_step(&self) -> f64 {
        self.resolution.time_step.into()
    }
}

/// The solids of a kind on the device.
pub trait Solid: StepPart + Any + Send {
    /// The solids in their current state, recreated for another time step; `None` if their buffers do not depend on
    /// it. On an error nothing has changed.
    ///
    /// # Errors
    /// When the device has no memory for them.
    fn for_another_step(&self, input: &SolidInput<'_>) -> Result<Option<Box<dyn Solid>>, FluidError> {
        let _ = input;
        Ok(None)
    }

    /// Whether [`Solid::for_another_step`] recreates them.
    fn depends_on_step(&self) -> bool {
        false
    }

    /// Copies the state of their particles from values for the particles' buffers: positions, and velocities with the
    /// original index, in any order.
    fn take_particles(&self, gpu: &Gpu, positions: &[[f32; 4]], velocities: &[[f32; 4]]) {
        let _ = (gpu, positions, velocities);
    }

    /// Resets them to the scene's initial state.
    fn reset(&mut self, gpu: &Gpu, scene: &Scene) {
        let _ = (gpu, scene);
    }

    /// Writes their positions and velocities for the next step.
    fn place(&mut self, gpu: &Gpu, context: StepContext<'_>) {
        let _ = (gpu, context);
    }

    /// Finishes a step after its passes. May submit what was recorded in `encoder` and replace it by a new one.
    fn finish_step(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, context: StepContext<'_>) {
        let _ = (gpu, encoder, context);
    }

    /// The solids in their current state for drawing, in the scene's order; none where they are not drawn.
    fn views<'a>(&'a self, context: StepContext<'a>) -> Vec<SolidView<'a>> {
        let _ = context;
        Vec::new()
    }

    /// The surface of one solid in its current place, for sensors on it; `None` where it has none or is not there.
    fn surface<'a>(&'a self, number: usize, context: StepContext<'a>) -> Option<RigidView<'a>> {
        let _ = (number, context);
        None
    }

    /// The states of the solids that probes read by their number, as many as [`SolidInfo::measured`].
    fn body_states(&self, context: StepContext<'_>) -> Vec<BodyState> {
        let _ = context;
        Vec::new()
    }

    /// Saves everything that the next step depends on besides particles, scene and time, and that
    /// [`SolidInfo::read_state`] reads.
    ///
    /// # Errors
    /// When the device is lost, or the state cannot be written.
    fn save(&self, gpu: &Gpu, arrays: &mut SavedArrays) -> Result<(), FluidError> {
        let _ = (gpu, arrays);
        Ok(())
    }

    /// Adds to a scene the solids that were added while it ran.
    fn extend(&self, scene: &mut Scene) {
        let _ = scene;
    }

    /// Whether solids were added that the scene does not contain, or some of the scene's removed.
    fn has_additions(&self) -> bool {
        false
    }

    /// Whether a solid can be removed from the running simulation: it exists, and is there.
    fn is_removable(&self, number: usize) -> bool {
        let _ = number;
        false
    }

    /// Removes a solid whose particles were taken out, or puts one back whose particles are there again.
    fn set_removed(&mut self, number: usize, removed: bool) {
        let _ = (number, removed);
    }

    /// The same solids in their current state with the buffers of `fresh`, which was created for them after particles
    /// of solids were added or taken out. [`Solid::take_particles`] follows.
    fn with_buffers_of(self: Box<Self>, fresh: Box<dyn Solid>) -> Box<dyn Solid> {
        fresh
    }
}

/// A solid that is added to a running simulation, after all other solids of its kind.
pub trait Addition {
    /// Its kind.
    fn kind(&self) -> &'static SolidInfo;

    /// Number of its particles.
    fn count(&self) -> usize;

    /// Adds it to the list of a scene.
    fn list(&self, scene: &mut Scene);

    /// The particles of a scene without solids of its kind, to which its own are added.
    fn no_particles(&self) -> Box<dyn Sampled>;

    /// Adds its particles after those of the other solids of its kind.
    ///
    /// # Errors
    /// When there would be too many particles; nothing was added then.
    fn add_particles(&mut self, sampled: &mut dyn Sampled, earlier: &[SampledKind]) -> Result<(), FluidError>;

    /// Removes the particles that were added last.
    fn remove_particles(&self, sampled: &mut dyn Sampled);

    /// The solids of its kind with this one: `all` was created for all of them in their initial state, and `before`
    /// are the others in their current state, if there are others.
    fn joined(&self, gpu: &Gpu, before: Option<Box<dyn Solid>>, all: Box<dyn Solid>) -> Box<dyn Solid>;
}

/// Input for reading the saved state of a kind of solid.
#[derive(Clone, Copy)]
pub struct SavedInput<'a> {
    /// The scene as it was loaded, without solids that were added while it ran.
    pub scene: &'a Scene,
    /// The resolution of the saved state.
    pub resolution: &'a Resolution,
    /// The saved arrays.
    pub arrays: &'a SavedArrays,
}

/// The saved state of a kind of solid, which was read and checked before the simulation is changed.
pub trait SavedSolids {
    /// The solids that were added while the scene ran, in their order. Called once.
    fn additions(&mut self) -> Vec<Box<dyn Addition>> {
        Vec::new()
    }

    /// The numbers of the solids that had been removed when the state was saved.
    fn removed(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Number of particles of the solids that had been removed.
    fn removed_count(&self) -> usize {
        0
    }

    /// Restores the state of the solids of this kind, including those that were added. Particles, time and number of
    /// steps are already those of the saved state.
    fn restore(self: Box<Self>, gpu: &Gpu, solids: &mut dyn Solid);
}

/// Covers a scene's solids of a kind with particles.
pub type SampleSolids = fn(&SampleInput<'_>) -> Result<Option<Box<dyn Sampled>>, FluidError>;

/// Creates the buffers of a kind.
pub type CreateSolids = fn(&SolidInput<'_>) -> Result<Box<dyn Solid>, FluidError>;

/// Reads the saved state of a kind.
pub type ReadState = fn(&SavedInput<'_>) -> Result<Option<Box<dyn SavedSolids>>, FluidError>;

/// The registry's entry of a kind of solid. Functions of the scene are only called where it has solids of this kind,
/// except for [`SolidInfo::read_state`].
pub struct SolidInfo {
    /// Name of its folder, and of its arrays in saved states.
    pub name: &'static str,
    /// The scene's field that lists solids of this kind.
    pub field: &'static str,
    /// Whether initial fluid inside it is left out.
    pub takes_room: bool,
    /// Whether it is a single layer of particles that fluid may press on from both sides.
    pub is_thin: bool,
    /// Whether it is possible in scenes of two dimensions.
    pub in_plane: bool,
    /// Reads the files that a scene refers to, relative to the folder; the text is the scene file's name for
    /// messages.
    pub load: fn(&mut Scene, &str, Option<&Path>) -> Result<(), SceneError>,
    /// The field and the reason of an invalid value in a scene; `None` where all are valid.
    pub fault: fn(&Scene) -> Option<(String, String)>,
    /// Initial positions and velocities of the solids that can fall.
    pub falling: fn(&Scene) -> Vec<Start>,
    /// Mass per area of the lightest single layer in a fluid, kg/m²; `None` without any.
    pub lightest_layer: fn(&Scene) -> Option<f32>,
    /// Smallest mass per area of the surface of a solid that moves freely as a whole, kg/m²; `None` without any.
    pub lightest_body: fn(&Scene) -> Option<f64>,
    /// Spacing at which they have approximately that many particles, in a scene without anything else; `None` if such
    /// a scene is not possible.
    pub spacing_for: fn(&Scene, u32) -> Option<f32>,
    /// Number of solids whose state probes read by number, as [`Solid::body_states`].
    pub measured: fn(&Scene) -> usize,
    /// The shapes that freely moving solids of other kinds collide with; only solids that never move can have some.
    pub obstacles: fn(&Scene) -> Vec<Obstacle>,
    /// Covers them with particles; `None` where there are none.
    pub sample: SampleSolids,
    /// Refuses solids that cannot be simulated at the resolution or with the solver.
    pub check: fn(&Scene, &Resolution, &Limits) -> Result<(), FluidError>,
    /// Notices for the user, in whole sentences.
    pub notices: fn(&Scene, &Resolution) -> Vec<String>,
    /// All shaders that their passes use.
    pub shaders: fn() -> Vec<FluidShader>,
    /// Creates their buffers.
    pub create: CreateSolids,
    /// Reads and checks what [`Solid::save`] wrote, also where the scene has no solids of this kind, since some may
    /// have been added while it ran; `None` where there is nothing to restore.
    pub read_state: ReadState,
}

impl fmt::Debug for SolidInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl SolidInfo {
    /// All shaders of its passes, with the surroundings that they are compiled for.
    pub fn every_shader(&self) -> impl Iterator<Item = (FluidShader, Surroundings)> + use<> {
        (self.shaders)().into_iter().map(|shader| (shader, Surroundings { boundary: true, ..Surroundings::default() }))
    }
}
