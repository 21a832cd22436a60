//! The particles of a solid: an even layer half a spacing below its surface.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::clip::{Bounds, area};
use super::mesh::Mesh;
use super::outline::{Outline, places_along};
use super::point_grid::PointGrid;
use super::relaxed::{Layer, moving};
use super::section::{Segment, prism, section};
use super::tree::TriangleTree;
use super::triangle::Triangle;
use super::water_share::Parts;
use crate::fluid::scene::Scene;
use crate::fluid::{Dimensions, FluidError, Resolution, SmoothingKernel, lattice};

/// Largest number of boundary particles, which is about what one binding of a graphics card holds.
pub(in crate::fluid) const MOST_SAMPLES: u64 = 1 << 24;
/// Samples that a solid may have beside any water, and further ones for each particle of the water. With solids that
/// are far larger than the water, all time would be spent on them.
const SAMPLES_ANYWAY: u64 = 1 << 16;
const SAMPLES_PER_PARTICLE: u64 = 64;
/// Smallest distance between samples, in spacings.
const APART: f32 = 0.8;
/// The same for samples that are added where they are sparse, and will move apart.
const LEAST_APART: f32 = 0.5;
/// Distance up to which samples count for their density on a surface, in spacings.
const DENSITY_REACH: f32 = 3.0;
/// The integral of their weight over a plane, in squared spacings: what samples one spacing apart add up to.
const EVEN_COUNT: f32 = std::f32::consts::PI * DENSITY_REACH * DENSITY_REACH / 3.0;
/// The share of it below which samples are sparse.
const SPARSE: f32 = 0.82;
/// Smallest initial distance of fluid from a sample, in spacings: at one spacing the fluid has the rest density.
const CLEARANCE: f32 = 0.9;
/// Thickness of a solid, in spacings, below which a sample has water in reach on both of its sides.
const THIN: f64 = 1.5;
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

/// All surfaces of a solid, or their sections with a plane at a z, m.
enum Surface {
    Whole(Vec<[Vec3; 3]>),
    Section(Vec<Segment>, f64),
}

/// The particles of a solid with closed surfaces, in its own frame.
pub struct SurfaceSamples {
    grid: PointGrid,
    tree: TriangleTree,
    spacing: f32,
    /// For each sample whether the solid is thin there.
    is_thin: Vec<bool>,
    /// The surfaces themselves, for what is computed from them.
    surface: Surface,
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
        let surface = match plane {
            Some(z) => Surface::Section(sections.concat(), z),
            None => Surface::Whole(surfaces.iter().flat_map(Mesh::corners).collect()),
        };
        let count: f64 = sections.iter().flatten().map(|segment| places_along(segment, spacing.into(), &near)).sum();
        if count > most as f64 {
            return Err(FluidError::TooManyBoundaryParticles { count: count as u64, limit: most });
        }
        Ok(Self::of(whole, surface, spacing, bounds, |placed, tree, number, moves| {
            let mut cover = Cover { placed, tree, spacing, bounds, near };
            match plane {
                Some(z) => cover_section(&mut cover, &sections[number], z),
                None if moves.is_empty() => cover_surface(&mut cover, &surfaces[number]),
                None => fill_surface(&mut cover, &surfaces[number], moves),
            }
        }))
    }

    /// As [`SurfaceSamples::new`], with the function that covers the surface of a number; or that adds samples where
    /// they are sparse, if it is told which of the last ones move.
    fn of(
        surfaces: &[Mesh],
        surface: Surface,
        spacing: f32,
        bounds: (Vec3, Vec3),
        mut cover: impl FnMut(&mut Placed, &TriangleTree, usize, &[bool]),
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
        let grid = PointGrid::new(low.max(bounds.0), high.min(bounds.1), spacing);
        let mut placed = Placed { grid, normals: Vec::new(), is_thin: Vec::new() };
        let (mut without, mut ends) = (None, Vec::new());
        for number in 0..surfaces.len() {
            let before = placed.grid.points.len();
            cover(&mut placed, &tree, number, &[]);
            if matches!(surface, Surface::Whole(_)) {
                let mut moves = placed.moving(before, spacing);
                if moves.contains(&true) {
                    cover(&mut placed, &tree, number, &moves);
                    moves = placed.moving(before, spacing);
                    placed.relax(before, moves, &tree, spacing, bounds);
                }
            }
            if placed.grid.points.len() == before {
                without = without.or(Some(number));
            }
            ends.push(placed.grid.points.len());
        }
        let Placed { grid, is_thin, .. } = placed;
        (Self { grid, tree, spacing, is_thin, surface, ends }, without)
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

    /// The share of the rest density that water at rest around the solid gives to each sample (`water_share.rs`); 0
    /// where the solid is so thin that it depends on the sides that are wet. `walls` are the lowest and highest
    /// corner, m, of a box whose walls the solid stays at.
    pub(in crate::fluid) fn water_shares(
        &self,
        kernel: SmoothingKernel,
        dimensions: Dimensions,
        resolution: &Resolution,
        walls: Option<(Vec3, Vec3)>,
    ) -> Vec<f32> {
        let (radius, spacing) = (f64::from(resolution.support_radius), f64::from(self.spacing));
        let (low, high) = walls.unwrap_or((Vec3::NEG_INFINITY, Vec3::INFINITY));
        let near = Bounds { low: low.as_dvec3() - radius, high: high.as_dvec3() + radius };
        let mut parts = match &self.surface {
            Surface::Whole(faces) => Parts::of_faces(faces.iter().copied(), spacing, &near),
            Surface::Section(section, z) => Parts::of_section(section, *z, spacing, &near),
        };
        if self.ends.len() > 1 {
            parts = parts.without(spacing, |place| self.is_inside(place));
        }
        if let Some(walls) = walls {
            let axes = if dimensions == Dimensions::Two { 2 } else { 3 };
            parts = parts.with_images(walls, axes, radius, spacing);
        }
        let shares = parts.shares(self.points(), kernel, dimensions, (radius, spacing));
        shares.into_iter().zip(&self.is_thin).map(|(share, is_thin)| if *is_thin { 0.0 } else { share }).collect()
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

/// Samples that were placed.
struct Placed {
    grid: PointGrid,
    /// The unit normal of the surface above each.
    normals: Vec<Vec3>,
    /// For each whether the solid is thin there.
    is_thin: Vec<bool>,
}

impl Placed {
    /// For each sample from `first` on whether it moves (`relaxed.rs`).
    fn moving(&self, first: usize, spacing: f32) -> Vec<bool> {
        moving(&self.grid, &self.normals, &self.is_thin, first, spacing)
    }

    /// Spreads the samples from `first` on evenly, of which those move for which `moves` holds.
    fn relax(&mut self, first: usize, moves: Vec<bool>, tree: &TriangleTree, spacing: f32, bounds: (Vec3, Vec3)) {
        let own = &self.grid.points[first..];
        let low = own.iter().copied().fold(Vec3::INFINITY, Vec3::min) - 2.0 * spacing;
        let high = own.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + 2.0 * spacing;
        let is_beside = |point: &&Vec3| point.cmpge(low).all() && point.cmple(high).all();
        let beside = self.grid.points[..first].iter().filter(is_beside);
        let points = own.iter().chain(beside).copied().collect();
        let layer = Layer { points, normals: self.normals[first..].to_vec(), moves, tree, spacing, bounds };
        let relaxed = layer.relaxed();
        self.grid.truncate(first);
        for point in relaxed {
            self.grid.add(point);
        }
    }
}

/// What samples are added to, and what limits them.
struct Cover<'a> {
    placed: &'a mut Placed,
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
    /// Whether samples are sparse around a place for one, m, and all beside it move.
    fn is_sparse(&self, sample: Vec3, moves: impl Fn(usize) -> bool) -> bool {
        let grid = &self.placed.grid;
        let mut beside = grid.numbers_near(sample, 1.5 * self.spacing).peekable();
        if beside.peek().is_none() || !beside.all(moves) {
            return false;
        }
        let reach = DENSITY_REACH * self.spacing;
        let weight = |squared: f32| (1.0 - squared / (reach * reach)).powi(2);
        let mut found: f32 = grid.near(sample, reach).map(weight).sum();
        for axis in 0..3 {
            for wall in [self.bounds.0[axis], self.bounds.1[axis]] {
                if (sample[axis] - wall).abs() < reach {
                    // Behind walls the surface goes on as its image.
                    let mut image = sample;
                    image[axis] = 2.0 * wall - sample[axis];
                    found += grid.near(image, reach).map(weight).sum::<f32>();
                }
            }
        }
        found < SPARSE * EVEN_COUNT
    }

    /// Adds the sample below a point of the surface with that normal, where no other one is nearer than `apart`, m.
    fn add(&mut self, place: DVec3, normal: DVec3, apart: f32) {
        let deepest = 0.5 * f64::from(self.spacing);
        let is_free = |grid: &PointGrid, sample: DVec3| grid.near(sample.as_vec3(), apart).next().is_none();
        let usual = place - deepest * normal;
        if !is_free(&self.placed.grid, usual) {
            return;
        }
        // The thickness of the solid, from a ray that starts just below the surface.
        let skin = 1e-3 * deepest;
        let thin = THIN * f64::from(self.spacing);
        let rest = self.tree.distance_along(place - skin * normal, -normal, thin);
        let thickness = rest.map_or(thin, |rest| rest + skin);
        let depth = deepest.min(0.5 * thickness);
        let sample = place - depth * normal;
        let (low, high) = self.bounds;
        let is_in_box = sample.as_vec3().cmpge(low).all() && sample.as_vec3().cmple(high).all();
        // Beside a convex edge a sample may be nearer to the adjacent face; it is left out, since that face has a
        // sample there.
        if is_in_box
            && (depth >= deepest || is_free(&self.placed.grid, sample))
            && !self.tree.is_near(sample, 0.95 * depth)
            && !self.tree.is_inside(place + skin * normal)
        {
            self.placed.grid.add(sample.as_vec3());
            self.placed.normals.push(normal.as_vec3());
            self.placed.is_thin.push(rest.is_some());
        }
    }
}

/// Adds the samples of one surface of a solid, as far as they lie in the box.
fn cover_surface(cover: &mut Cover<'_>, surface: &Mesh) {
    let apart = APART * cover.spacing;
    for step in LATTICES.map(|share| share * f64::from(cover.spacing)) {
        for corners in surface.corners() {
            let Some(triangle) = Triangle::new(corners) else { continue };
            let near = cover.near;
            triangle.for_each_place(step, &near, |place| cover.add(place, triangle.normal, apart));
        }
    }
}

/// Adds samples on the curved parts of a surface where they are sparse, because there was no room between those that
/// are there, which will move apart. `moves` tells of the last samples which ones move.
fn fill_surface(cover: &mut Cover<'_>, surface: &Mesh, moves: &[bool]) {
    let (spacing, near) = (cover.spacing, cover.near);
    let deepest = 0.5 * f64::from(spacing);
    let first = cover.placed.grid.points.len() - moves.len();
    // Those that are added here are not in the list.
    let moves_at = |number: usize| number >= first && moves.get(number - first).is_none_or(|moves| *moves);
    for corners in surface.corners() {
        let Some(triangle) = Triangle::new(corners) else { continue };
        triangle.for_each_place(0.5 * f64::from(spacing), &near, |place| {
            if cover.is_sparse((place - deepest * triangle.normal).as_vec3(), moves_at) {
                cover.add(place, triangle.normal, LEAST_APART * spacing);
            }
        });
    }
}

/// Adds the samples of the section of a surface with the plane at `z`, m, as far as they lie in the box.
fn cover_section(cover: &mut Cover<'_>, section: &[Segment], z: f64) {
    let outline = Outline::new(section, 0.5 * f64::from(cover.spacing));
    let near = cover.near;
    let apart = APART * cover.spacing;
    for step in LATTICES.map(|share| share * f64::from(cover.spacing)) {
        outline.for_each_place(step, &near, z, |place, normal| {
            cover.add(place.extend(z), normal.extend(0.0), apart);
        });
    }
}
