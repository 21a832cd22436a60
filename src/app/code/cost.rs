//! What an edit costs: the times of the passes before and after it.

use super::CodeReport;
use crate::app::{PassHistory, Report, format};
use crate::gpu::Phase;

/// Number of timed frames after which a median is compared.
pub(super) const ENOUGH_FRAMES: usize = 8;
/// A change of less than this fraction is not distinguishable from the variation between frames.
const SMALLEST_CHANGE: f64 = 0.01;

/// The median times of a pass with the original and with the edited shaders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassCost {
    /// Label of the pass.
    pub label: &'static str,
    /// The part of the frame that it belongs to.
    pub phase: Phase,
    /// Time with the original shaders, ms.
    pub original: f64,
    /// Time with the edited shaders, ms.
    pub edited: f64,
}

impl PassCost {
    /// The change as a fraction of the original.
    pub fn change(&self) -> f64 {
        if self.original > 0.0 { self.edited / self.original - 1.0 } else { 0.0 }
    }
}

/// The costs of all passes of a step that were timed often enough with the original and with the edited shaders; empty
/// while nothing is edited.
pub fn pass_costs(report: &Report) -> Vec<PassCost> {
    report.timings.passes().iter().filter_map(|pass| cost_of(report, pass)).collect()
}

/// The cost of one pass.
pub(in crate::app) fn cost_of(report: &Report, pass: &PassHistory) -> Option<PassCost> {
    let CodeReport { original, in_use, measuring, .. } = &report.code;
    let original = original.as_ref().filter(|_| !in_use.is_empty() && *measuring == 0)?.alike(pass)?;
    let is_timed = |pass: &PassHistory| pass.milliseconds.len() >= ENOUGH_FRAMES;
    (is_timed(pass) && is_timed(original) && pass.phase != Phase::Drawing).then(|| PassCost {
        label: pass.label,
        phase: pass.phase,
        original: original.median().into(),
        edited: pass.median().into(),
    })
}

/// What the edits cost in a sentence, such as "build +3 %, search +41 % against the original".
pub fn cost_sentence(report: &Report) -> Option<String> {
    if report.code.in_use.is_empty() {
        return None;
    }
    if !report.has_timestamps {
        return Some("The adapter cannot time passes, so the cost of the edits is not known.".to_owned());
    }
    if report.code.measuring > 0 {
        return Some(format!("Measuring the original shaders: {} timed steps left.", report.code.measuring));
    }
    if report.code.original.is_none() {
        let remedy = "let the water run and press \"Measure the original\"";
        return Some(format!("The original was not measured with these settings: {remedy}."));
    }
    let costs = pass_costs(report);
    if costs.is_empty() {
        return Some("Measuring the edited shaders; let the water run.".to_owned());
    }
    let phases = [Phase::Build, Phase::Search, Phase::Physics];
    let parts = phases.into_iter().filter_map(|phase| {
        let of_phase = || costs.iter().filter(move |cost| cost.phase == phase);
        let sum = |time: fn(&PassCost) -> f64| of_phase().map(time).sum::<f64>();
        let (original, edited) = (sum(|cost| cost.original), sum(|cost| cost.edited));
        (original > 0.0).then(|| format!("{} {}", phase.label(), percent(edited / original - 1.0)))
    });
    let parts: Vec<_> = parts.collect();
    Some(format!("{} against the original with the same checks", parts.join(", ")))
}

/// A change as a signed percentage.
pub(in crate::app) fn percent(change: f64) -> String {
    if change.abs() < SMALLEST_CHANGE {
        return "±0 %".to_owned();
    }
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{} %", format::number((100.0 * change.abs()).round()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::Timings;
    use crate::gpu::{PassTime, ShaderTexts};

    fn timings(build: f64, search: f64, frames: usize) -> Timings {
        let mut timings = Timings::default();
        let time = |phase, label, milliseconds| PassTime { phase, label, milliseconds, start_milliseconds: 0.0 };
        for _ in 0..frames {
            timings.push(&[time(Phase::Build, "count", build), time(Phase::Search, "density", search)]);
        }
        timings
    }

    #[test]
    fn the_cost_of_an_edit_is_told_by_phases_once_both_were_measured() {
        let mut report = Report { has_timestamps: true, timings: timings(1.03, 2.82, 20), ..Report::default() };
        assert_eq!(cost_sentence(&report), None, "nothing is edited");
        report.code.in_use = ShaderTexts::new([("a".to_owned(), "b".into())].into_iter().collect());
        assert!(cost_sentence(&report).is_some_and(|words| words.contains("not measured")));
        report.code.original = Some(Arc::new(timings(1.0, 2.0, 20)));
        assert_eq!(
            cost_sentence(&report).as_deref(),
            Some("build +3 %, search +41 % against the original with the same checks")
        );
        let costs = pass_costs(&report);
        assert_eq!(costs.len(), 2);
        assert!((costs[1].change() - 0.41).abs() < 1e-3, "{costs:?}");
        report.timings = timings(1.0, 1.0, ENOUGH_FRAMES - 1);
        assert!(cost_sentence(&report).is_some_and(|words| words.contains("Measuring")), "too few frames");
    }
}
