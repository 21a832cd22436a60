//! Rigid bodies in the water, moved by it and moving it, and walls that move as they are told.
//!
//! A body is felt as a boundary is, through a layer of particles half a spacing inside its surface, sampled once in the
//! body's own frame and with Akinci's volumes of its own samples (`boundaries/mod.rs`). Each step
//! 1. *move bodies* puts the particles where the body is, x + R·local, with its velocity there, v + ω × r; before the
//!    search sorts them;
//! 2. the solver does to them what it does to boundaries, and keeps what the fluid does to each in `reactions`;
//! 3. *gather loads*, one workgroup a body, sums these up to a force and a torque about the center of mass, always in the
//!    same order;
//! 4. they are read back, rapier takes a step of the same length with them, gravity and the contacts among bodies, with the
//!    tank and with the boundaries, and the new poses are written for the next step.
//!
//! Sums of fluid and boundary are opposite to the last bit, so the momentum that a body takes is what the fluid gives, but
//! for the rounding of the sums. With WCSPH bodies and fluid both take a symplectic Euler step under the forces at its
//! start. PBF corrects positions at the step's end, so there the particles go along with the body's own velocity and
//! gravity, as the fluid's do in its prediction, and what the corrections gave them is the body's impulse.
//!
//! Reading back makes every step a submission of its own that is waited for: about 0.3 ms on an H200 (a step of 58,610
//! particles took 0.55 ms, its passes 0.18), which a step of 100,000 particles does not hide. Scenes without bodies pay
//! nothing. Memory per sample, as a boundary's particle, and 20
//! bytes; a body 64 bytes.
//!
//! Bad at: bodies much lighter than water under PBF, which pushes them once a step by what it would take to move a
//! standing wall; bodies thinner than two spacings; gaps between bodies that are narrower than that, which fluid leaves
//! empty.
//!
//! Sources: N. Akinci, M. Ihmsen, G. Akinci, B. Solenthaler and M. Teschner, Versatile rigid-fluid coupling for
//! incompressible SPH, ACM Transactions on Graphics 31 (2012); rapier (Dimforge) for rigid bodies and contacts.

mod coupling;
mod device;
mod hands;
mod shape;
mod state;
mod world;

use std::path::Path;

use glam::{DQuat, DVec3, EulerRot, Quat, Vec3};
use serde::{Deserialize, Serialize};

pub(super) use coupling::{Bodies, SavedBodies, StepContext};
pub use coupling::{Drag, Picked};
#[cfg(test)]
pub(super) use device::BodiesWords;
use device::LoadWords;
pub(super) use device::{BodyWords, DeviceBodies};
pub use shape::BodyShape;
pub use state::{BodyState, BodyView};
use world::World;

use super::{MeshError, Scene};

/// Bodies at most: what one workgroup each and a read-back a step are meant for.
pub(super) const MOST_BODIES: usize = 1024;

/// Something solid that moves.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What it looks like.
    pub shape: BodyShape,
    /// kg/m³; says nothing of one whose motion is told.
    #[serde(default = "as_water")]
    pub density: f32,
    /// Where its center of mass is at the start, m.
    pub position: Vec3,
    /// Degrees around x, then y, then z, at the start.
    #[serde(default)]
    pub rotation: Vec3,
    /// Of its center of mass at the start, m/s.
    #[serde(default)]
    pub velocity: Vec3,
    /// At the start, degrees/s.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// Coulomb's coefficient; of two that touch the smaller counts. Tank and boundaries have 1.
    #[serde(default = "usual_friction")]
    pub friction: f32,
    /// Share of the speed that a bounce gives back; of two that touch the larger counts. Tank and boundaries have 0.
    #[serde(default = "usual_restitution")]
    pub restitution: f32,
    /// Whether it moves freely, or how it is told to.
    #[serde(default)]
    pub motion: Motion,
}

/// How a body is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Motion {
    /// By water, gravity and contacts.
    #[default]
    Free,
    /// As a wave maker: it sways between where it starts, at rest, and another place, whatever holds against it.
    Sway {
        /// The other end of its way, m.
        to: Vec3,
        /// There and back, s.
        period: f32,
    },
    /// There and back at one speed, whatever holds against it.
    Shuttle {
        /// The other end of its way, m.
        to: Vec3,
        /// m/s.
        speed: f32,
    },
    /// Around its center, whatever holds against it.
    Turn {
        /// Degrees/s around x, y and z.
        rate: Vec3,
    },
}

fn as_water() -> f32 {
    1000.0
}

fn usual_friction() -> f32 {
    0.5
}

fn usual_restitution() -> f32 {
    0.2
}

/// Where a body is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// Of the center of mass, m.
    pub position: DVec3,
    /// From the body's frame to the world's.
    pub rotation: DQuat,
}

impl Pose {
    /// A point of the body's frame in the world, m.
    pub(super) fn place(&self, local: Vec3) -> Vec3 {
        (self.position + self.rotation * local.as_dvec3()).as_vec3()
    }

    /// A point of the world in the body's frame, m.
    pub(super) fn local(&self, place: DVec3) -> DVec3 {
        self.rotation.inverse() * (place - self.position)
    }
}

impl Body {
    /// Reads the mesh file of a scene in `folder`.
    pub(super) fn load(&mut self, folder: Option<&Path>) -> Result<(), MeshError> {
        self.shape.load(folder)
    }

    /// Whether water, gravity and contacts move it.
    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    /// At the start.
    pub(super) fn start(&self) -> Pose {
        let [x, y, z] = self.rotation.as_dvec3().to_array().map(f64::to_radians);
        Pose { position: self.position.as_dvec3(), rotation: DQuat::from_euler(EulerRot::ZYX, z, y, x) }
    }

    /// At a time, s, of one whose motion is told; at the start of others.
    pub(super) fn told(&self, time: f64) -> Pose {
        let start = self.start();
        let towards = |to: Vec3, share: f64| start.position + share * (to - self.position).as_dvec3();
        let position = match self.motion {
            Motion::Free | Motion::Turn { .. } => start.position,
            Motion::Sway { to, period } => {
                let phase = (time / f64::from(period)).fract() * std::f64::consts::TAU;
                towards(to, 0.5 - 0.5 * phase.cos())
            }
            Motion::Shuttle { to, speed } => {
                let length = (to - self.position).as_dvec3().length();
                let gone = f64::from(speed) * time / length;
                towards(to, 1.0 - (gone.rem_euclid(2.0) - 1.0).abs())
            }
        };
        let rotation = match self.motion {
            Motion::Turn { rate } => {
                let rate = rate.as_dvec3();
                let degrees = (rate.length() * time).rem_euclid(360.0);
                DQuat::from_scaled_axis(rate.normalize_or_zero() * degrees.to_radians()) * start.rotation
            }
            _ => start.rotation,
        };
        Pose { position, rotation }
    }

    /// Highest speed of any of its points as it is told to move, m/s; 0 of one that is free.
    pub(super) fn told_speed(&self) -> f32 {
        match self.motion {
            Motion::Free => 0.0,
            Motion::Sway { to, period } => (to - self.position).length() * std::f32::consts::PI / period,
            Motion::Shuttle { speed, .. } => speed,
            Motion::Turn { rate } => {
                let axis = rate.normalize_or_zero();
                let rotation: Quat = self.start().rotation.as_quat();
                let arm = |vertex: &Vec3| axis.cross(rotation * *vertex).length();
                let farthest = self.shape.surface().vertices.iter().map(arm).fold(0.0, f32::max);
                rate.length().to_radians() * farthest
            }
        }
    }

    /// What is wrong with it in a scene: the field and the reason.
    pub(super) fn fault(&self, scene: &Scene) -> Option<(&'static str, &'static str)> {
        let is_positive = |number: f32| number.is_finite() && number > 0.0;
        let to = match self.motion {
            Motion::Sway { to, .. } | Motion::Shuttle { to, .. } => Some(to),
            Motion::Free | Motion::Turn { .. } => None,
        };
        if let Some(fault) = self.shape.fault() {
            return Some(fault);
        }
        if !is_positive(self.density) {
            return Some(("density", "must be positive and finite, in kg/m³"));
        }
        let vectors = [
            ("position", self.position, "must be finite, in m"),
            ("rotation", self.rotation, "must be finite, in degrees"),
            ("velocity", self.velocity, "must be finite, in m/s"),
            ("angular_velocity", self.angular_velocity, "must be finite, in degrees/s"),
            ("motion", to.unwrap_or_default(), "must lead to a finite place, in m"),
        ];
        if let Some((field, _, reason)) = vectors.into_iter().find(|(_, vector, _)| !vector.is_finite()) {
            return Some((field, reason));
        }
        if !(0.0..=10.0).contains(&self.friction) {
            return Some(("friction", "must be from 0 to 10"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", "must be from 0 to 1"));
        }
        let is_moved = self.velocity != Vec3::ZERO || self.angular_velocity != Vec3::ZERO;
        if !self.is_free() && is_moved {
            return Some(("velocity", "must be left out where the motion is told, and the angular velocity too"));
        }
        match self.motion {
            Motion::Sway { period, .. } if !is_positive(period) => {
                return Some(("motion", "must have a period that is positive and finite, in s"));
            }
            Motion::Shuttle { speed, .. } if !is_positive(speed) => {
                return Some(("motion", "must have a speed that is positive and finite, in m/s"));
            }
            Motion::Turn { rate } if !rate.is_finite() || rate == Vec3::ZERO => {
                return Some(("motion", "must have a rate that is finite and not zero, in degrees/s"));
            }
            Motion::Sway { to, .. } | Motion::Shuttle { to, .. } if to == self.position => {
                return Some(("motion", "must lead to another place than the position"));
            }
            _ => {}
        }
        let pose = self.start();
        let surface = self.shape.surface();
        let places = || surface.vertices.iter().map(|&vertex| pose.place(vertex));
        let slack = Vec3::splat(1e-4 * (scene.high - scene.low).max_element());
        let is_in_tank = |place: Vec3| place.cmpge(scene.low - slack).all() && place.cmple(scene.high + slack).all();
        if self.is_free() && !places().all(is_in_tank) {
            return Some(("position", "must put the whole body into the tank; move it in, or enlarge the tank"));
        }
        let low = places().fold(Vec3::INFINITY, Vec3::min);
        let high = places().fold(Vec3::NEG_INFINITY, Vec3::max);
        if low.cmpge(scene.high).any() || high.cmple(scene.low).any() {
            return Some(("position", "puts the body outside the tank; move it in"));
        }
        None
    }
}
