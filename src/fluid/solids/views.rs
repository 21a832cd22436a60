//! The current state of solids as pictures and probes see it, independently of their kinds.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::sampling::Mesh;

/// A solid of a simulation, for drawing.
#[derive(Clone, Copy)]
pub enum SolidView<'a> {
    /// A closed surface that moves as a whole, or not at all.
    Rigid(RigidView<'a>),
    /// A grid of particles.
    Sheet(SheetView<'a>),
}

/// A closed surface in its current place.
#[derive(Clone, Copy)]
pub struct RigidView<'a> {
    /// In its own frame, m.
    pub surface: &'a Arc<Mesh>,
    /// Rotation from its own frame to the world's.
    pub rotation: Quat,
    /// Position of the origin of its own frame, m.
    pub translation: Vec3,
    /// What moves it.
    pub mover: Mover,
}

/// What moves a rigid solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// Nothing: it belongs to the tank.
    Nothing,
    /// The scene, regardless of the forces on it, as with a wave maker.
    Scene,
    /// Water, gravity and contacts.
    Forces,
}

/// A sheet for drawing: `columns` times `rows` particles in `positions`, starting at `first`, one row after the other.
#[derive(Clone, Copy)]
pub struct SheetView<'a> {
    /// Number of particles in a row.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
    /// Index in `positions` of the first particle of the first row.
    pub first: u32,
    /// `vec4<f32>`: xyz in m, 1; of all sheets of the kind.
    pub positions: &'a wgpu::Buffer,
    /// Original index of its first particle; the others follow in the same order.
    pub first_original: u32,
    /// Thickness for drawing, m.
    pub thickness: f32,
}

/// The state of a rigid body, or of another solid that moves as a whole, at one time.
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
    /// Mass, kg, in two dimensions kg/m; infinite for a prescribed motion.
    pub mass: f32,
    /// Force of the fluid in the last step, N.
    pub force: Vec3,
    /// Torque of the fluid about its center of mass in the last step, N m.
    pub torque: Vec3,
}
