//! Position of a body.

use glam::DVec3;

use super::check::always_valid;
use super::{BODY, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "BodyPosition",
    measures: "position of a body",
    definition: "Position of a body's center of mass, along x, y and z.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&BODY],
    check: always_valid,
    reading: ProbeReading::Vector(position),
};

fn position(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    input.of_body((probe, &BODY), |state| state.position)
}
