// Counts the particles in the fullest cell of a search's grid.
//
// Entry points, in order of dispatch:
//   count_cells    one invocation per particle: counts it in its cell
//   fullest_cell   one invocation per cell: the largest count

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const GROUP: u32 = 128u;

@group(0) @binding(0) var<uniform> cell_grid: Grid;
// xyz in m; len = cell_grid.particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Number of particles in each cell, zero before the first pass; len = cell_grid.cell_count.
@group(0) @binding(2) var<storage, read_write> particles_of_cell: array<atomic<u32>>;
// Number of particles in the fullest cell, zero before the first pass.
@group(0) @binding(3) var<storage, read_write> fullest: atomic<u32>;

@compute @workgroup_size(GROUP)
fn count_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < cell_grid.particle_count {
        let cell = grid::cell_coord(cell_grid, sorted_positions[index].xyz);
        atomicAdd(&particles_of_cell[grid::cell_index(cell_grid, cell)], 1u);
    }
}

@compute @workgroup_size(GROUP)
fn fullest_cell(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if cell < cell_grid.cell_count {
        atomicMax(&fullest, atomicLoad(&particles_of_cell[cell]));
    }
}
