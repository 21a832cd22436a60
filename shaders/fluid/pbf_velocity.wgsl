// PBF, after the corrections: they add to the velocity the way they made over the time it took. One invocation a
// particle. (The whole way over the time, as Macklin and Müller have it, is the same, but for the rounding of places over
// that time, which short steps would add up even in free flight.) The way ends at the walls, so what ran into one has lost
// its velocity into it. And the pressure is what would have made that way: with lambda / (rest density time_step²) for
// -pressure / density² the corrections are those of WCSPH's forces.

#import nearwater::dispatch
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

// xyz in metres after the last correction, sum of the multipliers; in sorted order. len = particle_count.
@group(0) @binding(0) var<storage, read> iterate: array<vec4<f32>>;
#ifdef DAMPED
// As pbf_predict.wgsl leaves them, in sorted order. Becomes the velocity after the corrections, which the damping reads.
// len = particle_count.
@group(0) @binding(1) var<storage, read_write> predicted_velocities: array<vec4<f32>>;
#else
@group(0) @binding(1) var<storage, read> predicted_velocities: array<vec4<f32>>;
// Of the next step: xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(3) var<storage, read_write> next_velocities: array<vec4<f32>>;
#endif
// Of the next step: xyz in metres, 1; len = particle_count.
@group(0) @binding(2) var<storage, read_write> next_positions: array<vec4<f32>>;
// Its second component becomes what density.wgsl writes there; len = particle_count.
@group(0) @binding(4) var<storage, read_write> densities: array<vec2<f32>>;
// xyz in metres: the predictions, which the search was built with; len = particle_count.
@group(0) @binding(5) var<storage, read> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn take_velocity(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let after = iterate[index];
        let predicted = predicted_velocities[index];
        next_positions[index] = vec4<f32>(after.xyz, 1.0);
        let gained = (after.xyz - sorted_positions[index].xyz) / fluid.time_step;
        let velocity = vec4<f32>(predicted.xyz + gained, predicted.w);
#ifdef DAMPED
        predicted_velocities[index] = velocity;
#else
        next_velocities[index] = velocity;
#endif
        densities[index].y = -after.w / (fluid.time_step * fluid.time_step);
    }
}
