//! Force of the fluid on the box's floor.

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};
use crate::fluid::solids::walls::Floor;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "FloorForce",
    measures: "force of the water on the box's floor",
    definition: "Downward force of the water on the box's floor: the pressure force between the floor and each \
                 particle, as in the solver's model of walls, summed over all particles.",
    column: ProbeName::Fixed("floor_force"),
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| force(input)),
};

fn force(input: &ProbeInput<'_>) -> Option<f64> {
    let positions: Vec<_> = input.positions().collect();
    let radius = f64::from(input.support_radius);
    let floor = Floor {
        low: input.scene.low.as_dvec3(),
        high: input.scene.high.as_dvec3(),
        radius,
        radius_ratio: radius / f64::from(input.spacing),
        kernel: input.kernel,
        dimensions: input.scene.dimensions,
        mass: input.particle_mass.into(),
        rest_density: input.scene.rest_density?.into(),
        gravity: input.scene.gravity.as_dvec3(),
        positions: &positions,
        pressures: &input.frame.pressures,
        densities: &input.frame.densities,
    };
    Some(floor.force())
}
