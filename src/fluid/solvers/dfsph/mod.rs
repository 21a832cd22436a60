//! Divergence-free SPH: pressures are iterated until neither the velocities nor the motion of the step compress the
//! water (J. Bender and D. Koschier, Divergence-free smoothed particle hydrodynamics, SCA 2015; Divergence-free SPH for
//! incompressible and viscous fluids, IEEE TVCG 23, 2017).
//!
//! After the search's build and *reorder* a step consists of
//! 1. *carry pressures*, which brings the pressures of the last step into the sorted order;
//! 2. *density and factor*, a pair kernel: density, the factor alpha, the pressures to start with, and the corrections
//!    of gradients;
//! 3. where the viscosity is high for the step, stages of *viscosity* (`solvers/viscosity.rs`);
//! 4. *forces*, a pair kernel: viscosity, XSPH, gravity, and the pressures of the last step;
//! 5. the iterations, which consist of two pair kernels, *error* and *pressure*, and of *mean error* and *decide*;
//! 6. *integrate*.
//!
//! The device decides when the iterations end (`iterations.rs`): all that the settings allow are recorded, and those
//! that are not needed are dispatches without workgroups, so that no step waits for a read-back. The number of
//! iterations and the errors are figures of the solver, which the overlay shows.
//!
//! **Two pressures.** That of the divergence-free solver changes velocities, and that of the constant-density solver
//! shifts positions and leaves velocities as they are, as in the two projections of X. Y. Hu and N. A. Adams (An
//! incompressible multi-phase SPH method, Journal of Computational Physics 227, 2007). In the papers on DFSPH both
//! change velocities, and then errors of the density keep the water in motion: let a step correct the share μ of a
//! wave's error, start with the share γ of the last pressure, and let β be the share of the density's error that it
//! turns into velocities. The errors of density and velocity then decay only if β < 1 − γ + μγ, where μ is as small as
//! the water is deep (about 0.002 at 40 layers and 2 iterations). With β = 1 and γ = 1/2, which implementations use,
//! long waves are not damped at all, and with γ = 1 they grow. With β = 0 every wave decays by the factor √(1 − μ) per
//! step with the whole last pressure (γ = 1), with which water at rest has the pressure of its depth and no
//! compression. The shifts decay by themselves; one correction per step suffices, because the next steps correct what
//! it leaves.
//!
//! The constraint of the divergence-free solver is that velocities do not compress a particle, unless its density is
//! more than 6 % below the rest density: gaps in spray close freely.
//!
//! **Pressure is never negative** unless the scene gives an ambient pressure; then water bears tension (`tension.rs`).
//! The sum of all corrections of a particle is cut at zero, so that particles at a free
//! surface, which lack neighbors, are not pulled together; a later correction may take back what an earlier one gave
//! too much (M. Ihmsen et al., Implicit incompressible SPH, IEEE TVCG 20, 2014, algorithm 1). Within the water, where
//! the gradient of the density is small, shifts may also pull particles together. If they only pushed, every particle
//! would end at or below the rest density, and water without order would rise by 1 %.
//!
//! **Iterations.** The paper's correction is a Jacobi iteration. It is multiplied by half of the largest stable share
//! (`solvers/jacobi.rs`), a little less for the sake of even pressures, and each iteration carries on a part of the
//! last change (heavy ball). With the factors (k − 1.5) / (k + 2) and 3.2 − 2.2 / k of iteration k, n = 4 and 6
//! iterations correct a long wave 10 and 21 times as much as one, while the remaining error of every other wave stays
//! between −0.24 and 1 of the initial one, also where disorder raises the largest response by 15 % (found by a search
//! over such factors).
//!
//! **Even pressures.** Pressures that alternate from layer to layer accelerate nothing in a symmetric sum over
//! neighbors, so that no error of the velocities ever corrects them, and the start with the last pressure keeps them
//! forever. The free surface feeds them: its particles have no pressure, and the layers below take turns in bearing
//! too much and too little, at any depth. Each correction therefore takes a share (`dfsph.evenness`) of the unevenness
//!
//! E = Σ w ((p/ρ²)ᵢ − (p/ρ²)ⱼ + (aᵢ + aⱼ) · (xᵢ − xⱼ) / 2ρ₀), w = −∂W/∂r / r over its sum in the lattice,
//!
//! where a is the acceleration by the current pressures: what the differences to the neighbors exceed their mean
//! gradient by. It vanishes wherever the pressure is linear, however the particles lie, and is of fourth order in the
//! wavenumber for long waves, as the difference of a narrow and a wide Laplacian is on grids (C. M. Rhie and W. L.
//! Chow, Numerical study of the turbulent flow past an airfoil with trailing edge separation, AIAA Journal 21, 1983;
//! for the diffusion of densities of WCSPH, M. Antuono, A. Colagrossi, S. Marrone and D. Molteni, Free-surface flows
//! solved by means of SPH schemes with numerical diffusive terms, Computer Physics Communications 181, 2010; for this
//! solver it is our own). The images behind walls continue the hydrostatic pressure and mirror the other
//! accelerations. Only pairs under pressure count, and solids, which mirror pressures, do not. The velocities may
//! compress a particle by what E leaves; shifts correct it.
//!
//! **Full boxes.** Without a free surface pressures are known up to a constant only, and the start with the last ones
//! would keep whatever constant a step has added: as the water's order is disturbed, the sums of its kernels grow
//! everywhere, and with it the constant, until its forces, which add up to zero only in a lattice, throw the water
//! about (docs/VALIDATION.md). The pressure that all particles have at least is therefore taken from those that are
//! kept. Where there is a free surface, it is zero.
//!
//! **When iterations end.** Two means over all particles must be small enough: that of increases of the density, below
//! the tolerance, and that of decreases, as far as the particles have pressure to be taken back, below three times the
//! tolerance. In the paper only increases count. Then pressure builds up in many iterations and is taken back in few:
//! water that expands is softer than water that is compressed, gives back more energy than it took, and a deep tank
//! that begins without pressure bounces higher each time, until it is thrown up (docs/VALIDATION.md). With the same
//! limit for both, no energy is gained, but a dam break needs a quarter to a third more iterations and is compressed
//! four to ten times as much.
//!
//! The speed of sound that the iterations amount to does not depend on the resolution, since μ and the square of the
//! step decrease alike. Two iterations are enough while pressures change slowly; the tolerance of the divergence adds
//! more where they build up, as at the start of a scene and in impacts.
//!
//! **Solids** take part with their weights in the density of the fluid, and each of their particles mirrors the
//! pressure of the fluid particle in a pair, with the hydrostatic difference to its own place, as with WCSPH. (In the
//! papers they have no pressure. Water under uniform pressure is then not in equilibrium in front of a solid, and its
//! first layer sinks into it.) Reactions are those of the last pressures. So that the rate of a density is what the
//! pressure answers, solids mirror velocities as well, and their particles count twice for it. In viscous water
//! pressures are evened out less beside solids: where it does not lie in the order of the lattice they cannot be even
//! at rest, and evening them out makes it flow.
//!
//! **Free bodies** move by the pressures so far in each iteration, and count with their mobility in the factor alpha
//! (`solids/bodies/mod.rs`).
//!
//! **Corrected gradients.** The velocities' pressure terms are tensors, as in the accurate mode of WCSPH and for its
//! reason (`wcsph/accurate.rs`): otherwise water under pressure resists a change of its shape like a crystal, and tanks
//! slosh 5 % too fast. The rate of the density, the factor alpha and the shifts know nothing of it. Forces of pairs are
//! opposite, and the sum of their torques is zero, beside solids excepted. `dfsph.corrected=0` leaves the correction
//! out.
//!
//! **Angular momentum.** Shifts leave velocities as they are, and so they change the angular momentum of each pair.
//! Giving the velocities of each pair the opposite change, by −(δ / |x|) times their part at right angles to the pair,
//! where δ is what it adds to the shift, keeps it to second order, but was unstable where shifts pull for long: a
//! square of water that rotates freely, without tension, gained energy without bound. So shifts keep angular momentum
//! only approximately.
//!
//! **Steps** follow from the CFL condition with the expected speed of the scene, not with the current one: the length
//! of a step is known to the host, and all else that depends on it (bodies, cloths, emitters) with it.
//!
//! Memory per particle beyond that of WCSPH: 28 bytes for factors, errors and pressures, 16 for the kept pressures, and
//! 16 for the corrections.
//!
//! Limitations: a correction reaches one support radius per iteration, so that pressure needs some steps to build up in
//! deep water. XSPH is explicit. Shifts do not act on solids. Without an ambient pressure, water under tension
//! separates (docs/VALIDATION.md).

mod explanation;
mod iterations;
mod parameters;
mod settings;

use super::contract::{Accuracy, FluidSolver, Limits, PressureSource, Shape, SolverInfo, SolverInput};
use super::figure::{MOST_FIGURES, SolverFigure};
use super::problem::{Medium, Problem};
use super::setting::SolverSettings;
use super::tension::{TENSION, bears_tension};
use super::viscosity::{Reach, STAGE, STAGED, VISCOUS, Viscosity, is_staged, longest_step};
use crate::fluid::FluidError;
use crate::fluid::context::CarriedArray;
use crate::fluid::density::SUMMED_DENSITY;
use crate::fluid::expected_motion::FORCE;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::fluid::solids::Shown;
use crate::gpu::Pass;
use crate::search::Instrument;
use iterations::Iterations;
use parameters::DfsphParameters;
use settings::{CORRECTED as CORRECTED_SETTING, COURANT, ITERATIONS, LARGEST_STEP};

/// Largest motion of a wall in a step, spacings.
const WALL_STEP: f64 = 0.25;

/// Definition of the shaders of the first iteration of a step.
const FIRST: &str = "FIRST";
const XSPH: &str = "XSPH";
/// Gradients of pressure are corrected.
const CORRECTED: &str = "CORRECTED";

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
    shifts: true,
    moves: 0.0,
    pressures: PressureSource::LastStep,
    stiffness: |_, _| f64::INFINITY,
    resting_sound: |_| f64::INFINITY,
    accuracy: Accuracy::Damped,
    plot_colors: [[0, 120, 70], [150, 220, 180]],
    fault: |_| None,
    radius_ratio: |medium| medium.material.radius_ratio,
    particle_mass: |problem| problem.mass_of_cell(),
    time_step,
    limits,
    shorten_steps: Some(|settings: &mut SolverSettings, step| {
        let step = (step as f32).clamp(LARGEST_STEP.least, settings.value(&LARGEST_STEP));
        settings.set(&LARGEST_STEP, step);
    }),
    lengthen_steps: None,
    terms: &[XSPH, VISCOUS, STAGED, CORRECTED, TENSION],
    shape,
    carried: |_| CARRIED,
    shaders,
    create: |input| Ok(Box::new(Dfsph::new(input)?)),
};

/// What `decide` in measure.wgsl writes, in this order.
static FIGURES: &[SolverFigure] = &[
    SolverFigure {
        name: "iterations",
        unit: "in the last step",
        hover: "iterations of both solvers in the last step",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "density error",
        unit: "%",
        hover: "mean excess of the density over the rest density at the start of the last step",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "divergence error",
        unit: "%",
        hover: "mean increase of the density in a step by the velocities in the last iteration, beyond what even \
                pressures allow, or a third of the mean decrease under pressure where that is larger",
        is_live: true,
        warns_above: None,
    },
    SolverFigure {
        name: "mean iterations",
        unit: "per step",
        hover: "iterations of both solvers, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "mean density error",
        unit: "%",
        hover: "density error, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "mean divergence error",
        unit: "%",
        hover: "divergence error in the last iteration, mean of all steps",
        is_live: false,
        warns_above: None,
    },
    SolverFigure {
        name: "not converged",
        unit: "% of steps",
        hover: "steps that ended with the largest number of iterations and a larger divergence error than the settings allow",
        is_live: true,
        warns_above: Some(25.0),
    },
];

/// The pressures with which the next step's iterations start: pressure / density², m⁵/(kg s²), of the divergence-free
/// and of the constant-density solver.
static CARRIED: &[CarriedArray] = &[CarriedArray {
    label: "pressures kept",
    sorted_label: "pressures kept in sorted order",
    name: "carried",
    sorted_name: "sorted_carried",
    words: 2,
}];

/// Length of a step, s: by the CFL condition and the acceleration with the expected motion, and at most the largest and
/// what surface tension and viscosity allow.
fn time_step(problem: &Problem<'_>) -> f64 {
    let settings = problem.medium.settings;
    let h = 0.5 * problem.support_radius;
    let courant = f64::from(settings.value(&COURANT)) * problem.spacing / problem.expected_speed;
    let force = FORCE * (h / problem.strongest_pull).sqrt();
    let by_motion = courant.min(force).min(f64::from(settings.value(&LARGEST_STEP)));
    by_motion.min(problem.capillary_step()).min(longest_step(problem))
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
        (material.kinematic_viscosity > 0.0).then_some(STAGED),
        (medium.settings.count(&CORRECTED_SETTING) > 0).then_some(CORRECTED),
        bears_tension(material).then_some(TENSION),
    ];
    Shape { terms: terms.into_iter().flatten().collect(), repeats: medium.settings.count(&ITERATIONS) }
}

const CARRY_FILE: &str = "fluid/dfsph/carry.wgsl";
const FACTOR_FILE: &str = "fluid/dfsph/factor.wgsl";
const PRESSURE_FILE: &str = "fluid/dfsph/pressure.wgsl";
const RATE_FILE: &str = "fluid/dfsph/rate.wgsl";
const MEASURE_FILE: &str = "fluid/dfsph/measure.wgsl";
const FORCES_FILE: &str = "fluid/dfsph/forces.wgsl";
const INTEGRATE_FILE: &str = "fluid/dfsph/integrate.wgsl";

const CARRY: FluidShader = FluidShader::single(CARRY_FILE, "carry_pressures");
// The pair kernels of this solver vanish at the radius, with the exception of the rate under tension, and do not
// declare it: they load so much for a candidate that it is faster to test its distance first, with every search
// (docs/BENCHMARKS.md).
const MEASURE: FluidShader = FluidShader::single(MEASURE_FILE, "measure_parts");
const DECIDE: FluidShader = FluidShader::single(MEASURE_FILE, "decide");
const INTEGRATE: FluidShader = FluidShader::single(INTEGRATE_FILE, "integrate").loading_walls();

/// The forces besides pressure. They read velocities (MOVING) where there is viscosity or XSPH, and sum up
/// accelerations besides pressure (OTHERS) where there is any, of which solids have some.
fn forces(shape: &Shape, surroundings: Surroundings) -> FluidShader {
    let moving = shape.has(XSPH) || shape.has(VISCOUS);
    let terms = shape.among(&[XSPH, VISCOUS, CORRECTED, TENSION]);
    let forces = FluidShader::pair_with_images(FORCES_FILE, false)
        .loading_walls()
        .with(&terms)
        .with_if(is_staged(shape), STAGED);
    let others = moving || surroundings.boundary;
    forces.with_if(moving, "MOVING").with_if(others, "OTHERS")
}

fn factor(shape: &Shape) -> FluidShader {
    FluidShader::pair_with_images(FACTOR_FILE, false).with(&shape.among(&[CORRECTED, TENSION]))
}

fn pressure(shape: &Shape) -> FluidShader {
    FluidShader::pair_with_images(PRESSURE_FILE, false).loading_walls().with(&shape.among(&[CORRECTED, TENSION]))
}

/// The errors of an iteration.
fn rate(shape: &Shape) -> FluidShader {
    FluidShader::pair_with_images(RATE_FILE, false).with(&shape.among(&[TENSION]))
}

fn shaders(shape: &Shape, surroundings: Surroundings) -> Vec<FluidShader> {
    let of_first = [rate(shape), pressure(shape), DECIDE].map(|shader| shader.with(&[FIRST]));
    let all = [
        SUMMED_DENSITY,
        CARRY,
        factor(shape),
        forces(shape, surroundings),
        rate(shape),
        MEASURE,
        pressure(shape),
        DECIDE,
        INTEGRATE,
    ];
    all.into_iter().chain(of_first).chain(is_staged(shape).then_some(STAGE)).collect()
}

fn corrections(input: &SolverInput<'_>) -> Result<wgpu::Buffer, FluidError> {
    Ok(input.gpu.storage::<[u32; 4]>("corrections of gradients", input.particle_count.into())?)
}

/// Words of `Totals` in measure.wgsl.
const TOTAL_WORDS: u64 = 5;
/// Words of a part of a measurement, times the number of parts.
const PART_WORDS: u64 = 5 * 256;
/// Words of `Solution` in parameters.wgsl.
const SOLUTION_WORDS: usize = 5;

/// The buffers of DFSPH.
struct Dfsph {
    parameters: wgpu::Buffer,
    /// `Solution` of each particle in sorted order; len = `particle_count`.
    solutions: wgpu::Buffer,
    /// Pressure / density² of both solvers for each particle in sorted order, m⁵/(kg s²); len = `particle_count`.
    terms: wgpu::Buffer,
    parts: wgpu::Buffer,
    totals: wgpu::Buffer,
    figures: wgpu::Buffer,
    iterations: Iterations,
    /// What the correction of gradients takes from each particle's pressure terms (corrections.wgsl).
    corrections: Option<wgpu::Buffer>,
    viscosity: Option<Viscosity>,
    shape: Shape,
}

impl Dfsph {
    fn new(input: &SolverInput<'_>) -> Result<Self, FluidError> {
        let gpu = input.gpu;
        let settings = input.problem.medium.settings;
        let reach = Reach { alone: Reach::WHOLE, may_be_many: is_staged(input.shape) };
        Ok(Self {
            parameters: gpu.uniform("dfsph", &DfsphParameters::new(input)),
            solutions: gpu.storage::<[f32; SOLUTION_WORDS]>("solutions", input.particle_count.into())?,
            terms: gpu.storage::<[f32; 2]>("pressures of the iterations", input.particle_count.into())?,
            parts: gpu.storage::<u32>("parts of the mean error", PART_WORDS)?,
            totals: gpu.storage::<u32>("totals of the iterations", TOTAL_WORDS)?,
            figures: gpu.storage::<f32>("figures", MOST_FIGURES as u64)?,
            iterations: Iterations::new(gpu, settings.count(&ITERATIONS))?,
            corrections: input.shape.has(CORRECTED).then(|| corrections(input)).transpose()?,
            viscosity: input.shape.has(VISCOUS).then(|| Viscosity::new(input, reach)),
            shape: input.shape.clone(),
        })
    }
}

impl FluidSolver for Dfsph {
    fn write(&self, input: &SolverInput<'_>) {
        input.gpu.write_uniform(&self.parameters, &DfsphParameters::new(input));
        if let Some(viscosity) = &self.viscosity {
            viscosity.write(input);
        }
    }

    fn has_current_passes(&self) -> bool {
        self.viscosity.as_ref().is_none_or(Viscosity::is_current)
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        // The positions of the state are free between the search's build and the end of the step, and the sorted
        // velocities after the forces.
        let mut own = vec![
            ("dfsph", &self.parameters),
            ("solutions", &self.solutions),
            ("terms", &self.terms),
            ("parts", &self.parts),
            ("totals", &self.totals),
            ("figures", &self.figures),
            ("control", self.iterations.control()),
            ("unpressed", maker.positions()),
            ("until_now", maker.positions()),
            ("places", maker.sorted_positions()),
            ("shifts", maker.sorted_velocities()),
        ];
        own.extend(self.corrections.iter().map(|buffer| ("corrections", buffer)));
        let mut passes = vec![maker.each("carry pressures", &CARRY, &own)?];
        passes.extend(maker.pairs("density and factor", &factor(&self.shape), &own, None)?);
        if let Some(viscosity) = &self.viscosity {
            passes.extend(viscosity.passes_before_last(
                maker,
                [maker.sorted_velocities(), maker.velocities()],
                &own,
            )?);
            own.extend(viscosity.last().map(|stage| ("stage", stage)));
        }
        passes.extend(maker.pairs("forces", &forces(&self.shape, maker.surroundings()), &own, None)?);
        if let Some(viscosity) = &self.viscosity {
            passes.extend(viscosity.passes_after_last(maker, maker.velocities())?);
        }
        passes.extend(maker.of_parts(|part| part.after_pressures(maker, Shown::Velocities(maker.velocities())))?);
        passes.extend(self.iterations.passes(maker, &own, &rate(&self.shape), &pressure(&self.shape))?);
        passes.push(maker.each("integrate", &INTEGRATE, &own)?);
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
