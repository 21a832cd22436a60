//! Draws formulas with today's numbers, and the symbols with their values.

use bevy_egui::egui::{Grid, RichText, Ui};

use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, remark};
use crate::explanation::{Formula, Symbol, Unit, Values};

/// Relative deviation from which an exact formula counts as wrong; counters and times of a survey belong to different
/// frames only while the water moves, and are equal otherwise.
const SLACK: f64 = 1e-3;

/// Draws formulas: the symbols, the numbers in their places with the result, and what was measured.
pub(super) fn formulas_ui<'a>(ui: &mut Ui, formulas: impl IntoIterator<Item = &'a Formula>, values: &Values) {
    for formula in formulas {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(formula.title).color(TEXT));
            if !formula.source.is_empty() {
                remark(ui, formula.source);
            }
        });
        let name = formula.measured.map_or_else(String::new, |name| format!("{name} "));
        let sign = if formula.is_estimate { "≈" } else { "=" };
        let written = formula.expression.written();
        let filled = formula.filled(values);
        ui.label(RichText::new(format!("  {name}{sign} {written}")).monospace().color(ACCENT));
        let result = formula.expression.evaluate(values).map(|value| formula.unit.written(value));
        let line = match result {
            // A formula without symbols is its own result.
            Some(result) if formula.expression.symbols().is_empty() => format!("  {sign} {result}"),
            Some(result) if filled == result => format!("  {sign} {result}"),
            Some(result) => format!("  {sign} {filled} {sign} {result}"),
            None => format!("  {sign} {filled}, not counted yet"),
        };
        ui.label(RichText::new(line).monospace().color(TEXT));
        measured_ui(ui, formula, values);
    }
}

/// Draws the measured value beside the result of a formula.
fn measured_ui(ui: &mut Ui, formula: &Formula, values: &Values) {
    let Some((name, measured)) = formula.measured.and_then(|name| Some((name, values.get(name)?))) else { return };
    let Some(value) = formula.expression.evaluate(values) else { return };
    let written = formula.unit.written(measured);
    if formula.is_estimate {
        let ratio = if measured == 0.0 { 1.0 } else { value / measured };
        remark(ui, format!("  measured: {name} = {written}; the estimate is {} of it", Unit::Share.written(ratio)));
    } else if (value - measured).abs() <= SLACK * measured.abs() {
        remark(ui, format!("  measured: {name} = {written}"));
    } else {
        ui.label(RichText::new(format!("  measured: {name} = {written}, which differs")).small().color(WARNING));
    }
}

/// Draws the symbols that have a value, with their meaning.
pub(super) fn symbols_ui<'a>(ui: &mut Ui, id: &str, symbols: impl IntoIterator<Item = &'a Symbol>, values: &Values) {
    Grid::new(id).num_columns(3).spacing([10.0, 2.0]).show(ui, |ui| {
        for symbol in symbols {
            let Some(value) = values.get(symbol.name) else { continue };
            ui.label(RichText::new(symbol.name).monospace().color(ACCENT));
            ui.label(RichText::new(symbol.unit.written(value)).monospace().color(TEXT));
            ui.label(RichText::new(symbol.meaning).small().color(QUIET));
            ui.end_row();
        }
    });
}
