//! The prepared example of the view "Border and inner": a full cube of water in 3 x 3 x 3 coarse cells, each about four
//! support radii wide, so that both classes occur and one cell has neighbors on all sides.

use glam::Vec3;

use super::LabSelection;
use crate::app::Controls;
use crate::fluid::{Block, Scene, SceneCamera, SceneEdits, Size};
use crate::gpu::AdapterClass;
use crate::search::{COARSE_CELLS, EXAMPLES};

/// Name of the example's scene.
const NAME: &str = "laboratory_full_cube";
/// Coarse cells along each edge of the cube.
const CELLS_PER_EDGE: f32 = 3.0;
/// Particles on a software adapter: 24 along each edge.
const FEW_PARTICLES: u32 = 13_824;
/// Particles on a graphics card: 40 along each edge.
const PARTICLES: u32 = 64_000;
/// Edge of the cube, m.
const EDGE: f32 = 4.0;

/// The scene of the example, derived from the embedded dam break.
fn scene() -> Option<Scene> {
    let half = Vec3::splat(0.5 * EDGE);
    let low = Vec3::new(-half.x, 0.0, -half.z);
    let high = low + EDGE;
    let scene = Scene::load("dam_break").ok()?;
    Some(Scene {
        name: NAME.into(),
        title: "Full cube".into(),
        description: "A cube full of water, for the laboratory.".into(),
        low,
        high,
        blocks: vec![Block::at_rest(low, high)],
        probes: Vec::new(),
        camera: SceneCamera {
            eye: Vec3::new(1.5, 3.1, 8.4),
            target: Vec3::new(0.0, 1.85, 0.0),
            vertical_fov_degrees: 32.0,
        },
        ..scene
    })
}

/// Whether the example is the running scene.
pub(super) fn is_shown(controls: &Controls) -> bool {
    controls.scene.name == NAME
}

/// Replaces the user's scene by the example and keeps the user's scene for [`give_back`].
pub(super) fn show(controls: &mut Controls) {
    let Some(scene) = scene().filter(|_| !is_shown(controls)) else { return };
    let has_classes = controls.settings.search.options.iter().any(|option| option.name == COARSE_CELLS.name);
    let coarse = Some(EXAMPLES.coarse).filter(|_| !has_classes);
    let count = if controls.class == AdapterClass::Software { FEW_PARTICLES } else { PARTICLES };
    controls.show_example_scene(scene, |settings| {
        settings.search = coarse.unwrap_or(settings.search);
        settings.options.set(&COARSE_CELLS, CELLS_PER_EDGE);
        settings.size = Size::Count(count);
        settings.edits = SceneEdits::default();
    });
    // The fluid fills the cube and stays at rest; the simulation is paused so that the inspected particles do not move.
    if !controls.paused {
        (controls.paused, controls.lab.stopped_water) = (true, true);
    }
    controls.lab.select(LabSelection::All);
}

/// Restores the user's scene, which starts again from its first frame.
pub(super) fn give_back(controls: &mut Controls) {
    controls.leave_example();
    controls.lab.select(LabSelection::All);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::{Resolution, SmoothingKernel};

    #[test]
    fn the_cube_is_full_and_its_cells_are_about_four_radii_wide() {
        let scene = scene().expect("the embedded dam break loads");
        for count in [FEW_PARTICLES, PARTICLES] {
            let resolution = Resolution::from_count(&scene, SmoothingKernel::WendlandC2, count).expect("it fits");
            assert_eq!(resolution.particle_count, count);
            let width = EDGE / CELLS_PER_EDGE / resolution.support_radius;
            assert!((3.5..6.5).contains(&width), "{width} radii");
        }
    }
}
