// Assigns one role to the particles whose centers are seen in a rectangle of the picture and another to all others. One
// invocation per particle.
#import nearwater::dispatch
#import nearwater::render::frame::{frame, is_drawable, is_left_out}

const WORKGROUP: u32 = 256u;

// Mirrored by `render::selection::Rectangle`.
struct Rectangle {
    // Corners, in pixels from the upper left of the picture.
    low: vec2<f32>,
    high: vec2<f32>,
    // Roles, as numbers of `render::Mark`.
    inside: u32,
    outside: u32,
    padding: vec2<u32>,
}

@group(1) @binding(0) var<uniform> rectangle: Rectangle;
// Position, m; velocity, m/s, with the bits of the particle's original index in w. Length: particle count.
@group(1) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// The role of each particle. Length: particle count.
@group(1) @binding(3) var<storage, read_write> roles: array<u32>;
// Number of particles inside; zeroed before the pass. Length: 1.
@group(1) @binding(4) var<storage, read_write> selected_count: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn select_rectangle(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= frame.particle_count {
        return;
    }
    let position = positions[index].xyz;
    var is_inside = false;
    if is_drawable(position) && !is_left_out(bitcast<u32>(velocities[index].w)) {
        let clip = frame.clip_from_world * vec4<f32>(position, 1.0);
        let pixel = (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size;
        is_inside = clip.w > frame.near && all(pixel >= rectangle.low) && all(pixel <= rectangle.high);
    }
    roles[index] = select(rectangle.outside, rectangle.inside, is_inside);
    if is_inside {
        atomicAdd(&selected_count, 1u);
    }
}
