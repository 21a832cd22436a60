// The search of Green 2008/2012: a sorted uniform grid.
//
// Entry points, in order of dispatch:
//   (sorted_cells)
//   traverse        one invocation per particle: tests it against the particles of the cells that it looks up, cell by
//                   cell

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by, visit}
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

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// First particle of each cell, and one past its last; len = cell_count.
@group(0) @binding(2) var<storage, read> cell_ranges: array<vec2<u32>>;

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
    let cells = grid::cells_to_look_up(grid_parameters, position);
    var sum = pair::zero();
    for (var z = cells.low.z; z <= cells.high.z; z++) {
        for (var y = cells.low.y; y <= cells.high.y; y++) {
            for (var x = cells.low.x; x <= cells.high.x; x++) {
                let cell = grid::cell_index(grid_parameters, vec3<u32>(x, y, z));
                let range = cell_ranges[cell];
#ifdef RECORD
                recording::range(range.x, range.y, cell, cell);
#endif
                for (var other = range.x; other < range.y; other++) {
                    let offset = position - sorted_positions[other].xyz;
                    sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
                }
            }
        }
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
