//! Water at rest starts in the state of rest, whatever compresses it.

use glam::Vec3;
use nearwater::fluid::{Boundary, Scene, Simulation, Size, SmoothingKernel, Solver};

use super::common::gpu;
use super::{plane_scene, run_steps, settings};

const SPACING: f32 = 0.05;

/// How far the middle of the water moves up and down within the time of a bounce, in which sound passes four times
/// through the water, in shares of what a lattice does that falls until it bears its own weight and then bounces:
/// 2 g H² / (3 c²).
fn bounce(scene: &Scene) -> f64 {
    let size = Size::Radius(scene.radius_ratio() * SPACING);
    let mut simulation = Simulation::new(&gpu(), scene, &settings(SmoothingKernel::WendlandC2, size)).unwrap();
    let (depth, sound) = (f64::from(scene.blocks[0].high.y), f64::from(simulation.resolution().resting_sound));
    let count = simulation.resolution().particle_count as usize;
    let (mut lowest, mut highest) = (f64::INFINITY, 0.0_f64);
    while simulation.time() < 4.0 * depth / sound {
        let places = simulation.observe().unwrap().positions;
        let middle = places[..count].iter().map(|place| f64::from(place[1])).sum::<f64>() / count as f64;
        (lowest, highest) = (lowest.min(middle), highest.max(middle));
        run_steps(&mut simulation, 3);
    }
    (highest - lowest) / (2.0 * 9.81 * depth * depth / (3.0 * sound * sound))
}

#[test]
fn water_at_rest_does_not_fall_and_bounce() {
    for (solver, setting) in [("wcsph", "wcsph.accurate=0"), ("wcsph", "wcsph.accurate=1"), ("pbf", "pbf.iterations=2")]
    {
        let mut scene = plane_scene(Solver::named(solver).unwrap(), (1.0, 1.3), (1.0, 1.0));
        scene.material.radius_ratio = 2.6;
        scene.material.viscosity = 0.0;
        scene.solver_settings.parse(setting).unwrap();
        let open = bounce(&scene);
        scene.solids.set(vec![Boundary::Box { low: Vec3::new(0.5, 0.0, -1.0), high: Vec3::new(1.0, 0.4, 1.0) }]);
        let over_a_step = bounce(&scene);
        println!("{solver} {setting}: {open:.3}, over a step {over_a_step:.3}");
        assert!(open < 0.15, "{solver} {setting}: {open}");
        assert!(over_a_step < 0.3, "{solver} {setting}: {over_a_step} over a step");
    }
}
