// The light of the scene that the water stands in, besides the key light: its lamps, and the shadows that its own
// meshes throw. Both are empty where the renderer draws the surroundings itself; with WITHOUT_SCENE_LIGHT, shaders are
// compiled without them.
#define_import_path nearwater::render::scene_light
#import nearwater::render::frame::frame

// Mirrored by `render::bound_scene_light::GpuLamp`.
struct Lamp {
    // World position, m; of a distant lamp, the unit vector towards it.
    position: vec3<f32>,
    // The light falls from 1 to 0 with the square of `beam_scale` times the cosine of the angle to `beam`, plus
    // `beam_offset`.
    beam_offset: f32,
    // Color and strength: of a distant lamp, or at a distance of 1 m.
    light: vec3<f32>,
    // 1/m^2; negative for a distant lamp.
    inverse_square_range: f32,
    beam: vec3<f32>,
    beam_scale: f32,
    // Its maps of shadows.
    map_count: u32,
    are_faces: u32,
    spare: vec2<u32>,
}

// Mirrored by `render::bound_scene_light::GpuShadowMap`.
struct ShadowMap {
    // From world to its clip space, orthographic or perspective.
    clip_from_world: mat4x4<f32>,
    layer: u32,
    spare: u32,
    last: vec2<u32>,
}

// Mirrored by `render::bound_scene_light::GpuSceneLight`.
struct SceneLight {
    lamps: array<Lamp, 8>,
    // Those of the key light, followed by those of each lamp, from the finest to the coarsest.
    maps: array<array<ShadowMap, 6>, 9>,
    // From world directions to those of the environment.
    cube_from_world: mat3x3<f32>,
    // Light from all sides on the scene's meshes, besides the environment, in the unit of the key light.
    ambient: vec3<f32>,
    // Factor of the colors of the environment; 0 without one.
    environment_strength: f32,
    lamp_count: u32,
    // Maps of the key light.
    map_count: u32,
    spare: vec2<u32>,
}

@group(0) @binding(15) var<uniform> scene_light: SceneLight;
// Depths as seen from the lights, reversed: 0 where nothing is in their path; and those in the faces of cubes around
// lamps.
@group(0) @binding(16) var scene_depths: texture_depth_2d_array;
@group(0) @binding(17) var scene_faces: texture_depth_2d_array;
// Comparison passes (1) where nothing in the map is nearer to the light.
@group(0) @binding(8) var height_sampler: sampler_comparison;

// The square of the distance to a lamp at which its light grows no more, m^2.
const LEAST_SQUARED: f32 = 1e-4;

// Light of a lamp at a point.
struct Shone {
    // Unit vector towards the lamp.
    towards: vec3<f32>,
    // Color and strength on a surface that faces it, divided by the strength of the renderer's own lamp.
    light: vec3<f32>,
}

// Number of lamps.
fn lamp_count() -> u32 {
#ifdef WITHOUT_SCENE_LIGHT
    return 0u;
#else
    return scene_light.lamp_count;
#endif
}

fn lamp_at(index: u32, position: vec3<f32>) -> Shone {
    let open = lamp_in_open(index, position);
    let lamp = scene_light.lamps[index];
    if lamp.map_count == 0u || all(open.light == vec3<f32>(0.0)) {
        return open;
    }
    let reached = past_meshes(1u + index, lamp.map_count, lamp.are_faces != 0u, position, open.towards, 2);
    return Shone(open.towards, reached * open.light);
}

// The light of a lamp if no mesh were in its path.
fn lamp_in_open(index: u32, position: vec3<f32>) -> Shone {
    let lamp = scene_light.lamps[index];
    if lamp.inverse_square_range < 0.0 {
        return Shone(lamp.position, lamp.light);
    }
    let offset = lamp.position - position;
    let squared = max(dot(offset, offset), LEAST_SQUARED);
    let towards = offset * inverseSqrt(squared);
    // Falls to zero at the range (B. Karis, "Real shading in Unreal Engine 4", 2013, equation 9).
    let share = squared * lamp.inverse_square_range;
    let left = max(1.0 - share * share, 0.0);
    let beam = clamp(lamp.beam_offset - lamp.beam_scale * dot(lamp.beam, towards), 0.0, 1.0);
    return Shone(towards, lamp.light * (left * left * beam * beam / squared));
}

// Sum of the lamps' light at a point, from all directions.
fn lamps_at(position: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var lamp = 0u; lamp < lamp_count(); lamp += 1u) {
        sum += lamp_at(lamp, position).light;
    }
    return sum;
}

// The lamps' light that a surface scatters, with the soft terminator of water.
fn lamps_wrapped(position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var lamp = 0u; lamp < lamp_count(); lamp += 1u) {
        let shone = lamp_at(lamp, position);
        sum += shone.light * clamp(dot(normal, shone.towards) * 0.6 + 0.4, 0.0, 1.0);
    }
    return sum;
}

// The lamps' light that a matte surface scatters.
fn lamps_matte(position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var lamp = 0u; lamp < lamp_count(); lamp += 1u) {
        let shone = lamp_at(lamp, position);
        sum += shone.light * max(dot(normal, shone.towards), 0.0);
    }
    return sum;
}

// The lamps' images on a glossy surface that faces `normal` and is seen from `towards_eye`: Blinn's lobe with that
// exponent.
fn lamps_glint(position: vec3<f32>, normal: vec3<f32>, towards_eye: vec3<f32>, exponent: f32) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var lamp = 0u; lamp < lamp_count(); lamp += 1u) {
        let shone = lamp_at(lamp, position);
        sum += shone.light * pow(clamp(dot(normal, normalize(shone.towards + towards_eye)), 0.0, 1.0), exponent);
    }
    return sum;
}

// The fraction of a light that the scene's meshes let through to a point, 0 to 1: the mean of `taps` times `taps`
// comparisons, one texel apart. `row` is the row of the light's maps. Points outside all maps are lit.
fn past_meshes(row: u32, count: u32, are_faces: bool, position: vec3<f32>, towards: vec3<f32>, taps: i32) -> f32 {
    // Water that touches a mesh would be in its shadow half of the time.
    let point = vec4<f32>(position + frame.particle_radius * towards, 1.0);
    // The coarser map of a cascade is taken within the width of the taps; the faces of a cube adjoin.
    let reach = select(0.99, 1.0001, are_faces);
    for (var map = 0u; map < count; map += 1u) {
        let held = scene_light.maps[row][map];
        let clip = held.clip_from_world * point;
        let place = clip.xy / clip.w;
        let depth = clip.z / clip.w;
        if clip.w <= 0.0 || any(abs(place) > vec2<f32>(reach)) || depth < 0.0 || depth > 1.0 {
            continue;
        }
        let at = place * vec2<f32>(0.5, -0.5) + 0.5;
        let size = select(textureDimensions(scene_depths), textureDimensions(scene_faces), are_faces);
        let first = 0.5 * f32(1 - taps);
        var sum = 0.0;
        for (var tap = 0; tap < taps * taps; tap += 1) {
            let offset = first + vec2<f32>(f32(tap % taps), f32(tap / taps));
            let tapped = at + offset / vec2<f32>(size);
            if are_faces {
                sum += textureSampleCompareLevel(scene_faces, height_sampler, tapped, i32(held.layer), depth);
            } else {
                sum += textureSampleCompareLevel(scene_depths, height_sampler, tapped, i32(held.layer), depth);
            }
        }
        return sum / f32(taps * taps);
    }
    return 1.0;
}

// That fraction of the key light.
fn scene_sun(position: vec3<f32>, taps: i32) -> f32 {
#ifdef WITHOUT_SCENE_LIGHT
    return 1.0;
#else
    return past_meshes(0u, scene_light.map_count, false, position, frame.light, taps);
#endif
}

// The mean of that fraction along a path of `length` m through water. The light is taken to be straight, although the
// surface bends it.
fn scene_sun_along(position: vec3<f32>, direction: vec3<f32>, length: f32) -> f32 {
    if scene_light.map_count == 0u {
        return 1.0;
    }
    var sum = 0.0;
    for (var turn = 0; turn < 4; turn += 1) {
        sum += scene_sun(position + (0.25 * (f32(turn) + 0.5) * length) * direction, 1);
    }
    return 0.25 * sum;
}
