//! Force of the fluid on a side of the box or on a solid.

use glam::DVec3;

use super::check::always_valid;
use super::{MEAN_OVER, ON, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeSurface, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Force",
    measures: "force of the water on a side of the box or a solid",
    definition: "Force of the water on a side of the box, a fixed solid, a body or a cloth, along x, y and z. That on a \
                 solid is the sum of everything that the solver exerted on it in the last time step (pressure, viscosity \
                 and friction), and the water felt the opposite; there is no reading before the first step. That on a \
                 side of the box is the force of pressure between the side and each particle, as in the solver's model \
                 of walls, with DFSPH also that of viscosity at right angles to the side; friction along it is not \
                 part of it.",
    column: ProbeName::Given,
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    reads_solids: true,
    arguments: &[&ON, &MEAN_OVER],
    check: always_valid,
    reading: ProbeReading::Vector(force),
};

fn force(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    match probe.surface(&ON)? {
        ProbeSurface::Side(face) => {
            let mut force = DVec3::ZERO;
            force[face.axis] = input.force_on_wall(*face)? * if face.is_high { 1.0 } else { -1.0 };
            Some(force)
        }
        solid @ ProbeSurface::Solid { .. } => input.solid(solid)?.force(),
    }
}
