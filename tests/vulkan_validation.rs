//! Vulkan's validation layer with synchronization validation, which wgpu switches on in builds with debug assertions,
//! has nothing to say about any search, solver, kind of solid or style of drawing. `./x test` installs the layer where
//! apt exists; on other systems without it, and on other backends than Vulkan, these tests say so and pass.

mod common;
#[path = "common/validation_layer.rs"]
mod validation_layer;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::UVec2;
use nearwater::depiction::{Depiction, depict, prepare};
use nearwater::fluid::{SOLVERS, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::Gpu;
use nearwater::render::{Canvas, DrawStyle, SolidStyle, View};
use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration, compare};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};

use self::validation_layer::{collect, is_active, new_complaints, said};

/// Held by the one test that uses the layer at a time, because messages do not say which device they are about.
static TURN: Mutex<()> = Mutex::new(());

/// A device under the layer's eyes, for one test at a time.
struct Watched {
    gpu: Arc<Gpu>,
    is_active: bool,
    _turn: MutexGuard<'static, ()>,
}

impl Watched {
    /// Opens the device and begins to watch.
    fn begin() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        collect();
        let gpu = common::gpu();
        Self { is_active: is_active(&gpu), gpu, _turn: turn }
    }
}

#[test]
fn synchronization_is_validated_too() {
    let watched = Watched::begin();
    if !watched.is_active {
        return;
    }
    // When an instance is created, the layer says what it checks.
    let wanted = std::env::var("NEARWATER_ADAPTER").ok();
    Gpu::open(wanted.as_deref(), nearwater::gpu::ShaderLibrary::embedded()).expect("it was opened before");
    let said = said();
    let is_said = said.iter().any(|(_, message)| message.contains("SYNCHRONIZATION_VALIDATION"));
    assert!(is_said, "the layer does not say that it validates synchronization: {said:#?}");
}

#[test]
fn every_search_is_valid() {
    let watched = Watched::begin();
    let names = ["uniform 257", "lattice, ties at r = 2 spacings"];
    let all = fixtures(FixtureSize::Small, 5).expect("fixtures have good boxes");
    let cases: Vec<Case> = all.into_iter().filter(|fixture| names.contains(&&*fixture.name)).map(Case::new).collect();
    assert_eq!(cases.len(), names.len());
    for &search in SEARCHES {
        let configuration = SearchConfiguration { search, options: SearchOptions::default() };
        for case in &cases {
            let comparison = compare(&watched.gpu, &configuration, case).expect("a small fixture");
            assert_eq!(comparison.disagreement, None, "{configuration}");
            let complaints = new_complaints();
            assert!(complaints.is_empty(), "{configuration}: {complaints:#?}");
        }
    }
}

/// A simulation of a scene with few particles, after a few steps with the passes of surveys and of observing.
fn stepped(watched: &Watched, name: &str, solver: Option<Solver>) -> Simulation {
    let mut scene = Scene::load(name).expect("a built-in scene");
    if let Some(solver) = solver {
        scene.solver = solver;
    }
    let settings = Settings {
        search: SearchInfo::default_for_scenes(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(600),
        seed: 3,
        edits: SceneEdits::default(),
    };
    let mut simulation = Simulation::new(&watched.gpu, &scene, &settings).expect("a small scene");
    for _ in 0..3 {
        watched.gpu.submit(|encoder| simulation.record_step(encoder, None));
        watched.gpu.wait().expect("the device answers");
    }
    watched.gpu.submit(|encoder| {
        simulation.record_survey(encoder);
        simulation.record_densities(encoder, None);
    });
    watched.gpu.wait().expect("the device answers");
    simulation
}

#[test]
fn every_solver_is_valid() {
    let watched = Watched::begin();
    for solver in SOLVERS {
        stepped(&watched, "dam_break", Some(Solver(solver)));
        let complaints = new_complaints();
        assert!(complaints.is_empty(), "{}: {complaints:#?}", solver.title);
    }
}

/// Draws with one and with four samples a pixel.
fn draw(watched: &Watched, simulation: &mut Simulation, depiction: &Depiction) {
    prepare(&watched.gpu, simulation, *depiction).expect("it compiles");
    let (look, drawn) = depict(simulation, *depiction);
    let size = UVec2::new(96, 64);
    let camera = &simulation.scene().camera;
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, size);
    for samples in [1, 4] {
        let mut canvas = Canvas::with_samples(&watched.gpu, size, samples).expect("a canvas");
        canvas.draw(&view, &look, &drawn, None).expect("a picture");
    }
}

/// Fixed solids, cloth, emitters and drains as spheres, and bodies in every style.
#[test]
fn every_kind_of_solid_and_every_style_of_drawing_is_valid() {
    let watched = Watched::begin();
    for name in ["lighthouse", "flotsam", "cloth_on_ball", "fountain"] {
        let mut simulation = stepped(&watched, name, None);
        let complaints = new_complaints();
        assert!(complaints.is_empty(), "{name}: {complaints:#?}");
        let styles: &[_] = match name {
            "flotsam" => &[DrawStyle::Beads, DrawStyle::Smooth, DrawStyle::Water],
            _ => &[DrawStyle::Beads],
        };
        for &style in styles {
            for solids in [SolidStyle::Mesh, SolidStyle::Particles] {
                draw(&watched, &mut simulation, &Depiction { style, solids, ..Depiction::default() });
                let complaints = new_complaints();
                assert!(complaints.is_empty(), "{name} as {style:?}, {solids:?}: {complaints:#?}");
            }
        }
    }
}
