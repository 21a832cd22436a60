//! Compression of the fluid.

use super::check::always_valid;
use super::{Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "DensityError",
    measures: "compression of the water",
    definition: "Mean excess over the rest density of the particles that are denser than at rest. There is no reading \
                 where the solver is not a fluid solver.",
    column: ProbeName::Fixed("density_error"),
    unit: ProbeUnit::same("%"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(density_error),
};

fn density_error(_: &Probe, input: &ProbeInput<'_>) -> Option<f64> {
    let rest_density = f64::from(input.scene.rest_density?);
    let (sum, count) = input
        .frame
        .densities
        .iter()
        .map(|&density| f64::from(density) / rest_density - 1.0)
        .filter(|&compression| compression > 0.0)
        .fold((0.0, 0_u32), |(sum, count), compression| (sum + compression, count + 1));
    Some(100.0 * sum / f64::from(count.max(1)))
}
