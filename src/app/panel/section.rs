//! A section of the panel: its heading, which folds it, and the rows below.

use bevy_egui::egui::{self, Align, FontId, Layout, Rect, Sense, Ui, WidgetInfo, WidgetType, collapsing_header};

use crate::app::theme::{ACCENT, TEXT, key_cap};
use crate::app::{Controls, Report};

/// Height of a heading, in points.
const HEIGHT: f32 = 20.0;
/// Width of the triangle before a heading, in points.
const TRIANGLE: f32 = 14.0;

/// A section of the panel.
pub(super) struct Section {
    /// Identifies the section in the user's settings.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// Labels of the keys that belong to the whole section.
    keys: fn() -> Vec<String>,
    /// Whether the section is open until the user folds it.
    open: bool,
    /// Draws the rows.
    draw: fn(&mut Ui, &mut Controls, &Report),
}

impl Section {
    /// A section that is open at first.
    pub(super) const fn new(
        name: &'static str,
        title: &'static str,
        draw: fn(&mut Ui, &mut Controls, &Report),
    ) -> Self {
        Self { name, title, keys: Vec::new, open: true, draw }
    }

    /// The section with keys at its heading.
    pub(super) const fn with_keys(self, keys: fn() -> Vec<String>) -> Self {
        Self { keys, ..self }
    }

    /// The section, folded at first.
    pub(super) const fn folded(self) -> Self {
        Self { open: false, ..self }
    }

    fn is_open(&self, controls: &Controls) -> bool {
        controls.panel.sections.get(self.name).copied().unwrap_or(self.open)
    }
}

/// Draws a section.
pub(super) fn section_ui(ui: &mut Ui, section: &Section, controls: &mut Controls, report: &Report) {
    let mut is_open = section.is_open(controls);
    if heading(ui, section, is_open) {
        is_open = !is_open;
        if is_open == section.open {
            controls.panel.sections.remove(section.name);
        } else {
            controls.panel.sections.insert(section.name.to_owned(), is_open);
        }
    }
    if is_open {
        ui.push_id(section.name, |ui| (section.draw)(ui, controls, report));
    }
}

/// Draws the heading, and returns whether it was clicked.
fn heading(ui: &mut Ui, section: &Section, is_open: bool) -> bool {
    ui.add_space(5.0);
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), HEIGHT), Sense::click());
    let info = || WidgetInfo::selected(WidgetType::CollapsingHeader, true, is_open, section.title);
    response.widget_info(info);
    let mut triangle = response.clone();
    triangle.rect = Rect::from_min_size(rect.min, egui::vec2(TRIANGLE, HEIGHT)).shrink2(egui::vec2(1.0, 4.0));
    collapsing_header::paint_default_icon(ui, if is_open { 1.0 } else { 0.0 }, &triangle);
    let color = if response.hovered() { TEXT } else { ACCENT };
    let galley = ui.painter().layout_no_wrap(section.title.to_owned(), FontId::proportional(13.0), color);
    let place = egui::pos2(rect.left() + TRIANGLE + 4.0, rect.center().y - 0.5 * galley.size().y);
    ui.painter().galley(place, galley, color);
    let mut keys = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    (section.keys)().iter().rev().for_each(|key| key_cap(&mut keys, key));
    let hover = if is_open { "folds this section" } else { "opens this section" };
    response.on_hover_text(hover).clicked()
}
