// Keeps water at its distance from solids where kernels are too wide for pressure to do it (core.rs has the reasons).
// The force on the solid is opposite.
#define_import_path nearwater::core

#import nearwater::boundaries::{is_mixed, pair_weight}
#import nearwater::fluid::fluid

const STRENGTH: f32 = 0.3;

// The repulsion of a pair with these weights over its offset, 1/m: from zero at the reach to STRENGTH where the
// particles coincide. The caller multiplies it by the unit of its accelerations or displacements.
fn repulsion(a: f32, b: f32, distance_squared: f32) -> f32 {
    let nearness = 1.0 - sqrt(distance_squared) * fluid.inverse_core;
    let over_distance = inverseSqrt(max(distance_squared, 1e-24));
    let whole = STRENGTH * pair_weight(a, b) * nearness * over_distance;
    return select(0.0, whole, nearness > 0.0 && is_mixed(a, b));
}
