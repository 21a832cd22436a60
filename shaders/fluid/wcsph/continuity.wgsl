// Parameters of densities that are integrated in time, as described in continuity.rs. The struct of the same name
// there documents the fields.
#define_import_path nearwater::continuity

struct ContinuityParameters {
    diffusion: f32,
    compressibility: f32,
    tension_from: f32,
    tension_whole: f32,
    settling: f32,
    surface_settling: f32,
    steepest: f32,
    padding_x: u32,
}

@group(1) @binding(3) var<uniform> continuity: ContinuityParameters;

// The share of a particle's summed density that a flat free surface leaves, from the gradient of the color times the
// support radius over that density, which both shrink alike where particles lie loosely. On the surface itself the
// share is a half and the gradient the steepest. The power is within 0.02 of the integrals of all smoothing kernels in
// two and three dimensions.
fn covered_share(steepness: f32) -> f32 {
    let relative = clamp(steepness / continuity.steepest, 1e-6, 1.0);
    return 1.0 - 0.5 * pow(relative, 1.15);
}
