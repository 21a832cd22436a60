//! What the user orders once, in place of what happens while a button is pressed.

use glam::Vec3;

use super::Preset;
use crate::app::Aim;
use crate::fluid::Face;

/// An order about gravity, walls, bodies or blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum HandsOrder {
    /// Replaces gravity, m/s²; `None` returns to the scene's.
    Gravity(Option<Vec3>),
    /// Moves a wall so far inward from its place in the scene, m.
    Wall {
        /// Which wall.
        face: Face,
        /// m.
        inset: f32,
    },
    /// Returns all walls to their places in the scene.
    WallsBack,
    /// Removes the first body along a ray.
    RemoveBodyAt(Aim),
    /// Removes the body with this number.
    RemoveBody(usize),
    /// Adds a solid block between two corners, m, that stays where it is.
    Block([Vec3; 2]),
    /// Starts what moves walls and gravity in time, or ends it.
    Preset(Preset),
    /// Undoes the last order or the last thrown body.
    Undo,
}
