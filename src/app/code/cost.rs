//! What an edit costs: the times of the passes before and after it.

use super::CodeReport;
use crate::app::{PassHistory, Report};
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
    /// Whether its shader is composed of an edited file. The change of the others is the variation between the two
    /// measurements, or an effect of what the edited passes have written.
    pub has_edited_code: bool,
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
    let mut code = report.code.passes.iter().filter(|code| code.label == pass.label && code.phase == pass.phase);
    (is_timed(pass) && is_timed(original) && pass.phase != Phase::Drawing).then(|| PassCost {
        has_edited_code: code.any(|code| code.files.iter().any(|file| in_use.contains_key(file))),
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
    let change_of = |is_of: &dyn Fn(&PassCost) -> bool| {
        let chosen = || costs.iter().filter(|cost| is_of(cost));
        let original: f64 = chosen().map(|cost| cost.original).sum();
        let edited: f64 = chosen().map(|cost| cost.edited).sum();
        (original > 0.0).then(|| percent(edited / original - 1.0))
    };
    let phases = [Phase::Build, Phase::Search, Phase::Physics];
    let parts = phases.into_iter().filter_map(|phase| {
        let change = change_of(&|cost| cost.phase == phase)?;
        Some(format!("{} {change}", phase.label()))
    });
    let parts: Vec<_> = parts.collect();
    let unchanged =
        change_of(&|cost| !cost.has_edited_code).map(|change| format!("; passes with unchanged code {change}"));
    let unchanged = unchanged.unwrap_or_default();
    Some(format!("{} against the original with the same checks{unchanged}", parts.join(", ")))
}

/// A change as a signed percentage.
pub(in crate::app) fn percent(change: f64) -> String {
    if change.abs() < SMALLEST_CHANGE {
        return "+0 %".to_owned();
    }
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{:.0} %", 100.0 * change.abs())
}
