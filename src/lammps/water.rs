//! The material of a scene in the terms of `pair_style sph/taitwater`.
//!
//! Its kernel is Lucy's (Lucy 1977), W = n (1 − q)³ (1 + 3 q). At our ratios of radius and spacing the sums over its
//! gradients differ from the integrals that they stand for by up to 5 %, and LAMMPS has no factor that corrects the
//! pressure forces as ours do (`FluidParameters::pressure_scale`). But its mass enters these sums only, since densities
//! start at the rest density, so the mass of the export is chosen such that the first moment of the gradients in the
//! lattice is exactly 1. All forces and the change of density are right then.

use std::f64::consts::PI;

use glam::Vec3;

use super::script::number;
use crate::fluid::{Dimensions, Resolution, Scene, SmoothingKernel};

/// A scene's water in the terms of LAMMPS.
pub(super) struct Water<'a> {
    /// The scene with its edits.
    pub scene: &'a Scene,
    /// Its resolution.
    pub resolution: &'a Resolution,
    /// The kernel that weights the pressures of probes.
    pub kernel: SmoothingKernel,
    /// Mass of a particle in LAMMPS, kg; in two dimensions kg/m.
    pub mass: f64,
    /// The viscosity.
    pub viscosity: Viscosity,
}

/// The viscosity of a pair style.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Viscosity {
    /// α of LAMMPS for `sph/taitwater`.
    Artificial(f64),
    /// Dynamic viscosity for `sph/taitwater/morris`, Pa s.
    Dynamic(f64),
}

impl Viscosity {
    /// The name of the pair style.
    pub(super) fn style(self) -> &'static str {
        match self {
            Self::Artificial(_) => "sph/taitwater",
            Self::Dynamic(_) => "sph/taitwater/morris",
        }
    }

    /// The coefficient of the pair style.
    pub(super) fn coefficient(self) -> f64 {
        match self {
            Self::Artificial(value) | Self::Dynamic(value) => value,
        }
    }
}

impl<'a> Water<'a> {
    /// Converts the material of an edited scene.
    pub(super) fn new(scene: &'a Scene, resolution: &'a Resolution, kernel: SmoothingKernel) -> Self {
        let material = &scene.material;
        let (rest_density, spacing) = (f64::from(material.rest_density), f64::from(resolution.spacing));
        let ratio = f64::from(resolution.support_radius) / spacing;
        let volume = spacing.powf(scene.dimensions.count());
        let viscosity = if material.kinematic_viscosity > 0.0 {
            Viscosity::Dynamic(rest_density * f64::from(material.kinematic_viscosity))
        } else {
            // LAMMPS multiplies with the support radius where Monaghan and this program have half of it.
            Viscosity::Artificial(0.5 * f64::from(material.viscosity))
        };
        let mass = rest_density * volume / lucy_moment(scene.dimensions, ratio);
        Self { scene, resolution, kernel, mass, viscosity }
    }

    /// Our mass of a particle divided by that of LAMMPS, by which forces of LAMMPS are multiplied where they are read.
    pub(super) fn mass_ratio(&self) -> f64 {
        f64::from(self.resolution.particle_mass) / self.mass
    }

    /// Potential energy of a kilogram, J/kg, as a formula: 0 at the lowest corner of the box and at the center of a
    /// central gravity.
    pub(super) fn potential(&self) -> String {
        let scene = self.scene;
        let mut formula = String::new();
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate().take(self.axes()) {
            let (gravity, low) = (number(scene.gravity[axis]), number(scene.low[axis]));
            formula += &["-(", &gravity, ")*(", name, "-(", &low, "))"].concat();
            let (strength, center) = (scene.central_gravity.strength, number(scene.central_gravity.center[axis]));
            if strength > 0.0 {
                formula += &["+", &number(0.5 * strength), "*(", name, "-(", &center, "))^2"].concat();
            }
        }
        formula
    }

    /// By how much pressure at rest is higher at a place than where a particle is, Pa, as a formula.
    pub(super) fn hydrostatic_shift(&self, place: Vec3) -> String {
        let scene = self.scene;
        let central = &scene.central_gravity;
        let there: f64 = (0..self.axes())
            .map(|axis| {
                let [at, low, center] = [place, scene.low, central.center].map(|point| f64::from(point[axis]));
                0.5 * f64::from(central.strength) * (at - center).powi(2) - f64::from(scene.gravity[axis]) * (at - low)
            })
            .sum();
        format!("{}*({}-({}))", number(scene.material.rest_density), self.potential(), number(there))
    }

    fn axes(&self) -> usize {
        if self.scene.dimensions == Dimensions::Two { 2 } else { 3 }
    }

    /// B of Tait's equation, Pa.
    pub(super) fn stiffness(&self) -> f64 {
        let sound = f64::from(self.resolution.sound_speed);
        f64::from(self.scene.material.rest_density) * sound * sound / 7.0
    }
}

/// First moment of the gradients of Lucy's kernel over a lattice, −Σ V x ∂W/∂x, whose integral is 1. `ratio` is the
/// support radius divided by the spacing.
fn lucy_moment(dimensions: Dimensions, ratio: f64) -> f64 {
    lucy_sum(dimensions, ratio, |[x, ..]| x * x)
}

/// Sum of Lucy's kernel over the half of a lattice that is at least one layer ahead, −Σ V (h² / r) ∂W/∂r, which is what
/// a fixed particle of the layer at the face has of full water. `ratio` is h, the support radius, divided by the
/// spacing.
pub(super) fn lucy_half(dimensions: Dimensions, ratio: f64) -> f64 {
    ratio * ratio * lucy_sum(dimensions, ratio, |[x, ..]| if x > 0.0 { 1.0 } else { 0.0 })
}

/// −Σ V / r ∂W/∂r times a weight over a lattice with the spacing 1, where W is Lucy's kernel with the radius `ratio`.
fn lucy_sum(dimensions: Dimensions, ratio: f64, weight: impl Fn([f64; 3]) -> f64) -> f64 {
    let reach = ratio.ceil() as i32;
    let (normalization, depth) = match dimensions {
        Dimensions::Two => (5.0 / PI, 0),
        Dimensions::Three => (105.0 / (16.0 * PI), reach),
    };
    let mut sum = 0.0;
    for x in -reach..=reach {
        for y in -reach..=reach {
            for z in -depth..=depth {
                let q = f64::from(x * x + y * y + z * z).sqrt() / ratio;
                if q < 1.0 {
                    // W' / q = −12 n (1 − q)².
                    sum += 12.0 * normalization * (1.0 - q).powi(2) * weight([x, y, z].map(f64::from));
                }
            }
        }
    }
    sum / ratio.powf(dimensions.count() + 2.0)
}

#[cfg(test)]
mod tests {
    use super::lucy_moment;
    use crate::fluid::Dimensions;

    #[test]
    fn the_moment_approaches_its_integral_with_many_neighbors() {
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            let fine = lucy_moment(dimensions, 20.3);
            assert!((fine - 1.0).abs() < 1e-3, "{dimensions:?}: {fine}");
        }
        // Summed with another program.
        assert!((lucy_moment(Dimensions::Three, 2.2) - 0.994_039_9).abs() < 1e-6);
        assert!((lucy_moment(Dimensions::Two, 2.2) - 0.955_072_2).abs() < 1e-6);
    }
}
