//! Reads meshes from glTF files.

use glam::Mat4;
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Document, Gltf, Node};

use super::gltf_numbers::{indices, positions};
use super::mesh::{Mesh, MeshError};
use super::welded::Welded;
use crate::files::input::without_mark;

impl Mesh {
    /// Reads a glTF 2.0 file with embedded buffers: a `.glb`, or a `.gltf` with buffers as text. All meshes of its
    /// scene are combined, each transformed by its nodes; materials, skins and animations are ignored. `file` names
    /// it in messages.
    ///
    /// # Errors
    /// When it is not glTF, refers to buffers in other files, does not consist of triangles, or is not closed, empty,
    /// flat or too large.
    pub fn from_gltf(file: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        let unreadable = |reason: String| MeshError::Unreadable { file: file.to_owned(), reason };
        let bytes = without_mark(bytes);
        check_length(bytes).map_err(unreadable)?;
        let Gltf { document, blob } =
            Gltf::from_slice_without_validation(bytes).map_err(|error| unreadable(error.to_string()))?;
        check_indices(document.as_json()).map_err(unreadable)?;
        let document = Document::from_json(document.into_json()).map_err(|error| unreadable(error.to_string()))?;
        if document.buffers().any(|buffer| matches!(buffer.source(), Source::Uri(uri) if !uri.starts_with("data:"))) {
            return Err(unreadable("its buffers are in other files; export it as one .glb".to_owned()));
        }
        let buffers = gltf::import_buffers(&document, None, blob).map_err(|error| unreadable(error.to_string()))?;
        let mut welded = Welded::default();
        for (node, world) in
            placed_nodes(&document).ok_or_else(|| unreadable("its nodes contain a cycle".to_owned()))?
        {
            for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
                if primitive.mode() != Mode::Triangles {
                    return Err(unreadable(format!("it has {:?}; export its faces as triangles", primitive.mode())));
                }
                let places = positions(&primitive, &buffers).map_err(unreadable)?;
                let corners = indices(&primitive, &buffers).map_err(unreadable)?;
                let corners = corners.unwrap_or_else(|| (0..places.len() as u32).collect());
                if corners.len() % 3 != 0 {
                    let reason =
                        format!("a mesh in it has {} corners of triangles, which is no multiple of 3", corners.len());
                    return Err(unreadable(reason + "; export it again"));
                }
                // A mirroring node reverses the orientation of faces.
                let order = if world.determinant() < 0.0 { [0, 2, 1] } else { [0, 1, 2] };
                for face in corners.chunks_exact(3) {
                    let mut numbers = [0; 3];
                    for (number, place) in numbers.iter_mut().zip(order) {
                        let corner = face[place];
                        let place = places.get(corner as usize).ok_or_else(|| {
                            unreadable(format!("a face refers to vertex {corner}, which does not exist"))
                        })?;
                        *number = welded.vertex(file, world.transform_point3(*place))?;
                    }
                    welded.face(numbers);
                }
            }
        }
        welded.mesh().checked(file)
    }
}

/// Bytes of the header of a binary glTF: magic, version and length of the file.
const HEADER: usize = 12;

/// Refuses a binary glTF whose length is not that of the file, which the reader takes on trust.
fn check_length(bytes: &[u8]) -> Result<(), String> {
    let Some(length) = bytes.strip_prefix(b"glTF").and_then(|rest| rest.get(4..8)) else { return Ok(()) };
    let length = u32::from_le_bytes(std::array::from_fn(|place| length[place])) as usize;
    if (HEADER..=bytes.len()).contains(&length) {
        return Ok(());
    }
    Err(format!("its header says that it has {length} bytes, and it has {}; export it again", bytes.len()))
}

/// Refuses primitives whose accessors do not exist, which the reader looks up while it validates them.
fn check_indices(root: &gltf::json::Root) -> Result<(), String> {
    let count = root.accessors.len();
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut used = primitives.flat_map(|primitive| primitive.attributes.values().chain(&primitive.indices));
    used.find(|index| index.value() >= count).map_or(Ok(()), |index| {
        Err(format!("a mesh in it refers to accessor {}, and there are {count}; export it again", index.value()))
    })
}

/// The nodes of the default scene, or else of the first, each with its transformation to the world; `None` where a
/// node contains itself.
fn placed_nodes(document: &Document) -> Option<Vec<(Node<'_>, Mat4)>> {
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut open: Vec<_> = scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, Mat4::IDENTITY)).collect();
    let mut placed = Vec::new();
    while let Some((node, parent)) = open.pop() {
        if placed.len() == document.nodes().len() {
            return None;
        }
        let world = parent * Mat4::from_cols_array_2d(&node.transform().matrix());
        open.extend(node.children().map(|child| (child, world)));
        placed.push((node, world));
    }
    Some(placed)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::Mesh;

    /// A binary glTF with one tetrahedron, these nodes, and faces in this mode.
    fn tetrahedron(nodes: &str, mode: u32) -> Vec<u8> {
        let places: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        let blob = [bytemuck::cast_slice::<_, u8>(&places), bytemuck::cast_slice(&faces)].concat();
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"mode":{mode}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},
            {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
            "buffers":[{{"byteLength":72}}]}}"#
        )
        .into_bytes();
        glb(text, &blob)
    }

    /// A binary glTF of a description and the bytes of its buffer.
    fn glb(mut text: Vec<u8>, blob: &[u8]) -> Vec<u8> {
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + text.len() + 8 + blob.len();
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let header = words(&[0x4654_6c67, 2, length as u32, text.len() as u32, 0x4e4f_534a]);
        [header, text, words(&[blob.len() as u32, 0x004e_4942]), blob.to_vec()].concat()
    }

    #[test]
    fn ranges_beyond_buffers_and_wrong_types_are_refused() {
        let good = tetrahedron(r#"[{"mesh":0}]"#, 4);
        let length = u32::from_le_bytes(good[12..16].try_into().expect("four bytes")) as usize;
        let (text, blob) = (String::from_utf8_lossy(&good[20..20 + length]).into_owned(), &good[28 + length..]);
        let refusal = |bytes: &[u8]| Mesh::from_gltf("mine.glb", bytes).expect_err("it is faulty").to_string();
        assert!(Mesh::from_gltf("mine.glb", &glb(text.clone().into_bytes(), blob)).is_ok(), "{text}");
        let faults = [
            (r#""bufferView":1"#, r#""bufferView":9"#, "bufferView"),
            (r#""count":12"#, r#""count":0"#, "its count is 0"),
            (r#""count":12"#, r#""count":13"#, "do not fit"),
            (r#""count":12"#, r#""count":11"#, "no multiple of 3"),
            (r#""count":12"#, r#""count":4000000000"#, "its count is 4000000000"),
            (r#""count":4,"#, r#""count":5,"#, "do not fit"),
            (r#""componentType":5123"#, r#""componentType":5126"#, "without sign"),
            (r#""componentType":5126"#, r#""componentType":5123"#, "three floats"),
            (r#""type":"SCALAR""#, r#""type":"VEC2""#, "no single numbers"),
            (r#""type":"VEC3""#, r#""type":"VEC4""#, "three floats"),
            (r#""byteOffset":48"#, r#""byteOffset":60"#, "the buffer has"),
            (r#""byteOffset":48"#, r#""byteOffset":18446744073709551615"#, "the buffer has"),
            (r#""bufferView":0,"#, r#""bufferView":0,"byteOffset":44,"#, "do not fit"),
            (r#""byteLength":24"#, r#""byteLength":2400"#, "the buffer has"),
            (r#""byteLength":48"#, r#""byteLength":48,"byteStride":4"#, "do not fit"),
            (r#""POSITION":0"#, r#""POSITION":7"#, "refers to accessor 7"),
            (r#""indices":1"#, r#""indices":7"#, "refers to accessor 7"),
            (r#""byteLength":72"#, r#""byteLength":7200"#, "cannot be read"),
            (r#""byteLength":72"#, r#""byteLength":72,"uri":"%ff""#, "export it as one .glb"),
        ];
        for (from, to, part) in faults {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from} is not in {text}");
            let sentence = refusal(&glb(changed.into_bytes(), blob));
            assert!(sentence.contains(part), "{to}: {sentence}");
        }
        for length in [0_u32, 11, 1 << 20] {
            let mut bytes = good.clone();
            bytes[8..12].copy_from_slice(&length.to_le_bytes());
            assert!(refusal(&bytes).contains("its header says"), "{length}: {}", refusal(&bytes));
        }
    }

    fn volume(mesh: &Mesh) -> f32 {
        mesh.corners().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn meshes_are_transformed_by_their_nodes_and_face_outwards() {
        let placed = r#"[{"children":[1],"translation":[5,0,0]},{"mesh":0,"scale":[2,2,2]}]"#;
        let mesh = Mesh::from_gltf("one.glb", &tetrahedron(placed, 4)).expect("it is closed");
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
        assert_eq!(mesh.bounds(), (Vec3::new(5.0, 0.0, 0.0), Vec3::new(7.0, 2.0, 2.0)));
        assert!((volume(&mesh) - 8.0 / 6.0).abs() < 1e-5, "{}", volume(&mesh));
        // One tetrahedron as it is and a mirrored one beside it: both must have a positive volume.
        let mirrored = r#"[{"children":[1,2]},{"mesh":0,"translation":[1,0,0]},{"mesh":0,"scale":[-1,1,1]}]"#;
        let mesh = Mesh::from_gltf("two.glb", &tetrahedron(mirrored, 4)).expect("both are closed");
        assert!((volume(&mesh) - 2.0 / 6.0).abs() < 1e-5, "{}", volume(&mesh));
    }

    #[test]
    fn files_without_a_closed_mesh_are_refused() {
        let refused = |bytes: &[u8]| Mesh::from_gltf("mine.glb", bytes).expect_err("it is invalid").to_string();
        let good = tetrahedron(r#"[{"mesh":0}]"#, 4);
        for end in [0, 11, 40, good.len() - 1] {
            let sentence = refused(&good[..end]);
            assert!(sentence.contains("mine.glb cannot be read"), "{end}: {sentence}");
        }
        let sentence = refused(&tetrahedron(r#"[{"mesh":0}]"#, 1));
        assert!(sentence.contains("Lines; export its faces as triangles"), "{sentence}");
        let sentence = refused(&tetrahedron(r#"[{"name":"nothing"}]"#, 4));
        assert!(sentence.contains("has no triangles"), "{sentence}");
        let sentence = refused(&tetrahedron(r#"[{"mesh":0,"children":[0]}]"#, 4));
        assert!(sentence.contains("contain a cycle"), "{sentence}");
        let text = String::from_utf8_lossy(&good[20..]).split("}}]}]}").next().map(str::to_owned).unwrap_or_default();
        let apart = text.replace(r#"{"byteLength":72}"#, r#"{"byteLength":72,"uri":"elsewhere.bin"}"#);
        let end = apart.rfind(']').map_or(apart.len(), |end| end + 2);
        let sentence = refused(apart[..end.min(apart.len())].trim_end().as_bytes());
        assert!(sentence.contains("export it as one .glb"), "{sentence}");
    }
}
