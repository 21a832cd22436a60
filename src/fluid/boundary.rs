//! Flat walls without particles. Behind a wall the fluid is thought to go on at rest density; the share of a
//! particle's kernel that lies there depends on the distance to the wall alone, and is known in closed form.
//!
//! With q the distance in support radii and W = normalisation · shape, the kernel's integral over the plane at q is
//! A(q) = 2π · normalisation · R² ∫ₖ shape(t) t dt over t from q to 1 (planes cut the ball in rings: ρ dρ = r dr), and
//! the share behind the plane is λ(q) = ∫ A over q to 1. The polynomials below are these integrals in three
//! dimensions; the tests hold them against quadrature.

use super::SmoothingKernel;

/// λ(q): the share of a kernel behind a flat wall q support radii away, from 1/2 at the wall to 0 at 1.
pub fn fraction_behind_wall(kernel: SmoothingKernel, q: f64) -> f64 {
    let q = q.clamp(0.0, 1.0);
    let w = 1.0 - q;
    match kernel {
        SmoothingKernel::Poly6 => {
            let s = q * q;
            let polynomial = 1.0 + s * (-4.0 / 3.0 + s * (6.0 / 5.0 + s * (-4.0 / 7.0 + s / 9.0)));
            0.5 - 315.0 / 256.0 * q * polynomial
        }
        SmoothingKernel::CubicSpline if q <= 0.5 => 0.5 - q * (1.4 + q * q * (-8.0 / 3.0 + q * q * (4.8 - 3.2 * q))),
        SmoothingKernel::CubicSpline => w.powi(5) * (1.6 - 16.0 / 15.0 * w),
        SmoothingKernel::WendlandC2 => w.powi(6) * (3.5 + w * (1.5 * w - 4.5)),
    }
}

/// A(q) = −dλ/dq: a kernel's integral over the plane q support radii away, times the support radius.
pub fn planar_integral(kernel: SmoothingKernel, q: f64) -> f64 {
    let q = q.clamp(0.0, 1.0);
    let w = 1.0 - q;
    match kernel {
        SmoothingKernel::Poly6 => 315.0 / 256.0 * (1.0 - q * q).powi(4),
        SmoothingKernel::CubicSpline if q <= 0.5 => 1.4 + q * q * (-8.0 + q * q * (24.0 - 19.2 * q)),
        SmoothingKernel::CubicSpline => w.powi(4) * (8.0 - 6.4 * w),
        SmoothingKernel::WendlandC2 => w.powi(5) * (21.0 + w * (12.0 * w - 31.5)),
    }
}

/// What λ is multiplied with so that a lattice particle half a spacing from a wall reads exactly the rest density:
/// the lattice's missing half is a sum over few layers, which differs from the integral. For Wendland C2 0.72 at a
/// ratio of 2, 0.81 at 2.2 and 0.87 at 2.4; nearer to 1 for the other kernels and larger ratios.
pub(super) fn wall_factor(kernel: SmoothingKernel, radius_ratio: f64) -> f64 {
    let missing = kernel.lattice_sum_behind(radius_ratio) / kernel.lattice_sum(super::Dimensions::Three, radius_ratio);
    missing / fraction_behind_wall(kernel, 0.5 / radius_ratio)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{fraction_behind_wall, planar_integral, wall_factor};
    use crate::fluid::{Dimensions, SmoothingKernel};

    fn integrate(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
        const STEPS: i32 = 4_000;
        let width = (to - from) / f64::from(STEPS);
        (0..STEPS).map(|i| width * function(from + width * (f64::from(i) + 0.5))).sum()
    }

    #[test]
    fn the_closed_forms_are_the_integrals() {
        for kernel in SmoothingKernel::ALL {
            for i in 0..=20 {
                let q = f64::from(i) / 20.0;
                let norm = kernel.normalisation(Dimensions::Three, 1.0);
                let plane = 2.0 * PI * norm * integrate(q, 1.0, |t| kernel.shape(t) * t);
                let behind = integrate(q, 1.0, |s| planar_integral(kernel, s));
                // The midpoint rule with 4,000 steps is good to 1e-7.
                assert!((planar_integral(kernel, q) - plane).abs() < 1e-6, "{kernel:?} A({q})");
                assert!((fraction_behind_wall(kernel, q) - behind).abs() < 1e-6, "{kernel:?} lambda({q})");
            }
            assert!((fraction_behind_wall(kernel, 0.0) - 0.5).abs() < 1e-12);
        }
    }

    /// Figures of PHYSICS.md section 4, checked there to five digits.
    #[test]
    fn the_closed_forms_give_the_published_figures() {
        let lambda = fraction_behind_wall;
        assert!((lambda(SmoothingKernel::Poly6, 0.25) - 0.21662).abs() < 1e-5);
        assert!((lambda(SmoothingKernel::Poly6, 0.5) - 0.04893).abs() < 1e-5);
        assert!((lambda(SmoothingKernel::WendlandC2, 0.25) - 0.17242).abs() < 1e-5);
        assert!((lambda(SmoothingKernel::WendlandC2, 0.5) - 0.02539).abs() < 1e-5);
    }

    #[test]
    fn the_wall_factor_tends_to_one_as_the_lattice_grows_dense() {
        for kernel in SmoothingKernel::ALL {
            let factors = [1.5, 1.8, 2.0, 2.2, 2.4, 2.6, 3.0, 4.0].map(|ratio| wall_factor(kernel, ratio));
            assert!(factors.is_sorted() && factors[0] > 0.3 && factors[7] < 1.0, "{kernel:?}: {factors:?}");
            // A sum over ten layers each way is an integral to a part in a thousand or so.
            assert!((wall_factor(kernel, 10.0) - 1.0).abs() < 5e-3, "{kernel:?}");
        }
    }
}
