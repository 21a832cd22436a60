// Lines of constant width in pixels with soft borders: 6 vertices each.
#define_import_path nearwater::render::lines
#import nearwater::render::frame::frame

// Half of a line's width, pixels.
const HALF_WIDTH: f32 = 0.6;

struct LineCorner {
    clip: vec4<f32>,
    // Pixels from the middle of the line.
    across: f32,
}

// A corner that draws nothing: beyond the far end of the depth range.
fn no_corner() -> LineCorner {
    return LineCorner(vec4<f32>(0.0, 0.0, 2.0, 1.0), 0.0);
}

// Edge `edge` of 12 of a box: four along each axis.
fn box_edge(edge: u32, box_low: vec3<f32>, box_high: vec3<f32>) -> array<vec3<f32>, 2> {
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
    let extent = box_high - box_low;
    return array<vec3<f32>, 2>(box_low + low * extent, box_low + (low + along) * extent);
}

fn line_corner(ends: array<vec3<f32>, 2>, vertex_index: u32) -> LineCorner {
    var start = frame.clip_from_world * vec4<f32>(ends[0], 1.0);
    var end = frame.clip_from_world * vec4<f32>(ends[1], 1.0);
    // With reversed depth a point is in front of the near plane where z <= w. The part behind it is cut off here,
    // because its projection would point the wrong way.
    let start_inside = start.w - start.z;
    let end_inside = end.w - end.z;
    if start_inside <= 0.0 && end_inside <= 0.0 {
        return no_corner();
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
    return LineCorner(clip, side * reach);
}

// How much of a pixel a line covers, 0 to 1.
fn coverage(across: f32) -> f32 {
    return clamp(HALF_WIDTH + 0.5 - abs(across), 0.0, 1.0);
}
