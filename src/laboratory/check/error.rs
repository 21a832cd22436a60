//! The errors of checking a neighbor list.

use glam::Vec3;
use thiserror::Error;

use crate::search::verify::Disagreement;
use crate::search::{COARSE_CELLS, SEARCHES, SearchError, SearchInfo};

/// Why a list could not be checked. Each message names the cause and how to fix it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum CheckError {
    /// There are no points.
    #[error("there are no points; give the points that the list was made for")]
    NoPoints,
    /// More points than a 32-bit index can number.
    #[error("there are {0} points, more than any device can bind; leave points out")]
    TooManyPoints(usize),
    /// A coordinate is infinite or not a number.
    #[error("point {0} (counted from 0) is at {1}, and must be finite; correct it")]
    NotFinite(usize, Vec3),
    /// A pair contains the index of a particle that does not exist.
    #[error(
        "pair {place} is {pair:?}, but there are {count} particles, numbered from 0; give the points that the list was \
         made for"
    )]
    NoParticle {
        /// Index of the pair in the list.
        place: usize,
        /// Its indices.
        pair: [u32; 2],
        /// Number of particles.
        count: u32,
    },
    /// The numbers of classes and particles differ.
    #[error("there are {0} classes and {1} particles; give one class for each particle")]
    Classes(usize, usize),
    /// The search has no classes to compare with.
    #[error(
        "{search} has no border and inner particles to compare the classes with; select another search with --search \
         {others}"
    )]
    NoBorder {
        /// The search's title.
        search: &'static str,
        /// Names of the searches that have classes.
        others: String,
    },
    /// The oracle contradicts the search whose pairs were to be taken as correct.
    #[error(
        "{configuration} itself is wrong on these points: {disagreement}; select another search with --search, and please \
         report this"
    )]
    SearchIsWrong {
        /// The search and its settings.
        configuration: String,
        /// What the oracle found.
        disagreement: Disagreement,
    },
    /// The radius or the box is invalid, or the search refuses the points.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl CheckError {
    /// The error for classes with a search that has none.
    pub(super) fn without_border(search: &SearchInfo) -> Self {
        let has_coarse_cells =
            |search: &&&SearchInfo| search.options.iter().any(|option| option.name == COARSE_CELLS.name);
        let others: Vec<_> = SEARCHES.iter().filter(has_coarse_cells).map(|search| search.name).collect();
        Self::NoBorder { search: search.title, others: others.join(" or ") }
    }
}
