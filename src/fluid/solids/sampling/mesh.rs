//! Closed triangle meshes.

use std::collections::HashMap;
use std::io::{BufRead, Cursor};
use std::path::Path;

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
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

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

impl Mesh {
    /// Reads a mesh file: a glTF according to its file name extension, or else a Wavefront OBJ. `file` also names it
    /// in messages.
    ///
    /// # Errors
    /// As [`Mesh::from_obj`] and [`Mesh::from_gltf`].
    pub fn from_file(file: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_lowercase().as_str() {
            "glb" | "gltf" => Self::from_gltf(file, bytes),
            _ => Self::from_obj(file, bytes),
        }
    }

    /// Reads a Wavefront OBJ; `file` names it in messages. Normals, textures and materials are ignored.
    ///
    /// # Errors
    /// When it is not OBJ, not closed, empty, flat or too large.
    pub fn from_obj(file: &str, text: &[u8]) -> Result<Self, MeshError> {
        let unreadable = |reason: String| MeshError::Unreadable { file: file.to_owned(), reason };
        let options =
            tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
        let without_materials = without_material_lines(text).map_err(|error| unreadable(error.to_string()))?;
        let (models, _) =
            tobj::load_obj_buf(&mut Cursor::new(without_materials), &options, |_| Err(tobj::LoadError::OpenFileFailed))
                .map_err(|error| unreadable(error.to_string()))?;
        let mut welded = Welded::default();
        for model in models.iter().map(|model| &model.mesh) {
            let mut number_of = |corner: u32| {
                let at = 3 * corner as usize;
                let place = model.positions.get(at..at + 3).map(Vec3::from_slice);
                let place = place
                    .ok_or_else(|| unreadable(format!("a face refers to vertex {corner}, which does not exist")))?;
                welded.vertex(file, place)
            };
            let mut faces = Vec::new();
            for corners in model.indices.chunks_exact(3) {
                faces.push([number_of(corners[0])?, number_of(corners[1])?, number_of(corners[2])?]);
            }
            for face in faces {
                welded.face(face);
            }
        }
        welded.mesh().checked(file)
    }

    /// Checks the mesh, and orients its faces outwards.
    pub(in crate::fluid) fn checked(mut self, file: &str) -> Result<Self, MeshError> {
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

/// The text without lines that refer to materials, whose files the reader would look for.
fn without_material_lines(text: &[u8]) -> std::io::Result<String> {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line?;
        if !line.trim_start().starts_with("mtllib") && !line.trim_start().starts_with("usemtl") {
            kept.push_str(&line);
            kept.push('\n');
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::Vec3;

    use super::{Mesh, MeshError};

    const TETRAHEDRON: &str = "\
# A comment.
mtllib nowhere.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
";

    fn read(text: &str) -> Result<Mesh, MeshError> {
        Mesh::from_obj("mine.obj", text.as_bytes())
    }

    #[test]
    fn a_closed_mesh_is_read_and_oriented_outwards() {
        let mesh = read(TETRAHEDRON).expect("it is closed");
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-9);
        let inwards = TETRAHEDRON
            .replace("f 1 3 2", "f 1 2 3")
            .replace("f 1 2 4", "f 1 4 2")
            .replace("f 1 4 3", "f 1 3 4")
            .replace("f 2 3 4", "f 2 4 3");
        assert!((read(&inwards).expect("it is closed").volume() - 1.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn meshes_that_are_not_closed_are_refused() {
        let refused = [
            (TETRAHEDRON.replace("f 2 3 4\n", ""), "not closed: 3 edges"),
            (TETRAHEDRON.replace("f 2 3 4", "f 2 4 3"), "same orientation"),
            (TETRAHEDRON.lines().filter(|line| !line.starts_with('f')).collect::<Vec<_>>().join("\n"), "no triangles"),
            (TETRAHEDRON.replace("v 0 0 1", "v 0 0 nan"), "finite"),
            (TETRAHEDRON.replace("v 0 0 1", "v 0 0 0.0"), "mine.obj"),
            (TETRAHEDRON.replace("v 0 0 1", "v 1 1 0"), "flat"),
            (TETRAHEDRON.replace("f 2 3 4", "f 2 3 9"), "cannot be read"),
            (TETRAHEDRON.replace("v 0 0 1", "v zero"), "cannot be read"),
            (String::new(), "no triangles"),
        ];
        for (text, expected) in refused {
            let sentence = read(&text).expect_err(expected).to_string();
            assert!(sentence.contains(expected) && sentence.contains("mine.obj"), "{sentence}");
        }
        let sentence = Mesh::from_obj("mine.obj", &[0xff, 0xfe, b'v']).expect_err("not text").to_string();
        assert!(sentence.contains("cannot be read"), "{sentence}");
    }

    #[test]
    fn repeated_vertices_are_welded() {
        let corner = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let vertices: Vec<_> = faces.iter().flatten().map(|&place| format!("v {}", corner[place])).collect();
        let faces = (0..4).map(|face| format!("f {} {} {}", 3 * face + 1, 3 * face + 2, 3 * face + 3));
        let lines: Vec<_> = vertices.into_iter().chain(faces).collect();
        let mesh = read(&lines.join("\n")).expect("it is closed once vertices are welded");
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    }

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
