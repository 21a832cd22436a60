//! Refuses probes that are invalid in their scene.

use std::collections::BTreeSet;

use glam::Vec3;

use super::argument::ArgumentValue;
use super::{MEAN_OVER, Probe, ProbeName, ProbeScene, X, Z};

/// The first probe that is invalid in its scene: its index and what is wrong.
pub(in crate::fluid) fn first_fault(probes: &[Probe], scene: &ProbeScene) -> Option<(usize, &'static str)> {
    let mut heads = BTreeSet::new();
    probes.iter().enumerate().find_map(|(index, probe)| {
        let mut columns = probe.columns(scene.dimensions).into_iter();
        let taken = || columns.any(|column| !heads.insert(column.head())).then_some("has the name of an earlier probe");
        fault(probe, scene).or_else(taken).map(|fault| (index, fault))
    })
}

/// What is wrong with a probe in a scene, and what is allowed; `None` where it is valid.
fn fault(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    let no_body = |value: &ArgumentValue| matches!(value, ArgumentValue::Body(body) if *body >= scene.body_count);
    if probe.kind.column == ProbeName::Given && probe.name.trim().is_empty() {
        Some("must have a name")
    } else if probe.values.values().any(no_body) {
        Some("must name one of the scene's bodies, counted from 0")
    } else if probe.surfaces().any(|surface| !surface.is_in(scene)) {
        Some(
            "must be `on` a side of the box (left, right, bottom, top, and in three dimensions back and front) or on one \
             of the scene's solids, counted from 0",
        )
    } else if probe.values.contains_key(MEAN_OVER.name) && !(0.0..=1e6).contains(&probe.number(&MEAN_OVER)) {
        Some("must have a time `mean_over` from 0 to 1e6 s")
    } else {
        (probe.kind.check)(probe, scene)
    }
}

/// The check of kinds for which all arguments are valid.
pub(super) fn always_valid(_: &Probe, _: &ProbeScene) -> Option<&'static str> {
    None
}

/// The check of kinds that read along a vertical line given by [`X`] and [`Z`].
pub(super) fn line_stands_in_box(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    let foot = Vec3::new(probe.number(&X), scene.low.y, probe.number(&Z));
    (!scene.contains(foot)).then_some("must lie in the box, x and z in m")
}
