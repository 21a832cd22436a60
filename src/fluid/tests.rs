use std::sync::{Arc, OnceLock};

use super::parameters::{FluidParameters, PushParameters};
use super::survey::SurveyWords;
use super::{Scene, Settings, Simulation, Size, SmoothingKernel};
use crate::gpu::{
    Gpu, GpuStruct, PairKernel, ShaderLibrary, ShaderVariant, read_buffer, struct_layouts,
};
use crate::search::{CellEdge, search_named};

const PAIR_KERNELS: [PairKernel; 2] =
    [PairKernel { file: "fluid/density.wgsl" }, PairKernel { file: "fluid/forces.wgsl" }];

fn traversal(pair: PairKernel, kernel: SmoothingKernel) -> ShaderVariant {
    ShaderVariant::new("search/brute_force.wgsl")
        .with_pair(pair)
        .with_flag("TRAVERSAL")
        .with_flag(kernel.definition())
}

#[test]
fn every_variant_composes_and_validates_without_a_device() {
    let library = ShaderLibrary::embedded();
    for pair in PAIR_KERNELS {
        for kernel in SmoothingKernel::ALL {
            for flags in [&[][..], &["COUNT_PAIRS"], &["DEPOSITS"], &["COUNT_PAIRS", "DEPOSITS"]] {
                let variant = flags.iter().fold(traversal(pair, kernel), |variant, flag| variant.with_flag(flag));
                library.compose(&variant).unwrap_or_else(|error| panic!("{variant:?}: {error}"));
            }
        }
    }
}

/// Every field of the Rust struct is where naga finds it in the shader, and the struct is as long.
fn assert_layout<T: GpuStruct>(variant: &ShaderVariant) {
    let (module, _) = ShaderLibrary::embedded().compose(variant).expect("the shader composes");
    let layout =
        struct_layouts(&module).into_iter().find(|layout| layout.name == T::NAME).expect("the struct is there");
    let fields: Vec<_> = T::FIELDS.iter().map(|&(name, offset)| (name.to_owned(), offset as u32)).collect();
    assert_eq!(layout.fields, fields, "{}", T::NAME);
    assert_eq!(layout.bytes as usize, size_of::<T>(), "{}", T::NAME);
}

#[test]
fn structs_lie_in_memory_as_the_shaders_read_them() {
    let forces = traversal(PAIR_KERNELS[1], SmoothingKernel::WendlandC2);
    assert_layout::<FluidParameters>(&forces);
    assert_layout::<PushParameters>(&forces);
    assert_layout::<SurveyWords>(&ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", 128));
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
        cell_edge: CellEdge::Radius,
        kernel: SmoothingKernel::CubicSpline,
        size: Size::Count(600),
        seed: 3,
    };
    let run = |each_pair_once| {
        let mut simulation = Simulation::with_traversal(gpu(), &scene, &settings, each_pair_once).expect("it fits");
        // Two steps, so that sums left over from the first would show in the second.
        gpu().submit(|encoder| (0..2).for_each(|_| simulation.record_step(encoder, None)));
        let particles = simulation.particles();
        let count = particles.count as usize;
        let densities: Vec<[f32; 2]> = read_buffer(gpu(), particles.densities, count).expect("the device answers");
        let velocities: Vec<[f32; 4]> = read_buffer(gpu(), particles.velocities, count).expect("the device answers");
        (densities, velocities)
    };
    let (gathered, once) = (run(false), run(true));
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
