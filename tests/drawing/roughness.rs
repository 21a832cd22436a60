//! What churned water mirrors: not a lamp or a cloud in one piece, as calm water does.

use glam::{UVec3, Vec2, Vec3};
use image::RgbaImage;
use nearwater::render::{Look, Theme, View};

use super::drawing::{EYE, Particles, SIZE, away, forward, pixel_of};
use super::moving::{at_rest, moving};
use super::tank_walls::{LAYERS, LEVEL, SPACING, look};
use super::{draw, middle_light, slab, water};

/// Half of the width of the churned water, m.
const HALF: f32 = 0.4;
/// Its middle, m.
const MIDDLE: Vec3 = Vec3::new(0.0, LEVEL, 3.0);

/// A number from 0 to 1 that differs from cell to cell.
fn chance(cell: UVec3) -> f32 {
    let seed = cell.x.wrapping_mul(73_856_093) ^ cell.y.wrapping_mul(19_349_663) ^ cell.z.wrapping_mul(83_492_791);
    let mixed = (seed ^ (seed >> 13)).wrapping_mul(0x5bd1_e995);
    ((mixed ^ (mixed >> 15)) >> 8) as f32 / (1 << 24) as f32
}

/// Water in the tank that is churned in the middle: heaps and holes three spacings wide, up to two spacings high or
/// deep.
fn churned() -> Particles {
    let place = |index: u32| {
        let cell = UVec3::new(index % 40, index / 1600, index / 40 % 40);
        let place = look().box_low + SPACING * (cell.as_vec3() + 0.5);
        let heap = UVec3::new(cell.x / 3, 0, cell.z / 3);
        let is_churned = (place - MIDDLE).with_y(0.0).abs().max_element() < HALF;
        let height = if is_churned { 4.0 * SPACING * (chance(heap) - 0.5) } else { 0.0 };
        (place.y < LEVEL + height).then_some(place)
    };
    let places: Vec<Vec3> = (0..40_u32.pow(2) * (LAYERS + 4)).filter_map(place).collect();
    Particles::new(&places, |_| 0.0)
}

/// Number of pixels of the churned water that are nearly white.
fn white(picture: &RgbaImage, view: &View) -> usize {
    let corners = [-1.0, 1.0].map(|side| pixel_of(view, MIDDLE + side * HALF * Vec3::new(1.0, 0.0, 1.0)));
    let (low, high) = (corners[0].min(corners[1]) - 12.0, corners[0].max(corners[1]) + 12.0);
    let is_inside = |at: Vec2| at.cmpge(low).all() && at.cmple(high).all();
    let pixels = picture.enumerate_pixels();
    let bright = pixels.filter(|(x, y, pixel)| is_inside(Vec2::new(*x as f32, *y as f32)) && pixel.0[0] > 150);
    bright.count()
}

#[test]
fn churned_water_mirrors_no_lamp_in_one_piece() {
    let look = Look { theme: Theme::Dark, ..look() };
    let particles = churned();
    let counts = [1.0, 1.15, 1.3].map(|height| {
        let view = View::perspective(Vec3::new(0.3, height, 5.8), MIDDLE, 36.0, 2 * SIZE);
        white(&draw(&view, &look, &particles.drawn()), &view)
    });
    assert!(counts.iter().sum::<usize>() < 750, "so many pixels are white from each height: {counts:?}");
}

#[test]
fn calm_water_mirrors_a_lamp_in_one_piece() {
    let look = Look { theme: Theme::Dark, ..water() };
    // There are six lamps around the room, 25 to 59 degrees high, and gaps between them.
    let light = |sixths: f32| {
        let (sin, cos) = (sixths * std::f32::consts::FRAC_PI_3).sin_cos();
        let lamp = Vec3::new(0.77 * cos, 0.64, 0.77 * sin);
        let normal = (lamp - forward()).normalize();
        let picture = draw(&away(), &look, &slab(EYE + 3.0 * forward(), -normal, 6).drawn());
        middle_light(&picture).iter().sum::<f64>()
    };
    for (lamp, gap) in [(3.5, 3.0), (5.5, 6.0)] {
        let lights = [light(lamp), light(gap)];
        // A lamp has a light of 7.5 in all channels, of which the surface mirrors at least 2 %.
        assert!(lights[0] > lights[1] + 0.1, "lamp and gap: {lights:?}");
    }
}

#[test]
fn the_foot_of_a_jet_mirrors_no_lamp_in_one_piece() {
    let look = Look { theme: Theme::Dark, ..look() };
    // A smooth heap, as jets throw up where they fall into water.
    let places: Vec<Vec3> = (0..40_u32.pow(2) * (LAYERS + 4))
        .filter_map(|index| {
            let cell = UVec3::new(index % 40, index / 1600, index / 40 % 40);
            let place = look.box_low + SPACING * (cell.as_vec3() + 0.5);
            let aside = (place - MIDDLE).with_y(0.0).length() / HALF;
            let height = 4.0 * SPACING * (-4.0 * aside * aside).exp();
            (place.y < LEVEL + 2.0 * SPACING).then_some(place + (height - 2.0 * SPACING) * Vec3::Y)
        })
        .filter(|place| place.y > 0.0)
        .collect();
    let view = View::perspective(Vec3::new(0.3, 1.0, 5.8), MIDDLE, 36.0, 2 * SIZE);
    let velocity = |index| 2.0 * (chance(UVec3::splat(index)) - 0.5) * Vec3::new(1.0, 2.0, 1.0);
    let heap = || Particles::new(&places, |_| 0.0);
    let particles = [at_rest(heap()), moving(heap(), velocity)];
    let [calm, churned] = particles.map(|particles| white(&draw(&view, &look, &particles.drawn()), &view));
    assert!(calm > 200, "a heap at rest mirrors a lamp in {calm} pixels");
    assert!(churned < 50, "a churned heap mirrors a lamp in {churned} pixels");
}
