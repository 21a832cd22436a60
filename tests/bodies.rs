//! Bodies on the device: the forces that water and bodies exert on each other, how deep bodies float, and moving walls.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
#[path = "common/fluid_particles.rs"]
mod fluid_particles;
#[path = "tank/free_body.rs"]
mod free_body;
#[path = "bodies/in_a_plane.rs"]
mod in_a_plane;
#[path = "bodies/light.rs"]
mod light;
#[path = "bodies/outside.rs"]
mod outside;
mod tank;

use common::gpu;
use fluid_particles::fluid;
use free_body::body;
use glam::{DVec3, Vec3};
use nearwater::depiction::{Depiction, body_color, depict};
use nearwater::fluid::{
    Body, BodyShape, BodyState, Boundary, Continuation, Dimensions, Drag, Mesh, Motion, Probe, ProbeColumn, SavedState,
    Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver,
};
use nearwater::gpu::read_buffer;
use nearwater::search::{SearchOptions, search_named};
use tank::water_tank;

/// The tank with water in `block` and with `bodies`.
fn tank(solver: Solver, block: (Vec3, Vec3), bodies: Vec<Body>) -> Scene {
    Scene { solids: bodies.into(), ..water_tank(solver, block) }
}

fn cube(side: f32, density: f32, position: Vec3) -> Body {
    body(BodyShape::Box { size: Vec3::splat(side) }, density, position)
}

fn settings(spacing: f32) -> Settings {
    Settings {
        search: search_named("hoetzlein").unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(2.2 * spacing),
        seed: 7,
        edits: SceneEdits::default(),
    }
}

fn simulation(scene: &Scene, spacing: f32) -> Simulation {
    Simulation::new(&gpu(), scene, &settings(spacing)).unwrap_or_else(|error| panic!("{error}"))
}

fn steps(simulation: &mut Simulation, count: u64) {
    gpu().submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().unwrap();
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time {
        steps(simulation, 10);
    }
}

fn states(simulation: &Simulation) -> Vec<BodyState> {
    simulation.bodies().map(|view| view.state).collect()
}

/// Momentum of water and bodies, kg m/s.
fn momentum(simulation: &Simulation) -> DVec3 {
    let mass = f64::from(simulation.resolution().particle_mass);
    let of_fluid: DVec3 = fluid(simulation).iter().map(|(_, velocity)| velocity.as_dvec3()).sum();
    let of_bodies: DVec3 =
        states(simulation).iter().map(|state| f64::from(state.mass) * state.velocity.as_dvec3()).sum();
    mass * of_fluid + of_bodies
}

#[test]
fn the_momentum_of_water_and_a_free_body_is_conserved() {
    for solver in [Solver::named("wcsph").unwrap(), Solver::named("pbf").unwrap()] {
        let free = Body {
            velocity: Vec3::new(0.1, 0.3, 0.0),
            angular_velocity: Vec3::new(30.0, 60.0, -20.0),
            ..cube(0.25, 600.0, Vec3::new(0.5, 0.55, 0.5))
        };
        let mut scene = tank(solver, (Vec3::splat(0.2), Vec3::splat(0.8)), vec![free]);
        // Far from all walls, and thrown along the body.
        scene.gravity = Vec3::ZERO;
        (scene.low, scene.high) = (Vec3::splat(-3.0), Vec3::splat(4.0));
        scene.blocks[0].velocity = Vec3::new(0.7, -0.4, 0.2);
        let mut simulation = simulation(&scene, 0.05);
        let before = momentum(&simulation);
        let at_start = states(&simulation)[0];
        let mut exchanged = 0.0;
        for _ in 0..40 {
            steps(&mut simulation, 1);
            exchanged += f64::from(simulation.resolution().time_step * states(&simulation)[0].force.length());
        }
        let lost = momentum(&simulation) - before;
        let now = states(&simulation)[0];
        println!(
            "{}: {:e} of {} kg m/s lost, {exchanged} exchanged, the body went from {:?} to {:?}",
            solver.name(),
            lost.length(),
            before.length(),
            at_start.velocity,
            now.velocity
        );
        assert!(
            (now.velocity - at_start.velocity).length() > 0.1,
            "{}: the water did not move the body",
            solver.name()
        );
        // The velocities of PBF are differences of positions of about 1 m over a step of 8 ms.
        let bound = if solver == Solver::named("wcsph").unwrap() { 1e-6 } else { 1e-5 };
        assert!(lost.length() < bound * before.length(), "{}: {lost} of {before}", solver.name());
    }
}

#[test]
fn water_and_a_body_in_common_motion_interact_as_at_rest() {
    for solver in [Solver::named("wcsph").unwrap(), Solver::named("pbf").unwrap()] {
        let pushed = |flight: Vec3| {
            let free = Body { velocity: flight, ..cube(0.25, 600.0, Vec3::splat(0.5)) };
            let mut scene = tank(solver, (Vec3::splat(0.2), Vec3::splat(0.8)), vec![free]);
            scene.gravity = Vec3::ZERO;
            // Both have the same speed of sound.
            scene.solids.of_mut().push(Body { velocity: 2.0 * Vec3::Y, ..cube(0.1, 600.0, Vec3::splat(3.0)) });
            (scene.low, scene.high) = (Vec3::splat(-3.0), Vec3::splat(4.0));
            scene.blocks[0].velocity = flight;
            let mut simulation = simulation(&scene, 0.05);
            steps(&mut simulation, 12);
            states(&simulation)[0].velocity - flight
        };
        let (at_rest, flying) = (pushed(Vec3::ZERO), pushed(Vec3::new(1.2, -0.6, 0.3)));
        println!("{}: {at_rest} at rest, {flying} flying", solver.name());
        // Positions of some meters are rounded to 2e-7 m, a step of PBF is 8 ms, and twelve steps amplify the errors.
        assert!((at_rest - flying).length() < 2e-3, "{}: {at_rest}, {flying}", solver.name());
    }
}

/// Angular momentum of water and bodies about the center of the tank, kg m²/s; `inertia` is that of each body about any
/// axis, kg m².
fn angular_momentum(simulation: &Simulation, inertia: f64) -> DVec3 {
    let middle = DVec3::splat(0.5);
    let mass = f64::from(simulation.resolution().particle_mass);
    let of_fluid: DVec3 = fluid(simulation)
        .iter()
        .map(|(position, velocity)| mass * (position.as_dvec3() - middle).cross(velocity.as_dvec3()))
        .sum();
    let of_bodies: DVec3 = states(simulation)
        .iter()
        .map(|state| {
            let path = (state.position.as_dvec3() - middle).cross(state.velocity.as_dvec3());
            f64::from(state.mass) * path + inertia * state.angular_velocity.as_dvec3()
        })
        .sum();
    of_fluid + of_bodies
}

#[test]
fn the_angular_momentum_of_water_and_a_free_body_is_conserved() {
    let free = Body { angular_velocity: Vec3::new(60.0, -90.0, 200.0), ..cube(0.25, 600.0, Vec3::new(0.6, 0.6, 0.5)) };
    let mut scene = tank(Solver::named("wcsph").unwrap(), (Vec3::splat(0.2), Vec3::splat(0.8)), vec![free]);
    scene.gravity = Vec3::ZERO;
    (scene.low, scene.high) = (Vec3::splat(-3.0), Vec3::splat(4.0));
    scene.blocks[0].velocity = Vec3::new(0.7, -0.4, 0.2);
    let mut simulation = simulation(&scene, 0.05);
    // A cube has the same moment of inertia about every axis.
    let inertia = f64::from(states(&simulation)[0].mass) * 0.25 * 0.25 / 6.0;
    let (before, spin) = (angular_momentum(&simulation, inertia), states(&simulation)[0].angular_velocity);
    steps(&mut simulation, 60);
    let lost = angular_momentum(&simulation, inertia) - before;
    let taken = inertia * f64::from((states(&simulation)[0].angular_velocity - spin).length());
    println!("{:e} kg m²/s lost of {}, the body's spin changed by {taken}", lost.length(), before.length());
    assert!(taken > 0.005, "the water did not turn the body: {taken}");
    assert!(lost.length() < 1e-3 * taken, "{lost}, the spin changed by {taken}");
}

/// Draft of the first body, a cube with the given side, divided by its side: measured from the level that all the water
/// would have at the rest density, and from the surface of the water beside it.
fn drafts(simulation: &Simulation, side: f32) -> (f32, f32) {
    let resolution = simulation.resolution();
    let state = states(simulation)[0];
    let water = resolution.particle_mass * resolution.particle_count as f32 / 1000.0;
    let level = water + state.mass / 1000.0;
    let mut columns = std::collections::BTreeMap::new();
    for (position, _) in fluid(simulation) {
        let cell = (position / (2.0 * resolution.spacing)).floor().as_ivec3();
        let highest = columns.entry((cell.x, cell.z)).or_insert(0.0_f32);
        *highest = highest.max(position.y);
    }
    let mut heights: Vec<f32> = columns.into_values().collect();
    heights.sort_by(f32::total_cmp);
    let seen = heights[heights.len() / 2] + 0.5 * resolution.spacing;
    let foot = state.position.y - 0.5 * side;
    ((level - foot) / side, (seen - foot) / side)
}

#[test]
fn a_cube_floats_at_the_depth_of_archimedes_principle() {
    for (solver, density) in [
        (Solver::named("wcsph").unwrap(), 500.0),
        (Solver::named("wcsph").unwrap(), 900.0),
        (Solver::named("pbf").unwrap(), 500.0),
    ] {
        let (side, spacing, share) = (0.4_f32, 0.05, density / 1000.0);
        let start = Vec3::new(0.5, 0.7 - share * side, 0.5);
        let scene = tank(solver, (Vec3::ZERO, Vec3::new(1.0, 0.5, 1.0)), vec![cube(side, density, start)]);
        let mut simulation = simulation(&scene, spacing);
        let (mut sum, mut seen, mut count) = (0.0, 0.0, 0.0);
        // The cube starts at its theoretical depth and settles together with the water.
        while simulation.time() < 0.8 {
            steps(&mut simulation, 10);
            if simulation.time() > 0.5 {
                let drafts = drafts(&simulation, side);
                (sum, seen, count) = (sum + drafts.0, seen + drafts.1, count + 1.0);
            }
        }
        let (draft, seen) = (sum / count, seen / count);
        let state = states(&simulation)[0];
        println!("{} {density}: draft {draft} of the side, {seen} of what is seen; {state:?}", solver.name());
        // 8 spacings per side; the water is some millimeters higher than its mass gives, because its lattice has
        // loosened.
        assert!((draft - share).abs() < 0.05, "{} {density}: draft {draft}", solver.name());
        assert!(state.velocity.length() < 0.1, "{} {density}: {state:?}", solver.name());
    }
}

/// Integrated densities and the wide kernel of the accurate mode let water through the single layer of a body's
/// particles, unless it is repelled when it comes near.
#[test]
fn no_water_enters_a_body_in_the_accurate_mode() {
    let (side, spacing) = (0.3_f32, 0.05);
    let start = Vec3::new(0.35, 0.33, 0.35);
    let block = (Vec3::ZERO, Vec3::new(0.7, 0.4, 0.7));
    let mut scene = tank(Solver::named("wcsph").unwrap(), block, vec![cube(side, 900.0, start)]);
    scene.high = Vec3::new(0.7, 0.8, 0.7);
    scene.material.viscosity = 0.1;
    scene.material.radius_ratio = 2.6;
    scene.solver_settings.parse("wcsph.accurate=1").unwrap();
    let settings = Settings { size: Size::Radius(2.6 * spacing), ..settings(spacing) };
    let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap_or_else(|error| panic!("{error}"));
    run_to(&mut simulation, 1.6);
    let BodyState { position, rotation, .. } = states(&simulation)[0];
    let is_inside = |place: Vec3| (rotation.inverse() * (place - position)).abs().max_element() < 0.5 * side - spacing;
    let inside = fluid(&simulation).into_iter().filter(|(place, _)| is_inside(*place)).count();
    assert_eq!(inside, 0, "particles are deeper than a spacing in the cube at {position}");
    // The level of the water, with the volume that the cube displaces.
    let resolution = simulation.resolution();
    let water = resolution.particle_count as f32 * spacing.powi(3);
    let level = (water + 0.9 * side.powi(3)) / (0.7 * 0.7);
    let draft = (level - position.y) / side + 0.5;
    assert!((draft - 0.9).abs() < 0.05, "the cube floats at a draft of {draft} of its side");
}

#[test]
fn a_body_denser_than_water_sinks_and_rests_on_the_floor() {
    for solver in [Solver::named("wcsph").unwrap(), Solver::named("pbf").unwrap()] {
        let spacing = 0.0625;
        let scene =
            tank(solver, (Vec3::ZERO, Vec3::new(1.0, 0.6, 1.0)), vec![cube(0.3, 3000.0, Vec3::new(0.45, 0.35, 0.5))]);
        let mut simulation = simulation(&scene, spacing);
        run_to(&mut simulation, 1.3);
        let state = states(&simulation)[0];
        println!("{}: {state:?}", solver.name());
        let gap = state.position.y - 0.15;
        // A layer of water may be enclosed below it.
        assert!((-0.005..0.6 * spacing).contains(&gap), "{}: {gap} m above the floor", solver.name());
        assert!(state.velocity.length() < 0.05, "{}: {state:?}", solver.name());
    }
}

#[test]
fn bodies_rest_on_each_other_and_stay_in_the_tank() {
    let mut scene = tank(
        Solver::named("wcsph").unwrap(),
        (Vec3::ZERO, Vec3::new(0.2, 0.2, 0.2)),
        vec![
            cube(0.3, 800.0, Vec3::new(0.6, 0.16, 0.6)),
            Body { restitution: 0.0, ..cube(0.3, 800.0, Vec3::new(0.6, 0.6, 0.6)) },
            // Thrown at the far wall, which it must not pass, and against a boundary.
            Body {
                velocity: Vec3::new(0.0, 0.0, -4.0),
                ..body(BodyShape::Sphere { radius: 0.08 }, 500.0, Vec3::new(0.3, 0.6, 0.3))
            },
        ],
    );
    scene.solids.set(vec![Boundary::Box { low: Vec3::new(0.3, 0.0, 0.0), high: Vec3::new(0.4, 0.3, 0.3) }]);
    let mut simulation = simulation(&scene, 0.05);
    run_to(&mut simulation, 1.0);
    let found = states(&simulation);
    println!("{found:?}");
    assert!((found[0].position.y - 0.15).abs() < 0.003, "{:?}", found[0]);
    assert!((found[1].position.y - 0.45).abs() < 0.006, "{:?}", found[1]);
    for state in &found {
        assert!(state.position.cmpge(Vec3::splat(0.079)).all() && state.position.cmple(Vec3::splat(0.921)).all());
    }
}

#[test]
fn invalid_bodies_are_refused_with_a_message() {
    let water = (Vec3::ZERO, Vec3::new(1.0, 0.3, 1.0));
    let good = || cube(0.2, 500.0, Vec3::new(0.5, 0.7, 0.5));
    let refusal = |scene: &Scene, spacing: f32| match Simulation::new(&gpu(), scene, &settings(spacing)) {
        Ok(_) => panic!("it was accepted: {:?}", scene.solids),
        Err(error) => error.to_string(),
    };
    let shuttle = |speed| Motion::Shuttle { to: Vec3::new(0.5, 0.8, 0.5), speed };
    for (wrong, expected) in [
        (Body { density: 0.0, ..good() }, "bodies[0].density"),
        (Body { density: f32::NAN, ..good() }, "bodies[0].density"),
        (Body { position: Vec3::new(0.5, f32::NAN, 0.5), ..good() }, "bodies[0].position"),
        (Body { position: Vec3::new(0.5, 1.0, 0.5), ..good() }, "entire body in the tank"),
        (Body { rotation: Vec3::new(0.0, f32::INFINITY, 0.0), ..good() }, "bodies[0].rotation"),
        (cube(-0.2, 500.0, Vec3::splat(0.5)), "bodies[0].shape.size"),
        (body(BodyShape::Sphere { radius: 0.0 }, 500.0, Vec3::splat(0.5)), "bodies[0].shape.radius"),
        (Body { friction: -1.0, ..good() }, "bodies[0].friction"),
        (Body { restitution: 1.5, ..good() }, "bodies[0].restitution"),
        (Body { velocity: Vec3::X, motion: shuttle(0.1), ..good() }, "bodies[0].velocity"),
        (Body { motion: shuttle(0.0), ..good() }, "bodies[0].motion"),
        (Body { motion: Motion::Turn { rate: Vec3::ZERO }, ..good() }, "bodies[0].motion"),
        (Body { motion: shuttle(20.0), ..good() }, "20.000 m/s, and moving walls in this scene may reach at most"),
        (cube(1e-4, 500.0, Vec3::splat(0.5)), ""),
    ] {
        let scene = tank(Solver::named("wcsph").unwrap(), water, vec![wrong]);
        if expected.is_empty() {
            // A body much smaller than a particle still acts as one.
            assert_eq!(simulation(&scene, 0.1).resolution().boundary_count, 1);
            continue;
        }
        let sentence = refusal(&scene, 0.1);
        assert!(sentence.contains(expected), "{sentence}");
    }
    // The limits are those that the messages state, for either solver.
    for (solver, limit) in [
        (Solver::named("wcsph").unwrap(), (2.0_f32 * 9.81 * 0.7).sqrt()),
        (Solver::named("pbf").unwrap(), 0.25 * 0.1 / 0.008),
    ] {
        for (factor, is_good) in [(0.99, true), (1.01, false)] {
            let wall = Body { motion: shuttle(factor * limit), ..good() };
            // Heavy enough not to shorten the steps of PBF, from which its limit follows.
            let sinker = cube(0.1, 2000.0, Vec3::new(0.2, 0.7, 0.2));
            let scene = tank(solver, water, vec![wall, sinker]);
            let made = Simulation::new(&gpu(), &scene, &settings(0.1));
            assert_eq!(made.is_ok(), is_good, "{} {factor}: {:?}", solver.name(), made.err());
        }
    }
    let two = |other: Vec3| tank(Solver::named("wcsph").unwrap(), water, vec![good(), cube(0.2, 500.0, other)]);
    assert!(refusal(&two(Vec3::new(0.6, 0.7, 0.5)), 0.05).contains("bodies[1] overlaps bodies[0]"));
    simulation(&two(Vec3::new(0.7, 0.7, 0.5)), 0.05);
    let mut scene = two(Vec3::new(0.8, 0.7, 0.5));
    scene.solids.set(vec![Boundary::Box { low: Vec3::new(0.7, 0.5, 0.3), high: Vec3::new(0.75, 0.75, 0.9) }]);
    assert!(refusal(&scene, 0.05).contains("bodies[1] lies in a boundary"));
    scene.solids.set(Vec::<Boundary>::new());
    scene.dimensions = Dimensions::Two;
    for (changed, expected) in [
        (Body { position: Vec3::new(0.5, 0.7, 0.6), ..good() }, "position: must be in the middle of the tank along z"),
        (Body { velocity: Vec3::Z, ..good() }, "velocity: must have no part along z"),
        (Body { angular_velocity: Vec3::X, ..good() }, "angular_velocity: must be around z only"),
        (Body { rotation: Vec3::Y, ..good() }, "rotation: must be around z only"),
        (
            Body { shape: BodyShape::of_mesh("brick", Mesh::cuboid(Vec3::ZERO, Vec3::splat(0.1))).unwrap(), ..good() },
            "shape: must be a Box or a Sphere",
        ),
    ] {
        scene.solids.set(vec![changed]);
        assert!(refusal(&scene, 0.05).contains(expected), "{}", refusal(&scene, 0.05));
    }
    let mut fine = tank(Solver::named("wcsph").unwrap(), (Vec3::ZERO, Vec3::splat(0.01)), vec![good()]);
    fine.solids.of_mut::<Body>()[0].shape = BodyShape::Box { size: Vec3::new(0.9, 0.4, 0.9) };
    // 125,000 particles of water, beside which 64 for each of them and 65,536 more may represent solids.
    assert!(refusal(&fine, 2e-4).contains("at most 8065536 are supported"), "{}", refusal(&fine, 2e-4));
    let open = Mesh { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    assert!(BodyShape::of_mesh("open", open).unwrap_err().to_string().contains("not closed"));
    assert!(BodyShape::of_mesh("none", Mesh::default()).unwrap_err().to_string().contains("no triangles"));
}

#[test]
fn a_free_body_lighter_than_a_particle_is_named() {
    // A particle weighs 1,000 * 0.1³ = 1 kg.
    let block = (Vec3::ZERO, Vec3::new(1.0, 0.4, 1.0));
    let light = |density: f32| cube(0.1, density, Vec3::new(0.5, 0.7, 0.5));
    let held = Body { motion: Motion::Held, position: Vec3::new(0.8, 0.7, 0.8), ..light(100.0) };
    let heavy = cube(0.2, 500.0, Vec3::new(0.2, 0.7, 0.2));
    let lightest = |bodies: Vec<Body>| {
        let scene = tank(Solver::named("dfsph").unwrap(), block, bodies);
        simulation(&scene, 0.1).solid_lighter_than_a_particle()
    };
    let (number, mass) = lightest(vec![held.clone(), heavy.clone(), light(500.0)]).expect("a light body");
    assert!(number == 2 && (mass - 0.5).abs() < 1e-3, "body {number} of {mass} kg");
    assert_eq!(lightest(vec![held, heavy]), None);
}

#[test]
fn water_that_overlaps_a_body_is_left_out_with_a_notice() {
    let scene =
        tank(Solver::named("wcsph").unwrap(), (Vec3::ZERO, Vec3::ONE), vec![cube(0.4, 500.0, Vec3::splat(0.5))]);
    let simulation = simulation(&scene, 0.1);
    assert_eq!(simulation.resolution().particle_count, 1000 - 64);
    let expected = "64 of the 1000 particles of the fluid blocks were left out because bodies occupy their place";
    assert_eq!(simulation.notices(), [expected]);
}

/// All values of the particles and bodies, bit by bit.
fn bits(simulation: &Simulation) -> (Vec<[u32; 7]>, String) {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[u32; 4]> = read_buffer(&gpu(), particles.positions, count).unwrap();
    let velocities: Vec<[u32; 4]> = read_buffer(&gpu(), particles.velocities, count).unwrap();
    let both = positions.iter().zip(velocities);
    let words = both.map(|(&[x, y, z, _], [u, v, w, index])| [x, y, z, u, v, w, index]).collect();
    (words, format!("{:?}", states(simulation)))
}

#[test]
fn bodies_resume_from_a_state_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bodies.state");
    for solver in [Solver::named("wcsph").unwrap(), Solver::named("pbf").unwrap()] {
        // Two bodies that touch, so that contacts are part of the state, and one with a prescribed motion.
        let bodies = vec![
            cube(0.3, 2000.0, Vec3::new(0.5, 0.15, 0.5)),
            cube(0.2, 700.0, Vec3::new(0.5, 0.4, 0.5)),
            Body {
                motion: Motion::Sway { to: Vec3::new(0.15, 0.5, 0.5), period: 1.0 },
                ..body(BodyShape::Box { size: Vec3::new(0.1, 1.0, 1.0) }, 1000.0, Vec3::new(0.05, 0.5, 0.5))
            },
        ];
        let mut scene = tank(solver, (Vec3::new(0.1, 0.0, 0.0), Vec3::new(1.0, 0.4, 1.0)), bodies);
        scene.name = "bodies".into();
        let settings = Settings { search: search_named("green").unwrap(), ..settings(0.1) };
        let start = || Simulation::new(&gpu(), &scene, &settings).unwrap();
        let added = body(BodyShape::Sphere { radius: 0.1 }, 400.0, Vec3::new(0.6, 0.8, 0.6));
        let first_half = |simulation: &mut Simulation| {
            steps(simulation, 30);
            assert_eq!(simulation.add_body(&added).unwrap(), 3);
            steps(simulation, 30);
        };
        let mut whole = start();
        first_half(&mut whole);
        let halfway = bits(&whole);
        steps(&mut whole, 40);

        let mut first = start();
        first_half(&mut first);
        first.save_state().unwrap().write(&file).unwrap();
        drop(first);
        let saved = SavedState::read(&file).unwrap();
        let mut second = start();
        assert_eq!(second.load_state(&saved).unwrap(), Continuation::Exact);
        assert!(bits(&second) == halfway, "{}: the loaded state differs", solver.name());
        steps(&mut second, 40);
        assert_ne!(bits(&second), halfway);
        assert!(bits(&second) == bits(&whole), "{}: the runs differ", solver.name());
    }
}

/// The app keeps a simulation in a resource, so it must be `Send`.
const fn is_send<T: Send>() {}
const _: () = is_send::<Simulation>();

#[test]
fn bodies_are_picked_dragged_dropped_and_thrown() {
    let scene = tank(
        Solver::named("wcsph").unwrap(),
        (Vec3::ZERO, Vec3::new(1.0, 0.4, 1.0)),
        vec![cube(0.2, 500.0, Vec3::new(0.3, 0.4, 0.5))],
    );
    let mut simulation = simulation(&scene, 0.0625);
    steps(&mut simulation, 50);

    assert_eq!(simulation.pick(Vec3::new(0.8, 2.0, 0.5), Vec3::NEG_Y), None);
    assert_eq!(simulation.pick(Vec3::ONE, Vec3::ZERO), None);
    let picked = simulation.pick(Vec3::new(0.32, 2.0, 0.5), Vec3::new(0.0, -3.0, 0.0)).unwrap();
    let state = states(&simulation)[0];
    assert_eq!(picked.body, 0);
    assert!(
        (picked.place.y - (state.position.y + 0.1)).abs() < 0.01 && (picked.distance + picked.place.y - 2.0) < 1e-5
    );
    let there = state.position + state.rotation * picked.point;
    assert!((there - picked.place).length() < 1e-5, "{picked:?}");

    // Dragged out of the water and held there.
    let target = Vec3::new(0.7, 0.8, 0.5);
    // A drag of a body that does not exist.
    simulation.drag_body(Some(Drag { body: 7, point: Vec3::ZERO, target }));
    simulation.drag_body(Some(Drag { body: 0, point: picked.point, target }));
    let start = simulation.time();
    run_to(&mut simulation, start + 0.9);
    let state = states(&simulation)[0];
    let held = state.position + state.rotation * picked.point;
    println!("held at {held}, dragged to {target}: {state:?}");
    // It hangs from a spring that gravity stretches.
    assert!((held - target).length() < 0.12, "{held}, {state:?}");

    let ball = |position| body(BodyShape::Sphere { radius: 0.1 }, 300.0, position);
    let count = simulation.resolution().boundary_count;
    let refusal = |simulation: &mut Simulation, body: &Body| simulation.add_body(body).unwrap_err().to_string();
    assert!(refusal(&mut simulation, &ball(Vec3::new(0.2, 0.2, 0.5))).contains("inside the water"));
    assert!(refusal(&mut simulation, &ball(Vec3::new(0.2, 1.2, 0.5))).contains("tank"));
    assert!(refusal(&mut simulation, &ball(state.position)).contains("overlaps bodies[0]"));
    let wall = Body { motion: Motion::Turn { rate: Vec3::X }, ..ball(Vec3::new(0.2, 0.8, 0.2)) };
    assert!(refusal(&mut simulation, &wall).contains("only free and held bodies can be added"));
    let fast = Body { velocity: Vec3::new(0.0, -100.0, 0.0), ..ball(Vec3::new(0.2, 0.8, 0.2)) };
    assert!(refusal(&mut simulation, &fast).contains("thrown at 100.000 m/s"));
    assert_eq!(simulation.resolution().boundary_count, count);

    let before = fluid(&simulation).len();
    assert_eq!(simulation.add_body(&ball(Vec3::new(0.2, 0.8, 0.2))).unwrap(), 1);
    let thrown = Body { velocity: Vec3::new(1.5, -1.5, 0.0), ..ball(Vec3::ZERO) };
    assert_eq!(simulation.throw_body(&thrown, Vec3::new(-0.5, 1.5, 0.75)).unwrap(), 2);
    let nowhere = simulation.throw_body(&thrown, Vec3::new(2.0, 1.5, 0.75)).unwrap_err().to_string();
    assert!(nowhere.contains("no free space for the body"), "{nowhere}");
    let state = states(&simulation)[2];
    assert!(
        state.position.min_element() > 0.0999 && (state.position.x + state.position.y - 1.0).abs() < 1e-4,
        "{state:?}"
    );
    let start = simulation.time();
    run_to(&mut simulation, start + 0.4);
    let found = states(&simulation);
    println!("{found:?}");
    assert_eq!((found.len(), fluid(&simulation).len()), (3, before));
    assert!(found[1].position.y < 0.6 && found[2].position.x > 0.3, "{found:?}");
    assert!(found.iter().all(|state| state.position.is_finite() && state.position.min_element() > 0.0), "{found:?}");

    // A change of the search keeps them, and a restart of the scene does not.
    let green = Settings { search: search_named("green").unwrap(), ..simulation.settings().clone() };
    simulation.change(&green).unwrap();
    assert_eq!(states(&simulation), found);
    steps(&mut simulation, 10);
    simulation.reset().unwrap();
    let again = states(&simulation);
    assert_eq!((again.len(), again[0].position), (1, Vec3::new(0.3, 0.4, 0.5)));
}

#[test]
fn probes_read_bodies() {
    let thrown = Body {
        velocity: Vec3::new(1.0, 2.0, 3.0),
        rotation: Vec3::new(10.0, 20.0, 30.0),
        ..cube(0.2, 500.0, Vec3::new(0.5, 0.7, 0.4))
    };
    let mut scene = tank(Solver::named("wcsph").unwrap(), (Vec3::ZERO, Vec3::new(1.0, 0.3, 1.0)), vec![thrown]);
    let probes = [
        "BodyPosition(name: \"cube\", body: 0)",
        "BodyRotation(name: \"turn\", body: 0)",
        "BodyVelocity(name: \"speed\", body: 0)",
        "BodyForce(name: \"force\", body: 0)",
        "Momentum",
    ];
    scene.probes = probes.map(|probe| Probe::parse(probe).unwrap()).to_vec();
    let heads: Vec<_> = scene.probe_columns().iter().map(ProbeColumn::head).collect();
    assert_eq!((heads[0].as_str(), heads[8].as_str(), heads.len()), ("cube_x_m", "speed_z_m_per_s", 15));
    let simulation = simulation(&scene, 0.1);
    let readings = simulation.readings(&simulation.observe().unwrap()).unwrap();
    let expected = [0.5, 0.7, 0.4, 10.0, 20.0, 30.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 8.0, 12.0];
    for (reading, expected) in readings.iter().zip(expected) {
        assert!((reading.unwrap() - expected).abs() < 1e-4, "{readings:?}");
    }
    scene.probes = vec![Probe::parse("BodyForce(name: \"cube\", body: 1)").unwrap()];
    let error = Simulation::new(&gpu(), &scene, &settings(0.1)).err().unwrap().to_string();
    assert!(error.contains("probes[0]") && error.contains("one of the scene's bodies"), "{error}");
}

#[test]
fn a_moving_wall_pushes_the_water() {
    for solver in [Solver::named("wcsph").unwrap(), Solver::named("pbf").unwrap()] {
        let piston = Body {
            motion: Motion::Shuttle { to: Vec3::new(0.4, 0.5, 0.5), speed: 0.5 },
            ..body(BodyShape::Box { size: Vec3::new(0.2, 1.0, 1.0) }, 1000.0, Vec3::new(0.1, 0.5, 0.5))
        };
        let scene = tank(solver, (Vec3::new(0.2, 0.0, 0.0), Vec3::new(1.0, 0.4, 1.0)), vec![piston]);
        let mut simulation = simulation(&scene, 0.05);
        run_to(&mut simulation, 0.5);
        let time = simulation.time();
        let state = states(&simulation)[0];
        let expected = 0.1 + (0.5 * time) as f32;
        assert!((state.position.x - expected).abs() < 1e-4, "{}: {state:?} at {time}", solver.name());
        let particles = fluid(&simulation);
        let behind = particles.iter().filter(|(position, _)| position.x < expected).count();
        let highest = particles.iter().map(|(position, _)| position.y).fold(0.0, f32::max);
        println!("{}: {behind} behind, highest {highest}, {state:?}", solver.name());
        assert!(behind == 0, "{}: {behind} particles passed", solver.name());
        // A third of the space is gone, so the water is half as high again.
        assert!(highest > 0.5, "{}: {highest}", solver.name());
        assert!(state.force.x < -100.0, "{}: {state:?}", solver.name());
    }
}

#[test]
fn colors_tell_floating_bodies_from_what_the_scene_moves() {
    let scene = Scene::load("wave_maker").expect("it ships with the program");
    let simulation = Simulation::new(&gpu(), &scene, &Settings::with_particles(600)).expect("it fits");
    let (look, drawn) = depict(&simulation, Depiction::default());
    let colors: Vec<Vec3> = drawn.solids.iter().map(|solid| solid.color).collect();
    // A beach of two parts, the board, and the buoy, which water moves.
    let [beach, _, board, buoy] = colors[..] else { panic!("{} solids", colors.len()) };
    assert_eq!(buoy, body_color(0, look.field));
    let vividness = |color: Vec3| color.max_element() / color.min_element();
    assert!(vividness(board) < 1.5 && vividness(beach) < 2.0 && vividness(buoy) > 3.0, "{colors:?}");
    assert!(board.element_sum() < 0.7 * beach.element_sum(), "the board is darker than the beach: {colors:?}");
}

#[test]
fn every_scene_with_bodies_runs_with_every_solver() {
    let scenes: Vec<_> = Scene::names().into_iter().map(|name| Scene::load(name).unwrap()).collect();
    let with_bodies: Vec<_> = scenes.iter().filter(|scene| !scene.solids.of::<Body>().is_empty()).collect();
    assert!(with_bodies.len() >= 3, "{} scenes have bodies", with_bodies.len());
    for scene in with_bodies {
        for solver in Solver::all() {
            let mut settings = Settings { size: Size::Count(1000), ..settings(1.0) };
            settings.edits.solver = Some(solver);
            let mut simulation = Simulation::new(&gpu(), scene, &settings).unwrap_or_else(|error| panic!("{error}"));
            steps(&mut simulation, 60);
            let name = format!("{} {}", scene.name, solver.name());
            println!("{name}: {:?}", states(&simulation).iter().map(|state| state.velocity).collect::<Vec<_>>());
            for view in simulation.bodies().filter(|view| view.body.is_free()) {
                let places =
                    view.surface.vertices.iter().map(|&vertex| view.state.position + view.state.rotation * vertex);
                let slack = 0.01 * (scene.high - scene.low).max_element();
                for place in places {
                    let is_in_tank = place.cmpge(scene.low - slack) & place.cmple(scene.high + slack);
                    assert!(is_in_tank.all(), "{name}: {place} is outside the tank: {:?}", view.state);
                }
                assert!(view.state.velocity.length() < 10.0, "{name}: {:?}", view.state);
            }
            assert!(fluid(&simulation).iter().all(|(position, _)| position.is_finite()), "{name}");
        }
    }
}

/// A closed mesh of several boxes, each given by its corners.
fn boxes(corners: &[[Vec3; 2]]) -> Mesh {
    let mut whole = Mesh::default();
    for &[low, high] in corners {
        let first = whole.vertices.len() as u32;
        let part = Mesh::cuboid(low, high);
        whole.vertices.extend(part.vertices);
        whole.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    }
    whole
}

/// Moved by the program, a held body has the velocity of its way, arrives in time, pushes the water, and is never
/// faster than walls may be.
#[test]
fn a_held_body_follows_the_program_and_pushes_the_water() {
    let held = |position| Body {
        motion: Motion::Held,
        ..body(BodyShape::Box { size: Vec3::new(0.2, 0.6, 0.98) }, 1000.0, position)
    };
    let start = Vec3::new(0.2, 0.3, 0.5);
    let free = cube(0.15, 500.0, Vec3::new(0.8, 0.8, 0.5));
    let block = (Vec3::new(0.3, 0.0, 0.0), Vec3::new(1.0, 0.4, 1.0));
    let scene = tank(Solver::named("wcsph").unwrap(), block, vec![held(start), free]);
    let mut simulation = simulation(&scene, 0.05);
    steps(&mut simulation, 5);
    assert!(states(&simulation)[0].velocity == Vec3::ZERO && states(&simulation)[0].position == start);

    let (to, turned, within) = (start + Vec3::new(0.1, 0.02, 0.0), glam::Quat::from_rotation_y(0.3), 0.2);
    simulation.move_body(0, (to, turned), within).unwrap();
    let begun = simulation.time();
    run_to(&mut simulation, begun + 0.5 * within);
    let half = states(&simulation)[0];
    let share = ((simulation.time() - begun) / within) as f32;
    assert!(
        half.position.distance(start.lerp(to, share)) < 1e-4,
        "after {share} of its way it is at {}",
        half.position
    );
    let velocity = (to - start) / within as f32;
    assert!(half.velocity.distance(velocity) < 0.01, "its velocity is {}, and not {velocity}", half.velocity);
    assert!((half.angular_velocity.y - 0.3 / within as f32).abs() < 0.02, "it turns at {}", half.angular_velocity);
    let water = fluid(&simulation);
    let before: Vec<_> = water.iter().filter(|(place, _)| place.x < 0.5).map(|(_, velocity)| velocity.x).collect();
    let mean = before.iter().sum::<f32>() / before.len() as f32;
    assert!(mean > 0.2 * velocity.x, "the water before it moves at {mean} m/s on average");
    run_to(&mut simulation, begun + within + 0.02);
    let end = states(&simulation)[0];
    assert!(end.position.distance(to) < 1e-5 && end.rotation.angle_between(turned) < 2e-3, "it arrives at {end:?}");
    assert!(end.velocity.length() < 1e-3, "it goes on at {}", end.velocity);

    let fastest = simulation.fastest_motion() as f32;
    simulation.move_body(0, (start, turned), 1e-6).unwrap();
    steps(&mut simulation, 1);
    let speed = states(&simulation)[0].velocity.length();
    assert!((speed / fastest - 1.0).abs() < 0.01, "it is told to be everywhere at once, and moves at {speed} m/s");
    for (number, place) in [(1, start), (2, start), (0, Vec3::NAN)] {
        let error = simulation.move_body(number, (place, turned), 0.1).expect_err("it cannot be moved");
        assert!(error.to_string().contains("cannot be moved"), "{error}");
    }
    simulation.reset().unwrap();
    steps(&mut simulation, 3);
    assert!(states(&simulation)[0].position == start, "a reset does not end the motion");
}

/// A ball falls into a held bowl, and not onto its convex hull.
#[test]
fn a_held_mesh_is_met_by_its_surface() {
    let bowl = boxes(&[
        [Vec3::new(-0.25, 0.0, -0.25), Vec3::new(0.25, 0.1, 0.25)],
        [Vec3::new(-0.25, 0.1, -0.25), Vec3::new(-0.15, 0.4, 0.25)],
        [Vec3::new(0.15, 0.1, -0.25), Vec3::new(0.25, 0.4, 0.25)],
        [Vec3::new(-0.15, 0.1, -0.25), Vec3::new(0.15, 0.4, -0.15)],
        [Vec3::new(-0.15, 0.1, 0.15), Vec3::new(0.15, 0.4, 0.25)],
    ]);
    let shape = BodyShape::of_mesh("bowl", bowl).unwrap();
    // The mesh is centered at its center of mass.
    let foot = -shape.surface().bounds().0.y;
    let held = Body { motion: Motion::Held, ..body(shape, 1000.0, Vec3::new(0.5, foot, 0.5)) };
    let ball = body(BodyShape::Sphere { radius: 0.08 }, 3000.0, Vec3::new(0.5, 0.6, 0.5));
    let block = (Vec3::ZERO, Vec3::new(0.2, 0.1, 1.0));
    let mut simulation = simulation(&tank(Solver::named("wcsph").unwrap(), block, vec![held, ball]), 0.05);
    run_to(&mut simulation, 0.8);
    let height = states(&simulation)[1].position.y;
    assert!((height - 0.18).abs() < 0.02, "the ball rests at {height} m, and the bowl's floor is at 0.1 m");
}
