//! A solid as probes see it: the force of the fluid on each of its particles, and its surface.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::ProbeSurface;
use crate::fluid::Mesh;

/// A solid at one time, of any kind.
pub struct MeasuredSolid {
    /// How probes name it.
    pub name: ProbeSurface,
    /// Position, m, of each of its particles in the last time step, and the force of the fluid on it, N (N/m in two
    /// dimensions); empty before the first step.
    pub loads: Vec<(DVec3, DVec3)>,
    /// Its surface; `None` where it has none.
    pub surface: Option<MeasuredSurface>,
}

/// A closed surface in its current place.
pub struct MeasuredSurface {
    /// In its own frame, m.
    pub mesh: Arc<Mesh>,
    /// Rotation from its own frame to the world's.
    pub rotation: DQuat,
    /// Position of the origin of its own frame, m.
    pub translation: DVec3,
}

impl MeasuredSolid {
    /// The force of the fluid on it; `None` before the first step.
    pub(super) fn force(&self) -> Option<DVec3> {
        self.sum(|_, force| force)
    }

    /// The moment of that force about a point; `None` before the first step.
    pub(super) fn moment(&self, about: DVec3) -> Option<DVec3> {
        self.sum(|place, force| (place - about).cross(force))
    }

    fn sum(&self, of: impl Fn(DVec3, DVec3) -> DVec3) -> Option<DVec3> {
        self.loads.iter().map(|&(place, force)| of(place, force)).reduce(|a, b| a + b)
    }
}

impl MeasuredSurface {
    /// The point of the surface that is nearest to a point, which is given in its own frame, and the unit normal out of
    /// the solid there; both in the world. In a scene of two dimensions only the section with the plane at `plane`, m,
    /// counts. `None` where the plane does not meet it.
    pub(super) fn nearest(&self, at: DVec3, plane: Option<f64>) -> Option<(DVec3, DVec3)> {
        let (place, normal) = match plane {
            Some(z) => self.mesh.nearest_in_section(at.truncate(), z - self.translation.z),
            None => self.mesh.nearest(at),
        }?;
        Some((self.translation + self.rotation * place, self.rotation * normal))
    }
}
