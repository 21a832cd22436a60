//! The particles with which a scene starts, visited without a device and without storing them, for writers of files
//! that other programs start from.

use glam::{DVec3, Vec3};

use super::lattice::{self, Around};
use super::resting::RestingWater;
use super::solids::SampledSolids;
use super::{FluidError, Resolution, Scene};

/// The particles with which a scene starts at one resolution: those that [`super::Simulation`] starts with, in the same
/// order. The fluid's are computed as they are visited and need no memory.
pub struct InitialParticles<'a> {
    scene: &'a Scene,
    spacing: f32,
    seed: u64,
    solids: SampledSolids,
    resting: Option<RestingWater>,
}

impl<'a> InitialParticles<'a> {
    /// Samples the scene's solids.
    ///
    /// # Errors
    /// Those of the solids, such as too many particles.
    pub fn new(scene: &'a Scene, resolution: &Resolution, seed: u64) -> Result<Self, FluidError> {
        let spacing = resolution.spacing;
        let solids = SampledSolids::new(scene, spacing)?;
        let resting = RestingWater::new(scene, resolution, &solids);
        Ok(Self { scene, spacing, seed, solids, resting })
    }

    /// Visits position, m, and velocity, m/s, of each fluid particle outside the reservoir, until a visit fails.
    ///
    /// # Errors
    /// That of the visit.
    pub fn visit<E>(&self, mut visit: impl FnMut(Vec3, Vec3) -> Result<(), E>) -> Result<(), E> {
        let around = Around { solids: &self.solids, resting: self.resting.as_ref() };
        lattice::visit(self.scene, self.spacing, self.seed, around, |placed| visit(placed.position, placed.velocity))
    }

    /// Whether a position, m, lies in one of the scene's solids.
    pub fn is_in_solid(&self, place: DVec3) -> bool {
        self.solids.kinds().iter().any(|(_, sampled)| sampled.is_inside(place))
    }
}
