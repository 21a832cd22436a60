//! Solids in the fluid, and the registry of their kinds: a kind is a folder, a [`SolidInfo`] and one line in
//! [`SOLIDS`]. The flat walls of the box act without particles (`walls.rs`).

pub(super) mod bodies;
pub(super) mod cloths;
pub(super) mod contract;
pub(super) mod fixed;
mod sampled;
pub(super) mod sampling;
pub(super) mod walls;

pub(super) use contract::{Solid, SolidInfo, StepContext};
pub(super) use sampled::SampledSolids;

use super::shader::{FluidShader, Surroundings};

/// Every kind, in the order of their particles' original indices, which follow those of the fluid, and of their
/// passes before the build.
pub(super) static SOLIDS: &[&SolidInfo] = &[&fixed::INFO, &bodies::INFO, &cloths::INFO];

/// All shaders of all kinds of solids, with the surroundings that they are compiled for.
pub fn shaders_of_solids() -> Vec<(FluidShader, Surroundings)> {
    let shaders = |info: &&SolidInfo| {
        let surroundings = Surroundings { boundary: true, thin: info.is_thin };
        (info.shaders)().into_iter().map(move |shader| (shader, surroundings))
    };
    SOLIDS.iter().flat_map(shaders).collect()
}
