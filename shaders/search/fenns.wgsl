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
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan}
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
    let share = (grid_parameters.particle_count + workgroup_count.x - 1u) / workgroup_count.x;
    let first = share * workgroup_id.x;
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

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP_SIZE + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = positions[index].xyz;
    // 1 and upward in the second half, or 0 and downward in the first.
    let border = u32(grid::is_border(grid_parameters, position));
    let counter = cell_of(position) + border * grid_parameters.cell_count;
    let place = atomicAdd(&cell_counters[counter], 2u * border - 1u) + border - 1u;
    // A position that is no number need not fall into the cell that it was counted in.
    if place < grid_parameters.particle_count {
        sorted_positions[place] = vec4<f32>(position, bitcast<f32>(index));
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
// Cells of the local grid at most.
const LOCAL_CAPACITY: u32 = #{LOCAL_CAPACITY}u;
// Visitors that an invocation tests in a round.
const BATCH: u32 = 4u;
// Visitors that wait to look the chunk up at most: those of a round, and a round before it.
const QUEUE_CAPACITY: u32 = 2u * BATCH * WORKGROUP_SIZE;
// Runs of particles that visit a chunk: before it and after it in its own cell, and the borders of 26 cells.
const RANGE_COUNT: u32 = 28u;

// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Where each coarse cell's particles start, then where its inner ones do; len = 2 * cell_count.
@group(0) @binding(2) var<storage, read> cell_starts: array<u32>;
// The local grid of a coarse cell whose lowest corner is the origin.
@group(0) @binding(3) var<uniform> local_parameters: Grid;

// The chunk in the order of the local cells: xyz in metres, bits of the place in the sorted order.
var<workgroup> chunk: array<vec4<f32>, CHUNK_CAPACITY>;
// Where the cells of the local grid end in `chunk`, behind a zero: so a cell starts at its own number here.
var<workgroup> local_ends: array<atomic<u32>, LOCAL_CAPACITY + 1u>;
// Visitors with the chunk's coarse cell within reach, by their place in the sorted order.
var<workgroup> queue: array<u32, QUEUE_CAPACITY>;
var<workgroup> queue_length: atomic<u32>;
// Particles of each run of visitors; number of visitors up to its end; what leads from a visitor's number to its place.
var<workgroup> range_lengths: array<u32, RANGE_COUNT>;
var<workgroup> range_ends: array<u32, RANGE_COUNT>;
var<workgroup> range_shifts: array<u32, RANGE_COUNT>;

fn start_of(cell: u32) -> u32 {
    // Behind the last cell ends the array, not its half.
    if cell == grid_parameters.cell_count {
        return grid_parameters.particle_count;
    }
    return cell_starts[cell];
}

// Workgroups before those of a coarse cell: it has one, and one more for each multiple of the chunk's capacity that
// its block touches; never fewer than its chunks.
fn workgroups_before(cell: u32) -> u32 {
    return start_of(cell) / CHUNK_CAPACITY + cell;
}

// The coarse cell that a workgroup serves.
fn cell_of_workgroup(workgroup: u32) -> u32 {
    var low = 0u;
    var high = grid_parameters.cell_count;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if workgroups_before(middle) <= workgroup {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

fn coord_of(cell: u32) -> vec3<u32> {
    let counts = grid_parameters.cell_counts;
    return vec3<u32>(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y));
}

// First place and length of a run of visitors to the chunk [first, last) of the coarse cell.
fn visitors(range: u32, cell: u32, first: u32, last: u32) -> vec2<u32> {
    if range == 0u {
        return vec2<u32>(start_of(cell), first - start_of(cell));
    }
    if range == 1u {
        return vec2<u32>(last, start_of(cell + 1u) - last);
    }
    // Numbers 0 to 26 without the cell in the middle.
    let number = range - 2u + u32(range >= 15u);
    // One below 0 wraps around, and is no cell either.
    let coord = coord_of(cell) + vec3<u32>(number % 3u, number / 3u % 3u, number / 9u) - 1u;
    if any(coord >= grid_parameters.cell_counts) {
        return vec2<u32>(0u, 0u);
    }
    let other = grid::cell_index(grid_parameters, coord);
    return vec2<u32>(cell_starts[other], cell_starts[grid_parameters.cell_count + other] - cell_starts[other]);
}

fn local_cell(local_grid: Grid, position: vec3<f32>) -> u32 {
    return grid::cell_index(local_grid, grid::cell_coord(local_grid, position));
}

fn load_end(place: u32, place_count: u32) -> u32 {
    if place >= place_count {
        return 0u;
    }
    return atomicLoad(&local_ends[place]);
}

fn store_end(place: u32, place_count: u32, end: u32) {
    if place < place_count {
        atomicStore(&local_ends[place], end);
    }
}

// Algorithm 4: a visitor gathers from the chunk's particles in the local cells that it can see.
fn look_up(local_grid: Grid, index: u32, position: vec3<f32>, is_of_chunk: bool) {
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
            let begin = atomicLoad(&local_ends[row + low.x]);
            let end = atomicLoad(&local_ends[row + high.x + 1u]);
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
    candidates -= min(candidates, u32(is_of_chunk));
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
    let workgroup = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    let cell = cell_of_workgroup(workgroup);
    let block_start = start_of(cell);
    let block_length = start_of(cell + 1u) - block_start;
    let chunk_count = (block_length + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY;
    let number = workgroup - workgroups_before(cell);
    if number >= chunk_count {
        return;
    }
    // Chunks of a cell are equally long.
    let chunk_length = (block_length + chunk_count - 1u) / chunk_count;
    let first = block_start + number * chunk_length;
    let last = min(first + chunk_length, block_start + block_length);

    let coord = coord_of(cell);
    var local_grid = local_parameters;
    local_grid.origin = grid_parameters.origin + vec3<f32>(coord) * grid_parameters.cell_size;

    // Algorithm 3, lines 6 to 20: the chunk, counted, scanned and placed.
    let place_count = local_grid.cell_count + 1u;
    for (var end = local; end < place_count; end += WORKGROUP_SIZE) {
        atomicStore(&local_ends[end], 0u);
    }
    var own_range = vec2<u32>(0u, 0u);
    if local < RANGE_COUNT {
        own_range = visitors(local, cell, first, last);
        range_lengths[local] = own_range.y;
    }
    if local == 0u {
        atomicStore(&queue_length, 0u);
    }
    workgroupBarrier();
    for (var index = first + local; index < last; index += WORKGROUP_SIZE) {
        atomicAdd(&local_ends[local_cell(local_grid, sorted_positions[index].xyz) + 1u], 1u);
    }
    if local < RANGE_COUNT {
        var before = 0u;
        for (var range = 0u; range < local; range++) {
            before += range_lengths[range];
        }
        range_ends[local] = before + own_range.y;
        range_shifts[local] = own_range.x - before;
    }
    workgroupBarrier();
    var before = 0u;
    for (var first_place = 1u; first_place < place_count; first_place += 4u * WORKGROUP_SIZE) {
        let places = first_place + local + vec4(0u, WORKGROUP_SIZE, 2u * WORKGROUP_SIZE, 3u * WORKGROUP_SIZE);
        let counts = vec4(
            load_end(places.x, place_count),
            load_end(places.y, place_count),
            load_end(places.z, place_count),
            load_end(places.w, place_count),
        );
        let scanned = workgroup_exclusive_scan(place, counts);
        let starts = before_rows(scanned, before);
        store_end(places.x, place_count, starts.x);
        store_end(places.y, place_count, starts.y);
        store_end(places.z, place_count, starts.z);
        store_end(places.w, place_count, starts.w);
        before += total_of_rows(scanned);
    }
    workgroupBarrier();
    for (var index = first + local; index < last; index += WORKGROUP_SIZE) {
        let position = sorted_positions[index].xyz;
        let slot = atomicAdd(&local_ends[local_cell(local_grid, position) + 1u], 1u);
        if slot < CHUNK_CAPACITY {
            chunk[slot] = vec4<f32>(position, bitcast<f32>(index));
        }
    }
    workgroupBarrier();

    // Lines 21 to 24, for the chunk itself.
    for (var k = local; k < last - first; k += WORKGROUP_SIZE) {
        look_up(local_grid, bitcast<u32>(chunk[k].w), chunk[k].xyz, true);
    }

    // Lines 21 to 35: those of the same cell that are not in the chunk, and the border particles of the cells around it.
    // Few of the latter have this cell within reach: they queue, so that no invocation idles while others look up.
    let visitor_count = range_ends[RANGE_COUNT - 1u];
    var range = 0u;
    for (var round = 0u; round < visitor_count; round += BATCH * WORKGROUP_SIZE) {
        for (var batch = 0u; batch < BATCH; batch++) {
            let visitor = round + batch * WORKGROUP_SIZE + local;
            if visitor < visitor_count {
                while visitor >= range_ends[range] {
                    range++;
                }
                let index = range_shifts[range] + visitor;
                if grid::can_see(grid_parameters, sorted_positions[index].xyz, coord) {
                    queue[atomicAdd(&queue_length, 1u)] = index;
                }
            }
        }
        workgroupBarrier();
        let length = atomicLoad(&queue_length);
        let is_last = visitor_count - round <= BATCH * WORKGROUP_SIZE;
        // Nobody may queue for the next round before all have read how long the queue is.
        workgroupBarrier();
        if is_last || length > QUEUE_CAPACITY - BATCH * WORKGROUP_SIZE {
            for (var k = local; k < length; k += WORKGROUP_SIZE) {
                look_up(local_grid, queue[k], sorted_positions[queue[k]].xyz, false);
            }
            if local == 0u {
                atomicStore(&queue_length, 0u);
            }
            workgroupBarrier();
        }
    }
}
#endif
