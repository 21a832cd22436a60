// FENNS with a halo, after the build passes of `fenns`: sorts the border particles and the inner particles of each
// coarse cell in place by the parts of the cell (`nearwater::cell_parts`), and within a part by fine cells; notes where
// the border particles of each part begin; and lists the chunks of the cells that contain particles.
//
// Entry point: order_cells, one workgroup per coarse cell.

#import nearwater::cell_parts
#import nearwater::cell_parts::{PART_COUNT, UNPARTED}
#import nearwater::dispatch
#import nearwater::fenns_cells::{grid_parameters, inner_start_of, start_of}
#import nearwater::fine_order::{has_straddling, order_range, order_segment}
#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::local_grid::{CHUNK_CAPACITY, local_cell_start}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}

// First index of the border particles of each part of each coarse cell, in sorted order; len = 27 * cell_count.
@group(0) @binding(4) var<storage, read_write> part_starts: array<u32>;
// The number of chunks, zeroed by `clear_cells`, then for each chunk its coarse cell, its first particle, and one past
// its last; each contains at most CHUNK_CAPACITY particles. len = 3 * most chunks + 1.
@group(0) @binding(5) var<storage, read_write> chunk_list: array<atomic<u32>>;

// Sorts the border particles of a cell, and notes the starts of its parts. Contains barriers.
fn order_border(place: Place, cell: u32, low: vec3<f32>, begin: u32, end: u32) {
    let part = order(place);
    if begin == end {
        if part < PART_COUNT {
            part_starts[PART_COUNT * cell + part] = begin;
        }
        return;
    }
    if end - begin > CHUNK_CAPACITY {
        order_range(place, grid_parameters, low, begin, end);
    } else {
        order_segment(place, grid_parameters, low, begin, end - begin);
    }
    if part < PART_COUNT {
        let coord = vec3<u32>(part % 3u, part / 3u % 3u, part / 9u);
        let fine = cell_parts::fine_cells(grid_parameters, low, end - begin);
        let before = atomicLoad(&local_cell_start[cell_parts::first_cell_of_part(fine, coord)]);
        let is_unparted = end - begin > CHUNK_CAPACITY || atomicLoad(&has_straddling) != 0u;
        part_starts[PART_COUNT * cell + part] = select(begin + before, UNPARTED, is_unparted);
    }
}

// Lists the chunks of a cell with the particles [begin, end): as few as possible, and equally long.
fn list_chunks(cell: u32, begin: u32, end: u32) {
    let chunks = (end - begin + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY;
    let length = (end - begin + chunks - 1u) / chunks;
    let first_item = atomicAdd(&chunk_list[0], chunks);
    for (var number = 0u; number < chunks; number++) {
        let item = first_item + number;
        let first = min(begin + number * length, end);
        atomicStore(&chunk_list[3u * item + 1u], cell);
        atomicStore(&chunk_list[3u * item + 2u], first);
        atomicStore(&chunk_list[3u * item + 3u], min(first + length, end));
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn order_cells(invocation: Invocation) {
    let place = place_of(invocation);
    let cell = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if cell >= grid_parameters.cell_count {
        return;
    }
    let corner = vec3<f32>(grid::coord_of(grid_parameters, cell)) * grid_parameters.cell_size;
    let low = grid_parameters.origin + corner;
    let begin = start_of(cell);
    let inner = inner_start_of(cell);
    let end = start_of(cell + 1u);
    if order(place) == 0u && begin < end {
        list_chunks(cell, begin, end);
    }
    order_border(place, cell, low, begin, inner);
    order_range(place, grid_parameters, low, inner, end);
}
