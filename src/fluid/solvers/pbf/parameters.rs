//! The parameters of PBF in the layout of the shaders.

use super::settings::{RELAXATION, TENSILE, TENSILE_DISTANCE, TENSILE_POWER, VORTICITY};
use crate::fluid::solvers::contract::SolverInput;
use crate::fluid::solvers::jacobi::Jacobi;
use crate::gpu::gpu_struct;

/// The share of the unevenness of multipliers that a correction takes away, the default of DFSPH.
const EVENNESS: f32 = 0.4;

gpu_struct! {
    /// Parameters of the passes of PBF besides `FluidParameters`.
    pub struct PbfParameters {
        /// Added to the sum of the constraint's squared gradients, 1/m².
        pub relaxation: f32,
        /// Artificial pressure of a pair at the tensile distance, as a fraction of its pressure.
        pub tensile: f32,
        /// 1 / shape at the tensile distance.
        pub inverse_tensile_shape: f32,
        /// n of the paper's equation 13.
        pub tensile_power: f32,
        /// ε of the vorticity confinement, m/s.
        pub vorticity: f32,
        /// Factor on each correction.
        pub share: f32,
        /// What a lattice under pressure bears with the artificial pressure of close pairs over what it bears without.
        pub bearing: f32,
        /// Factor of the sum of the unevenness of multipliers in a correction of water under tension.
        pub evenness: f32,
        /// Number of corrections in a step.
        pub iterations: f32,
    }
}

impl PbfParameters {
    pub(super) fn new(input: &SolverInput<'_>) -> Self {
        let (problem, settings) = (&input.problem, input.problem.medium.settings);
        let radius = f64::from(input.resolution.support_radius);
        let ratio = radius / f64::from(input.resolution.spacing);
        let slopes: f64 = problem.kernel.lattice_gradients(problem.dimensions, ratio).map(|(_, slope)| slope).sum();
        let tensile_distance = f64::from(settings.value(&TENSILE_DISTANCE));
        Self {
            relaxation: (f64::from(settings.value(&RELAXATION)) / (radius * radius)) as f32,
            tensile: settings.value(&TENSILE),
            inverse_tensile_shape: problem.kernel.shape(tensile_distance).recip() as f32,
            tensile_power: settings.value(&TENSILE_POWER),
            vorticity: settings.value(&VORTICITY),
            share: Jacobi::new(problem.kernel, problem.dimensions, ratio).share as f32,
            bearing: bearing(input) as f32,
            evenness: -EVENNESS / slopes as f32,
            iterations: input.shape.repeats as f32,
        }
    }
}

/// The first moment of the kernel's gradients in the lattice with the artificial pressure over that without.
fn bearing(input: &SolverInput<'_>) -> f64 {
    let (problem, settings) = (&input.problem, input.problem.medium.settings);
    let (ratio, kernel) = (problem.radius_ratio(), problem.kernel);
    let number = |setting| f64::from(settings.value(setting));
    let least = kernel.shape(number(&TENSILE_DISTANCE));
    let (mut with, mut without) = (0.0, 0.0);
    for (place @ [x, ..], slope) in kernel.lattice_gradients(problem.dimensions, ratio) {
        let q = f64::from(place.iter().map(|along| along * along).sum::<i32>()).sqrt() / ratio;
        let moment = slope * f64::from(x * x);
        let nearness = (kernel.shape(q) / least).powf(number(&TENSILE_POWER));
        without += moment;
        with += moment * (1.0 + number(&TENSILE) * nearness);
    }
    with / without
}

#[cfg(test)]
mod tests {
    use super::PbfParameters;
    use crate::fluid::tests::assert_pair_layout;

    #[test]
    fn parameters_have_the_layout_of_the_shader() {
        assert_pair_layout::<PbfParameters>(&super::super::LAMBDA);
    }
}
