// The traversal of FENNS with a halo: the particles of a coarse cell and the border particles of the 26 cells around it
// that are within reach are in one local grid in workgroup memory, and the former gather their sums from it. This is
// not the paper's traversal, in which the cell's particles alone are in the local grid and the others visit them.
//
// Entry point:
//   traverse   any number of workgroups, each of which serves every n-th chunk of a coarse cell, after the build passes
//              of `fenns` and `fenns_order`

#import nearwater::dispatch
#import nearwater::fenns_cells::grid_parameters
#import nearwater::fenns_parts::{RUN_COUNT, candidates}
#import nearwater::halo
#import nearwater::halo::Owners
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

// The number of chunks, then for each chunk its coarse cell, its first particle, and one past its last;
// len = 3 * most chunks + 1.
@group(0) @binding(5) var<storage, read> chunk_list: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn traverse(invocation: Invocation) {
    let place = place_of(invocation);
    let stride = invocation.workgroup_count.x * invocation.workgroup_count.y;
    let count = chunk_list[0];
    var item = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    for (; item < count; item += stride) {
        let owners = Owners(chunk_list[3u * item + 2u], chunk_list[3u * item + 3u]);
        serve_chunk(place, item, chunk_list[3u * item + 1u], owners);
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}

// Gathers the sums of the particles of a chunk of a coarse cell. Contains barriers.
fn serve_chunk(place: Place, item: u32, cell: u32, owners: Owners) {
#ifdef RECORD
    recording::enter_cell(cell, item, place.subgroup, place.lane);
#endif
    // Read early, so that its latency overlaps with that of the owners.
    var run = vec2<u32>(0u);
    if order(place) < RUN_COUNT {
        run = candidates(order(place), cell);
    }
    let box = halo::enclose_owners(place, owners, grid_parameters);
    if !halo::has_owners() {
        return;
    }
    halo::list_run(place, run);
    halo::gather(place, box, owners, grid_parameters);
}
