use std::any::Any;

use thiserror::Error;

use glam::{UVec3, Vec3};

use super::{Domain, PairCounters, SearchOption, SearchOptions};
use crate::gpu::{Dispatch, Gpu, GpuError, PairKernel, Pass, Phase, ShaderVariant};

/// Why a search could not be made. Each message names the thing and the mend.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum SearchError {
    /// No search has that name.
    #[error("there is no search \"{name}\"; the nearest names are {nearest}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// No search has that option.
    #[error("no search has the option \"{name}\"; the nearest names are {nearest}")]
    UnknownOption {
        /// What was asked for.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The option cannot be that.
    #[error("the option {option} is \"{value}\", and must be {expected}")]
    OptionValue {
        /// The option's name.
        option: &'static str,
        /// What was asked for.
        value: String,
        /// What there is.
        expected: String,
    },
    /// Not a name and a value.
    #[error("\"{0}\" is no option: write NAME=VALUE, as in cell-edge=2r")]
    OptionForm(String),
    /// The radius is no radius.
    #[error("the support radius is {0}, and must be a positive, finite length in metres")]
    Radius(f32),
    /// The box is no box.
    #[error("the box reaches from {0} to {1}, and must be finite and at least as high as low along each axis")]
    Box(Vec3, Vec3),
    /// A grid would have more cells than an index or a binding holds.
    #[error(
        "{search} would need {cells} cells of {edge} m, and this adapter holds {limit}; use a larger radius or cell \
         edge, or a smaller box"
    )]
    TooManyCells {
        /// The search's title.
        search: &'static str,
        /// Cells that were asked for.
        cells: u128,
        /// Edge of a cell in metres.
        edge: f32,
        /// Cells that fit.
        limit: u64,
    },
    /// A neighbor list is longer than a binding.
    #[error(
        "a list of {neighbors} neighbors takes {bytes} bytes, and the adapter binds at most {limit}; use a smaller \
         radius or fewer particles, or a pair kernel, which needs no list"
    )]
    ListTooLong {
        /// Neighbors of all particles.
        neighbors: u64,
        /// Bytes of the list.
        bytes: u64,
        /// The adapter's limit in bytes.
        limit: u64,
    },
    /// A list of candidates could outgrow a binding or an index.
    #[error(
        "{search} would need {bytes} bytes for its list of up to {entries} candidates, and this adapter holds {limit}; \
         it takes at most {particles} particles in such a box here: use fewer, or another search"
    )]
    TooManyCandidates {
        /// The search's title.
        search: &'static str,
        /// Entries of the longest list there can be.
        entries: u64,
        /// Bytes they take.
        bytes: u64,
        /// Bytes that a binding and an index hold.
        limit: u64,
        /// Particles whose list always fits.
        particles: u64,
    },
    /// The search would take so long that the display driver would be reset.
    #[error(
        "{search} would test {pairs:.1e} pairs, about {seconds:.0} s on {adapter}, and the display would hang; it \
         takes at most {limit} particles here"
    )]
    TooSlow {
        /// The search's title.
        search: &'static str,
        /// Pairs to be tested.
        pairs: f64,
        /// Estimated seconds.
        seconds: f64,
        /// The adapter's name.
        adapter: String,
        /// Particles it would take.
        limit: u32,
    },
    /// The grid has no such cell.
    #[error("there is no coarse cell {cell}: the grid has {counts} cells, numbered from 0")]
    NoCell {
        /// What was asked for.
        cell: UVec3,
        /// Cells along each axis.
        counts: UVec3,
    },
    /// The device refused.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl SearchError {
    /// Whether the search refused this input for its size, and takes smaller ones: a result to be shown, no fault.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::TooManyCells { .. }
                | Self::TooSlow { .. }
                | Self::ListTooLong { .. }
                | Self::TooManyCandidates { .. }
                | Self::Gpu(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. })
        )
    }
}

/// What every search is told.
#[derive(Clone, Copy)]
pub struct SearchInput<'a> {
    /// Positions in metres, `array<vec4<f32>>`; the fourth component is ignored. len = `particle_count`.
    pub positions: &'a wgpu::Buffer,
    /// Number of particles; 0 is allowed.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
    /// The settings of searches; each reads its own.
    pub options: &'a SearchOptions,
}

/// Makes a search for an input, or says in words why it cannot.
pub type CreateSearch = fn(&Gpu, SearchInput<'_>) -> Result<Box<dyn NeighborSearch>, SearchError>;

/// A search's place in the registry: how it is named, shown and made.
pub struct SearchInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Authors, year and where it appeared.
    pub paper: &'static str,
    /// The idea in one sentence.
    pub idea: &'static str,
    /// The settings it reads.
    pub options: &'static [&'static SearchOption],
    /// Bytes that the paper's own formula gives for its additional memory, from the particles and cells.
    pub paper_bytes: fn(u64, u64) -> u64,
    /// Makes the search's buffers for an input.
    pub create: CreateSearch,
}

impl std::fmt::Debug for SearchInfo {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl PartialEq for SearchInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A pair kernel with the buffers it reads and writes, ready to be joined with any traversal.
#[derive(Clone, Copy)]
pub struct BoundPairKernel<'a> {
    /// Label of the pass.
    pub label: &'static str,
    /// The WGSL file.
    pub kernel: PairKernel,
    /// Definitions the file is composed with.
    pub definitions: &'a [(&'static str, Option<u32>)],
    /// Buffers by the names of the file's variables.
    pub buffers: &'a [(&'a str, &'a wgpu::Buffer)],
}

/// A search made for one input: its buffers, and the passes over them. Making passes compiles shaders; recording
/// them neither allocates nor waits.
pub trait NeighborSearch: Any + Send + Sync {
    /// The search's place in the registry.
    fn info(&self) -> &'static SearchInfo;

    /// The passes that sort the particles and build the tables, to be run before any traversal.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError>;

    /// The passes that visit every pair and hand it to `pair`. With `counters`, the variant that counts candidates
    /// and neighbors too.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError>;

    /// After the build passes: positions in sorted order, `vec4<f32>` with the index into
    /// [`SearchInput::positions`] as the bits of the fourth component. len = `particle_count`.
    fn sorted_positions(&self) -> &wgpu::Buffer;

    /// Whether the traversal serves a particle from several workgroups, and so calls the pair kernel's `deposit` and
    /// `withdraw`: their buffer must then be bound, zeroed.
    fn deposits(&self) -> bool {
        false
    }

    /// The cells that particles are sorted into, for drawing; `None` where there are none.
    fn cells(&self) -> Option<Cells>;

    /// Bytes the search takes beyond the particles' own arrays; the sorted copy of the positions, which replaces
    /// the caller's, is not counted.
    fn bytes(&self) -> u64;
}

/// A search's cells, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Lowest corner of the first, m.
    pub origin: Vec3,
    /// Edges of each, m.
    pub size: Vec3,
    /// How many along each axis.
    pub counts: UVec3,
    /// Whether particles within this distance of another cell are told apart as its border, m.
    pub border: Option<f32>,
}

/// A search's shader as a traversal joined with a pair kernel: the same definitions for every search.
fn traversal_variant(shader: ShaderVariant, pair: BoundPairKernel<'_>, counting: bool) -> ShaderVariant {
    let mut variant = shader.with_pair(pair.kernel).with_flag("TRAVERSAL");
    variant.definitions.extend(pair.definitions.iter().copied());
    variant.with_flag_if(pair.kernel.vanishes_at_radius, "PAIR_VANISHES").with_flag_if(counting, "COUNT_PAIRS")
}

/// The buffers of a traversal: the search's own, the pair kernel's and the counters'.
pub(super) fn traversal_buffers<'a>(
    own: &[(&'a str, &'a wgpu::Buffer)],
    pair: BoundPairKernel<'a>,
    counters: Option<&'a PairCounters>,
) -> Vec<(&'a str, &'a wgpu::Buffer)> {
    let counters = counters.map(PairCounters::buffers).into_iter().flatten();
    own.iter().chain(pair.buffers).copied().chain(counters).collect()
}

/// The one pass of a gathering traversal: entry point `traverse`, one invocation a particle.
///
/// # Errors
/// When the shader does not compile.
pub(super) fn gathering_pass(
    gpu: &Gpu,
    shader: ShaderVariant,
    (own, particle_count): (&[(&str, &wgpu::Buffer)], u32),
    pair: BoundPairKernel<'_>,
    counters: Option<&PairCounters>,
) -> Result<Vec<Pass>, SearchError> {
    let pass = Pass::new(
        gpu,
        (Phase::Search, pair.label),
        (&traversal_variant(shader, pair, counters.is_some()), "traverse"),
        &traversal_buffers(own, pair, counters),
        Dispatch::Invocations(particle_count.into()),
    )?;
    Ok(vec![pass])
}

/// As [`traversal_variant`], for a traversal that deposits: with atomic addition of floats where the adapter has it.
pub(super) fn depositing_variant(
    gpu: &Gpu,
    shader: ShaderVariant,
    pair: BoundPairKernel<'_>,
    counting: bool,
) -> ShaderVariant {
    let float_atomics = gpu.capabilities.features.contains(wgpu::Features::SHADER_FLOAT32_ATOMIC);
    traversal_variant(shader, pair, counting).with_flag("DEPOSITS").with_flag_if(float_atomics, "FLOAT_ATOMICS")
}

/// The last pass of a traversal that deposits: hands every particle's deposited sum to the pair kernel.
///
/// # Errors
/// When the shader does not compile.
pub(super) fn finishing_pass(
    gpu: &Gpu,
    (grid, particle_count): (&wgpu::Buffer, u32),
    pair: BoundPairKernel<'_>,
) -> Result<Pass, SearchError> {
    let shader = depositing_variant(gpu, ShaderVariant::new("search/finish_deposits.wgsl"), pair, false);
    let buffers = traversal_buffers(&[("grid_parameters", grid)], pair, None);
    let dispatch = Dispatch::Invocations(particle_count.into());
    let label = (Phase::Search, "finish deposits");
    Ok(Pass::new(gpu, label, (&shader, "finish_deposits"), &buffers, dispatch)?)
}
