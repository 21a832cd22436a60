// The edges of the box. Draw 6 vertices per instance, 12 instances; blended, in one pass where the edges are visible
// and one where something hides them.
#import nearwater::render::frame::frame
#import nearwater::render::lines

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(linear) across: f32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) edge: u32) -> Corner {
    let corner = lines::line_corner(lines::box_edge(edge, frame.box_low, frame.box_high), vertex_index);
    return Corner(corner.clip, corner.across);
}

fn line(across: f32, opacity: f32) -> vec4<f32> {
    let color = mix(vec3<f32>(0.52, 0.58, 0.66), vec3<f32>(0.16, 0.19, 0.23), frame.daylight);
    return vec4<f32>(color, lines::coverage(across) * opacity);
}

@fragment
fn fragment_seen(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner.across, 0.6);
}

@fragment
fn fragment_hidden(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner.across, 0.10);
}
