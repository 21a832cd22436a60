//! Bodies that somebody drops or shoots into the water.

use glam::Vec3;

use super::{Controls, Report};
use crate::fluid::{Body, BodyShape, Dimensions, Drag, Motion, Simulation};

/// Speed of a body that is shot, of what the scene's water is expected to reach.
const SHOT: f32 = 1.2;
/// Speed of a body that is let go, of the same: it begins to fall by itself.
const DROPPED: f32 = 0.02;
/// A body's smallest edge, in spacings: with fewer samples water hardly feels it.
const SMALLEST: f32 = 4.0;

/// Where somebody points: from the camera through the pointer, or through the middle of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim {
    /// Where the camera is, m.
    pub origin: Vec3,
    /// Of length 1.
    pub direction: Vec3,
    /// Where that meets the plane that the camera orbits in, m.
    pub point: Vec3,
}

/// What is dropped and shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missile {
    /// A ball, or a box.
    pub is_ball: bool,
    /// Edge or diameter, of the tank's shortest edge.
    pub size: f32,
    /// Over the fluid's at rest.
    pub relative_density: f32,
}

impl Default for Missile {
    fn default() -> Self {
        Self { is_ball: false, size: 0.2, relative_density: 0.5 }
    }
}

/// A body that is thrown once.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Counts them, so that each is thrown once.
    pub number: u32,
    /// Its shape, density and velocity.
    pub body: Body,
    /// Where its way begins, m; that may be outside the tank.
    pub from: Vec3,
}

impl Controls {
    /// Lets a body fall from the tank's top, over the place that the pointer is at.
    pub(super) fn drop_body(&mut self, report: &Report) {
        let (low, high) = (self.scene.low, self.scene.high);
        let over = self.aim.point.clamp(low, high);
        // Out of the wall, where the pointer is at one.
        let reach = Vec3::splat(0.5 * self.missile_edge(report)).min(0.5 * (high - low));
        let over = over.clamp(low + reach, high - reach);
        let speed = DROPPED * expected_speed(report);
        self.toss(report, Vec3::new(over.x, high.y, over.z), Vec3::NEG_Y * speed);
    }

    /// Shoots a body from the camera towards the pointer.
    pub(super) fn shoot_body(&mut self, report: &Report) {
        let velocity = self.aim.direction * SHOT * expected_speed(report);
        self.toss(report, self.aim.origin, velocity);
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
        let asked = self.missile.size * (self.scene.high - self.scene.low).min_element();
        report.running.as_ref().map_or(asked, |running| asked.max(SMALLEST * running.resolution.spacing))
    }

    /// Whether bodies can be thrown in: they need room to turn.
    pub(super) fn takes_bodies(&self) -> bool {
        self.scene.dimensions == Dimensions::Three
    }
}

/// What the scene's water is expected to reach, m/s.
fn expected_speed(report: &Report) -> f32 {
    report.running.as_ref().map_or(1.0, |running| {
        let scene = running.settings.edits.applied_to(&running.scene);
        running.resolution.sound_speed / scene.material.sound_speed_factor
    })
}

/// What the pointer drags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip {
    /// Nothing.
    Open,
    /// The water that it began on.
    Water,
    /// The body that it began on.
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
    /// What the pointer is on, if that is a body.
    pub(super) fn picked(simulation: &Simulation, origin: Vec3, direction: Vec3) -> Option<Self> {
        let picked = simulation.pick(origin, direction)?;
        Some(Self { body: picked.body, point: picked.point, distance: picked.distance })
    }

    /// The pull towards the pointer, at the distance from the camera that the body was picked up at.
    pub(super) fn pull(&self, origin: Vec3, direction: Vec3) -> Drag {
        Drag { body: self.body, point: self.point, target: origin + self.distance * direction }
    }
}
