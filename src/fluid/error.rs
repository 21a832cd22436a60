use glam::Vec3;
use thiserror::Error;

use super::MeshError;
use crate::files::FileError;
use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why a fluid could not be made or changed. Each message names the thing and the mend.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum FluidError {
    /// The radius is no radius.
    #[error("the support radius is {0}, and must be a positive, finite length in metres")]
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
    /// The blocks are too small for a single particle.
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
    /// A count of zero was asked for.
    #[error("the number of particles is 0, and must be at least 1")]
    NoParticles,
    /// More particles than the device binds.
    #[error("that makes {count} particles, and this adapter holds {limit}; use fewer particles or a larger radius")]
    TooManyParticles {
        /// Particles that were asked for.
        count: u64,
        /// Particles that fit one binding.
        limit: u64,
    },
    /// The boundaries are larger than particles can cover.
    #[error(
        "the boundaries would take {count} particles, and at most {limit} are made; use a larger radius, fewer \
         particles or smaller boundaries"
    )]
    TooManyBoundaryParticles {
        /// About how many there would be.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The cloths are too fine.
    #[error(
        "the cloths would take {count} particles, and at most {limit} are made; use a larger radius or fewer counts"
    )]
    TooManyClothParticles {
        /// How many there would be.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// A boundary that nothing would be felt of.
    #[error(
        "boundaries[{boundary}] gets no particle at a spacing of {spacing} m: it lies outside the box, inside another \
         boundary, or is far smaller than that; move or enlarge it, or use a smaller radius or more particles"
    )]
    BoundaryWithoutParticles {
        /// Which, counted from 0.
        boundary: usize,
        /// m.
        spacing: f32,
    },
    /// A body that nothing would be felt of.
    #[error(
        "bodies[{body}] gets no particle at a spacing of {spacing} m, since it is far smaller than that; enlarge it, or use \
         a smaller radius or more particles"
    )]
    BodyWithoutParticles {
        /// Which, counted from 0.
        body: usize,
        /// m.
        spacing: f32,
    },
    /// A body begins where there is a boundary.
    #[error("bodies[{0}] lies in a boundary at the start; move it out")]
    BodyInBoundary(usize),
    /// Two bodies begin at one place.
    #[error("bodies[{body}] overlaps bodies[{other}] at the start; move them apart")]
    BodiesOverlap {
        /// Which, counted from 0.
        body: usize,
        /// One before it.
        other: usize,
    },
    /// A body that is told to move faster than the water bears.
    #[error(
        "bodies[{body}] is told to move at {speed:.3} m/s, and the water of this scene bears walls of at most {limit:.3} m/s \
         at this time step; slow it down{mend}"
    )]
    WallTooFast {
        /// Which, counted from 0.
        body: usize,
        /// m/s.
        speed: f32,
        /// m/s.
        limit: f32,
        /// What else would help.
        mend: &'static str,
    },
    /// A body was to be added where there is water.
    #[error("the body would begin in the water; let it begin above or beside it")]
    BodyInWater,
    /// A body was to be thrown where there is no room for it.
    #[error("there is no room for the body along the way that it is thrown; throw it through a free part of the tank")]
    NowhereToThrow,
    /// A body was to be thrown faster than the water bears.
    #[error("the body would be thrown at {speed:.3} m/s, and the water bears at most {limit:.3} m/s; throw it slower")]
    ThrownTooFast {
        /// m/s.
        speed: f32,
        /// m/s.
        limit: f32,
    },
    /// A body was to be added where there are cloths.
    #[error("bodies cannot be added to a scene with cloths while it moves; give this one to the scene")]
    AddedBesideCloths,
    /// A body whose motion is told was to be added.
    #[error("only bodies that move freely can be added while the water moves; give this one to the scene")]
    AddedNotFree,
    /// Bodies were to be moved of a simulation without any.
    #[error("there are no bodies; add some to the scene")]
    NoBodies,
    /// The boundaries take all the room.
    #[error(
        "at a spacing of {spacing} m the scene's boundaries and bodies leave none of its {count} particles room; move them \
         out of the fluid blocks, or use more particles"
    )]
    NoRoom {
        /// m.
        spacing: f32,
        /// Particles that the blocks hold.
        count: u64,
    },
    /// A cloth could not be moved.
    #[error("cloths[{cloth}].{field}: {reason}")]
    Cloth {
        /// Which, counted from 0.
        cloth: usize,
        /// The field to mend.
        field: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// An emitter could not emit.
    #[error("emitters[{0}] lies in or right beside a boundary; move it away from it")]
    EmitterBlocked(usize),
    /// Particles were to be replaced by another number of them.
    #[error("{given} positions and {velocities} velocities were given for {count} particles; give one each")]
    WrongCount {
        /// Positions given.
        given: usize,
        /// Velocities given.
        velocities: usize,
        /// Particles there are.
        count: u32,
    },
    /// A state was saved of another scene.
    #[error("the state was saved of the scene \"{saved}\", and this is \"{here}\"; name that scene")]
    StateOfOtherScene {
        /// The scene's name then.
        saved: String,
        /// The scene's name now.
        here: String,
    },
    /// A state's scene was edited since.
    #[error("the scene \"{0}\" was edited after the state was saved; undo that, or save a new state")]
    StateOfChangedScene(String),
    /// A state's settings come to other particles here.
    #[error(
        "the state holds {saved} particles, and its settings come to {here} of other spacing, mass or time step in this \
         scene; save it again with this program"
    )]
    StateOfOtherResolution {
        /// Particles then.
        saved: u32,
        /// Particles now.
        here: u32,
    },
    /// The bodies in a state cannot be read or written.
    #[error("the state's bodies cannot be told: {0}; save it again")]
    StateOfBodies(String),
    /// A state lacks an array.
    #[error("the state lacks its {0}; save it again")]
    IncompleteState(&'static str),
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene makes no sense.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A search could not be made.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The device refused.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Why a scene could not be loaded. Each message names the file, the field and the mend.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum SceneError {
    /// No scene has that name.
    #[error("there is no scene \"{name}\"; the nearest names are {nearest} (a path to a file ends in .ron)")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The file cannot be read.
    #[error("the scene file {file} cannot be read: {reason}")]
    Unreadable {
        /// Its path.
        file: String,
        /// The system's words.
        reason: String,
    },
    /// The file is not a scene in RON.
    #[error("{file}, line {line}, column {column}, field {field}: {reason}")]
    Syntax {
        /// The scene's file.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The field that was being read.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A field's value makes no sense.
    #[error("{file}, field {field}: {reason}")]
    Value {
        /// The scene's file.
        file: String,
        /// The field, as a path from the scene.
        field: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// A boundary's mesh cannot be used.
    #[error("{file}, field boundaries[{boundary}]: {error}")]
    Mesh {
        /// The scene's file.
        file: String,
        /// The boundary, counted from 0.
        boundary: usize,
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
