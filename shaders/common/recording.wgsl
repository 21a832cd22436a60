// What a recording traversal writes while it runs: every range, candidate and served particle of up to 64 recorded
// particles, and all events of one recorded coarse cell. Only RECORD compiles it in; apart from that, the traversal is
// the one that the physics runs.
//
// A traversal calls
//   begin          before it visits candidates for a particle
//   range          before each run of candidates, with the cells that the run belongs to; or `listed_range`, where the
//                  run is part of a list of indices
//   (tested)       is called by the common visit functions, for each candidate
// and a search with chunks in workgroup memory also calls
//   enter_cell     once the coarse cell of a workgroup is known
//   local_grid     before it looks up cells in a local grid
//   local_range    in place of `range`, where a run is in workgroup memory
//   member         for each particle of the chunk
//   visitor        for each particle that is tested for having the chunk within reach
//   reading        once a subgroup has tested a range of possible visitors
//   served         after a particle has been tested against the chunk
#define_import_path nearwater::recording

#import nearwater::grid::Grid

// Mirrored by `search::recording::RecordRequest`.
struct RecordRequest {
    // Linear index of the recorded coarse cell; NOTHING if there is none.
    cell: u32,
    // Number of events that the buffer can hold.
    event_capacity: u32,
    // Number of recorded particles.
    picked_count: u32,
    particle_count: u32,
}

// Mirrored by `search::recording::Event`.
struct Event {
    // One of the kinds below, and in the upper half the slot of the recorded particle; 0xffff if there is none.
    kind_and_slot: u32,
    first: u32,
    second: u32,
    third: u32,
    fourth: u32,
    workgroup: u32,
    // NOTHING where the traversal does not query which subgroup it runs in.
    subgroup: u32,
    // Lane in the subgroup, or the index in the workgroup where the subgroup is unknown.
    lane: u32,
}

@group(2) @binding(3) var<uniform> record_request: RecordRequest;
// Slot plus one of each particle that is recorded, 0 for the others, in sorted order; len = particle_count.
@group(2) @binding(4) var<storage, read> record_slots: array<u32>;
// Number of events, those past the capacity included; len = 1.
@group(2) @binding(5) var<storage, read_write> event_total: atomic<u32>;
// The recorded events, in the order in which they were appended; len = event_capacity.
@group(2) @binding(6) var<storage, read_write> events: array<Event>;

const NOTHING: u32 = 0xffffffffu;

const RANGE: u32 = 1u;
const LOCAL_RANGE: u32 = 2u;
const TESTED: u32 = 3u;
const GRID_ORIGIN: u32 = 4u;
const GRID_SIZE: u32 = 5u;
const GRID_COUNTS: u32 = 6u;
const MEMBER: u32 = 7u;
const VISITOR: u32 = 8u;
const READING: u32 = 9u;
const SERVED: u32 = 10u;
const LISTED_RANGE: u32 = 11u;
const STARTED: u32 = 12u;

// Flags of a tested candidate.
const ACCEPTED: u32 = 1u;
const BOTH_WAYS: u32 = 2u;

// The current work of the invocation.
var<private> slot_of_visitor: u32;
var<private> visitor_place: u32;
var<private> own_workgroup: u32;
var<private> own_subgroup: u32;
var<private> own_lane: u32;
var<private> own_cell: u32;
var<private> tested_count: u32;
var<private> batch: u32;

fn append(kind: u32, slot: u32, first: u32, second: u32, third: u32, fourth: u32) {
    let place = atomicAdd(&event_total, 1u);
    if place < record_request.event_capacity {
        let kind_and_slot = kind | (min(slot, 0xffffu) << 16u);
        events[place] =
            Event(kind_and_slot, first, second, third, fourth, own_workgroup, own_subgroup, own_lane);
    }
}

// Whether the workgroup is processing the recorded coarse cell.
fn is_recorded_cell() -> bool {
    return own_cell != NOTHING && own_cell == record_request.cell;
}

fn enter_cell(cell: u32, workgroup: u32, subgroup: u32, lane: u32) {
    own_cell = cell;
    own_workgroup = workgroup;
    own_subgroup = subgroup;
    own_lane = lane;
    batch = 0u;
}

// The invocation begins to serve the particle at the given index of the sorted order.
fn begin_visitor(index: u32) {
    slot_of_visitor = record_slots[index] - 1u;
    visitor_place = index;
    tested_count = 0u;
    if slot_of_visitor != NOTHING {
        append(STARTED, slot_of_visitor, index, 0u, 0u, 0u);
    }
}

// The same in a traversal with one invocation per particle.
fn begin(index: u32, workgroup: u32, local: u32) {
    enter_cell(NOTHING, workgroup, NOTHING, local);
    begin_visitor(index);
}

// The invocation serves no particle.
fn stop() {
    slot_of_visitor = NOTHING;
}

// Candidates at the indices [start, end) of the sorted order, because they are in the cells from `first_cell` to
// `last_cell`.
fn range(start: u32, end: u32, first_cell: u32, last_cell: u32) {
    if slot_of_visitor != NOTHING {
        append(RANGE, slot_of_visitor, start, end, first_cell, last_cell);
    }
}

// Candidates in the entries [start, end) of a list of indices, because they are in a cell or one of its neighbors.
fn listed_range(start: u32, end: u32, cell: u32) {
    if slot_of_visitor != NOTHING {
        append(LISTED_RANGE, slot_of_visitor, start, end, cell, cell);
    }
}

// Candidates in the slots [start, end) of the chunk in workgroup memory, because they are in those local cells.
fn local_range(start: u32, end: u32, first_cell: u32, last_cell: u32) {
    if slot_of_visitor != NOTHING {
        append(LOCAL_RANGE, slot_of_visitor, start, end, first_cell, last_cell);
    }
}

// The grid that the next local ranges belong to.
fn append_grid(slot: u32, grid: Grid) {
    let origin = bitcast<vec3<u32>>(grid.origin);
    let size = bitcast<vec3<u32>>(grid.cell_size);
    append(GRID_ORIGIN, slot, origin.x, origin.y, origin.z, own_cell);
    append(GRID_SIZE, slot, size.x, size.y, size.z, own_cell);
    append(GRID_COUNTS, slot, grid.cell_counts.x, grid.cell_counts.y, grid.cell_counts.z, grid.particle_count);
}

fn local_grid(grid: Grid) {
    if slot_of_visitor != NOTHING {
        append_grid(slot_of_visitor, grid);
    }
}

// The grid of the recorded cell's chunk, appended by one invocation of the workgroup.
fn chunk_grid(grid: Grid) {
    if is_recorded_cell() {
        append_grid(NOTHING, grid);
    }
}

// A candidate of the particle. `name_events` writes the candidate's identity to the event's fourth number.
fn tested(other: u32, is_another: bool, distance_squared: f32, radius_squared: f32) {
    tested_count += u32(is_another);
    if is_another && slot_of_visitor != NOTHING {
        let flags = u32(distance_squared <= radius_squared) * ACCEPTED;
        append(TESTED, slot_of_visitor, other, flags, bitcast<u32>(distance_squared), 0u);
    }
}

// A pair that is evaluated once for both of its particles.
fn tested_both_ways(other: u32, distance_squared: f32, radius_squared: f32) {
    tested_count += 1u;
    let flags = (u32(distance_squared <= radius_squared) * ACCEPTED) | BOTH_WAYS;
    if slot_of_visitor != NOTHING {
        append(TESTED, slot_of_visitor, other, flags, bitcast<u32>(distance_squared), 0u);
    }
    let slot_of_other = record_slots[other] - 1u;
    if slot_of_other != NOTHING {
        append(TESTED, slot_of_other, visitor_place, flags, bitcast<u32>(distance_squared), 0u);
    }
}

// A particle of the recorded cell's chunk, and its slot there.
fn member(place: u32, slot: u32) {
    if is_recorded_cell() {
        append(MEMBER, NOTHING, place, slot, 0u, 0u);
    }
}

// A particle that was tested for having the recorded cell's chunk within reach; `source` is the range of memory that it
// was read from.
fn visitor(place: u32, is_kept: bool, source: u32) {
    if is_recorded_cell() {
        append(VISITOR, NOTHING, place, u32(is_kept) | (source << 1u), batch, 0u);
    }
}

// A subgroup has read `rounds` positions with each of its lanes from the range `source`; `phase` is the phase of the
// visitors that it keeps. These wait in a queue until all subgroups have read theirs (`are_queued`), or the subgroup
// serves them itself next.
fn reading(source: u32, rounds: u32, phase: u32, are_queued: bool) {
    if is_recorded_cell() {
        append(READING, NOTHING, source, rounds, u32(are_queued), (phase << 24u) | batch);
    }
}

// The particle has been tested against the recorded cell's chunk. Phase 0 is the chunk itself, 1 the rest of its cell,
// 2 the border particles of the cells around it.
fn served(phase: u32) {
    if is_recorded_cell() {
        append(SERVED, NOTHING, visitor_place, tested_count, phase, batch);
    }
}

// Every invocation of a subgroup counts its turns in the same way, so that lanes that work at the same time have the
// same number.
fn next_batch() {
    batch += 1u;
}

// The number of the invocation's current turn.
fn turn() -> u32 {
    return batch;
}

// Continues with the given turn after a loop that not all invocations of a subgroup complete, so that all of them agree
// again.
fn set_turn(turn: u32) {
    batch = turn;
}
