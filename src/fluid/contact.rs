//! The contact of fluid with solids: the passes at the end of a step that let no particle through the surface of a
//! solid (`shaders/fluid/contact`), whatever the solver.
//!
//! The surface of a solid is a single layer of particles. Pressure keeps water out of it, but not a drop of one or a
//! few particles: those are never as dense as water, so they have no pressure and would fall through every solid.
//! *Stop at solids* takes from each fluid particle the velocity with which it would come nearer to a surface than fluid
//! may, so that it stays there or slides along; *react to stops* gives the same momentum to the solid, in the same
//! shares (`shares.wgsl`). Water at rest is not changed, since it is farther away.
//!
//! What a fluid particle takes is less than the whole where it meets a cloth or a free body that is lighter than a
//! layer of the fluid per area (`FluidParameters::layers_over_cloth`, `Sampled::mobilities`): the solid takes the rest
//! by the same momentum. With the whole, it would be thrown away faster than it was met, and come back so. Fluid meets
//! a body on all of its surface at once, whose mass per area counts.
//!
//! Where water slips along solids (the material's `no_slip` below 1), the first pass also brakes what moves towards a
//! surface and away from it, as viscosity and the images behind smooth walls do. The pair kernels cannot: they do not
//! know the direction of the surface, and would hold the water along it too. Without that, water of PBF around a block
//! did not come to rest.
//!
//! Memory: 16 bytes per particle where there are solids.
//!
//! Limitations: a drop that moves farther than the support radius in a step is not stopped. Beside a wall the layer is
//! seen on one side only, so that its direction is wrong by up to 35 degrees in a corner. Between two layers that a
//! drop is equally far from, the direction is a random one.

use super::FluidError;
use super::passes::PassMaker;
use super::shader::FluidShader;
use crate::gpu::Pass;

/// The search was built on predicted positions.
const PREDICTED: &str = "PREDICTED";

/// The solver also moves particles without changing their velocities.
const SHIFTED: &str = "SHIFTED";

/// The kernel has a function `needs_no_sum`: traversals of a list do not visit the neighbors of those particles.
const SKIPS: &str = "PAIR_SKIPS";

const STOP: FluidShader = FluidShader::pair("fluid/contact/stop.wgsl", true);
const REACT: FluidShader = FluidShader::pair("fluid/contact/react.wgsl", true);

/// The passes, of which there are none without solids. `predicted`: whether the particles moved before the search's
/// build; `shifts`: whether the solver also moves them without changing their velocities.
///
/// # Errors
/// When a shader does not compile, or the device lacks memory.
pub(super) fn contact_passes(maker: &PassMaker<'_>, predicted: bool, shifts: bool) -> Result<Vec<Pass>, FluidError> {
    if !maker.surroundings().boundary {
        return Ok(Vec::new());
    }
    let stops = maker.gpu.storage::<[f32; 4]>("stops", maker.particle_count().into())?;
    let own = [("stops", &stops)];
    let stop = STOP.with(&[SKIPS]).with_if(predicted, PREDICTED).with_if(shifts, SHIFTED);
    let mut passes = maker.pairs("stop at solids", &stop, &own, None)?;
    let react = REACT.with(&[SKIPS]).with_if(predicted, PREDICTED);
    passes.extend(maker.pairs("react to stops", &react, &own, None)?);
    Ok(passes)
}
