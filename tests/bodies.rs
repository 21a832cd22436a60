//! Bodies on the device: what water and bodies give each other, how deep they float, and walls that move.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::gpu;
use glam::{DVec3, Vec3};
use nearwater::fluid::{
    Body, BodyShape, BodyState, Motion, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver,
};
use nearwater::gpu::read_buffer;
use nearwater::search::{SearchOptions, search_named};

/// A tank of 1 by 1 by 1 m with water in `block`.
fn tank(solver: Solver, block: (Vec3, Vec3), bodies: Vec<Body>) -> Scene {
    let text = "(
        title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0),
        blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity: (0.0, -9.81, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0),
    )";
    let mut scene = Scene::parse("tank.ron", text).unwrap();
    (scene.blocks[0].low, scene.blocks[0].high) = block;
    scene.bodies = bodies;
    scene.solver = solver;
    scene
}

fn body(shape: BodyShape, density: f32, position: Vec3) -> Body {
    Body {
        shape,
        density,
        position,
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 0.5,
        restitution: 0.2,
        motion: Motion::Free,
    }
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

/// Position and velocity of the fluid's particles.
fn fluid(simulation: &Simulation) -> Vec<(Vec3, Vec3)> {
    let buffers = simulation.particles();
    let count = buffers.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.velocities, count).unwrap();
    let both = positions.iter().zip(&velocities).filter(|(_, velocity)| velocity[3].to_bits() < buffers.fluid_count);
    both.map(|(position, velocity)| (Vec3::from_slice(&position[..3]), Vec3::from_slice(&velocity[..3]))).collect()
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
fn water_and_a_free_body_keep_their_momentum() {
    for solver in Solver::ALL {
        let free = Body {
            velocity: Vec3::new(0.1, 0.3, 0.0),
            angular_velocity: Vec3::new(30.0, 60.0, -20.0),
            ..cube(0.25, 600.0, Vec3::new(0.5, 0.55, 0.5))
        };
        let mut scene = tank(solver, (Vec3::splat(0.2), Vec3::splat(0.8)), vec![free]);
        // Far from all walls, and flung along the body.
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
        assert!((now.velocity - at_start.velocity).length() > 0.1, "{}: the water did nothing", solver.name());
        // PBF's velocities are differences of places of 1 m over a step of 8 ms.
        let bound = if solver == Solver::Wcsph { 1e-6 } else { 1e-5 };
        assert!(lost.length() < bound * before.length(), "{}: {lost} of {before}", solver.name());
    }
}

#[test]
fn a_cube_floats_as_deep_as_it_is_heavy() {
    let (side, spacing) = (0.4_f32, 0.05);
    let start = Vec3::new(0.5, 0.5, 0.5);
    let scene = tank(Solver::Wcsph, (Vec3::ZERO, Vec3::new(1.0, 0.5, 1.0)), vec![cube(side, 500.0, start)]);
    let mut simulation = simulation(&scene, spacing);
    let share = |simulation: &Simulation| {
        // Where the surface would be of water of the rest density that the cube floats in as it should.
        let water = simulation.resolution().particle_mass * simulation.resolution().particle_count as f32 / 1000.0;
        let state = states(simulation)[0];
        let level = water + state.mass / 1000.0;
        (level - (state.position.y - 0.5 * side)) / side
    };
    let mut seen = Vec::new();
    while simulation.time() < 4.0 {
        steps(&mut simulation, 25);
        if simulation.time() > 2.0 {
            seen.push(share(&simulation));
        }
        if simulation.step_count().is_multiple_of(250) {
            println!("{:.2} s: {:.3}, {:?}", simulation.time(), share(&simulation), states(&simulation)[0]);
        }
    }
    let mean = seen.iter().sum::<f32>() / seen.len() as f32;
    println!("draft {mean} of the side");
    assert!((mean - 0.5).abs() < 0.05, "draft {mean}");
}

#[test]
fn a_wall_that_moves_pushes_water_before_it() {
    for solver in Solver::ALL {
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
        // A third of the room is gone, so the water stands half as high again.
        assert!(highest > 0.5, "{}: {highest}", solver.name());
        assert!(state.force.x < -100.0, "{}: {state:?}", solver.name());
    }
}
