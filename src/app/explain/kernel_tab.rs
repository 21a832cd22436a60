//! The tab of the smoothing kernel: its formula, and plots of W and its derivative with the neighbors of the selected
//! particle on the curves.

use bevy_egui::egui::{Margin, RichText, ScrollArea, Ui};
use egui_plot::{Line, Plot, PlotPoints, Points, VLine};

use super::formulas::symbols_ui;
use super::{idea, title};
use crate::app::theme::{ACCENT, TEXT, WARNING, curve_color, remark, section};
use crate::app::{Action, Controls, Report, format};
use crate::explanation::{Symbol, Unit, Values};
use crate::fluid::{Dimensions, SmoothingKernel};

/// Number of points of a curve.
const POINTS: u32 = 200;
/// The part of the plots beyond the support radius, in support radii.
const BEYOND: f64 = 0.12;
const PLOT_HEIGHT: f32 = 150.0;

const SYMBOLS: &[Symbol] = &[
    Symbol::new("R", "support radius: W is zero from here on", Unit::Meters),
    Symbol::new("σ", "factor that makes the integral of W 1", Unit::Number),
    Symbol::new("W(0)", "value at the particle itself", Unit::Number),
    Symbol::new("k", "neighbors of the selected particle", Unit::Count),
    Symbol::new("∑ W", "sum over these neighbors and the particle: its density over its mass", Unit::Number),
];

/// A kernel at a radius.
struct Shown {
    kernel: SmoothingKernel,
    dimensions: Dimensions,
    radius: f64,
}

impl Shown {
    fn value(&self, distance: f64) -> f64 {
        self.kernel.value(self.dimensions, self.radius, distance)
    }

    fn derivative(&self, distance: f64) -> f64 {
        // Two coincident particles exert no force on each other.
        let derivative = self.kernel.derivative(self.dimensions, self.radius, distance);
        if derivative.is_finite() { derivative } else { 0.0 }
    }
}

pub(super) fn kernel_tab(ui: &mut Ui, controls: &Controls, report: &Report) {
    let kernel = controls.settings.kernel;
    let texts = kernel.explanation();
    let margin = Margin { right: 10, ..Margin::ZERO };
    ScrollArea::vertical().id_salt("explain kernel").auto_shrink(false).content_margin(margin).show(ui, |ui| {
        title(ui, kernel.label(), texts.source);
        idea(ui, &texts.sentences);
        section(ui, "Formula, with q = |x| / R", &[]);
        for line in texts.value.iter().chain(texts.derivative) {
            ui.label(RichText::new(format!("  {line}")).monospace().color(ACCENT));
        }
        let dimensions = report.running.as_ref().map_or(Dimensions::Three, |running| running.scene.dimensions);
        let [two, three] = texts.normalization;
        let normalization = if dimensions == Dimensions::Two { two } else { three };
        ui.label(RichText::new(format!("  σ = {normalization}")).monospace().color(ACCENT));
        let Some(running) = &report.running else {
            remark(ui, "The plots appear as soon as a simulation runs.");
            return;
        };
        let shown = Shown { kernel, dimensions, radius: f64::from(running.resolution.support_radius) };
        let distances = neighbor_distances(report);
        plots(ui, &shown, &distances);
        if distances.is_empty() {
            remark(
                ui,
                format!(
                    "Select a particle in the laboratory (key {}) to see where its neighbors stand on the curves.",
                    Action::ToggleLaboratory.key_label()
                ),
            );
        }
        section(ui, "Symbols", &[]);
        symbols_ui(ui, "symbols of the kernel", SYMBOLS, &values(&shown, &distances));
        if !distances.is_empty() {
            let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
            remark(
                ui,
                format!(
                    "The nearest neighbor is at {}, q = {}.",
                    format::length(nearest),
                    format::number(nearest / shown.radius)
                ),
            );
        }
    });
}

/// Distances of the selected particle from its neighbors, m; empty if no particle is selected and recorded.
pub(super) fn neighbor_distances(report: &Report) -> Vec<f64> {
    let inspection = report.lab.inspection.as_ref();
    let particle = inspection.and_then(|inspection| inspection.recording.particles.first());
    let accepted = particle.into_iter().flat_map(|particle| &particle.tested).filter(|tested| tested.accepted);
    accepted.map(|tested| f64::from(tested.distance_squared).sqrt()).collect()
}

fn values(shown: &Shown, distances: &[f64]) -> Values {
    let mut values: Values = [
        ("R", shown.radius),
        ("σ", shown.kernel.normalization(shown.dimensions, shown.radius)),
        ("W(0)", shown.value(0.0)),
    ]
    .into_iter()
    .collect();
    if !distances.is_empty() {
        values.set("k", distances.len() as f64);
        values.set("∑ W", shown.value(0.0) + distances.iter().map(|distance| shown.value(*distance)).sum::<f64>());
    }
    values
}

/// Draws W and its derivative over the distance, with the support radius and the neighbors of the selected particle.
fn plots(ui: &mut Ui, shown: &Shown, distances: &[f64]) {
    let unit = if shown.dimensions == Dimensions::Two { ["1/m²", "1/m³"] } else { ["1/m³", "1/m⁴"] };
    let value = |distance| shown.value(distance);
    let derivative = |distance| shown.derivative(distance);
    let curves: [(&str, &dyn Fn(f64) -> f64); 2] = [("W", &value), ("dW/dr", &derivative)];
    for (place, (name, curve)) in curves.into_iter().enumerate() {
        ui.add_space(4.0);
        ui.label(
            RichText::new(format!("{name}, {}, over the distance r in m; the vertical line is R", unit[place]))
                .small()
                .color(TEXT),
        );
        let end = (1.0 + BEYOND) * shown.radius;
        let line: PlotPoints<'_> =
            (0..=POINTS).map(|step| end * f64::from(step) / f64::from(POINTS)).map(|r| [r, curve(r)]).collect();
        let neighbors: PlotPoints<'_> = distances.iter().map(|&r| [r, curve(r)]).collect();
        Plot::new(("kernel", name))
            .height(PLOT_HEIGHT)
            .allow_scroll(false)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_boxed_zoom(false)
            .show_x(true)
            .include_x(0.0)
            .include_x(end)
            .show(ui, |plot| {
                plot.vline(VLine::new("support radius R", shown.radius).color(WARNING).width(1.6));
                plot.line(Line::new(name, line).color(curve_color(place)).width(1.8));
                plot.points(Points::new("neighbors", neighbors).radius(3.5).color(curve_color(4)));
            });
    }
}
