//! Bodies that the user drops, shoots or drags.

use glam::Vec3;

use super::{Controls, Report};
use crate::fluid::{Body, BodyShape, Dimensions, Drag, Motion, Simulation};

/// Initial speed of a body that is shot, as a fraction of the expected speed of the scene's water.
const SHOT: f32 = 1.2;
/// Initial speed of a body that is dropped, as a fraction of the same speed; gravity accelerates it further.
const DROPPED: f32 = 0.02;
/// Smallest edge of a body, in particle spacings. A smaller body has too few samples to displace water.
const SMALLEST: f32 = 4.0;

/// The ray from the camera through the pointer, or through the center of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim {
    /// Position of the camera, m.
    pub origin: Vec3,
    /// Direction of the ray; a unit vector.
    pub direction: Vec3,
    /// Intersection of the ray with the plane through the point that the camera orbits, m.
    pub point: Vec3,
}

/// Properties of the bodies that are dropped and shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missile {
    /// Whether the body is a ball rather than a box.
    pub is_ball: bool,
    /// Edge or diameter as a fraction of the tank's shortest edge.
    pub size: f32,
    /// Density relative to the fluid's rest density.
    pub relative_density: f32,
}

impl Default for Missile {
    fn default() -> Self {
        Self { is_ball: false, size: 0.2, relative_density: 0.5 }
    }
}

/// A request to drop or shoot a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Number of the request, so that the driver carries out each one once.
    pub number: u32,
    /// Shape, density and velocity of the body.
    pub body: Body,
    /// Start of the body's path, m, which may be outside the tank.
    pub from: Vec3,
}

impl Controls {
    /// Drops a body from the top of the tank, above the point at the pointer.
    pub(super) fn drop_body(&mut self, report: &Report) {
        let (low, high) = (self.scene.low, self.scene.high);
        let over = self.aim.point.clamp(low, high);
        // If the pointer is at a wall, the body is moved inward so that it does not overlap the wall.
        let reach = Vec3::splat(0.5 * self.missile_edge(report)).min(0.5 * (high - low));
        let over = self.in_scene(over.clamp(low + reach, high - reach));
        let speed = DROPPED * expected_speed(report);
        self.toss(report, Vec3::new(over.x, high.y, over.z), Vec3::NEG_Y * speed);
    }

    /// Shoots a body from the camera toward the pointer; in two dimensions, in whose plane no camera is, from the upper
    /// corner of the tank that is farther from the pointer.
    pub(super) fn shoot_body(&mut self, report: &Report) {
        let speed = SHOT * expected_speed(report);
        if self.scene.dimensions == Dimensions::Three {
            return self.toss(report, self.aim.origin, speed * self.aim.direction);
        }
        let (low, high) = (self.scene.low, self.scene.high);
        let reach = 0.5 * self.missile_edge(report);
        let is_right = self.aim.point.x > 0.5 * (low.x + high.x);
        let corner = Vec3::new(if is_right { low.x + reach } else { high.x - reach }, high.y - reach, 0.0);
        let [from, to] = [corner, self.aim.point].map(|place| self.in_scene(place));
        self.toss(report, from, speed * (to - from).normalize_or(Vec3::NEG_Y));
    }

    /// A point, in two dimensions moved into the plane of the scene.
    fn in_scene(&self, place: Vec3) -> Vec3 {
        if self.scene.dimensions == Dimensions::Two { place.with_z(self.scene.plane()) } else { place }
    }

    fn toss(&mut self, report: &Report, from: Vec3, velocity: Vec3) {
        let edge = self.missile_edge(report);
        let shape = if self.missile.is_ball {
            BodyShape::Sphere { radius: 0.5 * edge }
        } else {
            BodyShape::Box { size: Vec3::splat(edge) }
        };
        let rest_density = self.settings.edits.applied_to(&self.scene).material.rest_density;
        let body = Body {
            shape,
            density: self.missile.relative_density * rest_density,
            position: from,
            rotation: Vec3::ZERO,
            velocity,
            angular_velocity: Vec3::ZERO,
            friction: 0.5,
            restitution: 0.2,
            motion: Motion::Free,
        };
        let number = self.toss.as_ref().map_or(0, |toss| toss.number) + 1;
        self.toss = Some(Toss { number, body, from });
    }

    /// Edge or diameter of the next body, m.
    fn missile_edge(&self, report: &Report) -> f32 {
        let edges = self.scene.high - self.scene.low;
        let shortest =
            if self.scene.dimensions == Dimensions::Two { edges.truncate().min_element() } else { edges.min_element() };
        let edge = self.missile.size * shortest;
        report.running.as_ref().map_or(edge, |running| edge.max(SMALLEST * running.resolution.spacing))
    }
}

/// Speed that the scene's water is expected to reach, m/s.
pub(super) fn expected_speed(report: &Report) -> f32 {
    report.running.as_ref().map_or(1.0, |running| {
        let scene = running.settings.edits.applied_to(&running.scene);
        running.resolution.sound_speed / scene.material.sound_speed_factor
    })
}

/// What the pointer drags, determined when the drag begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip {
    /// Nothing.
    Open,
    /// The water.
    Water,
    /// A body.
    Body(Held),
}

/// A body held by the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    body: usize,
    point: Vec3,
    distance: f32,
}

impl Held {
    /// The body under the pointer, if there is one.
    pub(super) fn picked(simulation: &Simulation, origin: Vec3, direction: Vec3) -> Option<Self> {
        let picked = simulation.pick(origin, direction)?;
        Some(Self { body: picked.body, point: picked.point, distance: picked.distance })
    }

    /// The pull toward the pointer, at the distance from the camera at which the body was picked.
    pub(super) fn pull(&self, origin: Vec3, direction: Vec3) -> Drag {
        Drag { body: self.body, point: self.point, target: origin + self.distance * direction }
    }
}
