//! The density that the water around a solid gives to the solid's samples where it is at rest. A solver that gives
//! samples a pressure of their own (`solvers/solid_pressures.rs`) compares the sums over the water with it.
//!
//! The kernel's integral over all that is outside of the surface is an integral over the surface: with M(r) the share
//! of the kernel's integral that lies beyond the distance r, it is ∮ M(|d|) n · d / (4π |d|³) dA, where d leads from
//! the sample to the surface and n is the normal (2D: ∮ M(|d|) n · d / (2π |d|²) dl). It is computed from small flat
//! parts of the surface, and scaled such that a sample half a spacing below a flat surface gets exactly what the
//! layers of the lattice above it give.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};

use super::clip::Bounds;
use super::point_grid::PointGrid;
use super::section::Segment;
use crate::fluid::{Dimensions, SmoothingKernel};
use crate::search::in_ranges;

/// Longest edge of the parts of a surface, in spacings. A sample lies half a spacing from the nearest ones.
const PART: f64 = 0.7;
/// Longest part of a line, in spacings.
const PART_OF_LINE: f64 = 0.2;
/// Number of intervals of the table of M, and of other integrals.
const INTERVALS: u32 = 256;
/// Distance up to which a face that looks at a wall of the box lies on it, in spacings.
const ON_WALL: f64 = 1e-3;

/// A small part of a surface.
#[derive(Clone, Copy)]
struct Part {
    /// Its center, m.
    place: DVec3,
    /// Its normal times its area, m² (2D: its length, m).
    area: DVec3,
}

/// Parts of the surface of a solid.
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// Parts of the faces with these corners, m, as far as they lie in a box.
    pub(super) fn of_faces(faces: impl Iterator<Item = [Vec3; 3]>, spacing: f64, near: &Bounds) -> Self {
        let mut parts = Vec::new();
        let longest = (PART * spacing).powi(2);
        let mut open = Vec::new();
        for corners in faces {
            open.push(corners.map(Vec3::as_dvec3));
            while let Some([a, b, c]) = open.pop() {
                if !near.may_meet(&[a, b, c]) {
                    continue;
                }
                // The edge from the first to the second corner is the longest one.
                let edge = |from: DVec3, to: DVec3| from.distance_squared(to);
                let turned = [[a, b, c], [b, c, a], [c, a, b]];
                let longest_first =
                    turned.into_iter().max_by(|one, other| edge(one[0], one[1]).total_cmp(&edge(other[0], other[1])));
                let [a, b, c] = longest_first.unwrap_or([a, b, c]);
                if edge(a, b) > longest {
                    let middle = a.midpoint(b);
                    open.extend([[a, middle, c], [middle, b, c]]);
                } else {
                    parts.push(Part { place: (a + b + c) / 3.0, area: 0.5 * (b - a).cross(c - a) });
                }
            }
        }
        Self(parts)
    }

    /// Parts of the segments of a section with the plane at `z`, m, as far as they lie in a box.
    pub(super) fn of_section(section: &[Segment], z: f64, spacing: f64, near: &Bounds) -> Self {
        let mut parts = Vec::new();
        for Segment { ends: [from, to], normal } in section {
            let Some([first, last]) = near.share(from.extend(z), to.extend(z)) else { continue };
            let (from, to) = (from.lerp(*to, first), from.lerp(*to, last));
            let count = (from.distance(to) / (PART_OF_LINE * spacing)).ceil().max(1.0);
            let area = (from.distance(to) / count * *normal).extend(0.0);
            let place = |number: u64| from.lerp(to, (number as f64 + 0.5) / count).extend(z);
            parts.extend((0..count as u64).map(|number| Part { place: place(number), area }));
        }
        Self(parts)
    }

    /// The parts that are left without those for which `covered` holds a place just outside of them, because another
    /// surface of the solid covers them. Where the outer faces of two surfaces coincide, both are counted.
    pub(super) fn without(self, spacing: f64, covered: impl Fn(DVec3) -> bool + Sync) -> Self {
        let is_free = |part: &&Part| !covered(part.place + ON_WALL * spacing * part.area.normalize_or_zero());
        let kept = in_ranges(self.0.len(), |range| self.0[range].iter().filter(is_free).copied().collect::<Vec<_>>());
        Self(kept.concat())
    }

    /// The parts in a box with walls, and their images behind the walls within `reach`, m: behind a wall there is
    /// what is before it, so the surface ends at the walls along the given axes.
    pub(super) fn with_images(mut self, (low, high): (Vec3, Vec3), axes: usize, reach: f64, spacing: f64) -> Self {
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        for axis in 0..axes {
            let walls = [(low[axis], 1.0), (high[axis], -1.0)];
            let before = |part: &Part, (wall, inward): (f64, f64)| inward * (part.place[axis] - wall);
            self.0.retain(|part| walls.iter().all(|wall| before(part, *wall) > ON_WALL * spacing));
            let image = |part: &Part, wall: f64| {
                let mut image = *part;
                image.place[axis] = 2.0 * wall - part.place[axis];
                image.area[axis] = -part.area[axis];
                image
            };
            let near = |wall: (f64, f64)| self.0.iter().filter(move |part| before(part, wall) < reach);
            let images: Vec<Part> =
                walls.into_iter().flat_map(|wall| near(wall).map(move |part| image(part, wall.0))).collect();
            self.0.extend(images);
        }
        self
    }

    /// The share of the rest density that water at rest around the solid gives to each sample.
    pub(super) fn shares(
        &self,
        points: &[Vec3],
        kernel: SmoothingKernel,
        dimensions: Dimensions,
        (radius, spacing): (f64, f64),
    ) -> Vec<f32> {
        let beyond = Beyond::new(kernel, dimensions);
        let ratio = radius / spacing;
        let layers = kernel.lattice_layers(dimensions, ratio);
        let whole: f64 = layers.iter().map(|layer| layer.shapes).sum();
        let above: f64 = layers.iter().filter(|layer| layer.layer > 0).map(|layer| layer.shapes).sum();
        let scale = above / whole / beyond.above_plane(0.5 / ratio);
        let places = || self.0.iter().map(|part| part.place.as_vec3());
        let (low, high) = (places().fold(Vec3::INFINITY, Vec3::min), places().fold(Vec3::NEG_INFINITY, Vec3::max));
        let mut grid = PointGrid::new(low, high, radius as f32);
        for place in places() {
            grid.add(place);
        }
        let share = |point: &Vec3| {
            let through = |number: usize| {
                let part = &self.0[number];
                beyond.flow((part.place - point.as_dvec3()) / radius, part.area / radius.powi(beyond.power))
            };
            let sum: f64 = grid.numbers_near(*point, radius as f32).map(through).sum();
            (scale * sum).clamp(0.0, 1.0) as f32
        };
        in_ranges(points.len(), |range| points[range].iter().map(share).collect::<Vec<_>>()).concat()
    }
}

/// The share of a kernel's integral beyond a distance, in a table.
struct Beyond {
    table: Vec<f64>,
    /// Number of dimensions less one.
    power: i32,
}

impl Beyond {
    fn new(kernel: SmoothingKernel, dimensions: Dimensions) -> Self {
        let power = dimensions.count() as i32 - 1;
        let at = |number: u32| f64::from(number) / f64::from(INTERVALS);
        let value = |q: f64| kernel.shape(q) * q.powi(power);
        let mut table = vec![0.0];
        for number in (0..INTERVALS).rev() {
            // Simpson's rule.
            let middle = 0.5 * (at(number) + at(number + 1));
            let part = (value(at(number)) + 4.0 * value(middle) + value(at(number + 1))) / 6.0;
            table.push(table[table.len() - 1] + part);
        }
        table.reverse();
        let whole = table[0];
        Self { table: table.into_iter().map(|sum| sum / whole).collect(), power }
    }

    /// The share beyond a distance in support radii.
    fn at(&self, q: f64) -> f64 {
        let place = (q * f64::from(INTERVALS)).min(f64::from(INTERVALS));
        let number = (place as usize).min(INTERVALS as usize - 1);
        let share = place - number as f64;
        (1.0 - share) * self.table[number] + share * self.table[number + 1]
    }

    /// What a part of a surface at this offset adds to the integral over what is outside, in units of the support
    /// radius.
    fn flow(&self, offset: DVec3, area: DVec3) -> f64 {
        let q = offset.length().max(1e-3);
        let around = if self.power == 1 { TAU } else { 2.0 * TAU };
        self.at(q) * area.dot(offset) / (around * q.powi(self.power + 1))
    }

    /// The integral over what is beyond a plane at this distance, in support radii.
    fn above_plane(&self, distance: f64) -> f64 {
        // Over the angle between the normal and the way to the plane.
        let most = distance.clamp(0.0, 1.0).acos();
        let step = most / f64::from(INTERVALS);
        let at = |number: u32| {
            let angle = (f64::from(number) + 0.5) * step;
            let share = self.at(distance / angle.cos());
            if self.power == 1 { share / PI } else { 0.5 * share * angle.sin() }
        };
        (0..INTERVALS).map(at).sum::<f64>() * step
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::super::SurfaceSamples;
    use crate::fluid::{Dimensions, Mesh, Resolution, Scene, SmoothingKernel};

    const SPACING: f32 = 0.05;
    const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;

    /// A resolution with a support radius of 2.6 spacings.
    fn resolution() -> Resolution {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        scene.material.radius_ratio = 2.6;
        Resolution::from_radius(&scene, KERNEL, 2.6 * SPACING).expect("it fits")
    }

    /// Samples of a mesh in a box from -1 to 1, and their shares.
    fn shares(meshes: &[Mesh], dimensions: Dimensions, walls: Option<(Vec3, Vec3)>) -> Vec<(Vec3, f32)> {
        let plane = (dimensions == Dimensions::Two).then_some(0.0);
        let bounds = walls.unwrap_or((Vec3::splat(-2.0), Vec3::splat(2.0)));
        let (samples, _) = SurfaceSamples::new(meshes, SPACING, bounds, plane).expect("few samples");
        let found = samples.water_shares(KERNEL, dimensions, &resolution(), walls);
        samples.points().iter().copied().zip(found).collect()
    }

    /// The share of the layers of the lattice above a flat surface.
    fn flat(dimensions: Dimensions) -> f64 {
        let layers = KERNEL.lattice_layers(dimensions, 2.6);
        let above: f64 = layers.iter().filter(|layer| layer.layer > 0).map(|layer| layer.shapes).sum();
        above / KERNEL.lattice_sum(dimensions, 2.6)
    }

    /// The kernel's integral over all places that are not inside, by a sum over a fine lattice.
    fn outside(point: Vec3, dimensions: Dimensions, is_inside: impl Fn(DVec3) -> bool) -> f64 {
        let (step, radius) = (0.1 * f64::from(SPACING), 2.6 * f64::from(SPACING));
        let depth = if dimensions == Dimensions::Two { 0 } else { 26 };
        let (mut all, mut out) = (0.0, 0.0);
        for (x, y) in (-26..=26).flat_map(|x| (-26..=26).map(move |y| (x, y))) {
            for z in -depth..=depth {
                let offset = step * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                let value = KERNEL.shape((offset.length() / radius).min(1.0));
                all += value;
                out += if is_inside(point.as_dvec3() + offset) { 0.0 } else { value };
            }
        }
        out / all
    }

    #[test]
    fn samples_get_what_the_lattice_gives_at_faces_and_what_is_outside_at_edges() {
        let cuboid = Mesh::cuboid(Vec3::splat(-0.501), Vec3::splat(0.499));
        let is_inside =
            |place: DVec3| place.cmpgt(DVec3::splat(-0.501)).all() && place.cmplt(DVec3::splat(0.499)).all();
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            let found = shares(std::slice::from_ref(&cuboid), dimensions, None);
            let middle = Vec3::new(-0.001, 0.474, if dimensions == Dimensions::Two { 0.0 } else { -0.001 });
            let nearest = |to: Vec3| {
                let away = |one: &&(Vec3, f32)| one.0.distance(to);
                found.iter().min_by(|one, other| away(one).total_cmp(&away(other))).copied().expect("there are some")
            };
            let (place, of_face) = nearest(middle);
            let expected = flat(dimensions);
            assert!((f64::from(of_face) / expected - 1.0).abs() < 0.03, "{dimensions:?}: {of_face}, not {expected}");
            // Scaled alike, the corner's share is that of the space around it.
            let (corner, of_corner) = nearest(Vec3::splat(0.5).with_z(middle.z));
            let ratio = outside(corner, dimensions, is_inside) / outside(place, dimensions, is_inside);
            let found = f64::from(of_corner / of_face);
            assert!((found / ratio - 1.0).abs() < 0.04, "{dimensions:?}: {found} times the face's, not {ratio}");
        }
    }

    #[test]
    fn walls_continue_solids_and_hidden_faces_count_for_nothing() {
        let walls = Some((Vec3::splat(-1.0), Vec3::splat(1.0)));
        let expected = flat(Dimensions::Two);
        // A slab that ends at the walls, and the same slab of two parts, which touch.
        let slab = Mesh::cuboid(Vec3::new(-1.0, -1.5, -1.0), Vec3::new(1.0, 0.0, 1.0));
        let left = Mesh::cuboid(Vec3::new(-3.0, -1.5, -1.0), Vec3::new(0.0, 0.0, 1.0));
        let right = Mesh::cuboid(Vec3::new(0.0, -1.5, -1.0), Vec3::new(1.0, 0.0, 1.0));
        for meshes in [vec![slab], vec![left, right]] {
            let found = shares(&meshes, Dimensions::Two, walls);
            assert!(found.len() >= 40, "{found:?}");
            for (place, share) in found.iter().filter(|(place, _)| place.y > -0.05) {
                assert!((f64::from(*share) / expected - 1.0).abs() < 0.05, "{place}: {share}, not {expected}");
            }
        }
        let plate = Mesh::cuboid(Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 1.4 * SPACING, 0.5));
        let middle = |one: &&(Vec3, f32)| one.0.x.abs() < 0.4;
        let thin = shares(&[plate], Dimensions::Two, walls);
        assert!(thin.iter().filter(middle).all(|(_, share)| *share == 0.0) && thin.iter().any(|one| middle(&one)));
    }
}
