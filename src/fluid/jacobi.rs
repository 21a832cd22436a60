//! How far corrections made all at once may go, and how fast they carry sound: what decides on PBF's steps.
//!
//! On a lattice whose constraints are off by a wave, a correction answers with the square of the kernel's gradient in
//! that wave, g(k) = Σ ∇W sin(k · r), while the multipliers divide by its mean over all waves, Σ |∇W|². Waves for which
//! the square is more than twice the mean come back larger, with the other sign. So each correction is made only by
//! the share that the largest wave bears (Y. Saad, Iterative methods for sparse linear systems, 2003, section 4.2.1, on
//! the damped Jacobi method): 0.91 in a plane and 0.66 in space at the usual radius ratio of 2.2, 0.32 in space at 3.
//!
//! Long waves are corrected the less the longer they are, by share · k² · (first moment)² / Σ |∇W|² of each. That is
//! how a fluid answers that has a speed of sound: with n corrections a step, c = √n · `sound` · radius / step, where
//! `sound` is 0.62 for Wendland's kernel whatever the radius ratio. Under its own weight it is compressed as such a fluid
//! is, so the step decides on the compression: one half as long leaves a quarter, while twice the corrections leave half,
//! for the same work (M. Macklin et al., Small steps in physics simulation, SCA 2019).

use super::{Dimensions, SmoothingKernel};

/// Waves that are tried along each axis, up to the shortest that a lattice holds.
const WAVES: i32 = 12;

/// Of a lattice under Jacobi corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jacobi {
    /// By how much of itself each correction is made; at most 1.
    pub share: f64,
    /// Speed of sound times the step, support radii, of one correction a step.
    pub sound: f64,
}

impl Jacobi {
    /// For a lattice of that kernel and support radius over spacing.
    pub(super) fn new(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> Self {
        let neighbors: Vec<_> = kernel.lattice_gradients(dimensions, radius_ratio).collect();
        let squares: f64 = neighbors.iter().map(|(place, slope)| slope.powi(2) * f64::from(dot(*place, *place))).sum();
        let moment: f64 = neighbors.iter().map(|([x, ..], slope)| -slope * f64::from(x * x)).sum();
        let depth = if dimensions == Dimensions::Two { 0 } else { WAVES };
        // By symmetry the waves with x >= y >= z >= 0 are all there are.
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
    fn the_share_falls_as_neighbors_grow_and_the_speed_of_sound_stays() {
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
    fn the_largest_wave_is_kept_from_growing() {
        // The numbers of an independent program, on four times as many waves.
        for (dimensions, ratio, largest, sound) in [
            (Dimensions::Two, 2.2, 2.202, 0.667),
            (Dimensions::Two, 3.0, 3.334, 0.809),
            (Dimensions::Three, 2.2, 3.030, 0.766),
            (Dimensions::Three, 4.0, 14.303, 1.630),
        ] {
            let jacobi = Jacobi::new(SmoothingKernel::WendlandC2, dimensions, ratio);
            // Between the waves that are tried the answer is a little larger.
            assert!((jacobi.share * largest / 2.0 - 1.0).abs() < 0.02, "{dimensions:?} {ratio}: {jacobi:?}");
            let expected = sound * jacobi.share.sqrt();
            assert!((jacobi.sound / expected - 1.0).abs() < 1e-3, "{dimensions:?} {ratio}: {jacobi:?}");
        }
    }
}
