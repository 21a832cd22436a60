//! The errors of rigid bodies, each with a message of one sentence that names the cause and how to fix it.

use thiserror::Error;

use crate::fluid::FluidError;

/// Why a body cannot be simulated, added or thrown.
#[derive(Debug, Clone, Error)]
pub(super) enum BodyError {
    /// A body without particles, which would have no effect.
    #[error(
        "bodies[{body}] gets no particles at a spacing of {spacing} m, because it is far smaller than the spacing; \
         enlarge it, or use a smaller radius or more particles"
    )]
    WithoutParticles {
        /// Which, counted from 0.
        body: usize,
        /// m.
        spacing: f32,
    },
    /// The initial position of a body overlaps a boundary.
    #[error("bodies[{0}] lies in a boundary at the start; move it out")]
    InBoundary(usize),
    /// The initial positions of two bodies overlap.
    #[error("bodies[{body}] overlaps bodies[{other}] at the start; move them apart")]
    Overlap {
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
    #[error("the body or block would start inside the water; place it above or beside the water")]
    InWater,
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
    /// A body with a prescribed motion was added to a running scene.
    #[error("only free and held bodies can be added while the scene runs; add this one to the scene file")]
    AddedNotFree,
    /// A body was to be moved that is not held, or to nowhere.
    #[error("bodies[{0}] cannot be moved there; only bodies that are held can be moved, and only to a finite place")]
    NotMovable(usize),
    /// The bodies in a state cannot be read or written.
    #[error("the saved bodies could not be read or written: {0}; save the state again")]
    State(String),
}

impl From<BodyError> for FluidError {
    fn from(error: BodyError) -> Self {
        Self::of_solid(error)
    }
}
