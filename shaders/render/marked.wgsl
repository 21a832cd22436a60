// Particles in their roles, lit evenly so that the color of a role matches the legend.
#define_import_path nearwater::render::marked
#import nearwater::render::beads
#import nearwater::render::color_fields::field_color
#import nearwater::render::field::{UNKNOWN, positions}
#import nearwater::render::frame::frame
#import nearwater::render::marks::{form_of, is_on_ring, marked_outline, marks}
#import nearwater::render::shading::{ambient, key, toned}
#import nearwater::render::sphere::{normal_of, place_of, surface}
#import nearwater::render::srgb::linear_of

// A small sphere in the role's color, shaded just enough to look round.
fn rounded(color: vec3<f32>, normal: vec3<f32>, towards_eye: f32) -> vec3<f32> {
    let wrapped = clamp(dot(normal, frame.light) * 0.5 + 0.5, 0.0, 1.0);
    let light = key() * 0.55 * wrapped + ambient(normal) * 0.45;
    return color * mix(vec3<f32>(1.0), light, 0.5) * (0.70 + 0.30 * towards_eye);
}

// The color of the particle `index` in a pixel with center `pixel` and ray `ray`.
fn lit(index: u32, ray: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let mark = marks[index];
    if mark == #{MARK_PLAIN}u {
        return beads::lit(index, ray, pixel);
    }
    let position = positions[index].xyz;
    let form = form_of(mark);
    let outline = marked_outline(position, form);
    let place = place_of(outline, ray);
    let squared = dot(place, place);
    let local = surface(place, outline.tangent, outline.distance / outline.radius);
    let normal = normal_of(outline, local);
    // Size of a pixel, in radii.
    let unit = 1.0 / (frame.pixels_at_one * outline.tangent);
    let rim = 1.0 - sqrt(squared);
    switch mark {
        case #{MARK_PICKED}u: {
            if is_on_ring(form, squared) {
                return linear_of(#{COLOR_PICKED}u);
            }
            return toned(1.25 * rounded(linear_of(#{COLOR_PICKED}u), normal, local.z));
        }
        case #{MARK_NEIGHBOR}u: { return toned(1.1 * rounded(linear_of(#{COLOR_NEIGHBOR}u), normal, local.z)); }
        case #{MARK_REJECTED}u: { return linear_of(#{COLOR_REJECTED}u); }
        case #{MARK_DROPPED}u: { return linear_of(#{COLOR_DROPPED}u); }
        case #{MARK_WRONG}u: {
            // The particle is dim in the second half of each blink, but never invisible.
            let strength = select(0.30, 1.0, frame.blink < 0.5);
            let across = abs(abs(place.x) - abs(place.y));
            let is_cross = squared < 0.64 && across < max(0.20, unit);
            if is_cross {
                return vec3<f32>(max(strength, 0.5));
            }
            return strength * linear_of(#{COLOR_WRONG}u);
        }
        case #{MARK_HIGHLIGHTED}u: {
            if rim < clamp(1.6 * unit, 0.10, 0.35) {
                return vec3<f32>(1.0);
            }
            return toned(mix(1.5 * rounded(field_color(index, position), normal, local.z), vec3<f32>(1.0), 0.12));
        }
        case #{MARK_VISITOR}u: {
            if rim < clamp(1.6 * unit, 0.14, 0.35) {
                return vec3<f32>(0.01);
            }
            return toned(rounded(field_color(index, position), normal, local.z));
        }
        default: { return UNKNOWN; }
    }
}
