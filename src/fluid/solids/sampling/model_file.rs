//! Mesh files, from a scene's folder or among the program's own models.

use std::path::Path;

use include_dir::{Dir, include_dir};

use super::mesh::{Mesh, MeshError};
use crate::files::read_bytes;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/models");

/// Largest size of a mesh file, bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// The names of the program's models, sorted.
pub(in crate::fluid) fn model_names() -> Vec<&'static str> {
    let mut names: Vec<_> = EMBEDDED.files().filter_map(|file| file.path().to_str()).collect();
    names.sort_unstable();
    names
}

/// The mesh with this name: a file in a scene's folder, or one of the program's models.
pub(in crate::fluid) fn read_model(file: &str, folder: Option<&Path>) -> Result<Mesh, MeshError> {
    let unreadable = |reason: String| MeshError::Unreadable { file: file.to_owned(), reason };
    let path = folder.unwrap_or(Path::new("")).join(file);
    let embedded = || EMBEDDED.get_file(file).map(|embedded| embedded.contents().to_vec());
    let bytes = match std::fs::metadata(&path) {
        Ok(_) if folder.is_some() => read_bytes(&path, LARGEST_FILE).map_err(unreadable)?,
        Ok(_) | Err(_) => embedded().ok_or_else(|| {
            let names = model_names().join(", ");
            unreadable(format!("there is no file {}; the program's own models are {names}", path.display()))
        })?,
    };
    Mesh::from_file(file, &bytes)
}

impl Mesh {
    /// Reads a mesh file: a glTF according to its file name extension, or else a Wavefront OBJ. `file` also names it
    /// in messages.
    ///
    /// # Errors
    /// As [`Mesh::from_obj`] and [`Mesh::from_gltf`].
    #[cfg(feature = "meshes")]
    pub fn from_file(file: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_lowercase().as_str() {
            "glb" | "gltf" => Self::from_gltf(file, bytes),
            _ => Self::from_obj(file, bytes),
        }
    }

    /// Refuses to read a mesh file, because this build contains no readers of meshes.
    ///
    /// # Errors
    /// Always; the message names the cargo feature that is missing.
    #[cfg(not(feature = "meshes"))]
    pub fn from_file(file: &str, _bytes: &[u8]) -> Result<Self, MeshError> {
        let reason = "this build reads no meshes; build it with the cargo feature `meshes`".to_owned();
        Err(MeshError::Unreadable { file: file.to_owned(), reason })
    }
}
