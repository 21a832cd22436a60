// PBF, after the corrections: adds to the velocity the displacement by the corrections divided by the time step. One
// invocation per particle. Macklin and Müller divide the whole displacement by the time step, which is mathematically
// the same; but the rounding of positions divided by a short time step would accumulate even in free flight.
// Positions end at the walls, so a particle that hit a wall has lost its velocity component into it. The pressure is
// the one that would cause the same displacement: with lambda / (rest density time_step²) for -pressure / density²
// the corrections equal those by WCSPH's forces, and the artificial pressure of close pairs bears its share
// (`bearing`), which there is none of in tension.

#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::pbf::pbf

const GROUP: u32 = 128u;

// xyz in meters after the last correction, sum of the multipliers; in sorted order. len = particle_count.
@group(0) @binding(0) var<storage, read> iterate: array<vec4<f32>>;
#ifdef IN_PLACE
// Velocities as written by predict.wgsl, in sorted order. The pass replaces them by the velocities after the
// corrections, which the damping or the stages of viscosity read. len = particle_count.
@group(0) @binding(1) var<storage, read_write> predicted_velocities: array<vec4<f32>>;
#else
// Velocities as written by predict.wgsl, in sorted order; len = particle_count.
@group(0) @binding(1) var<storage, read> predicted_velocities: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(0) @binding(3) var<storage, read_write> next_velocities: array<vec4<f32>>;
#endif
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(0) @binding(2) var<storage, read_write> next_positions: array<vec4<f32>>;
// Density in kg/m³; the second component becomes, in m⁵/(kg s²), pressure / density²; in sorted order; len =
// particle_count.
@group(0) @binding(4) var<storage, read_write> densities: array<vec2<f32>>;
// xyz in meters: the predicted positions, which the search was built with; len = particle_count.
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
#ifdef IN_PLACE
        predicted_velocities[index] = velocity;
#else
        next_velocities[index] = velocity;
#endif
        let bearing = select(pbf.bearing, 1.0, after.w > 0.0);
        densities[index].y = -bearing * after.w / (fluid.time_step * fluid.time_step * fluid.pressure_scale);
    }
}
