//! The closed surface of a marked entity, from the meshes of it and its descendants.

use bevy::asset::{AssetServer, LoadState};
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::{Mesh3d, MeshAccessError, MeshTrianglesError, PrimitiveTopology};
use bevy::prelude::*;

use super::marks::{WaterBody, WaterBoundary};
use crate::fluid::Mesh as Surface;

/// Largest difference of an entry of two transforms that counts as rounding.
const ROUNDING: f32 = 1e-3;

/// A mesh of the entity or of a descendant, with its place in the entity's own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    mesh: AssetId<Mesh>,
    place: Affine3A,
}

/// What a surface is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// Whether there are no meshes.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a mesh is one of them.
    pub(super) fn contain(&self, mesh: AssetId<Mesh>) -> bool {
        self.0.iter().any(|part| part.mesh == mesh)
    }
}

/// Whether the surface of a scale is that of another one.
pub(super) fn is_same_scale(one: Vec3, other: Vec3) -> bool {
    (one - other).abs().max_element() <= ROUNDING * one.abs().max_element()
}

/// Scale, rotation and translation of a place in the water; `None` if it is sheared or not finite, or has no volume.
pub(super) fn parts_of_place(place: Affine3A) -> Option<(Vec3, Quat, Vec3)> {
    let (scale, rotation, translation) = place.to_scale_rotation_translation();
    let again = Affine3A::from_scale_rotation_translation(scale, rotation, translation);
    let is_whole = place.is_finite() && scale.abs().min_element() > 0.0 && rotation.is_normalized();
    (is_whole && again.abs_diff_eq(place, ROUNDING * scale.abs().max_element())).then_some((
        scale,
        rotation,
        translation,
    ))
}

#[derive(QueryData)]
pub(in crate::app) struct Descendant {
    children: Option<&'static Children>,
    place: &'static Transform,
    mesh: Option<&'static Mesh3d>,
    is_boundary: Has<WaterBoundary>,
    is_body: Has<WaterBody>,
}

/// The meshes of the world.
#[derive(SystemParam)]
pub(in crate::app) struct Meshes<'w, 's> {
    entities: Query<'w, 's, Descendant>,
    assets: Option<Res<'w, Assets<Mesh>>>,
    server: Option<Res<'w, AssetServer>>,
}

impl Meshes<'_, '_> {
    /// The meshes of an entity and its descendants, except for those that are marked themselves.
    pub(super) fn parts(&self, entity: Entity) -> Parts {
        let mut parts = Vec::new();
        let mut rest = vec![(entity, Affine3A::IDENTITY)];
        while let Some((next, place)) = rest.pop() {
            let Ok(found) = self.entities.get(next) else { continue };
            if let Some(mesh) = found.mesh {
                parts.push(Part { mesh: mesh.id(), place });
            }
            for &child in found.children.into_iter().flatten() {
                if let Ok(below) = self.entities.get(child)
                    && !below.is_boundary
                    && !below.is_body
                {
                    rest.push((child, place * below.place.compute_affine()));
                }
            }
        }
        Parts(parts)
    }

    /// The surface of the parts at a scale along the entity's axes; `None` while a mesh is loading. `name` is the
    /// entity's in messages.
    ///
    /// # Errors
    /// A sentence, when a mesh cannot be loaded or read, or the surface is not closed.
    pub(super) fn surface(&self, name: &str, parts: &Parts, scale: Vec3) -> Result<Option<Surface>, String> {
        let mut triangles = Vec::new();
        for part in &parts.0 {
            let Some(mesh) = self.assets.as_ref().and_then(|assets| assets.get(part.mesh)) else {
                let state = self.server.as_ref().and_then(|server| server.get_load_state(part.mesh));
                return match state {
                    Some(LoadState::Failed(error)) => Err(format!("the mesh of {name} could not be loaded: {error}")),
                    _ => Ok(None),
                };
            };
            let first = triangles.len();
            add_triangles(mesh, &mut triangles).map_err(|error| refusal(name, &error))?;
            for corners in &mut triangles[first..] {
                *corners = corners.map(|corner| scale * part.place.transform_point3(corner));
            }
            if part.place.matrix3.determinant() < 0.0 {
                // A mirroring place reverses the orientation of faces.
                triangles[first..].iter_mut().for_each(|corners| corners.swap(1, 2));
            }
        }
        Surface::from_triangles(&format!("of {name}"), &triangles).map(Some).map_err(|error| error.to_string())
    }
}

fn refusal(name: &str, error: &MeshTrianglesError) -> String {
    let mend = match error {
        MeshTrianglesError::MeshAccessError(MeshAccessError::ExtractedToRenderWorld) => {
            "load it with RenderAssetUsages::default(), so that it stays in the main world"
        }
        MeshTrianglesError::WrongTopology => "use a list or a strip of triangles",
        _ => "give it positions of three floats",
    };
    format!("the mesh of {name} cannot be read ({error}); {mend}")
}

/// Adds the triangles of a mesh, with or without indices.
fn add_triangles(mesh: &Mesh, triangles: &mut Vec<[Vec3; 3]>) -> Result<(), MeshTrianglesError> {
    if !matches!(mesh.primitive_topology(), PrimitiveTopology::TriangleList | PrimitiveTopology::TriangleStrip) {
        return Err(MeshTrianglesError::WrongTopology);
    }
    let has_no_indices = mesh.try_indices_option().is_ok_and(|indices| indices.is_none());
    if has_no_indices && mesh.primitive_topology() == PrimitiveTopology::TriangleList {
        let places = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?;
        let places = places.as_float3().ok_or(MeshTrianglesError::PositionsFormat)?;
        triangles.extend(places.as_chunks().0.iter().map(|corners: &[[f32; 3]; 3]| corners.map(Vec3::from)));
        return Ok(());
    }
    triangles.extend(mesh.triangles()?.map(|triangle| triangle.vertices));
    Ok(())
}
