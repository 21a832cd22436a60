// The search of Bayraktar, Güdükbay and Özgüç 2009: grid map and fluid grid. No pass scatters: every invocation reads
// from computed addresses and writes to its own index.
//
// Entry points, in order of dispatch:
//   find_coordinates   one invocation per particle: its grid coordinate as the sorting key, its index as the value
//                      (texGridCoor; Algorithm 1, step 1)
//   (sort)             step 2
//   gather_positions   one invocation per particle in sorted order: its position
//   find_first         one invocation per cell: its first particle, by binary search (R of texGridMap; step 3)
//   count_own          one invocation per cell: the number of its particles (G; step 4)
//   count_around       one invocation per cell: the number of particles of the cell and its 26 neighbors, written to B
//                      and to A (step 5)
//   (exclusive scan)   converts A to the start of each cell's list (step 6)
//   fill_fluid_grid    one invocation per entry of the lists: the particle of the entry (texFluidGrid; Algorithm 2)
//   traverse           one invocation per particle: tests it against the list of its cell

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::{CellBlock, Grid}
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by, visit}
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

#ifndef TRAVERSAL
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Cell of each particle, before the sort; len = particle_count.
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;
// Index of each particle, before the sort; len = particle_count.
@group(0) @binding(3) var<storage, read_write> values: array<u32>;
// Cell of each particle, in sorted order; len = particle_count.
@group(0) @binding(4) var<storage, read> sorted_keys: array<u32>;
// Index into the search's input of each particle, in sorted order; len = particle_count.
@group(0) @binding(5) var<storage, read> original_from_sorted: array<u32>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(6) var<storage, read_write> sorted_positions: array<vec4<f32>>;
// R: first particle of each cell, or of the next cell that is not empty; the last entry is particle_count. len =
// cell_count + 1
@group(0) @binding(7) var<storage, read_write> first_particles: array<u32>;
// G: number of particles of each cell; len = cell_count.
@group(0) @binding(8) var<storage, read_write> own_counts: array<u32>;
// B: number of particles of each cell and its neighbors; len = cell_count.
@group(0) @binding(9) var<storage, read_write> around_counts: array<u32>;
// A: before the scan the same as B, after it the start of each cell's list; the last entry is the sum of B. len =
// cell_count + 1
@group(0) @binding(10) var<storage, read_write> fluid_grid_starts: array<u32>;
// The particles of each cell and its neighbors, as indices in the sorted order; the entries from the sum of B on are
// unused. len = listed cells * particle_count.
@group(0) @binding(11) var<storage, read_write> fluid_grid: array<u32>;

// The cell and its neighbors, as far as the grid extends.
fn neighborhood(cell: u32) -> CellBlock {
    return grid::cells_around(grid_parameters, grid::coord_of(grid_parameters, cell));
}

@compute @workgroup_size(WORKGROUP)
fn find_coordinates(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        keys[index] = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, positions[index].xyz));
        values[index] = index;
    }
}

@compute @workgroup_size(WORKGROUP)
fn gather_positions(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        let original = original_from_sorted[index];
        sorted_positions[index] = vec4<f32>(positions[original].xyz, bitcast<f32>(original));
    }
}

@compute @workgroup_size(WORKGROUP)
fn find_first(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    // The entry past the last cell is the number of particles.
    if cell > grid_parameters.cell_count {
        return;
    }
    var low = 0u;
    var high = grid_parameters.particle_count;
    while low < high {
        let middle = low + (high - low) / 2u;
        if sorted_keys[middle] < cell {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    first_particles[cell] = low;
}

@compute @workgroup_size(WORKGROUP)
fn count_own(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if cell < grid_parameters.cell_count {
        own_counts[cell] = first_particles[cell + 1u] - first_particles[cell];
    }
}

@compute @workgroup_size(WORKGROUP)
fn count_around(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if cell > grid_parameters.cell_count {
        return;
    }
    if cell == grid_parameters.cell_count {
        // The scan writes the sum of all counts to this entry.
        fluid_grid_starts[cell] = 0u;
        return;
    }
    let around = neighborhood(cell);
    var count = 0u;
    for (var z = around.low.z; z <= around.high.z; z++) {
        for (var y = around.low.y; y <= around.high.y; y++) {
            for (var x = around.low.x; x <= around.high.x; x++) {
                count += own_counts[grid::cell_index(grid_parameters, vec3<u32>(x, y, z))];
            }
        }
    }
    around_counts[cell] = count;
    fluid_grid_starts[cell] = count;
}

// The cell whose list contains the entry, among the cells from `first` up to but excluding `end`: the last cell whose
// list starts at the entry or before it. Empty lists may start at the same entry.
fn host_cell(entry: u32, first: u32, end: u32) -> u32 {
    var low = first;
    var high = end;
    while high - low > 1u {
        let middle = low + (high - low) / 2u;
        if fluid_grid_starts[middle] <= entry {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The cells of the workgroup's first and last entry, between which the other invocations search in a few steps.
var<workgroup> outer_hosts: array<u32, 2>;

@compute @workgroup_size(WORKGROUP)
fn fill_fluid_grid(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell_count = grid_parameters.cell_count;
    let first_entry = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP;
    // The number of invocations is the capacity of the lists.
    let entry_count = fluid_grid_starts[cell_count];
    if local < 2u && first_entry < entry_count {
        outer_hosts[local] = host_cell(first_entry + local * (WORKGROUP - 1u), 0u, cell_count);
    }
    workgroupBarrier();
    let entry = first_entry + local;
    if entry >= entry_count {
        return;
    }
    let host = host_cell(entry, outer_hosts[0], outer_hosts[1] + 1u);
    let around = neighborhood(host);
    // Index of the entry among the particles of the remaining rows. The three cells of a row are adjacent in the sorted
    // list, so that their total count is one difference.
    var place = entry - fluid_grid_starts[host];
    for (var z = around.low.z; z <= around.high.z; z++) {
        for (var y = around.low.y; y <= around.high.y; y++) {
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
            let first = first_particles[row + around.low.x];
            let count = first_particles[row + around.high.x + 1u] - first;
            if place < count {
                fluid_grid[entry] = first + place;
                return;
            }
            place -= count;
        }
    }
}
#endif

#ifdef TRAVERSAL
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Cell of each particle, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> sorted_keys: array<u32>;
// B: number of particles of each cell and its neighbors, which is the length of the cell's list; len = cell_count.
@group(0) @binding(3) var<storage, read> around_counts: array<u32>;
// A: start of each cell's list; the last entry is the sum of B. len = cell_count + 1
@group(0) @binding(4) var<storage, read> fluid_grid_starts: array<u32>;
// The particles of each cell and its neighbors, as indices in the sorted order; len = listed cells * particle_count.
@group(0) @binding(5) var<storage, read> fluid_grid: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let invocation = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    let index = served_by(invocation, grid_parameters.particle_count);
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    if is_served_elsewhere(position) {
        return;
    }
    let particle = pair::load(index);
#ifdef RECORD
    recording::begin(index, dispatch::workgroup_index(workgroup_id, workgroup_count), local);
#endif
    let cell = sorted_keys[index];
    let start = fluid_grid_starts[cell];
    let end = start + around_counts[cell];
#ifdef RECORD
    recording::listed_range(start, end, cell);
#endif
    var sum = pair::zero();
    for (var entry = start; entry < end; entry++) {
        let other = fluid_grid[entry];
        let offset = position - sorted_positions[other].xyz;
        sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
#endif
