//! Velocity of a body.

use glam::DVec3;

use super::check::always_valid;
use super::{BODY, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "BodyVelocity",
    measures: "velocity of a body",
    definition: "Velocity of a body's center of mass, along x, y and z.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m/s"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&BODY],
    check: always_valid,
    reading: ProbeReading::Vector(velocity),
};

fn velocity(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    input.of_body((probe, &BODY), |state| state.velocity)
}
