//! The neighbors of every particle as compressed rows by the caller's own indices.

use super::NeighborsError;
use crate::gpu::{Gpu, Pass, Phase, read_buffer};
use crate::primitives::ExclusiveScan;
use crate::search::{BoundPairKernel, COUNT_PAIRS, LIST_PAIRS, ListedNeighbors, NeighborSearch, SearchError};

/// Selects the caller's indices in the kernels that count and list.
const BY_ORIGINAL_INDEX: [(&str, Option<u32>); 1] = [("BY_ORIGINAL_INDEX", None)];

/// The lists on the device, and the passes that write them.
pub(super) struct Lists {
    /// u32: index in `indices` of each particle's first neighbor, and then their number; len = capacity + 1.
    pub offsets: wgpu::Buffer,
    /// u32: number of neighbors of each particle; len = capacity.
    pub counts: wgpu::Buffer,
    /// u32: neighbors as the caller's indices; len = `list_capacity`.
    pub indices: wgpu::Buffer,
    list_capacity: u64,
    capacity: u32,
    passes: Vec<Pass>,
}

impl Lists {
    /// Makes the lists of a search. `original_from_sorted` has the caller's index of every sorted particle.
    pub(super) fn new(
        gpu: &Gpu,
        search: &dyn NeighborSearch,
        original_from_sorted: &wgpu::Buffer,
        list_capacity: u64,
    ) -> Result<Self, NeighborsError> {
        let capacity = search.particle_count();
        let offsets = gpu.storage::<u32>("neighbor offsets", u64::from(capacity) + 1)?;
        let counts = gpu.storage::<u32>("neighbor counts", capacity.into())?;
        let indices = gpu.storage::<u32>("neighbor indices", list_capacity)?;
        let deposits = gpu.storage::<u32>("deposited counts", if search.deposits() { capacity.into() } else { 1 })?;
        let count_buffers =
            [("pair_counts", &offsets), ("deposits", &deposits), ("original_from_sorted", original_from_sorted)];
        let list_buffers = [
            ("list_starts", &offsets),
            ("list_lengths", &counts),
            ("list", &indices),
            ("original_from_sorted", original_from_sorted),
        ];
        let kernel =
            |label, kernel, buffers| BoundPairKernel { label, kernel, definitions: &BY_ORIGINAL_INDEX, buffers };
        let mut passes = search.traversal_passes(gpu, kernel("count neighbors", COUNT_PAIRS, &count_buffers), None)?;
        passes.extend(ExclusiveScan::new(gpu, &offsets, capacity + 1)?.passes(gpu, Phase::Search)?);
        passes.extend(search.traversal_passes(gpu, kernel("list neighbors", LIST_PAIRS, &list_buffers), None)?);
        Ok(Self { offsets, counts, indices, list_capacity, capacity, passes })
    }

    /// Records what must be zero before the passes.
    pub(super) fn record_clearing(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.counts, 0, None);
        // The scan turns the counts into offsets, of which the last has no particle.
        encoder.clear_buffer(&self.offsets, 4 * u64::from(self.capacity), Some(4));
    }

    /// The passes that count, scan and list, after those of the search.
    pub(super) fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Number of neighbors that the lists hold.
    pub(super) fn list_capacity(&self) -> u64 {
        self.list_capacity
    }

    /// Copies the lists of the first `count` particles to the CPU. Waits for the device.
    pub(super) fn read(&self, gpu: &Gpu, count: usize) -> Result<ListedNeighbors, NeighborsError> {
        let starts: Vec<u32> = read_buffer(gpu, &self.offsets, count + 1)?;
        let listed: Vec<u32> = read_buffer(gpu, &self.counts, count)?;
        let needed = listed.iter().copied().map(u64::from).sum();
        if needed > self.list_capacity || needed > u32::MAX.into() {
            return Err(NeighborsError::ListsFull { needed, capacity: self.list_capacity });
        }
        let mut offsets = vec![0];
        for (particle, (bounds, &listed)) in (0..).zip(starts.windows(2).zip(&listed)) {
            let begin = offsets[offsets.len() - 1];
            let counted = bounds[1].wrapping_sub(bounds[0]);
            if counted != listed || bounds[0] as usize != begin {
                return Err(SearchError::ListDisagrees { particle, counted, listed }.into());
            }
            offsets.push(begin + listed as usize);
        }
        let mut indices: Vec<u32> = read_buffer(gpu, &self.indices, needed as usize)?;
        for bounds in offsets.windows(2) {
            indices[bounds[0]..bounds[1]].sort_unstable();
        }
        Ok(ListedNeighbors { offsets, indices })
    }
}
