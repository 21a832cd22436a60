//! Single drops of clear water, which are seen as balls of glass, and what is seen around them.

use glam::{UVec2, Vec2, Vec3};
use image::RgbaImage;
use nearwater::render::{Drawn, Lighting, Look};

use super::drawing::{EYE, Particles, SIZE, away, changed, difference, forward, pixel_of};
use super::moving::at_rest;
use super::{axes, block, draw, light_of, water};

/// Distance of the drop from the eye, m.
const DISTANCE: f32 = 2.0;
/// Width of the particle that the drop consists of, m.
const SPACING: f32 = 0.4;

/// The look of large drops. Absorption is scaled to the box, which is so large that they are clear.
fn look() -> Look {
    let (box_low, box_high) = (Vec3::new(-20.0, 0.0, 2.0), Vec3::new(20.0, 10.0, 42.0));
    Look { particle_radius: Look::particle_radius_of(SPACING), box_low, box_high, ..water() }
}

/// A drop in the middle of the picture of [`away`], with the density of a particle without neighbors.
fn drop() -> Particles {
    Particles::new(&[EYE + DISTANCE * forward()], |_| 10.0)
}

/// Half of the drop's width in the picture, pixels: its radius is 0.45 of that of a drawn particle.
fn radius() -> f32 {
    0.45 * look().particle_radius / DISTANCE * 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan()
}

/// Mean linear light by channel in the square of half the drop's width around a place beside its middle, in its radii.
fn light_beside(picture: &RgbaImage, aside: Vec2) -> [f64; 3] {
    let middle = 0.5 * SIZE.as_vec2() + aside * radius();
    let half = (0.25 * radius()) as i32;
    light_of(picture, (middle - half as f32).as_uvec2(), (2 * half) as u32)
}

#[test]
fn a_drop_in_front_of_a_bright_wall_is_no_dark_blot() {
    let wall = block(EYE + 6.0 * forward(), Vec3::new(14.0, 14.0, 0.2), Vec3::splat(0.8));
    let light = |particles: &Particles| {
        let picture = draw(&away(), &look(), &Drawn { solids: vec![wall.clone()], ..particles.drawn() });
        light_beside(&picture, Vec2::ZERO)
    };
    let (seen, without) = (light(&drop()), light(&Particles::at(&[])));
    for (channel, (seen, without)) in seen.into_iter().zip(without).enumerate() {
        assert!(
            (seen / without - 1.0).abs() < 0.15,
            "channel {channel}: {seen} through the drop, {without} without it"
        );
    }
}

#[test]
fn a_drop_shows_what_is_behind_it_upside_down() {
    let [_, up] = axes();
    let size = Vec3::new(12.0, 6.0, 0.2);
    let wall = |side: f32, color| block(EYE + 5.0 * forward() + side * 3.0 * up, size, color);
    let solids = vec![wall(1.0, Vec3::new(0.1, 0.1, 0.9)), wall(-1.0, Vec3::new(0.1, 0.9, 0.1))];
    let picture = draw(&away(), &look(), &Drawn { solids, ..drop().drawn() });
    let is_blue = |light: [f64; 3]| light[2] > light[1];
    let beside = |radii: f32| is_blue(light_beside(&picture, Vec2::new(0.0, -radii)));
    assert!(beside(2.5) && !beside(-2.5), "the upper wall is blue, and the lower one green");
    assert!(!beside(0.5) && beside(-0.5), "in the drop it is the other way round");
}

/// A wavy slab that fills the picture of [`away`], of particles inside the water.
fn waves() -> Vec<Vec3> {
    let [right, up] = axes();
    let mut places = Vec::new();
    for index in 0..60 * 90 * 5_i32 {
        let (row, column, layer) = (index % 60 - 30, index / 60 % 90 - 45, index / 5400);
        let wave = 0.06 * (0.45 * column as f32).sin() * (0.4 * row as f32).cos();
        let ahead = 3.0 + 0.06 * layer as f32 + wave + 0.8 * (0.06 * row as f32);
        places.push(EYE + ahead * forward() + 0.06 * (row as f32 * up + column as f32 * right));
    }
    places
}

#[test]
fn drops_in_front_of_waves_leave_them_as_they_are() {
    // Without the sun, whose light the drops would scatter.
    let lighting = Lighting { key: Vec3::ZERO, ..Lighting::default() };
    let look = Look { lighting, particle_radius: Look::particle_radius_of(0.06), ..water() };
    let places = waves();
    let count = places.len();
    let [right, _] = axes();
    let drops = (-6..=6).map(|number| EYE + 2.85 * forward() + 0.15 * number as f32 * right);
    let with_drop: Vec<Vec3> = places.iter().copied().chain(drops.clone()).collect();
    let [alone, both] =
        [Particles::new(&places, |_| 0.0), Particles::new(&with_drop, |index| 10.0 * f32::from(index >= count))]
            .map(|particles| draw(&away(), &look, &particles.drawn()));
    let mut inside = 0;
    for pixel in changed(&alone, &both) {
        let by = difference(*alone.get_pixel(pixel.x, pixel.y), *both.get_pixel(pixel.x, pixel.y));
        let center = pixel.as_vec2() + 0.5;
        let from_drop = drops.clone().map(|drop| pixel_of(&away(), drop).distance(center)).fold(f32::MAX, f32::min);
        // A drop is some ten pixels long.
        assert!(by <= 3 || from_drop < 9.0, "{pixel} differs by {by}, {from_drop} pixels from a drop");
        inside += u32::from(by > 3);
    }
    assert!(inside > 100, "the drops are seen in {inside} pixels");
}

#[test]
fn drops_of_a_stream_are_seen_as_one_strand() {
    const SPACING: f32 = 0.05;
    let look = Look { particle_radius: Look::particle_radius_of(SPACING), ..look() };
    let middle = EYE + DISTANCE * forward();
    // One behind another along their velocity, farther apart than in water, with a fifth of its density.
    let stream = (-4..=4).map(|number| middle + 1.5 * SPACING * number as f32 * Vec3::Y).collect::<Vec<_>>();
    let [seen, without] = [Particles::new(&stream, |_| 8.0), Particles::at(&[])]
        .map(|particles| draw(&away(), &look, &particles.drawn()));
    let changed = changed(&seen, &without);
    let [upper, lower] = [stream[8], stream[0]].map(|place| pixel_of(&away(), place).as_uvec2());
    for y in upper.y..=lower.y {
        let width = changed.iter().filter(|pixel| pixel.y == y && pixel.x.abs_diff(upper.x) < 8).count();
        assert!((1..8).contains(&width), "the strand is {width} pixels wide in row {y}");
    }
}

#[test]
fn drops_leave_no_bars_in_the_water_behind_them() {
    let [right, up] = axes();
    // Water that absorbs much, because the box is small, in front of a bright wall. The box is aside of the picture.
    let aside = EYE + 3.0 * forward() + 6.0 * right;
    let (box_low, box_high) = (aside - 0.25, aside + 0.25);
    let look = Look { box_low, box_high, particle_radius: Look::particle_radius_of(0.06), ..water() };
    let wall = block(EYE + 9.0 * forward(), Vec3::new(20.0, 20.0, 0.2), Vec3::splat(0.9));
    let waves = waves();
    // A curtain of drops, so dense that it leaves few holes.
    let mut seed = 1_u32;
    let mut holes: Vec<bool> = Vec::new();
    holes.resize_with(20 * 50, || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8 < (1 << 24) / 25
    });
    let curtain = (0..40 * 100).filter(|index| !holes[index / 80 * 20 + index % 40 / 2]).map(|index| {
        let place = 0.017 * Vec2::new((index % 40) as f32 - 19.5, (index / 40) as f32 - 49.5);
        EYE + 2.0 * forward() + place.x * right + place.y * up
    });
    let places: Vec<Vec3> = waves.iter().copied().chain(curtain).collect();
    let particles = at_rest(Particles::new(&places, |index| 10.0 * f32::from(index >= waves.len())));
    let picture = draw(&away(), &look, &Drawn { solids: vec![wall], ..particles.drawn() });
    let columns = SIZE.x / 2 - 30..SIZE.x / 2 + 30;
    let red = |y: u32| columns.clone().map(|x| light_of(&picture, UVec2::new(x, y), 1)[0]).sum::<f64>() / 60.0;
    let rows: Vec<f64> = (50..SIZE.y - 50).map(red).collect();
    // How much a row differs from the mean of those around it.
    let off = |rows: &[f64]| (rows[3] - rows.iter().sum::<f64>() / 7.0).abs();
    let farthest = rows.windows(7).map(off).fold(0.0, f64::max);
    assert!(farthest < 0.03, "a row's light differs by {farthest} from that of the rows around it");
}

#[test]
fn small_drops_that_overlap_are_no_pattern_of_dots() {
    let look = Look { particle_radius: Look::particle_radius_of(0.05), ..look() };
    let radius = 0.45 * look.particle_radius;
    let [right, up] = axes();
    // A dense packing of overlapping outlines.
    let place = |index: i32| {
        let (row, column) = (index / 31 - 15, index % 31 - 15);
        let across = column as f32 + 0.5 * (row & 1) as f32;
        EYE + DISTANCE * forward() + 1.6 * radius * (across * right + 0.866 * row as f32 * up)
    };
    let particles = at_rest(Particles::new(&(0..31 * 31).map(place).collect::<Vec<_>>(), |_| 10.0));
    let picture = draw(&away(), &look, &particles.drawn());
    let half = (12.0 * radius / DISTANCE * 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan()) as u32;
    let (low, high) = (SIZE / 2 - half, SIZE / 2 + half);
    let mut lights: Vec<f64> = (low.y..high.y)
        .flat_map(|y| (low.x..high.x).map(move |x| UVec2::new(x, y)))
        .map(|pixel| light_of(&picture, pixel, 1).iter().sum())
        .collect();
    lights.sort_by(f64::total_cmp);
    let [dark, bright] = [lights.len() / 50, lights.len() - 1 - lights.len() / 50].map(|at| lights[at]);
    assert!(bright < 2.0 * dark, "the brightest pixels have a light of {bright}, and the darkest ones of {dark}");
}

/// The look of drops that are as many pixels wide as `radius` says, and pictures of one at rest in the middle and of
/// none.
fn small_drop(radius: f32, aside: Vec2) -> [RgbaImage; 2] {
    let pixel = DISTANCE / (0.5 * SIZE.y as f32 / 20_f32.to_radians().tan());
    let look = Look { particle_radius: radius * pixel / 0.45, ..look() };
    let [right, up] = axes();
    let place = EYE + DISTANCE * forward() + pixel * (aside.x * right + aside.y * up);
    [vec![place], vec![]].map(|places| draw(&away(), &look, &at_rest(Particles::new(&places, |_| 10.0)).drawn()))
}

#[test]
fn small_drops_are_no_flakes_with_an_outline() {
    let radius = 4.5;
    let [seen, without] = small_drop(radius, Vec2::ZERO);
    // Mean differences to the picture without the drop, in its middle and in a ring inside its outline.
    let [middle, ring] = [0.0..0.4, 0.65..0.9].map(|range| {
        let pixels = (0..SIZE.x * SIZE.y).map(|index| UVec2::new(index % SIZE.x, index / SIZE.x));
        let from_middle = |pixel: &UVec2| (pixel.as_vec2() + 0.5).distance(0.5 * SIZE.as_vec2()) / radius;
        let inside: Vec<UVec2> = pixels.filter(|pixel| range.contains(&from_middle(pixel))).collect();
        let light = |picture: &RgbaImage, pixel: UVec2| light_of(picture, pixel, 1).iter().sum::<f64>();
        inside.iter().map(|&pixel| (light(&seen, pixel) - light(&without, pixel)).abs()).sum::<f64>()
            / inside.len() as f64
    });
    assert!(middle > 0.01, "it is seen: {middle}");
    assert!(ring < 1.2 * middle, "light differs by {ring} next to its outline, and by {middle} in its middle");
}

#[test]
fn the_suns_image_in_a_small_drop_is_no_white_pixel() {
    let brightest = [0.0, 0.2, 0.4, 0.6, 0.8].map(|part| {
        let [seen, _] = small_drop(6.5, Vec2::new(part, 0.7 * part));
        let bytes = seen.pixels().map(|pixel| pixel.0[0].min(pixel.0[2]));
        bytes.max().expect("pixels")
    });
    assert!(brightest.iter().all(|&byte| byte < 150), "the brightest pixels: {brightest:?}");
}
