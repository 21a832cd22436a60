//! The section of the panel that selects the neighbor search and its settings.

use bevy_egui::egui::{self, Button, DragValue, RichText, Ui};

use super::filter;
use super::row::{About, Row};
use crate::app::pace::faster_search_ui;
use crate::app::theme::remark;
use crate::app::{Action, Controls, Report, format};
use crate::search::{OptionKind, SEARCHES, SearchOption, SearchOptions, same_value};

/// Draws a button for each search, the settings of the selected one, and the sizes of its classes.
pub(super) fn search_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // Two columns, so that the other controls stay visible.
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    let shown: Vec<_> =
        SEARCHES.iter().filter(|search| filter::shows(ui, &[search.title, search.idea, search.paper])).collect();
    for row in shown.chunks(2) {
        ui.horizontal(|ui| {
            for &&search in row {
                let selected = *search == *controls.settings.search;
                let button = Button::selectable(selected, search.title)
                    .frame_when_inactive(true)
                    .min_size(egui::vec2(half, 0.0));
                let hover = |ui: &mut Ui| {
                    ui.label(search.idea);
                    remark(ui, search.paper);
                    remark(ui, format!("on the command line: --search {}", search.name));
                };
                if ui.add(button).on_hover_ui(hover).clicked() {
                    controls.choose_search(search);
                }
            }
        });
    }
    ui.add_space(2.0);
    for (place, option) in controls.settings.search.all_options().enumerate() {
        let key = (place == 0).then_some(Action::NextOption);
        if let Some(value) = option_row(ui, &controls.settings.options, option, key) {
            controls.choose_option(option, value);
        }
    }
    if !filter::is_active(ui) {
        class_counts(ui, report);
        faster_search_ui(ui, controls, report);
    }
}

/// Draws one setting of a search: a button for each usual value, and an input field if it is a number. Returns the
/// value that the user selected.
pub(in crate::app) fn option_row(
    ui: &mut Ui,
    options: &SearchOptions,
    option: &'static SearchOption,
    key: Option<Action>,
) -> Option<f32> {
    let value = options.value(option);
    let (unit, argument) = match option.kind {
        OptionKind::Number { suffix, .. } => (suffix.trim(), format!("--option {}=NUMBER", option.name)),
        OptionKind::Choice(_) => ("", format!("--option {}", options.written(option))),
    };
    let about = About { hover: option.hover, unit, scene_key: "", option: &argument };
    let default = option.label(option.default_value());
    let row = Row { title: option.title, about, default, differs: !option.is_default(value), key };
    let change = row.show(ui, |ui, _| {
        let buttons = option_buttons(ui, &row, value, option);
        let number = option_number(ui, &row, value, option);
        number.or(buttons)
    });
    change.map(|change| change.or(option.default_value()))
}

/// Draws a button for each usual value of an option.
fn option_buttons(ui: &mut Ui, row: &Row<'_>, value: f32, option: &SearchOption) -> Option<f32> {
    let mut chosen = None;
    for (place, usual) in option.usual_values().into_iter().enumerate() {
        let button = Button::selectable(same_value(value, usual), RichText::new(option.label(usual)).small())
            .frame_when_inactive(true)
            .min_size(egui::vec2(26.0, 0.0));
        let hover = |ui: &mut Ui| {
            if let OptionKind::Choice(choices) = &option.kind {
                ui.label(choices[place].hover);
                ui.separator();
            }
            row.tooltip(ui);
        };
        if ui.add(button).on_hover_ui(hover).clicked() {
            chosen = Some(usual);
        }
    }
    chosen
}

/// Draws the input field of an option that is a number, unless its value is written as a word.
fn option_number(ui: &mut Ui, row: &Row<'_>, value: f32, option: &SearchOption) -> Option<f32> {
    let OptionKind::Number { least, most, whole, suffix, word, .. } = option.kind else { return None };
    if word.is_some_and(|(at, _)| same_value(value, at)) {
        return None;
    }
    // A narrow field leaves room for the key beside it.
    ui.spacing_mut().interact_size.x = 26.0;
    let mut number = value.clamp(least, most);
    let field = DragValue::new(&mut number).range(least..=most).speed(0.01 * (most - least)).suffix(suffix);
    let field = if whole { field.max_decimals(0) } else { field.max_decimals(2) };
    let changed = ui.add(field.update_while_editing(false)).on_hover_ui(|ui| row.tooltip(ui)).changed();
    changed.then_some(if whole { number.round() } else { number })
}

/// Draws the number of particles in each class, if the search has classes.
fn class_counts(ui: &mut Ui, report: &Report) {
    let (Some(running), Some(border)) = (&report.running, report.survey.and_then(|survey| survey.border)) else {
        return;
    };
    let inner = running.resolution.particle_count.saturating_sub(border);
    let text = format!("{} border, {} inner particles", format::count(border.into()), format::count(inner.into()));
    remark(ui, text);
}
