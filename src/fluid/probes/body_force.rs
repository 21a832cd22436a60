//! Force of the fluid on a body.

use glam::DVec3;

use super::check::always_valid;
use super::{BODY, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "BodyForce",
    measures: "force of the water on a body",
    definition: "Force of the water on a body in the last time step, along x, y and z.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("N"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&BODY],
    check: always_valid,
    reading: ProbeReading::Vector(force),
};

fn force(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    input.of_body((probe, &BODY), |state| state.force)
}
