//! The report of what was done to the box and the water.

use glam::Vec3;

use super::Preset;

/// What is in force in the running simulation.
#[derive(Clone, Debug, Default)]
pub struct HandsReport {
    /// Gravity now, m/s².
    pub gravity: Vec3,
    /// Gravity of the scene, m/s².
    pub scene_gravity: Vec3,
    /// Strongest gravity that the time step allows, m/s².
    pub strongest_gravity: f32,
    /// Corners of the box now, m.
    pub walls: [Vec3; 2],
    /// For each face, how far inward its wall is wanted, m.
    pub insets: [f32; 6],
    /// For each face, the farthest that its wall can be wanted inward, m.
    pub most_insets: [f32; 6],
    /// Why a wall stands still that should move.
    pub stop: Option<String>,
    /// Whether something moves gravity or walls in time.
    pub sways: bool,
    /// The preset that was selected last.
    pub preset: Preset,
    /// What undo would undo next.
    pub undo: Option<String>,
    /// Number of the last order that was carried out or refused.
    pub handled: u32,
    /// The number of the last order that was refused, and why.
    pub refused: Option<(u32, String)>,
}

impl HandsReport {
    /// Whether gravity is not that of the scene, or moves.
    pub fn is_tilted(&self) -> bool {
        self.sways || self.gravity != self.scene_gravity
    }
}
