//! Divergence-free SPH: pressures are iterated until neither the velocities nor the motion of the step compress the
//! water (J. Bender and D. Koschier, Divergence-free smoothed particle hydrodynamics, SCA 2015; Divergence-free SPH for
//! incompressible and viscous fluids, IEEE TVCG 23, 2017).
//!
//! After the search's build and *reorder* a step consists of
//! 1. *carry pressures*, which brings the pressures of the last step into the sorted order;
//! 2. *density and factor*, a pair kernel: density, the factor alpha, and the rate of the density with the current
//!    velocities, which decides at no further cost whether the divergence-free solver is needed at all;
//! 3. the divergence-free solver, whose iterations consist of two pair kernels, *pressure* and *error*, and of *mean
//!    error* and *decide*;
//! 4. *forces*, a pair kernel: viscosity, surface tension, XSPH, gravity, and the pressures of the last step;
//! 5. the constant-density solver, with iterations of the same kind;
//! 6. *integrate*.
//!
//! The device decides when a solver has finished (`iterations.rs`): all iterations that the settings allow are recorded,
//! and those that are not needed are dispatches without workgroups, so that no step waits for a read-back. Iterations
//! and errors are figures of the solver, which the overlay shows.
//!
//! **Pressure is never negative.** The sum of all corrections of a particle is cut at zero, so that particles at a free
//! surface, which lack neighbors, are not pulled together; a later correction may take back what an earlier one gave
//! too much (M. Ihmsen et al., Implicit incompressible SPH, IEEE TVCG 20, 2014, algorithm 1). The divergence-free solver
//! leaves out particles with less than 85 % of the rest density, as implementations of the paper leave out particles
//! with few neighbors.
//!
//! **Iterations.** The paper's correction is a Jacobi iteration. It is multiplied by half of the largest stable share
//! (`solvers/jacobi.rs`), and each iteration carries on a part of the last change (heavy ball). With the factors
//! (k − 1.5) / (k + 2) and 3.2 − 2.2 / k of iteration k, n = 4 and 6 iterations correct a long wave 10 and 21 times as
//! much as one, while the remaining error of every other wave stays between −0.24 and 1 of the initial one, also where
//! disorder raises the largest response by 15 % (found by a search over such factors). A residual below −1/3 would be
//! unstable from step to step: the next step starts with the velocity that corrected the error.
//!
//! **Warm start.** A step starts with half of the last step's pressures. For a wave of which a step corrects the share μ,
//! the errors of density, velocity and pressure are multiplied by a matrix of eigenvalues z with
//! ((z − 1) / z)³ = −μ / (1 − μ) if it starts with the whole pressure, so that waves with μ < 1/2 grow. With a half none
//! with μ ≤ 1.2 grows, and the compression of water at rest is half of that without a warm start. At 0.6 a tank at rest
//! becomes restless, and at 0.7 it sloshes.
//!
//! **Solids** take part with their weights in the density of the fluid, and the force of a pair is that of the fluid
//! particle's pressure alone: together they follow from one potential, so a body displaces as much water as its
//! particles stand for. Reactions are those of the last pressures.
//!
//! **Steps** follow from the CFL condition with the expected speed of the scene, not with the current one: the length of
//! a step is known to the host, and all else that depends on it (bodies, cloths, emitters) with it.
//!
//! The number of iterations may alternate between two values in steady water, and the pressure of single steps with it
//! by some percent. Files and probes therefore get the mean of two steps.
//!
//! Memory per particle beyond that of WCSPH: 16 bytes for the factors and errors, and 16 for the kept pressures.
//!
//! Limitations: a correction reaches one support radius per iteration, so deep water needs more iterations; tanks of 40
//! layers and more keep a noise of some centimeters per second at the default tolerance. XSPH, viscosity and surface
//! tension are explicit, and viscosity is limited to what is stable. Particles may rest at a wall, and up to a tenth of
//! a spacing inside a solid.

mod explanation;
mod iterations;
mod parameters;
mod settings;

use super::contract::{Accuracy, FluidSolver, Limits, PressureSource, Shape, SolverInfo, SolverInput};
use super::figure::{MOST_FIGURES, SolverFigure};
use super::problem::{Medium, Problem};
use super::setting::SolverSettings;
use crate::fluid::FluidError;
use crate::fluid::context::CarriedArray;
use crate::fluid::density::SUMMED_DENSITY;
use crate::fluid::expected_motion::FORCE;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::gpu::Pass;
use crate::search::Instrument;
use iterations::{CONSTANT_DENSITY, FIRST, Iterations, Kind};
use parameters::DfsphParameters;
use settings::{COURANT, DENSITY_ITERATIONS, DIVERGENCE_ITERATIONS, LARGEST_STEP};

/// Coefficient of the limit of the step by the shortest capillary wave (Brackbill, Kothe and Zemach 1992, equation 61).
const CAPILLARY: f64 = 0.25;
/// Largest motion of a wall in a step, spacings.
const WALL_STEP: f64 = 0.25;

const XSPH: &str = "XSPH";
const VISCOUS: &str = "VISCOUS";
const COHESION: &str = "COHESION";

pub(super) static INFO: SolverInfo = SolverInfo {
    name: "dfsph",
    scene_name: "Dfsph",
    title: "DFSPH",
    source: "Bender and Koschier 2015, 2017",
    idea: "Divergence-free SPH: pressures are iterated until neither the velocities nor the motion compress the water",
    explanation: Some(&explanation::EXPLANATION),
    settings: settings::ALL,
    figures: FIGURES,
    is_fluid: true,
    heeds_density: false,
    predicts: true,
    pressures: PressureSource::LastStep,
    stiffness: |_, _| f64::INFINITY,
    accuracy: Accuracy::Damped,
    plot_colors: [[0, 120, 70], [150, 220, 180]],
    fault: |_| None,
    radius_ratio: |medium| medium.material.radius_ratio,
    particle_mass: |problem| problem.mass_of_rest_density(),
    time_step,
    limits,
    shorten_steps: Some(|settings: &mut SolverSettings, step| {
        let step = (step as f32).clamp(LARGEST_STEP.least, settings.value(&LARGEST_STEP));
        settings.set(&LARGEST_STEP, step);
    }),
    terms: &[XSPH, VISCOUS, COHESION],
    shape,
    carried: |_| CARRIED,
    shaders,
    create: |input| Ok(Box::new(Dfsph::new(input)?)),
};

/// What `decide` in measure.wgsl writes, in this order.
static FIGURES: &[SolverFigure] = &[
    SolverFigure {
        name: "density iterations",
        unit: "in the last step",
        hover: "iterations of the constant-density solver in the last step",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "density error",
        unit: "%",
        hover: "mean excess of the predicted density over the rest density after these iterations",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "divergence iterations",
        unit: "in the last step",
        hover: "iterations of the divergence-free solver in the last step",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "divergence error",
        unit: "%",
        hover: "mean increase of the density in a step by the velocities after these iterations",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "mean density iterations",
        unit: "per step",
        hover: "iterations of the constant-density solver, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "mean divergence iterations",
        unit: "per step",
        hover: "iterations of the divergence-free solver, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "mean density error",
        unit: "%",
        hover: "density error after the iterations, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "not converged",
        unit: "% of steps",
        hover: "steps that ended with the largest number of iterations and a larger error than the settings allow",
        is_live: true,
        warns_above: Some(0.0),
    },
];

/// The pressures with which the next step's iterations start: pressure / density², m⁵/(kg s²), of the constant-density
/// and of the divergence-free solver.
static CARRIED: &[CarriedArray] = &[CarriedArray {
    label: "pressures kept",
    sorted_label: "pressures kept in sorted order",
    name: "carried",
    sorted_name: "sorted_carried",
    words: 2,
}];

/// Length of a step, s: by the CFL condition and the acceleration with the expected motion, and at most the largest.
fn time_step(problem: &Problem<'_>) -> f64 {
    let (settings, material) = (problem.medium.settings, problem.medium.material);
    let h = 0.5 * problem.support_radius;
    let courant = f64::from(settings.value(&COURANT)) * problem.spacing / problem.expected_speed;
    let force = FORCE * (h / problem.strongest_pull).sqrt();
    let wave = f64::from(material.rest_density) * h.powi(3)
        / (2.0 * std::f64::consts::PI * f64::from(material.surface_tension));
    courant.min(force).min(CAPILLARY * wave.sqrt()).min(f64::from(settings.value(&LARGEST_STEP)))
}

fn limits(problem: &Problem<'_>, resolution: &Resolution) -> Limits {
    Limits {
        wall_speed: WALL_STEP * problem.spacing / f64::from(resolution.time_step),
        wall_advice: ", or lower the largest step",
        thrown_speed: resolution.spacing / resolution.time_step,
        lightest_cloth: problem.medium.material.rest_density * resolution.spacing,
    }
}

fn shape(medium: Medium<'_>) -> Shape {
    let material = medium.material;
    let terms = [
        (material.xsph > 0.0).then_some(XSPH),
        material.is_viscous().then_some(VISCOUS),
        (material.surface_tension > 0.0).then_some(COHESION),
    ];
    // The passes depend on both numbers of iterations.
    let (divergence, density) =
        (medium.settings.count(&DIVERGENCE_ITERATIONS), medium.settings.count(&DENSITY_ITERATIONS));
    Shape { terms: terms.into_iter().flatten().collect(), repeats: (divergence << 16) | density }
}

const CARRY_FILE: &str = "fluid/dfsph/carry.wgsl";
const FACTOR_FILE: &str = "fluid/dfsph/factor.wgsl";
const PRESSURE_FILE: &str = "fluid/dfsph/pressure.wgsl";
const RATE_FILE: &str = "fluid/dfsph/rate.wgsl";
const MEASURE_FILE: &str = "fluid/dfsph/measure.wgsl";
const BEGIN_FILE: &str = "fluid/dfsph/begin.wgsl";
const FORCES_FILE: &str = "fluid/dfsph/forces.wgsl";
const INTEGRATE_FILE: &str = "fluid/dfsph/integrate.wgsl";

const CARRY: FluidShader = FluidShader::single(CARRY_FILE, "carry_pressures");
const FACTOR: FluidShader = FluidShader::pair_with_images(FACTOR_FILE, true);
const PRESSURE: FluidShader = FluidShader::pair_with_images(PRESSURE_FILE, true);
const RATE: FluidShader = FluidShader::pair_with_images(RATE_FILE, true);
const MEASURE: FluidShader = FluidShader::single(MEASURE_FILE, "measure_parts");
const DECIDE: FluidShader = FluidShader::single(MEASURE_FILE, "decide");
const BEGIN: FluidShader = FluidShader::single(BEGIN_FILE, "begin_constant_density");
const INTEGRATE: FluidShader = FluidShader::single(INTEGRATE_FILE, "integrate");

/// The forces besides pressure. They read velocities (MOVING) where there is viscosity or XSPH, and sum up accelerations
/// besides pressure (OTHERS) where there is any.
fn forces(shape: &Shape) -> FluidShader {
    let moving = shape.has(XSPH) || shape.has(VISCOUS);
    let forces = FluidShader::pair_with_images(FORCES_FILE, true).with(&shape.among(&[XSPH, VISCOUS, COHESION]));
    forces.with_if(moving, "MOVING").with_if(moving || shape.has(COHESION), "OTHERS")
}

fn shaders(shape: &Shape, _: Surroundings) -> Vec<FluidShader> {
    let mut shaders = vec![SUMMED_DENSITY, CARRY, FACTOR, BEGIN, forces(shape), INTEGRATE];
    shaders.push(RATE.with(&[CONSTANT_DENSITY, FIRST]));
    for kind in [Kind::DivergenceFree, Kind::ConstantDensity] {
        let flags = kind.flags();
        shaders.extend([PRESSURE.with(flags), RATE.with(flags), MEASURE.with(flags), DECIDE.with(flags)]);
        shaders.push(DECIDE.with(flags).with(&[FIRST]));
    }
    shaders
}

/// Words of `Totals` in measure.wgsl.
const TOTAL_WORDS: u64 = 8;
/// Parts of a measurement, and words of each.
const PART_WORDS: u64 = 2 * 256;

/// The buffers of DFSPH.
struct Dfsph {
    parameters: wgpu::Buffer,
    /// `Solution` of each particle in sorted order: four floats; len = `particle_count`.
    solutions: wgpu::Buffer,
    parts: wgpu::Buffer,
    totals: wgpu::Buffer,
    figures: wgpu::Buffer,
    divergence_free: Iterations,
    constant_density: Iterations,
    shape: Shape,
}

impl Dfsph {
    fn new(input: &SolverInput<'_>) -> Result<Self, FluidError> {
        let gpu = input.gpu;
        let settings = input.problem.medium.settings;
        Ok(Self {
            parameters: gpu.uniform("dfsph", &DfsphParameters::new(input)),
            solutions: gpu.storage::<[f32; 4]>("solutions", input.particle_count.into())?,
            parts: gpu.storage::<u32>("parts of the mean error", PART_WORDS)?,
            totals: gpu.storage::<u32>("totals of the iterations", TOTAL_WORDS)?,
            figures: gpu.storage::<f32>("figures", MOST_FIGURES as u64)?,
            divergence_free: Iterations::new(gpu, Kind::DivergenceFree, settings.count(&DIVERGENCE_ITERATIONS))?,
            constant_density: Iterations::new(gpu, Kind::ConstantDensity, settings.count(&DENSITY_ITERATIONS))?,
            shape: input.shape.clone(),
        })
    }
}

impl FluidSolver for Dfsph {
    fn write(&self, input: &SolverInput<'_>) {
        input.gpu.write_uniform(&self.parameters, &DfsphParameters::new(input));
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let shared = [
            ("dfsph", &self.parameters),
            ("solutions", &self.solutions),
            ("parts", &self.parts),
            ("totals", &self.totals),
            ("figures", &self.figures),
        ];
        let with = |more: &[(&'static str, _)]| [shared.as_slice(), more].concat();
        // The buffers of the state are free between the search's build and the end of the step.
        let divergence = with(&[("unpressed", maker.sorted_velocities()), ("iterate", maker.velocities())]);
        let density = with(&[("unpressed", maker.positions()), ("iterate", maker.sorted_velocities())]);
        let control = with(&[("control", &self.divergence_free.control)]);

        let mut passes = vec![maker.each("carry pressures", &CARRY, &shared)?];
        passes.extend(maker.pairs("density and factor", &FACTOR, &shared, None)?);
        passes.extend(self.divergence_free.first(maker, &divergence)?);
        passes.extend(self.divergence_free.passes(maker, &divergence)?);
        passes.push(maker.each("begin constant density", &BEGIN, &control)?);
        passes.extend(maker.pairs("forces", &forces(&self.shape), &density, None)?);
        let first = RATE.with(&[CONSTANT_DENSITY, FIRST]);
        passes.extend(maker.pairs("density 0: error", &first, &density, None)?);
        passes.extend(self.constant_density.first(maker, &density)?);
        passes.extend(self.constant_density.passes(maker, &density)?);
        passes.push(maker.each("integrate", &INTEGRATE, &density)?);
        Ok(passes)
    }

    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let mut passes = vec![maker.each("carry pressures", &CARRY, &[])?];
        passes.extend(maker.pairs("density", &SUMMED_DENSITY, &[], None)?);
        Ok(passes)
    }

    fn figures(&self) -> Option<&wgpu::Buffer> {
        Some(&self.figures)
    }

    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("count pairs", &SUMMED_DENSITY, &[], Some(instrument))
    }
}
