// Sorts particles of a coarse cell in place by the cells of a finer grid, so that particles that are adjacent in memory
// are close in space and the invocations of a subgroup visit the same local cells. With PARTS, the parts of the coarse
// cell (`nearwater::cell_parts`) precede each other, and the particles of each part are sorted by its fine cells. No
// paper describes this.
#define_import_path nearwater::fine_order

#ifdef PARTS
#import nearwater::cell_parts
#endif
#import nearwater::grid::Grid
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, LOCAL_CELL_CAPACITY, chunk}
#import nearwater::owners::{Owners, in_one_range, index_of, number_of}
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order}

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;

// Sorts the particles [begin, end) of the coarse cell whose lowest corner is `low`. If they do not fit workgroup
// memory, they are sorted in segments, in the same way as the chunks of a traversal. Contains barriers.
fn order_range(place: Place, search: Grid, low: vec3<f32>, begin: u32, end: u32) {
    for (var first = begin; first + 1u < end; first += CHUNK_CAPACITY) {
        order_segment(place, search, low, in_one_range(first, min(end, first + CHUNK_CAPACITY)));
    }
}

#ifdef PARTS
// Whether some of the particles that were sorted are near both sides of the coarse cell, so that no part describes
// them.
var<workgroup> has_straddling: atomic<u32>;

fn finer_grid(search: Grid, low: vec3<f32>, count: u32) -> Grid {
    return cell_parts::fine_cells(search, low, count);
}

fn finer_cell(finer: Grid, search: Grid, position: vec3<f32>) -> u32 {
    return cell_parts::fine_cell(finer, search, position);
}
#else
fn finer_grid(search: Grid, low: vec3<f32>, count: u32) -> Grid {
    let edge = vec3<f32>(sqrt(search.radius_squared) * 0.5);
    let counts = local_grid::fitted_counts(search.cell_size, edge, LOCAL_CELL_CAPACITY);
    return local_grid::grid_over(search, low, search.cell_size, counts, count);
}

fn finer_cell(finer: Grid, search: Grid, position: vec3<f32>) -> u32 {
    return local_grid::local_cell(finer, position);
}
#endif

// Particles that an invocation sorts at a time.
const ORDERED_SHARE: u32 = (CHUNK_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;

// Sorts particles in place, which must fit workgroup memory. Those that come first are put into the range of border
// particles. Afterwards the local grid contains, for each finer cell, the number of its first particle among them.
// Contains barriers.
fn order_segment(place: Place, search: Grid, low: vec3<f32>, segment: Owners) {
    let own = order(place);
    let count = number_of(segment);
    let finer = finer_grid(search, low, count);
#ifdef PARTS
    // Another invocation may still be reading the result of an earlier segment.
    workgroupBarrier();
    if own == 0u {
        atomicStore(&has_straddling, 0u);
    }
#endif
    local_grid::start(place);
    // The bound is a compile-time constant, so that the particles stay in registers.
    var particles: array<vec4<f32>, ORDERED_SHARE>;
    var cells: array<u32, ORDERED_SHARE>;
    for (var k = 0u; k < ORDERED_SHARE; k++) {
        let number = k * WORKGROUP_SIZE + own;
        if number < count {
            particles[k] = sorted_positions[index_of(segment, number)];
            cells[k] = finer_cell(finer, search, particles[k].xyz);
            local_grid::count_in(cells[k]);
#ifdef PARTS
            if cell_parts::is_near_both_sides(search, particles[k].xyz) {
                atomicStore(&has_straddling, 1u);
            }
#endif
        }
    }
    local_grid::finish_counting(place, finer);
    for (var k = 0u; k < ORDERED_SHARE; k++) {
        if k * WORKGROUP_SIZE + own < count {
            local_grid::put_in(cells[k], particles[k].xyz, bitcast<u32>(particles[k].w));
        }
    }
    // All positions of the segment must be read before any is written.
    storageBarrier();
    workgroupBarrier();
    for (var slot = own; slot < count; slot += WORKGROUP_SIZE) {
        sorted_positions[index_of(segment, slot)] = chunk[slot];
    }
}
