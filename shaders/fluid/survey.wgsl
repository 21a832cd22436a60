// Health figures of the fluid in one struct: extremes, sums of density and compression, and the numbers of particles
// that are not finite or outside the box.
//
// Entry points, in order of dispatch:
//   survey_parts   PARTS workgroups: each sums up every PARTS-th block of particles
//   survey_whole   one workgroup: sums up the parts into `survey`

#import nearwater::fluid::{fluid, is_parked}
#import nearwater::grid
#import nearwater::grid::Grid

// Number of workgroups, and of invocations of each: the second entry point has one invocation per part.
const PARTS: u32 = #{PARTS}u;

struct Survey {
    present: u32,
    not_finite: u32,
    outside: u32,
    border: u32,
    lowest_density: f32,
    highest_density: f32,
    density_sum: f32,
    compression_sum: f32,
    denser: u32,
    highest_speed: f32,
}

// Positions, velocities and densities as the search's next input, in the order of the state, which need not be that of
// the build; len = particle_count. The fourth word of a velocity is the original index.
@group(0) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Survey of each part of the particles; len = PARTS.
@group(0) @binding(3) var<storage, read_write> parts: array<Survey, PARTS>;
// Survey of all particles; len = 1.
@group(0) @binding(4) var<storage, read_write> survey: Survey;
// The search's coarse cells; an empty grid where the search has none.
@group(0) @binding(5) var<uniform> cell_grid: Grid;

var<workgroup> shared_words: array<Survey, PARTS>;

const LARGEST: f32 = 3.4028234e38;

fn nothing() -> Survey {
    return Survey(0u, 0u, 0u, 0u, LARGEST, 0.0, 0.0, 0.0, 0u, 0.0);
}

fn both(a: Survey, b: Survey) -> Survey {
    return Survey(
        a.present + b.present,
        a.not_finite + b.not_finite,
        a.outside + b.outside,
        a.border + b.border,
        min(a.lowest_density, b.lowest_density),
        max(a.highest_density, b.highest_density),
        a.density_sum + b.density_sum,
        a.compression_sum + b.compression_sum,
        a.denser + b.denser,
        max(a.highest_speed, b.highest_speed),
    );
}

// Tests the bits, because compilers may assume that floats are finite and remove a test of the values.
fn is_finite(value: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(value) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

fn of_particle(index: u32) -> Survey {
    let position = positions[index].xyz;
    let velocity = velocities[index].xyz;
    let is_of_solid = bitcast<u32>(velocities[index].w) >= fluid.fluid_count;
    if is_of_solid || is_parked(position) {
        return nothing();
    }
    let density = densities[index].x;
    if !(is_finite(position) && is_finite(velocity) && is_finite(vec3<f32>(density))) {
        var words = nothing();
        words.present = 1u;
        words.not_finite = 1u;
        return words;
    }
    let outside = any(position < fluid.box_low) || any(position > fluid.box_high);
    let border = grid::is_border(cell_grid, position);
    let compression = density / fluid.rest_density - 1.0;
    let denser = compression > 0.0;
    return Survey(
        1u,
        0u,
        u32(outside),
        u32(border),
        density,
        density,
        density,
        max(compression, 0.0),
        u32(denser),
        length(velocity),
    );
}

// Leaves the sum over the workgroup in `shared_words[0]`.
fn reduce(local: u32, own: Survey) {
    shared_words[local] = own;
    for (var stride = PARTS / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if local < stride {
            shared_words[local] = both(shared_words[local], shared_words[local + stride]);
        }
    }
}

@compute @workgroup_size(PARTS)
fn survey_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    var own = nothing();
    for (var index = group.x * PARTS + local; index < fluid.particle_count; index += PARTS * PARTS) {
        own = both(own, of_particle(index));
    }
    reduce(local, own);
    if local == 0u {
        parts[group.x] = shared_words[0];
    }
}

@compute @workgroup_size(PARTS)
fn survey_whole(@builtin(local_invocation_index) local: u32) {
    reduce(local, parts[local]);
    if local == 0u {
        survey = shared_words[0];
    }
}
