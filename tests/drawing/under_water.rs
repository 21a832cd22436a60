//! Solids and shadows under calm clear water, and the surface above them at a small angle.

use std::sync::Arc;

use glam::{Quat, UVec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::render::{Drawn, DrawnSolid, Look, Splatting, View};

use super::drawing::{Particles, SIZE, pixel_of};
use super::tank_walls::{LAYERS, LEVEL, SPACING, displaced_places, light_at, look};
use super::{draw, light_of};

/// A solid without rotation between two corners.
fn solid([low, high]: [Vec3; 2]) -> DrawnSolid {
    DrawnSolid {
        surface: Arc::new(Mesh::cuboid(0.5 * (low - high), 0.5 * (high - low))),
        rotation: Quat::IDENTITY,
        translation: 0.5 * (low + high),
        color: Vec3::new(0.8, 0.7, 0.6),
    }
}

/// A step that fills the floor of the tank up to so many spacings below the surface of the water.
fn step(below: f32) -> [Vec3; 2] {
    [look().box_low, Vec3::new(look().box_high.x, LEVEL - below * SPACING, look().box_high.z)]
}

/// Calm water in the tank, beside and above a solid.
fn water_beside([low, high]: [Vec3; 2]) -> Particles {
    let clear = 0.25 * SPACING;
    let is_outside = |place: &Vec3| place.cmplt(low - clear).any() || place.cmpgt(high + clear).any();
    let places = displaced_places(LAYERS, 0.1).into_iter().filter(is_outside).collect::<Vec<_>>();
    Particles::new(&places, |_| 0.0)
}

/// The pixels of a rectangle that are clearly darker than all those four pixels beside them.
fn dark_specks(picture: &RgbaImage, low: UVec2, high: UVec2) -> Vec<UVec2> {
    assert!(low.cmplt(high).all(), "a rectangle from {low} to {high}");
    let is_speck = |pixel: &UVec2| {
        let beside = [*pixel + 4 * UVec2::X, *pixel - 4 * UVec2::X, *pixel + 4 * UVec2::Y, *pixel - 4 * UVec2::Y];
        let darkest = beside.iter().map(|&there| light_at(picture, there.x, there.y)).fold(f32::INFINITY, f32::min);
        light_at(picture, pixel.x, pixel.y) < 0.85 * darkest
    };
    (low.y..high.y).flat_map(|y| (low.x..high.x).map(move |x| UVec2::new(x, y))).filter(is_speck).collect()
}

/// From the front, little above the water.
fn along_the_surface() -> View {
    View::perspective(Vec3::new(0.3, LEVEL + 0.5, 9.0), Vec3::new(0.0, LEVEL, 3.0), 20.0, 3 * SIZE)
}

#[test]
fn a_step_under_water_has_no_holes_where_it_is_seen_along_itself() {
    let view = along_the_surface();
    let step = step(3.0);
    let water = water_beside(step);
    for splatting in Splatting::ALL {
        let look = Look { splatting, ..look() };
        let picture = draw(&view, &look, &Drawn { solids: vec![solid(step)], ..water.drawn() });
        let corner = |x: f32, z: f32| pixel_of(&view, Vec3::new(x, LEVEL, z)).as_uvec2();
        let specks = dark_specks(&picture, corner(-0.6, 2.4), corner(0.6, 3.7));
        assert!(specks.is_empty(), "{splatting:?}: dark specks at {specks:?}");
    }
}

#[test]
fn the_surface_right_before_a_far_wall_shows_what_it_shows_farther_away() {
    let view = along_the_surface();
    let step = step(3.0);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(step)], ..water_beside(step).drawn() });
    let light = |x: f32, z: f32| {
        let pixel = pixel_of(&view, Vec3::new(x, LEVEL, z)).as_uvec2();
        light_at(&picture, pixel.x, pixel.y)
    };
    let places: Vec<f32> = (-80..=80).map(|index| 0.01 * index as f32).collect();
    let dark = places.iter().filter(|&&x| light(x, 2.15) < 0.75 * light(x, 2.6)).count();
    assert!(10 * dark < places.len(), "in {dark} of {} places it is darker", places.len());
}

#[test]
fn the_edge_of_a_step_in_the_mirror_of_a_wall_is_no_dotted_line() {
    let step = step(6.0);
    // Through the front wall; behind it, the wall on the left is a mirror.
    let view = View::perspective(Vec3::new(2.5, LEVEL + 0.3, 9.0), Vec3::new(0.0, 0.5, 3.0), 22.0, 3 * SIZE);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(step)], ..water_beside(step).drawn() });
    let corner = |x: f32, y: f32| pixel_of(&view, Vec3::new(x, y, look().box_high.z)).as_uvec2();
    let specks = dark_specks(&picture, corner(-0.9, LEVEL - 0.2), corner(0.2, step[1].y + 0.02));
    assert!(specks.is_empty(), "dark specks at {specks:?}");
}

#[test]
fn rims_of_solids_in_water_are_smooth() {
    let low = Vec3::new(-0.5, 0.0, 2.5);
    let block = [low, low + Vec3::new(1.0, 0.15, 1.0)];
    // From above, turned a little, so that the rims are at a slant.
    let view = View::perspective(Vec3::new(0.25, 5.0, 3.4), Vec3::new(0.0, 0.0, 3.0), 24.0, 2 * SIZE);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(block)], ..water_beside(block).drawn() });
    let (mut crossings, mut specks) = (0, 0);
    for y in 150..330 {
        for x in 100..540 {
            let across: Vec<f32> = (0..7).map(|index| light_at(&picture, x + index, y)).collect();
            let is_speck = |three: &[f32]| (three[1] - three[0]) * (three[1] - three[2]) > 225.0;
            if (across[6] - across[0]).abs() > 100.0 {
                crossings += 1;
                specks += usize::from(across.windows(3).any(is_speck));
            }
        }
    }
    assert!(crossings > 1000, "a rim crosses {crossings} rows of seven pixels");
    assert!(
        10 * specks < crossings,
        "{specks} of {crossings} rows across a rim contain specks; without smoothing, 630"
    );
}

#[test]
fn water_colors_the_light_in_the_shadows_on_its_floor() {
    // A lid above the tank, which takes all of the sun from its floor.
    let lid = solid([Vec3::new(-3.0, 1.3, 1.0), Vec3::new(3.0, 1.4, 6.0)]);
    let view = View::perspective(Vec3::new(0.0, 1.15, 6.5), Vec3::new(0.0, 0.0, 3.0), 20.0, SIZE);
    let water = Particles::new(&displaced_places(6, 0.1), |_| 0.0);
    let picture = draw(&view, &look(), &Drawn { solids: vec![lid], ..water.drawn() });
    let light = light_of(&picture, SIZE / 2 - 20, 40);
    let red = light[0] / light[2];
    assert!(red < 0.145, "{red} times as much red as blue light; 0.165 if the floor got the sky's light unabsorbed");
}
