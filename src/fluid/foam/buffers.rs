//! The arrays of foam. The particles of the simulation come first in those that the search reads, and the diffuse ones
//! after them; the state of the diffuse particles is in these places from step to step.
//!
//! Memory: for each particle of the simulation and for each place of a diffuse one, 64 bytes, the search's own, and 20
//! bytes (36 where there are solids) where the search deposits; besides 12 bytes for each particle of the simulation
//! and 8 for each place.

use crate::fluid::FluidError;
use crate::gpu::{Gpu, element_bytes};

/// Words of the device's `Control`.
pub(super) const CONTROL_WORDS: usize = 4;
/// Floats of the largest sum of the pair kernels, without and with solids.
const SUM_FLOATS: [u64; 2] = [5, 9];

/// The arrays of foam.
pub(super) struct FoamBuffers {
    /// xyz in m; of diffuse particles also the remaining life in s; len = particles and places.
    pub positions: wgpu::Buffer,
    /// xyz in m/s, and the kind; len = particles and places.
    pub velocities: wgpu::Buffer,
    /// The same in the order of the search's build.
    pub sorted_velocities: wgpu::Buffer,
    /// Normals of the surface and the sum of approaching speeds, in the order of the search's build.
    pub surfaces: wgpu::Buffer,
    /// Sums that a depositing search accumulates.
    pub deposits: Option<wgpu::Buffer>,
    /// Number of diffuse particles that each particle makes, and one more for their sum.
    pub births: wgpu::Buffer,
    /// Life and kind of the diffuse particles that each particle makes.
    pub parents: wgpu::Buffer,
    /// Marks of free places, and after the scan the number of free places before each, and one more for their sum.
    pub ranks: wgpu::Buffer,
    /// The number of the step, and the numbers of particles of each class.
    pub control: wgpu::Buffer,
    /// The places of the diffuse particles that there are.
    pub drawn: wgpu::Buffer,
    /// Arguments of the indirect draw of as many instances.
    pub arguments: wgpu::Buffer,
}

impl FoamBuffers {
    /// Allocates the arrays for `particles` of the simulation and `capacity` diffuse ones.
    ///
    /// # Errors
    /// When they exceed a binding of the device, or its memory.
    pub(super) fn new(
        gpu: &Gpu,
        (particles, capacity): (u32, u32),
        (deposits, has_solids): (bool, bool),
    ) -> Result<Self, FluidError> {
        let both = u64::from(particles) + u64::from(capacity);
        let floats = SUM_FLOATS[usize::from(has_solids)];
        let made = || gpu.storage::<f32>("deposits of foam", both * floats);
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("positions with foam", both)?,
            velocities: gpu.storage::<[f32; 4]>("velocities with foam", both)?,
            sorted_velocities: gpu.storage::<[f32; 4]>("velocities with foam in sorted order", both)?,
            surfaces: gpu.storage::<[f32; 4]>("surface normals", both)?,
            deposits: deposits.then(made).transpose()?,
            births: gpu.storage::<u32>("births of foam", u64::from(particles) + 1)?,
            parents: gpu.storage::<[f32; 2]>("parents of foam", particles.into())?,
            ranks: gpu.storage::<u32>("ranks of free places", u64::from(capacity) + 1)?,
            control: gpu.storage::<u32>("control of foam", CONTROL_WORDS as u64)?,
            drawn: gpu.storage::<u32>("drawn foam", capacity.into())?,
            arguments: gpu.storage::<u32>("arguments of drawn foam", 4)?,
        })
    }

    /// Refuses so many diffuse particles that the largest array would exceed a binding of the device.
    ///
    /// # Errors
    /// When it would.
    pub(super) fn check(
        gpu: &Gpu,
        (particles, capacity): (u32, u32),
        (deposits, has_solids): (bool, bool),
    ) -> Result<(), FluidError> {
        let floats = if deposits { SUM_FLOATS[usize::from(has_solids)].max(4) } else { 4 };
        let most = gpu.capabilities.largest_binding_bytes() / element_bytes::<f32>(floats);
        let limit = most.saturating_sub(particles.into());
        if u64::from(capacity) > limit {
            return Err(FluidError::TooMuchFoam { capacity, particles, limit });
        }
        Ok(())
    }
}
