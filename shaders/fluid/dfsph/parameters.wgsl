// Parameters of the passes of DFSPH besides the fluid's, and what it stores for each particle; the struct of the
// parameters in dfsph/parameters.rs documents the fields.
#define_import_path nearwater::dfsph

#import nearwater::fluid::fluid
#ifdef TENSION
#import nearwater::equation_of_state::{bearable, share_within}
#import nearwater::tension::{LOST, share_without_clumping}
#endif

struct DfsphParameters {
    share: f32,
    relaxation: f32,
    warm_start: f32,
    divergence_tolerance: f32,
    density_tolerance: f32,
    least_iterations: u32,
    most_iterations: u32,
    xsph: f32,
    evenness: f32,
    spread: f32,
}

@group(1) @binding(8) var<uniform> dfsph: DfsphParameters;

// The pressure terms (pressure / density², m⁵/(kg s²)) of a particle.
struct Terms {
    // Of the divergence-free solver, which changes velocities.
    divergence: f32,
    // Of the constant-density solver, which shifts positions.
    density: f32,
}

// What the iterations keep for a particle.
struct Solution {
    // Pressure term, m⁵/(kg s²), by which an error of 1 is corrected: the factor alpha; 0 for particles that are not
    // fluid.
    factor: f32,
    // Pressure term of the divergence-free solver before the last iteration, m⁵/(kg s²).
    previous: f32,
    // Excess of the density over the rest density, as a fraction of the rest density.
    excess: f32,
    // Error of the last iteration, as a fraction of the rest density: the increase of the density in a step by the
    // velocities beyond the allowed one and that for even pressures. A decrease, which is negative, counts as far as
    // there is pressure to be taken back, and as far as the particle can bear tension.
    error: f32,
    // Share of the unevenness of the pressures that a correction takes away.
    evenness: f32,
}

// The state of the iterations.
struct Control {
    // 1 while there are further iterations, else 0.
    is_active: u32,
    // Iterations of this step.
    iterations: u32,
    // Pressure term that all fluid particles have at least, m⁵/(kg s²), at the end of the iterations. It is 0 where
    // there is a free surface.
    shared_term: f32,
}

// Particles whose density is below the rest density by more than this fraction are at a free surface or in the air.
const LOOSE: f32 = 0.06;

// By how much the velocities may increase the density of a particle in a step, as a fraction of the rest density: gaps
// in spray may close. Within the water they may not, whatever the density is, because a pressure that depends on the
// density makes deep water restless; dfsph/mod.rs gives the reason.
fn allowed_increase(excess: f32) -> f32 {
    return max(-excess - LOOSE, 0.0);
}

// How often a neighbor counts for the rate of a density. A particle of a solid moves as the mirror image of the fluid
// particle does, away from the surface as fast as that one comes, as it mirrors its pressure (`mirrored`): the relative
// velocity is twice that to the solid, and what it measures is what the pressure answers. Counted once, every second
// layer of the water could flow into a solid, the first one included, without any rate (docs/VALIDATION.md).
fn mirrored_count(is_of_solid: bool) -> f32 {
    return select(1.0, 2.0, is_of_solid);
}

// How much larger than the tolerance the mean decrease of densities under pressure may be; dfsph/mod.rs gives the
// reason.
const DECREASE_ALLOWED: f32 = 3.0;

#ifdef TENSION
// The share by which a particle is within the water and bears tension.
fn within(excess: f32) -> f32 {
    return share_within(1.0 + excess, 1.0);
}

// The largest tension as a pressure term, m⁵/(kg s²).
fn most_tension(excess: f32) -> f32 {
    let density = fluid.rest_density * (1.0 + excess);
    return fluid.most_tension * fluid.pressure_scale / (density * density);
}
#endif

// The share of its pressure terms that is left to a pair.
fn share_left(pressure: f32, q: f32) -> f32 {
#ifdef TENSION
    return share_without_clumping(pressure, q, LOST);
#else
    return 1.0;
#endif
}

// A pressure term as far as a particle with this excess of the density can bear it.
fn borne(pressure_term: f32, excess: f32) -> f32 {
#ifdef TENSION
    return bearable(pressure_term, within(excess), most_tension(excess));
#else
    return max(pressure_term, 0.0);
#endif
}

// By how much the pressure term of a particle's image exceeds its own: the hydrostatic difference to its place, m⁵/(kg
// s²). `away` is the way from the particle to its image. It is at most the pressure itself, so that water without
// pressure is not pushed.
fn deeper(pressure_term: f32, away: vec3<f32>) -> f32 {
    let difference = fluid.pressure_scale * dot(fluid.gravity, away) / fluid.rest_density;
    let most = max(pressure_term, 0.0);
    return clamp(difference, -most, most);
}

// The pressure terms of a pair of fluid and solid: the particle of the solid has the pressure of the fluid's, and the
// hydrostatic difference to its place (Adami, Hu and Adams 2012, equation 27, for each pair). `away` is the way from
// the fluid particle to that of the solid.
fn mirrored(pressure_term: f32, away: vec3<f32>) -> f32 {
    return 2.0 * pressure_term + deeper(pressure_term, away);
}
