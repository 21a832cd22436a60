//! The contract of a neighbor search, and the registry of all searches.
//!
//! A search sorts the particles (*build*), then *traverses* the pairs within the support radius and passes each pair to
//! a pair kernel. A **traversal** finds pairs; a **pair kernel** computes the contribution of a pair. Neither names the
//! other: the shader library combines one of each. A pair kernel is a WGSL file with its bindings in group 1 that
//! provides
//!
//! ```wgsl
//! struct Particle                                   // the data of a particle besides its position
//! fn load(index: u32) -> Particle                   // index: index in the sorted order
//! struct Sum                                        // the sum of a particle's contributions
//! fn zero() -> Sum
//! fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum   // of b to a
//! fn mirror(contribution: Sum) -> Sum               // the contribution of a to b, from that of b to a
//! fn add(a: Sum, b: Sum) -> Sum
//! fn finish(index: u32, particle: Particle, sum: Sum)
//! fn deposit(index: u32, sum: Sum)                  // adds atomically, where several workgroups serve one particle
//! fn withdraw(index: u32) -> Sum                    // takes the deposited sum, for a `finish` in a later pass
//! ```
//!
//! and, if it divides the particles ([`PairKernel::divides`](crate::gpu::PairKernel::divides)),
//!
//! ```wgsl
//! fn is_special(position: vec3<f32>) -> bool        // position: that of the search's build, m
//! ```
//!
//! A kernel that is composed with the definition `PAIR_SKIPS` does without the sums of some particles, whose neighbors
//! a traversal may then leave out; those of a list do:
//!
//! ```wgsl
//! fn needs_no_sum(particle: Particle) -> bool
//! ```
//!
//! In all of these, `offset` = position of a minus position of b. The search excludes the pair of a particle with
//! itself; a kernel that has a self term adds it in `finish`. The bindings of a traversal are in group 0, those of
//! counters and recorded events in group 2.

mod bayraktar;
mod blocks;
mod brute_force;
mod claws;
mod claws_schedule;
mod clipped_rows;
mod coarse_grid;
mod configuration_list;
mod contract;
mod counters;
mod domain;
mod explained;
mod fenns;
#[doc(hidden)]
pub mod fixtures;
mod green;
mod guards;
mod halo;
mod hoetzlein;
mod list;
mod listed;
mod local_grid;
mod measured_density;
mod morillo;
mod needs;
mod option;
pub mod random;
mod recording;
mod reference;
mod shares;
mod sorted_cells;
mod specimen;
mod traversal;
mod vanishing;
#[doc(hidden)]
pub mod verify;

pub use blocks::{Block, BlockClass, BlockTable, Blocks};
pub use claws_schedule::{CellSchedule, Schedule, ScheduleRequest, schedule_of_cell};
pub use coarse_grid::COARSE_CELLS;
pub use contract::{
    BoundPairKernel, Cells, CreateSearch, Instrument, NeighborSearch, SearchError, SearchInfo, SearchInput,
};
pub use counters::{PairCounters, PairTotals};
pub use domain::{CELL_EDGE, CELL_RADII, CellEdge, DIRECT_CELLS_ONLY, Domain, Grid, LOOK_UP};
pub use explained::{SEARCH_FORMULAS, SEARCH_SYMBOLS, search_values};
pub use guards::{most_tests, refuse_crowds};
pub(crate) use list::{COUNT_PAIRS, LIST_PAIRS};
pub use list::{ListedNeighbors, NeighborList, count_kernel};
pub use listed::{LIST_EXPLANATION, NEIGHBOR_LIST};
#[cfg(feature = "fluid")]
pub(crate) use listed::{LISTING_LABELS, Listed, UseOfList};
pub use needs::{LARGEST_SUM, Met, Need, Support};
pub use option::{OptionChoice, OptionKind, SearchOption, SearchOptions, same_value};
pub use recording::{
    AskedVisitor, ChunkMember, ChunkRecord, Event, InspectedSearch, LocalGrid, MOST_RECORDED, ParticleRecord,
    RangeSpace, Reading, RecordRequest, Recorder, Recording, RecordingReadback, Served, TestedCandidate, VisitedRange,
    Worker,
};
pub use reference::{AMBIGUOUS_FRACTION, ReferenceNeighbors};
#[cfg(feature = "fluid")]
pub(crate) use shares::in_ranges;
pub use specimen::Specimen;
#[cfg(feature = "fluid")]
pub(crate) use traversal::ADDED_LABELS;
pub use vanishing::{KERNEL_SUM, KernelSum};

/// Every search: the published ones in the order of publication, and then the program's own. A further search consists
/// of its own files and one line here.
pub static SEARCHES: &[&SearchInfo] = &[
    &brute_force::INFO,
    &green::INFO,
    &bayraktar::INFO,
    &hoetzlein::INFO,
    &morillo::INFO,
    &fenns::INFO,
    &claws::INFO,
    &clipped_rows::INFO,
];

/// The settings that all searches have besides their own.
static SHARED_OPTIONS: &[&SearchOption] = &[&NEIGHBOR_LIST];

/// The search that scenes start with.
static DEFAULT_FOR_SCENES: &SearchInfo = &claws::INFO;

/// The searches that the program is about. Where a graphics device runs it, a scene opens with one of them.
static LEADING: &[&SearchInfo] = &[&fenns::INFO, &claws::INFO];

/// The search that tests every pair, which is no pleasure to watch.
static TESTS_EVERY_PAIR: &SearchInfo = &brute_force::INFO;

/// The searches that the prepared examples of the laboratory run. They are listed here, so that only a search's own
/// files and this registry name a search.
#[derive(Clone, Copy, Debug)]
pub struct ExampleSearches {
    /// A search that counts the particles of each cell and scans the counts.
    pub scanning: &'static SearchInfo,
    /// A search that distinguishes the border particles and the inner particles of coarse cells.
    pub coarse: &'static SearchInfo,
    /// A search that also distributes the rows around a coarse cell over subgroups by a schedule, which can be switched
    /// off.
    pub scheduled: &'static SearchInfo,
}

/// The searches of the examples.
pub static EXAMPLES: ExampleSearches =
    ExampleSearches { scanning: &hoetzlein::INFO, coarse: &fenns::INFO, scheduled: &claws::INFO };

impl SearchInfo {
    /// The settings that the search reads: its own, and those that all searches have.
    pub fn all_options(&self) -> impl Iterator<Item = &'static SearchOption> + use<> {
        self.options.iter().chain(SHARED_OPTIONS).copied()
    }

    /// The search that scenes start with, unless the user selects another.
    pub fn default_for_scenes() -> &'static Self {
        DEFAULT_FOR_SCENES
    }

    /// The searches that the program is about, one of which a scene opens with where a graphics device runs it.
    pub fn leading() -> &'static [&'static Self] {
        LEADING
    }

    /// The searches that attract mode shows, the leading ones first.
    pub fn shown_off() -> Vec<&'static Self> {
        let others = SEARCHES.iter().filter(|search| !LEADING.contains(search) && **search != TESTS_EVERY_PAIR);
        LEADING.iter().chain(others).copied().collect()
    }
}

/// Returns the search with the given name.
///
/// # Errors
/// When no search has that name; the message lists the most similar names.
pub fn search_named(name: &str) -> Result<&'static SearchInfo, SearchError> {
    SEARCHES.iter().copied().find(|info| info.name == name).ok_or_else(|| SearchError::Unknown {
        name: name.to_owned(),
        nearest: crate::gpu::nearest_names(name, SEARCHES.iter().map(|info| info.name)).join(", "),
    })
}
