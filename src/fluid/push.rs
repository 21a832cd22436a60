//! The pointer's push on the fluid.

use glam::Vec3;

use super::smoothing_kernel::Dimensions;
use crate::gpu::gpu_struct;

/// A pointer that drags fluid along and draws it near: every particle within `radius` of its ray is accelerated towards
/// `velocity`, and towards the ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Origin of the ray, which is the position of the camera, m.
    pub origin: Vec3,
    /// Direction of the ray; of length 1.
    pub direction: Vec3,
    /// Velocity that the fluid is accelerated towards, m/s; limited to the expected speed of the scene's fluid.
    pub velocity: Vec3,
    /// Distance from the ray at which the push has decreased to zero, m.
    pub radius: f32,
    /// Speed towards the ray that fluid at the distance `radius` is accelerated towards, m/s; nearer to the ray it is
    /// proportionally smaller. Negative values drive the fluid away from the ray.
    pub inward: f32,
    /// Factor on the rate of the acceleration; 1 by default.
    pub strength: f32,
}

impl Default for Push {
    fn default() -> Self {
        Self {
            origin: Vec3::ZERO,
            direction: Vec3::NEG_Z,
            velocity: Vec3::ZERO,
            radius: 0.0,
            inward: 0.0,
            strength: 1.0,
        }
    }
}

gpu_struct! {
    /// A push in the layout of the shaders.
    pub struct PushParameters {
        /// m.
        pub origin: [f32; 3],
        /// 1 / radius, 1/m.
        pub inverse_radius: f32,
        /// Of length 1.
        pub direction: [f32; 3],
        /// Rate of relaxation towards the velocity, 1/s; zero where there is no push.
        pub rate: f32,
        /// m/s.
        pub velocity: [f32; 3],
        /// Largest acceleration at which the time step is stable, m/s².
        pub largest_acceleration: f32,
        /// Along each axis, the wanted speed towards the ray divided by the distance from it in radii, m/s.
        pub inward: [f32; 3],
        /// Unused.
        pub padding: u32,
    }
}

/// Limits of a push in a simulation.
#[derive(Clone, Copy)]
pub(super) struct PushLimits {
    /// Dimensions of the scene.
    pub dimensions: Dimensions,
    /// Speed that the fluid is expected to reach, m/s.
    pub fastest: f32,
    /// m/s².
    pub largest_acceleration: f32,
}

/// Rate at which a particle in the center of a push relaxes towards the velocity of the push, 1/s.
const PUSH_RATE: f32 = 20.0;

impl PushParameters {
    /// The parameters of `push`, within the limits.
    pub(super) fn new(push: Option<Push>, limits: PushLimits) -> Self {
        let finite = |push: &Push| {
            push.origin.is_finite()
                && push.direction.is_finite()
                && push.velocity.is_finite()
                && push.radius > 0.0
                && push.inward.is_finite()
                && push.strength.is_finite()
                && push.strength >= 0.0
        };
        let Some(push) = push.filter(finite) else { return Self::default() };
        let in_plane = if limits.dimensions == Dimensions::Two { Vec3::new(1.0, 1.0, 0.0) } else { Vec3::ONE };
        Self {
            origin: push.origin.to_array(),
            inverse_radius: push.radius.recip(),
            direction: push.direction.to_array(),
            rate: PUSH_RATE * push.strength,
            velocity: (push.velocity * in_plane).clamp_length_max(limits.fastest).to_array(),
            largest_acceleration: limits.largest_acceleration,
            inward: (push.inward.clamp(-limits.fastest, limits.fastest) * in_plane).to_array(),
            padding: 0,
        }
    }
}
