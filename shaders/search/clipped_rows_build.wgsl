// The build of the search by clipped rows: a counting sort in three dispatches. The rows of cells along x are placed in
// memory in the order in which workgroups reach them; within a row, the cells follow one another.
//
// Entry points, in order of dispatch:
// count_particles one invocation per particle: adds it to the counter of its cell, which gives its place in the cell
// place_rows one workgroup per batch of complete rows: takes room for the batch's particles with one atomic
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
    // Number of vectors of four entries in the table.
    vector_count: u32,
    // Vectors of the complete rows that one workgroup places.
    vectors_per_batch: u32,
    // Number of such batches.
    batch_count: u32,
}

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
@group(0) @binding(1) var<uniform> row_table: RowTable;
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
#ifdef PLACES_ROWS
// Number of particles in each cell, four cells in a vector, and zeros at the end of each row; len = vector_count.
@group(0) @binding(3) var<storage, read_write> counters: array<vec4<u32>>;
// Index of each cell's first particle, and at the end of each row the index past its last; len = vector_count.
@group(0) @binding(4) var<storage, read_write> cell_start: array<vec4<u32>>;
#else
// Number of particles in each cell, and zeros at the end of each row; len = 4 * vector_count.
@group(0) @binding(3) var<storage, read_write> cell_counters: array<atomic<u32>>;
// Index of each cell's first particle, and at the end of each row the index past its last; len = 4 * vector_count.
@group(0) @binding(4) var<storage, read> cell_start: array<u32>;
#endif
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
// A block is four rows, in each of which every invocation has one vector.
const BLOCK: u32 = 4u * WORKGROUP_SIZE;

// Index of the first particle of the workgroup's batch.
var<workgroup> batch_start: u32;

// The vectors of one invocation in a block.
struct Vectors {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

// The counters of the vector with the given index; zeros past the end. There is no branch, so that all loads of an
// invocation are in flight at once.
fn counters_at(index: u32, end: u32) -> vec4<u32> {
    return select(vec4<u32>(0u), counters[min(index, end - 1u)], index < end);
}

fn counters_of(index: u32, end: u32) -> Vectors {
    return Vectors(
        counters_at(index, end),
        counters_at(index + WORKGROUP_SIZE, end),
        counters_at(index + 2u * WORKGROUP_SIZE, end),
        counters_at(index + 3u * WORKGROUP_SIZE, end),
    );
}

fn sum_of(vector: vec4<u32>) -> u32 {
    return vector.x + vector.y + vector.z + vector.w;
}

fn sums_of(vectors: Vectors) -> vec4<u32> {
    return vec4<u32>(sum_of(vectors.first), sum_of(vectors.second), sum_of(vectors.third), sum_of(vectors.fourth));
}

// Writes the starts of four cells, and sets their counters to zero.
fn write_vector(index: u32, end: u32, counts: vec4<u32>, start: u32) {
    if index < end {
        let second = start + counts.x;
        let third = second + counts.y;
        cell_start[index] = vec4<u32>(start, second, third, third + counts.z);
        // Most cells are empty, and writing them again takes as long as reading them.
        if any(counts != vec4<u32>(0u)) {
            counters[index] = vec4<u32>(0u);
        }
    }
}

fn write_vectors(index: u32, end: u32, counts: Vectors, starts: vec4<u32>) {
    write_vector(index, end, counts.first, starts.x);
    write_vector(index + WORKGROUP_SIZE, end, counts.second, starts.y);
    write_vector(index + 2u * WORKGROUP_SIZE, end, counts.third, starts.z);
    write_vector(index + 3u * WORKGROUP_SIZE, end, counts.fourth, starts.w);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn place_rows(invocation: Invocation) {
    let batch = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if batch >= row_table.batch_count {
        return;
    }
    let place = place_of(invocation);
    let begin = batch * row_table.vectors_per_batch;
    let end = min(begin + row_table.vectors_per_batch, row_table.vector_count);
    let own = begin + order(place);
    let counts = counters_of(own, end);
    let scanned = workgroup_exclusive_scan(place, sums_of(counts));
    var total = total_of_rows(scanned);
    let has_more = row_table.vectors_per_batch > BLOCK;
    if has_more {
        // One long row: the other blocks are read twice, first for their sum.
        var others = vec4<u32>(0u);
        for (var block = BLOCK; block < end - begin; block += BLOCK) {
            others += sums_of(counters_of(own + block, end));
        }
        total += total_of_rows(workgroup_exclusive_scan(place, others));
    }
    if order(place) == 0u {
        batch_start = atomicAdd(&placed, total);
    }
    let start = workgroupUniformLoad(&batch_start);
    write_vectors(own, end, counts, before_rows(scanned, start));
    if has_more {
        var before = start + total_of_rows(scanned);
        for (var block = BLOCK; block < end - begin; block += BLOCK) {
            let more = counters_of(own + block, end);
            let scanned_more = workgroup_exclusive_scan(place, sums_of(more));
            write_vectors(own + block, end, more, before_rows(scanned_more, before));
            before += total_of_rows(scanned_more);
        }
    }
}
#endif
