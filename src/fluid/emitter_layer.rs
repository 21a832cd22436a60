//! The layer of particles that an emitter sends, and how each layer differs from the one before it.
//!
//! A layer is a part of a square lattice, so that its particles are a spacing apart. Sent again and again, the same
//! layer would make strands of particles along the jet, which are seen from the side, and rows and columns of them,
//! which are seen end on. So the lattice lies such that its points have many distances from the middle of the disc, and
//! each layer is turned about that by the golden angle. In two dimensions a layer is a row, and each is moved along
//! itself. Layers are a spacing apart and remain so, hence so do all particles, and every layer has as many of them.

use std::f32::consts::PI;

use glam::{Vec2, Vec3, Vec4};

use super::flow::Emitter;
use super::{Dimensions, FluidError, Scene};

/// Largest number of places of one emitter: the number of particles that one binding of a small device holds.
const MOST_PLACES: u64 = 1 << 23;
/// Number of lattices of which the one that fits a disc best is taken.
const LATTICES: u32 = 64;
/// In a disc with a larger area, in squares of spacings, every lattice has about as many points as the area, and looks
/// like any other.
const WIDE: f32 = 4096.0;
/// Distance of the points at which a disc is searched for solids, in spacings.
const SEARCHED: f32 = 0.5;

/// The disc of an emitter, with lengths in spacings where nothing else is said.
pub(super) struct Disc {
    /// m.
    center: Vec3,
    /// m.
    radius: f32,
    /// m.
    spacing: f32,
    /// Directions in the disc. In two dimensions the second one leads out of the plane.
    axes: [Vec3; 2],
    /// Farthest point from the middle that may be in the box.
    reach: i32,
    is_plane: bool,
}

/// The places of a layer, and how layers differ.
pub(super) struct Layer {
    /// m.
    places: Vec<Vec3>,
    /// The middle of the disc and its radius, m.
    disc: Vec4,
    /// The way along which layers are moved, m, and 1 if they are turned about the middle of the disc.
    change: Vec4,
}

impl Disc {
    pub(super) fn new(scene: &Scene, emitter: &Emitter, spacing: f32) -> Self {
        let direction = emitter.velocity.normalize();
        let is_plane = scene.dimensions == Dimensions::Two;
        let (u, v) = if is_plane { (direction.cross(Vec3::Z), Vec3::Z) } else { direction.any_orthonormal_pair() };
        let center = if is_plane { emitter.center.with_z(scene.plane()) } else { emitter.center };
        let diagonal = (scene.high.as_dvec3() - scene.low.as_dvec3()).length();
        let reach = (f64::from(emitter.radius).min(diagonal) / f64::from(spacing)).floor() as i32;
        Self { center, radius: emitter.radius, spacing, axes: [u, v], reach, is_plane }
    }

    /// The radius in spacings.
    fn wide(&self) -> f32 {
        self.radius / self.spacing
    }

    /// The area in squares of spacings; in two dimensions the length of the row in spacings.
    fn area(&self) -> f32 {
        if self.is_plane { 2.0 * self.wide() } else { PI * self.wide() * self.wide() }
    }

    /// The points of a square lattice in the disc that are `step` spacings apart, from its middle in spacings. `shift`
    /// is how far the middle of the disc is from a point of the lattice, in steps.
    fn lattice(&self, step: f32, shift: Vec2) -> impl Iterator<Item = Vec2> + use<> {
        let most = (self.reach as f32 / step) as i32 + 1;
        let (depth, shift) = if self.is_plane { (0, shift.with_y(0.0)) } else { (most, shift) };
        let points = (-most..=most).flat_map(move |i| (-depth..=depth).map(move |j| Vec2::new(i as f32, j as f32)));
        let radius = self.wide();
        points.map(move |point| step * (point + shift)).filter(move |point| point.length() <= radius)
    }

    /// A point of the disc, m.
    fn place(&self, point: Vec2) -> Vec3 {
        self.center + self.spacing * (point.x * self.axes[0] + point.y * self.axes[1])
    }

    /// The places of a layer. The points are exact, without the random displacement of blocks: nothing holds a jet
    /// together, and a displacement of a hundredth of a spacing would let pressure spread it.
    pub(super) fn places(&self) -> impl Iterator<Item = Vec3> + '_ {
        let shift = if self.area() > WIDE { shift(1, self.is_plane) } else { self.best_shift() };
        self.lattice(1.0, shift).map(|point| self.place(point))
    }

    /// The lattice with the number of points that comes nearest to the area of the disc, and so to the volume that it
    /// should send, but at least one; of several of these the one whose points are spread most evenly over the
    /// distances from the middle.
    fn best_shift(&self) -> Vec2 {
        let area = self.area();
        let judged = (0..LATTICES).map(|number| {
            let shift = shift(number, self.is_plane);
            let mut squares: Vec<_> = self.lattice(1.0, shift).map(Vec2::length_squared).collect();
            squares.sort_by(f32::total_cmp);
            let off = if squares.is_empty() { f32::INFINITY } else { (squares.len() as f32 - area).abs() };
            (off, unevenness(&squares, self.wide()), shift)
        });
        let best = judged.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        best.map_or(Vec2::ZERO, |(_, _, shift)| shift)
    }

    /// Whether layers may be turned or moved: nothing in the disc keeps particles away.
    fn is_all_free(&self, is_free: &dyn Fn(Vec3) -> bool) -> bool {
        self.lattice(SEARCHED, Vec2::ZERO).all(|point| is_free(self.place(point)))
    }
}

/// Where a disc lies on one of several lattices, in spacings: points that fill the square of a lattice evenly (Roberts,
/// "The unreasonable effectiveness of quasirandom sequences", 2018). A row lies on its lattice with a point or a gap in
/// its middle, as the first one of the others does.
fn shift(number: u32, is_plane: bool) -> Vec2 {
    if is_plane {
        return Vec2::new(0.5 * (number % 2) as f32, 0.0);
    }
    (number as f32 * Vec2::new(0.754_877_7, 0.569_840_3)).fract()
}

/// How far squares of distances from the middle are from those of points that are spread evenly over a disc with this
/// radius. The squares are in ascending order.
fn unevenness(squares: &[f32], radius: f32) -> f32 {
    let step = radius * radius / squares.len().max(1) as f32;
    let wanted = (0..).map(|rank| (rank as f32 + 0.5) * step);
    squares.iter().zip(wanted).map(|(square, wanted)| (square - wanted).powi(2)).sum()
}

impl Layer {
    /// Number of words behind the places, as the shader reads them.
    pub(super) const EXTRA: u32 = 2;

    /// The layer of an emitter, with the places that `is_free` accepts. If it refuses any point of the disc, all layers
    /// are the same, because other ones would meet what is there.
    pub(super) fn new(scene: &Scene, emitter: &Emitter, spacing: f32, is_free: &dyn Fn(Vec3) -> bool) -> Self {
        let disc = Disc::new(scene, emitter, spacing);
        let places: Vec<_> = disc.places().filter(|&place| is_free(place)).collect();
        let change = if !disc.is_all_free(is_free) {
            Vec4::ZERO
        } else if disc.is_plane {
            // As far as the row has room in the disc, and no farther than until it lies on the lattice again.
            let room = 2.0 * emitter.radius - spacing * (places.len() as f32 - 1.0);
            (room.clamp(0.0, spacing) * disc.axes[0]).extend(0.0)
        } else {
            Vec4::W
        };
        Self { places, disc: disc.center.extend(emitter.radius), change }
    }

    /// Number of places.
    pub(super) fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// The layer as the shader reads it: the places, the disc, and how layers differ.
    pub(super) fn words(&self) -> impl Iterator<Item = [f32; 4]> + '_ {
        let places = self.places.iter().map(|place| place.extend(1.0));
        places.chain([self.disc, self.change]).map(|word| word.to_array())
    }
}

/// Refuses an emitter with more places than any device could serve, before they are computed.
///
/// # Errors
/// As said.
pub(super) fn check_disc(scene: &Scene, number: usize, spacing: f32) -> Result<(), FluidError> {
    let disc = Disc::new(scene, &scene.emitters[number], spacing);
    let across = 2 * u64::from(disc.reach.unsigned_abs()) + 1;
    let places = if disc.is_plane { across } else { across.saturating_mul(across) };
    if places > MOST_PLACES {
        return Err(FluidError::EmitterTooLarge { emitter: number, places, limit: MOST_PLACES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: f32 = 0.1;

    /// A disc with a radius in spacings, in an arbitrary direction.
    fn disc(radius: f32, is_plane: bool) -> (Scene, Emitter) {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        let velocity = Vec3::new(1.0, 0.5, if is_plane { 0.0 } else { 0.25 });
        if is_plane {
            scene.dimensions = Dimensions::Two;
        }
        (scene, Emitter { center: Vec3::new(0.5, 3.0, 0.0), radius: radius * SPACING, velocity })
    }

    #[test]
    fn a_layer_has_as_many_places_as_the_area_of_its_disc() {
        for is_plane in [false, true] {
            for tenths in 0..120 {
                let radius = 0.1 * tenths as f32;
                let (scene, emitter) = disc(radius, is_plane);
                let area = if is_plane { 2.0 * radius } else { PI * radius * radius };
                let layer = Layer::new(&scene, &emitter, SPACING, &|_| true);
                // The smallest discs send one particle.
                let off = (layer.count() as f32 - area.max(0.5)).abs();
                assert!(off < 0.52, "{} places on {area}", layer.count());
            }
        }
    }

    #[test]
    fn the_places_of_a_layer_have_many_distances_from_its_middle() {
        let (scene, emitter) = disc(4.0, false);
        let layer = Layer::new(&scene, &emitter, SPACING, &|_| true);
        let mut distances: Vec<_> = layer.places.iter().map(|place| place.distance(emitter.center)).collect();
        distances.sort_by(f32::total_cmp);
        // On a lattice with a point or a gap in the middle, four or eight have each distance.
        let equal = distances.windows(5).filter(|five| five[4] - five[0] < 1e-3 * SPACING).count();
        assert_eq!(equal, 0, "{distances:?}");
        assert!(layer.places.iter().all(|place| place.distance(emitter.center) <= 4.0 * SPACING));
    }

    #[test]
    fn layers_differ_where_nothing_is_in_the_disc() {
        for is_plane in [false, true] {
            let (scene, emitter) = disc(4.0, is_plane);
            let part = |is_free: &dyn Fn(Vec3) -> bool| Layer::new(&scene, &emitter, SPACING, is_free);
            // A post that is thinner than a spacing and between the places of the first layer.
            let post = part(&|_| true).places[3] + 0.5 * SPACING * Vec3::new(0.5, -1.0, 0.0).normalize();
            let beside_post = part(&|place| place.distance(post) > 0.4 * SPACING);
            assert_eq!(beside_post.change, Vec4::ZERO);
            let free = part(&|_| true);
            if is_plane {
                // Eight places in a row have a spacing of room.
                assert!((free.change.length() - SPACING).abs() < 1e-5 && free.change.w == 0.0, "{}", free.change);
            } else {
                assert_eq!(free.change, Vec4::W);
            }
        }
    }
}
