//! What is expected of a body's motion in a step, from the steps before.
//!
//! The water reacts to the velocity that a body will have at the end of the step, which is not known yet. The velocity
//! at its start plus the fall of the step would be wrong for every body that the water bears: water in front of it
//! would yield to a motion that does not come about, and viscosity would brake it. So the acceleration is taken from
//! the steps before. It is a running mean, because an extrapolation of the last step alone makes light bodies oscillate
//! against the water, whose force follows their acceleration.
//!
//! Where viscosity has several stages, bodies move in them (`DeviceBodies::after_stage`), and everything else that
//! accelerates a body acts in them as well: a body that sinks evenly, for example, then does so in each stage. What
//! that is follows from how far the velocity after the stages was from the one at the end of the step.

use glam::Vec3;
use serde::{Deserialize, Serialize};

/// The share of the last step in the means.
const SHARE: f32 = 0.1;

/// A velocity and a rate of rotation, or how both change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct Twist {
    /// m/s or m/s².
    pub linear: Vec3,
    /// rad/s or rad/s².
    pub angular: Vec3,
}

impl Twist {
    /// This one plus `factor` times another.
    pub(super) fn plus(self, factor: f32, other: Self) -> Self {
        Self { linear: self.linear + factor * other.linear, angular: self.angular + factor * other.angular }
    }

    fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }

    /// Moves towards another one by the share of the last step; stays where that is not finite.
    fn follow(&mut self, other: Self) {
        if other.is_finite() {
            *self = self.plus(SHARE, other.plus(-1.0, *self));
        }
    }
}

/// Means of a body's accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct Outlook {
    /// By everything.
    pub whole: Twist,
    /// By everything besides viscosity.
    pub unbraked: Twist,
    /// By everything besides the water.
    pub alone: Twist,
    /// In the last step, by everything; not a mean.
    last: Twist,
}

impl Outlook {
    /// That of a body which nothing bears yet, under this gravity, m/s².
    pub(super) fn falling(gravity: Vec3) -> Self {
        let fall = Twist { linear: gravity, angular: Vec3::ZERO };
        Self { whole: fall, unbraked: fall, alone: fall, last: fall }
    }

    /// Whether all means are finite, as those that a step leaves always are.
    pub(super) fn is_finite(&self) -> bool {
        [self.whole, self.unbraked, self.alone, self.last].iter().all(Twist::is_finite)
    }

    /// The acceleration from the velocity at the start of the next step to the one that is expected at its end. It is
    /// taken from the middle of the last step on, so that a velocity that changes its sign from step to step, as that of
    /// a body does which is as light as the water that moves with it, is not answered.
    pub(super) fn expected(&self) -> Twist {
        self.whole.plus(0.5, self.whole.plus(-1.0, self.last))
    }

    /// Takes in a step of this length, s, with the velocities at its start and end, and after its stages of viscosity if
    /// there were several; and with the acceleration by the water.
    pub(super) fn take_in(
        &mut self,
        time_step: f32,
        (start, end): (Twist, Twist),
        staged: Option<Twist>,
        by_water: Twist,
    ) {
        let rate = time_step.recip();
        let last = Twist::default().plus(rate, end.plus(-1.0, start));
        if last.is_finite() {
            self.last = last;
        }
        self.whole.follow(last);
        self.alone.follow(last.plus(-1.0, by_water));
        match staged {
            Some(staged) => self.unbraked.follow(self.unbraked.plus(rate, end.plus(-1.0, staged))),
            // Without stages nothing tells what viscosity did.
            None => self.unbraked = self.whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{Outlook, Twist};

    fn down(speed: f32) -> Twist {
        Twist { linear: speed * Vec3::NEG_Y, angular: Vec3::ZERO }
    }

    #[test]
    fn a_body_that_is_borne_is_expected_to_stay_and_its_weight_is_known() {
        let mut outlook = Outlook::falling(10.0 * Vec3::NEG_Y);
        assert_eq!(outlook.expected(), down(10.0));
        for _ in 0..200 {
            // It sinks with 0.3 m/s; viscosity alone would have it move upwards by 0.01 m/s more in each step.
            let unbraked = outlook.unbraked.linear.y;
            let staged = Twist { linear: Vec3::new(0.0, -0.3 + 0.01 + 1e-3 * unbraked, 0.0), angular: Vec3::ZERO };
            outlook.take_in(1e-3, (down(0.3), down(0.3)), Some(staged), down(-10.0));
        }
        assert!(outlook.expected().linear.length() < 1e-5, "{outlook:?}");
        assert!((outlook.unbraked.linear.y + 10.0).abs() < 1e-3, "{outlook:?}");
        assert!((outlook.alone.linear.y + 10.0).abs() < 1e-3, "{outlook:?}");
    }

    #[test]
    fn a_velocity_that_alternates_is_expected_to_vanish() {
        let mut outlook = Outlook::default();
        for _ in 0..100 {
            outlook.take_in(1e-3, (down(-0.2), down(0.2)), None, Twist::default());
            outlook.take_in(1e-3, (down(0.2), down(-0.2)), None, Twist::default());
        }
        let expected = down(-0.2).plus(1e-3, outlook.expected());
        assert!(expected.linear.length() < 0.04, "{expected:?}");
    }

    #[test]
    fn an_impact_changes_little_at_once_and_values_that_are_no_numbers_nothing() {
        let mut outlook = Outlook::default();
        outlook.take_in(1e-3, (down(1.0), down(0.0)), None, Twist::default());
        assert!((outlook.whole.linear.y - 100.0).abs() < 1e-2, "{outlook:?}");
        assert_eq!(outlook.whole, outlook.unbraked);
        let before = outlook;
        outlook.take_in(1e-3, (down(f32::NAN), down(0.0)), None, Twist::default());
        assert_eq!(outlook, before);
    }
}
