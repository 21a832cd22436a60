//! The numbers of all particles in a selected rectangle, as sums and histograms.

use bevy_egui::egui::{Grid, Ui};

use super::LabSelection;
use super::histogram::histogram_ui;
use super::inspected::row;
use crate::app::theme::{WARNING, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{MOST_GATHERED, Spread};

/// Shows the numbers of the selected particles; nothing unless several particles are selected.
pub(super) fn rectangle_ui(ui: &mut Ui, controls: &Controls, report: &Report) {
    let LabSelection::Particles(selected) = &controls.lab.selection else { return };
    section(ui, "Selected particles", &[]);
    ui.heading(format::count(selected.len() as u64));
    if selected.len() > MOST_GATHERED {
        let most = format::count(MOST_GATHERED as u64);
        let rest = format::count((selected.len() - MOST_GATHERED) as u64);
        ui.colored_label(WARNING, format!("The numbers cover the first {most} particles; {rest} more are left out."));
    }
    let Some(found) = report.lab.gathered.as_deref().filter(|found| *found.chosen == *controls.lab.chosen.identities)
    else {
        remark(ui, "The numbers are being read back.");
        return;
    };
    let unit = |value: f64, unit: &str| format!("{} {unit}", format::number(value)).trim_end().to_owned();
    Grid::new("rectangle rows").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let count = format::count(found.found as u64);
        row(ui, "particles", count, "particles in the rectangle, including hidden ones");
        if let Some(border) = found.border {
            row(ui, "border", format::count(border as u64), "within the radius of another coarse cell");
            row(
                ui,
                "inner",
                format::count((found.found - border) as u64),
                "farther than the radius from other coarse cells",
            );
        }
        row(ui, "candidates", format::number(found.candidates.sum), "distances that the search computed for them");
        row(ui, "neighbors", format::number(found.neighbors.sum), "candidates within the support radius");
        let overhead = found.candidates.sum / found.neighbors.sum.max(1.0);
        row(ui, "overhead", unit(overhead, "per neighbor"), "all candidates divided by all neighbors");
        row(ui, "mean density", unit(found.density.mean(), "kg/m³"), "of the last density pass");
        row(ui, "mean speed", unit(found.speed.mean(), "m/s"), "after the last step");
    });
    let spreads: [(&'static str, &Spread); 5] = [
        ("candidates", &found.candidates),
        ("neighbors", &found.neighbors),
        ("overhead", &found.overhead),
        ("density in kg/m³", &found.density),
        ("speed in m/s", &found.speed),
    ];
    for (name, spread) in spreads {
        ui.add_space(4.0);
        if spread.count == 0 {
            remark(ui, format!("None of the selected particles has a value for {name}."));
            continue;
        }
        histogram_ui(ui, name, (spread.low, spread.high), spread.mean(), &spread.bins);
    }
}
