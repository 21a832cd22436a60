//! Flat walls without particles. The fluid is assumed to continue behind a wall in the same state as in front of it:
//! the density of a particle whose kernel extends beyond walls is computed from the remaining part of the kernel, ρ =
//! ρₛ exp(Ψ), where ρₛ is the sum over neighbors and Ψ the sum of ψ(d) over the walls at distances d. The assumed
//! fluid behind a wall is thus compressed together with the fluid in front of it, and the pressure of a column does
//! not depend on its width.
//!
//! The force follows from the same density: with the internal energy Σ m e(ρ), de/dρ = p / ρ², the acceleration of a
//! particle is −Σ m (Pᵢ + Pⱼ) ∇W − (p / ρ) ∇Ψ with P = exp(Ψ) p / ρ². Walls therefore conserve energy, and the forces
//! of a pair remain opposite to the last bit.
//!
//! ψ is chosen for the lattice in which the fluid starts, with layers at ½, 1½, 2½ ... spacings from the wall. Its
//! values there are those for which the density of the lattice is the rest density: ψ = −ln(1 − missing fraction of
//! the kernel). Its slope at the first layer is the one at which a lattice under uniform pressure is in equilibrium.
//! (The kernel's integral over the half-space behind the wall, the common choice, gives two thirds of that force:
//! particles then accumulate at the wall until their own pressure compensates.) Between the layers ψ decreases
//! convexly and smoothly; nearer than half a spacing it is extrapolated linearly, so that a particle on the wall
//! itself has lost about half of its kernel, as it should.
//!
//! Source: the consistent derivation of forces from density is that of J. Bonet and T.-S. L. Lok, Variational and
//! momentum preservation aspects of smooth particle hydrodynamic formulations, CMAME 180 (1999); ψ is our own.

use crate::fluid::smoothing_kernel::{Dimensions, SmoothingKernel};

/// Number of layers that lack neighbors near a wall, at the largest radius ratio.
pub(in crate::fluid) const WALL_LAYERS: usize = 4;

/// ψ of one wall as a function of the distance in spacings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::fluid) struct Wall {
    /// Piece i describes ψ between layers i and i + 1: with t the distance from layer i and u = 1 − t, ψ = x − y u +
    /// z u^w; z is zero only beyond `reach`.
    pub pieces: [[f32; 4]; WALL_LAYERS],
    /// Distance beyond which ψ is zero, spacings.
    pub reach: f32,
}

impl Wall {
    /// ψ for a lattice with this kernel and this ratio of support radius to spacing.
    pub(in crate::fluid) fn new(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> Self {
        let needs = lattice_needs(kernel, dimensions, radius_ratio);
        // The wall has no effect from the first layer that lacks no neighbors.
        let count = needs.iter().position(|need| need.value == 0.0).unwrap_or(WALL_LAYERS);
        let value = |layer: usize| needs.get(layer).map_or(0.0, |need| need.value);
        let drop = |layer: usize| value(layer) - value(layer + 1);
        let mut slopes = [0.0; WALL_LAYERS + 1];
        for layer in (0..count).rev() {
            // Convex and decreasing: steeper than the difference to the next layer, flatter than that to the previous
            // one.
            let flattest = -1.05 * drop(layer);
            let steepest = if layer == 0 { f64::NEG_INFINITY } else { -0.9 * drop(layer - 1) };
            slopes[layer] = needs[layer].slope.min(flattest).max(steepest);
        }
        let mut pieces = [[0.0; 4]; WALL_LAYERS];
        for (layer, piece) in pieces.iter_mut().enumerate().take(count) {
            let (slope, next) = (slopes[layer], slopes[layer + 1]);
            let bend = drop(layer) + next;
            *piece = [value(layer + 1), next, bend, (next - slope) / bend].map(|number| number as f32);
        }
        Self { pieces, reach: count as f32 + 0.5 }
    }

    /// ψ and its slope per spacing at a distance from the wall in spacings, as walls.wgsl computes them.
    pub(in crate::fluid) fn at(&self, distance: f64) -> (f64, f64) {
        if distance >= f64::from(self.reach) {
            return (0.0, 0.0);
        }
        let layer = (distance - 0.5).floor().max(0.0);
        let [x, y, z, w] = self.pieces[layer as usize].map(f64::from);
        let u = 1.5 + layer - distance;
        let bent = u.min(1.0);
        (x - y * u + z * (bent.powf(w) + w * (u - bent)), y - z * w * bent.powf(w - 1.0))
    }
}

/// The values of ψ that a layer of the lattice requires.
struct Need {
    /// ψ for which its density is the rest density.
    value: f64,
    /// Slope of ψ, per spacing, for which it is in equilibrium under uniform pressure.
    slope: f64,
}

fn lattice_needs(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> Vec<Need> {
    let layers = kernel.lattice_layers(dimensions, radius_ratio);
    let whole: f64 = layers.iter().map(|other| other.shapes).sum();
    let open = |layer: i32| {
        let missing: f64 = layers.iter().filter(|other| other.layer < -layer).map(|other| other.shapes).sum();
        1.0 - missing / whole
    };
    let need = |layer: i32| {
        let seen = layers.iter().filter(|other| other.layer != 0 && other.layer >= -layer);
        let slope: f64 =
            seen.map(|other| (1.0 / open(layer) + 1.0 / open(layer + other.layer)) * other.slope / whole).sum();
        Need { value: -open(layer).ln(), slope }
    };
    (0..).take(WALL_LAYERS).map(need).collect()
}

#[cfg(test)]
mod tests {
    use super::{Wall, lattice_needs};
    use crate::fluid::{Dimensions, SmoothingKernel};

    const RATIOS: [f64; 8] = [1.5, 1.8, 2.0, 2.2, 2.4, 2.6, 3.0, 4.0];

    fn every_wall(check: impl Fn(&str, &Wall, SmoothingKernel, Dimensions, f64)) {
        for kernel in SmoothingKernel::ALL {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                for ratio in RATIOS {
                    let wall = Wall::new(kernel, dimensions, ratio);
                    check(&format!("{kernel:?} {dimensions:?} {ratio}"), &wall, kernel, dimensions, ratio);
                }
            }
        }
    }

    #[test]
    fn the_lattice_has_the_rest_density_and_its_first_layer_is_in_equilibrium() {
        every_wall(|name, wall, kernel, dimensions, ratio| {
            for (layer, need) in lattice_needs(kernel, dimensions, ratio).iter().enumerate() {
                let (value, slope) = wall.at(layer as f64 + 0.5);
                assert!((value - need.value).abs() < 1e-6, "{name} layer {layer}: {value}, not {}", need.value);
                if layer == 0 {
                    assert!((slope / need.slope - 1.0).abs() < 1e-5, "{name}: {slope}, not {}", need.slope);
                }
            }
        });
    }

    #[test]
    fn the_slope_is_the_derivative_and_a_wall_only_repels() {
        every_wall(|name, wall, _, _, _| {
            let step = 1e-6;
            for i in 0..=500 {
                let distance = 0.013 + 0.01 * f64::from(i);
                let rise = (wall.at(distance + step).0 - wall.at(distance - step).0) / (2.0 * step);
                let (value, slope) = wall.at(distance);
                // The tolerance allows for rounding in central differences over 1e-6 of numbers of about 1 in double
                // precision.
                assert!((rise - slope).abs() < 1e-4, "{name} at {distance}: {slope}, not {rise}");
                assert!(value >= -1e-7 && slope <= 1e-7, "{name} at {distance}: {value}, {slope}");
            }
            assert_eq!(wall.at(f64::from(wall.reach)), (0.0, 0.0), "{name}");
        });
    }

    #[test]
    fn a_particle_on_the_wall_has_lost_about_half_its_kernel() {
        every_wall(|name, wall, _, _, _| {
            let lost = 1.0 - (-wall.at(0.0).0).exp();
            assert!((0.2..0.6).contains(&lost), "{name}: {lost}");
        });
    }

    #[test]
    fn a_wall_is_pushed_with_the_stress_of_the_lattice() {
        every_wall(|name, wall, kernel, dimensions, ratio| {
            // Moving the wall by a spacing changes the energy of a particle in each layer by p V psi'. The stress of
            // the lattice is its pressure times its first moment, which approaches 1 for many neighbors.
            let work: f64 = (0..4).map(|layer| -wall.at(f64::from(layer) + 0.5).1).sum();
            let layers = kernel.lattice_layers(dimensions, ratio);
            let moment = -layers.iter().map(|other| other.slope * f64::from(other.layer)).sum::<f64>()
                / kernel.lattice_sum(dimensions, ratio);
            assert!((0.85..1.2).contains(&(work / moment)), "{name}: {work}, moment {moment}");
        });
    }
}
