// The sun's light in and behind clear water: the map of caustics that `caustics.wgsl` draws on the floor, and what it
// says about points above the floor.
#define_import_path nearwater::render::sunlit
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::light::light_sampler

// Light that arrives on the floor, as a fraction of the sun's.
@group(0) @binding(11) var caustics: texture_2d<f32>;
// How far below the top of the map the light meets water first, m, as the bits of a float; 0 where it meets none.
@group(0) @binding(12) var sun_surface: texture_2d<u32>;

// How much of the contrast of caustics is kept. The map is drawn with the surface of the particles, which is rougher
// than that of water, and with light from a single point, so its spots are too dark and too bright.
const CONTRAST: f32 = 0.6;

// The light on the floor at a place of the light map: the mean over a few texels, because single ones are noisy, with
// its contrast to the surroundings lowered.
fn caustic_at(place: vec2<f32>) -> vec3<f32> {
    if any(place < vec2<f32>(0.01)) || any(place > vec2<f32>(0.99)) {
        return vec3<f32>(1.0);
    }
    let texel = 0.75 / vec2<f32>(textureDimensions(caustics));
    var sum = 2.0 * textureSampleLevel(caustics, light_sampler, place, 0.0).rgb;
    var wide = vec3<f32>(0.0);
    for (var tap = 0u; tap < 4u; tap += 1u) {
        let side = vec2<f32>(select(-1.0, 1.0, (tap & 1u) == 1u), select(-1.0, 1.0, tap > 1u));
        // Two squares of taps, turned against each other.
        sum += textureSampleLevel(caustics, light_sampler, place + texel * vec2<f32>(side.x, 0.5 * side.y), 0.0).rgb;
        wide += textureSampleLevel(caustics, light_sampler, place + 5.0 * texel * side, 0.0).rgb;
        let turned = vec2<f32>(side.x + side.y, side.x - side.y);
        wide += textureSampleLevel(caustics, light_sampler, place + 4.0 * texel * turned, 0.0).rgb;
    }
    return mix(wide / 8.0, sum / 6.0, CONTRAST);
}

// Height at which the light towards `position` meets water first, m; the floor's if it meets none.
fn water_height(position: vec3<f32>) -> f32 {
    let place = light_map_place(position);
    if any(place < vec2<f32>(0.0)) || any(place >= vec2<f32>(1.0)) {
        return frame.floor_height;
    }
    let texel = vec2<i32>(place * vec2<f32>(textureDimensions(sun_surface)));
    let below = bitcast<f32>(textureLoad(sun_surface, texel, 0).x);
    return select(frame.floor_height, frame.shadow_top - below, below > 0.0);
}

// The fraction of the sun's light that reaches `position` through water. Below the surface it is that of the point of
// the floor towards which a still surface would refract the light; so caustics lie on solids and walls as on the floor.
fn sunlight_at(position: vec3<f32>) -> vec3<f32> {
    let under = water_height(position) - position.y;
    let share = smoothstep(0.0, 2.0 * frame.particle_radius, under);
    if share <= 0.0 {
        return vec3<f32>(1.0);
    }
    let refracted = refract(-frame.light, vec3<f32>(0.0, 1.0, 0.0), 0.752);
    let along = (position.y - frame.floor_height) / -refracted.y;
    let landing = position + along * refracted;
    let place = (landing.xz - frame.light_map_low) * frame.light_map_inverse_size;
    // The pattern spreads on the way from the surface to the floor.
    let sharpness = clamp(under / max(under + position.y - frame.floor_height, 1e-6), 0.0, 1.0);
    let deep = exp(-frame.absorption * under / frame.light.y);
    return mix(vec3<f32>(1.0), mix(deep, caustic_at(place), 0.25 + 0.45 * sharpness), share);
}
