//! Arranges the parts of the window: panel, overlay, laboratory, and what floats over the scene.

use bevy_egui::egui::{self, Id, Panel, Rect, Ui};

use super::attract::show_caption_ui;
use super::badge_ui::badge_ui;
use super::code::{chip_ui, code_panel};
use super::explain::explain_panel;
use super::hands::gizmo_ui;
use super::laboratory::{lab_drawer_ui, lab_left_ui, lab_numbers_ui, lab_over_scene_ui};
use super::legend::range_legend_ui;
use super::lessons::{Room, lessons_ui};
use super::presenter::caption_ui;
use super::theme::{floating_frame, panel_frame};
use super::{Controls, Report, help_ui, notices_ui, overlay_height, overlay_ui, panel_ui, probe_plots_ui};

/// In windows narrower than this, in points, the panel is narrower and its widest rows are clipped. With a text size of
/// 250 % a window of 1,280 pixels is about 510 points wide.
const WIDE: f32 = 500.0;

/// Draws the whole window: the overlay at the bottom, the panel at the left, and messages, legend and keys over the
/// scene. Returns the part that shows the scene.
pub fn window_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) -> Rect {
    let room = lessons_ui(ui, controls, report);
    if controls.lab.open {
        return laboratory_ui(ui, controls, report, room);
    }
    let window = ui.available_rect_before_wrap();
    if !controls.presenting {
        // The explanations need the height that the overlay would take.
        explain_panel(ui, controls, report);
    }
    let height = overlay_height(window.height());
    Panel::bottom("overlay")
        .exact_size(height)
        .resizable(false)
        .frame(panel_frame())
        .show(ui, |ui| overlay_ui(ui, controls, report));
    if controls.presenting {
        let water = ui.available_rect_before_wrap();
        gizmo_ui(ui.ctx(), water, controls, report);
        if controls.attract.on {
            show_caption_ui(ui.ctx(), water, controls, report);
        } else {
            caption_ui(ui.ctx(), water, controls, report);
        }
        notices_ui(ui.ctx(), water, controls, report);
        help_ui(ui.ctx(), water, controls, report);
        return water;
    }
    if controls.panel_open && room.left {
        let width = if window.width() >= WIDE { 280.0 } else { 240.0 };
        Panel::left("panel")
            .exact_size(width)
            .resizable(false)
            .frame(panel_frame())
            .show(ui, |ui| panel_ui(ui, controls, report));
    }
    code_side_ui(ui, controls, report);
    let water = ui.available_rect_before_wrap();
    let legend = floating_legend(ui, water, controls, report);
    chip_ui(ui.ctx(), water, controls, report);
    badge_ui(ui.ctx(), water, legend, controls, report);
    gizmo_ui(ui.ctx(), water, controls, report);
    show_caption_ui(ui.ctx(), water, controls, report);
    probe_plots_ui(ui.ctx(), water, controls, report);
    notices_ui(ui.ctx(), water, controls, report);
    help_ui(ui.ctx(), water, controls, report);
    water
}

/// Draws the window while the laboratory is open: views at the left, numbers at the right, a drawer at the bottom.
fn laboratory_ui(ui: &mut Ui, controls: &mut Controls, report: &Report, room: Room) -> Rect {
    let window = ui.available_rect_before_wrap();
    if let Some(share) = controls.lab.drawer_wanted.take() {
        let size = egui::vec2(window.width(), share * window.height());
        let state = egui::containers::panel::PanelState { outer_rect: Rect::from_min_size(window.min, size) };
        ui.data_mut(|data| data.insert_persisted(Id::new("laboratory drawer"), state));
    }
    let drawer = Panel::bottom("laboratory drawer")
        .default_size(controls.lab.drawer_share * window.height())
        .size_range(84.0..=0.67 * window.height())
        .resizable(true)
        .frame(panel_frame())
        .show(ui, |ui| {
            // Before anything is in it: the panel is as high as its content, and would shrink to it.
            ui.take_available_height();
            lab_drawer_ui(ui, controls, report);
        });
    controls.lab.drawer_share = drawer.response.rect.height() / window.height().max(1.0);
    if !controls.lab.presenting {
        let width = if window.width() >= WIDE { 272.0 } else { 230.0 };
        if room.left {
            Panel::left("laboratory views")
                .exact_size(width)
                .resizable(false)
                .frame(panel_frame())
                .show(ui, |ui| lab_left_ui(ui, controls, report));
        }
        // The explanations and the code pane take the place of the numbers, which would leave little of the scene.
        if room.numbers && !controls.code.open && !controls.explain.open {
            Panel::right("laboratory numbers")
                .exact_size(width)
                .resizable(false)
                .frame(panel_frame())
                .show(ui, |ui| lab_numbers_ui(ui, controls, report));
        }
    }
    explain_panel(ui, controls, report);
    code_side_ui(ui, controls, report);
    let water = ui.available_rect_before_wrap();
    chip_ui(ui.ctx(), water, controls, report);
    let legend = lab_over_scene_ui(ui, water, controls, report);
    badge_ui(ui.ctx(), water, legend, controls, report);
    notices_ui(ui.ctx(), water, controls, report);
    help_ui(ui.ctx(), water, controls, report);
    water
}

/// Draws the code pane at the right, if it is open.
fn code_side_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if controls.code.open {
        let window = ui.max_rect().width();
        Panel::right("code")
            .default_size(0.42 * window)
            .size_range(0.25 * window..=0.65 * window)
            .resizable(true)
            .frame(panel_frame())
            .show(ui, |ui| code_panel(ui, controls, report));
    }
}

/// Draws the legend at the lower left corner of the scene, where it stays visible when the panel is scrolled or hidden.
/// Returns the rectangle that it covers; `None` where the picture shows no values.
fn floating_legend(ui: &Ui, water: Rect, controls: &Controls, report: &Report) -> Option<Rect> {
    // In attract mode the caption is at the same place, and nobody reads values.
    if !controls.depiction().shows_field() || controls.attract.on {
        return None;
    }
    let width = (0.6 * water.width()).clamp(80.0, 260.0);
    let area = egui::Area::new(Id::new("legend"))
        .interactable(false)
        .order(egui::Order::Middle)
        .pivot(egui::Align2::LEFT_BOTTOM)
        .fixed_pos(water.left_bottom() + egui::vec2(12.0, -12.0))
        .show(ui.ctx(), |ui| {
            floating_frame().show(ui, |ui| {
                ui.set_width(width);
                let range = controls.shown_recording().and(report.playback.range);
                let field = controls.depiction().field;
                let range = range.filter(|_| field != controls.field);
                range_legend_ui(ui, field, range, report);
            });
        });
    Some(area.response.rect)
}
