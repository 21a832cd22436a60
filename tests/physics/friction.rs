//! Friction at the walls of the box and at solids: no slip by viscosity, and skin friction.

use std::sync::Arc;

use nearwater::fluid::{Scene, Simulation, Size, SmoothingKernel};
use nearwater::gpu::Gpu;

use super::common::gpu;
use super::replaced_line::with_replaced_line;
use super::{run_steps_on, settings, state_on};

/// Height of the layer of water, m, its layers of particles, and its speed, m/s.
const HEIGHT: f64 = 0.2;
const LAYERS: u16 = 8;
const SPEED: f64 = 0.01;
/// Its kinematic viscosity, m²/s, and the product of that and the seconds that it slides, m².
const VISCOSITY: f64 = 0.002;
const DIFFUSED: f64 = 0.006;
/// So many times the viscosity takes DFSPH and PBF several stages.
const THICKER: f64 = 60.0;
/// What the layer slides along: its entry in the scene, the height of its surface, m, and the support radius, in
/// spacings.
struct Ground {
    solids: &'static str,
    height: f64,
    ratio: f64,
}

/// With a ratio of 2.6, a layer of so few particles loses a tenth too little (docs/VALIDATION.md).
const FLOOR: Ground = Ground { solids: "", height: 0.0, ratio: 4.0 };
const SLAB: Ground =
    Ground { solids: "boundaries: [Box(low: (0.0, 0.0, -0.1), high: (2.0, 0.1, 0.1))],", height: 0.1, ratio: 2.6 };

/// A layer of water that slides, without gravity.
fn sliding(on: &Ground, solver: &str, material: &str) -> Scene {
    let Ground { solids, height, ratio } = on;
    let surface = height + HEIGHT;
    let text = format!(
        "(title: \"\", description: \"\", low: (0.0, 0.0, -0.1), high: (2.0, 0.8, 0.1), gravity: (0.0, 0.0, 0.0),
        blocks: [(low: (0.5, {height:?}, -0.1), high: (1.5, {surface:?}, 0.1), velocity: ({SPEED:?}, 0.0, 0.0))],
        dimensions: 2, solver: {solver}, {solids}
        material: (rest_density: 1000.0, sound_speed_factor: 20.0, radius_ratio: {ratio:?}, {material}))"
    );
    Scene::parse("sliding.ron", &text).unwrap()
}

/// The share of its momentum that the layer has kept after these seconds, and the time of the last step, s.
fn kept(on: &Ground, solver: &str, material: &str, seconds: f64) -> (f64, f64) {
    kept_on(&gpu(), on, solver, material, seconds)
}

/// The same on this device.
fn kept_on(gpu: &Arc<Gpu>, on: &Ground, solver: &str, material: &str, seconds: f64) -> (f64, f64) {
    let size = Size::Radius((on.ratio * HEIGHT / f64::from(LAYERS)) as f32);
    let scene = sliding(on, solver, material);
    let mut simulation = Simulation::new(gpu, &scene, &settings(SmoothingKernel::WendlandC2, size)).unwrap();
    let step = f64::from(simulation.resolution().time_step);
    run_steps_on(gpu, &mut simulation, (seconds / step).ceil() as u64);
    // Those of the water, which come before those of solids.
    let mut velocities = state_on(gpu, &simulation).velocities;
    velocities.truncate(simulation.resolution().particle_count as usize);
    let mean = velocities.iter().map(|velocity| f64::from(velocity.x)).sum::<f64>() / velocities.len() as f64;
    (mean / SPEED, simulation.time())
}

/// The share that is left of the momentum of a layer on a wall without slip, with a free surface: the solution of the
/// equation of heat for a layer that is kept cold on one side (H. S. Carslaw and J. C. Jaeger, Conduction of Heat in
/// Solids, 1959, section 3.3).
fn left_without_slip(viscosity: f64, time: f64) -> f64 {
    let mode = |number: u32| {
        let wave = std::f64::consts::PI * (f64::from(number) + 0.5);
        2.0 / wave.powi(2) * (-wave.powi(2) * viscosity * time / HEIGHT.powi(2)).exp()
    };
    (0..50).map(mode).sum()
}

#[test]
fn water_on_a_wall_without_slip_loses_momentum_as_in_theory_and_on_a_smooth_one_none() {
    let (thin, thick) = (VISCOSITY, THICKER * VISCOSITY);
    let cases = [
        ("Wcsph", thin),
        ("Pbf", thin),
        ("Dfsph", thin),
        ("Dfsph", thick),
        // The length of its steps must not matter.
        ("Pbf, pbf: (substeps: 2)", thick),
        ("Pbf, pbf: (substeps: 8)", thick),
        ("Pbf, pbf: (substeps: 1)", 0.1 * thick),
        ("Pbf, pbf: (substeps: 4)", 0.1 * thick),
    ];
    for (solver, viscosity) in cases {
        let seconds = DIFFUSED / viscosity;
        let material = format!("viscosity: 0.0, kinematic_viscosity: {viscosity:?}");
        let (slippery, _) = kept(&FLOOR, solver, &material, seconds);
        assert!((slippery - 1.0).abs() < 3e-3, "{solver}: {slippery} without friction");
        let (held, time) = kept(&FLOOR, solver, &format!("{material}, no_slip: 1.0"), seconds);
        let expected = left_without_slip(viscosity, time);
        println!("{solver}, {viscosity} m²/s: {held}, expected {expected}");
        let error = (1.0 - held) / (1.0 - expected) - 1.0;
        assert!(error.abs() < 0.1, "{solver}, {viscosity} m²/s: {held}, not {expected}");
    }
}

#[test]
fn water_on_a_solid_without_slip_loses_momentum_as_in_theory_and_on_a_smooth_one_none() {
    const SOLVERS: [&str; 4] = ["Wcsph", "Wcsph, wcsph: (accurate: 1)", "Pbf", "Dfsph"];
    for solver in SOLVERS {
        let seconds = DIFFUSED / VISCOSITY;
        let material = format!("viscosity: 0.05, kinematic_viscosity: {VISCOSITY:?}");
        let (slippery, _) = kept(&SLAB, solver, &material, seconds);
        assert!((slippery - 1.0).abs() < 0.005, "{solver}: {slippery} without friction");
        let material = format!("viscosity: 0.0, kinematic_viscosity: {VISCOSITY:?}, no_slip: 1.0");
        let (held, time) = kept(&SLAB, solver, &material, seconds);
        let expected = left_without_slip(VISCOSITY, time);
        println!("{solver}: {held}, expected {expected}; {slippery} on a smooth solid");
        assert!(((1.0 - held) / (1.0 - expected) - 1.0).abs() < 0.12, "{solver}: {held}, not {expected}");
    }
}

#[test]
fn skin_friction_brakes_the_layer_beside_the_wall() {
    const COEFFICIENT: f64 = 0.2;
    for solver in ["Wcsph", "Pbf", "Dfsph"] {
        let (kept, time) = kept(&FLOOR, solver, &format!("viscosity: 0.0, skin_friction: {COEFFICIENT:?}"), 3.0);
        // du/dt = -c u² / 2 d of the lowest layer with the spacing d; the others slide over it.
        let spacing = HEIGHT / f64::from(LAYERS);
        let slowed = 1.0 - 1.0 / (1.0 + 0.5 * COEFFICIENT * SPEED * time / spacing);
        let lost = f64::from(LAYERS) * (1.0 - kept);
        println!("{solver}: {lost}, expected {slowed}");
        assert!((lost / slowed - 1.0).abs() < 0.1, "{solver}: {lost}, not {slowed}");
    }
}

#[test]
fn stages_of_viscosity_repeat_what_the_stage_before_changed() {
    let edit = (
        "    after[index] = vec4<f32>(now.xyz + (repeated + fluid.time_step * gained), now.w);",
        "    after[index] = vec4<f32>(now.xyz + fluid.time_step * gained, now.w);",
    );
    let (_folder, wrong) = with_replaced_line("fluid/viscous_stage.wgsl", edit);
    let viscosity = THICKER * VISCOSITY;
    let material = format!("viscosity: 0.0, kinematic_viscosity: {viscosity:?}, no_slip: 1.0");
    for solver in ["Dfsph", "Pbf, pbf: (substeps: 1)"] {
        let (held, time) = kept_on(&wrong, &FLOOR, solver, &material, DIFFUSED / viscosity);
        let expected = left_without_slip(viscosity, time);
        println!("{solver}, without: {held}, expected {expected}");
        assert!(((1.0 - held) / (1.0 - expected) - 1.0).abs() > 0.2, "{solver}: {held} of {expected}");
    }
}
