//! The material of a fluid: its properties, independent of the solver.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The properties of a fluid.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// kg/m³; in two dimensions kg/m² of a layer one meter thick, the same number.
    pub rest_density: f32,
    /// Ratio of the speed of sound to the speed that the fluid is expected to reach. A larger value makes the fluid
    /// less compressible and the time step shorter. WCSPH only.
    pub sound_speed_factor: f32,
    /// α of Monaghan's artificial viscosity, which damps particles that approach each other; dimensionless. It
    /// corresponds to a kinematic viscosity ν = α h c / (2 (d + 2)), with h half the support radius, c the speed of
    /// sound (for PBF that of WCSPH) and d the number of dimensions.
    pub viscosity: f32,
    /// ν, m²/s: a physical viscosity in addition to the artificial one; it acts on approaching and on separating
    /// particles. Water has 1e-6, too little to be visible at practical resolutions; honey has 0.01.
    #[serde(default)]
    pub kinematic_viscosity: f32,
    /// Fraction of the difference to its neighbors' mean velocity that is added to a particle's velocity (XSPH);
    /// dimensionless. WCSPH uses the result only to move the particle (Monaghan 1989); PBF stores it as the new
    /// velocity in each step (Schechter and Bridson 2012; 0.01 in the PBF paper).
    #[serde(default)]
    pub xsph: f32,
    /// σ, N/m: the tension of the free surface. Water has 0.073, whose effect is visible in drops of a few
    /// centimeters.
    #[serde(default)]
    pub surface_tension: f32,
    /// Support radius over particle spacing.
    pub radius_ratio: f32,
    /// How density is computed. WCSPH only.
    #[serde(default)]
    pub density: Density,
    /// 1: the fluid sticks to the walls of the box and to solids by its viscosity (no slip); 0: it slips along them.
    /// Between them a part of the slip is left.
    #[serde(default)]
    pub no_slip: f32,
    /// Coefficient of the skin friction at the walls of the box, for boundary layers that are thinner than the
    /// particles: their stress is half of it times the density times the square of the velocity along the wall (H.
    /// Schlichting, Boundary-Layer Theory, 1979, chapter XX). Water along smooth walls has 0.003 to 0.005, along rough
    /// ones more; 0 is no friction. It does not depend on the viscosity.
    #[serde(default)]
    pub skin_friction: f32,
    /// Pressure of the air around the fluid, Pa; the atmosphere has 101,325. Pressures here are relative to it, and an
    /// absolute pressure cannot be negative, so that fluid bears tension down to minus this value, away from its free
    /// surface. 0 is none given: then DFSPH and PBF bear no tension, and the tension of WCSPH's accurate mode has no
    /// limit.
    #[serde(default)]
    pub ambient_pressure: f32,
}

/// Leaves out friction and an ambient pressure where there is none: the fingerprints of scenes in saved states are made
/// from this text, and those of states that were saved before materials had it must stay the same.
impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Material");
        text.field("rest_density", &self.rest_density)
            .field("sound_speed_factor", &self.sound_speed_factor)
            .field("viscosity", &self.viscosity)
            .field("kinematic_viscosity", &self.kinematic_viscosity)
            .field("xsph", &self.xsph)
            .field("surface_tension", &self.surface_tension)
            .field("radius_ratio", &self.radius_ratio)
            .field("density", &self.density);
        if self.no_slip > 0.0 {
            text.field("no_slip", &self.no_slip);
        }
        if self.skin_friction > 0.0 {
            text.field("skin_friction", &self.skin_friction);
        }
        if self.ambient_pressure > 0.0 {
            text.field("ambient_pressure", &self.ambient_pressure);
        }
        text.finish()
    }
}

/// How a particle's density is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Density {
    /// The sum over its neighbors, computed anew in each step.
    #[default]
    Summation,
    /// Integrated in time with the continuity equation and smoothed by diffusion between neighbors, which makes
    /// pressures less noisy. Cannot be combined with XSPH.
    Continuity {
        /// δ of the diffusion between neighbors, which removes the noise; dimensionless, usually 0.1.
        diffusion: f32,
    },
}

impl Material {
    /// Whether it has a viscosity of either kind.
    pub(super) fn is_viscous(&self) -> bool {
        self.viscosity > 0.0 || self.kinematic_viscosity > 0.0
    }

    /// The largest tension, Pa, of a solver that bears any; without an ambient pressure there is no limit.
    pub(super) fn most_tension(&self) -> f32 {
        if self.ambient_pressure > 0.0 { self.ambient_pressure } else { f32::MAX }
    }
}
