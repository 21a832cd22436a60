//! The search of Morillo et al.: a sorted grid of wide cells, of which a particle looks up eight.
//!
//! Source: D. Morillo, R. Carmona, J. J. Perea, J. M. Cordero, "A more efficient parallel method for neighbour search
//! using CUDA", 2014.
//!
//! Idea: a sorted uniform grid whose cells are at least twice as wide as the radius. Along each axis, the half of its
//! cell that contains a particle determines which of the two adjacent cells can contain neighbors: 8 cells in all
//! instead of 27.
//!
//! Passes:
//! 1. Sort the particles by the linear index of their cells (section 5.1, equation 1); a cell begins where the index
//!    changes, as in Green's search (`sorted_cells.rs`).
//! 2. Traverse: find, axis by axis, the octant of the cell that contains the particle, and from it the eight cells
//!    (section 5.2, figure 3). Two cells along x are adjacent in the sorted list, so the eight cells are four ranges.
//!
//! Memory: 16n + 8m bytes for n particles and m cells, half of the 16n for the second buffers of the sort, plus a small
//! amount for the counts of the sort.
//!
//! Strengths: few and long ranges, and a table with an eighth of the cells of a grid of edge r. Limitations: the number
//! of candidates, because eight cells of edge 2r contain 64 r³ where 27 cells of edge r contain 27 r³. The search is
//! faster than a look-up of 27 cells of its own edge, which is the comparison of the paper, but not faster than
//! narrower cells if many particles share a cell.
//!
//! Departures from the paper:
//! - The coefficients alpha and beta follow figure 3; the text swaps the two halves.
//! - Equation 2 divides by R; this search divides by the cell's edge.
//! - A particle on a secant plane looks up the cells of its high half. Figures 3b and 3c exclude both cells and would
//!   lose a neighbor exactly at the radius.
//! - Two cells along x are read as one range; the paper looks up all eight cells one by one.
//! - The table has an entry for every cell of the box; the table of section 5.1 contains only the occupied cells.
//! - Cells of edge 2r are wider by a bound on rounding.

mod explanation;

use glam::Vec3;

use super::domain::Grid;
use super::sorted_cells::{BYTES_PER_CELL, SortedCells};
use super::traversal::Traversal;
use super::{
    Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, NeighborSearch, OptionKind, SearchError,
    SearchInfo, SearchInput, SearchOption, needs,
};
use crate::gpu::{Gpu, Pass, ShaderVariant};

const FILE: &str = "search/morillo.wgsl";

/// The cell edge.
static OCTANT_EDGE: SearchOption = SearchOption {
    name: "octant-edge",
    title: "Octant edge",
    hover: "edge of a grid cell in support radii; half a cell must be at least as wide as the radius; the paper \
            compares 2, 2.52 and 4",
    kind: OptionKind::Number {
        least: 2.0,
        most: 8.0,
        default: 2.0,
        whole: false,
        suffix: "r",
        presets: &[2.0, 2.52, 4.0],
        word: None,
    },
};

/// The registry entry of Morillo's search.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "morillo",
    title: "Morillo 2014",
    paper: "D. Morillo, R. Carmona, J. J. Perea, J. M. Cordero, A more efficient parallel method for neighbour search \
            using CUDA, 2014",
    idea: "Cells of twice the radius: the octant of its cell that contains a particle determines 8 cells to look up.",
    options: &[&OCTANT_EDGE],
    published: &[],
    needs: &[&needs::POSITIONS, &needs::RADIX_SORT],
    repeatable: true,
    // The paper gives no formula; this is the formula of Green, whose tables the search uses.
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Morillo::new(gpu, input)?))),
};

struct Morillo {
    tables: SortedCells,
}

impl Morillo {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let edge = cell_edge(&input.domain, input.options.value(&OCTANT_EDGE));
        let cell_limit = gpu.capabilities.largest_binding_bytes() / BYTES_PER_CELL;
        let grid = Grid::new(INFO.title, input.domain, Vec3::splat(edge), input.particle_count, cell_limit)?;
        Ok(Self { tables: SortedCells::new(gpu, &input, &grid)? })
    }
}

/// The edge of a cell, m. Half of it is at least the reach, so that it covers all neighbors in spite of rounding.
fn cell_edge(domain: &Domain, octant_edge: f32) -> f32 {
    (octant_edge * domain.support_radius).max(2.0 * domain.reach())
}

impl NeighborSearch for Morillo {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        self.tables.passes(gpu)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        let (own, particle_count) = self.tables.read();
        Traversal { gpu, own: &own, particle_count, pair, instrument }.gathering(ShaderVariant::new(FILE))
    }

    fn particle_count(&self) -> u32 {
        self.tables.particle_count()
    }

    fn domain(&self) -> Domain {
        self.tables.domain()
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        self.tables.sorted_positions()
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.tables.cells())
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(self.tables.blocks())
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let eight_cells = 8.0 * f64::from(self.tables.cells().size.element_product());
        self.tables.symbols().into_iter().chain([("v", eight_cells)]).collect()
    }

    fn bytes(&self) -> u64 {
        self.tables.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fixtures::{FixtureSize, fixtures};

    #[test]
    #[expect(clippy::float_cmp, reason = "the numbers of the fixture are exact in binary")]
    fn the_fixture_of_secant_planes_has_particles_on_the_planes() {
        let fixtures = fixtures(FixtureSize::Small, 1).expect("fixtures have good boxes");
        let fixture = fixtures.iter().find(|fixture| fixture.name == "secant planes, ties at r").expect("it is there");
        let edge = cell_edge(&fixture.domain, 2.0);
        let in_cell = |position: &Vec3| ((position.x - fixture.domain.low.x) / edge).fract();
        assert_eq!(fixture.positions.iter().filter(|position| in_cell(position) == 0.5).count(), 3 * 12 * 12);
        assert_eq!(fixture.positions.iter().filter(|position| in_cell(position) == 0.0).count(), 3 * 12 * 12);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "doubling is exact, and both sides compute the same product")]
    fn half_a_cell_is_never_narrower_than_the_reach() {
        let domain = Domain::new(Vec3::splat(-3.0), Vec3::splat(1e4), 0.1).expect("a good domain");
        assert_eq!(cell_edge(&domain, 2.0), 2.0 * domain.reach());
        assert_eq!(cell_edge(&domain, 4.0), 4.0 * domain.support_radius);
    }
}
