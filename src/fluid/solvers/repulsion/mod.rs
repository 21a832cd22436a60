//! The particles of D. Morillo, R. Carmona, J. J. Perea and J. M. Cordero, A more efficient parallel method for
//! neighbour search using CUDA, VRIPHYS 2014, section 6, on any of the neighbor searches. They are not a fluid: they
//! repel each other, fall, and have no density.
//!
//! The paper says of its simulation that particles interact "by means of a force limited by the influence radius that
//! are inversely proportional to the distance between themselves", with k = 3600 N/m, m = 3·10⁻⁴ kg and a time step
//! of 2·10⁻⁴ s, under gravity, by "the second-order Euler method". It gives no formula. The force used here is
//!
//! F = k (R − d) along the line between two particles at a distance d below the influence radius R,
//!
//! since k then has the paper's unit and the step is stable: k dt² / m is 0.48, below the limit of 4 / 8 for twelve
//! particles around one, each at its radius. (With a force of k / d, particles at a distance of one centimeter would
//! move 50 m in one step.) The method is interpreted as velocities half a step before the positions, which is what
//! symplectic Euler computes and is of second order; the step x + v dt + a dt² / 2, v + a dt would gain energy from
//! any spring. A wall acts on a particle like the particle's mirror image behind it. `damping` is our addition; the
//! paper has none, which is a value of 0.
//!
//! One time step consists of *build* and *reorder* as for a fluid, and then *repulsion*, a pair kernel that also
//! moves the particles. The influence radius is the radius of the search. By default it equals the initial spacing,
//! since the paper does not state the spacing; `radius_ratio` changes this. The array of densities and pressures
//! contains the mass per cube of a spacing, and the pressure of the virial, Σ F d / 6 over that cube.
//!
//! Limitations: the particles do not behave like water. They settle into a heap that creeps like sand without
//! friction.

mod explanation;
mod settings;

use super::contract::{Accuracy, FluidSolver, Limits, PressureSource, Shape, SolverInfo, SolverInput};
use super::problem::{Medium, Problem};
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::FluidShader;
use crate::gpu::{Pass, gpu_struct};
use crate::search::Instrument;
use settings::{DAMPING, MASS, RADIUS_RATIO, STIFFNESS, TIME_STEP};

/// Largest eigenvalue of the springs between a particle and twelve touching neighbors, the largest number for spheres
/// of equal size, divided by the stiffness of one spring.
const TWELVE_SPRINGS: f64 = 8.0;
/// Largest motion of a wall in a step, spacings, so that particles in front of it can move out of the way.
const WALL_STEP: f64 = 0.25;

pub(super) static INFO: SolverInfo = SolverInfo {
    name: "repulsion",
    scene_name: "Repulsion",
    title: "Repulsion",
    source: "Morillo, Carmona, Perea and Cordero 2014",
    idea: "Morillo et al. 2014: particles that repel each other, not a fluid; selecting it restarts the scene",
    explanation: Some(&explanation::EXPLANATION),
    settings: settings::ALL,
    figures: &[],
    is_fluid: false,
    heeds_density: false,
    predicts: false,
    shifts: false,
    moves: 0.0,
    pressures: PressureSource::Densities,
    stiffness: |_, _| f64::INFINITY,
    resting_sound: |_| f64::INFINITY,
    accuracy: Accuracy::Resolved,
    plot_colors: [[200, 70, 0], [250, 190, 120]],
    fault,
    radius_ratio: |medium| medium.settings.value(&RADIUS_RATIO),
    particle_mass: |problem| problem.medium.settings.value(&MASS),
    time_step: |problem| f64::from(problem.medium.settings.value(&TIME_STEP)),
    limits,
    shorten_steps: None,
    lengthen_steps: None,
    terms: &[],
    shape: |_| Shape { terms: Vec::new(), repeats: 1 },
    carried: |_| &[],
    shaders: |_, _| vec![PRESSURE, repulsion()],
    create: |input| {
        let parameters = input.gpu.uniform("repulsion", &RepulsionParameters::new(input));
        Ok(Box::new(Repulsion { parameters }))
    },
};

const FILE: &str = "fluid/repulsion/repulsion.wgsl";

/// Computes pressures without moving particles.
const PRESSURE: FluidShader = FluidShader::pair(FILE, false);

/// Also moves particles.
fn repulsion() -> FluidShader {
    PRESSURE.with(&["MOVES"])
}

/// The field and the reason of a combination of settings that is unstable; `None` where it is stable.
fn fault(medium: Medium<'_>) -> Option<(String, String)> {
    let number = |setting| f64::from(medium.settings.value(setting));
    let (mass, step, damping, stiffness) = (number(&MASS), number(&TIME_STEP), number(&DAMPING), number(&STIFFNESS));
    // Stability of symplectic Euler with damping by the velocity before the step: dt² ω² + 2 dt γ < 4.
    let of_damping = TWELVE_SPRINGS * 2.0 * damping * step / mass;
    let of_stiffness = TWELVE_SPRINGS * stiffness * step * step / mass;
    let [mass_told, step_told] = [&MASS, &TIME_STEP].map(|setting| medium.settings.value(setting));
    // The defaults are at 96 % of the limit.
    if of_damping > 4.0 {
        let most = 4.0 * mass / (TWELVE_SPRINGS * 2.0 * step);
        let reason = format!(
            "is {} kg/s, and at most {most:.3} is stable for particles of {mass_told} kg in steps of {step_told} s; \
             use shorter steps or a smaller value",
            medium.settings.value(&DAMPING)
        );
        return Some((DAMPING.path(), reason));
    }
    let most = (4.0 - of_damping) * mass / (TWELVE_SPRINGS * step * step);
    let reason = || {
        format!(
            "is {} N/m, and at most {most:.0} is stable for particles of {mass_told} kg with twelve neighbors each in \
             steps of {step_told} s; use shorter steps or a smaller value",
            medium.settings.value(&STIFFNESS)
        )
    };
    (of_damping + of_stiffness > 4.0).then(|| (STIFFNESS.path(), reason()))
}

fn limits(problem: &Problem<'_>, resolution: &Resolution) -> Limits {
    Limits {
        wall_speed: WALL_STEP * problem.spacing / f64::from(resolution.time_step),
        wall_advice: ", or take shorter steps",
        thrown_speed: resolution.spacing / resolution.time_step,
        lightest_cloth: resolution.particle_mass / (resolution.spacing * resolution.spacing),
    }
}

gpu_struct! {
    /// Parameters of the pair kernel of repelling particles besides `FluidParameters`.
    pub struct RepulsionParameters {
        /// R, m.
        pub radius: f32,
        /// k over the mass, 1/s².
        pub stiffness: f32,
        /// Damping over the mass, 1/s.
        pub damping: f32,
        /// Mass over the cube of a spacing, in two dimensions its square: kg/m³.
        pub density: f32,
        /// Factor from a sum of acceleration times distance to pressure / density², m³/kg.
        pub virial: f32,
    }
}

impl RepulsionParameters {
    fn new(input: &SolverInput<'_>) -> Self {
        let (settings, dimensions) = (input.problem.medium.settings, input.problem.dimensions.count());
        let mass = f64::from(settings.value(&MASS));
        let density = mass / f64::from(input.resolution.spacing).powf(dimensions);
        Self {
            radius: input.resolution.support_radius,
            stiffness: (f64::from(settings.value(&STIFFNESS)) / mass) as f32,
            damping: (f64::from(settings.value(&DAMPING)) / mass) as f32,
            density: density as f32,
            // Half, since each pair is visited from both sides, divided by the number of dimensions.
            virial: (0.5 / dimensions / density) as f32,
        }
    }
}

/// The buffers of repelling particles.
struct Repulsion {
    parameters: wgpu::Buffer,
}

impl Repulsion {
    fn own(&self) -> [(&'static str, &wgpu::Buffer); 1] {
        [("repulsion", &self.parameters)]
    }
}

impl FluidSolver for Repulsion {
    fn write(&self, input: &SolverInput<'_>) {
        input.gpu.write_uniform(&self.parameters, &RepulsionParameters::new(input));
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("repulsion", &repulsion(), &self.own(), None)
    }

    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("pressure", &PRESSURE, &self.own(), None)
    }

    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("count pairs", &PRESSURE, &self.own(), Some(instrument))
    }
}

#[cfg(test)]
mod tests {
    use super::settings::{DAMPING, STIFFNESS, TIME_STEP};
    use super::{RepulsionParameters, fault};
    use crate::fluid::solvers::{Medium, SolverSettings};
    use crate::fluid::tests::{assert_pair_layout, plain_material};

    fn fault_of(settings: &SolverSettings) -> Option<(String, String)> {
        fault(Medium { material: &plain_material(), settings })
    }

    #[test]
    fn the_papers_numbers_are_stable_and_slightly_larger_ones_are_not() {
        let papers = SolverSettings::default();
        assert_eq!(fault_of(&papers), None);
        let stiffer = papers.clone().with(&STIFFNESS, 3800.0);
        let (field, reason) = fault_of(&stiffer).expect("it would blow up");
        assert!(field == "repulsion.stiffness", "{field}");
        assert!(reason.contains("is 3800 N/m") && reason.contains("at most 3750 is stable"), "{reason}");
        assert_eq!(fault_of(&stiffer.with(&TIME_STEP, 1e-4)), None);
        let braked = fault_of(&papers.clone().with(&DAMPING, 0.02)).expect("the combination is unstable");
        assert!(braked.1.contains("at most 3550 is stable"), "{braked:?}");
        assert_eq!(
            fault_of(&papers.with(&DAMPING, 1.0)).expect("velocities would change their sign").0,
            "repulsion.damping"
        );
    }

    #[test]
    fn parameters_have_the_layout_of_the_shader() {
        assert_pair_layout::<RepulsionParameters>(&super::PRESSURE);
    }
}
