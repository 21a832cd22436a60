//! A probe that the program does not have: the highest speed above a height.

use nearwater::fluid::probes::{
    ArgumentKind, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit,
};

pub static KIND: ProbeKind = ProbeKind {
    name: "FastestParticle",
    measures: "highest speed",
    definition: "Highest speed of the particles above a height over the box's floor. There is no reading where none is.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m/s"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&ABOVE],
    check: is_in_box,
    reading: ProbeReading::Scalar(highest_speed),
};

static ABOVE: ProbeArgument = ProbeArgument {
    name: "above",
    unit: "m",
    meaning: "height over the box's floor from which on particles count",
    kind: ArgumentKind::Number(Some(0.0)),
};

fn is_in_box(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    let height = scene.high.y - scene.low.y;
    (!(0.0..=height).contains(&probe.number(&ABOVE))).then_some("must be above a height in the box, in m")
}

fn highest_speed(probe: &Probe, input: &ProbeInput<'_>) -> Option<f64> {
    let floor = input.floor() + f64::from(probe.number(&ABOVE));
    let above = input.positions().zip(input.velocities()).filter(|(position, _)| position.y >= floor);
    above.map(|(_, velocity)| velocity.length()).reduce(f64::max)
}
