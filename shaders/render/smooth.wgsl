// Water as a body with one smooth surface: it mirrors the room, refracts what is seen through it, and absorbs light on
// the way. Its content has the color of the field.
#define_import_path nearwater::render::smooth
#import nearwater::render::color_fields::field_color
#import nearwater::render::field::{is_solid, positions}
#import nearwater::render::frame::frame
#import nearwater::render::ground::ground_at
#import nearwater::render::light::{light_reaching, light_sampler}
#import nearwater::render::names::seen_at
#import nearwater::render::scene_light::{lamps_glint, lamps_wrapped}
#import nearwater::render::shading::{LAMP_COLOR, ambient, backdrop, key, mirrored, toned}
#import nearwater::render::shape::shape_at
#import nearwater::render::solid_light::solid_light
#import nearwater::render::sphere::{normal_of, outline_of, place_of, surface}

// Length of the ray in water, m.
@group(0) @binding(6) var thickness: texture_2d<f32>;
// Solids as seen without the water: their light multiplied by alpha, and their depths.
@group(0) @binding(9) var solids_behind: texture_2d<f32>;
@group(0) @binding(10) var solid_depths: texture_depth_2d;

// Refractive index of air divided by that of water.
const AIR_OVER_WATER: f32 = 0.752;

fn thickness_at(pixel: vec2<f32>) -> f32 {
    let pixels = vec2<f32>(textureDimensions(thickness) * frame.relief_scale);
    return textureSampleLevel(thickness, light_sampler, pixel / pixels, 0.0).r;
}

// The field's color averaged over the particles seen around a pixel that lie near particle `index`, so that no bead
// shows. Colors that stand for separate things are not mixed.
fn smooth_color(index: u32, pixel: vec2<f32>, reach: f32) -> vec3<f32> {
    let position = positions[index].xyz;
    var sum = vec4<f32>(field_color(index, position), 1.0);
    if is_solid(index) || frame.has_separate_colors != 0u {
        return sum.rgb;
    }
    let limit = 6.0 * frame.particle_radius;
    for (var turn = 0; turn < 8; turn += 1) {
        // Along a golden spiral, so that no direction is preferred.
        let angle = 2.3999632 * f32(turn);
        let offset = reach * sqrt((f32(turn) + 1.0) / 8.0) * vec2<f32>(cos(angle), sin(angle));
        let name = seen_at(vec2<i32>(pixel + offset));
        let other = min(max(name, 1u), arrayLength(&positions)) - 1u;
        let place = positions[other].xyz;
        let weight = f32(name > 0u && !is_solid(other) && distance(place, position) < limit);
        sum += weight * vec4<f32>(field_color(other, place), 1.0);
    }
    return sum.rgb / sum.a;
}

// Distance along the viewing direction at which a pixel sees a solid behind the water, m; 0 where it sees none.
fn solid_ahead(pixel: vec2<f32>) -> f32 {
    let last = vec2<i32>(textureDimensions(solid_depths)) - 1;
    let depth = textureLoad(solid_depths, clamp(vec2<i32>(pixel), vec2<i32>(0), last), 0);
    return select(0.0, frame.near / depth, depth > 0.0);
}

// The light of the solid that is seen along `direction` from `position`, and in alpha the length of the path in water
// before it, m; alpha is negative where there is no solid. The ray along `view` through `pixel` passes through `water`
// m of water.
fn solid_through(
    position: vec3<f32>,
    view: vec3<f32>,
    direction: vec3<f32>,
    pixel: vec2<f32>,
    water: f32,
) -> vec4<f32> {
    if frame.solid_count == 0u && frame.in_picture == 0u {
        return vec4<f32>(0.0, 0.0, 0.0, -1.0);
    }
    let here = (frame.clip_from_world * vec4<f32>(position, 1.0)).w;
    let advance = (frame.clip_from_world * vec4<f32>(view, 0.0)).w;
    let straight = solid_ahead(pixel);
    // The pixel straight ahead, unless the refracted ray meets a solid where the picture shows one at the depth of the
    // ray.
    var at = pixel;
    var ahead = straight;
    let bent_advance = max((frame.clip_from_world * vec4<f32>(direction, 0.0)).w, 0.1);
    var deeper = select(water * advance, straight - here, straight > here);
    for (var turn = 0; turn < 3; turn += 1) {
        let bent = frame.clip_from_world * vec4<f32>(position + deeper / bent_advance * direction, 1.0);
        let bent_pixel = (bent.xy / bent.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size;
        let found = solid_ahead(bent_pixel);
        if found <= here {
            break;
        }
        if abs(found - here - deeper) < 0.1 * deeper + frame.particle_radius {
            at = bent_pixel;
            ahead = found;
            break;
        }
        deeper = found - here;
    }
    if ahead <= here {
        return vec4<f32>(0.0, 0.0, 0.0, -1.0);
    }
    let light = textureSampleLevel(solids_behind, light_sampler, at / frame.size, 0.0);
    return vec4<f32>(light.rgb / max(light.a, 1e-3), (ahead - here) / advance);
}

// The light seen along `direction` from `position` where there is no solid: floor or backdrop, or what the picture
// shows there.
fn seen_through(position: vec3<f32>, direction: vec3<f32>, clip: vec2<f32>) -> vec3<f32> {
    if frame.in_picture != 0u {
        let far = frame.clip_from_world * vec4<f32>(position + 4.0 * frame.extent * direction, 1.0);
        let pixel = (far.xy / max(far.w, frame.near) * vec2<f32>(0.5, -0.5) + 0.5) * frame.size;
        let at = select(clip, clamp(pixel, vec2<f32>(0.5), frame.size - 0.5), solid_ahead(pixel) == 0.0);
        return textureSampleLevel(solids_behind, light_sampler, at / frame.size, 0.0).rgb;
    }
    let behind = backdrop(direction);
    let down = max(-direction.y, 1e-3);
    let along = max(position.y - frame.floor_height, 0.0) / down;
    let place = position + along * direction;
    let pixel = (along + distance(position, frame.eye)) / (frame.pixels_at_one * down);
    let ground = ground_at(place.xz, vec2<f32>(pixel), clip);
    return mix(behind, ground.rgb, ground.a * smoothstep(0.0, 0.1, -direction.y));
}

// The color of the water at particle `index` in a pixel with center `pixel` and ray `ray`.
fn lit(index: u32, ray: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let center = positions[index].xyz;
    let outline = outline_of(center);
    let local = surface(place_of(outline, ray), outline.tangent, outline.distance / outline.radius);
    let bead = normal_of(outline, local);
    let shape = shape_at(pixel);
    let normal = normalize(bead * (1.0 - shape.a) + shape.xyz);
    let view = normalize(ray);

    let above = solid_light(center, vec3<f32>(0.0, 1.0, 0.0), 2.0 * frame.particle_radius, pixel);
    let sun = light_reaching(center) * above;
    let wrapped = clamp(dot(normal, frame.light) * 0.6 + 0.4, 0.0, 1.0);
    let lamps = LAMP_COLOR * lamps_wrapped(center, normal);
    let light = key() * wrapped * (0.25 + 0.75 * sun) + ambient(normal) * (0.50 + 0.15 * sun) + lamps;
    let radius_pixels = outline.tangent * frame.pixels_at_one;
    let color = smooth_color(index, pixel, 2.0 * radius_pixels) * mix(light, vec3<f32>(1.0), frame.evenness);

    if is_solid(index) {
        return toned(color);
    }

    let bent = refract(view, normal, AIR_OVER_WATER);
    let whole = thickness_at(pixel);
    let solid = solid_through(center, view, bent, pixel, whole);
    let is_solid_behind = solid.a >= 0.0;
    let water = select(whole, min(whole, solid.a), is_solid_behind) / frame.extent;
    // Clear water absorbs red first; its content hides the rest.
    let clear = exp(-water * vec3<f32>(8.0, 2.6, 1.2));
    // The water is never fully clear, because its borders would be hard to see.
    let hidden = 1.0 - 0.6 * exp(-water * 9.0);
    var behind = solid.rgb;
    if !is_solid_behind {
        behind = seen_through(center, bent, pixel);
    }
    let through = behind * clear;
    let body = mix(through, color, hidden);

    // Schlick's approximation of Fresnel's reflection for water.
    let grazing = 1.0 - clamp(-dot(normal, view), 0.0, 1.0);
    let fresnel = 0.02 + 0.98 * pow(grazing, 5.0);
    let reflected = mirrored(reflect(view, normal));
    let glint = pow(clamp(dot(normal, normalize(frame.light - view)), 0.0, 1.0), 160.0);
    let glints = key() * glint * sun + LAMP_COLOR * lamps_glint(center, normal, -view, 160.0);
    return toned(mix(body, reflected, 0.8 * fresnel) + glints * 0.6 * (1.0 - frame.evenness));
}
