//! Reads meshes from Wavefront OBJ files: vertices and faces; everything else is ignored.

use glam::Vec3;

use super::mesh::{Mesh, MeshError};
use super::welded::Welded;
use crate::files::input::without_mark;

/// Longest text that messages quote, characters.
const LONGEST: usize = 40;

impl Mesh {
    /// Reads a Wavefront OBJ; `file` names it in messages. Normals, textures and materials are ignored. Faces with more
    /// than three corners are divided into triangles around their first corner.
    ///
    /// # Errors
    /// When a vertex or a face is not valid, and when the mesh is not closed, empty, flat or too large.
    pub fn from_obj(file: &str, text: &[u8]) -> Result<Self, MeshError> {
        if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
            let reason = "it is in UTF-16; save it in UTF-8".to_owned();
            return Err(MeshError::Unreadable { file: file.to_owned(), reason });
        }
        let mut vertices: Vec<Vec3> = Vec::new();
        let mut welded = Welded::default();
        let mut corners: Vec<u32> = Vec::new();
        for (number, line) in (1..).zip(lines(without_mark(text))) {
            let at = |reason: String| MeshError::Unreadable {
                file: file.to_owned(),
                reason: format!("line {number}: {reason}"),
            };
            let Ok(line) = str::from_utf8(line) else {
                // Names and comments may be in any encoding.
                continue;
            };
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("v") => vertices.push(vertex(words).map_err(at)?),
                Some("f") => {
                    corners.clear();
                    for word in words {
                        let place = place_of(word, vertices.len()).map_err(at)?;
                        corners.push(welded.vertex(file, vertices[place])?);
                    }
                    if corners.len() < 3 {
                        return Err(at(format!("a face has {} corners, and must have at least 3", corners.len())));
                    }
                    corners[1..].windows(2).for_each(|pair| welded.face([corners[0], pair[0], pair[1]]));
                }
                _ => {}
            }
        }
        welded.mesh().checked(file)
    }
}

/// The lines of a text, whose ends may be a line feed, a carriage return, or both. Lines that end with a backslash are
/// rare enough that they are refused as incomplete.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let has_feeds = text.contains(&b'\n');
    text.split(move |&byte| if has_feeds { byte == b'\n' } else { byte == b'\r' })
}

/// A vertex: the first three numbers of its line.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut place = [0.0_f32; 3];
    for (coordinate, name) in place.iter_mut().zip(["x", "y", "z"]) {
        let word = words.next().ok_or_else(|| format!("a vertex has no {name}; write three numbers"))?;
        *coordinate =
            word.parse().map_err(|_| format!("the {name} of a vertex is {}; write a number", quoted(word)))?;
    }
    Ok(place.into())
}

/// The place in the list of vertices of a face's corner, as in `7`, `7/1/2` or, counted from the last vertex, `-1`.
fn place_of(word: &str, count: usize) -> Result<usize, String> {
    let number = word.split('/').next().unwrap_or_default();
    let number: i64 =
        number.parse().map_err(|_| format!("{} is not the number of a vertex; write a whole number", quoted(word)))?;
    let place = if number < 0 { number.saturating_add_unsigned(count as u64) } else { number - 1 };
    usize::try_from(place).ok().filter(|&place| place < count).ok_or_else(|| {
        format!("a face refers to vertex {number}, and there are {count} before it, counted from 1; correct it")
    })
}

fn quoted(word: &str) -> String {
    let short: String = word.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    format!("\"{short}\"")
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
