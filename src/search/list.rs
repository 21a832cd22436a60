use super::{BoundPairKernel, NeighborSearch, SearchError};
use crate::gpu::{Gpu, PairKernel, Phase, read_buffer, record};
use crate::primitives::ExclusiveScan;

const COUNT_PAIRS: PairKernel = PairKernel { file: "search/count_pairs.wgsl", vanishes_at_radius: false };
const LIST_PAIRS: PairKernel = PairKernel { file: "search/list_pairs.wgsl", vanishes_at_radius: false };

/// Every particle's neighbors written out on the device, as some solvers and most analyses want them. Exact and of
/// any length that fits a binding; the particle itself is not among its neighbors.
///
/// Searches that hand pairs straight to a pair kernel need no such list, and are faster for it.
pub struct NeighborList {
    /// u32, in sorted order: where each particle's neighbors start in `neighbors`, and at the end their number.
    /// len = `particle_count` + 1.
    pub offsets: wgpu::Buffer,
    /// u32: places in the sorted order, unordered within a particle.
    pub neighbors: wgpu::Buffer,
    /// u32 in sorted order: entries that were written for each particle; as many as counted unless the traversal was
    /// wrong. len = `particle_count`.
    pub(super) written: wgpu::Buffer,
    particle_count: u32,
    length: u64,
}

/// A neighbor list on the CPU, in the caller's order of particles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// Where each particle's neighbors start in `indices`, and at the end their number; len = `particle_count` + 1.
    pub offsets: Vec<usize>,
    /// Indices of neighbors, ascending within a particle.
    pub indices: Vec<u32>,
}

impl Neighbors {
    /// The neighbors of one particle, ascending.
    pub fn of(&self, particle: usize) -> &[u32] {
        &self.indices[self.offsets[particle]..self.offsets[particle + 1]]
    }
}

impl NeighborList {
    /// Lists the neighbors of a search whose build passes have run. Waits for the device once, for the length.
    ///
    /// # Errors
    /// When the list does not fit a binding (the message says the bytes), or the device fails.
    pub fn new(gpu: &Gpu, search: &dyn NeighborSearch, particle_count: u32) -> Result<Self, SearchError> {
        let counts = count_neighbors(gpu, search, particle_count)?;
        let length: u64 = read_buffer::<u32>(gpu, &counts, particle_count as usize)?.into_iter().map(u64::from).sum();
        let bytes = length * size_of::<u32>() as u64;
        let limit = gpu.capabilities.largest_binding_bytes();
        if bytes > limit || length > u32::MAX.into() {
            return Err(SearchError::ListTooLong { neighbors: length, bytes, limit });
        }
        let offsets = gpu.storage::<u32>("neighbor offsets", u64::from(particle_count) + 1)?;
        let scan = ExclusiveScan::new(gpu, &offsets, particle_count + 1)?.passes(gpu, Phase::Search)?;
        let list = Self {
            neighbors: gpu.storage::<u32>("neighbor list", length)?,
            written: gpu.storage::<u32>("neighbors written", particle_count.into())?,
            offsets,
            particle_count,
            length,
        };
        let pair = BoundPairKernel {
            label: "list pairs",
            kernel: LIST_PAIRS,
            definitions: &[],
            buffers: &[("list_starts", &list.offsets), ("list_lengths", &list.written), ("list", &list.neighbors)],
        };
        let traversal = search.traversal_passes(gpu, pair, None)?;
        gpu.submit(|encoder| {
            encoder.copy_buffer_to_buffer(&counts, 0, &list.offsets, 0, u64::from(particle_count) * 4);
            record(scan.iter().chain(&traversal), encoder, None);
        });
        Ok(list)
    }

    /// Number of neighbors of all particles, each direction counted.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether no particle has a neighbor.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Brings the list to the CPU and into the caller's order of particles. `search` is the one that was listed, not
    /// built again since.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self, gpu: &Gpu, search: &dyn NeighborSearch) -> Result<Neighbors, SearchError> {
        let count = self.particle_count as usize;
        let sorted: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), count)?;
        let starts: Vec<u32> = read_buffer(gpu, &self.offsets, count + 1)?;
        let list: Vec<u32> = read_buffer(gpu, &self.neighbors, self.length as usize)?;
        let original = |place: u32| sorted[place as usize][3].to_bits();
        let mut place_of = vec![0; count];
        for place in 0..self.particle_count {
            place_of[original(place) as usize] = place as usize;
        }
        let mut neighbors = Neighbors { offsets: vec![0], indices: Vec::with_capacity(list.len()) };
        for place in place_of {
            let from = neighbors.indices.len();
            let own = &list[starts[place] as usize..starts[place + 1] as usize];
            neighbors.indices.extend(own.iter().map(|&other| original(other)));
            neighbors.indices[from..].sort_unstable();
            neighbors.offsets.push(neighbors.indices.len());
        }
        Ok(neighbors)
    }
}

/// Neighbors of each particle by the plain variant of the traversal, the one that physics runs: u32 in sorted order.
pub(super) fn count_neighbors(
    gpu: &Gpu,
    search: &dyn NeighborSearch,
    particle_count: u32,
) -> Result<wgpu::Buffer, SearchError> {
    let counts = gpu.storage::<u32>("neighbors of each particle", particle_count.into())?;
    let deposits = gpu.storage::<u32>("deposited counts", particle_count.into())?;
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let passes = search.traversal_passes(gpu, count_kernel(&buffers), None)?;
    gpu.submit(|encoder| record(&passes, encoder, None));
    Ok(counts)
}

/// The pair kernel that counts, with its buffers `pair_counts` and `deposits`.
pub(super) fn count_kernel<'a>(buffers: &'a [(&'a str, &'a wgpu::Buffer)]) -> BoundPairKernel<'a> {
    BoundPairKernel { label: "count pairs", kernel: COUNT_PAIRS, definitions: &[], buffers }
}
