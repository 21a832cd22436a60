//! How strong viscosity is in one step: solvers with long steps limit it by this, so that they remain stable.

use super::contract::SolverInput;

/// The fraction of the velocity difference between a particle and neighbors with the opposite velocity that an
/// explicit step of viscosity would remove; above 1 the velocities would oscillate, and above 2 without bound.
pub(in crate::fluid) fn viscous_share(input: &SolverInput<'_>) -> f32 {
    let fluid = input.parameters;
    let ratio = f64::from(input.resolution.support_radius) / f64::from(input.resolution.spacing);
    let spacing = f64::from(fluid.inverse_spacing).recip();
    let floor = f64::from(fluid.viscosity_floor) / (spacing * spacing);
    let along =
        |([x, y, z], slope): ([i32; 3], f64)| -slope * f64::from(x * x) / (f64::from(x * x + y * y + z * z) + floor);
    let gradients = input.problem.kernel.lattice_gradients(input.problem.dimensions, ratio);
    let slopes: f64 = gradients.map(along).sum();
    let rate = fluid.gradient_scale * (fluid.approach_viscosity + fluid.viscosity) / fluid.rest_density;
    fluid.time_step * rate * slopes as f32
}
