//! The layout of the laboratory in the window: the views at the left, the numbers at the right, the drawer below, and
//! labels, a legend and one sentence over the scene.

use bevy_egui::egui::{self, Align2, Button, Color32, FontId, Id, Rect, RichText, ScrollArea, Ui};

use super::cut_box::cut_controls;
use super::{Drawer, LabSelection, VIEWS};
use crate::app::legend::range_legend_ui;
use crate::app::overlay::overlay_ui;
use crate::app::panel::search_section;
use crate::app::theme::{ACCENT, QUIET, SURFACE, TEXT, WARNING, floating_frame, key_cap, mark_color};
use crate::app::{Action, Controls, Report};
use crate::render::Mark;

/// The left side: the views with their keys, the running search and its settings, and the controls of the view.
pub fn lab_left_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let margin = egui::Margin { right: 10, ..egui::Margin::ZERO };
    ScrollArea::vertical().auto_shrink(false).content_margin(margin).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.heading(RichText::new("Laboratory").strong());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let close = Button::new("Close").shortcut_text(Action::ToggleLaboratory.key_label());
                if ui.add(close).on_hover_text("closes the laboratory").clicked() {
                    controls.act(Action::ToggleLaboratory, report);
                }
                crate::app::lessons::lessons_button(ui, controls, report);
            });
        });
        for (place, view) in VIEWS.iter().enumerate() {
            ui.horizontal(|ui| {
                let button = Button::selectable(controls.lab.view == place, view.title)
                    .frame_when_inactive(true)
                    .min_size(egui::vec2(ui.available_width() - 26.0, 0.0));
                if ui.add(button).on_hover_text(view.sentence).clicked() {
                    controls.act(Action::ChooseView(place), report);
                }
                key_cap(ui, &Action::ChooseView(place).key_label());
            });
        }
        (controls.lab.view().controls)(ui, controls, report);
        cut_controls(ui, controls, report);
        search_section(ui, controls, report);
    });
}

/// The right side: the numbers of the selection.
pub fn lab_numbers_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if let Some(error) = &report.lab.error {
        ui.colored_label(WARNING, error);
    }
    (controls.lab.view().numbers)(ui, controls, report);
}

/// The drawer below the scene: the passes of a time step, or the content of the view.
pub fn lab_drawer_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let view = controls.lab.view();
    if let Some(drawer) = view.drawer {
        ui.horizontal(|ui| {
            for (choice, words) in [(Drawer::View, view.title), (Drawer::Time, "Passes")] {
                let selected = controls.lab.drawer == choice;
                if ui.add(Button::selectable(selected, words).frame_when_inactive(true)).clicked() {
                    controls.lab.drawer = choice;
                }
            }
        });
        if controls.lab.drawer == Drawer::View {
            drawer(ui, controls, report);
            return;
        }
    }
    overlay_ui(ui, controls, report);
}

/// Draws over the scene: labels, the legend of roles, and the sentence that describes the view. Returns the part of the
/// window that the legend of the color field covers, if it is shown.
pub fn lab_over_scene_ui(ui: &Ui, water: Rect, controls: &Controls, report: &Report) -> Option<Rect> {
    labels(ui, water, controls);
    let view = controls.lab.view();
    egui::Area::new(Id::new("laboratory legend"))
        .interactable(false)
        .order(egui::Order::Middle)
        .pivot(Align2::CENTER_TOP)
        .fixed_pos(water.center_top() + egui::vec2(0.0, 10.0))
        .show(ui.ctx(), |ui| {
            floating_frame().show(ui, |ui| {
                ui.set_max_width((water.width() - 40.0).clamp(120.0, 760.0));
                ui.label(RichText::new(view.sentence).color(TEXT));
                let roles_are_shown = !controls.lab.overlay.markings.is_empty();
                let has_many = matches!(controls.lab.selection, LabSelection::Particles(_));
                let legend = if has_many { &[Mark::Highlighted, Mark::Plain] } else { view.legend };
                let wrong = report.badge.wrong.is_some().then_some(&Mark::Wrong);
                if (!legend.is_empty() || wrong.is_some()) && roles_are_shown {
                    ui.horizontal_wrapped(|ui| legend.iter().chain(wrong).for_each(|&mark| role(ui, mark)));
                }
            });
        });
    column_titles(ui, water, controls, report);
    let legend = field_legend(ui, water, controls, report);
    if let Some(band) = controls.lab.band {
        let painter = ui.painter().with_clip_rect(water);
        painter.rect(band, 0, ACCENT.gamma_multiply(0.12), egui::Stroke::new(1.0, ACCENT), egui::StrokeKind::Inside);
    }
    legend
}

/// Draws the legend of the color field, if the particles are colored by a field, and returns its rectangle.
fn field_legend(ui: &Ui, water: Rect, controls: &Controls, report: &Report) -> Option<Rect> {
    let overlay = &controls.lab.overlay;
    let is_colored = overlay.markings.first().is_none_or(|marking| marking.others == Mark::Plain);
    // A stage shows no fluid, so there is nothing to explain.
    if !is_colored || overlay.stage.is_some() {
        return None;
    }
    let (field, range) = overlay.color.map_or((controls.field, None), |color| (color.field, color.range));
    let area = egui::Area::new(Id::new("laboratory field legend"))
        .interactable(false)
        .order(egui::Order::Middle)
        .pivot(Align2::LEFT_BOTTOM)
        .fixed_pos(water.left_bottom() + egui::vec2(12.0, -12.0))
        .show(ui.ctx(), |ui| {
            floating_frame().show(ui, |ui| {
                ui.set_width((water.width() - 40.0).clamp(80.0, 300.0));
                range_legend_ui(ui, field, range, report);
            });
        });
    Some(area.response.rect)
}

/// One role of the legend: its shape, its color and its name.
fn role(ui: &mut Ui, mark: Mark) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(14.0, 14.0), egui::Sense::hover());
    let color = mark_color(mark);
    let (center, radius) = (rect.center(), 5.0);
    match mark {
        Mark::Rejected | Mark::Dropped => {
            ui.painter().circle_stroke(center, radius - 1.0, egui::Stroke::new(2.0, color));
        }
        Mark::Picked => {
            ui.painter().circle_filled(center, 3.5, color);
            ui.painter().circle_stroke(center, radius + 0.5, egui::Stroke::new(1.2, color));
        }
        // As in the scene, these two roles keep the color of the field and differ only in their outlines.
        Mark::Highlighted => {
            ui.painter().circle(center, radius, color, egui::Stroke::new(1.5, Color32::WHITE));
        }
        Mark::Visitor => {
            ui.painter().circle(center, radius, color, egui::Stroke::new(1.5, Color32::BLACK));
        }
        _ => {
            ui.painter().circle_filled(center, radius, color);
        }
    }
    ui.label(RichText::new(mark.label()).small().color(TEXT));
    ui.add_space(6.0);
}

fn labels(ui: &Ui, water: Rect, controls: &Controls) {
    let Some(projector) = controls.lab.projector.filter(|_| controls.lab.columns() == 0) else { return };
    let painter = ui.painter().with_clip_rect(water);
    for label in &controls.lab.overlay.labels {
        let Some(place) = projector.place(label.place) else { continue };
        let (color, size) = if label.is_current { (ACCENT, 15.0) } else { (TEXT, 12.0) };
        let galley = painter.layout_no_wrap(label.text.clone(), FontId::proportional(size), color);
        let rect = Align2::CENTER_CENTER.anchor_size(place, galley.size());
        painter.rect_filled(rect.expand(2.0), 3, SURFACE.gamma_multiply(0.7));
        painter.galley(rect.min, galley, color);
    }
}

/// With several searches side by side, draws the title of each in its column.
fn column_titles(ui: &Ui, water: Rect, controls: &Controls, report: &Report) {
    if controls.lab.columns() == 0 {
        return;
    }
    let running =
        report.running.as_ref().map_or(controls.settings.search.title, |running| running.settings.search.title);
    let titles: Vec<&str> = [running]
        .into_iter()
        .chain(controls.lab.request.compared.iter().map(|configuration| configuration.search.title))
        .collect();
    let width = water.width() / titles.len() as f32;
    let painter = ui.painter().with_clip_rect(water);
    for (place, title) in titles.iter().enumerate() {
        let left = water.left() + width * place as f32;
        let at = egui::pos2(left + 0.5 * width, water.bottom() - 14.0);
        painter.text(at, Align2::CENTER_BOTTOM, title, FontId::proportional(15.0), TEXT);
        if place > 0 {
            painter.vline(left, water.y_range(), egui::Stroke::new(1.0, QUIET));
        }
    }
}
