//! Smoothed positions, at which clear water is drawn (J. Yu and G. Turk, Reconstructing surfaces of particle-based
//! fluids using anisotropic kernels, ACM Transactions on Graphics 32, 2013, section 4.1).
//!
//! A surface of particles is as uneven as their places are. Filters of the picture even out its middle, but not its
//! outlines, jets, and the edges of sheets. So each particle of clear water is drawn nearer to the weighted mean of its
//! neighbors, which the chosen search finds once for each picture: the pair kernel visits the pairs of the last build,
//! and what it finds is added to the current positions. Images behind the walls and particles of solids count as
//! neighbors, so that water does not retreat from them. A free surface moves inward by about half a spacing.
//!
//! The paper also draws ellipsoids in place of spheres, which we do not. Memory per particle, while clear water is
//! drawn: 16 bytes.

use super::passes::PassMaker;
use super::shader::FluidShader;
use super::{FluidError, Simulation};
use crate::gpu::{Pass, PassTimer, Phase, record};

const SMOOTHED: FluidShader = FluidShader::pair_with_images("fluid/smoothed_positions.wgsl", true);

/// Smoothed positions, and what is known of the particles that they are for.
#[derive(Default)]
pub(super) struct Smoothing {
    made: Option<SmoothedPositions>,
    /// The number of the context whose search has built its tables from the current particles.
    built: Option<u64>,
    /// Whether the buffer holds the positions of the current state.
    is_recorded: bool,
    /// Whether it does, or is about to.
    is_promised: bool,
}

struct SmoothedPositions {
    /// `vec4<f32>`: xyz in m; in the order of the state; len = `particle_count`.
    positions: wgpu::Buffer,
    passes: Vec<Pass>,
    /// The number of the context that the passes are bound to.
    of_context: u64,
}

impl Smoothing {
    /// Notes that the search of this context has built its tables from the current particles.
    pub(super) fn built(&mut self, context: u64) {
        self.forget();
        self.built = Some(context);
    }

    /// Notes that particles were placed anew or in another order.
    pub(super) fn forget(&mut self) {
        (self.built, self.is_recorded, self.is_promised) = (None, false, false);
    }

    /// Replaces the passes.
    pub(super) fn set_passes(&mut self, passes: Vec<Pass>) {
        if let Some(made) = &mut self.made {
            made.passes = passes;
        }
    }
}

impl Simulation {
    /// Makes the buffer and the passes of smoothed positions, if there are none for the current search and the solver is
    /// one of a fluid. From then on until the next step [`Simulation::smoothed_positions`] returns the buffer;
    /// [`Simulation::record_smoothed_positions`] must be recorded before it is read.
    ///
    /// # Errors
    /// When a shader does not compile, or the device has no memory for the buffer; there are no smoothed positions
    /// then.
    pub fn make_smoothed_positions(&mut self) -> Result<(), FluidError> {
        if !self.scene.solver.is_fluid() {
            return Ok(());
        }
        if self.smoothed().is_none() {
            self.smoothing.made = None;
            let positions = self.gpu.storage::<[f32; 4]>("smoothed positions", self.state.count.into())?;
            let passes = self.smoothing_passes_into(&positions)?;
            self.smoothing.made = Some(SmoothedPositions { positions, passes, of_context: self.build_number() });
            self.smoothing.is_recorded = false;
        }
        self.smoothing.is_promised = true;
        Ok(())
    }

    fn smoothing_passes_into(&self, positions: &wgpu::Buffer) -> Result<Vec<Pass>, FluidError> {
        let maker = PassMaker { gpu: &self.gpu, context: &self.model.context, state: &self.state, parts: &[] };
        let mut passes = maker.pairs("smooth positions", &SMOOTHED, &[("smoothed", positions)], None)?;
        for pass in &mut passes {
            pass.phase = Phase::Drawing;
        }
        Ok(passes)
    }

    /// The passes of the smoothing made again; `None` where there are none.
    pub(super) fn remade_smoothing_passes(&self) -> Result<Option<Vec<Pass>>, FluidError> {
        self.smoothed().map(|made| self.smoothing_passes_into(&made.positions)).transpose()
    }

    /// Records the smoothing of the current positions, if [`Simulation::make_smoothed_positions`] was called for the
    /// current search, and nothing if it has been recorded for them. Where no step and no densities have been recorded
    /// since particles were placed, the positions are copied as they are.
    pub fn record_smoothed_positions(&mut self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        let Some(made) = self.smoothed().filter(|_| !self.smoothing.is_recorded) else { return };
        let positions = &self.state.positions;
        encoder.copy_buffer_to_buffer(positions, 0, &made.positions, 0, positions.size());
        if self.smoothing.built == Some(self.build_number()) {
            record(&made.passes, encoder, timer);
        }
        (self.smoothing.is_recorded, self.smoothing.is_promised) = (true, true);
    }

    /// Positions at which clear water is drawn, in the order and the layout of
    /// [`super::ParticleBuffers::positions`]; `None` where none were made for the current state.
    pub fn smoothed_positions(&self) -> Option<&wgpu::Buffer> {
        self.smoothed().filter(|_| self.smoothing.is_promised).map(|made| &made.positions)
    }

    /// The passes of the smoothing, which are recorded for each picture of clear water; empty where there are none.
    pub fn smoothing_passes(&self) -> &[Pass] {
        self.smoothed().map_or(&[], |made| &made.passes)
    }

    /// Smoothed positions of the current search.
    fn smoothed(&self) -> Option<&SmoothedPositions> {
        self.smoothing.made.as_ref().filter(|made| made.of_context == self.build_number())
    }
}
