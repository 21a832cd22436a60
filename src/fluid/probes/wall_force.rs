//! Force of the fluid on one of the box's walls.

use glam::Vec3;

use super::{
    ArgumentKind, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit,
};
use crate::fluid::{Dimensions, Face};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "WallForce",
    measures: "force of the water on a wall of the box",
    definition: "Force of the water on one of the six walls of the box, in the direction out of the box: that \
                 component of `Force`.",
    column: ProbeName::Given,
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    reads_solids: false,
    reads_walls: true,
    arguments: &[&TOWARDS],
    check: is_along_an_axis,
    reading: ProbeReading::Scalar(force),
};

fn force(probe: &Probe, input: &ProbeInput<'_>) -> Option<f64> {
    let face = face(probe.vector(&TOWARDS))?;
    let along_axis = input.force_on_wall(face)?[face.axis];
    Some(if face.is_high { along_axis } else { -along_axis })
}

static TOWARDS: ProbeArgument = ProbeArgument {
    name: "towards",
    unit: "",
    meaning: "the direction in which the wall lies, along one of the axes, as in (-1.0, 0.0, 0.0) for that on the left",
    kind: ArgumentKind::Vector,
};

fn is_along_an_axis(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    match face(probe.vector(&TOWARDS)) {
        None => Some("must have a direction `towards` along one of the axes, as in (1.0, 0.0, 0.0)"),
        Some(face) if face.axis == 2 && scene.dimensions == Dimensions::Two => {
            Some("must have a direction `towards` along x or y in a scene of 2 dimensions")
        }
        Some(_) => None,
    }
}

/// The wall in a direction along an axis; `None` for other directions.
fn face(towards: Vec3) -> Option<Face> {
    let mut along = (0..3).filter(|&axis| towards[axis] != 0.0);
    let axis = along.next().filter(|_| towards.is_finite())?;
    along.next().is_none().then_some(Face { axis, is_high: towards[axis] > 0.0 })
}
