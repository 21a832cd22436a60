//! Errors of scenes and simulations, each with a message of one sentence.

use glam::Vec3;
use thiserror::Error;

use super::MeshError;
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
    /// The boundaries are too large to be covered with particles.
    #[error(
        "the boundaries would need {count} particles, and at most {limit} are supported; use a larger radius, fewer \
         particles or smaller boundaries"
    )]
    TooManyBoundaryParticles {
        /// Approximate number of particles that would be needed.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// The cloths need too many particles.
    #[error(
        "the cloths would need {count} particles, and at most {limit} are supported; use a larger radius or smaller \
         counts"
    )]
    TooManyClothParticles {
        /// Number of particles that would be needed.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// A boundary without particles, which would have no effect.
    #[error(
        "boundaries[{boundary}] gets no particles at a spacing of {spacing} m, because it lies outside the box or \
         inside another boundary, or is far smaller than the spacing; move or enlarge it, or use a smaller radius or \
         more particles"
    )]
    BoundaryWithoutParticles {
        /// Which, counted from 0.
        boundary: usize,
        /// m.
        spacing: f32,
    },
    /// A body without particles, which would have no effect.
    #[error(
        "bodies[{body}] gets no particles at a spacing of {spacing} m, because it is far smaller than the spacing; \
         enlarge it, or use a smaller radius or more particles"
    )]
    BodyWithoutParticles {
        /// Which, counted from 0.
        body: usize,
        /// m.
        spacing: f32,
    },
    /// The initial position of a body overlaps a boundary.
    #[error("bodies[{0}] lies in a boundary at the start; move it out")]
    BodyInBoundary(usize),
    /// The initial positions of two bodies overlap.
    #[error("bodies[{body}] overlaps bodies[{other}] at the start; move them apart")]
    BodiesOverlap {
        /// Which, counted from 0.
        body: usize,
        /// The other body, with a smaller number.
        other: usize,
    },
    /// A body with a prescribed motion that is too fast for the time step.
    #[error(
        "bodies[{body}] has a prescribed speed of {speed:.3} m/s, and moving walls in this scene may reach at most \
         {limit:.3} m/s at this time step; slow it down{mend}"
    )]
    WallTooFast {
        /// Which, counted from 0.
        body: usize,
        /// m/s.
        speed: f32,
        /// m/s.
        limit: f32,
        /// Other ways to fix it, appended to the sentence.
        mend: &'static str,
    },
    /// A body was added at a place that contains water.
    #[error("the body would start inside the water; place it above or beside the water")]
    BodyInWater,
    /// There is no free space for a body along its throw.
    #[error(
        "there is no free space for the body along the path of the throw; throw it through a free part of the tank"
    )]
    NowhereToThrow,
    /// The speed of a thrown body is too large for the time step.
    #[error("the body would be thrown at {speed:.3} m/s, and at most {limit:.3} m/s is possible; throw it more slowly")]
    ThrownTooFast {
        /// m/s.
        speed: f32,
        /// m/s.
        limit: f32,
    },
    /// A solid was added to a running scene with solids whose particles follow those of its kind.
    #[error("{kind} cannot be added to a scene with {beside} while it runs; add this one to the scene file")]
    AddedBeside {
        /// The kind, as named in scenes.
        kind: &'static str,
        /// The kind that follows it.
        beside: &'static str,
    },
    /// A body with a prescribed motion was added to a running scene.
    #[error("only free bodies can be added while the scene runs; add this one to the scene file")]
    AddedNotFree,
    /// A body was to be moved, and the simulation has none.
    #[error("the scene has no bodies; add some to it")]
    NoBodies,
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
    /// A solid cannot be simulated.
    #[error("{solid}: {reason}")]
    Solid {
        /// Which one, and the field to change, as a path from the scene.
        solid: String,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
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
        here: u32,
    },
    /// The bodies in a state cannot be read or written.
    #[error("the saved bodies could not be read or written: {0}; save the state again")]
    StateOfBodies(String),
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
    #[error("no solver has the setting \"{name}\"; the nearest names are {nearest}")]
    UnknownSetting {
        /// The requested value.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The text is not a name and a value.
    #[error("\"{0}\" is not a setting of a solver; write NAME=VALUE, as in SOLVER.SETTING=4")]
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
