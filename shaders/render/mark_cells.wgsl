// Marks the drawn cells that contain particles. One invocation per particle.
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::render::cells::{cell_grid, drawn_number, is_drawn_cell}
#import nearwater::render::frame::{frame, is_drawable}

const WORKGROUP: u32 = 256u;

// Position in xyz, m; len = particle_count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// For every drawn cell, 1 where it contains particles; zeroed before the pass; len = drawn cells at least.
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
            let cell = vec3<i32>(grid::cell_coord(cell_grid(), position));
            if is_drawn_cell(cell) {
                // Every invocation writes the same value, so the race is harmless.
                occupied[drawn_number(cell)] = 1u;
            }
        }
    }
}
