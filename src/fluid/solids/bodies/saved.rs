//! The saved state of bodies, including those that were added while the scene ran.

use super::body::Body;
use super::coupling::Bodies;
use super::device::LoadWords;
use super::kind::INFO;
use super::samples::samples_of;
use super::world::World;
use crate::fluid::solids::{SavedArrays, SavedInput, SavedSolids, SurfaceSamples};
use crate::fluid::{FluidError, Mesh, Simulation};
use crate::gpu::Gpu;

/// What is written: the added bodies with their surfaces, the world, and the loads of the last step.
type Written<B, M, W, L> = (Vec<(B, M)>, W, L);

/// Writes the state of bodies.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(
    added: Vec<(&Body, &Mesh)>,
    world: &World,
    loads: &[LoadWords],
    arrays: &mut SavedArrays,
) -> Result<(), FluidError> {
    let written: Written<_, _, _, _> = (added, world, loads);
    let bytes = postcard::to_stdvec(&written).map_err(|error| FluidError::StateOfBodies(error.to_string()))?;
    arrays.add(INFO.name, bytes);
    Ok(())
}

/// The saved state of bodies.
struct SavedBodies {
    /// Bodies that were added to those of the scene, with their particles.
    added: Vec<(SurfaceSamples, Body)>,
    world: World,
    loads: Vec<LoadWords>,
}

/// Reads the state that [`write`] wrote.
///
/// # Errors
/// When it cannot be read, or belongs to another number of bodies.
pub(super) fn read_state(input: &SavedInput<'_>) -> Result<Option<Box<dyn SavedSolids>>, FluidError> {
    let in_scene = input.scene.solids.of::<Body>().len();
    let incomplete = FluidError::IncompleteState(INFO.name);
    let Some(bytes) = input.arrays.get(INFO.name) else {
        return if in_scene == 0 { Ok(None) } else { Err(incomplete) };
    };
    let (added, world, loads): Written<Body, Mesh, World, Vec<LoadWords>> =
        postcard::from_bytes(bytes).map_err(|error| FluidError::StateOfBodies(error.to_string()))?;
    if loads.len() != in_scene + added.len() {
        return Err(incomplete);
    }
    let with_particles = |(number, (mut body, surface)): (usize, (Body, Mesh))| {
        body.shape.set_model(surface);
        Ok((samples_of(number, &body.shape.surface(), input.resolution.spacing)?, body))
    };
    let added = (in_scene..).zip(added).map(with_particles).collect::<Result<_, FluidError>>()?;
    Ok(Some(Box::new(SavedBodies { added, world, loads })))
}

impl SavedSolids for SavedBodies {
    fn added_count(&self) -> usize {
        self.added.iter().map(|(samples, _)| samples.points().len()).sum()
    }

    fn add(&mut self, simulation: &mut Simulation) -> Result<(), FluidError> {
        self.added.drain(..).try_for_each(|(samples, body)| simulation.attach(samples, &body).map(|_| ()))
    }

    fn restore(self: Box<Self>, _: &Gpu, simulation: &mut Simulation) {
        if let Some(bodies) = simulation.solid_mut::<Bodies>() {
            bodies.restore(self.world, self.loads);
        }
    }
}
