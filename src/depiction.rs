//! Translates a simulation into the renderer's input (particles, solids, cells, color range), for the window and for
//! pictures drawn off screen.

use std::f32::consts::PI;
use std::sync::Arc;

use glam::{UVec3, Vec3};

use crate::fluid::solids::{Mover, RigidView, SheetView, SolidView};
use crate::fluid::{Dimensions, FluidError, Mesh, Resolution, Scene, Simulation};
use crate::gpu::{Gpu, Pass};
use crate::render::{
    CellEdges, ColorField, DensityScale, DrawStyle, Drawn, DrawnCloth, DrawnFoam, DrawnParticles, DrawnSolid,
    FieldScale, Lighting, Look, LookCells, Oklab, SolidStyle, Splatting, Surface, Surroundings, Theme,
};

/// Returns the field that is drawn when `field` is selected. Solvers that are not fluids (the repulsion solver) have no
/// density, so the number of neighbors is drawn in its place.
pub fn shown_field(field: ColorField, scene: &Scene) -> ColorField {
    if scene.solver.is_fluid() { field } else { field.without_density() }
}

/// The range of values that a field's colors span, in the field's unit. It depends on scene and resolution only, so
/// that a color means the same value throughout a run.
pub fn field_range(field: ColorField, scene: &Scene, resolution: &Resolution) -> (f32, f32) {
    // On a lattice the expected number of neighbors is the volume of the support sphere (or disk) divided by the volume
    // of a particle. The lower bound is for the repulsion solver, whose radius is one spacing by default: in a dense
    // packing a sphere touches twelve others of its size.
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

/// Which aspects of a simulation are drawn, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depiction {
    /// How the water is drawn.
    pub style: DrawStyle,
    /// How the particles of clear water are drawn.
    pub splatting: Splatting,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// Brightness of the surroundings.
    pub theme: Theme,
    /// The field that the water's colors show.
    pub field: ColorField,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: bool,
}

impl Depiction {
    /// Whether the picture shows the values of the field, so that a legend explains it. Clear water shows no colors
    /// that look like water anyway.
    pub fn shows_field(&self) -> bool {
        self.style != DrawStyle::Water || !self.field.looks_like_water()
    }
}

/// Computes what a picture of a simulation needs besides its state: the smoothed positions of clear water.
///
/// # Errors
/// When a shader does not compile, or the device has no memory for the buffer.
pub fn prepare(gpu: &Gpu, simulation: &mut Simulation, depiction: Depiction) -> Result<(), FluidError> {
    if depiction.style == DrawStyle::Water {
        simulation.make_smoothed_positions()?;
        gpu.submit(|encoder| simulation.record_smoothed_positions(encoder, None));
    }
    Ok(())
}

/// The passes that [`prepare`] has made, for timing: water that moves needs them for each picture.
pub fn preparing_passes(simulation: &Simulation, depiction: Depiction) -> &[Pass] {
    if depiction.style == DrawStyle::Water { simulation.smoothing_passes() } else { &[] }
}

/// Returns the renderer's settings and its input for a simulation, whose clear water is drawn at smoothed positions
/// where there are any ([`prepare`]).
pub fn depict(simulation: &Simulation, depiction: Depiction) -> (Look, Drawn<'_>) {
    let Depiction { style, splatting, solids, theme, field, cell_edges } = depiction;
    let scene = simulation.scene();
    let resolution = simulation.resolution();
    let field = shown_field(field, scene);
    let (low, high) = field_range(field, scene, resolution);
    let cells = drawn_cells(simulation);
    // Walls may have been moved inward.
    let [box_low, box_high] = simulation.walls();
    let look = Look {
        style,
        splatting,
        solids,
        surroundings: Surroundings::default(),
        lighting: Lighting::default(),
        theme,
        field,
        low,
        high,
        particle_radius: Look::particle_radius_of(resolution.spacing),
        densities: scene.solver.is_fluid().then(|| density_scale(simulation)),
        box_low,
        box_high,
        cells,
        cell_edges: if cell_edges { CellEdges::All } else { CellEdges::Off },
        cut: None,
        blink: 0.0,
    };
    let particles = simulation.particles();
    let particles = DrawnParticles {
        count: particles.count,
        fluid_count: particles.fluid_count,
        parked_beyond: particles.parked_beyond,
        positions: particles.positions,
        smoothed: simulation.smoothed_positions(),
        velocities: particles.velocities,
        densities: particles.densities,
        neighbor_counts: particles.neighbor_counts,
        candidate_counts: particles.candidate_counts,
    };
    let (solids, cloths) = drawn_solids(simulation, field);
    let foam = simulation.foam().map(|foam| DrawnFoam {
        first: foam.first,
        positions: foam.positions,
        velocities: foam.velocities,
        places: foam.places,
        arguments: foam.arguments,
    });
    (look, Drawn { solids, cloths, foam, ..Drawn::from(particles) })
}

/// Returns the densities of a single particle and of one inside the water.
fn density_scale(simulation: &Simulation) -> DensityScale {
    let scene = simulation.scene();
    // The kernel's shape is 1 at the center.
    let alone = simulation.resolution().density_scale(scene, simulation.settings().kernel);
    DensityScale { alone: alone as f32, inside: scene.material.rest_density }
}

impl Surface for Mesh {
    fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

/// Returns the rigid solids and the sheets in their current state. Those that water moves have the colors of
/// consecutive bodies.
fn drawn_solids(simulation: &Simulation, field: ColorField) -> (Vec<DrawnSolid>, Vec<DrawnCloth<'_>>) {
    let (mut solids, mut cloths) = (Vec::new(), Vec::new());
    let mut colors = (0..).map(|index| body_color(index, field));
    let mut next_color = || colors.next().unwrap_or_default();
    for view in simulation.solid_views() {
        match view {
            SolidView::Rigid(RigidView { surface, rotation, translation, mover }) => {
                let color = match mover {
                    Mover::Nothing => boundary_color(field),
                    Mover::Scene => machine_color(field),
                    Mover::Forces => next_color(),
                };
                solids.push(DrawnSolid { surface: Arc::<Mesh>::clone(surface), rotation, translation, color });
            }
            SolidView::Sheet(SheetView { columns, rows, positions, first, .. }) => {
                cloths.push(DrawnCloth { columns, rows, positions, first, color: next_color() });
            }
        }
    }
    (solids, cloths)
}

/// Color of solids that belong to the tank (pale stone), linear RGB.
fn boundary_color(field: ColorField) -> Vec3 {
    Oklab::from_lch(0.78, vividness(field) * 0.035, 75.0).to_linear_in_gamut()
}

/// Color of solids that the scene moves, such as the board of a wave maker (slate), linear RGB: they are parts of the
/// tank, often its largest, and should not draw the eye away from the water.
fn machine_color(field: ColorField) -> Vec3 {
    Oklab::from_lch(0.63, vividness(field) * 0.022, 235.0).to_linear_in_gamut()
}

/// Oklab lightness, chroma and hue (degrees) of bodies: warm, so that they contrast with the water, and ordered so that
/// consecutive colors differ clearly.
const BODY_COLORS: [(f32, f32, f32); 6] = [
    // Coral, amber, crimson, cream, terracotta and pink.
    (0.71, 0.155, 38.0),
    (0.83, 0.135, 80.0),
    (0.60, 0.185, 20.0),
    (0.90, 0.065, 88.0),
    (0.60, 0.105, 52.0),
    (0.79, 0.105, 8.0),
];

/// Color of body `index` of a scene, linear RGB. Solids of other kinds continue the numbering of the bodies.
pub fn body_color(index: usize, field: ColorField) -> Vec3 {
    let (lightness, chroma, hue) = BODY_COLORS[index % BODY_COLORS.len()];
    Oklab::from_lch(lightness, vividness(field) * chroma, hue).to_linear_in_gamut()
}

/// Factor on the chroma of solids. It is small for fields whose values are read from colors, because the color of a
/// solid encodes no value.
fn vividness(field: ColorField) -> f32 {
    if field.looks_like_water() { 1.0 } else { 0.25 }
}

/// The search's cells in the renderer's format. A search without cells is drawn as a single cell.
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

/// Whether the search has cells, and few enough of them for their edges to be drawn.
pub fn has_drawable_cells(simulation: &Simulation) -> bool {
    simulation.search_cells().is_some() && drawn_cells(simulation).drawable_count().is_some()
}
