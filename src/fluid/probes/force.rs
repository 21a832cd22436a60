//! Force of the fluid on a side of the box or on a solid.

use glam::DVec3;

use super::check::always_valid;
use super::{MEAN_OVER, ON, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeSurface, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Force",
    measures: "force of the water on a side of the box or a solid",
    definition: "Force of the water on a side of the box, a fixed solid, a body or a cloth, along x, y and z: the sum \
                 of everything that the solver exerted on it in the last time step (pressure, viscosity, friction, and \
                 what keeps single particles off it), of which the water felt the opposite; there is no reading before \
                 the first step. Friction along an edge of the box is divided between both sides.",
    column: ProbeName::Given,
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    reads_solids: true,
    reads_walls: true,
    arguments: &[&ON, &MEAN_OVER],
    check: always_valid,
    reading: ProbeReading::Vector(force),
};

fn force(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    match probe.surface(&ON)? {
        ProbeSurface::Side(face) => input.force_on_wall(*face),
        solid @ ProbeSurface::Solid { .. } => input.solid(solid)?.force(),
    }
}
