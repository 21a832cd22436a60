//! The weight of a neighbor in the physical viscosity, which is not the slope of the smoothing kernel.
//!
//! Viscosity along the offset of each pair (J. J. Monaghan, Smoothed particle hydrodynamics, Reports on Progress in
//! Physics 68, 2005, section 4) depends on the fourth moments of the neighbors' offsets. In the lattice that water
//! starts in, and returns to along walls, the moments with the slope of Wendland's C2 kernel are not those of a
//! continuum: at a radius ratio of 2.2 in two dimensions, shear along the rows meets 0.69 of the viscosity that was
//! asked for, and along the diagonals 1.26 of it, because few neighbors have any weight. (1 − q)^(3/2) decreases more
//! slowly, so that the outer neighbors, which lie in more directions, count for more: the shares are 0.84 and 1.00,
//! and at 2.6, 3 and 4 at most 12 % from 1. In water without order both weights are even in all directions, and the
//! mean of this one is within 1 % of the continuum's, where that of the slope is 2 to 6 % too small (measured on
//! particles of a sheared box, docs/VALIDATION.md). The exponent is our own choice, from the sums for 1 to 3.

use std::f64::consts::PI;

use super::material::Material;
use super::smoothing_kernel::Dimensions;

/// The weight at q = distance / support radius; zero for q ≥ 1. `viscous_push` in shaders/fluid/viscosity.wgsl is the
/// same.
pub(crate) fn viscous_weight(q: f64) -> f64 {
    (1.0 - q).max(0.0).powf(1.5)
}

/// The factor on the weight with which the viscosity of a continuum is the given one, 1/m⁴ in two dimensions and 1/m⁵
/// in three: its integral times the square of the distance is the number of dimensions, as it is for −∂W/∂r / r.
pub(crate) fn viscous_normalization(dimensions: Dimensions, support_radius: f64) -> f64 {
    let (count, directions) = match dimensions {
        Dimensions::Two => (2_i32, 2.0 * PI),
        Dimensions::Three => (3, 4.0 * PI),
    };
    // The integral of q^(d+1) (1 − q)^(3/2) from 0 to 1 is the beta function of d + 2 and 5/2.
    let integral: f64 = (0..=count + 1).map(|k| f64::from(k.max(1)) / (2.5 + f64::from(k))).product();
    f64::from(count) / (directions * integral * support_radius.powi(count + 2))
}

/// The strength of a kinematic viscosity of 1 m²/s in the forces of pairs of particles with this mass, kg, in two
/// dimensions kg/m; kg s/m⁵.
pub(crate) fn viscous_strength(dimensions: Dimensions, mass: f64, support_radius: f64) -> f64 {
    4.0 * (dimensions.count() + 2.0) * mass * viscous_normalization(dimensions, support_radius)
}

/// The strength of the artificial viscosity, 2 α c h, m²/s.
pub(crate) fn approach_strength(material: &Material, sound_speed: f64, support_radius: f64) -> f64 {
    f64::from(material.viscosity) * sound_speed * support_radius
}

/// What is added to the squared distance by which the artificial viscosity is divided, squares of the support radius.
pub(crate) const FLOOR: f64 = 0.0025;

#[cfg(test)]
mod tests {
    use super::{viscous_normalization, viscous_weight};
    use crate::fluid::{Dimensions, SmoothingKernel};

    /// The largest errors of the viscosity in shear along the rows of a lattice and along its diagonals, with a weight
    /// per offset, 1/m^(d+2), at a spacing of 1 m.
    fn errors(dimensions: Dimensions, ratio: f64, weight: impl Fn(f64) -> f64) -> [f64; 2] {
        let neighbors = SmoothingKernel::WendlandC2.lattice_gradients(dimensions, ratio);
        let (mut rows, mut straight) = (0.0, 0.0);
        for ([x, y, z], _) in neighbors {
            let squared = f64::from(x * x + y * y + z * z);
            let weight = weight(squared.sqrt() / ratio) / squared;
            rows += weight * f64::from(x * x * y * y);
            straight += weight * f64::from(x * x * x * x);
        }
        // In a continuum the first moment is 1 / (d + 2), and the second three times that.
        let whole = dimensions.count() + 2.0;
        [whole * rows - 1.0, 0.5 * whole * (straight - rows) - 1.0]
    }

    #[test]
    fn viscosity_in_a_lattice_is_nearly_the_same_in_all_directions() {
        let kernel = SmoothingKernel::WendlandC2;
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            for (ratio, allowed) in [(2.2, 0.165), (2.6, 0.125), (3.0, 0.04), (4.0, 0.015), (10.0, 0.002)] {
                let scale = viscous_normalization(dimensions, ratio);
                let ours = errors(dimensions, ratio, |q| scale * viscous_weight(q));
                assert!(ours.iter().all(|error| error.abs() < allowed), "{dimensions:?}, {ratio}: {ours:?}");
                let slope = -kernel.normalization(dimensions, ratio) / ratio.powi(2);
                let before = errors(dimensions, ratio, |q| slope * kernel.slope_over_q(q));
                assert!(ours[1] - ours[0] < before[1] - before[0], "{dimensions:?}, {ratio}: {before:?}");
            }
        }
    }
}
