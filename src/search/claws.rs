//! CLAWS: the two levels of FENNS, with the subgroups of a workgroup scheduled by load.
//!
//! Source: J. Groß, M. Köster, A. Krüger, "CLAWS: Computational load balancing for accelerated neighbor processing on
//! GPUs using warp scheduling", CGVC 2020.
//!
//! Idea: as in FENNS, the coarse grid has as many cells as counters fit workgroup memory, independently of the number
//! of particles, and local grids are built during the traversal. The paper adds four ideas, each of which is a setting
//! here: all inner particles precede all border particles (section 3.2), three cells along x are looked up as one row
//! (3.3), a pair within a coarse cell is evaluated once (3.1), and the subgroups of a workgroup are distributed over
//! the rows around a coarse cell in proportion to the particles in these rows (3.4). *Visitors* are, as in FENNS, the
//! particles that may have neighbors in a chunk.
//!
//! Passes: clear the counters; count the particles of each block; scan the counters; sort the particles by class and
//! cell; optionally sort each block by a finer grid; traverse with one workgroup per chunk, where visitors deposit
//! their sums; finish the deposited sums. With a halo (`halo.rs`), the two blocks of each cell are sorted together, the
//! particles of a chunk gather, and nothing is deposited.
//!
//! Memory: 8 bytes per coarse cell; with a halo, 152 more, and 44 for each chunk that particles fill. Without a halo,
//! the caller allocates the deposits as well, 4 bytes per particle for each float of a sum.
//!
//! Strengths: inputs for which a fine grid would be huge or mostly empty, and dense particles. Limitations: few
//! neighbors per particle, because entire coarse cells are read to find them; and sums are deposited atomically, so
//! that they differ in the last bits from run to run.
//!
//! Four parts are additions of this project. Each is a setting; with all of them off, the system of the paper runs:
//! - *Shared queue*: visitors within reach of a chunk wait in a queue that all subgroups process, so that the schedule
//!   determines which subgroup reads a visitor. Without it, a subgroup serves the visitors that it reads, so that the
//!   schedule determines which subgroup serves a visitor.
//! - *Local grid*: rows of cells of r/4 to r/8 over the chunk's own bounding box, clipped to the sphere around a
//!   visitor. Without it, the cells are no narrower than r, cover the coarse cell and r around it, and 27 of them are
//!   looked up one by one (FENNS, section 3.2).
//! - *Fine order*: the particles of a block are sorted by a finer grid, so that the invocations of a subgroup do
//!   similar work.
//! - *Halo*, off by default: the particles of a chunk gather their sums from a local grid that contains the particles
//!   around the coarse cell as well. Nothing visits a chunk, so that of the other settings only *Coarse cells* has an
//!   effect. By default there are as many coarse cells as counters fit, because workgroup memory holds the particles
//!   around a cell, too.
//!
//! Departures from the paper that no setting removes, sorting (section 3.2):
//! - A histogram in workgroup memory precedes the one in device memory, as in FENNS. The scan is exclusive over
//!   counters stored one entry later, which gives the same ends. A subgroup reserves the slots of one block at once.
//! - By default, there are no more coarse cells than are needed to fill chunks.
//!
//! Departures from the paper that no setting removes, searching (sections 3.1, 3.3 and 3.4, Algorithms 1 to 4):
//! - The sums belong to the visitors, which accumulate them in registers and deposit them in device memory once per
//!   chunk; in the paper they belong to the particles of the chunk. In a pair that is evaluated once, the visitor's
//!   contribution to the particle of the chunk is deposited pair by pair.
//! - A workgroup serves one chunk of a cell, not all of them in turn. A chunk is as large as workgroup memory allows,
//!   the chunks of a cell are about equally large, and nothing is padded with dummies. The schedule is computed once
//!   per chunk.
//! - Pairs between different chunks of a cell are evaluated once, as in the paper. There are fewer of them if chunks
//!   are larger.
//! - The "32 warps of 32" are the subgroups of the adapter. If rounding assigns too many subgroups, the excess is taken
//!   back row by row in a fixed order, not by lanes that race. If there are more rows than subgroups, a case that the
//!   paper does not treat, a subgroup serves several rows one after the other (`shaders/search/claws_schedule.wgsl`).
//! - A row has the index of its middle cell in the table of 9. Rows along edges precede rows along faces, because an
//!   excess is taken from the first rows.
//! - The row through the cell itself excludes the cell as a gap in one range, where line 25 of Algorithm 1 tests each
//!   particle.
//! - A visitor farther from the coarse cell than the reach is dropped by comparing its position; the paper's local
//!   grid, which ends there, assigns it no cell.

mod explanation;

use glam::UVec3;

use super::coarse_grid::COARSE_CELLS;
use super::domain::Grid;
use super::halo::{self, HALO, Halo};
use super::local_grid::{LocalGridSizes, MOST_BYTES, workgroup_bytes};
use super::traversal::Traversal;
use super::{
    BlockTable, Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, Met, Need, NeighborSearch,
    OptionChoice, OptionKind, SearchError, SearchInfo, SearchInput, SearchOption, SearchOptions, needs,
};
use crate::gpu::{
    AdapterClass, Capabilities, Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes,
};
use crate::primitives::ExclusiveScan;

const BUILD_FILE: &str = "search/claws_build.wgsl";
const ORDER_FILE: &str = "search/claws_order.wgsl";
const TRAVERSAL_FILE: &str = "search/claws.wgsl";
const SCHEDULE_FILE: &str = "search/claws_read_schedule.wgsl";

/// Largest number of workgroups that order blocks. If there are more blocks, each workgroup orders several.
const ORDERING_WORKGROUPS: u64 = 4096;

/// Number of ranges around a coarse cell: rows of three cells, or single cells.
const ROWS: u32 = 9;
const CELLS_AROUND: u32 = 27;

/// Average number of particles per coarse cell, in eighths of a chunk. If water fills only a part of the box, the cells
/// in the water contain several times as many.
const CHUNK_EIGHTHS_PER_CELL: u32 = 3;

/// Smallest number of particles that a workgroup of the histogram counts, because it finally adds all its counters to
/// device memory.
const COUNTED_BY_WORKGROUP: u64 = 16_384;

/// Whether all inner particles precede all border particles.
static REORDER: SearchOption = SearchOption {
    name: "claws-reorder",
    title: "Reorder",
    hover: "whether all inner particles precede all border particles in memory",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "inner particles by cell, then border particles by cell" },
        OptionChoice { label: "off", hover: "as in FENNS: border and inner particles of each cell are adjacent" },
    ]),
};

/// Whether three cells along x are looked up as one range.
static MERGED_ROWS: SearchOption = SearchOption {
    name: "claws-rows",
    title: "Merged rows",
    hover: "whether three cells along x are looked up as one range",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "9 ranges around a cell" },
        OptionChoice { label: "off", hover: "26 ranges, one per cell" },
    ]),
};

/// Whether a pair of particles in the same coarse cell, but in different chunks, is evaluated once for both particles.
static PAIRS_ONCE: SearchOption = SearchOption {
    name: "claws-once",
    title: "Pairs once",
    hover: "whether a pair in the same coarse cell, but in different chunks, is evaluated once for both particles",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "on",
            hover: "the particles of later chunks of the cell visit a chunk, and both sides get their contributions",
        },
        OptionChoice { label: "off", hover: "the particles of all other chunks of the cell visit a chunk" },
    ]),
};

/// Whether a workgroup's subgroups are distributed over the ranges around a cell by load.
static SCHEDULE: SearchOption = SearchOption {
    name: "claws-schedule",
    title: "Schedule",
    hover: "whether a workgroup's subgroups are distributed over the ranges around a cell by load",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "in proportion to the particles of the ranges, so that all subgroups work" },
        OptionChoice { label: "off", hover: "as in FENNS: one subgroup per range, and the others are idle" },
    ]),
};

/// Whether the particles of a block are sorted by a finer grid, which is not part of the paper.
static FINE_ORDER: SearchOption = SearchOption {
    name: "claws-fine-order",
    title: "Fine order",
    hover: "whether the particles of a block are sorted by a finer grid, which is not part of the paper",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "particles that are adjacent in memory are close in space" },
        OptionChoice { label: "off", hover: "the particles of a block have no particular order" },
    ]),
};

/// Whether visitors wait in a queue that all subgroups process, which is not part of the paper.
static SHARED_QUEUE: SearchOption = SearchOption {
    name: "claws-queue",
    title: "Shared queue",
    hover: "whether visitors wait in a queue that all subgroups of a workgroup process; not part of the paper",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "the schedule assigns the reading of visitors; free subgroups serve them" },
        OptionChoice {
            label: "off",
            hover: "as in the paper: a subgroup serves the visitors that it reads, as the schedule assigns them",
        },
    ]),
};

/// The local grid of a chunk in workgroup memory.
static LOCAL_GRID: SearchOption = SearchOption {
    name: "claws-local-grid",
    title: "Local grid",
    hover: "how a chunk of particles is sorted and looked up in workgroup memory",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "clipped rows",
            hover: "not part of the paper: cells of r/4 to r/8 over the chunk alone, clipped to the sphere",
        },
        OptionChoice {
            label: "27 cells",
            hover: "as in the paper: cells no narrower than r over the coarse cell and r around it; looks up 27",
        },
    ]),
};

/// The counters of the coarse cells, two for each.
static COUNTERS: Need = Need {
    what: "workgroup memory, for counters of coarse cells",
    of: |device| {
        let most = Capabilities {
            limits: wgpu::Limits { max_compute_workgroup_storage_size: MOST_BYTES, ..device.limits.clone() },
            ..device.clone()
        };
        needs::coarse_counters(device, sizes(device).counter_capacity / 2, sizes(&most).counter_capacity / 2)
    },
};

/// The chunks of particles.
static CHUNKS: Need = Need {
    what: "workgroup memory, for chunks of a coarse cell",
    of: |device| needs::chunks(device, sizes(device).chunk_capacity),
};

/// The subgroups that are distributed over the rows around a cell.
static SHARED_OUT: Need = Need {
    what: "subgroups, for the schedule",
    of: |device| {
        let sizes = sizes(device);
        match device.subgroup_sizes {
            None => Met::worked_around(format!(
                "Without subgroup operations each of the {} invocations of a workgroup acts as a subgroup.",
                sizes.workgroup_size
            )),
            Some(_) if device.class == AdapterClass::Software => Met::worked_around(
                "A software adapter runs the subgroups of a workgroup one after the other, so that they do not share a \
                 queue dynamically.",
            ),
            Some((smallest, _)) => Met::fully(format!(
                "The rows around a coarse cell are distributed over up to {} subgroups.",
                sizes.workgroup_size / smallest
            )),
        }
    },
};

/// The registry entry of CLAWS.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "claws",
    title: "CLAWS 2020",
    paper: "J. Groß, M. Köster, A. Krüger, CLAWS: Computational load balancing for accelerated neighbor processing on \
            GPUs using warp scheduling, CGVC 2020",
    idea: "Two grids as in FENNS, with inner before border particles, merged rows, each pair once, and subgroups \
           scheduled by load.",
    options: &[
        &REORDER,
        &MERGED_ROWS,
        &PAIRS_ONCE,
        &SCHEDULE,
        &SHARED_QUEUE,
        &LOCAL_GRID,
        &FINE_ORDER,
        &COARSE_CELLS,
        &HALO,
    ],
    published: &["claws-queue=off", "claws-local-grid=27 cells", "claws-fine-order=off"],
    needs: &[&needs::DEPOSITS, &needs::FLOAT_ATOMICS, &COUNTERS, &CHUNKS, &SHARED_OUT, &needs::SCAN],
    repeatable: false,
    paper_bytes: |_, cells| 8 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Claws::new(gpu, input)?))),
};

/// A shader variant with the ideas that are switched on, for workgroups of the build passes or of the traversal.
fn variant(capabilities: &Capabilities, options: &SearchOptions, file: &'static str) -> ShaderVariant {
    let sizes = sizes(capabilities);
    let is_on = |option| options.is(option, "on");
    let sorts = file == BUILD_FILE || file == ORDER_FILE;
    sizes
        .variant(capabilities, file, if sorts { sizes.sorting_workgroup_size } else { sizes.workgroup_size })
        .with_number("BLOCK_CAPACITY", sizes.counter_capacity)
        .with_number("QUEUE_CAPACITY", queue_capacity(capabilities))
        .with_number("TARGETS", if is_on(&MERGED_ROWS) { ROWS } else { CELLS_AROUND })
        .with_flag_if(reorders(options), "REORDER")
        .with_flag_if(is_on(&MERGED_ROWS), "MERGED_ROWS")
        .with_flag_if(is_on(&PAIRS_ONCE), "PAIRS_ONCE")
        .with_flag_if(is_on(&SCHEDULE), "SCHEDULE")
        .with_flag_if(is_on(&SHARED_QUEUE), "SHARED_QUEUE")
        .with_flag_if(clips_rows(options), "CLIPPED_ROWS")
        .with_flag_if(!clips_rows(options), "LOOK_UP_27")
        // llvmpipe runs the subgroups of a workgroup one after the other, so that the first would serve the whole
        // queue. It also ends all loops of an invocation after 65,535 iterations in total.
        .with_flag_if(capabilities.class != AdapterClass::Software, "SERVE_AS_READY")
}

/// Whether the local grid is the fine grid over a chunk instead of the paper's grid over a coarse cell.
fn clips_rows(options: &SearchOptions) -> bool {
    options.is(&LOCAL_GRID, "clipped rows")
}

/// Whether all inner particles precede all border particles, which they always do with a halo.
fn reorders(options: &SearchOptions) -> bool {
    options.is(&REORDER, "on") || options.is(&HALO, "on")
}

fn sizes(capabilities: &Capabilities) -> LocalGridSizes {
    let number = size_of::<u32>() as u32;
    // Four numbers per range and one more for the schedule, the owner of a work item, the number of groups, four
    // numbers of the queue, and the queue; the group of each subgroup is counted per subgroup.
    let own_bytes = (4 * CELLS_AROUND + 7 + queue_capacity(capabilities)) * number;
    LocalGridSizes::new(capabilities, own_bytes, number)
}

/// The capacity of the queue of visitors, which occupies an eighth of the workgroup memory.
fn queue_capacity(capabilities: &Capabilities) -> u32 {
    workgroup_bytes(capabilities) / 8 / size_of::<u32>() as u32
}

/// The largest number of coarse cells for the input: as many as counters fit workgroup memory, but by default, and
/// without a halo, no more than are needed to fill the chunks.
fn cell_limit(sizes: &LocalGridSizes, input: &SearchInput<'_>) -> u32 {
    let most = sizes.counter_capacity / 2;
    if !input.options.is(&COARSE_CELLS, "auto") || input.options.is(&HALO, "on") {
        return most;
    }
    let per_cell = (sizes.chunk_capacity * CHUNK_EIGHTHS_PER_CELL / 8).max(1);
    (input.particle_count / per_cell).clamp(1, most)
}

/// CLAWS, created for one input.
pub(super) struct Claws {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    block_counters: wgpu::Buffer,
    scan: ExclusiveScan,
    grid: wgpu::Buffer,
    /// The paper's local grid; unused with clipped rows.
    local_grid: wgpu::Buffer,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
    sizes: LocalGridSizes,
    options: SearchOptions,
    halo: Option<Halo>,
}

impl Claws {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let sizes = sizes(&gpu.capabilities);
        let particle_count = input.particle_count;
        let grid = Grid::coarse(&input, cell_limit(&sizes, &input));
        let block_counters = gpu.storage::<u32>("blocks of coarse cells", u64::from(2 * grid.cell_count + 2))?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            scan: ExclusiveScan::new(gpu, &block_counters, 2 * grid.cell_count + 1)?,
            block_counters,
            local_grid: gpu.uniform("local grid", &grid.local(grid.reach, sizes.chunk_capacity)),
            cells: grid.coarse_cells(),
            grid: gpu.uniform("grid", &grid),
            domain: input.domain,
            particle_count,
            cell_count: grid.cell_count,
            sizes,
            options: input.options.clone(),
            halo: Halo::for_input(gpu, &input, &grid, BlockTable::InnerThenBorder)?,
        })
    }

    /// Number of coarse cells along each axis.
    pub(super) fn cell_counts(&self) -> UVec3 {
        self.cells.counts
    }

    /// Whether three cells along x are looked up as one range.
    pub(super) fn has_rows(&self) -> bool {
        self.options.is(&MERGED_ROWS, "on")
    }

    /// Number of ranges of particles around a coarse cell.
    pub(super) fn range_count(&self) -> u32 {
        if self.has_rows() { ROWS } else { CELLS_AROUND }
    }

    /// Largest number of subgroups of a workgroup.
    pub(super) fn subgroup_capacity(&self, gpu: &Gpu) -> u32 {
        self.sizes.workgroup_size.div_ceil(gpu.capabilities.subgroup_sizes.map_or(1, |(smallest, _)| smallest))
    }

    /// The pass that writes the schedule of the requested cell into `words`.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub(super) fn schedule_pass(
        &self,
        gpu: &Gpu,
        request: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Result<Pass, SearchError> {
        let shader = variant(&gpu.capabilities, &self.options, SCHEDULE_FILE);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("block_counters", &self.block_counters),
            ("schedule_request", request),
            ("schedule_words", words),
        ];
        Ok(Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "write schedule",
                shader: &shader,
                entry_point: "write_schedule",
                buffers: &buffers,
                dispatch: Dispatch::Workgroups(1),
            },
        )?)
    }
}

impl NeighborSearch for Claws {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = |file| variant(&gpu.capabilities, &self.options, file);
        let mut buffers = vec![
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("block_counters", &self.block_counters),
            ("block_table", &self.block_counters),
            ("sorted_positions", &self.sorted_positions),
        ];
        buffers.extend(self.halo.iter().flat_map(Halo::buffers));
        let build = shader(BUILD_FILE).with_flag_if(self.halo.is_some(), "WITH_HALO");
        let pass = |label, entry_point, dispatch| {
            Pass::new(
                gpu,
                PassDescriptor { phase: Phase::Build, label, shader: &build, entry_point, buffers: &buffers, dispatch },
            )
        };
        let particles = u64::from(self.particle_count);
        let counting = Dispatch::Workgroups(particles.div_ceil(COUNTED_BY_WORKGROUP));
        let mut passes = vec![
            pass("clear counters", "clear_counters", Dispatch::Invocations(u64::from(2 * self.cell_count + 2)))?,
            pass("count particles", "count_particles", counting)?,
        ];
        passes.extend(self.scan.passes(gpu, Phase::Build)?);
        passes.push(pass("sort by class", "reorder", Dispatch::Invocations(particles))?);
        if let Some(halo) = &self.halo {
            passes.push(halo.ordering_pass(gpu, &buffers)?);
        } else if self.options.is(&FINE_ORDER, "on") {
            let dispatch = Dispatch::Workgroups(u64::from(2 * self.cell_count).min(ORDERING_WORKGROUPS));
            passes.push(Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Build,
                    label: "order blocks",
                    shader: &shader(ORDER_FILE),
                    entry_point: "order_blocks",
                    buffers: &buffers,
                    dispatch,
                },
            )?);
        }
        Ok(passes)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("block_counters", &self.block_counters),
            ("block_table", &self.block_counters),
            ("local_parameters", &self.local_grid),
        ];
        let traversal = Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument };
        if let Some(halo) = &self.halo {
            return halo.traversal_passes(traversal);
        }
        // Each cell may need one more workgroup than its particles fill.
        let chunks = u64::from(self.particle_count / self.sizes.chunk_capacity) + u64::from(self.cell_count);
        let dispatch = Dispatch::Workgroups(chunks);
        let shader = traversal.depositing_variant(variant(&gpu.capabilities, &self.options, TRAVERSAL_FILE));
        traversal.depositing(&shader, "traverse", dispatch, &self.grid)
    }

    fn particle_count(&self) -> u32 {
        self.particle_count
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn deposits(&self) -> bool {
        self.halo.is_none()
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks {
            buffer: self.block_counters.clone(),
            table: if reorders(&self.options) { BlockTable::InnerThenBorder } else { BlockTable::BorderBesideInner },
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let fine_order = f64::from(u8::from(self.halo.is_some() || self.options.is(&FINE_ORDER, "on")));
        let scan = [("q", f64::from(self.scan.pass_count())), ("s", self.scan.bytes() as f64), ("f", fine_order)];
        let of_halo = halo::symbols(self.halo.as_ref().map(Halo::bytes));
        scan.into_iter().chain(self.cells.class_volumes()).chain(of_halo).collect()
    }

    fn bytes(&self) -> u64 {
        let of_halo = self.halo.as_ref().map_or(0, Halo::bytes);
        element_bytes::<u32>(u64::from(2 * self.cell_count + 2)) + self.scan.bytes() + of_halo
    }
}

// Some of the shaders that are composed here belong to the fluid.
#[cfg(all(test, feature = "fluid"))]
mod tests {
    use super::*;
    use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout, interface_of};
    use crate::search::ScheduleRequest;

    /// The ideas of the paper, and the two additions of this project that affect the traversal.
    static IDEAS: [&SearchOption; 6] = [&REORDER, &MERGED_ROWS, &PAIRS_ONCE, &SCHEDULE, &SHARED_QUEUE, &LOCAL_GRID];

    /// Every combination of these settings.
    fn combinations() -> impl Iterator<Item = SearchOptions> {
        (0..1_u32 << IDEAS.len()).map(|bits| {
            let chosen = (0..).zip(IDEAS).map(|(place, option)| (option, f32::from((bits >> place & 1) as u8)));
            chosen.fold(SearchOptions::default(), |options, (option, value)| options.with(option, value))
        })
    }

    /// Composes a variant, and checks the layout of its grid, and the size and memory of its entry points, against the
    /// adapter.
    fn check(adapter: &Capabilities, variant: &ShaderVariant, entry_points: &[&str]) -> naga::Module {
        let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<Grid>(&module);
        for entry_point in entry_points {
            let interface = interface_of(&module, &info, entry_point).expect("the entry point exists");
            let (size, bytes) = (interface.workgroup_size[0], interface.workgroup_bytes);
            assert!(size <= adapter.limits.max_compute_invocations_per_workgroup, "{entry_point}: {size} invocations");
            let limit = adapter.limits.max_compute_workgroup_storage_size;
            assert!(bytes <= limit, "{entry_point} on {}: {bytes} of {limit} bytes", adapter.name);
        }
        module
    }

    fn adapters() -> impl Iterator<Item = Capabilities> {
        let memories = [(16_384, 256), (32_768, 1_024), (49_152, 1_024), (65_536, 1_024)];
        SUBGROUP_SIZES.into_iter().flat_map(move |sizes| {
            memories.map(|(memory, invocations)| {
                let mut adapter = adapter(sizes, memory);
                adapter.limits.max_compute_invocations_per_workgroup = invocations;
                adapter.limits.max_compute_workgroup_size_x = invocations;
                adapter
            })
        })
    }

    #[test]
    fn every_variant_composes_and_fits_its_workgroup_memory() {
        let forces = PairKernel::new("fluid/wcsph/forces.wgsl", false);
        let every = combinations().map(|options| (adapter(Some((32, 32)), 49_152), options));
        // Only the number of ranges affects the amount of memory.
        let extremes = || combinations().step_by(63);
        let cases = adapters().flat_map(|adapter| extremes().map(move |options| (adapter.clone(), options)));
        for (adapter, options) in cases.chain(every) {
            let shader = |file| variant(&adapter, &options, file);
            let build = ["clear_counters", "count_particles", "reorder"];
            check(&adapter, &shader(BUILD_FILE), &build);
            check(&adapter, &shader(ORDER_FILE), &["order_blocks"]);
            let module = check(&adapter, &shader(SCHEDULE_FILE), &["write_schedule"]);
            assert_same_layout::<ScheduleRequest>(&module);
            let traversal = shader(TRAVERSAL_FILE).with_pair(forces).with_flag("CUBIC_SPLINE");
            let traversal = traversal.with_flag("TRAVERSAL").with_flag("DEPOSITS");
            check(&adapter, &traversal, &["traverse"]);
        }
    }

    #[test]
    fn every_pair_kernel_composes_with_and_without_counters_and_float_atomics() {
        let kernels = [
            ("search/count_pairs.wgsl", false),
            ("search/list_pairs.wgsl", false),
            ("search/kernel_sum.wgsl", true),
            ("fluid/density.wgsl", true),
            ("fluid/wcsph/forces.wgsl", false),
        ];
        for adapter in [Some((8, 8)), None].map(|sizes| adapter(sizes, 32_768)) {
            for (file, vanishes_at_radius) in kernels {
                for flags in 0..4 {
                    let traversal = variant(&adapter, &SearchOptions::default(), TRAVERSAL_FILE)
                        .with_pair(PairKernel::new(file, vanishes_at_radius))
                        .with_flag("CUBIC_SPLINE")
                        .with_flag("TRAVERSAL")
                        .with_flag("DEPOSITS")
                        .with_flag_if(vanishes_at_radius, "PAIR_VANISHES")
                        .with_flag_if(flags & 1 > 0, "COUNT_PAIRS")
                        .with_flag_if(flags & 2 > 0, "FLOAT_ATOMICS");
                    check(&adapter, &traversal, &["traverse"]);
                }
            }
        }
    }

    #[test]
    fn chunks_are_large_and_the_queue_holds_what_a_subgroup_adds() {
        for adapter in adapters() {
            let sizes = sizes(&adapter);
            assert!(sizes.chunk_capacity >= 300, "{}: {sizes:?}", adapter.name);
            let largest = adapter.subgroup_sizes.map_or(1, |(_, largest)| largest);
            // A subgroup adds four blocks of visitors as long as itself at once, or waits for the next round.
            assert!(queue_capacity(&adapter) >= 4 * largest, "{}", adapter.name);
        }
    }
}
