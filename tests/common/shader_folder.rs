//! A folder with the program's shaders that a test may edit or add to, and a device that reads its shaders from there.

use std::path::Path;
use std::sync::Arc;

use nearwater::gpu::{Gpu, ShaderLibrary};

/// Writes the program's shaders below a folder.
pub fn write_shaders(folder: &Path) {
    let library = ShaderLibrary::embedded();
    for file in ShaderLibrary::files() {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("files are in folders")).expect("the folder is writable");
        std::fs::write(path, library.source(file).expect("an embedded file")).expect("the folder is writable");
    }
}

/// Opens a device that reads its shaders from a folder. `NEARWATER_ADAPTER` selects another adapter by name.
pub fn gpu_with_shaders(folder: &Path) -> Arc<Gpu> {
    let wanted = std::env::var("NEARWATER_ADAPTER").ok();
    let library = ShaderLibrary::from_folder(folder.to_owned()).expect("the folder contains shaders");
    Gpu::open(wanted.as_deref(), library).expect("the tests need a Vulkan adapter")
}
