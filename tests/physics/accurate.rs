//! The accurate mode of WCSPH: its corrected gradients keep linear and angular momentum.

use glam::{DVec3, Vec3};
use nearwater::fluid::{Simulation, Size, SmoothingKernel};
use nearwater::search::random::uniform;

use super::common::gpu;
use super::{SEED, mean, run_steps, settings, state, still_scene};

#[test]
fn corrected_gradients_keep_linear_and_angular_momentum() {
    let mut scene = still_scene(8.0, (Vec3::splat(3.0), Vec3::splat(5.0)), 2.6);
    scene.material.viscosity = 0.0;
    scene.solver_settings.parse("wcsph.accurate=1").unwrap();
    let settings = settings(SmoothingKernel::WendlandC2, Size::Count(2000));
    let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
    let spacing = simulation.resolution().spacing;
    let vector = |index: u64| Vec3::from_array([0, 1, 2].map(|axis| uniform(SEED, 3 * index + axis))) - 0.5;
    // Compressed, and so disordered that the corrections are a tenth of the pressure terms.
    let place = |(index, place): (u64, Vec3)| 4.0 + 0.98 * (place - 4.0) + 0.3 * spacing * vector(index);
    let positions: Vec<_> = (0..).zip(state(&simulation).positions).map(place).collect();
    let velocities = vec![Vec3::ZERO; positions.len()];
    simulation.set_particles(&positions, &velocities).unwrap();
    // So few steps that nothing reaches a wall.
    run_steps(&mut simulation, 5);
    let after = state(&simulation);
    let middle = mean(&after.positions);
    let each = || {
        after
            .positions
            .iter()
            .zip(&after.velocities)
            .map(|(place, velocity)| (place.as_dvec3() - middle, velocity.as_dvec3()))
    };
    let exchanged = each().map(|(_, velocity)| velocity.length()).sum::<f64>();
    let momentum = each().map(|(_, velocity)| velocity).sum::<DVec3>().length() / exchanged;
    let turned = each().map(|(arm, velocity)| arm.length() * velocity.length()).sum::<f64>();
    let spin = each().map(|(arm, velocity)| arm.cross(velocity)).sum::<DVec3>().length() / turned;
    println!("momentum {momentum:e}, angular momentum {spin:e} of what was exchanged");
    assert!(exchanged / positions.len() as f64 > 0.05, "the forces had no effect: {exchanged}");
    assert!(momentum < 1e-6 && spin < 2e-6, "momentum {momentum:e}, angular momentum {spin:e}");
}
