//! What a step of foam has done, read back for checks against numbers in double precision.

use glam::Vec3;

use super::Foam;
use crate::fluid::FluidError;
use crate::fluid::particles::ParticleState;
use crate::gpu::{Gpu, read_buffer};

/// What a particle of the water makes.
pub(crate) struct FoamSource {
    /// Number of diffuse particles.
    pub births: u32,
    /// Their life, s.
    pub life: f32,
    /// Their class, as in parameters.wgsl.
    pub class: u32,
}

/// A diffuse particle.
pub(crate) struct DiffuseParticle {
    /// m/s.
    pub velocity: Vec3,
    /// Its class, as in parameters.wgsl.
    pub class: u32,
}

/// What the last step of foam has done.
#[derive(Default)]
pub(crate) struct FoamWork {
    /// Place, m, and velocity, m/s, of each particle of the water.
    pub water: Vec<(Vec3, Vec3)>,
    /// What each of them makes, in the same order.
    pub sources: Vec<FoamSource>,
    /// All places for diffuse particles.
    pub diffuse: Vec<DiffuseParticle>,
}

impl Foam {
    /// What the last step of foam has done. Waits for the device.
    ///
    /// # Errors
    /// When the device is lost.
    pub(in crate::fluid) fn work(&self, gpu: &Gpu, state: &ParticleState) -> Result<FoamWork, FluidError> {
        let (count, end) = (state.count as usize, (self.first() + self.capacity()) as usize);
        let positions: Vec<[f32; 4]> = read_buffer(gpu, &state.positions, count)?;
        let velocities: Vec<[f32; 4]> = read_buffer(gpu, &state.velocities, count)?;
        // After the scan each number is that of all births before.
        let before: Vec<u32> = read_buffer(gpu, &self.buffers.births, count + 1)?;
        let parents: Vec<[f32; 2]> = read_buffer(gpu, &self.buffers.parents, count)?;
        let of_foam: Vec<[f32; 4]> = read_buffer(gpu, &self.buffers.velocities, end)?;
        let mut work = FoamWork::default();
        for index in (0..count).filter(|&index| velocities[index][3].to_bits() < state.fluid_count) {
            let [life, class] = parents[index];
            work.water.push((Vec3::from_slice(&positions[index][..3]), Vec3::from_slice(&velocities[index][..3])));
            work.sources.push(FoamSource { births: before[index + 1] - before[index], life, class: class as u32 });
        }
        let diffuse = of_foam[count..].iter();
        work.diffuse = diffuse
            .map(|words| DiffuseParticle { velocity: Vec3::from_slice(&words[..3]), class: words[3] as u32 })
            .collect();
        Ok(work)
    }
}
