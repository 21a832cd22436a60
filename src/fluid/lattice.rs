//! The cubic lattice that fluid blocks are filled with.

use std::convert::Infallible;

use glam::{DVec3, Vec3};

use super::resting::RestingWater;
use super::solids::SampledSolids;
use super::{Block, BlockShape, Dimensions, PointFluid, Scene};
use crate::search::random::uniform;

/// Largest random displacement of each coordinate from the lattice, as a fraction of the spacing: enough to break the
/// symmetry, which would let fluid stand in columns, and too little to affect the pressure noticeably.
const JITTER: f64 = 0.01;

/// A layer counts as fitting when it exceeds the block by less than this many spacings, which allows for rounding of
/// the spacing to f32.
const TOLERANCE: f64 = 1e-4;

/// Largest number of rows of a round block that are counted one by one. With more of them the number of particles is
/// far beyond every limit and is estimated, so that it is refused without delay.
const MOST_ROWS: f64 = 4e6;

/// Points of the lattice that are looked up in solids at once: enough of them to be worth the threads, and few enough
/// to need no memory to speak of.
const AT_ONCE: usize = 65_536;

/// Edge lengths of a block, m; in two dimensions its depth is that of one layer.
fn extent(scene: &Scene, block: &Block, spacing: f64) -> DVec3 {
    let extent = (block.high - block.low).as_dvec3();
    if scene.dimensions == Dimensions::Two { extent.with_z(spacing) } else { extent }
}

/// Number of lattice layers that fit a block along each axis; the outer ones lie half a spacing inside its faces.
fn layers(scene: &Scene, block: &Block, spacing: f64) -> DVec3 {
    (extent(scene, block, spacing) / spacing + TOLERANCE).floor()
}

/// Number of particles in the scene's blocks and its reservoir at this spacing, and from files.
pub(super) fn count(scene: &Scene, spacing: f32) -> u64 {
    let in_block = |block: &Block| {
        let layers = layers(scene, block, f64::from(spacing));
        // Conversions saturate.
        match block.shape {
            BlockShape::Box => layers.element_product() as u64,
            _ if layers.y * layers.z > MOST_ROWS => {
                // As many particles of a coarser lattice, each of which stands for several.
                let coarser = (layers.y * layers.z / MOST_ROWS).sqrt().ceil();
                let few = Rows::new(scene, block, coarser * f64::from(spacing)).count();
                (few as f64 * coarser.powf(scene.dimensions.count())) as u64
            }
            _ => Rows::new(scene, block, f64::from(spacing)).count(),
        }
    };
    let others = reservoir_count(scene, spacing).saturating_add(from_files(scene));
    scene.blocks.iter().map(in_block).fold(others, u64::saturating_add)
}

/// Number of particles that are read from files, which does not depend on the spacing.
fn from_files(scene: &Scene) -> u64 {
    scene.points.iter().map(|fluid| fluid.points.positions.len() as u64).sum()
}

/// Number of particles in the scene's reservoir at this spacing.
pub(super) fn reservoir_count(scene: &Scene, spacing: f32) -> u64 {
    let each = f64::from(spacing).powf(scene.dimensions.count());
    (f64::from(scene.reservoir) / each + TOLERANCE).floor() as u64
}

/// The largest of the spacings, m, at which the number of particles is nearest to `asked`.
pub(super) fn spacing_for(scene: &Scene, asked: u32) -> f32 {
    let asked = u64::from(asked);
    let of_reservoir = scene.reservoir.powf(1.0 / scene.dimensions.count() as f32);
    let longest = scene.blocks.iter().map(|block| (block.high - block.low).max_element()).fold(of_reservoir, f32::max);
    // The count decreases with the spacing: `fine` gives enough particles, and `coarse` too few.
    let (mut fine, mut coarse) = (longest, longest * 2.0);
    // A box that is not finite or empty has no such spacing; what follows refuses it.
    while count(scene, fine) < asked && fine.is_normal() {
        fine *= 0.5;
    }
    // Each iteration halves the number of floats between the two, so 32 iterations leave adjacent floats.
    while fine.to_bits() + 1 < coarse.to_bits() {
        let middle = f32::from_bits(u32::midpoint(fine.to_bits(), coarse.to_bits()));
        if count(scene, middle) >= asked {
            fine = middle;
        } else {
            coarse = middle;
        }
    }
    let (more, fewer) = (count(scene, fine), count(scene, coarse));
    snug(scene, if fewer == 0 || more.abs_diff(asked) <= asked.abs_diff(fewer) { fine } else { coarse })
}

/// The largest spacing at which the blocks hold as many layers as at `spacing`, so that it divides one of the edges.
/// Without blocks, and with round ones, it is `spacing` itself.
fn snug(scene: &Scene, spacing: f32) -> f32 {
    if scene.blocks.iter().any(|block| block.shape != BlockShape::Box) {
        return spacing;
    }
    let spacing = f64::from(spacing);
    let spacings = scene.blocks.iter().map(|block| {
        // An edge too short for a layer gives infinity and thus no bound; the single layer of two dimensions must not
        // give one either.
        let largest = (block.high - block.low).as_dvec3() / layers(scene, block, spacing);
        if scene.dimensions == Dimensions::Two { largest.truncate().min_element() } else { largest.min_element() }
    });
    let largest = spacings.fold(f64::INFINITY, f64::min);
    (if largest.is_finite() { largest } else { spacing }) as f32
}

/// The initial position and velocity of a particle.
pub(super) struct Placed {
    /// m.
    pub position: Vec3,
    /// m/s.
    pub velocity: Vec3,
}

/// What decides where fluid may start, and where it moves from the points of the lattice.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// Fluid in these is left out.
    pub solids: &'a SampledSolids,
    /// The water that starts in the state of rest.
    pub resting: Option<&'a RestingWater>,
}

/// The initial particles of the scene's blocks, followed by those from files, without the ones inside solids.
pub(super) fn fill(scene: &Scene, spacing: f32, seed: u64, around: Around<'_>) -> Vec<Placed> {
    let mut placed = Vec::new();
    let Ok(()) = visit(scene, spacing, seed, around, |particle| {
        placed.push(particle);
        Ok::<_, Infallible>(())
    });
    placed
}

/// As [`fill`], without solids and the state of rest.
#[cfg(test)]
pub(super) fn fill_alone(scene: &Scene, spacing: f32, seed: u64) -> Vec<Placed> {
    fill(scene, spacing, seed, Around { solids: &SampledSolids::default(), resting: None })
}

/// Visits the particles of [`fill`] one after the other, so that they need no memory, until a visit fails.
pub(super) fn visit<E>(
    scene: &Scene,
    spacing: f32,
    seed: u64,
    around: Around<'_>,
    mut visit: impl FnMut(Placed) -> Result<(), E>,
) -> Result<(), E> {
    let plane = (scene.dimensions == Dimensions::Two).then(|| scene.plane());
    let jitter_size = JITTER * f64::from(spacing);
    let mut numbers = (0..).map(|index| jitter_size * (2.0 * f64::from(uniform(seed, index)) - 1.0));
    let mut jitter = || numbers.next().unwrap_or_default();
    let in_plane = |position: Vec3| plane.map_or(position, |plane| position.with_z(plane));
    let Around { solids, resting } = around;
    for_each_place(scene, spacing, solids, |lattice, block, is_taken| {
        let place = in_plane((lattice + DVec3::new(jitter(), jitter(), jitter())).as_vec3());
        if is_taken {
            return Ok(());
        }
        let position = resting.map_or(place, |water| water.settled(place));
        visit(Placed { position, velocity: block.velocity_at(place) })
    })?;
    let read = scene.points.iter().flat_map(PointFluid::particles);
    let mut free = read.filter(|(position, _)| !solids.takes(position.as_dvec3()));
    free.try_for_each(|(position, velocity)| visit(Placed { position: in_plane(position), velocity }))
}

/// As [`count`], without the particles inside `solids`.
pub(super) fn count_beside(scene: &Scene, spacing: f32, solids: &SampledSolids) -> u64 {
    let mut count = reservoir_count(scene, spacing);
    let Ok(()) = for_each_place(scene, spacing, solids, |_, _, is_taken| {
        count += u64::from(!is_taken);
        Ok::<_, Infallible>(())
    });
    let read = scene.points.iter().flat_map(PointFluid::particles);
    count + read.filter(|(position, _)| !solids.takes(position.as_dvec3())).count() as u64
}

/// Visits the points of the lattice, in two dimensions in the plane, until a visit fails: each with its block, and
/// whether a solid takes it.
fn for_each_place<E>(
    scene: &Scene,
    spacing: f32,
    solids: &SampledSolids,
    mut visit: impl FnMut(DVec3, &Block, bool) -> Result<(), E>,
) -> Result<(), E> {
    for block in &scene.blocks {
        let rows = Rows::new(scene, block, f64::from(spacing));
        let mut places = rows.places();
        loop {
            let some: Vec<_> = places.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let taken = solids.taken(some.len(), |number| some[number]);
            some.into_iter().zip(taken).try_for_each(|(place, is_taken)| visit(place, block, is_taken))?;
        }
    }
    Ok(())
}

/// The lattice in a block, as rows along x. It is aligned with those faces of the block that coincide with faces of
/// the box; along an axis where both faces do, or neither, the remaining gap is divided equally between them.
struct Rows<'a> {
    block: &'a Block,
    /// The point with the lowest coordinates in the block's box, m.
    first: DVec3,
    /// Number of points along each axis of the block's box.
    counts: [u32; 3],
    spacing: f64,
    /// z of the plane of a scene of two dimensions, m.
    plane: Option<f64>,
}

impl<'a> Rows<'a> {
    fn new(scene: &Scene, block: &'a Block, spacing: f64) -> Self {
        let layers = layers(scene, block, spacing);
        let at_low = block.low.cmple(scene.low);
        let at_high = block.high.cmpge(scene.high);
        let slack = (block.high - block.low).as_dvec3() - layers * spacing;
        let share = DVec3::select(at_low & !at_high, DVec3::ZERO, DVec3::select(at_high & !at_low, slack, slack * 0.5));
        let plane = (scene.dimensions == Dimensions::Two).then(|| f64::from(scene.plane()));
        let first = block.low.as_dvec3() + share + 0.5 * spacing;
        let first = plane.map_or(first, |plane| first.with_z(plane));
        Self { block, first, counts: layers.to_array().map(|layers| layers as u32), spacing, plane }
    }

    /// The points of a row that lie in the block's shape, by their number along x.
    fn row(&self, y: u32, z: u32) -> std::ops::Range<u32> {
        let (low, high) = (self.block.low.as_dvec3(), self.block.high.as_dvec3());
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let place = self.first + DVec3::new(0.0, f64::from(y), f64::from(z)) * self.spacing;
        let z = if self.plane.is_some() { 0.0 } else { (place.z - middle.z) / half.z };
        let reach = self.block.half_row((place.y - middle.y) / half.y, z) * half.x;
        if self.block.shape == BlockShape::Box {
            return 0..self.counts[0];
        }
        // Casts of NaN give 0, and those of negative numbers as well.
        let from = ((middle.x - reach - self.first.x) / self.spacing - TOLERANCE).ceil().max(0.0) as u32;
        let past = ((middle.x + reach - self.first.x) / self.spacing + TOLERANCE).floor() + 1.0;
        from..(past as u32).min(self.counts[0]).max(from)
    }

    /// y and z of each row.
    fn rows(&self) -> impl Iterator<Item = (u32, u32)> {
        let [_, up, deep] = self.counts;
        (0..deep).flat_map(move |z| (0..up).map(move |y| (y, z)))
    }

    fn count(&self) -> u64 {
        self.rows().map(|(y, z)| self.row(y, z).len() as u64).sum()
    }

    fn places(&self) -> impl Iterator<Item = DVec3> {
        let place = |x: u32, y: u32, z: u32| self.first + DVec3::new(x.into(), y.into(), z.into()) * self.spacing;
        self.rows().flat_map(move |(y, z)| self.row(y, z).map(move |x| place(x, y, z)))
    }
}
