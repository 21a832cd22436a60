// Shared parts of the primitives within one workgroup: the order of its invocations, and exclusive scans over the
// workgroup and over one subgroup. With SUBGROUPS the order follows the actual subgroups; without, each invocation
// counts as a subgroup.
//
// Numbers: WORKGROUP_SIZE, invocations per workgroup; SUBGROUP_CAPACITY, most subgroups in a workgroup.
#define_import_path nearwater::workgroup_scan

const WORKGROUP_SIZE: u32 = #{WORKGROUP_SIZE}u;
const SUBGROUP_CAPACITY: u32 = #{SUBGROUP_CAPACITY}u;

// The built-in inputs of an entry point.
struct Invocation {
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
#ifdef SUBGROUPS
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(num_subgroups) subgroup_count: u32,
    @builtin(subgroup_invocation_id) lane: u32,
#else
    @builtin(local_invocation_index) index: u32,
#endif
}

// The position of an invocation in its workgroup. Vulkan does not relate the local index to subgroup and lane, so the
// order is defined by the latter two: the lanes of subgroup 0, those of subgroup 1, and so on. This order has no gaps
// because all subgroups are full, which `gpu::subgroups` checks when a device is opened.
struct Place {
    subgroup: u32,
    subgroup_size: u32,
    subgroup_count: u32,
    lane: u32,
}

fn place_of(invocation: Invocation) -> Place {
#ifdef SUBGROUPS
    return Place(invocation.subgroup, invocation.subgroup_size, invocation.subgroup_count, invocation.lane);
#else
    return Place(invocation.index, 1u, WORKGROUP_SIZE, 0u);
#endif
}

fn order(place: Place) -> u32 {
    return place.subgroup * place.subgroup_size + place.lane;
}

struct Scanned {
    // Sum over all earlier invocations.
    before: vec4<u32>,
    // Sum over all invocations.
    total: vec4<u32>,
}

// Scans four rows of one number per invocation that follow one another: returns what precedes each of the invocation's
// four numbers, where `start` precedes the first row.
fn before_rows(scanned: Scanned, start: u32) -> vec4<u32> {
    let second = start + scanned.total.x;
    let third = second + scanned.total.y;
    return scanned.before + vec4(start, second, third, third + scanned.total.z);
}

fn total_of_rows(scanned: Scanned) -> u32 {
    return scanned.total.x + scanned.total.y + scanned.total.z + scanned.total.w;
}

#ifdef SUBGROUPS
fn subgroup_exclusive_scan(value: vec4<u32>) -> Scanned {
    return Scanned(subgroupExclusiveAdd(value), subgroupAdd(value));
}

var<workgroup> partial_sums: array<vec4<u32>, SUBGROUP_CAPACITY>;

fn workgroup_exclusive_scan(place: Place, value: vec4<u32>) -> Scanned {
    let within = subgroupExclusiveAdd(value);
    // Another invocation may still be reading the sums of an earlier call.
    workgroupBarrier();
    if place.lane == place.subgroup_size - 1u {
        partial_sums[place.subgroup] = within + value;
    }
    workgroupBarrier();
    var scanned = Scanned(within, vec4(0u));
    // The bound is a constant of the shader, so that the compiler can issue the loads without waiting for each other.
    for (var subgroup = 0u; subgroup < SUBGROUP_CAPACITY; subgroup++) {
        let partial_sum = select(vec4(0u), partial_sums[subgroup], subgroup < place.subgroup_count);
        scanned.before += select(vec4(0u), partial_sum, subgroup < place.subgroup);
        scanned.total += partial_sum;
    }
    return scanned;
}
#else
fn subgroup_exclusive_scan(value: vec4<u32>) -> Scanned {
    return Scanned(vec4(0u), value);
}

var<workgroup> partial_sums: array<vec4<u32>, WORKGROUP_SIZE>;

// Hillis and Steele 1986: after the step of width w, an invocation holds the sum of the last 2 w values up to its own.
fn workgroup_exclusive_scan(place: Place, value: vec4<u32>) -> Scanned {
    let own = order(place);
    var sum = value;
    for (var width = 1u; width < WORKGROUP_SIZE; width *= 2u) {
        workgroupBarrier();
        partial_sums[own] = sum;
        workgroupBarrier();
        if own >= width {
            sum += partial_sums[own - width];
        }
    }
    workgroupBarrier();
    partial_sums[own] = sum;
    workgroupBarrier();
    return Scanned(sum - value, partial_sums[WORKGROUP_SIZE - 1u]);
}
#endif
