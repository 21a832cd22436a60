//! The density as a sum over the neighbors: a pair kernel that several solvers share.

use super::shader::FluidShader;

/// Its file. A solver may add definitions that integrate the density in time instead.
pub(super) const DENSITY_FILE: &str = "fluid/density.wgsl";

/// Density by summation, and pressure by the equation of state.
pub(super) const SUMMED_DENSITY: FluidShader = FluidShader::pair_with_images(DENSITY_FILE, true);
