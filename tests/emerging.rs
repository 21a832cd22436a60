//! A wall that returns past a solid: what comes out from behind the wall must not throw away the water beside it.

mod common;
#[path = "common/replaced_line.rs"]
mod replaced_line;
#[path = "common/shader_folder.rs"]
mod shader_folder;

use std::sync::Arc;

use glam::Vec3;
use nearwater::fluid::{Boundary, Face, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::search::{SearchOptions, search_named};

use self::replaced_line::with_replaced_line;

/// The wall that moves.
const LEFT: Face = Face::ALL[0];
/// Depth of the water, m.
const DEPTH: f32 = 0.3;

/// A tank of 1 by 1 by 0.5 m with a block on its floor, in shallow water.
fn tank() -> Scene {
    let text = "(
        title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 0.5),
        blocks: [(low: (0.35, 0.0, 0.0), high: (1.0, 0.3, 0.5))], gravity: (0.0, -9.81, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
    )";
    let mut scene = Scene::parse("tank.ron", text).expect("it is valid");
    let block = Boundary::Box { low: Vec3::new(0.1, -0.2, 0.12), high: Vec3::new(0.3, 0.6, 0.38) };
    scene.solids = vec![block].into();
    scene
}

/// The highest speed, m/s, of any particle while the wall passes the block and returns.
fn highest_speed(gpu: &Arc<Gpu>, solver: Solver) -> f32 {
    let settings = Settings {
        search: search_named("hoetzlein").expect("a search"),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(0.176),
        seed: 7,
        edits: SceneEdits { solver: Some(solver), ..SceneEdits::default() },
    };
    let mut simulation = Simulation::new(gpu, &tank(), &settings).unwrap_or_else(|error| panic!("{error}"));
    let mut highest = 0.0_f32;
    for inset in [0.35, 0.0] {
        simulation.move_wall(LEFT, inset).expect("there is room");
        while (simulation.walls()[0].x - inset).abs() > 1e-5 {
            gpu.submit(|encoder| (0..4).for_each(|_| simulation.record_step(encoder, None)));
            let buffers = simulation.particles();
            let velocities: Vec<[f32; 4]> =
                read_buffer(gpu, buffers.velocities, buffers.count as usize).expect("the device answers");
            let water = velocities.iter().filter(|velocity| velocity[3].to_bits() < buffers.fluid_count);
            let speeds = water.map(|velocity| Vec3::from_slice(&velocity[..3]).length());
            highest = speeds.fold(highest, f32::max);
            assert!(simulation.time() < 10.0, "{:?}", simulation.wall_stop());
        }
    }
    highest
}

/// No water is faster than this, m/s: the speed of a fall from the surface to the floor, and a margin for the wall's.
fn bound(simulated: &Scene) -> f32 {
    (2.0 * simulated.gravity.length() * DEPTH).sqrt() + 1.0
}

#[test]
fn what_comes_out_from_behind_a_wall_does_not_throw_the_water() {
    for solver in Solver::fluids() {
        let highest = highest_speed(&common::gpu(), solver);
        println!("{}: {highest} m/s", solver.name());
        assert!(highest < bound(&tank()), "{}: {highest} m/s", solver.name());
    }
}

#[test]
fn a_solid_that_appears_at_once_is_found() {
    let (_shaders, gpu) = with_replaced_line(
        "fluid/reorder.wgsl",
        (
            "return clamp(min(distances.x, min(distances.y, distances.z)), 0.0, 1.0);",
            "return select(0.0, 1.0, all(distances > vec3<f32>(0.0)));",
        ),
    );
    let highest = highest_speed(&gpu, Solver::default());
    assert!(highest > bound(&tank()), "{highest} m/s");
}
