// The pointer's push: particles near a ray are accelerated towards a velocity and towards the ray.
#define_import_path nearwater::push

struct PushParameters {
    origin: vec3<f32>,
    inverse_radius: f32,
    direction: vec3<f32>,
    // Rate of relaxation towards the velocity, 1/s; zero where there is no push.
    rate: f32,
    velocity: vec3<f32>,
    // m/s².
    largest_acceleration: f32,
    // m/s.
    inward: vec3<f32>,
    padding: u32,
}

@group(1) @binding(6) var<uniform> push: PushParameters;

// Acceleration by the push, m/s²; it decreases to zero at the push's radius from the ray.
fn push_at(position: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
    let from_origin = position - push.origin;
    let along = max(dot(from_origin, push.direction), 0.0);
    let from_ray = (from_origin - along * push.direction) * push.inverse_radius;
    let q = length(from_ray);
    let fade = max(1.0 - q * q, 0.0);
    let wanted = push.rate * fade * (push.velocity - push.inward * from_ray - velocity);
    return wanted * min(1.0, push.largest_acceleration / max(length(wanted), 1e-20));
}
