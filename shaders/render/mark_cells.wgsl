// Marks the cells that hold particles. One invocation a particle.
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::render::cells::cell_grid
#import nearwater::render::frame::{frame, is_drawable}

const WORKGROUP: u32 = 256u;

// xyz in metres; len = particle_count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// Of every cell: 1 where it holds particles; zeroed before. len = cells at least.
@group(1) @binding(1) var<storage, read_write> occupied: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn mark_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < frame.particle_count {
        let position = positions[index].xyz;
        if is_drawable(position) {
            let cells = cell_grid();
            // Every invocation writes the same value: no race matters.
            occupied[grid::cell_index(cells, grid::cell_coord(cells, position))] = 1u;
        }
    }
}
