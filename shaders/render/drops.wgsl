// The size of a particle in the style "water": spheres of a closed body of water overlap widely, so that its surface
// has no gaps, and single drops are smaller than the spacing of particles.
#define_import_path nearwater::render::drops
#import nearwater::render::frame::frame
#import nearwater::render::sphere::{Outline, outline_of_radius}

// Radii divided by the radius of a drawn particle, which is 0.58 spacings: 0.87 and 0.46 spacings. A ball of water with
// the volume of a particle would have 0.62.
const BODY: f32 = 1.5;
const DROP: f32 = 0.8;

// Radius of the sphere of a particle with that many neighbors, m.
fn water_radius(neighbors: u32) -> f32 {
    return frame.particle_radius * mix(DROP, BODY, smoothstep(2.0, 14.0, f32(neighbors)));
}

// The outline of the particle at `center`.
fn water_outline(center: vec3<f32>, neighbors: u32) -> Outline {
    return outline_of_radius(center, water_radius(neighbors), 0.75);
}
