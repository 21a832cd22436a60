//! Probes as instruments: forces, moments and pressures on solids and sides of the box against what physics says they
//! are.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
mod tank;

use std::ops::Range;

use common::gpu;
use glam::{DVec3, Vec3};
use nearwater::fluid::{
    Boundary, Dimensions, Probe, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver,
};
use nearwater::search::{SearchOptions, search_named};
use tank::water_tank;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Height of the water's surface, m.
const LEVEL: f32 = 0.9;

/// The solvers, and the accurate mode of WCSPH.
const SOLVERS: [(&str, &str); 4] = [("wcsph", "0"), ("wcsph", "1"), ("pbf", "0"), ("dfsph", "0")];

/// Largest error of the lift of a block 8 spacings wide, as a fraction of the lift.
const LIFT: f64 = 0.035;

/// The forces on all sides that touch the water and on a block in it, in this order.
const FORCES: [&str; 4] = [
    "Force(name: \"left\", on: \"left\")",
    "Force(name: \"right\", on: \"right\")",
    "Force(name: \"floor\", on: \"bottom\")",
    "Force(name: \"block\", on: \"boundaries[0]\")",
];

fn settings(ratio: f32, spacing: f32) -> Settings {
    Settings {
        search: search_named("hoetzlein").unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(ratio * spacing),
        seed: 7,
        edits: SceneEdits::default(),
    }
}

fn probes(texts: &[&str]) -> Vec<Probe> {
    texts.iter().map(|text| Probe::parse(text).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Water in two dimensions in a tank 1 m wide, viscous enough to come to rest within seconds.
fn still_water((solver, accurate): (&str, &str), block: (Vec3, Vec3)) -> Scene {
    let mut scene = water_tank(Solver::named(solver).unwrap(), block);
    scene.dimensions = Dimensions::Two;
    scene.high.y = 1.1;
    scene.material.viscosity = 0.02;
    scene.material.kinematic_viscosity = 0.1;
    scene.material.radius_ratio = 2.6;
    scene.solver_settings.parse(&format!("wcsph.accurate={accurate}")).unwrap();
    scene.solver_settings.parse("pbf.substeps=8").unwrap();
    scene.solver_settings.parse("pbf.iterations=8").unwrap();
    scene
}

fn step(simulation: &mut Simulation, count: u64) {
    gpu().submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().unwrap();
}

fn read(simulation: &Simulation) -> Vec<f64> {
    let readings = simulation.readings(&simulation.observe().unwrap()).unwrap();
    readings.into_iter().map(|reading| reading.expect("a reading")).collect()
}

/// Means of the readings over the last fifth of `seconds`.
fn at_rest(simulation: &mut Simulation, seconds: f64) -> Vec<f64> {
    means(simulation, 0.8 * seconds..seconds)
}

/// Means of the readings over `times`, s, from every 20th step.
fn means(simulation: &mut Simulation, times: Range<f64>) -> Vec<f64> {
    let (mut sum, mut count) = (Vec::new(), 0.0);
    while simulation.time() < times.end {
        step(simulation, 20);
        if simulation.time() > times.start {
            let row = read(simulation);
            sum.resize(row.len(), 0.0);
            sum.iter_mut().zip(row).for_each(|(sum, reading)| *sum += reading);
            count += 1.0;
        }
    }
    sum.into_iter().map(|sum| sum / count).collect()
}

#[test]
fn a_submerged_block_is_lifted_by_the_weight_of_its_water_and_all_forces_bear_the_water() {
    let (low, high) = (Vec3::new(0.3, 0.3, -0.5), Vec3::new(0.7, 0.6, 1.5));
    for solver in SOLVERS {
        let mut scene = still_water(solver, (Vec3::ZERO, Vec3::new(1.0, LEVEL, 1.0)));
        scene.solids.set(vec![Boundary::Box { low, high }]);
        scene.probes = probes(&FORCES);
        scene.probes.extend(probes(&[
            "Moment(name: \"about\", on: \"boundaries[0]\", about: (0.7, 0.45, 0.0))",
            "Pressure(name: \"side\", at: (0.7, 0.45, 0.0), on: \"boundaries[0]\")",
            "Pressure(name: \"top\", at: (0.5, 0.6, 0.0), across: 0.2, on: \"boundaries[0]\")",
            "Pressure(name: \"under\", at: (0.5, 0.3, 0.0), across: 0.2, on: \"boundaries[0]\")",
        ]));
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(2.6, 0.05)).unwrap();
        let resolution = *simulation.resolution();
        let row = at_rest(&mut simulation, 3.0);
        let force = |number: usize| DVec3::new(row[3 * number], row[3 * number + 1], row[3 * number + 2]);
        let weight = f64::from(resolution.particle_count) * f64::from(resolution.particle_mass) * GRAVITY;
        let lift = 0.4 * 0.3 * DENSITY * GRAVITY;
        let block = force(3);
        let all = (0..4).map(force).sum::<DVec3>();
        // The surface is where all of the water and the block take it.
        let level = f64::from(resolution.particle_count) * f64::from(resolution.spacing).powi(2) + 0.12;
        let depth = |height: f64| (level - height) * DENSITY * GRAVITY;
        println!(
            "{solver:?}: lift {:.4}, all {:.5} {:.1e}, side {:.4}, top {:.4}, under {:.4}, moment {:.4}",
            block.y / lift,
            -all.y / weight,
            all.x / weight,
            row[15] / depth(0.45),
            row[16] / depth(0.6),
            row[17] / depth(0.3),
            row[14] / (-0.2 * lift),
        );
        assert!((block.y / lift - 1.0).abs() < 0.1, "{solver:?}: lifted by {} N/m, not {lift}", block.y);
        assert!(block.x.abs() < 0.02 * lift, "{solver:?}: {block}");
        assert!((all.y / weight + 1.0).abs() < 0.003 && all.x.abs() < 0.003 * weight, "{solver:?}: {all}, {weight}");
        // PBF's water of so few layers does not come to rest.
        let bound = if solver.0 == "pbf" { 0.1 } else { 0.04 };
        for (found, height) in [(row[15], 0.45), (row[16], 0.6), (row[17], 0.3)] {
            assert!((found / depth(height) - 1.0).abs() < bound, "{solver:?}: {found} Pa at {height} m");
        }
        // About a point 0.2 m right of its middle the lift turns it clockwise.
        assert!((row[14] / (-0.2 * lift) - 1.0).abs() < 0.1, "{solver:?}: {} N m/m", row[14]);
    }
}

#[test]
fn no_water_enters_a_block_that_floats_and_its_lift_is_that_of_its_draft() {
    let (low, high) = (Vec3::new(0.3, 0.55, -0.5), Vec3::new(0.7, 1.05, 1.5));
    // Wide kernels let water through a single layer of particles. The accurate mode is no narrower than 2.6.
    for (solver, ratio) in SOLVERS.into_iter().flat_map(|solver| [2.2, 3.0].map(|ratio| (solver, ratio))) {
        let mut scene = still_water(solver, (Vec3::ZERO, Vec3::new(1.0, LEVEL, 1.0)));
        scene.material.radius_ratio = ratio;
        scene.solids.set(vec![Boundary::Box { low, high }]);
        scene.probes = probes(&FORCES[3..]);
        let spacing = 0.05;
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(scene.radius_ratio(), spacing)).unwrap();
        // With wide kernels, PBF's particles still rearrange about once a second, and each time the lift changes by up
        // to 4 %. Its mean over six seconds is within 1 % of the mean over any other six.
        let times = if solver.0 == "pbf" { 2.0..8.0 } else { 3.2..4.0 };
        let lift = means(&mut simulation, times)[1];
        let frame = simulation.observe().unwrap();
        let is_inside = |&&[x, y, _]: &&[f32; 3]| (0.32..0.68).contains(&x) && y > 0.57;
        let inside = frame.positions.iter().filter(is_inside).count();
        // The surface is where the water and what the block displaces take the width of the tank.
        let water = frame.positions.len() as f64 * f64::from(spacing).powi(2);
        let draft = (water - 0.4 * f64::from(low.y)) / 0.6 - f64::from(low.y);
        let share = lift / (0.4 * draft * DENSITY * GRAVITY);
        println!("{solver:?}, ratio {ratio}: lift {share:.4}, {inside} particles inside");
        assert_eq!(inside, 0, "{solver:?}, ratio {ratio}: water in the block");
        assert!((share - 1.0).abs() < LIFT, "{solver:?}, ratio {ratio}: lifted by {lift} N/m");
    }
}

#[test]
fn a_gate_bears_the_load_of_the_water_and_its_moment_about_the_hinge() {
    for solver in SOLVERS {
        // Water to the left of a wall that stands on the floor.
        let mut scene = still_water(solver, (Vec3::ZERO, Vec3::new(0.6, LEVEL, 1.0)));
        let gate = Boundary::Box { low: Vec3::new(0.6, 0.0, -0.5), high: Vec3::new(0.8, 1.1, 1.5) };
        scene.solids.set(vec![gate]);
        scene.probes = probes(&[
            "Force(name: \"left\", on: \"left\")",
            "Force(name: \"gate\", on: \"boundaries[0]\")",
            "Force(name: \"floor\", on: \"bottom\")",
            "Moment(name: \"hinge\", on: \"boundaries[0]\", about: (0.6, 0.0, 0.0))",
            "Moment(name: \"wall\", on: \"left\", about: (0.0, 0.0, 0.0))",
        ]);
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(2.6, 0.05)).unwrap();
        let row = at_rest(&mut simulation, 3.0);
        let depth = f64::from(LEVEL);
        let load = 0.5 * DENSITY * GRAVITY * depth * depth;
        let moment = load * depth / 3.0;
        let resolution = simulation.resolution();
        let weight = f64::from(resolution.particle_count) * f64::from(resolution.particle_mass) * GRAVITY;
        let [wall, gate, floor] = [row[0], row[3], row[7]];
        let [hinge, corner] = [row[11], row[14]];
        println!(
            "{solver:?}: gate {:.4}, wall {:.4}, moments {:.4} {:.4}, floor {:.4}, gate upwards {:.4} of the weight",
            gate / load,
            -wall / load,
            -hinge / moment,
            corner / moment,
            -floor / weight,
            row[4] / weight,
        );
        // The layers near the surface bear too little (docs/VALIDATION.md), on both sides alike.
        assert!((gate + wall).abs() < 0.003 * load, "{solver:?}: {gate} N/m on the gate, {wall} on the wall");
        assert!((gate / load - 1.0).abs() < 0.03, "{solver:?}: the gate bears {gate} N/m, not {load}");
        assert!((-hinge / moment - 1.0).abs() < 0.04, "{solver:?}: {hinge} N m/m at the hinge, not {moment}");
        assert!((corner / moment - 1.0).abs() < 0.04, "{solver:?}: {corner} N m/m on the wall, not {moment}");
        assert!(
            (floor + row[4] + weight).abs() < 0.002 * weight,
            "{solver:?}: {floor} and {} N/m, not {weight}",
            row[4]
        );
    }
}
