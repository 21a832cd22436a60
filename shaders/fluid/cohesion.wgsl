// The force that surface tension is made of; cohesion.rs says why and how strong.
#define_import_path nearwater::cohesion

// The cohesion spline over q = distance / support radius, divided by q: times the offset it is a vector of the spline's
// length. Attraction is positive. Finite at q = 0, where the offset is zero.
fn cohesion_over_q(q: f32) -> f32 {
    let w = max(1.0 - q, 0.0) * q;
    let bump = 64.0 * w * w * w;
    return select(2.0 * bump - 1.0, bump, q > 0.5) / max(q, 1e-3);
}
