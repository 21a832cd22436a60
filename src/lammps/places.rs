//! The particles of an export, visited one after the other: the fluid, the walls of the box, and fixed boundaries.
//!
//! Walls are layers of fixed particles outside the box, half a spacing from its faces, as many as a particle at the
//! face can reach. Fixed boundaries are filled with a lattice down to the same depth below their surface. This is the
//! dynamic boundary condition (Crespo, Gómez-Gesteira and Dalrymple 2007): fixed particles have densities and pressures
//! like the fluid's.

use glam::{DVec3, Vec3};

use super::LammpsError;
use crate::fluid::{Boundary, Dimensions, InitialParticles, Resolution, Scene};

/// What a particle belongs to; the number is its type in LAMMPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Fluid = 1,
    Wall = 2,
    Boundary = 3,
}

/// A particle of an export.
pub(super) struct Particle {
    /// What it belongs to.
    pub part: Part,
    /// m; in two dimensions z is 0.
    pub position: DVec3,
    /// m/s.
    pub velocity: Vec3,
}

/// Numbers of particles.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub fluid: u64,
    pub walls: u64,
    pub boundaries: u64,
}

impl Counts {
    /// All particles.
    pub(super) fn total(self) -> u64 {
        self.fluid + self.walls + self.boundaries
    }
}

/// The number of layers of fixed particles, of which layer k is at k + 1/2 spacings from the face, with this support
/// radius in spacings.
fn layers(ratio: f64) -> u32 {
    (ratio - 0.5).ceil() as u32
}

/// Number of particles along each edge of the box. They are placed at even distances near the spacing, m, because edges
/// need not be multiples of it.
fn edges(scene: &Scene, spacing: f64) -> [u32; 3] {
    let along = |axis: usize| {
        let edge = f64::from(scene.high[axis]) - f64::from(scene.low[axis]);
        (edge / spacing).round().max(1.0) as u32
    };
    [0, 1, 2].map(along)
}

/// Number of particles of walls; so large a number that it is refused where it is beyond 64 bits.
fn wall_count(scene: &Scene, spacing: f64, layers: u32) -> u64 {
    let edges = edges(scene, spacing);
    let axes = if scene.dimensions == Dimensions::Two { 2 } else { 3 };
    let product = |more: u32| edges[..axes].iter().map(|&edge| u128::from(edge) + u128::from(more)).product::<u128>();
    u64::try_from(product(2 * layers) - product(0)).unwrap_or(u64::MAX)
}

/// Numbers of particles of fluid and walls together before boundaries are sampled, which may take the room of some.
pub(super) fn count_before_boundaries(scene: &Scene, spacing: f32, fluid: u64) -> u64 {
    fluid.saturating_add(wall_count(scene, spacing.into(), layers(scene.radius_ratio().into())))
}

/// The particles of a scene at one resolution.
pub(super) struct Places<'a> {
    scene: &'a Scene,
    spacing: f64,
    /// Number of layers of fixed particles.
    layers: u32,
    fluid: InitialParticles<'a>,
    counts: Counts,
}

impl<'a> Places<'a> {
    /// Samples the scene's boundaries and counts all particles.
    pub(super) fn new(scene: &'a Scene, resolution: &Resolution, seed: u64) -> Result<Self, LammpsError> {
        let layers = layers(f64::from(resolution.support_radius / resolution.spacing));
        let fluid = InitialParticles::new(scene, resolution, seed)?;
        let walls = wall_count(scene, resolution.spacing.into(), layers);
        let counts = Counts { fluid: resolution.particle_count.into(), walls, boundaries: 0 };
        let mut places = Self { scene, spacing: resolution.spacing.into(), layers, fluid, counts };
        let mut boundaries = 0;
        places.visit_boundaries::<LammpsError>(&mut |_| {
            boundaries += 1;
            Ok(())
        })?;
        places.counts.boundaries = boundaries;
        Ok(places)
    }

    /// Numbers of particles.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether a block of fluid or a particle from a file moves at the start.
    pub(super) fn is_moving(&self) -> bool {
        let moves = |velocity: Vec3| velocity != Vec3::ZERO;
        let read = || self.scene.points.iter().flat_map(|fluid| &fluid.points.velocities);
        self.scene.blocks.iter().any(|block| moves(block.velocity) || !block.fields.is_empty())
            || read().any(|&velocity| moves(velocity.into()))
    }

    /// Lowest and highest corner of the box of LAMMPS, m, which contains the walls.
    pub(super) fn bounds(&self) -> (DVec3, DVec3) {
        let margin = f64::from(self.layers) * self.spacing;
        let (low, high) = (self.scene.low.as_dvec3() - margin, self.scene.high.as_dvec3() + margin);
        match self.scene.dimensions {
            Dimensions::Two => (low.with_z(-0.5 * self.spacing), high.with_z(0.5 * self.spacing)),
            Dimensions::Three => (low, high),
        }
    }

    /// Visits every particle, until a visit fails; always in the same order.
    pub(super) fn visit<E>(&self, mut visit: impl FnMut(Particle) -> Result<(), E>) -> Result<(), E> {
        self.fluid.visit(|position, velocity| {
            visit(Particle { part: Part::Fluid, position: self.in_plane(position.as_dvec3()), velocity })
        })?;
        self.visit_walls(&mut visit)?;
        self.visit_boundaries(&mut visit)
    }

    fn in_plane(&self, position: DVec3) -> DVec3 {
        if self.scene.dimensions == Dimensions::Two { position.with_z(0.0) } else { position }
    }

    /// Coordinate of place `index` along an axis, counted from the outermost layer, and whether it is outside the box.
    fn coordinate(&self, axis: usize, edge: u32, index: u32) -> (f64, bool) {
        let (low, high) = (f64::from(self.scene.low[axis]), f64::from(self.scene.high[axis]));
        if index < self.layers {
            (low - (f64::from(self.layers - 1 - index) + 0.5) * self.spacing, true)
        } else if index < self.layers + edge {
            (low + (f64::from(index - self.layers) + 0.5) * (high - low) / f64::from(edge), false)
        } else {
            (high + (f64::from(index - self.layers - edge) + 0.5) * self.spacing, true)
        }
    }

    fn visit_walls<E>(&self, visit: &mut impl FnMut(Particle) -> Result<(), E>) -> Result<(), E> {
        let edges = edges(self.scene, self.spacing);
        let flat = self.scene.dimensions == Dimensions::Two;
        let count = |axis: usize| if flat && axis == 2 { 1 } else { edges[axis] + 2 * self.layers };
        for iz in 0..count(2) {
            let (z, beyond_z) = if flat { (0.0, false) } else { self.coordinate(2, edges[2], iz) };
            for iy in 0..count(1) {
                let (y, beyond_y) = self.coordinate(1, edges[1], iy);
                let mut ix = 0;
                while ix < count(0) {
                    let (x, beyond_x) = self.coordinate(0, edges[0], ix);
                    if beyond_x || beyond_y || beyond_z {
                        visit(Particle { part: Part::Wall, position: DVec3::new(x, y, z), velocity: Vec3::ZERO })?;
                        ix += 1;
                    } else {
                        // The inside of the box is skipped in one go, since it may be far larger than its walls.
                        ix += edges[0];
                    }
                }
            }
        }
        Ok(())
    }

    fn visit_boundaries<E>(&self, visit: &mut impl FnMut(Particle) -> Result<(), E>) -> Result<(), E> {
        let surfaces: Vec<_> =
            self.scene.solids.of::<Boundary>().iter().map(|solid| solid.surface().bounds()).collect();
        let Some((low, high)) = surfaces.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return Ok(()) };
        let corner = self.scene.low.as_dvec3();
        let edges = edges(self.scene, self.spacing);
        let flat = self.scene.dimensions == Dimensions::Two;
        let range = |axis: usize| {
            let last = f64::from(edges[axis]);
            let place = |at: f32| ((f64::from(at) - corner[axis]) / self.spacing).floor().clamp(0.0, last) as u32;
            place(low[axis])..place(high[axis]) + 1
        };
        let planes = if flat { 0..1 } else { range(2) };
        for iz in planes {
            for iy in range(1) {
                for ix in range(0) {
                    let place = corner + (DVec3::new(ix.into(), iy.into(), iz.into()) + 0.5) * self.spacing;
                    let place = if flat { place.with_z(self.scene.plane().into()) } else { place };
                    if place.cmple(self.scene.high.as_dvec3()).all() && self.is_below_surface(place) {
                        let position = self.in_plane(place);
                        visit(Particle { part: Part::Boundary, position, velocity: Vec3::ZERO })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a place lies in a boundary, and near enough to its surface to act on the fluid.
    fn is_below_surface(&self, place: DVec3) -> bool {
        let reach = f64::from(self.layers) * self.spacing;
        let mut around = (0..27)
            .map(|number| DVec3::new((number % 3 - 1).into(), (number / 3 % 3 - 1).into(), (number / 9 - 1).into()));
        let is_free = |direction: DVec3| !self.fluid.is_in_solid(place + reach * direction.normalize_or_zero());
        self.fluid.is_in_solid(place) && around.any(is_free)
    }
}
