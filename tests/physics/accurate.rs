//! Corrected gradients of pressure, in the accurate mode of WCSPH, with DFSPH and with PBF: they keep linear and
//! angular momentum, and water under pressure does not resist a change of its shape.

use glam::{DVec3, Vec3};
use nearwater::fluid::{Scene, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::Gpu;
use nearwater::search::random::uniform;

use super::common::gpu;
use super::replaced_line::with_replaced_line;
use super::{SEED, State, run_steps_on, settings, state_on, still_scene};

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

/// Water of the accurate mode over a slope, from a lattice with gaps of up to a spacing beside it, after five seconds:
/// the mean of the pressures beside the slope over those of their depths, and the mean square of the speeds, m²/s².
fn on_a_slope(gpu: &std::sync::Arc<Gpu>) -> (f32, f32) {
    const SPACING: f32 = 0.04;
    let ramp = "v 0 0 -0.5\nv 2 0 -0.5\nv 2 1 -0.5\nv 0 0 0.5\nv 2 0 0.5\nv 2 1 0.5\n\
        f 1 3 2\nf 4 5 6\nf 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\nf 3 1 4\nf 3 4 6\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ramp.obj"), ramp).unwrap();
    let file = folder.path().join("slope.ron");
    let text = "(title: \"\", description: \"\", low: (0.0, 0.0, -0.1), high: (2.0, 1.2, 0.1),
        blocks: [(low: (0.0, 0.0, -0.1), high: (2.0, 0.6, 0.1))], boundaries: [Mesh(file: \"ramp.obj\")],
        gravity: (0.0, -9.81, 0.0), dimensions: 2, solver: Wcsph, wcsph: (accurate: 1),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.05, kinematic_viscosity: 0.005,
            radius_ratio: 2.6))";
    std::fs::write(&file, text).unwrap();
    let scene = Scene::load(file.to_str().unwrap()).unwrap();
    let settings = settings(SmoothingKernel::WendlandC2, Size::Radius(2.6 * SPACING));
    let mut simulation = Simulation::new(gpu, &scene, &settings).unwrap();
    let resolution = *simulation.resolution();
    while simulation.time() < 5.0 {
        run_steps_on(gpu, &mut simulation, 200);
    }
    let count = resolution.particle_count as usize;
    let State { positions, velocities, densities } = state_on(gpu, &simulation);
    // The water is a triangle twice as wide as high.
    let level = (count as f32).sqrt() * SPACING;
    let stiffness = 1000.0 * resolution.sound_speed * resolution.sound_speed / 7.0;
    let tait = |density: f32| stiffness * ((density / 1000.0).powi(7) - 1.0);
    let water = positions.iter().zip(&densities).take(count);
    let beside = water.filter(|(place, _)| {
        let from_slope = (place.y - 0.5 * place.x) / 1.25_f32.sqrt();
        from_slope < 2.0 * SPACING && place.x > 0.15 && place.y < level - 3.0 * SPACING
    });
    let shares: Vec<f32> = beside.map(|(place, &density)| tait(density) / (9810.0 * (level - place.y))).collect();
    let squares: f32 = velocities.iter().take(count).map(|velocity| velocity.length_squared()).sum();
    (shares.iter().sum::<f32>() / shares.len() as f32, squares / count as f32)
}

#[test]
fn water_on_a_slope_comes_to_rest_with_the_pressure_of_its_depth() {
    let (pressure, motion) = on_a_slope(&gpu());
    println!("{pressure} of the pressure, {motion} m²/s²");
    assert!((pressure - 1.0).abs() < 0.03, "{pressure} of the pressure of its depth beside the slope");
    assert!(motion < 1e-4, "the mean square of the speeds is {motion} m²/s²");
    // Densities that are only integrated keep the gaps of the start.
    let edit = (
        "    changed += continuity.settling * share_within(summed, fluid.rest_density) * (summed - changed);",
        "    changed += 0.0 * continuity.settling * share_within(summed, fluid.rest_density);",
    );
    let (_folder, integrated) = with_replaced_line("fluid/density.wgsl", edit);
    let (pressure, motion) = on_a_slope(&integrated);
    println!("without settling: {pressure} of the pressure, {motion} m²/s²");
    assert!(pressure > 1.03 && motion > 1e-4, "without settling: {pressure}, {motion} m²/s²");
}
