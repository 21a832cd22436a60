//! The tank used by the tests of boundaries and of bodies.

use glam::Vec3;
use nearwater::fluid::{Scene, Solver};

/// A tank of 1 by 1 by 1 m with water in `block`.
pub fn water_tank(solver: Solver, block: (Vec3, Vec3)) -> Scene {
    let text = "(
        title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0),
        blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity: (0.0, -9.81, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0),
    )";
    let mut scene = Scene::parse("tank.ron", text).unwrap();
    (scene.blocks[0].low, scene.blocks[0].high) = block;
    scene.solver = solver;
    scene
}
