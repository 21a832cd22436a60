//! Work on the CPU that is divided among all cores: ranges of many elements, and hash maps of cells.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use glam::I64Vec3;

/// With fewer elements than this, starting threads takes longer than the work.
const FEWEST: usize = 4_096;
/// Ranges that each thread takes on average, so that threads with cheap ranges take over from others.
const RANGES_PER_THREAD: usize = 16;

fn thread_count(elements: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if elements < FEWEST { 1 } else { cores }
}

/// Divides `0..count` into ranges and returns what `work` makes of each, in their order. The ranges are worked on by
/// all cores.
pub(crate) fn in_ranges<T: Send>(count: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let threads = thread_count(count);
    if threads == 1 {
        return vec![work(0..count)];
    }
    let length = count.div_ceil(threads * RANGES_PER_THREAD);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let first = number * length;
            if first >= count {
                return done;
            }
            done.push((number, work(first..(first + length).min(count))));
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Values by cell. Each of several hash maps holds a share of the cells, so that each is filled by a thread of its own.
pub(super) struct CellMap<V> {
    shares: Vec<HashMap<I64Vec3, V>>,
    hasher: RandomState,
}

impl<V: Default + Send> CellMap<V> {
    /// Calls `add` with the value of its cell for each of `count` elements, in ascending order within a cell.
    pub fn fill(count: usize, cell_of: impl Fn(usize) -> I64Vec3 + Sync, add: impl Fn(&mut V, u32) + Sync) -> Self {
        let share_count = thread_count(count);
        let hasher = RandomState::new();
        let fill = |share: usize| {
            let mut cells: HashMap<I64Vec3, V> = HashMap::new();
            for element in 0..count {
                let cell = cell_of(element);
                if share_of(&hasher, cell, share_count) == share {
                    add(cells.entry(cell).or_default(), element as u32);
                }
            }
            cells
        };
        let fill = &fill;
        let shares = thread::scope(|scope| {
            let workers: Vec<_> = (0..share_count).map(|share| scope.spawn(move || fill(share))).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        Self { shares, hasher }
    }

    /// The value of a cell, if an element is in it.
    pub fn get(&self, cell: I64Vec3) -> Option<&V> {
        self.shares[share_of(&self.hasher, cell, self.shares.len())].get(&cell)
    }

    /// The values of a cell and of the 26 cells around it, where there are elements.
    pub fn around(&self, cell: I64Vec3) -> impl Iterator<Item = &V> {
        let offsets = (0..27).map(|n| I64Vec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
        offsets.filter_map(move |offset| self.get(cell.wrapping_add(offset)))
    }

    /// All cells with their values, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&I64Vec3, &V)> {
        self.shares.iter().flatten()
    }
}

fn share_of(hasher: &RandomState, cell: I64Vec3, shares: usize) -> usize {
    if shares == 1 { 0 } else { hasher.hash_one(cell) as usize % shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_in_one_range_and_results_are_in_order() {
        for count in [0, 1, FEWEST - 1, FEWEST, 3 * FEWEST + 1] {
            let ranges = in_ranges(count, |range| range);
            let elements: Vec<usize> = ranges.into_iter().flatten().collect();
            assert_eq!(elements, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_cell_holds_its_elements_in_order_in_whichever_share_it_is() {
        let count = 2 * FEWEST;
        let coordinate = |element: usize, cells: usize| (element % cells) as u32;
        let cell_of = |element: usize| {
            I64Vec3::new(i64::from(coordinate(element, 7)) - 3, i64::MAX - i64::from(coordinate(element, 2)), 0)
        };
        let map = CellMap::<Vec<u32>>::fill(count, cell_of, Vec::push);
        assert_eq!(map.iter().count(), 14);
        for (cell, elements) in map.iter() {
            assert!(elements.is_sorted() && elements.iter().all(|&element| cell_of(element as usize) == *cell));
        }
        assert_eq!(map.iter().map(|(_, elements)| elements.len()).sum::<usize>(), count);
        // The cells around the highest coordinate wrap, and do not overflow.
        let around: usize = map.around(I64Vec3::new(0, i64::MAX, 0)).map(Vec::len).sum();
        assert_eq!(around, (0..count).filter(|&element| cell_of(element).x.abs() <= 1).count());
        assert!(map.get(I64Vec3::splat(9)).is_none());
    }
}
