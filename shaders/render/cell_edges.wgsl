// The edges of the search's cells that contain particles, and, where border and inner particles are distinguished, the
// edges of each cell's inner part. Draw 6 vertices per instance, 24 instances per drawn cell; blended.
#import nearwater::render::cells::{cell_grid, drawn_cell}
#import nearwater::render::frame::frame
#import nearwater::render::lines
#import nearwater::render::occupied::is_occupied
#import nearwater::render::srgb::linear_of

// Half of a line's width, pixels.
const HALF_WIDTH: f32 = 0.5;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(linear) across: f32,
    @location(1) @interpolate(flat) color: vec4<f32>,
}

const CELL_COLOR: vec4<f32> = vec4<f32>(0.86, 0.91, 0.96, 0.30);

// Whether this cell draws an edge: up to four occupied cells share it, and the first of them draws it, so that no line
// is blended twice.
fn draws_edge(cell: vec3<i32>, edge: u32) -> bool {
    let axis = edge / 4u;
    // The two axes perpendicular to the edge, in the order in which `box_edge` takes the bits.
    let first_axis = select(0u, 1u, axis == 0u);
    let second_axis = select(2u, 1u, axis == 2u);
    var first = vec3<i32>(0);
    var second = vec3<i32>(0);
    first[first_axis] = select(-1, 1, (edge & 1u) != 0u);
    second[second_axis] = select(-1, 1, ((edge >> 1u) & 1u) != 0u);
    // Cells later along the second axis have higher numbers, regardless of the first axis.
    return !(first[first_axis] < 0 && is_occupied(cell + first))
        && !(second[second_axis] < 0 && (is_occupied(cell + second) || is_occupied(cell + first + second)));
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let edge = instance % 24u;
    let coord = drawn_cell(instance / 24u);
    let cell = vec3<i32>(coord);
    let nothing = Corner(lines::no_corner().clip, 0.0, vec4<f32>(0.0));
    if !is_occupied(cell) {
        return nothing;
    }
    let cells = cell_grid();
    var low = cells.origin + vec3<f32>(coord) * cells.cell_size;
    var high = low + cells.cell_size;
    var color = CELL_COLOR;
    if edge >= 12u {
        // There is no border along faces without a cell on the other side.
        low += select(vec3<f32>(cells.reach), vec3<f32>(0.0), coord == vec3<u32>(0u));
        high -= select(vec3<f32>(cells.reach), vec3<f32>(0.0), coord == cells.cell_counts - 1u);
        color = vec4<f32>(linear_of(#{COLOR_INNER}u), 0.65);
        if cells.reach == 0.0 || any(low >= high) {
            return nothing;
        }
    } else if !draws_edge(cell, edge) {
        return nothing;
    }
    let corner = lines::wide_line_corner(lines::box_edge(edge % 12u, low, high), vertex_index, HALF_WIDTH);
    return Corner(lines::lifted(corner.clip, 1.2 * frame.particle_radius), corner.across, color);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(corner.color.rgb, corner.color.a * lines::wide_coverage(corner.across, HALF_WIDTH));
}
