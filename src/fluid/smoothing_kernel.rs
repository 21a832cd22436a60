//! Smoothing kernels: their shapes, derivatives and normalization, and sums over a lattice.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// The number of dimensions that a kernel is normalized for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
pub enum Dimensions {
    /// Two dimensions: a plane.
    Two,
    /// Three dimensions: space.
    #[default]
    Three,
}

impl Dimensions {
    /// 2 or 3.
    pub fn count(self) -> f64 {
        match self {
            Self::Two => 2.0,
            Self::Three => 3.0,
        }
    }
}

impl TryFrom<u8> for Dimensions {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        match count {
            2 => Ok(Self::Two),
            3 => Ok(Self::Three),
            _ => Err(format!("the number of dimensions is {count}, and must be 2 or 3")),
        }
    }
}

/// The smoothing kernel W(r) = normalization · shape(q), with q = r / R and the support radius R, beyond which W is
/// zero. Formulas with a smoothing length h use h = R / 2.
///
/// ```
/// use nearwater::fluid::{Dimensions, SmoothingKernel};
///
/// let (kernel, radius) = (SmoothingKernel::WendlandC2, 0.1);
/// let shells = (0..1000).map(|shell| (f64::from(shell) + 0.5) * radius / 1000.0);
/// let value = |distance| kernel.value(Dimensions::Three, radius, distance);
/// let integral: f64 = shells.map(|r| 4.0 * std::f64::consts::PI * r * r * value(r) * radius / 1000.0).sum();
/// assert!((integral - 1.0).abs() < 1e-4);
/// assert_eq!(value(radius), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum SmoothingKernel {
    /// (1 − q²)³ (Müller, Charypar and Gross 2003, equation 20). It needs no square root, but its gradient vanishes
    /// at the center, so close particles hardly repel each other.
    Poly6,
    /// The cubic B-spline M4 (Monaghan and Lattanzio 1985), which most SPH papers use. Particles tend to pair up
    /// under pressure.
    CubicSpline,
    /// (1 − q)⁴ (4q + 1) (Wendland 1995). Its Fourier transform is positive, so particles do not pair up (Dehnen and
    /// Aly 2012).
    #[default]
    WendlandC2,
}

impl SmoothingKernel {
    /// All kernels, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::Poly6, Self::CubicSpline, Self::WendlandC2];

    /// Name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Poly6 => "Poly6",
            Self::CubicSpline => "Cubic spline",
            Self::WendlandC2 => "Wendland C2",
        }
    }

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poly6 => "poly6",
            Self::CubicSpline => "cubic_spline",
            Self::WendlandC2 => "wendland_c2",
        }
    }

    /// The definition that selects the kernel in WGSL.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Poly6 => "POLY6",
            Self::CubicSpline => "CUBIC_SPLINE",
            Self::WendlandC2 => "WENDLAND_C2",
        }
    }

    /// The factor that makes the kernel's integral 1, in 1/m² or 1/m³.
    pub fn normalization(self, dimensions: Dimensions, support_radius: f64) -> f64 {
        match (dimensions, self) {
            (Dimensions::Two, Self::Poly6) => 4.0 / (PI * support_radius.powi(2)),
            (Dimensions::Two, Self::CubicSpline) => 40.0 / (7.0 * PI * support_radius.powi(2)),
            (Dimensions::Two, Self::WendlandC2) => 7.0 / (PI * support_radius.powi(2)),
            (Dimensions::Three, Self::Poly6) => 315.0 / (64.0 * PI * support_radius.powi(3)),
            (Dimensions::Three, Self::CubicSpline) => 8.0 / (PI * support_radius.powi(3)),
            (Dimensions::Three, Self::WendlandC2) => 21.0 / (2.0 * PI * support_radius.powi(3)),
        }
    }

    /// W / normalization at q = distance / support radius; 1 at q = 0, and zero for q ≥ 1.
    pub fn shape(self, q: f64) -> f64 {
        let w = (1.0 - q).max(0.0);
        match self {
            Self::Poly6 => (1.0 - q * q).max(0.0).powi(3),
            Self::CubicSpline if q <= 0.5 => 6.0 * q * q * (q - 1.0) + 1.0,
            Self::CubicSpline => 2.0 * w.powi(3),
            Self::WendlandC2 => w.powi(4) * (4.0 * q + 1.0),
        }
    }

    /// Derivative of [`SmoothingKernel::shape`] with respect to q, divided by q. It is finite at 0, so that
    /// coincident particles do not produce NaN. ∇W = normalization / R² · this · offset.
    pub fn slope_over_q(self, q: f64) -> f64 {
        let w = (1.0 - q).max(0.0);
        match self {
            Self::Poly6 => -6.0 * (1.0 - q * q).max(0.0).powi(2),
            Self::CubicSpline if q <= 0.5 => 6.0 * (3.0 * q - 2.0),
            Self::CubicSpline => -6.0 * w * w / q,
            Self::WendlandC2 => -20.0 * w.powi(3),
        }
    }

    /// W at a distance, in 1/m² or 1/m³.
    pub fn value(self, dimensions: Dimensions, support_radius: f64, distance: f64) -> f64 {
        self.normalization(dimensions, support_radius) * self.shape(distance / support_radius)
    }

    /// dW/dr at a distance, in 1/m³ or 1/m⁴; never positive.
    pub fn derivative(self, dimensions: Dimensions, support_radius: f64, distance: f64) -> f64 {
        let q = distance / support_radius;
        self.normalization(dimensions, support_radius) / support_radius * q * self.slope_over_q(q)
    }

    /// Sum of [`SmoothingKernel::shape`] over the points of a cubic (or square) lattice around one of them, including
    /// that point. `radius_ratio` is the support radius divided by the lattice's spacing.
    pub fn lattice_sum(self, dimensions: Dimensions, radius_ratio: f64) -> f64 {
        lattice_points(dimensions, radius_ratio).map(|(_, distance)| self.shape(distance / radius_ratio)).sum()
    }

    /// The factor in place of [`SmoothingKernel::normalization`] for which the sum of m W over the same lattice is
    /// exactly m / spacing^d, in 1/m² or 1/m³. Sums over few neighbors are larger than the integrals that they stand
    /// for, with Wendland C2 in three dimensions by 2.46 % at a ratio of 2.2.
    pub fn lattice_normalization(self, dimensions: Dimensions, support_radius: f64, radius_ratio: f64) -> f64 {
        let volume = (support_radius / radius_ratio).powi(dimensions.count() as i32);
        (self.lattice_sum(dimensions, radius_ratio) * volume).recip()
    }

    /// First moment of the kernel's gradients over the same lattice, for the mass at which its density is the rest
    /// density: −Σ (m / ρ₀) x ∂W/∂x. The integral that it stands for is 1; with few neighbors the sum is smaller.
    pub fn lattice_moment(self, dimensions: Dimensions, radius_ratio: f64) -> f64 {
        let gradients = self.lattice_gradients(dimensions, radius_ratio);
        let moment: f64 = gradients.map(|([x, ..], slope)| -slope * f64::from(x * x)).sum();
        moment / (radius_ratio * radius_ratio * self.lattice_sum(dimensions, radius_ratio))
    }

    /// The layers of the same lattice: sums over the plane of points `layer` spacings above a particle, for each
    /// layer within the support radius.
    pub(super) fn lattice_layers(self, dimensions: Dimensions, radius_ratio: f64) -> Vec<LatticeLayer> {
        let reach = radius_ratio.ceil() as i32;
        let layer = |layer: i32| {
            let distances = || lattice_points(dimensions, radius_ratio).filter(move |point| point.0 == layer);
            let q = move |(_, distance): (i32, f64)| distance / radius_ratio;
            LatticeLayer { layer, shapes: distances().map(|point| self.shape(q(point))).sum() }
        };
        (-reach..=reach).map(layer).collect()
    }

    /// Neighbors of a point of the same lattice: their offsets in spacings, and the factor by which the offsets give
    /// the gradients of [`SmoothingKernel::shape`] with respect to q.
    pub(super) fn lattice_gradients(
        self,
        dimensions: Dimensions,
        radius_ratio: f64,
    ) -> impl Iterator<Item = ([i32; 3], f64)> {
        let reach = radius_ratio.ceil() as i32;
        let depth = if dimensions == Dimensions::Two { 0 } else { reach };
        let places = (-reach..=reach)
            .flat_map(move |x| (-reach..=reach).flat_map(move |y| (-depth..=depth).map(move |z| [x, y, z])));
        places.filter_map(move |place| {
            let q = f64::from(place.iter().map(|along| along * along).sum::<i32>()).sqrt() / radius_ratio;
            (q > 0.0 && q < 1.0).then(|| (place, self.slope_over_q(q)))
        })
    }
}

/// Contribution of one layer of the lattice to the sums of a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatticeLayer {
    /// Height of the layer above the particle, spacings.
    pub layer: i32,
    /// Sum of [`SmoothingKernel::shape`].
    pub shapes: f64,
}

/// Layer and distance, in spacings, of every lattice point within `radius_ratio` (and some beyond).
fn lattice_points(dimensions: Dimensions, radius_ratio: f64) -> impl Iterator<Item = (i32, f64)> {
    let reach = radius_ratio.ceil() as i32;
    let depth = if dimensions == Dimensions::Two { 0 } else { reach };
    (-reach..=reach).flat_map(move |x| {
        (-reach..=reach).flat_map(move |y| (-depth..=depth).map(move |z| (x, f64::from(x * x + y * y + z * z).sqrt())))
    })
}

#[cfg(test)]
mod tests {
    use super::{Dimensions, PI, SmoothingKernel};

    const RADIUS: f64 = 0.7;

    /// Composite Gauss-Legendre quadrature with three nodes per panel: exact for polynomials up to degree 5, and the
    /// panels are small enough that the error for higher degrees is below rounding.
    fn integrate(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
        const PANELS: usize = 2_000;
        let half = (to - from) / PANELS as f64 / 2.0;
        let node = 0.6_f64.sqrt();
        (0..PANELS)
            .map(|panel| {
                let middle = from + half * (2 * panel + 1) as f64;
                let outer = function(middle - half * node) + function(middle + half * node);
                half * (5.0 * outer + 8.0 * function(middle)) / 9.0
            })
            .sum()
    }

    /// Area of the sphere (or circumference of the circle) of radius r.
    fn surface(dimensions: Dimensions, r: f64) -> f64 {
        match dimensions {
            Dimensions::Two => 2.0 * PI * r,
            Dimensions::Three => 4.0 * PI * r * r,
        }
    }

    fn every_kernel(check: impl Fn(SmoothingKernel, Dimensions)) {
        for kernel in SmoothingKernel::ALL {
            check(kernel, Dimensions::Two);
            check(kernel, Dimensions::Three);
        }
    }

    #[test]
    fn each_integral_is_one() {
        every_kernel(|kernel, dimensions| {
            let integral = integrate(0.0, RADIUS, |r| surface(dimensions, r) * kernel.value(dimensions, RADIUS, r));
            // The quadrature is exact up to rounding in f64.
            assert!((integral - 1.0).abs() < 1e-12, "{kernel:?} {dimensions:?}: {integral}");
        });
    }

    #[test]
    fn each_gradient_has_the_first_moment_minus_one() {
        every_kernel(|kernel, dimensions| {
            // The integral of x dW/dx is that of r dW/dr over the number of dimensions.
            let count = if dimensions == Dimensions::Two { 2.0 } else { 3.0 };
            let moment = integrate(0.0, RADIUS, |r| {
                surface(dimensions, r) * r * kernel.derivative(dimensions, RADIUS, r) / count
            });
            assert!((moment + 1.0).abs() < 1e-12, "{kernel:?} {dimensions:?}: {moment}");
        });
    }

    #[test]
    fn each_derivative_is_that_of_the_value() {
        every_kernel(|kernel, dimensions| {
            let scale = kernel.value(dimensions, RADIUS, 0.0) / RADIUS;
            let step = 1e-5 * RADIUS;
            for i in 0..200 {
                let r = RADIUS * (0.002 + f64::from(i) / 199.0);
                let rise = kernel.value(dimensions, RADIUS, r + step) - kernel.value(dimensions, RADIUS, r - step);
                let difference = (rise / (2.0 * step) - kernel.derivative(dimensions, RADIUS, r)) / scale;
                // The error of central differences is step² f''' / 6, and of the order of step where a spline changes
                // branch.
                assert!(difference.abs() < 1e-4, "{kernel:?} {dimensions:?} at {r}: {difference}");
            }
        });
    }

    #[test]
    fn each_kernel_is_zero_beyond_the_support_radius_and_never_negative() {
        every_kernel(|kernel, dimensions| {
            for i in 0..=100 {
                let r = RADIUS * f64::from(i) / 50.0;
                let value = kernel.value(dimensions, RADIUS, r);
                assert!(value >= 0.0);
                assert_eq!(value == 0.0, r >= RADIUS, "{kernel:?} at {r}");
            }
        });
    }

    /// Relative density of a particle in a lattice of particles with mass density · spacing^d. The expected figures
    /// were computed from the formulas of the kernels by a separate program.
    #[test]
    fn lattice_sums_are_those_of_the_table() {
        let table = [
            (Dimensions::Two, 2.0, [1.0146, 1.0009, 1.0376]),
            (Dimensions::Two, 3.0, [1.0023, 1.0034, 1.0051]),
            (Dimensions::Two, 4.0, [1.0005, 1.0000, 1.0012]),
            (Dimensions::Three, 2.0, [1.0098, 1.0000, 1.0338]),
            (Dimensions::Three, 2.2, [1.0140, 1.0043, 1.0246]),
            (Dimensions::Three, 2.4, [1.0008, 1.0008, 1.0175]),
            (Dimensions::Three, 2.6, [0.9933, 0.9973, 1.0095]),
            (Dimensions::Three, 3.0, [1.0022, 1.0018, 1.0031]),
            (Dimensions::Three, 4.0, [1.0000, 1.0001, 1.0005]),
        ];
        for (dimensions, ratio, expected) in table {
            for (kernel, expected) in SmoothingKernel::ALL.into_iter().zip(expected) {
                let sum = kernel.normalization(dimensions, ratio) * kernel.lattice_sum(dimensions, ratio);
                // The table has four digits.
                assert!((sum - expected).abs() < 6e-5, "{kernel:?} {dimensions:?} {ratio}: {sum}, not {expected}");
            }
        }
    }
}
