// Swinging posts: their particles move with them, and their phases advance.
//
// Entry points:
//   place_posts    one invocation per particle: places the particles of posts according to the post's phase
//   swing_posts    one invocation per post: advances its phase by a step

#import nearwater::dispatch
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

struct PostParameters {
    // Original index of the first particle of the first post; the others follow.
    first: u32,
    // Number of particles of all posts.
    sample_count: u32,
    post_count: u32,
}

@group(0) @binding(0) var<uniform> posts: PostParameters;
// Swing of each post, m, and the rate of its phase, 1/s; len = posts.post_count.
@group(0) @binding(1) var<storage, read> motions: array<vec4<f32>>;

#ifdef PLACE
// Particles in the middle of the motion, m, and the bits of the post's number; len = posts.sample_count.
@group(0) @binding(2) var<storage, read> samples: array<vec4<f32>>;
// Phase of each post; len = posts.post_count.
@group(0) @binding(3) var<storage, read> phases: array<f32>;
// Positions before the search's build: xyz in meters; len = particle_count.
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the search's build: xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn place_posts(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= fluid.particle_count {
        return;
    }
    let word = velocities[index].w;
    let number = bitcast<u32>(word) - posts.first;
    if bitcast<u32>(word) < posts.first || number >= posts.sample_count {
        return;
    }
    let sample = samples[number];
    let post = bitcast<u32>(sample.w);
    let motion = motions[post];
    positions[index] = vec4<f32>(sample.xyz + sin(phases[post]) * motion.xyz, 1.0);
    velocities[index] = vec4<f32>(motion.w * cos(phases[post]) * motion.xyz, word);
}
#endif

#ifdef SWING
// Phase of each post; len = posts.post_count.
@group(0) @binding(2) var<storage, read_write> phases: array<f32>;

@compute @workgroup_size(GROUP)
fn swing_posts(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let post = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if post < posts.post_count {
        phases[post] += fluid.time_step * motions[post].w;
    }
}
#endif
