//! The contract of parts of a step besides search and solver.

use super::FluidError;
use super::passes::PassMaker;
use crate::gpu::Pass;

/// A stage of viscosity (`solvers/viscosity.rs`) whose pass was made.
pub struct StageOfViscosity<'a> {
    /// The uniform of its factors, `Stage` in viscosity.wgsl.
    pub factors: &'a wgpu::Buffer,
    /// The velocities after it, in sorted order: m/s, with the bits of the original index.
    pub velocities: &'a wgpu::Buffer,
}

/// Where particles that move by pressures show it, in sorted order.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// In velocities, m/s.
    Velocities(&'a wgpu::Buffer),
    /// In places, m, of a solver that moves particles from those of the search's build on.
    Places(&'a wgpu::Buffer),
}

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

    /// The passes before the first of several stages of viscosity, which start from `velocities`, in sorted order.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn before_stages(&self, maker: &PassMaker<'_>, velocities: &wgpu::Buffer) -> Result<Vec<Pass>, FluidError> {
        let _ = (maker, velocities);
        Ok(Vec::new())
    }

    /// The passes after a stage of viscosity: what moves by its forces takes them up.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn after_stage(&self, maker: &PassMaker<'_>, stage: &StageOfViscosity<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = (maker, stage);
        Ok(Vec::new())
    }

    /// The passes after pressures were found whose forces on solids are among the reactions: what moves by these takes
    /// them up, and its particles show it. A step may have several.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn after_pressures(&self, maker: &PassMaker<'_>, shown: Shown<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = (maker, shown);
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
