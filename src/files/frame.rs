//! The particles of a simulation at one time, as arrays that every export format writes.

/// The particles at one time, ordered by original index, so that a particle keeps its order in every frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Simulated time, s.
    pub time: f64,
    /// Number of time steps since the start.
    pub step: u64,
    /// Each particle's original index, ascending. All arrays have this length.
    pub indices: Vec<u32>,
    /// Positions, m.
    pub positions: Vec<[f32; 3]>,
    /// Velocities, m/s.
    pub velocities: Vec<[f32; 3]>,
    /// Densities, kg/m³.
    pub densities: Vec<f32>,
    /// Pressures, Pa.
    pub pressures: Vec<f32>,
}

/// Name of the velocities in every format, with their unit.
#[cfg(feature = "export")]
pub(super) const VELOCITY: &str = "velocity_m_per_s";
/// Name of the densities in every format, with their unit.
#[cfg(feature = "export")]
pub(super) const DENSITY: &str = "density_kg_per_m3";
/// Name of the pressures in every format, with their unit.
#[cfg(feature = "export")]
pub(super) const PRESSURE: &str = "pressure_Pa";
/// Name of the original indices in every format.
#[cfg(feature = "export")]
pub(super) const INDEX: &str = "index";

impl Frame {
    /// Number of particles.
    pub fn count(&self) -> usize {
        self.indices.len()
    }
}
