//! The bytes of the saved state of bodies.

use super::body::Body;
use super::device::LoadWords;
use super::error::BodyError;
use super::outlook::Outlook;
use super::world::World;
use crate::attempt::attempt;
use crate::fluid::{FluidError, Mesh, Scene};

/// What is written: the added bodies with their surfaces, the world, the loads of the last step, and what is expected
/// of each body.
type Written<B, M, W, L, O> = (Vec<(B, M)>, W, L, O);

/// What is read: the added bodies, the world, the loads of the last step, and what is expected of each body.
pub(super) type Read = (Vec<Body>, World, Vec<LoadWords>, Vec<Outlook>);

/// Writes the bodies that were added to those of the scene, the world, the loads of the last step, and what is
/// expected.
///
/// # Errors
/// When they cannot be written.
pub(super) fn write(
    added: Vec<(&Body, &Mesh)>,
    world: &World,
    loads: &[LoadWords],
    outlooks: &[Outlook],
) -> Result<Vec<u8>, FluidError> {
    let written: Written<_, _, _, _, _> = (added, world, loads, outlooks);
    Ok(postcard::to_stdvec(&written).map_err(|error| BodyError::State(error.to_string()))?)
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// When it cannot be read, or an added body is not as a body in this scene must be.
pub(super) fn read(bytes: &[u8], scene: &Scene) -> Result<Read, FluidError> {
    let wrong = |reason: String| FluidError::from(BodyError::State(reason));
    let (added, world, loads, outlooks): Written<Body, Mesh, World, Vec<LoadWords>, Vec<Outlook>> =
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
    if !outlooks.iter().all(Outlook::is_finite) {
        return Err(wrong("the motion that is expected of a body is not finite".to_owned()));
    }
    if [loads.len(), outlooks.len()] != [count; 2] || !world.is_sound(count) {
        return Err(wrong(format!("they are not {count} bodies with finite positions and velocities")));
    }
    // What rapier keeps beyond that refers to itself by numbers, which only rapier could check. It is tried on a copy.
    let copied = postcard::from_bytes::<Written<Body, Mesh, World, Vec<LoadWords>, Vec<Outlook>>>(bytes);
    let survives = |(_, mut copy, _, _): (_, World, _, _)| attempt(|| copy.try_step()).is_some();
    if !copied.is_ok_and(survives) {
        return Err(wrong("their contacts do not belong to them".to_owned()));
    }
    Ok((added, world, loads, outlooks))
}
