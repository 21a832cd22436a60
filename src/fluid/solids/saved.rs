//! How kinds of solids save their own state and resume from it.

use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::{FluidError, Simulation};
use crate::gpu::Gpu;

/// Named arrays of bytes in a saved state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedArrays {
    arrays: Vec<(String, Vec<u8>)>,
}

impl SavedArrays {
    /// Adds an array. Its name must be that of the kind of solid, or begin with it, so that kinds and solvers do not
    /// use the same names.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.arrays.push((name.to_owned(), bytes));
    }

    /// The array with this name; `None` where it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.arrays.iter().find(|(other, bytes)| other == name && !bytes.is_empty());
        found.map(|(_, bytes)| bytes.as_slice())
    }

    /// All arrays with their names.
    pub(in crate::fluid) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.arrays.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }
}

impl From<Vec<(String, Vec<u8>)>> for SavedArrays {
    fn from(arrays: Vec<(String, Vec<u8>)>) -> Self {
        Self { arrays }
    }
}

/// Input for reading the saved state of a kind of solid.
#[derive(Clone, Copy)]
pub struct SavedInput<'a> {
    /// The scene as it was loaded, without solids that were added while it ran.
    pub scene: &'a Scene,
    /// The resolution of the saved state.
    pub resolution: &'a Resolution,
    /// The saved arrays.
    pub arrays: &'a SavedArrays,
}

/// The saved state of a kind of solid, which was read and checked before the simulation is changed.
pub trait SavedSolids {
    /// Number of particles of the solids that were added while the scene ran.
    fn added_count(&self) -> usize {
        0
    }

    /// Adds these solids to a simulation that has those of its scene only.
    ///
    /// # Errors
    /// When the device has no memory for them.
    fn add(&mut self, simulation: &mut Simulation) -> Result<(), FluidError> {
        let _ = simulation;
        Ok(())
    }

    /// Restores the state of the solids of this kind. The particles, the time and the number of steps are already
    /// those of the saved state.
    fn restore(self: Box<Self>, gpu: &Gpu, simulation: &mut Simulation);
}
