// The cohesion force, which produces surface tension; cohesion.rs explains it and derives its strength.
#define_import_path nearwater::cohesion

// The cohesion spline at q = distance / support radius, divided by q: multiplied by the offset over the support
// radius it gives a vector with the length of the spline. Attraction is positive. Finite at q = 0, where the offset
// is zero.
fn cohesion_over_q(q: f32) -> f32 {
    let w = max(1.0 - q, 0.0) * q;
    let bump = 64.0 * w * w * w;
    return select(2.0 * bump - 1.0, bump, q > 0.5) / max(q, 1e-3);
}
