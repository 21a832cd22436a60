//! Solids and shadows on the floor, seen through calm clear water.

use std::sync::Arc;

use glam::{Quat, UVec2, Vec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::render::{Drawn, DrawnSolid, Theme, View};

use super::drawing::{Particles, SIZE, pixel_of};
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};
use super::{draw, light_of};

/// A solid without rotation between two corners.
fn solid(low: Vec3, high: Vec3) -> DrawnSolid {
    DrawnSolid {
        surface: Arc::new(Mesh::cuboid(0.5 * (low - high), 0.5 * (high - low))),
        rotation: Quat::IDENTITY,
        translation: 0.5 * (low + high),
        color: Vec3::new(0.8, 0.7, 0.6),
    }
}

/// Calm water that fills the tank up to `LEVEL`, beside and above solids.
fn water_beside(solids: &[(Vec3, Vec3)]) -> Particles {
    let clear = 0.5 * SPACING;
    let is_outside = |place: &Vec3| {
        solids.iter().all(|&(low, high)| place.cmplt(low - clear).any() || place.cmpgt(high + clear).any())
    };
    Particles::new(&places(LAYERS).into_iter().filter(is_outside).collect::<Vec<_>>(), |_| 0.0)
}

fn light_at(picture: &RgbaImage, pixel: UVec2) -> f32 {
    picture.get_pixel(pixel.x, pixel.y).0[..3].iter().map(|&byte| f32::from(byte)).sum()
}

/// How many pixels of a rectangle are darker than all those `reach` pixels beside them.
fn dark_specks(picture: &RgbaImage, low: UVec2, high: UVec2, reach: u32) -> usize {
    let is_speck = |pixel: &UVec2| {
        let right = reach * UVec2::X;
        let down = reach * UVec2::Y;
        let beside = [*pixel + right, *pixel - right, *pixel + down, *pixel - down];
        let darkest = beside.iter().map(|&there| light_at(picture, there)).fold(f32::INFINITY, f32::min);
        light_at(picture, *pixel) < darkest - 40.0
    };
    (low.y..high.y).flat_map(|y| (low.x..high.x).map(move |x| UVec2::new(x, y))).filter(is_speck).count()
}

#[test]
fn a_step_under_water_has_no_holes_where_it_is_seen_along_itself() {
    let step = (look().box_low, Vec3::new(look().box_high.x, LEVEL - 3.0 * SPACING, look().box_high.z));
    // The eye is little higher than the water.
    let view = View::perspective(Vec3::new(0.3, LEVEL + 0.5, 9.0), Vec3::new(0.0, LEVEL, 3.0), 26.0, 2 * SIZE);
    let drawn = water_beside(&[step]);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(step.0, step.1)], ..drawn.drawn() });
    let corner = |x: f32, z: f32| pixel_of(&view, Vec3::new(x, LEVEL, z)).as_uvec2();
    let (far, near) = (corner(-0.7, 2.3), corner(0.7, 3.8));
    picture.save("/tmp/v/step.png").ok();
    let specks = dark_specks(&picture, far, near, 4);
    assert!(specks == 0, "{specks} of the pixels from {far} to {near} are dark specks");
}

#[test]
fn the_edge_of_a_step_in_the_mirror_of_a_wall_is_no_dotted_line() {
    let step = (look().box_low, Vec3::new(look().box_high.x, LEVEL - 6.0 * SPACING, look().box_high.z));
    // Through the front wall, whose light the left wall and the one behind mirror.
    let view = View::perspective(Vec3::new(2.5, LEVEL + 0.3, 9.0), Vec3::new(0.0, 0.5, 3.0), 22.0, 3 * SIZE);
    let drawn = water_beside(&[step]);
    let look = nearwater::render::Look { theme: Theme::Dark, ..look() };
    let picture = draw(&view, &look, &Drawn { solids: vec![solid(step.0, step.1)], ..drawn.drawn() });
    let corner = |x: f32, y: f32| pixel_of(&view, Vec3::new(x, y, look.box_high.z)).as_uvec2();
    let (low, high) = (corner(-0.9, LEVEL - 0.1), corner(0.9, LEVEL - 6.0 * SPACING + 0.03));
    picture.save("/tmp/v/mirror.png").ok();
    let specks = dark_specks(&picture, low, high, 4);
    assert!(specks == 0, "{specks} of the pixels from {low} to {high} are dark specks");
}

#[test]
fn rims_of_solids_in_water_are_smooth() {
    let low = Vec3::new(-0.5, 0.0, 2.5);
    let block = (low, low + Vec3::new(1.0, 0.15, 1.0));
    let drawn = water_beside(&[block]);
    // From above, turned a little, so that the rims are at a slant.
    let eye = Vec3::new(0.25, 5.0, 3.4);
    let view = View::perspective(eye, Vec3::new(0.0, 0.0, 3.0), 24.0, 2 * SIZE);
    let picture = draw(&view, &look(), &Drawn { solids: vec![solid(block.0, block.1)], ..drawn.drawn() });
    picture.save("/tmp/v/rims.png").ok();
    let _ = Vec2::ZERO;
}

#[test]
fn water_colors_the_light_in_the_shadows_on_its_floor() {
    // A lid above the water, which takes all of the sun from the floor under it.
    let lid = solid(Vec3::new(-1.4, 1.3, 1.6), Vec3::new(1.4, 1.4, 4.4));
    let view = View::perspective(Vec3::new(0.0, 1.15, 6.5), Vec3::new(0.0, 0.0, 3.0), 20.0, SIZE);
    let picture = |particles: &Particles| {
        draw(&view, &look(), &Drawn { solids: vec![lid.clone()], ..particles.drawn() })
    };
    picture(&water_beside(&[])).save("/tmp/v/lid.png").ok();
    let _ = light_of(&picture(&water_beside(&[])), UVec2::ZERO, 4);
}
