//! Blocks of fluid: their shapes, and the velocities that they start with.

use std::fmt;

use glam::{DVec3, Vec3};
use serde::Deserialize;

use crate::fluid::Dimensions;

/// Relative tolerance of the checks of velocity fields, which allows for numbers with few digits.
const TOLERANCE: f32 = 1e-4;

/// A block of fluid that fills an axis-aligned box, or a round shape that touches the faces of that box.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
    /// The shape within the box.
    #[serde(default)]
    pub shape: BlockShape,
    /// Initial velocity, m/s.
    #[serde(default)]
    pub velocity: Vec3,
    /// Initial velocities that depend on the position; they are added to `velocity` and to each other.
    #[serde(default)]
    pub fields: Vec<VelocityField>,
}

/// Leaves out what a plain block does not have: the fingerprints of scenes in saved states are made from this text, and
/// those of states that were saved before blocks had shapes and fields must stay the same.
impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Block");
        text.field("low", &self.low).field("high", &self.high).field("velocity", &self.velocity);
        if self.shape != BlockShape::Box {
            text.field("shape", &self.shape);
        }
        if !self.fields.is_empty() {
            text.field("fields", &self.fields);
        }
        text.finish()
    }
}

/// The shape of a block within its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum BlockShape {
    /// The whole box.
    #[default]
    Box,
    /// A ball, or an ellipsoid where the edges of the box differ; in two dimensions a disc or an ellipse.
    Ball,
    /// A cylinder along an axis of the box, or an elliptic one; in two dimensions, a cylinder along z is a disc.
    Cylinder(Axis),
}

/// An axis of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Axis {
    /// To the right.
    X,
    /// Up.
    Y,
    /// Towards the viewer.
    Z,
}

/// A velocity that depends linearly on the position and does not compress the fluid.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum VelocityField {
    /// A rigid rotation.
    Rotation {
        /// A point on the axis, m.
        center: Vec3,
        /// Angular velocity around x, y and z, 1/s.
        rate: Vec3,
    },
    /// A flow that stretches along some axes and shortens along others.
    Strain {
        /// The point at rest, m.
        center: Vec3,
        /// Velocity along each axis over the distance along it, 1/s; their sum must be zero.
        rate: Vec3,
    },
    /// A flow along one direction that changes across another one.
    Shear {
        /// A point at rest, m.
        center: Vec3,
        /// Direction of the flow.
        along: Vec3,
        /// Direction in which the speed changes, at right angles to the flow.
        across: Vec3,
        /// Change of the speed over the distance, 1/s.
        rate: f32,
    },
}

impl Block {
    /// A box of fluid at rest between two corners, m.
    pub fn at_rest(low: Vec3, high: Vec3) -> Self {
        Self { low, high, ..Self::default() }
    }

    /// Initial velocity at a position, m/s.
    pub(in crate::fluid) fn velocity_at(&self, place: Vec3) -> Vec3 {
        self.velocity + self.fields.iter().map(|field| field.at(place)).sum::<Vec3>()
    }

    /// The highest initial speed in the box of the block, m/s: that of a corner, because velocities are linear in the
    /// position. NaN where a velocity is not a number.
    pub(in crate::fluid) fn fastest(&self) -> f32 {
        let corner = |number: u32| {
            let is_high = glam::BVec3::new(number & 1 != 0, number & 2 != 0, number & 4 != 0);
            Vec3::select(is_high, self.high, self.low)
        };
        let speeds = (0..8).map(|number| self.velocity_at(corner(number)).length());
        // `f32::max` would leave out what is not a number.
        speeds.fold(0.0, |most, speed| if speed > most || speed.is_nan() { speed } else { most })
    }

    /// Half of the length of the row along x through the shape, relative to half of the box's extent, at a position
    /// relative to the center in half extents along y and z; NaN where the row misses the shape.
    pub(in crate::fluid) fn half_row(&self, y: f64, z: f64) -> f64 {
        let beyond = match self.shape {
            BlockShape::Box => return 1.0,
            BlockShape::Ball => y * y + z * z,
            BlockShape::Cylinder(Axis::X) => return if y * y + z * z <= 1.0 { 1.0 } else { f64::NAN },
            BlockShape::Cylinder(Axis::Y) => z * z,
            BlockShape::Cylinder(Axis::Z) => y * y,
        };
        (1.0 - beyond).sqrt()
    }

    /// Whether a position lies in the block; in two dimensions z is ignored.
    pub(in crate::fluid) fn contains(&self, place: Vec3, dimensions: Dimensions) -> bool {
        let (low, high) = (self.low.as_dvec3(), self.high.as_dvec3());
        let mut relative = (2.0 * place.as_dvec3() - low - high) / (high - low);
        if dimensions == Dimensions::Two {
            relative.z = 0.0;
        }
        relative.abs().cmple(DVec3::ONE).all() && relative.x.abs() <= self.half_row(relative.y, relative.z)
    }

    /// The field and the reason of an invalid velocity; `None` where all are valid.
    pub(super) fn fault_of_velocity(&self, dimensions: Dimensions) -> Option<(String, String)> {
        let flat = dimensions == Dimensions::Two;
        if !self.velocity.is_finite() {
            return Some(("velocity".into(), "must be finite, in m/s".into()));
        }
        if flat && self.velocity.z != 0.0 {
            return Some(("velocity".into(), "must have no z component in a scene of 2 dimensions".into()));
        }
        self.fields.iter().enumerate().find_map(|(number, field)| {
            let (part, reason) = field.fault(flat)?;
            Some((format!("fields[{number}].{part}"), reason.to_owned()))
        })
    }
}

impl VelocityField {
    /// Velocity at a position, m/s.
    fn at(&self, place: Vec3) -> Vec3 {
        match *self {
            Self::Rotation { center, rate } => rate.cross(place - center),
            Self::Strain { center, rate } => rate * (place - center),
            Self::Shear { center, along, across, rate } => {
                rate * (place - center).dot(across.normalize_or_zero()) * along.normalize_or_zero()
            }
        }
    }

    /// The field and the reason of an invalid value; `None` where all are valid. `flat` is whether the scene has two
    /// dimensions.
    fn fault(&self, flat: bool) -> Option<(&'static str, &'static str)> {
        let (Self::Rotation { center, .. } | Self::Strain { center, .. } | Self::Shear { center, .. }) = self;
        if !center.is_finite() {
            return Some(("center", "must be finite, in m"));
        }
        match *self {
            Self::Rotation { rate, .. } | Self::Strain { rate, .. } if !rate.is_finite() => {
                Some(("rate", "must be finite along each axis, in 1/s"))
            }
            Self::Rotation { rate, .. } if flat && rate.truncate() != glam::Vec2::ZERO => {
                Some(("rate", "must have a z component only in a scene of 2 dimensions, as in (0.0, 0.0, 1.0)"))
            }
            Self::Strain { rate, .. } if rate.element_sum().abs() > TOLERANCE * rate.length() => {
                Some(("rate", "must have components whose sum is zero, because water cannot be compressed"))
            }
            Self::Strain { rate, .. } if flat && rate.z != 0.0 => {
                Some(("rate", "must have no z component in a scene of 2 dimensions"))
            }
            Self::Shear { rate, .. } if !rate.is_finite() => Some(("rate", "must be finite, in 1/s")),
            Self::Shear { along, .. } if along.try_normalize().is_none() => {
                Some(("along", "must be a direction: finite and not zero"))
            }
            Self::Shear { across, .. } if across.try_normalize().is_none() => {
                Some(("across", "must be a direction: finite and not zero"))
            }
            Self::Shear { along, across, .. } if along.normalize().dot(across.normalize()).abs() > TOLERANCE => {
                Some(("across", "must be at right angles to `along`, because water cannot be compressed"))
            }
            Self::Shear { along, across, .. } if flat && (along.z != 0.0 || across.z != 0.0) => {
                Some(("along", "must have no z component in a scene of 2 dimensions, and neither must `across`"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{Axis, Block, BlockShape, VelocityField};
    use crate::fluid::Dimensions;

    #[test]
    fn fields_have_the_velocities_of_their_formulas() {
        let center = Vec3::new(1.0, 2.0, 0.0);
        let rotation = VelocityField::Rotation { center, rate: Vec3::new(0.0, 0.0, 3.0) };
        let strain = VelocityField::Strain { center, rate: Vec3::new(0.5, -0.5, 0.0) };
        let shear = VelocityField::Shear { center, along: 2.0 * Vec3::X, across: 5.0 * Vec3::Y, rate: 4.0 };
        let place = center + Vec3::new(0.2, 0.1, 0.0);
        let expected = [Vec3::new(-0.3, 0.6, 0.0), Vec3::new(0.1, -0.05, 0.0), Vec3::new(0.4, 0.0, 0.0)];
        for (field, expected) in [&rotation, &strain, &shear].into_iter().zip(expected) {
            assert!((field.at(place) - expected).length() < 1e-6, "{field:?}: {}", field.at(place));
        }
        let block = Block {
            velocity: Vec3::new(0.0, 0.0, 1.0),
            fields: vec![rotation, strain, shear],
            ..Block::at_rest(center - 1.0, center + 1.0)
        };
        let sum = expected.into_iter().sum::<Vec3>() + Vec3::Z;
        assert!((block.velocity_at(place) - sum).length() < 1e-6);
        // At the corner (1, 1) of the box, the velocity is (-3 + 0.5 + 4, 3 - 0.5, 1); at (1, -1) it is (-0.5, 3.5, 1).
        assert!((block.fastest() - (0.25_f32 + 12.25 + 1.0).sqrt()).abs() < 1e-5, "{}", block.fastest());
    }

    #[test]
    fn round_blocks_contain_what_their_formulas_say() {
        let block = |shape| Block { shape, ..Block::at_rest(Vec3::ZERO, Vec3::new(4.0, 2.0, 6.0)) };
        let ball = block(BlockShape::Ball);
        let place = |x: f32, y: f32, z: f32| Vec3::new(2.0 + 2.0 * x, 1.0 + y, 3.0 + 3.0 * z);
        assert!(ball.contains(place(0.57, 0.57, 0.57), Dimensions::Three));
        assert!(!ball.contains(place(0.59, 0.59, 0.59), Dimensions::Three));
        assert!(
            ball.contains(place(0.7, 0.7, 0.9), Dimensions::Two)
                && !ball.contains(place(0.9, 0.9, 0.0), Dimensions::Two)
        );
        for (axis, along, off) in [
            (Axis::X, place(0.99, 0.7, 0.7), place(0.0, 0.8, 0.8)),
            (Axis::Y, place(0.7, 0.99, 0.7), place(0.8, 0.0, 0.8)),
            (Axis::Z, place(0.7, 0.7, 0.99), place(0.8, 0.8, 0.0)),
        ] {
            let cylinder = block(BlockShape::Cylinder(axis));
            assert!(
                cylinder.contains(along, Dimensions::Three) && !cylinder.contains(off, Dimensions::Three),
                "{axis:?}"
            );
        }
    }
}
