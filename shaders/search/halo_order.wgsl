// With a halo (`nearwater::halo`), after the other build passes of a two-level search: sorts the particles of each
// coarse cell in place by the parts of the cell (`nearwater::cell_parts`), of which the last one has the inner
// particles, and within a part by fine cells; notes where each part begins; and lists the chunks of the cells that
// contain particles, with their bounding boxes.
//
// Entry point: order_cells, one workgroup per coarse cell.

#import nearwater::cell_blocks::{grid_parameters, particles_of}
#import nearwater::cell_parts
#import nearwater::cell_parts::{PART_COUNT, UNPARTED}
#import nearwater::dispatch
#import nearwater::fine_order::{has_straddling, order_range, order_segment, sorted_positions}
#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::local_grid
#import nearwater::local_grid::{Box, CHUNK_CAPACITY, chunk, local_cell_start}
#import nearwater::owners::{Owners, WORDS_OF_CHUNK, border_count, in_one_range, index_of, number_of, part_of}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}

// First index of the particles of each part of each coarse cell, in sorted order; len = 27 * cell_count.
@group(0) @binding(4) var<storage, read_write> part_starts: array<u32>;
// The number of chunks, zeroed by an earlier pass of the build, then eleven words for each chunk: its coarse cell, its
// first border particle, one past its last, the same of its inner particles, and as the bits of floats the lowest and
// the highest corner of its bounding box, m; each contains at most CHUNK_CAPACITY particles.
// len = 11 * most chunks + 1.
@group(0) @binding(5) var<storage, read_write> chunk_list: array<atomic<u32>>;

// Sorts the particles of a cell, none of which is near both sides, and notes the starts of its parts. They fit
// workgroup memory. Contains barriers.
fn order_at_once(place: Place, cell: u32, low: vec3<f32>, particles: Owners) {
    order_segment(place, grid_parameters, low, particles);
    note_parts(place, cell, low, particles.border_first, number_of(particles), false);
}

// Notes the starts of the parts of a cell whose border particles begin at `begin`, after these or all of its particles,
// `count`, have been sorted. The part of the inner particles is given the end of the border particles.
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
fn order_by_class(place: Place, cell: u32, low: vec3<f32>, particles: Owners) {
    let begin = particles.border_first;
    let borders = border_count(particles);
    if borders > CHUNK_CAPACITY {
        order_range(place, grid_parameters, low, begin, particles.border_end);
    } else {
        order_segment(place, grid_parameters, low, in_one_range(begin, particles.border_end));
    }
    let is_unparted = borders > CHUNK_CAPACITY || atomicLoad(&has_straddling) != 0u;
    note_parts(place, cell, low, begin, borders, is_unparted);
    order_range(place, grid_parameters, low, particles.inner_first, particles.inner_end);
}

// Lists the chunks of a cell whose particles have been sorted: as few as possible, and equally long. If they were
// sorted at once, they still are in workgroup memory. Contains barriers.
fn list_chunks(place: Place, cell: u32, particles: Owners, at_once: bool) {
    let count = number_of(particles);
    let chunks = (count + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY;
    let length = (count + chunks - 1u) / chunks;
    var item = 0u;
    if order(place) == 0u {
        item = atomicAdd(&chunk_list[0], chunks);
    }
    // What other invocations have sorted must be visible before it is read.
    storageBarrier();
    for (var first = 0u; first < count; first += length) {
        let last = min(first + length, count);
        var own_box = local_grid::empty_box();
        for (var number = first + order(place); number < last; number += WORKGROUP_SIZE) {
            own_box = local_grid::widened(own_box, position_of(particles, number, at_once));
        }
        // Sorting has emptied the box that encloses the first chunk.
        if first > 0u {
            workgroupBarrier();
            local_grid::empty_enclosed(place);
            workgroupBarrier();
        }
        local_grid::enclose(place, own_box);
        let box = local_grid::enclosed();
        if order(place) == 0u {
            write_chunk(item, cell, part_of(particles, first, last), box);
            item += 1u;
        }
    }
}

fn position_of(particles: Owners, number: u32, at_once: bool) -> vec3<f32> {
    if at_once {
        return chunk[number].xyz;
    }
    return sorted_positions[index_of(particles, number)].xyz;
}

fn write_chunk(item: u32, cell: u32, owners: Owners, box: Box) {
    let start = WORDS_OF_CHUNK * item + 1u;
    atomicStore(&chunk_list[start], cell);
    atomicStore(&chunk_list[start + 1u], owners.border_first);
    atomicStore(&chunk_list[start + 2u], owners.border_end);
    atomicStore(&chunk_list[start + 3u], owners.inner_first);
    atomicStore(&chunk_list[start + 4u], owners.inner_end);
    for (var axis = 0u; axis < 3u; axis++) {
        atomicStore(&chunk_list[start + 5u + axis], bitcast<u32>(box.low[axis]));
        atomicStore(&chunk_list[start + 8u + axis], bitcast<u32>(box.high[axis]));
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
    let particles = particles_of(cell);
    if number_of(particles) == 0u {
        if order(place) < PART_COUNT {
            part_starts[PART_COUNT * cell + order(place)] = particles.border_first;
        }
        return;
    }
    let at_once = number_of(particles) <= CHUNK_CAPACITY && !cell_parts::has_narrow_cells(grid_parameters);
    if at_once {
        order_at_once(place, cell, low, particles);
    } else {
        order_by_class(place, cell, low, particles);
    }
    list_chunks(place, cell, particles, at_once);
}
