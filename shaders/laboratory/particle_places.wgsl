// Computes the cell and the class of each particle, with the search's own arithmetic.
//
// Entry point: find_places, one invocation per particle.
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const WORKGROUP: u32 = 64u;

struct Place {
    // Cell along each axis.
    cell: vec3<u32>,
    // 1 for a border particle; 0 for an inner particle, and if the search does not distinguish the two.
    is_border: u32,
}

// The search's cells; `reach` is the width of their borders, and `particle_count` the number of positions.
@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// xyz in m; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Cell and class of each particle, in the order of `positions`; len = particle_count.
@group(0) @binding(2) var<storage, read_write> places: array<Place>;
// Distance to the nearest face between the particle's cell and another cell, m; negative if the grid has a single cell.
// len = particle_count.
@group(0) @binding(3) var<storage, read_write> face_distances: array<f32>;

// Distance to the nearest face between two cells; the outer faces of the grid do not count.
fn face_distance(position: vec3<f32>, cell: vec3<u32>) -> f32 {
    let low = grid_parameters.origin + vec3<f32>(cell) * grid_parameters.cell_size;
    let to_low = abs(position - low);
    let to_high = abs(low + grid_parameters.cell_size - position);
    var nearest = -1.0;
    for (var axis = 0u; axis < 3u; axis++) {
        if cell[axis] > 0u && (nearest < 0.0 || to_low[axis] < nearest) {
            nearest = to_low[axis];
        }
        if cell[axis] + 1u < grid_parameters.cell_counts[axis] && (nearest < 0.0 || to_high[axis] < nearest) {
            nearest = to_high[axis];
        }
    }
    return nearest;
}

@compute @workgroup_size(WORKGROUP)
fn find_places(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = positions[index].xyz;
    let cell = grid::cell_coord(grid_parameters, position);
    places[index] = Place(cell, u32(grid::is_border(grid_parameters, position)));
    face_distances[index] = face_distance(position, cell);
}
