// Rigid bodies: their particles follow them, and what the fluid does to the particles becomes their force and torque.
//
// Entry points:
//   move_bodies    one invocation a particle: those of bodies go where the body is
//   gather_loads   one workgroup a body, in an order of additions that is always the same

#ifdef MOVE
#import nearwater::dispatch
#import nearwater::integration::inside
#endif
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

struct BodiesWords {
    // The original index of the first body's first particle; the others follow.
    first: u32,
    // Particles of all bodies.
    sample_count: u32,
}

struct BodyWords {
    position: vec3<f32>,
    first_sample: u32,
    velocity: vec3<f32>,
    sample_count: u32,
    angular_velocity: vec3<f32>,
    padding: u32,
    rotation: vec4<f32>,
}

@group(0) @binding(0) var<uniform> moved: BodiesWords;
// len = number of bodies.
@group(0) @binding(1) var<storage, read> bodies: array<BodyWords>;
// xyz in metres in the body's frame, bits of the body's number; body by body. len = moved.sample_count.
@group(0) @binding(2) var<storage, read> samples: array<vec4<f32>>;

fn turned(rotation: vec4<f32>, arm: vec3<f32>) -> vec3<f32> {
    let twice = 2.0 * cross(rotation.xyz, arm);
    return arm + rotation.w * twice + cross(rotation.xyz, twice);
}

#ifdef MOVE
// What each is worth in the box, as boundaries.wgsl says; len = moved.sample_count.
@group(0) @binding(3) var<storage, read> sample_weights: array<f32>;
// xyz in metres; len = particle_count.
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
// As boundaries.wgsl says, in the order of the boundary; len = boundary_count.
@group(0) @binding(6) var<storage, read_write> boundary_weights: array<f32>;
// As boundaries.wgsl says; len = boundary_count.
@group(0) @binding(7) var<storage, read_write> reactions: array<vec4<f32>>;

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
    // Outside the box there is no fluid, and searches need not find what is there.
    let is_in_box = all(place >= fluid.box_low) && all(place <= fluid.box_high);
    positions[index] = vec4<f32>(inside(place), 1.0);
    velocities[index] = vec4<f32>(body.velocity + cross(body.angular_velocity, arm), word);
    let boundary = original - fluid.fluid_count;
    boundary_weights[boundary] = select(0.0, sample_weights[number], is_in_box);
    if !is_in_box {
        // The solver leaves alone what is worth nothing.
        reactions[boundary] = vec4<f32>(0.0);
    }
}
#endif

#ifdef GATHER
// As boundaries.wgsl says; len = boundary_count.
@group(0) @binding(3) var<storage, read> reactions: array<vec4<f32>>;
// Of each body xyz of the force over a fluid particle's mass, m/s², then of the torque about the center of mass over the
// same, m²/s²; len = 2 * number of bodies.
@group(0) @binding(4) var<storage, read_write> loads: array<vec4<f32>>;

var<workgroup> forces: array<vec3<f32>, GROUP>;
var<workgroup> torques: array<vec3<f32>, GROUP>;

@compute @workgroup_size(GROUP)
fn gather_loads(
    // Bodies are fewer than the workgroups of one dimension.
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = workgroup_id.x;
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    let body = bodies[number];
    let first_reaction = moved.first - fluid.fluid_count + body.first_sample;
    for (var sample = local; sample < body.sample_count; sample += GROUP) {
        let reaction = reactions[first_reaction + sample].xyz;
        force += reaction;
        torque += cross(turned(body.rotation, samples[body.first_sample + sample].xyz), reaction);
    }
    forces[local] = force;
    torques[local] = torque;
    workgroupBarrier();
    for (var half = GROUP / 2u; half > 0u; half /= 2u) {
        if local < half {
            forces[local] += forces[local + half];
            torques[local] += torques[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u {
        loads[2u * number] = vec4<f32>(forces[0], 0.0);
        loads[2u * number + 1u] = vec4<f32>(torques[0], 0.0);
    }
}
#endif
