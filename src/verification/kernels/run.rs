//! A simulation of a property's scene, and what is read from it.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::visiting::TWICE;
use super::water::SPACING;
use crate::files::Frame;
use crate::fluid::{FoamWork, Scene, Settings, Simulation, SolverFigure};
use crate::gpu::{Gpu, read_buffer};
use crate::search::random::uniform;
use crate::verification::VerificationError;

/// The seed of all random places and velocities.
pub(super) const SEED: u64 = 20_261_123;
/// Life of foam that is put into the water, s.
const LONG_LIFE: f32 = 100.0;
/// The class of spray in shaders.
const SPRAY: f32 = 2.0;
/// Steps that are recorded into one submission.
const BATCH: u64 = 20;

pub(super) struct Run<'a> {
    gpu: &'a Arc<Gpu>,
    pub simulation: Simulation,
}

impl<'a> Run<'a> {
    /// With every pair visited twice.
    pub fn new(gpu: &'a Arc<Gpu>, scene: &Scene) -> Result<Self, VerificationError> {
        Self::with(gpu, scene, &TWICE.settings(scene)?)
    }

    pub fn with(gpu: &'a Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Self, VerificationError> {
        Ok(Self { gpu, simulation: Simulation::new(gpu, scene, settings)? })
    }

    /// The current particles, in their original order.
    ///
    /// # Errors
    /// When the device fails, or a place is not a number, since a frame leaves out such particles as it does parked
    /// ones.
    pub fn frame(&self) -> Result<Frame, VerificationError> {
        let frame = self.simulation.observe()?;
        let (found, of) = (frame.positions.len(), self.simulation.particles().fluid_count as usize);
        if found == of { Ok(frame) } else { Err(VerificationError::LostParticles { found, of }) }
    }

    pub fn steps(&mut self, count: u64) -> Result<(), VerificationError> {
        for first in (0..count).step_by(BATCH as usize) {
            let simulation = &mut self.simulation;
            self.gpu.submit(|encoder| {
                (first..count.min(first + BATCH)).for_each(|_| simulation.record_step(encoder, None));
            });
            self.gpu.wait()?;
        }
        Ok(())
    }

    /// The solver's figures and their values after the last step.
    pub fn figures(&mut self) -> Result<Vec<(&'static SolverFigure, f32)>, VerificationError> {
        let simulation = &mut self.simulation;
        self.gpu.submit(|encoder| simulation.record_survey(encoder));
        self.gpu.wait()?;
        let survey = simulation.take_survey().ok_or_else(|| self.gpu.lost_error("no survey arrived"))?;
        Ok(simulation.scene().solver.figures.iter().zip(survey.figures).collect())
    }

    /// Places of the particles of solids, m, in the order of [`Run::forces_on_solids`]: between steps those of the
    /// last step, except for solids that the device moves at its end.
    pub fn solid_places(&self) -> Result<Vec<DVec3>, VerificationError> {
        let buffers = self.simulation.particles();
        let vectors = |buffer| read_buffer::<[f32; 4]>(self.gpu, buffer, buffers.count as usize);
        let (positions, velocities) = (vectors(buffers.positions)?, vectors(buffers.velocities)?);
        let numbers = velocities.iter().map(|velocity| velocity[3].to_bits());
        let mut places: Vec<(u32, DVec3)> =
            numbers.zip(positions).map(|(number, [x, y, z, _])| (number, Vec3::new(x, y, z).as_dvec3())).collect();
        places.retain(|(number, _)| *number >= buffers.fluid_count);
        places.sort_by_key(|(number, _)| *number);
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    /// Force of the fluid on each particle of solids in the last step over the mass of a particle of the fluid, m/s².
    pub fn forces_on_solids(&self) -> Result<Vec<DVec3>, VerificationError> {
        let count = self.simulation.resolution().boundary_count as usize;
        let Some(reactions) = self.simulation.boundary_reactions() else { return Ok(Vec::new()) };
        let forces = read_buffer::<[f32; 4]>(self.gpu, reactions, count)?;
        Ok(forces.into_iter().map(|[x, y, z, _]| Vec3::new(x, y, z).as_dvec3()).collect())
    }

    /// The weight of each particle of solids (boundaries.wgsl), and the share of the rest density that water at rest
    /// around the solid gives to it.
    pub fn solid_arrays(&self) -> Result<Vec<[f32; 2]>, VerificationError> {
        let count = self.simulation.resolution().boundary_count as usize;
        let Some(arrays) = self.simulation.solid_weights_and_shares() else { return Ok(Vec::new()) };
        let [weights, shares] = arrays.map(|buffer| read_buffer::<f32>(self.gpu, buffer, count));
        Ok(weights?.into_iter().zip(shares?).map(|(weight, share)| [weight, share]).collect())
    }

    /// Puts foam that lives long into the first places for diffuse particles, each with its place, m, and velocity,
    /// m/s.
    pub fn put_foam(&self, diffuse: &[(Vec3, Vec3)]) {
        let Some(foam) = self.simulation.foam() else { return };
        let words = |number: usize| {
            let (place, velocity) = diffuse[number];
            // Its class is found anew in every step.
            (place.extend(LONG_LIFE).to_array(), velocity.extend(SPRAY).to_array())
        };
        let (places, velocities): (Vec<_>, Vec<_>) = (0..diffuse.len()).map(words).unzip();
        let start = u64::from(foam.first) * size_of::<[f32; 4]>() as u64;
        self.gpu.queue.write_buffer(foam.positions, start, bytemuck::cast_slice(&places));
        self.gpu.queue.write_buffer(foam.velocities, start, bytemuck::cast_slice(&velocities));
    }

    /// What the last step of foam has done; nothing where there is none.
    pub fn foam_work(&self) -> Result<FoamWork, VerificationError> {
        Ok(self.simulation.foam_work()?.unwrap_or_default())
    }

    /// Sets particles to these places and velocities, makes steps, and returns by how much velocities have changed.
    pub fn gained(
        &mut self,
        places: &[Vec3],
        velocities: &[Vec3],
        steps: u64,
    ) -> Result<Vec<DVec3>, VerificationError> {
        self.simulation.set_particles(places, velocities)?;
        self.steps(steps)?;
        let after = self.frame()?.velocities;
        Ok(after.iter().zip(velocities).map(|(after, before)| (Vec3::from(*after) - *before).as_dvec3()).collect())
    }
}

/// A random vector with components from -1/2 to 1/2.
pub(super) fn scatter(index: usize) -> Vec3 {
    let component = |axis: u64| uniform(SEED, 3 * index as u64 + axis) - 0.5;
    Vec3::new(component(0), component(1), component(2))
}

/// The places of a frame, each moved by up to half of this share of a spacing along each axis.
pub(super) fn scattered(frame: &Frame, share: f32) -> Vec<Vec3> {
    let moved = |(index, place): (usize, &[f32; 3])| Vec3::from(*place) + share * SPACING * scatter(index);
    frame.positions.iter().enumerate().map(moved).collect()
}

/// Random velocities of this many particles, with components up to half a meter per second.
pub(super) fn random_velocities(count: usize) -> Vec<Vec3> {
    (0..count).map(|index| scatter(index + 1_000_000)).collect()
}

/// The largest of these lengths; NaN if one of them is.
pub(super) fn largest(vectors: impl IntoIterator<Item = DVec3>) -> f64 {
    vectors.into_iter().map(DVec3::length).fold(0.0, larger)
}

/// The larger of two values; NaN if one of them is, so that it is seen in the end.
pub(super) fn larger(most: f64, value: f64) -> f64 {
    if most.is_nan() || value <= most { most } else { value }
}
