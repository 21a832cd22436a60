//! The surface of clear water as seen from below, through the front of the tank: a mirror.

use glam::{Quat, UVec2, Vec2, Vec3};
use nearwater::render::{Drawn, DrawnSolid, Look, Theme, View};

use super::drawing::{Particles, SIZE, changed, difference, pixel_of};
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};
use super::total_reflection::seen_on_the_front;
use super::{Arc, Mesh, draw};

/// The eye before the front wall, near the floor.
const EYE: Vec3 = Vec3::new(0.0, 0.1, 5.5);

fn view() -> View {
    View::perspective(EYE, Vec3::new(0.0, 0.4, 3.5), 36.0, 2 * SIZE)
}

#[test]
fn the_surface_mirrors_what_is_in_the_water_to_an_eye_below_it() {
    let (view, look) = (view(), look());
    let (center, half) = (Vec3::new(0.2, 0.4, 2.3), Vec3::new(0.1, 0.08, 0.02));
    let is_free = |place: &Vec3| (*place - center).abs().cmpgt(half + 0.5 * SPACING).any();
    let places: Vec<Vec3> = places(LAYERS).into_iter().filter(is_free).collect();
    let particles = Particles::new(&places, |_| 0.0);
    let surface = Arc::new(Mesh::cuboid(-half, half));
    let plate = |color| DrawnSolid { surface: surface.clone(), rotation: Quat::IDENTITY, translation: center, color };
    // Two colors, so that only what shows the plate itself differs, and not its shadow.
    let pictures = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.9, 0.9, 0.9)]
        .map(|color| draw(&view, &look, &Drawn { solids: vec![plate(color)], ..particles.drawn() }));

    let seen = |point: Vec3| pixel_of(&view, seen_on_the_front(EYE, point, look.box_high.z));
    let expected = seen(Vec3::new(center.x, 2.0 * LEVEL - center.y, center.z));
    // What shows the plate above the far edge of the surface is its image.
    let far_edge = seen(Vec3::new(center.x, LEVEL, look.box_low.z));
    let shown: Vec<Vec2> = pictures[0]
        .enumerate_pixels()
        .filter(|(x, y, pixel)| (*y as f32) < far_edge.y && difference(**pixel, *pictures[1].get_pixel(*x, *y)) > 24)
        .map(|(x, y, _)| UVec2::new(x, y).as_vec2())
        .collect();
    assert!(shown.len() > 500, "only {} pixels show a mirrored plate", shown.len());
    let middle = shown.iter().sum::<Vec2>() / shown.len() as f32;
    assert!(middle.distance(expected) < 8.0, "the mirrored plate is seen at {middle} and not at {expected}");
}

#[test]
fn the_surface_ends_in_a_line_at_the_front_wall_to_an_eye_below_it() {
    let (view, look) = (view(), Look { theme: Theme::Light, ..look() });
    let pictures = [Particles::new(&places(LAYERS), |_| 0.0), Particles::at(&[])]
        .map(|particles| draw(&view, &look, &particles.drawn()));
    let clearly = |pixel: &UVec2| {
        let [water, nothing] = [&pictures[0], &pictures[1]].map(|picture| *picture.get_pixel(pixel.x, pixel.y));
        difference(water, nothing) > 24
    };
    let changed: Vec<UVec2> = changed(&pictures[0], &pictures[1]).into_iter().filter(clearly).collect();
    let mut offs: Vec<f32> = (-40..=40)
        .map(|across| {
            let place = Vec3::new(0.01 * across as f32, LEVEL, look.box_high.z);
            let rim = pixel_of(&view, place);
            let spacing = pixel_of(&view, place - SPACING * Vec3::Y).y - rim.y;
            let highest = changed.iter().filter(|pixel| pixel.x == rim.x as u32).map(|pixel| pixel.y).min();
            (highest.expect("water in every column") as f32 + 0.5 - rim.y) / spacing
        })
        .collect();
    offs.sort_by(f32::total_cmp);
    let (low, middle, high) = (offs[4], offs[40], offs[76]);
    assert!(middle.abs() < 0.5, "the surface ends {middle} spacings too low");
    assert!(high - low < 0.35, "its end is no line: {offs:?} spacings too low");
}
