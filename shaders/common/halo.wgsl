// A coarse cell together with the particles around it, its halo, in workgroup memory: the form of a two-level search
// in which the particles of the cell own their sums. FENNS (2019, section 3.2) lets the local grid overlap the cells
// around it by the radius; here the particles of this overlap are in the local grid, too, so that every particle of the
// cell finds all its neighbors in workgroup memory. Nothing is deposited.
//
// A workgroup calls, in this order:
//   list_run          every invocation, for one range of memory that may contain candidates
//   first_batch       reads the first candidates of an invocation
//   begin_owners      empties the local grid for the particles that the workgroup serves, the owners
//   gather            puts the candidates into the local grid, and looks up the owners
//
// Candidates are counted in their cells before they are put there. The first ones of each invocation are kept in
// registers in the meantime, and the others are read twice. They are not collected in workgroup memory first, because
// their slots in a collection would come from operations of subgroups, whose lanes need not be together where each has
// found its range in another number of rounds.
//
// If the candidates do not fit workgroup memory, as where particles crowd together, the owners are served in groups as
// large as the workgroup, and for each group the candidates are read again, in as many parts as necessary.
//
// Numbers: OWNED_CAPACITY owners.
#define_import_path nearwater::halo

#import nearwater::grid::Grid
#ifdef ONLY_SPECIAL
#import nearwater::lanes::{before_and_total, from_first_lane}
#endif
#import nearwater::local_grid
#import nearwater::local_grid::{Box, CHUNK_CAPACITY}
#import nearwater::owners::{Owners, index_of, is_owner, number_of}
#import nearwater::pair as pair
#import nearwater::sorted::sorted_positions
#import nearwater::visit::is_served_here
#import nearwater::visit_chunk::visit_chunk
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order, workgroup_exclusive_scan}
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif

const OWNED_CAPACITY: u32 = #{OWNED_CAPACITY}u;
// Largest number of ranges of memory.
const RUN_CAPACITY: u32 = 64u;
const NONE: u32 = 0xffffffffu;

// Number of candidates that were counted.
var<workgroup> joined: atomic<u32>;
#ifdef ONLY_SPECIAL
// The owners that this pass serves, and how many there are.
var<workgroup> owner_numbers: array<u32, OWNED_CAPACITY>;
var<workgroup> owner_count: atomic<u32>;
// Whether this pass serves any owner.
var<workgroup> is_any_served: atomic<u32>;
#endif
// For each range: the number of candidates up to its end; the difference between the index and the number of a
// candidate.
var<workgroup> run_ends: array<u32, RUN_CAPACITY>;
var<workgroup> run_shifts: array<u32, RUN_CAPACITY>;

// Empties the local grid and forgets the candidates that were counted. Contains barriers.
fn empty_chunk(place: Place) {
    // Another invocation may still be reading the data of an earlier chunk.
    workgroupBarrier();
    if order(place) == 0u {
        atomicStore(&joined, 0u);
#ifdef ONLY_SPECIAL
        atomicStore(&owner_count, 0u);
#endif
    }
    local_grid::clear(place);
}

// Empties the local grid for owners with a bounding box, and returns this box as a grid. Contains barriers.
fn begin_owners(place: Place, owners: Owners, box: Box, search: Grid) -> Grid {
#ifdef ONLY_SPECIAL
    if order(place) == 0u {
        atomicStore(&is_any_served, 0u);
    }
#endif
    empty_chunk(place);
#ifdef ONLY_SPECIAL
    for (var number = order(place); number < number_of(owners); number += WORKGROUP_SIZE) {
        if is_served_here(sorted_positions[index_of(owners, number)].xyz) {
            atomicStore(&is_any_served, 1u);
        }
    }
    workgroupBarrier();
#endif
    return local_grid::fit(search, box, number_of(owners));
}

// Whether this pass serves any of the owners; the same for all invocations. Special particles are few, so that many
// workgroups have none.
fn has_owners() -> bool {
#ifdef ONLY_SPECIAL
    return atomicLoad(&is_any_served) != 0u;
#else
    return true;
#endif
}

// Sets the range with the invocation's number: the first index and the length. Invocations whose number has no range
// give a length of 0. Begins and ends with a barrier.
fn list_run(place: Place, run: vec2<u32>) {
    let own = order(place);
    let before = workgroup_exclusive_scan(place, vec4<u32>(run.y, 0u, 0u, 0u)).before.x;
    if own < RUN_CAPACITY {
        run_ends[own] = before + run.y;
        run_shifts[own] = run.x - before;
    }
    workgroupBarrier();
}

// A possible candidate: its index, or NONE, and its position, m.
struct Asked {
    index: u32,
    position: vec3<f32>,
}

// Reads the position of a possible candidate, if `exists`.
fn ask(index: u32, exists: bool) -> Asked {
    return Asked(select(NONE, index, exists), sorted_positions[select(0u, index, exists)].xyz);
}

// Whether an owner may have the particle as a neighbor; owners themselves always join. NaN and infinite coordinates may
// give either result, since such a particle has no neighbors.
fn joins(asked: Asked, box: Grid, owners: Owners) -> bool {
    let above = asked.position - box.origin;
    let extent = box.cell_size * vec3<f32>(box.cell_counts);
    let gap = max(max(-above, above - extent), vec3<f32>(0.0));
    let is_near = dot(gap, gap) <= box.reach * box.reach;
    return asked.index != NONE && (is_near || is_owner(owners, asked.index));
}

// Admits a possible candidate if it joins the chunk: counts it in its cell, or, if `puts`, puts it into the chunk.
// Returns 1 if it joins.
fn admit(box: Grid, owners: Owners, local_cells: Grid, asked: Asked, puts: bool) -> u32 {
    let is_admitted = joins(asked, box, owners);
    if is_admitted {
        if puts {
            local_grid::put(local_cells, asked.position, asked.index);
        } else {
            local_grid::count(local_cells, asked.position);
        }
    }
    return u32(is_admitted);
}

// Number of possible candidates in all ranges.
fn candidate_count() -> u32 {
    return run_ends[RUN_CAPACITY - 1u];
}

// The possible candidate with that number, or none from `end` on.
fn numbered(number: u32, end: u32) -> Asked {
    if number >= end {
        return ask(0u, false);
    }
    // Bisection for the first range that ends after the number.
    var run = 0u;
    for (var step = RUN_CAPACITY / 2u; step > 0u; step /= 2u) {
        run += select(0u, step, run_ends[run + step - 1u] <= number);
    }
    return ask(run_shifts[run] + number, true);
}

// Number of possible candidates that an invocation reads at a time.
const AT_A_TIME: u32 = 4u;

struct Batch {
    first: Asked,
    second: Asked,
    third: Asked,
    fourth: Asked,
}

// The possible candidates with number `number` and the three that follow at distances of a workgroup, all of which are
// loaded before the first is used.
fn batch(number: u32, end: u32) -> Batch {
    let first = numbered(number, end);
    let second = numbered(number + WORKGROUP_SIZE, end);
    let third = numbered(number + 2u * WORKGROUP_SIZE, end);
    let fourth = numbered(number + 3u * WORKGROUP_SIZE, end);
    return Batch(first, second, third, fourth);
}

// Admits those of a batch that join the chunk, and returns their number.
fn admit_batch(box: Grid, owners: Owners, local_cells: Grid, asked: Batch, puts: bool) -> u32 {
    return admit(box, owners, local_cells, asked.first, puts)
        + admit(box, owners, local_cells, asked.second, puts)
        + admit(box, owners, local_cells, asked.third, puts)
        + admit(box, owners, local_cells, asked.fourth, puts);
}

// Reads the possible candidates with numbers from `begin` up to but excluding `end`, and counts them, or puts them into
// the chunk. Returns how many of them joined that the invocation has read.
fn read(place: Place, box: Grid, owners: Owners, local_cells: Grid, begin: u32, end: u32, puts: bool) -> u32 {
    var admitted = 0u;
    for (var number = begin + order(place); number < end; number += AT_A_TIME * WORKGROUP_SIZE) {
        admitted += admit_batch(box, owners, local_cells, batch(number, end), puts);
    }
    return admitted;
}

// Whether the candidates that were counted fit the chunk; the same for all invocations, each of which has counted
// `admitted`. Contains barriers.
fn fits(admitted: u32) -> bool {
    atomicAdd(&joined, admitted);
    workgroupBarrier();
    return atomicLoad(&joined) <= CHUNK_CAPACITY;
}

// Makes room for the candidates that were counted, and returns the grid with their number. Ends with a barrier.
fn make_room(place: Place, local_cells: Grid) -> Grid {
    var sized = local_cells;
    sized.particle_count = atomicLoad(&joined);
    local_grid::finish_counting(place, sized);
    return sized;
}

#ifdef RECORD
// The owners are the members of the chunk, numbered in sorted order; the instrument does not see the slots of the other
// candidates, which visit nothing.
fn record_chunk(place: Place, owners: Owners, local_cells: Grid) {
    if order(place) == 0u {
        recording::chunk_grid(local_cells);
    }
    for (var number = order(place); number < number_of(owners); number += WORKGROUP_SIZE) {
        recording::member(index_of(owners, number), number);
    }
}
#endif

#ifdef ONLY_SPECIAL
// Lists the owners that this pass serves, which are few. Ends with a barrier.
fn list_owners(place: Place, owners: Owners) {
    for (var begin = 0u; begin < number_of(owners); begin += WORKGROUP_SIZE) {
        let number = begin + order(place);
        let is_listed = number < number_of(owners)
            && is_served_here(sorted_positions[index_of(owners, min(number, number_of(owners) - 1u))].xyz);
        let scanned = before_and_total(u32(is_listed));
        var first = 0u;
        if place.lane == 0u && scanned.y > 0u {
            first = atomicAdd(&owner_count, scanned.y);
        }
        first = from_first_lane(first);
        if is_listed && first + scanned.x < OWNED_CAPACITY {
            owner_numbers[first + scanned.x] = number;
        }
    }
    workgroupBarrier();
}
#endif

// Begins to serve an owner.
fn begin_owner(index: u32) {
#ifdef RECORD
    recording::begin_visitor(index);
#endif
}

fn finish_owner(index: u32, particle: pair::Particle, sum: pair::Sum) {
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
#ifdef RECORD
    recording::served(0u);
#endif
}

// Looks up every owner, after all candidates have been put into the chunk. Begins with a barrier.
fn serve_owners(place: Place, owners: Owners, local_cells: Grid) {
    workgroupBarrier();
#ifdef RECORD
    record_chunk(place, owners, local_cells);
#endif
#ifdef ONLY_SPECIAL
    list_owners(place, owners);
    let count = min(atomicLoad(&owner_count), OWNED_CAPACITY);
    for (var number = order(place); number < count; number += WORKGROUP_SIZE) {
        serve_owner(index_of(owners, owner_numbers[number]), local_cells);
    }
#else
    // In sorted order, so that the lanes of a subgroup write their results beside each other.
    for (var number = order(place); number < number_of(owners); number += WORKGROUP_SIZE) {
        let index = index_of(owners, number);
        if is_served_here(sorted_positions[index].xyz) {
            serve_owner(index, local_cells);
        }
#ifdef RECORD
        recording::next_batch();
#endif
    }
#endif
}

fn serve_owner(index: u32, local_cells: Grid) {
    begin_owner(index);
    let particle = pair::load(index);
    let position = sorted_positions[index].xyz;
    let found = visit_chunk(local_cells, pair::zero(), position, particle, index, false);
    finish_owner(index, particle, found.sum);
}

// The first possible candidates of an invocation. They are read before the local grid is emptied, so that waiting for
// memory and for the other invocations overlap.
fn first_batch(place: Place) -> Batch {
    return batch(order(place), candidate_count());
}

// Gathers the sums of all owners, where `kept` is the first batch. Contains barriers.
fn gather(place: Place, box: Grid, owners: Owners, search: Grid, kept: Batch) {
    let count = candidate_count();
    let empty = local_grid::around(box, search, number_of(owners));
    let after_kept = AT_A_TIME * WORKGROUP_SIZE;
    let admitted = admit_batch(box, owners, empty, kept, false)
        + read(place, box, owners, empty, after_kept, count, false);
    if !fits(admitted) {
        serve_in_parts(place, box, owners, search);
        return;
    }
    let local_cells = make_room(place, empty);
    _ = admit_batch(box, owners, local_cells, kept, true);
    _ = read(place, box, owners, local_cells, after_kept, count, true);
    serve_owners(place, owners, local_cells);
}

// Looks up every owner where the candidates do not fit: a chunk at a time, for as many owners as there are invocations.
fn serve_in_parts(place: Place, box: Grid, owners: Owners, search: Grid) {
    let count = number_of(owners);
    for (var begin = 0u; begin < count; begin += WORKGROUP_SIZE) {
        let number = begin + order(place);
        let index = index_of(owners, min(number, count - 1u));
        let position = sorted_positions[index].xyz;
        let serves = number < count && is_served_here(position);
        let particle = pair::load(index);
        var sum = pair::zero();
        if serves {
            begin_owner(index);
        }
        for (var first = 0u; first < candidate_count(); first += CHUNK_CAPACITY) {
            let end = min(first + CHUNK_CAPACITY, candidate_count());
            empty_chunk(place);
            let empty = local_grid::around(box, search, number_of(owners));
            _ = fits(read(place, box, owners, empty, first, end, false));
            let local_cells = make_room(place, empty);
            _ = read(place, box, owners, local_cells, first, end, true);
            workgroupBarrier();
#ifdef RECORD
            if begin == 0u && first == 0u {
                record_chunk(place, owners, local_cells);
            }
#endif
            if serves {
                sum = visit_chunk(local_cells, sum, position, particle, index, false).sum;
            }
        }
        if serves {
            finish_owner(index, particle, sum);
        }
#ifdef RECORD
        recording::stop();
#endif
    }
}
