//! The view "Cost maps": the work of the search for each particle, as colors in the scene, a histogram, and a few
//! numbers.

use bevy_egui::egui::{Button, Checkbox, Grid, RichText, ScrollArea, Ui};

use super::flatland::flatland_controls;
use super::histogram::histogram_ui;
use super::inspected::row;
use super::view::{Overlay, OverlayColor, ViewInfo};
use crate::app::theme::{TEXT, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{CostField, CostRequest, CostSummary, LabRequest};
use crate::render::{ColorField, CustomField, Mark};

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "cost_maps",
    title: "Cost maps",
    sentence: "The work of the search for each particle: brighter particles cost more.",
    legend: &[Mark::Highlighted, Mark::Plain],
    begin: ViewInfo::begin_as_it_is,
    request,
    overlay,
    controls,
    numbers,
    drawer: None,
};

fn request(controls: &Controls, _: &Report, request: &mut LabRequest) {
    request.cost = Some(controls.lab.cost);
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    // The range of another map would label the colors wrongly until the new one arrives.
    let found = report.lab.cost.as_ref().filter(|found| found.request == controls.lab.cost);
    let color = found.map(|found| OverlayColor {
        field: ColorField::custom(CustomField { label: label(found.request), unit: found.request.field.unit() }),
        range: Some((found.low, found.high)),
    });
    Overlay { color, ..Overlay::default() }
}

/// The title of a map in the legend.
fn label(request: CostRequest) -> &'static str {
    match (request.field, request.per_cell) {
        (field, false) => field.label(),
        (CostField::Candidates, true) => "candidates, cell mean",
        (CostField::Overhead, true) => "overhead, cell mean",
        (CostField::Neighbors, true) => "neighbors, cell mean",
        (CostField::Occupancy, true) => CostField::Occupancy.label(),
        (CostField::LanesIdle, true) => "lanes idle, cell mean",
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Color by", &[]);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for field in CostField::ALL {
            let button = Button::selectable(controls.lab.cost.field == field, RichText::new(field.label()).small());
            if ui.add(button.frame_when_inactive(true)).on_hover_text(field.sentence()).clicked() {
                controls.lab.cost.field = field;
            }
        }
    });
    remark(ui, controls.lab.cost.field.sentence());
    let has_cells = report.running.as_ref().is_some_and(|running| running.cells.is_some());
    ui.add_enabled(has_cells, Checkbox::new(&mut controls.lab.cost.per_cell, "mean over each cell"))
        .on_hover_text("every particle shows the mean of the particles in its cell")
        .on_disabled_hover_text("this search has no cells");
    flatland_controls(ui, controls, report);
}

/// A note that explains how to read a map for the running search.
fn caution(field: CostField, report: &Report) -> Option<String> {
    let running = report.running.as_ref()?;
    let title = running.settings.search.title;
    let shares_work = running.cells.is_some_and(|cells| cells.border.is_some());
    match field {
        CostField::Occupancy if running.cells.is_none() => {
            Some(format!("{title} has no cells, so all particles are counted as one cell."))
        }
        CostField::LanesIdle if shares_work => Some(format!(
            "{title} does not assign one lane to each particle: a group of lanes serves each coarse cell. The map \
             shows how long lanes would idle if the search gathered with one particle per lane in this order of the \
             particles; the view \"Subgroup schedule\" shows what {title} actually does."
        )),
        CostField::LanesIdle => Some(format!(
            "{title} gathers with one particle per lane, in the order of the particles in memory, so the map shows the \
             lanes of the search itself."
        )),
        _ => None,
    }
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let Some(found) = report.lab.cost.as_deref() else {
            remark(ui, "The map is being computed.");
            return;
        };
        ui.heading(RichText::new(title(found)).color(TEXT));
        cost_rows(ui, found, report);
        ui.add_space(4.0);
        let range = (f64::from(found.low), f64::from(found.high));
        histogram_ui(ui, label(found.request), range, found.mean, &found.bins);
        ui.add_space(4.0);
        if let Some(caution) = caution(found.request.field, report) {
            remark(ui, caution);
        }
        if !controls.paused {
            remark(ui, "The simulation is running: the counts are those of the last computed step.");
        }
        super::rectangle::rectangle_ui(ui, controls, report);
    });
}

fn title(found: &CostSummary) -> String {
    let mut label = label(found.request).to_owned();
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    label
}

fn cost_rows(ui: &mut Ui, found: &CostSummary, report: &Report) {
    let with_unit =
        |value: f64| format!("{} {}", format::number(value), found.request.field.unit()).trim_end().to_owned();
    Grid::new("cost rows").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        row(ui, "lowest", with_unit(found.low.into()), "the left end of the color scale");
        row(ui, "mean", with_unit(found.mean), "mean over all fluid particles");
        row(ui, "highest", with_unit(found.high.into()), "the right end of the color scale");
        row(ui, "particles", format::count(found.with_value.into()), "fluid particles that have a value");
        if found.without_value > 0 {
            let hover = "a particle without neighbors has no overhead; it is drawn gray";
            row(ui, "without value", format::count(found.without_value.into()), hover);
        }
        if report.running.as_ref().is_some_and(|running| running.cells.is_some()) {
            let hover = "number of particles in the cell that contains the most particles";
            row(ui, "fullest cell", format::count(found.fullest_cell.into()), hover);
        }
        if found.request.field == CostField::LanesIdle {
            let hover = "lanes that run in lockstep on this device; the map groups this many consecutive particles";
            row(ui, "subgroup", format!("{} lanes", found.subgroup_size), hover);
        }
    });
}
