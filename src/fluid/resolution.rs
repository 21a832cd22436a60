use super::boundary::wall_factor;
use super::time_step::{expected_speed, time_step};
use super::{Dimensions, FluidError, Scene, SmoothingKernel, lattice};

/// The one value that couples particle count, spacing, support radius, mass, sound speed and time step: whichever of
/// them somebody moves, the others follow, and the water stays what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// Particles that the scene's blocks really hold.
    pub particle_count: u32,
    /// Distance of neighbors in the lattice that the blocks are filled with, m.
    pub spacing: f32,
    /// Distance from which on particles do not see each other, m.
    pub support_radius: f32,
    /// Mass of a particle, kg: such that the lattice reads exactly the rest density.
    pub particle_mass: f32,
    /// Speed of sound, m/s: not water's, but enough above the flow's to keep compression near 1 %.
    pub sound_speed: f32,
    /// Length of a step, s.
    pub time_step: f32,
    /// What the closed form of the walls is multiplied with, so that the lattice reads the rest density there too.
    pub wall_factor: f32,
}

impl Resolution {
    /// The resolution whose number of particles is as near as possible to `asked`. Blocks hold whole layers, so the
    /// count comes in steps.
    ///
    /// # Errors
    /// When `asked` is 0, or so small that the support radius would not fit the box.
    pub fn from_count(scene: &Scene, kernel: SmoothingKernel, asked: u32) -> Result<Self, FluidError> {
        if asked == 0 {
            return Err(FluidError::NoParticles);
        }
        let spacing = lattice::spacing_for(&scene.blocks, asked);
        Self::new(scene, kernel, spacing, spacing * scene.material.radius_ratio)
    }

    /// The resolution with that support radius, m.
    ///
    /// # Errors
    /// When `radius` is not positive and finite, does not fit the box or the blocks, or asks for more particles than
    /// 32 bits count.
    pub fn from_radius(scene: &Scene, kernel: SmoothingKernel, radius: f32) -> Result<Self, FluidError> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(FluidError::Radius(radius));
        }
        Self::new(scene, kernel, radius / scene.material.radius_ratio, radius)
    }

    fn new(scene: &Scene, kernel: SmoothingKernel, spacing: f32, radius: f32) -> Result<Self, FluidError> {
        let extent = (scene.high - scene.low).min_element();
        if radius > extent {
            return Err(FluidError::RadiusBeyondBox { radius, extent });
        }
        let count = lattice::count(&scene.blocks, spacing);
        if count == 0 {
            return Err(FluidError::RadiusBeyondBlocks { radius, spacing });
        }
        let limit = u64::from(u32::MAX);
        let particle_count = u32::try_from(count).map_err(|_| FluidError::TooManyParticles { count, limit })?;
        let material = &scene.material;
        let ratio = f64::from(radius) / f64::from(spacing);
        let sound_speed = f64::from(material.sound_speed_factor) * expected_speed(scene);
        let normalisation = kernel.normalisation(Dimensions::Three, f64::from(radius));
        let lattice_sum = normalisation * kernel.lattice_sum(Dimensions::Three, ratio);
        Ok(Self {
            particle_count,
            spacing,
            support_radius: radius,
            particle_mass: (f64::from(material.rest_density) / lattice_sum) as f32,
            sound_speed: sound_speed as f32,
            time_step: time_step(scene, f64::from(radius), sound_speed) as f32,
            wall_factor: wall_factor(kernel, ratio) as f32,
        })
    }
}
