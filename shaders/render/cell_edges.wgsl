// The search's cells that hold particles: their edges, and where border and inner particles are told apart, the edges
// of each cell's inner part. Draw 6 vertices an instance, 24 instances a cell; blended.
#import nearwater::render::cells::{cell_grid, cell_of_number}
#import nearwater::render::lines

// Of every cell: 1 where it holds particles. len = cells at least.
@group(1) @binding(0) var<storage, read> occupied: array<u32>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(linear) across: f32,
    @location(1) @interpolate(flat) color: vec4<f32>,
}

const CELL_COLOR: vec4<f32> = vec4<f32>(0.80, 0.86, 0.92, 0.55);
// The colour of inner particles in the palette of classes.
const INNER_COLOR: vec4<f32> = vec4<f32>(0.95, 0.62, 0.20, 0.80);

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let number = instance / 24u;
    let edge = instance % 24u;
    let nothing = Corner(lines::no_corner().clip, 0.0, vec4<f32>(0.0));
    if occupied[number] == 0u {
        return nothing;
    }
    let cells = cell_grid();
    let coord = cell_of_number(number);
    var low = cells.origin + vec3<f32>(coord) * cells.cell_size;
    var high = low + cells.cell_size;
    var color = CELL_COLOR;
    if edge >= 12u {
        // No border along faces that no other cell lies behind.
        low += select(vec3<f32>(cells.reach), vec3<f32>(0.0), coord == vec3<u32>(0u));
        high -= select(vec3<f32>(cells.reach), vec3<f32>(0.0), coord == cells.cell_counts - 1u);
        color = INNER_COLOR;
        if cells.reach == 0.0 || any(low >= high) {
            return nothing;
        }
    }
    let corner = lines::line_corner(lines::box_edge(edge % 12u, low, high), vertex_index);
    return Corner(corner.clip, corner.across, color);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(corner.color.rgb, corner.color.a * lines::coverage(corner.across));
}
