//! Walls of the tank that mirror the water inside, as the sides of an aquarium do for those who look in at its front.

use std::sync::Arc;

use glam::{Quat, UVec2, Vec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::render::{Drawn, DrawnSolid, Look, Splatting, Theme, View};

use super::drawing::{Particles, SIZE, pixel_of};
use super::plate::pixels_of_plate;
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};
use super::{INDEX, block, draw, light_of};

/// The eye before the front wall, below the level of the water.
const EYE: Vec3 = Vec3::new(-1.5, 0.4, 9.0);

fn view() -> View {
    View::perspective(EYE, Vec3::new(0.0, 0.4, 3.0), 30.0, 2 * SIZE)
}

/// The look in front of a bright background: in front of a dark one, water scatters more light than it absorbs.
fn bright() -> Look {
    Look { theme: Theme::Light, ..look() }
}

/// Mean linear light of a small square around what is seen at a point.
fn light_at(picture: &RgbaImage, view: &View, point: Vec3) -> [f64; 3] {
    light_of(picture, pixel_of(view, point).round().as_uvec2() - UVec2::splat(2), 4)
}

#[test]
fn water_does_not_fade_towards_the_walls_that_it_touches() {
    let (view, look) = (view(), bright());
    let (water, nothing) = (Particles::new(&places(LAYERS), |_| 0.0), Particles::at(&[]));
    for splatting in Splatting::ALL {
        let look = Look { splatting, ..look };
        let [full, empty] = [&water, &nothing].map(|particles| draw(&view, &look, &particles.drawn()));
        // The share of the red light that the water leaves, which it absorbs most.
        let left = |across: f32| {
            let place = Vec3::new(across, 0.75 * LEVEL, look.box_high.z);
            light_at(&full, &view, place)[0] / light_at(&empty, &view, place)[0]
        };
        for side in [-1.0, 1.0] {
            let inside = left(0.5 * side);
            assert!(inside < 0.7, "{splatting:?}: far from the wall {inside} of the light is left");
            for distance in [0.02, 0.05, 0.1, 0.2] {
                let beside = left(side * (1.0 - distance));
                let near = format!("{splatting:?}: {distance} m from the wall {beside}, and far from it {inside}");
                assert!((beside - inside).abs() < 0.3 * (1.0 - inside), "{near} of the light is left");
            }
        }
    }
}

#[test]
fn walls_mirror_what_is_in_the_water_where_snells_law_says() {
    let (view, look) = (view(), look());
    // A plate that shows its wide side, because hidden sides are not in the picture that rays are followed in.
    let (center, half) = (Vec3::new(0.75, 0.3, 2.5), Vec3::new(0.1, 0.1, 0.02));
    let wall = look.box_high.x;
    let image = Vec3::new(2.0 * wall - center.x, center.y, center.z);
    let expected = pixel_of(&view, seen_on_the_front(EYE, image, look.box_high.z));
    // What shows the plate beside its image is the plate itself, left of the wall's far edge.
    let far_edge = pixel_of(&view, seen_on_the_front(EYE, Vec3::new(wall, center.y, look.box_low.z), look.box_high.z));
    let shown = pixels_of_plate(&view, center, half);
    let shown: Vec<Vec2> = shown.into_iter().filter(|pixel| pixel.x > far_edge.x).collect();
    assert!(shown.len() > 50, "only {} pixels show a mirrored plate", shown.len());
    let middle = shown.iter().sum::<Vec2>() / shown.len() as f32;
    assert!(middle.distance(expected) < 4.0, "the mirrored plate is seen at {middle} and not at {expected}");
}

/// A sheet of water against the wall on the right, as thick as so many particles and as high as the tank.
fn sheet(layers: u32) -> Particles {
    let within = look().box_high.x - SPACING * layers as f32;
    Particles::new(&places(20).into_iter().filter(|place| place.x > within).collect::<Vec<_>>(), |_| 0.0)
}

#[test]
fn light_stays_in_a_sheet_between_its_two_sides() {
    let (view, look) = (view(), look());
    let (full, nothing) = (Particles::new(&places(20), |_| 0.0), Particles::at(&[]));
    let [full, sheet, empty] = [&full, &sheet(5), &nothing].map(|particles| draw(&view, &look, &particles.drawn()));
    for height in [0.2, 0.4, 0.6, 0.8] {
        for distance in [0.05, 0.1, 0.15] {
            let place = Vec3::new(look.box_high.x - distance, height, look.box_high.z);
            let [full, sheet, empty] = [&full, &sheet, &empty].map(|picture| light_at(picture, &view, place));
            let absorbed = |light: [f64; 3]| 1.0 - light[0] / empty[0];
            let (full, sheet) = (absorbed(full), absorbed(sheet));
            assert!(
                (sheet - full).abs() < 0.3 * full,
                "at {place} the sheet absorbs {sheet} of the light, and a full tank {full}"
            );
        }
    }
}

#[test]
fn no_hard_border_is_seen_where_a_sheet_begins_to_mirror() {
    // Through the sheet, and near its far edge onto the wall behind that edge.
    let eye = Vec3::new(7.0, 0.5, 5.5);
    let view = View::perspective(eye, Vec3::new(1.0, 0.5, 2.6), 20.0, 2 * SIZE);
    let look = Look { theme: Theme::Light, ..look() };
    let picture = draw(&view, &look, &sheet(6).drawn());
    let at = |height: f32, z: f32| pixel_of(&view, Vec3::new(look.box_high.x, height, z)).as_uvec2();
    let light = |x: u32, y: u32| picture.get_pixel(x, y).0[..3].iter().map(|&byte| f32::from(byte)).sum::<f32>();
    let mut steps: Vec<f32> = Vec::new();
    for row in 0..60 {
        let height = 0.6 + 0.005 * row as f32;
        let (from, to) = (at(height, 3.2), at(height, look.box_low.z + 0.02));
        let step = (from.x..to.x).map(|x| (light(x + 1, from.y) - light(x, from.y)).abs()).fold(0.0, f32::max);
        steps.push(step);
    }
    steps.sort_by(f32::total_cmp);
    assert!(steps[30] < 20.0, "light changes by {} of 765 from one pixel to the next", steps[30]);
}

#[test]
fn water_does_not_fade_towards_a_far_wall_that_mirrors() {
    // So steep that light meets the far wall at more than the critical angle.
    let view = View::perspective(Vec3::new(0.2, 5.0, 7.6), Vec3::new(0.0, LEVEL, 3.0), 24.0, 2 * SIZE);
    let look = bright();
    let [full, empty] = [Particles::new(&places(LAYERS), |_| 0.0), Particles::at(&[])]
        .map(|particles| draw(&view, &look, &particles.drawn()));
    let absorbed = |across: f32, spacings: f32| {
        let pixel = pixel_of(&view, Vec3::new(across, LEVEL, look.box_low.z + spacings * SPACING)).as_uvec2();
        let [full, empty] = [&full, &empty].map(|picture| light_of(picture, pixel, 1)[0]);
        1.0 - full / empty
    };
    let inside = (-70..=70).map(|across| absorbed(0.01 * across as f32, 4.0)).sum::<f64>() / 141.0;
    assert!(inside > 0.2, "far from the wall {inside} of the red light is absorbed");
    for spacings in [0.6, 1.0, 1.5, 2.0, 3.0] {
        let mut shares: Vec<f64> = (-70..=70).map(|across| absorbed(0.01 * across as f32, spacings) / inside).collect();
        shares.sort_by(f64::total_cmp);
        assert!(shares[7] > 0.5, "{spacings} spacings from the wall {} of that is absorbed", shares[7]);
    }
}

#[test]
fn a_far_wall_mirrors_the_top_of_a_high_solid_below_the_water() {
    // Half way along what the wall mirrors, to the floor of the tank, is within the solid, whose front is seen there.
    let look = Look { box_low: look().box_low.with_y(-2.0), ..look() };
    let top = 0.5 * LEVEL;
    let surface = Arc::new(Mesh::cuboid(look.box_low, look.box_high.with_y(top)));
    let step = DrawnSolid { surface, rotation: Quat::IDENTITY, translation: Vec3::ZERO, color: Vec3::X };
    let water = Particles::new(&places(LAYERS).into_iter().filter(|place| place.y > top).collect::<Vec<_>>(), |_| 0.0);
    for eye in [Vec3::new(-5.0, 2.4, 6.5), Vec3::new(-4.0, 3.0, 6.5)] {
        let view = View::perspective(eye, Vec3::new(0.0, LEVEL, 2.6), 24.0, 2 * SIZE);
        let picture = draw(&view, &look, &Drawn { solids: vec![step.clone()], ..water.drawn() });
        // The share of red light: what is seen beyond the tank has none of the solid's color.
        let red = |across: f32, spacings: f32| {
            let place = Vec3::new(across, LEVEL, look.box_low.z + spacings * SPACING);
            let [red, green, blue] = light_of(&picture, pixel_of(&view, place).as_uvec2(), 1);
            red / (red + green + blue)
        };
        let inside = red(0.0, 15.0);
        assert!(inside > 0.5, "from {eye} the solid is seen in {inside} of red light");
        for spacings in [0.6, 1.0, 2.0, 3.0, 4.0] {
            let mut shares: Vec<f64> = (-80..=80).map(|across| red(0.01 * across as f32, spacings) / inside).collect();
            shares.sort_by(f64::total_cmp);
            assert!(shares[8] > 0.7, "from {eye}, {spacings} spacings from the wall, {} of that is left", shares[8]);
        }
    }
}

#[test]
fn no_hard_border_is_seen_where_a_mirror_ends_at_an_edge() {
    // The side on the left mirrors the bright wall, and through the far side the dark one is seen.
    let eye = Vec3::new(1.5, 0.5, 9.0);
    let view = View::perspective(eye, Vec3::new(0.2, 0.3, 3.0), 20.0, 2 * SIZE);
    let look = look();
    let wall = |x: f32, brightness| block(Vec3::new(x, 1.0, -2.0), Vec3::new(6.0, 6.0, 0.2), Vec3::splat(brightness));
    let solids = vec![wall(-4.6, 0.1), wall(1.4, 0.9)];
    let particles = Particles::new(&places(LAYERS), |_| 0.0);
    let picture = draw(&view, &look, &Drawn { solids, ..particles.drawn() });
    let light = |x: u32, y: u32| picture.get_pixel(x, y).0[..3].iter().map(|&byte| f32::from(byte)).sum::<f32>();
    let (mut steps, mut changes) = (Vec::new(), Vec::new());
    for height in 10..40 {
        let point = Vec3::new(look.box_low.x, 0.01 * height as f32, look.box_low.z);
        let edge = pixel_of(&view, seen_on_the_front(eye, point, look.box_high.z)).as_uvec2();
        let row: Vec<f32> = (edge.x - 40..edge.x + 20).map(|x| light(x, edge.y)).collect();
        steps.push(row.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max));
        changes.push((row[0] - row[59]).abs());
    }
    steps.sort_by(f32::total_cmp);
    changes.sort_by(f32::total_cmp);
    assert!(changes[15] > 60.0, "the mirror shows the same as the far wall but for {} of 765", changes[15]);
    assert!(steps[15] < 0.4 * changes[15], "light changes by {} of {} at one pixel", steps[15], changes[15]);
}

/// The point of the front wall at which an eye outside sees a point inside.
pub fn seen_on_the_front(eye: Vec3, point: Vec3, front: f32) -> Vec3 {
    let along = point - eye;
    let aside = Vec3::new(along.x, along.y, 0.0);
    let [before, behind] = [eye.z - front, front - point.z];
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let share = 0.5 * (low + high);
        let [entering, inside] =
            [(share, before), (1.0 - share, behind)].map(|(share, depth)| (share * aside.length()).atan2(depth).sin());
        if entering < INDEX * inside { low = share } else { high = share }
    }
    Vec3::new(eye.x + low * aside.x, eye.y + low * aside.y, front)
}
