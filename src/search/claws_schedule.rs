//! The schedule of CLAWS (Groß, Köster, Krüger 2020, section 3.4): read back from the device for one coarse cell, and
//! the same algorithm on the CPU.

use std::any::Any;
use std::ops::Range;

use glam::{IVec3, UVec3};

use super::claws::Claws;
use super::listed::without_list;
use super::{NeighborSearch, SearchError};
use crate::gpu::{Gpu, gpu_struct, read_buffer, record};

/// The distribution of a workgroup's subgroups over the ranges of particles around a coarse cell. A group of subgroups
/// serves each range that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Number of subgroups of the workgroup.
    pub subgroup_count: u32,
    /// Number of particles in each range around the cell.
    pub loads: Vec<u32>,
    /// Range of each group, ascending; len = number of groups.
    pub target_map: Vec<u32>,
    /// First subgroup of each group, and one past the last subgroup of the last group; empty without groups.
    pub warp_starts: Vec<u32>,
    /// Group of each subgroup, the first group if it serves several; len = `subgroup_count`.
    pub warp_map: Vec<u32>,
}

impl Schedule {
    /// Distributes `subgroup_count` subgroups over ranges with the given numbers of particles, as Algorithm 2 of the
    /// paper does lane by lane. With more ranges than subgroups, each group is one subgroup, and a subgroup serves
    /// several groups one after the other.
    pub fn new(loads: &[u32], subgroup_count: u32) -> Self {
        let largest = loads.iter().copied().max().unwrap_or(0);
        let shift = largest.max(1).ilog2().max(15) - 15;
        let scaled = |load: u32| if load == 0 { 0 } else { (load >> shift).max(1) };
        let total: u32 = loads.iter().map(|&load| scaled(load)).sum();
        let target_map: Vec<u32> = (0..).zip(loads).filter(|(_, load)| **load > 0).map(|(range, _)| range).collect();
        let mut shares: Vec<u32> =
            target_map.iter().map(|&range| (scaled(loads[range as usize]) * subgroup_count).div_ceil(total)).collect();
        if shares.len() as u32 > subgroup_count {
            shares.fill(1);
        } else {
            let mut excess = shares.iter().sum::<u32>().saturating_sub(subgroup_count);
            while excess > 0 {
                for share in &mut shares {
                    if *share > 1 && excess > 0 {
                        *share -= 1;
                        excess -= 1;
                    }
                }
            }
        }
        let mut warp_starts = Vec::new();
        if !shares.is_empty() {
            warp_starts.push(0);
            warp_starts.extend(shares.iter().scan(0, |end, share| {
                *end += share;
                Some(*end)
            }));
        }
        let groups = (0..).zip(&shares).flat_map(|(group, &share)| std::iter::repeat_n(group, share as usize));
        let mut warp_map: Vec<u32> = groups.take(subgroup_count as usize).collect();
        if warp_map.is_empty() {
            warp_map = (0..subgroup_count).collect();
        }
        Self { subgroup_count, loads: loads.to_vec(), target_map, warp_starts, warp_map }
    }

    /// The range of each group with the subgroups that serve it.
    pub fn groups(&self) -> impl Iterator<Item = (u32, Range<u32>)> {
        let count = self.subgroup_count;
        let starts = self.warp_starts.windows(2);
        self.target_map.iter().zip(starts).map(move |(&range, starts)| {
            let first = starts[0] % count;
            (range, first..first + (starts[1] - starts[0]))
        })
    }

    /// Reads the output of `write_schedule` for `range_count` ranges.
    fn from_words(words: &[u32], range_count: usize) -> Self {
        let [subgroup_count, group_count] = [words[0], words[1]];
        let lists = Lists::new(range_count);
        let list = |start: usize, count: u32| words[start..start + count as usize].to_vec();
        Self {
            subgroup_count,
            loads: list(lists.loads, range_count as u32),
            target_map: list(lists.target_map, group_count),
            warp_starts: list(lists.warp_starts, if group_count == 0 { 0 } else { group_count + 1 }),
            warp_map: list(lists.warp_map, subgroup_count),
        }
    }
}

/// The schedule of one coarse cell, with the positions of its ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSchedule {
    /// The coarse cell.
    pub cell: UVec3,
    /// The cell of each range, or the middle one of its three cells, relative to `cell`.
    pub offsets: Vec<IVec3>,
    /// Whether a range is a row of three cells along x.
    pub rows: bool,
    /// The subgroups that serve the ranges.
    pub schedule: Schedule,
}

/// Reads the schedule that the search's traversal computes for a coarse cell, after its build passes have run. With a
/// halo or without the setting *Schedule*, the traversal does not use it. Returns `None` if the search is not CLAWS.
/// Waits for the device.
///
/// # Errors
/// When the cell does not exist, the shader does not compile or the device fails.
pub fn schedule_of_cell(
    gpu: &Gpu,
    search: &dyn NeighborSearch,
    cell: UVec3,
) -> Result<Option<CellSchedule>, SearchError> {
    let Some(claws) = (without_list(search) as &dyn Any).downcast_ref::<Claws>() else { return Ok(None) };
    let counts = claws.cell_counts();
    if cell.cmpge(counts).any() {
        return Err(SearchError::NoCell { cell, counts });
    }
    let index = (cell.z * counts.y + cell.y) * counts.x + cell.x;
    let request = gpu.uniform("schedule request", &ScheduleRequest { cell: index });
    let range_count = claws.range_count() as usize;
    let lists = Lists::new(range_count);
    let word_count = lists.warp_map + claws.subgroup_capacity(gpu) as usize;
    let words = gpu.storage::<u32>("schedule", word_count as u64)?;
    let pass = claws.schedule_pass(gpu, &request, &words)?;
    gpu.submit(|encoder| record([&pass], encoder, None));
    let words: Vec<u32> = read_buffer(gpu, &words, word_count)?;
    let offsets = words[lists.offsets..lists.loads].chunks_exact(3);
    Ok(Some(CellSchedule {
        cell,
        offsets: offsets.map(|offset| IVec3::from_array([0, 1, 2].map(|axis| offset[axis].cast_signed()))).collect(),
        rows: claws.has_rows(),
        schedule: Schedule::from_words(&words, range_count),
    }))
}

/// The first word of each list in the output of `write_schedule`.
struct Lists {
    offsets: usize,
    loads: usize,
    target_map: usize,
    warp_starts: usize,
    warp_map: usize,
}

impl Lists {
    fn new(range_count: usize) -> Self {
        let offsets = 2;
        let loads = offsets + 3 * range_count;
        let target_map = loads + range_count;
        let warp_starts = target_map + range_count;
        Self { offsets, loads, target_map, warp_starts, warp_map: warp_starts + range_count + 1 }
    }
}

gpu_struct! {
    /// The requested schedule.
    pub struct ScheduleRequest {
        /// Index of the coarse cell.
        pub cell: u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::uniform;

    fn check(loads: &[u32], subgroup_count: u32) -> Schedule {
        let schedule = Schedule::new(loads, subgroup_count);
        let used: Vec<u32> = (0..).zip(loads).filter(|(_, load)| **load > 0).map(|(range, _)| range).collect();
        let shares: Vec<u32> = schedule.groups().map(|(_, subgroups)| subgroups.len() as u32).collect();
        assert_eq!(schedule.target_map, used, "{loads:?}");
        assert!(shares.iter().all(|&share| share > 0), "{loads:?}: {schedule:?}");
        assert_eq!(schedule.warp_map.len(), subgroup_count as usize);
        if !used.is_empty() && used.len() as u32 <= subgroup_count {
            assert_eq!(shares.iter().sum::<u32>(), subgroup_count, "{loads:?}: {schedule:?}");
            for ((range, subgroups), group) in schedule.groups().zip(0..) {
                for subgroup in subgroups {
                    assert_eq!(schedule.warp_map[subgroup as usize], group, "range {range} of {loads:?}");
                }
            }
        }
        schedule
    }

    fn shares(schedule: &Schedule) -> Vec<u32> {
        schedule.groups().map(|(_, subgroups)| subgroups.len() as u32).collect()
    }

    #[test]
    fn a_schedule_matches_the_figure_of_the_paper() {
        // Figure 6: eight subgroups, work in ranges 0, 1, 3 and 4, and three subgroups for the first.
        let schedule = check(&[30, 20, 0, 10, 20, 0, 0, 0], 8);
        assert_eq!(schedule.target_map, [0, 1, 3, 4]);
        assert_eq!(schedule.warp_starts, [0, 3, 5, 6, 8]);
        assert_eq!(schedule.warp_map, [0, 0, 0, 1, 1, 2, 3, 3]);
    }

    #[test]
    fn every_range_with_particles_is_served_and_the_groups_fill_the_workgroup() {
        let most = [1_u32, 3, 100, 5_000, 1 << 20, u32::MAX / 27];
        for seed in 0..400 {
            let number = |index: u64| uniform(seed, index);
            let load =
                |index: u64| (number(index) * number(index + 99) * most[seed as usize % most.len()] as f32) as u32;
            let loads: Vec<u32> = (0..if seed % 2 == 0 { 9 } else { 27 }).map(load).collect();
            for subgroup_count in [1, 2, 4, 8, 16, 32, 64, 128] {
                check(&loads, subgroup_count);
            }
        }
    }

    #[test]
    fn shares_are_proportional_to_loads() {
        assert_eq!(shares(&check(&[800, 100, 100], 10)), [8, 1, 1]);
        assert_eq!(shares(&check(&[1, 1, 1, 1], 32)), [8, 8, 8, 8]);
        for seed in 0..200 {
            let loads: Vec<u32> = (0..9).map(|index| 1_000 + (uniform(seed, index) * 4_000.0) as u32).collect();
            let total: u32 = loads.iter().sum();
            for (&load, share) in loads.iter().zip(shares(&check(&loads, 32))) {
                let exact = f64::from(load) * 32.0 / f64::from(total);
                // A share is rounded up, and at most one subgroup is taken back, because no share is so small that it
                // is skipped.
                assert!((f64::from(share) - exact).abs() <= 1.0, "{share} subgroups for {exact} of {loads:?}");
            }
        }
    }

    #[test]
    fn a_cell_without_particles_around_it_has_no_groups() {
        let schedule = check(&[0; 9], 16);
        assert_eq!(schedule.groups().count(), 0);
        assert!(schedule.warp_starts.is_empty());
    }

    #[test]
    fn with_more_ranges_than_subgroups_the_subgroups_serve_several() {
        let schedule = check(&[5; 9], 4);
        let served: Vec<_> = schedule.groups().map(|(_, subgroups)| subgroups).collect();
        assert_eq!(served, [0..1, 1..2, 2..3, 3..4, 0..1, 1..2, 2..3, 3..4, 0..1]);
    }
}
