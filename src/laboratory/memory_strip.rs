//! The memory strip: a window of the sorted order with the blocks that the search has divided it into, and the index of
//! each particle before the sort. All of it is read back asynchronously from the search's own buffers.

use std::ops::Range;
use std::sync::Arc;

use glam::UVec3;

use super::{BlockReader, Counts, LaboratoryError, MOST_CELLS_READ, MemoryEntry, MemoryMap, StripReader, StripRequest};
use crate::fluid::Simulation;
use crate::gpu::Gpu;
use crate::search::{Block, BlockClass, BlockTable, Blocks, ChunkRecord};

/// Largest number of places of the sorted order whose particles are read at once, which is one megabyte.
pub const MOST_STRIP_PLACES: u32 = 1 << 15;

/// The requested part of the sorted order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StripWanted {
    /// Places of the sorted order; at most the first [`MOST_STRIP_PLACES`] are read, and none after the last particle.
    pub window: Range<u32>,
    /// Linear index of the cell around which blocks are read if the search has more cells than are read at once.
    pub near_cell: u32,
}

/// The particle at a place of the sorted order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripPlace {
    /// Its original index, which does not change during the simulation.
    pub identity: u32,
    /// Its index before the last build.
    pub before: u32,
}

/// A window of memory after the last build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryStrip {
    /// Number of particles of the search.
    pub particle_count: u32,
    /// Cells along each axis; `None` if the search does not sort particles by cell.
    pub cell_counts: Option<UVec3>,
    /// How the search lays out its blocks.
    pub table: Option<BlockTable>,
    /// Linear indices of the cells whose blocks were read.
    pub cells: Range<u32>,
    /// The blocks of those cells, in the order of memory.
    pub blocks: Vec<Block>,
    /// Places `[start, end)` whose particles were read.
    pub window: Range<u32>,
    /// The particles of the window.
    pub places: Vec<StripPlace>,
}

/// A block from which a chunk read visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBlock {
    /// The block.
    pub block: Block,
    /// Number of its particles whose distance to the chunk was compared with the support radius.
    pub checked: u32,
    /// Number of those that were kept.
    pub kept: u32,
}

impl MemoryStrip {
    /// The block that contains a place; `None` if the search has no blocks, or the block was not read.
    pub fn block_at(&self, place: u32) -> Option<&Block> {
        let behind = self.blocks.partition_point(|block| block.start <= place);
        self.blocks.get(behind.checked_sub(1)?).filter(|block| place < block.end)
    }

    /// The particle at a place; `None` outside the window.
    pub fn at(&self, place: u32) -> Option<StripPlace> {
        self.places.get(place.checked_sub(self.window.start)? as usize).copied()
    }

    /// The blocks of a cell.
    pub fn blocks_of(&self, cell: u32) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.cell == cell)
    }

    /// Number of particles of a class in the blocks that were read.
    pub fn count_of(&self, class: BlockClass) -> u64 {
        let of_class = self.blocks.iter().filter(|block| block.class == Some(class));
        of_class.map(|block| u64::from(block.end - block.start)).sum()
    }

    /// Coordinates of the cell with that linear index.
    pub fn coordinate(&self, cell: u32) -> UVec3 {
        let counts = self.cell_counts.unwrap_or(UVec3::ONE).max(UVec3::ONE);
        UVec3::new(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y))
    }

    /// The blocks that contain the visitors of a chunk, in the order of memory.
    pub fn read_by(&self, chunk: &ChunkRecord) -> Vec<ReadBlock> {
        let mut read: Vec<ReadBlock> = Vec::new();
        let mut visitors: Vec<_> = chunk.visitors.iter().map(|visitor| (visitor.place, visitor.kept)).collect();
        visitors.sort_unstable();
        for (place, kept) in visitors {
            let Some(&block) = self.block_at(place) else { continue };
            if read.last().is_none_or(|last| last.block != block) {
                read.push(ReadBlock { block, checked: 0, kept: 0 });
            }
            if let Some(last) = read.last_mut() {
                last.checked += 1;
                last.kept += u32::from(kept);
            }
        }
        read
    }
}

/// Workgroup memory of the traversal, as the compiled shader declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkgroupMemory {
    /// Label of the pass.
    pub pass: &'static str,
    /// Bytes that each workgroup allocates.
    pub bytes: u32,
    /// Largest number of bytes that the adapter allows.
    pub limit: u32,
    /// Number of invocations of a workgroup.
    pub invocations: u32,
    /// Largest number of particles in a chunk; `None` if the search has no chunks.
    pub chunk_capacity: Option<u32>,
}

impl WorkgroupMemory {
    /// The workgroup memory of the traversal pass that allocates the most.
    pub fn of(gpu: &Gpu, simulation: &Simulation) -> Option<Self> {
        let traversals = simulation.passes().filter(|pass| pass.has_pair_kernel());
        let pass = traversals.max_by_key(|pass| pass.workgroup_bytes())?;
        Some(Self {
            pass: pass.label,
            bytes: pass.workgroup_bytes(),
            limit: gpu.capabilities.limits.max_compute_workgroup_storage_size,
            invocations: pass.workgroup_size().iter().product(),
            chunk_capacity: pass.shader().definitions.get("CHUNK_CAPACITY").copied().flatten(),
        })
    }
}

/// The buffers that a strip is read from.
struct Sources {
    sorted: MemoryEntry,
    identities: MemoryEntry,
    blocks: Option<Blocks>,
    particle_count: u32,
}

/// A strip that is being read back.
struct UnderWay {
    strip: MemoryStrip,
    blocks: Option<BlockReader>,
    blocks_here: bool,
}

/// Reads the requested strip, once for each build and window.
#[derive(Default)]
pub(super) struct StripFetcher {
    sources: Option<Sources>,
    wanted: Option<StripWanted>,
    reader: StripReader,
    under_way: Option<UnderWay>,
    /// Whether the read-back of the requested strip has been recorded since the last build.
    requested: bool,
    found: Option<Arc<MemoryStrip>>,
}

impl StripFetcher {
    /// Updates the request; drops all resources if there is no request.
    ///
    /// # Errors
    /// When a shader file is missing.
    pub(super) fn follow(
        &mut self,
        gpu: &Gpu,
        simulation: &Simulation,
        wanted: Option<&StripWanted>,
        moved: bool,
    ) -> Result<(), LaboratoryError> {
        let Some(wanted) = wanted else {
            if self.wanted.is_some() {
                *self = Self::default();
            }
            return Ok(());
        };
        if self.sources.is_none() {
            self.sources = Sources::new(gpu, simulation)?;
        }
        self.requested &= !moved && self.wanted.as_ref() == Some(wanted);
        self.wanted = Some(wanted.clone());
        Ok(())
    }

    /// Records the read-back of the requested strip, unless it has arrived or a read-back is in progress. Must come
    /// after the build.
    ///
    /// # Errors
    /// When a buffer cannot be copied.
    pub(super) fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), LaboratoryError> {
        let (Some(sources), Some(wanted)) = (&self.sources, &self.wanted) else { return Ok(()) };
        if self.requested || self.under_way.is_some() || sources.particle_count == 0 {
            return Ok(());
        }
        let start = wanted.window.start.min(sources.particle_count - 1);
        let end = wanted.window.end.clamp(start + 1, sources.particle_count).min(start + MOST_STRIP_PLACES);
        let places = u64::from(start)..u64::from(end);
        let window = |entry: &MemoryEntry| StripRequest { entry: entry.clone(), window: places.clone() };
        let mut strip =
            MemoryStrip { particle_count: sources.particle_count, window: start..end, ..MemoryStrip::default() };
        let mut blocks = None;
        if let Some(of) = &sources.blocks {
            strip.cell_counts = Some(of.cell_counts);
            strip.table = Some(of.table);
            let count = of.cell_count();
            let first = wanted.near_cell.saturating_sub(MOST_CELLS_READ / 2);
            let first = first.min(count.saturating_sub(MOST_CELLS_READ));
            strip.cells = first..count.min(first + MOST_CELLS_READ);
            blocks = Some(BlockReader::ask(gpu, encoder, of, strip.cells.clone())?);
        }
        self.reader.ask(gpu, encoder, &[window(&sources.sorted), window(&sources.identities)])?;
        self.under_way = Some(UnderWay { strip, blocks_here: blocks.is_none(), blocks });
        self.requested = true;
        Ok(())
    }

    /// The last strip that has arrived. Never waits.
    pub(super) fn take(&mut self, gpu: &Gpu) -> Option<Arc<MemoryStrip>> {
        if let Some(under_way) = &mut self.under_way {
            if let Some(blocks) = under_way.blocks.as_mut().and_then(|blocks| blocks.take(gpu)) {
                under_way.strip.blocks = blocks;
                under_way.blocks_here = true;
                under_way.blocks = None;
            }
            if under_way.strip.places.is_empty()
                && let Some(strips) = self.reader.take(gpu)
                && let [sorted, identities] = &strips[..]
            {
                let links = sorted.links().unwrap_or_default();
                let identities = identities.words.chunks_exact(4).map(|words| words[3]);
                let place = |(link, identity): (super::Link, u32)| StripPlace { identity, before: link.original };
                under_way.strip.places = links.into_iter().zip(identities).map(place).collect();
            }
            if under_way.blocks_here && !under_way.strip.places.is_empty() {
                self.found = self.under_way.take().map(|under_way| Arc::new(under_way.strip));
            }
        }
        self.found.clone()
    }
}

impl Sources {
    /// The buffers of a simulation's search; `None` if no pass of a step binds them.
    fn new(gpu: &Gpu, simulation: &Simulation) -> Result<Option<Self>, LaboratoryError> {
        let search = simulation.search();
        let particle_count = simulation.particles().count;
        let cells = search.cells().map(|cells| cells.counts.element_product());
        let map = MemoryMap::new(gpu, simulation.passes(), Counts { particles: particle_count, cells })?;
        let of = |buffer| map.of(buffer).cloned();
        let buffers = of(search.sorted_positions()).zip(of(simulation.sorted_identities()));
        Ok(buffers.map(|(sorted, identities)| Self { sorted, identities, blocks: search.blocks(), particle_count }))
    }
}
