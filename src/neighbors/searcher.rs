//! A search on a caller's device: its buffers, and what is recorded to use it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::lists::Lists;
use super::places::{POSITION_BYTES, Places, number};
use super::{ListedNeighbors, NeighborsError, PairPasses};
use crate::gpu::{Gpu, PairKernel, Pass, ShaderLibrary, read_buffer, record};
use crate::search::{Domain, NeighborSearch, SearchInfo, SearchInput, SearchOptions};

/// Neighbors per place that lists hold unless the settings say otherwise: more than water in three dimensions has
/// within twice the spacing of its particles.
const USUAL_NEIGHBORS: u64 = 64;

/// Settings of [`Neighbors`] besides search, capacity and domain.
#[derive(Clone, Debug, Default)]
pub struct NeighborSettings {
    /// The options of the search.
    pub options: SearchOptions,
    /// Number of neighbors that the lists hold for all particles together; `None` for 64 per place, or as many as fit a
    /// binding.
    pub list_capacity: Option<u64>,
}

/// The neighbors of up to a fixed number of particles within a radius, on a device that the caller owns.
///
/// Results are valid on the device after [`Neighbors::record`] in submission order. Rows are in the caller's order of
/// particles: the neighbors of particle `i` are `indices[offsets[i]..offsets[i + 1]]`, unordered. A particle is not its
/// own neighbor. Particles outside the box are found too. A particle with a coordinate that is not finite has no
/// neighbors, and the others are unaffected.
///
/// Memory per place: 48 bytes, 4 bytes for each neighbor that the lists hold, and the search's own buffers.
///
/// Limitations: time grows with the capacity, because the search also sorts places without a particle; and where many
/// particles crowd together a traversal takes long, since nothing that was recorded can be interrupted.
///
/// The documentation of the [module](super) has an example.
pub struct Neighbors {
    gpu: Gpu,
    search: &'static SearchInfo,
    settings: NeighborSettings,
    domain: Domain,
    capacity: u32,
    parts: Parts,
}

/// What depends on the capacity and the domain.
struct Parts {
    /// Distinguishes these buffers from those of any other instance or size.
    generation: u64,
    places: Places,
    search: Box<dyn NeighborSearch>,
    original_from_sorted: wgpu::Buffer,
    /// From the caller's positions to the sorted order.
    build: Vec<Pass>,
    lists: Lists,
}

static GENERATION: AtomicU64 = AtomicU64::new(1);

impl Neighbors {
    /// A search for up to `capacity` particles in the box and with the radius of `domain`. Does not wait for the
    /// device.
    ///
    /// Shaders use no subgroup operations until [`Neighbors::use_subgroups`] is called.
    ///
    /// # Errors
    /// When the search refuses the capacity or the domain, or the buffers do not fit the device; the message says
    /// which.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        search: &'static SearchInfo,
        capacity: u32,
        domain: Domain,
    ) -> Result<Self, NeighborsError> {
        Self::with_settings(device, queue, search, (capacity, domain), NeighborSettings::default())
    }

    /// As [`Neighbors::new`], with a capacity and domain, and settings.
    ///
    /// # Errors
    /// As [`Neighbors::new`].
    pub fn with_settings(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        search: &'static SearchInfo,
        (capacity, domain): (u32, Domain),
        settings: NeighborSettings,
    ) -> Result<Self, NeighborsError> {
        let gpu = Gpu::from_device(device.clone(), queue.clone(), ShaderLibrary::embedded());
        Self::on(gpu, search, (capacity, domain), settings)
    }

    fn on(
        gpu: Gpu,
        search: &'static SearchInfo,
        (capacity, domain): (u32, Domain),
        settings: NeighborSettings,
    ) -> Result<Self, NeighborsError> {
        let parts = Parts::new(&gpu, search, &settings, capacity, domain)?;
        Ok(Self { gpu, search, settings, domain, capacity, parts })
    }

    /// The same with wgpu's bounds and loop checks in every shader, for tests of the shaders.
    ///
    /// # Errors
    /// As [`Neighbors::new`].
    #[doc(hidden)]
    pub fn checked(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        search: &'static SearchInfo,
        (capacity, domain): (u32, Domain),
        settings: NeighborSettings,
    ) -> Result<Self, NeighborsError> {
        let gpu = Gpu::from_device(device.clone(), queue.clone(), ShaderLibrary::embedded().checked());
        Self::on(gpu, search, (capacity, domain), settings)
    }

    /// Makes everything that compiles shaders on a device and drops it, for the test that validates every variant.
    ///
    /// # Errors
    /// As [`Neighbors::new`].
    #[doc(hidden)]
    pub fn rehearse(
        gpu: &Gpu,
        search: &'static SearchInfo,
        capacity: u32,
        domain: Domain,
    ) -> Result<(), NeighborsError> {
        Parts::new(gpu, search, &NeighborSettings::default(), capacity, domain).map(drop)
    }

    /// Finds out whether the device's subgroups are as the shaders need them, and uses subgroup operations if they are,
    /// which sorting and CLAWS are faster with. Waits for the device. Returns whether they are used. The device must
    /// have been opened with the feature `SUBGROUP`.
    ///
    /// # Errors
    /// As [`Neighbors::new`]; shaders are then composed as before.
    pub fn use_subgroups(&mut self) -> Result<bool, NeighborsError> {
        let mut gpu = Gpu::from_device(self.gpu.device.clone(), self.gpu.queue.clone(), self.gpu.shaders().clone());
        gpu.verify_subgroups();
        if gpu.capabilities.subgroup_sizes.is_some() {
            self.parts = Parts::new(&gpu, self.search, &self.settings, self.capacity, self.domain)?;
            self.gpu = gpu;
        }
        Ok(self.gpu.capabilities.subgroup_sizes.is_some())
    }

    /// Changes the number of places. Allocates, and does not wait; results of earlier records are lost.
    ///
    /// # Errors
    /// As [`Neighbors::new`]; everything then stays as it was.
    pub fn resize(&mut self, capacity: u32) -> Result<(), NeighborsError> {
        self.parts = Parts::new(&self.gpu, self.search, &self.settings, capacity, self.domain)?;
        self.capacity = capacity;
        Ok(())
    }

    /// Changes box and radius, as [`Neighbors::resize`] changes the number of places.
    ///
    /// # Errors
    /// As [`Neighbors::resize`].
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), NeighborsError> {
        self.parts = Parts::new(&self.gpu, self.search, &self.settings, self.capacity, domain)?;
        self.domain = domain;
        Ok(())
    }

    /// Changes the support radius, m, as [`Neighbors::resize`] changes the number of places.
    ///
    /// # Errors
    /// As [`Neighbors::resize`].
    pub fn set_radius(&mut self, support_radius: f32) -> Result<(), NeighborsError> {
        self.set_domain(Domain::new(self.domain.low, self.domain.high, support_radius)?)
    }

    /// Makes room for a number of neighbors of all particles together, as [`Neighbors::resize`] changes the number of
    /// places.
    ///
    /// # Errors
    /// As [`Neighbors::resize`].
    pub fn reserve_lists(&mut self, neighbors: u64) -> Result<(), NeighborsError> {
        let settings = NeighborSettings { list_capacity: Some(neighbors), ..self.settings.clone() };
        self.parts = Parts::new(&self.gpu, self.search, &settings, self.capacity, self.domain)?;
        self.settings = settings;
        Ok(())
    }

    /// Records a search among the first `count` positions, which counts and lists all neighbors. Can be called any
    /// number of times, also for one encoder; neither allocates nor waits. `positions` are four floats for each
    /// particle: x, y and z in meters and one that is ignored, in a buffer of the same device with the usage
    /// `COPY_SRC`.
    ///
    /// # Errors
    /// When `count` exceeds the capacity, or the buffer is too short or lacks the usage; nothing is recorded then.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        positions: &wgpu::Buffer,
        count: u32,
    ) -> Result<(), NeighborsError> {
        self.check(positions, count)?;
        self.parts.places.record(encoder, positions, count);
        self.parts.lists.record_clearing(encoder);
        record(self.parts.build.iter().chain(self.parts.lists.passes()), encoder, None);
        Ok(())
    }

    /// Records a search among the first `count` positions, and the passes of pair kernels in place of counts and lists.
    /// Neither allocates nor waits.
    ///
    /// # Errors
    /// As [`Neighbors::record`], and when passes were made for other neighbors or before the last change of size or
    /// domain.
    pub fn record_pairs(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        positions: &wgpu::Buffer,
        count: u32,
        passes: &[&PairPasses],
    ) -> Result<(), NeighborsError> {
        self.check(positions, count)?;
        if let Some(stale) = passes.iter().find(|passes| passes.generation != self.parts.generation) {
            return Err(NeighborsError::Stale { label: stale.label });
        }
        self.parts.places.record(encoder, positions, count);
        let pairs = passes.iter().flat_map(|passes| &passes.passes);
        record(self.parts.build.iter().chain(pairs), encoder, None);
        Ok(())
    }

    /// Combines the search with a pair kernel and the buffers that it names, by the names of its WGSL variables. Two
    /// buffers need not be given: `original_from_sorted`, the caller's index of every particle in sorted order, and
    /// `deposits` of the module `nearwater::deposits`. Compiles shaders, and does not wait.
    ///
    /// # Errors
    /// When a binding has no buffer, a buffer is shorter than its comment declares (`len = particle_count`) or lacks a
    /// usage, or the device refuses the shader.
    pub fn pair_passes(
        &self,
        label: &'static str,
        kernel: PairKernel,
        buffers: &[(&str, &wgpu::Buffer)],
    ) -> Result<PairPasses, NeighborsError> {
        let order = &self.parts.original_from_sorted;
        PairPasses::new(&self.gpu, self.parts.search.as_ref(), (label, self.parts.generation), kernel, (order, buffers))
    }

    /// Waits for the device and copies the lists of the last record that was submitted to the CPU, each in ascending
    /// order.
    ///
    /// # Errors
    /// When the lists are too short for the neighbors found, a software adapter has cut the search's loops short, or
    /// the device is lost.
    pub fn read(&self) -> Result<ListedNeighbors, NeighborsError> {
        let digits: Vec<u32> = read_buffer(&self.gpu, &self.parts.places.count_digits, 4)?;
        // Never more than the capacity, which `record` has checked.
        self.parts.lists.read(&self.gpu, number(&digits).min(self.capacity) as usize)
    }

    fn check(&self, positions: &wgpu::Buffer, count: u32) -> Result<(), NeighborsError> {
        if count > self.capacity {
            return Err(NeighborsError::Count { count, capacity: self.capacity });
        }
        let (bytes, needed) = (positions.size(), u64::from(count) * POSITION_BYTES);
        if bytes < needed {
            return Err(NeighborsError::TooShort { count, bytes, needed });
        }
        if !positions.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err(NeighborsError::NotCopied);
        }
        Ok(())
    }

    /// Number of neighbors of each particle: u32; len = capacity.
    pub fn counts(&self) -> &wgpu::Buffer {
        &self.parts.lists.counts
    }

    /// Index in [`Neighbors::indices`] of each particle's first neighbor, and at the end the number of all neighbors:
    /// u32; len = capacity + 1. Where that number exceeds [`Neighbors::list_capacity`], neighbors are missing from the
    /// lists.
    pub fn offsets(&self) -> &wgpu::Buffer {
        &self.parts.lists.offsets
    }

    /// Neighbors as the caller's indices: u32; len = list capacity.
    pub fn indices(&self) -> &wgpu::Buffer {
        &self.parts.lists.indices
    }

    /// The caller's index of every particle in sorted order, with places that have no particle: u32; len = capacity.
    pub fn original_from_sorted(&self) -> &wgpu::Buffer {
        &self.parts.original_from_sorted
    }

    /// Number of neighbors that the lists hold.
    pub fn list_capacity(&self) -> u64 {
        self.parts.lists.list_capacity()
    }

    /// Number of places.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The box and the support radius.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The search.
    pub fn search(&self) -> &'static SearchInfo {
        self.search
    }
}

impl Parts {
    fn new(
        gpu: &Gpu,
        info: &'static SearchInfo,
        settings: &NeighborSettings,
        capacity: u32,
        domain: Domain,
    ) -> Result<Self, NeighborsError> {
        let places = Places::new(gpu, domain, capacity)?;
        let input =
            SearchInput { positions: &places.positions, particle_count: capacity, domain, options: &settings.options };
        let search = info.create(gpu, input)?;
        let original_from_sorted = gpu.storage::<u32>("caller's indices in sorted order", capacity.into())?;
        let usual = (u64::from(capacity) * USUAL_NEIGHBORS).min(gpu.capabilities.largest_binding_bytes() / 4);
        let list_capacity = settings.list_capacity.unwrap_or(usual);
        let lists = Lists::new(gpu, search.as_ref(), &original_from_sorted, list_capacity)?;
        let mut build = vec![places.take_pass(gpu)?];
        build.extend(search.build_passes(gpu)?);
        build.push(places.order_pass(gpu, search.as_ref(), &original_from_sorted)?);
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        Ok(Self { generation, places, search, original_from_sorted, build, lists })
    }
}
