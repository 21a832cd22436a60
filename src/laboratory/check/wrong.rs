//! Classifies the pairs of a list as right, missing, extra or double.

use glam::Vec3;

use crate::search::random::splitmix64;
use crate::search::{AMBIGUOUS_FRACTION, ListedNeighbors};

/// Largest number of wrong pairs of one kind that are kept; further pairs are only counted.
pub const MOST_KEPT: usize = 100_000;
/// Number of right pairs that are kept for comparison with the wrong ones.
const RIGHT_KEPT: usize = 20_000;

/// A pair on which the list and the search disagree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongPair {
    /// Index of the particle.
    pub first: u32,
    /// Index of its neighbor.
    pub second: u32,
    /// Distance between the two, m.
    pub distance: f64,
    /// Their distance minus the support radius, m.
    pub beyond_radius: f64,
}

/// Wrong pairs of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrongPairs {
    /// Number of pairs.
    pub count: u64,
    /// The pairs, sorted by index; of more than [`MOST_KEPT`] pairs, a uniform sample of that size.
    pub pairs: Vec<WrongPair>,
}

/// A uniform sample of a stream of items (reservoir sampling).
struct Sample<T> {
    most: usize,
    count: u64,
    kept: Vec<T>,
}

impl<T> Sample<T> {
    fn new(most: usize) -> Self {
        Self { most, count: 0, kept: Vec::new() }
    }

    fn take(&mut self, item: T) {
        self.count += 1;
        if self.kept.len() < self.most {
            self.kept.push(item);
        } else {
            let place = splitmix64(self.count) % self.count;
            if let Some(kept) = self.kept.get_mut(place as usize) {
                *kept = item;
            }
        }
    }
}

impl Sample<WrongPair> {
    fn sorted(mut self) -> WrongPairs {
        self.kept.sort_unstable_by_key(|pair| (pair.first, pair.second));
        WrongPairs { count: self.count, pairs: self.kept }
    }
}

/// The result of comparing a list with that of the search.
pub(super) struct Sorting {
    pub missing: WrongPairs,
    pub extra: WrongPairs,
    pub double: WrongPairs,
    /// Pairs missing from the list whose distance is too close to the radius for a decision.
    pub undecided_missing: u64,
    /// Pairs only in the list whose distance is too close to the radius for a decision.
    pub undecided_extra: u64,
    /// Number of pairs that both lists contain.
    pub right_count: u64,
    /// A sample of those pairs that are listed once.
    pub right: Vec<WrongPair>,
    /// The largest distance of a pair that both lists contain, m.
    pub farthest_right: f64,
}

/// The pairs of the list as rows, one per particle, with sorted neighbors including repetitions. Pairs of a particle
/// with itself are returned separately. With `once`, a pair is in the row of its smaller index, whichever way it was
/// written.
pub(super) fn rows_of(pairs: &[[u32; 2]], particle_count: u32, once: bool) -> (ListedNeighbors, Vec<u32>) {
    let normal = |&[first, second]: &[u32; 2]| {
        if once { [first.min(second), first.max(second)] } else { [first, second] }
    };
    let mut offsets = vec![0; particle_count as usize + 1];
    let mut with_themselves = Vec::new();
    for [first, second] in pairs.iter().map(normal) {
        if first == second {
            with_themselves.push(first);
        } else {
            offsets[first as usize + 1] += 1;
        }
    }
    for row in 0..particle_count as usize {
        offsets[row + 1] += offsets[row];
    }
    let mut next = offsets.clone();
    let mut indices = vec![0; offsets[particle_count as usize]];
    for [first, second] in pairs.iter().map(normal).filter(|[first, second]| first != second) {
        let place = &mut next[first as usize];
        indices[*place] = second;
        *place += 1;
    }
    for row in offsets.windows(2) {
        indices[row[0]..row[1]].sort_unstable();
    }
    with_themselves.sort_unstable();
    (ListedNeighbors { offsets, indices }, with_themselves)
}

/// Whether the list is not empty and contains no pair in both directions.
pub(super) fn holds_each_pair_once(mine: &ListedNeighbors) -> bool {
    let rows = 0..mine.offsets.len() - 1;
    let has_reverse = |row: usize| {
        mine.of(row)
            .iter()
            .any(|&other| other as usize > row && mine.of(other as usize).binary_search(&(row as u32)).is_ok())
    };
    !mine.indices.is_empty() && !rows.into_iter().any(has_reverse)
}

/// Compares `mine` with `truth`, which contains every pair in both directions.
pub(super) fn sort(
    points: &[Vec3],
    radius: f32,
    mine: &ListedNeighbors,
    truth: &ListedNeighbors,
    once: bool,
) -> Sorting {
    let radius = f64::from(radius);
    let mut samples = [(); 3].map(|()| Sample::new(MOST_KEPT));
    let [missing, extra, double] = &mut samples;
    let mut right = Sample::new(RIGHT_KEPT);
    let (mut undecided_missing, mut undecided_extra, mut right_count, mut farthest_right) = (0, 0, 0, 0.0_f64);
    for row in 0..points.len() {
        let pair = |second: u32| {
            let distance = points[row].as_dvec3().distance(points[second as usize].as_dvec3());
            WrongPair { first: row as u32, second, distance, beyond_radius: distance - radius }
        };
        let is_undecided = |pair: &WrongPair| pair.beyond_radius.abs() <= AMBIGUOUS_FRACTION * radius;
        let take = |sample: &mut Sample<WrongPair>, undecided: &mut u64, second| {
            let pair = pair(second);
            if is_undecided(&pair) { *undecided += 1 } else { sample.take(pair) }
        };
        let mut expected = truth.of(row).iter().copied().filter(|&other| !once || other as usize > row).peekable();
        for listed in mine.of(row).chunk_by(|a, b| a == b) {
            let second = listed[0];
            while let Some(other) = expected.next_if(|&other| other < second) {
                take(missing, &mut undecided_missing, other);
            }
            (1..listed.len()).for_each(|_| double.take(pair(second)));
            if expected.next_if_eq(&second).is_some() {
                right_count += 1;
                let pair = pair(second);
                farthest_right = farthest_right.max(pair.distance);
                if listed.len() == 1 {
                    right.take(pair);
                }
            } else {
                take(extra, &mut undecided_extra, second);
            }
        }
        expected.for_each(|other| take(missing, &mut undecided_missing, other));
    }
    let [missing, extra, double] = samples.map(Sample::sorted);
    let right = right.kept;
    Sorting { missing, extra, double, undecided_missing, undecided_extra, right_count, right, farthest_right }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_pairs_in_either_direction_and_repetitions() {
        let pairs = [[2, 0], [1, 1], [0, 2], [2, 1], [2, 1]];
        let (rows, with_themselves) = rows_of(&pairs, 3, false);
        assert_eq!((rows.of(0), rows.of(1), rows.of(2)), ([2].as_slice(), [].as_slice(), [0, 1, 1].as_slice()));
        assert_eq!(with_themselves, [1]);
        assert!(!holds_each_pair_once(&rows));
        let (rows, _) = rows_of(&pairs, 3, true);
        assert_eq!((rows.of(0), rows.of(1), rows.of(2)), ([2, 2].as_slice(), [2, 2].as_slice(), [].as_slice()));
        assert!(holds_each_pair_once(&rows));
        assert!(!holds_each_pair_once(&rows_of(&[], 3, false).0));
    }

    #[test]
    fn a_long_stream_gives_a_uniform_sample_and_the_full_count() {
        let mut sample = Sample::new(1_000);
        (0..100_000_u32).for_each(|number| sample.take(number));
        assert_eq!((sample.count, sample.kept.len()), (100_000, 1_000));
        let below = sample.kept.iter().filter(|&&number| number < 50_000).count();
        assert!((400..600).contains(&below), "{below} of 1000 from the first half");
    }
}
