// Parameters of the passes of DFSPH besides the fluid's, and what it stores for each particle; the struct of the
// parameters in dfsph/parameters.rs documents the fields.
#define_import_path nearwater::dfsph

#import nearwater::fluid::fluid

struct DfsphParameters {
    share: f32,
    relaxation: f32,
    warm_start: f32,
    divergence_tolerance: f32,
    density_tolerance: f32,
    most_divergence_iterations: u32,
    most_density_iterations: u32,
    approach_viscosity: f32,
    viscosity: f32,
    xsph: f32,
}

@group(1) @binding(8) var<uniform> dfsph: DfsphParameters;

// What the iterations keep for a particle.
struct Solution {
    // Pressure term, m⁵/(kg s²), by which an error of 1 is corrected: the factor alpha.
    factor: f32,
    // Pressure term before the last iteration, m⁵/(kg s²).
    previous: f32,
    // Error of the last iteration as a fraction of the rest density, at least 0; negative for particles that are not
    // fluid.
    error: f32,
    // Pressure term of the divergence-free solver, m⁵/(kg s²).
    divergence_term: f32,
}

// The state of the solver that is running.
struct Control {
    // 1 while it iterates, else 0.
    is_active: u32,
    // Iterations of this step.
    iterations: u32,
    // Mean error as a fraction of the rest density.
    error: f32,
}

// Particles whose density is below this fraction of the rest density are at a free surface. The divergence-free solver
// leaves them alone: there velocities may converge, as gaps close.
const INSIDE: f32 = 0.85;

// By how much the pressure term of a particle's image exceeds its own: the hydrostatic difference to its place, m⁵/(kg
// s²). `away` is the way from the particle to its image. It is at most the pressure itself, so that water without
// pressure is not pushed.
fn deeper(pressure_term: f32, away: vec3<f32>) -> f32 {
    let difference = fluid.pressure_scale * dot(fluid.gravity, away) / fluid.rest_density;
    return clamp(difference, -pressure_term, pressure_term);
}
