// The edges of boxes. Draw 6 vertices per instance, 12 instances per box; blended, in one pass where the edges are
// visible and one where something hides them.
#import nearwater::render::boxes::boxes
#import nearwater::render::lines

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(linear) across: f32,
    @location(1) @interpolate(flat) number: u32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let number = instance / 12u;
    let ends = lines::box_edge(instance % 12u, boxes[number].low, boxes[number].high);
    let corner = lines::wide_line_corner(ends, vertex_index, 0.5 * boxes[number].width);
    return Corner(corner.clip, corner.across, number);
}

fn line(corner: Corner, opacity: f32) -> vec4<f32> {
    let edge = boxes[corner.number].edge;
    return vec4<f32>(edge.rgb, edge.a * opacity * lines::wide_coverage(corner.across, 0.5 * boxes[corner.number].width));
}

@fragment
fn fragment_seen(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner, 1.0);
}

@fragment
fn fragment_hidden(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner, boxes[corner.number].hidden);
}
