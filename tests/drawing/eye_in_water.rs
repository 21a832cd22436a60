//! What an eye in clear water sees.

use glam::{UVec2, Vec2, Vec3};
use nearwater::render::{Look, Theme, View};

use super::draw;
use super::drawing::{Particles, SIZE, changed, difference, pixel_of};
use super::plate::pixels_of_plate;
use super::tank_walls::{LAYERS, LEVEL, SPACING, look, places};

/// The eye between the walls, in the middle of the water's height.
const EYE: Vec3 = Vec3::new(0.1, 0.3, 3.6);

fn view() -> View {
    View::perspective(EYE, Vec3::new(0.1, 0.45, 2.0), 60.0, 2 * SIZE)
}

/// Middle of the pixels in a part of the picture, and their number.
fn middle(pixels: &[Vec2], is_in_part: impl Fn(&&Vec2) -> bool) -> (Vec2, usize) {
    let part: Vec<Vec2> = pixels.iter().filter(is_in_part).copied().collect();
    (part.iter().sum::<Vec2>() / part.len().max(1) as f32, part.len())
}

#[test]
fn an_eye_in_the_water_sees_what_is_there_and_its_image_in_the_surface() {
    let view = view();
    let (center, half) = (Vec3::new(0.2, 0.3, 2.4), Vec3::new(0.1, 0.08, 0.02));
    let shown = pixels_of_plate(&view, center, half);
    // Light is not bent before it meets the surface, so both are where straight lines lead to.
    let image = Vec3::new(center.x, 2.0 * LEVEL - center.y, center.z);
    let border = pixel_of(&view, Vec3::new(center.x, LEVEL, center.z)).y;
    for (what, place, (found, count)) in [
        ("plate", center, middle(&shown, |pixel| pixel.y > border)),
        ("image", image, middle(&shown, |pixel| pixel.y < border)),
    ] {
        let expected = pixel_of(&view, place);
        println!("{what}: {count} pixels at {found}, expected at {expected}");
        assert!(count > 500, "only {count} pixels show the {what}");
        assert!(found.distance(expected) < 8.0, "the {what} is seen at {found} and not at {expected}");
    }
}

#[test]
fn an_eye_between_the_water_and_a_sheet_above_it_sees_what_is_behind_the_tank() {
    let look = Look { theme: Theme::Light, ..look() };
    // The sun sees this sheet above the eye, as it sees the water above an eye in it.
    let sheet = |index: u32| {
        let cell = Vec3::new((index % 40) as f32, (index / 1600) as f32, (index / 40 % 40) as f32);
        Vec3::new(-0.975, 1.5, look.box_low.z + 0.025) + SPACING * cell
    };
    let calm = places(LAYERS);
    let both: Vec<Vec3> = calm.iter().copied().chain((0..1600 * 4).map(sheet)).collect();
    let view = View::perspective(Vec3::new(0.1, 0.9, 3.4), Vec3::new(0.1, 0.5, 2.0), 50.0, 2 * SIZE);
    let pictures = [calm, both].map(|places| draw(&view, &look, &Particles::new(&places, |_| 0.0).drawn()));
    // Between the far ends of water and sheet one sees what is behind the tank.
    let row = |height: f32| pixel_of(&view, Vec3::new(0.1, height, look.box_low.z)).y as u32;
    let (top, bottom) = (row(1.2), row(0.8));
    let differs = |pixel: &UVec2| {
        let [one, other] = [&pictures[0], &pictures[1]].map(|picture| *picture.get_pixel(pixel.x, pixel.y));
        (top..bottom).contains(&pixel.y) && difference(one, other) > 20
    };
    let count = changed(&pictures[0], &pictures[1]).into_iter().filter(differs).count();
    let area = (view.size.x * (bottom - top)) as usize;
    println!("the sheet changes {count} of {area} pixels behind the tank");
    assert!(area > 10_000 && count < area / 20, "the sheet changes {count} of {area} pixels behind the tank");
}
