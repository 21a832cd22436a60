// Rigid bodies while a solver looks for pressures: their velocities at the end of the step under the forces that the
// water exerts on them so far. stages.wgsl shows them to the water (show_staged). solids/bodies/mod.rs gives the
// reason.
//
// Entry points, in order of dispatch:
//   take_pressures  one workgroup per body: sums up the forces and computes the motion from that at the start of the
//                   step
//   show_places     one invocation per particle: moves the bodies' particles from where they were expected to where
//                   that motion leads

#import nearwater::bodies::{Course, GROUP, Load, Staged, bodies, moved, sample_of, samples, sum_of_group, turned}
#import nearwater::bodies::with_force
#import nearwater::dispatch
#import nearwater::fluid::{fluid, is_parked}
#import nearwater::integration::inside

// Course of each body; len = number of bodies.
@group(0) @binding(3) var<storage, read> courses: array<Course>;
// Motion of each body under the forces so far; len = number of bodies.
@group(0) @binding(4) var<storage, read_write> staged: array<Staged>;
// Force of the fluid on each boundary particle divided by a fluid particle's mass, m/s². In the order of the boundary
// particles; len = boundary_count.
@group(0) @binding(5) var<storage, read> reactions: array<vec4<f32>>;
// Positions of the search's build: xyz in meters; len = particle_count.
@group(0) @binding(6) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(0) @binding(7) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Positions in sorted order after a correction: xyz in meters; len = particle_count.
@group(0) @binding(8) var<storage, read_write> places: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn take_pressures(
    // One dimension suffices, since there are fewer bodies than workgroups in one dimension.
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = workgroup_id.x;
    let body = bodies[number];
    let first_reaction = moved.first - fluid.fluid_count + body.first_sample;
    let course = courses[number];
    // A body whose motion is prescribed does not answer, and may have many samples.
    let answering = select(body.sample_count, 0u, course.inverse_mass == 0.0);
    var own: Load;
    for (var sample = local; sample < answering; sample += GROUP) {
        own = with_force(own, body, sample, reactions[first_reaction + sample].xyz);
    }
    let load = sum_of_group(local, own);
    if local == 0u {
        var then: Staged;
        then.is_staged = 1.0;
        let accelerated = course.inverse_mass * load.force + course.alone;
        let turned_faster = course.inverse_inertia * load.torque + course.angular_alone;
        then.velocity = course.velocity + fluid.time_step * accelerated;
        then.angular_velocity = course.angular_velocity + fluid.time_step * turned_faster;
        staged[number] = then;
    }
}

@compute @workgroup_size(GROUP)
fn show_places(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= fluid.particle_count {
        return;
    }
    let number = sample_of(sorted_velocities[index].w);
    let before = sorted_positions[index].xyz;
    if number < moved.sample_count && !is_parked(before) {
        let sample = samples[number];
        let of_body = bitcast<u32>(sample.w);
        let body = bodies[of_body];
        let then = staged[of_body];
        let arm = turned(body.rotation, sample.xyz);
        let change = then.velocity - body.velocity + cross(then.angular_velocity - body.angular_velocity, arm);
        places[index] = vec4<f32>(inside(before + fluid.time_step * change), 0.0);
    }
}
