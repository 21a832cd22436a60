//! Walls of the tank that mirror the water inside, as the sides of an aquarium do for those who look in at its front.

use glam::{Quat, UVec2, Vec3};
use image::RgbaImage;
use nearwater::render::{Drawn, DrawnSolid, Look, Splatting, Theme, View};

use super::drawing::{Particles, SIZE, difference, pixel_of};
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};
use super::{INDEX, Mesh, draw, light_of};

/// The eye before the front wall, below the level of the water.
const EYE: Vec3 = Vec3::new(-1.5, 0.4, 9.0);

fn view() -> View {
    View::perspective(EYE, Vec3::new(0.0, 0.4, 3.0), 30.0, 2 * SIZE)
}

/// Mean linear light of a small square around what is seen at a point.
fn light_at(picture: &RgbaImage, view: &View, point: Vec3) -> [f64; 3] {
    light_of(picture, pixel_of(view, point).round().as_uvec2() - UVec2::splat(2), 4)
}

#[test]
fn water_does_not_fade_towards_the_walls_that_it_touches() {
    let (view, look) = (view(), look());
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
    let is_free = |place: &Vec3| (*place - center).abs().cmpgt(half + 0.5 * SPACING).any();
    let places: Vec<Vec3> = places(LAYERS).into_iter().filter(is_free).collect();
    let particles = Particles::new(&places, |_| 0.0);
    let surface = super::Arc::new(Mesh::cuboid(-half, half));
    let plate = |color| DrawnSolid { surface: surface.clone(), rotation: Quat::IDENTITY, translation: center, color };
    // Two colors, so that only what shows the plate itself differs, and not its shadow.
    let pictures = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.9, 0.9, 0.9)]
        .map(|color| draw(&view, &look, &Drawn { solids: vec![plate(color)], ..particles.drawn() }));

    let wall = look.box_high.x;
    let image = Vec3::new(2.0 * wall - center.x, center.y, center.z);
    let expected = pixel_of(&view, seen_on_the_front(EYE, image, look.box_high.z));
    // What shows the plate beside its image is the plate itself, left of the wall's far edge.
    let far_edge = pixel_of(&view, seen_on_the_front(EYE, Vec3::new(wall, center.y, look.box_low.z), look.box_high.z));
    let shown: Vec<_> = pictures[0]
        .enumerate_pixels()
        .filter(|(x, y, pixel)| *x as f32 > far_edge.x && difference(**pixel, *pictures[1].get_pixel(*x, *y)) > 24)
        .map(|(x, y, _)| UVec2::new(x, y).as_vec2())
        .collect();
    assert!(shown.len() > 50, "only {} pixels show a mirrored plate", shown.len());
    let middle = shown.iter().sum::<glam::Vec2>() / shown.len() as f32;
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
