//! What a user does to a running simulation: walls that move, other gravity, water that is poured, bodies that are
//! removed; with every solver, in two and three dimensions, and across saved states.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
#[path = "tank/free_body.rs"]
mod free_body;
mod tank;

use common::gpu;
use free_body::body;
use glam::Vec3;
use nearwater::fluid::{
    Body, BodyShape, Boundary, Continuation, Dimensions, Face, Motion, Push, Scene, SceneEdits, Settings, Simulation,
    Size, SmoothingKernel, Solver, Spout, Survey, Sway, TiltSway, WallSway,
};
use nearwater::gpu::read_buffer;
use nearwater::search::{SEARCHES, SearchOptions, search_named};
use tank::water_tank;

const LEFT: Face = Face::ALL[0];
const RIGHT: Face = Face::ALL[1];

fn settings(search: &str, spacing: f32) -> Settings {
    Settings {
        search: search_named(search).unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(2.2 * spacing),
        seed: 7,
        edits: SceneEdits::default(),
    }
}

/// The tank with a layer of water, at rest on the floor.
fn pool(solver: Solver, dimensions: Dimensions, depth: f32) -> Scene {
    let mut scene = water_tank(solver, (Vec3::ZERO, Vec3::new(1.0, depth, 1.0)));
    scene.dimensions = dimensions;
    scene
}

fn simulation(scene: &Scene, search: &str, spacing: f32) -> Simulation {
    Simulation::new(&gpu(), scene, &settings(search, spacing)).unwrap_or_else(|error| panic!("{error}"))
}

fn steps(simulation: &mut Simulation, count: u64) {
    gpu().submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().unwrap();
}

fn run_for(simulation: &mut Simulation, seconds: f64) {
    let end = simulation.time() + seconds;
    while simulation.time() < end {
        steps(simulation, 10);
    }
}

fn survey(simulation: &mut Simulation) -> Survey {
    gpu().submit(|encoder| simulation.record_survey(encoder));
    gpu().wait().unwrap();
    simulation.take_survey().unwrap()
}

/// Positions and velocities of the fluid particles in the box, by their original indices.
fn water(simulation: &Simulation) -> Vec<(u32, Vec3, Vec3)> {
    let buffers = simulation.particles();
    let count = buffers.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.velocities, count).unwrap();
    let all = positions.iter().zip(&velocities).map(|(position, velocity)| {
        (velocity[3].to_bits(), Vec3::from_slice(&position[..3]), Vec3::from_slice(&velocity[..3]))
    });
    let mut water: Vec<_> = all
        .filter(|(original, place, _)| *original < buffers.fluid_count && place.x <= buffers.parked_beyond)
        .collect();
    water.sort_unstable_by_key(|(original, ..)| *original);
    water
}

fn mean(simulation: &Simulation) -> Vec3 {
    let water = water(simulation);
    water.iter().map(|(_, place, _)| *place).sum::<Vec3>() / water.len() as f32
}

fn cube(density: f32, position: Vec3) -> Body {
    body(BodyShape::Box { size: Vec3::splat(0.25) }, density, position)
}

#[test]
fn a_wall_pushes_the_water_of_every_solver_without_squeezing_it() {
    for solver in Solver::fluids() {
        for (dimensions, spacing) in [(Dimensions::Three, 0.1), (Dimensions::Two, 0.05)] {
            let scene = pool(solver, dimensions, 0.4);
            let mut simulation = simulation(&scene, "fenns", spacing);
            run_for(&mut simulation, 0.1);
            let before = mean(&simulation);
            simulation.move_wall(LEFT, 0.3).unwrap();
            let mut slowest = simulation.walls()[0].x;
            while simulation.walls()[0].x < 0.3 - 1e-4 {
                steps(&mut simulation, 1);
                let now = simulation.walls()[0].x;
                let limit = simulation.fastest_wall() * simulation.resolution().time_step;
                assert!(now > slowest && now - slowest <= 1.01 * limit, "{solver:?}: from {slowest} to {now}");
                slowest = now;
                assert!(simulation.time() < 3.0, "{solver:?}: the wall is at {now}: {:?}", simulation.wall_stop());
            }
            let health = survey(&mut simulation);
            assert_eq!((health.not_finite, health.outside), (0, 0), "{solver:?} {dimensions:?}");
            // Single particles in corners may be denser, with layers as coarse as these.
            let squeezed = health.mean_compression > 2.5 || health.highest_density > 1200.0;
            assert!(!squeezed, "{solver:?} {dimensions:?}: {health:?}");
            run_for(&mut simulation, 0.5);
            let water = water(&simulation);
            assert!(water.iter().all(|(_, place, _)| place.x >= 0.3), "{solver:?} {dimensions:?}: behind the wall");
            let after = mean(&simulation);
            assert!(after.x > before.x + 0.1 && after.y > 1.2 * before.y, "{solver:?}: from {before} to {after}");

            simulation.move_wall(LEFT, 0.0).unwrap();
            run_for(&mut simulation, 1.5);
            assert!(simulation.walls()[0].x.abs() < 1e-6, "the wall returns");
            let back = mean(&simulation);
            assert!(back.x < after.x - 0.08, "{solver:?} {dimensions:?}: the water returns, from {after} to {back}");
        }
    }
}

#[test]
fn every_face_moves_with_every_search_and_a_wall_stops_before_the_water_is_squeezed() {
    let solver = Solver::named("pbf").unwrap();
    for (number, info) in SEARCHES.iter().enumerate() {
        let scene = pool(solver, Dimensions::Three, 0.5);
        let mut simulation = simulation(&scene, info.name, 0.1);
        let face = Face::ALL[number % 6];
        simulation.move_wall(face, 0.2).unwrap();
        run_for(&mut simulation, 0.8);
        assert!(survey(&mut simulation).outside == 0, "{}: {face}", info.name);
        let edges = simulation.walls()[1] - simulation.walls()[0];
        assert!((edges[face.axis] - 0.8).abs() < 1e-5, "{}: {face} {edges}: {:?}", info.name, simulation.wall_stop());
    }
    let scene = pool(solver, Dimensions::Three, 0.7);
    let mut simulation = simulation(&scene, "hoetzlein", 0.1);
    assert!(simulation.move_wall(LEFT, 0.9).is_err(), "nearer to the opposite wall than particles may be");
    assert!(simulation.move_wall(LEFT, -0.1).is_err() && simulation.move_wall(LEFT, f32::NAN).is_err());
    assert_eq!(simulation.wall_stop(), None);
    simulation.move_wall(LEFT, 0.3).unwrap();
    run_for(&mut simulation, 1.5);
    let [low, high] = simulation.walls();
    let room = (high - low).element_product();
    assert!((0.7 * 1.04..0.75).contains(&room), "the box has {room} m³ left for 0.7 m³ of water");
    let sentence = simulation.wall_stop().unwrap();
    assert!(sentence.contains("left") && sentence.contains("m³"), "{sentence}");
    assert!(survey(&mut simulation).highest_density < 1100.0);
    simulation.move_wall(LEFT, 0.1).unwrap();
    assert_eq!(simulation.wall_stop(), None);
}

#[test]
fn a_wall_passes_a_fixed_solid_which_then_has_no_effect() {
    let mut scene = pool(Solver::named("dfsph").unwrap(), Dimensions::Three, 0.3);
    scene.solids = vec![Boundary::Box { low: Vec3::new(0.1, 0.0, 0.3), high: Vec3::new(0.3, 0.6, 0.7) }].into();
    let mut simulation = simulation(&scene, "claws", 0.08);
    simulation.move_wall(LEFT, 0.35).unwrap();
    run_for(&mut simulation, 1.6);
    assert!((simulation.walls()[0].x - 0.35).abs() < 1e-5, "{:?}", simulation.wall_stop());
    let health = survey(&mut simulation);
    assert_eq!((health.not_finite, health.outside), (0, 0));
    assert!(health.highest_density < 1080.0 && health.highest_speed < 2.0, "{health:?}");
}

#[test]
fn gravity_is_turned_and_returns_and_moves_bodies_too() {
    for dimensions in [Dimensions::Three, Dimensions::Two] {
        let scene = pool(Solver::named("wcsph").unwrap(), dimensions, 0.4);
        let mut simulation = simulation(&scene, "fenns", if dimensions == Dimensions::Two { 0.05 } else { 0.1 });
        simulation
            .set_gravity(Some(Vec3::new(7.0, -7.0, if dimensions == Dimensions::Two { 3.0 } else { 0.0 })))
            .unwrap();
        assert_eq!(simulation.gravity(), Vec3::new(7.0, -7.0, 0.0));
        run_for(&mut simulation, 0.4);
        let leaning = mean(&simulation);
        assert!(leaning.x > 0.56, "{dimensions:?}: {leaning}");
        assert!(simulation.set_gravity(Some(Vec3::X * 1e9)).is_err());
        // Another search keeps the gravity.
        simulation.change(&settings("green", 0.1).with_size_of(simulation.settings())).unwrap();
        assert_eq!(simulation.gravity(), Vec3::new(7.0, -7.0, 0.0));
        simulation.set_gravity(None).unwrap();
        assert_eq!(simulation.gravity(), scene.gravity);
        while mean(&simulation).x > 0.55 {
            assert!(simulation.time() < 3.0, "{dimensions:?}: the water does not return: {}", mean(&simulation));
            run_for(&mut simulation, 0.1);
        }
    }
    let mut scene = pool(Solver::named("pbf").unwrap(), Dimensions::Three, 0.3);
    scene.solids = vec![cube(300.0, Vec3::new(0.5, 0.6, 0.5))].into();
    let mut simulation = simulation(&scene, "fenns", 0.1);
    simulation.set_gravity(Some(Vec3::new(9.81, 0.0, 0.0))).unwrap();
    run_for(&mut simulation, 0.2);
    let state = simulation.bodies().next().unwrap().state;
    assert!(state.position.x > 0.6 && state.position.y > 0.5, "{state:?}");
    simulation.reset().unwrap();
    assert_eq!(simulation.gravity(), scene.gravity, "a reset returns to the scene's gravity");
}

/// Settings with another search only.
trait WithSize {
    fn with_size_of(self, other: &Settings) -> Settings;
}

impl WithSize for Settings {
    fn with_size_of(self, other: &Settings) -> Settings {
        Settings { size: other.size, ..self }
    }
}

#[test]
fn a_swaying_wall_and_swaying_gravity_make_waves() {
    let scene = pool(Solver::named("pbf").unwrap(), Dimensions::Two, 0.4);
    let highest_speed = |sway: Option<Sway>| {
        let mut simulation = simulation(&scene, "hoetzlein", 0.05);
        run_for(&mut simulation, 0.3);
        simulation.set_sway(sway).unwrap();
        run_for(&mut simulation, 0.8);
        survey(&mut simulation).highest_speed
    };
    let still = highest_speed(None);
    let wall = WallSway { face: RIGHT, stroke: 0.15, period: 0.8 };
    let tilt = TiltSway { axis: Vec3::Z, angle: 0.4, period: 1.0 };
    let by_wall = highest_speed(Some(Sway { wall: Some(wall), tilt: None }));
    let by_gravity = highest_speed(Some(Sway { wall: None, tilt: Some(tilt) }));
    assert!(by_wall > 2.0 * still && by_gravity > 2.0 * still, "{still} {by_wall} {by_gravity}");
    let mut simulation = simulation(&scene, "hoetzlein", 0.05);
    for wrong in [WallSway { period: 0.0, ..wall }, WallSway { stroke: 2.0, ..wall }] {
        assert!(simulation.set_sway(Some(Sway { wall: Some(wrong), tilt: None })).is_err());
    }
}

#[test]
fn a_removed_body_takes_part_in_nothing_and_returns() {
    let mut scene = pool(Solver::named("wcsph").unwrap(), Dimensions::Three, 0.3);
    let places = [Vec3::new(0.25, 0.6, 0.5), Vec3::new(0.75, 0.6, 0.5)];
    scene.solids = places.map(|place| cube(400.0, place)).to_vec().into();
    let mut simulation = simulation(&scene, "fenns", 0.1);
    steps(&mut simulation, 5);
    let count = simulation.particles().count;
    let second = simulation.bodies().nth(1).unwrap().state;
    let above = |body: usize| (places[body].with_y(0.95), Vec3::NEG_Y);
    assert_eq!(simulation.pick(above(0).0, above(0).1).unwrap().body, 0);

    simulation.remove_body(0).unwrap();
    let of_one = (count - simulation.resolution().particle_count) / 2;
    assert_eq!(simulation.particles().count, count - of_one, "its particles are gone");
    assert_eq!(simulation.pick(above(0).0, above(0).1), None);
    assert_eq!(simulation.pick(above(1).0, above(1).1).unwrap().body, 1, "the other one keeps its number");
    assert_eq!(simulation.bodies().count(), 1);
    assert!(
        simulation.remove_body(0).is_err() && simulation.remove_body(7).is_err() && simulation.return_body(1).is_err()
    );
    let kept = simulation.bodies().next().unwrap().state;
    assert!(kept.position.distance(second.position) < 1e-6 && kept.velocity.distance(second.velocity) < 1e-6);
    steps(&mut simulation, 40);
    assert_eq!(survey(&mut simulation).not_finite, 0);
    assert!(simulation.bodies().next().unwrap().state.position.y < second.position.y, "the other one still falls");

    // A saved state knows that it is gone, and a loaded one continues bit for bit.
    let state = simulation.save_state().unwrap();
    let mut resumed = self::simulation(&scene, "fenns", 0.1);
    assert_eq!(resumed.load_state(&state).unwrap(), simulation.continuation());
    assert_eq!((resumed.bodies().count(), resumed.particles().count), (1, simulation.particles().count));

    simulation.return_body(0).unwrap();
    assert_eq!((simulation.bodies().count(), simulation.particles().count), (2, count));
    let back = simulation.bodies().next().unwrap().state;
    assert!(back.position.distance(places[0]) < 0.05, "it is where it was removed: {back:?}");
    steps(&mut simulation, 20);
    assert!(simulation.bodies().next().unwrap().state.position.y < back.position.y, "and falls again");
    simulation.remove_body(0).unwrap();
    simulation.remove_body(1).unwrap();
    steps(&mut simulation, 20);
    assert_eq!(simulation.particles().count, simulation.resolution().particle_count, "no body is left");
    simulation.reset().unwrap();
    assert_eq!((simulation.bodies().count(), simulation.particles().count), (2, count), "a reset brings all back");
}

#[test]
fn a_held_body_that_is_added_stops_the_water_and_stays_where_it_is() {
    for solver in ["wcsph", "pbf"].map(|name| Solver::named(name).unwrap()) {
        // A column at the left wall falls toward a block that spans the tank's depth.
        let scene = water_tank(solver, (Vec3::ZERO, Vec3::new(0.3, 0.8, 1.0)));
        let mut simulation = simulation(&scene, "hoetzlein", 0.1);
        let (low, high) = (Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.7, 1.0, 1.0));
        let block = Body {
            shape: BodyShape::Box { size: high - low },
            motion: Motion::Held,
            ..cube(1000.0, 0.5 * (low + high))
        };
        let moved = Body { motion: Motion::Turn { rate: Vec3::Y }, ..block.clone() };
        let refusal = simulation.add_body(&moved).unwrap_err().to_string();
        assert!(refusal.contains("free and held"), "{refusal}");
        let in_water = Body { position: block.position - Vec3::X * 0.4, ..block.clone() };
        let refusal = simulation.add_body(&in_water).unwrap_err().to_string();
        assert!(refusal.contains("inside the water"), "{refusal}");

        let number = simulation.add_body(&block).unwrap();
        run_for(&mut simulation, 1.0);
        let (width, beyond) = (0.1, |simulation: &Simulation, x: f32| {
            water(simulation).iter().filter(|(_, place, _)| place.x > x).count()
        });
        assert_eq!(beyond(&simulation, low.x + 0.5 * width), 0, "{solver:?}: water is in the block or behind it");
        let place = simulation.bodies().next().unwrap().state.position;
        assert!(place.distance(block.position) < 1e-6, "{solver:?}: it has moved to {place}");

        let state = simulation.save_state().unwrap();
        let mut resumed = self::simulation(&scene, "hoetzlein", 0.1);
        resumed.load_state(&state).unwrap();
        steps(&mut simulation, 20);
        steps(&mut resumed, 20);
        let (one, other) = (mean(&simulation), mean(&resumed));
        assert!(one.distance(other) < 1e-3, "{solver:?}: {one} and {other}");

        simulation.remove_body(number).unwrap();
        run_for(&mut simulation, 0.5);
        assert!(beyond(&simulation, high.x) > 0, "{solver:?}: the water flows on once the block is gone");
    }
}

#[test]
fn water_is_poured_where_the_spout_is_and_the_number_of_particles_grows() {
    for (dimensions, spacing) in [(Dimensions::Three, 0.1), (Dimensions::Two, 0.05)] {
        let mut scene = pool(Solver::named("pbf").unwrap(), dimensions, 0.2);
        if dimensions == Dimensions::Three {
            scene.solids = vec![cube(300.0, Vec3::new(0.2, 0.5, 0.2))].into();
        }
        let mut simulation = simulation(&scene, "fenns", spacing);
        steps(&mut simulation, 5);
        let before = survey(&mut simulation).present;
        let spout = Spout { center: Vec3::new(0.7, 0.9, 0.5), radius: 0.12, velocity: Vec3::NEG_Y };
        simulation.pour(Some(spout)).unwrap();
        run_for(&mut simulation, 0.3);
        let poured = water(&simulation);
        let new: Vec<_> = poured.iter().filter(|(original, ..)| *original >= before).collect();
        assert!(new.len() >= 9, "{dimensions:?}: {} particles were poured", new.len());
        for (_, place, _) in &new {
            assert!(place.y > 0.1 && (place.x - 0.7).abs() < 0.45, "{dimensions:?}: {place}");
        }
        assert_eq!(survey(&mut simulation).present, poured.len() as u32);
        assert_eq!(survey(&mut simulation).not_finite, 0);
        // Elsewhere, and then nowhere.
        simulation.pour(Some(Spout { center: Vec3::new(0.3, 0.9, 0.7), ..spout })).unwrap();
        run_for(&mut simulation, 0.2);
        let both = water(&simulation);
        let latest = both.last().unwrap();
        assert!(both.len() > poured.len() && latest.1.x < 0.65, "{dimensions:?}: {latest:?}");
        simulation.pour(None).unwrap();
        run_for(&mut simulation, 0.1);
        assert_eq!(water(&simulation).len(), both.len(), "{dimensions:?}: nothing is poured any more");
        assert!(simulation.pour(Some(Spout { center: Vec3::splat(9.0), ..spout })).is_err());

        let state = simulation.save_state().unwrap();
        let mut resumed = self::simulation(&scene, "fenns", spacing);
        resumed.load_state(&state).unwrap();
        assert_eq!(water(&resumed), water(&simulation));
        simulation.reset().unwrap();
        assert_eq!(survey_after_densities(&mut simulation).present, before, "a reset returns to the scene's number");
    }
}

fn survey_after_densities(simulation: &mut Simulation) -> Survey {
    gpu().submit(|encoder| simulation.record_densities(encoder, None));
    survey(simulation)
}

#[test]
fn a_state_resumes_while_walls_and_gravity_are_moving() {
    let scene = pool(Solver::named("wcsph").unwrap(), Dimensions::Three, 0.4);
    let mut simulation = simulation(&scene, "green", 0.1);
    simulation.move_wall(RIGHT, 0.25).unwrap();
    simulation.set_gravity(Some(Vec3::new(2.0, -9.0, 1.0))).unwrap();
    let tilt = TiltSway { axis: Vec3::X, angle: 0.2, period: 0.7 };
    simulation.set_sway(Some(Sway { tilt: Some(tilt), wall: None })).unwrap();
    steps(&mut simulation, 30);
    assert!(simulation.walls()[1].x < 1.0 && simulation.walls()[1].x > 0.75, "the wall is on its way");
    let state = simulation.save_state().unwrap();
    let mut resumed = self::simulation(&scene, "green", 0.1);
    assert_eq!(resumed.load_state(&state).unwrap(), Continuation::Exact);
    steps(&mut simulation, 30);
    steps(&mut resumed, 30);
    assert_eq!((resumed.walls(), resumed.gravity()), (simulation.walls(), simulation.gravity()));
    assert_eq!(water(&resumed), water(&simulation), "the run resumes bit for bit");
}

#[test]
fn a_pull_lifts_the_water_to_the_pointer_in_two_and_three_dimensions() {
    for dimensions in [Dimensions::Three, Dimensions::Two] {
        let scene = pool(Solver::named("pbf").unwrap(), dimensions, 0.3);
        let mut simulation = simulation(&scene, "fenns", if dimensions == Dimensions::Two { 0.05 } else { 0.1 });
        let highest = |simulation: &Simulation| {
            let near = water(simulation).into_iter().filter(|(_, place, _)| (place.x - 0.5).abs() < 0.2);
            near.map(|(_, place, _)| place.y).fold(0.0, f32::max)
        };
        let origin = Vec3::new(0.5, 0.5, 3.0);
        let push = Push { origin, direction: Vec3::NEG_Z, radius: 0.5, inward: 2.0, ..Push::default() };
        simulation.set_push(Some(push));
        run_for(&mut simulation, 0.4);
        let lifted = highest(&simulation);
        assert!(lifted > 0.38, "{dimensions:?}: the water reaches {lifted} m");
        assert_eq!(survey(&mut simulation).not_finite, 0);
        let plane = water(&simulation).iter().all(|(_, place, _)| (place.z - 0.5).abs() < 1e-6);
        assert!(dimensions == Dimensions::Three || plane, "the plane was left");
        simulation.set_push(Some(Push { strength: 0.0, ..push }));
        run_for(&mut simulation, 0.8);
        assert!(highest(&simulation) < lifted - 0.03, "{dimensions:?}: without strength it falls back");
    }
}
