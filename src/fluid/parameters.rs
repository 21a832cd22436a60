use glam::Vec3;

use super::boundary::{WALL_LAYERS, Wall};
use super::cohesion::cohesion_strength;
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
        /// Number of particles, of boundaries too.
        pub particle_count: u32,
        /// What the central gravity pulls towards, m.
        pub center: [f32; 3],
        /// How strongly, 1/s².
        pub center_strength: f32,
        /// Particle mass · normalisation, kg/m³: times a sum of shapes it is a density.
        pub density_scale: f32,
        /// Particle mass · normalisation / radius², kg/m⁵: times shape'(q) / q and an offset it is mass · ∇W.
        pub gradient_scale: f32,
        /// kg/m³.
        pub rest_density: f32,
        /// B of Tait's equation, Pa.
        pub stiffness: f32,
        /// 2 α c h of Monaghan's artificial viscosity, m²/s: between particles that approach each other.
        pub approach_viscosity: f32,
        /// 4 (d + 2) ν of the kinematic viscosity, m²/s: between all.
        pub viscosity: f32,
        /// 0.01 h², m²: keeps the viscosity of close pairs finite.
        pub viscosity_floor: f32,
        /// XSPH's share of the neighbors' velocity.
        pub xsph: f32,
        /// What a pair's cohesion is multiplied with, m/s².
        pub cohesion: f32,
        /// 1 / spacing, 1/m.
        pub inverse_spacing: f32,
        /// Distance from which on walls are not felt, spacings.
        pub wall_reach: f32,
        /// How many of them are the fluid's: those with the lowest original indices.
        pub fluid_count: u32,
        /// As `Wall` says.
        pub wall_pieces: [[f32; 4]; WALL_LAYERS],
    }
}

impl FluidParameters {
    pub(super) fn new(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> Self {
        let (material, dimensions) = (&scene.material, scene.dimensions);
        let radius = f64::from(resolution.support_radius);
        let spacing = f64::from(resolution.spacing);
        let sound_speed = f64::from(resolution.sound_speed);
        let density_scale = f64::from(resolution.particle_mass) * kernel.normalisation(dimensions, radius);
        // Particles that repel each other have walls of their own.
        let is_fluid = scene.solver.is_fluid();
        let wall = if is_fluid { Wall::new(kernel, dimensions, radius / spacing) } else { Wall::default() };
        let (low, high) = scene.bounds(resolution.support_radius);
        let mut center = scene.central_gravity.center;
        if dimensions == Dimensions::Two {
            center.z = scene.plane();
        }
        Self {
            box_low: low.to_array(),
            inverse_radius: radius.recip() as f32,
            box_high: high.to_array(),
            time_step: resolution.time_step,
            gravity: scene.gravity.to_array(),
            particle_count: resolution.particle_count + resolution.boundary_count,
            center: center.to_array(),
            center_strength: scene.central_gravity.strength,
            density_scale: density_scale as f32,
            gradient_scale: (density_scale / (radius * radius)) as f32,
            rest_density: material.rest_density,
            stiffness: (f64::from(material.rest_density) * sound_speed * sound_speed / 7.0) as f32,
            approach_viscosity: (f64::from(material.viscosity) * sound_speed * radius) as f32,
            viscosity: (4.0 * (dimensions.count() + 2.0) * f64::from(material.kinematic_viscosity)) as f32,
            viscosity_floor: (0.0025 * radius * radius) as f32,
            xsph: material.xsph,
            cohesion: cohesion_strength(scene, resolution) as f32,
            inverse_spacing: spacing.recip() as f32,
            wall_reach: wall.reach,
            fluid_count: resolution.particle_count,
            wall_pieces: wall.pieces,
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
        let in_plane = if scene.dimensions == Dimensions::Two { Vec3::new(1.0, 1.0, 0.0) } else { Vec3::ONE };
        let largest = largest_push(f64::from(resolution.time_step), f64::from(resolution.support_radius));
        Self {
            origin: push.origin.to_array(),
            inverse_radius: push.radius.recip(),
            direction: push.direction.to_array(),
            rate: PUSH_RATE,
            velocity: (push.velocity * in_plane).clamp_length_max(fastest).to_array(),
            largest_acceleration: largest as f32,
        }
    }
}
