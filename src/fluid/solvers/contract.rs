//! The contract of a solver: everything that the rest of the program needs of it, so that nothing outside its folder
//! names it.
//!
//! A solver has a [`SolverInfo`] with everything that does not depend on a device, and a type behind [`FluidSolver`],
//! which owns its buffers and makes its passes. The order of a step, defined in `step.rs`, is the same for all
//! solvers: emitters and solids, *predict*, the search's build, *reorder*, *advance*, solids.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::explained::SolverExplanation;
use super::figure::SolverFigure;
use super::problem::{Medium, Problem};
use super::setting::{SolverSetting, SolverSettings};
use crate::fluid::FluidError;
use crate::fluid::context::CarriedArray;
use crate::fluid::parameters::FluidParameters;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::gpu::{Gpu, Pass};
use crate::search::Instrument;

/// Limits of a solver on the motion and mass of solids at one resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The highest speed of a wall whose motion is prescribed, m/s.
    pub wall_speed: f64,
    /// Ways to raise the limit of wall speed; appended to the sentence of the error.
    pub wall_advice: &'static str,
    /// The highest speed of a thrown body, m/s.
    pub thrown_speed: f32,
    /// The smallest mass per area of a cloth in the fluid, kg/m².
    pub lightest_cloth: f32,
}

/// The time at which the array of densities contains pressures that files and probes may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressureSource {
    /// After the passes of the densities, in the order of the search's build.
    Densities,
    /// After a step, in the order of the state, until the next passes of the densities; zero before the first step.
    LastStep,
}

/// How accurately a solver follows the equations of motion: validation allows larger errors for solvers with
/// numerical damping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Small explicit steps: energy and viscosity are those of the equations.
    Resolved,
    /// Large steps with numerical damping, so that no viscosity can be measured.
    Damped,
}

/// The properties of a scene that determine which passes there are: when they change, the passes are recreated;
/// otherwise only the parameters are rewritten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Definitions of the enabled terms, a subset of [`SolverInfo::terms`].
    pub terms: Vec<&'static str>,
    /// Number of times that the iterated passes run in a step; 1 where there are none.
    pub repeats: u32,
}

impl Shape {
    /// Whether a term is enabled.
    pub fn has(&self, term: &str) -> bool {
        self.terms.contains(&term)
    }

    /// Returns the terms in `terms` that are enabled.
    pub fn among(&self, terms: &[&'static str]) -> Vec<&'static str> {
        terms.iter().copied().filter(|term| self.has(term)).collect()
    }
}

/// Input for the creation of a solver's buffers.
#[derive(Clone, Copy)]
pub struct SolverInput<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// The problem to solve.
    pub problem: Problem<'a>,
    /// The terms and repetitions of its passes.
    pub shape: &'a Shape,
    /// The resolution.
    pub resolution: &'a Resolution,
    /// The parameters that every pass reads.
    pub(in crate::fluid) parameters: &'a FluidParameters,
    /// Positions before the search's build, m, `array<vec4<f32>>`. The search sorts them into a buffer of its own, so
    /// this buffer is free from then until the step writes the next positions.
    pub positions: &'a wgpu::Buffer,
    /// Number of particles, including those of solids.
    pub particle_count: u32,
}

/// Creates a solver's buffers.
pub type CreateSolver = fn(&SolverInput<'_>) -> Result<Box<dyn FluidSolver>, FluidError>;

/// A solver's entry in the registry: its names and texts, what follows from a scene, and how it is created.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct SolverInfo {
    /// Name on the command line, of its folder, and of its settings in scene files.
    pub name: &'static str,
    /// Name in scene files, as in `solver: Pbf`.
    pub scene_name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Authors, year and publication.
    pub source: &'static str,
    /// The idea in one sentence.
    pub idea: &'static str,
    /// What the Explain panel shows: idea, equations, cost. `None` where nobody has written it; the panel then shows
    /// what is known of every solver.
    pub explanation: Option<&'static SolverExplanation>,
    /// Its settings, in the order of the panel.
    pub settings: &'static [&'static SolverSetting],
    /// The numbers that its passes compute while they run, such as iterations and errors; at most
    /// [`MOST_FIGURES`](super::MOST_FIGURES).
    pub figures: &'static [SolverFigure],
    /// Whether it is a fluid solver, whose particles have a density and resist compression.
    pub is_fluid: bool,
    /// Whether it uses the material's choice of how density is computed.
    pub heeds_density: bool,
    /// Whether neighbors react to the motion that is predicted without them, by velocity and gravity. Particles of
    /// free bodies then have the velocity that is expected at the end of the step.
    pub predicts: bool,
    /// Whether it also moves particles without changing their velocities (shifts). Where fluid has come too near to a
    /// solid, the contact then moves it away in the same manner.
    pub shifts: bool,
    /// How far its passes may move a particle between the search's build and the last traversal of a step, in support
    /// radii; 0 where its pair kernels compute with the positions of the build. Particles that are within the support
    /// radius and this distance of a wall are served separately, since they may have images in reach.
    pub moves: f32,
    /// When pressures can be read.
    pub pressures: PressureSource,
    /// B of Tait's equation of state, Pa, as a function of rest density, kg/m³, and speed of sound, m/s; infinite
    /// where pressure does not follow from density.
    pub stiffness: fn(f64, f64) -> f64,
    /// Speed of sound, m/s, by which pressure compresses water at rest: a pressure p makes it denser by p / c², and
    /// water that is at rest when a scene begins starts with that density. Infinite where it starts as a lattice.
    pub resting_sound: fn(&Problem<'_>) -> f64,
    /// The accuracy that validation expects.
    pub accuracy: Accuracy,
    /// Dark and light end of its colors in plots: red, green, blue.
    pub plot_colors: [[u8; 3]; 2],
    /// The field and the reason of a combination of values that is invalid although each value is within its range;
    /// `None` where all are valid.
    pub fault: fn(Medium<'_>) -> Option<(String, String)>,
    /// Support radius over particle spacing.
    pub radius_ratio: fn(Medium<'_>) -> f32,
    /// Mass of a particle, kg, in two dimensions kg/m.
    pub particle_mass: fn(&Problem<'_>) -> f32,
    /// Length of a step, s.
    pub time_step: fn(&Problem<'_>) -> f64,
    /// Its limits on solids.
    pub limits: fn(&Problem<'_>, &Resolution) -> Limits,
    /// Changes its settings so that steps are at most this long, s; `None` where the step follows from the material
    /// alone.
    pub shorten_steps: Option<fn(&mut SolverSettings, f64)>,
    /// Changes its settings so that steps are as long as they can be without instability, which makes the water less
    /// accurate; for devices that are far from real time. `None` where it has no such settings.
    pub lengthen_steps: Option<fn(&mut SolverSettings)>,
    /// All definitions that a scene can enable in its shaders.
    pub terms: &'static [&'static str],
    /// The shape of the passes for a medium.
    pub shape: fn(Medium<'_>) -> Shape,
    /// The arrays that it keeps from step to step besides positions and velocities.
    pub carried: fn(&Shape) -> &'static [CarriedArray],
    /// All shaders that its passes use with this shape and these surroundings.
    pub shaders: fn(&Shape, Surroundings) -> Vec<FluidShader>,
    /// Creates its buffers.
    pub create: CreateSolver,
}

impl fmt::Debug for SolverInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl SolverInfo {
    /// All shaders with all sets of terms and surroundings that a scene can require.
    pub fn every_shader(&self) -> Vec<(FluidShader, Surroundings)> {
        let sets = (0..1_u32 << self.terms.len()).map(|set| {
            let chosen = self.terms.iter().enumerate().filter(move |(place, _)| set & (1 << place) != 0);
            chosen.map(|(_, term)| *term).collect::<Vec<_>>()
        });
        // Two repetitions cover the variants of the first and of later iterations.
        let shapes = sets.map(|terms| Shape { terms, repeats: 2 });
        let with = |shape: Shape| {
            let of = move |surroundings| {
                (self.shaders)(&shape, surroundings).into_iter().map(move |it| {
                    let surroundings = it.relevant(surroundings);
                    (it, surroundings)
                })
            };
            Surroundings::ALL.into_iter().flat_map(of)
        };
        let mut every: Vec<_> = shapes.flat_map(with).collect();
        every.sort();
        every.dedup();
        every
    }
}

/// A solver for one search and resolution: its buffers, and the passes over them. Making passes compiles shaders;
/// recording them neither allocates nor waits.
pub trait FluidSolver: Send + Sync {
    /// Rewrites the parameters for a scene with the same shape.
    fn write(&self, input: &SolverInput<'_>);

    /// Whether the passes that were made serve the parameters that were last written. Where they do not, they are made
    /// again.
    fn has_current_passes(&self) -> bool {
        true
    }

    /// The passes before the search sorts, which may move the particles.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn predict(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let _ = maker;
        Ok(Vec::new())
    }

    /// The passes of a step after the search's build and *reorder*. They write positions, velocities and carried
    /// arrays for the next step, in sorted order, and densities.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError>;

    /// The passes after the search's build and *reorder* that write the densities without moving particles.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError>;

    /// The passes after those of the densities that replace the pressures of the last step, Pa, by smoother ones for
    /// files and probes, and the buffer that they write; both `array<f32>` by original index. `None` where `pressures`
    /// are read as they are.
    ///
    /// # Errors
    /// When a shader does not compile, or the device has no memory for the buffer.
    fn even_pressures(
        &self,
        maker: &PassMaker<'_>,
        pressures: &wgpu::Buffer,
    ) -> Result<Option<(Vec<Pass>, wgpu::Buffer)>, FluidError> {
        let _ = (maker, pressures);
        Ok(None)
    }

    /// The values of [`SolverInfo::figures`] after the last step, `array<f32>`; `None` where it has none.
    fn figures(&self) -> Option<&wgpu::Buffer> {
        None
    }

    /// The traversal of the density passes again, with an instrument attached.
    ///
    /// # Errors
    /// When a shader does not compile.
    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError>;
}

/// The solver of a scene: any [`SolverInfo`], from the registry or from another crate.
#[derive(Clone, Copy)]
pub struct Solver(pub &'static SolverInfo);

impl Solver {
    /// Whether it is a fluid solver.
    pub fn is_fluid(self) -> bool {
        self.0.is_fluid
    }

    /// Name on screen.
    pub fn label(self) -> &'static str {
        self.0.title
    }

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }
}

impl Deref for Solver {
    type Target = SolverInfo;

    fn deref(&self) -> &SolverInfo {
        self.0
    }
}

impl PartialEq for Solver {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Solver {}

impl Hash for Solver {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.scene_name)
    }
}
