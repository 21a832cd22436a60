//! Holding a search against the oracle: its complete neighbor sets, both ways.

use std::fmt;

use glam::Vec3;

use super::fixtures::Fixture;
use super::list::{NeighborList, count_kernel};
use super::random::splitmix64;
use super::{
    NeighborSearch, PairCounters, PairTotals, ReferenceNeighbors, SearchError, SearchInfo, SearchInput, SearchOptions,
};
use crate::gpu::{Gpu, GpuError, read_buffer, record};

/// How a search is run in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Manner {
    /// Which search.
    pub search: &'static SearchInfo,
    /// Its settings.
    pub options: SearchOptions,
}

impl Manner {
    /// Every registered search as it is, and with each of its options changed to each other usual value.
    pub fn all() -> Vec<Self> {
        super::SEARCHES.iter().copied().flat_map(Self::all_of).collect()
    }

    /// As [`Manner::all`], of one search.
    pub fn all_of(search: &'static SearchInfo) -> Vec<Self> {
        let mut manners = vec![Self { search, options: SearchOptions::default() }];
        for option in search.options {
            let others = option.usual_values().into_iter().filter(|&value| !option.is_default(value));
            manners.extend(others.map(|value| Self { search, options: SearchOptions::default().with(option, value) }));
        }
        manners
    }
}

impl fmt::Display for Manner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.search.name)?;
        for option in self.search.options {
            let value = self.options.value(option);
            // An option that only one search has is named when it is not as usual; a shared one always.
            if !option.is_default(value) || option.name == super::CELL_EDGE.name {
                write!(formatter, ", {} {}", option.title.to_lowercase(), option.label(value))?;
            }
        }
        Ok(())
    }
}

/// What was wrong with one particle's neighbors: the first disagreement found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The build did not leave a permutation of the particles.
    NotAPermutation,
    /// A sorted position is not the position it claims to be.
    WrongPosition(u32),
    /// The counting and the listing pair kernel found different numbers for this particle.
    Unsteady(u32),
    /// The counters of the counting variant disagree with the pair kernel that counts.
    Counters,
    /// The first particle lacks the second.
    Missing(u32, u32),
    /// The first particle has the second, which is farther than the radius, or itself.
    Extra(u32, u32),
    /// The first particle has the second twice.
    Twice(u32, u32),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPermutation => write!(formatter, "the sorted order is no permutation of the particles"),
            Self::WrongPosition(i) => write!(formatter, "the sorted position of particle {i} is not its position"),
            Self::Unsteady(i) => write!(formatter, "particle {i} has another number of neighbors when asked again"),
            Self::Counters => write!(formatter, "the traversal's own counters disagree with the counted pairs"),
            Self::Missing(i, j) => write!(formatter, "particle {i} lacks its neighbor {j}"),
            Self::Extra(i, j) => write!(formatter, "particle {i} was given {j}, which is no neighbor"),
            Self::Twice(i, j) => write!(formatter, "particle {i} was given its neighbor {j} twice"),
        }
    }
}

/// Outcome of one search on one fixture.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Neighbors found, each direction counted.
    pub neighbor_count: u64,
    /// Pairs left out as too near to the radius to call, each direction counted.
    pub ambiguous_count: u64,
    /// What the neighbor sets come to as one number, whatever their order: equal for all searches that are right.
    pub fingerprint: u64,
    /// What was counted on the way.
    pub totals: PairTotals,
    /// The first disagreement, if any.
    pub disagreement: Option<Disagreement>,
}

/// Runs a search on a fixture, the whole of it twice over the same buffers so that stale state shows, and compares
/// its neighbor sets with the oracle's.
///
/// # Errors
/// When the search refuses the fixture or the device fails. A disagreement is a result, not an error.
pub fn compare(
    gpu: &Gpu,
    manner: &Manner,
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
    let outcome = found_neighbors(gpu, manner, fixture)?;
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

/// Every particle's neighbors as the search finds them, by original index and sorted, with the totals counted.
fn found_neighbors(gpu: &Gpu, manner: &Manner, fixture: &Fixture) -> Result<Found, SearchError> {
    let count = fixture.positions.len() as u32;
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(f32::NAN).to_array()).collect();
    let positions = gpu.storage_with("fixture positions", &padded)?;
    let search = (manner.search.create)(
        gpu,
        SearchInput { positions: &positions, particle_count: count, domain: fixture.domain, options: &manner.options },
    )?;
    let build = search.build_passes(gpu)?;
    // Once for the state it leaves, once for the result.
    gpu.submit(|encoder| record(&build, encoder, None));
    gpu.submit(|encoder| record(&build, encoder, None));

    let original = match original_from_sorted(gpu, search.as_ref(), fixture)? {
        Ok(original) => original,
        Err(disagreement) => return Ok(Err(disagreement)),
    };
    let totals = count_totals(gpu, search.as_ref(), count)?;
    let neighbor_list = NeighborList::new(gpu, search.as_ref(), count)?;
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
        if fixture.positions[index as usize] != Vec3::new(x, y, z) {
            return Ok(Err(Disagreement::WrongPosition(index)));
        }
        original.push(index);
    }
    Ok(Ok(original))
}

/// The totals of the counting variant.
fn count_totals(gpu: &Gpu, search: &dyn NeighborSearch, count: u32) -> Result<PairTotals, SearchError> {
    let pair_counts = gpu.storage::<u32>("neighbors of each particle", count.into())?;
    let deposits = gpu.storage::<u32>("deposited counts", count.into())?;
    let buffers = [("pair_counts", &pair_counts), ("deposits", &deposits)];
    let counters = PairCounters::new(gpu, count)?;
    let counting = search.traversal_passes(gpu, count_kernel(&buffers), Some(&counters))?;
    gpu.submit(|encoder| {
        counters.clear(encoder);
        record(&counting, encoder, None);
    });
    let totals: Vec<u32> = read_buffer(gpu, &counters.totals, 4)?;
    Ok(PairTotals::from_words([totals[0], totals[1], totals[2], totals[3]]))
}

/// A number that depends on which pairs there are and not on their order. Pairs too near to the radius to call are left
/// out, so that searches that round them differently agree.
fn fingerprint(lists: &[Vec<u32>], reference: &ReferenceNeighbors) -> u64 {
    let of_pair = |(index, other): (u32, u32)| splitmix64(u64::from(index) << 32 | u64::from(other));
    let pairs = (0..).zip(lists).flat_map(|(index, list)| list.iter().map(move |&other| (index, other)));
    let certain = pairs.filter(|(index, other)| reference.ambiguous[*index as usize].binary_search(other).is_err());
    certain.map(of_pair).fold(0, u64::wrapping_add)
}

/// The first particle whose sorted list is not the certain set plus some of the ambiguous one.
fn first_disagreement(lists: &[Vec<u32>], reference: &ReferenceNeighbors) -> Option<Disagreement> {
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
    fn a_fingerprint_tells_sets_apart_and_leaves_out_what_is_ambiguous() {
        let reference =
            ReferenceNeighbors { certain: vec![vec![1], vec![0], vec![]], ambiguous: vec![vec![2], vec![], vec![0]] };
        let of = |first: &[u32], second: &[u32]| fingerprint(&[first.to_vec(), second.to_vec(), vec![]], &reference);
        assert_eq!(of(&[1], &[0]), of(&[1, 2], &[0]));
        assert_ne!(of(&[1], &[0]), of(&[1], &[]));
        assert_ne!(of(&[1], &[]), of(&[], &[0]), "a pair has two directions");
        assert_ne!(of(&[1], &[0]), of(&[1, 1], &[0]));
    }

    #[test]
    fn every_kind_of_wrong_list_is_told_apart() {
        let reference =
            ReferenceNeighbors { certain: vec![vec![1], vec![0], vec![]], ambiguous: vec![vec![2], vec![], vec![0]] };
        let verdict = |first: &[u32]| first_disagreement(&[first.to_vec(), vec![0], vec![]], &reference);
        assert_eq!(verdict(&[1]), None);
        assert_eq!(verdict(&[1, 2]), None, "an ambiguous pair may be there or not");
        assert_eq!(verdict(&[]), Some(Disagreement::Missing(0, 1)));
        assert_eq!(verdict(&[0, 1]), Some(Disagreement::Extra(0, 0)));
        assert_eq!(verdict(&[1, 1]), Some(Disagreement::Twice(0, 1)));
    }
}
