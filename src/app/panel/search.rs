//! The section of the panel that selects the neighbor search and its settings.

use bevy_egui::egui::{self, Button, DragValue, RichText, Ui};

use super::buttons::key_at_the_right;
use crate::app::theme::remark;
use crate::app::{Action, Controls, Report, format};
use crate::search::{OptionKind, SEARCHES, SearchOption, SearchOptions, same_value};

/// Draws a button for each search, the settings of the selected one, and the sizes of its classes.
pub(super) fn search_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // Two columns, so that the other controls stay visible.
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    for row in SEARCHES.chunks(2) {
        ui.horizontal(|ui| {
            for &search in row {
                let selected = *search == *controls.settings.search;
                let button = Button::selectable(selected, search.title)
                    .frame_when_inactive(true)
                    .min_size(egui::vec2(half, 0.0));
                let hover = |ui: &mut Ui| {
                    ui.label(search.idea);
                    remark(ui, search.paper);
                };
                if ui.add(button).on_hover_ui(hover).clicked() {
                    controls.choose_search(search);
                }
            }
        });
    }
    ui.add_space(2.0);
    for (place, option) in controls.settings.search.options.iter().copied().enumerate() {
        ui.horizontal(|ui| {
            if let Some(value) = option_buttons(ui, &controls.settings.options, option) {
                controls.choose_option(option, value);
            }
            if place == 0 {
                key_at_the_right(ui, Action::NextOption);
            }
        });
    }
    class_counts(ui, report);
}

/// Draws one setting of a search: a button for each usual value, and an input field if it is a number. Returns the
/// value that the user selected.
pub(in crate::app) fn option_buttons(
    ui: &mut Ui,
    options: &SearchOptions,
    option: &'static SearchOption,
) -> Option<f32> {
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.label(option.title).on_hover_text(option.hover);
    let value = options.value(option);
    let mut chosen = None;
    for (place, usual) in option.usual_values().into_iter().enumerate() {
        let button = Button::selectable(same_value(value, usual), RichText::new(option.label(usual)).small())
            .frame_when_inactive(true)
            .min_size(egui::vec2(26.0, 0.0));
        let hover = match &option.kind {
            OptionKind::Choice(choices) => choices[place].hover,
            OptionKind::Number { .. } => option.hover,
        };
        if ui.add(button).on_hover_text(hover).clicked() {
            chosen = Some(usual);
        }
    }
    if let OptionKind::Number { least, most, whole, suffix, word, .. } = option.kind
        && word.is_none_or(|(at, _)| !same_value(value, at))
    {
        // A narrow field leaves room for the key beside it.
        ui.spacing_mut().interact_size.x = 26.0;
        let mut number = value.clamp(least, most);
        let field = DragValue::new(&mut number).range(least..=most).speed(0.01 * (most - least)).suffix(suffix);
        let field = if whole { field.max_decimals(0) } else { field.max_decimals(2) };
        if ui.add(field.update_while_editing(false)).on_hover_text(option.hover).changed() {
            chosen = Some(if whole { number.round() } else { number });
        }
    }
    chosen
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
