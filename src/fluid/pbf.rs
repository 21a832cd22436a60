//! Position Based Fluids (M. Macklin and M. Müller, Position based fluids, ACM Transactions on Graphics 32, 2013) on
//! whichever neighbor search is chosen.
//!
//! One time step, a *substep* of a frame, is
//! 1. *predict*: moves particles as if there were no others;
//! 2. *build* (the search) and *reorder*, on the predicted positions;
//! 3. as often as the scene says, *lambda* and *correction*, two pair kernels: how far each density is too high, and
//!    the moves that mend it; the first correction has the viscosity too;
//! 4. *velocity*: what the moves add to it over the time they took;
//! 5. where the scene asks for it *damping* (XSPH, and the curl) and *confinement* (of vorticity), two pair kernels.
//!
//! The search is built once a substep. Its traversals then test the predicted positions, while the pair kernels load
//! the current ones and compute with those: the pairs of a substep are those within the radius at its prediction. A
//! pair that comes into reach during the corrections is missed; with moves of δ such pairs lie beyond R − 2δ, where a
//! kernel's gradient falls with a power of (1 − q), so what is missed is far below what the iterations leave (the
//! tests measure it). Building anew for each correction would double a substep's cost. Writing the corrections back
//! into the search's own positions would miss as many pairs, but might see a pair from one side only, and would forbid
//! every search to rely on a position lying in its cell.
//!
//! Corrections are made all at once (Jacobi), from one buffer of positions into another, by the share of themselves that
//! keeps the shortest waves from growing (`jacobi.rs`), and none is longer than a tenth of the support radius. The
//! constraint is kept at or above zero. Departures from the paper: that share; the walls' share of density and gradient;
//! the relaxation times the squared radius, so that it has no unit; and the artificial pressure as a share of the pair's
//! pressure, so that it does not depend on the step.
//!
//! Pressure goes as far as a support radius a correction, so few corrections are soft: the water is as compressible as one
//! with a speed of sound of some √n radii a step. More corrections help with their number, shorter steps with its square, so
//! unless the scene says otherwise the step is so short that two corrections keep the water within 1 % in the mean. In a
//! plane, 10, 20 and 48 layers of 5 cm are then compressed by 0.8, 0.6 and 0.7 % in steps of 5.3, 3.2 and 2.3 ms, and with
//! four corrections by half; in 2 steps of 3 corrections a frame of 16 ms the 48 layers swing by 4 to 16 %.
//!
//! Viscosity is WCSPH's, taken at the velocities of the prediction and divided by one more than a step's share of it: thin
//! fluids are as viscous as they say, and thick ones as thick as a step bears.
//!
//! Memory per particle beyond that of WCSPH: 16 bytes for the second buffer of positions, and 16 for the curl with
//! vorticity confinement.
//!
//! Bad at: few steps for deep or fine water, see above; a layer that moves farther than its thickness in a step wants more
//! substeps too. Energy: the step is an implicit Euler step, which damps, the more the longer it is.

use super::jacobi::Jacobi;
use super::parameters::FluidParameters;
use super::sph::{BoundaryBuffers, ParticleState, Sph};
use super::{FluidError, Pbf, Resolution, Scene, SmoothingKernel};
use crate::gpu::{Dispatch, Gpu, PairKernel, Pass, Phase, ShaderVariant, gpu_struct};
use crate::search::BoundPairKernel;

const LAMBDA: PairKernel = PairKernel { file: "fluid/pbf_lambda.wgsl", vanishes_at_radius: false };
const CORRECTION: PairKernel = PairKernel { file: "fluid/pbf_correction.wgsl", vanishes_at_radius: false };
const DAMPING: PairKernel = PairKernel { file: "fluid/pbf_damping.wgsl", vanishes_at_radius: false };
const CONFINEMENT: PairKernel = PairKernel { file: "fluid/pbf_confinement.wgsl", vanishes_at_radius: false };

/// Names of the passes of each iteration, since a pass's label is unique within a step.
const LABELS: [(&str, &str); Pbf::MOST_ITERATIONS as usize] = [
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

gpu_struct! {
    /// What the passes of PBF know besides `FluidParameters`.
    pub struct PbfParameters {
        /// Added to the sum of the constraint's squared gradients, 1/m².
        pub relaxation: f32,
        /// Artificial pressure of a pair at the tensile distance, as a share of its pressure.
        pub tensile: f32,
        /// 1 / shape at the tensile distance.
        pub inverse_tensile_shape: f32,
        /// n of the paper's equation 13.
        pub tensile_power: f32,
        /// ε of the vorticity confinement, m/s.
        pub vorticity: f32,
        /// By how much of itself each correction is made.
        pub share: f32,
        /// Times the step's square, and as the step bears it: 2 α c h of the artificial viscosity between particles that
        /// approach each other, m² s.
        pub approach_viscosity: f32,
        /// The same of 4 (d + 2) ν of the kinematic viscosity, m² s.
        pub viscosity: f32,
    }
}

impl PbfParameters {
    pub(super) fn new(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> Self {
        let (pbf, radius) = (&scene.pbf, f64::from(resolution.support_radius));
        let ratio = radius / f64::from(resolution.spacing);
        let fluid = FluidParameters::new(scene, kernel, resolution);
        let square = fluid.time_step * fluid.time_step / (1.0 + viscous_share(scene, kernel, ratio, &fluid));
        Self {
            relaxation: (f64::from(pbf.relaxation) / (radius * radius)) as f32,
            tensile: pbf.tensile,
            inverse_tensile_shape: kernel.shape(f64::from(pbf.tensile_distance)).recip() as f32,
            tensile_power: pbf.tensile_power,
            vorticity: pbf.vorticity,
            share: Jacobi::new(kernel, scene.dimensions, ratio).share as f32,
            approach_viscosity: square * fluid.approach_viscosity,
            viscosity: square * fluid.viscosity,
        }
    }
}

/// How much of the difference between a particle and neighbors that go the other way viscosity would take in a step, were
/// it taken at the old velocities: over 1 the particles would swing. Divided by one more than this, as at the new ones,
/// it never does.
fn viscous_share(scene: &Scene, kernel: SmoothingKernel, ratio: f64, fluid: &FluidParameters) -> f32 {
    let spacing = f64::from(fluid.inverse_spacing).recip();
    let floor = f64::from(fluid.viscosity_floor) / (spacing * spacing);
    let along =
        |([x, y, z], slope): ([i32; 3], f64)| -slope * f64::from(x * x) / (f64::from(x * x + y * y + z * z) + floor);
    let slopes: f64 = kernel.lattice_gradients(scene.dimensions, ratio).map(along).sum();
    let rate = fluid.gradient_scale * (fluid.approach_viscosity + fluid.viscosity) / fluid.rest_density;
    fluid.time_step * rate * slopes as f32
}

/// What PBF has beyond [`Sph`].
pub(super) struct PbfBuffers {
    parameters: wgpu::Buffer,
    /// xyz in m, in sorted order, and the sum of the multipliers; len = `particle_count`.
    iterate: wgpu::Buffer,
    /// As `iterate`: corrections go from one to the other.
    other_iterate: wgpu::Buffer,
    /// xyz in 1/s and length; len = `particle_count`. Where vorticity is confined.
    curls: Option<wgpu::Buffer>,
    iterations: usize,
    viscous: bool,
    damped: bool,
}

impl PbfBuffers {
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        kernel: SmoothingKernel,
        resolution: &Resolution,
        state: &ParticleState,
    ) -> Result<Self, FluidError> {
        let count = u64::from(state.count);
        let confined = scene.pbf.vorticity > 0.0;
        Ok(Self {
            parameters: gpu.uniform("pbf", &PbfParameters::new(scene, kernel, resolution)),
            // The search has sorted the positions into a buffer of its own: theirs is free until the next step.
            iterate: state.positions.clone(),
            other_iterate: gpu.storage::<[f32; 4]>("corrected positions", count)?,
            curls: confined.then(|| gpu.storage::<[f32; 4]>("curls", count)).transpose()?,
            iterations: scene.pbf.iterations as usize,
            viscous: scene.material.is_viscous(),
            damped: confined || scene.material.xsph > 0.0,
        })
    }

    /// Rewrites the numbers of a scene whose passes are the same.
    pub(super) fn write(&self, gpu: &Gpu, scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) {
        gpu.write_uniform(&self.parameters, &PbfParameters::new(scene, kernel, resolution));
    }

    /// A substep: compiles the shaders and binds them.
    pub(super) fn passes(&self, gpu: &Gpu, sph: &Sph, state: &ParticleState) -> Result<Vec<Pass>, FluidError> {
        let invocations = Dispatch::Invocations(state.count.into());
        let mut shared = vec![
            ("fluid", &sph.parameters),
            ("pbf", &self.parameters),
            ("push", &sph.push),
            ("densities", &sph.densities),
        ];
        shared.extend(sph.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        shared.extend(sph.boundary.iter().flat_map(BoundaryBuffers::named));
        let with = |more: &[(&'static str, _)]| [shared.as_slice(), more].concat();
        let single = |label, (shader, entry_point): (ShaderVariant, _), buffers: &[(&str, &wgpu::Buffer)]| {
            Pass::new(gpu, (Phase::Physics, label), (&shader, entry_point), buffers, invocations)
        };
        let pair = |label, kernel, flags: &[&'static str], buffers: &[(&str, &wgpu::Buffer)]| {
            let definitions: Vec<_> = flags.iter().copied().chain(sph.definitions()).map(|flag| (flag, None)).collect();
            let bound = BoundPairKernel { label, kernel, definitions: &definitions, buffers };
            sph.search.traversal_passes(gpu, bound, None)
        };

        let moving = with(&[("positions", &state.positions), ("velocities", &state.velocities)]);
        let predict = ShaderVariant::new("fluid/pbf_predict.wgsl").with_flag_if(sph.boundary.is_some(), "BOUNDARY");
        let mut passes = vec![single("predict", (predict, "predict"), &moving)?];
        passes.extend(sph.search.build_passes(gpu)?);
        passes.push(sph.reorder_pass(gpu, state)?);

        // The last correction goes into `other_iterate`, as the input of the next step is written from there.
        let mut iterate = sph.search.sorted_positions();
        for (iteration, (lambda, correction)) in LABELS[..self.iterations].iter().enumerate() {
            let left = self.iterations - 1 - iteration;
            let next = if left.is_multiple_of(2) { &self.other_iterate } else { &self.iterate };
            let buffers =
                with(&[("iterate", iterate), ("next_iterate", next), ("predicted_velocities", &sph.sorted_velocities)]);
            let first: &[_] = match iteration {
                0 if self.viscous => &["FIRST", "VISCOUS"],
                0 => &["FIRST"],
                _ => &[],
            };
            passes.extend(pair(lambda, LAMBDA, &[], &buffers)?);
            passes.extend(pair(correction, CORRECTION, first, &buffers)?);
            iterate = next;
        }

        let buffers = with(&[
            ("iterate", iterate),
            ("sorted_positions", sph.search.sorted_positions()),
            ("predicted_velocities", &sph.sorted_velocities),
            ("next_positions", &state.positions),
            ("next_velocities", &state.velocities),
        ]);
        let velocity = ShaderVariant::new("fluid/pbf_velocity.wgsl").with_flag_if(self.damped, "DAMPED");
        passes.push(single("velocity", (velocity, "take_velocity"), &buffers)?);
        if self.damped {
            let mut buffers = with(&[
                ("iterate", iterate),
                ("undamped", &sph.sorted_velocities),
                ("next_velocities", &state.velocities),
            ]);
            buffers.extend(self.curls.as_ref().map(|curls| ("curls", curls)));
            let flags: &[_] = if self.curls.is_some() { &["VORTICITY"] } else { &[] };
            passes.extend(pair("damping", DAMPING, flags, &buffers)?);
            if self.curls.is_some() {
                passes.extend(pair("confinement", CONFINEMENT, &[], &buffers)?);
            }
        }
        Ok(passes)
    }
}
