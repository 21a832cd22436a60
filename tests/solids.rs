//! Solids and cloth in the picture: what they cover and hide, and the light and shadows on them.

mod drawing;
#[path = "drawing/listed.rs"]
mod listed;
#[path = "drawing/overview.rs"]
mod overview;

use std::cell::RefCell;
use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use drawing::{EYE, Particles, SIZE, away, changed, color_at, difference, forward, gpu, look};
use glam::{Quat, UVec2, Vec2, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::gpu::{GpuError, PassTimer};
use nearwater::render::{Canvas, DrawStyle, Drawn, DrawnCloth, DrawnSolid, Look, SolidStyle, Surface, View};
use overview::overview;

const RED: Vec3 = Vec3::new(0.7, 0.15, 0.05);
const GREEN: Vec3 = Vec3::new(0.1, 0.6, 0.1);

/// A solid with the given translation, in its own orientation.
fn solid(mesh: Mesh, translation: Vec3) -> DrawnSolid {
    DrawnSolid { surface: Arc::new(mesh), rotation: Quat::IDENTITY, translation, color: RED }
}

fn ball(center: Vec3, radius: f32) -> DrawnSolid {
    solid(Mesh::ball(Vec3::ZERO, radius, 5), center)
}

/// Smooth water in front of a box so large that a meter of water is clear.
fn smooth() -> Look {
    let (box_low, box_high) = (Vec3::new(-10.0, 0.0, 2.0), Vec3::new(10.0, 10.0, 22.0));
    Look { style: DrawStyle::Smooth, particle_radius: 0.1, box_low, box_high, ..look() }
}

thread_local! {
    /// The canvas of a test, because creating a canvas takes longer than drawing on it. Each test has a device of its
    /// own.
    static CANVAS: RefCell<Canvas> = RefCell::new(Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas"));
}

/// A picture with one sample per pixel.
fn picture(view: &View, look: &Look, drawn: &Drawn<'_>) -> Result<RgbaImage, GpuError> {
    let picture = CANVAS.with_borrow_mut(|canvas| canvas.draw(view, look, drawn, None));
    listed::assert_shaders_are_listed();
    picture
}

/// A picture of particles and solids.
fn picture_of(view: &View, look: &Look, particles: &Particles, solids: &[DrawnSolid]) -> RgbaImage {
    picture(view, look, &Drawn { solids: solids.to_vec(), ..particles.drawn() }).expect("a picture")
}

fn empty(view: &View, look: &Look) -> RgbaImage {
    picture_of(view, look, &Particles::at(&[]), &[])
}

/// The lowest and the highest of the given pixels, and their number.
fn spread(pixels: &[UVec2]) -> (UVec2, UVec2, usize) {
    let low = pixels.iter().copied().reduce(UVec2::min).expect("pixels");
    (low, pixels.iter().copied().reduce(UVec2::max).expect("pixels"), pixels.len())
}

/// Pixels that one meter covers at a distance of one meter in [`away`].
fn pixels_at_one() -> f32 {
    0.5 * SIZE.y as f32 / 20_f32.to_radians().tan()
}

/// A grid of water across the view [`away`], `layers` deep, beginning at `distance` meters.
fn wall_of_water(distance: f32, layers: u32) -> Particles {
    let view = away();
    let (right, up) = (view.world_from_view.x_axis.truncate(), view.world_from_view.y_axis.truncate());
    let places = (0..24 * 24 * layers).map(|index| {
        let place = Vec3::new((index % 24) as f32 - 11.5, (index / 24 % 24) as f32 - 11.5, (index / 576) as f32);
        EYE + distance * forward() + 0.15 * (place.x * right + place.y * up + place.z * forward())
    });
    Particles::new(&places.collect::<Vec<_>>(), |_| 1.0)
}

#[test]
fn a_ball_covers_the_area_of_its_outline_and_is_round() {
    let (distance, radius) = (4.0, 0.6);
    // The cone of tangents from the eye has the half angle asin(r / d).
    let outline = pixels_at_one() * f32::asin(radius / distance).tan();
    for style in DrawStyle::ALL {
        let look = Look { style, ..look() };
        let particles = Particles::at(&[]);
        let picture = picture_of(&away(), &look, &particles, &[ball(EYE + distance * forward(), radius)]);
        let (low, high, count) = spread(&changed(&picture, &empty(&away(), &look)));
        let area = PI * outline * outline;
        // Pixels are counted by their centers, and the ball is a polyhedron: 1 % each.
        assert!((count as f32 - area).abs() < 0.02 * area, "{count} pixels, not {area}");
        let extent = (high - low + 1).as_vec2();
        assert!((extent - 2.0 * outline).abs().max_element() <= 1.5, "{extent} pixels, not {}", 2.0 * outline);
        let middle = 0.5 * (low + high + 1).as_vec2();
        assert!((middle - 0.5 * SIZE.as_vec2()).abs().max_element() <= 1.0, "in the middle: {middle}");
    }
}

#[test]
fn the_nearer_of_solid_and_particle_hides_the_other() {
    let (near, far) = (EYE + 3.0 * forward(), EYE + 5.0 * forward());
    for samples in [1, 4] {
        let mut canvas = Canvas::with_samples(gpu(), SIZE, samples).expect("a canvas");
        let mut picture = |particle: Vec3, solids: &[DrawnSolid]| {
            let particles = Particles::at(&[particle]);
            let drawn = Drawn { solids: solids.to_vec(), ..particles.drawn() };
            color_at(&canvas.draw(&away(), &look(), &drawn, None).expect("a picture"), &away(), near)
        };
        let water = picture(near, &[]);
        let [near_ball, far_ball] = [near, far].map(|center| ball(center, 0.3));
        let solid = picture(Vec3::NAN, std::slice::from_ref(&near_ball));
        assert!(difference(water, solid) > 50, "the colors of this test must differ: {water:?}, {solid:?}");
        let found = picture(near, &[far_ball]);
        assert!(difference(found, water) < 4, "{samples} samples, water in front of it: {found:?}, not {water:?}");
        let found = picture(far, &[near_ball]);
        assert!(difference(found, solid) < 4, "{samples} samples, water behind it: {found:?}, not {solid:?}");
    }
}

#[test]
fn the_nearer_of_two_solids_hides_the_other_whatever_their_order() {
    let near = ball(EYE + 3.0 * forward(), 0.3);
    let far = DrawnSolid { color: GREEN, ..ball(EYE + 5.0 * forward(), 0.3) };
    let color = |solids: &[DrawnSolid]| {
        color_at(&picture_of(&away(), &look(), &Particles::at(&[]), solids), &away(), near.translation)
    };
    let alone = color(std::slice::from_ref(&near));
    assert!(difference(alone, color(std::slice::from_ref(&far))) > 50, "the colors of this test must differ");
    assert_eq!(color(&[near.clone(), far.clone()]), alone);
    assert_eq!(color(&[far, near.clone()]), alone);
}

#[test]
fn a_solid_is_visible_through_smooth_water_and_only_water_in_front_of_it_counts() {
    let water = wall_of_water(4.0, 3);
    let deep = wall_of_water(4.0, 12);
    let at = |particles: &Particles, solids: &[DrawnSolid]| {
        color_at(&picture_of(&away(), &smooth(), particles, solids), &away(), EYE + 4.0 * forward())
    };
    let plate = |distance: f32| {
        let half = Vec3::new(1.0, 1.0, 0.05);
        let rotation = Quat::from_mat4(&away().world_from_view);
        DrawnSolid { rotation, ..solid(Mesh::cuboid(-half, half), EYE + distance * forward()) }
    };
    let near = plate(4.2);
    let (without, with) = (at(&water, &[]), at(&water, std::slice::from_ref(&near)));
    // How much more red than green a color has.
    let redness = |color: image::Rgba<u8>| i32::from(color.0[0]) - i32::from(color.0[1]);
    assert!(redness(with) > redness(without) + 8, "red shines through: {with:?}, {without:?}");
    // More water behind the plate makes no difference; more water in front of it does.
    let behind = at(&deep, std::slice::from_ref(&near));
    assert!(difference(behind, with) < 4, "{behind:?}, not {with:?}");
    let farther = at(&deep, &[plate(5.6)]);
    assert!(redness(farther) + 8 < redness(with), "more water hides more: {farther:?}, {with:?}");
    // A plate in front of the water looks as it does without water.
    let before = at(&water, &[plate(3.5)]);
    let alone = at(&Particles::at(&[]), &[plate(3.5)]);
    assert!(difference(before, alone) < 4, "{before:?}, not {alone:?}");
}

#[test]
fn the_floor_hides_solids_below_it() {
    let below = solid(Mesh::cuboid(Vec3::new(-0.5, -1.0, -0.5), Vec3::new(0.5, -0.1, 0.5)), Vec3::new(0.0, 0.0, 3.0));
    let picture = |solids: &[DrawnSolid]| picture_of(&overview(), &look(), &Particles::at(&[]), solids);
    assert_eq!(changed(&picture(std::slice::from_ref(&below)), &picture(&[])).len(), 0);
    let above = DrawnSolid { translation: Vec3::new(0.0, 1.2, 3.0), ..below };
    assert!(changed(&picture(&[above]), &picture(&[])).len() > 1_000);
}

#[test]
fn poses_rotate_and_move_solids_and_a_surface_can_be_used_by_many() {
    let view = away();
    let half = Vec3::new(0.8, 0.1, 0.1);
    let upright = Quat::from_mat4(&view.world_from_view);
    let bar = DrawnSolid { rotation: upright, ..solid(Mesh::cuboid(-half, half), EYE + 4.0 * forward()) };
    let turned = DrawnSolid { rotation: upright * Quat::from_rotation_z(FRAC_PI_2), ..bar.clone() };
    let right = view.world_from_view.x_axis.truncate();
    let moved = DrawnSolid { translation: bar.translation + 1.0 * right, color: GREEN, ..turned.clone() };
    let drawn = |solids: &[DrawnSolid]| picture_of(&view, &look(), &Particles::at(&[]), solids);
    let nothing = drawn(&[]);
    let first = drawn(std::slice::from_ref(&bar));
    let extent = |picture: &RgbaImage| {
        let (low, high, _) = spread(&changed(picture, &nothing));
        (0.5 * (low + high + 1).as_vec2(), (high - low + 1).as_vec2())
    };
    // The nearest face determines the outline.
    let expected = 2.0 * pixels_at_one() / 3.9 * Vec2::new(0.8, 0.1);
    let (middle, wide) = extent(&first);
    assert!((wide - expected).abs().max_element() <= 1.5, "{wide}, not {expected}");
    let (_, tall) = extent(&drawn(std::slice::from_ref(&turned)));
    assert!((tall - Vec2::new(expected.y, expected.x)).abs().max_element() <= 1.5, "{tall}, not {expected} turned");
    let (aside, _) = extent(&drawn(std::slice::from_ref(&moved)));
    let shift = pixels_at_one() / 4.0;
    assert!((aside - middle - Vec2::new(shift, 0.0)).abs().max_element() < 0.1 * shift, "{middle} to {aside}");
    // The same surface twice: each at its position and in its orientation.
    let both = drawn(&[bar.clone(), moved.clone()]);
    let [red, green] = [&bar, &moved].map(|solid| color_at(&both, &view, solid.translation).0);
    assert!(red[0] > red[1] + 40 && green[1] > green[0] + 40, "{red:?} and {green:?}");
    // An earlier picture leaves nothing behind.
    assert_eq!(drawn(&[bar]), first);
    assert_eq!(drawn(&[]), nothing);
}

/// A cloth of 9 by 7 points across the view [`away`], 4 m away, after three points that do not belong to it; its rows
/// begin at the left if `mirrored`.
fn cloth_places(mirrored: bool) -> Vec<[f32; 4]> {
    let view = away();
    let (right, up) = (view.world_from_view.x_axis.truncate(), view.world_from_view.y_axis.truncate());
    let side = if mirrored { -1.0 } else { 1.0 };
    let place = |index: u32| {
        let (x, y) = (side * ((index % 9) as f32 - 4.0), (index / 9) as f32 - 3.0);
        EYE + 4.0 * forward() + 0.2 * (x * right + y * up)
    };
    [Vec3::NAN; 3].into_iter().chain((0..63).map(place)).map(|place| place.extend(0.0).to_array()).collect()
}

fn cloth_picture(places: &[[f32; 4]], cloth: impl Fn(&mut DrawnCloth<'_>)) -> Result<RgbaImage, GpuError> {
    let positions = gpu().storage_with("cloth", places).expect("memory");
    let mut drawn = DrawnCloth { columns: 9, rows: 7, positions: &positions, first: 3, color: RED };
    cloth(&mut drawn);
    let particles = Particles::at(&[]);
    picture(&away(), &look(), &Drawn { cloths: vec![drawn], ..particles.drawn() })
}

#[test]
fn cloth_covers_its_squares_and_both_sides_look_the_same() {
    let empty = empty(&away(), &look());
    let front = cloth_picture(&cloth_places(false), |_| {}).expect("a picture");
    let (low, high, count) = spread(&changed(&front, &empty));
    let expected = pixels_at_one() / 4.0 * Vec2::new(1.6, 1.2);
    let extent = (high - low + 1).as_vec2();
    assert!((extent - expected).abs().max_element() <= 1.5, "{extent}, not {expected}");
    assert!((count as f32) > 0.98 * extent.element_product(), "{count} pixels of {extent}");
    // The same points with rows counted from the other end, which shows the other side.
    let back = cloth_picture(&cloth_places(true), |_| {}).expect("a picture");
    let differing = front.pixels().zip(back.pixels()).filter(|(front, back)| difference(**front, **back) > 2).count();
    // Along the diagonals, which have the other direction, the shading of a pixel may differ a little.
    assert!(differing * 100 < count, "{differing} of {count} pixels differ");
}

#[test]
fn invalid_cloth_is_not_drawn_and_cloth_beyond_its_buffer_is_refused() {
    let empty = empty(&away(), &look());
    let places = cloth_places(false);
    for (columns, rows) in [(0, 0), (1, 7), (9, 1), (u32::MAX, 0)] {
        let picture = cloth_picture(&places, |cloth| (cloth.columns, cloth.rows) = (columns, rows));
        assert_eq!(changed(&picture.expect("a picture"), &empty).len(), 0, "{columns} by {rows}");
    }
    let lost = vec![[f32::NAN, 0.0, f32::INFINITY, 0.0]; 66];
    assert_eq!(changed(&cloth_picture(&lost, |_| {}).expect("a picture"), &empty).len(), 0);
    for (columns, rows, first) in [(9, 8, 3), (9, 7, 4), (u32::MAX, u32::MAX, 0)] {
        let refused = cloth_picture(&places, |cloth| {
            (cloth.columns, cloth.rows, cloth.first) = (columns, rows, first);
        });
        let error = refused.expect_err("too few points").to_string();
        assert!(error.contains("a cloth needs a buffer of"), "{error}");
    }
}

#[test]
fn hidden_solids_and_boundary_particles_draw_nothing_and_cast_no_shadow() {
    let place = Vec3::new(0.0, 0.5, 3.0);
    let boundary = Particles::at(&[place]);
    let positions = gpu().storage_with("cloth", &cloth_places(false)).expect("memory");
    let cloth = DrawnCloth { columns: 9, rows: 7, positions: &positions, first: 3, color: RED };
    for style in DrawStyle::ALL {
        let shown = |solids: SolidStyle, meshes: bool| {
            let mut drawn = boundary.drawn();
            drawn.particles.fluid_count = 0;
            if meshes {
                drawn.solids = vec![ball(place, 0.3)];
                drawn.cloths = vec![cloth];
            }
            picture(&overview(), &Look { style, solids, ..look() }, &drawn).expect("a picture")
        };
        let nothing = empty(&overview(), &Look { style, ..look() });
        assert_eq!(changed(&shown(SolidStyle::Hidden, true), &nothing).len(), 0, "{style:?}");
        assert_eq!(changed(&shown(SolidStyle::Mesh, false), &nothing).len(), 0, "{style:?}");
        assert!(changed(&shown(SolidStyle::Mesh, true), &nothing).len() > 500, "{style:?}");
        assert!(changed(&shown(SolidStyle::Particles, false), &nothing).len() > 300, "{style:?}");
        assert_eq!(shown(SolidStyle::Particles, true), shown(SolidStyle::Particles, false), "{style:?}");
    }
}

#[test]
fn solids_without_triangles_or_valid_position_are_not_drawn() {
    let nothing = empty(&away(), &look());
    let place = EYE + 3.0 * forward();
    let nowhere = DrawnSolid { translation: Vec3::new(0.0, f32::NAN, 0.0), ..ball(place, 0.3) };
    let unturned = DrawnSolid { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..ball(place, 0.3) };
    for bad in [solid(Mesh::default(), place), nowhere, unturned] {
        let picture = picture_of(&away(), &look(), &Particles::at(&[]), &[bad]);
        assert_eq!(changed(&picture, &nothing).len(), 0);
    }
}

/// More triangles than the device can bind, all of them the same.
#[derive(Debug)]
struct Huge(Vec<[u32; 3]>);

impl Surface for Huge {
    fn vertices(&self) -> &[Vec3] {
        &[Vec3::ZERO, Vec3::X, Vec3::Y]
    }

    fn triangles(&self) -> &[[u32; 3]] {
        &self.0
    }
}

#[test]
fn a_mesh_that_the_device_cannot_bind_is_refused_with_a_message() {
    let limit = gpu().capabilities.largest_binding_bytes();
    // 16 bytes per corner.
    let count = limit / 48 + 1;
    let huge = DrawnSolid { surface: Arc::new(Huge(vec![[0, 1, 2]; count as usize])), ..ball(EYE, 1.0) };
    let particles = Particles::at(&[]);
    let refused = picture(&away(), &look(), &Drawn { solids: vec![huge], ..particles.drawn() });
    let error = refused.expect_err("too large").to_string();
    let words = format!(
        "drawing a solid of {count} triangles needs {} bytes, and the adapter binds at most {limit}; simplify its mesh",
        48 * count
    );
    assert_eq!(error, words);
    // The canvas remains usable.
    let drawn = Drawn { solids: vec![ball(EYE + 3.0 * forward(), 0.3)], ..particles.drawn() };
    let picture = picture(&away(), &look(), &drawn).expect("a picture");
    assert!(changed(&picture, &empty(&away(), &look())).len() > 500);
}

#[test]
fn solids_cast_shadows_on_the_floor_on_water_and_on_solids() {
    // A plate over the center of the box. The light comes from the left, so the shadow is to the right.
    let half = Vec3::new(0.4, 0.02, 0.4);
    let plate = solid(Mesh::cuboid(-half, half), Vec3::new(-0.3, 0.8, 3.0));
    let towards_light = Vec3::new(-0.55, 0.85, 0.06);
    let shade = |height: f32| plate.translation - towards_light * (plate.translation.y - height) / towards_light.y;
    let view = overview();
    let no_water = Particles::at(&[]);
    let floor = shade(0.0);
    let picture = |particles: &Particles, solids: &[DrawnSolid]| picture_of(&view, &look(), particles, solids);
    let brightness = |picture: &RgbaImage, place: Vec3| i32::from(color_at(picture, &view, place).0[1]);
    let (dark, lit) = (picture(&no_water, std::slice::from_ref(&plate)), picture(&no_water, &[]));
    assert!(brightness(&dark, floor) + 15 < brightness(&lit, floor), "the floor");
    // There is light beside the shadow.
    let beside = floor + Vec3::new(0.0, 0.0, 1.1);
    assert_eq!(brightness(&dark, beside), brightness(&lit, beside));

    let drop = Particles::at(&[shade(0.25)]);
    let on_top = shade(0.25) + Vec3::new(0.0, 0.2, 0.0);
    let (dark, lit) = (picture(&drop, std::slice::from_ref(&plate)), picture(&drop, &[]));
    assert!(brightness(&dark, on_top) + 15 < brightness(&lit, on_top), "water");

    let small = ball(shade(0.25), 0.2);
    let on_top = shade(0.25) + Vec3::new(0.0, 0.18, 0.05);
    let (dark, lit) = (picture(&no_water, &[plate, small.clone()]), picture(&no_water, &[small]));
    assert!(brightness(&dark, on_top) + 15 < brightness(&lit, on_top), "a solid");
}

#[test]
fn a_lit_surface_casts_no_shadow_on_itself() {
    // The top, the left side and a slope between them, all facing the light: each has a uniform brightness.
    let half = Vec3::splat(0.4);
    // In a box so high that something far above could cast a shadow: it is searched for over a wide area.
    let look = Look { box_high: Vec3::new(1.0, 12.0, 4.0), ..look() };
    for angle in [0.0_f32, 0.3, 0.6] {
        let rotation = Quat::from_rotation_z(angle);
        let cube = DrawnSolid { rotation, ..solid(Mesh::cuboid(-half, half), Vec3::new(0.0, 0.6, 3.0)) };
        let picture = picture_of(&overview(), &look, &Particles::at(&[]), std::slice::from_ref(&cube));
        let at = |x: f32, z: f32| {
            let place = cube.translation + rotation * Vec3::new(x, 0.4, z);
            i32::from(color_at(&picture, &overview(), place).0[0])
        };
        let found: Vec<i32> =
            [(-0.3, -0.2), (0.3, -0.2), (-0.3, 0.3), (0.3, 0.3), (0.0, 0.0)].map(|(x, z)| at(x, z)).into();
        let (least, most) = (found.iter().min().expect("some"), found.iter().max().expect("some"));
        // The reflected light differs a little from point to point.
        assert!(most - least < 10, "turned by {angle}: {found:?}");
        assert!(*least > 130, "it is lit: {found:?}");
    }
}

#[test]
fn passes_for_solids_run_only_if_there_are_solids() {
    let solids = ["solids' shadow", "solids behind water"];
    let labels = |style: DrawStyle, drawn: &Drawn<'_>| -> Option<Vec<&'static str>> {
        let mut timer = PassTimer::new(gpu(), 16);
        let mut canvas = Canvas::new(gpu(), SIZE).expect("a canvas");
        canvas.draw(&overview(), &Look { style, ..look() }, drawn, Some(&mut timer)).expect("a picture");
        gpu().submit(|encoder| timer.resolve(gpu(), encoder));
        gpu().wait().expect("the device");
        let times = timer.collect(gpu());
        let found = times.first()?.iter().map(|time| time.label).filter(|label| solids.contains(label));
        timer.supported().then(|| found.collect())
    };
    let particles = Particles::at(&[Vec3::new(0.0, 0.5, 3.0)]);
    let with_solids = Drawn { solids: vec![ball(Vec3::new(0.3, 0.5, 3.0), 0.2)], ..particles.drawn() };
    let Some(found) = labels(DrawStyle::Smooth, &with_solids) else {
        eprintln!("this adapter has no timestamps: nothing to check");
        return;
    };
    assert_eq!(found, solids);
    assert_eq!(labels(DrawStyle::Beads, &with_solids), Some(vec![solids[0]]));
    for style in DrawStyle::ALL {
        assert_eq!(labels(style, &particles.drawn()), Some(Vec::new()));
    }
}
