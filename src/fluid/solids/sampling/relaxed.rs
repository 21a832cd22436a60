//! Even distances between samples on curved surfaces in space. Each triangle of a surface has its own lattice of
//! places, so that on a curved surface, whose triangles are smaller than a spacing or have odd shapes, samples come
//! to lie between 0.8 and 1.4 spacings apart, and water feels the surface as rough. Here the samples of curved parts
//! push each other apart along the surface, a little at a time, until they are even.
//!
//! What moves is a sample with a neighbor on the same smooth surface whose normal differs from its own. All others
//! stay where they are, but push: samples of flat faces, those near sharp edges and corners, and those of thin parts.
//! Walls of the box mirror the samples, so that none are pushed against them. A sample that would leave the layer
//! half a spacing below the surface, because another surface is near, stays at its last place.
//!
//! Each round moves all samples at once and sums up over neighbors in an order that does not depend on threads, so
//! that the result is reproducible. The cost is bounded by the number of rounds. (G. Turk, Re-tiling polygonal
//! surfaces, SIGGRAPH 1992, spreads points over a surface by repulsion; this form is our own.)

use glam::Vec3;

use super::point_grid::PointGrid;
use super::tree::TriangleTree;
use crate::search::in_ranges;

/// Distance up to which samples push each other, in spacings.
const REACH: f32 = 1.65;
/// Distance up to which the normals of samples are compared, in spacings.
const BESIDE: f32 = 2.2;
/// Cosines of the angles between normals of samples on one smooth surface that is curved: the smallest and the
/// largest one.
const CURVED: f32 = 0.99995;
const SHARP: f32 = 0.7;
/// Number of rounds.
const ROUNDS: usize = 40;
/// Rounds after which samples are brought back to their depth below the surface.
const BETWEEN: usize = 4;
/// Largest way of a sample in a round, and the way for a push of 1, in spacings. With steps of 0.2 the samples no
/// longer come to rest.
const MOST: f32 = 0.15;
const STEP: f32 = 0.12;

/// For each sample from `first` on whether it moves. `normals` and `is_thin` are as those of [`Layer`], of all
/// samples of the grid; spacing in m.
pub(super) fn moving(grid: &PointGrid, normals: &[Vec3], is_thin: &[bool], first: usize, spacing: f32) -> Vec<bool> {
    let moves = |number: usize| {
        let near = || grid.numbers_near(grid.points[number], BESIDE * spacing);
        let angles = || near().map(|other| normals[number].dot(normals[other]));
        !is_thin[number] && angles().all(|cosine| cosine > SHARP) && angles().any(|cosine| cosine < CURVED)
    };
    let range_of = |range: std::ops::Range<usize>| (first + range.start)..(first + range.end);
    in_ranges(grid.points.len() - first, |range| range_of(range).map(moves).collect::<Vec<_>>()).concat()
}

/// The samples of a surface and what they know of it.
pub(super) struct Layer<'a> {
    /// Positions, m; first those of the surface, then those of others beside it.
    pub points: Vec<Vec3>,
    /// Unit normals of the surface at each of its samples, out of the solid.
    pub normals: Vec<Vec3>,
    /// For each of its samples whether it moves.
    pub moves: Vec<bool>,
    /// The surfaces of the solid.
    pub tree: &'a TriangleTree,
    /// m.
    pub spacing: f32,
    /// Lowest and highest corner of the box, m.
    pub bounds: (Vec3, Vec3),
}

impl Layer<'_> {
    /// The positions of the samples of the surface after their relaxation, m.
    pub(super) fn relaxed(mut self) -> Vec<Vec3> {
        let count = self.moves.len();
        for round in 1..=ROUNDS {
            let grid = self.grid();
            let next =
                |number: usize| if self.moves[number] { self.pushed(&grid, number) } else { self.points[number] };
            let points = in_ranges(count, |range| range.map(next).collect::<Vec<_>>()).concat();
            if round % BETWEEN > 0 {
                self.points[..count].copy_from_slice(&points);
                continue;
            }
            let back = |number: usize| if self.moves[number] { self.below_surface(points[number]) } else { None };
            let found = in_ranges(count, |range| range.map(back).collect::<Vec<_>>()).concat();
            for (number, place) in found.into_iter().enumerate() {
                match place {
                    Some((point, normal)) => (self.points[number], self.normals[number]) = (point, normal),
                    None => self.moves[number] = false,
                }
            }
        }
        self.points.truncate(count);
        self.points
    }

    fn grid(&self) -> PointGrid {
        let low = self.points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = self.points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let mut grid = PointGrid::new(low, high, REACH * self.spacing);
        for &point in &self.points {
            grid.add(point);
        }
        grid
    }

    /// A sample's place after a round, in the plane that touches the surface.
    fn pushed(&self, grid: &PointGrid, number: usize) -> Vec3 {
        let (own, normal) = (self.points[number], self.normals[number]);
        let reach = REACH * self.spacing;
        let push_by = |from: Vec3| {
            // Samples at the same place do not push each other.
            let push = (reach / from.length().max(0.1 * reach) - 1.0).max(0.0);
            push * push * from.normalize_or_zero()
        };
        let mut push: Vec3 = grid.numbers_near(own, reach).map(|other| push_by(own - self.points[other])).sum();
        for axis in 0..3 {
            for wall in [self.bounds.0[axis], self.bounds.1[axis]] {
                if (own[axis] - wall).abs() < reach {
                    let mut image = own;
                    image[axis] = 2.0 * wall - own[axis];
                    let mut by_images: Vec3 =
                        grid.numbers_near(image, reach).map(|other| push_by(image - self.points[other])).sum();
                    by_images[axis] = -by_images[axis];
                    push += by_images;
                }
            }
        }
        let along = push - push.dot(normal) * normal;
        let way = (STEP * self.spacing * along).clamp_length_max(MOST * self.spacing);
        (own + way).clamp(self.bounds.0, self.bounds.1)
    }

    /// The place half a spacing below the surface that is nearest to a point, and the normal of the surface there;
    /// `None` where it is not in the layer.
    fn below_surface(&self, point: Vec3) -> Option<(Vec3, Vec3)> {
        let depth = 0.5 * f64::from(self.spacing);
        let foot = self.tree.nearest(point.as_dvec3(), 4.0 * depth)?;
        let normal = (foot - point.as_dvec3()).try_normalize()?;
        let sample = foot - depth * normal;
        let skin = 1e-3 * depth;
        let is_in_layer = self.tree.is_inside(point.as_dvec3())
            && !self.tree.is_inside(foot + skin * normal)
            && !self.tree.is_near(sample, 0.95 * depth);
        let (low, high) = self.bounds;
        let is_in_box = sample.as_vec3().cmpge(low).all() && sample.as_vec3().cmple(high).all();
        (is_in_layer && is_in_box).then(|| (sample.as_vec3(), normal.as_vec3()))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::{PointGrid, SurfaceSamples, boundary_weights};
    use crate::fluid::{Dimensions, Mesh, Resolution, Scene, SmoothingKernel};

    const SPACING: f32 = 0.05;

    fn samples(mesh: &Mesh, bounds: (Vec3, Vec3)) -> Vec<Vec3> {
        let (samples, _) = SurfaceSamples::new(std::slice::from_ref(mesh), SPACING, bounds, None).expect("few samples");
        samples.points().to_vec()
    }

    fn grid(points: &[Vec3]) -> PointGrid {
        let mut grid = PointGrid::new(Vec3::splat(-2.0), Vec3::splat(2.0), 2.0 * SPACING);
        for &point in points {
            grid.add(point);
        }
        grid
    }

    /// Distances to the nearest sample in spacings, of the samples that `counts` selects.
    fn distances(points: &[Vec3], counts: impl Fn(Vec3) -> bool) -> Vec<f32> {
        let grid = grid(points);
        let nearest = |own: &Vec3| {
            let others = grid.near(*own, 3.0 * SPACING).filter(|&squared| squared > 0.0);
            others.fold(f32::MAX, f32::min).sqrt() / SPACING
        };
        points.iter().filter(|&&point| counts(point)).map(nearest).collect()
    }

    /// What water at these places feels of the samples: the sums of the kernel with their weights, for a support
    /// radius of
    /// 2.6 spacings.
    fn felt(points: &[Vec3], places: impl Iterator<Item = Vec3>) -> Vec<f32> {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        scene.material.radius_ratio = 2.6;
        let (kernel, radius) = (SmoothingKernel::WendlandC2, 2.6 * SPACING);
        let resolution = Resolution::from_radius(&scene, kernel, radius).expect("it fits");
        let weights = boundary_weights(points, kernel, Dimensions::Three, &resolution);
        let grid = grid(points);
        let at = |place: Vec3| {
            let near = grid.numbers_near(place, radius);
            near.map(|number| -weights[number] * kernel.shape((points[number].distance(place) / radius).into()) as f32)
                .sum()
        };
        places.map(at).collect()
    }

    /// Least value, mean, and deviation over the mean.
    fn spread(values: &[f32]) -> (f32, f32, f32) {
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let squares: f32 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (values.iter().copied().fold(f32::MAX, f32::min), mean, (squares / values.len() as f32).sqrt() / mean)
    }

    /// Bounds for the least distance, the deviation of distances, and that of what water feels. Without relaxation
    /// the balls have least distances of 0.80, and the coarse cylinder is felt with a deviation of 0.17.
    fn check(words: &str, points: &[Vec3], is_of_curve: impl Fn(Vec3) -> bool, places: impl Iterator<Item = Vec3>) {
        let (least, mean, deviation) = spread(&distances(points, is_of_curve));
        let (_, _, unevenness) = spread(&felt(points, places));
        let words = format!("{words}, {}: {least}, {mean}, deviation {deviation}, felt {unevenness}", points.len());
        assert!(least > 0.87 && deviation < 0.045 && unevenness < 0.04, "{words}");
    }

    #[test]
    fn samples_of_curved_surfaces_are_evenly_apart_and_in_their_layer() {
        let everywhere = (Vec3::splat(-2.0), Vec3::splat(2.0));
        // Directions evenly over a sphere: the golden angle, and even heights.
        let turned = |number: u32| 2.399_963_2 * number as f32;
        for radius in [0.3_f32, 0.5] {
            let (layer, water) = (radius - 0.5 * SPACING, radius + 0.5 * SPACING);
            for divisions in [3, 5] {
                let ball = samples(&Mesh::ball(Vec3::ZERO, radius, divisions), everywhere);
                let place = |number: u32| {
                    let y = (number as f32 + 0.5) / 1_000.0 - 1.0;
                    let (sine, cosine) = turned(number).sin_cos();
                    water * Vec3::new(cosine * (1.0 - y * y).sqrt(), y, sine * (1.0 - y * y).sqrt())
                };
                check(&format!("ball {radius} {divisions}"), &ball, |_| true, (0..2_000).map(place));
                assert!(ball.iter().all(|point| (point.length() - layer).abs() < 0.2 * SPACING));
            }
            // With 64 sides every second facet has no room of its own for samples of the other lattices.
            for sides in [24, 64, 100] {
                let cylinder = samples(&Mesh::cylinder(Vec3::new(0.0, -0.5, 0.0), radius, 1.0, sides), everywhere);
                let is_of_side = |point: Vec3| point.y.abs() < 0.5 - 3.0 * SPACING;
                let place = |number: u32| {
                    let y = 0.3 * ((number as f32 + 0.5) / 1_000.0 - 1.0);
                    let (sine, cosine) = turned(number).sin_cos();
                    Vec3::new(water * cosine, y, water * sine)
                };
                check(&format!("cylinder {radius} {sides}"), &cylinder, is_of_side, (0..2_000).map(place));
            }
        }
    }

    #[test]
    fn walls_do_not_attract_samples() {
        let cut = (Vec3::new(-1.0, -0.3, -1.0), Vec3::new(1.0, 0.3, 1.0));
        let found = samples(&Mesh::cylinder(Vec3::new(0.0, -0.5, 0.0), 0.5, 1.0, 100), cut);
        let beside = found.iter().filter(|point| 0.3 - point.y.abs() < 0.25 * SPACING).count();
        assert!(beside < found.len() / 200, "{beside} of {} samples lie at the walls", found.len());
        let (least, mean, deviation) = spread(&distances(&found, |_| true));
        assert!(least > 0.88 && deviation < 0.06, "{least}, {mean}, deviation {deviation}");
    }

    #[test]
    fn flat_faces_and_their_edges_keep_their_lattice() {
        let (low, high) = (Vec3::splat(-0.5), Vec3::new(0.5, 0.25, 0.4));
        let found = samples(&Mesh::cuboid(low, high), (Vec3::splat(-2.0), Vec3::splat(2.0)));
        for point in &found {
            for axis in 0..3 {
                let steps = (point[axis] - low[axis]) / SPACING - 0.5;
                assert!((steps - steps.round()).abs() < 1e-3, "{point}");
            }
        }
        assert_eq!(found.len(), 20 * 15 * 18 - 18 * 13 * 16);
    }
}
