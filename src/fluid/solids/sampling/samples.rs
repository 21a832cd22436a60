//! The particles of a solid: an even layer half a spacing below its surface.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::clip::{Bounds, area};
use super::mesh::Mesh;
use super::outline::{Outline, places_along};
use super::point_grid::PointGrid;
use super::section::{Segment, prism, section};
use super::tree::TriangleTree;
use super::triangle::Triangle;
use crate::fluid::scene::Scene;
use crate::fluid::{FluidError, lattice};

/// Largest number of boundary particles, which is about what one binding of a graphics card holds.
pub(in crate::fluid) const MOST_SAMPLES: u64 = 1 << 24;
/// Samples that a solid may have beside any water, and further ones for each particle of the water. With solids that
/// are far larger than the water, all time would be spent on them.
const SAMPLES_ANYWAY: u64 = 1 << 16;
const SAMPLES_PER_PARTICLE: u64 = 64;
/// Smallest distance between samples, in spacings.
const APART: f32 = 0.8;
/// Smallest initial distance of fluid from a sample, in spacings: at one spacing the fluid has the rest density.
const CLEARANCE: f32 = 0.9;
/// Steps of the lattices that are laid over a triangle one after the other, in spacings: later ones fill the gaps of
/// earlier ones.
const LATTICES: [f64; 3] = [1.0, 0.5, 0.25];

/// Largest number of particles of a solid in a scene.
pub(in crate::fluid) fn most_samples(scene: &Scene, spacing: f32) -> u64 {
    if !scene.has_fluid() {
        return MOST_SAMPLES;
    }
    let beside_water = SAMPLES_PER_PARTICLE.saturating_mul(lattice::count(scene, spacing));
    beside_water.saturating_add(SAMPLES_ANYWAY).min(MOST_SAMPLES)
}

/// The particles of a solid with closed surfaces, in its own frame.
pub struct SurfaceSamples {
    grid: PointGrid,
    tree: TriangleTree,
    spacing: f32,
    /// For each surface the end of the range of its particles; they follow each other.
    ends: Vec<usize>,
}

impl SurfaceSamples {
    /// Covers the surfaces of one solid evenly and reproducibly, as far as they lie in the box. Also returns the
    /// number of the first surface that gets no particle, if any. `spacing` and the lowest and highest corner of the
    /// box are in m. In two dimensions, only the sections with the plane at the z of `plane`, m, are covered.
    ///
    /// # Errors
    /// When there would be more than about 2²⁴ particles.
    pub fn new(
        surfaces: &[Mesh],
        spacing: f32,
        bounds: (Vec3, Vec3),
        plane: Option<f32>,
    ) -> Result<(Self, Option<usize>), FluidError> {
        Self::at_most(MOST_SAMPLES, surfaces, spacing, bounds, plane)
    }

    /// As [`SurfaceSamples::new`], with at most about `most` particles.
    ///
    /// # Errors
    /// When there would be more.
    pub(in crate::fluid) fn at_most(
        most: u64,
        surfaces: &[Mesh],
        spacing: f32,
        bounds: (Vec3, Vec3),
        plane: Option<f32>,
    ) -> Result<(Self, Option<usize>), FluidError> {
        let plane = plane.map(f64::from);
        // Samples lie half a spacing below the surface.
        let margin = DVec3::splat(spacing.into());
        let near = Bounds { low: bounds.0.as_dvec3() - margin, high: bounds.1.as_dvec3() + margin };
        let squares: f64 = if plane.is_some() {
            0.0
        } else {
            surfaces.iter().map(|surface| surface_squares(surface, spacing.into(), &near)).sum()
        };
        if squares > most as f64 {
            return Err(FluidError::TooManyBoundaryParticles { count: squares as u64, limit: most });
        }
        let sections: Vec<Vec<Segment>> =
            plane.map_or_else(Vec::new, |z| surfaces.iter().map(|surface| section(surface, z)).collect());
        let prisms: Vec<Mesh> =
            plane.map_or_else(Vec::new, |z| sections.iter().map(|section| prism(section, z)).collect());
        let whole = if plane.is_some() { &prisms } else { surfaces };
        let count: f64 = sections.iter().flatten().map(|segment| places_along(segment, spacing.into(), &near)).sum();
        if count > most as f64 {
            return Err(FluidError::TooManyBoundaryParticles { count: count as u64, limit: most });
        }
        Ok(Self::of(whole, spacing, bounds, |grid, tree, number| {
            let mut cover = Cover { grid, tree, spacing, bounds, near };
            match plane {
                Some(z) => cover_section(&mut cover, &sections[number], z),
                None => cover_surface(&mut cover, &surfaces[number]),
            }
        }))
    }

    /// As [`SurfaceSamples::new`], with the function that covers the surface of a number.
    fn of(
        surfaces: &[Mesh],
        spacing: f32,
        bounds: (Vec3, Vec3),
        mut cover: impl FnMut(&mut PointGrid, &TriangleTree, usize),
    ) -> (Self, Option<usize>) {
        let mut whole = Mesh::default();
        for surface in surfaces {
            let count = whole.vertices.len() as u32;
            whole.vertices.extend(&surface.vertices);
            whole.triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| corner + count)));
        }
        let tree = TriangleTree::new(&whole);
        let (low, high) = whole.bounds();
        // There are samples in the box only.
        let mut grid = PointGrid::new(low.max(bounds.0), high.min(bounds.1), spacing);
        let (mut without, mut ends) = (None, Vec::new());
        for number in 0..surfaces.len() {
            let before = grid.points.len();
            cover(&mut grid, &tree, number);
            if grid.points.len() == before {
                without = without.or(Some(number));
            }
            ends.push(grid.points.len());
        }
        (Self { grid, tree, spacing, ends }, without)
    }

    /// Positions of the particles, m, in a reproducible order.
    pub fn points(&self) -> &[Vec3] {
        &self.grid.points
    }

    /// The range of the particles of one surface; `None` where there is no such surface.
    pub fn range_of(&self, surface: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(surface)?;
        Some(surface.checked_sub(1).map_or(0, |before| self.ends[before])..end)
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

/// Area of the surface in a box, in units of the squared spacing.
fn surface_squares(surface: &Mesh, spacing: f64, bounds: &Bounds) -> f64 {
    let part = |corners: [Vec3; 3]| area(&bounds.clip(&corners.map(Vec3::as_dvec3)));
    surface.corners().map(part).sum::<f64>() / (spacing * spacing)
}

/// What samples are added to, and what limits them.
struct Cover<'a> {
    grid: &'a mut PointGrid,
    /// The surfaces of the whole solid.
    tree: &'a TriangleTree,
    /// m.
    spacing: f32,
    /// Lowest and highest corner of the box, m.
    bounds: (Vec3, Vec3),
    /// The box with a margin of a spacing.
    near: Bounds,
}

impl Cover<'_> {
    /// Adds the sample below a point of the surface with that normal, where there is room for one.
    fn add(&mut self, place: DVec3, normal: DVec3) {
        let deepest = 0.5 * f64::from(self.spacing);
        let apart = APART * self.spacing;
        let is_free = |grid: &PointGrid, sample: DVec3| grid.near(sample.as_vec3(), apart).next().is_none();
        let usual = place - deepest * normal;
        if !is_free(self.grid, usual) {
            return;
        }
        // The thickness of the solid, from a ray that starts just below the surface.
        let skin = 1e-3 * deepest;
        let thickness = self
            .tree
            .distance_along(place - skin * normal, -normal, 2.0 * deepest)
            .map_or(2.0 * deepest, |rest| rest + skin);
        let depth = deepest.min(0.5 * thickness);
        let sample = place - depth * normal;
        let (low, high) = self.bounds;
        let is_in_box = sample.as_vec3().cmpge(low).all() && sample.as_vec3().cmple(high).all();
        // Beside a convex edge a sample may be nearer to the adjacent face; it is left out, since that face has a
        // sample there.
        if is_in_box
            && (depth >= deepest || is_free(self.grid, sample))
            && !self.tree.is_near(sample, 0.95 * depth)
            && !self.tree.is_inside(place + skin * normal)
        {
            self.grid.add(sample.as_vec3());
        }
    }
}

/// Adds the samples of one surface of a solid, as far as they lie in the box.
fn cover_surface(cover: &mut Cover<'_>, surface: &Mesh) {
    for step in LATTICES.map(|share| share * f64::from(cover.spacing)) {
        for corners in surface.corners() {
            let Some(triangle) = Triangle::new(corners) else { continue };
            let near = cover.near;
            triangle.for_each_place(step, &near, |place| cover.add(place, triangle.normal));
        }
    }
}

/// Adds the samples of the section of a surface with the plane at `z`, m, as far as they lie in the box.
fn cover_section(cover: &mut Cover<'_>, section: &[Segment], z: f64) {
    let outline = Outline::new(section, 0.5 * f64::from(cover.spacing));
    let near = cover.near;
    for step in LATTICES.map(|share| share * f64::from(cover.spacing)) {
        outline.for_each_place(step, &near, z, |place, normal| cover.add(place.extend(z), normal.extend(0.0)));
    }
}
