//! Thin water, such as the front of a wave that runs over a dry floor: a smooth film, in which no particles are seen.

use glam::{UVec3, Vec2, Vec3};
use nearwater::render::View;

use super::draw;
use super::drawing::{Particles, SIZE, color_at};
use super::tank_walls::{SPACING, look};

/// Water in rows along the tank whose surface descends along x, from 0.4 m to the floor.
fn wedge() -> Particles {
    let place = |index: u32| {
        let cell = UVec3::new(index % 40, index / 1600, index / 40 % 40).as_vec3() + 0.5;
        let place = cell - 0.2 * cell.x * Vec3::Y;
        (place.y > 0.5).then_some(look().box_low + SPACING * place)
    };
    Particles::new(&(0..40_u32.pow(2) * 8).filter_map(place).collect::<Vec<_>>(), |_| 0.0)
}

#[test]
fn thin_water_throws_no_scales_on_the_floor() {
    // From above, onto water that is up to four particles deep.
    let view = View::perspective(Vec3::new(0.4, 2.5, 4.5), Vec3::new(0.4, 0.0, 3.0), 32.0, 2 * SIZE);
    let picture = draw(&view, &look(), &wedge().drawn());
    let light = |x: f32, z: f32| f64::from(color_at(&picture, &view, Vec3::new(x, 0.1, z)).0[1]);
    // How much a place differs from the mean of those beside it. The lines of the floor are in few of these places.
    let around = |index: u32| {
        let (x, z) = (0.1 + 0.01 * (index % 55) as f32, 2.5 + 0.01 * (index / 55) as f32);
        let beside = |step: Vec2| 0.5 * (light(x + step.x, z + step.y) + light(x - step.x, z - step.y));
        [Vec2::X, Vec2::Y].map(|step| (light(x, z) / beside(0.025 * step) - 1.0).abs())
    };
    let mut differences: Vec<f64> = (0..55 * 100).flat_map(around).collect();
    differences.sort_by(f64::total_cmp);
    let scales = differences[differences.len() * 3 / 4];
    assert!(scales < 0.012, "the light on the floor differs by {scales} of its mean from place to place");
}
