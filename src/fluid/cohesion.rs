//! Surface tension by a force between pairs: fluid particles attract each other at larger distances and repel each
//! other at short ones, as molecules do. The forces cancel inside the fluid; at the surface the remainder acts as a
//! surface tension.
//!
//! The force's shape over q = distance / support radius is the cohesion spline of N. Akinci, G. Akinci and M.
//! Teschner, Versatile surface tension and adhesion for SPH fluids, ACM Transactions on Graphics 32 (2013), equation
//! 2. Its strength follows from the desired tension: cutting a fluid of number density n with a pair force f takes
//! the energy σ = π/8 n² ∫ r⁴ f dr per area of the cut, in two dimensions n²/3 ∫ r³ f dr per length (Kirkwood and
//! Buff 1949; A. Tartakovsky and A. Panchenko 2016 for SPH). So σ is in N/m, whereas the paper's γ has no unit, and
//! it means the same at every resolution. A force along the line between two particles conserves linear and angular
//! momentum, which the paper's second term, on normals, does not; that term is left out.

use std::f64::consts::PI;

use super::{Dimensions, Resolution, Scene};

/// The cohesion spline: attraction is positive; its maximum is 1 at q = ½, and it is zero for q ≥ 1.
pub(crate) fn spline(q: f64) -> f64 {
    let bump = ((1.0 - q).max(0.0) * q).powi(3);
    if q > 0.5 { 64.0 * bump } else { 128.0 * bump - 1.0 }
}

/// The factor by which the spline gives the acceleration of one particle by another, m/s².
pub(crate) fn cohesion_strength(scene: &Scene, resolution: &Resolution) -> f64 {
    let tension = f64::from(scene.material.surface_tension);
    let radius = f64::from(resolution.support_radius);
    let density = f64::from(scene.material.rest_density);
    // σ = factor · ρ² R^power · strength / mass · the spline's moment.
    let (factor, power) = match scene.dimensions {
        Dimensions::Two => (1.0 / 3.0, 3),
        Dimensions::Three => (PI / 8.0, 4),
    };
    let moment = moment(power);
    tension * f64::from(resolution.particle_mass) / (factor * density * density * radius.powi(power + 1) * moment)
}

/// ∫ q^power spline(q) dq over 0 to 1.
fn moment(power: i32) -> f64 {
    const STEPS: u32 = 2_000;
    let middles = (0..STEPS).map(|step| (f64::from(step) + 0.5) / f64::from(STEPS));
    middles.map(|q| q.powi(power) * spline(q)).sum::<f64>() / f64::from(STEPS)
}

#[cfg(test)]
mod tests {
    use super::{moment, spline};

    #[test]
    fn the_spline_attracts_at_larger_distances_and_repels_at_short_ones() {
        assert!((spline(0.5) - 1.0).abs() < 1e-12 && (spline(0.5 + 1e-9) - 1.0).abs() < 1e-6);
        assert!((spline(0.0) + 1.0).abs() < 1e-12 && spline(1.0) == 0.0 && spline(0.8) > 0.0);
    }

    #[test]
    fn the_moments_are_the_integrals() {
        // The exact integrals, with beta functions: 64 B(power + 4, 4) over the whole interval, plus the correction
        // of the inner half's other branch.
        let inner = |power: i32| {
            let terms = [(1.0, 3), (-3.0, 4), (3.0, 5), (-1.0, 6)];
            let polynomial: f64 = terms
                .iter()
                .map(|&(factor, more)| factor * 0.5_f64.powi(power + more + 1) / f64::from(power + more + 1))
                .sum();
            64.0 * polynomial - 0.5_f64.powi(power + 1) / f64::from(power + 1)
        };
        let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
        for power in [3, 4] {
            let whole = 64.0 * factorial(power + 3) * factorial(3) / factorial(power + 7);
            // The midpoint rule with 2,000 steps.
            assert!((moment(power) - whole - inner(power)).abs() < 1e-6, "power {power}");
        }
    }
}
