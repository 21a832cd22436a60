//! Position Based Fluids (M. Macklin and M. Müller, Position based fluids, ACM Transactions on Graphics 32, 2013) on
//! any of the neighbor searches.
//!
//! One time step, a *substep* of a frame, is
//! 1. *predict*: moves particles without regard to their neighbors;
//! 2. *build* (the search) and *reorder*, on the predicted positions;
//! 3. for the scene's number of iterations, *lambda* and *correction*, two pair kernels: the multipliers of the
//!    density constraints, and the displacements that reduce their violation; the first correction also applies
//!    viscosity, where a single stage of it suffices;
//! 4. *velocity*: adds the displacements divided by the time step;
//! 5. where the viscosity is high for the step, stages of *viscosity* (`solvers/viscosity.rs`);
//! 6. where the scene enables them, *damping* (XSPH, and the curl) and *confinement* (of vorticity), two pair
//!    kernels.
//!
//! The search is built once per substep. Its traversals test the predicted positions, whereas the pair kernels load
//! the current positions and compute with those: the pairs of a substep are those within the radius at its
//! prediction. A pair that comes closer than the radius during the corrections is missed. With displacements of δ the
//! distance of such a pair is beyond R − 2δ, where a kernel's gradient decreases with a power of (1 − q), so the
//! error is far below the remaining violation of the constraints (the tests measure it). A new build for each
//! correction would double the cost of a substep. Writing the corrections back into the search's own positions would
//! miss as many pairs, but might visit a pair from one side only, and no search could rely on each position being in
//! its cell.
//!
//! Corrections are made simultaneously (Jacobi), from one buffer of positions into another, multiplied by the share
//! that keeps the shortest waves from growing (`solvers/jacobi.rs`). Multipliers are limited, so that a surface under
//! pressure moves by at most a tenth of the support radius in a correction; the displacements of a pair remain
//! opposite. The constraint is limited to values of at least zero, unless the scene gives an ambient pressure.
//! Departures from the paper: this share and the limit; the contribution of walls to density and gradient; the
//! relaxation multiplied by the squared radius, so that it has no unit; and the artificial pressure as a fraction of
//! the pair's pressure, so that it does not depend on the step.
//!
//! Pressure propagates by one support radius per correction, so with few corrections the fluid is soft: it is as
//! compressible as a fluid with a speed of sound of about √n radii per step. The compression decreases in proportion
//! to the number of corrections and with the square of the number of steps. By default the step is therefore so short
//! that two corrections keep the mean compression below 1 %. In two dimensions, 10, 20 and 48 layers of 5 cm are then
//! compressed by 0.8, 0.6 and 0.7 % in steps of 5.3, 3.2 and 2.3 ms, and by half of that with four corrections; with
//! 2 steps of 3 corrections per frame of 16 ms, the compression of the 48 layers oscillates between 4 and 16 %.
//!
//! Surface tension and very high viscosity also limit the length of a step, where the number of substeps is not given.
//! So do light bodies, whatever number is given (`longest_step_beside_bodies`).
//!
//! Viscosity is that of WCSPH. Where it removes no more than the difference of velocity between neighbors in a step, it
//! is part of the first correction, evaluated with the velocities of the prediction. Where it would remove more, it
//! consists of several stages, which change the velocities after the corrections. Stages at the prediction, whose
//! change the first correction adds to its own, threw water apart: viscosity and correction then answer the same
//! compression, and together turn it round. Artificial viscosity alone has no stages and is limited to the former.
//!
//! **Free bodies** move by the corrections so far after each of them but the last, and count with their mobility in the
//! sum that the multipliers divide by (`solids/bodies/mod.rs`). The repulsion of water that has come too near to a body
//! is divided by that mobility as well.
//!
//! **Corrected gradients.** The multipliers of a pair are tensors in the displacements, λᵢ Kᵢ + λⱼ Kⱼ, as the pressure
//! terms are in the accurate mode of WCSPH and for its reason (`wcsph/accurate.rs`): otherwise water under pressure
//! resists a change of its shape like a crystal. The first *lambda* of a step sums up the moments, and all corrections
//! of the step use them. The artificial pressure of close pairs has its share in the moments, since it would otherwise
//! bring a tenth of that resistance back. The multipliers themselves know nothing of the tensors.
//! Displacements of pairs are opposite, and the sum of their torques is zero, beside solids excepted. `pbf.corrected=0`
//! leaves the correction out.
//!
//! **Gradients at the start of the step.** Pairs are corrected along their gradients at the start of the step and not
//! at its end, as the bonds of SHAKE are (`pbf/start.wgsl`). With the latter, as in the paper, the step is an implicit
//! Euler step, which damps an oscillation at the rate ω² Δt / 2: in steps of 2 ms a sloshing tank lost as much by it as
//! by a third of its artificial viscosity, and a rotation loses angular momentum by tension and gains it by pressure.
//! Sound is damped as before, since compression is still answered at the end of the step. A pair that moves by more
//! than a twentieth of the support radius in a step changes over to its present gradient; without that, water in steps
//! that are too long for it is thrown about. The moments that gradients are corrected by are those of the same
//! gradients. The start follows from prediction and velocity; it is stored only because the second correction would
//! otherwise load both for every neighbor.
//!
//! **Pressures for files and probes.** Multipliers that alternate from layer to layer move nothing in a symmetric sum
//! over neighbors, and the free surface, whose own layer has none, feeds them: at a radius ratio of 3 single particles
//! read 60 % of their depth and their neighbors as much too much. As multipliers follow from densities, evening them
//! out in the corrections only moves the layers a little farther apart (docs/VALIDATION.md). What accelerates the water
//! is their mean over the neighborhood. So readings are that mean, weighted by the kernel, of what each neighbor with a
//! pressure says of the place: its own pressure and the hydrostatic difference. Solids, the passes of a step
//! and readings of forces on walls take the multipliers.
//!
//! **Tension.** With an ambient pressure multipliers may pull within the water (`tension.rs`). A multiplier keeps up
//! the density of the start of the step and not that at rest, which near a surface is lacking in any case. Within the
//! water it makes up for a twentieth per step of what lacks beyond that: a flat surface explains a part that follows
//! from the gradient of the density. If that part is made up for as well, the rows of a surface are pulled to the
//! density at rest, and thin arms become strings of clumps that part. Multipliers start at zero in each step, so that
//! tension is softer than with DFSPH; it therefore reaches to the tips of arms.
//!
//! Memory per particle beyond that of WCSPH: 16 bytes for the second buffer of positions, 16 for the positions at the
//! start of the step, 16 for the corrections of gradients, 8 with an ambient pressure, and 16 for the curl with
//! vorticity confinement.
//!
//! Limitations: deep or finely resolved fluids need many substeps, see above, and so does a layer that moves farther
//! than its thickness in a step. Where pairs move far in a step, it dissipates energy like an implicit Euler step.

mod explanation;
mod parameters;
mod settings;

use super::contract::{Accuracy, FluidSolver, Limits, PressureSource, Shape, SolverInfo, SolverInput};
use super::jacobi::Jacobi;
use super::problem::{Medium, Problem};
use super::setting::SolverSettings;
use super::tension::{TENSION, bears_tension};
use super::viscosity::{Reach, STAGE_WITH_REACTIONS, STAGED, VISCOUS, Viscosity, is_staged, longest_step};
use crate::fluid::FluidError;
use crate::fluid::density::SUMMED_DENSITY;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::fluid::solids::Shown;
use crate::gpu::Pass;
use crate::search::Instrument;
use parameters::PbfParameters;
use settings::{
    CORRECTED as CORRECTED_SETTING, FRAME, ITERATIONS, MOST_ITERATIONS, MOST_SUBSTEPS, SUBSTEPS, VORTICITY,
};

/// Ratio of the speed of sound to the expected speed at which the mean compression of a column is 1 %: half its
/// height times g over the square of the speed of sound, and a quarter more because particles that are not compressed
/// are excluded from the mean (measured for columns of 10 to 48 layers).
const SOUND_FACTOR: f64 = 5.6;
/// Corrections per step that the automatic number of substeps assumes.
const CORRECTIONS: f64 = 2.0;
/// Longest step beside light bodies times their frequency in water at rest (`longest_step_beside_bodies`). With twice
/// as much, discs of 10 and 20 kg/m³ that rise are shaken with up to 2.5 and 2.0 m/s, where 1.3 m/s are possible, and
/// with this they rise evenly (docs/VALIDATION.md, *Bodies lighter than a particle*).
const BESIDE_LIGHT_BODIES: f64 = 0.5;
/// Mass of a body per area of its surface, in masses of a layer of water, below which it needs shorter steps. A disc of
/// 50 kg/m³, which has an eighth, rises evenly in the steps of the water, and one of 20 kg/m³ is thrown about. A limit
/// for heavier bodies would halve the steps of whole scenes for nothing.
const LIGHT: f64 = 1.0 / 6.0;
/// Largest motion of a wall in a step, spacings: the corrections have to move the fluid in front of it out of the
/// way.
const WALL_STEP: f64 = 0.25;
/// Largest rate of viscosity times the length of a step that is part of the first correction: what removes the
/// difference of velocity between neighbors. The correction has taken the whole of it for compression, and more would
/// let waves between viscosity and corrections grow.
const VISCOSITY_ALONE: f32 = 1.0;

/// XSPH, which damps velocities after the corrections.
const XSPH: &str = "XSPH";
const CONFINED: &str = "VORTICITY";
/// The first pass of its kind in a step.
const FIRST: &str = "FIRST";
/// The pass needs the places of the particles at the start of the step.
const STARTS: &str = "STARTS";
/// Gradients of pressure are corrected.
const CORRECTED: &str = "CORRECTED";

pub(super) static INFO: SolverInfo = SolverInfo {
    name: "pbf",
    scene_name: "Pbf",
    title: "PBF",
    source: "Macklin and Müller 2013",
    idea: "Position Based Fluids: positions are corrected until the density is nowhere too high, in few large steps",
    explanation: Some(&explanation::EXPLANATION),
    settings: settings::ALL,
    figures: &[],
    is_fluid: true,
    heeds_density: false,
    predicts: true,
    shifts: false,
    moves: 0.25,
    pressures: PressureSource::LastStep,
    stiffness: |_, _| f64::INFINITY,
    resting_sound: sound_of_corrections,
    accuracy: Accuracy::Damped,
    plot_colors: [[200, 70, 0], [250, 190, 120]],
    fault: |_| None,
    radius_ratio: |medium| medium.material.radius_ratio,
    particle_mass: |problem| problem.mass_of_cell(),
    time_step: substep,
    limits,
    shorten_steps: Some(shorten_steps),
    lengthen_steps: Some(|settings: &mut SolverSettings| settings.set(&SUBSTEPS, 1.0)),
    terms: &[XSPH, VISCOUS, STAGED, CONFINED, CORRECTED, TENSION],
    shape,
    carried: |_| &[],
    shaders,
    create: |input| Ok(Box::new(Pbf::new(input)?)),
};

/// Length of a substep, s: the scene's, or, if the number of substeps is 0, the longest that divides the frame and
/// keeps the mean compression with two corrections below 1 %. Beside light bodies it is as short as they need.
fn substep(problem: &Problem<'_>) -> f64 {
    let Medium { material, settings } = problem.medium;
    let (frame, ratio) = (f64::from(settings.value(&FRAME)), f64::from(material.radius_ratio));
    // A frame has as many steps as the compression, the waves of the surface or viscosity require.
    let automatic = || {
        let jacobi = Jacobi::new(problem.kernel, problem.dimensions, ratio);
        let sound = CORRECTIONS.sqrt() * jacobi.sound * problem.support_radius;
        let sounding = SOUND_FACTOR * problem.expected_speed / sound;
        (frame * sounding.max(problem.capillary_step().recip()).max(longest_step(problem).recip())).ceil()
    };
    let substeps = settings.count(&SUBSTEPS);
    let of_water = if substeps == 0 { automatic() } else { substeps.into() };
    frame / of_water.max((frame / longest_step_beside_bodies(problem)).ceil())
}

/// Speed of sound, m/s, of water at rest: the same compression bears the weight in each correction of a step.
fn sound_of_corrections(problem: &Problem<'_>) -> f64 {
    let corrections = f64::from(problem.medium.settings.count(&ITERATIONS));
    let jacobi = Jacobi::new(problem.kernel, problem.dimensions, problem.radius_ratio());
    corrections.sqrt() * jacobi.sound * problem.support_radius / substep(problem)
}

/// The longest step, s, that is stable beside the lightest free body; infinite without any, and if it is not light
/// (`LIGHT`).
///
/// A body under pressure has a stiffness that its mobility does not contain: when it moves among the particles at its
/// surface, their multipliers push it along other gradients and with other strengths, by about the whole pressure in a
/// spacing. So a body of mass m per area of its surface oscillates with ω² = p / (m · spacing). The forces of a step
/// are those at the place to which the step leads, which throws the body back by more than it had where ω Δt is too
/// large, whatever the number of corrections. The pressure is that of the expected speed, ρ v² / 2.
fn longest_step_beside_bodies(problem: &Problem<'_>) -> f64 {
    let density = f64::from(problem.medium.material.rest_density);
    let pressure = 0.5 * density * problem.expected_speed.powi(2);
    let light = problem.lightest_body.filter(|per_area| *per_area < LIGHT * density * problem.spacing);
    light.map_or(f64::INFINITY, |per_area| BESIDE_LIGHT_BODIES * (per_area * problem.spacing / pressure).sqrt())
}

fn limits(problem: &Problem<'_>, resolution: &Resolution) -> Limits {
    Limits {
        wall_speed: WALL_STEP * problem.spacing / f64::from(resolution.time_step),
        wall_advice: ", or take more substeps",
        thrown_speed: resolution.spacing / resolution.time_step,
        lightest_cloth: problem.medium.material.rest_density * resolution.spacing,
    }
}

fn shorten_steps(settings: &mut SolverSettings, step: f64) {
    let frame = settings.value(&FRAME);
    let substeps = (f64::from(frame) / step).ceil().clamp(1.0, f64::from(MOST_SUBSTEPS));
    settings.set(&FRAME, frame.min((substeps * step) as f32));
    settings.set(&SUBSTEPS, substeps as f32);
}

fn shape(medium: Medium<'_>) -> Shape {
    let terms = [
        (medium.material.xsph > 0.0).then_some(XSPH),
        medium.material.is_viscous().then_some(VISCOUS),
        (medium.material.kinematic_viscosity > 0.0).then_some(STAGED),
        (medium.settings.value(&VORTICITY) > 0.0).then_some(CONFINED),
        (medium.settings.count(&CORRECTED_SETTING) > 0).then_some(CORRECTED),
        bears_tension(medium.material).then_some(TENSION),
    ];
    Shape { terms: terms.into_iter().flatten().collect(), repeats: medium.settings.count(&ITERATIONS) }
}

const PREDICT_FILE: &str = "fluid/pbf/predict.wgsl";
const LAMBDA_FILE: &str = "fluid/pbf/lambda.wgsl";
const CORRECTION_FILE: &str = "fluid/pbf/correction.wgsl";
const VELOCITY_FILE: &str = "fluid/pbf/velocity.wgsl";
const DAMPING_FILE: &str = "fluid/pbf/damping.wgsl";
const CONFINEMENT_FILE: &str = "fluid/pbf/confinement.wgsl";

const PREDICT: FluidShader = FluidShader::single(PREDICT_FILE, "predict").loading_walls();
const LAMBDA: FluidShader = FluidShader::pair_with_images(LAMBDA_FILE, false);
const CONFINEMENT: FluidShader = FluidShader::pair(CONFINEMENT_FILE, false);
const EVEN: FluidShader = FluidShader::pair_with_images("fluid/pbf/even.wgsl", false);

/// The first pass of a step also computes the corrections of gradients, and under tension the densities that it begins
/// with.
fn lambda(shape: &Shape, iteration: usize) -> FluidShader {
    let (is_first, torn) = (iteration == 0, shape.has(TENSION));
    let corrects = is_first && shape.has(CORRECTED);
    let lambda = LAMBDA.with_if(corrects, CORRECTED).with_if(corrects || (is_first && torn), STARTS);
    lambda.with_if(torn, TENSION).with_if(torn && is_first, FIRST)
}

/// The first correction of a step also applies viscosity, unless that has several stages, and stores the places at the
/// start of the step.
fn correction(shape: &Shape, iteration: usize, has_many: bool) -> FluidShader {
    let is_first = iteration == 0;
    let correction = FluidShader::pair_with_images(CORRECTION_FILE, false).loading_walls();
    let correction = correction.with(&shape.among(&[CORRECTED, TENSION]));
    correction.with_if(is_first, FIRST).with_if(is_first && shape.has(VISCOUS) && !has_many, VISCOUS)
}

/// Damping and stages of viscosity take the velocities from one buffer to the other.
fn velocity(shape: &Shape, has_many: bool) -> FluidShader {
    FluidShader::single(VELOCITY_FILE, "take_velocity").with_if(is_damped(shape) != has_many, "IN_PLACE")
}

fn damping(shape: &Shape) -> FluidShader {
    FluidShader::pair(DAMPING_FILE, false).with(&shape.among(&[CONFINED]))
}

fn is_damped(shape: &Shape) -> bool {
    shape.has(XSPH) || shape.has(CONFINED)
}

fn shaders(shape: &Shape, _: Surroundings) -> Vec<FluidShader> {
    let mut shaders = vec![SUMMED_DENSITY, PREDICT, velocity(shape, false), EVEN];
    let of_iteration = |iteration| [lambda(shape, iteration), correction(shape, iteration, false)];
    shaders.extend((0..shape.repeats as usize).flat_map(of_iteration));
    if is_staged(shape) {
        shaders.extend([correction(shape, 0, true), velocity(shape, true), STAGE_WITH_REACTIONS.clone()]);
    }
    shaders.extend(is_damped(shape).then(|| damping(shape)));
    shaders.extend(shape.has(CONFINED).then_some(CONFINEMENT));
    shaders
}

/// Labels of the passes of each iteration, since the labels within a step must be unique.
const LABELS: [(&str, &str); MOST_ITERATIONS] = [
    ("lambda 1", "correction 1"),
    ("lambda 2", "correction 2"),
    ("lambda 3", "correction 3"),
    ("lambda 4", "correction 4"),
    ("lambda 5", "correction 5"),
    ("lambda 6", "correction 6"),
    ("lambda 7", "correction 7"),
    ("lambda 8", "correction 8"),
    ("lambda 9", "correction 9"),
    ("lambda 10", "correction 10"),
    ("lambda 11", "correction 11"),
    ("lambda 12", "correction 12"),
    ("lambda 13", "correction 13"),
    ("lambda 14", "correction 14"),
    ("lambda 15", "correction 15"),
    ("lambda 16", "correction 16"),
];

/// The buffers of PBF.
struct Pbf {
    parameters: wgpu::Buffer,
    /// xyz in m, in sorted order, and the sum of the multipliers; len = `particle_count`.
    iterate: wgpu::Buffer,
    /// As `iterate`: each correction reads one of the two buffers and writes the other.
    other_iterate: wgpu::Buffer,
    /// Positions at the start of the step, xyz in m, in sorted order; len = `particle_count`.
    starts: wgpu::Buffer,
    /// Curl of the velocity, xyz in 1/s, and its length; len = `particle_count`. `None` without vorticity
    /// confinement.
    curls: Option<wgpu::Buffer>,
    /// What the correction of gradients takes from each particle's multiplier (corrections.wgsl).
    corrections: Option<wgpu::Buffer>,
    /// The density that tension keeps up, and the share by which a particle is within the water (lambda.wgsl). `None`
    /// where none is borne.
    held: Option<wgpu::Buffer>,
    viscosity: Option<Viscosity>,
    shape: Shape,
}

impl Pbf {
    fn new(input: &SolverInput<'_>) -> Result<Self, FluidError> {
        let (gpu, count) = (input.gpu, u64::from(input.particle_count));
        let confined = input.shape.has(CONFINED);
        let reach = Reach { alone: VISCOSITY_ALONE, may_be_many: is_staged(input.shape) };
        let corrections = || gpu.storage::<[u32; 4]>("corrections of gradients", count);
        Ok(Self {
            parameters: gpu.uniform("pbf", &PbfParameters::new(input)),
            // The search sorts the positions into a buffer of its own, so the input buffer is free until the next
            // step.
            iterate: input.positions.clone(),
            other_iterate: gpu.storage::<[f32; 4]>("corrected positions", count)?,
            starts: gpu.storage::<[f32; 4]>("positions at the start of the step", count)?,
            curls: confined.then(|| gpu.storage::<[f32; 4]>("curls", count)).transpose()?,
            corrections: input.shape.has(CORRECTED).then(corrections).transpose()?,
            held: input
                .shape
                .has(TENSION)
                .then(|| gpu.storage::<[f32; 2]>("densities held by tension", count))
                .transpose()?,
            viscosity: input.shape.has(VISCOUS).then(|| Viscosity::new(input, reach)),
            shape: input.shape.clone(),
        })
    }
}

impl FluidSolver for Pbf {
    fn write(&self, input: &SolverInput<'_>) {
        input.gpu.write_uniform(&self.parameters, &PbfParameters::new(input));
        if let Some(viscosity) = &self.viscosity {
            viscosity.write(input);
        }
    }

    fn has_current_passes(&self) -> bool {
        self.viscosity.as_ref().is_none_or(Viscosity::is_current)
    }

    fn predict(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        Ok(vec![maker.each("predict", &PREDICT, &[])?])
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let mut shared = vec![
            ("pbf", &self.parameters),
            ("starts", &self.starts),
            ("predicted_velocities", maker.sorted_velocities()),
            ("next_positions", maker.positions()),
            ("next_velocities", maker.velocities()),
        ];
        shared.extend(self.corrections.iter().map(|buffer| ("corrections", buffer)));
        shared.extend(self.held.iter().map(|buffer| ("held", buffer)));
        shared.extend(self.viscosity.iter().filter_map(Viscosity::last).map(|stage| ("stage", stage)));
        let has_many = self.viscosity.as_ref().is_some_and(Viscosity::has_many);
        let with = |more: &[(&'static str, _)]| [shared.as_slice(), more].concat();
        let mut passes = Vec::new();

        // The last correction must be written to `other_iterate`, since `iterate` is the buffer of the next step's
        // positions.
        let mut iterate = maker.sorted_positions();
        let iterations = self.shape.repeats as usize;
        for (iteration, (lambda_label, correction_label)) in LABELS[..iterations].iter().enumerate() {
            let left = iterations - 1 - iteration;
            let next = if left.is_multiple_of(2) { &self.other_iterate } else { &self.iterate };
            let own = with(&[("iterate", iterate), ("next_iterate", next)]);
            passes.extend(maker.pairs(lambda_label, &lambda(&self.shape, iteration), &own, None)?);
            passes.extend(maker.pairs(correction_label, &correction(&self.shape, iteration, has_many), &own, None)?);
            if left > 0 {
                passes.extend(maker.of_parts(|part| part.after_pressures(maker, Shown::Places(next)))?);
            }
            iterate = next;
        }

        passes.push(maker.each("velocity", &velocity(&self.shape, has_many), &with(&[("iterate", iterate)]))?);
        if let Some(viscosity) = &self.viscosity {
            let [sorted, next] = [maker.sorted_velocities(), maker.velocities()];
            let between = if is_damped(&self.shape) { [next, sorted] } else { [sorted, next] };
            passes.extend(viscosity.passes_of_many(maker, between, &[("places", iterate)])?);
        }
        if is_damped(&self.shape) {
            let mut own = with(&[("iterate", iterate), ("undamped", maker.sorted_velocities())]);
            own.extend(self.curls.as_ref().map(|curls| ("curls", curls)));
            passes.extend(maker.pairs("damping", &damping(&self.shape), &own, None)?);
            if self.curls.is_some() {
                passes.extend(maker.pairs("confinement", &CONFINEMENT, &own, None)?);
            }
        }
        Ok(passes)
    }

    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("density", &SUMMED_DENSITY, &[], None)
    }

    fn even_pressures(
        &self,
        maker: &PassMaker<'_>,
        pressures: &wgpu::Buffer,
    ) -> Result<Option<(Vec<Pass>, wgpu::Buffer)>, FluidError> {
        let even = maker.gpu.storage::<f32>("even pressures", maker.particle_count().into())?;
        let own = [("pressures", pressures), ("even_pressures", &even)];
        let passes = maker.pairs("even pressures", &EVEN, &own, None)?;
        Ok(Some((passes, even)))
    }

    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("count pairs", &SUMMED_DENSITY, &[], Some(instrument))
    }
}
