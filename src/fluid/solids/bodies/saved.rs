//! The bytes of the saved state of bodies.

use super::body::Body;
use super::device::LoadWords;
use super::error::BodyError;
use super::world::World;
use crate::fluid::{FluidError, Mesh, Scene};
use crate::panic_report;

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
/// When it cannot be read, or an added body is not as a body in this scene must be.
pub(super) fn read(bytes: &[u8], scene: &Scene) -> Result<(Vec<Body>, World, Vec<LoadWords>), FluidError> {
    let wrong = |reason: String| FluidError::from(BodyError::State(reason));
    let (added, world, loads): Written<Body, Mesh, World, Vec<LoadWords>> =
        postcard::from_bytes(bytes).map_err(|error| wrong(error.to_string()))?;
    let with_surface = |(mut body, surface): (Body, Mesh)| {
        let count = surface.vertices.len();
        let mut corners = surface.triangles.iter().flatten();
        if corners.any(|&corner| corner as usize >= count) || !surface.vertices.iter().all(|vertex| vertex.is_finite())
        {
            return Err(wrong("an added body has a surface without vertices".to_owned()));
        }
        body.shape.set_model(surface.checked("an added body").map_err(|error| wrong(error.to_string()))?);
        if let Some((field, reason)) = body.fault(scene) {
            return Err(wrong(format!("the {field} of an added body {reason}")));
        }
        Ok(body)
    };
    let added: Vec<Body> = added.into_iter().map(with_surface).collect::<Result<_, _>>()?;
    let count = scene.solids.of::<Body>().len() + added.len();
    if loads.len() != count || !world.is_sound(count) {
        return Err(wrong(format!("they are not {count} bodies with finite positions and velocities")));
    }
    // What rapier keeps beyond that refers to itself by numbers, which only rapier could check. It is tried on a copy.
    let copied = postcard::from_bytes::<Written<Body, Mesh, World, Vec<LoadWords>>>(bytes);
    let survives = |(_, mut copy, _): (_, World, _)| panic_report::quietly(|| copy.try_step()).is_some();
    if !copied.is_ok_and(survives) {
        return Err(wrong("their contacts do not belong to them".to_owned()));
    }
    Ok((added, world, loads))
}
