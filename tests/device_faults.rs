//! Devices that lack something, and devices that are lost while they work: whole scenes run on the former, and the
//! latter end in one sentence.

mod common;

use std::sync::Arc;

use nearwater::depiction::{Depiction, depict};
use nearwater::fluid::{FluidError, Scene, SceneEdits, Settings, Simulation, Solver, Survey};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::render::{Canvas, View};
use nearwater::search::SEARCHES;

const FEATURES: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::SUBGROUP).union(wgpu::Features::SHADER_FLOAT32_ATOMIC);
/// Bytes of the smallest storage binding, and of the smallest memory of a workgroup, that WebGPU allows.
const BINDING: u64 = 128 << 20;
const WORKGROUP_MEMORY: u32 = 16 << 10;

/// The machine's adapter without some of its features and limits.
fn device(restrict: impl FnOnce(&mut wgpu::Features, &mut wgpu::Limits)) -> Arc<Gpu> {
    let name = common::gpu().capabilities.name.clone();
    Gpu::open_restricted(Some(&name), ShaderLibrary::embedded().checked(), restrict).expect("it was opened before")
}

fn without(missing: wgpu::Features) -> Arc<Gpu> {
    device(|features, _| features.remove(missing))
}

/// A device with none of the features that are optional, and with small bindings and workgroups.
fn poor_device() -> Arc<Gpu> {
    device(|features, limits| {
        features.remove(FEATURES);
        small(limits);
    })
}

fn small(limits: &mut wgpu::Limits) {
    limits.max_storage_buffer_binding_size = BINDING;
    limits.max_compute_workgroup_storage_size = WORKGROUP_MEMORY;
}

/// The scene of the corpus, which has an entry of each kind.
fn tank() -> Scene {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/tank.ron"));
    let text = text.expect("it is in the corpus").replace("particles: 500,", "foam: (capacity: 64),");
    Scene::parse("tank.ron", &text).expect("it is valid")
}

fn steps(gpu: &Gpu, simulation: &mut Simulation, count: u32) {
    gpu.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
}

/// The state of a scene after a few steps.
fn survey(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Survey, FluidError> {
    let mut simulation = Simulation::new(gpu, scene, settings)?;
    steps(gpu, &mut simulation, 6);
    gpu.submit(|encoder| {
        simulation.record_densities(encoder, None);
        simulation.record_survey(encoder);
    });
    gpu.wait()?;
    Ok(simulation.take_survey().expect("the device has finished"))
}

/// Runs a scene on a device and on the machine's own, and compares what they find.
fn runs_as_on_the_whole_device(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) {
    let what = format!("{} with {}", scene.name, settings.search.name);
    let found = survey(gpu, scene, settings).unwrap_or_else(|error| panic!("{what}: {error}"));
    let expected = survey(&common::gpu(), scene, settings).expect("the whole device runs it");
    assert_eq!((found.not_finite, found.outside, found.present), (0, 0, expected.present), "{what}");
    let near = |one: f32, other: f32| (one - other).abs() <= 0.01 * other.abs();
    assert!(near(found.mean_density, expected.mean_density), "{what}: {found:?} instead of {expected:?}");
    assert!(near(found.highest_speed, expected.highest_speed), "{what}: {found:?} instead of {expected:?}");
    let pairs = expected.pairs.neighbors as f64;
    assert!((found.pairs.neighbors as f64 - pairs).abs() <= 0.01 * pairs, "{what}: {:?}", found.pairs);
}

#[test]
fn every_search_runs_on_a_poor_device() {
    let gpu = poor_device();
    let capabilities = &gpu.capabilities;
    assert!(!capabilities.features.intersects(FEATURES) && capabilities.subgroup_sizes.is_none());
    assert_eq!(capabilities.limits.max_compute_workgroup_storage_size, WORKGROUP_MEMORY);
    let scene = Scene::load("dam_break").expect("it ships with the program");
    for search in SEARCHES {
        runs_as_on_the_whole_device(&gpu, &scene, &Settings { search, ..Settings::with_particles(400) });
    }
}

#[test]
fn every_solver_with_every_kind_of_solid_runs_on_a_poor_device() {
    let gpu = poor_device();
    let scene = tank();
    for solver in Solver::all() {
        let edits = SceneEdits { solver: Some(solver), ..SceneEdits::default() };
        runs_as_on_the_whole_device(&gpu, &scene, &Settings { edits, ..Settings::with_particles(200) });
    }
    let simulation = Simulation::new(&gpu, &scene, &Settings::with_particles(200)).expect("it ran before");
    let mut canvas = Canvas::new(&gpu, glam::UVec2::new(64, 48)).expect("it is small");
    let camera = &scene.camera;
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, canvas.size());
    let (look, drawn) = depict(&simulation, Depiction::default());
    let picture = canvas.draw(&view, &look, &drawn, None).expect("it is drawn");
    assert!(picture.pixels().any(|pixel| pixel != picture.get_pixel(0, 0)), "the picture is empty");
}

#[test]
fn each_feature_may_be_missing() {
    let scene = Scene::load("dam_break").expect("it ships with the program");
    let claws = SEARCHES.iter().find(|search| search.name == "claws").expect("a search");
    let settings = Settings { search: claws, ..Settings::with_particles(400) };
    for missing in FEATURES.iter() {
        let gpu = without(missing);
        assert!(!gpu.capabilities.features.contains(missing));
        runs_as_on_the_whole_device(&gpu, &scene, &settings);
    }
}

/// What does not fit is refused with numbers before anything is made.
#[test]
fn small_bindings_are_respected() {
    let gpu = device(|_, limits| {
        small(limits);
        limits.max_storage_buffer_binding_size = 1 << 20;
    });
    let scene = Scene::load("dam_break").expect("it ships with the program");
    let mut refused = 0;
    for search in SEARCHES {
        let settings = Settings { search, ..Settings::with_particles(70_000) };
        let error = Simulation::new(&gpu, &scene, &settings).err().expect("positions alone take 1.1 MB").to_string();
        assert!(error.contains("at most") && !error.contains('\n'), "{}: {error}", search.name);
        // Some searches need larger buffers than positions are, and others smaller ones.
        let settings = Settings { search, ..Settings::with_particles(20_000) };
        match Simulation::new(&gpu, &scene, &settings) {
            Ok(mut simulation) => {
                steps(&gpu, &mut simulation, 1);
                gpu.wait().unwrap_or_else(|error| panic!("{}: {error}", search.name));
            }
            Err(error) => {
                refused += 1;
                assert!(error.is_refusal() || error.to_string().contains("bytes"), "{}: {error}", search.name);
            }
        }
    }
    assert!(refused < SEARCHES.len(), "nothing fits");
}

/// What the program says of a device that was lost.
fn sentence_of(outcome: Result<(), impl std::fmt::Display>, what: &str) -> String {
    let sentence = outcome.err().unwrap_or_else(|| panic!("{what} does not notice")).to_string();
    assert!(!sentence.is_empty() && !sentence.contains('\n') && sentence.len() < 500, "{what}: {sentence}");
    sentence
}

/// The device is destroyed between two steps. Nothing panics or hangs, whatever is asked of the simulation then.
#[test]
fn a_lost_device_is_told_in_one_sentence() {
    for solver in Solver::all() {
        let gpu = device(|_, _| ());
        let edits = SceneEdits { solver: Some(solver), ..SceneEdits::default() };
        let settings = Settings { edits, ..Settings::with_particles(200) };
        let mut simulation = Simulation::new(&gpu, &tank(), &settings).expect("it suits");
        steps(&gpu, &mut simulation, 2);
        gpu.wait().expect("nothing is wrong yet");
        gpu.device.destroy();
        steps(&gpu, &mut simulation, 2);
        sentence_of(gpu.wait(), "a wait");
        sentence_of(simulation.save_state().map(drop), "a state");
        sentence_of(simulation.observe().map(drop), "an observation");
        // Making something new may succeed on paper; the first wait tells.
        let waited = |made: Result<(), FluidError>| made.and_then(|()| Ok(gpu.wait()?));
        let other = Settings { search: SEARCHES[0], ..simulation.settings().clone() };
        sentence_of(waited(simulation.change(&other)), "another search");
        sentence_of(waited(simulation.reset()), "a reset");
        sentence_of(waited(Simulation::new(&gpu, &tank(), &settings).map(drop)), "a new simulation");
        let picture = Canvas::new(&gpu, glam::UVec2::new(64, 48)).and_then(|mut canvas| {
            let camera = &simulation.scene().camera;
            let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, canvas.size());
            let (look, drawn) = depict(&simulation, Depiction::default());
            canvas.draw(&view, &look, &drawn, None)
        });
        sentence_of(picture.map(drop), "a picture");
    }
}
