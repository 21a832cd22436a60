//! Meshes while they are read from files.

use std::collections::HashMap;

use glam::Vec3;

use super::mesh::{Mesh, MeshError};

/// A mesh while it is read. Vertices at the same position are merged, because exporters repeat them where normals or
/// textures differ.
#[derive(Default)]
pub(super) struct Welded {
    mesh: Mesh,
    known: HashMap<[u32; 3], u32>,
}

impl Welded {
    /// The index of the vertex at a position, m.
    pub(super) fn vertex(&mut self, file: &str, place: Vec3) -> Result<u32, MeshError> {
        if !place.is_finite() {
            return Err(MeshError::NotFinite { file: file.to_owned(), vertex: place });
        }
        // Adding zero makes -0 and 0 equal.
        let bits = (place + 0.0).to_array().map(f32::to_bits);
        Ok(*self.known.entry(bits).or_insert_with(|| {
            self.mesh.vertices.push(place);
            self.mesh.vertices.len() as u32 - 1
        }))
    }

    /// Adds a face, unless it is degenerate; without such a face the surface remains closed.
    pub(super) fn face(&mut self, [a, b, c]: [u32; 3]) {
        if a != b && b != c && c != a {
            self.mesh.triangles.push([a, b, c]);
        }
    }

    /// The mesh that was read, unchecked.
    pub(super) fn mesh(self) -> Mesh {
        self.mesh
    }
}
