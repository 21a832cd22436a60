//! Kinetic energy of the fluid.

use super::check::always_valid;
use super::{ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "KineticEnergy",
    measures: "kinetic energy",
    definition: "Kinetic energy of all particles.",
    column: ProbeName::Fixed("kinetic_energy"),
    unit: ProbeUnit { in_space: "J", in_plane: "J/m" },
    reads_solids: false,
    reads_walls: false,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| Some(input.kinetic_energy())),
};
