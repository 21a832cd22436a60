//! What the Explain panel shows of a smoothing kernel besides its plots: formulas, source, properties.

use super::SmoothingKernel;

/// The formulas and properties of a smoothing kernel, with q = |x| / R and the support radius R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelExplanation {
    /// Authors, year and publication.
    pub source: &'static str,
    /// What the kernel is, and what it is good for, in three sentences.
    pub sentences: [&'static str; 3],
    /// W for each range of q.
    pub value: &'static [&'static str],
    /// The derivative of W with respect to the distance, for each range of q.
    pub derivative: &'static [&'static str],
    /// The factor σ that makes the integral 1, in two dimensions and in three.
    pub normalization: [&'static str; 2],
}

impl SmoothingKernel {
    /// The formulas and properties of the kernel.
    pub fn explanation(self) -> KernelExplanation {
        match self {
            Self::Poly6 => KernelExplanation {
                source: "M. Müller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive \
                         applications, SCA 2003, equation 20",
                sentences: [
                    "The polynomial contains only even powers of the distance, so that no square root is needed.",
                    "It is flat at the center, where its gradient vanishes.",
                    "Close particles therefore hardly repel each other and tend to form clusters.",
                ],
                value: &["W = σ (1 − q²)³"],
                derivative: &["dW/dr = −6 σ/R q (1 − q²)²"],
                normalization: ["4 / (π R²)", "315 / (64 π R³)"],
            },
            Self::CubicSpline => KernelExplanation {
                source: "J. J. Monaghan, J. C. Lattanzio, A refined particle method for astrophysical problems, \
                         Astronomy and Astrophysics 149, 1985",
                sentences: [
                    "The B-spline M4 consists of two cubic pieces that meet at half the support radius.",
                    "It approximates a Gaussian with a finite support, and most papers on SPH use it.",
                    "Its gradient is steepest at a third of the support radius, and closer particles tend to pair up \
                     under pressure.",
                ],
                value: &["W = σ (6 q² (q − 1) + 1)    q ≤ ½", "W = 2 σ (1 − q)³            q > ½"],
                derivative: &["dW/dr = 6 σ/R q (3 q − 2)    q ≤ ½", "dW/dr = −6 σ/R (1 − q)²      q > ½"],
                normalization: ["40 / (7 π R²)", "8 / (π R³)"],
            },
            Self::WendlandC2 => KernelExplanation {
                source: "H. Wendland, Piecewise polynomial, positive definite and compactly supported radial functions \
                         of minimal degree, Advances in Computational Mathematics 4, 1995",
                sentences: [
                    "The polynomial of lowest degree that is positive definite in three dimensions and twice \
                     continuously differentiable.",
                    "Its Fourier transform is positive everywhere, so that particles do not pair up, whatever the number \
                     of neighbors (Dehnen and Aly 2012).",
                    "Its gradient is steepest at a quarter of the support radius.",
                ],
                value: &["W = σ (1 − q)⁴ (4 q + 1)"],
                derivative: &["dW/dr = −20 σ/R q (1 − q)³"],
                normalization: ["7 / (π R²)", "21 / (2 π R³)"],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use crate::fluid::{Dimensions, SmoothingKernel};

    /// The written formulas, computed once more here; the texts beside them are those of the table above.
    #[test]
    fn the_written_formulas_are_those_that_are_computed() {
        let radius = 0.3_f64;
        for kernel in SmoothingKernel::ALL {
            let texts = kernel.explanation();
            let (two, three) = match kernel {
                SmoothingKernel::Poly6 => (4.0 / PI, 315.0 / (64.0 * PI)),
                SmoothingKernel::CubicSpline => (40.0 / (7.0 * PI), 8.0 / PI),
                SmoothingKernel::WendlandC2 => (7.0 / PI, 21.0 / (2.0 * PI)),
            };
            let normal = |dimensions| kernel.normalization(dimensions, radius);
            assert!((normal(Dimensions::Two) * radius.powi(2) / two - 1.0).abs() < 1e-12, "{texts:?}");
            assert!((normal(Dimensions::Three) * radius.powi(3) / three - 1.0).abs() < 1e-12, "{texts:?}");
            for q in [0.1_f64, 0.4, 0.6, 0.9] {
                let (shape, slope) = match kernel {
                    SmoothingKernel::Poly6 => ((1.0 - q * q).powi(3), -6.0 * q * (1.0 - q * q).powi(2)),
                    SmoothingKernel::CubicSpline if q <= 0.5 => {
                        (6.0 * q * q * (q - 1.0) + 1.0, 6.0 * q * (3.0 * q - 2.0))
                    }
                    SmoothingKernel::CubicSpline => (2.0 * (1.0 - q).powi(3), -6.0 * (1.0 - q).powi(2)),
                    SmoothingKernel::WendlandC2 => ((1.0 - q).powi(4) * (4.0 * q + 1.0), -20.0 * q * (1.0 - q).powi(3)),
                };
                let value = kernel.value(Dimensions::Three, radius, q * radius);
                let derivative = kernel.derivative(Dimensions::Three, radius, q * radius);
                assert!((value / (normal(Dimensions::Three) * shape) - 1.0).abs() < 1e-9, "{kernel:?} at {q}");
                let expected = normal(Dimensions::Three) / radius * slope;
                assert!((derivative / expected - 1.0).abs() < 1e-9, "{kernel:?} at {q}");
            }
        }
    }

    #[test]
    fn the_gradient_is_steepest_where_the_sentences_say() {
        let steepest = |kernel: SmoothingKernel| {
            let slope = |place: &u32| kernel.derivative(Dimensions::Three, 1.0, f64::from(*place) / 1_200.0);
            let place = (1..1_200).min_by(|one, other| slope(one).total_cmp(&slope(other)));
            f64::from(place.expect("places")) / 1_200.0
        };
        assert!((steepest(SmoothingKernel::CubicSpline) - 1.0 / 3.0).abs() < 2e-3);
        assert!((steepest(SmoothingKernel::WendlandC2) - 0.25).abs() < 2e-3);
    }
}
