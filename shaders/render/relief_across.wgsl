// First relief pass: the depth of the particles' centers, blurred along rows. Centers are used because they carry no
// beads. Draw 3 vertices into the coarse picture.
#import nearwater::render::frame::frame
#import nearwater::render::relief::{TAPS, with_tap}
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::names::seen_at

// Position, m. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;

fn depth_at(pixel: vec2<i32>) -> f32 {
    let name = seen_at(pixel * i32(frame.relief_scale) + i32(frame.relief_scale / 2u));
    if name == 0u {
        return 0.0;
    }
    let index = min(name, arrayLength(&positions)) - 1u;
    return (frame.clip_from_world * vec4<f32>(positions[index].xyz, 1.0)).w;
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let pixel = vec2<i32>(corner.clip.xy);
    let middle = depth_at(pixel);
    if middle <= 0.0 {
        discard;
    }
    var sum = vec2<f32>(middle, 1.0);
    for (var tap = 1; tap <= TAPS; tap += 1) {
        let offset = vec2<i32>(tap, 0);
        sum = with_tap(sum, tap, middle, depth_at(pixel - offset));
        sum = with_tap(sum, tap, middle, depth_at(pixel + offset));
    }
    return bitcast<u32>(sum.x / sum.y);
}
