//! The histogram of particles by value that the views of the laboratory share.

use bevy_egui::egui::Ui;
use egui_plot::{Bar, BarChart, Plot, VLine};

use crate::app::format;
use crate::app::theme::{ACCENT, QUIET, remark};

const HEIGHT: f32 = 92.0;

/// Draws how many particles lie in each bin, where `bins` divide the range into equal parts, with the mean as a line.
pub(super) fn histogram_ui(ui: &mut Ui, name: &'static str, (low, high): (f64, f64), mean: f64, bins: &[u32]) {
    // A range that consists of a single value still needs a positive bar width.
    let width = if high > low { (high - low) / bins.len().max(1) as f64 } else { 1.0 };
    let bars = bins.iter().enumerate().filter(|(_, count)| **count > 0).map(|(place, &count)| {
        let middle = low + (place as f64 + 0.5) * width;
        let from = format::number(middle - 0.5 * width);
        let to = format::number(middle + 0.5 * width);
        Bar::new(middle, count.into()).width(width).name(format!("{from} to {to}"))
    });
    let bars: Vec<Bar> = bars.collect();
    Plot::new(("histogram", name))
        .height(HEIGHT)
        .include_y(0.0)
        .include_x(low)
        .include_x(if high > low { high } else { low + 1.0 })
        .show_grid([false, true])
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show(ui, |plot| {
            plot.bar_chart(BarChart::new(name, bars).color(ACCENT));
            plot.vline(VLine::new("mean", mean).color(QUIET));
        });
    remark(ui, format!("particles by {name}; the line is the mean, {}", format::number(mean)));
}
