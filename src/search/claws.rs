//! CLAWS (Groß, Köster, Krüger 2020): coarse cells in memory, as many as counters fit workgroup memory whatever the
//! number of particles, and local grids on the fly, as FENNS has them; and four ideas on top, each a setting here:
//! all inner particles before all border ones (section 3.2), three cells along x looked up as one (3.3), a pair inside
//! a coarse cell evaluated once (3.1), and a workgroup's subgroups shared out over the rows around a cell by the
//! particles in these (3.4).
//!
//! 8 bytes a coarse cell. Good where a fine grid would be huge or mostly empty, and where particles are dense. Bad at:
//! few neighbors per particle, as whole coarse cells are read for them; and sums are deposited atomically, so they
//! differ in the last bits from run to run.
//!
//! Departures: the particles of a block are sorted by a finer grid, so that the invocations of a subgroup do the same
//! work; a workgroup serves one chunk of a cell and not all of them in turn; and what visitors gather from a chunk is
//! deposited once for each visitor.

use glam::UVec3;

use super::coarse_grid::COARSE_CELLS;
use super::contract::{depositing_variant, finishing_pass, traversal_buffers};
use super::domain::Grid;
use super::local_grid::{LocalGridSizes, workgroup_bytes};
use super::{
    BoundPairKernel, Cells, NeighborSearch, OptionChoice, OptionKind, PairCounters, SearchError, SearchInfo,
    SearchInput, SearchOption, SearchOptions,
};
use crate::gpu::{AdapterClass, Capabilities, Dispatch, Gpu, Pass, Phase, ShaderVariant, element_bytes};
use crate::primitives::ExclusiveScan;

const BUILD_FILE: &str = "search/claws_build.wgsl";
const ORDER_FILE: &str = "search/claws_order.wgsl";
const TRAVERSAL_FILE: &str = "search/claws.wgsl";
const SCHEDULE_FILE: &str = "search/claws_read_schedule.wgsl";

/// Workgroups that order blocks, at most: each then takes several.
const ORDERING_WORKGROUPS: u64 = 4096;

/// Ranges around a coarse cell: rows of three cells, or single cells.
const ROWS: u32 = 9;
const CELLS_AROUND: u32 = 27;

/// Eighths of a chunk that a coarse cell should hold on average: where water fills a part of the box, its cells hold
/// several times as much.
const CHUNK_EIGHTHS_PER_CELL: u32 = 3;

/// Particles that a workgroup of the histogram counts, at least: its counters are added to memory once for all.
const COUNTED_BY_WORKGROUP: u64 = 16_384;

/// Whether all inner particles come before all border ones.
static REORDER: SearchOption = SearchOption {
    name: "claws-reorder",
    title: "Reorder",
    hover: "whether all inner particles come before all border ones",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "inner particles by cell, then border particles by cell" },
        OptionChoice { label: "off", hover: "as FENNS: border and inner particles of each cell beside each other" },
    ]),
};

/// Whether three cells along x are looked up as one range.
static MERGED_ROWS: SearchOption = SearchOption {
    name: "claws-rows",
    title: "Merged rows",
    hover: "whether three cells along x are looked up as one range",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "9 ranges around a cell" },
        OptionChoice { label: "off", hover: "26 ranges, one a cell" },
    ]),
};

/// Whether a pair inside a coarse cell, but of two chunks, is evaluated once for both particles.
static PAIRS_ONCE: SearchOption = SearchOption {
    name: "claws-once",
    title: "Pairs once",
    hover: "whether a pair inside a coarse cell, but of two chunks, is evaluated once for both particles",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "on",
            hover: "a chunk is visited by the later chunks of its cell, and both sides are served",
        },
        OptionChoice { label: "off", hover: "a chunk is visited by all other chunks of its cell" },
    ]),
};

/// Whether a workgroup's subgroups are shared out over the ranges around a cell.
static SCHEDULE: SearchOption = SearchOption {
    name: "claws-schedule",
    title: "Schedule",
    hover: "whether a workgroup's subgroups are shared out over the ranges around a cell",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "in proportion to the particles there, and all subgroups work" },
        OptionChoice { label: "off", hover: "as FENNS: one subgroup a range, and the others idle" },
    ]),
};

/// Whether the particles of a block are sorted by a finer grid, which the paper does not do.
static FINE_ORDER: SearchOption = SearchOption {
    name: "claws-fine-order",
    title: "Fine order",
    hover: "whether the particles of a block are sorted by a finer grid, which the paper does not do",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "neighbors in memory are neighbors in space" },
        OptionChoice { label: "off", hover: "in whatever order they came" },
    ]),
};

/// CLAWS's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "claws",
    title: "CLAWS 2020",
    paper: "J. Groß, M. Köster, A. Krüger, CLAWS: Computational load balancing for accelerated neighbor processing on \
            GPUs using warp scheduling, CGVC 2020",
    idea: "Two grids as in FENNS, with inner before border particles, rows looked up as one, pairs once, and subgroups \
           shared out by load.",
    options: &[&REORDER, &MERGED_ROWS, &PAIRS_ONCE, &SCHEDULE, &FINE_ORDER, &COARSE_CELLS],
    repeatable: false,
    paper_bytes: |_, cells| 8 * cells,
    create: |gpu, input| Ok(Box::new(Claws::new(gpu, input)?)),
};

/// A shader with the ideas that are on, for workgroups that sort or that search.
fn variant(capabilities: &Capabilities, options: &SearchOptions, file: &'static str) -> ShaderVariant {
    let sizes = sizes(capabilities);
    let is_on = |option| options.is(option, "on");
    let sorts = file == BUILD_FILE || file == ORDER_FILE;
    sizes
        .variant(capabilities, file, if sorts { sizes.sorting_workgroup_size } else { sizes.workgroup_size })
        .with_number("BLOCK_CAPACITY", sizes.counter_capacity)
        .with_number("QUEUE_CAPACITY", queue_capacity(capabilities))
        .with_number("TARGETS", if is_on(&MERGED_ROWS) { ROWS } else { CELLS_AROUND })
        .with_flag_if(is_on(&REORDER), "REORDER")
        .with_flag_if(is_on(&MERGED_ROWS), "MERGED_ROWS")
        .with_flag_if(is_on(&PAIRS_ONCE), "PAIRS_ONCE")
        .with_flag_if(is_on(&SCHEDULE), "SCHEDULE")
        // llvmpipe runs the subgroups of a workgroup one after the other, so that the first would serve the whole queue,
        // and ends all loops of an invocation after 65,535 rounds together.
        .with_flag_if(capabilities.class != AdapterClass::Software, "SERVE_AS_READY")
}

fn sizes(capabilities: &Capabilities) -> LocalGridSizes {
    let number = size_of::<u32>() as u32;
    // Three numbers a range and one more, the owner of an item of work, the number of groups and four of the queue;
    // the group of each subgroup.
    let own_bytes = (4 * CELLS_AROUND + 7 + queue_capacity(capabilities)) * number;
    LocalGridSizes::new(capabilities, own_bytes, number)
}

/// Visitors that wait at a time: an eighth of the workgroup memory.
fn queue_capacity(capabilities: &Capabilities) -> u32 {
    workgroup_bytes(capabilities) / 8 / size_of::<u32>() as u32
}

/// Coarse cells of the input: as many as counters fit workgroup memory, but unless somebody asks for them no more than
/// fill the workgroups.
fn cell_limit(sizes: &LocalGridSizes, input: &SearchInput<'_>) -> u32 {
    let most = sizes.counter_capacity / 2;
    if !input.options.is(&COARSE_CELLS, "auto") {
        return most;
    }
    let per_cell = (sizes.chunk_capacity * CHUNK_EIGHTHS_PER_CELL / 8).max(1);
    (input.particle_count / per_cell).clamp(1, most)
}

/// CLAWS made for one input.
pub(super) struct Claws {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    block_counters: wgpu::Buffer,
    scan: ExclusiveScan,
    grid: wgpu::Buffer,
    cells: Cells,
    particle_count: u32,
    cell_count: u32,
    sizes: LocalGridSizes,
    options: SearchOptions,
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
            cells: grid.coarse_cells(),
            grid: gpu.uniform("grid", &grid),
            particle_count,
            cell_count: grid.cell_count,
            sizes,
            options: input.options.clone(),
        })
    }

    /// Coarse cells along each axis.
    pub(super) fn cell_counts(&self) -> UVec3 {
        self.cells.counts
    }

    /// Whether three cells along x are one range.
    pub(super) fn has_rows(&self) -> bool {
        self.options.is(&MERGED_ROWS, "on")
    }

    /// Ranges of particles around a coarse cell.
    pub(super) fn range_count(&self) -> u32 {
        if self.has_rows() { ROWS } else { CELLS_AROUND }
    }

    /// Subgroups that a workgroup has at most.
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
        let label = (Phase::Build, "write schedule");
        Ok(Pass::new(gpu, label, (&shader, "write_schedule"), &buffers, Dispatch::Workgroups(1))?)
    }
}

impl NeighborSearch for Claws {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = |file| variant(&gpu.capabilities, &self.options, file);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("block_counters", &self.block_counters),
            ("sorted_positions", &self.sorted_positions),
        ];
        let build = shader(BUILD_FILE);
        let pass = |label, entry_point, dispatch| {
            Pass::new(gpu, (Phase::Build, label), (&build, entry_point), &buffers, dispatch)
        };
        let particles = u64::from(self.particle_count);
        let counting = Dispatch::Workgroups(particles.div_ceil(COUNTED_BY_WORKGROUP));
        let mut passes = vec![
            pass("clear counters", "clear_counters", Dispatch::Invocations(u64::from(2 * self.cell_count + 2)))?,
            pass("count particles", "count_particles", counting)?,
        ];
        passes.extend(self.scan.passes(gpu, Phase::Build)?);
        passes.push(pass("sort by class", "reorder", Dispatch::Invocations(particles))?);
        if self.options.is(&FINE_ORDER, "on") {
            let dispatch = Dispatch::Workgroups(u64::from(2 * self.cell_count).min(ORDERING_WORKGROUPS));
            let label = (Phase::Build, "order blocks");
            passes.push(Pass::new(gpu, label, (&shader(ORDER_FILE), "order_blocks"), &buffers, dispatch)?);
        }
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
            ("block_counters", &self.block_counters),
        ];
        let shader = variant(&gpu.capabilities, &self.options, TRAVERSAL_FILE);
        let shader = depositing_variant(gpu, shader, pair, counters.is_some());
        let buffers = traversal_buffers(&own, pair, counters);
        // Each cell may need one workgroup more than its particles fill.
        let chunks = u64::from(self.particle_count / self.sizes.chunk_capacity) + u64::from(self.cell_count);
        let dispatch = Dispatch::Workgroups(chunks);
        Ok(vec![
            Pass::new(gpu, (Phase::Search, pair.label), (&shader, "traverse"), &buffers, dispatch)?,
            finishing_pass(gpu, (&self.grid, self.particle_count), pair)?,
        ])
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn deposits(&self) -> bool {
        true
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn bytes(&self) -> u64 {
        element_bytes::<u32>(u64::from(2 * self.cell_count + 2)) + self.scan.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::imagined::{SUBGROUP_SIZES, adapter, workgroup_bytes};
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout, interface_of};
    use crate::search::ScheduleRequest;

    static IDEAS: [&SearchOption; 4] = [&REORDER, &MERGED_ROWS, &PAIRS_ONCE, &SCHEDULE];

    /// Every combination of the ideas.
    fn combinations() -> impl Iterator<Item = SearchOptions> {
        (0..16_u32).map(|bits| {
            let chosen = (0..).zip(IDEAS).map(|(place, option)| (option, f32::from((bits >> place & 1) as u8)));
            chosen.fold(SearchOptions::default(), |options, (option, value)| options.with(option, value))
        })
    }

    /// Composes a variant; checks its grid and its entry points' sizes and memory against the adapter.
    fn check(adapter: &Capabilities, variant: &ShaderVariant, entry_points: &[&str]) -> naga::Module {
        let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<Grid>(&module);
        for entry_point in entry_points {
            let size = interface_of(&module, &info, entry_point).expect("the entry point is there").workgroup_size[0];
            assert!(size <= adapter.limits.max_compute_invocations_per_workgroup, "{entry_point}: {size} invocations");
            let bytes = workgroup_bytes(&module, &info, entry_point);
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
        let forces = PairKernel { file: "fluid/forces.wgsl", vanishes_at_radius: false };
        let every = combinations().map(|options| (adapter(Some((32, 32)), 49_152), options));
        // Only the number of ranges changes what is held.
        let extremes = || combinations().step_by(15);
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
    fn every_pair_kernel_composes_counting_and_not_with_atomic_floats_and_without() {
        let kernels = [
            ("search/count_pairs.wgsl", false),
            ("search/list_pairs.wgsl", false),
            ("search/kernel_sum.wgsl", true),
            ("fluid/density.wgsl", true),
            ("fluid/forces.wgsl", false),
        ];
        for adapter in [Some((8, 8)), None].map(|sizes| adapter(sizes, 32_768)) {
            for (file, vanishes_at_radius) in kernels {
                for flags in 0..4 {
                    let traversal = variant(&adapter, &SearchOptions::default(), TRAVERSAL_FILE)
                        .with_pair(PairKernel { file, vanishes_at_radius })
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
    fn chunks_are_large_and_a_queue_takes_what_a_subgroup_brings() {
        for adapter in adapters() {
            let sizes = sizes(&adapter);
            assert!(sizes.chunk_capacity >= 300, "{}: {sizes:?}", adapter.name);
            let largest = adapter.subgroup_sizes.map_or(1, |(_, largest)| largest);
            // Four stretches as long as a subgroup are queued at once, or wait for the next round.
            assert!(queue_capacity(&adapter) >= 4 * largest, "{}", adapter.name);
        }
    }
}
