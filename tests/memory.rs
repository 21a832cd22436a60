//! Memory that a simulation takes in addition with every step, which must be none. This file has a single test, because
//! the memory of the whole process is measured.
#![cfg(target_os = "linux")]

mod common;

use common::gpu;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Solver};
use nearwater::search::{SEARCHES, search_named};
use nearwater::soak::resident_bytes;

/// Steps between two readings of the memory.
const STEPS: u64 = 12;
/// Mesa's software rasterizer kept several megabytes a step where it compiled a traversal again at every dispatch.
const MOST_BYTES_A_STEP: u64 = 256 << 10;

fn steps(simulation: &mut Simulation) {
    gpu().submit(|encoder| (0..STEPS).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().expect("the device answers");
}

/// The device of tests keeps wgpu's checks in all shaders, as `--shaders` does. With them, compilers see other loops
/// and branches than without.
#[test]
fn memory_does_not_grow_with_the_steps() {
    let scene = Scene::load("dam_break").expect("it ships with the program");
    let claws = search_named("claws").expect("a search");
    // CLAWS comes first: its shaders are the largest, and later the heap has room that hides what is added.
    let solvers = Solver::all().map(|solver| (claws, solver));
    let searches = SEARCHES.iter().filter(|search| search.name != claws.name);
    for (search, solver) in solvers.chain(searches.map(|&search| (search, Solver::default()))) {
        let edits = SceneEdits { solver: Some(solver), ..SceneEdits::default() };
        let settings = Settings { search, edits, ..Settings::with_particles(200) };
        let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap_or_else(|error| panic!("{error}"));
        // Pipelines are compiled with the first steps, which takes memory once. What grows must do so in all intervals.
        let read = || resident_bytes(std::process::id()).expect("the process runs");
        let readings = [(); 4].map(|()| {
            steps(&mut simulation);
            read()
        });
        let growth = readings.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) / STEPS).min();
        println!("{}, {}: {growth:?} bytes a step", search.name, solver.name());
        assert!(growth < Some(MOST_BYTES_A_STEP), "{}, {}: {growth:?} bytes a step", search.name, solver.name());
    }
}
