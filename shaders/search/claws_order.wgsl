// An addition to CLAWS that is not part of the paper: sorts the particles of each block in place by the cells of a
// finer grid, so that particles that are adjacent in memory are close in space and the invocations of a subgroup visit
// the same local cells.
//
// Entry point: order_blocks, any number of workgroups, each of which processes every n-th block. A block that does not
// fit workgroup memory is sorted in segments, in the same way as the chunks of a traversal.

#import nearwater::claws_blocks::{cell_coord_of, cell_of_block, grid_parameters}
#import nearwater::claws_work::block_start
#import nearwater::dispatch
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, LOCAL_CELL_CAPACITY, chunk}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn order_blocks(invocation: Invocation) {
    let place = place_of(invocation);
    let stride = invocation.workgroup_count.x * invocation.workgroup_count.y;
    var block = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    for (; block < 2u * grid_parameters.cell_count; block += stride) {
        let end = block_start(block + 1u);
        for (var begin = block_start(block); begin + 1u < end; begin += CHUNK_CAPACITY) {
            order_segment(place, block, begin, min(end - begin, CHUNK_CAPACITY));
        }
    }
}

fn order_segment(place: Place, block: u32, begin: u32, count: u32) {
    let own = order(place);
    let cell_size = grid_parameters.cell_size;
    let low = grid_parameters.origin + vec3<f32>(cell_coord_of(cell_of_block(block))) * cell_size;
    let edge = vec3<f32>(sqrt(grid_parameters.radius_squared) * 0.5);
    let counts = local_grid::fitted_counts(cell_size, edge, LOCAL_CELL_CAPACITY);
    let finer = local_grid::grid_over(grid_parameters, low, cell_size, counts, count);
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
