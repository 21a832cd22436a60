// What the passes of rigid bodies share: their poses and motion, and their particles in the bodies' own frames.
#define_import_path nearwater::bodies

struct Bodies {
    parking_low: vec3<f32>,
    parking_step: f32,
    parking_rows: vec2<u32>,
    // Original index of the first particle of the first body; the others follow.
    first: u32,
    // Number of particles of all bodies.
    sample_count: u32,
}

struct Body {
    position: vec3<f32>,
    first_sample: u32,
    velocity: vec3<f32>,
    sample_count: u32,
    angular_velocity: vec3<f32>,
    // Number of the parking place of its first particle; STAYS where it does not leave the box.
    first_parking: u32,
    rotation: vec4<f32>,
}

const STAYS: u32 = 0xffffffffu;

@group(0) @binding(0) var<uniform> moved: Bodies;
// Pose and motion of each body; len = number of bodies.
@group(0) @binding(1) var<storage, read> bodies: array<Body>;
// xyz in meters in the body's frame, bits of the body's number; one body after the other. len = moved.sample_count.
@group(0) @binding(2) var<storage, read> samples: array<vec4<f32>>;

fn turned(rotation: vec4<f32>, arm: vec3<f32>) -> vec3<f32> {
    let twice = 2.0 * cross(rotation.xyz, arm);
    return arm + rotation.w * twice + cross(rotation.xyz, twice);
}

// The sample that a particle is; the number of samples where it belongs to no body.
fn sample_of(word: f32) -> u32 {
    let original = bitcast<u32>(word);
    return select(moved.sample_count, original - moved.first, original >= moved.first);
}

// Size of all workgroups.
const GROUP: u32 = 128u;

// A force, m/s², and a torque about a body's center of mass, m²/s², both divided by a fluid particle's mass.
struct Load {
    force: vec3<f32>,
    torque: vec3<f32>,
}

// A load with the force on a sample of a body added, which is divided by a fluid particle's mass, m/s².
fn with_force(load: Load, body: Body, sample: u32, force: vec3<f32>) -> Load {
    let arm = turned(body.rotation, samples[body.first_sample + sample].xyz);
    return Load(load.force + force, load.torque + cross(arm, force));
}

var<workgroup> forces: array<vec3<f32>, GROUP>;
var<workgroup> torques: array<vec3<f32>, GROUP>;

// The sum of the loads of all invocations of a workgroup, always added in the same order.
fn sum_of_group(local: u32, own: Load) -> Load {
    forces[local] = own.force;
    torques[local] = own.torque;
    workgroupBarrier();
    for (var half = GROUP / 2u; half > 0u; half /= 2u) {
        if local < half {
            forces[local] += forces[local + half];
            torques[local] += torques[local + half];
        }
        workgroupBarrier();
    }
    return Load(forces[0], torques[0]);
}

// The motion of a body in the stages of viscosity (stages.wgsl).
struct Staged {
    // m/s, after the last stage.
    velocity: vec3<f32>,
    // 1 if there were stages in this step, else 0.
    is_staged: f32,
    // m/s, after the stage before.
    velocity_before: vec3<f32>,
    // rad/s, after the last stage.
    angular_velocity: vec3<f32>,
    // rad/s, after the stage before.
    angular_velocity_before: vec3<f32>,
}

// What a body's motion within a step follows from; zero except for the velocities where the motion is prescribed.
struct Course {
    // At the start of the step, m/s.
    velocity: vec3<f32>,
    // Mass of a fluid particle over that of the body.
    inverse_mass: f32,
    // At the start of the step, rad/s.
    angular_velocity: vec3<f32>,
    padding_x: u32,
    // Acceleration by everything besides viscosity, m/s².
    acceleration: vec3<f32>,
    padding_y: u32,
    // rad/s².
    angular_acceleration: vec3<f32>,
    padding_z: u32,
    // Acceleration by everything besides the water, m/s².
    alone: vec3<f32>,
    padding_alone: u32,
    // rad/s².
    angular_alone: vec3<f32>,
    padding_angular: u32,
    // Mass of a fluid particle times the inverse of the inertia in the world's frame, 1/m².
    inverse_inertia: mat3x3<f32>,
}
