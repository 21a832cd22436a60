//! What solids that move freely knock against.

use glam::Vec3;

use super::sampling::Mesh;

/// A fixed shape that solids of other kinds collide with.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// An axis-aligned box.
    Box {
        /// Lowest corner, m.
        low: Vec3,
        /// Highest corner, m.
        high: Vec3,
    },
    /// A ball.
    Ball {
        /// m.
        center: Vec3,
        /// m.
        radius: f32,
    },
    /// A vertical cylinder.
    Cylinder {
        /// Center of its lower end, m.
        foot: Vec3,
        /// m.
        radius: f32,
        /// m.
        height: f32,
    },
    /// A closed surface, m.
    Surface(Mesh),
}
