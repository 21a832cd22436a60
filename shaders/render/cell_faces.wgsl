// The outer faces of the search's cells that contain particles, faintly shaded by the axis of their normal. Draw 6
// vertices per instance, 6 instances per drawn cell; blended.
#import nearwater::render::cells::{cell_grid, drawn_cell}
#import nearwater::render::frame::frame
#import nearwater::render::lines
#import nearwater::render::occupied::is_occupied

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let face = instance % 6u;
    let coord = drawn_cell(instance / 6u);
    let cell = vec3<i32>(coord);
    // A face between two cells that both contain particles would only veil the water.
    if !is_occupied(cell) || is_occupied(cell + lines::face_normal(face)) {
        return Corner(lines::no_corner().clip, vec4<f32>(0.0));
    }
    let cells = cell_grid();
    let low = cells.origin + vec3<f32>(coord) * cells.cell_size;
    let place = lines::face_corner(face, vertex_index, low, low + cells.cell_size);
    // Light from above.
    let shade = vec3<f32>(0.030, 0.055, 0.018)[face / 2u];
    let clip = lines::lifted(frame.clip_from_world * vec4<f32>(place, 1.0), 1.2 * frame.particle_radius);
    return Corner(clip, vec4<f32>(0.75, 0.85, 0.95, shade));
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    return corner.color;
}
