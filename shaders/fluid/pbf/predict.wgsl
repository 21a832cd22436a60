// First pass of a PBF step: predicts the positions that particles would have without neighbors (Macklin and Müller
// 2013, algorithm 1, lines 1 to 4). One invocation per particle. It also stores the velocity of this motion, which
// the corrections will change.

#import nearwater::dispatch
#ifdef BOUNDARY
#import nearwater::fluid::is_parked
#endif
#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::integration::{inside, off_walls, rubbed}
#ifdef LOADS
#import nearwater::loads::begin_load
#endif
#import nearwater::push::push_at

const GROUP: u32 = 128u;

// Positions before the search's build, which become the predictions: xyz in meters. len = particle_count.
@group(0) @binding(0) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the search's build, which become those of the predictions: xyz in m/s, bits of the original index.
// len = particle_count.
@group(0) @binding(1) var<storage, read_write> velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn predict(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let position = positions[index].xyz;
        let before = velocities[index];
#ifdef LOADS
        begin_load(before.w, vec3<f32>(0.0), vec3<f32>(0.0));
#endif
#ifdef BOUNDARY
        if is_parked(position) {
            return;
        }
        // Weights cannot be used here, because there may not have been a build yet. Moving boundaries continue with
        // their velocity, and the velocity of fixed ones is zero.
        if bitcast<u32>(before.w) >= fluid.fluid_count {
            positions[index] = vec4<f32>(inside(position + fluid.time_step * before.xyz), 1.0);
            return;
        }
#endif
        let pulled = before.xyz + fluid.time_step * (gravity_at(position) + push_at(position, before.xyz));
        let velocity = rubbed(pulled, position);
        let next = position + fluid.time_step * velocity;
        let predicted = off_walls(next);
        positions[index] = vec4<f32>(predicted, 1.0);
        // The velocity of a particle that hits a wall is that of its shortened motion.
        let stopped = (predicted - position) / fluid.time_step;
        velocities[index] = vec4<f32>(select(velocity, stopped, predicted != next), before.w);
#ifdef LOADS
        let lost = select(vec3<f32>(0.0), stopped - velocity, predicted != next);
        begin_load(before.w, lost / fluid.time_step, (velocity - pulled) / fluid.time_step);
#endif
    }
}
