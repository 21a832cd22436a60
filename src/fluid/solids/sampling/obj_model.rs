//! Reads meshes from Wavefront OBJ files.

use std::io::{BufRead, Cursor};

use glam::Vec3;

use super::mesh::{Mesh, MeshError};
use super::welded::Welded;

impl Mesh {
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
}
