//! The settings of foam. Limits of the potentials are those of the paper (Ihmsen et al. 2012, section 4), for sums that
//! are scaled to the paper's number of neighbors.

use crate::fluid::solvers::{SolverSetting, SolverSettings};

const GROUP: &str = "foam";

/// Every setting of foam, in the order of the panel.
pub static FOAM_SETTINGS: &[&SolverSetting] = &[
    &CAPACITY,
    &TRAPPED_AIR,
    &WAVE_CRESTS,
    &SHORTEST_LIFE,
    &LONGEST_LIFE,
    &BUOYANCY,
    &DRAG,
    &KINETIC_LEAST,
    &KINETIC_MOST,
    &TRAPPED_LEAST,
    &TRAPPED_MOST,
    &CREST_LEAST,
    &CREST_MOST,
    &INTERVAL,
];

/// How many diffuse particles there can be.
pub(super) static CAPACITY: SolverSetting = SolverSetting {
    solver: GROUP,
    name: "capacity",
    title: "Foam particles, at most",
    hover: "largest number of particles of spray, foam and bubbles; 0 switches foam off, and about 250,000 are enough \
            for most scenes",
    unit: "particles",
    least: 0.0,
    most: 4_000_000.0,
    default: 0.0,
    whole: true,
    dial: Some(1000.0),
};

/// A rate of generation.
const fn rate(name: &'static str, title: &'static str, hover: &'static str) -> SolverSetting {
    SolverSetting {
        solver: GROUP,
        name,
        title,
        hover,
        unit: "particles per fluid particle and second",
        least: 0.0,
        most: 10_000.0,
        default: 100.0,
        whole: false,
        dial: Some(1.0),
    }
}

pub(super) static TRAPPED_AIR: SolverSetting = SolverSetting {
    default: 120.0,
    ..rate("trapped_air", "Foam by trapped air", "how much foam arises where water collides and traps air")
};

pub(super) static WAVE_CRESTS: SolverSetting = SolverSetting {
    default: 120.0,
    ..rate("wave_crests", "Foam by wave crests", "how much foam arises at the crests of waves that break")
};

/// A limit of a potential.
const fn limit(
    name: &'static str,
    title: &'static str,
    hover: &'static str,
    unit: &'static str,
    default: f32,
) -> SolverSetting {
    SolverSetting {
        solver: GROUP,
        name,
        title,
        hover,
        unit,
        least: 0.0,
        most: 10_000.0,
        default,
        whole: false,
        dial: None,
    }
}

pub(super) static KINETIC_LEAST: SolverSetting = limit(
    "kinetic_least",
    "Most energy without foam",
    "kinetic energy up to which water makes no foam; 2 J/kg are those of 2 m/s",
    "J/kg",
    2.0,
);

pub(super) static KINETIC_MOST: SolverSetting = limit(
    "kinetic_most",
    "Least energy of most foam",
    "kinetic energy from which water makes the most foam; 18 J/kg are those of 6 m/s",
    "J/kg",
    18.0,
);

pub(super) static TRAPPED_LEAST: SolverSetting = limit(
    "trapped_least",
    "Least colliding speed",
    "weighted sum of the speeds at which neighbors approach a particle, up to which no air is trapped",
    "m/s",
    5.0,
);

pub(super) static TRAPPED_MOST: SolverSetting = limit(
    "trapped_most",
    "Most colliding speed",
    "weighted sum of the speeds at which neighbors approach a particle, from which the most air is trapped",
    "m/s",
    20.0,
);

pub(super) static CREST_LEAST: SolverSetting = limit(
    "crest_least",
    "Least curvature",
    "curvature of the surface, as a sum over neighbors, up to which a wave has no crest",
    SolverSetting::NO_UNIT,
    2.0,
);

pub(super) static CREST_MOST: SolverSetting = limit(
    "crest_most",
    "Most curvature",
    "curvature of the surface, as a sum over neighbors, from which a crest makes the most foam",
    SolverSetting::NO_UNIT,
    8.0,
);

/// A time of life.
const fn life(name: &'static str, title: &'static str, hover: &'static str, default: f32) -> SolverSetting {
    SolverSetting {
        solver: GROUP,
        name,
        title,
        hover,
        unit: "s",
        least: 0.01,
        most: 1000.0,
        default,
        whole: false,
        dial: Some(0.01),
    }
}

pub(super) static SHORTEST_LIFE: SolverSetting = life(
    "shortest_life",
    "Shortest life of foam",
    "time that foam of the least potential takes to dissolve; spray and bubbles only dissolve once they are foam",
    1.0,
);

pub(super) static LONGEST_LIFE: SolverSetting = life(
    "longest_life",
    "Longest life of foam",
    "time that foam of the greatest potential takes to dissolve; spray and bubbles only dissolve once they are foam",
    4.0,
);

pub(super) static BUOYANCY: SolverSetting = SolverSetting {
    solver: GROUP,
    name: "buoyancy",
    title: "Buoyancy of bubbles",
    hover: "acceleration at which bubbles rise, as a multiple of gravity; the drag soon limits their speed",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 100.0,
    default: 2.0,
    whole: false,
    dial: Some(0.02),
};

pub(super) static DRAG: SolverSetting = SolverSetting {
    solver: GROUP,
    name: "drag",
    title: "Drag of bubbles",
    hover: "fraction of the difference to the water's velocity that bubbles lose in each interval of foam; with 1 they \
            move with the water",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 0.8,
    whole: false,
    dial: Some(0.005),
};

pub(super) static INTERVAL: SolverSetting = SolverSetting {
    solver: GROUP,
    name: "interval",
    title: "Interval of foam",
    hover: "simulated time between two steps of foam, rounded to whole steps of the water; shorter in fast water with \
            solids, so that no drop passes through them",
    unit: "s",
    least: 0.001,
    most: 0.1,
    default: 1.0 / 60.0,
    whole: false,
    dial: None,
};

/// The pairs of settings of which the first must be smaller.
static RANGES: [[&SolverSetting; 2]; 3] =
    [[&KINETIC_LEAST, &KINETIC_MOST], [&TRAPPED_LEAST, &TRAPPED_MOST], [&CREST_LEAST, &CREST_MOST]];

/// The first setting of foam that contradicts another, and what is wrong with it.
pub(in crate::fluid) fn fault_of_foam(settings: &SolverSettings) -> Option<(String, String)> {
    let is_wrong = |[least, most]: &&[&SolverSetting; 2]| settings.value(least) >= settings.value(most);
    let reason = |[least, most]: &[&SolverSetting; 2]| {
        let (low, high) = (settings.value(least), settings.value(most));
        (least.path(), format!("is {low}, and must be less than {}, which is {high}", most.path()))
    };
    if let Some(range) = RANGES.iter().find(is_wrong) {
        return Some(reason(range));
    }
    let (shortest, longest) = (settings.value(&SHORTEST_LIFE), settings.value(&LONGEST_LIFE));
    (shortest > longest).then(|| reason(&[&SHORTEST_LIFE, &LONGEST_LIFE]))
}
