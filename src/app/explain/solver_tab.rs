//! The tab of the solver.

use bevy_egui::egui::Ui;

use super::formulas::{formulas_ui, symbols_ui};
use super::pseudocode::pseudocode_ui;
use super::slow::slow_controls;
use super::{above_code, idea, title};
use crate::app::theme::{remark, section};
use crate::app::{Controls, Report};
use crate::fluid::SOLVER_SYMBOLS;

pub(super) fn solver_tab(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    above_code(ui, controls, report, |ui, controls, report| {
        let solver = controls.settings.edits.applied_to(&controls.scene).solver;
        title(ui, solver.0.title, solver.0.source);
        let values = &report.explained.solver;
        let explanation = solver.0.explanation.map(|explained| &explained.explanation);
        if let Some(explanation) = explanation {
            idea(ui, &explanation.sentences);
            section(ui, "Equations", &[]);
            slow_controls(ui, controls, report);
            pseudocode_ui(ui, explanation.lines(), controls, report);
            section(ui, "Cost", &[]);
            formulas_ui(ui, explanation.formulas, values);
        } else {
            idea(ui, &[solver.0.idea]);
            remark(ui, "This solver has no equations here; docs/ADDING_A_SOLVER.md tells how to add them.");
        }
        section(ui, "Symbols", &[]);
        let own = explanation.map_or(&[] as &[_], |explanation| explanation.symbols);
        symbols_ui(ui, "symbols of the solver", SOLVER_SYMBOLS.iter().chain(own), values);
        ui.add_space(8.0);
    });
}
