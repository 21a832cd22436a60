//! The surface of clear water as seen from below, through the front of the tank: a mirror.

use glam::{UVec2, Vec2, Vec3};
use nearwater::render::{Look, Theme, View};

use super::draw;
use super::drawing::{Particles, SIZE, changed, difference, pixel_of};
use super::plate::pixels_of_plate;
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};
use super::total_reflection::seen_on_the_front;

/// The eye before the front wall, near the floor.
const EYE: Vec3 = Vec3::new(0.0, 0.1, 5.5);

fn view() -> View {
    View::perspective(EYE, Vec3::new(0.0, 0.4, 3.5), 36.0, 2 * SIZE)
}

#[test]
fn the_surface_mirrors_what_is_in_the_water_to_an_eye_below_it() {
    let view = view();
    let front = look().box_high.z;
    let (center, half) = (Vec3::new(0.2, 0.4, 2.3), Vec3::new(0.1, 0.08, 0.02));
    let seen = |point: Vec3| pixel_of(&view, seen_on_the_front(EYE, point, front));
    let expected = seen(Vec3::new(center.x, 2.0 * LEVEL - center.y, center.z));
    // What shows the plate above the far edge of the surface is its image.
    let far_edge = seen(Vec3::new(center.x, LEVEL, look().box_low.z));
    let shown = pixels_of_plate(&view, center, half);
    let shown: Vec<Vec2> = shown.into_iter().filter(|pixel| pixel.y < far_edge.y).collect();
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
