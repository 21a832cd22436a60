//! The contract of a neighbor search, and the registry of those there are.
//!
//! A search sorts particles (*build*), then *traverses* the pairs within the support radius and hands each to a pair
//! kernel. A **traversal** finds pairs; a **pair kernel** says what a pair is worth. Neither names the other: the
//! shader library joins one of each. A pair kernel is a WGSL file with its bindings in group 1 that provides
//!
//! ```wgsl
//! struct Particle                                   // what a traversal keeps of a particle besides its position
//! fn load(index: u32) -> Particle                   // index: place in the sorted order
//! struct Sum                                        // what a particle gathers
//! fn zero() -> Sum
//! fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum   // what b gives a
//! fn mirror(contribution: Sum) -> Sum               // turned into what a gives b
//! fn add(a: Sum, b: Sum) -> Sum
//! fn finish(index: u32, particle: Particle, sum: Sum)
//! fn deposit(index: u32, sum: Sum)                  // adds atomically, where several workgroups serve one particle
//! fn withdraw(index: u32) -> Sum                    // takes what was deposited, for a `finish` in a later pass
//! ```
//!
//! with `offset` = position of a minus position of b. The search leaves out the pair of a particle with itself; a
//! kernel that has a self term adds it in `finish`. A traversal has its bindings in group 0, counters in group 2.

mod bayraktar;
mod brute_force;
mod claws;
mod claws_schedule;
mod coarse_grid;
mod contract;
mod counters;
mod domain;
mod fenns;
pub mod fixtures;
mod green;
mod hoetzlein;
mod list;
mod local_grid;
mod morillo;
mod option;
/// Random input.
pub mod random;
mod reference;
pub mod verify;

pub use claws_schedule::{CellSchedule, Schedule, ScheduleRequest, schedule_of_cell};
pub use coarse_grid::COARSE_CELLS;
pub use contract::{BoundPairKernel, Cells, CreateSearch, NeighborSearch, SearchError, SearchInfo, SearchInput};
pub use counters::{PairCounters, PairTotals};
pub use domain::{CELL_EDGE, CELL_RADII, CellEdge, Domain, Grid};
pub use list::{NeighborList, Neighbors};
pub use option::{OptionChoice, OptionKind, SearchOption, SearchOptions, same_value};
pub use reference::{AMBIGUOUS_FRACTION, ReferenceNeighbors};

/// Every search, in the order of its publication. An eighth search is its two files and one line here.
pub static SEARCHES: &[&SearchInfo] =
    &[&brute_force::INFO, &green::INFO, &bayraktar::INFO, &hoetzlein::INFO, &morillo::INFO, &fenns::INFO, &claws::INFO];

impl SearchInfo {
    /// The search that scenes start on: the latest published, on which an eighth is to improve.
    pub fn default_for_scenes() -> &'static Self {
        SEARCHES[SEARCHES.len() - 1]
    }
}

/// The search of that name.
///
/// # Errors
/// When there is none; the message names the nearest.
pub fn search_named(name: &str) -> Result<&'static SearchInfo, SearchError> {
    SEARCHES.iter().copied().find(|info| info.name == name).ok_or_else(|| SearchError::Unknown {
        name: name.to_owned(),
        nearest: crate::gpu::nearest_names(name, SEARCHES.iter().map(|info| info.name)).join(", "),
    })
}
