//! The state of bodies at one time.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::body::Body;
use crate::fluid::Mesh;

/// The state of a body at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// Position of its center of mass, m.
    pub position: Vec3,
    /// Rotation from its own frame to the world's.
    pub rotation: Quat,
    /// Velocity of its center of mass, m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// Mass, kg; infinite for a prescribed motion.
    pub mass: f32,
    /// Force of the fluid in the last step, N.
    pub force: Vec3,
    /// Torque of the fluid about its center of mass in the last step, N m.
    pub torque: Vec3,
}

/// A body of a simulation, for drawing.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// The body in the scene.
    pub body: &'a Body,
    /// Its surface in its own frame, around its center of mass, m.
    pub surface: &'a Arc<Mesh>,
    /// Its current state.
    pub state: BodyState,
}
