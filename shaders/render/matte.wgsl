// The appearance of solids: matte, lit by the same lamp and room as the water, in its shadow and in their own.
#define_import_path nearwater::render::matte
#import nearwater::render::frame::{frame, is_clear}
#import nearwater::render::light::light_reaching
#import nearwater::render::scene_light::lamps_matte
#import nearwater::render::shading::{LAMP_COLOR, ambient, key, mirrored, toned}
#import nearwater::render::solid_light::solid_light
#import nearwater::render::sunlit::sunlight_at

// Color and strength of the light next to the eye.
const FILL: vec3<f32> = vec3<f32>(0.20, 0.185, 0.17);
// Distance in front of a surface, in radii of a particle, at which the light is taken that has come through clear
// water: the spheres of water on a solid that ends at a wall of the tank stand out over the wall by less.
const BESIDE: f32 = 2.0;

// Light that a surface of color `albedo` at `position` sends to the eye; its normal `normal` faces the eye's side.
fn matte(position: vec3<f32>, normal: vec3<f32>, albedo: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let towards_eye = normalize(frame.eye - position);
    let facing = dot(normal, frame.light);
    var shadow = 0.0;
    if facing > 0.0 {
        shadow = solid_light(position, normal, 0.002 * frame.extent, pixel);
    }
    var sun = vec3<f32>(1.0);
    if is_clear() {
        sun = sunlight_at(position + BESIDE * frame.particle_radius * normal);
    } else {
        sun = vec3<f32>(light_reaching(position));
    }
    // Little of the room's light reaches surfaces close to the floor that face it.
    let above = clamp((position.y - frame.floor_height) / (0.25 * frame.extent), 0.0, 1.0);
    let open = mix(0.55 + 0.45 * clamp(0.5 + 0.5 * normal.y, 0.0, 1.0), 1.0, above);
    // The room's walls reflect half of the sky's blue as gray; otherwise stone in the shade would look green.
    let sky = ambient(normal);
    let room = mix(vec3<f32>(dot(sky, vec3<f32>(0.2126, 0.7152, 0.0722))), sky, 0.4);
    // A faint light from the position of the viewer makes the faces of a solid distinguishable in its shade.
    let fill = FILL * max(dot(normal, towards_eye), 0.0);
    // Under the open sky of the light theme more light comes from all sides.
    let around = room * open * mix(0.38, 0.46, frame.daylight);
    let light = key() * max(facing, 0.0) * shadow * (0.15 + 0.85 * sun) * mix(0.95, 1.25, frame.daylight)
        + LAMP_COLOR * lamps_matte(position, normal) * 0.95
        + (around + fill) * (0.6 + 0.4 * sun);
    // The sheen of a dry, fine surface at grazing angles.
    let grazing = 1.0 - clamp(dot(normal, towards_eye), 0.0, 1.0);
    let sheen = 0.06 * grazing * grazing * grazing;
    return mix(albedo * light, mirrored(reflect(-towards_eye, normal)), sheen * (0.3 + 0.7 * sun));
}

// The color that the target stores: behind the water it is not yet tone-mapped.
fn shown(light: vec3<f32>) -> vec4<f32> {
#ifdef BEHIND
    return vec4<f32>(light, 1.0);
#else
    return vec4<f32>(toned(light), 1.0);
#endif
}
