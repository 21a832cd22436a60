// Divides the indices of all particles into those with a role of their own and the faded ones, each in the drawn order,
// so that drawing either kind runs no vertices of the other. In order of dispatch, with an exclusive scan of
// `own_before` between the two:
//   flag         one invocation per element of `own_before`
//   gather       one invocation per particle: writes its index into the list; the first one writes the arguments of
//                both draws
#import nearwater::dispatch
#import nearwater::render::frame::frame
#import nearwater::render::marks::marks

const WORKGROUP: u32 = 256u;
// Vertices per particle, the same as in `spheres.wgsl`.
const CORNERS: u32 = 3u;

// Arguments of an indirect draw in WebGPU's layout.
struct DrawArguments {
    vertex_count: u32,
    instance_count: u32,
    first_vertex: u32,
    first_instance: u32,
}

// First 1 for each particle with a role of its own and 0 for others; after the scan, the number of such particles that
// precede. Length: at least particle count + 1.
@group(1) @binding(0) var<storage, read_write> own_before: array<u32>;
// Indices of particles with roles of their own from the front, of faded ones from element particle count - 1 backwards.
// Length: at least particle count.
@group(1) @binding(1) var<storage, read_write> by_role: array<u32>;
// Arguments of the draw of particles with roles of their own, and of the draw of faded particles.
@group(1) @binding(2) var<storage, read_write> draw_arguments: array<DrawArguments, 2>;

@compute @workgroup_size(WORKGROUP)
fn flag(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= arrayLength(&own_before) {
        return;
    }
    var is_own = false;
    if index < frame.particle_count {
        is_own = marks[index] != #{MARK_FADED}u;
    }
    own_before[index] = u32(is_own);
}

@compute @workgroup_size(WORKGROUP)
fn gather(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    let count = frame.particle_count;
    if index == 0u {
        let own = own_before[count];
        draw_arguments[0] = DrawArguments(CORNERS * own, 1u, 0u, 0u);
        draw_arguments[1] = DrawArguments(CORNERS * (count - own), 1u, 0u, 0u);
    }
    if index >= count {
        return;
    }
    let before = own_before[index];
    if own_before[index + 1u] > before {
        by_role[before] = index;
    } else {
        by_role[count - 1u - (index - before)] = index;
    }
}
