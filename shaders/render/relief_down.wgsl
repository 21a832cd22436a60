// Second relief pass: the depths of the first pass, blurred along columns. Draw 3 vertices into the coarse picture.
#import nearwater::render::relief::{TAPS, with_tap}
#import nearwater::render::screen::{ScreenCorner, screen_corner}

// Bits of a depth, m; 0 where there is no water.
@group(0) @binding(5) var depths: texture_2d<u32>;

fn depth_at(pixel: vec2<i32>) -> f32 {
    return bitcast<f32>(textureLoad(depths, pixel, 0).x);
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
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    var sum = vec2<f32>(middle, 1.0);
    for (var tap = 1; tap <= TAPS; tap += 1) {
        let offset = vec2<i32>(0, tap);
        sum = with_tap(sum, tap, middle, depth_at(max(pixel - offset, vec2<i32>(0))));
        sum = with_tap(sum, tap, middle, depth_at(min(pixel + offset, last)));
    }
    return bitcast<u32>(sum.x / sum.y);
}
