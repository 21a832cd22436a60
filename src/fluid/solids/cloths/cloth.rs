//! A cloth in the form of scene files.

use glam::{Vec2, Vec3};
use serde::Deserialize;

use crate::fluid::scene::limits::fault_of_velocity;

/// Largest number of particles along an edge of a cloth: shaders store a place in the grid in 32 bits.
pub(super) const MOST_ALONG: u32 = 0xffff;

/// A cloth, which is a parallelogram in its initial state.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// One of its corners, m.
    pub corner: Vec3,
    /// The edge that its rows run along, from the corner, m.
    pub along: Vec3,
    /// The other edge from the corner, m.
    pub across: Vec3,
    /// Number of particles in a row, and number of rows. By default enough to keep the fluid from leaking through.
    #[serde(default, deserialize_with = "crate::fluid::scene::some")]
    pub counts: Option<(u32, u32)>,
    /// Mass per area, kg/m².
    pub density: f32,
    /// Stiffness of the springs along the threads, N/m: the force per meter of width divided by the strain.
    pub stretch: f32,
    /// Stiffness of the diagonal springs, N/m.
    pub shear: f32,
    /// Stiffness of the springs to the second next particle, N/m.
    pub bend: f32,
    /// Damping of the springs, as a fraction of the critical damping of two particles on a spring.
    #[serde(default = "usual_damping")]
    pub damping: f32,
    /// Rate at which air drag reduces the velocity, 1/s.
    #[serde(default)]
    pub drag: f32,
    /// Coefficient of Coulomb friction with itself, other cloths, solids and walls.
    #[serde(default = "usual_friction")]
    pub friction: f32,
    /// Distance that it keeps from itself, m. By default the distance between its particles.
    #[serde(default, deserialize_with = "crate::fluid::scene::some")]
    pub thickness: Option<f32>,
    /// Initial velocity, m/s.
    #[serde(default)]
    pub velocity: Vec3,
    /// The parts that are fixed in space.
    #[serde(default)]
    pub pinned: Vec<Pin>,
}

/// A part of a cloth that is fixed at its initial position.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pin {
    /// All four corners.
    Corners,
    /// The edge along `along` from the corner.
    Near,
    /// The edge opposite of that.
    Far,
    /// The edge along `across` from the corner.
    Left,
    /// The edge opposite of that.
    Right,
    /// The particle nearest to a point, given as fractions of `along` and `across` from 0 to 1.
    Point(f32, f32),
}

fn usual_damping() -> f32 {
    0.1
}

fn usual_friction() -> f32 {
    0.3
}

impl Cloth {
    /// The field and the reason of an invalid value; `None` where all are valid.
    pub(super) fn fault(&self, (low, high): (Vec3, Vec3)) -> Option<(String, String)> {
        let told = |field: &str, reason: &str| Some((field.to_owned(), reason.to_owned()));
        if !(self.corner.is_finite() && self.along.is_finite() && self.across.is_finite()) {
            return told("corner", "the corner and the edges must be finite, in m");
        }
        let (u, v) = (self.along.normalize_or_zero(), self.across.normalize_or_zero());
        if u == Vec3::ZERO || v == Vec3::ZERO || u.dot(v).abs() > 0.9 {
            return told("across", "the edges must have a length, in m, and form an angle of more than 25 degrees");
        }
        let ends = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|share| self.place(share));
        if ends.iter().any(|end| end.cmplt(low).any() || end.cmpgt(high).any()) {
            return told("corner", "the cloth reaches out of the box; move it inside or enlarge the box");
        }
        if self.counts.is_some_and(|(columns, rows)| columns.min(rows) < 2 || columns.max(rows) > MOST_ALONG) {
            let reason = format!("must be from 2 to {MOST_ALONG} particles along each edge");
            return Some(("counts".into(), reason));
        }
        if let Some(reason) = fault_of_velocity(self.velocity) {
            return told("velocity", &reason);
        }
        let thickness = self.thickness.unwrap_or(1.0);
        let ranges = [
            ("density", self.density, 1e-3, 1e6, "kg/m²"),
            ("stretch", self.stretch, 0.0, 1e9, "N/m"),
            ("shear", self.shear, 0.0, 1e9, "N/m"),
            ("bend", self.bend, 0.0, 1e9, "N/m"),
            ("damping", self.damping, 0.0, 1.0, "of the critical damping"),
            ("drag", self.drag, 0.0, 100.0, "1/s"),
            ("friction", self.friction, 0.0, 10.0, "without unit"),
            ("thickness", thickness, 1e-6, 1e3, "m"),
        ];
        for (field, value, least, most, unit) in ranges {
            if !(least..=most).contains(&value) {
                return Some((field.into(), format!("is {value}, and must be from {least} to {most} {unit}")));
            }
        }
        let is_share = |share: &f32| (0.0..=1.0).contains(share);
        let outside = self.pinned.iter().position(|pin| match pin {
            Pin::Point(u, v) => !(is_share(u) && is_share(v)),
            _ => false,
        });
        outside.map(|index| (format!("pinned[{index}]"), "must be a point with fractions from 0 to 1".to_owned()))
    }

    /// Initial position, m, at these fractions of both edges.
    pub(super) fn place(&self, share: Vec2) -> Vec3 {
        self.corner + share.x * self.along + share.y * self.across
    }

    /// Initial area, m².
    pub(super) fn area(&self) -> f32 {
        self.along.cross(self.across).length()
    }
}
