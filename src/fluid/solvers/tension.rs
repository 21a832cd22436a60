//! Water under tension, for the solvers that iterate pressures. The pressures of the program are relative to that of
//! the air around the water, and no absolute pressure is negative. Where a scene gives the ambient pressure, water
//! therefore bears tension down to minus that pressure, below which it would cavitate. Without it, these solvers cut
//! pressure at zero.
//!
//! Four things are needed, and none is enough alone (docs/VALIDATION.md has the figures):
//! 1. *Only within the water.* A particle at a free surface lacks neighbors, whether or not the water expands. Each
//!    correction multiplies a negative pressure by the share that also limits it in WCSPH's accurate mode
//!    (`share_within` in `equation_of_state.wgsl`; with PBF at lower densities), so that it fades out towards a
//!    surface, and single particles at the tips of arms are not torn at.
//! 2. *Less for near pairs.* Particles under tension attract each other and form clumps. A pair loses a part of its
//!    tension that grows with the fourth power of the kernel (J. J. Monaghan, SPH without a tensile instability,
//!    Journal of Computational Physics 159, 2000), as `wcsph/accurate.rs` explains.
//! 3. *Even pressures.* Pressures that alternate from particle to particle move nothing, so that iterations keep them,
//!    and the loss for near pairs turns them into motion. Each correction takes a share of them away (`dfsph/mod.rs`).
//! 4. *No expansion by straight steps.* A step along the velocities of a rotation moves every particle outward. The
//!    error that is corrected is that of the whole motion of the step and not that of its beginning.
//!
//! Limitations: water under tension sticks to walls and solids, as the accurate mode's does. Angular momentum is kept
//! as well as the shifts of DFSPH keep it; the loss for near pairs and the correction of gradients together change it a
//! little.

use crate::fluid::material::Material;

/// Definition of the shaders of a solver that bears tension.
pub(super) const TENSION: &str = "TENSION";

/// Whether the scene gives an ambient pressure, with which a solver that iterates pressures bears tension.
pub(super) fn bears_tension(material: &Material) -> bool {
    material.ambient_pressure > 0.0
}
