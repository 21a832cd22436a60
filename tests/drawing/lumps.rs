//! Lumps of a few particles of clear water: they are smooth and round, show what is behind them, and leave the water
//! behind them as it is.

use glam::{EulerRot, Quat, Vec2, Vec3};
use image::RgbaImage;
use nearwater::render::{Drawn, Look, Theme, View};

use super::drawing::{EYE, Particles, SIZE, away, changed, difference, forward, pixel_of};
use super::moving::at_rest;
use super::{axes, block, draw, light_of, water};

/// Distance of the lump from the eye, m.
const DISTANCE: f32 = 2.5;
/// Distance of its particles, m.
const SPACING: f32 = 0.08;
/// Half of the width of a lump of ten particles, m.
const REACH: f32 = 2.0 * SPACING;

/// A picture in which a particle is about ten pixels wide, and a texel of the coarse picture four.
fn view() -> View {
    View { size: 2 * SIZE, ..away() }
}

/// The look of lumps. Absorption is scaled to the box, which is so large that they are clear.
fn look() -> Look {
    let middle = EYE + DISTANCE * forward();
    let (box_low, box_high) = (middle - 20.0, middle + 20.0);
    Look { particle_radius: Look::particle_radius_of(SPACING), box_low, box_high, theme: Theme::Light, ..water() }
}

/// Places of `count` particles around `middle`, packed densely.
fn lump(middle: Vec3, count: usize) -> Vec<Vec3> {
    // Turned so that the packing has no axis in common with the picture.
    let turn = Quat::from_euler(EulerRot::XYZ, 0.5, 0.8, 0.3);
    let place = |index: i32| {
        let [x, y, z] = [index % 7, index / 7 % 7, index / 49].map(|number| (number - 3) as f32);
        let packed = Vec3::new(x + 0.5 * (y + z), 0.866 * y + 0.289 * z, 0.816 * z);
        SPACING * (turn * (packed - Vec3::new(0.4, 0.3, 0.2)))
    };
    let mut places: Vec<Vec3> = (0..343).map(place).collect();
    places.sort_by(|one, other| one.length().total_cmp(&other.length()));
    places.into_iter().take(count).map(|place| middle + place).collect()
}

/// Particles of lumps, with the densities that their distances give on the scale of [`look`], and others inside water.
fn particles(lumps: &[Vec3], others: &[Vec3]) -> Particles {
    // Wendland's kernel with a support of 2.2 spacings, relative to its sum over the neighbors inside water.
    let share = |distance: f32| {
        let q = distance / (2.2 * SPACING);
        if q < 1.0 { 0.457 * (1.0 - q).powi(4) * (1.0 + 4.0 * q) } else { 0.0 }
    };
    let sum = |place: &Vec3| lumps.iter().map(|other| share(place.distance(*other))).sum::<f32>();
    let densities: Vec<f32> = lumps.iter().map(|place| 10.0 * (sum(place) - share(0.0))).collect();
    let places: Vec<Vec3> = lumps.iter().chain(others).copied().collect();
    at_rest(Particles::new(&places, |index| densities.get(index).map_or(0.0, |density| 10.0 - density)))
}

/// A slab with waves that fills the picture, farther away towards the top, so that it mirrors the sky.
fn waves() -> Vec<Vec3> {
    let [right, up] = axes();
    let place = |index: i32| {
        let (row, column, layer) = (index % 60 - 30, index / 60 % 60 - 30, index / 3600);
        let wave = 0.04 * (0.3 * column as f32).sin() * (0.25 * row as f32).cos();
        let ahead = 3.6 + SPACING * layer as f32 + wave + 0.1 * row as f32;
        EYE + ahead * forward() + SPACING * (row as f32 * up + column as f32 * right)
    };
    (0..60 * 60 * 4).map(place).collect()
}

/// Pixels that a length covers at the distance of the lump.
fn pixels(length: f32) -> f32 {
    length / DISTANCE * 0.5 * view().size.y as f32 / 20_f32.to_radians().tan()
}

/// Mean linear light by channel in a square in the middle of a lump, or so many of its half widths above it.
fn light_in_lump(picture: &RgbaImage, above: f32) -> [f64; 3] {
    let middle = 0.5 * view().size.as_vec2() - Vec2::new(0.0, above * pixels(REACH));
    let half = 0.2 * pixels(REACH);
    light_of(picture, (middle - half).as_uvec2(), (2.0 * half) as u32)
}

#[test]
fn a_lump_shows_what_is_behind_it_upside_down() {
    let [_, up] = axes();
    let size = Vec3::new(12.0, 6.0, 0.2);
    let wall = |side: f32, color| block(EYE + 5.0 * forward() + side * 3.0 * up, size, color);
    let solids = vec![wall(1.0, Vec3::new(0.1, 0.1, 0.9)), wall(-1.0, Vec3::new(0.1, 0.9, 0.1))];
    for count in [5, 9] {
        let particles = particles(&lump(EYE + DISTANCE * forward(), count), &[]);
        let picture = draw(&view(), &look(), &Drawn { solids: solids.clone(), ..particles.drawn() });
        let is_blue = |above| {
            let light = light_in_lump(&picture, above);
            light[2] > light[1]
        };
        assert!(is_blue(2.5) && !is_blue(-2.5), "{count}: the upper wall is blue, and the lower one green");
        assert!(!is_blue(0.4) && is_blue(-0.4), "{count}: in the lump it is the other way round");
    }
}

#[test]
fn lumps_in_front_of_waves_leave_them_as_they_are() {
    let [right, _] = axes();
    let waves = waves();
    let middles = [-1.0, 0.0, 1.0].map(|across| EYE + DISTANCE * forward() + 0.7 * across * right);
    let lumps: Vec<Vec3> = middles.into_iter().flat_map(|middle| lump(middle, 8)).collect();
    let seen = |lumps: &[Vec3]| draw(&view(), &look(), &particles(lumps, &waves).drawn());
    let (alone, both) = (seen(&[]), seen(&lumps));
    let mut inside = 0;
    for pixel in changed(&alone, &both) {
        let by = difference(*alone.get_pixel(pixel.x, pixel.y), *both.get_pixel(pixel.x, pixel.y));
        let from_lumps = middles.map(|middle| pixel_of(&view(), middle).distance(pixel.as_vec2() + 0.5));
        let from_lump = from_lumps.into_iter().fold(f32::MAX, f32::min);
        // Waves are smoothed over more than a lump's width, with what is continued behind it.
        assert!(by <= 12 || from_lump < 1.3 * pixels(REACH), "{pixel} differs by {by}, {from_lump} pixels from a lump");
        inside += u32::from(by > 12);
    }
    assert!(inside > 300, "the lumps are seen in {inside} pixels");
}

#[test]
fn a_lump_shows_the_water_behind_it_and_not_only_the_wall_behind_that() {
    // A small box, because absorption is scaled to it. It is around the eye, so that its walls are not seen.
    let look = Look { box_low: EYE - 0.25, box_high: EYE + 0.25, ..look() };
    let wall = block(EYE + 9.0 * forward(), Vec3::new(20.0, 20.0, 0.2), Vec3::splat(0.8));
    let red = |lump: &[Vec3], others: &[Vec3]| {
        let particles = particles(lump, others);
        let drawn = Drawn { solids: vec![wall.clone()], ..particles.drawn() };
        light_in_lump(&draw(&view(), &look, &drawn), 0.0)[0]
    };
    let (lump, waves) = (lump(EYE + DISTANCE * forward(), 8), waves());
    let (with_lump, water, bare) = (red(&lump, &waves), red(&[], &waves), red(&[], &[]));
    assert!(water < 0.4 * bare, "the water absorbs red light: {water} through it, and {bare} without it");
    assert!(
        with_lump < 0.5 * (water + bare),
        "{with_lump} through the lump, {water} through the water alone, {bare} before"
    );
}
