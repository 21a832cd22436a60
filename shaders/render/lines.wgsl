// Lines of constant width in pixels with soft edges: 6 vertices each.
#define_import_path nearwater::render::lines
#import nearwater::render::frame::frame

// Half of a line's width, pixels.
const HALF_WIDTH: f32 = 0.6;

struct LineCorner {
    clip: vec4<f32>,
    // Distance from the center of the line, pixels.
    across: f32,
}

// A corner that draws nothing, beyond the far end of the depth range.
fn no_corner() -> LineCorner {
    return LineCorner(vec4<f32>(0.0, 0.0, 2.0, 1.0), 0.0);
}

// A position in clip space whose depth is moved by `meters` towards the eye, so that beads that protrude from the
// surface do not hide it.
fn lifted(clip: vec4<f32>, meters: f32) -> vec4<f32> {
    return vec4<f32>(clip.xy, clip.z * clip.w / max(clip.w - meters, 0.5 * clip.w), clip.w);
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
    return wide_line_corner(ends, vertex_index, HALF_WIDTH);
}

// Like `line_corner`, for a line with the given half width in pixels. A line from a point to itself is a square.
fn wide_line_corner(ends: array<vec3<f32>, 2>, vertex_index: u32, half_width: f32) -> LineCorner {
    var start = frame.clip_from_world * vec4<f32>(ends[0], 1.0);
    var end = frame.clip_from_world * vec4<f32>(ends[1], 1.0);
    // With reversed depth, a point is in front of the near plane where z <= w. The part of the line behind that plane
    // is cut off here, because its projection would have the wrong direction.
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
    // An edge seen end-on covers nothing.
    var direction = along / max(length(along), 1e-3);
    if all(ends[0] == ends[1]) {
        direction = vec2<f32>(1.0, 0.0);
    }
    let normal = vec2<f32>(-direction.y, direction.x);
    let at_end = vertex_index == 1u || vertex_index == 4u || vertex_index == 5u;
    let side = select(-1.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u);
    let reach = half_width + 0.5;
    let offset = normal * side * reach + direction * select(-half_width, half_width, at_end);
    var clip = select(start, end, at_end);
    clip = vec4<f32>(clip.xy + 2.0 * offset / frame.size * clip.w, clip.zw);
    return LineCorner(clip, side * reach);
}

// The fraction of a pixel that a line covers, 0 to 1.
fn coverage(across: f32) -> f32 {
    return wide_coverage(across, HALF_WIDTH);
}

// Like `coverage`, for a line with the given half width.
fn wide_coverage(across: f32, half_width: f32) -> f32 {
    return clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
}

// Outward normal of face `face` of 6 of a box: the lower and the upper one along x, then y, then z.
fn face_normal(face: u32) -> vec3<i32> {
    var normal = vec3<i32>(0);
    normal[face / 2u] = select(-1, 1, (face & 1u) != 0u);
    return normal;
}

// Corner `vertex_index` of the 6 of a face's two triangles.
fn face_corner(face: u32, vertex_index: u32, box_low: vec3<f32>, box_high: vec3<f32>) -> vec3<f32> {
    let axis = face / 2u;
    var part = vec3<f32>(0.0);
    part[axis] = f32(face & 1u);
    part[(axis + 1u) % 3u] = select(0.0, 1.0, vertex_index == 1u || vertex_index == 4u || vertex_index == 5u);
    part[(axis + 2u) % 3u] = select(0.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u);
    return mix(box_low, box_high, part);
}
