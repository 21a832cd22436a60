//! Orientation of a body.

use glam::{DVec3, EulerRot, Vec3};

use super::check::always_valid;
use super::{BODY, Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "BodyRotation",
    measures: "orientation of a body",
    definition: "Rotation of a body from its own frame, as angles around x, then y, then z.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("degrees"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&BODY],
    check: always_valid,
    reading: ProbeReading::Vector(rotation),
};

fn rotation(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    input.of_body((probe, &BODY), |state| {
        let (z, y, x) = state.rotation.to_euler(EulerRot::ZYX);
        Vec3::new(x, y, z) * 180.0 / std::f32::consts::PI
    })
}
