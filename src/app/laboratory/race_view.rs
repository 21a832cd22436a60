//! The view "Race": times every search on the same particles, with interleaved runs, and shows bars, a table and the
//! winner. The scaling lab is its second tab.

use bevy_egui::egui::{self, Align, Button, Checkbox, DragValue, Grid, Layout, RichText, ScrollArea, TextEdit, Ui};

use super::bars::{configuration_title, race_bars, written};
use super::measure::{MeasureTab, job_line, save_text};
use super::scaling_view::{scaling_controls, scaling_drawer, scaling_numbers};
use super::view::ViewInfo;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, phase_color, remark, section};
use crate::app::{Controls, Report, format};
use crate::gpu::Phase;
use crate::laboratory::{RaceColumn, RaceFigures, RaceResult, RaceTable, Water};

/// Fraction of the window's height that the bars and the table need.
const DRAWER: f32 = 0.6;

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "race",
    title: "Race",
    sentence: "Times every search on the same particles, with interleaved runs. Which search is fastest, and by how \
               much, depends on the distribution of the particles and on the device.",
    legend: &[],
    begin,
    request: ViewInfo::request_nothing,
    overlay: ViewInfo::overlay_nothing,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// Starts a race on the three prepared inputs, so that the view has something to show when it opens.
fn begin(controls: &mut Controls, report: &Report) {
    controls.lab.drawer_wanted = Some(DRAWER);
    if !controls.lab.measure.raced && report.has_timestamps {
        controls.lab.measure.raced = true;
        controls.race_on(Water::MADE.to_vec(), report);
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        for (tab, words) in [(MeasureTab::Race, "One input"), (MeasureTab::Scaling, "Scaling lab")] {
            let button = Button::selectable(controls.lab.measure.tab == tab, words).frame_when_inactive(true);
            if ui.add(button).clicked() {
                controls.lab.measure.tab = tab;
            }
        }
    });
    if !report.has_timestamps {
        ui.colored_label(
            WARNING,
            "Searches cannot be timed on this adapter, because it has no timestamps. Select another one with \
             --adapter.",
        );
        return;
    }
    if controls.lab.measure.tab == MeasureTab::Scaling {
        scaling_controls(ui, controls, report);
        return;
    }
    section(ui, "Race on", &[]);
    ui.horizontal_wrapped(|ui| {
        for water in [Water::Running].into_iter().chain(Water::MADE) {
            if ui.button(water.title()).on_hover_text(water.sentence()).clicked() {
                controls.race_on(vec![water], report);
            }
        }
        if ui.button("All three").on_hover_text("dense, sparse and one blob, one after the other").clicked() {
            controls.race_on(Water::MADE.to_vec(), report);
        }
    });
    let measure = &mut controls.lab.measure;
    ui.add(Checkbox::new(&mut measure.with_settings, "With every setting"))
        .on_hover_text("also times each search with each of its settings changed to each of its other usual values");
    ui.horizontal(|ui| {
        ui.label("Timed runs").on_hover_text("of each search, interleaved; the table shows medians");
        ui.add(DragValue::new(&mut measure.runs).range(1..=101));
    });
    job_line(ui, controls, report);
    if let Some(race) = report.jobs.race(controls.lab.measure.shown) {
        keep_controls(ui, controls, race);
    }
}

/// Buttons that save the table to a file or copy it to the clipboard.
fn keep_controls(ui: &mut Ui, controls: &mut Controls, race: &RaceResult) {
    section(ui, "Save the table", &[]);
    let measure = &mut controls.lab.measure;
    ui.add(TextEdit::singleline(&mut measure.race_file).desired_width(f32::INFINITY))
        .on_hover_text("the CSV file that the table is saved to");
    ui.horizontal(|ui| {
        if ui
            .button("Save CSV")
            .on_hover_text("all numbers with full precision, and their ratios to the best")
            .clicked()
        {
            let text = race.table.csv().map_err(|error| error.to_string());
            measure.file_message = Some(save_text(&measure.race_file, text));
        }
        if ui.button("Copy as text").on_hover_text("copies the table with the name of the device").clicked() {
            ui.ctx().copy_text(race.table.text());
            measure.file_message = Some(Ok("the table was copied to the clipboard".to_owned()));
        }
    });
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if controls.lab.measure.tab == MeasureTab::Scaling {
        scaling_numbers(ui, controls, report);
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.heading("Fastest searches");
        if report.jobs.races.is_empty() {
            remark(ui, "Nothing has been timed yet: select an input at the left.");
        }
        for race in &report.jobs.races {
            winner(ui, controls, race);
        }
        if let Some(race) = report.jobs.races.first() {
            ui.add_space(8.0);
            remark(ui, format!("{}.", race.table.circumstances.line()));
        }
    });
}

/// Shows the fastest search on an input, its lead over the next one, and a button that makes it the running search.
fn winner(ui: &mut Ui, controls: &mut Controls, race: &RaceResult) {
    section(ui, race.water.title(), &[]);
    let Some(best) = race.table.winner() else {
        remark(ui, "not timed yet");
        return;
    };
    ui.label(RichText::new(configuration_title(&best.configuration)).strong().color(TEXT).size(15.0));
    let total = best.figures().map_or(0.0, RaceFigures::total);
    let mut others: Vec<_> =
        race.table.rows.iter().filter(|row| row.figures().is_some_and(|f| f.search.is_right())).collect();
    others.sort_by(|a, b| {
        let time = |row: &&crate::laboratory::RaceRow| row.figures().map_or(f64::INFINITY, RaceFigures::total);
        time(a).total_cmp(&time(b))
    });
    let next = others.get(1).and_then(|row| Some((row, race.table.ratio(row, RaceColumn::Total)?)));
    let lead = next.map_or_else(String::new, |(row, ratio)| {
        format!("; the next, {}, takes {ratio:.2} times as long", configuration_title(&row.configuration))
    });
    remark(
        ui,
        format!("{} ms for {} particles{lead}", format::number(total), format::count(race.table.particle_count.into())),
    );
    let runs = *controls.settings.search == *best.configuration.search;
    let hover =
        if runs { "applies its settings; your scene already runs with this search" } else { "runs your scene with it" };
    ui.push_id(race.water.title(), |ui| {
        if ui.button("Use the winner").on_hover_text(hover).clicked() {
            controls.use_configuration(&best.configuration);
        }
    });
}

fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if controls.lab.measure.tab == MeasureTab::Scaling {
        scaling_drawer(ui, controls, report);
        return;
    }
    if report.jobs.races.is_empty() {
        let words = if report.jobs.progress.is_some() {
            "The first search is being created."
        } else {
            "Nothing has been timed yet."
        };
        remark(ui, words);
        return;
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new("bars show").color(QUIET));
        let measured = |column: &RaceColumn| report.jobs.races.iter().any(|race| race.table.best(*column).is_some());
        for column in RaceColumn::ALL.into_iter().filter(measured) {
            let button =
                Button::selectable(controls.lab.measure.column == column, RichText::new(column.label()).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.lab.measure.column = column;
            }
        }
        if controls.lab.measure.column == RaceColumn::Total {
            ui.add_space(8.0);
            for phase in [Phase::Build, Phase::Search, Phase::Physics] {
                let (square, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
                ui.painter().rect_filled(square, 2, phase_color(phase));
                ui.label(RichText::new(phase.label()).small());
            }
        }
    });
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let races = &report.jobs.races;
        ui.columns(races.len(), |columns| {
            for (ui, race) in columns.iter_mut().zip(races) {
                card(ui, controls, race);
            }
        });
        let shown = report.jobs.race(controls.lab.measure.shown).or(races.first());
        if let Some(race) = shown {
            ui.add_space(6.0);
            let count = format::count(race.table.particle_count.into());
            section(ui, &format!("{}: {count} particles, radius {} m", race.water.title(), race.table.radius), &[]);
            table(ui, &race.table);
        }
    });
}

/// The bars of one input; a click on its title shows its table.
fn card(ui: &mut Ui, controls: &mut Controls, race: &RaceResult) {
    let selected = controls.lab.measure.shown == race.water;
    let title = Button::selectable(selected, RichText::new(race.water.title()).strong()).frame_when_inactive(true);
    if ui.add(title).on_hover_text("shows this table below").clicked() {
        controls.lab.measure.shown = race.water;
    }
    // Columns justify their texts otherwise.
    ui.with_layout(Layout::top_down(Align::LEFT), |ui| remark(ui, race.water.sentence()));
    race_bars(ui, &race.table, controls.lab.measure.column);
}

/// All numbers of a race with their ratios to the best, and the reason of every refusal.
fn table(ui: &mut Ui, table: &RaceTable) {
    let columns = table.columns();
    let winner = table.winner().map(|row| &row.configuration);
    Grid::new("race table").num_columns(columns.len() + 1).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        ui.label(RichText::new("search").color(QUIET));
        for column in &columns {
            ui.label(RichText::new(column.label()).color(QUIET)).on_hover_text(column_hover(*column));
        }
        ui.end_row();
        for row in &table.rows {
            let wins = winner == Some(&row.configuration);
            let name = RichText::new(configuration_title(&row.configuration)).color(if wins { ACCENT } else { TEXT });
            ui.label(if wins { name.strong() } else { name });
            for &column in &columns {
                let Some(value) = row.figures().and_then(|figures| figures.value(column, table.particle_count)) else {
                    ui.label("");
                    continue;
                };
                // All correct searches find the same neighbors, so a ratio would say nothing.
                let ratio = table.ratio(row, column).filter(|_| column != RaceColumn::Neighbors);
                let is_best = ratio.is_some_and(|ratio| ratio <= 1.0);
                let ratio = ratio.map(|ratio| format!(" ({ratio:.2}x)")).unwrap_or_default();
                let text = RichText::new(format!("{}{ratio}", written(column, value)));
                ui.label(if is_best { text.strong().color(ACCENT) } else { text.color(TEXT) });
            }
            ui.end_row();
        }
    });
    for row in table.rows.iter().filter(|row| !row.remark().is_empty()) {
        ui.label(
            RichText::new(format!("{}: {}", configuration_title(&row.configuration), row.remark())).color(WARNING),
        );
    }
}

fn column_hover(column: RaceColumn) -> &'static str {
    match column {
        RaceColumn::Build => "the passes that sort the particles and build the tables of the search",
        RaceColumn::Search => "the traversal, with a kernel sum over all neighbors",
        RaceColumn::Physics => "work per particle, as measured in the running simulation: the same for every search",
        RaceColumn::Total => "from the start of the build to the end of the traversal, plus physics",
        RaceColumn::Candidates => "distances that are computed per particle",
        RaceColumn::Neighbors => "particles within the support radius per particle",
        RaceColumn::Bytes => {
            "memory that the search needs in addition to the arrays of the particles, including deposits"
        }
    }
}
