//! The particles of bodies, sampled once in each body's own frame.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::body::{Body, Pose};
use super::error::BodyError;
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::solids::sampling::{MOST_SAMPLES, most_samples};
use crate::fluid::solids::{SampleInput, Sampled, SolidInfo, Start, SurfaceSamples, boundary_weights};
use crate::fluid::{FluidError, SmoothingKernel};

/// Covers a body of a scene with particles, in its frame around its center of mass; `number` is its number in messages,
/// and `most` is [`most_samples`] of the scene, which takes a while to count.
pub(super) fn samples_of(
    number: usize,
    body: &Body,
    scene: &Scene,
    spacing: f32,
    most: u64,
) -> Result<SurfaceSamples, FluidError> {
    let anywhere = (Vec3::NEG_INFINITY, Vec3::INFINITY);
    // In two dimensions bodies rotate around z only.
    let plane = scene.section().map(|z| z - body.position.z);
    let surface = body.shape.surface();
    let (samples, without) = SurfaceSamples::at_most(most, std::slice::from_ref(&*surface), spacing, anywhere, plane)?;
    without.map_or(Ok(samples), |_| Err(BodyError::WithoutParticles { body: number, spacing }.into()))
}

/// A body's particles and its initial pose.
struct PlacedSamples {
    samples: SurfaceSamples,
    pose: Pose,
    body: Body,
    /// Whether it may leave the box.
    may_leave: bool,
    /// Whether the body was removed. Its particles are kept, so that they can be put back, but take part in nothing.
    is_removed: bool,
}

impl PlacedSamples {
    /// The particles that take part, in the body's own frame, m.
    fn points(&self) -> &[Vec3] {
        if self.is_removed { &[] } else { self.samples.points() }
    }

    /// Number of its parking places.
    fn parking_count(&self) -> u32 {
        if self.may_leave { self.points().len() as u32 } else { 0 }
    }

    /// The particles that take part at the initial pose, m.
    fn placed(&self) -> impl Iterator<Item = Vec3> {
        self.points().iter().map(|&point| self.pose.place(point))
    }
}

/// The particles of all bodies, one body after the other.
#[derive(Default)]
pub(super) struct BodySamples {
    bodies: Vec<PlacedSamples>,
    /// Initial positions, m.
    points: Vec<Vec3>,
}

impl BodySamples {
    /// Samples the bodies of a scene; `None` where it has none.
    ///
    /// # Errors
    /// When there would be too many particles, a body has none, or bodies overlap each other or other solids.
    pub(super) fn new(input: &SampleInput<'_>) -> Result<Option<Self>, FluidError> {
        let SampleInput { scene, spacing, earlier } = *input;
        let bodies = scene.solids.of::<Body>();
        if bodies.is_empty() {
            return Ok(None);
        }
        let mut samples = Self::default();
        let most = most_samples(scene, spacing);
        let poses: Vec<Pose> = bodies.iter().map(Body::start).collect();
        for body in bodies {
            let number = samples.bodies.len();
            let solid = samples_of(number, body, scene, spacing, most)?;
            samples.check_place(&solid, (body, &poses[number]), &poses[..number], earlier)?;
            let may_leave = body.may_leave(solid.points(), (scene.low, scene.high));
            samples.add(solid, (body, may_leave), earlier)?;
        }
        Ok(Some(samples))
    }

    /// Refuses a body whose pose overlaps solids of `earlier` kinds, or bodies before it, whose poses are
    /// given.
    pub(super) fn check_place(
        &self,
        solid: &SurfaceSamples,
        (body, pose): (&Body, &Pose),
        poses: &[Pose],
        earlier: &[(&'static SolidInfo, Box<dyn Sampled>)],
    ) -> Result<(), FluidError> {
        let number = self.bodies.len();
        let places = || solid.points().iter().map(|&point| pose.place(point).as_dvec3());
        // Samples lie half a spacing inside the surface, so solids that only touch do not overlap. Bodies with a
        // prescribed motion may pass through fixed solids.
        for (_, fixed) in earlier.iter().filter(|_| body.is_free()) {
            let holds = |(point, _): Start| solid.is_inside(pose.local(point.as_dvec3()));
            if places().any(|place| fixed.is_inside(place)) || fixed.starts().into_iter().any(holds) {
                return Err(BodyError::InBoundary(number).into());
            }
        }
        for (other, (one, at)) in self.bodies.iter().zip(poses).enumerate().filter(|(_, (one, _))| !one.is_removed) {
            if (one.body.is_free() || body.is_free()) && overlap((&one.samples, at), (solid, pose)) {
                return Err(BodyError::Overlap { body: number, other }.into());
            }
        }
        Ok(())
    }

    /// Adds the particles of a body, which may leave the box or not, after all others.
    pub(super) fn add(
        &mut self,
        samples: SurfaceSamples,
        (body, may_leave): (&Body, bool),
        earlier: &[(&'static SolidInfo, Box<dyn Sampled>)],
    ) -> Result<(), FluidError> {
        let before: usize = earlier.iter().map(|(_, sampled)| sampled.count()).sum();
        let count = (before + self.points.len() + samples.points().len()) as u64;
        if count > MOST_SAMPLES {
            return Err(FluidError::TooManyBoundaryParticles { count, limit: MOST_SAMPLES });
        }
        let placed = PlacedSamples { samples, pose: body.start(), body: body.clone(), may_leave, is_removed: false };
        self.points.extend(placed.placed());
        self.bodies.push(placed);
        Ok(())
    }

    /// Removes the body that was added last.
    pub(super) fn remove_last(&mut self) {
        if let Some(last) = self.bodies.pop() {
            self.points.truncate(self.points.len() - last.points().len());
        }
    }

    /// Number of bodies.
    pub(super) fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// A body's particles in its own frame, m.
    pub(super) fn of_body(&self, body: usize) -> &[Vec3] {
        self.bodies[body].points()
    }

    /// The first of the parking places of a body's particles, among those of all bodies; `None` where it stays in the
    /// box.
    pub(super) fn parking_of(&self, body: usize) -> Option<u32> {
        let before = || self.bodies[..body].iter().map(PlacedSamples::parking_count).sum();
        self.bodies[body].may_leave.then(before)
    }

    /// The range of a body's particles among those of all bodies.
    pub(super) fn range_of(&self, body: usize) -> Range<usize> {
        let first: usize = self.bodies[..body].iter().map(|placed| placed.points().len()).sum();
        first..first + self.of_body(body).len()
    }
}

/// Whether a particle of one of two bodies lies in the other, each at its given pose.
fn overlap(one: (&SurfaceSamples, &Pose), other: (&SurfaceSamples, &Pose)) -> bool {
    let lies_in = |(one, pose): (&SurfaceSamples, &Pose), (other, pose_of_other): (&SurfaceSamples, &Pose)| {
        let mut places = one.points().iter().map(|&point| pose.place(point).as_dvec3());
        places.any(|place| other.is_inside(pose_of_other.local(place)))
    };
    lies_in(one, other) || lies_in(other, one)
}

impl BodySamples {
    /// A body's particles, also if it was removed.
    pub(super) fn samples_of_body(&self, body: usize) -> Option<&SurfaceSamples> {
        self.bodies.get(body).map(|placed| &placed.samples)
    }

    /// Removes a body or puts it back, and returns the range of its particles among those of all bodies while it is
    /// there; `None` where there is no such body or nothing changes.
    fn set_removed(&mut self, body: usize, removed: bool) -> Option<Range<usize>> {
        self.bodies.get(body).filter(|placed| placed.is_removed != removed)?;
        let range = if removed { Some(self.range_of(body)) } else { None };
        self.bodies[body].is_removed = removed;
        self.points = self.bodies.iter().flat_map(PlacedSamples::placed).collect();
        Some(range.unwrap_or_else(|| self.range_of(body)))
    }
}

impl Sampled for BodySamples {
    fn range_of(&self, number: usize) -> Option<Range<usize>> {
        (number < self.bodies.len()).then(|| self.range_of(number))
    }

    fn take_out(&mut self, number: usize) -> Option<Range<usize>> {
        self.set_removed(number, true)
    }

    fn put_back(&mut self, number: usize) -> Option<Range<usize>> {
        self.set_removed(number, false)
    }

    fn starts(&self) -> Vec<Start> {
        // The first pass of a step sets their velocity.
        self.points.iter().map(|&point| (point, Vec3::ZERO)).collect()
    }

    fn count(&self) -> usize {
        self.points.len()
    }

    fn takes(&self, place: DVec3) -> bool {
        self.bodies.iter().any(|placed| !placed.is_removed && placed.samples.takes(placed.pose.local(place)))
    }

    /// The weights of a body are computed from its own particles only.
    fn weights(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let weights = |placed: &PlacedSamples| boundary_weights(placed.points(), kernel, scene.dimensions, resolution);
        self.bodies.iter().flat_map(weights).collect()
    }

    fn water_shares(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let there = self.bodies.iter().filter(|placed| !placed.is_removed);
        there.flat_map(|placed| placed.samples.water_shares(kernel, scene.dimensions, resolution, None)).collect()
    }

    /// Of free bodies the rest density over the mass per area of the surface. Under a pressure of 1 on all of its
    /// surface, taken without its direction, a body would have this acceleration times 1 / rest density.
    fn mobilities(&self, scene: &Scene, _: &Resolution) -> Vec<f32> {
        let mobility = |body: &Body| {
            let per_area = body.mass_per_area(scene.dimensions);
            if body.is_free() { f64::from(scene.material.rest_density) / per_area } else { 0.0 }
        };
        let of_each = |placed: &PlacedSamples| vec![mobility(&placed.body) as f32; placed.points().len()];
        self.bodies.iter().flat_map(of_each).collect()
    }

    fn parking_count(&self) -> u32 {
        self.bodies.iter().map(PlacedSamples::parking_count).sum()
    }
}
