// What is seen through clear water: the picture of the scene without water, at the point that the refracted ray
// reaches. The ray is bent where it enters; where the water ends along the straight ray it leaves again, and continues
// in a direction that the caller knows: behind a pane of water its first one. It is followed in the picture of depths,
// so it finds what that picture shows, and nothing that is hidden there.
#define_import_path nearwater::render::refracted
#import nearwater::render::frame::frame
#import nearwater::render::ground::ground_at
#import nearwater::render::light::light_sampler
#ifdef DROPS
#import nearwater::render::shading::{backdrop, untoned}
#else
#import nearwater::render::shading::backdrop
#endif
#import nearwater::render::sky::sky

// The scene without water: linear light, and depth.
@group(0) @binding(9) var solids_behind: texture_2d<f32>;
@group(0) @binding(10) var solid_depths: texture_depth_2d;

#ifdef DROPS
// The layer of the water's surface in front of it, premultiplied, and its depths.
@group(1) @binding(3) var water_layer: texture_2d<f32>;
@group(1) @binding(4) var water_depths: texture_depth_2d;
#endif

// Refractive index of air divided by that of water.
const AIR_OVER_WATER: f32 = 0.752;
// The depth of the backdrop, m.
const FAR: f32 = 1e4;
// How far in front of a ray's point the scene may be without hiding it, in lengths of the ray.
const HIDING: f32 = 0.15;

struct Through {
    light: vec3<f32>,
    // Length of the path in water, m.
    water: f32,
}

// Depth of the scene without water in a pixel, m.
fn scene_depth(pixel: vec2<f32>) -> f32 {
    let last = vec2<i32>(textureDimensions(solid_depths)) - 1;
    let depth = textureLoad(solid_depths, clamp(vec2<i32>(pixel), vec2<i32>(0), last), 0);
    return select(FAR, frame.near / depth, depth > frame.near / FAR);
}

// Light of the scene at a point of the picture; with DROPS, through the surface of the water.
fn light_behind(at: vec2<f32>) -> vec3<f32> {
    let light = textureSampleLevel(solids_behind, light_sampler, at / frame.size, 0.0).rgb;
#ifdef DROPS
    let water = textureSampleLevel(water_layer, light_sampler, at / frame.size, 0.0);
    let pixel = clamp(vec2<i32>(at), vec2<i32>(0), vec2<i32>(frame.size) - 1);
    let is_seen = textureLoad(water_depths, pixel, 0) >= textureLoad(solid_depths, pixel, 0);
    let over = mix(light, untoned(water.rgb / max(water.a, 1e-3)), water.a);
    return select(light, over, is_seen && water.a > 0.0);
#else
    return light;
#endif
}

// Pixel and depth of a point.
fn seen_where(point: vec3<f32>) -> vec3<f32> {
    let clip = frame.clip_from_world * vec4<f32>(point, 1.0);
    return vec3<f32>((clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size, clip.w);
}

fn refracted_light(
    position: vec3<f32>,
    view: vec3<f32>,
    normal: vec3<f32>,
    leaving: vec3<f32>,
    pixel: vec2<f32>,
    thickness: f32,
) -> Through {
    let bent = refract(view, normal, AIR_OVER_WATER);
    let here = seen_where(position).z;
    let advance = (frame.clip_from_world * vec4<f32>(view, 0.0)).w;
    let straight = max(scene_depth(pixel) - here, 0.0) / advance;
    // No more water than there is room. Between parallel surfaces the bent path is shorter than the straight one, by
    // the ratio of the cosines of their angles to the normal.
    let shorter = clamp(dot(view, normal) / dot(bent, normal), 0.1, 1.0);
    let water = min(thickness, straight) * shorter;
    var along = straight;
    var reached = straight;
    var at = pixel;
    for (var turn = 0; turn < 4; turn += 1) {
        let point = position + min(along, water) * bent + max(along - water, 0.0) * leaving;
        let seen = seen_where(point);
        let gap = (scene_depth(seen.xy) - seen.z) / advance;
        // What is far in front of the ray's point hides it: the edge of something else, or a thing in front of the
        // water. It is not what the ray meets.
        let is_hidden = gap < -HIDING * along - frame.particle_radius;
        along = max(along + gap, 0.0);
        at = select(seen.xy, at, is_hidden);
        reached = select(along, reached, is_hidden);
    }
    if frame.in_picture != 0u {
        // Nothing is known beside the picture; its border stands for it.
        at = clamp(at, vec2<f32>(0.5), frame.size - 0.5);
    }
    let is_in_picture = all(at >= vec2<f32>(0.0)) && all(at < frame.size);
    // Beside the picture the ray stays in the water, if there is any.
    let aside = select(leaving, bent, water > 0.0);
    let down = -aside.y;
    if !is_in_picture && down > 0.05 {
        // The floor beside the picture.
        let place = position + max(position.y - frame.floor_height, 0.0) / down * aside;
        let width = distance(place, frame.eye) / (frame.pixels_at_one * down);
        let ground = ground_at(place.xz, vec2<f32>(width), pixel);
        return Through(mix(backdrop(aside), ground.rgb, ground.a), water);
    }
    // Things in front of the water are not seen through it.
    let there = scene_depth(at);
    let is_behind = is_in_picture && there > here - 0.5 * frame.particle_radius;
    at = select(pixel, at, is_behind);
    reached = select(straight, reached, is_behind);
    var light = light_behind(at);
    // The backdrop shows the sky as it is right behind the scene; a ray that is bent far aside meets the rest of it.
    let turned = 1.0 - dot(view, leaving);
    let is_sky = !is_in_picture || there >= FAR;
    light = mix(light, sky(leaving), select(0.0, smoothstep(0.0, 0.3, turned), is_sky));
    return Through(light, min(water, reached));
}

// The direction in which a ray along `view` leaves the ball of water that it enters where the normal is `normal`.
fn behind_ball(view: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let inside = refract(view, normal, AIR_OVER_WATER);
    // The chord is symmetric, so that the ray leaves at the angle at which it has entered.
    let outward = normal - 2.0 * dot(normal, inside) * inside;
    return normalize(refract(inside, -outward, 1.0 / AIR_OVER_WATER));
}
