// The tables of a uniform grid built by sorting (Green 2008/2012): the particles sorted by cell, and the range of each
// cell in the sorted order. The searches of Green and of Morillo et al. share them.
//
// Entry points, in order of dispatch, with one invocation per particle except for `clear_cells`:
//   hash_particles    the cell index of each particle as its sorting key, its index as the value
//   (radix sort)
//   clear_cells       one invocation per cell: an empty range
//   find_cells        the start and the end of each cell, where the key changes between adjacent entries of the sorted
//                     list; copies each position to its index in the sorted order

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
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
// First particle of each cell, and one past its last; len = cell_count.
@group(0) @binding(6) var<storage, read_write> cell_ranges: array<vec2<u32>>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(7) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn hash_particles(
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
fn clear_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if cell < grid_parameters.cell_count {
        cell_ranges[cell] = vec2<u32>(0u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn find_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let cell = sorted_keys[index];
    if index == 0u || sorted_keys[index - 1u] != cell {
        cell_ranges[cell].x = index;
    }
    if index == grid_parameters.particle_count - 1u || sorted_keys[index + 1u] != cell {
        cell_ranges[cell].y = index + 1u;
    }
    let original = original_from_sorted[index];
    sorted_positions[index] = vec4<f32>(positions[original].xyz, bitcast<f32>(original));
}
