//! Height of the highest particle near a vertical line.

use super::check::line_stands_in_box;
use super::{Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit, X, Z};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "WaterHeight",
    measures: "height of the water at a vertical line",
    definition: "Height over the box's floor of the highest particle within a support radius of a vertical line, plus \
                 half a particle spacing. Splashes are included. It is 0 where there are no particles.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&X, &Z],
    check: line_stands_in_box,
    reading: ProbeReading::Scalar(|probe, input| Some(height(probe, input))),
};

fn height(probe: &Probe, input: &ProbeInput<'_>) -> f64 {
    let highest = input.near_line(input.line(probe)).map(|position| position.y).reduce(f64::max);
    highest.map_or(0.0, |highest| highest - input.floor() + input.half_spacing())
}
