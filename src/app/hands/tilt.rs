//! Gravity that is tilted with the arrow keys.

use glam::{Quat, Vec3};

use super::{HandsOrder, Preset};
use crate::app::{Controls, Report};
use crate::fluid::Dimensions;

/// Angle of one key press, rad.
const STEP: f32 = 5.0 * std::f32::consts::PI / 180.0;
/// Strength of gravity that is tilted where the scene has none, m/s².
const USUAL: f32 = 9.81;

/// The direction that gravity is tilted toward, as seen by the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Away from the user; upward in two dimensions.
    Away,
    /// Toward the user; downward in two dimensions.
    User,
}

impl Toward {
    /// The direction in the scene, of length 1: horizontal in three dimensions.
    fn direction(self, [right, _, away]: [Vec3; 3], dimensions: Dimensions) -> Vec3 {
        let level = |direction: Vec3, otherwise: Vec3| direction.with_y(0.0).try_normalize().unwrap_or(otherwise);
        let (right, away) = match dimensions {
            Dimensions::Two => (Vec3::X, Vec3::Y),
            Dimensions::Three => (level(right, Vec3::X), level(away, Vec3::NEG_Z)),
        };
        match self {
            Self::Left => -right,
            Self::Right => right,
            Self::Away => away,
            Self::User => -away,
        }
    }
}

impl Controls {
    /// Gives an order.
    pub(in crate::app) fn order(&mut self, order: HandsOrder) {
        self.hands.order(order);
    }

    /// Returns to the scene's gravity, at rest.
    pub(in crate::app) fn level_gravity(&mut self) {
        self.order(HandsOrder::Preset(Preset::Calm));
    }

    /// Tilts gravity by one step toward a direction.
    pub(in crate::app) fn tilt(&mut self, toward: Toward, report: &Report) {
        let hands = &report.hands;
        // While a key repeats, several steps may come before the next report.
        let ordered = self.hands.orders.iter().rev().take_while(|last| last.number > hands.handled);
        let last = ordered.filter_map(|last| match last.order {
            HandsOrder::Gravity(gravity) => Some(gravity.unwrap_or(hands.scene_gravity)),
            _ => None,
        });
        let gravity = last.into_iter().next().unwrap_or(hands.gravity);
        let direction = toward.direction(self.hands.camera, self.scene.dimensions);
        let tilted = if gravity == Vec3::ZERO {
            direction * hands.scene_gravity.length().max(USUAL.min(hands.strongest_gravity))
        } else {
            turned(gravity, direction)
        };
        self.hands.order(HandsOrder::Gravity(Some(tilted)));
    }
}

/// A vector turned by one step toward a direction.
fn turned(vector: Vec3, direction: Vec3) -> Vec3 {
    let between = vector.angle_between(direction);
    if between <= STEP {
        return direction * vector.length();
    }
    let axis = vector.cross(direction).try_normalize().unwrap_or(if direction.z == 0.0 { Vec3::Z } else { Vec3::X });
    Quat::from_axis_angle(axis, STEP) * vector
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{Toward, turned};
    use crate::fluid::Dimensions;

    #[test]
    fn gravity_turns_toward_every_direction_and_keeps_its_strength() {
        for direction in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::Y] {
            let mut gravity = Vec3::NEG_Y * 9.81;
            for _ in 0..40 {
                gravity = turned(gravity, direction);
                assert!((gravity.length() - 9.81).abs() < 1e-3);
            }
            assert!(gravity.distance(direction * 9.81) < 1e-3, "{direction}: {gravity}");
        }
        let camera = [Vec3::Z, Vec3::Y, Vec3::new(0.6, -0.8, 0.0)];
        assert_eq!(Toward::Right.direction(camera, Dimensions::Three), Vec3::Z);
        assert_eq!(Toward::Away.direction(camera, Dimensions::Three), Vec3::X);
        assert_eq!(Toward::User.direction(camera, Dimensions::Two), Vec3::NEG_Y);
    }
}
