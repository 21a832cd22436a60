//! The parameters of DFSPH in the layout of the shaders.

use super::settings::{DENSITY_TOLERANCE, DIVERGENCE_TOLERANCE, EVENNESS, ITERATIONS, LEAST_ITERATIONS, WARM_START};
use crate::fluid::solvers::contract::SolverInput;
use crate::fluid::solvers::jacobi::Jacobi;
use crate::gpu::gpu_struct;

/// Added to the sum of the density's squared gradients, in units of (rest density / support radius)²: inside the fluid
/// the sum is about 2, and particles with few neighbors get softer corrections.
const RELAXATION: f64 = 0.05;
/// Factor on the first correction relative to the largest that is stable when it is repeated. A half would correct
/// exactly the velocities that answer the most; the evening of pressures, which some waves answer to as well, needs the
/// rest.
const SHARE: f64 = 0.45;

gpu_struct! {
    /// Parameters of the passes of DFSPH besides `FluidParameters`.
    pub struct DfsphParameters {
        /// Factor on the first correction, at which the shortest waves are corrected exactly.
        pub share: f32,
        /// Added to the sum of the density's squared gradients, kg²/m⁸.
        pub relaxation: f32,
        /// Share of the last step's pressures with which the iterations start.
        pub warm_start: f32,
        /// Mean increase of the density in a step at which iterations end, of the rest density.
        pub divergence_tolerance: f32,
        /// Mean excess of the density above which there are more iterations, of the rest density.
        pub density_tolerance: f32,
        /// Smallest number of iterations of a step.
        pub least_iterations: u32,
        /// Largest number of iterations of a step.
        pub most_iterations: u32,
        /// Coefficient of XSPH over the time step, 1/s.
        pub xsph: f32,
        /// Factor of the sum of the unevenness of pressures in a correction.
        pub evenness: f32,
        /// The kinematic viscosity times the time step over the square of the spacing.
        pub spread: f32,
    }
}

impl DfsphParameters {
    pub(super) fn new(input: &SolverInput<'_>) -> Self {
        let (problem, settings) = (&input.problem, input.problem.medium.settings);
        let (radius, ratio) = (problem.support_radius, problem.radius_ratio());
        let rest_density = f64::from(problem.medium.material.rest_density);
        let fluid = input.parameters;
        let slopes: f64 = problem.kernel.lattice_gradients(problem.dimensions, ratio).map(|(_, slope)| slope).sum();
        Self {
            share: (SHARE * Jacobi::new(problem.kernel, problem.dimensions, ratio).share) as f32,
            relaxation: (RELAXATION * (rest_density / radius).powi(2)) as f32,
            warm_start: settings.value(&WARM_START),
            divergence_tolerance: 0.01 * settings.value(&DIVERGENCE_TOLERANCE),
            density_tolerance: 0.01 * settings.value(&DENSITY_TOLERANCE),
            least_iterations: settings.count(&LEAST_ITERATIONS).min(settings.count(&ITERATIONS)),
            most_iterations: settings.count(&ITERATIONS),
            xsph: fluid.xsph / fluid.time_step,
            evenness: -settings.value(&EVENNESS) / slopes as f32,
            spread: problem.medium.material.kinematic_viscosity * fluid.time_step * fluid.inverse_spacing.powi(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DfsphParameters;
    use crate::fluid::solvers::contract::Shape;
    use crate::fluid::tests::assert_pair_layout;

    #[test]
    fn parameters_have_the_layout_of_the_shader() {
        assert_pair_layout::<DfsphParameters>(&super::super::factor(&Shape::default()));
    }
}
