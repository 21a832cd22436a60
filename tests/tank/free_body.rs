//! A body for the tests of bodies in a tank.

use glam::Vec3;
use nearwater::fluid::{Body, BodyShape, Motion};

/// A body that moves freely and begins at rest, with this density, kg/m³, and its center of mass in this place, m.
pub fn body(shape: BodyShape, density: f32, position: Vec3) -> Body {
    Body {
        shape,
        density,
        position,
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 0.5,
        restitution: 0.2,
        motion: Motion::Free,
    }
}
