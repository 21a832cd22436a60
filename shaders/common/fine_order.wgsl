// Sorts particles of a coarse cell in place by the cells of a finer grid, so that particles that are adjacent in memory
// are close in space and the invocations of a subgroup visit the same local cells. No paper describes this.
#define_import_path nearwater::fine_order

#import nearwater::grid::Grid
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, LOCAL_CELL_CAPACITY, chunk}
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order}

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;

// Sorts the particles [begin, end) of the coarse cell whose lowest corner is `low`. If they do not fit workgroup
// memory, they are sorted in segments, in the same way as the chunks of a traversal. Contains barriers.
fn order_range(place: Place, search: Grid, low: vec3<f32>, begin: u32, end: u32) {
    for (var first = begin; first + 1u < end; first += CHUNK_CAPACITY) {
        order_segment(place, search, low, first, min(end - first, CHUNK_CAPACITY));
    }
}

fn order_segment(place: Place, search: Grid, low: vec3<f32>, begin: u32, count: u32) {
    let own = order(place);
    let edge = vec3<f32>(sqrt(search.radius_squared) * 0.5);
    let counts = local_grid::fitted_counts(search.cell_size, edge, LOCAL_CELL_CAPACITY);
    let finer = local_grid::grid_over(search, low, search.cell_size, counts, count);
    local_grid::start(place);
    for (var number = own; number < count; number += WORKGROUP_SIZE) {
        local_grid::count(finer, sorted_positions[begin + number].xyz);
    }
    local_grid::finish_counting(place, finer);
    for (var number = own; number < count; number += WORKGROUP_SIZE) {
        let particle = sorted_positions[begin + number];
        local_grid::put(finer, particle.xyz, bitcast<u32>(particle.w));
    }
    // All positions of the segment must be read before any is written.
    storageBarrier();
    workgroupBarrier();
    for (var slot = own; slot < count; slot += WORKGROUP_SIZE) {
        sorted_positions[begin + slot] = chunk[slot];
    }
}
