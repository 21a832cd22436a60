// Pair kernel: a stage of the step of viscosity, where the viscosity is too high for a single one; solvers/viscosity.rs
// explains the stages. What they do to solids is added to the stored reactions (REACTS), or left to the pass of the
// last stage.
#define_import_path nearwater::viscous_stage

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, velocity_for_friction, with_walls}
#import nearwater::viscosity::staged_push
#import nearwater::viscous_factors::Stage
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, react_in_stage, weights}
#import nearwater::images::felt_components
#endif
#ifdef REACTS
#import nearwater::boundaries::react_more
#endif
#ifdef LOADS
#ifdef REACTS
#import nearwater::loads::{add_load, along_walls}
#else
#import nearwater::loads::{add_load, along_walls, begin_load}
#endif
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    density: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Acceleration that the other particle of a pair has with the opposite sign, m/s².
    acceleration: vec3<f32>,
    // Acceleration by walls that both particles of a pair have, m/s².
    by_walls: vec3<f32>,
#ifdef LOADS
    // The part of `by_walls` along the walls, m/s².
    along: vec3<f32>,
#endif
}

// The current positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> places: array<vec4<f32>>;
// Density in kg/m³, in sorted order; len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Velocities after the last stage, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(3) var<storage, read> before: array<vec4<f32>>;
// Those after the stage before, which become those after this one; len = particle_count.
@group(1) @binding(4) var<storage, read_write> after: array<vec4<f32>>;
#ifndef REACTS
// For a particle of a solid the acceleration by the stages until now, m/s²; len = particle_count.
@group(1) @binding(5) var<storage, read_write> until_now: array<vec4<f32>>;
#endif
// The factors of this stage.
@group(1) @binding(14) var<uniform> stage: Stage;

fn load(index: u32) -> Particle {
    let heights = heights_of(places[index].xyz);
    let velocity = before[index];
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    particle.density = densities[index].x;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
    return particle;
}

fn heights(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.height_x, particle.height_y, particle.height_z);
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    var sum: Sum;
    return sum;
}

// All factors are the same for both particles of a pair, and only the offset changes its sign: that of the current
// positions, since particles may have moved after the search's build.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = heights(a) - heights(b);
    let between_squared = dot(between, between);
    var sum = zero();
    if may_have_images(sqrt(between_squared) * fluid.inverse_radius, heights(a)) {
        sum = image_terms(a, b, between);
    }
    let parting = dot(velocity_of(a) - velocity_of(b), between);
    var push = viscous_push_of(a, b, parting, between_squared);
#ifdef BOUNDARY
    push *= pair_weight(a.weight, b.weight);
#endif
    sum.acceleration += push * between;
    return sum;
}

fn viscous_push_of(a: Particle, b: Particle, parting: f32, distance_squared: f32) -> f32 {
#ifdef BOUNDARY
    let is_at_solid = is_mixed(a.weight, b.weight);
#else
    let is_at_solid = false;
#endif
    return staged_push(stage, is_at_solid, parting, distance_squared, a.density + b.density);
}

// The forces between each particle of a pair and the images of the other one, split as in wcsph/forces.wgsl.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let from_image = images.for_a;
        let seen_from_b = images.for_b;
        let distance_squared = dot(from_image, from_image);
#ifdef BOUNDARY
        let weight = pair_weight(a.weight, b.weight);
        let on_a = weight * felt_components(a.weight, images);
        let on_b = weight * felt_components(b.weight, images);
#else
        let on_a = vec3<f32>(1.0);
        let on_b = on_a;
#endif
        // Without slip the two particles do not part from the images of each other equally fast.
        let parting_a = dot(velocity_of(a) - velocity_for_friction(velocity_of(b), images), from_image);
        let parting_b = dot(velocity_of(b) - velocity_for_friction(velocity_of(a), images), seen_from_b);
        let force_a = on_a * viscous_push_of(a, b, parting_a, distance_squared) * from_image;
        let force_b = on_b * viscous_push_of(a, b, parting_b, distance_squared) * seen_from_b;
        sum.acceleration += 0.5 * (force_a - force_b);
        sum.by_walls += 0.5 * (force_a + force_b);
#ifdef LOADS
        sum.along += along_walls(0.5 * (force_a + force_b), images.mirrored);
#endif
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var sum = contribution;
    sum.acceleration = -sum.acceleration;
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum = a;
    sum.acceleration += b.acceleration;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef LOADS
    sum.along = with_walls(a.along, b.along);
#endif
    return sum;
}

#ifdef LOADS
// Adds what the walls do in this stage, as much of it as reaches the end of the step.
fn load_in_stage(word: f32, by_walls: vec3<f32>, along: vec3<f32>) {
    let across = stage.carried * (by_walls - along);
#ifndef REACTS
    // Nothing is stored for the step before the first stage.
    if stage.repeated == 0.0 {
        begin_load(word, across, stage.carried * along);
        return;
    }
#endif
    add_load(word, across, stage.carried * along);
}
#endif

fn finish(index: u32, particle: Particle, sum: Sum) {
    let now = before[index];
    let whole = sum.acceleration + sum.by_walls;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        // Solids keep their velocity here; those that move freely change it after each stage (bodies/stages.wgsl). What
        // acts on them reaches the end of the step as it does in the water.
        react_in_stage(particle.weight, now.w, whole);
#ifdef LOADS
        load_in_stage(now.w, sum.by_walls, sum.along);
#endif
        let grown = stage.carried * whole;
#ifdef REACTS
        react_more(particle.weight, now.w, grown);
#else
        let before_it = select(vec3<f32>(0.0), until_now[index].xyz, stage.repeated != 0.0);
        until_now[index] = vec4<f32>(before_it + grown, now.w);
#endif
        after[index] = now;
        return;
    }
#endif
    let own = image_terms(particle, particle, vec3<f32>(0.0));
    let gained = whole + own.acceleration + own.by_walls;
#ifdef LOADS
    load_in_stage(now.w, sum.by_walls + own.acceleration + own.by_walls, sum.along + own.along);
#endif
    // Nothing has been stored for the time before the first stage. Differences are exact where the motion is uniform,
    // whose rounding errors would be the same for all particles.
    let repeated = select(vec3<f32>(0.0), stage.repeated * (now.xyz - after[index].xyz), stage.repeated != 0.0);
    after[index] = vec4<f32>(now.xyz + (repeated + fluid.time_step * gained), now.w);
}

#ifdef DEPOSITS
#ifdef LOADS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(9u * index, sum.acceleration);
    deposits::deposit_rare_vector(9u * index + 3u, sum.by_walls);
    deposits::deposit_rare_vector(9u * index + 6u, sum.along);
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.acceleration = deposits::withdraw_vector(9u * index);
    sum.by_walls = deposits::withdraw_vector(9u * index + 3u);
    sum.along = deposits::withdraw_vector(9u * index + 6u);
    return sum;
}
#else
// What walls add is deposited with the rest: `finish` does not distinguish them.
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.acceleration + sum.by_walls);
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.acceleration = deposits::withdraw_vector(3u * index);
    return sum;
}
#endif
#endif
