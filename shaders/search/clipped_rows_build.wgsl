// The build of the search by clipped rows: a counting sort in three dispatches. The rows of cells along x are placed in
// memory in the order in which workgroups reach them; within a row, the cells follow one another.
//
// Entry points, in order of dispatch:
//   count_particles   one invocation per particle: adds it to the counter of its cell, which gives its place in the cell
//   place_rows        one workgroup per batch of complete rows: takes room for the batch's particles with one atomic
//                     addition, writes the start of every cell, and sets the counters to zero for the next build
//   scatter           one invocation per particle: copies its position to the start of its cell plus its place
//
// The counters are zero when the buffer is created and after every build.

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::clipped_rows_table::table_index
#ifdef PLACES_ROWS
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan}
#endif

const WORKGROUP: u32 = 256u;

// Mirrored by `search::clipped_rows::RowTable`.
struct RowTable {
    // Number of entries of the table: cells, and one more for each row.
    entry_count: u32,
    // Entries of the complete rows that one workgroup places.
    entries_per_batch: u32,
    // Number of such batches.
    batch_count: u32,
}

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
@group(0) @binding(1) var<uniform> row_table: RowTable;
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
// Number of particles in each cell, with an unused counter at the end of each row; len = entry_count.
@group(0) @binding(3) var<storage, read_write> cell_counters: array<atomic<u32>>;
// Index of each cell's first particle, and at the end of each row the index past its last; len = entry_count.
@group(0) @binding(4) var<storage, read_write> cell_start: array<u32>;
// Index of each particle among the particles of its cell; len = particle_count.
@group(0) @binding(5) var<storage, read_write> places: array<u32>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(6) var<storage, read_write> sorted_positions: array<vec4<f32>>;
// Number of particles in the rows placed so far; len = 1.
@group(0) @binding(7) var<storage, read_write> placed: atomic<u32>;

#ifndef PLACES_ROWS
// The entry of the cell that contains a position. Both passes compute it by the same operations.
fn entry_of(position: vec3<f32>) -> u32 {
    return table_index(grid_parameters, grid::cell_coord(grid_parameters, position));
}

@compute @workgroup_size(WORKGROUP)
fn count_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        places[index] = atomicAdd(&cell_counters[entry_of(positions[index].xyz)], 1u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn scatter(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index == 0u {
        atomicStore(&placed, 0u);
    }
    if index < grid_parameters.particle_count {
        let position = positions[index].xyz;
        let place = cell_start[entry_of(position)] + places[index];
        // An interrupted build leaves counters behind; this keeps the next one within the buffer.
        let safe = min(place, grid_parameters.particle_count - 1u);
        sorted_positions[safe] = vec4<f32>(position, bitcast<f32>(index));
    }
}
#endif

#ifdef PLACES_ROWS
const BLOCK: u32 = 4u * WORKGROUP_SIZE;

// Index of the first particle of the workgroup's batch.
var<workgroup> batch_start: u32;

// The invocation's four counters of a block, which are set to zero.
fn take_counters(first: u32, end: u32) -> vec4<u32> {
    var counts = vec4<u32>(0u);
    for (var part = 0u; part < 4u; part++) {
        let entry = first + part * WORKGROUP_SIZE;
        if entry < end {
            counts[part] = atomicLoad(&cell_counters[entry]);
            atomicStore(&cell_counters[entry], 0u);
        }
    }
    return counts;
}

// The invocation's four counters of a block, left as they are.
fn read_counters(first: u32, end: u32) -> vec4<u32> {
    var counts = vec4<u32>(0u);
    for (var part = 0u; part < 4u; part++) {
        let entry = first + part * WORKGROUP_SIZE;
        if entry < end {
            counts[part] = atomicLoad(&cell_counters[entry]);
        }
    }
    return counts;
}

fn write_starts(first: u32, end: u32, starts: vec4<u32>) {
    for (var part = 0u; part < 4u; part++) {
        let entry = first + part * WORKGROUP_SIZE;
        if entry < end {
            cell_start[entry] = starts[part];
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn place_rows(invocation: Invocation) {
    let batch = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if batch >= row_table.batch_count {
        return;
    }
    let place = place_of(invocation);
    let begin = batch * row_table.entries_per_batch;
    let end = min(begin + row_table.entries_per_batch, row_table.entry_count);
    let own = begin + order(place);
    var scanned = workgroup_exclusive_scan(place, take_counters(own, end));
    var total = total_of_rows(scanned);
    let has_more = row_table.entries_per_batch > BLOCK;
    if has_more {
        // One long row: the other blocks are read twice, first for their sum.
        var others = vec4<u32>(0u);
        for (var block = BLOCK; block < end - begin; block += BLOCK) {
            others += read_counters(own + block, end);
        }
        total += total_of_rows(workgroup_exclusive_scan(place, others));
    }
    if order(place) == 0u {
        batch_start = atomicAdd(&placed, total);
    }
    let start = workgroupUniformLoad(&batch_start);
    write_starts(own, end, before_rows(scanned, start));
    if has_more {
        var before = start + total_of_rows(scanned);
        for (var block = BLOCK; block < end - begin; block += BLOCK) {
            scanned = workgroup_exclusive_scan(place, take_counters(own + block, end));
            write_starts(own + block, end, before_rows(scanned, before));
            before += total_of_rows(scanned);
        }
    }
}
#endif
