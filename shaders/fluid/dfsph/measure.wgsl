// The mean error of an iteration of DFSPH, and the decision whether another one follows. The decision is made on the
// device: the passes of an iteration read their number of workgroups from `arguments`, which become zero when the
// solver has finished, so that the rest of the recorded iterations is skipped.
//
// Entry points, in order of dispatch:
//   measure_parts   a workgroup for each block of PARTS particles, at most PARTS workgroups: each sums up the errors of
//                   every PARTS-th block
//   decide          one workgroup: sums up the parts, and decides
//
// `decide` follows the pressures of the iteration, so that the last correction that was computed has its effect.
//
// Definition: FIRST in the first iteration of a step.

#import nearwater::dfsph::{Control, DECREASE_ALLOWED, Solution, Terms, dfsph}
#import nearwater::fluid::fluid

// Largest number of workgroups, and number of invocations of each: `decide` has one invocation per part.
const PARTS: u32 = 256u;

// The largest float.
const LARGEST: f32 = 3.4028235e38;

struct Part {
    // Sum of the errors of the divergence-free solver that are increases of the density.
    increase: f32,
    // Sum of those that are decreases, with the sign reversed.
    decrease: f32,
    // Sum of the excesses of the density, where it is above the rest density.
    density: f32,
    // Number of fluid particles.
    count: u32,
    // Smallest pressure term of the divergence-free solver, m⁵/(kg s²).
    least: f32,
}

// Of no particles.
fn no_part() -> Part {
    return Part(0.0, 0.0, 0.0, 0u, LARGEST);
}

// Totals of the run.
struct Totals {
    steps: u32,
    // Steps that reached the largest number of iterations with a larger error than the settings allow.
    unfinished: u32,
    iterations: u32,
    // Sums of the mean errors of each step.
    divergence_errors: f32,
    density_errors: f32,
}

// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(0) @binding(0) var<storage, read> solutions: array<Solution>;
// Sums of each part of the particles, as many as there were workgroups; len = PARTS.
@group(0) @binding(1) var<storage, read_write> parts: array<Part, PARTS>;
// State of the iterations; len = 1.
@group(0) @binding(2) var<storage, read_write> control: Control;
// Numbers of workgroups of an iteration's passes, three for each; len = 3 times the number of different sizes.
@group(0) @binding(3) var<storage, read> full: array<u32>;
// The same, or zeros once the iterations have ended; the device reads them at each pass. len = that of `full`.
@group(0) @binding(4) var<storage, read_write> arguments: array<u32>;
// Totals of the run; len = 1.
@group(0) @binding(5) var<storage, read_write> totals: Totals;
// The solver's figures, in the order of their declaration in dfsph/mod.rs; len = 8.
@group(0) @binding(6) var<storage, read_write> figures: array<f32>;

// Pressure terms in sorted order; len = particle_count.
@group(0) @binding(7) var<storage, read> terms: array<Terms>;

var<workgroup> shared_parts: array<Part, PARTS>;

// Leaves the sum over the workgroup in `shared_parts[0]`.
fn reduce(local: u32, own: Part) {
    shared_parts[local] = own;
    for (var stride = PARTS / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if local < stride {
            let other = shared_parts[local + stride];
            let sum = shared_parts[local];
            shared_parts[local] = Part(
                sum.increase + other.increase,
                sum.decrease + other.decrease,
                sum.density + other.density,
                sum.count + other.count,
                min(sum.least, other.least),
            );
        }
    }
}

@compute @workgroup_size(PARTS)
fn measure_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    var own = no_part();
    for (var index = group.x * PARTS + local; index < fluid.particle_count; index += PARTS * PARTS) {
        let solution = solutions[index];
        // Written so that an error that is not finite keeps the iterations going, and is seen.
        if solution.factor != 0.0 {
            let increase = select(solution.error, 0.0, solution.error < 0.0);
            let decrease = select(-solution.error, 0.0, solution.error > 0.0);
            let excess = select(solution.excess, 0.0, solution.excess < 0.0);
            let least = min(own.least, terms[index].divergence);
            own = Part(own.increase + increase, own.decrease + decrease, own.density + excess, own.count + 1u, least);
        }
    }
    reduce(local, own);
    if local == 0u {
        parts[group.x] = shared_parts[0];
    }
}

@compute @workgroup_size(PARTS)
fn decide(@builtin(local_invocation_index) local: u32) {
    var part = no_part();
    if local * PARTS < fluid.particle_count {
        part = parts[local];
    }
    reduce(local, part);
    if local != 0u {
        return;
    }
#ifdef FIRST
    let iterations = 1u;
    totals.steps += 1u;
#else
    if control.is_active == 0u {
        return;
    }
    let iterations = control.iterations + 1u;
#endif
    let sums = shared_parts[0];
    // If only increases counted, water under pressure would be softer while it expands than while it is compressed
    // (dfsph/mod.rs). Their sum with decreases would also count what differs from particle to particle, which moves no
    // water, twice.
    let decrease = sums.decrease / DECREASE_ALLOWED;
    let larger = select(decrease, sums.increase, !(sums.increase < decrease));
    let divergence = larger / f32(max(sums.count, 1u));
    let density = sums.density / f32(max(sums.count, 1u));
    // The density that the step has begun with does not change during the iterations. Where it is too high, earlier
    // steps had too few iterations, so that the number grows in proportion.
    let enough = f32(dfsph.least_iterations) * max(density / dfsph.density_tolerance, 1.0);
    let is_exact = divergence <= dfsph.divergence_tolerance && f32(iterations) >= floor(enough);
    let is_active = !is_exact && iterations < dfsph.most_iterations;
    for (var place = 0u; place < arrayLength(&full); place++) {
        arguments[place] = select(0u, full[place], is_active);
    }
    control.is_active = u32(is_active);
    control.iterations = iterations;
    if is_active {
        return;
    }
    control.shared_term = select(0.0, max(sums.least, 0.0), sums.count > 0u);
    totals.unfinished += u32(!(divergence <= dfsph.divergence_tolerance));
    totals.iterations += iterations;
    totals.divergence_errors += divergence;
    totals.density_errors += density;
    let steps = f32(totals.steps);
    figures[0] = f32(iterations);
    figures[1] = 100.0 * density;
    figures[2] = 100.0 * divergence;
    figures[3] = f32(totals.iterations) / steps;
    figures[4] = 100.0 * totals.density_errors / steps;
    figures[5] = 100.0 * totals.divergence_errors / steps;
    figures[6] = 100.0 * f32(totals.unfinished) / steps;
}
