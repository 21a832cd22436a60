//! The inputs of the search benchmarks: random particles in a cube, in random or coherent order.

use glam::Vec3;

use crate::gpu::{Gpu, GpuError};
use crate::search::random::{uniform, uniform_cube};
use crate::search::{Domain, SearchError};

/// Seed of the random input, the same that the other implementations were measured with.
const SEED: u64 = 12_345;
/// Seed of the displacements of the coherent input.
const JITTER_SEED: u64 = 999;

/// A benchmark case as in the FENNS and CLAWS papers and for the other implementations: uniformly random in a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// Number of particles.
    pub particle_count: u32,
    /// Edge of the box, m.
    pub box_edge: f32,
    /// Support radius, m.
    pub radius: f32,
}

/// The scenarios of `docs/BENCHMARKS.md` by name, in its order: rows of tables 1 and 2 of the CLAWS paper on which
/// other implementations were measured, and the row of table 1 of the FENNS paper in which the box is large and the
/// radius small.
pub const SCENARIOS: [(&str, Scenario); 6] = [
    ("T1a", Scenario { particle_count: 1 << 20, box_edge: 90.0, radius: 1.5 }),
    ("T1b", Scenario { particle_count: 1 << 23, box_edge: 90.0, radius: 0.75 }),
    ("T2a", Scenario { particle_count: 1 << 21, box_edge: 90.0, radius: 1.5 }),
    ("T2b", Scenario { particle_count: 1 << 22, box_edge: 90.0, radius: 1.5 }),
    ("T2c", Scenario { particle_count: 1 << 23, box_edge: 90.0, radius: 1.5 }),
    ("F1", Scenario { particle_count: 1 << 22, box_edge: 180.0, radius: 0.2 }),
];

/// The order of the particles in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrder {
    /// As generated, without any order.
    Random,
    /// The sorted order of the last step, with every particle moved by up to 0.05 r along each axis, as in a running
    /// simulation.
    Coherent,
}

impl InputOrder {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::Random, Self::Coherent];

    /// Name shown in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Coherent => "coherent",
        }
    }
}

impl Scenario {
    /// The box and radius.
    ///
    /// # Errors
    /// Only if the scenario's own numbers are invalid.
    pub fn domain(&self) -> Result<Domain, SearchError> {
        Domain::new(Vec3::ZERO, Vec3::splat(self.box_edge), self.radius)
    }

    /// The positions in the given order, m.
    pub fn positions(&self, order: InputOrder) -> Vec<Vec3> {
        let random = uniform_cube(SEED, self.particle_count, self.box_edge);
        match order {
            InputOrder::Random => random,
            InputOrder::Coherent => self.moved(self.sorted_by_cell(random)),
        }
    }

    fn moved(&self, mut positions: Vec<Vec3>) -> Vec<Vec3> {
        let displacement = |index: u64| (uniform(JITTER_SEED, index) - 0.5) * 0.1 * self.radius;
        let highest = self.box_edge * 0.999_999_9;
        for (index, position) in (0..).zip(&mut positions) {
            let moved = Vec3::new(displacement(3 * index), displacement(3 * index + 1), displacement(3 * index + 2));
            *position = (*position + moved).clamp(Vec3::ZERO, Vec3::splat(highest));
        }
        positions
    }

    fn sorted_by_cell(&self, mut positions: Vec<Vec3>) -> Vec<Vec3> {
        let cells = (self.box_edge / self.radius).ceil() as u32;
        let cell = |p: &Vec3| {
            let coord = (*p / self.radius).as_uvec3().min(glam::UVec3::splat(cells - 1));
            (coord.z * cells + coord.y) * cells + coord.x
        };
        positions.sort_by_cached_key(cell);
        positions
    }
}

/// A scenario's positions on the device.
///
/// # Errors
/// When they do not fit into the device's memory.
pub fn upload(gpu: &Gpu, positions: &[Vec3]) -> Result<wgpu::Buffer, GpuError> {
    let padded: Vec<[f32; 4]> = positions.iter().map(|position| position.extend(0.0).to_array()).collect();
    gpu.storage_with("benchmark positions", &padded)
}

/// The sums of a few particles in double precision over all pairs, with which the timed result is compared.
pub(super) fn reference_sums(positions: &[Vec3], radius: f32, sample: &[usize]) -> Vec<f64> {
    let inverse = 1.0 / (f64::from(radius) * f64::from(radius));
    let weight = |distance_squared: f64| (1.0 - distance_squared * inverse).max(0.0).powi(3);
    let near = |a: Vec3, b: Vec3| (a - b).abs().max_element() <= radius;
    let sum_of = |&index: &usize| {
        let center = positions[index];
        let others = positions.iter().enumerate().filter(|&(other, &p)| other != index && near(p, center));
        others.map(|(_, p)| weight(p.as_dvec3().distance_squared(center.as_dvec3()))).sum()
    };
    sample.iter().map(sum_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coherent_input_is_the_random_one_sorted_and_moved_a_little() {
        let scenario = Scenario { particle_count: 4_000, box_edge: 90.0, radius: 9.0 };
        let sorted = scenario.sorted_by_cell(scenario.positions(InputOrder::Random));
        let coherent = scenario.positions(InputOrder::Coherent);
        let farthest = sorted.iter().zip(&coherent).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f32::max);
        assert!(farthest > 0.0 && farthest <= 0.0501 * scenario.radius, "moved by up to {farthest} m");
    }
}
