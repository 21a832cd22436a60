//! Smoothed positions: what every search sums up is what a sum over all particles gives, full boxes and lone drops stay
//! as they are, and neither the order of memory nor an observation changes which particle is moved.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
mod tank;

use std::sync::Arc;

use common::gpu;
use glam::{DVec3, Vec3};
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions, search_named};
use tank::water_tank;

fn simulation(gpu: &Arc<Gpu>, scene: &Scene, search: &'static SearchInfo, particles: u32) -> Simulation {
    let settings = Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(particles),
        seed: 3,
        edits: SceneEdits::default(),
    };
    Simulation::new(gpu, scene, &settings).unwrap()
}

fn hoetzlein() -> &'static SearchInfo {
    search_named("hoetzlein").unwrap()
}

/// A tank of a meter with water up to `top`.
fn scene(top: Vec3) -> Scene {
    water_tank(Solver::named("pbf").unwrap(), (Vec3::ZERO, top))
}

fn steps(gpu: &Gpu, simulation: &mut Simulation, count: u32) {
    gpu.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu.wait().unwrap();
}

/// Positions and smoothed positions by original index, m.
fn smoothed(gpu: &Gpu, simulation: &mut Simulation) -> (Vec<DVec3>, Vec<DVec3>) {
    simulation.make_smoothed_positions().unwrap();
    gpu.submit(|encoder| simulation.record_smoothed_positions(encoder, None));
    let particles = simulation.particles();
    let count = particles.count as usize;
    let read = |buffer| -> Vec<[f32; 4]> { read_buffer(gpu, buffer, count).unwrap() };
    let (places, found) = (read(particles.positions), read(simulation.smoothed_positions().unwrap()));
    let order = read(particles.velocities);
    let by_index = |values: Vec<[f32; 4]>| {
        let mut sorted = vec![DVec3::NAN; count];
        for ([x, y, z, _], [.., word]) in values.into_iter().zip(&order) {
            sorted[word.to_bits() as usize] = Vec3::new(x, y, z).as_dvec3();
        }
        sorted
    };
    (by_index(places), by_index(found))
}

/// Largest distance between two sets of positions, spacings.
fn farthest(a: &[DVec3], b: &[DVec3], simulation: &Simulation) -> f64 {
    let far = a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    far / f64::from(simulation.resolution().spacing)
}

/// The smoothed positions of water without solids by the formula, with images behind the walls of the box.
fn expected(simulation: &Simulation, places: &[DVec3]) -> Vec<DVec3> {
    let (scene, resolution) = (simulation.scene(), simulation.resolution());
    let radius = f64::from(resolution.support_radius);
    let (low, high) = (scene.low.as_dvec3(), scene.high.as_dvec3());
    let mirrored = |place: DVec3, seen: DVec3| {
        [0, 1, 2].map(|axis| {
            let behind = if seen[axis] - low[axis] < high[axis] - seen[axis] { low[axis] } else { high[axis] };
            [place[axis], 2.0 * behind - place[axis]]
        })
    };
    let moved = |(own, &place): (usize, &DVec3)| {
        let (mut ways, mut weights) = (DVec3::ZERO, 0.0);
        for (other, &neighbor) in places.iter().enumerate() {
            let [x, y, z] = mirrored(neighbor, place);
            for choice in 0..8_usize {
                let way = DVec3::new(x[choice & 1], y[choice >> 1 & 1], z[choice >> 2]) - place;
                let weight = 1.0 - (way.length() / radius).powi(3);
                if weight > 0.0 && (choice, other) != (0, own) {
                    ways += weight * way;
                    weights += weight;
                }
            }
        }
        let ratio = radius / f64::from(resolution.spacing);
        let whole = ((weights / (ratio * ratio) - 0.3) / 0.5).clamp(0.0, 1.0);
        let share = 0.9 * whole * whole * (3.0 - 2.0 * whole);
        place + share * ways / (1.0 + weights)
    };
    places.iter().enumerate().map(moved).collect()
}

#[test]
fn every_search_smooths_as_a_sum_over_all_particles_does() {
    let gpu = gpu();
    for search in SEARCHES {
        let mut simulation = simulation(&gpu, &scene(Vec3::new(0.6, 0.9, 0.8)), search, 700);
        // Out of the lattice, in which many distances are equal to the radius.
        steps(&gpu, &mut simulation, 60);
        gpu.submit(|encoder| simulation.record_densities(encoder, None));
        let (places, found) = smoothed(&gpu, &mut simulation);
        let wanted = expected(&simulation, &places);
        let far = farthest(&wanted, &found, &simulation);
        assert!(far < 1e-3, "{}: {far} spacings", search.name);
        assert!(farthest(&places, &found, &simulation) > 0.3, "{}", search.name);
    }
}

#[test]
fn water_that_fills_its_box_and_lone_drops_stay_where_they_are() {
    let gpu = gpu();
    let mut full = simulation(&gpu, &scene(Vec3::ONE), hoetzlein(), 1000);
    gpu.submit(|encoder| full.record_densities(encoder, None));
    let (places, found) = smoothed(&gpu, &mut full);
    let far = farthest(&places, &found, &full);
    assert!(far < 0.02, "full: {far} spacings");

    // Three times three times three of them, farther apart than the support radius.
    let mut apart = simulation(&gpu, &scene(Vec3::splat(0.3)), hoetzlein(), 27);
    let count = apart.particles().fluid_count;
    assert!(count == 27 && apart.resolution().support_radius < 0.33, "{count}");
    let place = |index: u32| (Vec3::new((index % 3) as f32, (index / 3 % 3) as f32, (index / 9) as f32) + 0.5) / 3.0;
    let drops: Vec<_> = (0..count).map(place).collect();
    apart.set_particles(&drops, &vec![Vec3::ZERO; drops.len()]).unwrap();
    gpu.submit(|encoder| apart.record_densities(encoder, None));
    let (places, found) = smoothed(&gpu, &mut apart);
    let far = farthest(&places, &found, &apart);
    assert!(far < 0.01, "drops: {far} spacings");
}

#[test]
fn neither_the_order_of_memory_nor_an_observation_changes_which_particle_is_moved() {
    let gpu = gpu();
    let made = || simulation(&gpu, &scene(Vec3::new(0.6, 0.9, 0.8)), hoetzlein(), 700);
    let mut usual = made();
    steps(&gpu, &mut usual, 40);
    let (places, found) = smoothed(&gpu, &mut usual);
    let ways: Vec<_> = places.iter().zip(&found).map(|(place, found)| *found - *place).collect();

    // Rounding differs with the order of the sums; a wrong particle would be moved by a tenth of a spacing and more.
    let mut kept = made();
    kept.set_resort_interval(7).unwrap();
    steps(&gpu, &mut kept, 40);
    let (places, found) = smoothed(&gpu, &mut kept);
    let of_kept: Vec<_> = places.iter().zip(&found).map(|(place, found)| *found - *place).collect();
    let far = farthest(&ways, &of_kept, &kept);
    assert!(far < 0.05, "kept order: {far} spacings");

    // An observation builds the search's tables anew and leaves the state in its order.
    usual.observe().unwrap();
    steps(&gpu, &mut usual, 1);
    let (_, before) = smoothed(&gpu, &mut usual);
    let mut again = made();
    steps(&gpu, &mut again, 41);
    again.observe().unwrap();
    let (_, after) = smoothed(&gpu, &mut again);
    let far = farthest(&before, &after, &again);
    assert!(far < 0.05, "after an observation: {far} spacings");
}

#[test]
fn positions_are_not_smoothed_by_tables_of_other_particles() {
    let gpu = gpu();
    let mut simulation = simulation(&gpu, &scene(Vec3::new(0.6, 0.9, 0.8)), hoetzlein(), 700);
    steps(&gpu, &mut simulation, 5);
    let (places, found) = smoothed(&gpu, &mut simulation);
    assert!(farthest(&places, &found, &simulation) > 0.3);
    steps(&gpu, &mut simulation, 1);
    assert!(simulation.smoothed_positions().is_none(), "they are those of the step before");
    simulation.reset().unwrap();
    let (places, found) = smoothed(&gpu, &mut simulation);
    assert!(farthest(&places, &found, &simulation) == 0.0, "the tables are those of before the reset");
    gpu.submit(|encoder| simulation.record_densities(encoder, None));
    let (places, found) = smoothed(&gpu, &mut simulation);
    assert!(farthest(&places, &found, &simulation) > 0.3);
}
