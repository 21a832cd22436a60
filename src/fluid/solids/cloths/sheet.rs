//! A cloth divided into particles at one spacing.

use glam::{UVec2, Vec2, Vec3};

use super::cloth::{Cloth, MOST_ALONG, Pin};
use crate::fluid::resolution::Resolution;

/// Safety factor on the longest stable substep.
const SAFETY: f64 = 0.8;
/// Default distance between the particles of a cloth, spacings: closer than those of the fluid, which would leak
/// through otherwise.
pub(super) const AUTOMATIC: f32 = 0.6;

impl Cloth {
    /// Its grid at a resolution with this spacing.
    pub(super) fn sheet(&self, spacing: f32) -> Sheet<'_> {
        let automatic = |edge: Vec3| ((edge.length() / (AUTOMATIC * spacing)).ceil() as u32 + 1).clamp(2, MOST_ALONG);
        let counts = self.counts.unwrap_or_else(|| (automatic(self.along), automatic(self.across)));
        Sheet { cloth: self, counts: counts.into() }
    }
}

/// A cloth divided into particles.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'a> {
    /// The cloth.
    pub cloth: &'a Cloth,
    /// Number of particles in a row, and number of rows.
    pub counts: UVec2,
}

impl Sheet<'_> {
    /// Number of particles.
    pub(super) fn count(&self) -> u64 {
        u64::from(self.counts.x) * u64::from(self.counts.y)
    }

    /// Initial positions, m, one row after the other.
    pub(super) fn points(&self) -> impl Iterator<Item = Vec3> {
        let last = (self.counts - 1).as_vec2();
        self.places().map(move |place| self.cloth.place(place.as_vec2() / last))
    }

    fn places(&self) -> impl Iterator<Item = UVec2> + use<> {
        let counts = self.counts;
        (0..counts.y).flat_map(move |row| (0..counts.x).map(move |column| UVec2::new(column, row)))
    }

    /// Whether each particle is fixed, one row after the other.
    pub(super) fn pinned(&self) -> impl Iterator<Item = bool> {
        let last = self.counts - 1;
        let held = move |place: UVec2, pin: &Pin| match *pin {
            Pin::Corners => (place.x == 0 || place.x == last.x) && (place.y == 0 || place.y == last.y),
            Pin::Near => place.y == 0,
            Pin::Far => place.y == last.y,
            Pin::Left => place.x == 0,
            Pin::Right => place.x == last.x,
            Pin::Point(u, v) => place == (Vec2::new(u, v) * last.as_vec2()).round().as_uvec2(),
        };
        self.places().map(move |place| self.cloth.pinned.iter().any(|pin| held(place, pin)))
    }

    /// The vectors from a particle to the next in its row, and to the same column of the next row, m.
    pub(super) fn steps(&self) -> [Vec3; 2] {
        let last = (self.counts - 1).as_vec2();
        [self.cloth.along / last.x, self.cloth.across / last.y]
    }

    /// Distance between its particles, the larger of both directions, m.
    pub(super) fn spacing(&self) -> f32 {
        self.steps().map(Vec3::length).into_iter().fold(0.0, f32::max)
    }

    /// Mass of a particle, kg.
    pub(super) fn mass(&self) -> f64 {
        f64::from(self.cloth.density) * f64::from(self.cloth.area()) / self.count() as f64
    }

    /// Distance that it keeps from itself, m.
    pub(super) fn thickness(&self) -> f32 {
        self.cloth.thickness.unwrap_or_else(|| self.spacing())
    }

    /// Damping coefficient of springs with this stiffness, kg/s.
    pub(super) fn damping(&self, stiffness: f32) -> f64 {
        f64::from(self.cloth.damping) * (2.0 * f64::from(stiffness) * self.mass()).sqrt()
    }

    /// Longest stable substep of the springs, s: dt² ω² + 2 dt γ < 4 for the mode of highest frequency, in which
    /// neighbors move against each other.
    pub(super) fn longest_substep(&self) -> f64 {
        let [u, v] = self.steps().map(Vec3::as_dvec3);
        let slant = |a: glam::DVec3, b: glam::DVec3| 1.0 + a.normalize().dot(b.normalize()).abs();
        let (threads, squares) = (slant(u, v), slant(u + v, u - v));
        let cloth = self.cloth;
        let fastest = |of: &dyn Fn(f32) -> f64| {
            4.0 * (threads * of(cloth.stretch) + squares * of(cloth.shear) + threads * of(cloth.bend))
        };
        let stiffness = fastest(&|stiffness| f64::from(stiffness));
        let damping = fastest(&|stiffness| self.damping(stiffness)) + f64::from(cloth.drag) * self.mass();
        let mass = self.mass();
        // The smaller root, in a form that is valid for a stiffness of zero.
        SAFETY * 4.0 * mass / (damping + (damping * damping + 4.0 * stiffness * mass).sqrt()).max(1e-300)
    }
}

/// Number of substeps per step for which the springs of all cloths are stable.
pub(super) fn substeps(cloths: &[Cloth], resolution: &Resolution) -> u32 {
    let step = f64::from(resolution.time_step);
    let of = |cloth: &Cloth| (step / cloth.sheet(resolution.spacing).longest_substep()).ceil();
    cloths.iter().map(of).fold(1.0, f64::max) as u32
}
