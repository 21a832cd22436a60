use std::sync::{Arc, OnceLock};

use super::bodies::{BodiesWords, BodyWords};
use super::cloths::{ClothWords, ClothsWords};
use super::continuity::ContinuityParameters;
use super::flow::{EmitterWords, FlowParameters};
use super::parameters::{FluidParameters, PushParameters};
use super::pbf::PbfParameters;
use super::repulsion::RepulsionParameters;
use super::survey::SurveyWords;
use super::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use crate::gpu::{Gpu, PairKernel, ShaderLibrary, ShaderVariant, assert_same_layout, read_buffer};
use crate::search::{SearchOptions, search_named};

#[test]
fn structs_lie_in_memory_as_the_shaders_read_them() {
    let library = ShaderLibrary::embedded();
    let forces = ShaderVariant::new("search/brute_force.wgsl")
        .with_pair(PairKernel { file: "fluid/forces.wgsl", vanishes_at_radius: false })
        .with_flag("TRAVERSAL")
        .with_flag(SmoothingKernel::WendlandC2.definition());
    let (forces, _) = library.compose(&forces).expect("the shader composes");
    assert_same_layout::<FluidParameters>(&forces);
    assert_same_layout::<PushParameters>(&forces);
    let lambda = ShaderVariant::new("search/brute_force.wgsl")
        .with_pair(PairKernel { file: "fluid/pbf_lambda.wgsl", vanishes_at_radius: false })
        .with_flag("TRAVERSAL")
        .with_flag(SmoothingKernel::WendlandC2.definition());
    assert_same_layout::<PbfParameters>(&library.compose(&lambda).expect("the shader composes").0);
    let density = ShaderVariant::new("search/brute_force.wgsl")
        .with_pair(PairKernel { file: "fluid/density.wgsl", vanishes_at_radius: false })
        .with_flag("TRAVERSAL")
        .with_flag("CONTINUITY")
        .with_flag(SmoothingKernel::WendlandC2.definition());
    assert_same_layout::<ContinuityParameters>(&library.compose(&density).expect("the shader composes").0);
    let flow = library.compose(&ShaderVariant::new("fluid/flow.wgsl")).expect("the shader composes").0;
    assert_same_layout::<FlowParameters>(&flow);
    assert_same_layout::<EmitterWords>(&flow);
    let bodies = ShaderVariant::new("fluid/bodies.wgsl").with_flag("MOVE");
    let bodies = library.compose(&bodies).expect("the shader composes").0;
    assert_same_layout::<BodiesWords>(&bodies);
    assert_same_layout::<BodyWords>(&bodies);
    let repels = PairKernel { file: "fluid/repulsion.wgsl", vanishes_at_radius: false };
    let repels = ShaderVariant::new("search/brute_force.wgsl").with_pair(repels).with_flag("TRAVERSAL");
    assert_same_layout::<RepulsionParameters>(&library.compose(&repels).expect("the shader composes").0);
    let cloth = ShaderVariant::new("fluid/cloth_step.wgsl").with_flag("ADVANCE");
    let cloth = library.compose(&cloth).expect("the shader composes").0;
    assert_same_layout::<ClothsWords>(&cloth);
    assert_same_layout::<ClothWords>(&cloth);
    let survey = ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", 128);
    assert_same_layout::<SurveyWords>(&library.compose(&survey).expect("the shader composes").0);
}

fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| {
        let wanted = std::env::var("NEARWATER_ADAPTER").ok();
        Gpu::open(wanted.as_deref(), ShaderLibrary::embedded().checked()).expect("the tests need a Vulkan adapter")
    })
}

#[test]
fn a_traversal_that_visits_each_pair_once_moves_the_water_alike() {
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
        // Two steps, so that sums left over from the first would show in the second.
        gpu().submit(|encoder| (0..2).for_each(|_| simulation.record_step(encoder, None)));
        let particles = simulation.particles();
        let count = particles.count as usize;
        let densities: Vec<[f32; 2]> = read_buffer(gpu(), particles.densities, count).expect("the device answers");
        let velocities: Vec<[f32; 4]> = read_buffer(gpu(), particles.velocities, count).expect("the device answers");
        (densities, velocities)
    };
    let (gathered, once) = (run("pairs=both ways"), run("pairs=once"));
    for (a, b) in gathered.0.iter().zip(&once.0) {
        // Sums of some thirty floats in another order: a few units in the last place.
        assert!((a[0] - b[0]).abs() <= 3e-6 * a[0], "density {} and {}", a[0], b[0]);
    }
    for (a, b) in gathered.1.iter().zip(&once.1) {
        for axis in 0..3 {
            // Pressure amplifies rounding of the density by 7 B / rho0 c0^2 and more; 1e-4 of the fall speed is far
            // above that and far below any force left out.
            assert!((a[axis] - b[axis]).abs() <= 1e-3, "velocity {a:?} and {b:?}");
        }
    }
    let moved = once.1.iter().any(|velocity| velocity[0].abs() > 1e-3);
    assert!(moved, "the forces did nothing");
}
