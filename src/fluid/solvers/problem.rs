//! What a solver is asked to simulate: the medium, and its scene at one resolution.

use std::f64::consts::PI;

use super::setting::SolverSettings;
use crate::fluid::material::Material;
use crate::fluid::smoothing_kernel::{Dimensions, SmoothingKernel};

/// The factor of [`Problem::capillary_step`].
const CAPILLARY: f64 = 0.25;

/// The medium that a solver moves, from the scene with its edits.
#[derive(Clone, Copy)]
pub struct Medium<'a> {
    /// The material of the fluid.
    pub material: &'a Material,
    /// The solvers' settings; each reads its own.
    pub settings: &'a SolverSettings,
}

/// A medium in its scene at one resolution, from which time step, mass and limits follow.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The medium.
    pub medium: Medium<'a>,
    /// Dimensions of the scene.
    pub dimensions: Dimensions,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// Spacing of the lattice in which the fluid starts, m.
    pub spacing: f64,
    /// Support radius, m.
    pub support_radius: f64,
    /// The highest speed that the scene's fluid is expected to reach, m/s.
    pub expected_speed: f64,
    /// Speed of sound of a weakly compressible fluid in this scene, m/s.
    pub sound_speed: f64,
    /// The largest initial acceleration by uniform and central gravity, m/s².
    pub strongest_pull: f64,
    /// Mass per area of the lightest cloth in the fluid, kg/m²; `None` without cloth or without fluid.
    pub lightest_cloth: Option<f32>,
    /// Smallest mass per area of the surface of a solid that moves freely as a whole, kg/m²; `None` without any.
    pub lightest_body: Option<f64>,
}

impl Problem<'_> {
    /// Support radius over spacing.
    pub fn radius_ratio(&self) -> f64 {
        self.support_radius / self.spacing
    }

    /// The longest step, s, in which the shortest capillary wave is stable (Brackbill, Kothe and Zemach 1992, equation
    /// 61; J. P. Morris, Simulating surface tension with smoothed particle hydrodynamics, International Journal for
    /// Numerical Methods in Fluids 33, 2000, section 4.2); infinite without surface tension.
    pub fn capillary_step(&self) -> f64 {
        let Material { rest_density, surface_tension, .. } = *self.medium.material;
        let wave = f64::from(rest_density) * (0.5 * self.support_radius).powi(3);
        CAPILLARY * (wave / (2.0 * PI * f64::from(surface_tension))).sqrt()
    }

    /// The mass of the fluid in a cell of the lattice at rest, kg; in two dimensions kg/m. All particles together weigh
    /// what their volume of fluid weighs. (A smaller mass, for which sums over the lattice read the rest density
    /// without a factor of their own, is lighter than the fluid by up to 4 %, and bodies then float too deep in it.)
    pub fn mass_of_cell(&self) -> f32 {
        let volume = self.spacing.powi(self.dimensions.count() as i32);
        (f64::from(self.medium.material.rest_density) * volume) as f32
    }
}
