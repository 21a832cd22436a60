// The fraction of the key light that solids and the meshes of the surrounding scene let through. Of solids there is a
// map of their height in the path of the light, drawn by `solid.wgsl` and `cloth.wgsl`, and soft edges, which widen
// with the distance of what casts the shadow (R. Fernando, "Percentage-closer soft shadows", 2005).
#define_import_path nearwater::render::solid_light
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::scene_light::{height_sampler, scene_sun}

// For each point of the floor, the height of the highest solid in the path of its light, as returned by `solid_height`.
@group(0) @binding(7) var solid_heights: texture_depth_2d;

// Number of samples around a position for solids in the path of the light, and for the soft edge.
const SEARCH_TAPS: u32 = 8u;
const BORDER_TAPS: u32 = 16u;

// A height over the floor as a depth, 0 to 1.
fn solid_height(height: f32) -> f32 {
    return (height - frame.floor_height) / (frame.shadow_top - frame.floor_height);
}

// Clip-space position in the map of heights for a world position, m; its depth is the height.
fn shadow_clip(position: vec3<f32>) -> vec4<f32> {
    let clip = light_map_place(position) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    return vec4<f32>(clip, clamp(solid_height(position.y), 0.0, 1.0), 1.0);
}

// Tap `tap` of `taps` on a disk of radius 1, along a golden spiral turned by `turn`.
fn on_disc(tap: u32, taps: u32, turn: f32) -> vec2<f32> {
    let angle = 2.3999632 * f32(tap) + turn;
    return sqrt((f32(tap) + 0.5) / f32(taps)) * vec2<f32>(cos(angle), sin(angle));
}

// The fraction of the key light that solids and the scene's meshes let through to `position` on a surface facing
// `normal`, 0 to 1. `slack` is the least height above the surface at which something blocks the light, m; `pixel`
// varies the samples so that few taps leave no bands.
fn solid_light(position: vec3<f32>, normal: vec3<f32>, slack: f32, pixel: vec2<f32>) -> f32 {
    return own_solid_light(position, normal, slack, pixel) * scene_sun(position, 3);
}

// The fraction that the solids that this renderer draws let through; with WITHOUT_SOLIDS there are none.
fn own_solid_light(position: vec3<f32>, normal: vec3<f32>, slack: f32, pixel: vec2<f32>) -> f32 {
#ifdef WITHOUT_SOLIDS
    return 1.0;
#else
    let place = light_map_place(position);
    let range = frame.shadow_top - frame.floor_height;
    let room = frame.shadow_top - position.y;
    if frame.solid_count == 0u || room <= 0.0 || any(place < vec2<f32>(0.0)) || any(place > vec2<f32>(1.0)) {
        return 1.0;
    }
    let size = vec2<f32>(textureDimensions(solid_heights));
    // Size along the floor, m.
    let texel = 1.0 / (frame.light_map_inverse_size * size);
    let last = vec2<i32>(size) - 1;
    // How the surface itself rises towards the light between points of the map.
    let facing = max(dot(normal, frame.light), 0.15);
    let rise = -frame.light.y * normal.xz / facing;
    let own = position.y + slack + dot(abs(rise), texel);
    let turn = 6.2831853 * fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));

    let search = max(vec2<f32>(frame.lamp * room), 2.0 * texel);
    var higher = vec2<f32>(0.0);
    for (var tap = 0u; tap < SEARCH_TAPS; tap += 1u) {
        let offset = search * on_disc(tap, SEARCH_TAPS, turn);
        let at = vec2<i32>((place + offset * frame.light_map_inverse_size) * size);
        let height = frame.floor_height + range * textureLoad(solid_heights, clamp(at, vec2<i32>(0), last), 0);
        higher += f32(height > own + dot(rise, offset)) * vec2<f32>(height, 1.0);
    }
    if higher.y == 0.0 {
        return 1.0;
    }
    let border = max(vec2<f32>(frame.lamp * (higher.x / higher.y - position.y)), 1.5 * texel);
    var light = 0.0;
    for (var tap = 0u; tap < BORDER_TAPS; tap += 1u) {
        let offset = border * on_disc(tap, BORDER_TAPS, turn);
        let at = place + offset * frame.light_map_inverse_size;
        let limit = clamp(solid_height(own + dot(rise, offset)), 0.0, 1.0);
        light += textureSampleCompareLevel(solid_heights, height_sampler, at, limit);
    }
    return light / f32(BORDER_TAPS);
#endif
}
