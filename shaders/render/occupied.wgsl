// The drawn cells that contain particles, as found by `mark_cells.wgsl`.
#define_import_path nearwater::render::occupied
#import nearwater::render::cells::{drawn_number, is_drawn_cell}

// For every drawn cell, 1 where it contains particles; len = drawn cells at least.
@group(1) @binding(0) var<storage, read> occupied: array<u32>;

fn is_occupied(cell: vec3<i32>) -> bool {
    if !is_drawn_cell(cell) {
        return false;
    }
    return occupied[drawn_number(cell)] != 0u;
}
