use glam::Vec3;

use super::time_step::largest_push;
use super::{Dimensions, Resolution, Scene, SmoothingKernel};
use crate::gpu::gpu_struct;

gpu_struct! {
    /// What every pass of the fluid knows.
    pub struct FluidParameters {
        /// Lowest corner of the box, m.
        pub box_low: [f32; 3],
        /// 1 / support radius, 1/m.
        pub inverse_radius: f32,
        /// Highest corner of the box, m.
        pub box_high: [f32; 3],
        /// s.
        pub time_step: f32,
        /// m/s².
        pub gravity: [f32; 3],
        /// Number of particles.
        pub particle_count: u32,
        /// Particle mass · normalisation, kg/m³: times a sum of shapes it is a density.
        pub density_scale: f32,
        /// Particle mass · normalisation / radius², kg/m⁵: times shape'(q) / q and an offset it is mass · ∇W.
        pub gradient_scale: f32,
        /// kg/m³.
        pub rest_density: f32,
        /// B of Tait's equation, Pa.
        pub stiffness: f32,
        /// 2 α c h of Monaghan's artificial viscosity, m²/s.
        pub viscosity_scale: f32,
        /// 0.01 h², m²: keeps the viscosity of close pairs finite.
        pub viscosity_floor: f32,
        /// What the closed form of the walls is multiplied with.
        pub wall_factor: f32,
        /// Fills the struct to a multiple of 16 bytes.
        pub padding: u32,
    }
}

impl FluidParameters {
    pub(super) fn new(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> Self {
        let material = &scene.material;
        let radius = f64::from(resolution.support_radius);
        let sound_speed = f64::from(resolution.sound_speed);
        let density_scale = f64::from(resolution.particle_mass) * kernel.normalisation(Dimensions::Three, radius);
        Self {
            box_low: scene.low.to_array(),
            inverse_radius: radius.recip() as f32,
            box_high: scene.high.to_array(),
            time_step: resolution.time_step,
            gravity: scene.gravity.to_array(),
            particle_count: resolution.particle_count,
            density_scale: density_scale as f32,
            gradient_scale: (density_scale / (radius * radius)) as f32,
            rest_density: material.rest_density,
            stiffness: (f64::from(material.rest_density) * sound_speed * sound_speed / 7.0) as f32,
            viscosity_scale: (f64::from(material.viscosity) * sound_speed * radius) as f32,
            viscosity_floor: (0.0025 * radius * radius) as f32,
            wall_factor: resolution.wall_factor,
            padding: 0,
        }
    }
}

/// A pointer that drags water along: every particle within `radius` of its ray is pulled towards `velocity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Where the ray begins: the camera, m.
    pub origin: Vec3,
    /// Where it points; of length 1.
    pub direction: Vec3,
    /// What the water is dragged towards, m/s. Taken no faster than the scene's water is expected to be.
    pub velocity: Vec3,
    /// Distance from the ray at which the push has faded to nothing, m.
    pub radius: f32,
}

gpu_struct! {
    /// A push as shaders see it.
    pub struct PushParameters {
        /// m.
        pub origin: [f32; 3],
        /// 1/m.
        pub inverse_radius: f32,
        /// Of length 1.
        pub direction: [f32; 3],
        /// 1/s: how fast the velocity is taken on; zero when nothing pushes.
        pub rate: f32,
        /// m/s.
        pub velocity: [f32; 3],
        /// m/s²: what the time step bears.
        pub largest_acceleration: f32,
    }
}

/// Times a second that a particle in the middle of a push takes on its velocity.
const PUSH_RATE: f32 = 20.0;

impl PushParameters {
    /// `push`, held to what the step of `resolution` bears.
    pub(super) fn new(scene: &Scene, resolution: &Resolution, push: Option<Push>) -> Self {
        let finite = |push: &Push| {
            push.origin.is_finite() && push.direction.is_finite() && push.velocity.is_finite() && push.radius > 0.0
        };
        let Some(push) = push.filter(finite) else { return Self::default() };
        let fastest = resolution.sound_speed / scene.material.sound_speed_factor;
        let largest = largest_push(f64::from(resolution.time_step), f64::from(resolution.support_radius));
        Self {
            origin: push.origin.to_array(),
            inverse_radius: push.radius.recip(),
            direction: push.direction.to_array(),
            rate: PUSH_RATE,
            velocity: push.velocity.clamp_length_max(fastest).to_array(),
            largest_acceleration: largest as f32,
        }
    }
}
