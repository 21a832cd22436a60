//! Smooth edges of clear water, in front of the scene and in front of other water.

use glam::Vec3;
use nearwater::render::{Drawn, Look, Theme};

use super::drawing::{EYE, Particles, SIZE, away, forward};
use super::{axes, block, draw, water};

/// Distance of particles, m.
const SPACING: f32 = 0.05;
/// How far the edge is from upright, as a tangent.
const SLANT: f32 = 0.4;

/// A slab of water whose left edge crosses the middle of the picture at a slant.
fn slanted() -> Vec<Vec3> {
    let [right, up] = axes();
    let (along, across) = ((up + SLANT * right).normalize(), (right - SLANT * up).normalize());
    let place = |index: i32| {
        let [row, column, layer] = [index % 60 - 30, index / 60 % 20, index / 1200].map(|number| number as f32);
        EYE + 2.0 * forward() + SPACING * (row * along + column * across + layer * forward())
    };
    (0..1200 * 8).map(place).collect()
}

/// Water far behind, so inclined that it mirrors the sky.
fn behind() -> Vec<Vec3> {
    let [right, up] = axes();
    let place = |index: i32| {
        let [row, column, layer] =
            [index % 120 - 60, index / 120 % 160 - 80, index / 19_200].map(|number| number as f32);
        EYE + (5.0 + SPACING * (layer + 1.6 * row)) * forward() + SPACING * (row * up + column * right)
    };
    (0..19_200 * 4).map(place).collect()
}

/// How sudden the edge of the water in front is: the sum of the squared differences of adjacent pixels across it, in
/// squares of the difference between the ends of the line. An edge that is smooth over a pixel has 2/3 of that of a
/// step; what the water shows beside its edge adds to both.
///
/// The water stands in front of a wall of some brightness. It absorbs the more, the smaller the box is, whose edge is
/// twice `extent` m.
fn suddenness(places: &[Vec3], (brightness, extent): (f32, f32)) -> f64 {
    // Around the eye, so that no wall of the box is in front of the water.
    let (box_low, box_high) = (EYE - extent, EYE + extent);
    let particle_radius = Look::particle_radius_of(SPACING);
    let look = Look { theme: Theme::Light, box_low, box_high, particle_radius, ..water() };
    let wall = block(EYE + 9.0 * forward(), Vec3::new(20.0, 20.0, 0.2), Vec3::splat(brightness));
    let particles = Particles::new(places, |_| 0.0);
    let picture = draw(&away(), &look, &Drawn { solids: vec![wall], ..particles.drawn() });
    let light = |x: u32, y: u32| picture.get_pixel(x, y).0[..3].iter().map(|&byte| f64::from(byte)).sum::<f64>();
    let (mut squares, mut sides) = (0.0, 0.0);
    for y in 40..200 {
        let edge = (0.5 * SIZE.x as f32 - SLANT * (y as f32 - 0.5 * SIZE.y as f32)) as u32;
        // The spheres of the outermost particles reach some pixels farther.
        let line: Vec<f64> = (edge - 16..edge + 8).map(|x| light(x, y)).collect();
        squares += line.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>();
        sides += (line[line.len() - 1] - line[0]).powi(2);
    }
    squares / sides
}

#[test]
fn the_edge_of_water_in_front_of_a_wall_is_smooth() {
    let sudden = suddenness(&slanted(), (0.9, 0.25));
    assert!(sudden < 0.245, "{sudden}; without a smooth edge 0.275, and with it 0.215");
}

#[test]
fn the_edge_of_water_in_front_of_other_water_is_smooth() {
    let sudden = suddenness(&[slanted(), behind()].concat(), (0.02, 20.0));
    assert!(sudden < 2.65, "{sudden}; without a smooth edge 2.88, and with it 2.42");
}
