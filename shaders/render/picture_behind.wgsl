// The picture that the water stands in, drawn before by the caller: its light and depths, for refraction. Draw 3
// vertices. With MULTISAMPLED the depths have several samples, of which the nearest counts.
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
// Transparent things of the scene that the water is in front of, drawn over nothing; a single clear texel if there are
// none.
@group(1) @binding(2) var transparent: texture_2d<f32>;

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
    for (var sample = 1u; sample < textureNumSamples(picture_depth); sample += 1u) {
        depth = max(depth, textureLoad(picture_depth, pixel, sample));
    }
#endif
    let over = textureLoad(transparent, min(pixel, vec2<i32>(textureDimensions(transparent)) - 1), 0);
    let color = over.rgb + (1.0 - over.a) * textureLoad(picture_color, pixel, 0).rgb;
    return Behind(vec4<f32>(untoned(color), 1.0), depth);
}
