//! The renderer on any adapter, including llvmpipe: what is drawn, where, and in front of what.

mod drawing;
#[path = "drawing/in_picture.rs"]
mod in_picture;
#[path = "drawing/listed.rs"]
mod listed;
#[path = "drawing/mesh_light.rs"]
mod mesh_light;
#[path = "drawing/overview.rs"]
mod overview;
#[path = "added/rise.rs"]
mod rise;
#[path = "drawing/scene_light.rs"]
mod scene_light;
#[path = "common/shader_folder.rs"]
mod shader_folder;

use drawing::{
    EYE, Particles, RADIUS, SIZE, away, cells, changed, color_at, difference, field_named, forward, gpu, look, pixel_of,
};
use glam::{UVec2, UVec3, Vec2, Vec3};
use image::RgbaImage;
use nearwater::gpu::{PassTimer, Phase, ShaderLibrary};
use nearwater::render::{
    Canvas, CellEdges, ColorField, DrawStyle, Drawn, DrawnParticles, Look, Renderer, TargetFormat, View,
    shader_variants,
};
use overview::overview;
use shader_folder::{gpu_with_shaders, write_shaders};

/// A picture with the given number of samples per pixel.
fn draw_with(samples: u32, view: &View, look: &Look, drawn: &Drawn<'_>) -> RgbaImage {
    let mut canvas = Canvas::with_samples(gpu(), view.size, samples).expect("a canvas");
    let picture = canvas.draw(view, look, drawn, None).expect("a picture");
    listed::assert_shaders_are_listed();
    picture
}

fn draw(view: &View, look: &Look, particles: &Particles) -> RgbaImage {
    draw_with(1, view, look, &particles.drawn())
}

#[test]
fn every_shader_composes_and_validates_in_every_variant() {
    let library = ShaderLibrary::embedded();
    let variants = shader_variants();
    for variant in &variants {
        library.compose(variant).unwrap_or_else(|error| panic!("{variant:?}: {error}"));
    }
    let drawn = ShaderLibrary::files().into_iter().filter(|file| file.starts_with("render/"));
    let mut entry_files = drawn
        .filter(|file| !library.source(file).expect("an embedded file").contains("#define_import_path"))
        .peekable();
    assert!(entry_files.peek().is_some(), "no shader found");
    for file in entry_files {
        assert!(variants.iter().any(|variant| variant.file == file), "{file} is in no variant");
    }
}

#[test]
fn the_formats_of_windows_are_drawn_into() {
    for color in [wgpu::TextureFormat::Rgba8UnormSrgb, wgpu::TextureFormat::Bgra8UnormSrgb] {
        for sample_count in [1, 4] {
            let target = TargetFormat { color, depth: wgpu::TextureFormat::Depth32Float, sample_count };
            if let Err(error) = Renderer::new(gpu(), target) {
                panic!("{target:?}: {error}");
            }
        }
    }
}

#[test]
fn the_nearer_of_two_particles_hides_the_other() {
    let near = EYE + 3.0 * forward();
    let far = EYE + 5.0 * forward();
    for samples in [1, 4] {
        let alone = |index: usize, position: Vec3| {
            // The position of the other particle is NaN.
            let mut positions = [Vec3::NAN; 2];
            positions[index] = position;
            color_at(&draw_with(samples, &away(), &look(), &Particles::at(&positions).drawn()), &away(), position)
        };
        for (first, second) in [(near, far), (far, near)] {
            let picture = draw_with(samples, &away(), &look(), &Particles::at(&[first, second]).drawn());
            let nearer = usize::from(first == far);
            let expected = alone(nearer, near);
            let other = alone(1 - nearer, near);
            assert!(difference(expected, other) > 50, "the colors of this test must differ");
            let found = color_at(&picture, &away(), near);
            // Shading depends a little on the surroundings, by hardly a tenth of the difference of the colors.
            assert!(difference(found, expected) < 10, "{samples} samples: {found:?}, not {expected:?}");
        }
    }
}

/// The first of `centers` that a ray from `EYE` hits, by solving the quadratic equation in f64.
fn first_hit(centers: &[Vec3], ray: Vec3) -> Option<usize> {
    let ray = ray.as_dvec3().normalize();
    let hits = centers.iter().enumerate().filter_map(|(index, center)| {
        let center = (*center - EYE).as_dvec3();
        let along = center.dot(ray);
        let discriminant = along * along - center.length_squared() + f64::from(RADIUS * RADIUS);
        (discriminant > 0.0).then(|| (index, along - discriminant.sqrt()))
    });
    hits.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

#[test]
fn intersecting_spheres_meet_where_rays_predict() {
    let view = away();
    let right = view.world_from_view.x_axis.truncate();
    let up = view.world_from_view.y_axis.truncate();
    let middle = EYE + 2.0 * forward();
    let centers = [
        middle - 0.15 * right,
        middle + 0.12 * right + 0.05 * forward(),
        middle + 0.02 * right + 0.2 * up - 0.08 * forward(),
    ];
    let picture = draw(&view, &look(), &Particles::at(&centers));
    let alone: Vec<RgbaImage> = (0..3)
        .map(|index| {
            let mut positions = [Vec3::NAN; 3];
            positions[index] = centers[index];
            draw(&view, &look(), &Particles::at(&positions))
        })
        .collect();
    let empty = draw(&view, &look(), &Particles::at(&[]));
    let world_from_clip = view.world_from_view * view.clip_from_view.inverse();
    let (mut seen, mut wrong) = ([0_u32; 3], 0_u32);
    for (x, y, found) in picture.enumerate_pixels() {
        let place = (Vec2::new(x as f32 + 0.5, y as f32 + 0.5) / SIZE.as_vec2() - 0.5) * Vec2::new(2.0, -2.0);
        let ray = world_from_clip.project_point3(place.extend(1.0)) - EYE;
        let Some(expected) = first_hit(&centers, ray) else {
            assert!(difference(*found, *empty.get_pixel(x, y)) == 0 || !edge_free(&centers, ray), "{x},{y}");
            continue;
        };
        seen[expected] += 1;
        let likeness = |index: usize| difference(*found, *alone[index].get_pixel(x, y));
        let likest = (0..3).min_by_key(|&index| likeness(index));
        wrong += u32::from(likest != Some(expected));
    }
    assert!(seen.iter().all(|&count| count > 300), "each sphere is seen: {seen:?}");
    // In a few places the center of a pixel is nearer to a border than f32 resolves, or two colors happen to be alike.
    assert!(wrong * 50 < seen.iter().sum(), "{wrong} wrong of {seen:?}");
}

/// Whether a ray passes every sphere at a distance that f32 can distinguish from its radius.
fn edge_free(centers: &[Vec3], ray: Vec3) -> bool {
    centers.iter().all(|center| {
        let passed = (*center - EYE).cross(ray.normalize()).length();
        (passed - RADIUS).abs() > 1e-3 * RADIUS
    })
}

#[test]
fn a_sphere_covers_the_area_of_its_outline_and_is_round() {
    let distance = 2.5;
    let empty = draw(&away(), &look(), &Particles::at(&[]));
    let covered = changed(&draw(&away(), &look(), &Particles::at(&[EYE + distance * forward()])), &empty);
    let pixels_at_one = 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan();
    // The cone of tangents from the eye has the half angle asin(r / d).
    let outline = pixels_at_one * (RADIUS / distance).asin().tan();
    let area = std::f32::consts::PI * outline * outline;
    // Pixels are counted by their centers, so the count deviates by a few pixels of the outline, 1 % here.
    assert!((covered.len() as f32 - area).abs() < 0.02 * area, "{} pixels, not {area}", covered.len());
    let low = covered.iter().copied().reduce(UVec2::min).expect("pixels");
    let high = covered.iter().copied().reduce(UVec2::max).expect("pixels");
    let extent = (high - low + 1).as_vec2();
    assert!((extent - 2.0 * outline).abs().max_element() <= 1.5, "{extent} pixels, not {}", 2.0 * outline);
    let middle = 0.5 * (low + high + 1).as_vec2();
    assert!((middle - 0.5 * SIZE.as_vec2()).abs().max_element() <= 1.0, "in the middle: {middle}");
}

#[test]
fn a_sphere_beside_the_axis_is_stretched_by_perspective() {
    let view = away();
    let angle = 20_f32.to_radians();
    let distance = 2.5;
    let right = view.world_from_view.x_axis.truncate();
    let center = EYE + distance * (angle.cos() * forward() + angle.sin() * right);
    let empty = draw(&view, &look(), &Particles::at(&[]));
    let covered = changed(&draw(&view, &look(), &Particles::at(&[center])), &empty);
    let pixels_at_one = 0.5 * SIZE.y as f32 / 20_f32.to_radians().tan();
    let half = (RADIUS / distance).asin();
    let place = |angle: f32| 0.5 * SIZE.x as f32 + pixels_at_one * angle.tan();
    let low = covered.iter().map(|pixel| pixel.x).min().expect("pixels") as f32;
    let high = covered.iter().map(|pixel| pixel.x).max().expect("pixels") as f32 + 1.0;
    // A pixel counts from its center on.
    assert!((low - place(angle - half)).abs() <= 1.0, "{low}, not {}", place(angle - half));
    assert!((high - place(angle + half)).abs() <= 1.0, "{high}, not {}", place(angle + half));
}

#[test]
fn several_samples_smooth_the_outline_and_keep_the_area() {
    let particles = Particles::at(&[EYE + 2.5 * forward()]);
    // The coverage of each pixel: its blue relative to that of the center, which the backdrop hardly contains.
    let coverage = |samples: u32| -> Vec<f64> {
        let empty = draw_with(samples, &away(), &look(), &Particles::at(&[]).drawn());
        let picture = draw_with(samples, &away(), &look(), &particles.drawn());
        let covered = changed(&picture, &empty);
        covered.iter().map(|pixel| (f64::from(picture.get_pixel(pixel.x, pixel.y).0[2]) / 80.0).min(1.0)).collect()
    };
    let (jagged, smooth) = (coverage(1), coverage(4));
    // Pixels on the outline count by their coverage there, and completely or not at all here.
    let (jagged_area, smooth_area) = (jagged.iter().sum::<f64>(), smooth.iter().sum::<f64>());
    assert!((jagged_area - smooth_area).abs() < 0.05 * jagged_area, "{jagged_area} and {smooth_area}");
    // Four samples cover pixels whose center the sphere misses.
    assert!(smooth.len() > jagged.len() + 20, "{} and {} pixels", smooth.len(), jagged.len());
}

#[test]
fn a_particle_out_of_sight_draws_nothing() {
    let empty = draw(&away(), &look(), &Particles::at(&[]));
    let right = away().world_from_view.x_axis.truncate();
    let behind = EYE - 3.0 * forward();
    let beside = EYE + 2.0 * forward() + 3.0 * right;
    let around_the_eye = EYE + 0.1 * forward();
    for position in [behind, beside, around_the_eye] {
        let picture = draw(&away(), &look(), &Particles::at(&[position]));
        assert!(changed(&picture, &empty).is_empty(), "{position}");
    }
}

#[test]
fn particles_at_positions_that_are_nan_are_not_drawn() {
    let bad = [Vec3::NAN, Vec3::INFINITY, Vec3::NEG_INFINITY, Vec3::splat(1e30), Vec3::new(0.5, f32::NAN, 3.0)];
    for (view, samples) in [(away(), 1), (away(), 4), (overview(), 1), (overview(), 4)] {
        for style in DrawStyle::ALL {
            let look = Look { style, ..look() };
            let empty = draw_with(samples, &view, &look, &Particles::at(&[]).drawn());
            let picture = draw_with(samples, &view, &look, &Particles::at(&bad).drawn());
            assert!(changed(&picture, &empty).is_empty(), "{samples} samples, {style:?}");
        }
    }
}

/// A block of water in the box of [`look`].
fn block() -> Particles {
    let step = 0.2;
    let mut positions = Vec::new();
    for index in 0..5 * 3 * 5_u32 {
        let place = UVec3Index(index).unpack(5, 3).as_vec3();
        positions.push(Vec3::new(-0.9, 0.1, 2.5) + step * place);
    }
    Particles::new(&positions, |index| (index % 7) as f32)
}

struct UVec3Index(u32);

impl UVec3Index {
    fn unpack(&self, x: u32, y: u32) -> UVec3 {
        UVec3::new(self.0 % x, self.0 / x % y, self.0 / (x * y))
    }
}

fn block_look() -> Look {
    Look { particle_radius: 0.12, cells: cells(0.4, 0.0), high: 7.0, ..look() }
}

#[test]
fn every_field_colors_the_water_differently() {
    let particles = block();
    let pictures: Vec<(ColorField, RgbaImage)> = ColorField::all()
        .map(|field| {
            let (low, high) = if field == field_named("density") { (3.0, 10.0) } else { (0.0, 40.0) };
            (field, draw(&overview(), &Look { field, low, high, ..block_look() }, &particles))
        })
        .collect();
    for (index, (field, picture)) in pictures.iter().enumerate() {
        for (other, other_picture) in &pictures[..index] {
            let count = changed(picture, other_picture).len();
            assert!(count > 1000, "{field:?} and {other:?} differ in {count} pixels");
        }
    }
}

#[test]
fn range_and_value_determine_the_color() {
    let position = [EYE + 2.0 * forward()];
    let speed = |speed: f32, high: f32| {
        let look = Look { field: field_named("speed"), low: 0.0, high, ..look() };
        color_at(&draw(&away(), &look, &Particles::new(&position, |_| speed)), &away(), position[0])
    };
    assert_eq!(speed(1.0, 2.0), speed(2.0, 4.0));
    assert!(difference(speed(1.0, 2.0), speed(1.0, 8.0)) > 20);
    // A value past the end has the color of the end, and an empty range is not an error.
    assert_eq!(speed(9.0, 2.0), speed(2.0, 2.0));
    assert_eq!(speed(1.0, 0.0), speed(2.0, 2.0));
}

#[test]
fn cells_that_touch_differ_clearly() {
    // 27 cells of one meter seen from afar; the layers in depth are shifted so that none hides another.
    let cells: Vec<glam::IVec3> = (0..27).map(|index| UVec3Index(index).unpack(3, 3).as_ivec3() - 1).collect();
    let positions: Vec<Vec3> =
        cells.iter().map(|cell| cell.as_vec3() + Vec3::new(0.25 + 0.22 * (cell.z + 1) as f32, 0.5, 0.5)).collect();
    let look = Look { field: field_named("cell"), particle_radius: 0.1, ..look() };
    let view = View::perspective(Vec3::new(0.5, 0.5, 30.0), Vec3::splat(0.5), 8.0, SIZE);
    let look = Look { box_low: Vec3::new(-9.0, -9.0, 40.0), box_high: Vec3::new(9.0, 9.0, 60.0), ..look };
    let picture = draw(&view, &look, &Particles::at(&positions));
    let colors: Vec<_> = positions.iter().map(|&position| color_at(&picture, &view, position)).collect();
    for (index, cell) in cells.iter().enumerate() {
        for (other, other_cell) in cells[..index].iter().enumerate() {
            if (*cell - *other_cell).abs().max_element() == 1 {
                let apart = difference(colors[index], colors[other]);
                assert!(apart > 20, "{cell} {:?} and {other_cell} {:?}", colors[index], colors[other]);
            }
        }
    }
}

#[test]
fn an_empty_box_is_drawn_on_its_floor() {
    let look = look();
    let empty = draw(&overview(), &look, &Particles::at(&[]));
    // The floor in front of the box is lit; the room above it is dark.
    let floor = color_at(&empty, &overview(), Vec3::new(0.13, 0.0, 4.77));
    let room = *empty.get_pixel(SIZE.x / 2, 2);
    assert!(floor.0[1] > room.0[1] + 15, "floor {floor:?}, room {room:?}");
    // A front edge is brighter than the pixels on either side of it.
    let edge = pixel_of(&overview(), Vec3::new(-1.0, 0.5, 4.0));
    let at = |offset: i32| empty.get_pixel((edge.x as i32 + offset) as u32, edge.y as u32).0[1];
    let brightest = (-2..=2).map(at).max().expect("pixels");
    assert!(brightest > at(-8) + 20 && brightest > at(8) + 20, "{brightest}, {} and {}", at(-8), at(8));
}

#[test]
fn water_casts_a_shadow() {
    let drop = Vec3::new(0.0, 0.5, 3.0);
    let empty = draw(&overview(), &look(), &Particles::at(&[]));
    let picture = draw(&overview(), &look(), &Particles::at(&[drop]));
    let darker = changed(&picture, &empty)
        .iter()
        .filter(|pixel| picture.get_pixel(pixel.x, pixel.y).0[0] + 4 < empty.get_pixel(pixel.x, pixel.y).0[0])
        .count();
    assert!(darker > 50, "{darker} pixels are darker");
}

#[test]
fn smooth_water_shows_no_beads() {
    // A wall of water across the picture, five particles thick, a radius and a half apart.
    let view = away();
    let (right, up) = (view.world_from_view.x_axis.truncate(), view.world_from_view.y_axis.truncate());
    let wall: Vec<Vec3> = (0..24 * 24 * 5_u32)
        .map(|index| UVec3Index(index).unpack(24, 24).as_vec3() - Vec3::new(11.5, 11.5, 0.0))
        .map(|place| EYE + 4.0 * forward() + 0.15 * (place.x * right + place.y * up + place.z * forward()))
        .collect();
    let roughness = |style: DrawStyle| {
        let look = Look { style, field: field_named("density"), particle_radius: 0.1, ..look() };
        let picture = draw(&view, &look, &Particles::new(&wall, |_| 9.0));
        let row = (SIZE.x / 2 - 60..SIZE.x / 2 + 60).map(|x| picture.get_pixel(x, SIZE.y / 2).0[1]);
        let row: Vec<u8> = row.collect();
        row.windows(2).map(|pair| u32::from(pair[0].abs_diff(pair[1]))).sum::<u32>()
    };
    let (beads, smooth) = (roughness(DrawStyle::Beads), roughness(DrawStyle::Smooth));
    assert!(smooth * 3 < beads, "{smooth} and {beads}");
}

#[test]
fn the_shadow_does_not_depend_on_how_finely_water_is_divided() {
    // The same block of water twice: the second time with eight times as many particles, so many that only some leave a
    // blot in the light map.
    let block = |edges: u32, low: Vec3, size: f32| -> (Particles, Look) {
        let spacing = size / edges as f32;
        let places = (0..edges * edges * edges).map(|index| UVec3Index(index).unpack(edges, edges).as_vec3() + 0.5);
        let positions: Vec<Vec3> = places.map(|place| low + spacing * place).collect();
        let look = Look { particle_radius: Look::particle_radius_of(spacing), ..look() };
        (Particles::at(&positions), look)
    };
    let low = Vec3::new(-0.4, 0.05, 2.6);
    let (coarse, coarse_look) = block(32, low, 0.8);
    let (fine, fine_look) = block(64, low, 0.8);
    assert!(fine.count > 131_072, "enough to be thinned out");
    let coarse = draw(&overview(), &coarse_look, &coarse);
    let fine = draw(&overview(), &fine_look, &fine);
    let empty = draw(&overview(), &look(), &Particles::at(&[]));
    // The light comes from the left and a little from the front, so the shadow is to the right of the block.
    let shade = Vec3::new(0.55, 0.0, 2.9);
    let at = |picture: &RgbaImage| color_at(picture, &overview(), shade);
    assert!(at(&empty).0[0] > at(&coarse).0[0] + 10, "in the shade: {:?} and {:?}", at(&empty), at(&coarse));
    assert!(difference(at(&coarse), at(&fine)) < 8, "{:?} and {:?}", at(&coarse), at(&fine));
}

#[test]
fn a_camera_inside_the_box_sees_no_edge_across_the_picture() {
    let look = Look { box_low: Vec3::splat(-2.0), box_high: Vec3::splat(2.0), ..look() };
    let view = View::perspective(Vec3::new(0.3, 0.2, 0.1), Vec3::new(1.0, 1.2, -1.4), 60.0, SIZE);
    let picture = draw(&view, &look, &Particles::at(&[]));
    let bright = picture.pixels().filter(|pixel| pixel.0[1] > 100).count();
    assert!(bright > 100, "edges are seen: {bright}");
    assert!(bright < picture.pixels().len() / 20, "{bright} bright pixels");
}

#[test]
fn the_picture_of_water_has_many_colors() {
    let mut colors: Vec<[u8; 4]> = draw(&overview(), &block_look(), &block()).pixels().map(|pixel| pixel.0).collect();
    assert!(colors.iter().all(|color| color[3] == 255), "opaque");
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 500, "{} colors", colors.len());
}

#[test]
fn only_the_visible_part_is_drawn() {
    let seen = [UVec2::new(30, 10), UVec2::new(310, 230)];
    for style in DrawStyle::ALL {
        let look = Look { style, ..block_look() };
        let whole = draw(&overview(), &look, &block());
        let part = draw(&View { seen: Some(seen), ..overview() }, &look, &block());
        for (x, y, pixel) in part.enumerate_pixels() {
            let place = UVec2::new(x, y);
            let inside = place.cmpge(seen[0]).all() && place.cmplt(seen[1]).all();
            // The relief is blurred over some seventy pixels, and lacks what lies beyond the border.
            let deep = place.cmpge(seen[0] + 75).all() && place.cmplt(seen[1] - 75).all();
            assert!(inside || pixel.0 == [0, 0, 0, 255], "{place} is not black");
            assert!(!deep || pixel == whole.get_pixel(x, y), "{place} is not the same");
        }
    }
}

#[test]
fn one_canvas_draws_changing_numbers_of_particles() {
    let mut canvas = Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas");
    let mut drawn =
        |particles: &Particles| canvas.draw(&overview(), &block_look(), &particles.drawn(), None).expect("a picture");
    let (few, many) = (Particles::at(&[Vec3::new(0.0, 0.3, 3.0)]), block());
    let first = drawn(&few);
    let second = drawn(&many);
    assert_eq!(first, drawn(&few));
    assert_eq!(second, drawn(&many));
    assert_ne!(first, second);
}

#[test]
fn every_pass_is_timed_as_drawing() {
    let mut timer = PassTimer::new(gpu(), 16);
    let mut canvas = Canvas::new(gpu(), SIZE).expect("a canvas");
    canvas.draw(&overview(), &block_look(), &block().drawn(), Some(&mut timer)).expect("a picture");
    gpu().submit(|encoder| timer.resolve(gpu(), encoder));
    gpu().wait().expect("the device");
    let frames = timer.collect(gpu());
    if !timer.supported() {
        eprintln!("this adapter has no timestamps: nothing to check");
        return;
    }
    let times = &frames[0];
    assert!(times.iter().all(|time| time.phase == Phase::Drawing), "{times:?}");
    for label in ["light map", "spheres", "picture"] {
        assert!(times.iter().any(|time| time.label == label), "{label} in {times:?}");
    }
}

#[test]
fn a_picture_of_invalid_size_is_refused_with_a_message() {
    let limit = gpu().capabilities.limits.max_texture_dimension_2d;
    for size in [UVec2::new(0, 10), UVec2::new(10, limit + 1)] {
        let Err(error) = Canvas::new(gpu(), size) else { panic!("{size} was accepted") };
        let words = format!(
            "a picture of {}x{} pixels cannot be drawn; give each side from 1 to {limit} pixels",
            size.x, size.y
        );
        assert_eq!(error.to_string(), words);
    }
}

#[test]
fn a_broken_edit_keeps_the_old_picture_and_a_good_one_changes_it() {
    let shaders = tempfile::tempdir().expect("a folder");
    write_shaders(shaders.path());
    let gpu = gpu_with_shaders(shaders.path());
    let mut canvas = Canvas::with_samples(&gpu, SIZE, 1).expect("a canvas");
    let none = gpu.storage::<[f32; 4]>("nothing", 1).expect("memory");
    let drawn = Drawn::from(DrawnParticles {
        count: 0,
        fluid_count: 0,
        parked_beyond: f32::INFINITY,
        positions: &none,
        smoothed: None,
        velocities: &none,
        densities: &none,
        neighbor_counts: &none,
        candidate_counts: &none,
    });
    let draw = |canvas: &mut Canvas| canvas.draw(&overview(), &look(), &drawn, None).expect("a picture");
    let before = draw(&mut canvas);

    let file = shaders.path().join("render/background.wgsl");
    let source = std::fs::read_to_string(&file).expect("a shader");
    std::fs::write(&file, source.replace("fn fragment", "fn fragment oops")).expect("an edit");
    let error = canvas.renderer_mut().rebuild().expect_err("a broken shader");
    assert!(error.to_string().contains("render/background.wgsl"), "{error}");
    assert_eq!(before, draw(&mut canvas));

    std::fs::write(&file, source.replace("backdrop(normalize(corner.ray))", "vec3<f32>(1.0, 0.0, 0.0)"))
        .expect("an edit");
    canvas.renderer_mut().rebuild().expect("a good shader");
    assert!(changed(&before, &draw(&mut canvas)).len() > 1000);
}

#[test]
fn border_and_inner_particles_differ_only_where_a_search_distinguishes_them() {
    // Cells of one meter: one particle in the center of a cell, one near a face.
    let (inner, near_a_face) = (Vec3::new(-0.5, 0.5, 0.5), Vec3::new(0.9, 0.5, 0.5));
    let view = View::perspective(Vec3::new(0.0, 0.5, 12.0), Vec3::new(0.0, 0.5, 0.5), 10.0, SIZE);
    let colors = |border: f32| {
        let box_low = Vec3::new(-9.0, -9.0, 40.0);
        let look =
            Look { field: field_named("border-or-inner"), particle_radius: 0.1, cells: cells(1.0, border), ..look() };
        let look = Look { box_low, box_high: box_low + 18.0, high: 1.0, ..look };
        let picture = draw(&view, &look, &Particles::at(&[inner, near_a_face]));
        [color_at(&picture, &view, inner), color_at(&picture, &view, near_a_face)]
    };
    let [middle, edge] = colors(0.2);
    assert!(difference(middle, edge) > 60, "{middle:?} and {edge:?}");
    let [middle, edge] = colors(0.05);
    assert!(difference(middle, edge) < 8, "both inner: {middle:?} and {edge:?}");
    let [middle, edge] = colors(0.0);
    assert!(difference(middle, edge) < 8, "no classes: {middle:?} and {edge:?}");
}

#[test]
fn only_cells_that_contain_particles_show_their_edges() {
    let particle = Vec3::new(0.5, 1.5, 0.5);
    let view = View::perspective(Vec3::new(0.3, 2.2, 9.0), Vec3::new(0.5, 1.5, 0.5), 30.0, SIZE);
    let picture = |cell_edges: bool, border: f32| {
        let cell_edges = if cell_edges { CellEdges::All } else { CellEdges::Off };
        let look = Look { particle_radius: 0.05, cells: cells(1.0, border), cell_edges, ..look() };
        draw(&view, &look, &Particles::at(&[particle]))
    };
    let plain = picture(false, 0.0);
    let [flat, bordered] = [0.0, 0.2].map(|border| picture(true, border));
    let without_border = changed(&plain, &flat);
    // A cell of one meter at nine meters covers some fifty pixels per side, and its faces are shaded.
    assert!((1_500..4_500).contains(&without_border.len()), "{} pixels", without_border.len());
    let corners = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 2.0, 1.0)].map(|corner| pixel_of(&view, corner));
    let (low, high) = (corners[0].min(corners[1]) - 14.0, corners[0].max(corners[1]) + 14.0);
    let inside = |pixel: &&UVec2| pixel.as_vec2().cmpge(low).all() && pixel.as_vec2().cmple(high).all();
    assert_eq!(without_border.iter().filter(inside).count(), without_border.len(), "only around the particle's cell");
    assert!(changed(&flat, &bordered).len() > 80, "the inner part has edges of its own");
}

#[test]
fn a_color_field_of_no_table_is_drawn_beside_the_others() {
    let right = away().world_from_view.x_axis.truncate();
    let positions = [EYE + 2.5 * forward() - 0.4 * right, EYE + 2.5 * forward() + 0.4 * right];
    // The y of the velocities is 2.5 and 7.5 m/s, and the densities are 7.5 and 2.5 kg/m³.
    let particles = Particles::new(&positions, |index| [2.5, 7.5][index]);
    let rise = ColorField::new(&rise::RISE);
    for style in DrawStyle::ALL {
        let mut canvas = Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas");
        let mut colors = |field| {
            let look = Look { field, style, low: 0.0, high: 10.0, particle_radius: 0.15, ..look() };
            let picture = canvas.draw(&away(), &look, &particles.drawn(), None).expect("a picture");
            positions.map(|place| color_at(&picture, &away(), place))
        };
        let before = colors(field_named("density"));
        let [slow, fast] = colors(rise);
        assert!(difference(slow, fast) > 60, "{style:?}: {slow:?} and {fast:?}");
        // Both fields have the same map, so that equal values have equal colors.
        assert!(difference(slow, before[1]) < 12 && difference(fast, before[0]) < 12, "{style:?}");
        assert_eq!(colors(field_named("density")), before, "{style:?}: the listed fields are drawn as before");
    }
}
