// Single lines. Draw 6 vertices per instance, one instance per line; blended, in one pass where the lines are visible
// and one where something hides them.
#import nearwater::render::lines

// Mirrored by `render::overlay::SegmentRecord`.
struct SegmentRecord {
    // Ends, m.
    start: vec3<f32>,
    // Width, pixels.
    width: f32,
    end: vec3<f32>,
    // Opacity where something hides it, relative to the opacity where it is visible, 0 to 1.
    hidden: f32,
    // Linear color and opacity.
    color: vec4<f32>,
}

@group(1) @binding(0) var<storage, read> segments: array<SegmentRecord>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(linear) across: f32,
    @location(1) @interpolate(flat) number: u32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) number: u32) -> Corner {
    let ends = array<vec3<f32>, 2>(segments[number].start, segments[number].end);
    let corner = lines::wide_line_corner(ends, vertex_index, 0.5 * segments[number].width);
    return Corner(corner.clip, corner.across, number);
}

fn line(corner: Corner, opacity: f32) -> vec4<f32> {
    let color = segments[corner.number].color;
    let covered = lines::wide_coverage(corner.across, 0.5 * segments[corner.number].width);
    return vec4<f32>(color.rgb, color.a * opacity * covered);
}

@fragment
fn fragment_seen(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner, 1.0);
}

@fragment
fn fragment_hidden(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner, segments[corner.number].hidden);
}
