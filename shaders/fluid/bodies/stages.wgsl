// Rigid bodies in the stages of viscosity (solvers/viscosity.rs): each stage changes the velocity of a body by its
// forces as it changes that of the water. solids/bodies/mod.rs gives the reason.
//
// Entry points, in order of dispatch:
//   begin_stages    one invocation per body: the motion at the start of the step
//   take_stage      one workgroup per body: sums up the forces of a stage and changes the motion by them
//   show_staged     one invocation per particle: gives the bodies' particles the velocity after the last stage

#import nearwater::bodies::{Course, GROUP, Load, Staged, bodies, moved, sample_of, samples, sum_of_group, turned, with_force}
#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::viscous_factors::Stage

// Course of each body; len = number of bodies.
@group(0) @binding(3) var<storage, read> courses: array<Course>;
// Motion of each body after the last stage; len = number of bodies.
@group(0) @binding(4) var<storage, read_write> staged: array<Staged>;
// The factors of the last stage.
@group(0) @binding(5) var<uniform> stage: Stage;
// Force of the fluid on each boundary particle in the last stage, divided by a fluid particle's mass, m/s². In the
// order of the boundary particles; len = boundary_count.
@group(0) @binding(6) var<storage, read> stage_reactions: array<vec4<f32>>;
// Velocities of the stages in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(0) @binding(7) var<storage, read_write> staged_velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn begin_stages(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if number < arrayLength(&courses) {
        let course = courses[number];
        var start: Staged;
        start.velocity = course.velocity;
        start.is_staged = 1.0;
        start.angular_velocity = course.angular_velocity;
        staged[number] = start;
    }
}

@compute @workgroup_size(GROUP)
fn take_stage(
    // One dimension suffices, since there are fewer bodies than workgroups in one dimension.
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = workgroup_id.x;
    let body = bodies[number];
    let first_reaction = moved.first - fluid.fluid_count + body.first_sample;
    var own: Load;
    for (var sample = local; sample < body.sample_count; sample += GROUP) {
        own = with_force(own, body, sample, stage_reactions[first_reaction + sample].xyz);
    }
    let load = sum_of_group(local, own);
    if local == 0u {
        let course = courses[number];
        let now = staged[number];
        let accelerated = course.inverse_mass * load.force + stage.share * course.acceleration;
        let turned_faster = course.inverse_inertia * load.torque + stage.share * course.angular_acceleration;
        var next: Staged;
        next.is_staged = 1.0;
        // Before the first stage nothing changed; `repeated` is 0 there.
        let change = stage.repeated * (now.velocity - now.velocity_before);
        let turn = stage.repeated * (now.angular_velocity - now.angular_velocity_before);
        next.velocity = now.velocity + (change + fluid.time_step * accelerated);
        next.velocity_before = now.velocity;
        next.angular_velocity = now.angular_velocity + (turn + fluid.time_step * turned_faster);
        next.angular_velocity_before = now.angular_velocity;
        staged[number] = next;
    }
}

@compute @workgroup_size(GROUP)
fn show_staged(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= fluid.particle_count {
        return;
    }
    let word = staged_velocities[index].w;
    let number = sample_of(word);
    if number < moved.sample_count {
        let sample = samples[number];
        let of_body = bitcast<u32>(sample.w);
        let arm = turned(bodies[of_body].rotation, sample.xyz);
        let motion = staged[of_body];
        staged_velocities[index] = vec4<f32>(motion.velocity + cross(motion.angular_velocity, arm), word);
    }
}
