//! Closed triangle meshes.

use std::collections::HashMap;

use glam::{Mat3, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Largest number of triangles of a mesh, about that of a file of 100 MB and far finer than any spacing.
const MOST_TRIANGLES: usize = 1_000_000;

/// Why a mesh cannot be used. Each message names the file and how to fix it.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshError {
    /// The file cannot be read, or is not of its format.
    #[error("the mesh {file} cannot be read: {reason}")]
    Unreadable {
        /// As the scene names it.
        file: String,
        /// The message of the operating system or of the reader.
        reason: String,
    },
    /// The mesh has no triangles.
    #[error("the mesh {file} has no triangles; export its faces too")]
    Empty {
        /// As the scene names it.
        file: String,
    },
    /// The mesh has too many triangles.
    #[error("the mesh {file} has {triangles} triangles, and at most {MOST_TRIANGLES} are possible; simplify it")]
    Huge {
        /// As the scene names it.
        file: String,
        /// Number of triangles.
        triangles: usize,
    },
    /// A vertex is not finite.
    #[error("the mesh {file} has a vertex at {vertex}; all must be finite")]
    NotFinite {
        /// As the scene names it.
        file: String,
        /// The vertex.
        vertex: Vec3,
    },
    /// The mesh is not closed, so that it has no inside.
    #[error(
        "the mesh {file} is not closed: {edges} edges do not have a face with the same orientation on both sides, the \
         first from {from} to {to}; close its holes, and let all faces face outwards"
    )]
    Open {
        /// As the scene names it.
        file: String,
        /// Number of edges that are not used equally often in both directions.
        edges: usize,
        /// One end of the first of them.
        from: Vec3,
        /// Its other end.
        to: Vec3,
    },
    /// The mesh encloses no volume.
    #[error("the mesh {file} is flat; give it a volume")]
    Flat {
        /// As the scene names it.
        file: String,
    },
}

/// A closed surface of triangles that face outwards.
///
/// ```
/// use glam::Vec3;
/// use nearwater::fluid::Mesh;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Mesh::cuboid(Vec3::ZERO, Vec3::ONE);
/// assert!((cube.volume() - 1.0).abs() < 1e-6);
///
/// let mut open = cube.clone();
/// open.triangles.pop();
/// assert!(open.checked("cube.obj").is_err(), "a surface with a hole encloses nothing");
///
/// // Faces that look inwards are turned.
/// let mut inverted = cube.clone();
/// for triangle in &mut inverted.triangles {
///     triangle.reverse();
/// }
/// assert!(inverted.checked("cube.obj")?.volume() > 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Checks the mesh, and orients its faces outwards. `file` names it in messages.
    ///
    /// # Errors
    /// When it is not closed, empty, flat or too large.
    pub fn checked(mut self, file: &str) -> Result<Self, MeshError> {
        let file = || file.to_owned();
        if self.triangles.is_empty() {
            return Err(MeshError::Empty { file: file() });
        }
        if self.triangles.len() > MOST_TRIANGLES {
            return Err(MeshError::Huge { file: file(), triangles: self.triangles.len() });
        }
        // For each edge, the number of times that it is used from its lower to its higher vertex minus the number of
        // times in the other direction. Two shells that share an edge use it twice in each direction.
        let mut passed: HashMap<(u32, u32), i32> = HashMap::new();
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                *passed.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
        let open: Vec<_> = passed.iter().filter(|&(_, &times)| times != 0).map(|(&edge, _)| edge).collect();
        if let Some(&(from, to)) = open.iter().min() {
            let [from, to] = [from, to].map(|number| self.vertices[number as usize]);
            return Err(MeshError::Open { file: file(), edges: open.len(), from, to });
        }
        let volume = self.volume();
        let extent = self.bounds();
        let about = (extent.1 - extent.0).as_dvec3().element_product();
        if volume.abs() <= 1e-9 * about || about == 0.0 {
            return Err(MeshError::Flat { file: file() });
        }
        if volume < 0.0 {
            self.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        Ok(self)
    }

    /// The enclosed volume, m³; negative when the faces are oriented inwards.
    pub fn volume(&self) -> f64 {
        let [low, _] = self.bounds().into();
        let sixths = self.corners().map(|corners| {
            let [a, b, c] = corners.map(|corner| (corner - low).as_dvec3());
            a.dot(b.cross(c))
        });
        sixths.sum::<f64>() / 6.0
    }

    /// Lowest and highest corner of its bounding box, m.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let low = self.vertices.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        (low, self.vertices.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max))
    }

    /// The triangles' corners, m.
    pub fn corners(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.triangles.iter().map(|corners| corners.map(|corner| self.vertices[corner as usize]))
    }

    /// The mesh, rotated and then translated.
    #[must_use]
    pub fn placed(&self, turn: Mat3, translate: Vec3) -> Self {
        let vertices = self.vertices.iter().map(|&vertex| turn * vertex + translate).collect();
        Self { vertices, triangles: self.triangles.clone() }
    }

    /// An axis-aligned box.
    pub fn cuboid(low: Vec3, high: Vec3) -> Self {
        let vertices = (0..8_u32).map(|corner| {
            let is_high = Vec3::new((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32);
            low + is_high * (high - low)
        });
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [c, d, a]]).collect();
        Self { vertices: vertices.collect(), triangles }
    }

    /// A ball: an octahedron whose faces are divided into 4 to the power of `divisions` and projected onto the ball.
    /// With 4 or more divisions its volume is that of the ball within 1 %.
    pub fn ball(center: Vec3, radius: f32, divisions: u32) -> Self {
        let mut vertices = vec![Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let mut triangles =
            vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        for _ in 0..divisions {
            let mut middles = HashMap::new();
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let quarters = |[a, b, c]: [u32; 3]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            };
            triangles = triangles.into_iter().flat_map(quarters).collect();
        }
        Self { vertices: vertices.into_iter().map(|vertex| center + radius * vertex).collect(), triangles }
    }

    /// A vertical prism with this number of sides around the center of its floor, which approximates a cylinder.
    pub fn cylinder(foot: Vec3, radius: f32, height: f32, sides: u32) -> Self {
        let mut vertices = vec![foot, foot + height * Vec3::Y];
        let mut triangles = Vec::new();
        for side in 0..sides {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(side) / f64::from(sides)).sin_cos();
            let low = foot + radius * Vec3::new(cos as f32, 0.0, sin as f32);
            vertices.extend([low, low + height * Vec3::Y]);
            let (low, next) = (2 + 2 * side, 2 + 2 * ((side + 1) % sides));
            triangles.extend([[0, low, next], [1, next + 1, low + 1], [low, low + 1, next + 1], [next + 1, next, low]]);
        }
        Self { vertices, triangles }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::Vec3;

    use super::Mesh;

    #[test]
    fn shapes_are_closed_and_have_the_expected_volume() {
        let shapes = [
            (Mesh::cuboid(Vec3::ONE, Vec3::new(2.0, 3.0, 5.0)), 8.0, 1e-6),
            (Mesh::ball(Vec3::ONE, 2.0, 4), 4.0 / 3.0 * PI * 8.0, 0.01),
            (Mesh::cylinder(Vec3::ONE, 2.0, 3.0, 64), PI * 12.0, 0.01),
        ];
        for (shape, volume, tolerance) in shapes {
            let found = shape.volume();
            assert!((found / volume - 1.0).abs() < tolerance, "{found}, not {volume}");
            shape.checked("shape").expect("it is closed");
        }
    }
}
