//! Foam in the picture: what it brightens, what hides it, and that its order does not matter.

mod drawing;
#[path = "drawing/listed.rs"]
mod listed;

use std::cell::RefCell;
use std::sync::Arc;

use drawing::{EYE, Particles, SIZE, away, changed, color_at, forward, gpu, look};
use glam::{Quat, Vec3};
use image::RgbaImage;
use nearwater::fluid::Mesh;
use nearwater::render::{Canvas, DrawStyle, Drawn, DrawnFoam, DrawnSolid, Look};

const SPRAY: f32 = 2.0;
const FOAM: f32 = 3.0;
const BUBBLE: f32 = 4.0;

thread_local! {
    static CANVAS: RefCell<Canvas> = RefCell::new(Canvas::with_samples(gpu(), SIZE, 1).expect("a canvas"));
}

/// Diffuse particles in the buffers of a simulation.
struct Foam {
    positions: wgpu::Buffer,
    velocities: wgpu::Buffer,
    places: wgpu::Buffer,
    arguments: wgpu::Buffer,
}

impl Foam {
    /// Particles of a class, with plenty of life, drawn in the order of `places`.
    fn new(positions: &[Vec3], class: f32, places: &[u32]) -> Self {
        let positions: Vec<_> = positions.iter().map(|position| position.extend(9.0).to_array()).collect();
        let velocities = vec![[0.0, 0.0, 0.0, class]; positions.len()];
        let arguments = [3, places.len() as u32, 0, 0];
        Self {
            positions: gpu().storage_with("foam positions", &positions).expect("memory"),
            velocities: gpu().storage_with("foam velocities", &velocities).expect("memory"),
            places: gpu().storage_with("foam places", places).expect("memory"),
            arguments: gpu().storage_with("foam arguments", &arguments).expect("memory"),
        }
    }

    fn one(position: Vec3, class: f32) -> Self {
        Self::new(&[position], class, &[0])
    }

    fn drawn(&self) -> DrawnFoam<'_> {
        let Self { positions, velocities, places, arguments } = self;
        DrawnFoam { first: 0, positions, velocities, places, arguments }
    }
}

fn picture(look: &Look, particles: &Particles, solids: &[DrawnSolid], foam: Option<&Foam>) -> RgbaImage {
    let foam = foam.map(Foam::drawn);
    let drawn = Drawn { solids: solids.to_vec(), foam, ..particles.drawn() };
    let picture = CANVAS.with_borrow_mut(|canvas| canvas.draw(&away(), look, &drawn, None)).expect("a picture");
    listed::assert_shaders_are_listed();
    picture
}

fn brightness(picture: &RgbaImage, place: Vec3) -> i32 {
    color_at(picture, &away(), place).0[..3].iter().map(|&channel| i32::from(channel)).sum()
}

fn styles() -> impl Iterator<Item = Look> {
    DrawStyle::ALL.into_iter().map(|style| Look { style, ..look() })
}

#[test]
fn foam_of_every_class_brightens_its_own_pixels_in_every_style() {
    let place = EYE + 3.0 * forward();
    let nothing = Particles::at(&[]);
    for look in styles() {
        let without = picture(&look, &nothing, &[], None);
        for class in [SPRAY, FOAM, BUBBLE] {
            let with = picture(&look, &nothing, &[], Some(&Foam::one(place, class)));
            let pixels = changed(&without, &with);
            assert!(brightness(&with, place) > brightness(&without, place) + 20, "class {class}");
            let center = SIZE.as_vec2() / 2.0;
            let farthest = pixels.iter().map(|pixel| pixel.as_vec2().distance(center)).fold(0.0, f32::max);
            assert!(!pixels.is_empty() && farthest < 12.0, "class {class}: a pixel {farthest} from its center");
        }
    }
}

#[test]
fn the_order_of_the_particles_does_not_matter() {
    let places: Vec<_> = (0..60)
        .map(|number| EYE + (2.5 + 0.02 * number as f32) * forward() + 0.002 * number as f32 * Vec3::X)
        .collect();
    let order: Vec<u32> = (0..60).collect();
    let turned: Vec<u32> = (0..60).map(|number| number * 37 % 60).collect();
    let draw = |order: &[u32]| picture(&look(), &Particles::at(&[]), &[], Some(&Foam::new(&places, FOAM, order)));
    let (one, other) = (draw(&order), draw(&turned));
    let largest = one.pixels().zip(other.pixels()).map(|(a, b)| drawing::difference(*a, *b)).max();
    assert!(largest <= Some(1), "{largest:?} of 255");
    // So many cover what is behind them, and no more than that.
    assert!(brightness(&one, places[30]) > 500, "{}", brightness(&one, places[30]));
}

#[test]
fn water_and_solids_hide_the_foam_behind_them_and_clear_water_shows_bubbles() {
    let behind = EYE + 6.0 * forward();
    let nothing = Particles::at(&[]);
    let mesh = Mesh::ball(Vec3::ZERO, 0.4, 4);
    let translation = EYE + 3.0 * forward();
    let ball = DrawnSolid { surface: Arc::new(mesh), rotation: Quat::IDENTITY, translation, color: Vec3::splat(0.1) };
    for look in styles() {
        let solid = std::slice::from_ref(&ball);
        let (without, foam) = (picture(&look, &nothing, solid, None), Foam::one(behind, FOAM));
        assert!(changed(&without, &picture(&look, &nothing, solid, Some(&foam))).is_empty(), "a solid hides it");
        let water = Particles::at(&[EYE + 3.0 * forward()]);
        let without = picture(&look, &water, &[], None);
        assert!(changed(&without, &picture(&look, &water, &[], Some(&foam))).is_empty(), "water hides it");
    }
    let water = Particles::at(&[EYE + 3.0 * forward()]);
    let below = Foam::one(EYE + 3.4 * forward(), BUBBLE);
    let seen = |style| {
        let look = Look { style, ..look() };
        let (with, without) = (picture(&look, &water, &[], Some(&below)), picture(&look, &water, &[], None));
        with.pixels().zip(without.pixels()).map(|(a, b)| u32::from(drawing::difference(*a, *b))).sum::<u32>()
    };
    let (clear, opaque) = (seen(DrawStyle::Smooth), seen(DrawStyle::Beads));
    assert!(clear > 2 * opaque, "{clear} through clear water, {opaque} through particles");
}

#[test]
fn foam_and_bubbles_are_of_different_sizes_and_mostly_small() {
    let at_one_place = [EYE + 1.2 * forward(); 60];
    let nothing = Particles::at(&[]);
    let without = picture(&look(), &nothing, &[], None);
    let sizes = |class| {
        let drawn = |place| picture(&look(), &nothing, &[], Some(&Foam::new(&at_one_place, class, &[place])));
        let mut sizes: Vec<usize> = (0..60).map(|place| changed(&without, &drawn(place)).len()).collect();
        sizes.sort_unstable();
        sizes
    };
    for class in [FOAM, BUBBLE] {
        let sizes = sizes(class);
        let (least, middle, largest) = (sizes[0], sizes[30], sizes[59]);
        assert!(largest > 5 * least, "class {class}: from {least} to {largest} pixels");
        assert!(3 * middle < largest, "class {class}: half of them have up to {middle} of {largest} pixels");
    }
    let drops = sizes(SPRAY);
    assert_eq!(drops[0], drops[59], "drops of spray, which are all equal");
}
