/// The particles at one time, in the order of their original indices: row for row the same particles in every frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Seconds of water.
    pub time: f64,
    /// Steps made until then.
    pub step: u64,
    /// Each particle's original index, rising; every other array is as long.
    pub indices: Vec<u32>,
    /// m.
    pub positions: Vec<[f32; 3]>,
    /// m/s.
    pub velocities: Vec<[f32; 3]>,
    /// kg/m³.
    pub densities: Vec<f32>,
    /// Pa.
    pub pressures: Vec<f32>,
}

/// What frames name velocities: field and unit.
pub(super) const VELOCITY: &str = "velocity_m_per_s";
/// What frames name densities.
pub(super) const DENSITY: &str = "density_kg_per_m3";
/// What frames name pressures.
pub(super) const PRESSURE: &str = "pressure_Pa";
/// What frames name original indices.
pub(super) const INDEX: &str = "index";

impl Frame {
    /// Number of particles.
    pub fn count(&self) -> usize {
        self.indices.len()
    }
}
