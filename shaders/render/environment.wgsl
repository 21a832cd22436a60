// The surroundings of the scene that the water stands in, as a picture around it: what the water mirrors, and the light
// that it receives from all sides.
#define_import_path nearwater::render::environment
#import nearwater::render::scene_light::scene_light

// Black where the scene has none.
@group(0) @binding(18) var environment_seen: texture_cube<f32>;
@group(0) @binding(19) var environment_received: texture_cube<f32>;
@group(0) @binding(21) var environment_sampler: sampler;

// How much of the blur of the roughest surfaces the image in the water has. Waves that are smaller than a particle,
// which nobody computes, blur it.
const BLUR: f32 = 0.08;
// The same of churned water.
const ROUGH_BLUR: f32 = 0.7;

fn has_environment() -> bool {
#ifdef WITHOUT_SCENE_LIGHT
    return false;
#else
    return scene_light.environment_strength > 0.0;
#endif
}

// Light from `direction`, as calm water mirrors it, or from 0 to 1 as rough water does.
fn mirrored_environment(direction: vec3<f32>, rough: f32) -> vec3<f32> {
    let level = mix(BLUR, ROUGH_BLUR, rough) * f32(textureNumLevels(environment_seen) - 1u);
    let towards = scene_light.cube_from_world * direction;
    return scene_light.environment_strength * textureSampleLevel(environment_seen, environment_sampler, towards, level).rgb;
}

// Light that a matte surface receives which faces `normal`: that of the environment, of which there may be none, and
// the ambient light of the scene.
fn received_from_all_sides(normal: vec3<f32>) -> vec3<f32> {
    let towards = scene_light.cube_from_world * normal;
    let received = textureSampleLevel(environment_received, environment_sampler, towards, 0.0).rgb;
    return scene_light.ambient + scene_light.environment_strength * received;
}
