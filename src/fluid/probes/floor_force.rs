//! Force of the fluid on the box's floor.

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};
use crate::fluid::Face;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "FloorForce",
    measures: "force of the water on the box's floor",
    definition: "Downward force of the water on the box's floor: the vertical component of `Force` with a minus sign.",
    column: ProbeName::Fixed("floor_force"),
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    reads_solids: false,
    reads_walls: true,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| force(input)),
};

fn force(input: &ProbeInput<'_>) -> Option<f64> {
    Some(-input.force_on_wall(Face::FLOOR)?.y)
}
