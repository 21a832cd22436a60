//! Tests of what the laboratory adds to an image: roles of particles, cuts, boxes and spheres in the scene, cost maps,
//! and picking.

mod drawing;
#[path = "drawing/listed.rs"]
mod listed;
#[path = "drawing/overview.rs"]
mod overview;

use drawing::{
    EYE, Particles, RADIUS, SIZE, away, cells, changed, color_at, difference, field_named, forward, gpu, look,
};
use glam::{UVec2, Vec2, Vec3};
use image::{Rgba, RgbaImage};
use nearwater::gpu::read_buffer;
use nearwater::render::{
    Canvas, CellEdges, ColorField, CustomField, Cut, CutOutline, DrawStyle, Drawn, DrawnBox, DrawnMarks, DrawnSegment,
    DrawnShell, Look, Mark, View,
};
use overview::overview;

fn draw_with(samples: u32, view: &View, look: &Look, drawn: &Drawn<'_>) -> RgbaImage {
    let mut canvas = Canvas::with_samples(gpu(), view.size, samples).expect("a canvas");
    let image = canvas.draw(view, look, drawn, None).expect("an image");
    listed::assert_shaders_are_listed();
    image
}

fn draw(view: &View, look: &Look, drawn: &Drawn<'_>) -> RgbaImage {
    draw_with(1, view, look, drawn)
}

/// A buffer with the roles, as numbers.
fn roles(roles: &[u32]) -> wgpu::Buffer {
    gpu().storage_with("roles", roles).expect("the buffer fits")
}

fn marked<'a>(particles: &'a Particles, roles: &'a wgpu::Buffer) -> Drawn<'a> {
    Drawn { marks: Some(DrawnMarks { roles }), ..particles.drawn() }
}

/// Draws particles in these roles.
fn draw_marked(samples: u32, look: &Look, positions: &[Vec3], marks: &[Mark]) -> RgbaImage {
    let numbers: Vec<u32> = marks.iter().map(|&mark| mark as u32).collect();
    let (particles, roles) = (Particles::at(positions), roles(&numbers));
    draw_with(samples, &away(), look, &marked(&particles, &roles))
}

fn right() -> Vec3 {
    away().world_from_view.x_axis.truncate()
}

fn up() -> Vec3 {
    away().world_from_view.y_axis.truncate()
}

fn luminance(color: Rgba<u8>) -> u32 {
    color.0[..3].iter().map(|&channel| u32::from(channel)).sum()
}

/// Whether a color is bright and has nearly the same hue as the color of a role.
fn resembles(color: Rgba<u8>, mark: Mark) -> bool {
    let unit = |bytes: &[u8]| Vec3::from_array([0, 1, 2].map(|i| f32::from(bytes[i]))).normalize_or_zero();
    let own = mark.color().expect("the role has its own color");
    luminance(color) > 120 && unit(&color.0).distance(unit(&own)) < 0.15
}

#[test]
fn each_role_has_its_shape_and_color() {
    let center = EYE + 2.0 * forward();
    for samples in [1, 4] {
        let empty = draw_with(samples, &away(), &look(), &Particles::at(&[]).drawn());
        let plain = draw_with(samples, &away(), &look(), &Particles::at(&[center]).drawn());
        for mark in Mark::ALL {
            let picture = draw_marked(samples, &look(), &[center], &[mark]);
            // The color at a distance from the center, in radii of a plain particle.
            let at = |radii: f32| color_at(&picture, &away(), center + radii * RADIUS * right());
            let is_empty = |radii: f32| {
                let place = center + radii * RADIUS * right();
                difference(at(radii), color_at(&empty, &away(), place)) < 6
            };
            let has = |is: bool, what: &str| assert!(is, "{mark:?} with {samples} samples: expected {what}");
            match mark {
                Mark::Plain => has(picture == plain, "the same image as without roles"),
                Mark::Picked => {
                    has(luminance(at(0.0)) > 600, "a white center");
                    has(is_empty(1.2), "a gap");
                    has(resembles(at(0.95 * 1.65), mark), "a ring");
                    has(is_empty(2.0), "nothing outside of the ring");
                }
                Mark::Neighbor => {
                    has(resembles(at(0.0), mark), "a teal center");
                    has(resembles(at(0.6), mark), "a filled disk");
                    has(is_empty(0.9), "a disk smaller than a plain particle");
                }
                Mark::Rejected | Mark::Dropped => {
                    has(is_empty(0.0), "a hollow center");
                    has(resembles(at(0.39), mark), "a ring in its color");
                    has(is_empty(0.75), "nothing outside of the ring");
                }
                Mark::Faded => {
                    let faint = difference(at(0.0), color_at(&empty, &away(), center));
                    has((10..120).contains(&faint), "a faint disk");
                    has(is_empty(1.1), "nothing outside of the disk");
                }
                Mark::Wrong => {
                    has(luminance(at(0.0)) > 600, "a white cross");
                    has(resembles(at(0.7), mark), "a red disk");
                    has(is_empty(1.08), "a gap");
                    has(resembles(at(0.95 * 1.45), mark), "a ring");
                }
                Mark::Highlighted => {
                    let before = color_at(&plain, &away(), center + 0.3 * RADIUS * right());
                    has(luminance(at(0.3)) > luminance(before) + 30, "a brighter color than that of a plain particle");
                    has(luminance(at(0.94)) > 700, "a white outline");
                }
                Mark::Visitor => {
                    has(luminance(at(0.3)) > 150, "the color of its field");
                    has(luminance(at(0.80)) < 90, "a dark outline");
                }
            }
        }
    }
}

#[test]
fn wrong_particles_blink_and_never_disappear() {
    let center = EYE + 2.0 * forward();
    let empty = draw(&away(), &look(), &Particles::at(&[]).drawn());
    let red = |blink: f32| {
        let picture = draw_marked(1, &Look { blink, ..look() }, &[center], &[Mark::Wrong]);
        let place = center + 0.7 * RADIUS * right();
        (u32::from(color_at(&picture, &away(), place).0[0]), changed(&picture, &empty).len())
    };
    let ((bright, _), (dim, pixels)) = (red(0.2), red(0.7));
    assert!(bright > dim + 60, "{bright} and {dim}");
    assert!(dim > 60 && pixels > 500, "{dim} in {pixels} pixels");
}

#[test]
fn a_role_that_does_not_exist_is_magenta() {
    let center = EYE + 2.0 * forward();
    let (particles, roles) = (Particles::at(&[center]), roles(&[77]));
    let picture = draw(&away(), &look(), &marked(&particles, &roles));
    assert_eq!(color_at(&picture, &away(), center).0, [255, 0, 255, 255]);
}

#[test]
fn too_few_roles_are_refused_with_a_message() {
    let positions: Vec<Vec3> = (0..9).map(|index| EYE + (2.0 + index as f32) * forward()).collect();
    let (particles, roles) = (Particles::at(&positions), roles(&[0; 4]));
    let mut canvas = Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas");
    let error = canvas
        .draw(&away(), &look(), &marked(&particles, &roles), None)
        .expect_err("there are four roles for nine particles");
    let words = "the roles of particles needs a buffer of 36 bytes and was given one of 16; make the buffer larger";
    assert_eq!(error.to_string(), words);
}

#[test]
fn neighbors_are_visible_through_any_number_of_faded_particles() {
    let neighbor = EYE + 4.0 * forward();
    let in_front: Vec<Vec3> = (0..30).map(|index| EYE + (1.5 + 0.05 * index as f32) * forward()).collect();
    for samples in [1, 4] {
        let alone = draw_marked(samples, &look(), &[neighbor], &[Mark::Neighbor]);
        let positions: Vec<Vec3> = in_front.iter().copied().chain([neighbor]).collect();
        let mut marks = vec![Mark::Faded; 30];
        marks.push(Mark::Neighbor);
        let veiled = draw_marked(samples, &look(), &positions, &marks);
        let (alone, veiled) = (color_at(&alone, &away(), neighbor), color_at(&veiled, &away(), neighbor));
        let [red, green, blue, _] = veiled.0;
        assert!(difference(alone, veiled) < 50 && green.min(blue) > red + 60, "{alone:?}, {veiled:?}");
        assert!(difference(alone, veiled) > 2, "faded particles must be visible");
        // A particle in front of the faded ones does not change.
        let nearer = EYE + 1.0 * forward();
        let alone = draw_marked(samples, &look(), &[nearer], &[Mark::Neighbor]);
        let positions: Vec<Vec3> = in_front.iter().copied().chain([nearer]).collect();
        let before = draw_marked(samples, &look(), &positions, &marks);
        let at = |picture: &RgbaImage| color_at(picture, &away(), nearer);
        assert!(difference(at(&alone), at(&before)) < 3, "{:?} and {:?}", at(&alone), at(&before));
    }
}

/// A small lattice in the box of [`look`].
fn block() -> Vec<Vec3> {
    let step = |index: u32| 0.2 * index as f32;
    let place = |index: u32| Vec3::new(step(index % 5), step(index / 5 % 3), step(index / 15));
    (0..75).map(|index| Vec3::new(-0.4, 0.15, 2.6) + place(index)).collect()
}

fn block_look() -> Look {
    Look { particle_radius: 0.1, cells: cells(0.4, 0.0), high: 75.0, ..look() }
}

#[test]
fn without_overlays_images_are_the_same_as_before() {
    let particles = Particles::at(&block());
    let none = roles(&[Mark::Plain as u32; 75]);
    for samples in [1, 4] {
        let plain = draw_with(samples, &overview(), &block_look(), &particles.drawn());
        let all_plain = draw_with(samples, &overview(), &block_look(), &marked(&particles, &none));
        assert_eq!(plain, all_plain, "plain roles");
        let everything = Cut { low: Vec3::splat(-50.0), high: Vec3::splat(50.0), outline: CutOutline::None };
        let look = Look { cut: Some(everything), ..block_look() };
        assert_eq!(plain, draw_with(samples, &overview(), &look, &particles.drawn()), "a cut around everything");
    }
    // A canvas that has drawn all overlays still draws the same plain image.
    let mut canvas = Canvas::new(gpu(), SIZE).expect("a canvas");
    let mut picture = |look: &Look, drawn: &Drawn<'_>| canvas.draw(&overview(), look, drawn, None).expect("an image");
    let before = picture(&block_look(), &particles.drawn());
    let all = Look { cell_edges: CellEdges::All, cut: Some(some_cut()), ..block_look() };
    let faded = roles(&[Mark::Faded as u32; 75]);
    let drawn = Drawn {
        boxes: vec![DrawnBox::visited_cell([Vec3::ZERO, Vec3::ONE], true)],
        segments: vec![DrawnSegment::point(Vec3::ONE, [1.0; 4], 9.0)],
        shells: vec![DrawnShell::support(Vec3::new(0.0, 0.5, 3.0), 0.4)],
        ..marked(&particles, &faded)
    };
    assert!(changed(&before, &picture(&all, &drawn)).len() > 2_000);
    assert_eq!(before, picture(&block_look(), &particles.drawn()));
}

#[test]
fn every_particle_is_drawn_in_its_own_role_however_many_have_one() {
    // More than four blocks of the scan, and so far apart that no two particles share a pixel.
    const COLUMNS: usize = 70;
    const COUNT: usize = COLUMNS * COLUMNS;
    let pixel = 2.0 * 3.0 * 20.0_f32.to_radians().tan() / SIZE.y as f32;
    let place = |index: usize| {
        let offset = |place: usize, pixels: f32| (place as f32 - 35.0) * pixels * pixel;
        EYE + 3.0 * forward() + offset(index % COLUMNS, 4.0) * right() + offset(index / COLUMNS, 3.0) * up()
    };
    let positions: Vec<Vec3> = (0..COUNT).map(place).collect();
    let (particles, roles) = (Particles::at(&positions), roles(&vec![0; COUNT]));
    let look = Look { particle_radius: pixel, high: COUNT as f32, ..look() };
    let faded_unless = |is_own: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (0..COUNT).map(|index| if is_own(index) { Mark::Plain } else { Mark::Faded } as u32).collect()
    };
    let kinds: [(&str, &dyn Fn(usize) -> bool); 7] = [
        ("the first", &|index| index == 0),
        ("the last", &|index| index == COUNT - 1),
        ("the last of a block", &|index| index == 1023),
        ("the first of a block", &|index| index == 1024),
        ("every third", &|index| index % 3 == 0),
        ("the first half", &|index| index < COUNT / 2),
        ("all", &|_| true),
    ];
    for samples in [1, 4] {
        let mut canvas = Canvas::with_samples(gpu(), SIZE, samples).expect("a canvas");
        let mut picture = |drawn: &Drawn<'_>| canvas.draw(&away(), &look, drawn, None).expect("an image");
        let empty = picture(&Particles::at(&[]).drawn());
        let plain = picture(&particles.drawn());
        // The same buffer is rewritten, as the laboratory does in every frame.
        let mut with_roles = |numbers: &[u32]| {
            gpu().queue.write_buffer(&roles, 0, bytemuck::cast_slice(numbers));
            picture(&marked(&particles, &roles))
        };
        let faded = with_roles(&faded_unless(&|_| false));
        for position in &positions {
            assert_ne!(color_at(&faded, &away(), *position), color_at(&empty, &away(), *position), "{position}");
        }
        assert_eq!(with_roles(&faded_unless(&|_| true)), plain, "all particles have the plain role");
        for (which, is_own) in kinds {
            let mixed = with_roles(&faded_unless(is_own));
            for (index, position) in positions.iter().enumerate() {
                let at = |picture: &RgbaImage| color_at(picture, &away(), *position);
                assert_eq!(at(&mixed) != at(&faded), is_own(index), "{which} with {samples} samples: {index}");
            }
        }
    }
}

fn some_cut() -> Cut {
    Cut { low: Vec3::new(-0.5, 0.0, 2.0), high: Vec3::new(0.1, 0.4, 4.0), outline: CutOutline::None }
}

#[test]
fn a_cut_hides_exactly_the_particles_outside() {
    let cut = some_cut();
    let inside = |place: &Vec3| place.cmpge(cut.low).all() && place.cmple(cut.high).all();
    let kept: Vec<Vec3> = block().into_iter().map(|place| if inside(&place) { place } else { Vec3::NAN }).collect();
    let count = kept.iter().filter(|place| place.is_finite()).count();
    assert!((10..60).contains(&count), "{count} of the test's particles are inside");
    for style in DrawStyle::ALL {
        let look = Look { style, cut: Some(cut), ..block_look() };
        let picture = draw(&overview(), &look, &Particles::at(&block()).drawn());
        let expected = draw(&overview(), &Look { cut: None, ..look }, &Particles::at(&kept).drawn());
        assert_eq!(picture, expected, "{style:?}");
    }
    let outlined = |outline| {
        let look = Look { cut: Some(Cut { outline, ..cut }), ..block_look() };
        draw(&overview(), &look, &Particles::at(&block()).drawn())
    };
    let [none, edges, handles] = [CutOutline::None, CutOutline::Edges, CutOutline::Handles].map(outlined);
    assert!(changed(&none, &edges).len() > 200);
    let handle_pixels = changed(&edges, &handles);
    for handle in cut.handles() {
        let pixel = overview().pixel_of(handle).expect("in front of the camera");
        assert!(luminance(color_at(&handles, &overview(), handle)) > 600, "there is no handle at {handle}");
        assert!(handle_pixels.iter().any(|changed| changed.as_vec2().distance(pixel) < 2.0));
    }
}

#[test]
fn boxes_are_drawn_with_the_depth_of_the_scene() {
    let center = EYE + 3.0 * forward();
    let particles = Particles::at(&[center]);
    let plain = draw(&away(), &look(), &particles.drawn());
    let sized = |middle: Vec3| [middle - 0.4, middle + 0.4];
    let white = [1.0, 1.0, 1.0, 1.0];
    let box_at = |middle: Vec3, hidden: f32| {
        let [low, high] = sized(middle);
        let face = [1.0, 1.0, 1.0, 0.2];
        let boxes = vec![DrawnBox { low, high, edge: white, face, width: 1.0, hidden }];
        draw(&away(), &look(), &Drawn { boxes, ..particles.drawn() })
    };
    let at = |picture: &RgbaImage| color_at(picture, &away(), center);
    let before = box_at(EYE + 1.8 * forward(), 0.0);
    assert!(difference(at(&before), at(&plain)) > 20, "a box in front of the particle is visible");
    assert!(difference(at(&before), Rgba([255; 4])) > 40, "and is translucent");
    let behind = box_at(EYE + 5.0 * forward(), 0.0);
    assert_eq!(at(&behind), at(&plain), "a box behind the particle is hidden");
    assert!(changed(&behind, &plain).len() > 500, "and visible beside it");
    let faint = box_at(EYE + 5.0 * forward(), 0.5);
    let shift = difference(at(&faint), at(&plain));
    assert!(shift > 8 && shift < difference(at(&before), at(&plain)), "or visible faintly: {shift}");
}

#[test]
fn nearer_boxes_are_drawn_over_farther_ones_in_any_order() {
    let colored = |distance: f32, color: [f32; 3]| {
        let middle = EYE + distance * forward();
        let [r, g, b] = color;
        let face = [r, g, b, 0.7];
        DrawnBox { low: middle - 0.3, high: middle + 0.3, edge: [0.0; 4], face, width: 1.0, hidden: 0.0 }
    };
    let (near, far) = (colored(2.0, [1.0, 0.0, 0.0]), colored(4.0, [0.0, 0.0, 1.0]));
    let none = Particles::at(&[]);
    let pictures = [[near, far], [far, near]].map(|boxes| {
        let drawn = Drawn { boxes: boxes.to_vec(), ..none.drawn() };
        draw(&away(), &look(), &drawn)
    });
    assert_eq!(pictures[0], pictures[1]);
    let [red, _, blue, _] = color_at(&pictures[0], &away(), EYE + 2.0 * forward()).0;
    assert!(red > 200 && blue < 120, "the nearer box is not in front: {red}, {blue}");
}

#[test]
fn a_support_sphere_has_an_outline_and_hides_nothing() {
    let center = EYE + 3.0 * forward();
    let radius = 0.5;
    let particles = Particles::at(&[center]);
    let plain = draw_with(4, &away(), &look(), &particles.drawn());
    let shells = vec![DrawnShell::support(center, radius)];
    let picture = draw_with(4, &away(), &look(), &Drawn { shells, ..particles.drawn() });
    // In perspective, the outline of a sphere is slightly larger than its radius at the distance of its center.
    let outline = 3.0 * (radius / 3.0_f32).asin().tan();
    let brightest = |place: f32| {
        let pixel = away().pixel_of(center + place * up()).expect("in front of the camera");
        let around = (-2..=2).map(|offset| *picture.get_pixel(pixel.x as u32, (pixel.y as i32 + offset) as u32));
        around.map(luminance).max().expect("pixels")
    };
    assert!(brightest(outline) > 500, "{}", brightest(outline));
    assert!(brightest(1.25 * radius) < 150, "{}", brightest(1.25 * radius));
    // A point beside the lines, which pass through the center.
    let place = center + 0.25 * RADIUS * (right() + 0.45 * up());
    let shift = difference(color_at(&plain, &away(), place), color_at(&picture, &away(), place));
    assert!(shift < 60, "{shift}");
}

#[test]
fn lines_reach_from_end_to_end_and_a_point_is_a_square() {
    let none = Particles::at(&[]);
    let empty = draw(&away(), &look(), &none.drawn());
    let middle = EYE + 3.0 * forward();
    let (from, to) = (middle - 0.5 * right(), middle + 0.5 * right());
    let line = DrawnSegment { from, to, color: [0.0, 1.0, 0.0, 1.0], width: 3.0, hidden: 0.0 };
    let point = DrawnSegment::point(middle + 0.6 * up(), [1.0, 0.0, 0.0, 1.0], 11.0);
    let picture = draw(&away(), &look(), &Drawn { segments: vec![line, point], ..none.drawn() });
    let drawn = changed(&picture, &empty);
    // In linear light, because the edges are antialiased.
    let linear = |pixel: &UVec2| (f32::from(picture.get_pixel(pixel.x, pixel.y).0[1]) / 255.0).powf(2.2);
    let green: f32 = drawn.iter().map(linear).sum();
    let ends = [from, to].map(|end| away().pixel_of(end).expect("in front of the camera").x);
    let length = (ends[1] - ends[0]).abs();
    assert!((green - 3.0 * length).abs() < 0.1 * 3.0 * length, "{green} pixels, {length} long");
    let red = drawn.iter().filter(|pixel| picture.get_pixel(pixel.x, pixel.y).0[0] > 200).count();
    assert!((100..=144).contains(&red), "{red} red pixels of 121");
}

#[test]
fn picking_finds_the_particle_under_the_pixel() {
    let positions = [EYE + 4.0 * forward(), EYE + 2.0 * forward() + 0.5 * right(), EYE + 3.0 * forward()];
    let particles = Particles::at(&positions);
    let pixel = |place: Vec3| away().pixel_of(place).expect("in front of the camera").as_uvec2();
    for samples in [1, 4] {
        let mut canvas = Canvas::with_samples(gpu(), SIZE, samples).expect("a canvas");
        let mut pick = |drawn: &Drawn<'_>, pixel: UVec2| {
            canvas.draw(&away(), &look(), drawn, None).expect("an image");
            let mut picked = None;
            gpu().submit(|encoder| {
                picked = canvas.renderer_mut().record_pick(encoder, pixel).expect("the shader compiles");
            });
            picked.expect("an image was drawn").wait(gpu()).expect("the device answers")
        };
        let plain = particles.drawn();
        assert_eq!(pick(&plain, pixel(positions[2])), Some(2), "the nearer of two");
        assert_eq!(pick(&plain, pixel(positions[1])), Some(1));
        assert_eq!(pick(&plain, UVec2::new(3, 3)), None);
        assert_eq!(pick(&plain, UVec2::new(4_000, 3)), None, "outside of the image");
        // Picking tolerates three pixels.
        let above = pixel(positions[1]) - UVec2::new(0, (0.25 / 2.0 * 120.0 / 20_f32.to_radians().tan()) as u32);
        assert_eq!(pick(&plain, above - UVec2::new(0, 2)), Some(1));
        assert_eq!(pick(&plain, above - UVec2::new(0, 9)), None);
        // A faded particle is picked only if no other particle is there.
        let roles = roles(&[Mark::Neighbor as u32, Mark::Faded as u32, Mark::Faded as u32]);
        assert_eq!(pick(&marked(&particles, &roles), pixel(positions[1])), Some(1));
        assert_eq!(pick(&marked(&particles, &roles), pixel(positions[0])), Some(0));
    }
}

#[test]
fn a_rectangle_selects_the_particles_whose_centers_are_inside() {
    let particles = Particles::at(&block());
    let view = overview();
    let look = Look { cut: Some(some_cut()), ..block_look() };
    let mut canvas = Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas");
    canvas.draw(&view, &look, &particles.drawn(), None).expect("an image");
    let corners = [Vec2::new(170.0, 60.0), Vec2::new(120.0, 190.0)];
    let mut selection = None;
    gpu().submit(|encoder| {
        let marks = [Mark::Highlighted, Mark::Faded];
        selection = canvas.renderer_mut().record_selection(encoder, corners, marks).expect("the shader compiles");
    });
    let selection = selection.expect("an image was drawn");
    let found: Vec<u32> = read_buffer(gpu(), &selection.roles, 75).expect("the device answers");
    let cut = some_cut();
    let expected: Vec<u32> = block()
        .into_iter()
        .map(|place| {
            let pixel = view.pixel_of(place).expect("in front of the camera");
            let in_rectangle = pixel.x > 120.0 && pixel.x < 170.0 && pixel.y > 60.0 && pixel.y < 190.0;
            let in_cut = place.cmpge(cut.low).all() && place.cmple(cut.high).all();
            if in_rectangle && in_cut { Mark::Highlighted as u32 } else { Mark::Faded as u32 }
        })
        .collect();
    assert_eq!(found, expected);
    let count = expected.iter().filter(|&&role| role == Mark::Highlighted as u32).count();
    assert!((5..40).contains(&count), "the test's rectangle contains {count} particles");
    assert_eq!(selection.count.take().expect("the count has arrived")[0] as usize, count);
}

#[test]
fn a_face_on_view_fills_the_image_and_shows_spheres_as_circles() {
    let (low, high) = (Vec3::new(-2.0, 0.0, 0.4), Vec3::new(2.0, 3.0, 0.6));
    for (axis, [right, up]) in [[Vec3::NEG_Z, Vec3::Y], [Vec3::X, Vec3::NEG_Z], [Vec3::X, Vec3::Y]].iter().enumerate() {
        let view = View::face_on(low, high, axis, SIZE);
        let corners = (0..8).map(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
            view.pixel_of(Vec3::new(pick(0), pick(1), pick(2))).expect("in front of the camera")
        });
        let corners: Vec<Vec2> = corners.collect();
        let (least, most) = corners
            .iter()
            .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(least, most), &corner| (least.min(corner), most.max(corner)));
        assert!(least.cmpge(Vec2::ZERO).all() && most.cmple(SIZE.as_vec2()).all(), "{axis}: {least} to {most}");
        let share = (most - least) / SIZE.as_vec2();
        assert!(share.max_element() > 0.9, "{axis}: the box covers {share} of the image");
        let middle = 0.5 * (low + high);
        let at = |place: Vec3| view.pixel_of(place).expect("in front of the camera");
        assert!(at(middle + 0.1 * *right).x > at(middle).x + 1.0 && at(middle + 0.1 * *up).y < at(middle).y - 1.0);
    }
    // A sphere is at the right position and round, even near the edge of the image.
    let view = View::face_on(low, high, 2, SIZE);
    let place = Vec3::new(1.7, 2.7, 0.5);
    let look = Look { particle_radius: 0.2, box_low: low, box_high: low + 0.1, ..look() };
    let empty = draw(&view, &look, &Particles::at(&[]).drawn());
    let covered = changed(&draw(&view, &look, &Particles::at(&[place]).drawn()), &empty);
    let center = view.pixel_of(place).expect("in front of the camera");
    let pixels_per_meter = view.pixel_of(place + Vec3::X).expect("in front of the camera").x - center.x;
    let radius = 0.2 * pixels_per_meter;
    let near: Vec<Vec2> = covered.iter().map(|pixel| pixel.as_vec2() + 0.5).collect();
    // Only pixels near the sphere count, because its shadow also changes pixels.
    let inside = near.iter().filter(|pixel| pixel.distance(center) < radius + 1.0).count() as f32;
    let area = std::f32::consts::PI * radius * radius;
    assert!((inside - area).abs() < 0.04 * area, "{inside} pixels instead of {area}");
    let ray = view.ray(center);
    let along = (place - ray.origin).dot(ray.direction);
    let missed = (ray.origin + along * ray.direction).distance(place);
    assert!(missed < 0.002, "the ray through the pixel misses the center by {missed} m");
}

#[test]
fn a_ray_passes_through_its_pixel() {
    for view in [away(), overview()] {
        for pixel in [Vec2::new(0.5, 0.5), Vec2::new(200.0, 33.0), Vec2::new(319.0, 239.0)] {
            let ray = view.ray(pixel);
            let found = view.pixel_of(ray.origin + 3.0 * ray.direction).expect("in front of the camera");
            assert!(found.distance(pixel) < 0.02, "{found} instead of {pixel}");
        }
        assert_eq!(
            view.pixel_of(view.ray(Vec2::ZERO).origin - 2.0 * view.ray(Vec2::new(160.0, 120.0)).direction),
            None
        );
    }
}

#[test]
fn a_custom_field_colors_by_the_callers_numbers() {
    let positions =
        [EYE + 2.5 * forward() - 0.4 * right(), EYE + 2.5 * forward() + 0.4 * right(), EYE + 2.5 * forward()];
    let particles = Particles::new(&positions, |index| [1.0, 2.0, 3.0][index]);
    let field = ColorField::custom(CustomField { label: "idle lanes", unit: "" });
    assert_eq!((field.label(), field.unit()), ("idle lanes", ""));
    let values = gpu().storage_with("values", &[3.0_f32, 9.0, f32::NAN]).expect("the buffer fits");
    let look = |field, low, high| Look { field, low, high, particle_radius: 0.15, ..look() };
    let custom = |low: f32, high: f32| {
        let drawn = Drawn { custom_field: Some(&values), ..particles.drawn() };
        let picture = draw(&away(), &look(field, low, high), &drawn);
        positions.map(|place| color_at(&picture, &away(), place))
    };
    let [first, second, none] = custom(0.0, 9.0);
    assert!(difference(first, second) > 60);
    // Another field with the same color map has the same color at the same fraction of its range.
    let density = draw(&away(), &look(field_named("density"), 0.0, 24.0), &particles.drawn());
    let third = color_at(&density, &away(), positions[1]);
    assert!(difference(first, third) < 12, "a third of the range: {first:?} and {third:?}");
    let spread = none.0[..3].iter().max().zip(none.0[..3].iter().min()).map(|(most, least)| most - least);
    assert!(spread.expect("channels") < 30, "a missing value is gray: {none:?}");
    // Without its buffer the field is unknown, which must not look like a measured value.
    let missing = draw(&away(), &look(field, 0.0, 9.0), &particles.drawn());
    let [red, green, blue, _] = color_at(&missing, &away(), positions[0]).0;
    assert!(red > 120 && blue > 120 && green < 90, "{red}, {green}, {blue}");
}

#[test]
fn overhead_is_candidates_over_neighbors() {
    // Five candidates per three neighbors in both cases.
    let positions = [EYE + 2.5 * forward() - 0.4 * right(), EYE + 2.5 * forward() + 0.4 * right()];
    let particles = Particles::new(&positions, |index| [4.0, 40.0][index]);
    let color = |high: f32| {
        let look = Look { field: field_named("overhead"), low: 1.0, high, particle_radius: 0.15, ..look() };
        let picture = draw(&away(), &look, &particles.drawn());
        positions.map(|place| color_at(&picture, &away(), place))
    };
    let [few, many] = color(8.0);
    assert!(difference(few, many) < 12, "{few:?} and {many:?}");
    // With an upper end of 1.5, the overhead of 5/3 has the lightest color; with 8, it is near the dark end of the map.
    assert!(luminance(color(1.5)[0]) > luminance(few) + 150);
}

#[test]
fn cells_are_drawn_in_a_range_and_within_the_cut() {
    let particles = Particles::at(&[Vec3::new(-0.5, 0.5, 2.5), Vec3::new(0.5, 0.5, 2.5)]);
    let view = View::perspective(Vec3::new(0.3, 1.8, 7.0), Vec3::new(0.0, 0.5, 2.5), 40.0, SIZE);
    let picture = |cell_edges: CellEdges, cut: Option<Cut>| {
        let look = Look { particle_radius: 0.05, cells: cells(1.0, 0.0), cell_edges, cut, ..look() };
        draw(&view, &look, &particles.drawn())
    };
    let plain = picture(CellEdges::Off, None);
    let all = changed(&plain, &picture(CellEdges::All, None));
    let within = CellEdges::Within { low: Vec3::new(0.2, 0.2, 2.2), high: Vec3::new(0.8, 0.8, 2.8) };
    let one = changed(&plain, &picture(within, None));
    assert!(one.len() > 300 && all.len() as f32 > 1.5 * one.len() as f32, "{} and {}", one.len(), all.len());
    let split = view.pixel_of(Vec3::new(0.0, 0.5, 3.0)).expect("in front of the camera").x;
    assert!(one.iter().all(|pixel| pixel.x as f32 > split - 4.0), "only the right cell");
    let left = CellEdges::Within { low: Vec3::new(-0.8, 0.2, 2.2), high: Vec3::new(-0.2, 0.8, 2.8) };
    let other = changed(&plain, &picture(left, None));
    let end = view.pixel_of(Vec3::new(0.0, 0.5, 2.0)).expect("in front of the camera").x;
    assert!(other.len() > 300 && other.iter().all(|pixel| (pixel.x as f32) < end + 4.0), "only the left cell");
    let cut = Cut { low: Vec3::new(0.2, 0.0, 2.0), high: Vec3::new(1.0, 1.0, 4.0), outline: CutOutline::None };
    let (cut_plain, cut_all) = (picture(CellEdges::Off, Some(cut)), picture(CellEdges::All, Some(cut)));
    assert!(
        changed(&cut_plain, &cut_all).iter().all(|pixel| pixel.x as f32 > split - 4.0),
        "only the cells in the cut"
    );
    // If there are more cells than can be drawn, those in a small range still are drawn.
    let fine = |cell_edges: CellEdges| Look { cells: cells(0.1, 0.0), particle_radius: 0.02, cell_edges, ..look() };
    assert!(fine(CellEdges::All).has_too_many_cells() && !fine(within).has_too_many_cells());
    let plain = draw(&view, &fine(CellEdges::Off), &particles.drawn());
    assert_eq!(plain, draw(&view, &fine(CellEdges::All), &particles.drawn()));
    assert!(changed(&plain, &draw(&view, &fine(within), &particles.drawn())).len() > 20);
}
