//! Saved states whose contents are changed and whose checksum is right: they are refused, or loaded and simulated on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use nearwater::fluid::{Face, SavedState, Scene, SceneEdits, Settings, Simulation, Solver};
use nearwater::gpu::Gpu;
use nearwater::search::search_named;

use super::attack::{Attack, corpus, file_of, inputs};
use super::changes::Random;
use super::common;
use super::sealed::{Parts, changed_and_sealed};

/// Number of changed states that are also loaded into a simulation, which takes far longer.
const LOADED: u64 = 200;

/// The scene of the corpus, which has an entry of each kind, with foam.
fn scene() -> Scene {
    let text = String::from_utf8(corpus("tank.ron")).expect("text");
    Scene::parse("tank.ron", &text.replace("particles: 500,", "particles: 200, foam: (capacity: 64),")).expect("valid")
}

/// A simulation with everything that a state may contain: a solver that carries arrays, solids of each kind, a wall
/// that has moved, gravity that was changed and water that was poured.
fn simulation(gpu: &Arc<Gpu>) -> Simulation {
    let dfsph = Solver::all().find(|solver| solver.name() == "dfsph").expect("a solver");
    let edits = SceneEdits { solver: Some(dfsph), ..SceneEdits::default() };
    // A search that repeats bit for bit.
    let search = search_named("green").expect("a search");
    let settings = Settings { search, edits, ..Settings::with_particles(200) };
    let mut simulation = Simulation::new(gpu, &scene(), &settings).expect("it suits");
    simulation.set_gravity(Some(glam::Vec3::new(1.0, -9.0, 0.0))).expect("it is weak enough");
    simulation.move_wall(Face::ALL[1], 0.05).expect("there is room");
    run(gpu, &mut simulation, 6).expect("it runs");
    simulation
}

fn run(gpu: &Arc<Gpu>, simulation: &mut Simulation, steps: u32) -> Result<(), String> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for _ in 0..steps {
        simulation.record_step(&mut encoder, None);
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.wait().map_err(|error| error.to_string())
}

fn bytes_of(state: &SavedState, name: &str) -> Vec<u8> {
    let file = file_of(name, b"");
    state.write(&file).expect("it can be written");
    std::fs::read(file).expect("it was written")
}

fn read(name: &str, bytes: &[u8]) -> Result<SavedState, String> {
    SavedState::read(&file_of(name, bytes)).map_err(|error| error.to_string())
}

#[test]
fn changed_states_are_read_or_refused() {
    let gpu = common::gpu();
    let original = bytes_of(&simulation(&gpu).save_state().expect("a state"), "mutated-original.state");
    // Most changes are of numbers that may have any finite value.
    let attack =
        Attack { name: "a state", original: &original, inputs: inputs(), change: &changed_and_sealed, refused_of: 5 };
    let scene = scene();
    attack.run(|bytes| {
        let state = read("mutated-read.state", bytes)?;
        state.settings().map_err(|error| error.to_string())?;
        state.check_scene(&scene).map_err(|error| error.to_string())
    });
}

#[test]
fn changed_states_are_loaded_and_run_or_refused() {
    let gpu = common::gpu();
    let mut simulation = simulation(&gpu);
    let good = simulation.save_state().expect("a state");
    let original = bytes_of(&good, "mutated-loaded-original.state");
    run(&gpu, &mut simulation, 3).expect("it runs");
    let expected = simulation.save_state().expect("a state");
    let (mut refused, mut loaded) = (0, 0);
    for number in 0..LOADED {
        let bytes = changed_and_sealed(&original, &mut Random::of_change(number + inputs()));
        let Ok(state) = read("mutated-loaded.state", &bytes) else { continue };
        let outcome = catch_unwind(AssertUnwindSafe(|| match simulation.load_state(&state) {
            Ok(_) => {
                loaded += 1;
                run(&gpu, &mut simulation, 2)
            }
            Err(error) => {
                refused += 1;
                let sentence = error.to_string();
                assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence}");
                Ok(())
            }
        }));
        let ran = outcome.unwrap_or_else(|_| panic!("change {number} panics when it is loaded or run"));
        assert_eq!(ran, Ok(()), "change {number} is accepted and does not run");
    }
    assert!(refused > 10 && loaded > 10, "{refused} refused, {loaded} loaded");
    // Nothing that was loaded or refused has an effect on what is loaded later.
    simulation.load_state(&good).expect("it was saved here");
    run(&gpu, &mut simulation, 3).expect("it runs");
    assert!(simulation.save_state().expect("a state") == expected, "a run from the good state has changed");
}

/// States that are changed in one place, and a word of the refusal of each.
#[test]
fn states_with_impossible_contents_are_refused() {
    let gpu = common::gpu();
    let mut simulation = simulation(&gpu);
    let original = bytes_of(&simulation.save_state().expect("a state"), "mutated-impossible-original.state");
    let mut refused = |change: &dyn Fn(&mut Parts), part: &str| {
        let mut parts = Parts::of(&original);
        change(&mut parts);
        let read = read("mutated-impossible.state", &parts.joined());
        let outcome = read.and_then(|state| simulation.load_state(&state).map_err(|error| error.to_string()));
        let sentence = outcome.expect_err(part);
        assert!(sentence.contains(part), "\"{sentence}\" lacks \"{part}\"");
    };
    let word = |name: &'static str, place: usize, word: u32| {
        move |parts: &mut Parts| parts.array(name)[4 * place..][..4].copy_from_slice(&word.to_le_bytes())
    };
    let nan = f32::NAN.to_bits();
    let infinity = f32::INFINITY.to_bits();
    refused(&word("positions", 1, nan), "not finite");
    refused(&word("velocities", 6, infinity), "not finite");
    refused(&word("densities", 0, nan), "not finite");
    // The fourth number of a velocity is the number of the particle: beyond all, and that of another.
    refused(&word("velocities", 3, 1_000_000), "numbers of its particles");
    let repeated = |parts: &mut Parts| {
        let velocities = parts.array("velocities");
        let first = velocities[12..16].to_vec();
        velocities[28..32].copy_from_slice(&first);
    };
    refused(&repeated, "numbers of its particles");
    refused(&|parts| parts.array("densities").truncate(80), "densities");
    refused(&|parts| parts.array("bodies").truncate(30), "bodies");
}
