//! The order of the particles in memory changes nothing about the water.

mod common;

use std::sync::Arc;

use nearwater::files::Frame;
use nearwater::fluid::{Face, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};

fn simulation(gpu: &Arc<Gpu>, scene: &Scene, search: &'static SearchInfo) -> Simulation {
    let settings = Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::ALL[0],
        size: Size::Count(1_500),
        seed: 1,
        edits: SceneEdits::default(),
    };
    Simulation::new(gpu, scene, &settings).expect("a scene")
}

fn scenes() -> Vec<Scene> {
    let mut scenes: Vec<_> = ["dam_break", "bayraktar_fountain"].map(|name| Scene::load(name).expect("a scene")).into();
    // One scene that keeps densities from step to step, and one that takes short steps.
    let mut kept = Scene::load("dam_break").expect("a scene");
    kept.material.density = nearwater::fluid::Density::Continuity { diffusion: 0.1 };
    kept.material.xsph = 0.0;
    let mut pbf = Scene::load("dam_break").expect("a scene");
    pbf.solver = Solver::named("pbf").expect("a solver of the program");
    scenes.extend([kept, pbf]);
    scenes
}

fn steps(gpu: &Gpu, simulation: &mut Simulation, count: u32) {
    gpu.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
}

/// Original indices in the order of memory.
fn order(gpu: &Gpu, simulation: &Simulation) -> Vec<u32> {
    let particles = simulation.particles();
    let velocities: Vec<[f32; 4]> =
        read_buffer(gpu, particles.velocities, particles.count as usize).expect("an answer");
    velocities.iter().map(|velocity| velocity[3].to_bits()).collect()
}

/// The difference of two frames: of positions in support radii, and the relative difference of densities.
fn difference(a: &Frame, b: &Frame, radius: f32) -> (f32, f32) {
    assert_eq!(a.indices, b.indices);
    let far = a.positions.iter().zip(&b.positions).flat_map(|(a, b)| (0..3).map(|axis| (a[axis] - b[axis]).abs()));
    let dense = a.densities.iter().zip(&b.densities).map(|(a, b)| (a / b - 1.0).abs());
    (far.fold(0.0, f32::max) / radius, dense.fold(0.0, f32::max))
}

#[test]
fn shuffling_memory_does_not_change_the_water() {
    let gpu = common::gpu();
    for scene in scenes() {
        let mut simulation = simulation(&gpu, &scene, SEARCHES[1]);
        steps(&gpu, &mut simulation, 5);
        let (before, order_before) = (simulation.observe().expect("an answer"), order(&gpu, &simulation));
        simulation.shuffle_memory(7).expect("room");
        let (after, shuffled) = (simulation.observe().expect("an answer"), order(&gpu, &simulation));
        assert_eq!((&before.positions, &before.velocities), (&after.positions, &after.velocities), "{}", scene.title);
        let (_, dense) = difference(&before, &after, 1.0);
        assert!(dense < 1e-5, "{}: densities differ by {dense}", scene.title);
        let at_home = order_before.iter().zip(&shuffled).filter(|(a, b)| a == b).count();
        assert!(at_home * 20 < shuffled.len(), "{at_home} of {} stayed in place", shuffled.len());
        let mut sorted = shuffled.clone();
        sorted.sort_unstable();
        assert!((0..).zip(&sorted).all(|(index, &original)| index == original), "a particle was lost");
        simulation.shuffle_memory(8).expect("room");
        assert_ne!(order(&gpu, &simulation), shuffled);
    }
}

#[test]
fn drawn_values_stay_with_their_particle_when_memory_is_shuffled_or_kept() {
    let gpu = common::gpu();
    let scene = Scene::load("dam_break").expect("a scene");
    // Densities and counts by original index, taken from the same index as the velocities.
    let drawn = |simulation: &Simulation| -> Vec<([u32; 2], u32, u32)> {
        let particles = simulation.particles();
        let count = particles.count as usize;
        let densities: Vec<[u32; 2]> = read_buffer(&gpu, particles.densities, count).expect("an answer");
        let neighbors: Vec<u32> = read_buffer(&gpu, particles.neighbor_counts, count).expect("an answer");
        let candidates: Vec<u32> = read_buffer(&gpu, particles.candidate_counts, count).expect("an answer");
        let mut by_original = vec![([0; 2], 0, 0); count];
        for (place, original) in order(&gpu, simulation).into_iter().enumerate() {
            by_original[original as usize] = (densities[place], neighbors[place], candidates[place]);
        }
        by_original
    };
    let mut simulation = simulation(&gpu, &scene, SEARCHES[1]);
    gpu.submit(|encoder| {
        (0..5).for_each(|_| simulation.record_step(encoder, None));
        simulation.record_survey(encoder);
    });
    let before = drawn(&simulation);
    assert!(before.iter().any(|(_, neighbors, _)| *neighbors > 0));
    simulation.shuffle_memory(3).expect("room");
    assert_eq!(drawn(&simulation), before);

    // The same step and survey, with and without keeping the order.
    let saved = simulation.save_state().expect("an answer");
    let mut stepped = |interval| {
        simulation.load_state(&saved).expect("its own state");
        simulation.set_resort_interval(interval).expect("room");
        gpu.submit(|encoder| {
            simulation.record_step(encoder, None);
            simulation.record_survey(encoder);
        });
        let after_step = (drawn(&simulation), order(&gpu, &simulation));
        gpu.submit(|encoder| {
            simulation.record_densities(encoder, None);
            simulation.record_survey(encoder);
        });
        (after_step, (drawn(&simulation), order(&gpu, &simulation)))
    };
    let ((sorted, sorted_order), (sorted_densities, _)) = stepped(1);
    let ((kept, kept_order), (kept_densities, order_after)) = stepped(1_000);
    assert_eq!(kept, sorted, "after a step");
    assert_ne!(kept_order, sorted_order);
    assert_eq!(kept_order, order_after, "computing densities must not move particles");
    // The sums of the second build are added in a different order.
    let counts = |drawn: &[([u32; 2], u32, u32)]| drawn.iter().map(|(_, n, c)| (*n, *c)).collect::<Vec<_>>();
    assert_eq!(counts(&kept_densities), counts(&sorted_densities), "after densities");
    for ((a, ..), (b, ..)) in kept_densities.iter().zip(&sorted_densities) {
        assert!((f32::from_bits(a[0]) / f32::from_bits(b[0]) - 1.0).abs() < 1e-5);
    }
}

/// Solvers use the arrays of the build for results of their own, but not the words that say which particle is where.
#[test]
fn the_order_of_the_build_is_known_after_a_step_with_every_solver() {
    let gpu = common::gpu();
    for solver in Solver::all() {
        let mut scene = Scene::load("lighthouse").expect("it ships with the program");
        scene.solver = solver;
        let mut simulation = simulation(&gpu, &scene, SEARCHES[2]);
        steps(&gpu, &mut simulation, 3);
        let count = simulation.particles().count;
        let words: Vec<[u32; 4]> =
            read_buffer(&gpu, simulation.sorted_identities(), count as usize).expect("an answer");
        let mut identities: Vec<u32> = words.iter().map(|word| word[3]).collect();
        identities.sort_unstable();
        assert!(identities.into_iter().eq(0..count), "{}", solver.name());
    }
}

/// Particles of solids are among the water in memory, and lie behind walls that have moved past them.
#[test]
fn a_survey_finds_the_same_whether_memory_is_sorted_every_step_or_never() {
    let gpu = common::gpu();
    let scene = Scene::load("lighthouse").expect("it ships with the program");
    let surveys = [1, 1_000].map(|interval| {
        let mut simulation = simulation(&gpu, &scene, SEARCHES[2]);
        simulation.set_resort_interval(interval).expect("room");
        simulation.move_wall(Face::named("left").expect("a wall"), 0.4).expect("there is room");
        steps(&gpu, &mut simulation, 80);
        gpu.submit(|encoder| simulation.record_survey(encoder));
        gpu.wait().expect("the device answers");
        simulation.take_survey().expect("the device has finished")
    });
    let [sorted, kept] = &surveys;
    for survey in &surveys {
        assert_eq!((survey.outside, survey.not_finite), (0, 0), "{surveys:#?}");
    }
    assert_eq!(kept.present, sorted.present);
    // Sums of another order make other roundings, which grow in eighty steps.
    let near = |one: f32, other: f32, share: f32| (one - other).abs() <= share * other.abs();
    assert!(near(kept.mean_density, sorted.mean_density, 2e-3), "{surveys:#?}");
    assert!(near(kept.lowest_density, sorted.lowest_density, 0.05), "{surveys:#?}");
    assert!(near(kept.highest_speed, sorted.highest_speed, 0.05), "{surveys:#?}");
}

#[test]
fn water_moves_the_same_whether_memory_is_sorted_every_step_or_never() {
    let gpu = common::gpu();
    for (number, scene) in scenes().iter().enumerate() {
        // The dam break with every search, and the other features of scenes with the first search that sorts and the
        // last one.
        let searches = if number == 0 { SEARCHES } else { &[SEARCHES[1], SEARCHES[SEARCHES.len() - 1]] };
        for &search in searches {
            let run = |interval: u64, shuffled: bool| {
                let mut simulation = simulation(&gpu, scene, search);
                simulation.set_resort_interval(interval).expect("room");
                if shuffled {
                    simulation.shuffle_memory(5).expect("room");
                }
                let before = order(&gpu, &simulation);
                steps(&gpu, &mut simulation, 7);
                let kept = before == order(&gpu, &simulation);
                steps(&gpu, &mut simulation, 1);
                let radius = simulation.resolution().support_radius;
                (simulation.observe().expect("an answer"), kept, before == order(&gpu, &simulation), radius)
            };
            let (expected, kept, ..) = run(1, true);
            // Brute force does not sort.
            let sorts = search != SEARCHES[0];
            assert_eq!(kept, !sorts, "{search:?}: sorting must change the order");
            for interval in [4, 8, 1_000] {
                let (found, kept_at_7, kept_at_8, radius) = run(interval, true);
                // After 8 steps, intervals of 4 and 8 have sorted; before that, the interval of 4.
                let kept = (!sorts || interval > 4, !sorts || interval > 8);
                assert_eq!((kept_at_7, kept_at_8), kept, "{search:?} every {interval}");
                let (far, dense) = difference(&found, &expected, radius);
                assert!(far < 1e-3 && dense < 1e-2, "{search:?}, {} every {interval}: {far}, {dense}", scene.title);
            }
        }
    }
}

#[test]
fn an_interval_of_one_records_no_extra_pass_and_intervals_survive_changes() {
    let gpu = common::gpu();
    let scene = Scene::load("dam_break").expect("a scene");
    let mut simulation = simulation(&gpu, &scene, SEARCHES[1]);
    let passes_of_a_step = |simulation: &mut Simulation| {
        let mut timer = nearwater::gpu::PassTimer::new(&gpu, 200);
        gpu.submit(|encoder| {
            simulation.record_step(encoder, Some(&mut timer));
            timer.resolve(&gpu, encoder);
        });
        gpu.wait().expect("an answer");
        timer.collect(&gpu).pop().expect("timestamps").len()
    };
    let passes = simulation.passes().count();
    assert_eq!(passes_of_a_step(&mut simulation), passes);
    simulation.set_resort_interval(100).expect("room");
    assert_eq!(passes_of_a_step(&mut simulation), passes + 3);
    simulation.change(&Settings { search: SEARCHES[3], ..simulation.settings().clone() }).expect("the same water");
    let passes = simulation.passes().count();
    assert_eq!((simulation.resort_interval(), passes_of_a_step(&mut simulation)), (100, passes + 3));
    simulation.change(&Settings { size: Size::Count(700), ..simulation.settings().clone() }).expect("less water");
    assert_eq!((simulation.resort_interval(), passes_of_a_step(&mut simulation)), (100, passes + 3));
    simulation.set_resort_interval(1).expect("nothing to make");
    assert_eq!((simulation.resort_interval(), passes_of_a_step(&mut simulation)), (1, passes));
}
