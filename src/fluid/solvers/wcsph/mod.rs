//! Weakly compressible SPH: pressure follows from density by a stiff equation of state, with small explicit time
//! steps.
//!
//! After the search's build and *reorder* a step consists of
//! 1. with densities integrated in time, *carry densities*, which brings them into the sorted order (`continuity.rs`);
//! 2. *density*, a pair kernel: sums up the density, including that of the images behind walls, and stores pressure /
//!    density², so that the force on a pair consists of terms that are the same for both particles;
//! 3. *forces*, a pair kernel: pressure and viscosity, also of images, and the material's XSPH, then gravity and the
//!    pointer's push, and the integration of the motion by symplectic Euler.
//!
//! Sums over few neighbors approximate integrals poorly: at the default radius ratio of 2.2 the first moment of the
//! kernel's gradients in the lattice is 5 % too small in two dimensions and 2 % in three. Pressure forces are divided
//! by it, since otherwise the pressure would exceed the weight that it supports by as much.
//!
//! Two viscosities add up: Monaghan's artificial one between particles that approach each other, ν = α h c / (2 (d +
//! 2)), and a physical one with the given ν between all neighbors. Both act along the line between two particles,
//! which conserves linear and angular momentum.
//!
//! `accurate.rs` describes the accurate mode. Particles of solids mirror the pressure of the water. Where nothing damps
//! the water and its densities are summed up, they have pressures of their own instead (`solid_pressures.rs`): mirrored
//! pressures would give it energy, but are more accurate at rest.
//!
//! Limitations: pressure is noisy where density is summed up anew in each step. The stiff equation of state limits
//! compression to about 1 % at the cost of small time steps; those of PBF are larger. Sound is hardly damped: a
//! column that is released oscillates for seconds.
//!
//! Sources: J. J. Monaghan, Smoothed particle hydrodynamics, Annual Review of Astronomy and Astrophysics 30 (1992);
//! J. J. Monaghan, Simulating free surface flows with SPH, Journal of Computational Physics 110 (1994); J. J. Monaghan,
//! Smoothed particle hydrodynamics, Reports on Progress in Physics 68 (2005); M. Becker and M. Teschner, Weakly
//! compressible SPH for free surface flows, SCA 2007.

mod accurate;
mod continuity;
mod explanation;
mod settings;
mod time_step;

use super::contract::{Accuracy, FluidSolver, Limits, PressureSource, Shape, SolverInfo, SolverInput};
use super::problem::{Medium, Problem};
use super::solid_pressures::SOLID_PRESSURES;
use super::tension::TENSION;
use crate::fluid::density::SUMMED_DENSITY;
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::shader::{FluidShader, Surroundings};
use crate::fluid::{FluidError, Material};
use crate::gpu::Pass;
use crate::search::Instrument;
use accurate::{is_accurate, settles_at_surface};
use continuity::{CARRIED, Continuity, diffusion};

/// Largest speed of a thrown body as a fraction of the speed of sound, which limits the compression of the fluid by
/// the impact.
const THROWN: f32 = 0.3;

/// The pair kernel of the forces.
const FORCES_FILE: &str = "fluid/wcsph/forces.wgsl";

const XSPH: &str = "XSPH";
const CONTINUITY: &str = "CONTINUITY";
/// Densities that settle at a free surface too, in a step (`accurate.rs`).
const SURFACE: &str = "SURFACE";

pub(super) static INFO: SolverInfo = SolverInfo {
    name: "wcsph",
    scene_name: "Wcsph",
    title: "WCSPH",
    source: "Monaghan 1994; Becker and Teschner 2007",
    idea: "pressure by a stiff equation of state, in many small steps",
    explanation: Some(&explanation::EXPLANATION),
    settings: settings::ALL,
    figures: &[],
    is_fluid: true,
    heeds_density: true,
    predicts: false,
    shifts: false,
    moves: 0.0,
    pressures: PressureSource::Densities,
    stiffness: |rest_density, sound_speed| rest_density * sound_speed.powi(2) / 7.0,
    resting_sound: |problem| problem.sound_speed,
    accuracy: Accuracy::Resolved,
    plot_colors: [[0, 90, 160], [150, 200, 235]],
    fault,
    radius_ratio: accurate::radius_ratio,
    particle_mass: |problem| problem.mass_of_cell(),
    time_step: time_step::time_step,
    limits,
    shorten_steps: None,
    lengthen_steps: None,
    terms: &[XSPH, CONTINUITY, TENSION, SURFACE, SOLID_PRESSURES],
    shape,
    carried: |shape| if shape.has(CONTINUITY) { CARRIED } else { &[] },
    shaders,
    create: |input| {
        Ok(Box::new(Wcsph {
            continuity: Continuity::new(input),
            corrections: accurate::corrections(input)?,
            shape: input.shape.clone(),
        }))
    },
};

fn fault(medium: Medium<'_>) -> Option<(String, String)> {
    if medium.material.ambient_pressure > 0.0 && !is_accurate(medium) {
        let reason = "must be 0 with the plain mode of WCSPH, whose pressure is never negative; or set wcsph.accurate to 1, or \
                      choose DFSPH or PBF";
        return Some(("material.ambient_pressure".to_owned(), reason.to_owned()));
    }
    let both = diffusion(medium).is_some() && medium.material.xsph > 0.0;
    both.then(|| {
        let reason =
            "must be 0 where density is integrated by Continuity or in the accurate mode, because XSPH would make the \
             density inconsistent with the positions; or choose Summation";
        ("material.xsph".to_owned(), reason.to_owned())
    })
}

fn limits(problem: &Problem<'_>, resolution: &Resolution) -> Limits {
    Limits {
        wall_speed: problem.expected_speed,
        wall_advice: ", or raise the initial water level, which raises the expected speed",
        thrown_speed: THROWN * resolution.sound_speed,
        // The time step takes light cloths into account.
        lightest_cloth: 0.0,
    }
}

/// The least artificial viscosity that damps the flutter of water along solids that mirror its pressure. In a round
/// tank, water gains energy with 0.01 and not with this (docs/VALIDATION.md, *Samples with pressures of their own*).
const LEAST_DAMPING: f32 = 0.05;
/// The kinematic viscosity that damps it as well, m²/s: about what the artificial one is for the water of that tank.
const DAMPING_VISCOSITY: f32 = 0.01;

fn is_damped(material: &Material) -> bool {
    material.viscosity >= LEAST_DAMPING || material.kinematic_viscosity >= DAMPING_VISCOSITY
}

fn shape(medium: Medium<'_>) -> Shape {
    let material = medium.material;
    let terms = [
        (material.xsph > 0.0).then_some(XSPH),
        diffusion(medium).map(|_| CONTINUITY),
        is_accurate(medium).then_some(TENSION),
        settles_at_surface(medium).then_some(SURFACE),
        (diffusion(medium).is_none() && !is_damped(material)).then_some(SOLID_PRESSURES),
    ];
    Shape { terms: terms.into_iter().flatten().collect(), repeats: 1 }
}

/// The density of a time step, which also stores carried densities where the scene has them.
fn density_of_step(shape: &Shape) -> FluidShader {
    let density = density(shape).with(&shape.among(&[SURFACE]));
    if shape.has(CONTINUITY) { density.with(&["ADVANCE"]) } else { density }
}

fn density(shape: &Shape) -> FluidShader {
    let terms = shape.among(&[CONTINUITY, TENSION, SOLID_PRESSURES]);
    if shape.has(CONTINUITY) { continuity::CHANGED_DENSITY.with(&terms) } else { SUMMED_DENSITY.with(&terms) }
}

fn forces(shape: &Shape) -> FluidShader {
    FluidShader::pair_with_images(FORCES_FILE, false).loading_walls().with(&shape.among(&[XSPH, TENSION]))
}

fn shaders(shape: &Shape, _: Surroundings) -> Vec<FluidShader> {
    let mut shaders = vec![density(shape), density_of_step(shape), forces(shape)];
    shaders.extend(shape.has(CONTINUITY).then_some(continuity::CARRY));
    shaders
}

struct Wcsph {
    continuity: Option<Continuity>,
    /// Of the accurate mode: what the correction of gradients takes from the pressure term of each particle.
    corrections: Option<wgpu::Buffer>,
    shape: Shape,
}

impl Wcsph {
    /// The density passes; where densities are carried, a pass brings them into the sorted order first.
    fn density_passes(&self, maker: &PassMaker<'_>, shader: &FluidShader) -> Result<Vec<Pass>, FluidError> {
        let own = self.own();
        let mut passes = Vec::new();
        if self.continuity.is_some() {
            passes.push(maker.each("carry densities", &continuity::CARRY, &own)?);
        }
        passes.extend(maker.pairs("density", shader, &own, None)?);
        Ok(passes)
    }

    fn own(&self) -> Vec<(&'static str, &wgpu::Buffer)> {
        let corrections = self.corrections.iter().map(|buffer| ("corrections", buffer));
        self.continuity.iter().map(Continuity::named).chain(corrections).collect()
    }
}

impl FluidSolver for Wcsph {
    fn write(&self, input: &SolverInput<'_>) {
        if let Some(continuity) = &self.continuity {
            continuity.write(input);
        }
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let mut passes = self.density_passes(maker, &density_of_step(&self.shape))?;
        passes.extend(maker.pairs("forces", &forces(&self.shape), &self.own(), None)?);
        Ok(passes)
    }

    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        self.density_passes(maker, &density(&self.shape))
    }

    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("count pairs", &density(&self.shape), &self.own(), Some(instrument))
    }
}
