// Particles that are not fluid: those of solids, here called boundary particles, and parked ones. Imported only where
// a scene has some (BOUNDARY), so that other scenes have no additional cost.
#define_import_path nearwater::boundaries

#import nearwater::fluid::fluid

// Weight of each particle: 1 for a fluid particle, 0 for a parked one, and for a boundary particle minus the mass
// that it represents divided by a fluid particle's mass. In sorted order; len = particle_count.
@group(1) @binding(9) var<storage, read> weights: array<f32>;
// Force of the fluid on each boundary particle divided by a fluid particle's mass, m/s². In the order of the boundary
// particles; len = boundary_count.
@group(1) @binding(10) var<storage, read_write> reactions: array<vec4<f32>>;
// That of the last stage of viscosity; len = boundary_count.
@group(1) @binding(15) var<storage, read_write> stage_reactions: array<vec4<f32>>;

// 1 for a pair of fluid particles, else 0.
fn fluid_pair(a: f32, b: f32) -> f32 {
    return max(a, 0.0) * max(b, 0.0);
}

// Weight of a pair: 1 for two fluid particles, the absolute weight of the boundary particle for a fluid and a
// boundary particle, else 0.
fn pair_weight(a: f32, b: f32) -> f32 {
    return max(fluid_pair(a, b), -a * b);
}

// Whether one is a fluid particle and the other a boundary particle.
fn is_mixed(a: f32, b: f32) -> bool {
    return a * b < 0.0;
}

// Stores the force of the fluid on a boundary particle; has no effect for other particles.
fn react(weight: f32, velocity_word: f32, acceleration: vec3<f32>) {
    if weight < 0.0 {
        reactions[bitcast<u32>(velocity_word) - fluid.fluid_count] = vec4<f32>(acceleration, 0.0);
    }
}

// Stores the force of the fluid on a boundary particle in a stage of viscosity; has no effect for other particles.
fn react_in_stage(weight: f32, velocity_word: f32, acceleration: vec3<f32>) {
    if weight < 0.0 {
        stage_reactions[bitcast<u32>(velocity_word) - fluid.fluid_count] = vec4<f32>(acceleration, 0.0);
    }
}

// As `react`, but adds to the stored value.
fn react_more(weight: f32, velocity_word: f32, acceleration: vec3<f32>) {
    if weight < 0.0 {
        reactions[bitcast<u32>(velocity_word) - fluid.fluid_count] += vec4<f32>(acceleration, 0.0);
    }
}
