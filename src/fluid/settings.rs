//! The settings of a simulation besides its scene.

use serde::{Deserialize, Serialize};

use super::solids::SampledSolids;
use super::{FluidError, Resolution, Scene, SceneEdits, SmoothingKernel};
use crate::search::{SearchInfo, SearchOptions};

/// How finely a scene is resolved, given as one of two quantities that determine the [`Resolution`]. A scene whose
/// particles are read from files has the resolution of their spacing, and ignores this.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub enum Size {
    /// Approximate number of particles.
    Count(u32),
    /// Exact support radius, m.
    Radius(f32),
}

/// The settings of a simulation besides its scene.
///
/// ```
/// use nearwater::fluid::{Settings, SmoothingKernel, Solver};
/// use nearwater::search::search_named;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut settings = Settings::with_particles(50_000);
/// settings.search = search_named("fenns")?;
/// settings.kernel = SmoothingKernel::CubicSpline;
/// settings.edits.solver = Some(Solver::named("pbf")?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The neighbor search.
    pub search: &'static SearchInfo,
    /// The searches' settings.
    pub options: SearchOptions,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// How finely the scene is resolved.
    pub size: Size,
    /// Seed of the particles' small random displacements from the lattice.
    pub seed: u64,
    /// Changes to the scene relative to its file.
    pub edits: SceneEdits,
}

impl Settings {
    /// Seed of all random numbers, unless another is chosen.
    pub const DEFAULT_SEED: u64 = 20_261_121;

    /// Settings for about `count` particles, with defaults otherwise: the search that scenes start with, and the
    /// scene's own solver and material.
    pub fn with_particles(count: u32) -> Self {
        Self {
            search: SearchInfo::default_for_scenes(),
            options: SearchOptions::default(),
            kernel: SmoothingKernel::default(),
            size: Size::Count(count),
            seed: Self::DEFAULT_SEED,
            edits: SceneEdits::default(),
        }
    }

    /// The resolution that the settings give in a scene.
    ///
    /// # Errors
    /// When the size does not suit the scene.
    pub fn resolution(&self, scene: &Scene) -> Result<Resolution, FluidError> {
        Ok(self.resolved(&self.edits.applied_to(scene))?.0)
    }

    /// As [`Settings::resolution`], and also refuses what a simulation of the scene would refuse without regard to the
    /// device.
    ///
    /// # Errors
    /// When the scene is invalid or the size does not suit it.
    pub fn check(&self, scene: &Scene) -> Result<Resolution, FluidError> {
        let edited = self.edits.applied_to(scene);
        edited.check(&edited.name)?;
        Ok(self.resolved(&edited)?.0)
    }

    /// As [`Settings::resolution`], for a scene to which the edits were already applied, together with the particles of
    /// its solids.
    pub(super) fn resolved(&self, edited: &Scene) -> Result<(Resolution, SampledSolids), FluidError> {
        Resolution::with_solids(edited, self.kernel, self.size)
    }
}
