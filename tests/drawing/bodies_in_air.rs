//! Bodies of clear water that no wall and no floor touches, such as large drops: they are lenses.

use std::sync::Arc;

use glam::{Quat, UVec2, Vec3};
use nearwater::fluid::Mesh;
use nearwater::render::{Drawn, DrawnSolid, Look, Splatting, Theme, View};

use super::drawing::{Particles, SIZE, pixel_of};
use super::tank_walls::{SPACING, look};
use super::{draw, light_of};

const CENTER: Vec3 = Vec3::new(0.0, 0.5, 3.6);
/// Radius of the ball of water, m.
const RADIUS: f32 = 0.22;

/// A ball of particles, displaced from their lattice by up to a quarter of their distance.
fn ball() -> Particles {
    let mut seed = 1_u32;
    let mut displaced = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0.5 * ((seed >> 8) as f32 / (1 << 24) as f32) - 0.25
    };
    let mut places = Vec::new();
    for index in 0..11_i32.pow(3) {
        let cell = Vec3::new((index % 11 - 5) as f32, (index / 11 % 11 - 5) as f32, (index / 121 - 5) as f32);
        let place = SPACING * cell;
        if place.length() <= RADIUS - 0.5 * SPACING {
            places.push(CENTER + place + SPACING * Vec3::new(displaced(), displaced(), displaced()));
        }
    }
    Particles::new(&places, |_| 0.0)
}

/// A wall far behind the ball that fills the half of the picture on that side.
fn wall(side: f32, brightness: f32) -> DrawnSolid {
    let half = Vec3::new(4.0, 6.0, 0.1);
    DrawnSolid {
        surface: Arc::new(Mesh::cuboid(-half, half)),
        rotation: Quat::IDENTITY,
        translation: Vec3::new(4.0 * side, 6.0, -2.0),
        color: Vec3::splat(brightness),
    }
}

#[test]
fn a_ball_of_water_shows_what_is_behind_it_the_other_way_round() {
    let view = View::perspective(Vec3::new(0.0, 0.7, 9.0), CENTER, 30.0, 2 * SIZE);
    let ball = ball();
    for theme in Theme::ALL {
        for splatting in Splatting::ALL {
            let look = Look { splatting, theme, ..look() };
            let picture = draw(&view, &look, &Drawn { solids: vec![wall(-1.0, 0.05), wall(1.0, 0.9)], ..ball.drawn() });
            let light = |across: f32| {
                let pixel = pixel_of(&view, CENTER + across * RADIUS * Vec3::X).round().as_uvec2();
                light_of(&picture, pixel - UVec2::splat(1), 3)[1]
            };
            assert!(light(1.6) > 3.0 * light(-1.6), "the wall on the right is the bright one");
            let [left, right] = [-1.0, 1.0].map(|side| 0.5 * (light(0.35 * side) + light(0.55 * side)));
            assert!(left > 2.0 * right, "{theme:?}, {splatting:?}: {left} on the left and {right} on the right");
        }
    }
}
