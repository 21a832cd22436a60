//! Errors of scenes and simulations, each with a message of one sentence.

use std::sync::Arc;

use glam::Vec3;
use thiserror::Error;

use super::{HandsError, MeshError};
use crate::files::FileError;
use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why a simulation could not be created or changed. Each message names the cause and how to fix it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum FluidError {
    /// The support radius is not a positive, finite length.
    #[error("the support radius is {0}, and must be a positive, finite length in meters")]
    Radius(f32),
    /// Powers of the support radius would leave the range of single precision.
    #[error("the support radius is {radius:e} m, and must be from {least:e} to {most:e} m; scale the scene")]
    RadiusBeyondNumbers {
        /// m.
        radius: f32,
        /// m.
        least: f32,
        /// m.
        most: f32,
    },
    /// A quantity that follows from the resolution is zero, infinite or too small for single precision.
    #[error(
        "at a support radius of {radius:e} m the {what} would be {value:e}, which is beyond the range of single \
         precision; use a larger radius, or scale the scene"
    )]
    Degenerate {
        /// The quantity.
        what: &'static str,
        /// Its value in SI units.
        value: f32,
        /// m.
        radius: f32,
    },
    /// More particles than 32 bits can count.
    #[error("the scene would have {count} particles, and at most 4294967295 can be numbered; use a larger radius")]
    Uncountable {
        /// Particles that the radius leads to.
        count: u64,
    },
    /// The disc of an emitter is too large.
    #[error(
        "emitters[{emitter}].radius leads to {places} places on its disc, and at most {limit} are possible; make the \
         emitter smaller, or use a larger support radius"
    )]
    EmitterTooLarge {
        /// Which one.
        emitter: usize,
        /// Places on the lattice in and around the disc, as far as it lies in the box.
        places: u64,
        /// Largest number of places.
        limit: u64,
    },
    /// The box is too small for the radius.
    #[error(
        "the support radius would be {radius} m, and the box is only {extent} m across; use a smaller radius or more \
         particles"
    )]
    RadiusBeyondBox {
        /// m.
        radius: f32,
        /// The box's shortest edge, m.
        extent: f32,
    },
    /// The fluid blocks are too small for a single particle.
    #[error(
        "at a support radius of {radius} m particles are {spacing} m apart, and none of the scene's fluid blocks is \
         that large; use a smaller radius or more particles"
    )]
    RadiusBeyondBlocks {
        /// m.
        radius: f32,
        /// m.
        spacing: f32,
    },
    /// The scene gives steps in which waves of the surface would grow.
    #[error(
        "the steps of {step:.3e} s are longer than {limit:.3e} s, up to which a surface tension of {tension} N/m is \
         stable with particles {spacing:.3e} m apart; take at least {times} times as many substeps, or fewer particles"
    )]
    BeyondCapillary {
        /// s.
        step: f64,
        /// s.
        limit: f64,
        /// N/m.
        tension: f32,
        /// m.
        spacing: f32,
        /// How many times as many steps are needed.
        times: f64,
    },
    /// The scene gives steps in which viscosity does more than the largest number of its stages can.
    #[error(
        "the steps of {step:.3e} s are longer than {limit:.3e} s, up to which a kinematic viscosity of {viscosity} m²/s \
         can be computed with particles {spacing:.3e} m apart; take at least {times} times as many substeps, fewer \
         particles, a lower viscosity, or heavier bodies where some are light"
    )]
    BeyondStages {
        /// s.
        step: f64,
        /// s.
        limit: f64,
        /// m²/s.
        viscosity: f32,
        /// m.
        spacing: f32,
        /// How many times as many steps are needed.
        times: f64,
    },
    /// A particle count of zero was requested.
    #[error("the number of particles is 0, and must be at least 1")]
    NoParticles,
    /// More particles than fit one binding of the device.
    #[error(
        "the scene would have {count} particles, and this adapter holds at most {limit}; use fewer particles or a \
         larger radius"
    )]
    TooManyParticles {
        /// Particles that were requested.
        count: u64,
        /// Particles that fit one binding.
        limit: u64,
    },
    /// The solids are too large to be covered with particles.
    #[error(
        "the solids would need {count} particles, and at most {limit} are supported beside as much water; use a larger \
         radius, fewer particles, or smaller boundaries and bodies"
    )]
    TooManyBoundaryParticles {
        /// Approximate number of particles that would be needed.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// A solid was added to a running scene with solids whose particles follow those of its kind.
    #[error("{kind} cannot be added to a scene with {beside} while it runs; add this one to the scene file")]
    AddedBeside {
        /// The kind, as named in scenes.
        kind: &'static str,
        /// The kind that follows it.
        beside: &'static str,
    },
    /// A solid was to be moved, and the simulation has none of its kind.
    #[error("the scene has no {0}; add some to it")]
    NoSolids(&'static str),
    /// The solids occupy the whole volume of the fluid blocks.
    #[error(
        "at a spacing of {spacing} m the scene's boundaries and bodies leave no room for any of its {count} particles; \
         move them out of the fluid blocks, or use more particles"
    )]
    NoRoom {
        /// m.
        spacing: f32,
        /// Particles that the blocks would hold without solids.
        count: u64,
    },
    /// A kind of solid refuses a scene, an addition or a state, with an error of its own.
    #[error("{0}")]
    OfSolid(Arc<dyn std::error::Error + Send + Sync>),
    /// A solid cannot be simulated.
    #[error("{solid}: {reason}")]
    Solid {
        /// Which one, and the field to change, as a path from the scene.
        solid: String,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
    /// Something cannot be done to the running simulation.
    #[error(transparent)]
    OfHands(HandsError),
    /// An emitter is blocked by solids.
    #[error("emitters[{0}] lies in or right beside a boundary; move it away from it")]
    EmitterBlocked(usize),
    /// Particles were replaced by a different number of them.
    #[error(
        "{given} positions and {velocities} velocities were given for {count} particles; give one of each per particle"
    )]
    WrongCount {
        /// Number of positions given.
        given: usize,
        /// Number of velocities given.
        velocities: usize,
        /// Number of fluid particles.
        count: u32,
    },
    /// More diffuse particles than fit one binding of the device.
    #[error(
        "foam.capacity is {capacity}, and beside {particles} particles this adapter holds at most {limit} of foam; \
         lower it"
    )]
    TooMuchFoam {
        /// Diffuse particles that were requested.
        capacity: u32,
        /// Particles of the simulation.
        particles: u32,
        /// Diffuse particles that fit.
        limit: u64,
    },
    /// The search or the device refuses the diffuse particles.
    #[error("foam.capacity is {capacity}, which is too much here: {error}; lower it, or set it to 0 to have no foam")]
    FoamRefused {
        /// Diffuse particles that were requested.
        capacity: u32,
        /// Why.
        error: Box<FluidError>,
    },
    /// A saved state has more foam than there are places for.
    #[error(
        "the state has {saved} particles of foam, and foam.capacity is {capacity}; raise it to at least that number"
    )]
    SavedFoam {
        /// Diffuse particles in the state.
        saved: usize,
        /// Places for them.
        capacity: u32,
    },
    /// A state was saved from another scene.
    #[error(
        "the state was saved from the scene \"{saved}\", and this is \"{here}\"; load it into the scene \"{saved}\""
    )]
    StateOfOtherScene {
        /// The name of the saved scene.
        saved: String,
        /// The name of the current scene.
        here: String,
    },
    /// The particles were moved by an edited shader.
    #[error(
        "a state cannot be saved while shaders are edited, or after, until the scene is restarted: a run without the \
         edits would not resume from it; revert all shaders and reset the scene, then save"
    )]
    EditedShaders,
    /// The scene of a state was edited since it was saved.
    #[error("the scene \"{0}\" was edited after the state was saved; undo the edit, or save a new state")]
    StateOfChangedScene(String),
    /// A state's settings lead to a different resolution here.
    #[error(
        "the state contains {saved} particles, but its settings give {here} particles in this scene, or another \
         spacing, mass or time step; save it again with this version of the program"
    )]
    StateOfOtherResolution {
        /// Number of particles in the state.
        saved: u32,
        /// Number of particles that its settings give here.
        here: u64,
    },
    /// Particles of a state are not finite.
    #[error(
        "{broken} of the state's {count} particles have a position, velocity or density that is not finite; save it again"
    )]
    StateNotFinite {
        /// Number of such particles.
        broken: usize,
        /// Number of all particles.
        count: usize,
    },
    /// The time of a state is impossible.
    #[error("the state was saved at {time} s, after {step_count} steps, which is no valid time; save it again")]
    StateTime {
        /// s.
        time: f64,
        /// Steps since the start.
        step_count: u64,
    },
    /// A state contains what no run leaves.
    #[error("in the state, {what} must be {wanted}; save it again")]
    StateContent {
        /// The part of the state.
        what: &'static str,
        /// What a run leaves.
        wanted: &'static str,
    },
    /// A state lacks an array.
    #[error("the state does not contain its {0}; save it again")]
    IncompleteState(&'static str),
    /// No solver has that name.
    #[error("the solver is one of {names}")]
    UnknownSolver {
        /// The names of all solvers, comma separated.
        names: String,
    },
    /// No solver has that setting.
    #[error("there is no setting \"{name}\"; the nearest names are {nearest}, and `nearwater settings` lists all")]
    UnknownSetting {
        /// The requested value.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The text is not a name and a value.
    #[error("\"{0}\" is not a setting of a solver or of foam; write NAME=VALUE, as in SOLVER.SETTING=4")]
    SettingForm(String),
    /// The setting cannot have this value.
    #[error("the setting {setting} is \"{value}\", and must be {expected}")]
    SettingValue {
        /// The setting's full name.
        setting: String,
        /// The requested value.
        value: String,
        /// The values that are allowed.
        expected: String,
    },
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The search could not be created.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The device reported an error.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl FluidError {
    /// The error of a kind of solid, whose message is one sentence that names the solid and how to fix it.
    pub fn of_solid(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::OfSolid(Arc::new(error))
    }

    /// Whether it is a search's refusal of so many particles, which accepts fewer. Such a refusal is a result to show,
    /// not a fault.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Search(error) => error.is_refusal(),
            Self::FoamRefused { error, .. } => error.is_refusal(),
            _ => false,
        }
    }
}

/// Why a scene could not be loaded. Each message names the file, the field and how to fix it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum SceneError {
    /// No scene has that name.
    #[error("there is no scene \"{name}\"; the nearest names are {nearest} (a path to a file ends in .ron)")]
    Unknown {
        /// The requested value.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The file cannot be read.
    #[error("the scene file {file} cannot be read: {reason}")]
    Unreadable {
        /// Its path.
        file: String,
        /// The message of the operating system.
        reason: String,
    },
    /// The file of a scene is not what it was when the scene was opened.
    #[error("the file of the scene \"{scene}\" has changed since it was opened; open it again, then save")]
    Changed {
        /// Name of the scene.
        scene: String,
    },
    /// The file is not a scene in RON.
    #[error("{file}, line {line}, column {column}, field {field}: {reason}")]
    Syntax {
        /// The scene's file.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The field that was being read.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A field has an invalid value.
    #[error("{file}, field {field}: {reason}")]
    Value {
        /// The scene's file.
        file: String,
        /// The field, as a path from the scene.
        field: String,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
    /// A text is not a valid probe.
    #[error("the probe {text} could not be read: {reason}")]
    Probe {
        /// The text.
        text: String,
        /// What is wrong with it and where, and what is allowed.
        reason: String,
    },
    /// A mesh file cannot be used.
    #[error("{file}, field {field}: {error}")]
    Mesh {
        /// The scene's file.
        file: String,
        /// The solid with the mesh, as a path from the scene.
        field: String,
        /// What is wrong with it.
        error: MeshError,
    },
    /// A block of fluid reaches beyond the box.
    #[error(
        "{file}, field blocks[{block}]: the fluid reaches from {low} to {high}, outside the box from {box_low} to \
         {box_high}; move it inside or enlarge the box"
    )]
    OutsideBox {
        /// The scene's file.
        file: String,
        /// The block, counted from 0.
        block: usize,
        /// Its lowest corner, m.
        low: Vec3,
        /// Its highest corner, m.
        high: Vec3,
        /// The box's lowest corner, m.
        box_low: Vec3,
        /// The box's highest corner, m.
        box_high: Vec3,
    },
}
