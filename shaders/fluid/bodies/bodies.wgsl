// Rigid bodies: their particles move with them, and the forces of the fluid on these particles are summed up to a
// force and a torque.
//
// Entry points:
//   move_bodies    one invocation per particle: places the particles of bodies according to the body's pose
//   gather_loads   one workgroup per body: sums up the loads, always in the same order

#ifdef MOVE
#import nearwater::dispatch
#import nearwater::bodies::STAYS
#import nearwater::integration::inside
#import nearwater::parking::parking_place
#endif
#import nearwater::bodies::{GROUP, bodies, moved, samples, turned}
#ifdef GATHER
#import nearwater::bodies::{Load, Staged, sum_of_group, with_force}
#endif
#import nearwater::fluid::fluid

#ifdef MOVE
// Weight of each particle while it is in the box, as defined in boundaries.wgsl; len = moved.sample_count.
@group(0) @binding(3) var<storage, read> sample_weights: array<f32>;
// Positions before the search's build: xyz in meters; len = particle_count.
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the search's build: xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
// Weights of the boundary particles as defined in boundaries.wgsl, in the order of the boundary particles; len =
// boundary_count.
@group(0) @binding(6) var<storage, read_write> boundary_weights: array<f32>;
// Force of the fluid on each boundary particle divided by a fluid particle's mass, m/s². In the order of the boundary
// particles; len = boundary_count.
@group(0) @binding(7) var<storage, read_write> reactions: array<vec4<f32>>;
// That of the last stage of viscosity; len = boundary_count.
@group(0) @binding(8) var<storage, read_write> stage_reactions: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn move_bodies(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= fluid.particle_count {
        return;
    }
    let word = velocities[index].w;
    let original = bitcast<u32>(word);
    if original < moved.first || original - moved.first >= moved.sample_count {
        return;
    }
    let number = original - moved.first;
    let sample = samples[number];
    let body = bodies[bitcast<u32>(sample.w)];
    let arm = turned(body.rotation, sample.xyz);
    let place = body.position + arm;
    // Outside the box there is no fluid, and searches are not required to find particles there. Those of a body that
    // leaves it are parked, because at the wall they would lie at the same places and be neighbors of each other.
    let is_in_box = all(place >= fluid.box_low) && all(place <= fluid.box_high);
    var there = inside(place);
    if !is_in_box && body.first_parking != STAYS {
        let parked = body.first_parking + number - body.first_sample;
        there = parking_place(moved.parking_low, moved.parking_step, moved.parking_rows, parked);
    }
    positions[index] = vec4<f32>(there, 1.0);
    velocities[index] = vec4<f32>(body.velocity + cross(body.angular_velocity, arm), word);
    let boundary = original - fluid.fluid_count;
    boundary_weights[boundary] = select(0.0, sample_weights[number], is_in_box);
    if !is_in_box {
        // The solver does not write the reactions of particles with a weight of zero.
        reactions[boundary] = vec4<f32>(0.0);
        stage_reactions[boundary] = vec4<f32>(0.0);
    }
}
#endif

#ifdef GATHER
// Force of the fluid on each boundary particle divided by a fluid particle's mass, m/s². In the order of the boundary
// particles; len = boundary_count.
@group(0) @binding(3) var<storage, read> reactions: array<vec4<f32>>;
struct Loads {
    // Force and torque about the center of mass, m/s² and m²/s², both divided by a fluid particle's mass.
    force: vec4<f32>,
    torque: vec4<f32>,
    // Velocity, m/s, and angular velocity, rad/s, after the stages of viscosity; in the fourth component of the
    // velocity 1 if there were any in this step, else 0.
    velocity: vec4<f32>,
    angular_velocity: vec4<f32>,
}

// Loads of each body; len = number of bodies.
@group(0) @binding(4) var<storage, read_write> loads: array<Loads>;
// Motion of each body in the stages of viscosity; len = number of bodies.
@group(0) @binding(5) var<storage, read_write> staged: array<Staged>;

@compute @workgroup_size(GROUP)
fn gather_loads(
    // One dimension suffices, since there are fewer bodies than workgroups in one dimension.
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = workgroup_id.x;
    let body = bodies[number];
    let first_reaction = moved.first - fluid.fluid_count + body.first_sample;
    var own: Load;
    for (var sample = local; sample < body.sample_count; sample += GROUP) {
        own = with_force(own, body, sample, reactions[first_reaction + sample].xyz);
    }
    let load = sum_of_group(local, own);
    if local == 0u {
        let after = staged[number];
        let velocity = vec4<f32>(after.velocity, after.is_staged);
        loads[number] = Loads(
            vec4<f32>(load.force, 0.0),
            vec4<f32>(load.torque, 0.0),
            velocity,
            vec4<f32>(after.angular_velocity, 0.0),
        );
        // The next step may have none.
        staged[number].is_staged = 0.0;
    }
}
#endif
