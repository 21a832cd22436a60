//! Brute force: a test of every pair of particles.
//!
//! Source: none; the method is common knowledge.
//!
//! Idea: each particle is tested against all others, in tiles of positions in workgroup memory. It needs no table and
//! serves as the oracle on the GPU.
//!
//! Passes: one pass copies the positions with their indices; one pass traverses, with one invocation per particle. With
//! `pairs=once`, one workgroup per pair of tiles evaluates each pair once and deposits the contributions to both
//! particles, and a last pass finishes the deposited sums.
//!
//! Memory: none besides the sorted positions; with `pairs=once`, the deposits.
//!
//! Limitations: the time grows with the square of the number of particles, and the search refuses inputs that would
//! hang the display.
//!
//! Departures from a paper: none.

mod explanation;

use super::domain::Grid;
use super::guards::{LONGEST_SECONDS, pair_tests_per_second};
use super::traversal::Traversal;
use super::{
    BoundPairKernel, Cells, CreateSearch, Domain, Instrument, Met, Need, NeighborSearch, OptionChoice, OptionKind,
    SearchError, SearchInfo, SearchInput, SearchOption, needs,
};
use crate::format::count;
use crate::gpu::{AdapterClass, Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant};

const FILE: &str = "search/brute_force.wgsl";

/// Whether the symmetry of pairs is used.
static PAIRS: SearchOption = SearchOption {
    name: "pairs",
    title: "Pairs",
    hover: "whether a pair is evaluated once for both of its particles",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "both ways", hover: "each particle gathers from every other" },
        OptionChoice { label: "once", hover: "each pair is evaluated once and deposited for both particles" },
    ]),
};

/// The time limit of a pass, after which the display driver would reset the device.
static TIME: Need = Need {
    what: "time to test every pair",
    of: |device| {
        let most = most_particles(device.class);
        Met::fully(format!(
            "{} particles form as many pairs as {} can test in {LONGEST_SECONDS} s; after 2 s, drivers reset the \
             device.",
            count(most.into()),
            match device.class {
                AdapterClass::Discrete => "a discrete adapter",
                AdapterClass::Integrated => "an integrated adapter",
                AdapterClass::Software => "a software adapter",
            }
        ))
        .up_to(most.into())
    },
};

/// The registry entry of brute force.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "brute_force",
    title: "Brute force",
    paper: "no paper; common knowledge",
    idea: "Tests every pair of particles, a tile in workgroup memory at a time.",
    options: &[&PAIRS],
    published: &[],
    needs: &[&needs::POSITIONS, &TIME],
    repeatable: true,
    paper_bytes: |_, _| 0,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(BruteForce::new(gpu, input)?))),
};

struct BruteForce {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    grid: wgpu::Buffer,
    domain: Domain,
    particle_count: u32,
    each_pair_once: bool,
}

impl BruteForce {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        refuse_if_too_slow(gpu, input.particle_count)?;
        // One cell, because the shader uses only the radius and the particle count of the grid.
        let extent = (input.domain.high - input.domain.low).max_element().max(input.domain.support_radius);
        let grid = Grid::new(INFO.title, input.domain, glam::Vec3::splat(extent * 2.0), input.particle_count, 1)?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", input.particle_count.into())?,
            grid: gpu.uniform("grid", &grid),
            domain: input.domain,
            particle_count: input.particle_count,
            each_pair_once: input.options.is(&PAIRS, "once"),
        })
    }

    fn buffers(&self) -> [(&str, &wgpu::Buffer); 3] {
        [("grid_parameters", &self.grid), ("positions", &self.positions), ("sorted_positions", &self.sorted_positions)]
    }
}

/// The largest number of particles whose pairs are tested within the time limit.
fn most_particles(class: AdapterClass) -> u32 {
    (pair_tests_per_second(class) * LONGEST_SECONDS).sqrt() as u32
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
        limit: most_particles(gpu.capabilities.class),
    })
}

impl NeighborSearch for BruteForce {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = ShaderVariant::new(FILE);
        let dispatch = Dispatch::Invocations(self.particle_count.into());
        Ok(vec![Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "stamp indices",
                shader: &shader,
                entry_point: "stamp_indices",
                buffers: &self.buffers(),
                dispatch,
            },
        )?])
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        // Pairs are counted by the gathering variant, in which one invocation serves one particle.
        let counts = matches!(instrument, Some(Instrument::Count(_)));
        let own = self.buffers();
        let traversal = Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument };
        if !self.each_pair_once || counts {
            return traversal.gathering(ShaderVariant::new(FILE));
        }
        let shader = traversal.depositing_variant(ShaderVariant::new(FILE));
        let tile = gpu.kernel(&shader, "traverse_once")?.interface.workgroup_size[0];
        let tiles = u64::from(self.particle_count.div_ceil(tile));
        let pairs_of_tiles = Dispatch::Workgroups(tiles * (tiles + 1) / 2);
        traversal.depositing(&shader, "traverse_once", pairs_of_tiles, &self.grid)
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
        self.each_pair_once
    }

    fn cells(&self) -> Option<Cells> {
        None
    }

    fn bytes(&self) -> u64 {
        0
    }
}
