//! The comparison of a search with the oracle: the complete neighbor sets, for missing and for extra neighbors.

mod case;
mod disagreement;

use std::fmt;
use std::ops::Range;

use glam::Vec3;

pub use case::Case;
pub use disagreement::{Disagreement, first_disagreement};
use disagreement::{disagreement_of, fingerprint_of};

use super::fixtures::Fixture;
use super::list::{NeighborList, count_kernel};
use super::listed::UseOfList;
use super::shares::in_ranges;
use super::vanishing::{self, Sums};
use super::{
    Instrument, NeighborSearch, PairCounters, PairTotals, ReferenceNeighbors, SearchError, SearchInfo, SearchInput,
    SearchOptions,
};
use crate::gpu::{Gpu, GpuError, read_buffer, record};

/// A search with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchConfiguration {
    /// The search.
    pub search: &'static SearchInfo,
    /// Its settings.
    pub options: SearchOptions,
}

impl SearchConfiguration {
    /// The configurations of every registered search: the default, each option changed to each of its other usual
    /// values, and the configuration of its paper.
    pub fn all() -> Vec<Self> {
        super::SEARCHES.iter().copied().flat_map(Self::all_of).collect()
    }

    /// The same as [`SearchConfiguration::all`] for one search.
    pub fn all_of(search: &'static SearchInfo) -> Vec<Self> {
        let mut configurations = vec![Self { search, options: SearchOptions::default() }];
        for option in search.options {
            let others = option.usual_values().into_iter().filter(|&value| !option.is_default(value));
            configurations
                .extend(others.map(|value| Self { search, options: SearchOptions::default().with(option, value) }));
        }
        if let Ok(published) = Self::published(search)
            && !configurations.contains(&published)
        {
            configurations.push(published);
        }
        configurations
    }

    /// The configurations of [`SearchConfiguration::all`], and every search with a list of neighbors.
    pub fn all_with_lists() -> Vec<Self> {
        Self::all().into_iter().chain(Self::every_listed()).collect()
    }

    /// The configurations of [`SearchConfiguration::all`], which make no list in time steps either.
    pub fn all_without_lists() -> Vec<Self> {
        let without = |all: Self| Self { options: UseOfList::Off.among(&all.options), ..all };
        Self::all().into_iter().map(without).collect()
    }

    /// [`SearchConfiguration::all_without_lists`], and every search with a list of neighbors.
    pub fn all_in_steps() -> Vec<Self> {
        Self::all_without_lists().into_iter().chain(Self::every_listed()).collect()
    }

    /// Whether the search has its default settings, with or without a list of neighbors.
    pub fn is_usual(&self) -> bool {
        self.search.options.iter().all(|option| option.is_default(self.options.value(option)))
    }

    fn every_listed() -> impl Iterator<Item = Self> {
        super::SEARCHES.iter().map(|&search| Self::listed(search))
    }

    /// A search with a list of neighbors.
    pub fn listed(search: &'static SearchInfo) -> Self {
        Self { search, options: UseOfList::On.among(&SearchOptions::default()) }
    }

    /// The configuration of the search's paper, as far as settings can achieve it.
    ///
    /// # Errors
    /// Only if [`SearchInfo::published`] contains an invalid setting, which a test excludes.
    pub fn published(search: &'static SearchInfo) -> Result<Self, SearchError> {
        let mut options = SearchOptions::default();
        search.published.iter().try_for_each(|setting| options.parse(setting))?;
        Ok(Self { search, options })
    }
}

impl fmt::Display for SearchConfiguration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.search.name)?;
        for option in self.search.all_options() {
            let value = self.options.value(option);
            // The cell edge, which several searches share, is always named; another option only if it is not the
            // default.
            if !option.is_default(value) || option.name == super::CELL_EDGE.name {
                write!(formatter, ", {} {}", option.title.to_lowercase(), option.label(value))?;
            }
        }
        Ok(())
    }
}

/// The result of one search on one fixture.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Number of neighbors found, each direction counted.
    pub neighbor_count: u64,
    /// Number of pairs excluded because their distance is too close to the radius to decide, each direction counted.
    pub ambiguous_count: u64,
    /// A hash of the neighbor sets that does not depend on their order. It is equal for all correct searches.
    pub fingerprint: u64,
    /// The totals of the counting traversal.
    pub totals: PairTotals,
    /// The first disagreement, if any.
    pub disagreement: Option<Disagreement>,
}

/// Runs a search on the fixture of a case and compares its neighbor sets with those of the oracle. The build runs twice
/// over the same buffers, so that stale state is detected.
///
/// # Errors
/// When the search refuses the fixture or the device fails. A disagreement is a result, not an error.
pub fn compare(gpu: &Gpu, configuration: &SearchConfiguration, case: &Case) -> Result<Comparison, SearchError> {
    let fixture = case.fixture();
    let mut comparison = Comparison {
        neighbor_count: 0,
        ambiguous_count: case.reference().ambiguous_pair_count() as u64,
        fingerprint: 0,
        totals: PairTotals::default(),
        disagreement: None,
    };
    let count = fixture.positions.len() as u32;
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(f32::NAN).to_array()).collect();
    let positions = gpu.storage_with("fixture positions", &padded)?;
    drop(padded);
    let search = configuration.search.create(
        gpu,
        SearchInput {
            positions: &positions,
            particle_count: count,
            domain: fixture.domain,
            options: &configuration.options,
        },
    )?;
    let build = search.build_passes(gpu)?;
    // The second build must not depend on the state that the first one left.
    gpu.submit(|encoder| record(&build, encoder, None));
    gpu.submit(|encoder| record(&build, encoder, None));

    let original = match original_from_sorted(gpu, search.as_ref(), fixture)? {
        Ok(original) => original,
        Err(disagreement) => return Ok(Comparison { disagreement: Some(disagreement), ..comparison }),
    };
    case.refuse_crowds(gpu, search.as_ref())?;
    comparison.totals = count_totals(gpu, search.as_ref(), count)?;
    let list = NeighborList::unchecked(gpu, search.as_ref())?;
    let found = Found {
        fixture,
        reference: case.reference(),
        starts: read_buffer(gpu, &list.offsets, count as usize + 1)?,
        written: read_buffer(gpu, &list.written, count as usize)?,
        list: read_buffer(gpu, &list.neighbors, list.len() as usize)?,
        sums: Sums::new(gpu, search.as_ref(), original.iter().map(|&index| fixture.positions[index as usize]))?,
        checks_sums: vanishing::is_defined(&fixture.positions),
        original,
    };
    for judged in in_ranges(count as usize, |places| found.judge(places)) {
        comparison.neighbor_count += judged.neighbor_count;
        comparison.fingerprint = comparison.fingerprint.wrapping_add(judged.fingerprint);
        comparison.disagreement = comparison.disagreement.or(judged.disagreement);
    }
    if comparison.disagreement.is_none() && comparison.totals.neighbors != comparison.neighbor_count {
        comparison.disagreement = Some(Disagreement::Counters);
    }
    Ok(comparison)
}

/// What a search found on a fixture, in its sorted order, read back from the device.
struct Found<'a> {
    fixture: &'a Fixture,
    reference: &'a ReferenceNeighbors,
    /// Original index of each place; len = particle count.
    original: Vec<u32>,
    /// Index of the first neighbor of each place in `list`; len = particle count + 1.
    starts: Vec<u32>,
    /// Number of neighbors that were listed for each place; len = particle count.
    written: Vec<u32>,
    /// Neighbors as places of the sorted order.
    list: Vec<u32>,
    /// Sums of a kernel that vanishes at the radius.
    sums: Sums,
    /// Whether the sums are defined.
    checks_sums: bool,
}

/// The verdict on a range of places.
#[derive(Default)]
struct Judged {
    neighbor_count: u64,
    fingerprint: u64,
    disagreement: Option<Disagreement>,
}

impl Found<'_> {
    fn judge(&self, places: Range<usize>) -> Judged {
        let mut judged = Judged::default();
        let mut neighbors = Vec::new();
        for place in places {
            let index = self.original[place];
            neighbors.clear();
            // A faulty search may leave offsets behind that do not ascend.
            let range = self.starts[place] as usize..self.starts[place + 1] as usize;
            let listed = self.list.get(range).filter(|listed| listed.len() == self.written[place] as usize);
            let Some(listed) = listed else {
                judged.disagreement.get_or_insert(Disagreement::Unsteady(index));
                continue;
            };
            neighbors.extend(listed.iter().map(|&at| self.original.get(at as usize).copied().unwrap_or(u32::MAX)));
            neighbors.sort_unstable();
            judged.neighbor_count += neighbors.len() as u64;
            judged.fingerprint = judged.fingerprint.wrapping_add(fingerprint_of(index, &neighbors, self.reference));
            if judged.disagreement.is_none() {
                judged.disagreement =
                    disagreement_of(index, &neighbors, self.reference).or_else(|| self.wrong_sum(place, &neighbors));
            }
        }
        judged
    }

    /// The disagreement of a particle's sum with that over its neighbors, which were found to be right.
    fn wrong_sum(&self, place: usize, neighbors: &[u32]) -> Option<Disagreement> {
        let index = self.original[place];
        let radius = self.fixture.domain.support_radius;
        let is_wrong =
            |sums: &[f32]| vanishing::is_wrong((&self.fixture.positions, radius), index, neighbors, sums[place]);
        let Sums { whole, in_meters, divided } = &self.sums;
        let is_any_wrong = self.checks_sums && [whole, in_meters].into_iter().chain(divided).any(|sums| is_wrong(sums));
        is_any_wrong.then_some(Disagreement::Sum(index))
    }
}

fn original_from_sorted(
    gpu: &Gpu,
    search: &dyn NeighborSearch,
    fixture: &Fixture,
) -> Result<Result<Vec<u32>, Disagreement>, GpuError> {
    let count = fixture.positions.len();
    let sorted: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), count)?;
    let mut seen = vec![false; count];
    let mut original = Vec::with_capacity(count);
    for [x, y, z, w] in sorted {
        let index = w.to_bits();
        let Some(place) = seen.get_mut(index as usize).filter(|place| !**place) else {
            return Ok(Err(Disagreement::NotAPermutation));
        };
        *place = true;
        if !is_same(fixture.positions[index as usize], Vec3::new(x, y, z)) {
            return Ok(Err(Disagreement::WrongPosition(index)));
        }
        original.push(index);
    }
    Ok(Ok(original))
}

/// Whether two positions are equal, where NaN equals NaN.
fn is_same(one: Vec3, other: Vec3) -> bool {
    (one.cmpeq(other) | (one.is_nan_mask() & other.is_nan_mask())).all()
}

/// The totals of the counting traversal.
fn count_totals(gpu: &Gpu, search: &dyn NeighborSearch, count: u32) -> Result<PairTotals, SearchError> {
    let pair_counts = gpu.storage::<u32>("neighbors of each particle", count.into())?;
    let deposits = gpu.storage::<u32>("deposited counts", count.into())?;
    let buffers = [("pair_counts", &pair_counts), ("deposits", &deposits)];
    let counters = PairCounters::new(gpu, count)?;
    let counting = search.traversal_passes(gpu, count_kernel(&buffers), Some(Instrument::Count(&counters)))?;
    gpu.submit(|encoder| {
        counters.clear(encoder);
        record(&counting, encoder, None);
    });
    let totals: Vec<u32> = read_buffer(gpu, &counters.totals, 4)?;
    Ok(PairTotals::from_words([totals[0], totals[1], totals[2], totals[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_has_the_settings_of_its_paper() {
        for search in crate::search::SEARCHES {
            let published =
                SearchConfiguration::published(search).unwrap_or_else(|error| panic!("{}: {error}", search.name));
            for setting in search.published {
                let is_own = |option: &&&crate::search::SearchOption| published.options.written(option) == *setting;
                assert!(search.options.iter().any(|option| is_own(&option)), "{} has no {setting}", search.name);
            }
            assert!(SearchConfiguration::all_of(search).contains(&published), "{}", search.name);
        }
    }
}
