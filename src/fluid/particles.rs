//! The state of the particles between steps: positions and velocities.

use super::resolving::RADII;
use super::{FluidError, Resolution, Scene, Size, lattice};
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

/// Refuses a size with more particles than the device holds before anything is computed from it.
///
/// # Errors
/// When one binding of the device cannot hold that many particles.
pub(super) fn check_size(gpu: &Gpu, scene: &Scene, size: Size) -> Result<(), FluidError> {
    check_size_within(most_particles(gpu), scene, size)
}

/// The same for a device that holds `limit` particles.
pub(super) fn check_size_within(limit: u64, scene: &Scene, size: Size) -> Result<(), FluidError> {
    let count = match (scene.points_spacing(), size) {
        (Some(spacing), _) => lattice::count(scene, spacing),
        // Without fluid the size is that of solids.
        _ if !scene.has_fluid() => 0,
        (None, Size::Count(count)) => count.into(),
        (None, Size::Radius(radius)) if RADII.contains(&radius) => lattice::count(scene, radius / scene.radius_ratio()),
        (None, Size::Radius(_)) => 0,
    };
    // Whole layers and room for solids may leave far fewer particles than these; the exact number is checked later.
    if count / 2 > limit { Err(FluidError::TooManyParticles { count, limit }) } else { Ok(()) }
}

/// Number of particles that one binding of the device holds. Positions are the largest single binding of the fluid and
/// of every search.
fn most_particles(gpu: &Gpu) -> u64 {
    gpu.capabilities.largest_binding_bytes() / size_of::<[f32; 4]>() as u64
}

impl ParticleState {
    /// Allocates the buffers for the particles of `resolution`.
    ///
    /// # Errors
    /// When one binding of the device cannot hold that many particles, or the device has no memory for them.
    pub(super) fn new(gpu: &Gpu, resolution: &Resolution) -> Result<Self, FluidError> {
        let limit = most_particles(gpu);
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
