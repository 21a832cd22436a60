//! The recording of a traversal: the ranges, candidates and local grids that it visits for a few particles, and all
//! events in one coarse cell. The recording traversal is the traversal of the physics, compiled with `RECORD`; its
//! calls to `shaders/common/recording.wgsl` write the events.

use std::collections::HashMap;

use glam::{UVec3, Vec3};

use super::guards::check_lengths;
use super::{NeighborSearch, SearchError};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct, read_buffer};

/// Largest number of particles that are recorded at a time.
pub const MOST_RECORDED: usize = 64;
/// Number of events that a recording can hold: two megabytes.
const EVENT_CAPACITY: u32 = 1 << 16;
/// The number that marks an absent value in requests and events.
const NOTHING: u32 = u32::MAX;
/// The slot of events that do not belong to a recorded particle.
const NO_SLOT: u32 = 0xffff;

gpu_struct! {
    /// What to record.
    pub struct RecordRequest {
        /// Linear index of the recorded coarse cell; `u32::MAX` if there is none.
        pub cell: u32,
        /// Number of events that the buffer can hold.
        pub event_capacity: u32,
        /// Number of recorded particles.
        pub picked_count: u32,
        /// Number of particles of the search.
        pub particle_count: u32,
    }
}

gpu_struct! {
    /// One event, in the layout of the shader.
    pub struct Event {
        /// The kind in the lower half, and the slot of the recorded particle in the upper half.
        pub kind_and_slot: u32,
        /// First number. The meaning of the four numbers depends on the kind.
        pub first: u32,
        /// Second number.
        pub second: u32,
        /// Third number.
        pub third: u32,
        /// Fourth number.
        pub fourth: u32,
        /// Workgroup in which the event occurred.
        pub workgroup: u32,
        /// Subgroup of the workgroup; `u32::MAX` if the traversal does not query it.
        pub subgroup: u32,
        /// Index within the subgroup, or within the workgroup if the subgroup is unknown.
        pub lane: u32,
    }
}

/// A search whose traversal is recorded, and the buffers that identify its particles.
#[derive(Clone, Copy)]
pub struct InspectedSearch<'a> {
    /// The search. Its build passes run before every recording.
    pub search: &'a dyn NeighborSearch,
    /// `array<vec4<f32>>` in sorted order, with each particle's identity as the bits of the fourth component. If
    /// `densities` is present, xyz is the velocity, m/s.
    pub identities: &'a wgpu::Buffer,
    /// `array<vec2<f32>>` in sorted order: density, kg/m³, and pressure divided by the squared density.
    pub densities: Option<&'a wgpu::Buffer>,
    /// Number of particles.
    pub particle_count: u32,
}

/// The buffers of a recording traversal.
pub struct Recorder {
    request: wgpu::Buffer,
    picked: wgpu::Buffer,
    slots: wgpu::Buffer,
    total: wgpu::Buffer,
    events: wgpu::Buffer,
    capacity: u32,
    particle_count: u32,
}

impl Recorder {
    /// Creates the buffers for a search of `particle_count` particles.
    ///
    /// # Errors
    /// When the buffers do not fit the device.
    pub fn new(gpu: &Gpu, particle_count: u32) -> Result<Self, SearchError> {
        let recorder = Self {
            request: gpu.uniform("record request", &RecordRequest::default()),
            picked: gpu.storage::<u32>("recorded particles", MOST_RECORDED as u64)?,
            slots: gpu.storage::<u32>("slots of recorded particles", particle_count.into())?,
            total: gpu.storage::<u32>("number of events", 1)?,
            events: gpu.storage::<Event>("events", EVENT_CAPACITY.into())?,
            capacity: EVENT_CAPACITY,
            particle_count,
        };
        recorder.aim(gpu, &[], None);
        Ok(recorder)
    }

    /// Selects what the next recording records: particles by their identities, of which only the first
    /// [`MOST_RECORDED`] are recorded, and one coarse cell by its linear index.
    pub fn aim(&self, gpu: &Gpu, identities: &[u32], cell: Option<u32>) {
        let identities = &identities[..identities.len().min(MOST_RECORDED)];
        let request = RecordRequest {
            cell: cell.unwrap_or(NOTHING),
            event_capacity: self.capacity,
            picked_count: identities.len() as u32,
            particle_count: self.particle_count,
        };
        gpu.write_uniform(&self.request, &request);
        if !identities.is_empty() {
            gpu.queue.write_buffer(&self.picked, 0, bytemuck::cast_slice(identities));
        }
    }

    /// The passes before and after a recording traversal. The first finds the indices of the recorded particles in the
    /// sorted order, and must run after every build and before the traversal. The second writes the identities of the
    /// particles into the events, and must run after the traversal. `identities` is `array<vec4<f32>>` in sorted order,
    /// with the identity as the bits of the fourth component: [`super::NeighborSearch::sorted_positions`], or
    /// velocities that carry the original index.
    ///
    /// # Errors
    /// When `identities` has fewer entries than the recorder has particles, or the shader does not compile.
    pub fn passes_around(&self, gpu: &Gpu, identities: &wgpu::Buffer) -> Result<[Pass; 2], SearchError> {
        let buffers = [
            ("record_request", &self.request),
            ("picked", &self.picked),
            ("identities", identities),
            ("record_slots", &self.slots),
            ("event_total", &self.total),
            ("events", &self.events),
        ];
        let shader = ShaderVariant::new("common/find_recorded.wgsl");
        let pass = |label, entry_point, invocations: u32| {
            let dispatch = Dispatch::Invocations(invocations.into());
            let pass = Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Search,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )?;
            check_lengths(gpu, pass, self.particle_count)
        };
        let find = pass("find recorded", "find_recorded", self.particle_count)?;
        Ok([find, pass("name events", "name_events", self.capacity)?])
    }

    /// Records the command that discards the events of the last recording. It must precede the traversal.
    pub fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.total, 0, None);
    }

    /// Slot plus one of each recorded particle, 0 for the others: u32 in sorted order, len = `particle_count`. The
    /// first pass of [`Recorder::passes_around`] writes them.
    pub fn slots(&self) -> &wgpu::Buffer {
        &self.slots
    }

    /// The buffers by the names of the WGSL variables.
    pub(super) fn buffers(&self) -> [(&str, &wgpu::Buffer); 4] {
        [
            ("record_request", &self.request),
            ("record_slots", &self.slots),
            ("event_total", &self.total),
            ("events", &self.events),
        ]
    }

    /// Records the commands that read the events back. They must follow the traversal.
    pub fn read(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> RecordingReadback {
        RecordingReadback {
            total: Readback::record(gpu, encoder, &self.total, 1),
            events: Readback::record(gpu, encoder, &self.events, self.capacity as usize),
        }
    }

    /// Waits for the device and returns the recording, for tests and the command line.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read_now(&self, gpu: &Gpu) -> Result<Recording, SearchError> {
        let total: Vec<u32> = read_buffer(gpu, &self.total, 1)?;
        let kept = total[0].min(self.capacity);
        let events = read_buffer(gpu, &self.events, kept as usize)?;
        Ok(Recording::new(&events, total[0]))
    }
}

/// A pending read-back of a recording.
pub struct RecordingReadback {
    total: Readback<u32>,
    events: Readback<Event>,
}

impl RecordingReadback {
    /// Returns the recording once it has arrived. Never waits.
    pub fn take(&self) -> Option<Recording> {
        // Both were recorded in one encoder, so they arrive together, the total first.
        let events = self.events.take()?;
        let total = self.total.take()?[0];
        Some(Recording::new(&events[..events.len().min(total as usize)], total))
    }
}

/// The invocation in which an event occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Worker {
    /// Workgroup of the dispatch.
    pub workgroup: u32,
    /// Subgroup of the workgroup; `None` if the traversal does not query it.
    pub subgroup: Option<u32>,
    /// Index within the subgroup, or within the workgroup if the subgroup is unknown.
    pub lane: u32,
}

/// What the numbers of a range refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeSpace {
    /// Indices in the sorted order.
    Sorted,
    /// Entries of a list of indices in the sorted order.
    Listed,
    /// Slots of the chunk in workgroup memory. The number is the index of its grid in [`ParticleRecord::grids`].
    Local(usize),
}

/// A range of candidates that was visited for a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitedRange {
    /// What the numbers refer to.
    pub space: RangeSpace,
    /// First number.
    pub start: u32,
    /// One past the last number.
    pub end: u32,
    /// Linear indices of the first and the last cell that the range belongs to, in the search's grid or in the local
    /// grid; `None` if the search has no cells.
    pub cells: Option<(u32, u32)>,
    /// The invocation that visited it.
    pub worker: Worker,
}

/// A candidate that was tested for a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedCandidate {
    /// Index of the candidate in the sorted order.
    pub place: u32,
    /// Its identity, from the `identities` of the recorder.
    pub identity: u32,
    /// Squared distance from the particle, m².
    pub distance_squared: f32,
    /// Whether it is within the support radius.
    pub accepted: bool,
    /// Whether the pair was evaluated once for both of its particles.
    pub both_ways: bool,
    /// Index in [`ParticleRecord::ranges`] of the range in which it was found; `None` if the invocation served the
    /// other particle of the pair.
    pub range: Option<usize>,
}

/// A local grid in workgroup memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalGrid {
    /// Linear index of the coarse cell of its chunk.
    pub coarse_cell: u32,
    /// Lowest corner, m.
    pub origin: Vec3,
    /// Edges of a cell, m.
    pub cell_size: Vec3,
    /// Number of cells along each axis.
    pub counts: UVec3,
    /// Workgroup that built it.
    pub workgroup: u32,
}

/// The work done for one recorded particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleRecord {
    /// Its index in the sorted order; `None` if no invocation served it.
    pub place: Option<u32>,
    /// The ranges of candidates, in the order of their visit within each workgroup.
    pub ranges: Vec<VisitedRange>,
    /// The candidates, in the order in which they were tested.
    pub tested: Vec<TestedCandidate>,
    /// The local grids that were looked up.
    pub grids: Vec<LocalGrid>,
}

impl ParticleRecord {
    /// Number of candidates that are neighbors.
    pub fn neighbor_count(&self) -> usize {
        self.tested.iter().filter(|tested| tested.accepted).count()
    }
}

/// A particle of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkMember {
    /// Its index in the sorted order.
    pub place: u32,
    /// Its identity, from the `identities` of the recorder.
    pub identity: u32,
}

/// A particle that was tested for having the recorded cell's chunk within reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedVisitor {
    /// Its index in the sorted order.
    pub place: u32,
    /// Its identity, from the `identities` of the recorder.
    pub identity: u32,
    /// Whether it was kept for the look-up in the chunk.
    pub kept: bool,
    /// The range of memory that it was read from, in the numbering of the search.
    pub source: u32,
    /// The turn of the subgroup in which it was tested.
    pub batch: u32,
    /// The invocation that tested it.
    pub worker: Worker,
}

/// A range of possible visitors that a subgroup read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The range of memory, in the numbering of the search.
    pub source: u32,
    /// Number of positions that each lane read.
    pub rounds: u32,
    /// The phase in which the kept visitors are served, as in [`Served::phase`].
    pub phase: u32,
    /// Whether the kept visitors wait in a queue until all subgroups have read theirs, and any subgroup may serve them.
    /// Otherwise the subgroup itself serves them before it reads the next ones.
    pub queued: bool,
    /// The turn of the subgroup.
    pub batch: u32,
    /// The first lane of the subgroup.
    pub worker: Worker,
}

/// A particle that was tested against the recorded cell's chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its index in the sorted order.
    pub place: u32,
    /// Number of candidates that were tested for it.
    pub tested: u32,
    /// 0 for the chunk's own particles, 1 for the rest of the coarse cell, 2 for border particles of the cells around
    /// it.
    pub phase: u32,
    /// The turn of its invocation. The lanes of a subgroup with the same turn work at the same time.
    pub batch: u32,
    /// The invocation that served it.
    pub worker: Worker,
}

/// One chunk of the recorded coarse cell: the work of one workgroup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkRecord {
    /// The workgroup.
    pub workgroup: u32,
    /// Its particles, in the order of their slots in workgroup memory.
    pub members: Vec<ChunkMember>,
    /// Its local grid.
    pub grid: Option<LocalGrid>,
    /// The particles that were tested for having the chunk within reach.
    pub visitors: Vec<AskedVisitor>,
    /// The ranges that the subgroups read for these tests.
    pub readings: Vec<Reading>,
    /// The particles that were tested against the chunk.
    pub served: Vec<Served>,
}

/// The result of a recording traversal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// One record per recorded particle, in the requested order. Particles without events at the end are omitted.
    pub particles: Vec<ParticleRecord>,
    /// One record per chunk of the recorded coarse cell, sorted by workgroup.
    pub chunks: Vec<ChunkRecord>,
    /// Number of events that did not fit the buffer.
    pub lost: u32,
}

/// The kinds of events. A test compares the numbers with those of `recording.wgsl`.
mod kind {
    pub(super) const RANGE: u32 = 1;
    pub(super) const LOCAL_RANGE: u32 = 2;
    pub(super) const TESTED: u32 = 3;
    pub(super) const GRID_ORIGIN: u32 = 4;
    pub(super) const GRID_SIZE: u32 = 5;
    pub(super) const GRID_COUNTS: u32 = 6;
    pub(super) const MEMBER: u32 = 7;
    pub(super) const VISITOR: u32 = 8;
    pub(super) const READING: u32 = 9;
    pub(super) const SERVED: u32 = 10;
    pub(super) const LISTED_RANGE: u32 = 11;
    pub(super) const STARTED: u32 = 12;
}

const ACCEPTED: u32 = 1;
const BOTH_WAYS: u32 = 2;

/// The slot of the recorded particle and the invocation of an event. Each such stream reports its local grids and
/// ranges one after the other.
type Stream = (u32, Worker);

/// Assigns the events of a recording to particles and chunks, one by one.
#[derive(Default)]
struct Sorter {
    recording: Recording,
    chunks: HashMap<u32, ChunkRecord>,
    /// Grids for which fewer than three events have been processed.
    grids: HashMap<Stream, LocalGrid>,
    /// The last grid and the last range of each stream, as indices into the particle's record.
    last_grid: HashMap<Stream, usize>,
    last_range: HashMap<Stream, usize>,
}

impl Sorter {
    fn take(&mut self, event: &Event) {
        let slot = event.kind_and_slot >> 16;
        let subgroup = (event.subgroup != NOTHING).then_some(event.subgroup);
        let worker = Worker { workgroup: event.workgroup, subgroup, lane: event.lane };
        match event.kind_and_slot & 0xffff {
            kind @ (kind::GRID_ORIGIN | kind::GRID_SIZE | kind::GRID_COUNTS) => {
                self.take_grid(kind, event, (slot, worker));
            }
            kind @ (kind::RANGE | kind::LISTED_RANGE | kind::LOCAL_RANGE) => {
                self.take_range(kind, event, (slot, worker));
            }
            kind::STARTED => self.particle(slot).place = Some(event.first),
            kind::TESTED => {
                let range = self.last_range.get(&(slot, worker)).copied();
                self.particle(slot).tested.push(TestedCandidate {
                    place: event.first,
                    identity: event.fourth,
                    distance_squared: f32::from_bits(event.third),
                    accepted: event.second & ACCEPTED > 0,
                    both_ways: event.second & BOTH_WAYS > 0,
                    range,
                });
            }
            kind => self.chunk(event.workgroup).take(kind, event, worker),
        }
    }

    /// Processes one of the three events that describe a grid.
    fn take_grid(&mut self, kind: u32, event: &Event, stream: Stream) {
        let words = [event.first, event.second, event.third];
        if kind == kind::GRID_ORIGIN {
            let grid = LocalGrid {
                coarse_cell: event.fourth,
                origin: Vec3::from_array(words.map(f32::from_bits)),
                cell_size: Vec3::ZERO,
                counts: UVec3::ZERO,
                workgroup: event.workgroup,
            };
            self.grids.insert(stream, grid);
        } else if kind == kind::GRID_SIZE {
            if let Some(grid) = self.grids.get_mut(&stream) {
                grid.cell_size = Vec3::from_array(words.map(f32::from_bits));
            }
        } else if let Some(mut grid) = self.grids.remove(&stream) {
            grid.counts = UVec3::from_array(words);
            if stream.0 == NO_SLOT {
                self.chunk(event.workgroup).grid = Some(grid);
            } else {
                let grids = &mut self.particle(stream.0).grids;
                grids.push(grid);
                let last = grids.len() - 1;
                self.last_grid.insert(stream, last);
            }
        }
    }

    fn take_range(&mut self, kind: u32, event: &Event, stream: Stream) {
        let space = match kind {
            kind::RANGE => RangeSpace::Sorted,
            kind::LISTED_RANGE => RangeSpace::Listed,
            _ => match self.last_grid.get(&stream) {
                Some(&grid) => RangeSpace::Local(grid),
                // The events of its grid did not fit the buffer.
                None => return,
            },
        };
        let cells = (event.third != NOTHING).then_some((event.third, event.fourth));
        let ranges = &mut self.particle(stream.0).ranges;
        ranges.push(VisitedRange { space, start: event.first, end: event.second, cells, worker: stream.1 });
        let last = ranges.len() - 1;
        self.last_range.insert(stream, last);
    }

    fn particle(&mut self, slot: u32) -> &mut ParticleRecord {
        let particles = &mut self.recording.particles;
        let slot = slot as usize;
        if particles.len() <= slot {
            particles.resize_with(slot + 1, ParticleRecord::default);
        }
        &mut particles[slot]
    }

    fn chunk(&mut self, workgroup: u32) -> &mut ChunkRecord {
        self.chunks.entry(workgroup).or_insert_with(|| ChunkRecord { workgroup, ..ChunkRecord::default() })
    }
}

impl ChunkRecord {
    /// Processes an event of the recorded coarse cell.
    fn take(&mut self, kind: u32, event: &Event, worker: Worker) {
        let place = event.first;
        match kind {
            kind::MEMBER => {
                let slot = event.second as usize;
                if self.members.len() <= slot {
                    self.members.resize(slot + 1, ChunkMember { place: NOTHING, identity: NOTHING });
                }
                self.members[slot] = ChunkMember { place, identity: event.fourth };
            }
            kind::VISITOR => self.visitors.push(AskedVisitor {
                place,
                identity: event.fourth,
                kept: event.second & 1 > 0,
                source: event.second >> 1,
                batch: event.third,
                worker,
            }),
            kind::READING => {
                let batch = event.fourth & 0x00ff_ffff;
                let (source, rounds, queued, phase) = (event.first, event.second, event.third > 0, event.fourth >> 24);
                self.readings.push(Reading { source, rounds, phase, queued, batch, worker });
            }
            kind::SERVED => {
                let (tested, phase, batch) = (event.second, event.third, event.fourth);
                self.served.push(Served { place, tested, phase, batch, worker });
            }
            _ => {}
        }
    }
}

impl Recording {
    /// Creates a recording from its events. `total` includes the events that did not fit the buffer.
    fn new(events: &[Event], total: u32) -> Self {
        let mut sorter = Sorter::default();
        for event in events {
            sorter.take(event);
        }
        let Sorter { mut recording, chunks, .. } = sorter;
        recording.lost = total - events.len() as u32;
        recording.chunks = chunks.into_values().collect();
        recording.chunks.sort_unstable_by_key(|chunk| chunk.workgroup);
        recording
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout};

    #[test]
    fn events_have_the_same_numbers_and_layout_in_the_shader_and_in_rust() {
        let pair = PairKernel::new("search/count_pairs.wgsl", false);
        let variant =
            ShaderVariant::new("search/green.wgsl").with_pair(pair).with_flag("TRAVERSAL").with_flag("RECORD");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<RecordRequest>(&module);
        assert_same_layout::<Event>(&module);
        let source = ShaderLibrary::embedded().source("common/recording.wgsl").expect("it is embedded");
        let numbers = [
            ("RANGE", kind::RANGE),
            ("LOCAL_RANGE", kind::LOCAL_RANGE),
            ("TESTED", kind::TESTED),
            ("GRID_ORIGIN", kind::GRID_ORIGIN),
            ("GRID_SIZE", kind::GRID_SIZE),
            ("GRID_COUNTS", kind::GRID_COUNTS),
            ("MEMBER", kind::MEMBER),
            ("VISITOR", kind::VISITOR),
            ("READING", kind::READING),
            ("SERVED", kind::SERVED),
            ("LISTED_RANGE", kind::LISTED_RANGE),
            ("STARTED", kind::STARTED),
            ("ACCEPTED", ACCEPTED),
            ("BOTH_WAYS", BOTH_WAYS),
        ];
        for (name, number) in numbers {
            let line = format!("const {name}: u32 = {number}u;\n");
            assert!(source.contains(&line), "recording.wgsl lacks {line}");
        }
    }

    #[test]
    fn candidates_belong_to_the_last_range_of_the_same_invocation() {
        let event = |kind: u32, slot: u32, numbers: [u32; 4], lane: u32| Event {
            kind_and_slot: kind | slot << 16,
            first: numbers[0],
            second: numbers[1],
            third: numbers[2],
            fourth: numbers[3],
            workgroup: 3,
            subgroup: NOTHING,
            lane,
        };
        let events = [
            event(kind::STARTED, 0, [7, 0, 0, 0], 1),
            event(kind::RANGE, 0, [10, 12, 4, 5], 1),
            event(kind::RANGE, 1, [20, 21, NOTHING, NOTHING], 2),
            event(kind::TESTED, 0, [10, 1, 0, 99], 1),
            event(kind::TESTED, 1, [20, 0, 0, 98], 2),
            event(kind::RANGE, 0, [30, 31, 6, 6], 1),
            event(kind::TESTED, 0, [30, 3, 0, 97], 1),
        ];
        let recording = Recording::new(&events, 10);
        assert_eq!(recording.lost, 3);
        let [one, other] = &recording.particles[..] else { panic!("two particles were recorded: {recording:?}") };
        assert_eq!((one.place, other.place), (Some(7), None));
        assert_eq!((one.tested[0].identity, other.tested[0].identity), (99, 98));
        assert_eq!((one.ranges[0].cells, other.ranges[0].cells), (Some((4, 5)), None));
        assert_eq!(one.tested.iter().map(|tested| tested.range).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert_eq!(one.neighbor_count(), 2);
        assert!(one.tested[1].both_ways && !other.tested[0].accepted);
    }
}
