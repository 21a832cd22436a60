//! A simulation of a property's scene, and what is read from it.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::visiting::TWICE;
use super::water::SPACING;
use crate::files::Frame;
use crate::fluid::{Scene, Settings, Simulation, SolverFigure};
use crate::gpu::Gpu;
use crate::search::random::uniform;
use crate::verification::VerificationError;

/// The seed of all random places and velocities.
pub(super) const SEED: u64 = 20_261_123;
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
    pub fn frame(&self) -> Result<Frame, VerificationError> {
        Ok(self.simulation.observe()?)
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

/// The largest of these lengths.
pub(super) fn largest(vectors: impl IntoIterator<Item = DVec3>) -> f64 {
    vectors.into_iter().map(DVec3::length).fold(0.0, |most, length| if length <= most { most } else { length })
}
