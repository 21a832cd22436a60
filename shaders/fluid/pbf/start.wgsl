// Where the pairs of PBF were at the start of a step. A pair is corrected along its gradient there, as the bonds of
// SHAKE are (J.-P. Ryckaert, G. Ciccotti and H. J. C. Berendsen, Journal of Computational Physics 23, 1977): the step
// then takes nothing from waves and rotations, and keeps angular momentum. Gradients at the places to which a step
// leads make it an implicit Euler step, which damps an oscillation of angular frequency ω at the rate ω² Δt / 2.
//
// A pair that moves by much of the support radius in a step is corrected along its gradient at the moment. Its gradient
// at the start says little about where it is, and corrections along it throw water about where steps are too long.
#define_import_path nearwater::pbf_start

#import nearwater::fluid::fluid
#import nearwater::images::reflected

// Relative motion of a pair in a step, support radii, up to which its gradient at the start counts alone. From twice as
// much it does not count.
const NEAR: f32 = 0.05;

// The place of a particle at the start of the step, m, from its prediction and the velocity that led there.
fn place_at_start(predicted: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
    return predicted - fluid.time_step * velocity;
}

// The offset that particle a had from the image of b at the start, m, from the present one and how far both have moved
// since.
fn image_at_start(now: vec3<f32>, moved_a: vec3<f32>, moved_b: vec3<f32>, mirrored: vec3<bool>) -> vec3<f32> {
    return now - moved_a + reflected(moved_b, mirrored);
}

// The share by which the gradient at the start counts, for a pair with this offset then and now.
fn share_of_start(start: vec3<f32>, now: vec3<f32>) -> f32 {
    return clamp(2.0 - length(now - start) * fluid.inverse_radius / NEAR, 0.0, 1.0);
}
