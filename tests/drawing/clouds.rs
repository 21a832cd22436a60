//! The clouds that clear water mirrors.

use glam::Vec3;
use nearwater::render::{Look, Theme};

use super::drawing::{EYE, SIZE, away, difference, forward};
use super::{draw, slab, water};

#[test]
fn mirrored_clouds_have_no_edges() {
    let look = Look { theme: Theme::Light, ..water() };
    let steps = [0.8, -0.8].map(|aside| {
        // The mirrored rays meet borders between cells of the clouds' noise.
        let cloud = Vec3::new(aside, 0.6, 0.0);
        let normal = (cloud - forward()).normalize();
        let picture = draw(&away(), &look, &slab(EYE + 3.0 * forward(), -normal, 6).drawn());
        let step = |x, y| {
            let here = *picture.get_pixel(x, y);
            difference(here, *picture.get_pixel(x + 1, y)).max(difference(here, *picture.get_pixel(x, y + 1)))
        };
        let middle = SIZE / 4..3 * SIZE / 4;
        let places = (middle.start.y..middle.end.y).flat_map(|y| (middle.start.x..middle.end.x).map(move |x| (x, y)));
        places.map(|(x, y)| step(x, y)).max().expect("pixels")
    });
    assert!(steps.iter().all(|&step| step < 8), "adjacent pixels of two smooth surfaces differ by {steps:?}");
}
