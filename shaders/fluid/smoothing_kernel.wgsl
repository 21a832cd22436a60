// The smoothing kernels of `fluid::SmoothingKernel`, without their normalization, as functions of q = distance /
// support radius. A definition selects one: POLY6, CUBIC_SPLINE or WENDLAND_C2. Formulas and sources are in
// smoothing_kernel.rs.
#define_import_path nearwater::smoothing_kernel

// W / normalization; zero for q >= 1.
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

// shape'(q) / q, never positive: the gradient is this times normalization / radius² times the offset. The division by
// q is done in the formula rather than in the shader, so that two coincident particles exert no force on each other
// instead of producing NaN.
fn slope_over_q(q: f32) -> f32 {
#ifdef POLY6
    let w = max(1.0 - q * q, 0.0);
    return -6.0 * w * w;
#endif
#ifdef CUBIC_SPLINE
    let w = max(1.0 - q, 0.0);
    // The outer branch is also evaluated for small q, so its divisor has a lower bound.
    return select(-6.0 * w * w / max(q, 0.5), 6.0 * (3.0 * q - 2.0), q <= 0.5);
#endif
#ifdef WENDLAND_C2
    let w = max(1.0 - q, 0.0);
    return -20.0 * w * w * w;
#endif
}
