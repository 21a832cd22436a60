//! Draws the plots of the scene's probes.

use bevy_egui::egui::{self, Context, Id, Rangef, Rect, RichText, ScrollArea, Ui, Window};
use egui_plot::{Legend, Line, Plot, PlotPoints};

use super::theme::{curve_color, floating_frame, remark};
use super::{Controls, ProbeHistory, Report};

const PLOT_HEIGHT: f32 = 116.0;

/// Draws the readings of the scene's probes over the simulated time: one plot per unit, in a window over the scene.
pub fn probe_plots_ui(context: &Context, water: Rect, controls: &mut Controls, report: &Report) {
    if !controls.probes_open {
        return;
    }
    let mut open = true;
    let size = egui::vec2((0.42 * water.width()).clamp(180.0, 420.0), (water.height() - 90.0).clamp(120.0, 460.0));
    Window::new(RichText::new("Probes").size(13.5))
        .id(Id::new("probes"))
        .open(&mut open)
        .frame(floating_frame())
        .pivot(egui::Align2::RIGHT_TOP)
        .default_pos(water.right_top() + egui::vec2(-12.0, 12.0))
        .default_size(size)
        .constrain_to(water)
        .show(context, |ui| {
            ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| plots(ui, report));
        });
    controls.probes_open = open;
}

fn plots(ui: &mut Ui, report: &Report) {
    if let Some(error) = &report.probe_error {
        ui.colored_label(super::theme::WARNING, error);
    }
    let history = &*report.probes;
    let mut units: Vec<&str> = Vec::new();
    for (column, _) in history.columns() {
        if !units.contains(&column.unit) {
            units.push(column.unit);
        }
    }
    if units.is_empty() {
        remark(ui, "the scene has no probes; add a list `probes` to its file, as docs/PROBES.md describes");
    }
    for unit in units {
        remark(ui, unit);
        plot(ui, unit, history);
    }
}

/// Plots all columns of one unit.
fn plot(ui: &mut Ui, unit: &str, history: &ProbeHistory) {
    Plot::new(("probes", unit))
        .height(PLOT_HEIGHT)
        .legend(Legend::default().background_alpha(0.6))
        .allow_scroll(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_boxed_zoom(false)
        .show_grid([false, true])
        .grid_spacing(Rangef::new(14.0, 240.0))
        .show_x(true)
        .show(ui, |plot| {
            let of_unit = history.columns().filter(|(column, _)| column.unit == unit);
            for (place, (column, readings)) in of_unit.enumerate() {
                let read = history.times().iter().zip(readings).filter(|(_, reading)| reading.is_finite());
                let points: PlotPoints<'_> = read.map(|(&time, &reading)| [time, reading]).collect();
                plot.line(Line::new(column.name.replace('_', " "), points).color(curve_color(place)).width(1.5));
            }
        });
}
