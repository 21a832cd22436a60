//! The style "water" on any adapter, including llvmpipe: refraction, absorption, shadows of drops, and what it is not
//! used for.

#[path = "drawing/bodies_in_air.rs"]
mod bodies_in_air;
#[path = "drawing/clouds.rs"]
mod clouds;
mod drawing;
#[path = "drawing/drops.rs"]
mod drops;
#[path = "drawing/edges.rs"]
mod edges;
#[path = "drawing/eye_in_water.rs"]
mod eye_in_water;
#[path = "drawing/listed.rs"]
mod listed;
#[path = "drawing/lumps.rs"]
mod lumps;
#[path = "drawing/moving.rs"]
mod moving;
#[path = "drawing/overview.rs"]
mod overview;
#[path = "drawing/plate.rs"]
mod plate;
#[path = "drawing/roughness.rs"]
mod roughness;
#[path = "drawing/tank_walls.rs"]
mod tank_walls;
#[path = "drawing/thin_water.rs"]
mod thin_water;
#[path = "drawing/total_reflection.rs"]
mod total_reflection;
#[path = "drawing/under_water.rs"]
mod under_water;
#[path = "drawing/underside.rs"]
mod underside;

use std::sync::Arc;

use drawing::{EYE, Particles, SIZE, away, changed, color_at, difference, field_named, forward, gpu, look};
use glam::{Quat, UVec2, Vec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::gpu::{AdapterClass, PassTimer};
use nearwater::render::{
    Canvas, DrawStyle, Drawn, DrawnMarks, DrawnSolid, Lighting, Look, SolidStyle, Splatting, Theme, View,
};
use overview::overview;

/// Distance of the particles in blocks of water, m.
const SPACING: f32 = 0.1;
/// Refractive index of water.
const INDEX: f32 = 1.33;

fn water() -> Look {
    let field = field_named("speed");
    Look { style: DrawStyle::Water, field, particle_radius: Look::particle_radius_of(SPACING), ..look() }
}

fn draw(view: &View, look: &Look, drawn: &Drawn<'_>) -> RgbaImage {
    let mut canvas = Canvas::with_samples(gpu(), view.size, 1).expect("a canvas");
    let picture = canvas.draw(view, look, drawn, None).expect("a picture");
    listed::assert_shaders_are_listed();
    picture
}

/// Axes of [`away`]'s camera.
fn axes() -> [Vec3; 2] {
    [away().world_from_view.x_axis.truncate(), away().world_from_view.y_axis.truncate()]
}

/// A slab of water with its middle at `middle`, whose layers are perpendicular to `normal`, wide enough to fill the
/// picture of [`away`]. Its particles have the density of particles inside the water.
fn slab(middle: Vec3, normal: Vec3, layers: u32) -> Particles {
    let [_, up] = axes();
    let across = normal.cross(up).normalize();
    let mut positions = Vec::new();
    for layer in 0..layers {
        for row in -16..=16 {
            for column in -24..=24 {
                let along = layer as f32 - 0.5 * (layers - 1) as f32;
                // Layers are shifted against each other, as in water that has moved.
                let shift = |factor: f32| (factor * layer as f32).fract();
                let (row, column) = (row as f32 + shift(0.618), column as f32 + shift(0.414));
                let place = along * normal + row * up + column * across;
                positions.push(middle + SPACING * place);
            }
        }
    }
    Particles::new(&positions, |_| 0.0)
}

/// A block around `center` with edges along the camera's axes, m.
fn block(center: Vec3, size: Vec3, color: Vec3) -> DrawnSolid {
    let rotation = Quat::from_mat4(&away().world_from_view);
    DrawnSolid { surface: Arc::new(Mesh::cuboid(-0.5 * size, 0.5 * size)), rotation, translation: center, color }
}

/// Linear light in the middle of the picture: the mean over a square, by channel.
fn middle_light(picture: &RgbaImage) -> [f64; 3] {
    light_of(picture, SIZE / 2 - 24, 48)
}

/// Linear light in a square: the mean by channel.
fn light_of(picture: &RgbaImage, corner: UVec2, edge: u32) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for y in corner.y..corner.y + edge {
        for x in corner.x..corner.x + edge {
            for (sum, byte) in sum.iter_mut().zip(picture.get_pixel(x, y).0) {
                let srgb = f64::from(byte) / 255.0;
                *sum += if srgb <= 0.040_45 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) };
            }
        }
    }
    sum.map(|sum| sum / f64::from(edge * edge))
}

#[test]
fn thickness_darkens_by_beers_law() {
    let wall = block(EYE + 6.0 * forward(), Vec3::new(12.0, 12.0, 0.2), Vec3::new(0.8, 2.4, 0.8));
    // A small box, because absorption is scaled to it: half of its longer horizontal edge is 0.25 m.
    let half = 0.25;
    let look = Look { box_low: Vec3::new(-half, 0.0, 2.0), box_high: Vec3::new(half, 0.5, 2.5), ..water() };
    let light = |layers: u32| {
        let particles = slab(EYE + 3.0 * forward(), forward(), layers);
        middle_light(&draw(&away(), &look, &Drawn { solids: vec![wall.clone()], ..particles.drawn() }))
    };
    let (thin, middle, thick) = (light(2), light(5), light(8));
    // Pope and Fry (1997) at 650 and 550 nm, 1/m, for a box that is shown as if its half edge were 7 m.
    for (channel, absorption) in [(0, 0.340), (1, 0.0565)] {
        // What is reflected and scattered is the same or decays with the same coefficient; it cancels in differences.
        let [first, second] = [thin[channel] - middle[channel], middle[channel] - thick[channel]];
        let lost = absorption * 7.0 / f64::from(half) * f64::from(3.0 * SPACING);
        let found = (first / second).ln();
        assert!((found - lost).abs() < 0.05 * lost, "channel {channel}: exp(-{found}), not exp(-{lost})");
    }
}

#[test]
fn refraction_shifts_what_is_behind_as_snells_law_says() {
    let [right, _] = axes();
    // Two walls that meet in the middle of the picture, and a slab of water in front of them, turned by 40 degrees.
    let distance = 5.0;
    let size = Vec3::new(6.0, 8.0, 0.2);
    let wall = |side: f32, color| block(EYE + distance * forward() + side * 3.0 * right, size, color);
    let walls = vec![wall(-1.0, Vec3::new(0.1, 0.1, 0.9)), wall(1.0, Vec3::new(0.1, 0.9, 0.1))];
    let angle = 40_f32.to_radians();
    let normal = angle.cos() * forward() + angle.sin() * right;
    let layers = 8;
    let particles = slab(EYE + 2.6 * forward(), normal, layers);
    let none = Particles::at(&[]);
    let seam = |particles: &Particles| {
        let drawn = Drawn { solids: walls.clone(), ..particles.drawn() };
        let picture = draw(&away(), &water(), &drawn);
        // The walls' colors change from blue to green from the left to the right.
        let is_blue = |pixel: &image::Rgba<u8>| pixel.0[2] > pixel.0[1];
        let row = (0..SIZE.x).filter(|&x| is_blue(picture.get_pixel(x, SIZE.y / 2)));
        row.count() as f32
    };
    let straight = seam(&none);
    assert!((straight - 0.5 * SIZE.x as f32).abs() < 2.0, "without water, the seam is in the middle: {straight}");
    let bent = (angle.sin() / INDEX).asin();
    let thickness = layers as f32 * SPACING;
    let offset = thickness * (angle - bent).sin() / bent.cos();
    let pixels_at_one = 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan();
    // The ray is bent towards the normal, which is turned to the right; so what it meets lies further right, and
    // everything appears further left.
    let expected = -offset / distance * pixels_at_one;
    let found = seam(&particles) - straight;
    assert!((found - expected).abs() < 0.15 * expected.abs(), "shifted by {found} pixels, not {expected}");
}

#[test]
fn what_is_in_front_of_the_water_is_not_seen_through_it() {
    let [right, _] = axes();
    // Water turned so that its refraction shifts the picture, behind a narrow red post.
    let normal = (0.77 * forward() + 0.64 * right).normalize();
    let particles = slab(EYE + 3.5 * forward(), normal, 8);
    let wall = block(EYE + 7.0 * forward(), Vec3::new(12.0, 12.0, 0.2), Vec3::splat(0.6));
    let post = block(EYE + 1.5 * forward(), Vec3::new(0.06, 2.0, 0.06), Vec3::new(0.9, 0.02, 0.02));
    let picture = draw(&away(), &water(), &Drawn { solids: vec![wall, post.clone()], ..particles.drawn() });
    let alone = draw(&away(), &water(), &Drawn { solids: vec![post], ..Particles::at(&[]).drawn() });
    let is_red = |pixel: &image::Rgba<u8>| i32::from(pixel.0[0]) > i32::from(pixel.0[1]) + 60;
    let count = |picture: &RgbaImage| picture.pixels().filter(|pixel| is_red(pixel)).count();
    let (with_water, without) = (count(&picture), count(&alone));
    assert!(without > 500, "the post is seen: {without} pixels");
    assert!(with_water < without + without / 20, "{with_water} red pixels, {without} without water");
}

/// Where the ray through a pixel of [`overview`] meets the floor.
fn floor_at(pixel: Vec2) -> Option<Vec3> {
    let ray = overview().ray(pixel);
    // The floor is a little below the box.
    let along = (-0.004 - ray.origin.y) / ray.direction.y;
    (along > 0.0).then(|| ray.origin + along * ray.direction)
}

#[test]
fn a_single_drop_throws_no_shadow_larger_than_itself() {
    let drop = Vec3::new(0.1, 0.6, 3.1);
    let empty = draw(&overview(), &water(), &Particles::at(&[]).drawn());
    let picture = draw(&overview(), &water(), &single(drop).drawn());
    let reach = look_radius();
    let towards_light = Vec3::new(-0.55, 0.85, 0.06).normalize();
    let mut darker = 0;
    for pixel in changed(&picture, &empty) {
        let center = pixel.as_vec2() + 0.5;
        let ray = overview().ray(center);
        let is_drop = (drop - ray.origin).cross(ray.direction).length() < 1.1 * reach;
        let pair = [&picture, &empty].map(|picture| picture.get_pixel(pixel.x, pixel.y));
        let by = i32::from(pair[1].0[1]) - i32::from(pair[0].0[1]);
        let Some(floor) = floor_at(center).filter(|_| !is_drop && by > 3) else { continue };
        darker += 1;
        let from_shadow = (floor - drop).cross(towards_light).length();
        assert!(from_shadow < 1.3 * reach, "{pixel} is {by} darker, {from_shadow} m from the middle of the shadow");
    }
    // The disk of the drop, seen along the light on the floor and by the camera, would cover this many pixels at most.
    assert!(darker < 160, "{darker} pixels are darker");
    // Water that is no single drop does darken the floor behind it.
    let many = block_of_water(Vec3::new(-0.4, 0.05, 2.6), 8);
    let behind = Vec3::new(0.62, 0.0, 3.0);
    let shade = draw(&overview(), &water(), &many.drawn());
    let [lit, shaded] = [&empty, &shade].map(|picture| color_at(picture, &overview(), behind).0[0]);
    assert!(lit > shaded + 10, "{lit} and {shaded}");
}

/// A drop with the density of a particle without neighbors.
fn single(place: Vec3) -> Particles {
    Particles::new(&[place], |_| 10.0)
}

/// Radius of a drawn drop at most, m.
fn look_radius() -> f32 {
    Look::particle_radius_of(SPACING)
}

fn block_of_water(low: Vec3, edge: u32) -> Particles {
    let places = (0..edge.pow(3)).map(|index| {
        let place = glam::UVec3::new(index % edge, index / edge % edge, index / edge / edge);
        low + SPACING * place.as_vec3()
    });
    Particles::new(&places.collect::<Vec<_>>(), |_| 0.0)
}

#[test]
fn two_pictures_of_one_state_are_equal() {
    let particles = block_of_water(Vec3::new(-0.6, 0.05, 2.4), 8);
    let drawn = Drawn { solids: vec![block(Vec3::new(0.5, 0.3, 3.0), Vec3::splat(0.4), Vec3::X)], ..particles.drawn() };
    for samples in [1, 4] {
        let mut canvas = Canvas::with_samples(gpu(), SIZE, samples).expect("a canvas");
        let mut other = Canvas::with_samples(gpu(), SIZE, samples).expect("a canvas");
        let first = canvas.draw(&overview(), &water(), &drawn, None).expect("a picture");
        // Another picture in between must leave nothing behind.
        canvas.draw(&overview(), &Look { theme: Theme::Light, ..water() }, &drawn, None).expect("a picture");
        for canvas in [&mut canvas, &mut other] {
            let again = canvas.draw(&overview(), &water(), &drawn, None).expect("a picture");
            assert_eq!(first, again, "{samples} samples");
        }
    }
}

#[test]
fn measurements_and_particles_of_solids_are_drawn_as_smooth_water() {
    let particles = block_of_water(Vec3::new(-0.6, 0.05, 2.4), 6);
    let picture = |look: Look| draw(&overview(), &look, &particles.drawn());
    for look in [Look { field: field_named("density"), ..water() }, Look { solids: SolidStyle::Particles, ..water() }] {
        assert_eq!(picture(look), picture(Look { style: DrawStyle::Smooth, ..look }), "{look:?}");
    }
    assert_ne!(picture(water()), picture(Look { style: DrawStyle::Smooth, ..water() }));
}

#[test]
fn only_clear_water_is_drawn_at_smoothed_positions() {
    let low = Vec3::new(-0.6, 0.05, 2.4);
    let (usual, moved) = (block_of_water(low, 6), block_of_water(low + Vec3::new(0.3, 0.0, 0.2), 6));
    let mut drawn = usual.drawn();
    drawn.particles.smoothed = Some(&moved.buffers[0]);
    for style in DrawStyle::ALL {
        let look = Look { style, ..water() };
        let picture = |drawn: &Drawn<'_>| draw(&overview(), &look, drawn);
        let other = if style == DrawStyle::Water { moved.drawn() } else { usual.drawn() };
        assert_eq!(picture(&drawn), picture(&other), "{style:?}");
    }
    // Marks tell something of single particles, which are drawn as beads for that.
    let roles = gpu().storage_with("roles", &vec![1_u32; usual.count as usize]).expect("memory");
    drawn.marks = Some(DrawnMarks { roles: &roles });
    let with_marks = Drawn { marks: drawn.marks, ..usual.drawn() };
    assert_eq!(draw(&overview(), &water(), &drawn), draw(&overview(), &water(), &with_marks));
}

#[test]
fn the_light_theme_is_bright_in_every_style() {
    let particles = block_of_water(Vec3::new(-0.6, 0.05, 2.4), 6);
    for style in DrawStyle::ALL {
        let mean = |theme| {
            let picture = draw(&overview(), &Look { style, theme, ..water() }, &particles.drawn());
            picture.pixels().map(|pixel| f64::from(pixel.0[1])).sum::<f64>() / f64::from(SIZE.x * SIZE.y)
        };
        let (dark, light) = (mean(Theme::Dark), mean(Theme::Light));
        assert!(light > dark + 50.0, "{style:?}: {light} and {dark}");
    }
}

#[test]
fn every_pass_of_clear_water_is_timed() {
    let mut timer = PassTimer::new(gpu(), 32);
    let particles = block_of_water(Vec3::new(-0.6, 0.05, 2.4), 6);
    let mut canvas = Canvas::new(gpu(), SIZE).expect("a canvas");
    canvas.draw(&overview(), &water(), &particles.drawn(), Some(&mut timer)).expect("a picture");
    gpu().submit(|encoder| timer.resolve(gpu(), encoder));
    gpu().wait().expect("the device");
    let frames = timer.collect(gpu());
    if !timer.supported() {
        eprintln!("this adapter has no timestamps: nothing to check");
        return;
    }
    for label in
        ["light map", "sun surface", "caustics", "spheres", "water depth", "water normal", "thickness", "picture"]
    {
        assert!(frames[0].iter().any(|time| time.label == label), "{label} in {:?}", frames[0]);
    }
}

#[test]
fn graphics_processors_draw_clear_water_by_default() {
    assert_eq!(DrawStyle::default_for(AdapterClass::Discrete), DrawStyle::Water);
    assert_eq!(DrawStyle::default_for(AdapterClass::Integrated), DrawStyle::Water);
    assert_eq!(DrawStyle::default_for(AdapterClass::Software), DrawStyle::Beads);
    for style in DrawStyle::ALL {
        assert_eq!(DrawStyle::named(style.name()), Some(style));
    }
    assert_eq!(DrawStyle::named("jelly"), None);
}

#[test]
fn a_drop_in_flight_is_seen_and_no_larger_than_its_sphere() {
    let place = EYE + 2.0 * forward();
    let empty = draw(&away(), &water(), &Particles::at(&[]).drawn());
    let picture = draw(&away(), &water(), &single(place).drawn());
    let pixels = changed(&picture, &empty);
    let radius = look_radius() / 2.0 * 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan();
    let strong = pixels
        .iter()
        .filter(|pixel| difference(*picture.get_pixel(pixel.x, pixel.y), *empty.get_pixel(pixel.x, pixel.y)) > 5);
    assert!(strong.count() > 20, "it is seen");
    let farthest = pixels.iter().map(|pixel| (pixel.as_vec2() + 0.5 - 0.5 * SIZE.as_vec2()).length());
    let farthest = farthest.fold(0.0, f32::max);
    assert!(farthest < radius + 1.0, "{farthest} pixels, not {radius}");
}

#[test]
fn calm_water_is_level_up_to_the_far_wall() {
    // As wide as the box; the particles next to a wall are half a spacing from it.
    let spacing = 0.05;
    let places = (0..40_u32.pow(2) * 12).map(|index| {
        let place = glam::UVec3::new(index % 40, index / 1600, index / 40 % 40).as_vec3();
        water().box_low + spacing * (place + 0.5)
    });
    let particles = Particles::new(&places.collect::<Vec<_>>(), |_| 0.0);
    // Only the ring of lamps overhead shines, which a level surface does not mirror to this eye.
    let view = View::perspective(Vec3::new(0.6, 1.7, 8.0), Vec3::new(0.0, 0.4, 3.0), 40.0, 2 * SIZE);
    let lighting = Lighting { key: Vec3::ZERO, ..Lighting::default() };
    let look = Look { lighting, particle_radius: Look::particle_radius_of(spacing), ..water() };
    let picture = draw(&view, &look, &particles.drawn());
    // Drawn particles reach a little above the highest layer.
    let level = 0.615;
    let at = |x: f32, z: f32| i32::from(color_at(&picture, &view, Vec3::new(x, level, z)).0[1]);
    for across in -8..=8 {
        let x = 0.1 * across as f32;
        let (middle, far) = (at(x, 3.0), at(x, 2.06));
        assert!(far < middle + 12, "the far edge at {x} is {far}, and the middle {middle}");
    }
}

/// The brightness of the floor that is seen through the front wall in [`overview`], at many places.
fn floor_light(picture: &RgbaImage, view: &View) -> Vec<f64> {
    let places = (0..60 * 12).map(|index| (-0.8 + 0.025 * (index % 60) as f32, 3.35 + 0.05 * (index / 60) as f32));
    places.map(|(x, z)| f64::from(color_at(picture, view, Vec3::new(x, 0.0, z)).0[1])).collect()
}

/// How far light varies, in means.
fn spread(mut light: Vec<f64>) -> f64 {
    light.sort_by(f64::total_cmp);
    let mean = light.iter().sum::<f64>() / light.len() as f64;
    (light[light.len() - light.len() / 50] - light[light.len() / 50]) / mean
}

#[test]
fn waves_throw_caustics_on_the_floor() {
    let spacing = 0.05;
    let places = (0..40_u32.pow(2) * 10).map(|index| {
        let place = spacing * (glam::UVec3::new(index % 40, index / 1600, index / 40 % 40).as_vec3() + 0.5);
        let wave = 1.0 + 0.14 * (14.0 * place.x).sin() * (11.0 * place.z).cos();
        water().box_low + place * Vec3::new(1.0, wave, 1.0)
    });
    let particles = Particles::new(&places.collect::<Vec<_>>(), |_| 0.0);
    let view = View { size: 2 * SIZE, ..overview() };
    let look = Look { particle_radius: Look::particle_radius_of(spacing), ..water() };
    let picture = draw(&view, &look, &particles.drawn());
    let spread = spread(floor_light(&picture, &view));
    assert!((0.08..0.3).contains(&spread), "the floor's brightness varies by {spread} of its mean");
}

#[test]
fn rows_of_particles_throw_no_lines_on_the_floor() {
    let view = View { size: 2 * SIZE, ..overview() };
    // Calm water in rows along the tank, eight of which are a wave that is so many of their distances high.
    let light = |higher: f32| {
        let places = (0..40_u32.pow(2) * 7).map(|index| {
            let place = glam::UVec3::new(index % 40, index / 1600, index / 40 % 40).as_vec3() + 0.5;
            water().box_low + tank_walls::SPACING * (place + higher * (0.785 * place.z).sin() * Vec3::Y)
        });
        let particles = Particles::new(&places.collect::<Vec<_>>(), |_| 0.0);
        floor_light(&draw(&view, &tank_walls::look(), &particles.drawn()), &view)
    };
    let lines = spread(light(0.2).into_iter().zip(light(0.0)).map(|(rows, level)| rows / level).collect());
    assert!(lines < 0.045, "lines on the floor vary by {lines} of its brightness");
}

#[test]
fn a_few_layers_of_water_throw_no_sparkles_on_the_floor() {
    let particles = Particles::new(&tank_walls::places(4), |_| 0.0);
    let view = View { size: 2 * SIZE, ..overview() };
    let spread = spread(floor_light(&draw(&view, &tank_walls::look(), &particles.drawn()), &view));
    assert!(spread < 0.2, "the floor's brightness varies by {spread} of its mean");
}

#[test]
fn spray_over_the_water_throws_no_sparkles_on_the_floor() {
    let view = View { size: 2 * SIZE, ..overview() };
    let calm = tank_walls::places(8);
    let drops = (0..16_u32.pow(2) * 4).map(|index| {
        let place = glam::UVec3::new(index % 16, index / 256, index / 16 % 16).as_vec3();
        let aside = 0.02 * Vec3::new((7.3 * place.z).sin(), (5.1 * place.x).sin(), (3.7 * place.x).cos());
        water().box_low + 0.125 * (place + 0.5) + 0.5 * Vec3::Y + aside
    });
    let drops: Vec<Vec3> = drops.collect();
    // Drops have the density of a particle alone.
    let density = |index| if index < calm.len() { 0.0 } else { 10.0 };
    let all: Vec<Vec3> = calm.iter().chain(&drops).copied().collect();
    let [spray, level] = [Particles::new(&all, density), Particles::new(&calm, density)]
        .map(|particles| floor_light(&draw(&view, &tank_walls::look(), &moving::at_rest(particles).drawn()), &view));
    let sparkles = spread(spray.into_iter().zip(level).map(|(spray, level)| spray / level).collect());
    assert!(sparkles < 0.1, "the floor's brightness under spray varies by {sparkles} of its mean");
}

/// A block of water with a ragged surface, and drops above it.
fn splashing() -> Particles {
    let mut positions = Vec::new();
    for index in 0..9_000_u32 {
        let (x, y, z) = (index % 30, index / 30 % 12, index / 360);
        let height = 0.035 * y as f32 + 0.04 * (0.7 * x as f32).sin() * (0.9 * z as f32).cos();
        positions.push(Vec3::new(-0.9 + 0.06 * x as f32, 0.04 + height, 2.2 + 0.07 * z as f32));
    }
    for drop in 0..40_u32 {
        let turn = 0.7 * drop as f32;
        positions.push(Vec3::new(0.7 * turn.sin(), 0.7 + 0.005 * drop as f32, 3.0 + 0.6 * turn.cos()));
    }
    // The drops have the density of particles without neighbors.
    Particles::new(&positions, |index| if index < 9_000 { 0.0 } else { 10.0 })
}

/// Mean difference of the bytes of two pictures.
fn mean_difference(one: &RgbaImage, other: &RgbaImage) -> f64 {
    let differences = one.as_raw().iter().zip(other.as_raw()).map(|(one, other)| f64::from(one.abs_diff(*other)));
    differences.sum::<f64>() / one.as_raw().len() as f64
}

#[test]
fn compute_passes_draw_the_same_water_as_triangles() {
    let particles = splashing();
    let inside = View::perspective(Vec3::new(0.0, 0.5, 2.5), Vec3::new(0.2, 0.2, 3.5), 50.0, SIZE);
    let solid = block(Vec3::new(0.2, 0.3, 2.4), Vec3::splat(0.3), Vec3::new(0.8, 0.3, 0.2));
    for (name, view, style, solids) in [
        ("from outside", overview(), DrawStyle::Water, vec![]),
        ("with a solid", overview(), DrawStyle::Water, vec![solid]),
        ("from inside", inside, DrawStyle::Water, vec![]),
        // Their shadows are drawn so.
        ("as particles", overview(), DrawStyle::Beads, vec![]),
        ("as smooth water", overview(), DrawStyle::Smooth, vec![]),
    ] {
        let drawn = Drawn { solids, ..particles.drawn() };
        let look = |splatting| Look { splatting, style, ..water() };
        let [triangles, compute] = Splatting::ALL.map(|splatting| draw(&view, &look(splatting), &drawn));
        let mean = mean_difference(&triangles, &compute);
        let bytes = triangles.as_raw().iter().zip(compute.as_raw());
        let far = bytes.filter(|(one, other)| one.abs_diff(**other) > 24).count();
        assert!(mean < 0.6, "{name}: the pictures differ by {mean} of 255 on average");
        assert!(far * 200 < triangles.as_raw().len(), "{name}: {far} values differ clearly");
        let nothing = Particles::at(&[]);
        let empty = Drawn { solids: drawn.solids.clone(), ..nothing.drawn() };
        let empty = draw(&view, &look(Splatting::Triangles), &empty);
        assert!(mean_difference(&triangles, &empty) > 1.0, "{name}: the water is visible");
    }
}

#[test]
fn compute_passes_draw_the_same_picture_twice_and_at_any_size() {
    let particles = splashing();
    let look = Look { splatting: Splatting::Compute, ..water() };
    let picture = |size| draw(&View { size, ..overview() }, &look, &particles.drawn());
    assert_eq!(picture(SIZE), picture(SIZE), "the order of atomic operations must not matter");
    // Sizes that the coarse pictures do not divide, and one with few pixels.
    for size in [UVec2::new(333, 217), UVec2::new(16, 16)] {
        let triangles = draw(&View { size, ..overview() }, &water(), &particles.drawn());
        let apart = mean_difference(&picture(size), &triangles);
        assert!(apart < 6.0, "at {size}, the pictures differ by {apart}");
    }
}
