//! A section of the panel: its heading, which folds it, and the rows below.

use bevy_egui::egui::{self, Align, FontId, Layout, Rect, Sense, Ui, WidgetInfo, WidgetType, collapsing_header};

use super::filter;
use super::row::{About, NOTHING, reset_button};
use crate::app::theme::{ACCENT, TEXT, key_cap, remark};
use crate::app::{Controls, Report};

/// Height of a heading, in points.
const HEIGHT: f32 = 20.0;
/// Space above a heading, in points.
const SPACE: f32 = 5.0;
/// Width of the triangle before a heading, in points.
const TRIANGLE: f32 = 14.0;

/// A section of the panel.
pub(super) struct Section {
    /// Identifies the section in the user's settings.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// What the tooltip of the heading says.
    pub about: About<'static>,
    /// Labels of the keys that belong to the whole section.
    pub keys: fn() -> Vec<String>,
    /// The default of a section that is about one value.
    pub default: Option<Default>,
    /// Whether the section is open until the user folds it.
    pub open: bool,
    /// Draws the rows.
    pub draw: fn(&mut Ui, &mut Controls, &Report),
}

/// The default of a section that is about one value.
pub(super) struct Default {
    /// The default as text.
    pub words: fn(&Controls) -> String,
    /// Whether the value differs from it.
    pub differs: fn(&Controls) -> bool,
    /// Returns to the default.
    pub restore: fn(&mut Controls),
}

impl Section {
    /// A section that is open at first, without keys and default.
    pub(super) const fn new(
        name: &'static str,
        title: &'static str,
        draw: fn(&mut Ui, &mut Controls, &Report),
    ) -> Self {
        Self { name, title, about: NOTHING, keys: Vec::new, default: None, open: true, draw }
    }

    fn is_open(&self, controls: &Controls) -> bool {
        controls.panel.is_searched || controls.panel.sections.get(self.name).copied().unwrap_or(self.open)
    }
}

/// Draws a section. While the panel is filtered, sections are drawn with the rows that the filter shows, even if they
/// are folded; returns whether anything was drawn.
pub(super) fn section_ui(ui: &mut Ui, section: &Section, controls: &mut Controls, report: &Report) -> bool {
    if filter::is_active(ui) {
        return filtered_ui(ui, section, controls, report);
    }
    let mut is_open = section.is_open(controls);
    ui.add_space(SPACE);
    let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), HEIGHT));
    if heading(ui, rect, section, is_open, controls) {
        is_open = !is_open;
        controls.panel.is_searched = false;
        if is_open == section.open {
            controls.panel.sections.remove(section.name);
        } else {
            controls.panel.sections.insert(section.name.to_owned(), is_open);
        }
    }
    if is_open {
        let place = ui.available_rect_before_wrap();
        draw_rows(ui, place, section, controls, report);
    }
    true
}

/// Draws the rows of a section at a place. A row that is too wide is clipped, and does not make the panel wider, which
/// would move the right ends of all other rows out of sight.
fn draw_rows(ui: &mut Ui, place: Rect, section: &Section, controls: &mut Controls, report: &Report) -> Rect {
    let rows = egui::UiBuilder::new().id_salt(section.name).max_rect(place).layout(Layout::top_down(Align::Min));
    let mut rows = ui.new_child(rows);
    (section.draw)(&mut rows, controls, report);
    let drawn = rows.min_rect();
    let drawn = drawn.with_max_x(drawn.right().min(place.right()));
    if !filter::is_active(ui) || filter::shown(ui) > 0 {
        ui.advance_cursor_after_rect(drawn);
    }
    drawn
}

/// Draws the rows that the filter shows, and above them the heading, which is known to be needed only afterwards.
fn filtered_ui(ui: &mut Ui, section: &Section, controls: &mut Controls, report: &Report) -> bool {
    let Section { title, about, .. } = section;
    filter::begin_section(ui, &format!("{title} {}", about.texts().join(" ")));
    let whole = ui.available_rect_before_wrap();
    let heading_rect = Rect::from_min_size(whole.min + egui::vec2(0.0, SPACE), egui::vec2(whole.width(), HEIGHT));
    let below = whole.with_min_y(heading_rect.bottom() + ui.spacing().item_spacing.y);
    draw_rows(ui, below, section, controls, report);
    if filter::shown(ui) == 0 {
        return false;
    }
    heading(ui, heading_rect, section, true, controls);
    true
}

/// Draws the heading, and returns whether it was clicked.
fn heading(ui: &mut Ui, rect: Rect, section: &Section, is_open: bool, controls: &mut Controls) -> bool {
    let response = ui.interact(rect, ui.id().with(("heading", section.name)), Sense::click());
    let info = || WidgetInfo::selected(WidgetType::CollapsingHeader, true, is_open, section.title);
    response.widget_info(info);
    let mut triangle = response.clone();
    triangle.rect = Rect::from_min_size(rect.min, egui::vec2(TRIANGLE, HEIGHT)).shrink2(egui::vec2(1.0, 4.0));
    collapsing_header::paint_default_icon(ui, if is_open { 1.0 } else { 0.0 }, &triangle);
    let color = if response.hovered() { TEXT } else { ACCENT };
    let galley = ui.painter().layout_no_wrap(section.title.to_owned(), FontId::proportional(13.0), color);
    let place = egui::pos2(rect.left() + TRIANGLE + 4.0, rect.center().y - 0.5 * galley.size().y);
    ui.painter().galley(place, galley, color);
    let default = section.default.as_ref().map(|default| (default.words)(controls)).unwrap_or_default();
    let response = response.on_hover_ui(|ui| {
        section.about.tooltip(ui, &default);
        remark(ui, if is_open { "click to fold this section" } else { "click to open this section" });
    });
    let right = egui::UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center));
    let mut right = ui.new_child(right);
    (section.keys)().iter().rev().for_each(|key| key_cap(&mut right, key));
    if let Some(value) = section.default.as_ref().filter(|value| (value.differs)(controls))
        && reset_button(&mut right, section.title, &default)
    {
        (value.restore)(controls);
    }
    response.clicked()
}
