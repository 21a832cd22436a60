//! Tests that concern several parts of the fluid: the memory layouts of structs, the two ways of visiting pairs, and
//! how often solids are sampled.

use std::sync::{Arc, OnceLock};

use super::density::SUMMED_DENSITY;
use super::flow::{FlowParameters, GpuEmitter};
use super::parameters::FluidParameters;
use super::solids::SAMPLINGS;
use super::survey::GpuSurvey;
use super::{
    FluidShader, Material, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver, Surroundings,
};
use crate::gpu::{Gpu, GpuStruct, ShaderLibrary, ShaderVariant, assert_same_layout, read_buffer};
use crate::search::{SearchOptions, search_named};

/// Asserts that a Rust struct has the same layout as in the given shader's pair kernel.
pub(super) fn assert_pair_layout<T: GpuStruct>(shader: &FluidShader) {
    let kernel = shader.pair_kernel().expect("a pair kernel");
    let variant = ShaderVariant::new("search/brute_force.wgsl").with_pair(kernel).with_flag("TRAVERSAL");
    let flags = shader.definitions(Surroundings::default());
    let variant = flags.into_iter().fold(variant, ShaderVariant::with_flag);
    let variant = variant.with_flag(SmoothingKernel::WendlandC2.definition());
    assert_same_layout::<T>(&ShaderLibrary::embedded().compose(&variant).expect("the shader composes").0);
}

/// Water.
pub(super) fn plain_material() -> Material {
    Scene::load("dam_break").expect("it ships with the program").material
}

#[test]
fn rust_structs_have_the_layout_that_the_shaders_read() {
    let library = ShaderLibrary::embedded();
    assert_pair_layout::<FluidParameters>(&SUMMED_DENSITY);
    let flow = library.compose(&ShaderVariant::new("fluid/flow.wgsl")).expect("the shader composes").0;
    assert_same_layout::<FlowParameters>(&flow);
    assert_same_layout::<GpuEmitter>(&flow);
    let survey = ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", 128);
    assert_same_layout::<GpuSurvey>(&library.compose(&survey).expect("the shader composes").0);
}

fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| {
        let wanted = std::env::var("NEARWATER_ADAPTER").ok();
        Gpu::open(wanted.as_deref(), ShaderLibrary::embedded().checked()).expect("the tests need a Vulkan adapter")
    })
}

#[test]
fn visiting_each_pair_once_gives_the_same_motion_as_visiting_it_twice() {
    let scene = Scene::load("drop").expect("it ships with the program");
    let settings = Settings {
        search: search_named("brute_force").expect("the oldest search"),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::CubicSpline,
        size: Size::Count(600),
        seed: 3,
        edits: SceneEdits::default(),
    };
    let run = |pairs: &str| {
        let mut settings = settings.clone();
        settings.options.parse(pairs).expect("an option of brute force");
        let mut simulation = Simulation::new(gpu(), &scene, &settings).expect("it fits");
        // Two steps, so that sums that the first one failed to clear would show in the second.
        gpu().submit(|encoder| (0..2).for_each(|_| simulation.record_step(encoder, None)));
        let particles = simulation.particles();
        let count = particles.count as usize;
        let densities: Vec<[f32; 2]> = read_buffer(gpu(), particles.densities, count).expect("the device answers");
        let velocities: Vec<[f32; 4]> = read_buffer(gpu(), particles.velocities, count).expect("the device answers");
        (densities, velocities)
    };
    let (gathered, once) = (run("pairs=both ways"), run("pairs=once"));
    for (a, b) in gathered.0.iter().zip(&once.0) {
        // Sums of about thirty floats in another order differ by a few units in the last place.
        assert!((a[0] - b[0]).abs() <= 3e-6 * a[0], "density {} and {}", a[0], b[0]);
    }
    for (a, b) in gathered.1.iter().zip(&once.1) {
        for axis in 0..3 {
            // Pressure amplifies rounding errors of the density by 7 B / rho0 c0^2 and more; 1e-4 of the fall speed
            // is far above that and far below the effect of a missing force.
            assert!((a[axis] - b[axis]).abs() <= 1e-3, "velocity {a:?} and {b:?}");
        }
    }
    let moved = once.1.iter().any(|velocity| velocity[0].abs() > 1e-3);
    assert!(moved, "the forces had no effect");
}

#[test]
fn solids_are_sampled_once_for_each_lattice() {
    let scene = Scene::load("flotsam").expect("it ships with the program");
    let mut settings = Settings::with_particles(600);
    let before = SAMPLINGS.get();
    let mut simulation = Simulation::new(gpu(), &scene, &settings).expect("it fits");
    assert_eq!(SAMPLINGS.get() - before, 1, "samplings of a new simulation");
    settings.search = search_named("hoetzlein").expect("it exists");
    simulation.change(&settings).expect("the search suits");
    settings.kernel = SmoothingKernel::CubicSpline;
    simulation.change(&settings).expect("the kernel suits");
    settings.edits.solver = Solver::fluids().find(|solver| *solver != scene.solver);
    simulation.change(&settings).expect("the solver suits");
    settings.edits.material = Some(Material { viscosity: 0.03, ..scene.material.clone() });
    simulation.change(&settings).expect("the material suits");
    assert_eq!(SAMPLINGS.get() - before, 1, "samplings after changes that leave the lattice");
    settings.size = Size::Count(900);
    simulation.change(&settings).expect("the size suits");
    assert_eq!(SAMPLINGS.get() - before, 2, "samplings after a change of the size");
}
