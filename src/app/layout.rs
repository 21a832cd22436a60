use bevy_egui::egui::{self, Id, Panel, Rect, Ui};

use super::theme::{floating_frame, panel_frame};
use super::{Controls, Report, help_ui, legend_ui, notices_ui, overlay_height, overlay_ui, panel_ui, probe_plots_ui};

/// Below this width the panel takes less of the window.
const WIDE: f32 = 900.0;

/// The whole window: overlay below, panel at the left, messages, legend and keys over the water. Returns the part
/// that is left to the water.
pub fn window_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) -> Rect {
    let window = ui.max_rect();
    let height = overlay_height(window.height());
    Panel::bottom("overlay")
        .exact_size(height)
        .resizable(false)
        .frame(panel_frame())
        .show(ui, |ui| overlay_ui(ui, controls, report));
    if controls.panel_open {
        let width = if window.width() >= WIDE { 280.0 } else { 240.0 };
        Panel::left("panel")
            .exact_size(width)
            .resizable(false)
            .frame(panel_frame())
            .show(ui, |ui| panel_ui(ui, controls, report));
    }
    let water = ui.available_rect_before_wrap();
    floating_legend(ui, water, controls, report);
    probe_plots_ui(ui.ctx(), water, controls, report);
    notices_ui(ui.ctx(), water, controls, report);
    help_ui(ui.ctx(), water, controls, report);
    water
}

/// The legend at the water's lower left corner, where neither scrolling nor a hidden panel takes it away.
fn floating_legend(ui: &Ui, water: Rect, controls: &Controls, report: &Report) {
    let width = (water.width() - 40.0).clamp(80.0, 260.0);
    egui::Area::new(Id::new("legend"))
        .interactable(false)
        .order(egui::Order::Middle)
        .pivot(egui::Align2::LEFT_BOTTOM)
        .fixed_pos(water.left_bottom() + egui::vec2(12.0, -12.0))
        .show(ui.ctx(), |ui| {
            floating_frame().show(ui, |ui| {
                ui.set_width(width);
                legend_ui(ui, controls.field, report);
            });
        });
}
