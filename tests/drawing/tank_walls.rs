//! The surface of clear water at the walls of the tank that holds it.

use glam::{UVec2, UVec3, Vec2, Vec3};
use image::RgbaImage;
use nearwater::render::{Drawn, Lighting, Look, Splatting, Theme, View};

use super::drawing::{Particles, SIZE, changed, difference, pixel_of};
use super::{draw, water};

/// Distance of particles, m.
pub const SPACING: f32 = 0.05;
/// Layers of particles.
pub const LAYERS: u32 = 12;
/// Height of the water that these particles hold, m.
pub const LEVEL: f32 = SPACING * LAYERS as f32;

pub fn look() -> Look {
    Look { particle_radius: Look::particle_radius_of(SPACING), ..water() }
}

/// Calm water between all walls of the tank, its particles displaced by up to a quarter of their distance.
fn tank() -> Particles {
    Particles::new(&places(LAYERS), |_| 0.0)
}

/// Places of particles in calm water of so many layers.
pub fn places(layers: u32) -> Vec<Vec3> {
    displaced_places(layers, 0.25)
}

/// Such places, displaced from those of a lattice by up to so much of their distance.
pub fn displaced_places(layers: u32, most: f32) -> Vec<Vec3> {
    let mut seed = 1_u32;
    let mut displaced = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        SPACING * most * (2.0 * ((seed >> 8) as f32 / (1 << 24) as f32) - 1.0)
    };
    let place = |index: u32| {
        let cell = UVec3::new(index % 40, index / 1600, index / 40 % 40).as_vec3();
        let shift = Vec3::new(displaced(), displaced(), displaced());
        look().box_low + SPACING * (cell + 0.5) + shift
    };
    (0..40_u32.pow(2) * layers).map(place).collect()
}

/// A view of the tank over its front wall.
fn over_the_front() -> View {
    View::perspective(Vec3::new(0.6, 1.4, 8.0), Vec3::new(0.0, 0.4, 3.0), 36.0, 2 * SIZE)
}

pub fn light_at(picture: &RgbaImage, x: u32, y: u32) -> f32 {
    picture.get_pixel(x, y).0[..3].iter().map(|&byte| f32::from(byte)).sum()
}

#[test]
fn the_surface_meets_the_front_wall() {
    let (view, look) = (over_the_front(), look());
    let particles = tank();
    for splatting in Splatting::ALL {
        let picture = draw(&view, &Look { splatting, ..look }, &particles.drawn());
        let mut offs: Vec<f32> = (-7..=7)
            .map(|across| {
                let place = Vec3::new(0.1 * across as f32, LEVEL, look.box_high.z);
                let edge = pixel_of(&view, place);
                let spacing = pixel_of(&view, place - SPACING * Vec3::Y).y - edge.y;
                // Where the wall begins, the light changes most from one row to the next but one.
                let (x, from) = (edge.x as u32, (edge.y - 3.0 * spacing) as u32);
                let change = |y: &u32| (light_at(&picture, x, y + 1) - light_at(&picture, x, y - 1)).abs();
                let rows = from..from + (6.0 * spacing) as u32;
                let found = rows.max_by(|one, other| change(one).total_cmp(&change(other))).expect("rows");
                (found as f32 + 0.5 - edge.y) / spacing
            })
            .collect();
        // In a few columns something that is seen through the water changes more.
        offs.sort_by(f32::total_cmp);
        let (low, middle, high) = (offs[3], offs[7], offs[11]);
        assert!(middle.abs() < 0.6, "{splatting:?}: the edge is {middle} spacings too low");
        assert!(high - low < 0.4, "{splatting:?}: the edge is no line: {offs:?} spacings too low");
    }
}

#[test]
fn the_edge_at_the_front_wall_mirrors_nothing_that_its_sides_do_not() {
    let (view, look) = (over_the_front(), look());
    let picture = draw(&view, &look, &tank().drawn());
    for across in -90..=90 {
        let edge = pixel_of(&view, Vec3::new(0.01 * across as f32, LEVEL, look.box_high.z)).as_uvec2();
        let around = |rows: std::ops::Range<u32>| rows.map(|y| light_at(&picture, edge.x, y)).fold(0.0, f32::max);
        let (at_edge, beside) =
            (around(edge.y - 3..edge.y + 4), around(edge.y - 9..edge.y - 3).max(around(edge.y + 4..edge.y + 10)));
        assert!(at_edge < beside + 36.0, "at {edge} the edge is {at_edge}, and beside it {beside}");
    }
}

#[test]
fn the_edge_at_the_front_wall_is_no_line_of_its_own() {
    let (view, look) = (over_the_front(), look());
    let picture = draw(&view, &look, &tank().drawn());
    for across in -90..=90 {
        let edge = pixel_of(&view, Vec3::new(0.01 * across as f32, LEVEL, look.box_high.z)).as_uvec2();
        let row = |y: u32| light_at(&picture, edge.x, y);
        for y in edge.y - 3..edge.y + 4 {
            let (here, low, high) = (row(y), row(y - 2).min(row(y + 2)), row(y - 2).max(row(y + 2)));
            let is_between = here > low - 15.0 && here < high + 15.0;
            assert!(is_between, "in row {y} of column {} light is {here}, and around it {low} to {high}", edge.x);
        }
    }
}

#[test]
fn the_edge_at_the_front_wall_is_smooth() {
    // From aside, so that the edge is at a slant.
    let view = View::perspective(Vec3::new(3.4, 2.6, 8.0), Vec3::new(0.0, 0.4, 3.0), 30.0, 2 * SIZE);
    let picture = draw(&view, &look(), &tank().drawn());
    // Squared differences of adjacent rows across the edge, and of the rows on both sides. What is seen through the water
    // beside the edge adds to the former.
    let (mut squares, mut sides) = (0.0, 0.0);
    for across in -90..=90 {
        let edge = pixel_of(&view, Vec3::new(0.01 * across as f32, LEVEL, look().box_high.z)).as_uvec2();
        let rows: Vec<f32> = (edge.y - 4..edge.y + 5).map(|y| light_at(&picture, edge.x, y)).collect();
        squares += rows.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f32>();
        sides += (rows[8] - rows[0]).powi(2);
    }
    let sudden = squares / sides;
    assert!(sudden < 1.45, "{sudden}; without a smooth edge 1.61, and with it 1.28");
}

#[test]
fn gaps_in_the_layer_at_the_front_wall_are_not_seen() {
    let (view, look) = (over_the_front(), look());
    let all = places(LAYERS);
    // Some of the particles next to the wall, below the surface.
    let is_missing = |place: &Vec3| {
        let cell = (*place / SPACING).floor().as_ivec3();
        place.z > look.box_high.z - SPACING && place.y < 0.5 && (cell.x + 2 * cell.y).rem_euclid(7) == 0
    };
    let some: Vec<Vec3> = all.iter().copied().filter(|place| !is_missing(place)).collect();
    assert!(all.len() - some.len() > 40, "{} particles are missing", all.len() - some.len());
    let [whole, gaps] = [all, some].map(|places| draw(&view, &look, &Particles::new(&places, |_| 0.0).drawn()));
    let bytes = whole.as_raw().iter().zip(gaps.as_raw());
    let far = bytes.filter(|(one, other)| one.abs_diff(**other) > 16).count();
    assert!(far < 150, "{far} values differ clearly");
}

#[test]
fn the_surface_ends_in_a_line_at_the_far_wall() {
    let (view, look) = (over_the_front(), look());
    let particles = tank();
    let nothing = Particles::at(&[]);
    let pictures = [particles.drawn(), nothing.drawn()].map(|drawn: Drawn<'_>| draw(&view, &look, &drawn));
    let changed = changed(&pictures[0], &pictures[1]);
    let mut offs = Vec::new();
    for across in -70..=70 {
        let place = Vec3::new(0.01 * across as f32, LEVEL, look.box_low.z);
        let rim = pixel_of(&view, place);
        let spacing = pixel_of(&view, place - SPACING * Vec3::Y).y - rim.y;
        let highest = changed.iter().filter(|pixel| pixel.x == rim.x as u32).map(|pixel| pixel.y).min();
        offs.push((highest.expect("water in every column") as f32 + 0.5 - rim.y) / spacing);
    }
    let mean = offs.iter().sum::<f32>() / offs.len() as f32;
    assert!(mean.abs() < 0.6, "the far rim is {mean} spacings too low");
    for off in &offs {
        assert!((off - mean).abs() < 0.26, "the far rim is not a line: {offs:?} spacings too low");
    }
}

#[test]
fn no_water_is_seen_outside_the_walls() {
    // From below the surface, so that it is seen in front of the backdrop, on which no shadow falls.
    let view = View::perspective(Vec3::new(2.2, 0.3, 8.0), Vec3::new(0.0, 0.3, 3.0), 36.0, 2 * SIZE);
    let look = look();
    let particles = tank();
    let nothing = Particles::at(&[]);
    let pictures = [particles.drawn(), nothing.drawn()].map(|drawn: Drawn<'_>| draw(&view, &look, &drawn));
    let mut seen = 0;
    for pixel in changed(&pictures[0], &pictures[1]) {
        let center = pixel.as_vec2() + 0.5;
        if view.ray(center).direction.y < 0.01 {
            continue;
        }
        seen += 1;
        // Edges are smoothed over a pixel.
        let beside = [Vec2::ZERO, Vec2::X, Vec2::NEG_X].map(|step| meets_tank(&view, &look, center + step));
        assert!(beside.contains(&true), "water at {pixel}, where the ray passes beside the tank");
    }
    assert!(seen > 1000, "only {seen} pixels with water above the horizon");
}

#[test]
fn no_specks_are_seen_along_a_surface_at_the_height_of_the_eye() {
    let look = Look { theme: Theme::Light, ..look() };
    // Calmer than in the other tests: particles that have come to rest.
    let calm = |place: Vec3| place.lerp(SPACING * ((place / SPACING).floor() + 0.5), 0.75);
    let particles = Particles::new(&places(LAYERS).into_iter().map(calm).collect::<Vec<_>>(), |_| 0.0);
    let specks = [0.5, 0.62, 0.7, 0.8].map(|height| {
        let view = View::perspective(Vec3::new(0.4, height, 8.0), Vec3::new(0.0, LEVEL, 3.0), 30.0, 2 * SIZE);
        let picture = draw(&view, &look, &particles.drawn());
        let [left, right] =
            [-0.8, 0.8].map(|across| pixel_of(&view, Vec3::new(across, LEVEL, look.box_high.z)).as_uvec2());
        let mut specks = 0;
        for y in left.y - 40..left.y + 20 {
            for x in left.x..right.x {
                let mut around: Vec<f32> =
                    (0..9).map(|at| light_at(&picture, x + at % 3 - 1, y + at / 3 - 1)).collect();
                around.sort_by(f32::total_cmp);
                specks += u32::from((light_at(&picture, x, y) - around[4]).abs() > 30.0);
            }
        }
        specks
    });
    // Without the mends for grazing angles there are three times as many from the greatest height.
    assert!(specks.iter().all(|&specks| specks < 125), "so many specks are seen from each height: {specks:?}");
}

/// A view of the front wall from so high that the surface behind a film is seen over it.
fn steeply_over_the_front() -> View {
    View::perspective(Vec3::new(0.6, 3.4, 7.2), Vec3::new(0.0, 0.4, 3.4), 30.0, 2 * SIZE)
}

/// The tank with `more` particles over its water, without the sun, whose light they would refract.
fn tank_with(more: impl Iterator<Item = Vec3>) -> RgbaImage {
    let lighting = Lighting { key: Vec3::ZERO, ..Lighting::default() };
    let all: Vec<Vec3> = places(LAYERS).into_iter().chain(more).collect();
    draw(&steeply_over_the_front(), &Look { lighting, ..look() }, &Particles::new(&all, |_| 0.0).drawn())
}

/// Places in rows from the front wall inwards, over the level of the water: `columns` wide in the middle of the wall.
fn over_the_level(columns: u32, layers: u32, rows: u32) -> impl Iterator<Item = Vec3> {
    let first = Vec3::new(-0.5 * SPACING * columns as f32, LEVEL, look().box_high.z);
    (0..columns * layers * rows).map(move |index| {
        let cell = UVec3::new(index % columns, index / columns % layers, index / (columns * layers));
        first + SPACING * (cell.as_vec3() + 0.5) * Vec3::new(1.0, 1.0, -1.0)
    })
}

/// Number of pixels in which two pictures differ clearly.
fn clearly_changed(one: &RgbaImage, other: &RgbaImage) -> usize {
    let by = |pixel: &UVec2| difference(*one.get_pixel(pixel.x, pixel.y), *other.get_pixel(pixel.x, pixel.y));
    changed(one, other).iter().filter(|pixel| by(pixel) > 10).count()
}

#[test]
fn a_film_on_the_front_wall_is_not_seen() {
    let picture = tank_with(over_the_level(5, 2, 1));
    // Pixels of the film over its lower edge that have the deep blue of the wall, which the surface behind has not.
    let on_wall = |across: i32, spacings: f32| {
        let place = Vec3::new(0.01 * across as f32, LEVEL + spacings * SPACING, look().box_high.z);
        pixel_of(&steeply_over_the_front(), place).as_uvec2()
    };
    let is_deep = |x: u32, y: u32| {
        let [red, _, blue, _] = picture.get_pixel(x, y).0;
        blue > red.saturating_add(130)
    };
    let column = |across: i32| {
        let [high, low] = [4.5, 2.2].map(|spacings| on_wall(across, spacings));
        (high.y..low.y).filter(|&y| is_deep(low.x, y)).count()
    };
    let seen: usize = (-12..=12).map(column).sum();
    assert!(seen < 20, "{seen} pixels over the edge look like the wall of a body of water");
}

#[test]
fn a_wave_that_stands_at_the_front_wall_is_no_film() {
    let without = tank_with(std::iter::empty());
    for layers in [4, 8] {
        // As deep as the rest of the tank, so that rays through the wall stay in water.
        let seen = clearly_changed(&tank_with(over_the_level(12, layers, 39)), &without);
        let [low, high] = [Vec3::ZERO, SPACING * Vec3::new(12.0, layers as f32, 0.0)]
            .map(|aside| pixel_of(&steeply_over_the_front(), Vec3::new(0.0, LEVEL, look().box_high.z) + aside));
        let area = ((high.x - low.x) * (low.y - high.y)) as usize;
        assert!(seen > area / 2, "{layers} layers are seen in {seen} pixels, and their wall covers {area}");
    }
}

#[test]
fn the_far_rim_ends_in_a_line() {
    let (view, look) = (over_the_front(), look());
    let picture = draw(&view, &look, &tank().drawn());
    let mut steps: Vec<f32> = (-85..=85)
        .map(|across| {
            let rim = pixel_of(&view, Vec3::new(0.01 * across as f32, LEVEL, look.box_low.z)).as_uvec2();
            let change = |y: u32| (light_at(&picture, rim.x, y + 1) - light_at(&picture, rim.x, y - 1)).abs();
            (rim.y - 5..rim.y + 6).map(change).fold(0.0, f32::max)
        })
        .collect();
    steps.sort_by(f32::total_cmp);
    let middle = steps[steps.len() / 2];
    assert!(middle > 55.0, "in half of the columns light changes by {middle} at most");
}

/// Whether the ray through a pixel crosses the tank between its four walls.
fn meets_tank(view: &View, look: &Look, pixel: Vec2) -> bool {
    let ray = view.ray(pixel);
    let [low, high] = [look.box_low, look.box_high].map(|corner| (corner - ray.origin) / ray.direction);
    let (begin, end) = (low.min(high), low.max(high));
    begin.x.max(begin.z) < end.x.min(end.z)
}
