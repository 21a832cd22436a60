//! Position of the fluid's front along a direction.

use super::{
    ArgumentKind, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit,
};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Front",
    measures: "position of the water's front along a direction",
    definition: "Distance along a direction, measured from the origin, that a given percentage of the particles has \
                 not passed, plus half a particle spacing. With a direction of (1, 0, 0) it is the x of the front. \
                 There is no reading where there are no particles.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("m"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&DIRECTION, &BELOW, &PERCENT],
    check: has_direction_and_limits,
    reading: ProbeReading::Scalar(front),
};

static DIRECTION: ProbeArgument = ProbeArgument {
    name: "direction",
    unit: "",
    meaning: "the direction, a vector of any length",
    kind: ArgumentKind::Vector,
};

static BELOW: ProbeArgument = ProbeArgument {
    name: "below",
    unit: "m",
    meaning: "the height over the box's floor below which particles count, to exclude drops in the air",
    kind: ArgumentKind::Number(Some(f32::INFINITY)),
};

static PERCENT: ProbeArgument = ProbeArgument {
    name: "percent",
    unit: "%",
    meaning: "the percentage of the particles that are at or behind the front; 100 selects the foremost particle",
    // With a larger default, the front would follow single particles ahead of the rest.
    kind: ArgumentKind::Number(Some(99.5)),
};

fn has_direction_and_limits(probe: &Probe, _: &ProbeScene) -> Option<&'static str> {
    let (below, percent) = (probe.number(&BELOW), probe.number(&PERCENT));
    if probe.vector(&DIRECTION).try_normalize().is_none() {
        Some("must have a direction that is finite and not zero")
    } else if below.is_nan() || below <= 0.0 {
        Some("must have a positive height below, in m over the floor")
    } else if !(1.0..=100.0).contains(&percent) {
        Some("must have a percent from 1 to 100")
    } else {
        None
    }
}

fn front(probe: &Probe, input: &ProbeInput<'_>) -> Option<f64> {
    let direction = probe.vector(&DIRECTION).as_dvec3().normalize();
    let ceiling = input.floor() + f64::from(probe.number(&BELOW));
    let low = input.positions().filter(|position| position.y < ceiling);
    let mut distances: Vec<f64> = low.map(|position| position.dot(direction)).collect();
    // The rank of the smallest distance such that the given percentage of the particles is at or behind it.
    let rank = (f64::from(probe.number(&PERCENT)) / 100.0 * distances.len() as f64).ceil() as usize;
    let rank = rank.clamp(1, distances.len().max(1)) - 1;
    if distances.is_empty() {
        return None;
    }
    let (_, distance, _) = distances.select_nth_unstable_by(rank, f64::total_cmp);
    Some(*distance + input.half_spacing())
}
