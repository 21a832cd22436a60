// The mean error of an iteration of DFSPH, and the decision whether another one follows. The decision is made on the
// device: the passes of an iteration read their number of workgroups from `arguments`, which become zero when the
// solver has finished, so that the rest of the recorded iterations is skipped.
//
// Entry points, in order of dispatch:
//   measure_parts   PARTS workgroups: each sums up the errors of every PARTS-th block of particles
//   decide          one workgroup: sums up the parts, and decides
//
// Definitions: CONSTANT_DENSITY for the constant-density solver, otherwise the divergence-free solver; FIRST for the
// error before the first iteration.

#import nearwater::dfsph::{Control, Solution, dfsph}
#import nearwater::fluid::fluid

// Number of workgroups, and of invocations of each: `decide` has one invocation per part.
const PARTS: u32 = 256u;

struct Part {
    // Sum of the errors.
    errors: f32,
    // Number of fluid particles.
    count: u32,
}

// Totals of the run and the step.
struct Totals {
    steps: u32,
    // Steps in which a solver reached its largest number of iterations.
    unfinished: u32,
    // Whether that happened in this step.
    is_unfinished: u32,
    divergence_iterations: u32,
    density_iterations: u32,
    // Sum of the final errors of the constant-density solver.
    density_errors: f32,
}

// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(0) @binding(0) var<storage, read> solutions: array<Solution>;
// Sums of each part of the particles; len = PARTS.
@group(0) @binding(1) var<storage, read_write> parts: array<Part, PARTS>;
// State of this solver; len = 1.
@group(0) @binding(2) var<storage, read_write> control: Control;
// Numbers of workgroups of the solver's passes, three for each; len = 3 times the number of different sizes.
@group(0) @binding(3) var<storage, read> full: array<u32>;
// The same, or zeros once the solver has finished; the device reads them at each pass. len = that of `full`.
@group(0) @binding(4) var<storage, read_write> arguments: array<u32>;
// Totals of the run; len = 1.
@group(0) @binding(5) var<storage, read_write> totals: Totals;
// The solver's figures, in the order of their declaration in dfsph/mod.rs; len = 8.
@group(0) @binding(6) var<storage, read_write> figures: array<f32>;

var<workgroup> shared_parts: array<Part, PARTS>;

// Leaves the sum over the workgroup in `shared_parts[0]`.
fn reduce(local: u32, own: Part) {
    shared_parts[local] = own;
    for (var stride = PARTS / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if local < stride {
            let other = shared_parts[local + stride];
            let sum = shared_parts[local];
            shared_parts[local] = Part(sum.errors + other.errors, sum.count + other.count);
        }
    }
}

@compute @workgroup_size(PARTS)
fn measure_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    var own = Part(0.0, 0u);
    for (var index = group.x * PARTS + local; index < fluid.particle_count; index += PARTS * PARTS) {
        let error = solutions[index].error;
        // Written so that an error that is not finite keeps the solver going, and is seen.
        if !(error < 0.0) {
            own = Part(own.errors + error, own.count + 1u);
        }
    }
    reduce(local, own);
    if local == 0u {
        parts[group.x] = shared_parts[0];
    }
}

@compute @workgroup_size(PARTS)
fn decide(@builtin(local_invocation_index) local: u32) {
    reduce(local, parts[local]);
    if local != 0u {
        return;
    }
#ifdef FIRST
    var iterations = 0u;
#ifndef CONSTANT_DENSITY
    totals.steps += 1u;
    totals.is_unfinished = 0u;
#endif
#else
    if control.is_active == 0u {
        return;
    }
    var iterations = control.iterations;
#endif
    let error = shared_parts[0].errors / f32(max(shared_parts[0].count, 1u));
#ifdef CONSTANT_DENSITY
    let tolerance = dfsph.density_tolerance;
    let most = dfsph.most_density_iterations;
#else
    let tolerance = dfsph.divergence_tolerance;
    let most = dfsph.most_divergence_iterations;
#endif
    let is_exact = error <= tolerance;
    let is_active = !is_exact && iterations < most;
    if !is_exact && !is_active && totals.is_unfinished == 0u {
        totals.unfinished += 1u;
        totals.is_unfinished = 1u;
    }
    if is_active {
        iterations += 1u;
    }
    for (var place = 0u; place < arrayLength(&full); place++) {
        arguments[place] = select(0u, full[place], is_active);
    }
    control.is_active = u32(is_active);
    control.iterations = iterations;
    control.error = error;
#ifdef CONSTANT_DENSITY
    if is_active {
        totals.density_iterations += 1u;
    } else {
        totals.density_errors += error;
    }
    figures[0] = f32(iterations);
    figures[1] = 100.0 * error;
    let steps = f32(max(totals.steps, 1u));
    figures[4] = f32(totals.density_iterations) / steps;
    figures[5] = f32(totals.divergence_iterations) / steps;
    figures[6] = 100.0 * totals.density_errors / steps;
    figures[7] = 100.0 * f32(totals.unfinished) / steps;
#else
    if is_active {
        totals.divergence_iterations += 1u;
    }
    figures[2] = f32(iterations);
    figures[3] = 100.0 * error;
#endif
}
