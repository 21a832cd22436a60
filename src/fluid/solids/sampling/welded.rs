//! Meshes whose repeated vertices are merged: while they are read from files, and from triangles in memory.

use std::collections::HashMap;

use glam::{IVec3, Vec3};

use super::mesh::{Mesh, MeshError};

/// A mesh while it is read. Vertices at the same position are merged, because exporters repeat them where normals or
/// textures differ.
#[derive(Default)]
pub(super) struct Welded {
    mesh: Mesh,
    known: HashMap<[u32; 3], u32>,
    /// Vertices that are merged although their positions differ by rounding.
    near: Option<NearVertices>,
}

/// Vertices by the cells of a grid, whose edge is the distance up to which two of them are the same.
struct NearVertices {
    /// m.
    within: f32,
    cells: HashMap<IVec3, Vec<u32>>,
}

impl NearVertices {
    fn cell(&self, place: Vec3) -> IVec3 {
        (place / self.within).floor().as_ivec3()
    }

    /// A vertex of `vertices` at most `within` from a position.
    fn find(&self, vertices: &[Vec3], place: Vec3) -> Option<u32> {
        let cell = self.cell(place);
        let offsets = (0..27).map(|number| IVec3::new(number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1));
        let near = offsets.filter_map(|offset| self.cells.get(&cell.saturating_add(offset))).flatten().copied();
        near.into_iter().find(|&number| vertices[number as usize].distance(place) <= self.within)
    }
}

impl Welded {
    /// Also merges vertices up to `within` apart, m.
    fn within(within: f32) -> Self {
        Self { near: Some(NearVertices { within, cells: HashMap::new() }), ..Self::default() }
    }

    /// The index of the vertex at a position, m.
    pub(super) fn vertex(&mut self, file: &str, place: Vec3) -> Result<u32, MeshError> {
        if !place.is_finite() {
            return Err(MeshError::NotFinite { file: file.to_owned(), vertex: place });
        }
        // Adding zero makes -0 and 0 equal.
        let bits = (place + 0.0).to_array().map(f32::to_bits);
        if let Some(&known) = self.known.get(&bits) {
            return Ok(known);
        }
        let found = self.near.as_ref().and_then(|near| near.find(&self.mesh.vertices, place));
        let number = found.unwrap_or_else(|| {
            let number = self.mesh.vertices.len() as u32;
            self.mesh.vertices.push(place);
            if let Some(near) = &mut self.near {
                let cell = near.cell(place);
                near.cells.entry(cell).or_default().push(number);
            }
            number
        });
        self.known.insert(bits, number);
        Ok(number)
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

/// Distance up to which corners of triangles in memory are the same vertex, as a fraction of the longest edge of their
/// bounding box: far below any spacing, and above the rounding of sines at the seam of a ball.
const SAME: f32 = 2e-6;

impl Mesh {
    /// The closed surface that triangles form, m: corners at the same place, up to rounding, are one vertex, because
    /// meshes for drawing repeat them where normals or textures differ. `name` identifies it in messages.
    ///
    /// ```
    /// use glam::Vec3;
    /// use nearwater::fluid::Mesh;
    ///
    /// let cube = Mesh::cuboid(Vec3::ZERO, Vec3::ONE);
    /// let corners: Vec<_> = cube.corners().collect();
    /// let again = Mesh::from_triangles("cube", &corners)?;
    /// assert_eq!(again.vertices.len(), 8);
    ///
    /// let open = Mesh::from_triangles("of an open box", &corners[1..]);
    /// assert!(open.is_err_and(|error| error.to_string().contains("not closed")));
    /// # Ok::<(), nearwater::fluid::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// When the surface is not closed, or it is empty, flat, not finite or too large.
    pub fn from_triangles(name: &str, triangles: &[[Vec3; 3]]) -> Result<Self, MeshError> {
        let corners = triangles.iter().flatten().copied().filter(|corner| corner.is_finite());
        let (low, high) = corners
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), corner| (low.min(corner), high.max(corner)));
        let mut welded = Welded::within((SAME * (high - low).max_element()).max(f32::MIN_POSITIVE));
        for &corners in triangles {
            let [a, b, c] = corners.map(|corner| welded.vertex(name, corner));
            welded.face([a?, b?, c?]);
        }
        welded.mesh().checked(name)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::fluid::Mesh;

    /// Corners that differ by rounding, in all directions across the cells of the grid, are one vertex, and those of
    /// the smallest details are not.
    #[test]
    fn corners_are_merged_up_to_rounding() {
        let ball = Mesh::ball(Vec3::new(3.0, -2.0, 0.5), 1.0, 3);
        let mut number = 0_u32;
        let shaken = ball.corners().map(|corners| {
            corners.map(|corner| {
                number += 1;
                let sign = |bit: u32| if number >> bit & 1 == 0 { 1.0 } else { -1.0 };
                corner + 4e-7 * Vec3::new(sign(0), sign(1), sign(2))
            })
        });
        let shaken: Vec<_> = shaken.collect();
        let merged = Mesh::from_triangles("ball", &shaken).expect("it is closed");
        assert_eq!((merged.vertices.len(), merged.triangles.len()), (ball.vertices.len(), ball.triangles.len()));
        let empty = Mesh::from_triangles("nothing", &[]).expect_err("no triangles");
        assert!(empty.to_string().contains("nothing has no triangles"), "{empty}");
        let infinite = Mesh::from_triangles("far", &[[Vec3::ZERO, Vec3::X, Vec3::INFINITY]]).expect_err("no number");
        assert!(infinite.to_string().contains("must be finite"), "{infinite}");
    }
}
