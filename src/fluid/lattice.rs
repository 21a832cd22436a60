//! The cubic lattice that fluid blocks are filled with.

use glam::{DVec3, UVec3, Vec3};

use super::{Block, Scene};
use crate::search::random::uniform;

/// Share of a spacing that each coordinate may be off the lattice: enough to break its symmetry, which would let
/// water stand in columns, and too little to be felt as pressure.
const JITTER: f64 = 0.01;

/// A layer counts as fitting when it misses by less than this many spacings: what rounding the spacing to f32 costs.
const TOLERANCE: f64 = 1e-4;

/// Layers of the lattice that fit a block along each axis, half a spacing from its faces.
fn layers(block: &Block, spacing: f64) -> DVec3 {
    ((block.high - block.low).as_dvec3() / spacing + TOLERANCE).floor()
}

/// Particles that the blocks hold at that spacing.
pub(super) fn count(blocks: &[Block], spacing: f32) -> u64 {
    blocks.iter().map(|block| layers(block, f64::from(spacing)).element_product() as u64).sum()
}

/// The spacing at which the number of particles is nearest to `asked`, and of those the largest.
pub(super) fn spacing_for(blocks: &[Block], asked: u32) -> f32 {
    let asked = u64::from(asked);
    let longest = blocks.iter().map(|block| (block.high - block.low).max_element()).fold(0.0, f32::max);
    // The count falls as the spacing grows: `fine` holds enough particles and `coarse` too few.
    let (mut fine, mut coarse) = (longest, longest * 2.0);
    while count(blocks, fine) < asked {
        fine *= 0.5;
    }
    // Floats between the two are halved in number each round, so 32 rounds leave neighboring floats.
    while fine.to_bits() + 1 < coarse.to_bits() {
        let middle = f32::from_bits(u32::midpoint(fine.to_bits(), coarse.to_bits()));
        if count(blocks, middle) >= asked {
            fine = middle;
        } else {
            coarse = middle;
        }
    }
    let (more, fewer) = (count(blocks, fine), count(blocks, coarse));
    snug(blocks, if fewer == 0 || more - asked <= asked - fewer { fine } else { coarse })
}

/// The largest spacing at which the blocks hold as many layers as at `spacing`: one that divides some edge.
fn snug(blocks: &[Block], spacing: f32) -> f32 {
    let spacings = blocks.iter().map(|block| {
        // An edge too short for a layer gives infinity, and no bound.
        ((block.high - block.low).as_dvec3() / layers(block, f64::from(spacing))).min_element()
    });
    spacings.fold(f64::INFINITY, f64::min) as f32
}

/// One particle at the start: where it is and how fast.
pub(super) struct Placed {
    /// m.
    pub position: Vec3,
    /// m/s.
    pub velocity: Vec3,
}

/// The scene's particles at the start. The lattice stands against those faces of a block that stand against the
/// box; where both do, or neither, what is left of a layer is shared between them.
pub(super) fn fill(scene: &Scene, spacing: f32, seed: u64) -> Vec<Placed> {
    let spacing = f64::from(spacing);
    let mut numbers = (0..).map(|index| JITTER * spacing * (2.0 * f64::from(uniform(seed, index)) - 1.0));
    let mut jitter = || numbers.next().unwrap_or_default();
    let mut placed = Vec::new();
    for block in &scene.blocks {
        let layers = layers(block, spacing);
        let at_low = block.low.cmple(scene.low);
        let at_high = block.high.cmpge(scene.high);
        let slack = (block.high - block.low).as_dvec3() - layers * spacing;
        let share = DVec3::select(at_low & !at_high, DVec3::ZERO, DVec3::select(at_high & !at_low, slack, slack * 0.5));
        let first = block.low.as_dvec3() + share + 0.5 * spacing;
        let counts = UVec3::new(layers.x as u32, layers.y as u32, layers.z as u32);
        for z in 0..counts.z {
            for y in 0..counts.y {
                for x in 0..counts.x {
                    let lattice = first + UVec3::new(x, y, z).as_dvec3() * spacing;
                    let position = lattice + DVec3::new(jitter(), jitter(), jitter());
                    placed.push(Placed { position: position.as_vec3(), velocity: block.velocity });
                }
            }
        }
    }
    placed
}
