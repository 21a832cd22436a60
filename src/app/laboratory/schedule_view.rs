//! The view "Subgroup schedule": when the subgroups of a workgroup worked on a coarse cell, with and without the
//! scheduling of CLAWS, and with FENNS.

use std::sync::Arc;

use bevy_egui::egui::{self, Align, Button, Grid, Layout, RichText, ScrollArea, Sense, Ui};
use glam::UVec3;

use super::LabSelection;
use super::schedule_chart::{ChartStyle, OWN_COLOR, chart_ui, run_color, section_words};
use super::view::{Label, Overlay, ViewInfo};
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{Gantt, Inspection, LabRequest, MarkEntry, Marking, ScheduleOrder, SectionWork};
use crate::render::{DrawnBox, Mark};
use crate::search::verify::SearchConfiguration;
use crate::search::{COARSE_CELLS, CellSchedule, ChunkRecord, EXAMPLES, SearchOption, same_value};

/// Coarse cells of the prepared example along an edge of a cubic box.
const EXAMPLE_CELLS: f32 = 4.0;
/// Coarse cells along an edge in the example where a cell contains more particles than a chunk can hold.
const CROWDED_CELLS: f32 = 2.0;
/// Number of neighbor cells with particles, for a cell in a corner, at an edge, at a face and inside of a block of
/// fluid.
const KINDS: [(&str, u32); 4] = [("Corner cell", 7), ("Edge cell", 11), ("Face cell", 17), ("Inner cell", 26)];
/// The settings of CLAWS that switch off what is not the paper's.
const OURS: [&str; 3] = ["claws-queue", "claws-local-grid", "claws-fine-order"];
/// Largest number of charts that are kept.
const MOST_CHARTS: usize = 8;
/// Smallest and largest height of the row of a subgroup, points.
const LANE_HEIGHT: std::ops::RangeInclusive<f32> = 9.0..=18.0;
/// Fraction of the window's height that the chart takes at first.
const DRAWER_SHARE: f32 = 0.55;
/// Gap between the texts of two charts, points.
const COLUMN_GAP: f32 = 8.0;

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "schedule",
    title: "Subgroup schedule",
    sentence: "One coarse cell: when each subgroup of its workgroup is busy, which row of particles it serves, and how \
               long it waits for the other subgroups.",
    legend: &[Mark::Highlighted, Mark::Visitor, Mark::Dropped],
    begin,
    request,
    overlay,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// The user's choices in the view, and the charts that were computed.
#[derive(Clone, Debug, Default)]
pub struct ScheduleControls {
    /// If set, a cell with about this many non-empty neighbor cells is selected as soon as the counts of the cells are
    /// known.
    wanted: Option<u32>,
    /// Which chunk of the cell is shown.
    chunk: usize,
    charts: Vec<KnownChart>,
}

#[derive(Clone, Debug)]
struct KnownChart {
    of: Arc<Inspection>,
    chunk: usize,
    subgroups: u32,
    chart: Arc<Gantt>,
}

impl ScheduleControls {
    /// The chart of a chunk, computed at the first call.
    fn chart(&mut self, of: &Arc<Inspection>, chunk: usize, subgroups: u32) -> Option<Arc<Gantt>> {
        let is_known =
            |known: &&KnownChart| Arc::ptr_eq(&known.of, of) && (known.chunk, known.subgroups) == (chunk, subgroups);
        if let Some(known) = self.charts.iter().find(is_known) {
            return Some(Arc::clone(&known.chart));
        }
        let chart = Arc::new(Gantt::new(of.recording.chunks.get(chunk)?, subgroups));
        if self.charts.len() >= MOST_CHARTS {
            self.charts.remove(0);
        }
        self.charts.push(KnownChart { of: Arc::clone(of), chunk, subgroups, chart: Arc::clone(&chart) });
        Some(chart)
    }
}

fn claws_option(name: &str) -> Option<&'static SearchOption> {
    EXAMPLES.scheduled.options.iter().copied().find(|option| option.name == name)
}

/// The searches that are shown side by side: CLAWS with and without its schedule, and FENNS.
fn configurations(controls: &Controls) -> Vec<SearchConfiguration> {
    let options = &controls.settings.options;
    let mut configurations = Vec::new();
    if let Some(schedule) = claws_option("claws-schedule") {
        let with =
            |value| SearchConfiguration { search: EXAMPLES.scheduled, options: options.clone().with(schedule, value) };
        configurations.extend([with(0.0), with(1.0)]);
    }
    configurations.push(SearchConfiguration { search: EXAMPLES.coarse, options: options.clone() });
    configurations
}

/// Index in [`configurations`] of the search that is running.
fn running_place(controls: &Controls, report: &Report) -> Option<usize> {
    let settings = &report.running.as_ref()?.settings;
    let runs = |configuration: &SearchConfiguration| {
        *configuration.search == *settings.search
            && (*configuration.search == *EXAMPLES.coarse || configuration.options == settings.options)
    };
    configurations(controls).iter().position(runs)
}

/// Whether the running search has coarse cells.
fn is_two_level(report: &Report) -> bool {
    report.running.as_ref().and_then(|running| running.cells).is_some_and(|cells| cells.border.is_some())
}

fn begin(controls: &mut Controls, _: &Report) {
    show_example(controls, EXAMPLE_CELLS, KINDS[0].1);
    controls.lab.drawer_wanted = Some(DRAWER_SHARE);
}

/// Runs CLAWS with `cells` coarse cells per edge, and selects a cell with `neighbors` non-empty neighbor cells.
fn show_example(controls: &mut Controls, cells: f32, neighbors: u32) {
    controls.show_example(|settings| {
        settings.search = EXAMPLES.scheduled;
        settings.options.set(&COARSE_CELLS, cells);
        for option in ["claws-schedule", "claws-rows", "claws-once", "halo"].into_iter().filter_map(claws_option) {
            settings.options.set(option, option.default_value());
        }
    });
    choose_cell(controls, neighbors);
}

/// Whether the traversal of CLAWS is ours or the paper's, in which the schedule decides who serves.
fn traversal_buttons(ui: &mut Ui, controls: &mut Controls) {
    section(ui, "Traversal of CLAWS", &[]);
    let options: Vec<_> = OURS.into_iter().filter_map(claws_option).collect();
    ui.horizontal_wrapped(|ui| {
        let titles = [
            ("Nearwater's", "visitors wait in a queue that all subgroups drain, and local grids have clipped rows"),
            ("The paper's", "each subgroup serves the visitors that it reads, and 27 local cells are looked up"),
        ];
        for (value, (title, hover)) in (0..).zip(titles) {
            let value = f32::from(value as u8);
            let is_chosen = options.iter().all(|option| same_value(controls.settings.options.value(option), value));
            let button = Button::selectable(is_chosen, title).frame_when_inactive(true);
            if ui.add(button).on_hover_text(hover).clicked() {
                controls.change(|settings| options.iter().for_each(|option| settings.options.set(option, value)));
                keep_cell(controls);
            }
        }
    });
}

fn choose_cell(controls: &mut Controls, neighbors: u32) {
    controls.lab.schedule.wanted = Some(neighbors);
    controls.lab.schedule.chunk = 0;
    if !controls.paused {
        controls.paused = true;
        controls.lab.stopped_water = true;
    }
}

/// The selected coarse cell, or the coarse cell of the selected particle.
fn cell_of(selection: &LabSelection, report: &Report) -> Option<UVec3> {
    let cells = report.running.as_ref()?.cells.filter(|cells| cells.border.is_some())?;
    let of_particle = || {
        let inspection = report.lab.inspection.as_ref()?;
        let fields = inspection.fields.first().filter(|fields| fields.found > 0)?;
        let is_selected = selection.particle()? == *inspection.target.particles.first()?;
        is_selected.then_some(UVec3::from_array(fields.cell))
    };
    selection.cell().or_else(of_particle).filter(|cell| cell.cmplt(cells.counts).all())
}

fn request(controls: &Controls, report: &Report, request: &mut LabRequest) {
    if !is_two_level(report) {
        return;
    }
    let cells = report.running.as_ref().and_then(|running| running.cells);
    let cell = cell_of(&controls.lab.selection, report);
    let linear = cell.zip(cells).map(|(cell, cells)| (cell.z * cells.counts.y + cell.y) * cells.counts.x + cell.x);
    if linear.is_some() {
        request.target.cell = linear;
        // Hovering changes the markings, but not what is recorded.
        request.target.particles = controls.lab.selection.particle().into_iter().collect();
    }
    let running = running_place(controls, report);
    let others = configurations(controls).into_iter().enumerate().filter(|(place, _)| Some(*place) != running);
    let configurations =
        if cell.is_some() { others.map(|(_, configuration)| configuration).collect() } else { Vec::new() };
    if cell.is_some() || controls.lab.schedule.wanted.is_some() {
        request.schedule = Some(ScheduleOrder { cell, configurations });
    }
}

/// The recording of the running search, if it is a recording of the selected cell.
fn inspection<'a>(controls: &Controls, report: &'a Report) -> Option<&'a Arc<Inspection>> {
    let cell = cell_of(&controls.lab.selection, report)?;
    let counts = report.running.as_ref()?.cells?.counts;
    let index = (cell.z * counts.y + cell.y) * counts.x + cell.x;
    report.lab.inspection.as_ref().filter(|found| found.target.cell == Some(index))
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    let mut overlay = Overlay::default();
    let (Some(inspection), Some(cells)) = (inspection(controls, report), report.running.as_ref().and_then(|r| r.cells))
    else {
        return overlay;
    };
    let subgroup = match controls.lab.shown() {
        LabSelection::Subgroup { workgroup, subgroup, .. } => Some((*workgroup, *subgroup)),
        _ => None,
    };
    let mut entries = Vec::new();
    for chunk in &inspection.recording.chunks {
        entries.extend(marks_of_chunk(chunk, subgroup));
    }
    if let Some(particle) = controls.lab.selection.particle() {
        entries.push(MarkEntry::new(particle, Mark::Picked));
    }
    overlay.markings.push(Marking { others: Mark::Faded, entries: Arc::new(entries) });
    if let Some(cell) = cell_of(&controls.lab.selection, report) {
        let low = cells.origin + cell.as_vec3() * cells.size;
        overlay.boxes.push(vec![DrawnBox::visited_cell([low, low + cells.size], true)]);
        let text = match subgroup {
            Some((_, subgroup)) => format!("visitors that subgroup {subgroup} checked"),
            None => format!("coarse cell ({}, {}, {})", cell.x, cell.y, cell.z),
        };
        let above = low + cells.size * glam::Vec3::new(0.5, 1.08, 0.5);
        overlay.labels.push(Label { place: above, text, is_current: true });
    }
    overlay
}

/// Members and visitors of a chunk; for one subgroup, those that it checked or served.
fn marks_of_chunk(chunk: &ChunkRecord, subgroup: Option<(u32, u32)>) -> Vec<MarkEntry> {
    let is_of = |worker: crate::search::Worker| {
        subgroup.is_none_or(|(workgroup, subgroup)| workgroup == worker.workgroup && Some(subgroup) == worker.subgroup)
    };
    let own: std::collections::HashSet<u32> = chunk
        .served
        .iter()
        .filter(|served| served.phase == 0 && is_of(served.worker))
        .map(|served| served.place)
        .collect();
    let members = chunk.members.iter().filter(|member| own.contains(&member.place));
    let visitors = chunk
        .visitors
        .iter()
        .filter(|visitor| is_of(visitor.worker))
        .map(|visitor| MarkEntry::new(visitor.identity, if visitor.kept { Mark::Visitor } else { Mark::Dropped }));
    members.map(|member| MarkEntry::new(member.identity, Mark::Highlighted)).chain(visitors).collect()
}

/// Selects the cell that a button requested, once the number of particles in each cell is known.
fn follow_wish(controls: &mut Controls, report: &Report) {
    let (Some(wanted), Some(running)) = (controls.lab.schedule.wanted, &report.running) else { return };
    let counts = report.lab.schedule.counts.as_ref();
    let is_settled = running.settings == controls.settings;
    let counts = counts.filter(|counts| is_settled && running.cells.is_some_and(|cells| cells.counts == counts.counts));
    if let Some(cell) = counts.and_then(|counts| counts.cell_with_neighbors(wanted)) {
        controls.lab.schedule.wanted = None;
        controls.lab.select(LabSelection::Cell(cell));
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !is_two_level(report) {
        return;
    }
    section(ui, "Coarse cell", &[]);
    let hovers = [
        "a cell at a corner of the fluid: few of the surrounding rows contain particles",
        "a cell at an edge of the fluid",
        "a cell at a face of the fluid",
        "a cell inside the fluid: all surrounding rows contain particles",
    ];
    for (row, hovers) in KINDS.chunks(2).zip(hovers.chunks(2)) {
        let half = 0.5 * (ui.available_width() - ui.spacing().item_spacing.x);
        ui.horizontal(|ui| {
            for (&(title, neighbors), hover) in row.iter().zip(hovers) {
                let button = Button::new(title).min_size(egui::vec2(half, 0.0));
                if ui.add(button).on_hover_text(*hover).clicked() {
                    choose_cell(controls, neighbors);
                }
            }
        });
    }
    remark(ui, "You can also click a particle to select its coarse cell.");
    traversal_buttons(ui, controls);
    section(ui, "Example", &[]);
    ui.horizontal_wrapped(|ui| {
        let small =
            ui.button("Small cells").on_hover_text("the example that the view opens with: each cell is one chunk");
        if small.clicked() {
            show_example(controls, EXAMPLE_CELLS, KINDS[0].1);
        }
        let large = ui.button("Crowded cells").on_hover_text(
            "few coarse cells, each of several chunks, so that pairs of two chunks of a cell can be evaluated once",
        );
        if large.clicked() {
            show_example(controls, CROWDED_CELLS, KINDS[0].1);
        }
        if controls.lab.kept_scene.is_some()
            && ui.button("Restore your scene").on_hover_text("restores your search and settings").clicked()
        {
            controls.leave_example();
            choose_cell(controls, KINDS[0].1);
        }
    });
}

/// A search with its settings, and the recording that was made with it.
struct Column {
    title: String,
    /// For CLAWS, whether the schedule is on; `None` for FENNS.
    scheduled: Option<bool>,
    once: bool,
    is_running: bool,
    outcome: Result<Option<Arc<Inspection>>, String>,
}

fn columns(controls: &Controls, report: &Report) -> Vec<Column> {
    let running = running_place(controls, report);
    let mut others = report.lab.schedule.columns.iter();
    let columns = configurations(controls).into_iter().enumerate().map(|(place, configuration)| {
        let is_claws = *configuration.search == *EXAMPLES.scheduled;
        let is = |name: &str| claws_option(name).is_some_and(|option| configuration.options.is(option, "on"));
        let scheduled = is_claws.then(|| is("claws-schedule"));
        let title = match scheduled {
            Some(true) => "CLAWS, scheduled",
            Some(false) => "CLAWS, not scheduled",
            None => "FENNS",
        };
        let is_running = Some(place) == running;
        let outcome = if is_running {
            Ok(inspection(controls, report).cloned())
        } else {
            let column = others.next().filter(|column| column.configuration == configuration);
            column
                .map_or(Ok(None), |column| column.outcome.clone().map(|found| found.map(|(_, inspection)| inspection)))
        };
        Column { title: title.into(), scheduled, once: is_claws && is("claws-once"), is_running, outcome }
    });
    columns.collect()
}

/// Number of ranges around a cell; the two numbers after them are the cell's own two blocks.
fn range_count(controls: &Controls) -> u32 {
    let merged = claws_option("claws-rows").is_none_or(|option| controls.settings.options.is(option, "on"));
    if merged { 9 } else { 27 }
}

fn run_label(is_claws: bool, ranges: u32, run: u32) -> String {
    match (is_claws, run) {
        (true, run) if run < ranges => (run + 1).to_string(),
        (true, run) if run == ranges => "inner".into(),
        (true, _) => "border".into(),
        (false, 0) => "before".into(),
        (false, 1) => "after".into(),
        (false, run) => (run - 1).to_string(),
    }
}

fn known_subgroups(report: &Report, column: &Column) -> u32 {
    let schedule = report.lab.schedule.schedule.as_ref().filter(|_| column.scheduled.is_some());
    schedule.map_or(0, |schedule| schedule.schedule.subgroup_count)
}

fn charts(controls: &mut Controls, report: &Report, columns: &[Column]) -> Vec<Option<Arc<Gantt>>> {
    let chunk = controls.lab.schedule.chunk;
    let chart = |column: &Column| {
        let found = column.outcome.as_ref().ok()?.as_ref()?;
        let chunk = chunk.min(found.recording.chunks.len().saturating_sub(1));
        controls.lab.schedule.chart(found, chunk, known_subgroups(report, column))
    };
    columns.iter().map(chart).collect()
}

/// The totals of the chart of one of the searches that the view compares.
#[derive(Clone, Copy)]
pub(in crate::app) struct ScheduleTotals {
    /// Rounds until the last subgroup is finished.
    pub(in crate::app) rounds: u32,
    /// Fraction of the time in which subgroups wait for others, 0 to 1.
    pub(in crate::app) idle_subgroups: f64,
    /// Fraction of the time in which lanes wait, 0 to 1.
    pub(in crate::app) idle_lanes: f64,
}

/// The totals of the shown chunk with a schedule (0), without one (1), or with the coarse search (2); `None` while the
/// view is closed or has no recording.
pub(in crate::app) fn schedule_totals(controls: &Controls, report: &Report, place: usize) -> Option<ScheduleTotals> {
    if !controls.lab.open || !std::ptr::eq(controls.lab.view(), &raw const INFO) {
        return None;
    }
    let column = columns(controls, report).into_iter().nth(place)?;
    let subgroups = known_subgroups(report, &column);
    let found = column.outcome.ok()??;
    let chunk = controls.lab.schedule.chunk.min(found.recording.chunks.len().saturating_sub(1));
    let chart = Gantt::new(found.recording.chunks.get(chunk)?, subgroups);
    Some(ScheduleTotals {
        rounds: chart.rounds,
        idle_subgroups: chart.idle_share(),
        idle_lanes: chart.idle_lane_share(),
    })
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    follow_wish(controls, report);
    controls.lab.hovered = None;
    if !is_two_level(report) {
        ui.label("The running search has no coarse cells, so there are no workgroups that serve coarse cells.");
        let button = ui.button("Switch to CLAWS").on_hover_text("the search with coarse cells and scheduled subgroups");
        if button.clicked() {
            show_example(controls, EXAMPLE_CELLS, KINDS[0].1);
        }
        return;
    }
    let Some(cell) = cell_of(&controls.lab.selection, report) else {
        remark(ui, "Select a cell at the left, or click a particle in the scene.");
        return;
    };
    let columns = columns(controls, report);
    let charts = charts(controls, report, &columns);
    // Both charts of CLAWS share one scale, so that their lengths can be compared; FENNS has smaller workgroups and its
    // own axis.
    let rounds_of = |is_claws: bool| {
        let charts = columns.iter().zip(&charts).filter(|(column, _)| column.scheduled.is_some() == is_claws);
        charts.filter_map(|(_, chart)| chart.as_ref()).map(|chart| chart.rounds).max().unwrap_or(1)
    };
    let (rounds_of_claws, rounds_of_fenns) = (rounds_of(true), rounds_of(false));
    chart_legend(ui, controls, &charts, &columns);
    let most = charts.iter().flatten().map(|chart| chart.subgroups).max().unwrap_or(1);
    let lane_height = ((ui.available_height() - 98.0) / most as f32).clamp(*LANE_HEIGHT.start(), *LANE_HEIGHT.end());
    let ranges = range_count(controls);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.columns(columns.len().max(1), |uis| {
            for ((ui, column), chart) in uis.iter_mut().zip(&columns).zip(&charts) {
                column_head(ui, controls, column, chart.as_deref());
                let Some(chart) = chart else { continue };
                let label = |run| run_label(column.scheduled.is_some(), ranges, run);
                let selected = match &controls.lab.selection {
                    LabSelection::Subgroup { workgroup, subgroup, .. }
                        if column.is_running && *workgroup == chart.workgroup =>
                    {
                        Some(*subgroup)
                    }
                    _ => None,
                };
                let rounds = if column.scheduled.is_some() { rounds_of_claws } else { rounds_of_fenns };
                let style = ChartStyle { rounds, lane_height, selected, once: column.once, run_label: &label };
                let pointed = chart_ui(ui, chart, &style);
                // The other columns number the particles differently, so hovering works in the running column only.
                if let Some(subgroup) = pointed.subgroup.filter(|_| column.is_running) {
                    let selection = LabSelection::Subgroup { cell, workgroup: chart.workgroup, subgroup };
                    if pointed.clicked {
                        controls.lab.select(selection.clone());
                    }
                    controls.lab.hovered = Some(selection);
                }
            }
        });
    });
}

/// The legend of the colors and the hatching, and the buttons that select a chunk.
fn chart_legend(ui: &mut Ui, controls: &mut Controls, charts: &[Option<Arc<Gantt>>], columns: &[Column]) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let square = |ui: &mut Ui, color| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(11.0, 11.0), Sense::hover());
            ui.painter().rect_filled(rect, 1, color);
        };
        square(ui, OWN_COLOR);
        ui.label(RichText::new("the chunk's own particles").small());
        (0..3).for_each(|run| square(ui, run_color(run)));
        ui.label(RichText::new("visitors, colored and numbered by their row of cells").small());
        ui.label(RichText::new("/////").small().color(QUIET));
        ui.label(RichText::new("idle").small());
        if columns.iter().any(|column| column.once) {
            ui.label(RichText::new("|||||").small().color(TEXT));
            ui.label(RichText::new("pairs evaluated once for both").small());
        }
        ui.label(
            RichText::new("in 1 round each lane reads a position or tests a candidate; shaders cannot measure time")
                .small()
                .color(QUIET),
        );
        let chunk_count =
            |column: &Column| column.outcome.as_ref().ok()?.as_ref().map(|found| found.recording.chunks.len());
        let chunks = columns.iter().filter(|column| column.is_running).filter_map(chunk_count).max().unwrap_or(1);
        if chunks > 1 && charts.iter().any(Option::is_some) {
            for chunk in 0..chunks {
                let button = Button::selectable(controls.lab.schedule.chunk == chunk, format!("chunk {}", chunk + 1));
                let hover = "the cell has more particles than fit in workgroup memory, so several workgroups share it";
                if ui.add(button.frame_when_inactive(true)).on_hover_text(hover).clicked() {
                    controls.lab.schedule.chunk = chunk;
                }
            }
        }
    });
}

fn column_head(ui: &mut Ui, controls: &mut Controls, column: &Column, chart: Option<&Gantt>) {
    ui.horizontal(|ui| {
        let title = RichText::new(&column.title).strong().color(if column.is_running { ACCENT } else { TEXT });
        ui.label(title);
        if column.is_running {
            ui.label(RichText::new("running").small().color(ACCENT));
        } else if ui.small_button("Run it").on_hover_text("makes this the running search").clicked() {
            let scheduled = column.scheduled;
            controls.change(|settings| {
                settings.search = if scheduled.is_some() { EXAMPLES.scheduled } else { EXAMPLES.coarse };
                if let (Some(scheduled), Some(option)) = (scheduled, claws_option("claws-schedule")) {
                    settings.options.set(option, if scheduled { 0.0 } else { 1.0 });
                }
            });
            keep_cell(controls);
        }
    });
    let sentence = match (&column.outcome, chart) {
        (Err(error), _) => {
            ui.colored_label(WARNING, error);
            return;
        }
        (Ok(None), _) => "being recorded".to_owned(),
        (Ok(Some(_)), None) => "no workgroup serves this cell, because it is empty".to_owned(),
        (Ok(Some(_)), Some(chart)) => summary(chart),
    };
    // Without this layout, the column would stretch the text over its full width.
    ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
        ui.set_max_width(ui.available_width() - COLUMN_GAP);
        ui.label(RichText::new(sentence).small().color(TEXT));
    });
}

/// Keeps the cell selected when another search is selected; a subgroup of the old search would have no meaning.
fn keep_cell(controls: &mut Controls) {
    if let LabSelection::Subgroup { cell, .. } = controls.lab.selection {
        controls.lab.select(LabSelection::Cell(cell));
    }
}

/// The totals of a chart in one paragraph.
fn summary(chart: &Gantt) -> String {
    let (reading, idle) = chart.reading(2);
    let serves_too = chart.sections.iter().any(|section| section.work == SectionWork::ReadingAndServing);
    format!(
        "{} rounds, subgroups idle {}. {} the rows takes {} rounds: {} of {} subgroups read nothing, idle {}.",
        chart.rounds,
        percent(chart.idle_share()),
        if serves_too { "Reading and serving" } else { "Reading" },
        reading,
        chart.without_reading(2),
        chart.subgroups,
        percent(idle),
    )
}

fn row(ui: &mut Ui, name: &str, values: &[String], hover: &str) {
    ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
    for value in values {
        ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
    }
    ui.end_row();
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let Some(cell) = cell_of(&controls.lab.selection, report) else {
            remark(ui, "Select a coarse cell to see its numbers.");
            return;
        };
        ui.heading(format!("Coarse cell ({}, {}, {})", cell.x, cell.y, cell.z));
        cell_rows(ui, controls, report, cell);
        let columns = columns(controls, report);
        let charts = charts(controls, report, &columns);
        section(ui, "With and without schedule", &[]);
        comparison(ui, &charts);
        pairs(ui, controls, report, &columns, &charts);
        if let Some(schedule) = &report.lab.schedule.schedule {
            section(ui, "The schedule of CLAWS", &[]);
            schedule_table(ui, schedule);
        }
        if let Some(error) = &report.lab.schedule.error {
            ui.colored_label(WARNING, error);
        }
        section(ui, "Beside FENNS", &[]);
        remark(
            ui,
            "In the paper on FENNS a subgroup serves one neighbor cell, so it is idle when that cell is nearly empty. \
             Here all subgroups read the visitors of all cells together and queue those within the radius, so only the \
             last turn is partly idle. CLAWS with the paper's traversal, without its schedule and merged rows, works as \
             the paper on FENNS describes.",
        );
        pass_times(ui, report);
    });
}

fn cell_rows(ui: &mut Ui, controls: &Controls, report: &Report, cell: UVec3) {
    Grid::new("coarse cell").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        if let Some(counts) = &report.lab.schedule.counts {
            let particles = format::count(counts.of(cell.as_ivec3()).into());
            row(ui, "particles", &[particles], "particles that the search counted in this cell");
            let around = format!("{} of 26", counts.occupied_around(cell));
            row(
                ui,
                "non-empty neighbors",
                &[around],
                "neighbor cells that contain particles: 7 at a corner of the fluid, 11 at an edge, 17 at a face, 26 \
                 inside",
            );
        }
        if let Some(found) = inspection(controls, report) {
            let chunks = found.recording.chunks.len();
            row(
                ui,
                "chunks",
                &[chunks.to_string()],
                "workgroups that share the cell; each of them holds one chunk in workgroup memory",
            );
            let checked: usize = found.recording.chunks.iter().map(|chunk| chunk.visitors.len()).sum();
            let kept: usize =
                found.recording.chunks.iter().flat_map(|chunk| &chunk.visitors).filter(|visitor| visitor.kept).count();
            row(
                ui,
                "visitors checked",
                &[format::count(checked as u64)],
                "particles outside the chunk whose position was read",
            );
            row(
                ui,
                "visitors kept",
                &[format::count(kept as u64)],
                "visitors within the support radius of the chunk, which look for neighbors in it",
            );
            if found.recording.lost > 0 {
                let lost = format::count(found.recording.lost.into());
                row(ui, "not shown", &[format!("{lost} events")], "events that did not fit into the recording");
            }
        }
    });
}

/// Shows the totals of the charts side by side.
fn comparison(ui: &mut Ui, charts: &[Option<Arc<Gantt>>]) {
    let of = |value: &dyn Fn(&Gantt) -> String| -> Vec<String> {
        charts.iter().map(|chart| chart.as_ref().map_or("...".into(), |chart| value(chart))).collect()
    };
    Grid::new("schedules compared").num_columns(4).spacing([8.0, 3.0]).show(ui, |ui| {
        row(ui, "", &["on".into(), "off".into(), "FENNS".into()], "CLAWS with and without its schedule, and FENNS");
        row(ui, "rounds", &of(&|chart| chart.rounds.to_string()), "number of rounds until the workgroup has finished");
        row(
            ui,
            "reading rows",
            &of(&|chart| chart.reading(2).0.to_string()),
            "rounds in which surrounding border particles are read, and served if a subgroup serves what it reads",
        );
        row(
            ui,
            "read nothing",
            &of(&|chart| format!("{}/{}", chart.without_reading(2), chart.subgroups)),
            "subgroups without a row to read",
        );
        row(
            ui,
            "idle in all",
            &of(&|chart| percent(chart.idle_share())),
            "fraction of all rounds in which subgroups are idle",
        );
        row(
            ui,
            "lanes idle",
            &of(&|chart| percent(chart.idle_lane_share())),
            "the same for lanes, which also wait for the busiest lane of their subgroup",
        );
    });
    if let Some(chart) = charts.first().and_then(Option::as_ref) {
        ui.collapsing("sections, scheduled", |ui| {
            for section in &chart.sections {
                let all = u64::from(section.rounds) * u64::from(chart.subgroups);
                let idle = 1.0 - section.busy_rounds as f64 / all.max(1) as f64;
                remark(ui, format!("{}: {} rounds, idle {}", section_words(section)[0], section.rounds, percent(idle)));
            }
        });
    }
}

/// Shows which pairs of the cell and of the selected particle are evaluated once, and which twice.
fn pairs(ui: &mut Ui, controls: &Controls, report: &Report, columns: &[Column], charts: &[Option<Arc<Gantt>>]) {
    section(ui, "Pairs evaluated once and twice", &[]);
    let Some((column, Some(chart))) = columns.iter().zip(charts).find(|(column, _)| column.is_running) else {
        remark(ui, "being recorded");
        return;
    };
    let once = if column.once { chart.tested(1) } else { 0 };
    let [own, same, around] = [0, 1, 2].map(|phase| chart.tested(phase));
    Grid::new("pairs of the cell").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let row = |ui: &mut Ui, color, name: &str, count: u64, hover: &str| {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
                ui.painter().rect_filled(rect, 1, color);
                ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
            });
            ui.label(RichText::new(format::count(count)).color(TEXT)).on_hover_text(hover);
            ui.end_row();
        };
        row(ui, OWN_COLOR, "twice, in the chunk", own, "both particles of the pair search the chunk at the same time");
        row(ui, run_color(0), "twice, across cells", around, "each of the two cells evaluates the pair once");
        if !column.once {
            row(ui, run_color(1), "twice, same cell", same, "each of the two chunks evaluates the pair once");
        }
        row(
            ui,
            TEXT,
            "once for both ||||",
            once,
            "a pair of two chunks of the same cell: one evaluation is added to both particles",
        );
    });
    if once == 0 {
        let why = match column {
            Column { scheduled: None, .. } => "FENNS evaluates every pair twice.",
            Column { once: false, .. } => "The setting \"Pairs once\" is off.",
            _ => "The cell has no second chunk: try the example \"Crowded cells\".",
        };
        remark(ui, why);
    }
    let record = inspection(controls, report).and_then(|found| found.recording.particles.first());
    if let Some(record) = record.filter(|_| controls.lab.selection.particle().is_some()) {
        let once = record.tested.iter().filter(|tested| tested.both_ways).count();
        let twice = record.tested.len() - once;
        remark(
            ui,
            format!(
                "Of the selected particle's pairs, {once} are evaluated once for both particles, {twice} from each \
                 side."
            ),
        );
    }
}

/// Shows which subgroups serve which row, and the load of each row.
fn schedule_table(ui: &mut Ui, cell: &CellSchedule) {
    let schedule = &cell.schedule;
    remark(
        ui,
        format!(
            "{} subgroups are distributed over the rows in proportion to their number of border particles (the load).",
            schedule.subgroup_count
        ),
    );
    Grid::new("schedule of CLAWS").num_columns(4).spacing([8.0, 2.0]).striped(true).show(ui, |ui| {
        for title in ["row", "offset", "load", "subgroups"] {
            ui.label(RichText::new(title).small().color(QUIET));
        }
        ui.end_row();
        for (range, (offset, load)) in (0..).zip(cell.offsets.iter().zip(&schedule.loads)) {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
                ui.painter().rect_filled(rect, 1, run_color(range));
                ui.label((range + 1).to_string());
            });
            let x = if cell.rows { "x".into() } else { format!("{:+}", offset.x) };
            ui.label(RichText::new(format!("{x} {:+} {:+}", offset.y, offset.z)).color(QUIET)).on_hover_text(
                "offset in cells from the selected cell along x, y and z; a merged row covers three cells along x",
            );
            ui.label(format::count((*load).into()));
            let group = schedule.groups().find(|(served, _)| *served == range).map(|(_, subgroups)| subgroups);
            ui.label(match group {
                None => "none".to_owned(),
                Some(group) if group.len() == 1 => group.start.to_string(),
                Some(group) => format!("{} to {} ({})", group.start, group.end - 1, group.len()),
            });
            ui.end_row();
        }
    });
}

/// Shows the measured milliseconds of whole passes, if the device has timestamps.
fn pass_times(ui: &mut Ui, report: &Report) {
    let searches = report.timings.passes().iter().filter(|pass| pass.phase == crate::gpu::Phase::Search);
    let times: Vec<String> =
        searches.map(|pass| format!("{} {} ms", pass.label, format::number(pass.median().into()))).collect();
    if !times.is_empty() {
        section(ui, "Measured, whole passes", &[]);
        remark(ui, times.join(", "));
    }
}
