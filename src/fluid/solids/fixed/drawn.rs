//! Surfaces of fixed solids for drawing.

use std::sync::Arc;

use super::kind::FixedSolids;
use crate::fluid::Simulation;
use crate::fluid::solids::sampling::Mesh;

impl Simulation {
    /// The surfaces of the scene's boundaries at their places, in the scene's order. They do not change until the
    /// simulation restarts.
    pub fn boundary_surfaces(&self) -> &[Arc<Mesh>] {
        self.solid::<FixedSolids>().map_or(&[], |fixed| &fixed.surfaces)
    }
}
