//! A body with its state at one time.

use std::ops::{AddAssign, Sub};
use std::sync::Arc;

use glam::DVec3;

use super::body::Body;
use crate::fluid::Mesh;
use crate::fluid::solids::BodyState;

/// The momentum that the fluid has given to a body: its force and torque, integrated over time. In double precision,
/// so that the difference of two of them is exact after a long time too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N s.
    pub linear: DVec3,
    /// About the body's center of mass, which may move meanwhile, N m s.
    pub angular: DVec3,
}

impl AddAssign for Impulse {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl Sub for Impulse {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

/// A body of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// The body in the scene.
    pub body: &'a Body,
    /// Its surface in its own frame, around its center of mass, m.
    pub surface: &'a Arc<Mesh>,
    /// Its current state.
    pub state: BodyState,
    /// What the fluid has given to it since it came to the simulation, or since that was reset or resumed.
    pub impulse: Impulse,
}
