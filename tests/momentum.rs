//! Momentum of the water: it changes by its weight and by the forces that probes read on all sides of the box and on
//! solids, whatever the solver and whatever happens at the walls.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
#[path = "tank/free_body.rs"]
mod free_body;
mod tank;

use common::gpu;
use free_body::body;
use glam::{DVec3, Vec3};
use nearwater::fluid::{
    Body, BodyShape, BodyState, Boundary, Dimensions, Face, Probe, Scene, SceneEdits, Settings, Simulation, Size,
    SmoothingKernel, Solver,
};
use nearwater::search::{SearchOptions, search_named};
use tank::water_tank;

/// The solvers and their modes.
const SOLVERS: [(&str, &str); 6] = [
    ("wcsph", "wcsph.accurate=0"),
    ("wcsph", "wcsph.accurate=1"),
    ("wcsph", "continuity"),
    ("pbf", "pbf.corrected=1"),
    ("pbf", "pbf.corrected=0"),
    ("dfsph", "dfsph.corrected=1"),
];

/// The largest share of the exchanged momentum that may be missing. All are exact to the rounding of single floats,
/// 1e-6.
const MISSING: f64 = 1e-5;

/// The scene with this solver, and probes on all that the water touches.
fn with_solver(mut scene: Scene, (solver, setting): (&str, &str)) -> Scene {
    scene.solver = Solver::named(solver).unwrap();
    if setting == "continuity" {
        scene.material.density = nearwater::fluid::Density::Continuity { diffusion: 0.1 };
    } else {
        scene.solver_settings.parse(setting).unwrap();
    }
    let sides = Face::of(scene.dimensions).map(|face| format!("Force(name: \"{face}\", on: \"{face}\")"));
    let solids = (0..scene.solids.of::<Boundary>().len())
        .map(|number| format!("Force(name: \"solid{number}\", on: \"boundaries[{number}]\")"));
    let bodies = (0..scene.solids.of::<Body>().len())
        .map(|number| format!("Force(name: \"body{number}\", on: \"bodies[{number}]\")"));
    let texts = std::iter::once("Momentum".to_owned()).chain(sides).chain(solids).chain(bodies);
    scene.probes = texts.map(|text| Probe::parse(&text).unwrap()).collect();
    scene
}

fn started(scene: &Scene, search: &str, spacing: f32) -> Simulation {
    let settings = Settings {
        search: search_named(search).unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(scene.radius_ratio() * spacing),
        seed: 7,
        edits: SceneEdits::default(),
    };
    Simulation::new(&gpu(), scene, &settings).unwrap()
}

/// What is exchanged and what is missing up to a time.
struct Balance {
    /// The change of the momentum that forces and weight do not explain, kg m/s.
    missing: DVec3,
    /// The sum of the impulses of all forces and of the weight, each by its length, kg m/s.
    exchanged: f64,
    /// The impulses of the forces on the sides and on solids, in the order of the probes, kg m/s.
    impulses: Vec<DVec3>,
}

fn states(simulation: &Simulation) -> Vec<BodyState> {
    simulation.bodies().map(|view| view.state).collect()
}

/// Momentum of the bodies, kg m/s.
fn of_bodies(simulation: &Simulation) -> DVec3 {
    states(simulation).iter().map(|state| f64::from(state.mass) * state.velocity.as_dvec3()).sum()
}

/// Steps to a time, s, and reads all probes after each step. The balance is that of the water alone: the momentum of
/// bodies, which `Momentum` includes, also changes by their weight and by contacts with walls.
fn balance(simulation: &mut Simulation, until: f64, mut before_step: impl FnMut(&mut Simulation)) -> Balance {
    let read = |simulation: &Simulation| -> Vec<Option<DVec3>> {
        let row = simulation.readings(&simulation.observe().unwrap()).unwrap();
        let mut row: Vec<_> =
            row.chunks(3).map(|vector| Some(DVec3::new(vector[0]?, vector[1]?, vector[2]?))).collect();
        row[0] = row[0].map(|momentum| momentum - of_bodies(simulation));
        row
    };
    let mass = f64::from(simulation.resolution().particle_count) * f64::from(simulation.resolution().particle_mass);
    let weight = mass * simulation.scene().gravity.as_dvec3();
    let step = f64::from(simulation.resolution().time_step);
    let start = read(simulation);
    assert!(start[1..].iter().all(Option::is_none), "there is a force before the first step");
    let first = start[0].unwrap();
    let (mut impulses, mut exchanged, mut now) = (vec![DVec3::ZERO; start.len() - 1], 0.0, first);
    while simulation.time() < until {
        before_step(simulation);
        gpu().submit(|encoder| simulation.record_step(encoder, None));
        gpu().wait().unwrap();
        let row: Vec<_> = read(simulation).into_iter().map(|reading| reading.expect("a reading")).collect();
        now = row[0];
        impulses.iter_mut().zip(&row[1..]).for_each(|(impulse, force)| *impulse += step * force);
        exchanged += step * (weight.length() + row[1..].iter().map(|force| force.length()).sum::<f64>());
    }
    let missing = now - first - weight * simulation.time() + impulses.iter().sum::<DVec3>();
    Balance { missing, exchanged, impulses }
}

fn assert_closed(balance: &Balance, (solver, setting): (&str, &str), what: &str) {
    let share = balance.missing.length() / balance.exchanged;
    println!("{what}, {solver} {setting}: {share:.2e} is missing, impulses {:.3?}", balance.impulses);
    assert!(share < MISSING, "{what}, {solver} {setting}: {} of {}", balance.missing, balance.exchanged);
}

/// A block of water, 0.4 m wide, that falls into a corner of a box of 1 m.
fn falling(dimensions: Dimensions) -> Scene {
    let mut scene = water_tank(Solver::named("wcsph").unwrap(), (Vec3::new(0.0, 0.2, 0.3), Vec3::new(0.4, 0.5, 0.7)));
    scene.dimensions = dimensions;
    scene.high.y = 1.0;
    scene.material.viscosity = 0.0;
    scene
}

#[test]
fn water_that_falls_and_spreads_gives_its_momentum_to_walls_that_read_it() {
    for (dimensions, spacing) in [(Dimensions::Two, 0.025), (Dimensions::Three, 0.05)] {
        for solver in SOLVERS {
            let scene = with_solver(falling(dimensions), solver);
            let mut simulation = started(&scene, "hoetzlein", spacing);
            let balance = balance(&mut simulation, 0.5, |_| ());
            assert_closed(&balance, solver, &format!("{dimensions:?}"));
            let floor = balance.impulses[2].y;
            assert!(floor < -0.3 * balance.exchanged, "{solver:?}: the floor got {floor} of {}", balance.exchanged);
        }
    }
}

#[test]
fn friction_along_walls_is_read_as_their_force() {
    type Friction = (&'static str, fn(&mut Scene));
    let frictions: [Friction; 3] = [
        ("skin friction", |scene| scene.material.skin_friction = 0.05),
        ("one stage of viscosity", |scene| scene.material.kinematic_viscosity = 0.002),
        ("many stages of viscosity", |scene| scene.material.kinematic_viscosity = 0.2),
    ];
    for (name, friction) in frictions {
        for solver in SOLVERS {
            let (low, high) = (Vec3::ZERO, Vec3::new(1.0, 0.3, 1.0));
            let mut scene = water_tank(Solver::named(solver.0).unwrap(), (low, high));
            scene.dimensions = Dimensions::Two;
            scene.material.viscosity = 0.0;
            scene.material.no_slip = 1.0;
            scene.gravity.x = 2.0;
            friction(&mut scene);
            let mut simulation = started(&with_solver(scene, solver), "hoetzlein", 0.05);
            let balance = balance(&mut simulation, 0.3, |_| ());
            assert_closed(&balance, solver, name);
            let along = balance.impulses[2].x;
            assert!(along > 0.0, "{name}, {solver:?}: the floor is not dragged along, {along}");
        }
    }
}

#[test]
fn moving_walls_and_solids_exchange_what_they_read() {
    for solver in SOLVERS {
        let mut scene = falling(Dimensions::Two);
        scene.blocks[0].low.y = 0.0;
        let block = Boundary::Box { low: Vec3::new(0.5, 0.0, -0.5), high: Vec3::new(0.7, 0.15, 1.5) };
        scene.solids.set(vec![block]);
        let mut simulation = started(&with_solver(scene, solver), "hoetzlein", 0.025);
        let left = Face { axis: 0, is_high: false };
        simulation.move_wall(left, 0.1).unwrap();
        let balance = balance(&mut simulation, 0.4, |_| ());
        assert!(simulation.wall_inset(left) > 0.02, "the wall has not moved");
        assert_closed(&balance, solver, "moving wall");
    }
}

/// A box of 0.15 m that is half as heavy as water.
fn floating_box(position: Vec3) -> Body {
    body(BodyShape::Box { size: Vec3::splat(0.15) }, 500.0, position)
}

#[test]
fn a_body_and_the_walls_share_the_momentum_of_the_water() {
    for solver in SOLVERS {
        let mut scene = falling(Dimensions::Two);
        scene.solids.set(vec![floating_box(Vec3::new(0.6, 0.1, 0.5))]);
        let mut simulation = started(&with_solver(scene, solver), "hoetzlein", 0.025);
        let balance = balance(&mut simulation, 0.5, |_| ());
        assert_closed(&balance, solver, "body");
        let pushed = balance.impulses.last().unwrap().x;
        assert!(pushed > 0.0, "{solver:?}: the water does not push the body, {pushed}");
    }
}

/// What a probe reads as the force on a body, and of which the water feels the opposite, is what moves the body.
#[test]
fn a_body_that_touches_no_wall_moves_by_its_weight_and_the_force_that_is_read() {
    for solver in SOLVERS {
        let mut scene = falling(Dimensions::Two);
        let thrown = Body { velocity: Vec3::new(0.1, -1.0, 0.0), ..floating_box(Vec3::new(0.25, 0.62, 0.5)) };
        scene.solids.set(vec![thrown]);
        let gravity = scene.gravity.as_dvec3();
        let mut simulation = started(&with_solver(scene, solver), "hoetzlein", 0.025);
        let before = of_bodies(&simulation);
        let balance = balance(&mut simulation, 0.35, |simulation| {
            let place = states(simulation)[0].position;
            assert!(place.min_element() > 0.11 && place.x < 0.89, "{solver:?}: the box is near a wall at {place}");
        });
        assert_closed(&balance, solver, "thrown body");
        let force = *balance.impulses.last().unwrap();
        let weight = f64::from(states(&simulation)[0].mass) * gravity * simulation.time();
        let missing = of_bodies(&simulation) - before - weight - force;
        println!("{solver:?}: {missing} of {force} is missing in the motion of the body");
        // Rapier rounds the velocity in each step: 7e-6 at most.
        assert!(missing.length() < 3e-5 * force.length(), "{solver:?}: {missing} of {force}");
        assert!(force.y > 0.5 * weight.length(), "{solver:?}: the water does not bear the box, {force}");
    }
}

/// Searches whose workgroups add up sums, and one that gathers them.
#[test]
fn forces_are_the_same_with_every_way_to_sum_up() {
    for solver in SOLVERS {
        for search in ["fenns", "claws", "brute_force"] {
            let mut scene = falling(Dimensions::Three);
            scene.material.no_slip = 1.0;
            scene.material.kinematic_viscosity = 0.05;
            let scene = with_solver(scene, solver);
            let mut simulation = started(&scene, search, 0.1);
            assert_closed(&balance(&mut simulation, 0.3, |_| ()), solver, search);
        }
    }
}

#[test]
fn still_water_presses_on_the_floor_with_its_weight() {
    for solver in SOLVERS {
        let mut scene = water_tank(Solver::named(solver.0).unwrap(), (Vec3::ZERO, Vec3::new(1.0, 0.4, 1.0)));
        scene.dimensions = Dimensions::Two;
        scene.material.kinematic_viscosity = 0.05;
        let mut simulation = started(&with_solver(scene, solver), "hoetzlein", 0.05);
        let balance = balance(&mut simulation, 1.0, |_| ());
        assert_closed(&balance, solver, "at rest");
        let share = -2.0 * balance.impulses[2].y / balance.exchanged;
        assert!((0.6..1.05).contains(&share), "{solver:?}: {share} of the weight");
    }
}
