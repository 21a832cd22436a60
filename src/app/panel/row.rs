//! A row of the panel: the title of a value, the control that changes it, its key, and the way back to its default.
//!
//! Every value of the panel is shown by such a row, or stands in a section of its own with the same [`About`], so that
//! each has the same tooltip, is found by the filter, and can be reset.

use bevy_egui::egui::{self, Align, Button, DragValue, Layout, Response, RichText, Sense, Ui, WidgetInfo, WidgetType};

use super::filter;
use crate::app::Action;
use crate::app::theme::{self, key_cap, remark};

/// Width of the button that resets a value, in points.
const RESET: f32 = 18.0;
/// Share of the row's width that the title of a number takes.
const TITLES: f32 = 0.56;

/// What a tooltip says of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::app) struct About<'a> {
    /// What the value means, in a sentence.
    pub hover: &'a str,
    /// Unit; empty for what is not a number.
    pub unit: &'a str,
    /// Its field in scene files; empty if it is not in scene files.
    pub scene_key: &'a str,
    /// Its option on the command line; empty if it has none.
    pub option: &'a str,
}

/// Says nothing, for constants that fill in only some fields.
pub(super) const NOTHING: About<'static> = About { hover: "", unit: "", scene_key: "", option: "" };

impl About<'_> {
    /// Draws the tooltip; `default` is the default value as text, or empty.
    pub(super) fn tooltip(&self, ui: &mut Ui, default: &str) {
        if !self.hover.is_empty() {
            ui.label(self.hover);
        }
        let mut line = |words: &str, value: &str| {
            if !value.is_empty() {
                remark(ui, format!("{words}: {value}"));
            }
        };
        line("unit", self.unit);
        line("default", default);
        line("in scene files", self.scene_key);
        line("on the command line", self.option);
    }

    /// The texts by which the filter finds the value.
    pub(super) fn texts(&self) -> [&str; 4] {
        [self.hover, self.unit, self.scene_key, self.option]
    }
}

/// A row with the title of a value.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Row<'a> {
    /// The title.
    pub title: &'a str,
    /// What the tooltip says.
    pub about: About<'a>,
    /// The default as text; empty if the value has none.
    pub default: String,
    /// Whether the value differs from its default, so that the row offers the way back.
    pub differs: bool,
    /// The action whose key stands at the right.
    pub key: Option<Action>,
}

/// What the user did in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) enum Change<T> {
    /// Chose a value.
    To(T),
    /// Asked for the default.
    ToDefault,
}

impl<T> Change<T> {
    /// The chosen value.
    pub(in crate::app) fn or(self, default: T) -> T {
        match self {
            Self::To(value) => value,
            Self::ToDefault => default,
        }
    }
}

impl Row<'_> {
    /// Draws the row with a control that `add` draws after the title, whose response it is given. Returns what the user
    /// did, or `None` if nothing or if the filter hides the row.
    pub(in crate::app) fn show<T>(
        &self,
        ui: &mut Ui,
        add: impl FnOnce(&mut Ui, &Response) -> Option<T>,
    ) -> Option<Change<T>> {
        self.framed(ui, |ui| {
            let title = ui.label(self.title).on_hover_ui(|ui| self.tooltip(ui));
            add(ui, &title)
        })
    }

    /// Draws a row in which `add` draws the title too; the key and the way back to the default follow at the right.
    pub(in crate::app) fn framed<T>(&self, ui: &mut Ui, add: impl FnOnce(&mut Ui) -> Option<T>) -> Option<Change<T>> {
        let [hover, unit, scene_key, option] = self.about.texts();
        if !filter::shows(ui, &[self.title, hover, unit, scene_key, option]) {
            return None;
        }
        let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
        // The right end first, so that it keeps its place where the control takes several lines.
        let row = ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            self.key.into_iter().for_each(|key| key_cap(ui, &key.key_label()));
            let wants_default = self.differs && reset_button(ui, self.title, &self.default);
            let control = Layout::left_to_right(Align::Center).with_main_wrap(true);
            let chosen = ui.with_layout(control, add).inner;
            if wants_default { Some(Change::ToDefault) } else { chosen.map(Change::To) }
        });
        row.inner
    }

    /// Draws the tooltip.
    pub(in crate::app) fn tooltip(&self, ui: &mut Ui) {
        self.about.tooltip(ui, &self.default);
    }

    /// Draws a number that can be dragged or typed.
    pub(in crate::app) fn number(&self, ui: &mut Ui, number: Number) -> Option<Change<f32>> {
        let Number { value, speed, whole, range } = number;
        self.show(ui, |ui, title| {
            let titled = title.rect.width();
            // The numbers of a section begin at the same place.
            ui.add_space((TITLES * (ui.available_width() + titled) - titled).max(0.0));
            let unit = self.about.unit;
            let suffix = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            let mut new = value;
            let drag = DragValue::new(&mut new).speed(speed).suffix(suffix).update_while_editing(false);
            let drag = drag.max_decimals(if whole { 0 } else { 5 });
            let drag = if let Some([least, most]) = range { drag.range(least..=most) } else { drag };
            let response = ui.add(drag).on_hover_ui(|ui| self.tooltip(ui)).labelled_by(title.id);
            response.changed().then_some(if whole { new.round() } else { new })
        })
    }

    /// Draws a button for each choice after the title.
    pub(in crate::app) fn choices<'b, T: Copy + PartialEq>(
        &self,
        ui: &mut Ui,
        chosen: T,
        choices: impl IntoIterator<Item = Choice<'b, T>>,
    ) -> Option<Change<T>> {
        self.show(ui, |ui, _| self.choice_buttons(ui, chosen, choices))
    }

    /// As [`Row::choices`], with the buttons in a line of their own below the title.
    pub(in crate::app) fn choices_below<'b, T: Copy + PartialEq>(
        &self,
        ui: &mut Ui,
        chosen: T,
        choices: impl IntoIterator<Item = Choice<'b, T>>,
    ) -> Option<Change<T>> {
        let mut is_shown = false;
        let change = self.show(ui, |_, _| {
            is_shown = true;
            None
        });
        let buttons = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            self.choice_buttons(ui, chosen, choices)
        };
        let picked = if is_shown { ui.horizontal_wrapped(buttons).inner } else { None };
        change.or(picked.map(Change::To))
    }

    fn choice_buttons<'b, T: Copy + PartialEq>(
        &self,
        ui: &mut Ui,
        chosen: T,
        choices: impl IntoIterator<Item = Choice<'b, T>>,
    ) -> Option<T> {
        let mut picked = None;
        for Choice { value, label, hover } in choices {
            let button = Button::selectable(chosen == value, RichText::new(label).small());
            let response = ui.add(button.frame_when_inactive(true));
            let response = response.on_hover_ui(|ui| {
                if !hover.is_empty() {
                    ui.label(hover);
                    ui.separator();
                }
                self.tooltip(ui);
            });
            if response.clicked() && chosen != value {
                picked = Some(value);
            }
        }
        picked
    }

    /// Draws a checkbox, whose text is the title of the row.
    pub(in crate::app) fn switch(&self, ui: &mut Ui, on: bool) -> Option<Change<bool>> {
        self.framed(ui, |ui| {
            let mut new = on;
            let checkbox = ui.checkbox(&mut new, self.title).on_hover_ui(|ui| self.tooltip(ui));
            checkbox.changed().then_some(new)
        })
    }
}

/// A number of a row.
#[derive(Clone, Copy, Debug)]
pub(in crate::app) struct Number {
    /// The value.
    pub value: f32,
    /// Change of the value per point of dragging.
    pub speed: f64,
    /// Whether only whole numbers are accepted.
    pub whole: bool,
    /// Smallest and largest value that can be dragged; `None` if the simulation decides.
    pub range: Option<[f32; 2]>,
}

/// A choice of a row.
#[derive(Clone, Copy, Debug)]
pub(in crate::app) struct Choice<'a, T> {
    /// The value.
    pub value: T,
    /// The text of the button.
    pub label: &'a str,
    /// What is special about this choice; may be empty.
    pub hover: &'a str,
}

/// Draws the button that resets a value to its default, and returns whether it was clicked.
pub(super) fn reset_button(ui: &mut Ui, title: &str, default: &str) -> bool {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(RESET, RESET), Sense::click());
    let name = format!("Default of {title}");
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    let color = if response.hovered() { theme::TEXT } else { theme::WARNING };
    theme::back_arrow(ui.painter(), rect, color);
    let hover = if default.is_empty() { "back to the default".to_owned() } else { format!("back to {default}") };
    response.on_hover_text(hover).clicked()
}
