//! The file in which the app keeps what the driver has compiled for it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::files::{make_folder_of, write_whole};
use crate::gpu::Gpu;

/// Largest file that is read and written, bytes. The pipelines of all searches, solvers and scenes take far less.
const LARGEST: usize = 256 << 20;

/// The usual file in the platform's folder for caches; `None` if the system has no such folder.
pub fn user_pipeline_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "nearwater")?;
    Some(folders.cache_dir().join("pipelines.bin"))
}

/// Compiles with what the file contains. A file that cannot be read only costs the time to compile.
pub fn use_kept_pipelines(gpu: &Gpu, file: &Path) {
    if !gpu.keeps_pipelines() {
        return;
    }
    let is_small = std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() <= LARGEST as u64);
    let kept = is_small.then(|| std::fs::read(file).ok()).flatten();
    gpu.keep_pipelines(kept.as_deref());
}

/// Writes to the file what the driver has compiled so far, if that is more than it contains.
///
/// # Errors
/// One sentence, when the file or its folder cannot be written.
pub(super) fn keep_pipelines(gpu: &Gpu, file: &Path) -> Result<(), String> {
    let Some(kept) = gpu.kept_pipelines().filter(|kept| kept.len() <= LARGEST) else { return Ok(()) };
    if std::fs::metadata(file).is_ok_and(|data| data.len() == kept.len() as u64) {
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| format!("compiled shaders were not kept: {error}");
    make_folder_of(file).map_err(|error| failed(&error))?;
    write_whole(file, |writer| writer.write_all(&kept)).map_err(|error| failed(&error))
}
