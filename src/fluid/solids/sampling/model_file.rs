//! Mesh files, from a scene's folder or among the program's own models.

use std::path::Path;

use include_dir::{Dir, include_dir};

use super::mesh::{Mesh, MeshError};

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
        Ok(found) if found.len() > LARGEST_FILE => {
            let (size, most) = (found.len() >> 20, LARGEST_FILE >> 20);
            return Err(unreadable(format!("it has {size} MiB, and at most {most} MiB are possible; simplify it")));
        }
        Ok(_) if folder.is_some() => std::fs::read(&path).map_err(|error| unreadable(error.to_string()))?,
        Ok(_) | Err(_) => embedded().ok_or_else(|| {
            let names = model_names().join(", ");
            unreadable(format!("there is no file {}; the program's own models are {names}", path.display()))
        })?,
    };
    Mesh::from_file(file, &bytes)
}
