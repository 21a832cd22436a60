//! The errors of what a user does to a running simulation, each with a message of one sentence.

use thiserror::Error;

use super::Face;
use crate::fluid::FluidError;

/// Why something cannot be done to a running simulation.
#[derive(Debug, Clone, Error)]
pub enum HandsError {
    /// The gravity would need a shorter time step.
    #[error(
        "a gravity of {strength:.3} m/s² is too strong for the time step of this scene, which allows {limit:.3} m/s²; \
         choose a weaker one"
    )]
    StrongGravity {
        /// m/s².
        strength: f32,
        /// m/s².
        limit: f32,
    },
    /// A wall outside the scene's box.
    #[error("the {face} wall can be moved by 0 to {most:.3} m here, not by {inset:.3} m")]
    WallOutside {
        /// Which.
        face: Face,
        /// How far inward, m.
        inset: f32,
        /// The farthest, m.
        most: f32,
    },
    /// The water needs the room that a wall would take.
    #[error(
        "the {face} wall stops here, because the water takes up {water:.3} of the {room:.3} {unit} that the walls leave \
         it; move a wall outward"
    )]
    NoRoom {
        /// Which.
        face: Face,
        /// Volume of the water, m³ or m².
        water: f64,
        /// Volume of the box without solids, m³ or m².
        room: f64,
        /// The unit.
        unit: &'static str,
    },
    /// A periodic motion with an invalid number.
    #[error("{what} must be finite, and a period longer than zero; choose other numbers")]
    Sway {
        /// Which number.
        what: &'static str,
    },
    /// There is no such solid to remove.
    #[error("there is no body {0} that could be removed")]
    NothingToRemove(usize),
    /// A solid that is to return, and was not removed.
    #[error("body {0} cannot return, because it was not removed")]
    NotRemoved(usize),
    /// A spout without places in the box.
    #[error("nothing can be poured here, because the spout lies outside the box or in a solid; point into the box")]
    NoSpout,
    /// A spout with more places than there is room for.
    #[error("the spout would have {count} places, and at most {limit} are possible; use a smaller reach")]
    WideSpout {
        /// Number of places.
        count: usize,
        /// The largest number.
        limit: u32,
    },
    /// The box is full.
    #[error("no more water can be poured, because the box is full; remove some by a reset")]
    Full,
    /// More water than the simulation may grow by.
    #[error("no more water can be poured, because the scene has grown to {0} particles; reset it to begin again")]
    Grown(u32),
}

impl From<HandsError> for FluidError {
    fn from(error: HandsError) -> Self {
        Self::OfHands(error)
    }
}
