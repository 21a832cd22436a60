//! Neighbor lists: the neighbors of every particle in an array, on the device and on the CPU.

use super::guards::refuse_crowds;
use super::{BoundPairKernel, NeighborSearch, SearchError};
use crate::gpu::{Gpu, PairKernel, Phase, read_buffer, record};
use crate::primitives::ExclusiveScan;

/// The pair kernel that counts neighbors.
pub(crate) const COUNT_PAIRS: PairKernel = PairKernel::new("search/count_pairs.wgsl", false);
/// The pair kernel that lists neighbors, after they were counted.
pub(crate) const LIST_PAIRS: PairKernel = PairKernel::new("search/list_pairs.wgsl", false);

/// The pair kernel that writes the lists of a time step.
pub(super) const LIST_COLUMNS: PairKernel = PairKernel::new("search/list_columns.wgsl", false);

/// The neighbors of every particle in an array on the device, as some solvers and most analyses need them. The list is
/// exact and of any length that fits a binding. A particle is not its own neighbor.
///
/// A search that passes pairs directly to a pair kernel is faster and needs no list.
///
/// ```
/// use glam::Vec3;
/// use nearwater::gpu::record;
/// use nearwater::search::{Domain, NeighborList, SearchInput, SearchOptions, search_named};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let points = [[0.1_f32, 0.1, 0.1, 0.0], [0.2, 0.1, 0.1, 0.0], [0.9, 0.9, 0.9, 0.0]];
/// let positions = gpu.storage_with("points", &points)?;
/// let input = SearchInput {
///     positions: &positions,
///     particle_count: 3,
///     domain: Domain::new(Vec3::ZERO, Vec3::ONE, 0.25)?,
///     options: &SearchOptions::default(),
/// };
/// let search = search_named("hoetzlein")?.create(&gpu, input)?;
/// let build = search.build_passes(&gpu)?;
/// gpu.submit(|encoder| record(&build, encoder, None));
///
/// let list = NeighborList::new(&gpu, search.as_ref())?.read(&gpu, search.as_ref())?;
/// assert_eq!(list.offsets, [0, 1, 2, 2]);
/// assert_eq!(list.indices, [1, 0]);
/// # Ok(())
/// # }
/// ```
pub struct NeighborList {
    /// u32 in sorted order: the index in `neighbors` of each particle's first neighbor, and at the end the length of
    /// `neighbors`. len = `particle_count` + 1.
    pub offsets: wgpu::Buffer,
    /// u32: the neighbors as indices in the sorted order, unordered within a particle.
    pub neighbors: wgpu::Buffer,
    /// u32 in sorted order: the number of entries written for each particle, which equals the counted number unless the
    /// traversal is wrong. len = `particle_count`.
    pub(super) written: wgpu::Buffer,
    particle_count: u32,
    length: u64,
}

/// A neighbor list on the CPU, in the caller's order of particles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedNeighbors {
    /// The index in `indices` of each particle's first neighbor, and at the end the length of `indices`;
    /// len = `particle_count` + 1.
    pub offsets: Vec<usize>,
    /// Indices of neighbors, ascending within a particle.
    pub indices: Vec<u32>,
}

impl ListedNeighbors {
    /// The neighbors of one particle, ascending.
    pub fn of(&self, particle: usize) -> &[u32] {
        &self.indices[self.offsets[particle]..self.offsets[particle + 1]]
    }
}

impl NeighborList {
    /// Lists the neighbors of all particles of a search whose build passes have run. Waits for the device twice: for
    /// the length of the list, and to verify that as many neighbors were listed as counted.
    ///
    /// # Errors
    /// When so many particles crowd together that the display would hang, the list does not fit a binding (the message
    /// states the size), counting and listing disagree, or the device fails.
    pub fn new(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<Self, SearchError> {
        refuse_crowds(gpu, search)?;
        let list = Self::unchecked(gpu, search)?;
        match list.first_mismatch(gpu)? {
            None => Ok(list),
            Some((place, counted, listed)) => {
                let sorted: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), place + 1)?;
                Err(SearchError::ListDisagrees { particle: sorted[place][3].to_bits(), counted, listed })
            }
        }
    }

    /// The same as [`NeighborList::new`] without the checks that particles do not crowd together, and that counting and
    /// listing agree.
    pub(super) fn unchecked(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<Self, SearchError> {
        let particle_count = search.particle_count();
        let counts = count_neighbors(gpu, search)?;
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

    /// The first index in the sorted order for which the numbers of counted and of listed neighbors differ, with both
    /// numbers.
    fn first_mismatch(&self, gpu: &Gpu) -> Result<Option<(usize, u32, u32)>, SearchError> {
        let count = self.particle_count as usize;
        let starts: Vec<u32> = read_buffer(gpu, &self.offsets, count + 1)?;
        let written: Vec<u32> = read_buffer(gpu, &self.written, count)?;
        let counted = starts.windows(2).map(|pair| pair[1] - pair[0]);
        let mut numbers = counted.zip(written).enumerate();
        Ok(numbers
            .find(|(_, (counted, listed))| counted != listed)
            .map(|(place, (counted, listed))| (place, counted, listed)))
    }

    /// Number of neighbors of all particles, each direction counted.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether no particle has a neighbor.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Copies the list to the CPU, in the caller's order of particles. `search` must be the search that the list was
    /// created from, and must not have been built again since.
    ///
    /// # Errors
    /// When `search` has a different number of particles or has not sorted them, or the device fails.
    pub fn read(&self, gpu: &Gpu, search: &dyn NeighborSearch) -> Result<ListedNeighbors, SearchError> {
        let foreign = || SearchError::ForeignList { search: search.info().title, particle_count: self.particle_count };
        if search.particle_count() != self.particle_count {
            return Err(foreign());
        }
        let count = self.particle_count as usize;
        let sorted: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), count)?;
        let starts: Vec<u32> = read_buffer(gpu, &self.offsets, count + 1)?;
        let list: Vec<u32> = read_buffer(gpu, &self.neighbors, self.length as usize)?;
        let original = |place: u32| sorted[place as usize][3].to_bits();
        let mut place_of = vec![None; count];
        for place in 0..self.particle_count {
            *place_of.get_mut(original(place) as usize).ok_or_else(foreign)? = Some(place as usize);
        }
        let mut neighbors = ListedNeighbors { offsets: vec![0], indices: Vec::with_capacity(list.len()) };
        for place in place_of {
            let place = place.ok_or_else(foreign)?;
            let from = neighbors.indices.len();
            let own = &list[starts[place] as usize..starts[place + 1] as usize];
            neighbors.indices.extend(own.iter().map(|&other| original(other)));
            neighbors.indices[from..].sort_unstable();
            neighbors.offsets.push(neighbors.indices.len());
        }
        Ok(neighbors)
    }
}

/// Counts the neighbors of each particle with the traversal without an instrument, which is also the one of the
/// physics. Returns u32 in sorted order; len = `particle_count`.
pub(super) fn count_neighbors(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<wgpu::Buffer, SearchError> {
    let particle_count = search.particle_count();
    let counts = gpu.storage::<u32>("neighbors of each particle", particle_count.into())?;
    let deposits = gpu.storage::<u32>("deposited counts", particle_count.into())?;
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let passes = search.traversal_passes(gpu, count_kernel(&buffers), None)?;
    gpu.submit(|encoder| record(&passes, encoder, None));
    Ok(counts)
}

/// The pair kernel that counts neighbors, with its buffers `pair_counts` and `deposits` (u32, len = `particle_count`
/// each; the deposits zeroed). A traversal is combined with it if only the instrument matters.
pub fn count_kernel<'a>(buffers: &'a [(&'a str, &'a wgpu::Buffer)]) -> BoundPairKernel<'a> {
    BoundPairKernel { label: "count pairs", kernel: COUNT_PAIRS, definitions: &[], buffers }
}
