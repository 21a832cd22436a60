//! Corrected gradients of pressure, in the accurate mode of WCSPH, with DFSPH and with PBF: they keep linear and
//! angular momentum, and water under pressure does not resist a change of its shape.

use glam::{DVec3, Vec3};
use nearwater::fluid::{Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::Gpu;
use nearwater::search::random::uniform;

use super::common::gpu;
use super::replaced_line::with_replaced_line;
use super::{SEED, settings, state_on, still_scene};

/// The sums of what a disordered block of compressed water exchanges in a few steps, as shares of the sums of the
/// absolute values.
#[derive(Debug)]
struct Gained {
    momentum: f64,
    angular_momentum: f64,
}

fn gained(gpu: &std::sync::Arc<Gpu>, solver: &str, steps: u32) -> Gained {
    let mut scene = still_scene(8.0, (Vec3::splat(3.0), Vec3::splat(5.0)), 2.6);
    scene.material.viscosity = 0.0;
    scene.solver = Solver::named(solver).unwrap();
    scene.solver_settings.parse("wcsph.accurate=1").unwrap();
    // The velocities of PBF are the displacements over the step, whose torques vanish about the places where they
    // began.
    scene.solver_settings.parse("pbf.iterations=1").unwrap();
    let settings = settings(SmoothingKernel::WendlandC2, Size::Count(2000));
    let mut simulation = Simulation::new(gpu, &scene, &settings).unwrap();
    let spacing = simulation.resolution().spacing;
    let vector = |index: u64| Vec3::from_array([0, 1, 2].map(|axis| uniform(SEED, 3 * index + axis))) - 0.5;
    let place = |(index, place): (u64, Vec3)| 4.0 + 0.98 * (place - 4.0) + 0.3 * spacing * vector(index);
    let positions: Vec<_> = (0..).zip(state_on(gpu, &simulation).positions).map(place).collect();
    // DFSPH has no pressure without motion that compresses: this one has neither momentum nor angular momentum.
    let closing = if solver == "dfsph" { 0.5 } else { 0.0 };
    let before: Vec<_> = positions.iter().map(|place| closing * (4.0 - place)).collect();
    simulation.set_particles(&positions, &before).unwrap();
    // So few steps that nothing reaches a wall.
    gpu.submit(|encoder| (0..steps).for_each(|_| simulation.record_step(encoder, None)));
    gpu.wait().unwrap();
    // The shifts of DFSPH change angular momentum, so that only a single step of it, from where it begins, is
    // considered.
    let after = state_on(gpu, &simulation);
    let places = if solver == "wcsph" { after.positions } else { positions };
    let changes = after.velocities.into_iter().zip(&before).map(|(after, before)| (after - before).as_dvec3());
    let pairs: Vec<(DVec3, DVec3)> =
        places.iter().zip(changes).map(|(place, change)| (place.as_dvec3() - 4.0, change)).collect();
    let exchanged = pairs.iter().map(|(_, velocity)| velocity.length()).sum::<f64>();
    let turned = pairs.iter().map(|(arm, velocity)| arm.length() * velocity.length()).sum::<f64>();
    assert!(exchanged / pairs.len() as f64 > 0.05, "the forces had no effect: {exchanged}");
    Gained {
        momentum: pairs.iter().map(|(_, velocity)| velocity).sum::<DVec3>().length() / exchanged,
        angular_momentum: pairs.iter().map(|(arm, velocity)| arm.cross(*velocity)).sum::<DVec3>().length() / turned,
    }
}

#[test]
fn corrected_gradients_keep_linear_and_angular_momentum() {
    // A correction that does not belong to the particle's own moment turns the water, whatever it does to its momentum.
    let edit =
        ("    return Tensor(share * normal, share * shear);", "    return Tensor(share * normal, -share * shear);");
    let (_folder, wrong) = with_replaced_line("fluid/corrections.wgsl", edit);
    for (solver, steps) in [("wcsph", 5), ("dfsph", 1), ("pbf", 1)] {
        let kept = gained(&gpu(), solver, steps);
        println!("{solver}: {kept:?}");
        assert!(kept.momentum < 1e-6 && kept.angular_momentum < 3e-6, "{solver}: {kept:?}");
        let turned = gained(&wrong, solver, steps);
        println!("{solver}, with the wrong sign: {turned:?}");
        assert!(turned.momentum < 1e-6 && turned.angular_momentum > 1e-5, "{solver}: {turned:?}");
    }
}
