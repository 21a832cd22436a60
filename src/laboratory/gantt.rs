//! A Gantt chart of the subgroups of a workgroup, computed from the recording of one chunk of a coarse cell.
//!
//! WGSL has no clock, so time is counted in *rounds*: a position that each lane of a subgroup reads is a round, and so
//! is a candidate that each lane tests. Lanes of a subgroup take the same turns; a turn lasts as many rounds as its
//! busiest lane needs. The workgroup waits for itself at a barrier after reading visitors and after serving them, so
//! that each such section lasts as long as its busiest subgroup. Where a subgroup serves the visitors that it has read
//! before it reads the next, there is no barrier between the two, and one section holds both.

use std::collections::{BTreeMap, HashMap};

use crate::search::ChunkRecord;

/// The kind of work that a bar represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// Reading positions of visitors, to check whether they are within the support radius of the chunk.
    Reading,
    /// Searching the chunk for neighbors of these particles: 0 the chunk's own, 1 the rest of its coarse cell, 2 border
    /// particles of the surrounding cells.
    Serving(u32),
}

/// What one lane did in a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Lane of the subgroup.
    pub lane: u32,
    /// Rounds in which it worked; for the rest of the bar it waited.
    pub rounds: u32,
    /// Index in the sorted order of the particle that it served.
    pub place: u32,
    /// Range of memory that the particle was read from; `None` for particles of the chunk itself.
    pub source: Option<u32>,
}

/// One turn of a subgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Subgroup of the workgroup.
    pub subgroup: u32,
    /// Round in which it begins.
    pub start: u32,
    /// Number of rounds that it lasts.
    pub rounds: u32,
    /// The kind of work.
    pub work: Work,
    /// Range of memory that is read, or that most of the served particles come from.
    pub source: Option<u32>,
    /// What each lane did; empty for reading, where all lanes do the same.
    pub pieces: Vec<Piece>,
}

/// What subgroups do in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionWork {
    /// They read visitors, and queue those that they keep.
    Reading,
    /// They serve particles.
    Serving,
    /// They read visitors and serve those that they keep, by turns.
    ReadingAndServing,
}

/// From one barrier of the workgroup to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Round in which it begins.
    pub start: u32,
    /// Number of rounds that it lasts, determined by its busiest subgroup.
    pub rounds: u32,
    /// What subgroups do in it.
    pub work: SectionWork,
    /// 0 for the chunk itself, 1 for the rest of its cell, 2 for the cells around.
    pub phase: u32,
    /// Number of busy rounds, summed over all subgroups.
    pub busy_rounds: u64,
    /// Number of subgroups that had nothing to do in it.
    pub idle_subgroups: u32,
}

/// The Gantt chart: when each subgroup of a workgroup worked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gantt {
    /// Index of the workgroup in the dispatch.
    pub workgroup: u32,
    /// Number of subgroups of the workgroup.
    pub subgroups: u32,
    /// Number of lanes of a subgroup.
    pub lanes: u32,
    /// Number of rounds from the beginning to the end.
    pub rounds: u32,
    /// Sections, one after the other.
    pub sections: Vec<Section>,
    /// Bars, by subgroup and then by time.
    pub bars: Vec<Bar>,
}

/// A turn before its start is known.
struct Turn {
    batch: u32,
    bar: Bar,
    stage: u32,
    /// Number of times that the workgroup has read and served before in this stage.
    cycle: u32,
    /// Whether the visitors of the stage wait in a queue between reading and serving.
    queued: bool,
}

/// What orders sections in time: the stage, the cycle, and what is done in it.
type SectionKey = (u32, u32, SectionWork);

impl Turn {
    fn section(&self) -> SectionKey {
        let work = if self.stage > 0 && !self.queued {
            SectionWork::ReadingAndServing
        } else if self.bar.work == Work::Reading {
            SectionWork::Reading
        } else {
            SectionWork::Serving
        };
        (self.stage, self.cycle, work)
    }
}

impl Gantt {
    /// Computes the chart of a chunk. `known_subgroups` is the number of subgroups of the workgroup if it is known,
    /// otherwise 0; it adds the subgroups without any event.
    pub fn new(chunk: &ChunkRecord, known_subgroups: u32) -> Self {
        let mut by_subgroup = turns(chunk);
        if are_queued(chunk) {
            find_cycles(chunk, &mut by_subgroup);
        }
        let seen = by_subgroup.keys().next_back().map_or(0, |&last| last + 1);
        let workers = chunk.served.iter().map(|served| served.worker).chain(chunk.visitors.iter().map(|v| v.worker));
        let mut chart = Self {
            workgroup: chunk.workgroup,
            subgroups: seen.max(known_subgroups),
            lanes: workers.map(|worker| worker.lane + 1).max().unwrap_or(1),
            ..Self::default()
        };
        let mut lengths: BTreeMap<SectionKey, BTreeMap<u32, u32>> = BTreeMap::new();
        for (&subgroup, turns) in &by_subgroup {
            for turn in turns {
                *lengths.entry(turn.section()).or_default().entry(subgroup).or_default() += turn.bar.rounds;
            }
        }
        let mut starts = HashMap::new();
        for (key, busy) in lengths {
            let rounds = busy.values().copied().max().unwrap_or(0);
            starts.insert(key, chart.rounds);
            chart.sections.push(Section {
                start: chart.rounds,
                rounds,
                work: key.2,
                phase: key.0,
                busy_rounds: busy.values().map(|&rounds| u64::from(rounds)).sum(),
                idle_subgroups: chart.subgroups - busy.len() as u32,
            });
            chart.rounds += rounds;
        }
        for turns in by_subgroup.into_values() {
            let mut done: HashMap<SectionKey, u32> = HashMap::new();
            for turn in turns {
                let done = done.entry(turn.section()).or_default();
                let start = starts[&turn.section()] + *done;
                *done += turn.bar.rounds;
                chart.bars.push(Bar { start, ..turn.bar });
            }
        }
        chart
    }

    /// Number of rounds in which a subgroup worked.
    pub fn busy_rounds(&self, subgroup: u32) -> u32 {
        self.bars.iter().filter(|bar| bar.subgroup == subgroup).map(|bar| bar.rounds).sum()
    }

    /// Fraction of the time in which subgroups wait for others, 0 to 1.
    pub fn idle_share(&self) -> f64 {
        let busy: u64 = self.bars.iter().map(|bar| u64::from(bar.rounds)).sum();
        share_left(busy, u64::from(self.rounds) * u64::from(self.subgroups))
    }

    /// Fraction of the time in which lanes wait, for other subgroups or for other lanes of their own subgroup, 0 to 1.
    pub fn idle_lane_share(&self) -> f64 {
        let of_bar = |bar: &Bar| match bar.work {
            Work::Reading => u64::from(bar.rounds) * u64::from(self.lanes),
            Work::Serving(_) => bar.pieces.iter().map(|piece| u64::from(piece.rounds)).sum(),
        };
        let busy: u64 = self.bars.iter().map(of_bar).sum();
        share_left(busy, u64::from(self.rounds) * u64::from(self.subgroups) * u64::from(self.lanes))
    }

    /// Rounds from the first to the last in which visitors of a phase are read, with the serving between, where a
    /// subgroup serves before it reads the next; and the share of that time in which subgroups wait.
    pub fn reading(&self, phase: u32) -> (u32, f64) {
        let sections = || self.sections_with_reading(phase);
        let rounds: u32 = sections().map(|section| section.rounds).sum();
        let busy: u64 = sections().map(|section| section.busy_rounds).sum();
        (rounds, share_left(busy, u64::from(rounds) * u64::from(self.subgroups)))
    }

    /// Number of subgroups that read no visitor of a phase.
    pub fn without_reading(&self, phase: u32) -> u32 {
        self.sections_with_reading(phase).map(|section| section.idle_subgroups).min().unwrap_or(self.subgroups)
    }

    fn sections_with_reading(&self, phase: u32) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| section.work != SectionWork::Serving && section.phase == phase)
    }

    /// Number of candidates that were tested for particles of a phase.
    pub fn tested(&self, phase: u32) -> u64 {
        let of_phase = self.bars.iter().filter(|bar| bar.work == Work::Serving(phase));
        of_phase.flat_map(|bar| &bar.pieces).map(|piece| u64::from(piece.rounds)).sum()
    }
}

fn share_left(busy: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { 1.0 - busy as f64 / all as f64 }
}

/// Whether the chunk's visitors wait in a queue between reading and serving: all of them do, or none.
fn are_queued(chunk: &ChunkRecord) -> bool {
    chunk.readings.iter().all(|reading| reading.queued)
}

/// The turns of each subgroup in their order, with the stage that each belongs to.
fn turns(chunk: &ChunkRecord) -> BTreeMap<u32, Vec<Turn>> {
    let source_of: HashMap<u32, u32> = chunk.visitors.iter().map(|visitor| (visitor.place, visitor.source)).collect();
    let queued = are_queued(chunk);
    let mut turns: BTreeMap<u32, BTreeMap<(u32, u32), Turn>> = BTreeMap::new();
    for reading in &chunk.readings {
        let subgroup = reading.worker.subgroup.unwrap_or(reading.worker.lane);
        let bar = Bar {
            subgroup,
            start: 0,
            rounds: reading.rounds,
            work: Work::Reading,
            source: Some(reading.source),
            pieces: Vec::new(),
        };
        let turn = Turn { batch: reading.batch, bar, stage: reading.phase, cycle: 0, queued };
        turns.entry(subgroup).or_default().insert((reading.batch, 0), turn);
    }
    for served in &chunk.served {
        let subgroup = served.worker.subgroup.unwrap_or(served.worker.lane);
        let of_subgroup = turns.entry(subgroup).or_default();
        let turn = of_subgroup.entry((served.batch, 1 + served.phase)).or_insert_with(|| {
            let work = Work::Serving(served.phase);
            let bar = Bar { subgroup, start: 0, rounds: 0, work, source: None, pieces: Vec::new() };
            Turn { batch: served.batch, bar, stage: served.phase, cycle: 0, queued }
        });
        let source = if served.phase == 0 { None } else { source_of.get(&served.place).copied() };
        turn.bar.rounds = turn.bar.rounds.max(served.tested);
        let piece = Piece { lane: served.worker.lane, rounds: served.tested, place: served.place, source };
        turn.bar.pieces.push(piece);
    }
    let ordered = |turns: BTreeMap<(u32, u32), Turn>| {
        let mut turns: Vec<Turn> = turns.into_values().collect();
        let mut stage = 0;
        for turn in &mut turns {
            turn.bar.pieces.sort_by_key(|piece| piece.lane);
            if turn.bar.work != Work::Reading {
                turn.bar.source = most_frequent(turn.bar.pieces.iter().filter_map(|piece| piece.source));
            }
            // Particles that are left in the queue from an earlier phase are served together with visitors of a later
            // one.
            stage = stage.max(turn.stage);
            turn.stage = stage;
        }
        turns
    };
    turns.into_iter().map(|(subgroup, turns)| (subgroup, ordered(turns))).collect()
}

fn most_frequent(values: impl Iterator<Item = u32>) -> Option<u32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().max_by_key(|&(_, count)| count).map(|(value, _)| value)
}

/// Determines how often the workgroup had emptied its queue before each turn: a visitor is served in the cycle in which
/// it was read, and a subgroup that has served visitors reads again in the next cycle.
fn find_cycles(chunk: &ChunkRecord, by_subgroup: &mut BTreeMap<u32, Vec<Turn>>) {
    let kept = chunk.visitors.iter().filter(|visitor| visitor.kept);
    let queued: HashMap<u32, (u32, u32)> = kept
        .map(|visitor| (visitor.place, (visitor.worker.subgroup.unwrap_or(visitor.worker.lane), visitor.batch)))
        .collect();
    // Each pass over the turns determines one more cycle. The number of passes is limited, because a recording that
    // lost events can be inconsistent.
    let turns: usize = by_subgroup.values().map(Vec::len).sum();
    for _ in 0..turns {
        let read_in: HashMap<(u32, u32), u32> = by_subgroup
            .iter()
            .flat_map(|(&subgroup, turns)| {
                let readings = turns.iter().filter(|turn| turn.bar.work == Work::Reading);
                readings.map(move |turn| ((subgroup, turn.batch), turn.cycle))
            })
            .collect();
        let mut changed = false;
        for turns in by_subgroup.values_mut() {
            let (mut stage, mut last_read, mut next_read) = (0, 0, 0);
            for turn in turns {
                if turn.stage != stage {
                    (stage, last_read, next_read) = (turn.stage, 0, 0);
                }
                let cycle = if turn.bar.work == Work::Reading {
                    last_read = next_read;
                    next_read
                } else {
                    let of_piece = |piece: &Piece| queued.get(&piece.place).and_then(|by| read_in.get(by));
                    let read = turn.bar.pieces.iter().filter_map(of_piece).copied().max().unwrap_or(0);
                    let cycle = read.max(last_read);
                    next_read = cycle + 1;
                    cycle
                };
                changed |= cycle > turn.cycle;
                turn.cycle = turn.cycle.max(cycle);
            }
        }
        if !changed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SectionWork::{Reading, ReadingAndServing, Serving};
    use super::*;
    use crate::search::{self, AskedVisitor, Served, Worker};

    fn worker(subgroup: u32, lane: u32) -> Worker {
        Worker { workgroup: 5, subgroup: Some(subgroup), lane }
    }

    fn served(place: u32, tested: u32, (phase, batch): (u32, u32), (subgroup, lane): (u32, u32)) -> Served {
        Served { place, tested, phase, batch, worker: worker(subgroup, lane) }
    }

    fn reading(source: u32, batch: u32, subgroup: u32) -> search::Reading {
        search::Reading { source, rounds: 4, phase: 2, queued: true, batch, worker: worker(subgroup, 0) }
    }

    fn visitor(place: u32, source: u32, batch: u32, (subgroup, lane): (u32, u32)) -> AskedVisitor {
        AskedVisitor { place, identity: 100 + place, kept: true, source, batch, worker: worker(subgroup, lane) }
    }

    #[test]
    fn sections_last_as_long_as_their_busiest_subgroup() {
        let chunk = ChunkRecord {
            workgroup: 5,
            served: vec![
                served(0, 10, (0, 0), (0, 0)),
                served(1, 6, (0, 0), (0, 1)),
                served(2, 8, (0, 0), (1, 0)),
                served(7, 5, (2, 3), (0, 0)),
                served(8, 9, (2, 1), (1, 0)),
            ],
            // The first subgroup reads twice, the second not at all.
            readings: vec![reading(3, 1, 0), reading(4, 2, 0)],
            visitors: vec![visitor(7, 3, 1, (0, 0)), visitor(8, 4, 2, (0, 1))],
            ..ChunkRecord::default()
        };
        let chart = Gantt::new(&chunk, 4);
        assert_eq!((chart.subgroups, chart.lanes, chart.rounds), (4, 2, 10 + 8 + 9));
        let sections: Vec<_> = chart.sections.iter().map(|s| (s.start, s.rounds, s.work, s.idle_subgroups)).collect();
        assert_eq!(sections, [(0, 10, Serving, 2), (10, 8, Reading, 3), (18, 9, Serving, 2)]);
        assert_eq!((chart.busy_rounds(0), chart.busy_rounds(1), chart.busy_rounds(3)), (10 + 8 + 5, 8 + 9, 0));
        assert!((chart.idle_share() - (1.0 - 40.0 / 108.0)).abs() < 1e-12);
        let lanes = 1.0 - f64::from(16 + 8 + 16 + 5 + 9) / f64::from(27 * 4 * 2);
        assert!((chart.idle_lane_share() - lanes).abs() < 1e-12);
        assert_eq!(chart.reading(2).0, 8);
        assert_eq!(chart.without_reading(2), 3);
        let late = chart.bars.iter().find(|bar| bar.pieces.iter().any(|piece| piece.place == 8)).expect("it is served");
        assert_eq!((late.subgroup, late.start, late.source), (1, 18, Some(4)));
        assert_eq!([0, 1, 2].map(|phase| chart.tested(phase)), [24, 0, 14]);
    }

    #[test]
    fn a_full_queue_makes_another_cycle() {
        let chunk = ChunkRecord {
            workgroup: 5,
            readings: vec![reading(0, 0, 0), reading(0, 2, 0)],
            visitors: vec![visitor(7, 0, 0, (0, 0)), visitor(8, 0, 2, (0, 0))],
            // The other subgroup has no reading of its own, and serves a visitor of each.
            served: vec![served(1, 3, (2, 1), (0, 0)), served(7, 5, (2, 0), (1, 0)), served(8, 6, (2, 1), (1, 0))],
            ..ChunkRecord::default()
        };
        let chart = Gantt::new(&chunk, 2);
        let sections: Vec<_> = chart.sections.iter().map(|section| (section.rounds, section.work)).collect();
        assert_eq!(sections, [(4, Reading), (5, Serving), (4, Reading), (6, Serving)]);
    }

    #[test]
    fn a_subgroup_that_serves_what_it_reads_waits_only_in_the_end() {
        let at_once = |source, batch, subgroup| search::Reading { queued: false, ..reading(source, batch, subgroup) };
        let chunk = ChunkRecord {
            workgroup: 5,
            // The first subgroup reads and serves twice, the second reads once and keeps nobody.
            readings: vec![at_once(3, 1, 0), at_once(3, 2, 0), at_once(4, 1, 1)],
            visitors: vec![visitor(7, 3, 1, (0, 0)), visitor(8, 3, 2, (0, 1))],
            served: vec![
                served(0, 10, (0, 0), (0, 0)),
                served(1, 6, (0, 0), (1, 0)),
                served(7, 5, (2, 1), (0, 0)),
                served(8, 9, (2, 2), (0, 1)),
            ],
            ..ChunkRecord::default()
        };
        let chart = Gantt::new(&chunk, 2);
        let sections: Vec<_> = chart.sections.iter().map(|section| (section.rounds, section.work)).collect();
        assert_eq!(sections, [(10, Serving), (4 + 5 + 4 + 9, ReadingAndServing)]);
        let bars: Vec<_> = chart.bars.iter().map(|bar| (bar.subgroup, bar.start, bar.rounds)).collect();
        assert_eq!(bars, [(0, 0, 10), (0, 10, 4), (0, 14, 5), (0, 19, 4), (0, 23, 9), (1, 0, 6), (1, 10, 4)]);
        let (rounds, idle) = chart.reading(2);
        assert_eq!((rounds, chart.without_reading(2)), (22, 0));
        assert!((idle - (1.0 - 26.0 / 44.0)).abs() < 1e-12);
    }
}
