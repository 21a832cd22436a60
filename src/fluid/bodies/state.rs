use std::sync::Arc;

use glam::{Quat, Vec3};

use super::Body;
use crate::fluid::Mesh;

/// How a body is at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// Of its center of mass, m.
    pub position: Vec3,
    /// From its own frame to the world's.
    pub rotation: Quat,
    /// Of its center of mass, m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// kg; infinite where the motion is told.
    pub mass: f32,
    /// What the fluid did to it in the last step, N.
    pub force: Vec3,
    /// The same about its center of mass, N m.
    pub torque: Vec3,
}

/// A body of a simulation, for drawing.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// As the scene has it.
    pub body: &'a Body,
    /// Its surface in its own frame, around its center of mass, m.
    pub surface: &'a Arc<Mesh>,
    /// How it is now.
    pub state: BodyState,
}
