//! Length of a vertical line that is in the fluid, as a wire gauge measures it.

use glam::DVec3;

use super::check::line_stands_in_box;
use super::{Probe, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit, X, Z};
use crate::fluid::Dimensions;

/// Number of strips that approximate the circle around the line, to find the part of it that lies in the box.
const STRIPS: u32 = 512;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "WettedLength",
    measures: "length of a vertical wire that is in water",
    definition: "Length of a vertical line that is in water, as a wire gauge measures it: the volume of the particles \
                 within a support radius of the line, divided by the area of that circle inside the box. Splashes are \
                 included with their volume. Within a support radius of a solid the length is underestimated, because \
                 the solid occupies a part of the circle.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&X, &Z],
    check: line_stands_in_box,
    reading: ProbeReading::Scalar(|probe, input| Some(length(probe, input))),
};

fn length(probe: &Probe, input: &ProbeInput<'_>) -> f64 {
    let scene = &input.scene;
    let line = input.line(probe);
    let count = input.near_line(line).count() as f64;
    let volume = count * f64::from(input.spacing).powf(scene.dimensions.count());
    volume / circle_in_box(scene, line, input.support_radius.into())
}

/// Area of the part in the box of a horizontal circle with this radius, m, around a vertical line, m²; in two
/// dimensions the length of an interval, m.
pub fn circle_in_box(scene: &ProbeScene, line: DVec3, radius: f64) -> f64 {
    let (low, high) = (scene.low.as_dvec3(), scene.high.as_dvec3());
    let width = 2.0 * radius / f64::from(STRIPS);
    let area_of_strip = |number: u32| {
        let along = width * (f64::from(number) + 0.5) - radius;
        let half = (radius * radius - along * along).sqrt();
        let depth = match scene.dimensions {
            // The circle is an interval here, and its area is the length of the interval.
            Dimensions::Two => 1.0,
            Dimensions::Three => (line.z + half).min(high.z) - (line.z - half).max(low.z),
        };
        if (low.x..=high.x).contains(&(line.x + along)) { width * depth.max(0.0) } else { 0.0 }
    };
    (0..STRIPS).map(area_of_strip).sum()
}
