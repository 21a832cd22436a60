//! How a simulation is depicted: what the renderer is told of it, in the window and off screen alike.

use crate::fluid::{Resolution, Scene, Simulation};
use crate::render::{ColorField, DrawStyle, DrawnParticles, FieldScale, Look};

/// The range of values that a field's colours span, in the field's unit: fixed by scene and resolution, so that a
/// colour means the same throughout a run.
pub fn field_range(field: ColorField, scene: &Scene, resolution: &Resolution) -> (f32, f32) {
    // A particle of the lattice sees those within the radius: the sphere's volume over a particle's.
    let neighbors = 4.0 / 3.0 * std::f32::consts::PI * (resolution.support_radius / resolution.spacing).powi(3);
    field.default_range(&FieldScale {
        rest_density: scene.material.rest_density,
        expected_speed: resolution.sound_speed / scene.material.sound_speed_factor,
        expected_neighbor_count: neighbors,
        particle_count: resolution.particle_count,
    })
}

/// What a renderer draws of a simulation in that style, coloured by `field`.
pub fn depict(simulation: &Simulation, field: ColorField, style: DrawStyle) -> (Look, DrawnParticles<'_>) {
    let scene = simulation.scene();
    let resolution = simulation.resolution();
    let (low, high) = field_range(field, scene, resolution);
    let cells = simulation.search_cells();
    let look = Look {
        style,
        field,
        low,
        high,
        particle_radius: Look::particle_radius_of(resolution.spacing),
        box_low: scene.low,
        box_high: scene.high,
        cell_origin: cells.map_or(scene.low, |cells| cells.origin),
        cell_size: cells.map_or(scene.high - scene.low, |cells| cells.size),
    };
    let particles = simulation.particles();
    let drawn = DrawnParticles {
        count: particles.count,
        positions: particles.positions,
        velocities: particles.velocities,
        densities: particles.densities,
        neighbor_counts: particles.neighbor_counts,
    };
    (look, drawn)
}
