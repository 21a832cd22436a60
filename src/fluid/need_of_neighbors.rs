//! Whether a time step lists the neighbors of all particles: by the user's choice, or else by what the solver needs.

use super::{Dimensions, FluidError, Resolution, Scene};
use crate::gpu::Gpu;
use crate::search::{Listed, NeighborSearch, SearchInfo, SearchInput, SearchOptions, UseOfList};

/// The neighbors that the traversals of a step need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NeedOfNeighbors {
    chosen: UseOfList,
    /// Whether a step traverses the pairs more than once.
    is_repeated: bool,
    /// Neighbors of a particle in even water.
    expected: f64,
}

impl NeedOfNeighbors {
    pub(super) fn of(scene: &Scene, resolution: &Resolution, options: &SearchOptions) -> Self {
        let ratio = f64::from(resolution.support_radius) / f64::from(resolution.spacing);
        let expected = match scene.dimensions {
            Dimensions::Two => std::f64::consts::PI * ratio.powi(2),
            Dimensions::Three => 4.0 / 3.0 * std::f64::consts::PI * ratio.powi(3),
        };
        // The one solver that is not of a fluid traverses the pairs once.
        Self { chosen: UseOfList::of(options), is_repeated: scene.solver.is_fluid(), expected }
    }

    /// Creates the search, with a list if there shall be one.
    ///
    /// # Errors
    /// When the search refuses the particles, or the device has no memory for a list that was demanded.
    pub(super) fn search(
        self,
        gpu: &Gpu,
        info: &SearchInfo,
        input: SearchInput<'_>,
    ) -> Result<Box<dyn NeighborSearch>, FluidError> {
        let options = UseOfList::Off.among(input.options);
        let create = || info.create(gpu, SearchInput { options: &options, ..input });
        let listed = || Ok(Box::new(Listed::new(gpu, create()?, self.expected)?) as Box<dyn NeighborSearch>);
        let is_useful = self.is_repeated && Listed::fits(gpu, input.particle_count, self.expected);
        match self.chosen {
            UseOfList::On => listed(),
            UseOfList::Auto if is_useful => listed().or_else(|_: FluidError| Ok(create()?)),
            UseOfList::Auto | UseOfList::Off => Ok(create()?),
        }
    }
}
