//! The contract that every search fulfills: its entry in the registry, its input, the trait `NeighborSearch`, and the
//! errors.

use std::any::Any;

use thiserror::Error;

use glam::{UVec3, Vec3};

use super::guards::{check_input, refuse_wide_radius};
use super::listed::{Listed, UseOfList};
use super::{Blocks, Domain, Need, PairCounters, Recorder, SearchOption, SearchOptions};
use crate::explanation::Explanation;
use crate::gpu::{Gpu, GpuError, PairKernel, Pass, element_bytes};

/// Why a search could not be created or run. Each message names the cause and the remedy.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum SearchError {
    /// No search has that name.
    #[error("there is no search \"{name}\"; the nearest names are {nearest}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar names, separated by commas.
        nearest: String,
    },
    /// No search has that option.
    #[error("no search has the option \"{name}\"; the nearest names are {nearest}")]
    UnknownOption {
        /// The requested name.
        name: String,
        /// The most similar names, separated by commas.
        nearest: String,
    },
    /// The search has no such option.
    #[error("{search} has no option \"{option}\"; its options are: {own}")]
    ForeignOption {
        /// The search's name.
        search: &'static str,
        /// The requested option.
        option: String,
        /// The search's own options, separated by commas.
        own: String,
    },
    /// An option does not accept the value.
    #[error("the option {option} is \"{value}\" and must be {expected}")]
    OptionValue {
        /// The option's name.
        option: &'static str,
        /// The requested value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// The text does not have the form NAME=VALUE.
    #[error("\"{0}\" does not set an option; write NAME=VALUE, for example cell-edge=2r")]
    OptionForm(String),
    /// The support radius is not a positive number, or its square is not representable in single precision.
    #[error(
        "the support radius is {0} m and must be a positive length from {smallest:.1e} to {largest:.1e} m, so that its \
         square is representable in single precision; use another unit of length for positions and radius",
        smallest = Domain::SMALLEST_RADIUS,
        largest = Domain::LARGEST_RADIUS
    )]
    Radius(f32),
    /// The corners do not form a box.
    #[error(
        "the box reaches from {0} to {1}; its corners must be at most 1.8e19 m from the origin along each axis, and the \
         first must not exceed the second along any axis"
    )]
    Box(Vec3, Vec3),
    /// A grid would have more cells than an index or a binding can address.
    #[error(
        "{search} would need {cells} cells of edge {edge} m, and at most {limit} fit this adapter; use a larger radius \
         or cell edge, or a smaller box"
    )]
    TooManyCells {
        /// The search's title.
        search: &'static str,
        /// Number of cells that the input requires.
        cells: u128,
        /// Edge of a cell, m.
        edge: f32,
        /// Number of cells that fit.
        limit: u64,
    },
    /// The buffer of the positions is too short for the particle count. Shaders run without bounds checks.
    #[error(
        "the buffer of the positions holds {held} particles of 16 bytes, and the particle count is {particle_count}; \
         make the buffer larger or the count smaller"
    )]
    TooFewPositions {
        /// Number of particles that the buffer holds.
        held: u64,
        /// The requested number of particles.
        particle_count: u32,
    },
    /// A buffer of a traversal has less than one element per particle. Shaders run without bounds checks.
    #[error(
        "the pass \"{pass}\" needs {needed} bytes for its binding `{binding}`, one element for each of \
         {particle_count} particles, and was given a buffer of {bytes} bytes; make the buffer larger"
    )]
    BufferTooSmall {
        /// Label of the pass.
        pass: &'static str,
        /// The WGSL variable's name.
        binding: String,
        /// Size of the buffer in bytes.
        bytes: u64,
        /// Required size in bytes.
        needed: u64,
        /// Number of particles of the search.
        particle_count: u32,
    },
    /// Different numbers of neighbors of a particle were counted and listed.
    #[error(
        "particle {particle} had {counted} neighbors when they were counted and {listed} when they were listed; do not \
         change the particles between the build passes and the list; if they did not change, please report this error"
    )]
    ListDisagrees {
        /// Index into the search's input.
        particle: u32,
        /// Number of neighbors that the counting pair kernel found.
        counted: u32,
        /// Number of neighbors that the listing pair kernel found.
        listed: u32,
    },
    /// A list is read with a sorted order other than the one it was created from.
    #[error(
        "the sorted order of {search} does not belong to the {particle_count} particles of this list; read a list with \
         the search that it was created from, after the build passes of that search"
    )]
    ForeignList {
        /// The search's title.
        search: &'static str,
        /// Number of particles of the list.
        particle_count: u32,
    },
    /// A neighbor list does not fit a binding.
    #[error(
        "a list of {neighbors} neighbors takes {bytes} bytes, and the adapter binds at most {limit}; use a smaller \
         radius or fewer particles, or a pair kernel, which needs no list"
    )]
    ListTooLong {
        /// Number of neighbors of all particles.
        neighbors: u64,
        /// Size of the list in bytes.
        bytes: u64,
        /// The adapter's limit in bytes.
        limit: u64,
    },
    /// A list of candidates could exceed a binding or an index.
    #[error(
        "{search} would need {bytes} bytes for its list of up to {entries} candidates, and this adapter holds {limit}; \
         use at most {particles} particles in such a box, or another search"
    )]
    TooManyCandidates {
        /// The search's title.
        search: &'static str,
        /// Number of entries of the longest possible list.
        entries: u64,
        /// Size of that list in bytes.
        bytes: u64,
        /// Largest size in bytes that a binding and an index can address.
        limit: u64,
        /// Number of particles whose list always fits.
        particles: u64,
    },
    /// The search would take so long that the display driver would reset the device.
    #[error(
        "{search} would test {pairs:.1e} pairs, which takes about {seconds:.1} s on {adapter}, and the display would \
         hang; use at most {limit} particles"
    )]
    TooSlow {
        /// The search's title.
        search: &'static str,
        /// Number of pairs to test.
        pairs: f64,
        /// Estimated seconds.
        seconds: f64,
        /// The adapter's name.
        adapter: String,
        /// Number of particles that the search accepts.
        limit: u32,
    },
    /// So many particles crowd together that the display driver would reset the device.
    #[error(
        "up to {most} particles are in one cell: {search} would test {pairs:.1e} pairs, which takes about \
         {seconds:.1} s on {adapter}, and the display would hang; spread the particles, or use fewer particles or a \
         smaller radius"
    )]
    TooCrowded {
        /// The search's title.
        search: &'static str,
        /// Largest number of particles in one cell.
        most: u32,
        /// Number of pairs to test.
        pairs: f64,
        /// Estimated seconds.
        seconds: f64,
        /// The adapter's name.
        adapter: String,
    },
    /// The grid does not have the cell.
    #[error("there is no coarse cell {cell}: the grid has {counts} cells, numbered from 0")]
    NoCell {
        /// The requested cell.
        cell: UVec3,
        /// Number of cells along each axis.
        counts: UVec3,
    },
    /// An operation on the device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl SearchError {
    /// Whether the search refused this input because of its size and accepts smaller inputs. Such a refusal is a result
    /// to show, not a fault.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::TooManyCells { .. }
                | Self::TooSlow { .. }
                | Self::TooCrowded { .. }
                | Self::ListTooLong { .. }
                | Self::TooManyCandidates { .. }
                | Self::Gpu(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. } | GpuError::LoopsCut { .. })
        )
    }
}

/// The input of a search.
#[derive(Clone, Copy)]
pub struct SearchInput<'a> {
    /// Positions, m, `array<vec4<f32>>`; the fourth component is ignored. len = `particle_count`.
    pub positions: &'a wgpu::Buffer,
    /// Number of particles; 0 is allowed.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
    /// The settings of all searches; each search reads its own.
    pub options: &'a SearchOptions,
}

/// The function that creates the buffers of a search. Only [`SearchInfo::create`] can call it, after it has checked the
/// input.
pub struct CreateSearch(MakeSearch);

type MakeSearch = fn(&Gpu, SearchInput<'_>) -> Result<Box<dyn NeighborSearch>, SearchError>;

impl CreateSearch {
    /// Wraps a function that may rely on a checked input.
    pub const fn new(make: MakeSearch) -> Self {
        Self(make)
    }
}

/// The entry of a search in the registry: how it is named, presented and created.
///
/// ```
/// use nearwater::search::{SEARCHES, search_named};
///
/// for search in SEARCHES {
///     println!("{:12} {}", search.name, search.idea);
/// }
/// let refusal = search_named("clows").expect_err("no such search");
/// assert!(refusal.to_string().contains("the nearest names are claws"));
/// ```
pub struct SearchInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Authors, title, venue and year of the paper.
    pub paper: &'static str,
    /// The idea in one sentence.
    pub idea: &'static str,
    /// The settings it reads.
    pub options: &'static [&'static SearchOption],
    /// The settings, each as `NAME=VALUE`, with which the search works as its paper describes; empty if it always does,
    /// or if no settings achieve that.
    pub published: &'static [&'static str],
    /// What it requires of a device. The limits card shows the requirements, and the slider of the particle count ends
    /// at the limit that they set.
    pub needs: &'static [&'static Need],
    /// Whether the same input gives the same order and the same sums in every run. A traversal that deposits never
    /// does, regardless of this value.
    pub repeatable: bool,
    /// Bytes of additional memory according to the paper's own formula, from the numbers of particles and cells.
    pub paper_bytes: fn(u64, u64) -> u64,
    /// What the Explain panel shows: idea, pseudocode, formulas. `None` where nobody has written it; the panel then
    /// shows what is known of every search.
    pub explanation: Option<&'static Explanation>,
    /// The function that creates the search's buffers for an input that [`SearchInfo::create`] has checked.
    pub create: CreateSearch,
}

impl SearchInfo {
    /// Creates the search for an input, with a list of all neighbors if its settings demand one. The checks that all
    /// searches share (`guards.rs`) run before and after the search's own checks.
    ///
    /// # Errors
    /// When the buffer of the positions is too short for the particle count, [`Domain::new`] would not accept the
    /// domain, the search would take too long on this adapter, or its buffers do not fit the device.
    pub fn create(&self, gpu: &Gpu, input: SearchInput<'_>) -> Result<Box<dyn NeighborSearch>, SearchError> {
        check_input(&input)?;
        let search = (self.create.0)(gpu, input)?;
        refuse_wide_radius(gpu, search.as_ref())?;
        match UseOfList::of(input.options) {
            UseOfList::On => Ok(Box::new(Listed::measured(gpu, search, &input)?)),
            UseOfList::Auto | UseOfList::Off => Ok(search),
        }
    }
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

/// A pair kernel with the buffers that it reads and writes, ready to be combined with any traversal.
#[derive(Clone, Copy)]
pub struct BoundPairKernel<'a> {
    /// Label of the pass.
    pub label: &'static str,
    /// The WGSL file.
    pub kernel: PairKernel,
    /// Definitions that the file is composed with.
    pub definitions: &'a [(&'static str, Option<u32>)],
    /// Buffers by the names of the WGSL variables.
    pub buffers: &'a [(&'a str, &'a wgpu::Buffer)],
}

/// An instrument that observes a traversal. It selects a variant of the same shader that writes additional data.
#[derive(Clone, Copy)]
pub enum Instrument<'a> {
    /// Counts the candidates and the neighbors of every particle.
    Count(&'a PairCounters),
    /// Records the work done for a few particles and in one coarse cell.
    Record(&'a Recorder),
}

impl<'a> Instrument<'a> {
    /// The definition that compiles the instrument into a traversal.
    pub(super) fn definition(self) -> &'static str {
        match self {
            Self::Count(_) => "COUNT_PAIRS",
            Self::Record(_) => "RECORD",
        }
    }

    /// The instrument's buffers by the names of the WGSL variables.
    pub(super) fn buffers(self) -> Vec<(&'a str, &'a wgpu::Buffer)> {
        match self {
            Self::Count(counters) => counters.buffers().to_vec(),
            Self::Record(recorder) => recorder.buffers().to_vec(),
        }
    }
}

/// A search created for one input: its buffers, and the passes that use them. Creating passes compiles shaders;
/// recording them neither allocates memory nor waits.
pub trait NeighborSearch: Any + Send + Sync {
    /// The search's entry in the registry.
    fn info(&self) -> &'static SearchInfo;

    /// The passes that sort the particles and build the tables. They run before any traversal.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError>;

    /// The passes that visit every pair and pass it to `pair`; with an instrument, the variant of the same traversal
    /// that also counts or records.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError>;

    /// Number of particles of the input: [`SearchInput::particle_count`].
    fn particle_count(&self) -> u32;

    /// The box and the support radius of the input: [`SearchInput::domain`].
    fn domain(&self) -> Domain;

    /// Positions in sorted order, m, `vec4<f32>` with the index into [`SearchInput::positions`] as the bits of the
    /// fourth component; valid after the build passes. len = `particle_count`.
    fn sorted_positions(&self) -> &wgpu::Buffer;

    /// Whether several workgroups serve one particle, so that the traversal calls the pair kernel's `deposit` and
    /// `withdraw`. The buffer of the deposits must then be bound and zeroed.
    fn deposits(&self) -> bool {
        false
    }

    /// Whether one invocation gathers the whole sum of a particle in traversals without an instrument. These read the
    /// numbers of the particles into which a pair kernel divides them.
    fn gathers(&self) -> bool {
        !self.deposits()
    }

    /// The cells that the particles are sorted into, for drawing; `None` if the search has no cells.
    fn cells(&self) -> Option<Cells>;

    /// The ranges of each cell's particles in the sorted order, valid after the build passes; `None` if the particles
    /// are not sorted by cell.
    fn blocks(&self) -> Option<Blocks> {
        None
    }

    /// Size in bytes of the search's own buffers. It excludes the sorted copy of the positions, which replaces the
    /// caller's array, and the deposits, which [`NeighborSearch::deposit_bytes`] counts.
    fn bytes(&self) -> u64;

    /// Size in bytes of the list of all neighbors that traversals read; 0 without a list ([`NEIGHBOR_LIST`]).
    ///
    /// [`NEIGHBOR_LIST`]: super::NEIGHBOR_LIST
    fn list_bytes(&self) -> u64 {
        0
    }

    /// Values of the symbols in [`Explanation::symbols`], which the formulas of the explanation contain.
    fn symbols(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Size in bytes of the deposits of `particle_count` particles, each with a sum of `floats` floats; the caller
    /// allocates them for a search that deposits. A density needs 1 float. A time step binds one buffer to all its
    /// traversals, sized for the largest of their sums ([`LARGEST_SUM`](super::LARGEST_SUM)).
    fn deposit_bytes(&self, particle_count: u32, floats: usize) -> u64 {
        if self.deposits() { element_bytes::<f32>(u64::from(particle_count) * floats as u64) } else { 0 }
    }
}

/// The cells of a search, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Lowest corner of the first cell, m.
    pub origin: Vec3,
    /// Edges of a cell, m.
    pub size: Vec3,
    /// Number of cells along each axis.
    pub counts: UVec3,
    /// Distance from another cell within which the search classifies particles as border particles, m; `None` if it
    /// does not distinguish them.
    pub border: Option<f32>,
}
