//! Pressure at a point.

use super::{
    ArgumentKind, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit,
};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Pressure",
    measures: "pressure at a point",
    definition: "Mean pressure of the particles within a support radius of a point, weighted by the smoothing kernel \
                 (Shepard 1968). It is 0 where there are no particles.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("Pa"),
    arguments: &[&AT],
    check: lies_in_box,
    reading: ProbeReading::Scalar(|probe, input| Some(pressure(probe, input))),
};

static AT: ProbeArgument = ProbeArgument {
    name: "at",
    unit: "m",
    meaning: "the point; its z is ignored in two dimensions",
    kind: ArgumentKind::Vector,
};

fn lies_in_box(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    (!scene.contains(probe.vector(&AT))).then_some("must lie in the box, in m")
}

fn pressure(probe: &Probe, input: &ProbeInput<'_>) -> f64 {
    let at = input.scene.projected(probe.vector(&AT)).as_dvec3();
    let radius = f64::from(input.support_radius);
    let (mut sum, mut weights) = (0.0, 0.0);
    for (position, &pressure) in input.positions().zip(&input.frame.pressures) {
        let weight = input.kernel.shape(position.distance(at) / radius);
        sum += weight * f64::from(pressure);
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}
