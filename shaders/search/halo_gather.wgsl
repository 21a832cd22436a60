// The traversal with a halo: the particles of a coarse cell and the border particles of the 26 cells around it that are
// within reach are in one local grid in workgroup memory, and the former gather their sums from it. This is the
// traversal of no paper: in FENNS (2019) and CLAWS (2020), particles of the cell alone are in the local grid, and the
// others visit them.
//
// Entry point:
//   traverse   any number of workgroups, each of which serves every n-th chunk of a coarse cell, after the build passes
//              of the search and `halo_order`

#import nearwater::cell_blocks::grid_parameters
#import nearwater::dispatch
#import nearwater::halo
#import nearwater::halo_ranges::{RUN_COUNT, candidates}
#import nearwater::local_grid::Box
#import nearwater::owners::{Owners, WORDS_OF_CHUNK}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

// The number of chunks, then eleven words for each chunk: its coarse cell, its first border particle, one past its
// last, the same of its inner particles, and as the bits of floats the lowest and the highest corner of its bounding
// box, m; len = 11 * most chunks + 1.
@group(0) @binding(5) var<storage, read> chunk_list: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn traverse(invocation: Invocation) {
    let place = place_of(invocation);
    let stride = invocation.workgroup_count.x * invocation.workgroup_count.y;
    let count = chunk_list[0];
    var item = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    for (; item < count; item += stride) {
        let start = WORDS_OF_CHUNK * item + 1u;
        let owners = Owners(
            chunk_list[start + 1u], chunk_list[start + 2u], chunk_list[start + 3u], chunk_list[start + 4u]);
        serve_chunk(place, item, chunk_list[start], owners, Box(corner_at(start + 5u), corner_at(start + 8u)));
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}

// The corner of a bounding box whose coordinates are in the list from `start` on.
fn corner_at(start: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3<u32>(chunk_list[start], chunk_list[start + 1u], chunk_list[start + 2u]));
}

// Gathers the sums of the particles of a chunk of a coarse cell, which are in a bounding box. Contains barriers.
fn serve_chunk(place: Place, item: u32, cell: u32, owners: Owners, bounding_box: Box) {
#ifdef RECORD
    recording::enter_cell(cell, item, place.subgroup, place.lane);
#endif
    var run = vec2<u32>(0u);
    if order(place) < RUN_COUNT {
        run = candidates(order(place), cell);
    }
    halo::list_run(place, run);
    let kept = halo::first_batch(place);
    let box = halo::begin_owners(place, owners, bounding_box, grid_parameters);
    if halo::has_owners() {
        halo::gather(place, box, owners, grid_parameters, kept);
    }
}
