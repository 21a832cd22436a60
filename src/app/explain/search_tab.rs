//! The tab of the neighbor search.

use bevy_egui::egui::{Frame, Margin, RichText, Ui};

use super::formulas::{formulas_ui, symbols_ui};
use super::pseudocode::pseudocode_ui;
use super::slow::slow_controls;
use super::{above_code, idea, title};
use crate::app::theme::{RAISED, TEXT, WARNING, remark, section};
use crate::app::{Controls, Report};
use crate::explanation::{Explanation, Formula, SlownessCounters, why_slow};
use crate::gpu::Phase;
use crate::laboratory::{CostField, Gantt};
use crate::search::{LIST_EXPLANATION, LISTING_LABELS, SEARCH_FORMULAS, SEARCH_SYMBOLS};

pub(super) fn search_tab(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    above_code(ui, controls, report, |ui, controls, report| {
        let search = controls.settings.search;
        title(ui, search.title, search.paper);
        let explanation = search.explanation;
        match explanation {
            Some(explanation) => idea(ui, &explanation.sentences),
            None => idea(ui, &[search.idea]),
        }
        let values = &report.explained.search;
        // The list has a size where the running search makes one.
        let list = values.get("L").map(|_| &LIST_EXPLANATION);
        if let Some(list) = list {
            idea(ui, &list.sentences);
        }
        slowness_ui(ui, controls, report);
        if let Some(explanation) = explanation {
            section(ui, "Pseudocode", &[]);
            slow_controls(ui, controls, report);
            let of_list = list.into_iter().flat_map(Explanation::lines);
            pseudocode_ui(ui, explanation.lines().chain(of_list), controls, report);
        } else {
            remark(ui, "This search has no pseudocode; docs/ADDING_A_SEARCH.md tells how to add it.");
        }
        section(ui, "Cost", &[]);
        let own = explanation.map_or(&[] as &[Formula], |explanation| explanation.formulas);
        let is_replaced = |formula: &&Formula| own.iter().any(|other| other.title == formula.title);
        let common = SEARCH_FORMULAS.iter().filter(|formula| !is_replaced(formula));
        let of_list = list.map_or(&[] as &[_], |list| list.formulas);
        formulas_ui(ui, common.chain(own).chain(of_list), values);
        section(ui, "Symbols", &[]);
        let symbols = explanation.map_or(&[] as &[_], |explanation| explanation.symbols);
        let of_list = list.map_or(&[] as &[_], |list| list.symbols);
        symbols_ui(ui, "symbols of the search", SEARCH_SYMBOLS.iter().chain(symbols).chain(of_list), values);
        ui.add_space(8.0);
    });
}

/// The counters from which the panel computes what costs the most, as far as they are known.
pub fn slowness_counters(report: &Report) -> SlownessCounters {
    let timings = &report.timings;
    let step = timings.step_milliseconds().filter(|step| *step > 0.0);
    let of_phase = |phase| step.map(|_| f64::from(timings.phase_milliseconds(phase)));
    SlownessCounters {
        candidates_per_neighbor: report.survey.and_then(|survey| survey.pairs.overhead()),
        idle_lanes: idle_lanes(report),
        build: of_phase(Phase::Build),
        traversal: listing(report).or_else(|| of_phase(Phase::Search)),
        step: step.map(f64::from),
        workgroup_memory: report.explained.workgroup_memory,
    }
}

/// The time of the passes that write the list of neighbors, ms, after which no candidate is tested; `None` without one.
fn listing(report: &Report) -> Option<f64> {
    let passes = report.timings.passes().iter().filter(|pass| LISTING_LABELS.contains(&pass.label));
    passes.map(|pass| f64::from(pass.median())).reduce(|sum, time| sum + time)
}

/// The fraction of the rounds in which lanes wait: that of a recorded chunk if a coarse cell is selected, otherwise the
/// mean over all particles. The mean assumes that a lane serves one particle, which does not hold for searches with
/// chunks of coarse cells.
fn idle_lanes(report: &Report) -> Option<f64> {
    let inspection = report.lab.inspection.as_ref();
    let chunk = inspection.and_then(|inspection| inspection.recording.chunks.first());
    if let Some(chunk) = chunk.filter(|chunk| !chunk.served.is_empty()) {
        return Some(Gantt::new(chunk, 0).idle_lane_share());
    }
    let is_coarse =
        report.running.as_ref().and_then(|running| running.cells).is_some_and(|cells| cells.border.is_some());
    let summary = report.lab.cost.as_ref().filter(|_| !is_coarse)?;
    let is_of_lanes = summary.request.field == CostField::LanesIdle && !summary.request.per_cell;
    (is_of_lanes && summary.with_value > 0).then_some(summary.mean)
}

/// Draws the sentence on what costs the most.
fn slowness_ui(ui: &mut Ui, controls: &Controls, report: &Report) {
    let advice = controls.settings.search.explanation.map_or(&[] as &[_], |explanation| explanation.advice);
    let slowness = why_slow(&slowness_counters(report), advice);
    ui.add_space(5.0);
    Frame::new().fill(RAISED).corner_radius(4).inner_margin(Margin::symmetric(8, 5)).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        ui.label(RichText::new("Why is it slow here?").small().strong().color(WARNING));
        ui.label(RichText::new(slowness.sentence).color(TEXT));
    });
}
