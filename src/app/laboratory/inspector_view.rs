//! The view "Inspector": one particle, the cells that the search visits for it, in order, the candidates that it
//! rejects, and the neighbors that it finds; side by side for up to four searches.

use std::sync::Arc;

use bevy_egui::egui::{self, Button, Grid, RichText, ScrollArea, Slider, TextEdit, Ui};
use glam::{UVec3, Vec3};

use super::LabSelection;
use super::flatland::flatland_controls;
use super::inspected::{Visits, first_particle, row};
use super::rectangle::rectangle_ui;
use super::view::{Label, Overlay, ViewInfo};
use crate::app::theme::{remark, section};
use crate::app::{Action, Controls, Report, format};
use crate::laboratory::{Inspection, LabRequest, MOST_COLUMNS, MarkEntry, Marking, PickedFields};
use crate::render::{DrawnBox, DrawnShell, Mark};
use crate::search::verify::SearchConfiguration;
use crate::search::{Cells, ParticleRecord, RangeSpace, SEARCHES, VisitedRange};

/// Largest number of boxes that are drawn for visited cells.
const MOST_BOXES: usize = 400;

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "inspector",
    title: "Inspector",
    sentence: "One particle: the cells that the search visits for it, in order, the candidates that it rejects, and \
               the neighbors that it finds.",
    legend: &[Mark::Picked, Mark::Neighbor, Mark::Rejected, Mark::Faded],
    begin,
    request,
    overlay,
    controls,
    numbers,
    drawer: None,
};

/// Selects a particle if none is selected, so that the view has something to show when it opens.
fn begin(controls: &mut Controls, report: &Report) {
    controls.stop_water();
    let has_particles = matches!(controls.lab.selection, LabSelection::Particle(_) | LabSelection::Particles(_));
    if !has_particles {
        controls.lab.step_particle(0, report);
    }
}

fn request(controls: &Controls, _: &Report, request: &mut LabRequest) {
    // The other searches run on a copy of the particles, which stays valid only while the simulation is paused.
    if controls.paused {
        request.compared.clone_from(&controls.lab.compared);
    }
}

/// Indices of the visited ranges in the order of their numbers: grouped by workgroup, since workgroups run
/// concurrently.
pub(super) fn ordered_ranges(record: &ParticleRecord) -> Vec<usize> {
    let mut order: Vec<usize> = (0..record.ranges.len()).collect();
    order.sort_by_key(|&place| record.ranges[place].worker.workgroup);
    order
}

/// Corners of the box around the cells that a range covers: one box per row of cells.
fn range_box(range: &VisitedRange, record: &ParticleRecord, cells: Option<Cells>) -> Option<[Vec3; 2]> {
    let (first, last) = range.cells?;
    let (origin, size, counts) = match range.space {
        RangeSpace::Local(grid) => {
            let grid = record.grids.get(grid)?;
            (grid.origin, grid.cell_size, grid.counts)
        }
        RangeSpace::Sorted | RangeSpace::Listed => {
            let cells = cells?;
            (cells.origin, cells.size, cells.counts)
        }
    };
    let coord = |cell: u32| UVec3::new(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y));
    let (mut low, mut high) = (coord(first), coord(last) + 1);
    if range.space == RangeSpace::Listed {
        // The list of a cell also contains the particles of its neighbor cells.
        low = low.saturating_sub(UVec3::ONE);
        high = (high + 1).min(counts);
    }
    Some([origin + low.as_vec3() * size, origin + high.as_vec3() * size])
}

/// Roles of the candidates in the first `shown` ranges.
fn marking(inspection: &Inspection, shown: usize, by_identity: bool) -> Marking {
    let mut entries = Vec::new();
    if let Some((fields, record)) = first_particle(inspection) {
        let mut number_of = vec![0; record.ranges.len()];
        ordered_ranges(record).into_iter().enumerate().for_each(|(number, place)| number_of[place] = number);
        for tested in record.tested.iter().filter(|tested| tested.range.is_none_or(|range| number_of[range] < shown)) {
            let role = if tested.accepted { Mark::Neighbor } else { Mark::Rejected };
            entries.push(MarkEntry::new(tested.identity, role));
        }
        let own = if by_identity { inspection.target.particles[0] } else { fields.identity };
        entries.push(MarkEntry::new(own, Mark::Picked));
    }
    Marking { others: Mark::Faded, entries: Arc::new(entries) }
}

fn boxes(inspection: &Inspection, shown: usize) -> (Vec<DrawnBox>, Vec<Label>) {
    let (mut boxes, mut labels) = (Vec::new(), Vec::new());
    let Some((_, record)) = first_particle(inspection) else { return (boxes, labels) };
    let order = ordered_ranges(record);
    for (number, &place) in order.iter().enumerate().take(shown.min(MOST_BOXES)) {
        let Some(corners) = range_box(&record.ranges[place], record, inspection.cells) else { continue };
        let is_current = number + 1 == shown && shown < order.len();
        boxes.push(DrawnBox::visited_cell(corners, is_current));
        labels.push(Label { place: 0.5 * (corners[0] + corners[1]), text: (number + 1).to_string(), is_current });
    }
    (boxes, labels)
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    // Several selected particles are highlighted by the caller; visits are shown for single particles only.
    if matches!(controls.lab.selection, LabSelection::Particles(_)) {
        return Overlay::default();
    }
    let Some(inspection) = report.lab.inspection.as_deref() else { return Overlay::default() };
    let Some((fields, record)) = first_particle(inspection) else { return Overlay::default() };
    let shown = controls.lab.walk.shown.unwrap_or(record.ranges.len());
    let (first_boxes, labels) = boxes(inspection, shown);
    let mut overlay = Overlay {
        markings: vec![marking(inspection, shown, true)],
        boxes: vec![first_boxes],
        labels,
        ..Overlay::default()
    };
    for column in &report.lab.columns {
        let empty = Inspection::default();
        let found = column.outcome.as_deref().unwrap_or(&empty);
        let all = first_particle(found).map_or(0, |(_, record)| record.ranges.len());
        let shown = if controls.lab.walk.shown.is_some() { shown.min(all) } else { all };
        overlay.markings.push(marking(found, shown, false));
        overlay.boxes.push(boxes(found, shown).0);
    }
    if let Some(running) = &report.running {
        let center = Vec3::from_array(fields.position);
        overlay.shells.push(DrawnShell::support(center, running.resolution.support_radius));
    }
    overlay
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    particle_field(ui, controls, report);
    walk_controls(ui, controls, report);
    compare_controls(ui, controls);
    flatland_controls(ui, controls, report);
}

/// Controls that select a particle by its index.
fn particle_field(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Particle", &[Action::PreviousParticle.key_label(), Action::NextParticle.key_label()]);
    ui.horizontal(|ui| {
        if ui.button("<").on_hover_text("the previous particle").clicked() {
            controls.act(Action::PreviousParticle, report);
        }
        let selected = controls.lab.selection.particle().map(|particle| particle.to_string());
        let field = TextEdit::singleline(&mut controls.lab.index_draft)
            .desired_width(80.0)
            .hint_text(selected.unwrap_or_else(|| "index".into()));
        let response = ui.add(field).on_hover_text("type an index and press Enter");
        if response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
            choose_index(controls, report);
        }
        if ui.button(">").on_hover_text("the next particle").clicked() {
            controls.act(Action::NextParticle, report);
        }
    });
    remark(ui, "Click a particle in the scene, or hold Shift and drag a rectangle.");
}

fn choose_index(controls: &mut Controls, report: &Report) {
    let count = report.running.as_ref().map_or(0, |running| running.resolution.particle_count);
    let typed = controls.lab.index_draft.trim().replace(',', "");
    match typed.parse::<u32>() {
        Ok(index) if index < count => {
            controls.lab.select(LabSelection::Particle(index));
            controls.lab.wants_framing = true;
        }
        _ if typed.is_empty() => {}
        _ => {
            controls.load_error =
                Some(format!("\"{typed}\" is not a particle: type an integer from 0 to {}", count.saturating_sub(1)));
        }
    }
    controls.lab.index_draft.clear();
}

fn walk_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let ranges = report.lab.inspection.as_deref().and_then(first_particle).map_or(0, |(_, record)| record.ranges.len());
    section(ui, "Order of the visits", &[Action::ToggleWalk.key_label()]);
    if ranges == 0 {
        remark(ui, "No visits have been recorded yet.");
        return;
    }
    ui.horizontal(|ui| {
        let walk = &mut controls.lab.walk;
        let play = if walk.playing { "Stop" } else { "Play" };
        if ui.button(play).on_hover_text("shows the visited ranges one after the other").clicked() {
            walk.playing = !walk.playing;
            if walk.playing && walk.shown.is_none_or(|shown| shown >= ranges) {
                walk.shown = Some(0);
            }
        }
        let mut shown = walk.shown.unwrap_or(ranges).min(ranges);
        ui.spacing_mut().slider_width = (ui.available_width() - 60.0).max(40.0);
        if ui.add(Slider::new(&mut shown, 0..=ranges)).changed() {
            walk.shown = Some(shown);
        }
    });
    if ui.add(Button::selectable(controls.lab.walk.shown.is_none(), "All").frame_when_inactive(true)).clicked() {
        controls.lab.walk = super::state::Walk::default();
    }
}

/// Controls that select the searches to compare for the same particle.
fn compare_controls(ui: &mut Ui, controls: &mut Controls) {
    section(ui, "Compare with", &[]);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for search in SEARCHES.iter().copied() {
            let place = controls.lab.compared.iter().position(|configuration| configuration.search == search);
            let is_running = *search == *controls.settings.search;
            let button = Button::selectable(place.is_some(), RichText::new(search.title).small());
            let is_full = place.is_none() && controls.lab.compared.len() + 1 >= MOST_COLUMNS;
            let response = ui
                .add_enabled(!is_running && !is_full, button.frame_when_inactive(true))
                .on_hover_text("shows the same particle under this search beside the running one")
                .on_disabled_hover_text(if is_running {
                    "this search is running"
                } else {
                    "at most four searches can be shown side by side: remove one first"
                });
            if response.clicked() {
                match place {
                    Some(place) => drop(controls.lab.compared.remove(place)),
                    None => controls
                        .lab
                        .compared
                        .push(SearchConfiguration { search, options: controls.settings.options.clone() }),
                }
            }
        }
    });
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        if matches!(controls.lab.selection, LabSelection::Particles(_)) {
            rectangle_ui(ui, controls, report);
            return;
        }
        let Some(inspection) = report.lab.inspection.as_deref() else {
            let is_selected = controls.lab.selection.particle().is_some();
            remark(
                ui,
                if is_selected { "The particle is being recorded." } else { "Select a particle to see its numbers." },
            );
            return;
        };
        let Some((fields, record)) = first_particle(inspection) else {
            remark(ui, "The selected particle is not part of the fluid.");
            return;
        };
        let index = inspection.target.particles[0];
        ui.heading(format!("Particle {}", format::count(index.into())));
        field_rows(ui, fields, inspection, report);
        ui.add_space(6.0);
        let mut columns = vec![(controls.settings.search.title, Ok(record), inspection)];
        let empty = Inspection::default();
        for column in &report.lab.columns {
            match &column.outcome {
                Ok(found) => {
                    let record = first_particle(found).map(|(_, record)| record).ok_or("not recorded yet");
                    columns.push((column.configuration.search.title, record.map_err(str::to_owned), found));
                }
                Err(reason) => columns.push((column.configuration.search.title, Err(reason.clone()), &empty)),
            }
        }
        for (title, record, inspection) in columns {
            section(ui, title, &[]);
            match record {
                Ok(record) => search_rows(ui, title, record, inspection),
                Err(reason) => {
                    remark(ui, reason);
                }
            }
        }
    });
}

fn field_rows(ui: &mut Ui, fields: &PickedFields, inspection: &Inspection, report: &Report) {
    let vector = |values: [f32; 3]| values.map(|value| format!("{value:.2}")).join(", ");
    Grid::new("particle fields").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        row(ui, "position, m", vector(fields.position), "position at the last build of the search");
        row(ui, "velocity, m/s", vector(fields.velocity), "after the last step");
        row(ui, "density", format!("{} kg/m³", format::number(fields.density.into())), "of the last density pass");
        let pressure = f64::from(fields.pressure_term) * f64::from(fields.density).powi(2);
        row(ui, "pressure", format!("{} Pa", format::number(pressure)), "of the last density pass");
        let place = format::count(fields.place.into());
        row(ui, "place in memory", place, "index of the particle in the sorted buffers");
        if let Some(cells) = inspection.cells {
            let [x, y, z] = fields.cell;
            row(ui, "cell", format!("({x}, {y}, {z})"), "cell of the search's grid that the particle was sorted into");
            if cells.border.is_some() {
                let class = if fields.is_border > 0 { "border" } else { "inner" };
                row(
                    ui,
                    "class",
                    class.into(),
                    "border: within the radius of another coarse cell; inner: all other particles",
                );
            }
        }
        if let Some(running) = &report.running {
            let radius = format::length(running.resolution.support_radius.into());
            row(ui, "support radius", radius, "particles closer than this are neighbors");
        }
    });
}

fn search_rows(ui: &mut Ui, title: &str, record: &ParticleRecord, inspection: &Inspection) {
    let Visits { cells, ranges, chunks, candidates, neighbors, once, bytes } = Visits::of(record);
    Grid::new(("search rows", title)).num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        if cells > 0 {
            let local = record.ranges.iter().any(|range| matches!(range.space, RangeSpace::Local(_)));
            let name = if local { "local cells visited" } else { "cells visited" };
            row(ui, name, format::count(cells as u64), "cells whose particles were read as candidates");
        }
        row(ui, "ranges", format::count(ranges as u64), "ranges of consecutive candidates in memory");
        if chunks > 0 {
            let hover = "chunks of coarse cells in workgroup memory that were searched for neighbors of this particle";
            row(ui, "chunks searched", format::count(chunks as u64), hover);
        }
        row(ui, "candidates", format::count(candidates as u64), "particles whose distance was computed");
        row(ui, "neighbors", format::count(neighbors as u64), "candidates within the support radius");
        let overhead = if neighbors > 0 { format::number(candidates as f64 / neighbors as f64) } else { "-".into() };
        row(ui, "overhead", format!("{overhead} per neighbor"), "candidates divided by neighbors");
        let hover = "16 bytes for each candidate's position and its own, 8 bytes for the two ends of each range";
        row(ui, "bytes read", format::bytes(bytes as u64), hover);
        if once > 0 {
            row(
                ui,
                "pairs evaluated once",
                format::count(once as u64),
                "pairs whose single evaluation is used for both particles",
            );
        }
    });
    if inspection.recording.lost > 0 {
        remark(
            ui,
            format!("{} more events did not fit and are not shown.", format::count(inspection.recording.lost.into())),
        );
    }
}
