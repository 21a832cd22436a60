// The picture that the water stands in, drawn before by the caller: its light and depths, for refraction. Draw 3
// vertices. With MULTISAMPLED the depths have four samples, of which the nearest counts.
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::untoned

// Linear colors, as they will be shown.
@group(1) @binding(0) var picture_color: texture_2d<f32>;
// Depths, reversed: 0 is infinitely far away.
#ifdef MULTISAMPLED
@group(1) @binding(1) var picture_depth: texture_depth_multisampled_2d;
#else
@group(1) @binding(1) var picture_depth: texture_depth_2d;
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

struct Behind {
    @location(0) light: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: ScreenCorner) -> Behind {
    let pixel = vec2<i32>(corner.clip.xy);
    var depth = textureLoad(picture_depth, pixel, 0);
#ifdef MULTISAMPLED
    for (var sample = 1; sample < 4; sample += 1) {
        depth = max(depth, textureLoad(picture_depth, pixel, sample));
    }
#endif
    return Behind(vec4<f32>(untoned(textureLoad(picture_color, pixel, 0).rgb), 1.0), depth);
}
