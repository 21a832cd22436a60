//! The contract of parts of a step besides search and solver.

use super::FluidError;
use super::passes::PassMaker;
use crate::gpu::Pass;

/// A part of a step besides search and solver: emitters and drains, and each kind of solid.
pub trait StepPart {
    /// The passes at the start of a step.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn before_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = maker;
        Ok(Vec::new())
    }

    /// The passes before each build of the search, including builds that only compute densities.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn before_build(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = maker;
        Ok(Vec::new())
    }

    /// The passes at the end of a step, after the forces of the fluid on solids are known.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn after_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = maker;
        Ok(Vec::new())
    }
}
