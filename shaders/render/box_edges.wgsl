// The edges of the box as lines of constant width in pixels with soft borders. Draw 6 vertices an instance, 12
// instances; blended, in one pass where the edges are seen and one where something hides them.
#import nearwater::render::frame::frame

// Half of a line's width, pixels.
const HALF_WIDTH: f32 = 0.6;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Pixels from the middle of the line.
    @location(0) @interpolate(linear) across: f32,
}

// The two ends of edge `edge`: four edges along each axis.
fn ends(edge: u32) -> array<vec3<f32>, 2> {
    let axis = edge / 4u;
    let first = f32(edge & 1u);
    let second = f32((edge >> 1u) & 1u);
    var low = vec3<f32>(0.0, first, second);
    var along = vec3<f32>(1.0, 0.0, 0.0);
    if axis == 1u {
        low = vec3<f32>(first, 0.0, second);
        along = vec3<f32>(0.0, 1.0, 0.0);
    } else if axis == 2u {
        low = vec3<f32>(first, second, 0.0);
        along = vec3<f32>(0.0, 0.0, 1.0);
    }
    let extent = frame.box_high - frame.box_low;
    return array<vec3<f32>, 2>(frame.box_low + low * extent, frame.box_low + (low + along) * extent);
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) edge: u32) -> Corner {
    let edge_ends = ends(edge);
    var start = frame.clip_from_world * vec4<f32>(edge_ends[0], 1.0);
    var end = frame.clip_from_world * vec4<f32>(edge_ends[1], 1.0);
    // With reversed depth a point is in front of the near plane where z <= w. The part behind it is cut off here,
    // because its projection would point the wrong way.
    let start_inside = start.w - start.z;
    let end_inside = end.w - end.z;
    if start_inside <= 0.0 && end_inside <= 0.0 {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), 0.0);
    }
    let cut = mix(start, end, start_inside / (start_inside - end_inside));
    if start_inside < 0.0 {
        start = cut;
    } else if end_inside < 0.0 {
        end = cut;
    }
    let start_pixel = 0.5 * start.xy / start.w * frame.size;
    let end_pixel = 0.5 * end.xy / end.w * frame.size;
    let along = end_pixel - start_pixel;
    // An edge seen end on covers nothing.
    let direction = along / max(length(along), 1e-3);
    let normal = vec2<f32>(-direction.y, direction.x);
    let at_end = vertex_index == 1u || vertex_index == 4u || vertex_index == 5u;
    let side = select(-1.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u);
    let reach = HALF_WIDTH + 0.5;
    let offset = normal * side * reach + direction * select(-HALF_WIDTH, HALF_WIDTH, at_end);
    var clip = select(start, end, at_end);
    clip = vec4<f32>(clip.xy + 2.0 * offset / frame.size * clip.w, clip.zw);
    return Corner(clip, side * reach);
}

fn line(across: f32, opacity: f32) -> vec4<f32> {
    let coverage = clamp(HALF_WIDTH + 0.5 - abs(across), 0.0, 1.0);
    return vec4<f32>(vec3<f32>(0.52, 0.58, 0.66), coverage * opacity);
}

@fragment
fn fragment_seen(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner.across, 0.6);
}

@fragment
fn fragment_hidden(corner: Corner) -> @location(0) vec4<f32> {
    return line(corner.across, 0.10);
}
