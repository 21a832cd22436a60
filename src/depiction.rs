//! How a simulation is depicted: what the renderer is told of it, in the window and off screen alike.

use std::f32::consts::PI;

use glam::UVec3;

use crate::fluid::{Dimensions, Resolution, Scene, Simulation};
use crate::render::{ColorField, DrawStyle, DrawnParticles, FieldScale, Look, LookCells};

/// The field that is shown where `field` is asked for: what only repels has no density, and shows how many neighbors it
/// has instead.
pub fn shown_field(field: ColorField, scene: &Scene) -> ColorField {
    if field == ColorField::Density && !scene.solver.is_fluid() { ColorField::NeighborCount } else { field }
}

/// The range of values that a field's colours span, in the field's unit: fixed by scene and resolution, so that a
/// colour means the same throughout a run.
pub fn field_range(field: ColorField, scene: &Scene, resolution: &Resolution) -> (f32, f32) {
    // A particle of the lattice sees those within the radius: the sphere's (or disk's) volume over a particle's.
    // Where it is no lattice's, as of what repels, spheres of one size touch up to twelve.
    let ratio = (resolution.support_radius / resolution.spacing).max(1.42);
    let neighbors = match scene.dimensions {
        Dimensions::Two => PI * ratio.powi(2),
        Dimensions::Three => 4.0 / 3.0 * PI * ratio.powi(3),
    };
    let rest_density = if scene.solver.is_fluid() {
        scene.material.rest_density
    } else {
        resolution.particle_mass / resolution.spacing.powi(scene.dimensions.count() as i32)
    };
    field.default_range(&FieldScale {
        rest_density,
        expected_speed: resolution.sound_speed / scene.material.sound_speed_factor,
        expected_neighbor_count: neighbors,
        particle_count: resolution.particle_count,
    })
}

/// What of a simulation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depiction {
    /// How the water is drawn.
    pub style: DrawStyle,
    /// What its colours show.
    pub field: ColorField,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: bool,
}

/// What a renderer draws of a simulation so depicted.
pub fn depict(simulation: &Simulation, depiction: Depiction) -> (Look, DrawnParticles<'_>) {
    let Depiction { style, field, cell_edges } = depiction;
    let scene = simulation.scene();
    let resolution = simulation.resolution();
    let field = shown_field(field, scene);
    let (low, high) = field_range(field, scene, resolution);
    let cells = drawn_cells(simulation);
    let look = Look {
        style,
        field,
        low,
        high,
        particle_radius: Look::particle_radius_of(resolution.spacing),
        box_low: scene.low,
        box_high: scene.high,
        cells,
        cell_edges,
    };
    let particles = simulation.particles();
    let drawn = DrawnParticles {
        count: particles.count,
        fluid_count: particles.fluid_count,
        parked_beyond: particles.parked_beyond,
        positions: particles.positions,
        velocities: particles.velocities,
        densities: particles.densities,
        neighbor_counts: particles.neighbor_counts,
        candidate_counts: particles.candidate_counts,
    };
    (look, drawn)
}

/// The search's cells as the renderer takes them; a search without any is drawn as if it had one.
fn drawn_cells(simulation: &Simulation) -> LookCells {
    let scene = simulation.scene();
    simulation.search_cells().map_or(
        LookCells { origin: scene.low, size: scene.high - scene.low, counts: UVec3::ONE, border: 0.0 },
        |cells| LookCells {
            origin: cells.origin,
            size: cells.size,
            counts: cells.counts,
            border: cells.border.unwrap_or(0.0),
        },
    )
}

/// Whether the search has cells, and so few that their edges can be drawn.
pub fn has_drawable_cells(simulation: &Simulation) -> bool {
    simulation.search_cells().is_some() && drawn_cells(simulation).drawable_count().is_some()
}
