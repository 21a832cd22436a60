//! The state of the particles between steps: positions and velocities.

use super::{FluidError, Resolution};
use crate::gpu::Gpu;

/// The particles' state between steps: the search's input.
pub(super) struct ParticleState {
    /// xyz in m; len = `particle_count`.
    pub positions: wgpu::Buffer,
    /// xyz in m/s, bits of the original index; len = `particle_count`.
    pub velocities: wgpu::Buffer,
    /// Number of particles, including those of solids.
    pub count: u32,
    /// Number of fluid particles, which have the lowest original indices.
    pub fluid_count: u32,
}

impl ParticleState {
    /// Allocates the buffers for the particles of `resolution`.
    ///
    /// # Errors
    /// When one binding of the device cannot hold that many particles, or the device has no memory for them.
    pub(super) fn new(gpu: &Gpu, resolution: &Resolution) -> Result<Self, FluidError> {
        // Positions are the largest single binding of the fluid and of every search.
        let limit = gpu.capabilities.largest_binding_bytes() / size_of::<[f32; 4]>() as u64;
        let count = u64::from(resolution.particle_count) + u64::from(resolution.boundary_count);
        if count > limit {
            return Err(FluidError::TooManyParticles { count, limit });
        }
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("positions", count)?,
            velocities: gpu.storage::<[f32; 4]>("velocities", count)?,
            count: count as u32,
            fluid_count: resolution.particle_count,
        })
    }
}
