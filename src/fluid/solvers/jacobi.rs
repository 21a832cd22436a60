//! The stability of simultaneous (Jacobi) corrections of densities, and the speed of sound that they amount to. Solvers
//! that correct densities iteratively derive the factor on each correction and the length of their steps from it.
//!
//! On a lattice whose constraints are violated by a wave, the response of a correction is proportional to the square
//! of the kernel's gradient in that wave, g(k) = Σ ∇W sin(k · r), while the multipliers divide by its mean over all
//! waves, Σ |∇W|². Waves for which the square is more than twice the mean are amplified, with the opposite sign. Each
//! correction is therefore multiplied by the share at which the largest response is still stable (Y. Saad, Iterative
//! methods for sparse linear systems, 2003, section 4.2.1, on the damped Jacobi method): 0.91 in two and 0.66 in
//! three dimensions at the default radius ratio of 2.2, and 0.32 in three dimensions at 3.
//!
//! The longer a wave, the smaller the fraction of it that is corrected: share · k² · (first moment)² / Σ |∇W|². A
//! fluid with a finite speed of sound responds in the same way: with n corrections per step, c = √n · `sound` ·
//! radius / step, where `sound` is 0.62 for Wendland's kernel at any radius ratio. The compression under its own
//! weight is that of such a fluid, so it depends on the time step: for the same work, half the time step reduces it
//! to a quarter, and twice the number of corrections to a half (M. Macklin et al., Small steps in physics simulation,
//! SCA 2019).

use crate::fluid::smoothing_kernel::{Dimensions, SmoothingKernel};

/// Number of sampled waves along each axis, up to the shortest that a lattice can represent.
const WAVES: i32 = 12;

/// Properties of a lattice under Jacobi corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fluid) struct Jacobi {
    /// Factor on each correction; at most 1.
    pub share: f64,
    /// Speed of sound times the time step, support radii, with one correction per step.
    pub sound: f64,
}

impl Jacobi {
    /// The properties of a lattice with this kernel and this ratio of support radius to spacing.
    pub(in crate::fluid) fn new(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> Self {
        let neighbors: Vec<_> = kernel.lattice_gradients(dimensions, radius_ratio).collect();
        let squares: f64 = neighbors.iter().map(|(place, slope)| slope.powi(2) * f64::from(dot(*place, *place))).sum();
        let moment: f64 = neighbors.iter().map(|([x, ..], slope)| -slope * f64::from(x * x)).sum();
        let depth = if dimensions == Dimensions::Two { 0 } else { WAVES };
        // By symmetry it suffices to sample the waves with x >= y >= z >= 0.
        let waves = (0..=WAVES).flat_map(|x| (0..=x).flat_map(move |y| (0..=y.min(depth)).map(move |z| [x, y, z])));
        let answer = |wave: [i32; 3]| {
            let mut gradient = [0.0; 3];
            for (place, slope) in &neighbors {
                let sine = (f64::from(dot(*place, wave)) * std::f64::consts::PI / f64::from(WAVES)).sin();
                for (sum, along) in gradient.iter_mut().zip(place) {
                    *sum += slope * sine * f64::from(*along);
                }
            }
            gradient.iter().map(|along| along * along).sum::<f64>()
        };
        let largest = waves.map(answer).fold(0.0, f64::max);
        let share = (2.0 * squares / largest).min(1.0);
        Self { share, sound: moment * (share / squares).sqrt() / radius_ratio }
    }
}

fn dot(a: [i32; 3], b: [i32; 3]) -> i32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::Jacobi;
    use crate::fluid::{Dimensions, SmoothingKernel};

    #[test]
    fn the_share_decreases_with_the_number_of_neighbors_and_the_speed_of_sound_does_not() {
        for kernel in SmoothingKernel::ALL {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                let all = [2.0, 2.2, 2.4, 2.6, 3.0, 3.5, 4.0].map(|ratio| Jacobi::new(kernel, dimensions, ratio));
                let name = format!("{kernel:?} {dimensions:?}: {all:?}");
                assert!(all.is_sorted_by(|a, b| a.share > b.share), "{name}");
                assert!(all.iter().all(|jacobi| (0.55..0.8).contains(&jacobi.sound)), "{name}");
            }
        }
    }

    #[test]
    fn the_largest_response_is_stable() {
        // Figures of an independent program, with four times as many waves.
        for (dimensions, ratio, largest, sound) in [
            (Dimensions::Two, 2.2, 2.202, 0.667),
            (Dimensions::Two, 3.0, 3.334, 0.809),
            (Dimensions::Three, 2.2, 3.030, 0.766),
            (Dimensions::Three, 4.0, 14.303, 1.630),
        ] {
            let jacobi = Jacobi::new(SmoothingKernel::WendlandC2, dimensions, ratio);
            // Between the sampled waves the response is slightly larger.
            assert!((jacobi.share * largest / 2.0 - 1.0).abs() < 0.02, "{dimensions:?} {ratio}: {jacobi:?}");
            let expected = sound * jacobi.share.sqrt();
            assert!((jacobi.sound / expected - 1.0).abs() < 1e-3, "{dimensions:?} {ratio}: {jacobi:?}");
        }
    }
}
