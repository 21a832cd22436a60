// Particles that are not the fluid's: those of boundaries, and parked ones. Composed in only where a scene has some
// (BOUNDARY), so that others pay nothing.
#define_import_path nearwater::boundaries

#import nearwater::fluid::fluid

// 1 for a particle of the fluid; for one of a boundary, minus what it stands for over a particle's mass; 0 for one that
// is parked. In sorted order; len = particle_count.
@group(1) @binding(9) var<storage, read> weights: array<f32>;
// What the fluid does to each particle of a boundary: force over a fluid particle's mass, m/s². In the order of the
// boundary; len = boundary_count.
@group(1) @binding(10) var<storage, read_write> reactions: array<vec4<f32>>;

// 1 between two of the fluid, else 0.
fn fluid_pair(a: f32, b: f32) -> f32 {
    return max(a, 0.0) * max(b, 0.0);
}

// What a pair counts for: 1 between two of the fluid, a boundary particle's weight between it and the fluid, else 0.
fn pair_weight(a: f32, b: f32) -> f32 {
    return max(fluid_pair(a, b), -a * b);
}

// Whether one is the fluid's and the other a boundary's.
fn is_mixed(a: f32, b: f32) -> bool {
    return a * b < 0.0;
}

// Keeps what the fluid does to a particle of a boundary; of others nothing.
fn react(weight: f32, velocity_word: f32, acceleration: vec3<f32>) {
    if weight < 0.0 {
        reactions[bitcast<u32>(velocity_word) - fluid.fluid_count] = vec4<f32>(acceleration, 0.0);
    }
}

// As `react`, on top of what is there.
fn react_more(weight: f32, velocity_word: f32, acceleration: vec3<f32>) {
    if weight < 0.0 {
        reactions[bitcast<u32>(velocity_word) - fluid.fluid_count] += vec4<f32>(acceleration, 0.0);
    }
}
