//! Solids and shadows under calm clear water, and the surface above them at a small angle.

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, UVec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::render::{Drawn, DrawnSolid, Look, Splatting, View};

use super::drawing::{Particles, SIZE, pixel_of};
use super::tank_walls::{LAYERS, LEVEL, SPACING, displaced_places, light_at, look};
use super::{draw, light_of};

/// A low block on the floor, the columns of the picture `at_a_slant` that cross its far rim, and the rows.
const BLOCK: [Vec3; 2] = [Vec3::new(-0.5, 0.0, 2.5), Vec3::new(0.5, 0.15, 3.5)];
const COLUMNS: Range<u32> = 100..150;
const ROWS: Range<u32> = 30..80;

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
fn water_beside(solid: [Vec3; 2]) -> Particles {
    water_where(solid, |_| true)
}

/// The part of that water in places for which `is_water` holds.
fn water_where([low, high]: [Vec3; 2], is_water: impl Fn(&Vec3) -> bool) -> Particles {
    let clear = 0.25 * SPACING;
    let is_outside = |place: &Vec3| place.cmplt(low - clear).any() || place.cmpgt(high + clear).any();
    let is_here = |place: &Vec3| is_outside(place) && is_water(place);
    let places = displaced_places(LAYERS, 0.1).into_iter().filter(is_here).collect::<Vec<_>>();
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

/// From above at a slant, so that the water shifts what is behind it.
fn at_a_slant(water: &Particles) -> RgbaImage {
    let view = View::perspective(Vec3::new(3.5, 3.5, 5.0), Vec3::new(0.0, 0.0, 3.0), 20.0, SIZE);
    draw(&view, &look(), &Drawn { solids: vec![solid(BLOCK)], ..water.drawn() })
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
    // From above, turned a little, so that the rims are at a slant.
    let view = View::perspective(Vec3::new(0.25, 5.0, 3.4), Vec3::new(0.0, 0.0, 3.0), 24.0, 2 * SIZE);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(BLOCK)], ..water_beside(BLOCK).drawn() });
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
fn beyond_the_rim_of_a_solid_there_is_no_second_rim() {
    let picture = at_a_slant(&water_beside(BLOCK));
    let darkest = |x: u32, rows: Range<u32>| rows.map(|y| light_at(&picture, x, y)).fold(f32::INFINITY, f32::min);
    let is_line = |x: u32, y: u32| light_at(&picture, x, y) > 1.1 * darkest(x, y - 3..y).max(darkest(x, y + 1..y + 4));
    let lines: Vec<_> = COLUMNS.flat_map(|x| ROWS.map(move |y| (x, y))).filter(|&(x, y)| is_line(x, y)).collect();
    assert!(lines.is_empty(), "parts of light lines at {lines:?}");
}

#[test]
fn water_behind_a_solid_is_no_part_of_that_in_front_of_it() {
    let (low, high) = (look().box_low, look().box_high);
    let wall = [Vec3::new(low.x, low.y, 2.6), Vec3::new(high.x, LEVEL + 0.2, 2.7)];
    // A sheet with air between it and the wall.
    let is_in_front = |place: &Vec3| (3.2..3.2 + 4.0 * SPACING).contains(&place.z);
    let in_front = water_where(wall, is_in_front);
    let also_behind = water_where(wall, |place| is_in_front(place) || place.z < wall[0].z);
    let view = View::perspective(Vec3::new(0.0, 0.5 * LEVEL, 9.0), Vec3::new(0.0, 0.5 * LEVEL, 3.0), 10.0, SIZE);
    for splatting in Splatting::ALL {
        let look = Look { splatting, ..look() };
        let light = |water: &Particles| {
            let picture = draw(&view, &look, &Drawn { solids: vec![solid(wall)], ..water.drawn() });
            light_of(&picture, SIZE / 2 - 4, 8)
        };
        for (one, both) in light(&in_front).into_iter().zip(light(&also_behind)) {
            assert!((both - one).abs() < 0.01 * one, "{splatting:?}: light of {both} instead of {one}");
        }
    }
}

#[test]
fn what_is_seen_through_water_and_air_in_turn_is_blurred() {
    // The greatest step between two pixels of a column that crosses the block's far rim, as a share of the difference
    // in light across it, in the mean.
    let sharpness = |water: &Particles| {
        let picture = at_a_slant(water);
        let step = |x: u32| {
            let column: Vec<f32> = ROWS.map(|y| light_at(&picture, x, y)).collect();
            let steepest = column.windows(2).map(|two| (two[1] - two[0]).abs()).fold(0.0, f32::max);
            steepest / (column[column.len() - 1] - column[0])
        };
        COLUMNS.map(step).sum::<f32>() / COLUMNS.len() as f32
    };
    let sharp = sharpness(&water_beside(BLOCK));
    let is_water = |place: &Vec3| (place.y / (2.0 * SPACING)) as u32 % 2 == 1;
    let blurred = sharpness(&water_where(BLOCK, is_water));
    assert!(blurred < 0.5 * sharp, "a step of {blurred} of the light, and {sharp} in water without air");
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
