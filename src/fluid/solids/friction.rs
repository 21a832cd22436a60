//! The viscosity with which solids hold water that does not slip along them.
//!
//! A solid is one layer of particles half a spacing below its surface, but water that does not slip is held by all that
//! would lie below the surface if the water went on there, at rest on the surface and with the opposite velocity as far
//! below it as the water is above, as the images behind the walls of the box have it (J. P. Morris, P. J. Fox and Y.
//! Zhu, Modeling low Reynolds number incompressible flows using SPH, Journal of Computational Physics 136, 1997,
//! section 3.4). So the layer holds water too weakly, and by the nearest water the most: the velocity at a distance y
//! from the surface is set against that of a particle at the distance y + half a spacing, as if the surface was there.
//!
//! The viscosity of a pair of water and solid is therefore multiplied by a function of their distance, a constant and a
//! term (1 − q)², with q the distance over the support radius. Both are chosen such that water in rows half a spacing
//! and three halves from a flat surface feels what a wall of images exerts in shear flow. The function is our own. A
//! linear one is negative at large distances, and with (1 − q)⁴, which suits the third row of wide kernels better, the
//! steps of viscous water would have to be shorter, since it holds water on the surface itself twice as strongly.

use std::f64::consts::PI;

use super::sampling::layer_weight;
use crate::fluid::viscous_weight::viscous_weight;
use crate::fluid::{Dimensions, SmoothingKernel};

/// The factor on the viscosity of a pair of water and solid: `far` + `near` · (1 − distance / support radius)².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::fluid) struct Held {
    pub(in crate::fluid) far: f64,
    pub(in crate::fluid) near: f64,
}

/// Number of parts of the integrals over a row.
const PARTS: u32 = 400;

/// The factor for solids that the water does not slip along, at a ratio of support radius to spacing.
pub(in crate::fluid) fn held_by_solids(kernel: SmoothingKernel, dimensions: Dimensions, ratio: f64) -> Held {
    let row = |distance: u32, weight: &dyn Fn(f64) -> f64| friction_of_row(dimensions, ratio, distance.into(), weight);
    let layer = layer_weight(kernel, dimensions, ratio);
    // What water in row 0 or 1 feels of a wall, divided by its velocity and by the weight of the layer of particles:
    // in shear flow the velocity relative to a row is proportional to the distance.
    let wanted = |number: u32| {
        let of_wall: f64 = (number + 1..=ratio as u32).map(|below| f64::from(below) * row(below, &|_| 1.0)).sum();
        of_wall / ((f64::from(number) + 0.5) * layer)
    };
    let sums = |distance: u32| [row(distance, &|_| 1.0), row(distance, &|q| (1.0 - q).powi(2))];
    let ([first, first_near], [second, second_near]) = (sums(1), sums(2));
    if second < 1e-6 * first {
        return Held { far: wanted(0) / first, near: 0.0 };
    }
    let determinant = first * second_near - second * first_near;
    Held {
        far: (wanted(0) * second_near - wanted(1) * first_near) / determinant,
        near: (first * wanted(1) - second * wanted(0)) / determinant,
    }
}

/// The friction along it of a row or a plane of particles one spacing apart, with unit velocity relative to a particle
/// at `distance` spacings from it: the integral of the viscous weight times another one of q times the square of the
/// cosine between offset and velocity, in units of the spacing.
fn friction_of_row(dimensions: Dimensions, ratio: f64, distance: f64, weight: impl Fn(f64) -> f64) -> f64 {
    let reach = (ratio * ratio - distance * distance).max(0.0).sqrt();
    let part = reach / f64::from(PARTS);
    let at = |number: u32| {
        let along = (f64::from(number) + 0.5) * part;
        let squared = along * along + distance * distance;
        let q = squared.sqrt() / ratio;
        // Both directions of a row, or a ring of a plane, on which the square of one component is half of the whole.
        let size = match dimensions {
            Dimensions::Two => 2.0,
            Dimensions::Three => PI * along,
        };
        size * part * viscous_weight(q) * weight(q) * along * along / squared
    };
    (0..PARTS).map(at).sum()
}

#[cfg(test)]
mod tests {
    use super::{friction_of_row, held_by_solids};
    use crate::fluid::{Dimensions, SmoothingKernel};

    #[test]
    fn factors_are_those_of_a_separate_program() {
        let table = [
            (Dimensions::Two, 2.2, 1.314, 5.014),
            (Dimensions::Two, 2.6, 1.176, 5.337),
            (Dimensions::Two, 4.0, 0.253, 8.170),
            (Dimensions::Three, 2.2, 1.314, 6.311),
            (Dimensions::Three, 3.0, 0.923, 8.039),
        ];
        for (dimensions, ratio, far, near) in table {
            let held = held_by_solids(SmoothingKernel::WendlandC2, dimensions, ratio);
            let off = (held.far - far).abs().max((held.near - near).abs());
            assert!(off < 0.02, "{dimensions:?}, {ratio}: {held:?}");
        }
    }

    #[test]
    fn narrow_kernels_reach_one_row_only_and_no_factor_is_out_of_bounds() {
        for kernel in SmoothingKernel::ALL {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                for ratio in [1.5, 1.9, 2.0, 2.01, 2.05, 2.5, 4.0] {
                    let held = held_by_solids(kernel, dimensions, ratio);
                    let is_sensible = (0.0..2.5).contains(&held.far) && (0.0..14.0).contains(&held.near);
                    assert!(is_sensible, "{kernel:?}, {dimensions:?}, {ratio}: {held:?}");
                }
            }
        }
        assert!(friction_of_row(Dimensions::Two, 1.9, 2.0, |_| 1.0) < f64::EPSILON);
    }
}
