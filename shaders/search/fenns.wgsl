// FENNS 2019: coarse cells with border and inner particles, and local grids built during the traversal.
//
// Entry points, in order of dispatch:
//   clear_cells       one invocation per coarse cell: sets its counter to zero
//   count_particles   (Algorithm 1) a histogram of the workgroup's particles in workgroup memory, then one atomic
//                     addition per cell in device memory
//   scan_cells        one workgroup: writes the inclusive scan to the first half of the counters and the exclusive scan
//                     to the second half
//   sort_particles    (Algorithm 2) border particles get slots upward from the exclusive value of their cell, inner
//                     particles get slots downward from the inclusive value, so that the block of a cell is
//                     [border | inner]. Afterwards both halves contain the split, the index of the first inner particle
//   find_starts       one invocation per coarse cell: writes the start of the block to the first half. In the paper,
//                     each group subtracts its border particles from the counter at its end, while other groups still
//                     reserve slots from the same counter. This pass needs no order between groups: between two splits,
//                     the cell of the particles changes exactly once, at the start, which is found by bisection
//   traverse          (Algorithms 3 and 4) one workgroup per chunk of a coarse cell: sorts the chunk into a local grid
//                     in workgroup memory, tests the visitors against it (the particles of the same coarse cell and the
//                     border particles of the 26 cells around it), and deposits the sum of each visitor
//   (finish_deposits)
//
// With WITH_HALO, more counters are kept in place of passes: the counts in counters of their own, which are zero when
// the buffer is created and which `scan_cells` sets to zero again, so that `clear_cells` is not needed; and the starts
// of the blocks, so that `find_starts` is not. `halo_order` and `halo_gather` follow.

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::dispatch
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan}
#ifdef TRAVERSAL
#import nearwater::cell_blocks::grid_parameters
#import nearwater::fenns_ranges::{Chunk, RUN_COUNT, chunk_of_workgroup, visitors}
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, chunk}
#import nearwater::pair as pair
#import nearwater::sorted::sorted_positions
#import nearwater::visit_chunk::visit_chunk
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

#ifndef TRAVERSAL
@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// Largest number of coarse cells whose counters fit workgroup memory.
const CELL_CAPACITY: u32 = #{CELL_CAPACITY}u;

// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Two numbers per coarse cell, one in each half: first its particle count, finally the start of its block and the start
// of its inner particles. With WITH_HALO there are two more: the counter from which inner particles get slots, and the
// particle count. len = 2 * cell_count, or 4 * cell_count.
@group(0) @binding(2) var<storage, read_write> cell_counters: array<atomic<u32>>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;

// With WITH_HALO: its first word is the number of chunks that `halo_order` lists; len = 11 * most chunks + 1.
@group(0) @binding(5) var<storage, read_write> chunk_list: array<u32>;

#ifdef WITH_HALO
// In which quarters of the counters inner particles get slots, and particles are counted.
const INNER_SLOTS: u32 = 2u;
const COUNTS: u32 = 3u;
#else
const INNER_SLOTS: u32 = 0u;
const COUNTS: u32 = 0u;
#endif

fn cell_of(position: vec3<f32>) -> u32 {
    return grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, position));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn clear_cells(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < grid_parameters.cell_count {
        atomicStore(&cell_counters[id.x], 0u);
    }
}

var<workgroup> histogram: array<atomic<u32>, CELL_CAPACITY>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn count_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var cell = local; cell < grid_parameters.cell_count; cell += WORKGROUP_SIZE) {
        atomicStore(&histogram[cell], 0u);
    }
    workgroupBarrier();
    // A workgroup counts consecutive particles, which are in few cells if the input is nearly sorted.
    let shares = workgroup_count.x * workgroup_count.y;
    let share = (grid_parameters.particle_count + shares - 1u) / shares;
    let first = share * dispatch::workgroup_index(workgroup_id, workgroup_count);
    let end = min(first + share, grid_parameters.particle_count);
    for (var index = first + local; index < end; index += WORKGROUP_SIZE) {
        atomicAdd(&histogram[cell_of(positions[index].xyz)], 1u);
    }
    workgroupBarrier();
    for (var cell = local; cell < grid_parameters.cell_count; cell += WORKGROUP_SIZE) {
        let count = atomicLoad(&histogram[cell]);
        if count > 0u {
            atomicAdd(&cell_counters[COUNTS * grid_parameters.cell_count + cell], count);
        }
    }
}

fn count_of(cell: u32) -> u32 {
    if cell >= grid_parameters.cell_count {
        return 0u;
    }
    return atomicLoad(&cell_counters[COUNTS * grid_parameters.cell_count + cell]);
}

fn store_scanned(cell: u32, exclusive: u32, count: u32) {
    if cell < grid_parameters.cell_count {
        let cell_count = grid_parameters.cell_count;
        atomicStore(&cell_counters[INNER_SLOTS * cell_count + cell], exclusive + count);
        atomicStore(&cell_counters[cell_count + cell], exclusive);
#ifdef WITH_HALO
        atomicStore(&cell_counters[cell], exclusive);
        atomicStore(&cell_counters[COUNTS * cell_count + cell], 0u);
#endif
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_cells(invocation: Invocation) {
    let place = place_of(invocation);
#ifdef WITH_HALO
    if order(place) == 0u {
        chunk_list[0] = 0u;
    }
#endif
    var before = 0u;
    for (var first = 0u; first < grid_parameters.cell_count; first += 4u * WORKGROUP_SIZE) {
        let cells = first + order(place) + vec4(0u, WORKGROUP_SIZE, 2u * WORKGROUP_SIZE, 3u * WORKGROUP_SIZE);
        let counts = vec4(count_of(cells.x), count_of(cells.y), count_of(cells.z), count_of(cells.w));
        let scanned = workgroup_exclusive_scan(place, counts);
        let exclusive = before_rows(scanned, before);
        store_scanned(cells.x, exclusive.x, counts.x);
        store_scanned(cells.y, exclusive.y, counts.y);
        store_scanned(cells.z, exclusive.z, counts.z);
        store_scanned(cells.w, exclusive.w, counts.w);
        before += total_of_rows(scanned);
    }
}

// Number of particles that an invocation sorts. The number of particles per workgroup must fit 16 bits.
const SORT_SHARE: u32 = #{SORT_SHARE}u;
// Number of coarse cells for which an invocation reserves slots.
const CELL_SHARE: u32 = (CELL_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
// The values that a border particle and an inner particle add to the counter of their cell.
const BORDER: u32 = 0x10000u;
const INNER: u32 = 1u;

// The cell of a particle, and BORDER, INNER or 0 if there is no particle.
struct Class {
    cell: u32,
    weight: u32,
}

fn store_sorted(place: u32, position: vec3<f32>, index: u32) {
    // The bounds check prevents writes past the end if the counters are wrong.
    if place < grid_parameters.particle_count {
        sorted_positions[place] = vec4<f32>(position, bitcast<f32>(index));
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var cell = local; cell < grid_parameters.cell_count; cell += WORKGROUP_SIZE) {
        atomicStore(&histogram[cell], 0u);
    }
    workgroupBarrier();
    let first = dispatch::workgroup_index(workgroup_id, workgroup_count) * SORT_SHARE * WORKGROUP_SIZE + local;
    // The bounds are compile-time constants, so that the arrays stay in registers.
    var loaded: array<vec3<f32>, SORT_SHARE>;
    var classes: array<Class, SORT_SHARE>;
    for (var k = 0u; k < SORT_SHARE; k++) {
        let index = first + k * WORKGROUP_SIZE;
        classes[k] = Class(0u, 0u);
        if index < grid_parameters.particle_count {
            loaded[k] = positions[index].xyz;
            classes[k] = Class(cell_of(loaded[k]), select(INNER, BORDER, grid::is_border(grid_parameters, loaded[k])));
            atomicAdd(&histogram[classes[k].cell], classes[k].weight);
        }
    }
    workgroupBarrier();
    // One atomic operation per cell reserves the slots of all the workgroup's particles, which reduces contention.
    var inner_places: array<u32, CELL_SHARE>;
    for (var k = 0u; k < CELL_SHARE; k++) {
        let cell = k * WORKGROUP_SIZE + local;
        if cell < grid_parameters.cell_count {
            let counts = atomicLoad(&histogram[cell]);
            let inner = counts % BORDER;
            if inner > 0u {
                let slots = INNER_SLOTS * grid_parameters.cell_count + cell;
                inner_places[k] = atomicSub(&cell_counters[slots], inner) - inner;
            }
            if counts >= BORDER {
                let place = atomicAdd(&cell_counters[grid_parameters.cell_count + cell], counts / BORDER);
                atomicStore(&histogram[cell], place);
            }
        }
    }
    workgroupBarrier();
    for (var k = 0u; k < SORT_SHARE; k++) {
        if classes[k].weight == BORDER {
            let place = atomicAdd(&histogram[classes[k].cell], 1u);
            store_sorted(place, loaded[k], first + k * WORKGROUP_SIZE);
        }
    }
    workgroupBarrier();
    for (var k = 0u; k < CELL_SHARE; k++) {
        let cell = k * WORKGROUP_SIZE + local;
        if cell < grid_parameters.cell_count {
            atomicStore(&histogram[cell], inner_places[k]);
        }
    }
    workgroupBarrier();
    for (var k = 0u; k < SORT_SHARE; k++) {
        if classes[k].weight == INNER {
            let place = atomicAdd(&histogram[classes[k].cell], 1u);
            store_sorted(place, loaded[k], first + k * WORKGROUP_SIZE);
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn find_starts(@builtin(global_invocation_id) id: vec3<u32>) {
    let cell = id.x;
    if cell >= grid_parameters.cell_count {
        return;
    }
    let splits = grid_parameters.cell_count;
    // Between the splits of two successive cells are the inner particles of the first and the border particles of the
    // second.
    var low = 0u;
    if cell > 0u {
        low = atomicLoad(&cell_counters[splits + cell - 1u]);
    }
    var high = atomicLoad(&cell_counters[splits + cell]);
    while low < high {
        let middle = (low + high) / 2u;
        if cell_of(sorted_positions[middle].xyz) < cell {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    atomicStore(&cell_counters[cell], low);
}
#endif

#ifdef TRAVERSAL
// Number of particles of a chunk that an invocation loads.
const SHARE: u32 = (CHUNK_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
// Largest number of waiting visitors: those of one round, and a remainder that is too small to occupy all invocations.
const QUEUE_CAPACITY: u32 = 2u * WORKGROUP_SIZE;
const NONE: u32 = 0xffffffffu;

// The local grid of a coarse cell whose lowest corner is the origin.
@group(0) @binding(3) var<uniform> local_parameters: Grid;

// Indices in the sorted order of the visitors that have the chunk's coarse cell within reach.
var<workgroup> queue: array<u32, QUEUE_CAPACITY>;
var<workgroup> queue_length: atomic<u32>;
// For each range: its length; the number of visitors up to its end; the difference between the index and the number of
// a visitor.
var<workgroup> run_lengths: array<u32, RUN_COUNT>;
var<workgroup> run_ends: array<u32, RUN_COUNT>;
var<workgroup> run_shifts: array<u32, RUN_COUNT>;

// The index of a visitor in the sorted order, and its position, m.
struct Visitor {
    index: u32,
    position: vec3<f32>,
}

// The visitor with the given number, or NONE past the last. `run` is the range of the previous visitor of the
// invocation.
fn load_visitor(number: u32, run: ptr<function, u32>) -> Visitor {
    if number >= run_ends[RUN_COUNT - 1u] {
        return Visitor(NONE, vec3<f32>(0.0));
    }
    while number >= run_ends[*run] {
        *run += 1u;
    }
    let index = run_shifts[*run] + number;
    return Visitor(index, sorted_positions[index].xyz);
}

// Algorithm 4: a visitor gathers from the chunk's particles in the local cells within its reach.
fn look_up(local_cells: Grid, own: Chunk, index: u32, position: vec3<f32>) {
#ifdef RECORD
    recording::begin_visitor(index);
#endif
    let found = visit_chunk(local_cells, pair::zero(), position, pair::load(index), index, false);
    // A particle of the chunk meets itself, unless its position is NaN.
    let met_itself = u32(index - own.first < own.last - own.first);
    if found.met > met_itself {
        pair::deposit(index, found.sum);
    }
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn traverse(invocation: Invocation) {
    let place = place_of(invocation);
    let local = order(place);
    let own = chunk_of_workgroup(dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count));
    let length = own.last - own.first;
    if length == 0u {
        return;
    }
#ifdef RECORD
    recording::enter_cell(
        own.cell,
        dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count),
        place.subgroup,
        place.lane,
    );
#endif
    let coord = grid::coord_of(grid_parameters, own.cell);
    let local_cells = local_grid::over_cell(local_parameters, grid_parameters, coord, length);

    // Algorithm 3, lines 6 to 20: count the particles of the chunk per local cell, scan the counts, sort the particles.
    var run = vec2<u32>(0u, 0u);
    if local < RUN_COUNT {
        run = visitors(local, own);
        run_lengths[local] = run.y;
    }
    local_grid::start(place);
    // The bound is a compile-time constant, so that the positions stay in registers.
    var loaded: array<vec3<f32>, SHARE>;
    for (var k = 0u; k < SHARE; k++) {
        let number = k * WORKGROUP_SIZE + local;
        loaded[k] = sorted_positions[own.first + min(number, length - 1u)].xyz;
        if number < length {
            local_grid::count(local_cells, loaded[k]);
        }
    }
    if local < RUN_COUNT {
        var before = 0u;
        for (var earlier = 0u; earlier < local; earlier++) {
            before += run_lengths[earlier];
        }
        run_ends[local] = before + run.y;
        run_shifts[local] = run.x - before;
    }
    local_grid::finish_counting(place, local_cells);
    // The first visitor is loaded early, so that its latency overlaps with the sort of the chunk.
    let visitor_count = run_ends[RUN_COUNT - 1u];
    var current_run = 0u;
    var visitor = load_visitor(local, &current_run);
    for (var k = 0u; k < SHARE; k++) {
        let number = k * WORKGROUP_SIZE + local;
        if number < length {
            local_grid::put(local_cells, loaded[k], own.first + number);
        }
    }
    workgroupBarrier();

#ifdef RECORD
    if local == 0u {
        recording::chunk_grid(local_cells);
    }
    for (var slot = local; slot < length; slot += WORKGROUP_SIZE) {
        recording::member(bitcast<u32>(chunk[slot].w), slot);
    }
#endif
    // Lines 21 to 24 for the particles of the chunk itself, in the order of the local cells. A remainder too small for
    // the workgroup waits in the queue.
    let rest = length % WORKGROUP_SIZE;
    for (var k = rest + local; k < length; k += WORKGROUP_SIZE) {
        look_up(local_cells, own, bitcast<u32>(chunk[k].w), chunk[k].xyz);
#ifdef RECORD
        recording::served(0u);
        recording::next_batch();
#endif
    }
    if local < rest {
        queue[local] = bitcast<u32>(chunk[local].w);
    }
    if local == 0u {
        atomicStore(&queue_length, rest);
    }
    workgroupBarrier();

    // Lines 21 to 35: the particles of the same cell that are not in the chunk, and the border particles of the cells
    // around it. Only some of these have this cell within reach. They wait in the queue, so that no invocation is idle
    // while others look up.
    let surroundings = local_grid::surroundings_of(grid_parameters, coord);
    var round = 0u;
    loop {
        let is_in_reach = local_grid::is_in(surroundings, visitor.position);
        if visitor.index != NONE && is_in_reach {
            queue[atomicAdd(&queue_length, 1u)] = visitor.index;
        }
#ifdef RECORD
        if visitor.index != NONE {
            recording::visitor(visitor.index, is_in_reach, current_run);
        }
        if place.lane == 0u {
            recording::reading(current_run, 1u, 2u, true);
        }
        recording::next_batch();
#endif
        round += WORKGROUP_SIZE;
        // The next visitor is loaded early, so that its latency overlaps with the look-ups.
        visitor = load_visitor(round + local, &current_run);
        workgroupBarrier();
        let queued = atomicLoad(&queue_length);
        let is_last = round >= visitor_count;
        // A remainder that would not occupy all invocations keeps waiting, except in the last round.
        let waiting = select(queued % WORKGROUP_SIZE, 0u, is_last);
        for (var k = waiting + local; k < queued; k += WORKGROUP_SIZE) {
            look_up(local_cells, own, queue[k], sorted_positions[queue[k]].xyz);
#ifdef RECORD
            // The remainder of the chunk waited in the queue, too.
            recording::served(select(2u, 0u, queue[k] - own.first < length));
            recording::next_batch();
#endif
        }
        if is_last {
            break;
        }
        // No visitor may enter the queue for the next round before all invocations have read theirs.
        workgroupBarrier();
        if local == 0u {
            atomicStore(&queue_length, waiting);
        }
        workgroupBarrier();
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
#endif
