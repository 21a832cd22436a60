//! A rigid body in the form of scene files.

use std::path::Path;

use glam::{DQuat, DVec3, EulerRot, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::shape::BodyShape;
use crate::fluid::scene::limits::{fault_of_length, fault_of_velocity};
use crate::fluid::solids::sampling::MeshError;
use crate::fluid::{Dimensions, Scene};

/// Largest number of bodies, for which one workgroup each and a read-back per step are reasonable.
pub(super) const MOST_BODIES: usize = 1024;

/// A rigid body.
///
/// ```
/// use nearwater::fluid::Body;
///
/// let text = "(shape: Box(size: (0.4, 0.2, 0.4)), density: 500.0, position: (0.0, 1.0, 0.0))";
/// let raft: Body = ron::from_str(text)?;
/// assert!(raft.is_free(), "nothing prescribes its motion");
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The shape of the body.
    pub shape: BodyShape,
    /// Density, kg/m³; ignored for a body with a prescribed motion.
    #[serde(default = "as_water")]
    pub density: f32,
    /// Initial position of its center of mass, m.
    pub position: Vec3,
    /// Initial rotation: degrees around x, then y, then z.
    #[serde(default)]
    pub rotation: Vec3,
    /// Initial velocity of its center of mass, m/s.
    #[serde(default)]
    pub velocity: Vec3,
    /// Initial angular velocity, degrees/s.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// Coefficient of Coulomb friction; a contact uses the smaller of the two coefficients. Tank and boundaries have
    /// 1.
    #[serde(default = "usual_friction")]
    pub friction: f32,
    /// Coefficient of restitution; a contact uses the larger of the two coefficients. Tank and boundaries have 0.
    #[serde(default = "usual_restitution")]
    pub restitution: f32,
    /// Whether it moves freely, or its prescribed motion.
    #[serde(default)]
    pub motion: Motion,
}

/// How a body is moved. All but bodies that move freely may be larger than the box and leave it; there is no water
/// outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Motion {
    /// Moved by fluid, gravity and contacts. In two dimensions only boxes and spheres can be, with their center in the
    /// plane of the water; they are the sections through it, with the mass of a meter of depth.
    #[default]
    Free,
    /// A wave maker: it oscillates between its initial position, where it starts at rest, and another one, regardless
    /// of the forces on it.
    Sway {
        /// The other end of its path, m.
        to: Vec3,
        /// Duration of one oscillation, s.
        period: f32,
    },
    /// Moves back and forth at a constant speed, regardless of the forces on it.
    Shuttle {
        /// The other end of its path, m.
        to: Vec3,
        /// m/s.
        speed: f32,
    },
    /// Rotates around its center, regardless of the forces on it.
    Turn {
        /// Angular velocity around x, y and z, degrees/s.
        rate: Vec3,
    },
    /// Stays where it is, regardless of the forces on it, until the program moves it
    /// ([`Simulation::move_body`](crate::fluid::Simulation::move_body)).
    Held,
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

/// Position and rotation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// Position of the center of mass, m.
    pub position: DVec3,
    /// Rotation from the body's frame to the world's.
    pub rotation: DQuat,
}

impl Pose {
    /// A point of the body's frame in the world, m.
    pub(super) fn place(&self, local: Vec3) -> Vec3 {
        (self.position + self.rotation * local.as_dvec3()).as_vec3()
    }

    /// The pose with a rotation around z alone. Rapier's rounding tilts the others by 1e-9, and pressure that pushes
    /// water out of a plane in which it is one layer thick grows exponentially.
    pub(super) fn in_plane(self) -> Self {
        Self { rotation: DQuat::from_xyzw(0.0, 0.0, self.rotation.z, self.rotation.w).normalize(), ..self }
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

    /// Whether it is moved by fluid, gravity and contacts.
    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    /// Mass per area of its surface, kg/m².
    pub(super) fn mass_per_area(&self, dimensions: Dimensions) -> f64 {
        self.shape.mass_properties(self.density, dimensions).mass / self.shape.surface_area(dimensions)
    }

    /// The initial pose.
    pub(super) fn start(&self) -> Pose {
        let [x, y, z] = self.rotation.as_dvec3().to_array().map(f64::to_radians);
        Pose { position: self.position.as_dvec3(), rotation: DQuat::from_euler(EulerRot::ZYX, z, y, x) }
    }

    /// Whether it can be added to a running scene, in which no prescribed motion could begin at its start.
    pub(super) fn can_be_added(&self) -> bool {
        matches!(self.motion, Motion::Free | Motion::Held)
    }

    /// The pose of a body with a prescribed motion at a time, s; the initial pose of other bodies.
    pub(super) fn told(&self, time: f64) -> Pose {
        let start = self.start();
        let towards = |to: Vec3, share: f64| start.position + share * (to - self.position).as_dvec3();
        let position = match self.motion {
            Motion::Free | Motion::Turn { .. } | Motion::Held => start.position,
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

    /// Whether its motion may take one of its points, given in its own frame, m, out of a box with these lowest and
    /// highest corners, m. Bodies that move freely are kept in the box, and programs move held ones anywhere.
    pub(super) fn may_leave(&self, points: &[Vec3], (low, high): (Vec3, Vec3)) -> bool {
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        let is_outside = |place: DVec3| place.cmplt(low).any() || place.cmpgt(high).any();
        let start = self.start();
        let arms = points.iter().map(|&point| start.rotation * point.as_dvec3());
        match self.motion {
            Motion::Free => false,
            Motion::Held => true,
            Motion::Sway { to, .. } | Motion::Shuttle { to, .. } => {
                let ends = [start.position, to.as_dvec3()];
                arms.into_iter().any(|arm| ends.iter().any(|end| is_outside(end + arm)))
            }
            Motion::Turn { rate } => {
                let axis = rate.as_dvec3().normalize_or_zero();
                // How far a circle around the axis reaches along each direction, over its radius.
                let tilt = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
                arms.into_iter().any(|arm| {
                    let center = start.position + arm.dot(axis) * axis;
                    let reach = arm.reject_from_normalized(axis).length() * tilt;
                    is_outside(center - reach) || is_outside(center + reach)
                })
            }
        }
    }

    /// Highest speed of any point of a body with a prescribed motion, m/s; 0 for a free body.
    pub(super) fn told_speed(&self) -> f32 {
        match self.motion {
            Motion::Free | Motion::Held => 0.0,
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

    /// The field and the reason of a value that is not possible in a scene of two dimensions in the plane of this z, m;
    /// `None` where all are.
    fn fault_in_plane(&self, plane: f32) -> Option<(&'static str, &'static str)> {
        let turns_out = |rotation: Vec3| rotation.truncate() != glam::Vec2::ZERO;
        match self.motion {
            _ if turns_out(self.rotation) => {
                Some(("rotation", "must be around z only in a scene of 2 dimensions, as in (0.0, 0.0, 30.0)"))
            }
            Motion::Free if matches!(self.shape, BodyShape::Mesh { .. }) => {
                Some(("shape", "must be a Box or a Sphere for a body that moves freely in a scene of 2 dimensions"))
            }
            Motion::Free if (self.position.z - plane).abs() > 0.0 => {
                Some(("position", "must be in the middle of the tank along z in a scene of 2 dimensions"))
            }
            Motion::Free if self.velocity.z != 0.0 => {
                Some(("velocity", "must have no part along z in a scene of 2 dimensions"))
            }
            Motion::Free if turns_out(self.angular_velocity) => {
                let reason = "must be around z only in a scene of 2 dimensions, as in (0.0, 0.0, 30.0)";
                Some(("angular_velocity", reason))
            }
            Motion::Sway { to, .. } | Motion::Shuttle { to, .. } if to.z.to_bits() != self.position.z.to_bits() => {
                Some(("motion", "must keep its z in a scene of 2 dimensions"))
            }
            Motion::Turn { rate } if turns_out(rate) => {
                Some(("motion", "must turn around z only in a scene of 2 dimensions, as in (0.0, 0.0, 90.0)"))
            }
            _ => None,
        }
    }

    /// The field and the reason of an invalid value in a scene; `None` where all are valid.
    pub(super) fn fault(&self, scene: &Scene) -> Option<(&'static str, &'static str)> {
        let (low_of_tank, high_of_tank) = (scene.low, scene.high);
        let is_positive = |number: f32| number.is_finite() && number > 0.0;
        let to = match self.motion {
            Motion::Sway { to, .. } | Motion::Shuttle { to, .. } => Some(to),
            Motion::Free | Motion::Turn { .. } | Motion::Held => None,
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
            ("motion", to.unwrap_or_default(), "must lead to a finite position, in m"),
        ];
        if let Some((field, _, reason)) = vectors.into_iter().find(|(_, vector, _)| !vector.is_finite()) {
            return Some((field, reason));
        }
        if fault_of_length(self.position).or(to.and_then(fault_of_length)).is_some() {
            return Some(("position", "and the ends of motions must be at most 1e9 m from the origin along each axis"));
        }
        if fault_of_velocity(self.velocity).is_some() {
            return Some(("velocity", "must be at most 1e6 m/s"));
        }
        if self.angular_velocity.abs().max_element() > 1e6 {
            return Some(("angular_velocity", "must be at most 1e6 degrees/s around each axis"));
        }
        if !(0.0..=10.0).contains(&self.friction) {
            return Some(("friction", "must be from 0 to 10"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", "must be from 0 to 1"));
        }
        let is_moved = self.velocity != Vec3::ZERO || self.angular_velocity != Vec3::ZERO;
        if !self.is_free() && is_moved {
            return Some(("velocity", "must be left out where the motion is prescribed, and so must angular_velocity"));
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
                return Some(("motion", "must lead to a position other than the initial one"));
            }
            _ => {}
        }
        let pose = self.start();
        let surface = self.shape.surface();
        let (low, high) = surface.bounds();
        if fault_of_length(low).or(fault_of_length(high)).is_some() {
            return Some(("shape", "must be at most 1e9 m large"));
        }
        let places = || surface.vertices.iter().map(|&vertex| pose.place(vertex));
        let slack = Vec3::splat(1e-4 * (high_of_tank - low_of_tank).max_element());
        let is_in_tank = |place: Vec3| {
            // In two dimensions only a section of the body is in the tank.
            let place = scene.section().map_or(place, |plane| place.with_z(plane));
            place.cmpge(low_of_tank - slack).all() && place.cmple(high_of_tank + slack).all()
        };
        if self.is_free() && !places().all(is_in_tank) {
            return Some(("position", "must place the entire body in the tank; move it in, or enlarge the tank"));
        }
        let low = places().fold(Vec3::INFINITY, Vec3::min);
        let high = places().fold(Vec3::NEG_INFINITY, Vec3::max);
        if low.cmpge(high_of_tank).any() || high.cmple(low_of_tank).any() {
            return Some(("position", "places the body outside the tank; move it in"));
        }
        scene.section().and_then(|plane| self.fault_in_plane(plane))
    }
}
