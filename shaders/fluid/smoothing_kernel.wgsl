// The smoothing kernels of `fluid::SmoothingKernel`, without their normalisation, over q = distance / support radius.
// A definition picks one: POLY6, CUBIC_SPLINE or WENDLAND_C2. Formulas and sources stand in smoothing_kernel.rs.
#define_import_path nearwater::smoothing_kernel

// W / normalisation; zero from q = 1 on.
fn shape(q: f32) -> f32 {
#ifdef POLY6
    let w = max(1.0 - q * q, 0.0);
    return w * w * w;
#endif
#ifdef CUBIC_SPLINE
    let w = max(1.0 - q, 0.0);
    return select(2.0 * w * w * w, 6.0 * q * q * (q - 1.0) + 1.0, q <= 0.5);
#endif
#ifdef WENDLAND_C2
    let w = max(1.0 - q, 0.0);
    let w_squared = w * w;
    return w_squared * w_squared * (4.0 * q + 1.0);
#endif
}

// shape'(q) / q, never positive: the gradient is this times normalisation / radius² times the offset. Divided by q
// in the formula, not in the shader, so that two particles in one place push each other nowhere instead of to NaN.
fn slope_over_q(q: f32) -> f32 {
#ifdef POLY6
    let w = max(1.0 - q * q, 0.0);
    return -6.0 * w * w;
#endif
#ifdef CUBIC_SPLINE
    let w = max(1.0 - q, 0.0);
    // The outer branch is computed for small q too, hence the floor under its divisor.
    return select(-6.0 * w * w / max(q, 0.5), 6.0 * (3.0 * q - 2.0), q <= 0.5);
#endif
#ifdef WENDLAND_C2
    let w = max(1.0 - q, 0.0);
    return -20.0 * w * w * w;
#endif
}
