//! Bodies far lighter than the water that moves with them.

use std::f32::consts::PI;

use glam::Vec3;
use nearwater::fluid::{Body, BodyShape, BodyState, Dimensions, Scene, Settings, Simulation, Solver};
use nearwater::search::search_named;

use super::{body, cube, fluid, momentum, run_to, simulation, states, steps, tank};

const GRAVITY: f32 = 9.81;

/// A tank in the plane, 1.2 m wide and 1.4 m high, with water up to 0.8 m.
fn plane_tank(solver: &str, light: Body) -> Scene {
    let water = (Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.2, 0.8, 0.5));
    let mut scene = tank(Solver::named(solver).expect("a solver"), water, vec![light]);
    (scene.low, scene.high) = (Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.2, 1.4, 0.5));
    scene.dimensions = Dimensions::Two;
    scene
}

fn state(simulation: &Simulation) -> BodyState {
    states(simulation)[0]
}

/// The kinetic energy of a disc of 100 kg/m³ that is released under water, and of the water that moves with it, is the
/// work of its lift, less what drag and the walls take. As much water as it displaces moves with it, ten times its
/// mass. When the force of a step reached it in the next step only, DFSPH threw it to 57 m/s within 0.06 s, and with
/// PBF forces alternated that were many times its lift, which alone would accelerate it by 88 m/s².
#[test]
fn a_light_disc_that_is_released_under_water_rises_as_its_lift_and_added_mass_say() {
    let (radius, density) = (0.15_f32, 100.0);
    let displaced = 1000.0 * PI * radius * radius;
    for solver in ["dfsph", "pbf", "wcsph"] {
        let disc = body(BodyShape::Sphere { radius }, density, Vec3::new(0.6, 0.3, 0.0));
        let mut scene = plane_tank(solver, disc);
        // The drag of water as viscous as by default would be as large as a third of the lift.
        scene.material.viscosity = 0.01;
        let mut simulation = simulation(&scene, 0.0375);
        let mass = state(&simulation).mass;
        let (mut before, mut hardest) = (Vec3::ZERO, 0.0_f32);
        let share = loop {
            steps(&mut simulation, 1);
            let BodyState { position, velocity, .. } = state(&simulation);
            hardest = hardest.max(velocity.distance(before) / simulation.resolution().time_step);
            before = velocity;
            if position.y > 0.4 {
                let work = (displaced - mass) * GRAVITY * (position.y - 0.3);
                break 0.5 * (mass + displaced) * velocity.length_squared() / work;
            }
            assert!(simulation.time() < 0.5 && velocity.length() < 2.0, "{solver}: {velocity} at {position}");
        };
        println!("{solver}: {share} of the work; largest acceleration {hardest} m/s²");
        assert!((0.45..1.3).contains(&share), "{solver}: {share} of the work");
        // Sound shakes it in explicit steps, in water that begins without pressure and is hardly damped.
        assert!(solver == "wcsph" || hardest < (displaced / mass - 1.0) * GRAVITY, "{solver}: {hardest} m/s²");
    }
}

/// A square as light as foam floats with a tenth of its side under water, and comes to rest.
#[test]
fn a_light_square_floats_with_a_tenth_of_it_under_water() {
    let side = 0.4;
    for solver in ["dfsph", "pbf", "wcsph"] {
        let scene = plane_tank(solver, cube(side, 100.0, Vec3::new(0.6, 0.96, 0.0)));
        let mut simulation = simulation(&scene, 0.04);
        run_to(&mut simulation, 0.8);
        let mut drafts = Vec::new();
        while simulation.time() < 1.2 {
            steps(&mut simulation, 10);
            // The level at rest, from the volume of the lattice of the start.
            let water = simulation.resolution().spacing.powi(2) * fluid(&simulation).len() as f32;
            let BodyState { position, mass, .. } = state(&simulation);
            drafts.push(((water + mass / 1000.0) / 1.2 - position.y) / side + 0.5);
        }
        let draft = drafts.iter().sum::<f32>() / drafts.len() as f32;
        let speed = state(&simulation).velocity.length();
        println!("{solver}: draft {draft} of the side, {speed} m/s");
        assert!((draft - 0.1).abs() < 0.05, "{solver}: {draft} of the side");
        assert!(speed < 0.1, "{solver}: {speed} m/s");
    }
}

/// The force of the water on a disc that weighs less than a particle is never more than its whole lift, and it rises no
/// faster than it could without drag. Water that met it took the whole change of velocity and gave the disc the same
/// momentum (`contact.rs`), which threw it to 2,400 m/s with PBF and to 560,000 m/s with DFSPH; with wide kernels water
/// that had come too near pushed it with 14 times its lift; and in PBF's steps for the water alone it is shaken.
#[test]
fn a_disc_lighter_than_a_particle_is_not_thrown_about() {
    let radius = 0.15_f32;
    let lift = 1000.0 * PI * radius * radius * GRAVITY;
    // The first steps of DFSPH push the disc, which drag has taken away again at the end.
    for (solver, density, ratio, allowed) in [
        ("pbf", 10.0, 2.2, 1.0),
        ("pbf", 20.0, 2.2, 1.0),
        ("pbf", 10.0, 3.0, 1.0),
        ("dfsph", 10.0, 2.2, 1.7),
        ("dfsph", 5.0, 3.0, 1.7),
    ] {
        let disc = body(BodyShape::Sphere { radius }, density, Vec3::new(0.6, 0.3, 0.0));
        let mut scene = plane_tank(solver, disc);
        scene.material.radius_ratio = ratio;
        // The settings of these tests give the support radius of a ratio of 2.2.
        let mut simulation = simulation(&scene, 0.04 * ratio / 2.2);
        let particle = simulation.resolution().particle_mass;
        assert!(state(&simulation).mass < particle, "{} and {particle} kg/m", state(&simulation).mass);
        let fastest_rise = GRAVITY * (1000.0 - density) / (1000.0 + density);
        let (mut most, mut fastest) = (0.0_f32, 0.0_f32);
        while simulation.time() < 0.2 {
            steps(&mut simulation, 1);
            let BodyState { force, velocity, .. } = state(&simulation);
            most = most.max(force.length() / lift);
            // The lattice of the start is uneven around the disc, which moves it in the first steps.
            if simulation.time() > 0.03 {
                fastest = fastest.max(velocity.length() / (fastest_rise * simulation.time() as f32));
            }
        }
        let speed = state(&simulation).velocity.y;
        println!("{solver}, {density} kg/m³, {ratio}: {most} of its lift, {fastest} of the fastest rise, {speed} m/s");
        assert!(most < 1.0, "{solver}, {density} kg/m³, {ratio}: {most} of its lift");
        assert!(fastest < allowed, "{solver}, {density} kg/m³, {ratio}: {fastest} of the fastest rise");
        assert!(speed > 0.5, "{solver}, {density} kg/m³, {ratio}: rises with {speed} m/s");
    }
}

/// A square that is dropped and weighs less than a particle falls onto the water, no faster than it can fall, and stays
/// there, also with fewer steps than it needs.
#[test]
fn a_square_lighter_than_a_particle_that_is_dropped_floats() {
    let (side, above) = (0.3, 0.2);
    for chosen in [0, 4] {
        let square = cube(side, 10.0, Vec3::new(0.6, 0.8 + above + 0.5 * side, 0.0));
        let mut scene = plane_tank("pbf", square);
        scene.solver_settings.parse(&format!("pbf.substeps={chosen}")).unwrap();
        let mut simulation = simulation(&scene, 0.0375);
        let (mut fastest, mut highest) = (0.0_f32, 0.0_f32);
        while simulation.time() < 0.8 {
            steps(&mut simulation, 1);
            let BodyState { velocity, position, .. } = state(&simulation);
            fastest = fastest.max(velocity.length());
            highest = if simulation.time() > 0.3 { highest.max(position.y) } else { 0.0 };
        }
        let BodyState { position, velocity, .. } = state(&simulation);
        println!("{chosen} substeps: up to {fastest} m/s, at {position} with {velocity} m/s, highest {highest} m");
        assert!(fastest < 1.05 * (2.0 * GRAVITY * above).sqrt(), "{chosen}: {fastest} m/s");
        assert!(highest < 0.8 + above + 0.5 * side, "{chosen}: it is thrown up to {highest} m");
        assert!((position.y - 0.8 - 0.5 * side).abs() < 0.1 * side, "{chosen}: {position}");
    }
}

/// What the water gives to a light body in the course of a step is what it loses. The positions of PBF are rounded, and
/// velocities by that over the length of a step, which is shorter beside lighter bodies.
#[test]
fn the_momentum_of_water_and_a_light_body_is_kept() {
    for (solver, density, ratio, rounding) in [
        ("dfsph", 50.0, 2.2, 2e-5),
        ("pbf", 50.0, 2.2, 2e-5),
        ("wcsph", 50.0, 2.2, 2e-5),
        ("dfsph", 10.0, 2.2, 2e-7),
        ("pbf", 10.0, 2.2, 4e-5),
        ("pbf", 10.0, 3.0, 8e-5),
    ] {
        let ball = body(BodyShape::Sphere { radius: 0.15 }, density, Vec3::new(0.5, 0.5, 0.0));
        let thrown = Body { velocity: Vec3::new(2.0, 0.5, 0.0), ..ball };
        let mut scene = plane_tank(solver, thrown);
        scene.gravity = Vec3::ZERO;
        (scene.low, scene.high) = (Vec3::new(-3.0, -3.0, -0.5), Vec3::new(4.0, 4.0, 0.5));
        scene.blocks[0].velocity = Vec3::new(0.5, -0.3, 0.0);
        scene.material.radius_ratio = ratio;
        let mut simulation = simulation(&scene, 0.04 * ratio / 2.2);
        let before = momentum(&simulation);
        steps(&mut simulation, 60);
        let lost = momentum(&simulation) - before;
        let what = format!("{solver}, {density} kg/m³, {ratio}");
        println!("{what}: {lost} of {before} kg/s");
        assert!(lost.length() < rounding * before.length(), "{what}: {lost} of {before} kg/s");
        assert!(state(&simulation).velocity.length() < 1.5, "{what}: the water stops it");
    }
}

/// Sound shakes a disc that weighs less than one particle, but neither faster than water under that pressure is nor
/// without end. In the steps that suffice for the water alone it reached 73,000 m/s.
#[test]
fn a_disc_that_is_as_light_as_air_is_stable_in_explicit_steps() {
    let disc = body(BodyShape::Sphere { radius: 0.2 }, 10.0, Vec3::new(0.6, 0.4, 0.0));
    let mut simulation = simulation(&plane_tank("wcsph", disc), 0.04);
    let mut fastest = 0.0_f32;
    while simulation.time() < 0.1 {
        steps(&mut simulation, 1);
        fastest = fastest.max(state(&simulation).velocity.length());
    }
    println!("{fastest} m/s");
    assert!(fastest < 10.0, "{fastest} m/s");
}

/// A disc that is thrown into water in motion shortens its steps as one of the scene does, also with another search and
/// after the state was loaded, until the scene begins anew. It weighs 1 kg/m² of its surface, a quarter of what the
/// steps of the water suffice for, and 40 a layer of the water.
#[test]
fn a_light_disc_that_is_added_shortens_explicit_steps_until_the_scene_begins_anew() {
    let heavy = body(BodyShape::Sphere { radius: 0.1 }, 1000.0, Vec3::new(0.15, 1.0, 0.0));
    let light = body(BodyShape::Sphere { radius: 0.2 }, 10.0, Vec3::new(0.6, 1.1, 0.0));
    let thrown = Body { velocity: Vec3::new(0.0, -3.0, 0.0), ..light };
    let mut simulation = simulation(&plane_tank("wcsph", heavy), 0.04);
    let usual = simulation.resolution().time_step;
    let is_half = |simulation: &Simulation, when: &str| {
        let step = simulation.resolution().time_step;
        assert!((step / usual - 0.5).abs() < 1e-5, "{when}: {step} s, and {usual} s before");
    };
    steps(&mut simulation, 5);
    let number = simulation.add_body(&thrown).unwrap();
    is_half(&simulation, "with the disc");
    let (end, mut fastest) = (simulation.time() + 0.2, 0.0_f32);
    while simulation.time() < end {
        steps(&mut simulation, 1);
        fastest = fastest.max(states(&simulation)[number].velocity.length());
    }
    println!("{fastest} m/s");
    assert!(fastest < 10.0, "{fastest} m/s");

    let saved = simulation.save_state().unwrap();
    let green = Settings { search: search_named("green").unwrap(), ..simulation.settings().clone() };
    simulation.change(&green).unwrap();
    is_half(&simulation, "with another search");
    simulation.reset().unwrap();
    assert!((simulation.resolution().time_step / usual - 1.0).abs() < 1e-6, "the disc is gone");
    simulation.load_state(&saved).unwrap();
    is_half(&simulation, "after loading");
}
