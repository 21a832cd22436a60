//! The cubic lattice that fluid blocks are filled with.

use glam::{DVec3, UVec3, Vec3};

use super::{Block, Scene};

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
    if fewer == 0 || more - asked <= asked - fewer { fine } else { largest_with_count(blocks, coarse, fewer) }
}

/// The largest spacing at or above `spacing` at which the blocks still hold `count` particles.
fn largest_with_count(blocks: &[Block], spacing: f32, held: u64) -> f32 {
    let (mut fits, mut too_coarse) = (spacing, spacing * 2.0);
    while count(blocks, too_coarse) == held {
        too_coarse *= 2.0;
    }
    while fits.to_bits() + 1 < too_coarse.to_bits() {
        let middle = f32::from_bits(u32::midpoint(fits.to_bits(), too_coarse.to_bits()));
        if count(blocks, middle) == held {
            fits = middle;
        } else {
            too_coarse = middle;
        }
    }
    fits
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
    let mut random = SplitMix64(seed);
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
                    let jitter = DVec3::new(random.signed(), random.signed(), random.signed()) * (JITTER * spacing);
                    placed.push(Placed { position: (lattice + jitter).as_vec3(), velocity: block.velocity });
                }
            }
        }
    }
    placed
}

/// The generator of Steele, Lea and Flood 2014 (figure 17): each output is a mix of a counter.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in -1 to 1.
    fn signed(&mut self) -> f64 {
        self.next() as f64 / (u64::MAX as f64 / 2.0) - 1.0
    }
}
