//! The comparison of a search with the oracle: the complete neighbor sets, for missing and for extra neighbors.

use std::fmt;

use glam::Vec3;

use super::fixtures::Fixture;
use super::guards::refuse_crowds;
use super::list::{NeighborList, count_kernel};
use super::random::splitmix64;
use super::{
    Instrument, NeighborSearch, PairCounters, PairTotals, ReferenceNeighbors, SearchError, SearchInfo, SearchInput,
    SearchOptions, vanishing,
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
        for option in self.search.options {
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

/// The first disagreement between a search and the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The sorted order is not a permutation of the particles.
    NotAPermutation,
    /// The sorted position of the particle differs from its position.
    WrongPosition(u32),
    /// The counting and the listing pair kernel found different numbers of neighbors for the particle.
    Unsteady(u32),
    /// The counters of the counting traversal disagree with the counting pair kernel.
    Counters,
    /// The particle's sum of a pair kernel that vanishes at the radius differs from that over its neighbors.
    Sum(u32),
    /// The first particle lacks the second as a neighbor.
    Missing(u32, u32),
    /// The first particle has the second as a neighbor, which is farther than the radius or is the particle itself.
    Extra(u32, u32),
    /// The first particle has the second as a neighbor twice.
    Twice(u32, u32),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPermutation => write!(formatter, "the sorted order is not a permutation of the particles"),
            Self::WrongPosition(i) => write!(formatter, "the sorted position of particle {i} is wrong"),
            Self::Unsteady(i) => {
                write!(formatter, "particle {i} has different numbers of counted and listed neighbors")
            }
            Self::Counters => write!(formatter, "the counters of the traversal disagree with the counted pairs"),
            Self::Sum(i) => write!(formatter, "particle {i} has a wrong sum of a kernel that vanishes at the radius"),
            Self::Missing(i, j) => write!(formatter, "particle {i} lacks its neighbor {j}"),
            Self::Extra(i, j) => write!(formatter, "particle {i} wrongly has {j} as a neighbor"),
            Self::Twice(i, j) => write!(formatter, "particle {i} has its neighbor {j} twice"),
        }
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

/// Runs a search on a fixture and compares its neighbor sets with those of the oracle. The build runs twice over the
/// same buffers, so that stale state is detected.
///
/// # Errors
/// When the search refuses the fixture or the device fails. A disagreement is a result, not an error.
pub fn compare(
    gpu: &Gpu,
    configuration: &SearchConfiguration,
    fixture: &Fixture,
    reference: &ReferenceNeighbors,
) -> Result<Comparison, SearchError> {
    let mut comparison = Comparison {
        neighbor_count: 0,
        ambiguous_count: reference.ambiguous_pair_count() as u64,
        fingerprint: 0,
        totals: PairTotals::default(),
        disagreement: None,
    };
    let outcome = found_neighbors(gpu, configuration, fixture)?;
    match outcome {
        Err(disagreement) => comparison.disagreement = Some(disagreement),
        Ok((lists, totals)) => {
            comparison.neighbor_count = lists.iter().map(|list| list.len() as u64).sum();
            comparison.totals = totals;
            comparison.fingerprint = fingerprint(&lists, reference);
            comparison.disagreement = first_disagreement(&lists, reference);
            if comparison.disagreement.is_none() && totals.neighbors != comparison.neighbor_count {
                comparison.disagreement = Some(Disagreement::Counters);
            }
        }
    }
    Ok(comparison)
}

type Found = Result<(Vec<Vec<u32>>, PairTotals), Disagreement>;

/// The neighbors of every particle as the search finds them, as sorted original indices, and the counted totals.
fn found_neighbors(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture) -> Result<Found, SearchError> {
    let count = fixture.positions.len() as u32;
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(f32::NAN).to_array()).collect();
    let positions = gpu.storage_with("fixture positions", &padded)?;
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
        Err(disagreement) => return Ok(Err(disagreement)),
    };
    refuse_crowds(gpu, search.as_ref())?;
    let totals = count_totals(gpu, search.as_ref(), count)?;
    let neighbor_list = NeighborList::unchecked(gpu, search.as_ref())?;
    let starts: Vec<u32> = read_buffer(gpu, &neighbor_list.offsets, count as usize + 1)?;
    let written: Vec<u32> = read_buffer(gpu, &neighbor_list.written, count as usize)?;
    let list: Vec<u32> = read_buffer(gpu, &neighbor_list.neighbors, neighbor_list.len() as usize)?;
    if let Some(sorted) = (0..count as usize).find(|&i| starts[i + 1] - starts[i] != written[i]) {
        return Ok(Err(Disagreement::Unsteady(original[sorted])));
    }
    let mut lists = vec![Vec::new(); count as usize];
    for sorted in 0..count as usize {
        let found = &list[starts[sorted] as usize..starts[sorted + 1] as usize];
        let mut neighbors: Vec<u32> =
            found.iter().map(|&place| original.get(place as usize).copied().unwrap_or(u32::MAX)).collect();
        neighbors.sort_unstable();
        lists[original[sorted] as usize] = neighbors;
    }
    let sums = vanishing::sums(gpu, search.as_ref())?;
    let radius = fixture.domain.support_radius;
    if let Some(index) = vanishing::first_wrong(&fixture.positions, radius, &lists, &original, &sums) {
        return Ok(Err(Disagreement::Sum(index)));
    }
    Ok(Ok((lists, totals)))
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

/// A hash of the set of pairs that does not depend on their order. Ambiguous pairs are excluded, so that searches that
/// round them differently agree.
fn fingerprint(lists: &[Vec<u32>], reference: &ReferenceNeighbors) -> u64 {
    let of_pair = |(index, other): (u32, u32)| splitmix64(u64::from(index) << 32 | u64::from(other));
    let pairs = (0..).zip(lists).flat_map(|(index, list)| list.iter().map(move |&other| (index, other)));
    let certain = pairs.filter(|(index, other)| reference.ambiguous[*index as usize].binary_search(other).is_err());
    certain.map(of_pair).fold(0, u64::wrapping_add)
}

/// The first disagreement between the sorted lists and the reference. A list must contain all certain neighbors, may
/// contain ambiguous ones, and nothing else.
pub(crate) fn first_disagreement(lists: &[Vec<u32>], reference: &ReferenceNeighbors) -> Option<Disagreement> {
    for (index, list) in (0..).zip(lists) {
        let certain = &reference.certain[index as usize];
        let ambiguous = &reference.ambiguous[index as usize];
        if let Some(pair) = list.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(Disagreement::Twice(index, pair[0]));
        }
        if let Some(&missing) = certain.iter().find(|&other| list.binary_search(other).is_err()) {
            return Some(Disagreement::Missing(index, missing));
        }
        let belongs = |other: &u32| certain.binary_search(other).is_ok() || ambiguous.binary_search(other).is_ok();
        if let Some(&extra) = list.iter().find(|&other| !belongs(other)) {
            return Some(Disagreement::Extra(index, extra));
        }
    }
    None
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

    #[test]
    fn a_fingerprint_distinguishes_sets_and_excludes_ambiguous_pairs() {
        let reference =
            ReferenceNeighbors { certain: vec![vec![1], vec![0], vec![]], ambiguous: vec![vec![2], vec![], vec![0]] };
        let of = |first: &[u32], second: &[u32]| fingerprint(&[first.to_vec(), second.to_vec(), vec![]], &reference);
        assert_eq!(of(&[1], &[0]), of(&[1, 2], &[0]));
        assert_ne!(of(&[1], &[0]), of(&[1], &[]));
        assert_ne!(of(&[1], &[]), of(&[], &[0]), "a pair has two directions");
        assert_ne!(of(&[1], &[0]), of(&[1, 1], &[0]));
    }

    #[test]
    fn every_kind_of_wrong_list_is_distinguished() {
        let reference =
            ReferenceNeighbors { certain: vec![vec![1], vec![0], vec![]], ambiguous: vec![vec![2], vec![], vec![0]] };
        let verdict = |first: &[u32]| first_disagreement(&[first.to_vec(), vec![0], vec![]], &reference);
        assert_eq!(verdict(&[1]), None);
        assert_eq!(verdict(&[1, 2]), None, "an ambiguous pair may be present or absent");
        assert_eq!(verdict(&[]), Some(Disagreement::Missing(0, 1)));
        assert_eq!(verdict(&[0, 1]), Some(Disagreement::Extra(0, 0)));
        assert_eq!(verdict(&[1, 1]), Some(Disagreement::Twice(0, 1)));
    }
}
