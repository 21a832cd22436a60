// Water as a body with one smooth surface: it mirrors the room, bends what is seen through it, and swallows light on
// the way. What swims in it has the colour of the field.
#define_import_path nearwater::render::smooth
#import nearwater::render::field::{field_color, is_solid, positions}
#import nearwater::render::frame::frame
#import nearwater::render::ground::ground_at
#import nearwater::render::light::{light_reaching, light_sampler}
#import nearwater::render::names::seen_at
#import nearwater::render::shading::{KEY, ambient, backdrop, mirrored, toned}
#import nearwater::render::shape::shape_at
#import nearwater::render::sphere::{outline_of, place_of, surface}

// Metres of water along the view.
@group(0) @binding(6) var thickness: texture_2d<f32>;

// Refractive index of air over that of water.
const AIR_OVER_WATER: f32 = 0.752;

fn thickness_at(pixel: vec2<f32>) -> f32 {
    let pixels = vec2<f32>(textureDimensions(thickness) * frame.relief_scale);
    return textureSampleLevel(thickness, light_sampler, pixel / pixels, 0.0).r;
}

// The field's colour averaged over the particles seen around a pixel that lie near particle `index`, so that no bead
// shows. Cells keep their borders.
fn smooth_color(index: u32, pixel: vec2<f32>, reach: f32) -> vec3<f32> {
    let position = positions[index].xyz;
    var sum = vec4<f32>(field_color(index, position), 1.0);
    if is_solid(index) || frame.field == #{FIELD_CELL}u {
        return sum.rgb;
    }
    let limit = 6.0 * frame.particle_radius;
    for (var turn = 0; turn < 8; turn += 1) {
        // Around a golden spiral, so that no direction is preferred.
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

// What is seen along `direction` from `position`: floor or backdrop.
fn seen_through(position: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let behind = backdrop(direction);
    let down = max(-direction.y, 1e-3);
    let along = max(position.y - frame.floor_height, 0.0) / down;
    let place = position + along * direction;
    let pixel = (along + distance(position, frame.eye)) / (frame.pixels_at_one * down);
    let ground = ground_at(place.xz, vec2<f32>(pixel));
    return mix(behind, ground.rgb, ground.a * smoothstep(0.0, 0.1, -direction.y));
}

// The colour of the water at particle `index` in a pixel whose middle is `pixel` and whose ray is `ray`.
fn lit(index: u32, ray: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let center = positions[index].xyz;
    let outline = outline_of(center);
    let local = surface(place_of(outline, ray), outline.tangent, outline.distance / outline.radius);
    let bead = mat3x3<f32>(outline.right, outline.up, outline.towards_eye) * local;
    let shape = shape_at(pixel);
    let normal = normalize(bead * (1.0 - shape.a) + shape.xyz);
    let view = normalize(ray);

    let sun = light_reaching(center);
    let wrapped = clamp(dot(normal, frame.light) * 0.6 + 0.4, 0.0, 1.0);
    let light = KEY * wrapped * (0.25 + 0.75 * sun) + ambient(normal) * (0.50 + 0.15 * sun);
    let radius_pixels = outline.tangent * frame.pixels_at_one;
    let color = smooth_color(index, pixel, 2.0 * radius_pixels) * mix(light, vec3<f32>(1.0), frame.evenness);

    if is_solid(index) {
        return toned(color);
    }

    let water = thickness_at(pixel) / frame.extent;
    // Clear water swallows red first; what swims in it hides the rest.
    let clear = exp(-water * vec3<f32>(8.0, 2.6, 1.2));
    // Never quite clear, or the borders of the water would be hard to see.
    let hidden = 1.0 - 0.6 * exp(-water * 9.0);
    let through = seen_through(center, refract(view, normal, AIR_OVER_WATER)) * clear;
    let body = mix(through, color, hidden);

    // Schlick's approximation of Fresnel's reflection for water.
    let grazing = 1.0 - clamp(-dot(normal, view), 0.0, 1.0);
    let fresnel = 0.02 + 0.98 * pow(grazing, 5.0);
    let reflected = mirrored(reflect(view, normal));
    let glint = pow(clamp(dot(normal, normalize(frame.light - view)), 0.0, 1.0), 160.0);
    return toned(mix(body, reflected, 0.8 * fresnel) + KEY * glint * 0.6 * sun * (1.0 - frame.evenness));
}
