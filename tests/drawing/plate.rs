//! A plate in the water of the tank, and where the picture shows it.

use glam::{Quat, UVec2, Vec2, Vec3};
use nearwater::render::{Drawn, DrawnSolid, View};

use super::drawing::{Particles, difference};
use super::tank_walls::{LAYERS, SPACING, look, places};
use super::{Arc, Mesh, draw};

/// The pixels that show a plate around `center`, or an image of it. `half` is half of its size, m.
pub fn pixels_of_plate(view: &View, center: Vec3, half: Vec3) -> Vec<Vec2> {
    let is_free = |place: &Vec3| (*place - center).abs().cmpgt(half + 0.5 * SPACING).any();
    let places: Vec<Vec3> = places(LAYERS).into_iter().filter(is_free).collect();
    let particles = Particles::new(&places, |_| 0.0);
    let surface = Arc::new(Mesh::cuboid(-half, half));
    let plate = |color| DrawnSolid { surface: surface.clone(), rotation: Quat::IDENTITY, translation: center, color };
    // Two colors, so that only what shows the plate itself differs, and not its shadow.
    let [dark, bright] = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.9, 0.9, 0.9)]
        .map(|color| draw(view, &look(), &Drawn { solids: vec![plate(color)], ..particles.drawn() }));
    dark.enumerate_pixels()
        .filter(|(x, y, pixel)| difference(**pixel, *bright.get_pixel(*x, *y)) > 24)
        .map(|(x, y, _)| UVec2::new(x, y).as_vec2())
        .collect()
}
