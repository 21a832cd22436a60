//! The particles of a solid: an even layer half a spacing below its surface.

use glam::{DVec3, Vec3};

use super::mesh::Mesh;
use super::point_grid::PointGrid;
use super::tree::TriangleTree;
use super::triangle::Triangle;
use crate::fluid::FluidError;

/// Largest number of boundary particles, which is about what one binding of a graphics card holds.
pub(in crate::fluid) const MOST_SAMPLES: u64 = 1 << 24;
/// Smallest distance between samples, in spacings.
const APART: f32 = 0.8;
/// Smallest initial distance of fluid from a sample, in spacings: at one spacing the fluid has the rest density.
const CLEARANCE: f32 = 0.9;
/// Steps of the lattices that are laid over a triangle one after the other, in spacings: later ones fill the gaps of
/// earlier ones.
const LATTICES: [f64; 3] = [1.0, 0.5, 0.25];

/// The particles of a solid with closed surfaces, in its own frame.
pub struct SurfaceSamples {
    grid: PointGrid,
    tree: TriangleTree,
    spacing: f32,
}

impl SurfaceSamples {
    /// Covers the surfaces of one solid evenly and reproducibly, as far as they lie in the box. Also returns the
    /// number of the first surface that gets no particle, if any. `spacing` and the lowest and highest corner of the
    /// box are in m.
    ///
    /// # Errors
    /// When there would be too many particles.
    pub fn new(surfaces: &[Mesh], spacing: f32, bounds: (Vec3, Vec3)) -> Result<(Self, Option<usize>), FluidError> {
        let squares: f64 = surfaces.iter().map(|surface| surface_squares(surface, spacing.into())).sum();
        if squares > MOST_SAMPLES as f64 {
            return Err(FluidError::TooManyBoundaryParticles { count: squares as u64, limit: MOST_SAMPLES });
        }
        let mut whole = Mesh::default();
        for surface in surfaces {
            let count = whole.vertices.len() as u32;
            whole.vertices.extend(&surface.vertices);
            whole.triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| corner + count)));
        }
        let tree = TriangleTree::new(&whole);
        let (low, high) = whole.bounds();
        let mut grid = PointGrid::new(low, high, spacing);
        let mut without = None;
        for (number, surface) in surfaces.iter().enumerate() {
            let before = grid.points.len();
            cover(&mut grid, &tree, surface, spacing, bounds);
            if grid.points.len() == before {
                without = without.or(Some(number));
            }
        }
        Ok((Self { grid, tree, spacing }, without))
    }

    /// Positions of the particles, m, in a reproducible order.
    pub fn points(&self) -> &[Vec3] {
        &self.grid.points
    }

    /// Whether no fluid may start at a position, because the solid is there or too near.
    pub fn takes(&self, place: DVec3) -> bool {
        self.grid.near(place.as_vec3(), CLEARANCE * self.spacing).next().is_some() || self.is_inside(place)
    }

    /// Whether a position lies in the solid.
    pub fn is_inside(&self, place: DVec3) -> bool {
        self.tree.is_inside(place)
    }
}

/// Area of the surface in units of the squared spacing.
fn surface_squares(surface: &Mesh, spacing: f64) -> f64 {
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).as_dvec3().cross((c - a).as_dvec3()).length();
    surface.corners().map(area).sum::<f64>() / (spacing * spacing)
}

/// Adds the samples of one surface of the solid in `tree`, as far as they lie in the box.
fn cover(grid: &mut PointGrid, tree: &TriangleTree, surface: &Mesh, spacing: f32, (low, high): (Vec3, Vec3)) {
    let deepest = 0.5 * f64::from(spacing);
    let apart = APART * spacing;
    for step in LATTICES.map(|share| share * f64::from(spacing)) {
        for corners in surface.corners() {
            let Some(triangle) = Triangle::new(corners) else { continue };
            triangle.for_each_place(step, |place| {
                let is_free = |grid: &PointGrid, sample: DVec3| grid.near(sample.as_vec3(), apart).next().is_none();
                let usual = place - deepest * triangle.normal;
                if !is_free(grid, usual) {
                    return;
                }
                // The thickness of the solid, from a ray that starts just below the surface.
                let skin = 1e-3 * deepest;
                let thickness = tree
                    .distance_along(place - skin * triangle.normal, -triangle.normal, 2.0 * deepest)
                    .map_or(2.0 * deepest, |rest| rest + skin);
                let depth = deepest.min(0.5 * thickness);
                let sample = place - depth * triangle.normal;
                let is_in_box = sample.as_vec3().cmpge(low).all() && sample.as_vec3().cmple(high).all();
                // Beside a convex edge a sample may be nearer to the adjacent face; it is left out, since that face
                // has a sample there.
                if is_in_box
                    && (depth >= deepest || is_free(grid, sample))
                    && !tree.is_near(sample, 0.95 * depth)
                    && !tree.is_inside(place + skin * triangle.normal)
                {
                    grid.add(sample.as_vec3());
                }
            });
        }
    }
}
