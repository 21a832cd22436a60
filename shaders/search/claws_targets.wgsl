// CLAWS 2020, section 3.3: the ranges of memory that contain the border particles around a coarse cell.
#define_import_path nearwater::claws_targets

#import nearwater::claws_blocks::{block_of, grid_parameters}
#import nearwater::claws_schedule::{TARGETS, schedule_warps}
#import nearwater::claws_work::block_start
#import nearwater::grid
#import nearwater::workgroup_scan::{Place, order}

#ifdef MERGED_ROWS
// The rows that share an edge with the cell's own row precede those that share a face. Shares are reduced in this
// order, and the former rows have the fewest particles within reach.
const ROWS_AROUND = array<vec2<i32>, 9>(
    vec2<i32>(-1, -1), vec2<i32>(1, -1), vec2<i32>(-1, 1), vec2<i32>(1, 1),
    vec2<i32>(0, -1), vec2<i32>(-1, 0), vec2<i32>(1, 0), vec2<i32>(0, 1),
    vec2<i32>(0, 0),
);
#endif

// The offset of range number `number` from a cell: of its cell, or with MERGED_ROWS of the middle one of its three
// cells along x.
fn offset_of(number: u32) -> vec3<i32> {
#ifdef MERGED_ROWS
    return vec3<i32>(0, ROWS_AROUND[number]);
#else
    return vec3<i32>(vec3<u32>(number % 3u, number / 3u % 3u, number / 9u)) - 1;
#endif
}

// A range of memory with a gap that contains the cell's own particles.
struct Target {
    first: u32,
    // Number of particles before the gap.
    before_gap: u32,
    gap: u32,
    // Number of particles without the gap.
    load: u32,
}

// The index in the sorted order of particle number `number` of a range.
fn place_in(range: Target, number: u32) -> u32 {
    return range.first + number + select(0u, range.gap, number >= range.before_gap);
}

// Range number `number` around a cell.
fn target_around(cell: vec3<u32>, number: u32) -> Target {
    let other = vec3<i32>(cell) + offset_of(number);
    if any(other < vec3<i32>(0)) || any(other >= vec3<i32>(grid_parameters.cell_counts)) {
        return Target(0u, 0u, 0u, 0u);
    }
    let index = grid::cell_index(grid_parameters, vec3<u32>(other));
    let own = grid::cell_index(grid_parameters, cell);
#ifdef MERGED_ROWS
    let first_cell = index - u32(cell.x > 0u);
    let last_cell = index + u32(cell.x + 1u < grid_parameters.cell_counts.x);
#else
    let first_cell = index;
    let last_cell = index;
#endif
    let first = block_start(block_of(first_cell, false));
    let end = block_start(block_of(last_cell, false) + 1u);
    if index != own {
        return Target(first, end - first, 0u, end - first);
    }
    let gap_start = block_start(block_of(own, false));
#ifdef REORDER
    let gap_end = block_start(block_of(own, false) + 1u);
#else
    // The gap also contains the cell's inner block, if the border block of another cell follows it.
    let gap_end = min(block_start(2u * own + 2u), end);
#endif
    return Target(first, gap_start - first, gap_end - gap_start, end - first - (gap_end - gap_start));
}

// Lines 2 to 16 of Algorithm 1, where line 5 must read "pos to pos + 2". Contains barriers.
fn schedule_around(place: Place, cell: vec3<u32>) {
    let own = order(place);
    var load = 0u;
    if own < TARGETS {
        load = target_around(cell, own).load;
    }
    schedule_warps(place, load);
}
