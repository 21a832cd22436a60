//! The bytes of the saved state of bodies.

use super::body::Body;
use super::device::LoadWords;
use super::error::BodyError;
use super::world::World;
use crate::fluid::{FluidError, Mesh};

/// What is written: the added bodies with their surfaces, the world, and the loads of the last step.
type Written<B, M, W, L> = (Vec<(B, M)>, W, L);

/// Writes the bodies that were added to those of the scene, the world, and the loads of the last step.
///
/// # Errors
/// When they cannot be written.
pub(super) fn write(added: Vec<(&Body, &Mesh)>, world: &World, loads: &[LoadWords]) -> Result<Vec<u8>, FluidError> {
    let written: Written<_, _, _, _> = (added, world, loads);
    Ok(postcard::to_stdvec(&written).map_err(|error| BodyError::State(error.to_string()))?)
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<Body>, World, Vec<LoadWords>), FluidError> {
    let (added, world, loads): Written<Body, Mesh, World, Vec<LoadWords>> =
        postcard::from_bytes(bytes).map_err(|error| BodyError::State(error.to_string()))?;
    let with_surface = |(mut body, surface): (Body, Mesh)| {
        body.shape.set_model(surface);
        body
    };
    Ok((added.into_iter().map(with_surface).collect(), world, loads))
}
