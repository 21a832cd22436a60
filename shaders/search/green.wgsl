// Green 2008/2012, sorted uniform grid.
//
// Entry points, in order of dispatch, one invocation a particle but for `clear_cells`:
//   hash_particles    cell index of each particle as its sorting key, its own index as the value
//   (radix sort)
//   clear_cells       one invocation a cell: an empty range
//   find_cells        start and end of each cell, where the key changes between neighbors in the sorted list;
//                     copies each position to its sorted place
//   traverse          tests each particle against those in the cells it can see, cell by cell (27 with edge r)

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::visit
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

#ifndef TRAVERSAL
// xyz in metres; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Cell of each particle, before the sort; len = particle_count.
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;
// Index of each particle, before the sort; len = particle_count.
@group(0) @binding(3) var<storage, read_write> values: array<u32>;
// Both after the sort; len = particle_count.
@group(0) @binding(4) var<storage, read> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read> original_from_sorted: array<u32>;
// First particle of each cell and the one past its last; len = cell_count.
@group(0) @binding(6) var<storage, read_write> cell_ranges: array<vec2<u32>>;
// xyz in metres, bits of the index into `positions`; len = particle_count.
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
#endif

#ifdef TRAVERSAL
// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// First particle of each cell and the one past its last; len = cell_count.
@group(0) @binding(2) var<storage, read> cell_ranges: array<vec2<u32>>;

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    let particle = pair::load(index);
    let low = grid::cell_coord(grid_parameters, position - grid_parameters.reach);
    let high = grid::cell_coord(grid_parameters, position + grid_parameters.reach);
    var sum = pair::zero();
    var candidates = 0u;
    var neighbors = 0u;
    for (var z = low.z; z <= high.z; z++) {
        for (var y = low.y; y <= high.y; y++) {
            for (var x = low.x; x <= high.x; x++) {
                let range = cell_ranges[grid::cell_index(grid_parameters, vec3<u32>(x, y, z))];
                for (var other = range.x; other < range.y; other++) {
                    let offset = position - sorted_positions[other].xyz;
                    sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
#ifdef COUNT_PAIRS
                    candidates += u32(other != index);
                    neighbors += u32(other != index && dot(offset, offset) <= grid_parameters.radius_squared);
#endif
                }
            }
        }
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::count_particle(index, candidates, neighbors);
#endif
}
#endif
