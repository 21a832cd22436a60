//! Morillo, Carmona, Perea and Cordero 2014 ("A more efficient parallel method for neighbour search using CUDA"): a
//! sorted uniform grid whose cells are at least twice the radius wide, so that the half of its cell that a particle
//! is in says which of the two cells beside it can hold neighbors: 8 cells in all instead of 27.
//!
//! 1. The cell of each particle by its linear index (section 5.1, equation 1), sorted; a cell begins where the index
//!    changes, as in Green's search.
//! 2. The octant of its cell that a particle is in, found axis by axis, and from it the eight cells (section 5.2,
//!    figure 3). Two cells along x follow each other in the sorted list, so they are four ranges.
//!
//! 16n + 8m bytes for n particles and m cells, half of the 16n for the sort, which takes a little more for its
//! counts. Good at: few and long ranges, and a table an eighth as large as with cells of the radius. Bad at:
//! candidates, since eight cells of edge 2r hold 64 r³ where 27 of edge r hold 27 r³: it gains over the 27 cells of
//! its own edge, as the paper compares it, and not over narrow ones where many particles share a cell.
//!
//! Departures: of the text's coefficients alpha and beta, which have the two halves swapped, to its figure 3; from
//! dividing by R in equation 2 to dividing by the cell's edge; a particle on a secant plane looks at the cells of its
//! high half, where figures 3b and 3c leave both out and would lose a neighbor exactly on the radius; the table holds
//! empty cells too; and cells of edge 2r are wider by what rounding can add.

use glam::Vec3;

use super::contract::gathering_pass;
use super::domain::Grid;
use super::{
    BoundPairKernel, Cells, Domain, NeighborSearch, OptionKind, PairCounters, SearchError, SearchInfo, SearchInput,
    SearchOption,
};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, ShaderVariant};
use crate::primitives::RadixSort;

const FILE: &str = "search/morillo.wgsl";

/// How wide the cells are.
static OCTANT_EDGE: SearchOption = SearchOption {
    name: "octant-edge",
    title: "Octant edge",
    hover: "edges of a grid cell in support radii: from two on, half a cell is as wide as the radius; the paper \
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

/// Morillo's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "morillo",
    title: "Morillo 2014",
    paper: "D. Morillo, R. Carmona, J. J. Perea, J. M. Cordero, A more efficient parallel method for neighbour search \
            using CUDA, 2014",
    idea: "Cells of twice the radius: the octant of its cell that a particle is in leaves 8 cells to look at.",
    options: &[&OCTANT_EDGE],
    repeatable: true,
    // The paper gives none: that of Green, whose tables it takes over.
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    create: |gpu, input| Ok(Box::new(Morillo::new(gpu, input)?)),
};

struct Morillo {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    keys: wgpu::Buffer,
    values: wgpu::Buffer,
    sort: RadixSort,
    cell_ranges: wgpu::Buffer,
    grid: wgpu::Buffer,
    cells: Cells,
    particle_count: u32,
    cell_count: u32,
}

impl Morillo {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let particle_count = input.particle_count;
        let edge = cell_edge(&input.domain, input.options.value(&OCTANT_EDGE));
        let cell_limit = gpu.capabilities.largest_binding_bytes() / size_of::<[u32; 2]>() as u64;
        let grid = Grid::new(INFO.title, input.domain, Vec3::splat(edge), particle_count, cell_limit)?;
        let keys = gpu.storage::<u32>("cell of each particle", particle_count.into())?;
        let values = gpu.storage::<u32>("index of each particle", particle_count.into())?;
        let key_bits = u32::BITS - (grid.cell_count - 1).leading_zeros();
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            sort: RadixSort::new(gpu, &keys, &values, particle_count, key_bits.max(1))?,
            keys,
            values,
            cell_ranges: gpu.storage::<[u32; 2]>("cell ranges", grid.cell_count.into())?,
            cells: grid.cells(),
            grid: gpu.uniform("grid", &grid),
            particle_count,
            cell_count: grid.cell_count,
        })
    }
}

/// Edge of a cell, m: at least so wide that all neighbors are within half of it, rounding included.
fn cell_edge(domain: &Domain, octant_edge: f32) -> f32 {
    (octant_edge * domain.support_radius).max(2.0 * domain.reach())
}

impl NeighborSearch for Morillo {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = ShaderVariant::new(FILE);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("keys", &self.keys),
            ("values", &self.values),
            ("sorted_keys", self.sort.sorted_keys()),
            ("original_from_sorted", self.sort.sorted_values()),
            ("cell_ranges", &self.cell_ranges),
            ("sorted_positions", &self.sorted_positions),
        ];
        let pass = |label, entry_point, invocations: u32| {
            let dispatch = Dispatch::Invocations(invocations.into());
            Pass::new(gpu, (Phase::Build, label), (&shader, entry_point), &buffers, dispatch)
        };
        let mut passes = vec![pass("hash particles", "hash_particles", self.particle_count)?];
        passes.extend(self.sort.passes(gpu, Phase::Build)?);
        passes.push(pass("clear cells", "clear_cells", self.cell_count)?);
        passes.push(pass("find cells", "find_cells", self.particle_count)?);
        Ok(passes)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError> {
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_ranges", &self.cell_ranges),
        ];
        gathering_pass(gpu, ShaderVariant::new(FILE), (&own, self.particle_count), pair, counters)
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn bytes(&self) -> u64 {
        self.keys.size() + self.values.size() + self.cell_ranges.size() + self.sort.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fixtures::{FixtureSize, fixtures};

    #[test]
    #[expect(clippy::float_cmp, reason = "the fixture's numbers are exact in binary")]
    fn the_fixture_of_secant_planes_lies_on_them() {
        let fixtures = fixtures(FixtureSize::Small, 1).expect("fixtures have good boxes");
        let fixture = fixtures.iter().find(|fixture| fixture.name == "secant planes, ties at r").expect("it is there");
        let edge = cell_edge(&fixture.domain, 2.0);
        let in_cell = |position: &Vec3| ((position.x - fixture.domain.low.x) / edge).fract();
        assert_eq!(fixture.positions.iter().filter(|position| in_cell(position) == 0.5).count(), 3 * 12 * 12);
        assert_eq!(fixture.positions.iter().filter(|position| in_cell(position) == 0.0).count(), 3 * 12 * 12);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "doubling is exact, and so is the same product")]
    fn half_a_cell_is_never_narrower_than_what_is_to_be_found_in_it() {
        let domain = Domain::new(Vec3::splat(-3.0), Vec3::splat(1e4), 0.1).expect("a good domain");
        assert_eq!(cell_edge(&domain, 2.0), 2.0 * domain.reach());
        assert_eq!(cell_edge(&domain, 4.0), 4.0 * domain.support_radius);
    }
}
