// Computes the cost of the search for each particle, as values for drawing, with their range, mean and histogram.
//
// Entry points, in order of dispatch, each with one invocation per particle:
//   occupy         counts the particles of each cell, and of the fullest cell
//   evaluate       computes the value of each particle, and the range of all values
//   add_to_cells   sums the values of each cell; only for means over cells
//   average        computes the mean of each cell, and the range of the means; only for means over cells
//   summarize      computes the histogram and the sum
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const WORKGROUP: u32 = 256u;
const BINS: u32 = #{BINS}u;
// Number of steps that quantize the range, so that the sum of a workgroup fits in 32 bits.
const LEVELS: f32 = f32(#{LEVELS}u);

const CANDIDATES: u32 = #{COST_CANDIDATES}u;
const OVERHEAD: u32 = #{COST_OVERHEAD}u;
const NEIGHBORS: u32 = #{COST_NEIGHBORS}u;
const OCCUPANCY: u32 = #{COST_OCCUPANCY}u;
const LANES_IDLE: u32 = #{COST_LANES_IDLE}u;

// Mirrored by `laboratory::cost_map::CostParameters`.
struct CostParameters {
    particle_count: u32,
    // Number of fluid particles, which have the lowest identities.
    fluid_count: u32,
    // One of the numbers above.
    field: u32,
    // 1 if the values are means over cells.
    per_cell: u32,
    // Number of consecutive particles whose invocations form a subgroup.
    subgroup_size: u32,
    // Bits that mark a missing value. They come from the host, since compilers may assume that no float is NaN.
    no_value: u32,
    // Particles with a larger x coordinate are in the reservoir, m.
    parked_beyond: f32,
    padding: u32,
}

// Mirrored by `laboratory::cost_map::GpuCostSummary`. Values are never negative, so their bits have the same order as
// the values. The lowest value is stored inverted, so that a buffer of zeros represents an empty range.
struct CostSummary {
    fullest: atomic<u32>,
    with_value: atomic<u32>,
    without_value: atomic<u32>,
    // Range of the values of particles.
    lowest_inverted: atomic<u32>,
    highest: atomic<u32>,
    // Range of the means of cells.
    lowest_mean_inverted: atomic<u32>,
    highest_mean: atomic<u32>,
    // Sum of the values relative to their range, in units of 1 / LEVELS: 64 bits.
    sum_low: atomic<u32>,
    sum_high: atomic<u32>,
}

@group(0) @binding(0) var<uniform> cost: CostParameters;
// The search's cells; a single cell if the search has none.
@group(0) @binding(1) var<uniform> cell_grid: Grid;
// In the drawn order; len = particle_count each.
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
// The identity of each particle as the bits of the fourth component.
@group(0) @binding(3) var<storage, read> identities: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> neighbor_counts: array<u32>;
@group(0) @binding(5) var<storage, read> candidate_counts: array<u32>;
// Number of particles in each cell; len = cell_count.
@group(0) @binding(6) var<storage, read_write> occupancy: array<atomic<u32>>;
// Sum of the values in each cell, relative to their range; len = cell_count.
@group(0) @binding(7) var<storage, read_write> cell_sums: array<atomic<u32>>;
// The values that are drawn; len = particle_count.
@group(0) @binding(8) var<storage, read_write> values: array<f32>;
@group(0) @binding(9) var<storage, read_write> words: CostSummary;
// Number of particles in each bin of the histogram; len = BINS.
@group(0) @binding(10) var<storage, read_write> bins: array<atomic<u32>>;

var<workgroup> shared_low: atomic<u32>;
var<workgroup> shared_high: atomic<u32>;
var<workgroup> shared_count: atomic<u32>;
var<workgroup> shared_bins: array<atomic<u32>, BINS>;

// Whether the particle is a fluid particle that is not in the reservoir.
fn is_present(index: u32) -> bool {
    return bitcast<u32>(identities[index].w) < cost.fluid_count && positions[index].x <= cost.parked_beyond;
}

fn has_value(value: f32) -> bool {
    return bitcast<u32>(value) != cost.no_value;
}

fn cell_of(index: u32) -> u32 {
    return grid::cell_index(cell_grid, grid::cell_coord(cell_grid, positions[index].xyz));
}

@compute @workgroup_size(WORKGROUP)
fn occupy(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if local == 0u {
        atomicStore(&shared_high, 0u);
    }
    workgroupBarrier();
    if index < cost.particle_count && is_present(index) {
        atomicMax(&shared_high, atomicAdd(&occupancy[cell_of(index)], 1u) + 1u);
    }
    workgroupBarrier();
    if local == 0u {
        atomicMax(&words.fullest, atomicLoad(&shared_high));
    }
}

// Fraction of the rounds in which the invocation of this particle waits for the busiest one of its subgroup.
fn lanes_idle(index: u32) -> f32 {
    let first = index - index % cost.subgroup_size;
    var longest = 0u;
    for (var other = first; other < min(first + cost.subgroup_size, cost.particle_count); other++) {
        longest = max(longest, candidate_counts[other]);
    }
    return f32(longest - candidate_counts[index]) / f32(max(longest, 1u));
}

fn value_of(index: u32) -> f32 {
    switch cost.field {
        case CANDIDATES: {
            return f32(candidate_counts[index]);
        }
        case NEIGHBORS: {
            return f32(neighbor_counts[index]);
        }
        case OVERHEAD: {
            if neighbor_counts[index] == 0u {
                return bitcast<f32>(cost.no_value);
            }
            return f32(candidate_counts[index]) / f32(neighbor_counts[index]);
        }
        case OCCUPANCY: {
            return f32(atomicLoad(&occupancy[cell_of(index)]));
        }
        default: {
            return lanes_idle(index);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn evaluate(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if local == 0u {
        atomicStore(&shared_low, 0u);
        atomicStore(&shared_high, 0u);
    }
    workgroupBarrier();
    if index < cost.particle_count {
        var value = bitcast<f32>(cost.no_value);
        if is_present(index) {
            value = value_of(index);
        }
        values[index] = value;
        if has_value(value) {
            atomicMax(&shared_low, ~bitcast<u32>(value));
            atomicMax(&shared_high, bitcast<u32>(value));
        }
    }
    workgroupBarrier();
    if local == 0u {
        atomicMax(&words.lowest_inverted, atomicLoad(&shared_low));
        atomicMax(&words.highest, atomicLoad(&shared_high));
    }
}

// Lowest value and width of the range of the particles' values.
fn own_range() -> vec2<f32> {
    let low = bitcast<f32>(~atomicLoad(&words.lowest_inverted));
    return vec2<f32>(low, bitcast<f32>(atomicLoad(&words.highest)) - low);
}

// Lowest value and width of the range of the drawn values.
fn drawn_range() -> vec2<f32> {
    if cost.per_cell == 0u {
        return own_range();
    }
    let low = bitcast<f32>(~atomicLoad(&words.lowest_mean_inverted));
    return vec2<f32>(low, bitcast<f32>(atomicLoad(&words.highest_mean)) - low);
}

// A value relative to its range, 0 to 1.
fn place_in(range: vec2<f32>, value: f32) -> f32 {
    if range.y <= 0.0 {
        return 0.0;
    }
    return clamp((value - range.x) / range.y, 0.0, 1.0);
}

// Number of steps that quantize the range, so that the sum of the fullest cell fits in 32 bits.
fn cell_levels() -> f32 {
    return min(LEVELS, 4.0e9 / f32(max(atomicLoad(&words.fullest), 1u)));
}

@compute @workgroup_size(WORKGROUP)
fn add_to_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= cost.particle_count || !is_present(index) {
        return;
    }
    let value = values[index];
    let cell = cell_of(index);
    if has_value(value) {
        atomicAdd(&cell_sums[cell], u32(place_in(own_range(), value) * cell_levels()));
    } else {
        // Particles without a value do not count for the mean of their cell.
        atomicSub(&occupancy[cell], 1u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn average(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if local == 0u {
        atomicStore(&shared_low, 0u);
        atomicStore(&shared_high, 0u);
    }
    workgroupBarrier();
    if index < cost.particle_count && has_value(values[index]) {
        let cell = cell_of(index);
        let range = own_range();
        let place = f32(atomicLoad(&cell_sums[cell])) / (cell_levels() * f32(max(atomicLoad(&occupancy[cell]), 1u)));
        let mean = range.x + place * range.y;
        values[index] = mean;
        atomicMax(&shared_low, ~bitcast<u32>(mean));
        atomicMax(&shared_high, bitcast<u32>(mean));
    }
    workgroupBarrier();
    if local == 0u {
        atomicMax(&words.lowest_mean_inverted, atomicLoad(&shared_low));
        atomicMax(&words.highest_mean, atomicLoad(&shared_high));
    }
}

@compute @workgroup_size(WORKGROUP)
fn summarize(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if local < BINS {
        atomicStore(&shared_bins[local], 0u);
    }
    if local == 0u {
        atomicStore(&shared_low, 0u);
        atomicStore(&shared_high, 0u);
        atomicStore(&shared_count, 0u);
    }
    workgroupBarrier();
    if index < cost.particle_count && is_present(index) {
        let value = values[index];
        if has_value(value) {
            let place = place_in(drawn_range(), value);
            atomicAdd(&shared_bins[min(u32(place * f32(BINS)), BINS - 1u)], 1u);
            atomicAdd(&shared_low, u32(place * LEVELS));
            atomicAdd(&shared_count, 1u);
        } else {
            atomicAdd(&shared_high, 1u);
        }
    }
    workgroupBarrier();
    if local < BINS {
        let count = atomicLoad(&shared_bins[local]);
        if count > 0u {
            atomicAdd(&bins[local], count);
        }
    }
    if local == 0u {
        atomicAdd(&words.with_value, atomicLoad(&shared_count));
        atomicAdd(&words.without_value, atomicLoad(&shared_high));
        let sum = atomicLoad(&shared_low);
        let before = atomicAdd(&words.sum_low, sum);
        if before + sum < before {
            atomicAdd(&words.sum_high, 1u);
        }
    }
}
