//! The contact of single drops with solids: none passes, none is thrown back, and what they lose the solid gains.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
#[path = "common/fluid_particles.rs"]
mod fluid_particles;

use common::gpu;
use fluid_particles::fluid;
use glam::{DVec3, Vec3};
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions, search_named};

const SPACING: f32 = 0.1;
/// Speed with which the drops are thrown, m/s.
const SPEED: f32 = 6.0;
/// Places of the drops on the threads between which they fall, m: none is above a particle of the solid or in the
/// middle of four.
const PLACES: [f32; 3] = [-0.63, 0.04, 0.71];

/// The height of a place above the surface of a solid, m.
type Above = fn(Vec3, &Simulation) -> f32;

/// What the drops fall on: a plate from wall to wall, a ball, a plate that comes towards them, or a cloth.
const SOLIDS: [(&str, Above); 4] = [
    ("boundaries: [Box(low: (-1.2, 0.2, -1.2), high: (1.2, 0.5, 1.2))],", |place, _| place.y - 0.5),
    ("boundaries: [Sphere(center: (0.0, -1.5, 0.0), radius: 2.0)],", |place, _| {
        place.distance(Vec3::new(0.0, -1.5, 0.0)) - 2.0
    }),
    (
        "bodies: [(shape: Box(size: (2.4, 0.3, 2.4)), density: 500.0, position: (0.0, 0.35, 0.0),
            motion: Shuttle(to: (0.0, 1.05, 0.0), speed: 2.0))],",
        |place, simulation| place.y - simulation.bodies().next().unwrap().state.position.y - 0.15,
    ),
    (
        // It gives way to the drops by less than this.
        "cloths: [(corner: (-1.2, 0.5, -1.2), along: (2.4, 0.0, 0.0), across: (0.0, 0.0, 2.4), density: 120.0,
            stretch: 9000.0, shear: 3000.0, bend: 50.0, pinned: [Left, Right, Near, Far])],",
        |place, _| place.y - 0.4,
    ),
];

/// Nine drops of a particle each, without order, that fly down, without gravity.
fn drops(solids: &str, ratio: f32) -> Scene {
    let drop = |number: usize| {
        let (x, z) = (PLACES[number % 3], PLACES[number / 3] + 0.013 * number as f32);
        let (low, high) = (Vec3::new(x, 1.2, z), Vec3::new(x, 1.2, z) + 1.02 * SPACING);
        format!(
            "(low: ({}, {}, {}), high: ({}, {}, {}), velocity: (0.0, -{SPEED}, 0.0)),",
            low.x, low.y, low.z, high.x, high.y, high.z
        )
    };
    let blocks: String = (0..9).map(drop).collect();
    let text = format!(
        "(title: \"\", description: \"\", low: (-1.2, -0.5, -1.2), high: (1.2, 2.0, 1.2), blocks: [{blocks}], {solids}
        gravity: (0.0, 0.0, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.05, radius_ratio: {ratio}),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
    );
    Scene::parse("drops.ron", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn simulation(scene: &Scene, search: &'static SearchInfo) -> Simulation {
    let settings = Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(scene.radius_ratio() * SPACING),
        seed: 7,
        edits: SceneEdits::default(),
    };
    Simulation::new(&gpu(), scene, &settings).unwrap_or_else(|error| panic!("{error}"))
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time {
        gpu().submit(|encoder| (0..20).for_each(|_| simulation.record_step(encoder, None)));
        gpu().wait().unwrap();
    }
}

#[test]
fn no_drop_passes_a_solid_or_is_thrown_back() {
    let search = search_named("hoetzlein").unwrap();
    for (solids, above) in SOLIDS {
        let modes = Solver::fluids().flat_map(|solver| [(solver, 2.2, "0"), (solver, 3.0, "0")]);
        for (solver, ratio, accurate) in modes.chain([(Solver::named("wcsph").unwrap(), 3.0, "1")]) {
            let mut scene = drops(solids, ratio);
            scene.solver = solver;
            scene.solver_settings.parse(&format!("wcsph.accurate={accurate}")).unwrap();
            let mut simulation = simulation(&scene, search);
            assert_eq!(fluid(&simulation).len(), 9);
            run_to(&mut simulation, 0.3);
            let after = fluid(&simulation);
            let lowest = after.iter().map(|(place, _)| above(*place, &simulation)).fold(f32::INFINITY, f32::min);
            let upwards = after.iter().map(|(_, velocity)| velocity.y).fold(0.0, f32::max);
            let slowest = after.iter().map(|(_, velocity)| velocity.y).fold(f32::INFINITY, f32::min);
            println!(
                "{}, ratio {ratio}, {solids:.20}: {lowest} m above it, {slowest} to {upwards} m/s upwards",
                solver.name()
            );
            // A drop that touches a surface may be drawn in it, but not below it.
            assert!(lowest > -0.3 * SPACING, "{}, ratio {ratio}: a drop is {} m in {solids}", solver.name(), -lowest);
            // In the accurate mode, which integrates densities, drops are elastic.
            if accurate == "1" {
                continue;
            }
            let of_solid = if solids.contains("Shuttle") { 2.0 } else { 0.0 };
            // Drops glide along the ball without friction, and its particles are a little uneven.
            let uneven = if solids.contains("Sphere") { 0.12 } else { 0.05 };
            assert!(
                upwards < of_solid + uneven * SPEED,
                "{}, ratio {ratio}: thrown back at {upwards} m/s by {solids}",
                solver.name()
            );
            // What the moving plate has stopped moves as the plate does; from the ball, drops glide off.
            assert!(
                slowest > of_solid - 0.05 || solids.contains("Sphere"),
                "{}, ratio {ratio}: a drop moves at {slowest} m/s on {solids}",
                solver.name()
            );
        }
    }
}

#[test]
fn no_drop_passes_a_solid_with_any_search() {
    let (solids, above) = SOLIDS[0];
    for search in SEARCHES {
        let mut simulation = simulation(&drops(solids, 2.2), search);
        run_to(&mut simulation, 0.3);
        let heights = fluid(&simulation).into_iter().map(|(place, _)| above(place, &simulation));
        let lowest = heights.fold(f32::INFINITY, f32::min);
        assert!(lowest > -0.3 * SPACING, "{}: a drop is {} m in the plate", search.name, -lowest);
    }
}

#[test]
fn a_free_body_gains_the_momentum_that_drops_lose() {
    let raft = "bodies: [(shape: Box(size: (2.0, 0.3, 2.0)), density: 50.0, position: (0.0, 0.5, 0.0))],";
    for solver in Solver::fluids() {
        let mut scene = drops(raft, 2.2);
        scene.solver = solver;
        // Far from the floor.
        scene.low.y = -4.0;
        let mut simulation = simulation(&scene, search_named("hoetzlein").unwrap());
        run_to(&mut simulation, 0.3);
        let mass = f64::from(simulation.resolution().particle_mass);
        let thrown = 9.0 * mass * f64::from(SPEED);
        let after = fluid(&simulation);
        let of_drops: DVec3 = mass * after.iter().map(|(_, velocity)| velocity.as_dvec3()).sum::<DVec3>();
        let raft = simulation.bodies().next().unwrap().state;
        let of_raft = f64::from(raft.mass) * raft.velocity.as_dvec3();
        println!("{}: {of_drops} and {of_raft} of {thrown} kg m/s", solver.name());
        let lost = of_drops + of_raft + DVec3::new(0.0, thrown, 0.0);
        assert!(lost.length() < 1e-4 * thrown, "{}: {lost} of {thrown} kg m/s are lost", solver.name());
        // All of them have been stopped, since nothing is in their way but the raft.
        assert!(-of_raft.y > 0.6 * thrown, "{}: the raft has {of_raft} of {thrown} kg m/s", solver.name());
    }
}
