// The sun's light in and behind clear water: the map of caustics that `caustics.wgsl` draws on the floor, and what it
// says about points above the floor.
#define_import_path nearwater::render::sunlit
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::light::{light_map, light_sampler}

// Light that arrives on the floor, as a fraction of the sun's.
@group(0) @binding(11) var caustics: texture_2d<f32>;
// How far below the top of the map the light meets water first, m, as the bits of a float; 0 where it meets none.
@group(0) @binding(12) var sun_surface: texture_2d<u32>;

// How much of the contrast of caustics is kept. The map is drawn with the surface of the particles, which is rougher
// than that of water, and with light from a single point, so its spots are too dark and too bright.
const CONTRAST: f32 = 0.6;
// How much of the light that waves turn away from a place arrives there nevertheless: the sun and the bright sky around
// it are no point, and water scatters light.
const FILLED_IN: f32 = 0.6;
// The share of the light that still water would let through below which light counts as turned away, since the sums of
// particles vary from place to place.
const TURNED_AWAY: f32 = 0.8;

// Distances of the taps, in texels of the map. The corners of the mesh are up to two texels apart, so that the folds in
// which they gather light are rows of dots until they are averaged over that width.
const FINE: f32 = 1.2;
const WIDE: f32 = 3.75;

// The light on the floor at a place of the light map: the mean over a few texels, because single ones are noisy, with
// its contrast to the surroundings lowered.
fn caustic_at(place: vec2<f32>) -> vec3<f32> {
    if any(place < vec2<f32>(0.01)) || any(place > vec2<f32>(0.99)) {
        return vec3<f32>(1.0);
    }
    let texel = 1.0 / vec2<f32>(textureDimensions(caustics));
    let fine = FINE * texel;
    let around = WIDE * texel;
    var sum = 2.0 * textureSampleLevel(caustics, light_sampler, place, 0.0).rgb;
    var wide = vec3<f32>(0.0);
    for (var tap = 0u; tap < 4u; tap += 1u) {
        let side = vec2<f32>(select(-1.0, 1.0, (tap & 1u) == 1u), select(-1.0, 1.0, tap > 1u));
        // Two squares of taps, turned against each other.
        sum += textureSampleLevel(caustics, light_sampler, place + fine * vec2<f32>(side.x, 0.5 * side.y), 0.0).rgb;
        wide += textureSampleLevel(caustics, light_sampler, place + around * side, 0.0).rgb;
        let turned = vec2<f32>(side.x + side.y, side.x - side.y);
        wide += textureSampleLevel(caustics, light_sampler, place + 0.8 * around * turned, 0.0).rgb;
    }
    let drawn = mix(wide / 8.0, sum / 6.0, CONTRAST);
    let column = textureSampleLevel(light_map, light_sampler, place, 0.0).a / frame.light.y;
    return drawn + FILLED_IN * max(TURNED_AWAY * exp(-frame.absorption * column) - drawn, vec3<f32>(0.0));
}

// A point of the surface that the sun sees; on the floor where there is no water.
struct Point {
    position: vec3<f32>,
    is_water: bool,
}

fn point_at(place: vec2<f32>) -> Point {
    let size = vec2<f32>(textureDimensions(sun_surface));
    let texel = clamp(vec2<i32>(place * size), vec2<i32>(0), vec2<i32>(size) - 1);
    let below = bitcast<f32>(textureLoad(sun_surface, texel, 0).x);
    let height = select(frame.floor_height, frame.shadow_top - below, below > 0.0);
    let floor_place = frame.light_map_low + place / frame.light_map_inverse_size;
    let along = (height - frame.floor_height) / frame.light.y;
    let floor_point = vec3<f32>(floor_place.x, frame.floor_height, floor_place.y);
    return Point(floor_point + along * frame.light, below > 0.0);
}

// The step of the surface along `step`, from the point `here` at a place of the map: the shorter one of those to both
// sides, because the longer one may lead to another surface.
fn slope(place: vec2<f32>, here: Point, step: vec2<f32>) -> vec3<f32> {
    let after = point_at(place + step);
    let before = point_at(place - step);
    let forward = after.position - here.position;
    let backward = here.position - before.position;
    let is_backward = !after.is_water || (before.is_water && dot(backward, backward) < dot(forward, forward));
    return select(forward, backward, is_backward);
}

// Where the light towards `position` meets water first; on the floor if it meets none.
fn lit_towards(position: vec3<f32>) -> Point {
    let place = light_map_place(position);
    let is_in_map = all(place >= vec2<f32>(0.0)) && all(place < vec2<f32>(1.0));
    let found = point_at(place);
    return Point(select(position, found.position, is_in_map), found.is_water && is_in_map);
}

// The fraction of the sun's light that reaches `position` through water. Below the surface it is that of the point of
// the floor towards which a still surface would refract the light; so caustics lie on solids and walls as on the floor.
fn sunlight_at(position: vec3<f32>) -> vec3<f32> {
    let lit = lit_towards(position);
    let under = select(0.0, lit.position.y - position.y, lit.is_water);
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
