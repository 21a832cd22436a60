// Puts the layer of clear water over the finished picture, with the depths of its surface. Where the surface covers a
// part of a pixel, the rest shows what is behind it: other water, which the pixels beside it show, or the picture. Draw
// 3 vertices, blended with premultiplied colors.
#import nearwater::render::frame::frame
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::dithered
#import nearwater::render::smooth_edges::{smooth_edges, water_layer}

// Depths of its surface, 0 where there is none.
@group(1) @binding(1) var water_depths: texture_depth_2d;
// The same of drops and lumps in front of it.
@group(1) @binding(2) var drop_layer: texture_2d<f32>;
@group(1) @binding(3) var drop_depths: texture_depth_2d;
// Depths of the scene without water.
@group(0) @binding(10) var solid_depths: texture_depth_2d;

// How much farther water is from which on it is seen behind other water, in radii of a particle.
const BEHIND: vec2<f32> = vec2<f32>(0.75, 1.5);

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

struct Shown {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: ScreenCorner) -> Shown {
    let pixel = vec2<i32>(corner.clip.xy);
    let depth = textureLoad(water_depths, pixel, 0);
    let drop = textureLoad(drop_layer, pixel, 0);
    // A drop that is not seen covers nothing.
    let drop_depth = select(0.0, textureLoad(drop_depths, pixel, 0), drop.a > 0.0);
    if max(depth, drop_depth) <= 0.0 {
        discard;
    }
    // The depth test is that of the drop, where there is one.
    let is_hidden = drop_depth > 0.0 && depth < textureLoad(solid_depths, pixel, 0);
    let found = select(smooth_edges(pixel, textureLoad(water_layer, pixel, 0)), vec4<f32>(0.0), is_hidden);
    let borrowed = max(found.a - 1.0, 0.0);
    let own = vec4<f32>(found.rgb, min(found.a, 1.0));
    let last = vec2<i32>(textureDimensions(water_depths)) - 1;
    // The mean of the pixels beside this one that show what is behind it, premultiplied, and the sum of their weights;
    // of all of them where none does. Loops end early on devices that execute both sides of every branch.
    var behind = vec4<f32>(0.0);
    var weights = 0.0;
    // Water that covers nothing of its pixel shows what is behind it in full.
    let taps = select(0, 4, depth > 0.0 && !is_hidden && found.a != 1.0);
    for (var tap = 0; tap < taps; tap += 1) {
        let side = 2 * (tap & 1) - 1;
        let there = clamp(pixel + select(vec2<i32>(side, 0), vec2<i32>(0, side), tap > 1), vec2<i32>(0), last);
        let next = textureLoad(water_depths, there, 0);
        let farther = (frame.near / max(next, 1e-9) - frame.near / depth) / frame.particle_radius;
        let weight = select(smoothstep(BEHIND.x, BEHIND.y, farther), 1.0, borrowed > 0.0) + 1e-3;
        let layer = textureLoad(water_layer, there, 0);
        let color = vec4<f32>(layer.rgb, min(layer.a, 1.0));
        let is_seen = next > 0.0 && next >= textureLoad(solid_depths, there, 0);
        behind += weight * f32(is_seen) * color;
        weights += weight;
    }
    let beside = behind / max(weights, 1e-3);
    let both = mix(own + (1.0 - own.a) * beside, beside, borrowed);
    let shown = drop + (1.0 - drop.a) * both;
    return Shown(vec4<f32>(dithered(shown.rgb, corner.clip.xy), shown.a), max(depth, drop_depth));
}
