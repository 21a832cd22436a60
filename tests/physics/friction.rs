//! Friction at the walls of the box: no slip by viscosity, and skin friction.

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
/// So many times the viscosity takes DFSPH several stages.
const THICKER: f64 = 60.0;
/// Support radius in spacings: with 2.6, a layer of so few particles loses a tenth too little (docs/VALIDATION.md).
const RATIO: f64 = 4.0;

/// A layer of water that slides along the floor, without gravity.
fn sliding(solver: &str, material: &str) -> Scene {
    let text = format!(
        "(title: \"\", description: \"\", low: (0.0, 0.0, -0.1), high: (2.0, 0.8, 0.1), gravity: (0.0, 0.0, 0.0),
        blocks: [(low: (0.5, 0.0, -0.1), high: (1.5, {HEIGHT:?}, 0.1), velocity: ({SPEED:?}, 0.0, 0.0))],
        dimensions: 2, solver: {solver},
        material: (rest_density: 1000.0, sound_speed_factor: 20.0, viscosity: 0.0, radius_ratio: {RATIO:?}, {material}))"
    );
    Scene::parse("sliding.ron", &text).unwrap()
}

/// The share of its momentum that the layer has kept after these seconds, and the time of the last step, s.
fn kept(solver: &str, material: &str, seconds: f64) -> (f64, f64) {
    kept_on(&gpu(), solver, material, seconds)
}

/// The same on this device.
fn kept_on(gpu: &Arc<Gpu>, solver: &str, material: &str, seconds: f64) -> (f64, f64) {
    let size = Size::Radius((RATIO * HEIGHT / f64::from(LAYERS)) as f32);
    let scene = sliding(solver, material);
    let mut simulation = Simulation::new(gpu, &scene, &settings(SmoothingKernel::WendlandC2, size)).unwrap();
    let step = f64::from(simulation.resolution().time_step);
    run_steps_on(gpu, &mut simulation, (seconds / step).ceil() as u64);
    let velocities = state_on(gpu, &simulation).velocities;
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
    let cases = [("Wcsph", thin, 0.1), ("Pbf", thin, 0.1), ("Dfsph", thin, 0.1), ("Dfsph", thick, 0.1)];
    for (solver, viscosity, allowed) in cases {
        let seconds = DIFFUSED / viscosity;
        let (slippery, _) = kept(solver, &format!("kinematic_viscosity: {viscosity:?}"), seconds);
        assert!((slippery - 1.0).abs() < 3e-3, "{solver}: {slippery} without friction");
        let (held, time) = kept(solver, &format!("kinematic_viscosity: {viscosity:?}, no_slip: 1.0"), seconds);
        let expected = left_without_slip(viscosity, time);
        println!("{solver}: {held}, expected {expected}");
        assert!(((1.0 - held) / (1.0 - expected) - 1.0).abs() < allowed, "{solver}: {held}, not {expected}");
    }
}

#[test]
fn skin_friction_brakes_the_layer_beside_the_wall() {
    const COEFFICIENT: f64 = 0.2;
    for solver in ["Wcsph", "Pbf", "Dfsph"] {
        let (kept, time) = kept(solver, &format!("skin_friction: {COEFFICIENT:?}"), 3.0);
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
    let (_folder, wrong) = with_replaced_line("fluid/dfsph/viscosity.wgsl", edit);
    let viscosity = THICKER * VISCOSITY;
    let material = format!("kinematic_viscosity: {viscosity:?}, no_slip: 1.0");
    let (held, time) = kept_on(&wrong, "Dfsph", &material, DIFFUSED / viscosity);
    let expected = left_without_slip(viscosity, time);
    println!("without: {held}, expected {expected}");
    assert!(((1.0 - held) / (1.0 - expected) - 1.0).abs() > 0.2, "{held} of {expected}");
}
