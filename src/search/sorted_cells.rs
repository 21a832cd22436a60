//! The tables of a uniform grid built by sorting (Green 2008/2012), which the searches of Green and of Morillo et al.
//! share: the particles, radix sorted by the index of their cell, and the range of each cell in the sorted order.
//!
//! They take 16n + 8m bytes for n particles and m cells, plus the counts of the sort.

pub(super) mod explanation;

use super::domain::Grid;
use super::{BlockTable, Blocks, Cells, Domain, SearchError, SearchInput};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes};
use crate::primitives::RadixSort;

const FILE: &str = "search/sorted_cells.wgsl";

/// Bytes that a cell occupies in a binding.
pub(super) const BYTES_PER_CELL: u64 = size_of::<[u32; 2]>() as u64;

/// The particles sorted by cell, and the range of each cell.
pub(super) struct SortedCells {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    keys: wgpu::Buffer,
    values: wgpu::Buffer,
    sort: RadixSort,
    cell_ranges: wgpu::Buffer,
    grid: wgpu::Buffer,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
}

impl SortedCells {
    /// Creates the buffers for an input and a grid over its box.
    ///
    /// # Errors
    /// When a buffer does not fit the device.
    pub(super) fn new(gpu: &Gpu, input: &SearchInput<'_>, grid: &Grid) -> Result<Self, SearchError> {
        let particle_count = input.particle_count;
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
            domain: input.domain,
            grid: gpu.uniform("grid", grid),
            particle_count,
            cell_count: grid.cell_count,
        })
    }

    /// Number of particles of the input.
    pub(super) fn particle_count(&self) -> u32 {
        self.particle_count
    }

    /// The box and the support radius of the input.
    pub(super) fn domain(&self) -> Domain {
        self.domain
    }

    /// The passes that sort the particles and find the ranges of the cells.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
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
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Build,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
        };
        let mut passes = vec![pass("hash particles", "hash_particles", self.particle_count)?];
        passes.extend(self.sort.passes(gpu, Phase::Build)?);
        passes.push(pass("clear cells", "clear_cells", self.cell_count)?);
        passes.push(pass("find cells", "find_cells", self.particle_count)?);
        Ok(passes)
    }

    /// The buffers that a traversal reads, by the names of the WGSL variables, and the number of particles.
    pub(super) fn read(&self) -> ([(&str, &wgpu::Buffer); 3], u32) {
        let buffers = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_ranges", &self.cell_ranges),
        ];
        (buffers, self.particle_count)
    }

    /// Positions in sorted order.
    pub(super) fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    /// The cells, for drawing.
    pub(super) fn cells(&self) -> Cells {
        self.cells
    }

    /// The range of each cell's particles in the sorted order.
    pub(super) fn blocks(&self) -> Blocks {
        Blocks {
            buffer: self.cell_ranges.clone(),
            table: BlockTable::Ranges,
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        }
    }

    /// Values of the symbols of the sort: the number of its digits, and the memory of its counts.
    pub(super) fn symbols(&self) -> [(&'static str, f64); 2] {
        [("d", f64::from(self.sort.digit_count())), ("s", self.sort.table_bytes() as f64)]
    }

    /// Size in bytes of all buffers except the sorted positions.
    pub(super) fn bytes(&self) -> u64 {
        2 * element_bytes::<u32>(self.particle_count.into())
            + element_bytes::<[u32; 2]>(self.cell_count.into())
            + self.sort.bytes()
    }
}
