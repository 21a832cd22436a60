//! Observed frames and saved states of a simulation: a resumed run equals an uninterrupted one, and observing changes
//! nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;

use common::gpu;
use nearwater::files::Frame;
use nearwater::fluid::{
    Continuation, Density, SavedState, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver,
};
use nearwater::gpu::read_buffer;
use nearwater::search::{SEARCHES, SearchOptions, search_named};

fn settings(search: &str, solver: Solver) -> Settings {
    Settings {
        search: search_named(search).unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(700),
        seed: 7,
        edits: SceneEdits { solver: Some(solver), ..SceneEdits::default() },
    }
}

fn simulation(search: &str, solver: Solver) -> Simulation {
    Simulation::new(&gpu(), &Scene::load("drop").unwrap(), &settings(search, solver)).unwrap()
}

fn steps(simulation: &mut Simulation, count: u64) {
    gpu().submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().unwrap();
}

/// Bits of positions and velocities in the order of the buffers, without the unused fourth component of the positions.
fn bits(simulation: &Simulation) -> Vec<[u32; 7]> {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[u32; 4]> = read_buffer(&gpu(), particles.positions, count).unwrap();
    let velocities: Vec<[u32; 4]> = read_buffer(&gpu(), particles.velocities, count).unwrap();
    positions.iter().zip(velocities).map(|(&[x, y, z, _], [u, v, w, index])| [x, y, z, u, v, w, index]).collect()
}

#[test]
fn a_run_resumed_from_a_state_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    for solver in Solver::all() {
        for search in SEARCHES.iter().filter(|search| search.repeatable) {
            let mut whole = simulation(search.name, solver);
            steps(&mut whole, 20);
            let halfway = bits(&whole);
            steps(&mut whole, 20);
            assert_ne!(bits(&whole), halfway, "nothing moved");

            let file = folder.path().join("water.state");
            let mut first = simulation(search.name, solver);
            steps(&mut first, 20);
            first.save_state().unwrap().write(&file).unwrap();
            drop(first);
            let saved = SavedState::read(&file).unwrap();
            let mut second =
                Simulation::new(&gpu(), &Scene::load("drop").unwrap(), &saved.settings().unwrap()).unwrap();
            assert_eq!(second.load_state(&saved).unwrap(), Continuation::Exact);
            assert_eq!((second.step_count(), bits(&second)), (20, halfway), "{} {solver:?}", search.name);
            steps(&mut second, 20);
            assert_eq!(second.time().to_bits(), whole.time().to_bits());
            assert!(bits(&second) == bits(&whole), "{} {solver:?}: the runs differ", search.name);
        }
    }
}

#[test]
fn states_contain_everything_that_a_step_depends_on() {
    // A scene whose densities are integrated from step to step, and one with an emitter and a reservoir of particles.
    let mut kept = Scene::load("drop").unwrap();
    kept.material.density = Density::Continuity { diffusion: 0.1 };
    let mut poured = Scene::load("bayraktar_fountain").unwrap();
    poured.reservoir = 0.8;
    for (scene, solver) in [
        (&kept, Solver::named("wcsph").unwrap()),
        (&poured, Solver::named("wcsph").unwrap()),
        (&poured, Solver::named("pbf").unwrap()),
    ] {
        for search in ["green", "hoetzlein"] {
            let name = format!("{} {solver:?} {search}", scene.name);
            let new = || Simulation::new(&gpu(), scene, &settings(search, solver)).unwrap();
            let mut whole = new();
            steps(&mut whole, 37);
            let halfway = bits(&whole);
            steps(&mut whole, 40);
            let file = tempfile::tempdir().unwrap();
            let file = file.path().join("water.state");
            let mut first = new();
            steps(&mut first, 37);
            first.save_state().unwrap().write(&file).unwrap();
            let saved = SavedState::read(&file).unwrap();
            // The state is loaded into a run that is at another time.
            let mut second = new();
            steps(&mut second, 10);
            let exact = second.load_state(&saved).unwrap() == Continuation::Exact;
            assert_eq!(exact, search == "green", "{name}");
            assert!(bits(&second) == halfway || !exact, "{name}: the loaded state differs");
            steps(&mut second, 40);
            assert!(bits(&second) == bits(&whole) || !exact, "{name}: the runs differ");
            let count = |simulation: &Simulation| {
                let frame = simulation.observe().unwrap();
                (frame.count(), frame.step)
            };
            assert_eq!(count(&second), count(&whole), "{name}");
            assert!(scene.emitters.is_empty() || count(&whole).0 > 20, "{name}: the emitter released no particles");
        }
    }
}

#[test]
fn observing_does_not_change_the_run() {
    for solver in Solver::all() {
        let (mut alone, mut observed) = (simulation("green", solver), simulation("green", solver));
        for _ in 0..4 {
            observed.observe().unwrap();
            steps(&mut alone, 5);
            steps(&mut observed, 5);
        }
        observed.observe().unwrap();
        assert!(bits(&alone) == bits(&observed), "{solver:?}: the runs differ");
        let densities = |simulation: &Simulation| -> Vec<[u32; 2]> {
            let particles = simulation.particles();
            read_buffer(&gpu(), particles.densities, particles.count as usize).unwrap()
        };
        assert!(densities(&alone) == densities(&observed), "{solver:?}: the densities that are drawn differ");
    }
}

#[test]
fn a_state_of_another_scene_is_rejected_and_one_of_other_settings_applied() {
    let scene = Scene::load("drop").unwrap();
    let mut green = simulation("green", Solver::named("wcsph").unwrap());
    let state = green.save_state().unwrap();
    let before = bits(&green);

    let other = Scene::load("dam_break").unwrap();
    let mut dam = Simulation::new(&gpu(), &other, &settings("green", Solver::named("wcsph").unwrap())).unwrap();
    let refusal = dam.load_state(&state).unwrap_err().to_string();
    assert!(refusal.contains("\"drop\"") && refusal.contains("\"dam_break\""), "{refusal}");

    let mut edited = scene.clone();
    edited.gravity.y *= 0.5;
    let refusal = state.check_scene(&edited).unwrap_err().to_string();
    assert!(refusal.contains("\"drop\" was edited"), "{refusal}");
    // The title and the camera do not affect the simulation.
    let mut reworded = scene.clone();
    reworded.title = "A drop".into();
    reworded.camera.eye.x += 1.0;
    state.check_scene(&reworded).unwrap();

    // A simulation with other settings takes over those of the state.
    let mut hoetzlein = Simulation::new(
        &gpu(),
        &scene,
        &Settings { size: Size::Count(600), ..settings("hoetzlein", Solver::named("pbf").unwrap()) },
    )
    .unwrap();
    let sentence = hoetzlein.continuation().to_string();
    assert!(sentence.contains("Hoetzlein") && sentence.contains("green"), "{sentence}");
    assert_eq!(hoetzlein.load_state(&state).unwrap(), Continuation::Exact);
    assert_eq!(hoetzlein.settings(), green.settings());
    assert!(bits(&hoetzlein) == before);
    let states = [hoetzlein.save_state().unwrap(), green.save_state().unwrap()];
    assert!(states[0] == states[1], "saving a loaded state gives the same state");
    green.reset().unwrap();
    let mut once = settings("brute_force", Solver::named("wcsph").unwrap());
    once.options.parse("pairs=once").unwrap();
    let once = Simulation::new(&gpu(), &scene, &once).unwrap();
    assert!(
        matches!(once.continuation(), Continuation::NotRepeatable { .. }),
        "this option adds sums atomically, in varying order"
    );
}

#[test]
fn frames_keep_each_particle_in_its_row_and_satisfy_the_equation_of_state() {
    for solver in Solver::fluids() {
        let mut simulation = simulation("hoetzlein", solver);
        let first = simulation.observe().unwrap();
        let count = simulation.resolution().particle_count;
        assert_eq!((first.time, first.step, first.count()), (0.0, 0, count as usize));
        assert_eq!(first.indices, (0..count).collect::<Vec<_>>());
        steps(&mut simulation, 12);
        let frame = simulation.observe().unwrap();
        assert_eq!((frame.step, frame.time.to_bits()), (12, simulation.time().to_bits()));
        let Frame { positions, velocities, densities, pressures, .. } = &frame;
        let speed = velocities.iter().flatten().fold(0.0, |most: f32, &speed| most.max(speed.abs()));
        let reach = (speed + 5.0) * frame.time as f32;
        for (place, (now, then)) in positions.iter().zip(&first.positions).enumerate() {
            let moved = (0..3).map(|axis| (now[axis] - then[axis]).abs()).fold(0.0, f32::max);
            assert!(moved <= reach, "row {place} is another particle: {then:?} to {now:?}");
        }
        // Tait's equation must hold both away from the walls and beside them.
        let scene = simulation.scene();
        let sound = f64::from(simulation.resolution().sound_speed);
        let rest = f64::from(scene.material.rest_density);
        let mut pressed = 0;
        for (&density, &pressure) in densities.iter().zip(pressures) {
            assert!((300.0..1200.0).contains(&density), "{density} kg/m³");
            let expected = rest * sound * sound / 7.0 * ((f64::from(density) / rest).powi(7) - 1.0).max(0.0);
            // The derivative of Tait's equation, 7 B per relative density, amplifies the rounding of the density.
            let tolerance = 2e-6 * rest * sound * sound;
            if solver == Solver::named("wcsph").unwrap() {
                assert!(
                    (f64::from(pressure) - expected).abs() < tolerance,
                    "{pressure} Pa at {density}, not {expected}"
                );
            }
            pressed += usize::from(pressure > tolerance as f32);
        }
        assert!(pressed > 50, "{solver:?}: only {pressed} particles are under pressure");
    }
}
