//! The resolution: the value that couples particle count, spacing, support radius, mass, sound speed and time step.

/// The value that couples particle count, spacing, support radius, mass, sound speed and time step: when one of them
/// changes, the others follow, and the material of the fluid stays the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// Fluid particles: those that fit the scene's blocks outside its solids, and those of its reservoir.
    pub particle_count: u32,
    /// Fluid particles that are in the reservoir at the start.
    pub reservoir_count: u32,
    /// Particles that represent boundaries, bodies and cloths.
    pub boundary_count: u32,
    /// Particles that represent cloths; included in `boundary_count`.
    pub cloth_count: u32,
    /// Spacing of the lattice that the blocks are filled with, m.
    pub spacing: f32,
    /// Particles closer than this distance are neighbors, m.
    pub support_radius: f32,
    /// Mass of a particle, kg, in two dimensions kg/m: that of the fluid in a cell of the lattice, unless the
    /// solver defines it otherwise.
    pub particle_mass: f32,
    /// Speed of sound, m/s: an artificial one, high enough above the flow's speed to keep compression near 1 %.
    pub sound_speed: f32,
    /// Speed of sound, m/s, of the solver's water at rest; infinite where pressure does not compress it.
    pub resting_sound: f32,
    /// Length of a time step, s, as determined by the solver.
    pub time_step: f32,
}
