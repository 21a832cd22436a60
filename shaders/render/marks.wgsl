// The roles that the laboratory assigns to particles (`render::Mark`) and the shape in which each is drawn. Lengths are
// in radii of the particle's own sphere: the outline is the circle of radius 1.
#define_import_path nearwater::render::marks
#import nearwater::render::frame::frame
#import nearwater::render::sphere::{Outline, outline_of_radius}

// Numbers of `render::Mark`. Length: particle count.
@group(1) @binding(6) var<storage, read> marks: array<u32>;

struct MarkForm {
    // Radius of the sphere relative to that of a plain particle.
    scale: f32,
    // Least radius of the sphere on screen, pixels.
    least_pixels: f32,
    // 1 where the sphere is drawn, 0 where only its ring is drawn.
    filled: f32,
    // Inner and outer radius of the flat ring that faces the camera; both are 0 without a ring.
    ring: vec2<f32>,
}

fn form_of(mark: u32) -> MarkForm {
    switch mark {
        case #{MARK_PICKED}u: { return MarkForm(0.95, 5.0, 1.0, vec2<f32>(1.45, 1.85)); }
        case #{MARK_NEIGHBOR}u: { return MarkForm(0.80, 2.0, 1.0, vec2<f32>(0.0)); }
        case #{MARK_REJECTED}u, #{MARK_DROPPED}u: { return MarkForm(0.46, 2.5, 0.0, vec2<f32>(0.70, 1.0)); }
        case #{MARK_WRONG}u: { return MarkForm(0.95, 5.0, 1.0, vec2<f32>(1.30, 1.60)); }
        case #{MARK_VISITOR}u: { return MarkForm(0.85, 2.5, 1.0, vec2<f32>(0.0)); }
        case #{MARK_HIGHLIGHTED}u: { return MarkForm(1.0, 2.5, 1.0, vec2<f32>(0.0)); }
        default: { return MarkForm(1.0, 0.75, 1.0, vec2<f32>(0.0)); }
    }
}

// Distance from the center to the outermost part of the shape.
fn reach_of(form: MarkForm) -> f32 {
    return max(form.filled, form.ring.y);
}

fn marked_outline(center: vec3<f32>, form: MarkForm) -> Outline {
    return outline_of_radius(center, form.scale * frame.particle_radius, form.least_pixels);
}

// Whether the shape covers points at these squared distances from its center.
fn covers(form: MarkForm, squared: vec4<f32>) -> vec4<bool> {
    let sphere = squared <= vec4<f32>(form.filled);
    let ring = (squared >= vec4<f32>(form.ring.x * form.ring.x)) & (squared <= vec4<f32>(form.ring.y * form.ring.y));
    return sphere | ring;
}

// Whether a point at that squared distance belongs to the flat ring rather than to the sphere.
fn is_on_ring(form: MarkForm, squared: f32) -> bool {
    let between = 0.5 * (form.filled + form.ring.x);
    return form.ring.y > 0.0 && squared > between * between;
}
