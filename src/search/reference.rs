//! The CPU oracle: neighbor sets from a simple algorithm in double precision, with which every search is compared.

use glam::Vec3;

use super::Domain;
use super::shares::{CellMap, in_ranges};

/// Relative margin around the radius. On inexact input, pairs whose distance is within the margin are excluded from
/// comparisons, because shaders may fuse multiplications and additions and then round such a pair either way.
pub const AMBIGUOUS_FRACTION: f64 = 1e-5;

/// With more particles than this, the oracle uses a hash grid instead of testing every pair.
const EVERY_PAIR_LIMIT: usize = 5_000;

/// The neighbors of each particle, as sorted indices.
///
/// ```
/// use glam::Vec3;
/// use nearwater::search::{Domain, ReferenceNeighbors};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let points = [Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0), Vec3::ONE];
/// let domain = Domain::new(Vec3::ZERO, Vec3::ONE, 0.25)?;
/// let reference = ReferenceNeighbors::find(&points, domain, false);
/// assert_eq!(reference.certain, [vec![1], vec![0], vec![]]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceNeighbors {
    /// Certain neighbors: closer than the radius by more than the margin, or exactly decidable.
    pub certain: Vec<Vec<u32>>,
    /// Particles whose distance is too close to the radius to decide; empty if ties are exact.
    pub ambiguous: Vec<Vec<u32>>,
}

impl ReferenceNeighbors {
    /// Finds all neighbors within `domain.support_radius`. With `exact_ties`, single precision computes every squared
    /// distance without rounding, and a pair exactly at the radius counts.
    pub fn find(positions: &[Vec3], domain: Domain, exact_ties: bool) -> Self {
        let margin = if exact_ties { 0.0 } else { AMBIGUOUS_FRACTION };
        let oracle = Oracle { positions, radius: f64::from(domain.support_radius), margin };
        if positions.len() <= EVERY_PAIR_LIMIT { oracle.every_pair() } else { oracle.hash_grid() }
    }

    /// Number of ambiguous pairs, each direction counted.
    pub fn ambiguous_pair_count(&self) -> usize {
        self.ambiguous.iter().map(Vec::len).sum()
    }
}

struct Oracle<'a> {
    positions: &'a [Vec3],
    radius: f64,
    margin: f64,
}

impl Oracle<'_> {
    fn every_pair(&self) -> ReferenceNeighbors {
        let all: Vec<u32> = (0..self.positions.len() as u32).collect();
        self.gather(|_| [all.as_slice()])
    }

    fn hash_grid(&self) -> ReferenceNeighbors {
        // The cells are slightly wider than the radius, so that rounding never places a neighbor two cells away.
        let edge = self.radius * (1.0 + 2.0 * AMBIGUOUS_FRACTION);
        let cell_of = |position: Vec3| (position.as_dvec3() / edge).floor().as_i64vec3();
        let cells = CellMap::fill(self.positions.len(), |index| cell_of(self.positions[index]), Vec::push);
        self.gather(|position| cells.around(cell_of(position)).map(Vec::as_slice))
    }

    /// Tests the candidates of all particles, on all cores.
    fn gather<'c, C: IntoIterator<Item = &'c [u32]>>(
        &self,
        candidates: impl Fn(Vec3) -> C + Sync,
    ) -> ReferenceNeighbors {
        let parts = in_ranges(self.positions.len(), |range| {
            range.map(|index| self.neighbors_of(index, candidates(self.positions[index]))).collect::<Vec<_>>()
        });
        let (certain, ambiguous) = parts.into_iter().flatten().unzip();
        ReferenceNeighbors { certain, ambiguous }
    }

    /// The certain and the ambiguous neighbors of a particle among its candidates.
    fn neighbors_of<'c>(&self, index: usize, candidates: impl IntoIterator<Item = &'c [u32]>) -> (Vec<u32>, Vec<u32>) {
        let nearest_sure = self.radius * (1.0 - self.margin);
        let farthest_unsure = self.radius * (1.0 + self.margin);
        let position = self.positions[index].as_dvec3();
        let (mut certain, mut ambiguous) = (Vec::new(), Vec::new());
        for &other in candidates.into_iter().flatten().filter(|&&other| other as usize != index) {
            let distance_squared = position.distance_squared(self.positions[other as usize].as_dvec3());
            if distance_squared <= nearest_sure * nearest_sure {
                certain.push(other);
            } else if distance_squared <= farthest_unsure * farthest_unsure {
                ambiguous.push(other);
            }
        }
        certain.sort_unstable();
        ambiguous.sort_unstable();
        (certain, ambiguous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_grid_and_the_test_of_every_pair_agree() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 16_777_216.0
        };
        // With so many particles, the work is divided among threads. One particle is not finite.
        let mut positions: Vec<Vec3> =
            (0..4_500).map(|_| Vec3::new(next() * 4.0 - 2.0, next(), next() * 2.0)).collect();
        positions[3_000] = Vec3::new(f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
        let oracle = Oracle { positions: &positions, radius: 0.15, margin: AMBIGUOUS_FRACTION };
        assert_eq!(oracle.every_pair(), oracle.hash_grid());
    }

    #[test]
    fn a_pair_at_the_radius_counts_and_a_particle_is_not_its_own_neighbor() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::X, Vec3::new(2.5, 0.0, 0.0)];
        let domain = Domain::new(Vec3::ZERO, Vec3::splat(3.0), 1.0).expect("a good domain");
        let found = ReferenceNeighbors::find(&positions, domain, true);
        assert_eq!(found.certain, vec![vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
    }
}
