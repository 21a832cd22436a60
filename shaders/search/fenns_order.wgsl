// FENNS with a halo, after the build passes of `fenns`: sorts the particles of each coarse cell in place by the parts
// of the cell (`nearwater::cell_parts`), so that border particles precede inner particles, and within a part by fine
// cells; notes where each part begins; and lists the chunks of the cells that contain particles, with their bounding
// boxes.
//
// Entry point: order_cells, one workgroup per coarse cell.

#import nearwater::cell_parts
#import nearwater::cell_parts::{PART_COUNT, UNPARTED}
#import nearwater::dispatch
#import nearwater::fenns_cells::{grid_parameters, inner_start_of, start_of}
#import nearwater::fine_order::{has_straddling, order_range, order_segment, sorted_positions}
#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::local_grid
#import nearwater::local_grid::{Box, CHUNK_CAPACITY, chunk, local_cell_start}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}

// First index of the particles of each part of each coarse cell, in sorted order; len = 27 * cell_count.
@group(0) @binding(4) var<storage, read_write> part_starts: array<u32>;
// The number of chunks, zeroed by `scan_cells`, then nine numbers for each chunk: its coarse cell, its first particle,
// one past its last, and as the bits of floats the lowest and the highest corner of its bounding box, m; each contains
// at most CHUNK_CAPACITY particles. len = 9 * most chunks + 1.
@group(0) @binding(5) var<storage, read_write> chunk_list: array<atomic<u32>>;

// Sorts the particles of a cell, none of which is near both sides, and notes the starts of its parts. They fit
// workgroup memory. Contains barriers.
fn order_at_once(place: Place, cell: u32, low: vec3<f32>, begin: u32, end: u32) {
    order_segment(place, grid_parameters, low, begin, end - begin);
    note_parts(place, cell, low, begin, end - begin, false);
}

// Notes the starts of the parts of a cell whose first `count` particles have been sorted.
fn note_parts(place: Place, cell: u32, low: vec3<f32>, begin: u32, count: u32, is_unparted: bool) {
    let part = order(place);
    if part < PART_COUNT {
        let fine = cell_parts::fine_cells(grid_parameters, low, count);
        let first_cell = cell_parts::first_cell_of_part(fine, cell_parts::part_with_index(part));
        let start = begin + atomicLoad(&local_cell_start[first_cell]);
        part_starts[PART_COUNT * cell + part] = select(start, UNPARTED, is_unparted);
    }
}

// Sorts the border particles of a cell and then its inner particles, and notes the starts of its parts, if parts
// describe the border particles. Contains barriers.
fn order_by_class(place: Place, cell: u32, low: vec3<f32>, begin: u32, inner: u32, end: u32) {
    if inner - begin > CHUNK_CAPACITY {
        order_range(place, grid_parameters, low, begin, inner);
    } else {
        order_segment(place, grid_parameters, low, begin, inner - begin);
    }
    let is_unparted = inner - begin > CHUNK_CAPACITY || atomicLoad(&has_straddling) != 0u;
    note_parts(place, cell, low, begin, inner - begin, is_unparted);
    order_range(place, grid_parameters, low, inner, end);
}

// Lists the chunks of a cell with the particles [begin, end), which have been sorted: as few as possible, and equally
// long. If they were sorted at once, they still are in workgroup memory. Contains barriers.
fn list_chunks(place: Place, cell: u32, begin: u32, end: u32, at_once: bool) {
    let chunks = (end - begin + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY;
    let length = (end - begin + chunks - 1u) / chunks;
    var item = 0u;
    if order(place) == 0u {
        item = atomicAdd(&chunk_list[0], chunks);
    }
    // What other invocations have sorted must be visible before it is read.
    storageBarrier();
    for (var first = begin; first < end; first += length) {
        let last = min(first + length, end);
        var own_box = local_grid::empty_box();
        for (var index = first + order(place); index < last; index += WORKGROUP_SIZE) {
            own_box = local_grid::widened(own_box, position_of(index, begin, at_once));
        }
        // Sorting has emptied the box that encloses the first chunk.
        if first > begin {
            workgroupBarrier();
            local_grid::empty_enclosed(place);
            workgroupBarrier();
        }
        local_grid::enclose(place, own_box);
        let box = local_grid::enclosed();
        if order(place) == 0u {
            write_chunk(item, cell, first, last, box);
            item += 1u;
        }
    }
}

fn position_of(index: u32, begin: u32, at_once: bool) -> vec3<f32> {
    if at_once {
        return chunk[index - begin].xyz;
    }
    return sorted_positions[index].xyz;
}

fn write_chunk(item: u32, cell: u32, first: u32, end: u32, box: Box) {
    let start = 9u * item + 1u;
    atomicStore(&chunk_list[start], cell);
    atomicStore(&chunk_list[start + 1u], first);
    atomicStore(&chunk_list[start + 2u], end);
    for (var axis = 0u; axis < 3u; axis++) {
        atomicStore(&chunk_list[start + 3u + axis], bitcast<u32>(box.low[axis]));
        atomicStore(&chunk_list[start + 6u + axis], bitcast<u32>(box.high[axis]));
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
    let end = start_of(cell + 1u);
    if begin == end {
        if order(place) < PART_COUNT {
            part_starts[PART_COUNT * cell + order(place)] = begin;
        }
        return;
    }
    let at_once = end - begin <= CHUNK_CAPACITY && !cell_parts::has_narrow_cells(grid_parameters);
    if at_once {
        order_at_once(place, cell, low, begin, end);
    } else {
        order_by_class(place, cell, low, begin, inner_start_of(cell), end);
    }
    list_chunks(place, cell, begin, end, at_once);
}
