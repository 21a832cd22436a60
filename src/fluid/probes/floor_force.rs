//! Force of the fluid on the box's floor.

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};
use crate::fluid::Face;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "FloorForce",
    measures: "force of the water on the box's floor",
    definition: "Downward force of the water on the box's floor: the pressure force between the floor and each \
                 particle, as in the solver's model of walls, with DFSPH also that of viscosity, summed over all particles.",
    column: ProbeName::Fixed("floor_force"),
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    reads_solids: true,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| force(input)),
};

fn force(input: &ProbeInput<'_>) -> Option<f64> {
    input.force_on_wall(Face::FLOOR)
}
