//! Gravity and a wall that move periodically, for waves.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::walls::Walls;
use super::{Face, HandsError};
use crate::fluid::{FluidError, Scene};

/// A periodic motion of gravity, of a wall, or of both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sway {
    /// Motion of gravity.
    pub tilt: Option<TiltSway>,
    /// Motion of a wall.
    pub wall: Option<WallSway>,
}

/// Gravity that turns to and fro.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TiltSway {
    /// The axis that it turns about.
    pub axis: Vec3,
    /// Largest angle, rad.
    pub angle: f32,
    /// s.
    pub period: f32,
}

/// A wall that moves inward and back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallSway {
    /// Which wall.
    pub face: Face,
    /// The farthest inward from the place where the wall is wanted, m.
    pub stroke: f32,
    /// s.
    pub period: f32,
}

impl Sway {
    /// Refuses invalid numbers.
    pub(super) fn check(&self, scene: &Scene, walls: &Walls, support_radius: f32) -> Result<(), FluidError> {
        if let Some(TiltSway { axis, angle, period }) = self.tilt
            && !(axis.is_finite() && angle.is_finite() && period.is_finite() && period > 0.0)
        {
            return Err(HandsError::Sway { what: "the axis, angle and period of a tilt" }.into());
        }
        if let Some(WallSway { face, stroke, period }) = self.wall {
            if !(stroke.is_finite() && period.is_finite() && period > 0.0) {
                return Err(HandsError::Sway { what: "the stroke and period of a wall" }.into());
            }
            let has_axis = face.axis < super::walls::axes_of(scene);
            let most = if has_axis { walls.most(face, support_radius) } else { 0.0 };
            let inset = walls.inset(face) + stroke;
            if stroke < 0.0 || inset > most {
                return Err(HandsError::WallOutside { face, inset, most }.into());
            }
        }
        Ok(())
    }
}

/// A periodic motion and the time at which it began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StartedSway {
    pub(super) sway: Sway,
    /// s.
    pub(super) since: f64,
}

impl StartedSway {
    /// Refuses what [`Sway::check`] refuses, and a beginning that is no time.
    pub(super) fn check(&self, scene: &Scene, walls: &Walls, support_radius: f32) -> Result<(), FluidError> {
        if !self.since.is_finite() {
            return Err(FluidError::StateContent { what: "the beginning of a sway", wanted: "a time" });
        }
        self.sway.check(scene, walls, support_radius)
    }

    /// The phase after so many seconds of a period, rad, between 0 and 2π.
    fn phase(&self, time: f64, period: f32) -> f32 {
        TAU * ((time - self.since) / f64::from(period)).fract() as f32
    }

    /// Gravity at a time, if it is `base` without this motion, m/s².
    pub(super) fn tilted(&self, base: Vec3, time: f64) -> Vec3 {
        let Some(TiltSway { axis, angle, period }) = self.sway.tilt else { return base };
        let Some(axis) = axis.try_normalize() else { return base };
        Quat::from_axis_angle(axis, angle * self.phase(time, period).sin()) * base
    }

    /// How far inward a wall is at a time, in addition to where it is wanted, m.
    pub(super) fn inset(&self, face: Face, time: f64) -> f32 {
        let moved = self.sway.wall.filter(|wall| wall.face == face);
        moved.map_or(0.0, |wall| 0.5 * wall.stroke * (1.0 - self.phase(time, wall.period).cos()))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{StartedSway, Sway, TiltSway, WallSway};
    use crate::fluid::Face;

    #[test]
    fn gravity_and_wall_return_after_a_period() {
        let face = Face::ALL[0];
        let sway = Sway {
            tilt: Some(TiltSway { axis: Vec3::Z, angle: 0.3, period: 2.0 }),
            wall: Some(WallSway { face, stroke: 0.5, period: 4.0 }),
        };
        let started = StartedSway { sway, since: 1.0 };
        let down = Vec3::NEG_Y * 9.81;
        assert!(started.tilted(down, 3.0).distance(down) < 1e-4);
        let most = started.tilted(down, 1.5);
        assert!((most.length() - 9.81).abs() < 1e-4 && (most.angle_between(down) - 0.3).abs() < 1e-3, "{most}");
        assert!(started.inset(face, 5.0).abs() < 1e-5 && (started.inset(face, 3.0) - 0.5).abs() < 1e-5);
        assert!(started.inset(Face::ALL[1], 3.0).abs() < 1e-9);
    }
}
