// Momentum that particles get from the walls of the box in a step, for probes that read forces on the walls. Imported
// only where a scene has such probes (LOADS), so that other scenes have no additional cost.
//
// Every pass that changes a velocity by a wall stores it here: the forces of images, skin friction, and the limits that
// keep particles off the walls. The sum over all particles is opposite to the forces on the walls
// (probes/wall_loads.rs), so that momentum is neither lost nor gained between fluid, solids and walls.
#define_import_path nearwater::loads

// Accelerations of a particle by walls, means over the step: xyz in m/s².
struct Load {
    // By the pressures of solvers that iterate these within a step and store those of the last iteration.
    iterated: vec4<f32>,
    // By other pressures, by viscosity at right angles to the walls, and by the limits of positions.
    across: vec4<f32>,
    // By friction, along the walls.
    along: vec4<f32>,
}

// By original index; len = particle_count.
@group(1) @binding(16) var<storage, read_write> wall_loads: array<Load>;

// Stores the first accelerations of a step. A velocity's fourth component, `velocity_word`, is the particle's index.
fn begin_load(velocity_word: f32, across: vec3<f32>, along: vec3<f32>) {
    wall_loads[bitcast<u32>(velocity_word)] = Load(vec4<f32>(0.0), vec4<f32>(across, 0.0), vec4<f32>(along, 0.0));
}

// Adds to those of the step so far.
fn add_load(velocity_word: f32, across: vec3<f32>, along: vec3<f32>) {
    let index = bitcast<u32>(velocity_word);
    wall_loads[index].across += vec4<f32>(across, 0.0);
    wall_loads[index].along += vec4<f32>(along, 0.0);
}

// Stores the acceleration by the pressures of an iteration in place of those of the one before.
fn iterate_load(velocity_word: f32, acceleration: vec3<f32>) {
    wall_loads[bitcast<u32>(velocity_word)].iterated = vec4<f32>(acceleration, 0.0);
}

// The components of a force by an image that act along the walls which the image is mirrored at.
fn along_walls(force: vec3<f32>, mirrored: vec3<bool>) -> vec3<f32> {
    return select(force, vec3<f32>(0.0), mirrored);
}
