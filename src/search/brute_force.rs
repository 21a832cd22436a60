//! Brute force: every pair tested, in tiles of positions held in workgroup memory. O(n²), no table to build: the
//! oracle on the GPU. Bad at everything past a few ten thousand particles.

use super::contract::{depositing_variant, finishing_pass, gathering_pass, traversal_buffers};
use super::domain::Grid;
use super::{
    BoundPairKernel, Cells, NeighborSearch, OptionChoice, OptionKind, PairCounters, SearchError, SearchInfo,
    SearchInput, SearchOption,
};
use crate::gpu::{AdapterClass, Dispatch, Gpu, Pass, Phase, ShaderVariant};

const FILE: &str = "search/brute_force.wgsl";

/// Seconds after which display drivers give up on a pass (Windows resets after 2 s), with room to spare.
const LONGEST_SECONDS: f64 = 0.5;

/// Whether symmetry is used.
static PAIRS: SearchOption = SearchOption {
    name: "pairs",
    title: "Pairs",
    hover: "whether the two particles of a pair are served by one evaluation",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "both ways", hover: "each particle gathers from every other" },
        OptionChoice { label: "once", hover: "each pair is evaluated once and deposited on both particles" },
    ]),
};

/// Brute force's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "brute_force",
    title: "Brute force",
    paper: "no paper; every textbook",
    idea: "Tests every pair of particles, a tile in workgroup memory at a time.",
    options: &[&PAIRS],
    repeatable: true,
    paper_bytes: |_, _| 0,
    create: |gpu, input| Ok(Box::new(BruteForce::new(gpu, input)?)),
};

struct BruteForce {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    grid: wgpu::Buffer,
    particle_count: u32,
    each_pair_once: bool,
}

impl BruteForce {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        refuse_if_too_slow(gpu, input.particle_count)?;
        // One cell: only the radius and the count matter here.
        let extent = (input.domain.high - input.domain.low).max_element().max(input.domain.support_radius);
        let grid = Grid::new(INFO.title, input.domain, glam::Vec3::splat(extent * 2.0), input.particle_count, 1)?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", input.particle_count.into())?,
            grid: gpu.uniform("grid", &grid),
            particle_count: input.particle_count,
            each_pair_once: input.options.is(&PAIRS, "once"),
        })
    }

    fn buffers(&self) -> [(&str, &wgpu::Buffer); 3] {
        [("grid_parameters", &self.grid), ("positions", &self.positions), ("sorted_positions", &self.sorted_positions)]
    }
}

/// Pair tests a second, low enough to be true of the slowest adapter of a class: for the refusal's estimate only.
fn pair_tests_per_second(class: AdapterClass) -> f64 {
    match class {
        AdapterClass::Discrete => 2e11,
        AdapterClass::Integrated => 2e10,
        AdapterClass::Software => 4e8,
    }
}

fn refuse_if_too_slow(gpu: &Gpu, particle_count: u32) -> Result<(), SearchError> {
    let speed = pair_tests_per_second(gpu.capabilities.class);
    let pairs = f64::from(particle_count) * f64::from(particle_count);
    let seconds = pairs / speed;
    if seconds <= LONGEST_SECONDS {
        return Ok(());
    }
    Err(SearchError::TooSlow {
        search: INFO.title,
        pairs,
        seconds,
        adapter: gpu.capabilities.name.clone(),
        limit: (speed * LONGEST_SECONDS).sqrt() as u32,
    })
}

impl NeighborSearch for BruteForce {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = ShaderVariant::new(FILE);
        let dispatch = Dispatch::Invocations(self.particle_count.into());
        let label = (Phase::Build, "stamp indices");
        Ok(vec![Pass::new(gpu, label, (&shader, "stamp_indices"), &self.buffers(), dispatch)?])
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError> {
        // Counting belongs to the gathering variant: one invocation serves one particle there.
        if !self.each_pair_once || counters.is_some() {
            return gathering_pass(
                gpu,
                ShaderVariant::new(FILE),
                (&self.buffers(), self.particle_count),
                pair,
                counters,
            );
        }
        let shader = depositing_variant(gpu, ShaderVariant::new(FILE), pair, false);
        let own = self.buffers();
        let buffers = traversal_buffers(&own, pair, None);
        let tile = gpu.kernel(&shader, "traverse_once")?.interface.workgroup_size[0];
        let tiles = u64::from(self.particle_count.div_ceil(tile));
        let pairs_of_tiles = Dispatch::Workgroups(tiles * (tiles + 1) / 2);
        Ok(vec![
            Pass::new(gpu, (Phase::Search, pair.label), (&shader, "traverse_once"), &buffers, pairs_of_tiles)?,
            finishing_pass(gpu, (&self.grid, self.particle_count), pair)?,
        ])
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn deposits(&self) -> bool {
        self.each_pair_once
    }

    fn cells(&self) -> Option<Cells> {
        None
    }

    fn bytes(&self) -> u64 {
        0
    }
}
