//! Shaders read from a folder that somebody edits: a broken edit is told and changes nothing, a good one is taken.

use std::path::{Path, PathBuf};

use nearwater::fluid::{Scene, Settings, Simulation, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, ShaderLibrary, ShaderWatcher, read_buffer};
use nearwater::search::{CellEdge, search_named};

const EDITED: &str = "fluid/reorder.wgsl";

/// A copy of all shaders in a folder of this test's own.
fn copied_shaders() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("edited_shaders");
    for file in ShaderLibrary::files() {
        let copy = folder.join(file);
        std::fs::create_dir_all(copy.parent().expect("it lies in a folder")).expect("a folder can be made");
        std::fs::write(copy, ShaderLibrary::embedded().source(file).expect("it is embedded"))
            .expect("it can be written");
    }
    folder
}

fn edit(folder: &Path, text: &str) {
    std::fs::write(folder.join(EDITED), text).expect("it can be written");
}

#[test]
fn a_broken_edit_keeps_the_old_passes_and_is_told() {
    let folder = copied_shaders();
    let good = ShaderLibrary::embedded().source(EDITED).expect("it is embedded");
    let library = ShaderLibrary::from_folder(folder.clone()).expect("it holds shaders");
    let gpu = Gpu::open(None, library).expect("the tests need a Vulkan adapter");
    let watcher = ShaderWatcher::new(&folder).expect("the folder can be watched");
    let settings = Settings {
        search: search_named("brute_force").expect("it is registered"),
        cell_edge: CellEdge::Radius,
        kernel: SmoothingKernel::default(),
        size: Size::Count(300),
        seed: 1,
    };
    let scene = Scene::load("drop").expect("it is shipped");
    let mut simulation = Simulation::new(&gpu, &scene, &settings).expect("300 particles fit");
    gpu.submit(|encoder| simulation.record_step(encoder, None));

    edit(&folder, "fn reorder( {");
    gpu.forget_kernels();
    let refusal = simulation.rebuild_pipelines().expect_err("the shader is broken");
    assert!(refusal.to_string().contains(EDITED), "{refusal}");
    gpu.submit(|encoder| simulation.record_step(encoder, None));
    let count = simulation.resolution().particle_count as usize;
    let positions: Vec<[f32; 4]> =
        read_buffer(&gpu, simulation.particles().positions, count).expect("the device is there");
    assert!(positions.iter().flatten().take(3).all(|coordinate| coordinate.is_finite()));
    assert_eq!(simulation.step_count(), 2);

    edit(&folder, &good);
    gpu.forget_kernels();
    simulation.rebuild_pipelines().expect("the shader is whole again");
    let changed = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        watcher.changed()
    });
    assert!(changed, "the watcher saw no edit");
}
