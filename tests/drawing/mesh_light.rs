//! The water's shadow, color and caustics on what a caller's picture shows, on any adapter. The picture shows a wall
//! right behind a block of water, and the light comes from the left or from the right of the camera.

use glam::{Vec2, Vec3};
use nearwater::render::{DrawStyle, Drawn, Lighting, Look, SceneLight, Surroundings};

use crate::drawing::SIZE;
use crate::in_picture::{Outcome, Wall, block, draw, water};
use crate::scene_light::{map, maps, shadows};

/// What the wall shows without the water's light.
const GRAY: f64 = 0.5;
/// Least difference that counts.
const ROUNDING: f32 = 2e-3;

fn lit_from(right: f32) -> Lighting {
    Lighting { towards: Vec3::new(right, 0.3, 1.0), ..Lighting::default() }
}

/// Water in a box that contains block and wall: its light is known there only.
fn boxed(style: DrawStyle) -> Look {
    Look { box_low: Vec3::new(-1.6, 1.2, -3.2), box_high: Vec3::new(1.6, 3.4, -0.4), ..water(style) }
}

fn picture(samples: u32, style: DrawStyle, lighting: Lighting, scene_light: SceneLight<'_>) -> Outcome {
    let look = Look { lighting, surroundings: Surroundings::Light, ..boxed(style) };
    draw(
        samples,
        &Wall { color: [GRAY; 3], distance: 2.5, ..Wall::default() },
        &look,
        &Drawn { scene_light, ..block().drawn() },
    )
}

fn throwing(ambient: f32) -> SceneLight<'static> {
    SceneLight { lights_meshes: true, ambient: Vec3::splat(ambient), ..SceneLight::default() }
}

/// Mean light of the wall below the block, left and right of it, where the light from the other side throws its shadow.
fn sides(outcome: &Outcome) -> [Vec3; 2] {
    [-70, 70].map(|right| {
        let middle = Vec2::new(160.0 + right as f32, 214.0);
        let mut sum = Vec3::ZERO;
        for row in middle.y as u32 - 6..middle.y as u32 + 6 {
            let first = (row * SIZE.x) as usize + middle.x as usize - 10;
            sum += outcome.light[first..first + 20].iter().map(|&light| Vec3::from(light)).sum::<Vec3>();
        }
        sum / 240.0
    })
}

fn is_gray(light: Vec3) -> bool {
    light.abs_diff_eq(Vec3::splat(GRAY as f32), ROUNDING)
}

#[test]
fn the_water_throws_its_shadow_on_the_side_that_is_away_from_the_light() {
    for samples in [1, 4] {
        for style in DrawStyle::ALL {
            let context = format!("{style:?}, {samples} samples");
            let before = sides(&picture(samples, style, lit_from(0.8), SceneLight::default()));
            assert!(before.into_iter().all(is_gray), "{context}: {before:?} although nothing is asked for");
            for (right, shaded) in [(0.8, 0), (-0.8, 1)] {
                let seen = sides(&picture(samples, style, lit_from(right), throwing(0.0)));
                let (shadow, beside) = (seen[shaded], seen[1 - shaded]);
                // Clear water takes red above all.
                assert!(shadow.x < 0.9 * GRAY as f32, "{context}: the shadow is as light as {shadow}");
                assert!(is_gray(beside), "{context}: beside the shadow it is {beside}");
            }
        }
    }
}

#[test]
fn only_the_share_of_the_key_light_is_taken() {
    let style = DrawStyle::Beads;
    let shadow = |lighting, scene_light| sides(&picture(1, style, lighting, scene_light))[0].x;
    let lighting = lit_from(0.8);
    let all = shadow(lighting, throwing(0.0));
    assert!(all < 0.9 * GRAY as f32, "the shadow is as light as {all}");
    // The cosine of the key light on the wall.
    let facing = lighting.towards.normalize().dot(-crate::drawing::forward());
    let half = shadow(lighting, throwing(facing * lighting.key.x));
    let expected = 0.5 * (all + GRAY as f32);
    assert!((half - expected).abs() < 0.02, "with as much light from all sides {half}, and not {expected}");

    for (what, lighting) in [
        ("light from behind the wall", Lighting { towards: Vec3::new(0.0, 0.5, -1.0), ..Lighting::default() }),
        ("no key light", Lighting { key: Vec3::ZERO, ..lighting }),
    ] {
        let seen = sides(&picture(1, style, lighting, throwing(0.1)));
        assert!(seen.into_iter().all(is_gray), "{what}: {seen:?}");
    }
    // Where a mesh is in the way, the water has no light left to take.
    let depths = maps();
    let shadows = Some(shadows(&depths, &[map(-9.0, 9.0, 1)]));
    let twice = shadow(lighting, SceneLight { shadows, ..throwing(0.1) });
    assert!((twice - GRAY as f32).abs() < ROUNDING, "in the shadow of a mesh the water leaves {twice}");
}

/// A picture of bytes takes no factor above one, and yet what caustics brighten is in it.
#[test]
fn caustics_brighten_a_picture_of_bytes_as_well() {
    let lighting = Lighting { towards: Vec3::new(0.1, 0.6, 1.0), ..Lighting::default() };
    let wall = Wall { color: [0.3; 3], distance: 2.5, ..Wall::default() };
    let particles = block();
    // Near the floor of a wide box, because high above it the light is even.
    let (box_low, box_high) = (Vec3::new(-4.0, 1.6, -6.0), Vec3::new(4.0, 4.0, 2.0));
    // The largest factor of the pass in all pixels.
    let largest = |surroundings| {
        let look = Look { lighting, surroundings, box_low, box_high, ..water(DrawStyle::Water) };
        let seen = |scene_light| draw(1, &wall, &look, &Drawn { scene_light, ..particles.drawn() }).light;
        let (with, without) = (seen(throwing(0.0)), seen(SceneLight::default()));
        with.iter().zip(&without).map(|(with, without)| with[2] / without[2]).fold(0.0, f32::max)
    };
    let (floats, bytes) = (largest(Surroundings::Light), largest(Surroundings::Picture));
    assert!(floats > 1.5, "the brightest caustic has {floats} of the light");
    assert!(bytes > 1.5 && bytes < 2.05, "as bytes it has {bytes}, and in floats {floats}");
}
