//! A device with one deliberately wrong shader.

use std::sync::Arc;

use nearwater::gpu::Gpu;

use crate::shader_folder::{gpu_with_shaders, write_shaders};

/// Opens a device with a copy of the program's shaders in which a line of one file is replaced. The device reads the
/// copy as long as the folder exists.
pub fn with_replaced_line(file: &str, (line, replacement): (&str, &str)) -> (tempfile::TempDir, Arc<Gpu>) {
    let folder = tempfile::tempdir().expect("a folder");
    write_shaders(folder.path());
    let edited = folder.path().join(file);
    let source = std::fs::read_to_string(&edited).expect("a shader");
    assert_eq!(source.matches(line).count(), 1, "{line} in {file}");
    std::fs::write(edited, source.replace(line, replacement)).expect("the folder is writable");
    let gpu = gpu_with_shaders(folder.path());
    (folder, gpu)
}
