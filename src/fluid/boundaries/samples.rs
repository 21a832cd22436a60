use std::ops::Range;

use glam::{DVec3, Vec3};

use super::{Mesh, PointGrid, TriangleTree, boundary_weights};
use crate::fluid::bodies::{Body, Pose};
use crate::fluid::{FluidError, Resolution, Scene, SmoothingKernel};

/// Boundary particles at most, and about as many as a card binds.
const MOST_SAMPLES: u64 = 1 << 24;
/// Samples are at least that far apart, in spacings.
const APART: f32 = 0.8;
/// Fluid starts no nearer to a sample, in spacings: at one spacing it reads the rest density.
const CLEARANCE: f32 = 0.9;
/// Lattices laid over a triangle in turn, in spacings: later ones fill what earlier ones left open.
const LATTICES: [f64; 3] = [1.0, 0.5, 0.25];

/// A solid's particles, in its own frame.
pub(in crate::fluid) struct SolidSamples {
    grid: PointGrid,
    tree: TriangleTree,
    spacing: f32,
}

impl SolidSamples {
    /// Covers the surfaces of one solid evenly, the same way each time, as far as they lie in the box; tells of the first
    /// surface that gets no particle.
    fn new(surfaces: &[Mesh], spacing: f32, bounds: (Vec3, Vec3)) -> Result<(Self, Option<usize>), FluidError> {
        let squares: f64 = surfaces.iter().map(|surface| surface_squares(surface, spacing.into())).sum();
        if squares > MOST_SAMPLES as f64 {
            return Err(FluidError::TooManyBoundaryParticles { count: squares as u64, limit: MOST_SAMPLES });
        }
        let mut whole = Mesh::default();
        for surface in surfaces {
            let count = whole.vertices.len() as u32;
            whole.vertices.extend(&surface.vertices);
            whole.triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| corner + count)));
        }
        let tree = TriangleTree::new(&whole);
        let (low, high) = whole.bounds();
        let mut grid = PointGrid::new(low, high, spacing);
        let mut without = None;
        for (number, surface) in surfaces.iter().enumerate() {
            let before = grid.points.len();
            cover(&mut grid, &tree, surface, spacing, bounds);
            if grid.points.len() == before {
                without = without.or(Some(number));
            }
        }
        Ok((Self { grid, tree, spacing }, without))
    }

    /// Of a body, around its center of mass; `body` is its number in messages.
    pub(in crate::fluid) fn of_body(body: usize, surface: &Mesh, spacing: f32) -> Result<Self, FluidError> {
        let anywhere = (Vec3::NEG_INFINITY, Vec3::INFINITY);
        let (samples, without) = Self::new(std::slice::from_ref(surface), spacing, anywhere)?;
        without.map_or(Ok(samples), |_| Err(FluidError::BodyWithoutParticles { body, spacing }))
    }

    /// m, in an order that is always the same.
    pub(in crate::fluid) fn points(&self) -> &[Vec3] {
        &self.grid.points
    }

    /// Whether fluid cannot start at a place, since the solid is there or too near.
    pub(in crate::fluid) fn takes(&self, place: DVec3) -> bool {
        self.grid.near(place.as_vec3(), CLEARANCE * self.spacing).next().is_some() || self.is_inside(place)
    }

    /// Whether a place lies in the solid.
    fn is_inside(&self, place: DVec3) -> bool {
        self.tree.is_inside(place)
    }

    /// Whether a particle of one of two solids lies in the other, each where it is said to be.
    fn overlaps(&self, pose: &Pose, other: &Self, pose_of_other: &Pose) -> bool {
        let lies_in = |one: &Self, pose: &Pose, other: &Self, pose_of_other: &Pose| {
            let mut places = one.points().iter().map(|&point| pose.place(point).as_dvec3());
            places.any(|place| other.is_inside(pose_of_other.local(place)))
        };
        lies_in(self, pose, other, pose_of_other) || lies_in(other, pose_of_other, self, pose)
    }
}

/// A body's particles and where they are at the start.
struct PlacedSamples {
    samples: SolidSamples,
    pose: Pose,
    is_free: bool,
}

/// The particles of a scene's boundaries and, behind them, of its bodies.
pub(in crate::fluid) struct BoundarySamples {
    fixed: Option<SolidSamples>,
    bodies: Vec<PlacedSamples>,
    /// m, at the start.
    points: Vec<Vec3>,
}

impl BoundarySamples {
    /// Covers the scene's boundaries and bodies; `None` where there are none.
    ///
    /// # Errors
    /// When there would be too many particles, a boundary or body has none, or bodies overlap something solid.
    pub(in crate::fluid) fn new(scene: &Scene, spacing: f32) -> Result<Option<Self>, FluidError> {
        if scene.boundaries.is_empty() && scene.bodies.is_empty() {
            return Ok(None);
        }
        let surfaces: Vec<Mesh> = scene.boundaries.iter().map(super::Boundary::surface).collect();
        let fixed = if surfaces.is_empty() {
            None
        } else {
            let (fixed, without) = SolidSamples::new(&surfaces, spacing, (scene.low, scene.high))?;
            if let Some(boundary) = without {
                return Err(FluidError::BoundaryWithoutParticles { boundary, spacing });
            }
            Some(fixed)
        };
        let points = fixed.as_ref().map_or(Vec::new(), |fixed| fixed.points().to_vec());
        let mut samples = Self { fixed, bodies: Vec::new(), points };
        let poses: Vec<Pose> = scene.bodies.iter().map(Body::start).collect();
        for body in &scene.bodies {
            let number = samples.bodies.len();
            let solid = SolidSamples::of_body(number, &body.shape.surface(), spacing)?;
            samples.check_place(&solid, body, &poses[..number])?;
            samples.add_body(solid, body)?;
        }
        Ok(Some(samples))
    }

    /// Of no solid at all.
    pub(in crate::fluid) fn none() -> Self {
        Self { fixed: None, bodies: Vec::new(), points: Vec::new() }
    }

    /// Refuses a body that begins where there is something solid; `poses` are those of the bodies before it.
    pub(in crate::fluid) fn check_place(
        &self,
        solid: &SolidSamples,
        body: &Body,
        poses: &[Pose],
    ) -> Result<(), FluidError> {
        let number = self.bodies.len();
        let pose = body.start();
        let mut places = solid.points().iter().map(|&point| pose.place(point).as_dvec3());
        // Samples lie half a spacing inside: what only touches does not overlap. Walls that are told where to go may pass
        // through what stands still.
        if let Some(fixed) = self.fixed.as_ref().filter(|_| body.is_free())
            && (places.any(|place| fixed.is_inside(place))
                || fixed.points().iter().any(|&point| solid.is_inside(pose.local(point.as_dvec3()))))
        {
            return Err(FluidError::BodyInBoundary(number));
        }
        for (other, (one, at)) in self.bodies.iter().zip(poses).enumerate() {
            if (one.is_free || body.is_free()) && one.samples.overlaps(at, solid, &pose) {
                return Err(FluidError::BodiesOverlap { body: number, other });
            }
        }
        Ok(())
    }

    /// Adds a body's particles behind all others.
    pub(in crate::fluid) fn add_body(&mut self, samples: SolidSamples, body: &Body) -> Result<(), FluidError> {
        let count = (self.points.len() + samples.points().len()) as u64;
        if count > MOST_SAMPLES {
            return Err(FluidError::TooManyBoundaryParticles { count, limit: MOST_SAMPLES });
        }
        let placed = PlacedSamples { samples, pose: body.start(), is_free: body.is_free() };
        self.points.extend(placed.samples.points().iter().map(|&point| placed.pose.place(point)));
        self.bodies.push(placed);
        Ok(())
    }

    /// These but for the body that was added last; `None` where nothing is left.
    pub(in crate::fluid) fn without_last(mut self) -> Option<Self> {
        let last = self.bodies.pop()?;
        self.points.truncate(self.points.len() - last.samples.points().len());
        (!self.points.is_empty()).then_some(self)
    }

    /// m, in an order that is always the same; those of bodies as they are at the start.
    pub(in crate::fluid) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Particles of boundaries; those of bodies follow.
    pub(in crate::fluid) fn fixed_count(&self) -> usize {
        self.fixed.as_ref().map_or(0, |fixed| fixed.points().len())
    }

    /// A body's particles in its own frame, m.
    pub(in crate::fluid) fn of_body(&self, body: usize) -> &[Vec3] {
        self.bodies[body].samples.points()
    }

    /// A body's among [`BoundarySamples::points`].
    pub(in crate::fluid) fn body_range(&self, body: usize) -> Range<usize> {
        let before: usize = self.bodies[..body].iter().map(|placed| placed.samples.points().len()).sum();
        let first = self.fixed_count() + before;
        first..first + self.of_body(body).len()
    }

    /// What each is worth, as [`boundary_weights`] says: a body's by its own particles alone.
    pub(in crate::fluid) fn weights(
        &self,
        kernel: SmoothingKernel,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Vec<f32> {
        let solids = self.fixed.iter().chain(self.bodies.iter().map(|placed| &placed.samples));
        solids.flat_map(|solid| boundary_weights(solid.points(), kernel, scene.dimensions, resolution)).collect()
    }

    /// Whether fluid cannot start at a place, since a solid is there or too near.
    pub(in crate::fluid) fn takes(&self, place: DVec3) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| fixed.takes(place))
            || self.bodies.iter().any(|placed| placed.samples.takes(placed.pose.local(place)))
    }
}

/// Area in squares of a spacing's edge.
fn surface_squares(surface: &Mesh, spacing: f64) -> f64 {
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).as_dvec3().cross((c - a).as_dvec3()).length();
    surface.corners().map(area).sum::<f64>() / (spacing * spacing)
}

/// Adds the samples of one surface in the solid that `tree` is of, as far as they lie in the box.
fn cover(grid: &mut PointGrid, tree: &TriangleTree, surface: &Mesh, spacing: f32, (low, high): (Vec3, Vec3)) {
    let deepest = 0.5 * f64::from(spacing);
    let apart = APART * spacing;
    for step in LATTICES.map(|share| share * f64::from(spacing)) {
        for corners in surface.corners() {
            let Some(triangle) = Triangle::new(corners) else { continue };
            triangle.for_each_place(step, |place| {
                let is_free = |grid: &PointGrid, sample: DVec3| grid.near(sample.as_vec3(), apart).next().is_none();
                let usual = place - deepest * triangle.normal;
                if !is_free(grid, usual) {
                    return;
                }
                // The far side of the solid, looked for from just below the near one.
                let skin = 1e-3 * deepest;
                let thickness = tree
                    .distance_along(place - skin * triangle.normal, -triangle.normal, 2.0 * deepest)
                    .map_or(2.0 * deepest, |rest| rest + skin);
                let depth = deepest.min(0.5 * thickness);
                let sample = place - depth * triangle.normal;
                let is_in_box = sample.as_vec3().cmpge(low).all() && sample.as_vec3().cmple(high).all();
                // Beside a convex edge a sample is nearer to the next face; there is one below that face instead.
                if is_in_box
                    && (depth >= deepest || is_free(grid, sample))
                    && !tree.is_near(sample, 0.95 * depth)
                    && !tree.is_inside(place + skin * triangle.normal)
                {
                    grid.add(sample.as_vec3());
                }
            });
        }
    }
}

/// A triangle with a frame along the sides of its squarest corner, so that the lattices of a rectangle's halves agree.
struct Triangle {
    origin: DVec3,
    normal: DVec3,
    /// Unit vectors in its plane, and how far it reaches along them.
    axes: [DVec3; 2],
    reach: [f64; 2],
    /// Where along the first axis the third corner stands.
    apex: f64,
}

impl Triangle {
    fn new(corners: [Vec3; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).try_normalize()?;
        let slant = |[a, b, c]: [DVec3; 3]| (b - a).normalize().dot((c - a).normalize()).abs();
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        let [origin, u, v] = turned.into_iter().min_by(|&one, &other| slant(one).total_cmp(&slant(other)))?;
        let along = (u - origin).normalize();
        let across = normal.cross(along);
        let reach = [(u - origin).length(), (v - origin).dot(across)];
        Some(Self { origin, normal, axes: [along, across], reach, apex: (v - origin).dot(along) })
    }

    /// Visits a lattice of about that step, or the middle of a triangle between its points.
    fn for_each_place(&self, step: f64, mut visit: impl FnMut(DVec3)) {
        let counts = self.reach.map(|reach| (reach / step).round().max(1.0));
        let steps = [self.reach[0] / counts[0], self.reach[1] / counts[1]];
        let apex = self.apex;
        let mut found = false;
        // An obtuse triangle reaches beyond its frame.
        let first = (apex.min(0.0) / steps[0]).floor() as i64;
        let last = (apex.max(self.reach[0]) / steps[0]).ceil() as i64;
        for row in 0..counts[1] as i64 {
            let t = (row as f64 + 0.5) / counts[1];
            let (from, to) = (t * apex, t * apex + (1.0 - t) * self.reach[0]);
            let slack = 1e-9 * self.reach[0];
            for column in first..last {
                let x = (column as f64 + 0.5) * steps[0];
                if x >= from - slack && x <= to + slack {
                    found = true;
                    visit(self.origin + x * self.axes[0] + t * self.reach[1] * self.axes[1]);
                }
            }
        }
        if !found {
            visit(self.origin + (self.reach[0] + apex) / 3.0 * self.axes[0] + self.reach[1] / 3.0 * self.axes[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::BoundarySamples;
    use crate::fluid::{Boundary, FluidError, Scene};
    use crate::search::random::uniform;

    const SPACING: f32 = 0.1;

    fn sample(boundaries: Vec<Boundary>, spacing: f32) -> Result<BoundarySamples, FluidError> {
        let scene = Scene { boundaries, ..Scene::load("dam_break").expect("it ships with the program") };
        Ok(BoundarySamples::new(&scene, spacing)?.expect("there are boundaries"))
    }

    fn cuboid(low: Vec3, high: Vec3) -> Boundary {
        Boundary::Box { low, high }
    }

    #[test]
    fn a_box_of_whole_spacings_is_covered_by_the_lattice() {
        let samples = sample(vec![cuboid(Vec3::ONE, Vec3::new(2.0, 1.8, 1.5))], SPACING).expect("it fits");
        // The outer layer of 10 by 8 by 5 points; the box of the scene ends at z = 1.5.
        assert_eq!(samples.points().len(), 10 * 8 * 5 - 8 * 6 * 3);
        for point in samples.points() {
            let place = (*point - 1.0) / SPACING - 0.5;
            assert!((place - place.round()).abs().max_element() < 1e-4, "{point} is off the lattice");
        }
    }

    #[test]
    fn samples_are_even_without_holes_and_half_a_spacing_below_the_surface() {
        let sphere = Boundary::Sphere { center: Vec3::new(0.0, 2.0, 0.0), radius: 1.0 };
        let cylinder = Boundary::Cylinder { foot: Vec3::new(3.0, 1.0, 0.0), radius: 0.7, height: 1.3 };
        let tilted = cuboid(Vec3::new(-3.03, 1.0, -0.57), Vec3::new(-2.0, 1.77, 0.71));
        for boundary in [sphere, cylinder, tilted] {
            let samples = sample(vec![boundary.clone()], SPACING).expect("it fits");
            let points = samples.points();
            for (number, point) in points.iter().enumerate() {
                let nearest = points[..number].iter().map(|other| other.distance(*point)).fold(f32::INFINITY, f32::min);
                assert!(nearest >= 0.8 * SPACING, "{boundary:?}: two samples {nearest} m apart");
            }
            // Whatever is a spacing outside the layer sees a sample within little more than a spacing.
            let surface = boundary.surface();
            let corners: Vec<_> = surface.corners().collect();
            for number in 0..2_000 {
                let [a, b, c] = corners[number as usize * 7919 % corners.len()];
                let (mut u, mut v) = (uniform(3, 2 * number), uniform(3, 2 * number + 1));
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let normal = (b - a).cross(c - a).normalize();
                let place = a + u * (b - a) + v * (c - a);
                let outside = place + 0.5 * SPACING * normal;
                let nearest = points.iter().map(|point| point.distance(outside)).fold(f32::INFINITY, f32::min);
                assert!(nearest < 1.35 * SPACING, "{boundary:?}: a hole of {nearest} m at {place}");
                assert!(samples.takes((place - 0.3 * SPACING * normal).as_dvec3()), "{boundary:?} at {place}");
                assert!(!samples.takes((place + 0.5 * SPACING * normal).as_dvec3()), "{boundary:?} at {place}");
            }
        }
    }

    #[test]
    fn thin_parts_are_felt_as_their_middle_and_buried_ones_not_at_all() {
        let plate = cuboid(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, 1.02, 1.0));
        let samples = sample(vec![plate], SPACING).expect("it fits");
        assert!(samples.points().iter().all(|point| (point.y - 1.01).abs() < 1e-4));
        assert!((350..=400).contains(&samples.points().len()), "{}", samples.points().len());
        // Two boxes, one upon the other: as the one box that they are, but for the edge between them.
        let lower = cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 1.5, 1.0));
        let upper = cuboid(Vec3::new(0.0, 1.5, 0.0), Vec3::new(1.0, 2.0, 1.0));
        let stacked = sample(vec![lower, upper], SPACING).expect("they fit");
        assert!(stacked.points().iter().all(|point| {
            let inside = (*point - Vec3::new(0.0, 1.0, 0.0)).min(Vec3::new(1.0, 2.0, 1.0) - *point);
            inside.min_element() < 0.051
        }));
        assert!(stacked.takes(DVec3::new(0.5, 1.5, 0.5)));
    }

    #[test]
    fn too_many_and_none_are_refused_in_words() {
        let large = cuboid(Vec3::new(-5.0, 0.0, -1.5), Vec3::new(5.0, 6.0, 1.5));
        let error = sample(vec![large], 1e-3).err().expect("216 million");
        assert!(matches!(error, FluidError::TooManyBoundaryParticles { limit: 16_777_216, .. }), "{error}");
        let outside = cuboid(Vec3::splat(20.0), Vec3::splat(21.0));
        let inside = cuboid(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, 3.0, 1.0));
        let error = sample(vec![inside, outside], SPACING).err().expect("it is not in the box").to_string();
        assert!(error.contains("boundaries[1]"), "{error}");
    }
}
