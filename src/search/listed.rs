//! Neighbor lists in a time step: a search whose neighbors are written to a list once after each build, and whose
//! traversals then read the list.
//!
//! Source: L. Verlet, "Computer experiments on classical fluids", Physical Review 159, 1967, who keeps lists of
//! neighbors over several steps. Here a list lasts for one step, so that it contains exactly the neighbors.
//!
//! Idea: the pair kernels of a step, which are two to ten or more, all need the same pairs. A search tests two to four
//! candidates for each neighbor in every one of its traversals; from a list each reads the neighbors alone. The lanes
//! of a subgroup then also wait for each other less, since particles differ less in their numbers of neighbors than in
//! those of each row of cells.
//!
//! Passes: the passes of the search's build; its traversal, with a pair kernel that writes the list (*list neighbors*);
//! bounding boxes of consecutive particles, which are computed only from the first crowded particle on, that is one
//! with more neighbors than the list has room for; and a pass that lists the neighbors of crowded particles behind the
//! list (*list crowded*), each by a workgroup of its own. Where these have no room there either, a crowded particle
//! finds them by the bounding boxes in each traversal, so that none is lost.
//!
//! Memory: 4 (c + 2) + 1/8 bytes per particle for a capacity of c neighbors, and up to 64 bytes per particle for
//! crowded ones, which become fewer beyond 262,144 particles and are 8 at least.
//!
//! Limitations: memory, and a scene in which many particles have many more neighbors than water at rest. A crowded
//! particle without room behind the list costs a hundred times as much as others. With an instrument, traversals are
//! those of the search.

mod explanation;

use std::any::Any;

pub use explanation::LIST_EXPLANATION;

use super::list::LIST_COLUMNS;
use super::measured_density::neighbors_within;
use super::traversal::{ADDS_ONE_BY_ONE, Traversal};
use super::{
    Blocks, BoundPairKernel, Cells, Domain, Instrument, NeighborSearch, OptionChoice, OptionKind, SearchError,
    SearchInfo, SearchInput, SearchOption, SearchOptions,
};
use crate::gpu::{AdapterClass, Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes, gpu_struct};
use crate::primitives::{shader_variant, workgroup_size};

/// Labels of the passes that write a list.
#[cfg(feature = "fluid")]
pub(crate) const LISTING_LABELS: [&str; 4] = [CLEAR, LIST, BOUND, LIST_CROWDED];
const CLEAR: &str = "clear list";
const LIST: &str = "list neighbors";
const BOUND: &str = "bound chunks";
const LIST_CROWDED: &str = "list crowded";

const FILE: &str = "search/listed.wgsl";
const CROWDED_FILE: &str = "search/list_crowded.wgsl";

/// Particles of a chunk: CHUNK in `listed_layout.wgsl`.
const CHUNK: u32 = 256;
/// The list has room for this multiple of the neighbors in even water, and for a few more. Moving water is less even,
/// and compressed in impacts.
const MARGIN: f64 = 1.3;
const FURTHER: f64 = 6.0;
/// The least multiple with which a list is worthwhile, where a binding does not hold a longer one.
const LEAST_MARGIN: f64 = 1.15;
/// Vectors of four neighbors that crowded particles have room for: so many per particle, but no more than
/// [`USUAL_CROWDED_ROOM`], unless that is less than half a vector per particle.
const CROWDED_ROOM: u32 = 4;
const USUAL_CROWDED_ROOM: u32 = 1 << 20;
/// Workgroups that list the neighbors of crowded particles: more than a graphics card runs at once. A software adapter
/// takes time for each.
const CROWDED_WORKGROUPS: u32 = 1_024;

/// Whether the neighbors of all particles are listed once after each build. All searches have this setting.
pub static NEIGHBOR_LIST: SearchOption = SearchOption {
    name: "neighbor-list",
    title: "Neighbor list",
    hover: "whether the search writes the neighbors of all particles to a list after each build, from which the pair \
            kernels of the step then read them",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "auto",
            hover: "in time steps, which need the same pairs several times, if the list fits the device",
        },
        OptionChoice { label: "on", hover: "always" },
        OptionChoice {
            label: "off",
            hover: "never: each pair kernel runs in a traversal of the search, as in the papers",
        },
    ]),
};

/// The value of the setting, in the order of its choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UseOfList {
    /// Where several traversals follow a build.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl UseOfList {
    /// The value among the settings of searches.
    pub(crate) fn of(options: &SearchOptions) -> Self {
        let choices = [Self::Auto, Self::On, Self::Off];
        choices.get(options.value(&NEIGHBOR_LIST) as usize).copied().unwrap_or(Self::Auto)
    }

    /// The settings with this value.
    pub(crate) fn among(self, options: &SearchOptions) -> SearchOptions {
        options.clone().with(&NEIGHBOR_LIST, f32::from(self as u8))
    }
}

gpu_struct! {
    /// Parameters of a list, in the layout of the shaders.
    pub struct ListParameters {
        /// Number of particles.
        pub particle_count: u32,
        /// Number of chunks of consecutive particles.
        pub chunk_count: u32,
        /// Neighbors of a particle that the list has room for; a multiple of 4.
        pub capacity: u32,
        /// Vectors of four neighbors that crowded particles have room for behind the list.
        pub crowded_room: u32,
        /// Squared support radius, m².
        pub radius_squared: f32,
    }
}

/// Numbers before the indices in `Crowd` of `listed_layout.wgsl`.
const CROWD_HEADER: u64 = 4;

/// A search with a list of all neighbors.
pub(crate) struct Listed {
    search: Box<dyn NeighborSearch>,
    parameters: wgpu::Buffer,
    lengths: wgpu::Buffer,
    list: wgpu::Buffer,
    crowded: wgpu::Buffer,
    bounds: wgpu::Buffer,
    chunk_count: u32,
    capacity: u32,
}

impl Listed {
    /// Allocates the list for a search on particles with about `neighbors` neighbors each.
    ///
    /// # Errors
    /// When no binding holds a list that is long enough to be worthwhile, or the device has no memory for it.
    pub(crate) fn new(gpu: &Gpu, search: Box<dyn NeighborSearch>, neighbors: f64) -> Result<Self, SearchError> {
        let particle_count = search.particle_count();
        if !Self::fits(gpu, particle_count, neighbors) {
            let neighbors = (f64::from(particle_count) * LEAST_MARGIN * neighbors).round() as u64;
            let limit = gpu.capabilities.largest_binding_bytes();
            return Err(SearchError::ListTooLong { neighbors, bytes: element_bytes::<u32>(neighbors), limit });
        }
        let chunk_count = particle_count.div_ceil(CHUNK);
        let capacity = capacity_for(neighbors, most_capacity(gpu, particle_count));
        let radius_squared = search.domain().support_radius.powi(2);
        let crowded_room = crowded_room(gpu, particle_count, capacity);
        let parameters = ListParameters { particle_count, chunk_count, capacity, crowded_room, radius_squared };
        let particles = u64::from(particle_count);
        let vectors = particles * u64::from(capacity / 4) + u64::from(crowded_room);
        Ok(Self {
            parameters: gpu.uniform("list parameters", &parameters),
            lengths: gpu.storage::<u32>("numbers of neighbors", particles)?,
            list: gpu.storage::<[u32; 4]>("lists of neighbors", vectors)?,
            crowded: gpu.storage::<u32>("crowded particles", CROWD_HEADER + particles.max(1))?,
            bounds: gpu.storage::<[f32; 8]>("bounding boxes of chunks", chunk_count.into())?,
            chunk_count,
            capacity,
            search,
        })
    }

    /// Whether a binding of the device holds a list of so many particles that is long enough to be worthwhile.
    pub(crate) fn fits(gpu: &Gpu, particle_count: u32, neighbors: f64) -> bool {
        f64::from(most_capacity(gpu, particle_count)) >= LEAST_MARGIN * neighbors
    }

    /// A search with a list for the density that its particles have now.
    ///
    /// # Errors
    /// As [`Listed::new`].
    pub(super) fn measured(
        gpu: &Gpu,
        search: Box<dyn NeighborSearch>,
        input: &SearchInput<'_>,
    ) -> Result<Self, SearchError> {
        Self::new(gpu, search, neighbors_within(gpu, input))
    }

    fn buffers(&self) -> [(&str, &wgpu::Buffer); 6] {
        [
            ("list_parameters", &self.parameters),
            ("sorted_positions", self.search.sorted_positions()),
            ("column_lengths", &self.lengths),
            ("columns", &self.list),
            ("crowded_particles", &self.crowded),
            ("chunk_bounds", &self.bounds),
        ]
    }

    /// The passes that write the list.
    fn listing_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let buffers = self.buffers();
        let shader = ShaderVariant::new(FILE);
        let pass = |label, entry_point, dispatch| {
            let phase = Phase::Search;
            Pass::new(gpu, PassDescriptor { phase, label, shader: &shader, entry_point, buffers: &buffers, dispatch })
        };
        let pair = BoundPairKernel { label: LIST, kernel: LIST_COLUMNS, definitions: &[], buffers: &buffers };
        let listing = self.search.traversal_passes(gpu, pair, None)?;
        let mut passes = Vec::new();
        if !listing.iter().all(|pass| pass.shader().definitions.contains_key(ADDS_ONE_BY_ONE)) {
            let particles = Dispatch::Invocations(self.search.particle_count().into());
            passes.push(pass(CLEAR, "clear_lengths", particles)?);
        }
        // Deposited neighbors are in the list already, so that the pass that hands deposits to a kernel writes nothing.
        passes.extend(listing.into_iter().filter(|pass| pass.bindings().iter().any(|bound| bound.access.writes())));
        passes.push(pass(BOUND, "bound_chunks", Dispatch::Workgroups(self.chunk_count.into()))?);
        passes.push(self.crowded_pass(gpu)?);
        Ok(passes)
    }

    /// The pass that lists the neighbors of crowded particles.
    fn crowded_pass(&self, gpu: &Gpu) -> Result<Pass, SearchError> {
        let capabilities = &gpu.capabilities;
        let shader = shader_variant(capabilities, CROWDED_FILE, workgroup_size(capabilities))
            .with_flag_if(gpu.loop_limit().is_some(), "LIMITED_LOOPS");
        let mut buffers = self.buffers().to_vec();
        buffers.extend(gpu.loop_limit().map(|loops_cut| ("loops_cut", loops_cut)));
        let is_software = capabilities.class == AdapterClass::Software;
        let workgroups = if is_software { self.chunk_count } else { CROWDED_WORKGROUPS };
        let descriptor = PassDescriptor {
            phase: Phase::Search,
            label: LIST_CROWDED,
            shader: &shader,
            entry_point: "list_crowded",
            buffers: &buffers,
            dispatch: Dispatch::Workgroups(workgroups.into()),
        };
        Ok(Pass::new(gpu, descriptor)?)
    }
}

/// The search that writes the list of a search; the search itself if it has none.
pub(super) fn without_list(search: &dyn NeighborSearch) -> &dyn NeighborSearch {
    (search as &dyn Any).downcast_ref::<Listed>().map_or(search, |listed| listed.search.as_ref())
}

/// Neighbors of a particle that a list has room for, if even water has `neighbors`, and at most so many fit.
fn capacity_for(neighbors: f64, most: u32) -> u32 {
    (((MARGIN * neighbors + FURTHER) / 4.0).ceil() as u32 * 4).min(most).max(4)
}

/// Vectors of four neighbors that crowded particles have room for behind the list, in the same binding.
fn crowded_room(gpu: &Gpu, particle_count: u32, capacity: u32) -> u32 {
    let wanted = particle_count.saturating_mul(CROWDED_ROOM).min(USUAL_CROWDED_ROOM.max(particle_count / 2));
    let vectors = gpu.capabilities.largest_binding_bytes() / element_bytes::<[u32; 4]>(1);
    let left = vectors.saturating_sub(u64::from(particle_count) * u64::from(capacity / 4));
    wanted.min(u32::try_from(left).unwrap_or(u32::MAX))
}

/// The longest list of each of so many particles that a binding holds; a multiple of 4.
fn most_capacity(gpu: &Gpu, particle_count: u32) -> u32 {
    let of_four = element_bytes::<[u32; 4]>(particle_count.into());
    let fours = gpu.capabilities.largest_binding_bytes() / of_four;
    u32::try_from(fours).unwrap_or(u32::MAX).min(u32::MAX / 4) * 4
}

impl NeighborSearch for Listed {
    fn info(&self) -> &'static SearchInfo {
        self.search.info()
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let mut passes = self.search.build_passes(gpu)?;
        passes.extend(self.listing_passes(gpu)?);
        Ok(passes)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        if instrument.is_some() {
            return self.search.traversal_passes(gpu, pair, instrument);
        }
        Traversal { gpu, own: &self.buffers(), particle_count: self.search.particle_count(), pair, instrument }
            .gathering_at_once(ShaderVariant::new(FILE))
    }

    fn particle_count(&self) -> u32 {
        self.search.particle_count()
    }

    fn domain(&self) -> Domain {
        self.search.domain()
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        self.search.sorted_positions()
    }

    fn deposits(&self) -> bool {
        self.search.deposits()
    }

    fn gathers(&self) -> bool {
        true
    }

    fn cells(&self) -> Option<Cells> {
        self.search.cells()
    }

    fn blocks(&self) -> Option<Blocks> {
        self.search.blocks()
    }

    fn bytes(&self) -> u64 {
        self.search.bytes()
    }

    fn list_bytes(&self) -> u64 {
        [&self.lengths, &self.list, &self.crowded, &self.bounds].map(wgpu::Buffer::size).iter().sum()
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let mut symbols = self.search.symbols();
        symbols.extend([
            ("C", f64::from(self.capacity)),
            ("u", f64::from(self.chunk_count)),
            (
                "J",
                (self.list.size() / element_bytes::<[u32; 4]>(1)) as f64
                    - f64::from(self.capacity / 4) * f64::from(self.particle_count()),
            ),
            ("L", self.list_bytes() as f64),
        ]);
        symbols
    }
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_n;
    use std::sync::Arc;

    use glam::Vec3;

    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout, read_buffer, record};
    use crate::search::list::count_neighbors;
    use crate::search::random::uniform_cube;
    use crate::search::verify::SearchConfiguration;
    use crate::search::{ReferenceNeighbors, SEARCHES};

    #[test]
    fn the_parameters_have_the_same_layout_in_shaders_and_in_rust() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<ListParameters>(&module);
    }

    #[test]
    fn every_choice_of_the_setting_is_read_and_written() {
        for (label, value) in [("auto", UseOfList::Auto), ("on", UseOfList::On), ("off", UseOfList::Off)] {
            let options = value.among(&SearchOptions::default());
            assert!(options.is(&NEIGHBOR_LIST, label) && UseOfList::of(&options) == value, "{label}");
        }
    }

    #[test]
    fn a_list_has_room_for_more_than_even_water() {
        for neighbors in [0.0, 1.0, 15.2, 44.6, 113.1] {
            let capacity = capacity_for(neighbors, 1_000);
            assert!(capacity.is_multiple_of(4) && f64::from(capacity) >= 1.3 * neighbors + 6.0, "{neighbors}");
            assert_eq!(capacity_for(neighbors, 8), 8, "{neighbors}: no more than fit");
        }
    }

    #[test]
    fn crowded_particles_have_as_much_room_as_the_binding_leaves() {
        let opened = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
        let mut gpu = Arc::into_inner(opened).expect("nothing else has it");
        for (bytes, room) in [(1 << 20, 400), (16 * 100 * 17, 100), (16 * 100 * 16, 0)] {
            gpu.capabilities.limits.max_storage_buffer_binding_size = bytes;
            gpu.capabilities.limits.max_buffer_size = bytes;
            assert_eq!(crowded_room(&gpu, 100, 64), room, "{bytes} bytes");
        }
        gpu.capabilities.limits.max_storage_buffer_binding_size = 1 << 40;
        gpu.capabilities.limits.max_buffer_size = 1 << 40;
        for (count, room) in [(0, 0), (1_000, 4_000), (1_000_000, USUAL_CROWDED_ROOM), (100_000_000, 50_000_000)] {
            assert_eq!(crowded_room(&gpu, count, 64), room, "{count} particles");
        }
    }

    #[test]
    fn a_list_that_no_binding_holds_is_refused() {
        let opened = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
        let mut gpu = Arc::into_inner(opened).expect("nothing else has it");
        gpu.capabilities.limits.max_storage_buffer_binding_size = 4_096;
        gpu.capabilities.limits.max_buffer_size = 4_096;
        assert!(Listed::fits(&gpu, 100, 6.0) && !Listed::fits(&gpu, 100, 20.0) && Listed::fits(&gpu, 0, 20.0));
        let buffer = gpu.storage::<[f32; 4]>("positions", 100).expect("memory");
        let domain = Domain::new(Vec3::ZERO, Vec3::ONE, 0.15).expect("a box");
        let options = SearchOptions::default();
        let input = SearchInput { positions: &buffer, particle_count: 100, domain, options: &options };
        let search = SEARCHES[0].create(&gpu, input).expect("a small input");
        let refusal = Listed::new(&gpu, search, 20.0).err().expect("it does not fit").to_string();
        assert!(refusal.contains("2300 neighbors") && refusal.contains("4096"), "{refusal}");
    }

    /// 500 particles without order, and 1,200 in a hundredth of their box's edge, which fill more than the memory of a
    /// workgroup.
    fn crowded() -> Vec<Vec3> {
        let crowd = uniform_cube(4, 1_200, 0.01).into_iter().map(|point| Vec3::splat(0.3) + point);
        uniform_cube(3, 500, 1.0).into_iter().chain(crowd).collect()
    }

    #[test]
    fn no_neighbor_is_lost_whether_the_list_has_room_for_it_or_not() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
        let points = crowded();
        let padded: Vec<[f32; 4]> = points.iter().map(|point| point.extend(0.0).to_array()).collect();
        let buffer = gpu.storage_with("positions", &padded).expect("memory");
        let domain = Domain::new(Vec3::ZERO, Vec3::ONE, 0.15).expect("a box");
        let expected = ReferenceNeighbors::find(&points, domain, false);
        for configuration in SearchConfiguration::all_without_lists() {
            let options = &configuration.options;
            let input = SearchInput { positions: &buffer, particle_count: points.len() as u32, domain, options };
            for (neighbors, has_room) in [(4.0, false), (1_300.0, true)] {
                let search = configuration.search.create(&gpu, input).expect("a small input");
                let listed = Listed::new(&gpu, search, neighbors).expect("memory");
                let passes = listed.build_passes(&gpu).expect("it compiles");
                // Twice, because a list is used again.
                gpu.submit(|encoder| record(repeat_n(&passes, 2).flatten(), encoder, None));
                let numbers = CROWD_HEADER as usize + points.len();
                let crowd: Vec<u32> = read_buffer(&gpu, &listed.crowded, numbers).expect("the device answers");
                let lengths: Vec<u32> = read_buffer(&gpu, &listed.lengths, points.len()).expect("the device answers");
                let most = lengths.iter().copied().filter(|length| *length > listed.capacity).max().unwrap_or(0);
                assert_eq!((crowd[0], most == 0), (most, has_room), "{configuration}");
                let mut noted = crowd[CROWD_HEADER as usize..][..crowd[2] as usize].to_vec();
                noted.sort_unstable();
                let long = (0..points.len() as u32).filter(|index| lengths[*index as usize] > listed.capacity);
                assert_eq!(noted, long.collect::<Vec<_>>(), "{configuration}: each crowded particle once");
                let counts = count_neighbors(&gpu, &listed).expect("it compiles");
                let counts: Vec<u32> = read_buffer(&gpu, &counts, points.len()).expect("the device answers");
                let sorted: Vec<[f32; 4]> =
                    read_buffer(&gpu, listed.sorted_positions(), points.len()).expect("the device answers");
                for (count, [.., original]) in counts.into_iter().zip(sorted) {
                    let original = original.to_bits() as usize;
                    let (certain, ambiguous) = (expected.certain[original].len(), expected.ambiguous[original].len());
                    let right = certain..=certain + ambiguous;
                    assert!(right.contains(&(count as usize)), "{configuration}: particle {original}: {count}");
                }
            }
        }
    }
}
