//! How the neighbors that a search found can differ from those of the oracle.

use std::fmt;

use crate::search::ReferenceNeighbors;
use crate::search::random::splitmix64;

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

/// The first disagreement between the sorted lists and the reference. A list must contain all certain neighbors, may
/// contain ambiguous ones, and nothing else.
pub fn first_disagreement(lists: &[Vec<u32>], reference: &ReferenceNeighbors) -> Option<Disagreement> {
    (0..).zip(lists).find_map(|(index, list)| disagreement_of(index, list, reference))
}

/// The disagreement between the sorted list of one particle and the reference.
pub(super) fn disagreement_of(index: u32, list: &[u32], reference: &ReferenceNeighbors) -> Option<Disagreement> {
    let certain = &reference.certain[index as usize];
    let ambiguous = &reference.ambiguous[index as usize];
    if let Some(pair) = list.windows(2).find(|pair| pair[0] == pair[1]) {
        return Some(Disagreement::Twice(index, pair[0]));
    }
    if let Some(&missing) = certain.iter().find(|&other| list.binary_search(other).is_err()) {
        return Some(Disagreement::Missing(index, missing));
    }
    let belongs = |other: &u32| certain.binary_search(other).is_ok() || ambiguous.binary_search(other).is_ok();
    list.iter().find(|&other| !belongs(other)).map(|&extra| Disagreement::Extra(index, extra))
}

/// The contribution of one particle's sorted list to the hash of a set of pairs; contributions are added. Ambiguous
/// pairs are excluded, so that searches that round them differently agree.
pub(super) fn fingerprint_of(index: u32, list: &[u32], reference: &ReferenceNeighbors) -> u64 {
    let ambiguous = &reference.ambiguous[index as usize];
    let certain = list.iter().filter(|other| ambiguous.binary_search(other).is_err());
    certain.map(|&other| splitmix64(u64::from(index) << 32 | u64::from(other))).fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_distinguishes_sets_and_excludes_ambiguous_pairs() {
        let reference =
            ReferenceNeighbors { certain: vec![vec![1], vec![0], vec![]], ambiguous: vec![vec![2], vec![], vec![0]] };
        let of = |first: &[u32], second: &[u32]| {
            fingerprint_of(0, first, &reference).wrapping_add(fingerprint_of(1, second, &reference))
        };
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
