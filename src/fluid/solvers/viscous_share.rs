//! How strong viscosity is in one step: solvers with long steps limit it by this, so that they remain stable.

use super::contract::SolverInput;
use crate::fluid::viscous_weight::viscous_weight;

/// The fraction of the velocity difference between a particle and neighbors with the opposite velocity that an
/// explicit step of viscosity would remove; above 1 the velocities would oscillate, and above 2 without bound.
pub(in crate::fluid) fn viscous_share(input: &SolverInput<'_>) -> f32 {
    let fluid = input.parameters;
    let ratio = f64::from(input.resolution.support_radius) / f64::from(input.resolution.spacing);
    let spacing = f64::from(fluid.inverse_spacing).recip();
    let floor = f64::from(fluid.viscosity_floor) / (spacing * spacing);
    let (mut approaching, mut all) = (0.0, 0.0);
    for ([x, y, z], slope) in input.problem.kernel.lattice_gradients(input.problem.dimensions, ratio) {
        let squared = f64::from(x * x + y * y + z * z);
        approaching -= slope * f64::from(x * x) / (squared + floor);
        all += viscous_weight(squared.sqrt() / ratio) * f64::from(x * x) / squared;
    }
    let artificial = fluid.gradient_scale * fluid.approach_viscosity * approaching as f32;
    fluid.time_step * (artificial + fluid.viscosity * all as f32) / fluid.rest_density
}
