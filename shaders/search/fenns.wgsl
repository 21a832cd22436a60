// FENNS 2019, coarse cells with border and inner particles, and local grids made on the fly.
//
// Entry points, in order of dispatch:
//   clear_cells       one invocation a coarse cell: zeroes its counter
//   count_particles   (Algorithm 1) a histogram of each workgroup's share in workgroup memory, then one addition a cell
//   scan_cells        one workgroup: inclusive scan into the first half of the counters, exclusive into the second
//   sort_particles    (Algorithm 2) one invocation a particle: border particles take places upward from their cell's
//                     exclusive value, inner ones downward from the inclusive one, so that a cell's block is
//                     [border | inner]. Afterwards both halves hold the place where the inner particles begin
//   find_starts       one invocation a coarse cell: puts the start of the block into the first half. The paper lets each
//                     group subtract its border particles when it ends, while others still draw places from the same
//                     counter. Here no group has to know of another: the cell of the particles between two splits
//                     changes exactly once, at the start, which is found by halving
//   traverse          (Algorithms 3 and 4) one workgroup a chunk of a coarse cell: sorts the chunk into a local grid in
//                     workgroup memory, where the particles of the same coarse cell and the border particles of the 26
//                     around it look it up, and deposits what each of them gathered
//   (finish_deposits)

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::dispatch
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan}
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::visit
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

#ifndef TRAVERSAL
// Coarse cells that counters in workgroup memory allow.
const CELL_CAPACITY: u32 = #{CELL_CAPACITY}u;

// xyz in metres; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Two numbers of each coarse cell, one in each half: its count at first, in the end where its block starts and where
// the inner particles start. len = 2 * cell_count.
@group(0) @binding(2) var<storage, read_write> cell_counters: array<atomic<u32>>;
// xyz in metres, bits of the index into `positions`; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;

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
    // Consecutive particles: where the input is nearly sorted they fill few cells.
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
            atomicAdd(&cell_counters[cell], count);
        }
    }
}

fn count_of(cell: u32) -> u32 {
    if cell >= grid_parameters.cell_count {
        return 0u;
    }
    return atomicLoad(&cell_counters[cell]);
}

fn store_scanned(cell: u32, exclusive: u32, count: u32) {
    if cell < grid_parameters.cell_count {
        atomicStore(&cell_counters[cell], exclusive + count);
        atomicStore(&cell_counters[grid_parameters.cell_count + cell], exclusive);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_cells(invocation: Invocation) {
    let place = place_of(invocation);
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

// Particles that an invocation sorts: with those of its workgroup no more than 16 bits count.
const SORT_SHARE: u32 = #{SORT_SHARE}u;
// Coarse cells whose places an invocation reserves.
const CELL_SHARE: u32 = (CELL_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
// What a border and an inner particle add to their cell's counter.
const BORDER: u32 = 0x10000u;
const INNER: u32 = 1u;

// A particle's cell, and whether it is a border particle.
struct Class {
    cell: u32,
    weight: u32,
}

fn store_sorted(place: u32, position: vec3<f32>, index: u32) {
    // A position that is no number need not fall into the cell that it was counted in.
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
    // Bounds known to the compiler, so that all of this stays in registers.
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
    // Places for all the workgroup's particles of a cell at once, so that few wait for the same counter.
    var inner_places: array<u32, CELL_SHARE>;
    for (var k = 0u; k < CELL_SHARE; k++) {
        let cell = k * WORKGROUP_SIZE + local;
        if cell < grid_parameters.cell_count {
            let counts = atomicLoad(&histogram[cell]);
            let inner = counts % BORDER;
            if inner > 0u {
                inner_places[k] = atomicSub(&cell_counters[cell], inner) - inner;
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
    // Between the splits of two cells in turn lie the inner particles of the first and the border ones of the second.
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
// Particles of a chunk at most.
const CHUNK_CAPACITY: u32 = #{CHUNK_CAPACITY}u;
// Those of them that an invocation loads.
const SHARE: u32 = (CHUNK_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
// Cells of the local grid at most.
const LOCAL_CAPACITY: u32 = #{LOCAL_CAPACITY}u;
// Visitors that wait to look the chunk up at most: those of a round, and some too few to occupy all invocations.
const QUEUE_CAPACITY: u32 = 2u * WORKGROUP_SIZE;
// Runs of particles that visit a chunk: before it and after it in its own cell, and the borders of 26 cells.
const RUN_COUNT: u32 = 28u;
const INFINITY: f32 = 3.4e38;
const NOBODY: u32 = 0xffffffffu;

// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Where each coarse cell's particles start, then where its inner ones do; len = 2 * cell_count.
@group(0) @binding(2) var<storage, read> cell_starts: array<u32>;
// The local grid of a coarse cell whose lowest corner is the origin.
@group(0) @binding(3) var<uniform> local_parameters: Grid;

// The chunk in the order of the local cells: xyz in metres, bits of the place in the sorted order.
var<workgroup> chunk: array<vec4<f32>, CHUNK_CAPACITY>;
// Where each cell of the local grid starts in `chunk`, and behind them where the last ends.
var<workgroup> local_starts: array<atomic<u32>, LOCAL_CAPACITY + 1u>;
// Visitors that have the chunk's coarse cell within reach, by their place in the sorted order.
var<workgroup> queue: array<u32, QUEUE_CAPACITY>;
var<workgroup> queue_length: atomic<u32>;
// Of each run: its length; number of visitors up to its end; what leads from a visitor's number to its place.
var<workgroup> run_lengths: array<u32, RUN_COUNT>;
var<workgroup> run_ends: array<u32, RUN_COUNT>;
var<workgroup> run_shifts: array<u32, RUN_COUNT>;

fn start_of(cell: u32) -> u32 {
    // Behind the last cell ends the array, not its half.
    if cell == grid_parameters.cell_count {
        return grid_parameters.particle_count;
    }
    return cell_starts[cell];
}

// Particles [first, last) of a coarse cell; none where a workgroup has nothing to do.
struct Chunk {
    cell: u32,
    first: u32,
    last: u32,
}

// The first workgroups serve the first chunk of a coarse cell each. Those behind them serve a place each that is a
// multiple of the capacity: a block that needs more chunks than one holds at least as many of these.
fn chunk_of_workgroup(workgroup: u32) -> Chunk {
    var cell = workgroup;
    var number = 0u;
    if workgroup >= grid_parameters.cell_count {
        let multiple = workgroup - grid_parameters.cell_count + 1u;
        if multiple > grid_parameters.particle_count / CHUNK_CAPACITY {
            return Chunk(0u, 0u, 0u);
        }
        let position = sorted_positions[multiple * CHUNK_CAPACITY - 1u].xyz;
        cell = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, position));
        number = multiple - start_of(cell) / CHUNK_CAPACITY;
    }
    let start = start_of(cell);
    let length = start_of(cell + 1u) - start;
    let chunk_count = (length + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY;
    if number >= chunk_count {
        return Chunk(0u, 0u, 0u);
    }
    // Chunks of a cell are equally long.
    let chunk_length = (length + chunk_count - 1u) / chunk_count;
    let first = min(number * chunk_length, length);
    return Chunk(cell, start + first, start + min(first + chunk_length, length));
}

fn coord_of(cell: u32) -> vec3<u32> {
    let counts = grid_parameters.cell_counts;
    return vec3<u32>(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y));
}

// First place and length of a run of visitors.
fn visitors(run: u32, own: Chunk) -> vec2<u32> {
    if run == 0u {
        return vec2<u32>(start_of(own.cell), own.first - start_of(own.cell));
    }
    if run == 1u {
        return vec2<u32>(own.last, start_of(own.cell + 1u) - own.last);
    }
    // Numbers 0 to 26 without the cell in the middle.
    let number = run - 2u + u32(run >= 15u);
    // One below 0 wraps around, and is no cell either.
    let coord = coord_of(own.cell) + vec3<u32>(number % 3u, number / 3u % 3u, number / 9u) - 1u;
    if any(coord >= grid_parameters.cell_counts) {
        return vec2<u32>(0u, 0u);
    }
    let other = grid::cell_index(grid_parameters, coord);
    return vec2<u32>(cell_starts[other], cell_starts[grid_parameters.cell_count + other] - cell_starts[other]);
}

fn load_count(cell: u32, cell_count: u32) -> u32 {
    if cell >= cell_count {
        return 0u;
    }
    return atomicLoad(&local_starts[cell]);
}

fn store_start(cell: u32, cell_count: u32, start: u32) {
    // The one behind the last as well: it has no particles and starts where the last ends.
    if cell <= cell_count {
        atomicStore(&local_starts[cell], start);
    }
}

fn scan_local_cells(place: Place, cell_count: u32) {
    var before = 0u;
    for (var first = 0u; first <= cell_count; first += 4u * WORKGROUP_SIZE) {
        let cells = first + order(place) + vec4(0u, WORKGROUP_SIZE, 2u * WORKGROUP_SIZE, 3u * WORKGROUP_SIZE);
        let counts = vec4(
            load_count(cells.x, cell_count),
            load_count(cells.y, cell_count),
            load_count(cells.z, cell_count),
            load_count(cells.w, cell_count),
        );
        let scanned = workgroup_exclusive_scan(place, counts);
        let starts = before_rows(scanned, before);
        store_start(cells.x, cell_count, starts.x);
        store_start(cells.y, cell_count, starts.y);
        store_start(cells.z, cell_count, starts.z);
        store_start(cells.w, cell_count, starts.w);
        before += total_of_rows(scanned);
    }
}

// A visitor's place in the sorted order and its position.
struct Visitor {
    index: u32,
    position: vec3<f32>,
}

// The visitor of that number, if there are so many. `run` is where the invocation found the one before.
fn load_visitor(number: u32, run: ptr<function, u32>) -> Visitor {
    if number >= run_ends[RUN_COUNT - 1u] {
        return Visitor(NOBODY, vec3<f32>(0.0));
    }
    while number >= run_ends[*run] {
        *run += 1u;
    }
    let index = run_shifts[*run] + number;
    return Visitor(index, sorted_positions[index].xyz);
}

// Algorithm 4: a visitor gathers from the chunk's particles in the local cells that it can see.
fn look_up(local_grid: Grid, own: Chunk, index: u32, position: vec3<f32>) {
    let low = grid::cell_coord(local_grid, position - grid_parameters.reach);
    let high = grid::cell_coord(local_grid, position + grid_parameters.reach);
    let particle = pair::load(index);
    var sum = pair::zero();
    var candidates = 0u;
    var neighbors = 0u;
    for (var z = low.z; z <= high.z; z++) {
        for (var y = low.y; y <= high.y; y++) {
            // Cells of a row are neighbors in memory, so all its particles are one range.
            let row = grid::cell_index(local_grid, vec3<u32>(0u, y, z));
            let begin = atomicLoad(&local_starts[row + low.x]);
            let end = atomicLoad(&local_starts[row + high.x + 1u]);
            candidates += max(end, begin) - begin;
            for (var k = begin; k < end; k++) {
                let candidate = chunk[k];
                let other = bitcast<u32>(candidate.w);
                let offset = position - candidate.xyz;
                sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
#ifdef COUNT_PAIRS
                neighbors += u32(other != index && dot(offset, offset) <= grid_parameters.radius_squared);
#endif
            }
        }
    }
    // A particle of the chunk meets itself there, unless its position is no number.
    let met_itself = u32(index - own.first < own.last - own.first);
    candidates -= min(candidates, met_itself);
    if candidates > 0u {
        pair::deposit(index, sum);
#ifdef COUNT_PAIRS
        counting::count_particle(index, candidates, neighbors);
#endif
    }
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
    let reach = grid_parameters.reach;
    let coord = coord_of(own.cell);
    var local_grid = local_parameters;
    local_grid.origin = grid_parameters.origin + vec3<f32>(coord) * grid_parameters.cell_size;

    // Algorithm 3, lines 6 to 20: the chunk, counted, scanned and placed.
    for (var cell = local; cell < local_grid.cell_count; cell += WORKGROUP_SIZE) {
        atomicStore(&local_starts[cell], 0u);
    }
    var run = vec2<u32>(0u, 0u);
    if local < RUN_COUNT {
        run = visitors(local, own);
        run_lengths[local] = run.y;
    }
    workgroupBarrier();
    // Bounds known to the compiler, so that all of this stays in registers.
    var loaded: array<vec3<f32>, SHARE>;
    var cells: array<u32, SHARE>;
    var ranks: array<u32, SHARE>;
    for (var k = 0u; k < SHARE; k++) {
        let number = k * WORKGROUP_SIZE + local;
        loaded[k] = sorted_positions[own.first + min(number, length - 1u)].xyz;
        cells[k] = grid::cell_index(local_grid, grid::cell_coord(local_grid, loaded[k]));
        if number < length {
            ranks[k] = atomicAdd(&local_starts[cells[k]], 1u);
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
    workgroupBarrier();
    // The first visitor is on its way while the chunk is placed.
    let visitor_count = run_ends[RUN_COUNT - 1u];
    var current_run = 0u;
    var visitor = load_visitor(local, &current_run);
    scan_local_cells(place, local_grid.cell_count);
    workgroupBarrier();
    for (var k = 0u; k < SHARE; k++) {
        let number = k * WORKGROUP_SIZE + local;
        if number < length {
            let slot = atomicLoad(&local_starts[cells[k]]) + ranks[k];
            chunk[slot] = vec4<f32>(loaded[k], bitcast<f32>(own.first + number));
        }
    }
    workgroupBarrier();

    // Lines 21 to 24 for the chunk itself, in the order of the local cells; a rest too small for the workgroup queues.
    let rest = length % WORKGROUP_SIZE;
    for (var k = rest + local; k < length; k += WORKGROUP_SIZE) {
        look_up(local_grid, own, bitcast<u32>(chunk[k].w), chunk[k].xyz);
    }
    if local < rest {
        queue[local] = bitcast<u32>(chunk[local].w);
    }
    if local == 0u {
        atomicStore(&queue_length, rest);
    }
    workgroupBarrier();

    // Lines 21 to 35: those of the same cell that are not in the chunk, and the border particles of the cells around it.
    // Few of the latter have this cell within reach: they queue, so that no invocation idles while others look up.
    // The cell and what is within reach of it, in metres: the rounding of both is far below what the reach has to spare.
    let corner = local_grid.origin;
    let lowest = select(corner - reach, vec3<f32>(-INFINITY), coord == vec3<u32>(0u));
    let is_last_cell = coord == grid_parameters.cell_counts - 1u;
    let highest = select(corner + grid_parameters.cell_size + reach, vec3<f32>(INFINITY), is_last_cell);
    var round = 0u;
    loop {
        if visitor.index != NOBODY && all(visitor.position >= lowest) && all(visitor.position <= highest) {
            queue[atomicAdd(&queue_length, 1u)] = visitor.index;
        }
        round += WORKGROUP_SIZE;
        // The next one is on its way while the workgroup looks up.
        visitor = load_visitor(round + local, &current_run);
        workgroupBarrier();
        let queued = atomicLoad(&queue_length);
        let is_last = round >= visitor_count;
        // As many as occupy all invocations; in the end all.
        let waiting = select(queued % WORKGROUP_SIZE, 0u, is_last);
        for (var k = waiting + local; k < queued; k += WORKGROUP_SIZE) {
            look_up(local_grid, own, queue[k], sorted_positions[queue[k]].xyz);
        }
        if is_last {
            break;
        }
        // Nobody may queue for the next round before all have taken theirs from the queue.
        workgroupBarrier();
        if local == 0u {
            atomicStore(&queue_length, waiting);
        }
        workgroupBarrier();
    }
}
#endif
